//! Linear decoding: golden values of scikit-learn 1.9.1, and what cross-validation must not do.

use crate::support::*;
use ndarray::{Array2, Axis};
use probe::decode::{Alpha, Decoder, Decoding, Folds, decode, r2_per_axis};
use probe::permutation::Permutations;
use probe::ridge::Ridge;
use serde_json::Value;
use streams::Streams;

fn as_in(fixture: &Value, got: &Decoding) {
    close_tables(&got.predictions, &matrix(&fixture["predictions"]));
    close(&got.r2, &vector(&fixture["r2"]));
    close(&[got.r2_mean, got.r2_weighted], &["r2_mean", "r2_weighted"].map(|key| number(&fixture[key])));
}

#[test]
fn out_of_fold_predictions_are_those_of_scikit_learn() {
    let fixture_all = fixture("geometry");
    let fixture = &fixture_all["decode"];
    let (table, coords) = (matrix(&fixture["table"]), matrix(&fixture["coords"]));
    let folds = Folds::contiguous(30, 5).unwrap();
    let of = |alpha: Alpha| decode(table.view(), coords.view(), &folds, &alpha).unwrap();
    as_in(&fixture["ridge"], &of(Alpha::Fixed(2.5)));
    as_in(&fixture["least_squares"], &of(Alpha::Fixed(0.0)));
    let nested = of(Alpha::Nested(vector(&fixture["grid"])));
    assert_eq!(nested.alphas, vector(&fixture["nested"]["alphas"]));
    as_in(&fixture["nested"], &nested);

    let fitted = Ridge::new(table.view()).unwrap().fit(coords.view(), 2.5).unwrap();
    close_tables(&fitted.coefficients, &matrix(&fixture["ridge"]["coefficients"]));
    close(&fitted.intercept.to_vec(), &vector(&fixture["ridge"]["intercept"]));
    // 40 columns of 20 rows: of all that fit, least squares takes the smallest.
    let (wide, other) = (matrix(&fixture_all["cka"]["x"]), matrix(&fixture_all["cka"]["y"]));
    let smallest = Ridge::new(wide.view()).unwrap().fit(other.view(), 0.0).unwrap();
    close_tables(&smallest.coefficients, &matrix(&fixture["least_norm"]["coefficients"]));
    close(&smallest.intercept.to_vec(), &vector(&fixture["least_norm"]["intercept"]));
}

#[test]
fn in_sample_r2_is_scikit_learns() {
    let fixture = fixture("probe");
    let (coords, table) = (matrix(&fixture["coords"]), matrix(&fixture["pe"]));
    let first = table.slice(ndarray::s![.., ..3]);
    let fitted = Ridge::new(first).unwrap().fit(coords.view(), 0.0).unwrap().predict(first).unwrap();
    let r2 = r2_per_axis(coords.view(), fitted.view()).unwrap();
    close(&r2, &vector(&fixture["linear_decode_first3_r2_per_axis"]));
    close(&[mean(&r2)], &[number(&fixture["linear_decode_r2_uniform_average"])]);
}

/// The leave-one-out shortcut of `best_alpha` against refitting without each row.
#[test]
fn the_alpha_chosen_is_the_best_of_leaving_each_row_out() {
    let (x, y) = (normal(3, 14, 6), normal(4, 14, 2));
    let y = y + x.slice(ndarray::s![.., ..2]);
    let grid = [0.05, 0.5, 5.0, 50.0];
    let loo = Folds::leave_one_out(14).unwrap();
    let error = |alpha: f64| {
        let fit = decode(x.view(), y.view(), &loo, &Alpha::Fixed(alpha)).unwrap();
        (&fit.predictions - &y).mapv(|v| v * v).sum()
    };
    let best = grid.into_iter().min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap();
    assert_eq!(Ridge::new(x.view()).unwrap().best_alpha(y.view(), &grid).unwrap(), best);
}

/// A row's own coordinates must not reach its prediction.
#[test]
fn nothing_leaks_from_the_rows_left_out() {
    let (x, y) = (normal(1, 20, 5), normal(2, 20, 2));
    let folds = Folds::shuffled(20, 4, &Streams::new(9)).unwrap();
    let alpha = Alpha::nested();
    let before = decode(x.view(), y.view(), &folds, &alpha).unwrap();
    let mut changed = y.clone();
    let (_, test) = folds.split(2);
    test.iter().for_each(|&row| changed.row_mut(row).fill(1e6));
    let after = decode(x.view(), changed.view(), &folds, &alpha).unwrap();
    let rows = |d: &Decoding| d.predictions.select(Axis(0), &test);
    assert_eq!(rows(&before), rows(&after));
    assert_eq!(before.alphas[2], after.alphas[2]);
}

#[test]
fn a_linear_table_is_decoded_and_a_random_one_is_not() {
    let coords = grid(6);
    let set = Permutations::new(36, 199, &Streams::new(1));
    let folds = Folds::shuffled(36, 6, &Streams::new(1)).unwrap();
    let linear = coords.dot(&normal(5, 2, 16)) + normal(6, 36, 16) * 0.1 + 2.0;
    let decoder = |x: &Array2<f64>| Decoder::new(x.view(), &folds, Alpha::nested()).unwrap();
    let found = decoder(&linear).test(coords.view(), &set).unwrap();
    assert!(found.value > 0.99 && found.p == 0.005, "{found:?}");
    let random: Vec<f64> =
        (0..40).map(|seed| decoder(&normal(seed, 36, 16)).decode(coords.view()).unwrap().r2_mean).collect();
    assert!(mean(&random) < 0.0 && random.iter().all(|r2| *r2 < 0.5), "{random:?}");
    // Under the null p is uniform.
    let p: Vec<f64> =
        (0..40).map(|seed| decoder(&normal(seed, 36, 16)).test(coords.view(), &set).unwrap().p).collect();
    centred_at(&p, 0.5);
    // Axis by axis: of a table that knows the rows alone, the second axis cannot be read.
    let rows = coords.slice(ndarray::s![.., ..1]).dot(&normal(8, 1, 16)) + normal(9, 36, 16) * 0.1;
    let axes = decoder(&rows).test_axes(coords.view(), &set).unwrap();
    assert!(axes[0].value > 0.9 && axes[0].p == 0.005, "{axes:?}");
    assert!(axes[1].value < 0.3 && axes[1].p > 0.01, "{axes:?}");
    let alone = decoder(&linear).test(coords.slice(ndarray::s![.., ..1]), &set).unwrap();
    let both = decoder(&linear).test_axes(coords.slice(ndarray::s![.., ..1]), &set).unwrap();
    assert_eq!(both, [alone], "of one axis the mean is that axis");
    let constant = Array2::ones((36, 1));
    let none = decoder(&linear).test_axes(constant.view(), &set).unwrap();
    assert!(none[0].value.is_nan() && none[0].p.is_nan());
}

/// A map with an intercept does not see where the origin is, nor in which units the table stands; the penalty must not either.
#[test]
fn shift_and_scale_change_no_prediction() {
    let coords = grid(6);
    let table = coords.dot(&normal(5, 2, 16)) * 0.3 + normal(6, 36, 16) * 0.5;
    let folds = Folds::shuffled(36, 5, &Streams::new(0)).unwrap();
    let r2 = |x: &Array2<f64>| decode(x.view(), coords.view(), &folds, &Alpha::nested()).unwrap().r2;
    let first = r2(&table);
    assert!(mean(&first) > 0.7, "{first:?}");
    for (shift, scale) in [(1e4, 1.0), (-300.0, 1.0), (0.0, 1e-3), (50.0, 1e3)] {
        for (moved, first) in r2(&((&table + shift) * scale)).iter().zip(&first) {
            assert!((moved - first).abs() < 1e-7, "shift {shift}, scale {scale}: {moved}, not {first}");
        }
    }
}

/// The unit of the penalty is of the training rows alone, so a row left out cannot choose it.
#[test]
fn a_row_left_out_has_no_say_in_the_penalty() {
    let (x, y) = (normal(1, 20, 5), normal(2, 20, 2));
    let folds = Folds::contiguous(20, 4).unwrap();
    let alphas = |x: &Array2<f64>| decode(x.view(), y.view(), &folds, &Alpha::nested()).unwrap().alphas;
    let mut far = x.clone();
    far.row_mut(0).fill(1e5);
    assert_eq!(alphas(&x)[0], alphas(&far)[0]);
    assert_ne!(alphas(&x)[1], alphas(&far)[1]);
}

/// Least squares at the interpolation peak, where columns are as many as training rows, against ridge.
#[test]
fn least_squares_explodes_where_columns_are_as_many_as_rows() {
    let coords = grid(6);
    let folds = Folds::shuffled(36, 6, &Streams::new(0)).unwrap();
    let r2 = |columns, alpha: Alpha| {
        decode(normal(7, 36, columns).view(), coords.view(), &folds, &alpha).unwrap().r2_mean
    };
    assert!(r2(29, Alpha::Fixed(0.0)) < -10.0);
    assert!(r2(400, Alpha::Fixed(0.0)) > -1.0);
    assert!(r2(29, Alpha::Fixed(1000.0)) > -1.0);
}

#[test]
fn degenerate_input_is_undefined_or_refused() {
    let folds = Folds::contiguous(6, 3).unwrap();
    let (x, y) = (normal(1, 6, 3), normal(2, 6, 2));
    let fixed = Alpha::Fixed(1.0);
    // An axis without variance, such as z of a flat grid, has no R² and is left out of the mean.
    let flat = padded(&y, 1);
    let fit = decode(x.view(), flat.view(), &folds, &fixed).unwrap();
    assert!(fit.r2[2].is_nan() && fit.r2[0].is_finite());
    close(&[fit.r2_mean], &[mean(&fit.r2[..2])]);
    let none = decode(x.view(), Array2::ones((6, 2)).view(), &folds, &fixed).unwrap();
    assert!(none.r2_mean.is_nan() && none.r2_weighted.is_nan());
    // A constant table predicts the mean of the training rows; also with alpha 0, and with no columns.
    for table in [Array2::from_elem((6, 3), 0.1), Array2::zeros((6, 0))] {
        for alpha in [Alpha::Fixed(0.0), Alpha::nested()] {
            let fit = decode(table.view(), y.view(), &folds, &alpha).unwrap();
            let expected = y.slice(ndarray::s![2.., ..]).mean_axis(Axis(0)).unwrap();
            close(&fit.predictions.row(0).to_vec(), &expected.to_vec());
        }
    }
    // Columns of 0 change nothing.
    let wider = decode(padded(&x, 4).view(), y.view(), &folds, &fixed).unwrap();
    close(&wider.r2, &decode(x.view(), y.view(), &folds, &fixed).unwrap().r2);
    let mut nan = x.clone();
    nan[[1, 1]] = f64::NAN;
    assert!(decode(nan.view(), y.view(), &folds, &fixed).is_err());
    assert!(decode(x.view(), nan.view(), &folds, &fixed).is_err());
    assert!(decode(x.view(), normal(0, 5, 2).view(), &folds, &fixed).is_err());
    for alpha in
        [Alpha::Fixed(-1.0), Alpha::Fixed(f64::NAN), Alpha::Nested(vec![]), Alpha::Nested(vec![1.0, -1.0])]
    {
        assert!(decode(x.view(), y.view(), &folds, &alpha).is_err(), "{alpha:?}");
    }
    // Two items, one to fit on: no line goes through one point.
    assert!(
        decode(normal(1, 2, 1).view(), normal(2, 2, 1).view(), &Folds::contiguous(2, 2).unwrap(), &fixed)
            .is_err()
    );
    assert!(
        Folds::contiguous(3, 3).is_ok_and(|three| decode(
            normal(1, 3, 2).view(),
            normal(2, 3, 1).view(),
            &three,
            &fixed
        )
        .is_ok())
    );
}
