//! Gradients by finite differences, in f64.

use super::{Case, all_cases};

/// `Σ dy y`, whose gradients the backward pass gives.
fn loss(case: &Case) -> f64 {
    case.output::<f64>().iter().zip(&case.dy).map(|(y, dy)| y * dy).sum()
}

/// A central difference of fourth order.
fn slope(case: &mut Case, at: fn(&mut Case, (usize, usize)) -> &mut f64, place: (usize, usize)) -> f64 {
    const STEP: f64 = 1e-3;
    let before = *at(case, place);
    let mut moved = |by: f64| {
        *at(case, place) = before + by * STEP;
        loss(case)
    };
    let slope = 8.0 * (moved(1.0) - moved(-1.0)) - (moved(2.0) - moved(-2.0));
    *at(case, place) = before;
    slope / (12.0 * STEP)
}

#[test]
fn every_gradient_is_the_slope_of_the_output() {
    for mut case in all_cases(2, 3, 2, 3, 5) {
        let outcome = case.run::<f64>();
        let places = (0..case.x.len()).map(|i| (0, i));
        for (place, gradient) in places.zip(&outcome.dx) {
            let slope = slope(&mut case, |case, (_, i)| &mut case.x[i], place);
            let what = format!("{}: dx at {place:?}", case.name);
            assert!((slope - gradient).abs() < 1e-6 * slope.abs().max(1.0), "{what}: {slope} and {gradient}");
        }
        for (param, gradients) in outcome.dparams.iter().enumerate() {
            for (i, gradient) in gradients.iter().enumerate() {
                let slope = slope(&mut case, |case, (param, i)| &mut case.params[param][i], (param, i));
                let what = format!("{}: parameter {param} at {i}", case.name);
                assert!(
                    (slope - gradient).abs() < 1e-6 * slope.abs().max(1.0),
                    "{what}: {slope} and {gradient}"
                );
            }
        }
    }
}
