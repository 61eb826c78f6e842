//! Places of a brain: sides laid upon each other, each side alone, the cortex alone.

use ndarray::{Array2, ArrayView2, Axis};

use super::drawing::Drawing;
use super::form::{Form, Subset};
use super::reference::Reference;
use crate::StatError;
use crate::rdm::{Measure, Rdm};
use crate::run_dir::Truth;

/// Fewer tokens have no bias-corrected distance correlation.
const FEWEST: usize = 4;

/// Axes of places in space.
const AXES: usize = 3;

/// The references to places besides all of them: of a part of the tokens where they are fewer than all, and at least
/// four. Those of parts are also given beyond the correlations of the part.
pub(super) fn forms(
    coords: ArrayView2<f64>,
    truth: &Truth,
    seen: &Rdm,
    drawing: &Drawing,
) -> Result<Vec<Form>, StatError> {
    let mut forms = Vec::new();
    let sides = truth.hemisphere.as_deref().unwrap_or_default();
    if coords.ncols() == AXES && sides.contains(&-1) && sides.contains(&1) {
        let folded = folded(coords);
        let rdm = Rdm::of_rows(folded.view(), Measure::Euclidean)?;
        let beyond = Some((Reference::Correlations, seen.clone()));
        forms.push(Form { beyond, ..Form::new(Reference::PositionsFolded, rdm, Some(folded)) });
    }
    let of_side = |side: i8| (0..sides.len()).filter(|&token| sides[token] == side).collect::<Vec<_>>();
    let flags = truth.cortical.as_deref().unwrap_or_default();
    let parts = [
        (Reference::PositionsLeft, of_side(-1)),
        (Reference::PositionsRight, of_side(1)),
        (Reference::PositionsCortical, (0..flags.len()).filter(|&token| flags[token]).collect()),
    ];
    for (reference, members) in parts {
        if members.len() < FEWEST || members.len() == coords.nrows() {
            continue;
        }
        let places = coords.select(Axis(0), &members);
        let rdm = Rdm::of_rows(places.view(), Measure::Euclidean)?;
        let beyond = Some((Reference::Correlations, seen.resampled(&members)?));
        let subset = Some(Subset { permutations: drawing.of(members.len()), members });
        forms.push(Form { beyond, subset, ..Form::new(reference, rdm, Some(places)) });
    }
    Ok(forms)
}

/// A number for each token, the same for a token and its homologue: of the tokens of the other side the one that is nearest
/// to its mirror image, if that holds both ways. All different where sides or three axes are not known.
pub(super) fn pairs(coords: ArrayView2<f64>, truth: &Truth) -> Vec<usize> {
    let tokens = coords.nrows();
    let mut group: Vec<usize> = (0..tokens).collect();
    let Some(sides) = truth.hemisphere.as_deref().filter(|_| coords.ncols() == AXES) else { return group };
    let from_mirror = |a: usize, b: usize| {
        (coords[[a, 0]] + coords[[b, 0]]).powi(2)
            + (coords[[a, 1]] - coords[[b, 1]]).powi(2)
            + (coords[[a, 2]] - coords[[b, 2]]).powi(2)
    };
    let partner = |token: usize| {
        let others = (0..tokens).filter(|&other| sides[token] != 0 && sides[other] == -sides[token]);
        others.min_by(|&a, &b| from_mirror(token, a).total_cmp(&from_mirror(token, b)))
    };
    for (token, number) in group.iter_mut().enumerate() {
        if let Some(other) = partner(token).filter(|&other| partner(other) == Some(token)) {
            *number = token.min(other);
        }
    }
    group
}

/// (|x|, y, z).
fn folded(coords: ArrayView2<f64>) -> Array2<f64> {
    let mut folded = coords.to_owned();
    folded.column_mut(0).mapv_inplace(f64::abs);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Settings;
    use ndarray::array;

    fn of(coords: &Array2<f64>, truth: &Truth) -> Vec<Form> {
        let n = coords.nrows();
        let seen = Rdm::from_condensed(n, vec![1.0; n * (n - 1) / 2], Measure::Given).unwrap();
        forms(coords.view(), truth, &seen, &Drawing::new(Settings { permutations: 9, seed: 0 })).unwrap()
    }

    /// Four pairs of homologues: folded they coincide; each side alone has four; all eight cortical is no part.
    #[test]
    fn homologues_coincide_when_folded_and_sides_stand_alone() {
        let half = array![[3.0, 1.0, 0.0], [3.0, 5.0, 0.0], [9.0, 1.0, 2.0], [9.0, 5.0, 2.0]];
        let coords = Array2::from_shape_fn((8, 3), |(token, axis)| {
            if axis == 0 && token % 2 == 0 { -half[[token / 2, 0]] } else { half[[token / 2, axis]] }
        });
        let sides = (0..8).map(|token| if token % 2 == 0 { -1 } else { 1 }).collect();
        let truth = Truth { hemisphere: Some(sides), cortical: Some(vec![true; 8]), ..Truth::default() };
        let forms = of(&coords, &truth);
        let names: Vec<String> = forms.iter().map(|form| form.reference.to_string()).collect();
        assert_eq!(names, ["positions-folded", "positions-left", "positions-right"]);
        assert_eq!((forms[0].rdm.get(0, 1), forms[0].rdm.get(0, 2)), (Some(0.0), Some(4.0)));
        assert_eq!(forms[1].subset.as_ref().unwrap().members, [0, 2, 4, 6]);
        assert_eq!(forms[1].rdm, forms[2].rdm, "mirrored sides have the same distances");
        assert_eq!(forms[2].beyond.as_ref().unwrap().1.conditions(), 4);
        assert_eq!(pairs(coords.view(), &truth), [0, 0, 2, 2, 4, 4, 6, 6]);
        // The last right one far away: it is nobody's homologue, and the last left one has none of its own.
        let mut moved = coords.clone();
        moved.row_mut(7).fill(500.0);
        assert_eq!(pairs(moved.view(), &truth), [0, 0, 2, 2, 4, 4, 6, 7]);
        assert_eq!(pairs(coords.view(), &Truth::default()), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_unknown_or_too_small_has_no_reference() {
        let coords = Array2::from_shape_fn((6, 2), |(token, axis)| (token * (axis + 1)) as f64);
        assert!(of(&coords, &Truth::default()).is_empty());
        let truth = Truth {
            hemisphere: Some(vec![-1, -1, -1, 1, 1, 1]),
            cortical: Some(vec![true, true, true, true, false, false]),
            ..Truth::default()
        };
        let forms = of(&coords, &truth);
        assert_eq!(forms.len(), 1, "two axes cannot be folded, three tokens a side are too few");
        assert_eq!(forms[0].reference, Reference::PositionsCortical);
    }
}
