//! References of tasks that record a truth: places, modules, and the correlations that the data show.

use ndarray::{Array2, ArrayView2};

use super::Reference;
use super::form::Form;
use crate::StatError;
use crate::network::Partition;
use crate::rdm::{Measure, Rdm, over_pairs};
use crate::run_dir::Truth;

/// Euclidean distances between places, the short way round where axes are closed.
pub(super) fn places(coords: ArrayView2<f64>, truth: &Truth) -> Result<Rdm, StatError> {
    let Some(periods) = &truth.periods else { return Rdm::of_rows(coords, Measure::Euclidean) };
    let distance = |i: usize, j: usize| {
        let axes = coords.row(i).into_iter().zip(coords.row(j)).zip(periods);
        let squares = axes.map(|((a, b), period)| {
            let step = (a - b).abs() % period;
            step.min(period - step).powi(2)
        });
        squares.sum::<f64>().sqrt()
    };
    Rdm::from_condensed(coords.nrows(), over_pairs(coords.nrows(), distance), Measure::Euclidean)
}

/// Coordinates in a space without closed axes: each closed axis becomes a circle of its own circumference, two columns.
pub(super) fn embedded(coords: ArrayView2<f64>, truth: &Truth) -> Array2<f64> {
    let Some(periods) = &truth.periods else { return coords.to_owned() };
    let (tokens, axes) = coords.dim();
    Array2::from_shape_fn((tokens, 2 * axes), |(token, column)| {
        let period = periods[column / 2];
        let angle = coords[[token, column / 2]] / period * std::f64::consts::TAU;
        period / std::f64::consts::TAU * if column % 2 == 0 { angle.cos() } else { angle.sin() }
    })
}

/// Positions and modules, each with what is left of them when one minus the correlation is taken off in ranks; then correlations beyond the first of them. `further` are more
/// references to places.
pub(super) fn forms(
    coords: ArrayView2<f64>,
    truth: &Truth,
    places: Option<&Rdm>,
    seen: &Rdm,
    further: Vec<Form>,
) -> Result<Vec<Form>, StatError> {
    let mut forms = Vec::new();
    let beyond = || Some((Reference::Correlations, seen.clone()));
    if let Some(places) = places {
        let table = Some(embedded(coords, truth));
        forms.push(Form { beyond: beyond(), ..Form::new(Reference::Positions, places.clone(), table) });
        forms.extend(further);
    }
    if let Some(modules) = &truth.modules {
        let same = Partition::new(modules).same_module();
        let between = same.iter().map(|same| 1.0 - same).collect();
        let rdm = Rdm::from_condensed(coords.nrows(), between, Measure::Given)?;
        forms.push(Form { beyond: beyond(), ..Form::new(Reference::Modules, rdm, None) });
    }
    let first = forms.first().map(|form| (form.reference, form.rdm.clone()));
    forms.push(Form { beyond: first, ..Form::new(Reference::Correlations, seen.clone(), None) });
    Ok(forms)
}

/// One minus the correlation of each pair of tokens.
pub(super) fn seen(correlation: &Array2<f64>) -> Result<Rdm, StatError> {
    let tokens = correlation.nrows();
    let apart = |i: usize, j: usize| 1.0 - (correlation[[i, j]] + correlation[[j, i]]) / 2.0;
    Rdm::from_condensed(tokens, over_pairs(tokens, apart), Measure::Given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn ring() -> Truth {
        Truth { periods: Some(vec![4.0]), has_places: true, ..Truth::default() }
    }

    /// Four tokens on a ring: neighbours at 1, opposite ones at 2; on a circle of circumference 4.
    #[test]
    fn closed_axes_go_the_short_way_and_become_circles() {
        let coords = array![[0.0], [1.0], [2.0], [3.0]];
        let distances = places(coords.view(), &ring()).unwrap();
        assert_eq!(distances.values(), [1.0, 2.0, 1.0, 1.0, 2.0, 1.0]);
        let circle = embedded(coords.view(), &ring());
        for row in circle.rows() {
            approx::assert_abs_diff_eq!(row.dot(&row).sqrt(), 2.0 / std::f64::consts::PI, epsilon = 1e-12);
        }
        assert_eq!(embedded(coords.view(), &Truth::default()), coords);
    }

    #[test]
    fn each_truth_has_its_reference_and_what_it_is_beyond() {
        let truth = Truth { modules: Some(vec![7, 7, 3, 3]), has_places: false, ..Truth::default() };
        let coords = array![[7.0], [7.0], [3.0], [3.0]];
        let seen = seen(&Array2::eye(4)).unwrap();
        let forms = forms(coords.view(), &truth, None, &seen, Vec::new()).unwrap();
        let names: Vec<String> = forms.iter().map(|form| form.reference.to_string()).collect();
        assert_eq!(names, ["modules", "correlations"]);
        assert_eq!(forms[0].rdm.values(), [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(forms[1].beyond.as_ref().unwrap().0, Reference::Modules);
        assert_eq!(forms[1].rdm.values(), [1.0; 6]);
    }
}
