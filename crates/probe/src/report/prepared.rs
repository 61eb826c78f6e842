//! What the tables of a run are compared with: all that does not hang on the table, computed once.

use ndarray::{Array2, ArrayView2};

use super::correlation_tables::{self, CorrelationTable};
use super::drawing::Drawing;
use super::form::{Form, Prober, beside};
use super::recording::Recording;
use super::reference::{Reference, ReferenceReport};
use super::{brain, truth};
use crate::dcor::Centred;
use crate::network::Partition;
use crate::permutation::Permutations;
use crate::rdm::{Measure, Rdm, hamming, one_hot};
use crate::run_dir::RunDir;
use crate::{StatError, sinusoid};

/// The kind of task whose tokens are places of a recording: it has references and statistics of its own.
const RECORDINGS: &str = "recordings";

/// The references of a run.
pub(super) struct Prepared {
    coords: Array2<f64>,
    forms: Vec<Form>,
    /// Distances between places; none where tokens have no place.
    places: Option<Rdm>,
    modules: Option<Partition>,
    sinusoid: Option<Sinusoid>,
    recording: Option<Recording>,
    correlation: Option<Array2<f64>>,
}

/// The sinusoid of these coordinates, where there is one at all.
struct Sinusoid {
    coords: Array2<f64>,
    /// What its RSA is also given beyond.
    beyond: Option<Rdm>,
}

impl Prepared {
    pub(super) fn new(run: &RunDir, drawing: &Drawing) -> Result<Self, StatError> {
        let (coords, known) = (run.tensors.coords.view(), &run.tensors.truth);
        let Some(correlation) = &known.correlation else { return Self::of_grid(coords) };
        let is_recording = run.config.task.kind == RECORDINGS;
        let places = if known.has_places { Some(truth::places(coords, known)?) } else { None };
        let seen = truth::seen(correlation)?;
        let further = if is_recording { brain::forms(coords, known, &seen, drawing)? } else { Vec::new() };
        let sinusoid = places.as_ref().map(|distances| Sinusoid {
            // Millimetres: the encoding takes them in units of a typical step, as a grid has them already.
            coords: if is_recording { unit_spacing(coords, distances) } else { coords.to_owned() },
            beyond: None,
        });
        let recording = match is_recording {
            true => Some(Recording::new(coords, known, places.as_ref(), &seen, drawing)?),
            false => None,
        };
        Ok(Self {
            coords: coords.to_owned(),
            forms: truth::forms(coords, known, places.as_ref(), &seen, further)?,
            modules: known.modules.as_ref().map(|modules| Partition::new(modules)),
            sinusoid,
            places,
            recording,
            correlation: Some(correlation.clone()),
        })
    }

    fn of_grid(coords: ArrayView2<f64>) -> Result<Self, StatError> {
        let (rook, order) = (hamming(coords)?, Rdm::of_rows(coords, Measure::Euclidean)?);
        let form = |reference, rdm, table: ArrayView2<f64>, beyond| {
            let form = Form::new(reference, rdm, None);
            Ok(Form { centred: Centred::new(table)?, beyond, ..form })
        };
        Ok(Self {
            forms: vec![
                form(Reference::Hamming, rook.clone(), one_hot(coords).view(), None)?,
                form(Reference::Grid, order.clone(), coords, Some((Reference::Hamming, rook.clone())))?,
            ],
            coords: coords.to_owned(),
            places: Some(order),
            modules: None,
            sinusoid: Some(Sinusoid { coords: coords.to_owned(), beyond: Some(rook) }),
            recording: None,
            correlation: None,
        })
    }

    pub(super) fn coords(&self) -> ArrayView2<'_, f64> {
        self.coords.view()
    }

    /// Distances between places; none where tokens have no place.
    pub(super) fn places(&self) -> Option<&Rdm> {
        self.places.as_ref()
    }

    /// The true modules, where there are such.
    pub(super) fn modules(&self) -> Option<&Partition> {
        self.modules.as_ref()
    }

    /// What only recordings have.
    pub(super) fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// The references that are recorded truths: not a table of the run's own making, nor what follows from the data.
    pub(super) fn truths(&self) -> impl Iterator<Item = &Form> {
        let is_truth = |form: &&Form| matches!(form.reference, Reference::Positions | Reference::Modules);
        self.forms.iter().filter(is_truth)
    }

    /// What tables made of the correlations alone come to; none where there are no correlations.
    pub(super) fn correlation_tables(&self) -> Result<Vec<CorrelationTable>, StatError> {
        match &self.correlation {
            Some(correlation) => correlation_tables::reports(correlation, &self.forms),
            None => Ok(Vec::new()),
        }
    }

    /// All comparisons of a table whose columns are blocks of these widths. `is_learned`: with places folded and in part
    /// too, where there are such.
    pub(super) fn compare(
        &self,
        prober: &Prober,
        widths: &[usize],
        is_learned: bool,
        permutations: &Permutations,
    ) -> Result<Vec<ReferenceReport>, StatError> {
        let (sinusoid, count_tokens) = (self.sinusoid(widths)?, self.recording.is_some());
        let counts = |form: &&Form| is_learned || !form.reference.is_of_brain();
        let forms = self.forms.iter().filter(counts).chain(&sinusoid);
        forms.map(|form| form.report(prober, permutations, count_tokens)).collect()
    }

    /// The sinusoid of each block side by side, so that an encoding that adds it to every block is at
    /// distance 0. None when a block is too narrow for one sine and cosine an axis.
    fn sinusoid(&self, widths: &[usize]) -> Result<Option<Form>, StatError> {
        let Some(Sinusoid { coords, beyond }) = &self.sinusoid else { return Ok(None) };
        let axes = coords.ncols();
        if axes == 0 || widths.is_empty() || widths.iter().any(|&width| width < 2 * axes) {
            return Ok(None);
        }
        let blocks = widths
            .iter()
            .map(|&width| sinusoid::sinusoid_kd(coords.view(), width))
            .collect::<Result<Vec<_>, _>>()?;
        let table = beside(&blocks);
        let rdm = Rdm::of_rows(table.view(), Measure::Euclidean)?;
        let beyond = beyond.clone().map(|rook| (Reference::Hamming, rook));
        Ok(Some(Form { beyond, ..Form::new(Reference::Sinusoid { axes }, rdm, Some(table)) }))
    }
}

/// Coordinates in units of the median distance to the nearest other one; as they are where that is 0.
fn unit_spacing(coords: ArrayView2<f64>, distances: &Rdm) -> Array2<f64> {
    let median = crate::distances::typical_step(distances);
    if median.is_finite() && median > 0.0 { &coords / median } else { coords.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn millimetres_become_steps() {
        let coords = array![[0.0, 0.0], [0.0, 8.0], [8.0, 0.0], [100.0, 0.0]];
        let distances = Rdm::of_rows(coords.view(), Measure::Euclidean).unwrap();
        assert_eq!(unit_spacing(coords.view(), &distances), &coords / 8.0);
        // Places that are shared tell nothing of steps.
        let shared = array![[0.0, 0.0], [0.0, 0.0], [0.0, 8.0], [0.0, 8.0], [8.0, 0.0]];
        let distances = Rdm::of_rows(shared.view(), Measure::Euclidean).unwrap();
        assert_eq!(unit_spacing(shared.view(), &distances), &shared / 8.0);
        let same = array![[3.0], [3.0], [3.0]];
        let none = Rdm::of_rows(same.view(), Measure::Euclidean).unwrap();
        assert_eq!(unit_spacing(same.view(), &none), same);
    }
}
