//! The names and places of parcels, and what else is known of them.

mod read;

use std::collections::BTreeMap;

use ndarray::{Array2, Axis};

use super::hemisphere::{Hemisphere, partners};
use crate::fmri::error::{FmriError, Result};

/// The names of axes in tables.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// What is known of the parcels, in the order of the columns of the series.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionTable {
    /// Their names, each once.
    pub names: Vec<String>,
    /// Where they are, `[parcels, 1 to 3 axes]`, in mm for brains; nothing where nobody knows.
    pub coordinates: Option<Array2<f64>>,
    /// The side that each is on: of the table, else of its name.
    pub hemispheres: Vec<Hemisphere>,
    /// The label that each has, such as its network, where there are labels.
    pub networks: Option<Vec<String>>,
    /// Whether each is cortical, where the table says so.
    pub cortical: Option<Vec<bool>>,
}

impl RegionTable {
    /// A table of names and nothing else but what they tell of sides.
    pub fn named(names: Vec<String>) -> Self {
        let hemispheres = names.iter().map(|name| Hemisphere::of_name(name)).collect();
        Self { names, coordinates: None, hemispheres, networks: None, cortical: None }
    }

    /// Names for parcels that have none: `parcel-1` and so on, padded so that they sort.
    pub fn numbered(parcels: usize) -> Self {
        let width = parcels.to_string().len();
        Self::named((1..=parcels).map(|number| format!("parcel-{number:0width$}")).collect())
    }

    /// Whether any parcel is on a side.
    pub fn has_sides(&self) -> bool {
        self.hemispheres.iter().any(|side| *side != Hemisphere::Neither)
    }

    /// For each parcel the one of the same name on the other side, where there is just one.
    pub fn partners(&self) -> Vec<Option<usize>> {
        partners(&self.names, &self.hemispheres)
    }

    /// The label of each parcel as a number, in the order in which labels first appear.
    pub fn modules(&self) -> Option<Vec<usize>> {
        let mut known = BTreeMap::new();
        let number = |label: &'_ String| {
            let next = known.len();
            *known.entry(label.clone()).or_insert(next)
        };
        self.networks.as_ref().map(|labels| labels.iter().map(number).collect())
    }

    /// Euclidean distances of the places, `[parcels, parcels]`.
    pub fn distances(&self) -> Option<Array2<f64>> {
        let places = self.coordinates.as_ref()?;
        let distance = |(i, j)| (&places.row(i) - &places.row(j)).mapv(|step| step * step).sum().sqrt();
        Some(Array2::from_shape_fn((places.nrows(), places.nrows()), distance))
    }

    /// The lines of these names, in their order. Lines of other names are left out.
    ///
    /// # Errors
    /// If a name is not in the table: `what` names the series.
    pub fn select(&self, names: &[String], what: &str) -> Result<Self> {
        let line = |name: &String| {
            self.names.iter().position(|known| known == name).ok_or_else(|| {
                let remedy = "name the parcels alike in the table and in the series";
                let expected = format!("a line for each parcel of {what}");
                FmriError::mismatch("table of regions", expected, format!("none for {name:?}"), remedy)
            })
        };
        let lines = names.iter().map(line).collect::<Result<Vec<usize>>>()?;
        Ok(Self {
            names: names.to_vec(),
            coordinates: self.coordinates.as_ref().map(|places| places.select(Axis(0), &lines)),
            hemispheres: pick(&self.hemispheres, &lines),
            networks: self.networks.as_ref().map(|labels| pick(labels, &lines)),
            cortical: self.cortical.as_ref().map(|flags| pick(flags, &lines)),
        })
    }

    /// The table as CSV, `name[,hemisphere][,network][,cortical][,x[,y[,z]]]`, which [`RegionTable::read`] reads; with
    /// `tokens`, after a first column `token` that counts from 0.
    pub fn to_csv(&self, tokens: bool) -> String {
        let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let axes = self.coordinates.as_ref().map_or(0, Array2::ncols);
        let mut header = if tokens { vec!["token"] } else { Vec::new() };
        header.push("name");
        header.extend(self.has_sides().then_some("hemisphere"));
        header.extend(self.networks.is_some().then_some("network"));
        header.extend(self.cortical.is_some().then_some("cortical"));
        header.extend(&AXES[..axes.min(AXES.len())]);
        let mut text = header.join(",") + "\n";
        for (parcel, name) in self.names.iter().enumerate() {
            let mut fields = if tokens { vec![parcel.to_string()] } else { Vec::new() };
            fields.push(quoted(name));
            fields.extend(self.has_sides().then(|| self.hemispheres[parcel].letter().to_owned()));
            fields.extend(self.networks.iter().map(|labels| quoted(&labels[parcel])));
            fields.extend(self.cortical.iter().map(|flags| u8::from(flags[parcel]).to_string()));
            let places = self.coordinates.iter().flat_map(|places| places.row(parcel).to_vec());
            fields.extend(places.map(|value| value.to_string()));
            text += &(fields.join(",") + "\n");
        }
        text
    }
}

fn pick<T: Clone>(all: &[T], lines: &[usize]) -> Vec<T> {
    lines.iter().map(|line| all[*line].clone()).collect()
}
