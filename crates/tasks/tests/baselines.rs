//! Baselines against plain linear algebra, and against what is known of a Gaussian.

use nalgebra::{DMatrix, DVector};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_distr::StandardNormal;
use streams::{Stream, Streams};
use tasks::masked::baseline::{
    Baseline, Gaussian, Moments, Nearest, Paired, Problem, Ridge, RidgeInput, TrainingMean, VisibleMean,
    predict, ridge_r2, score, standard, table,
};
use tasks::masked::{HeldOut, Item, MaskedConfig, MaskedData, Masks, Part, Recording, Standardize};

const NODES: usize = 8;

/// Frames of a Gaussian with means 0, 1, ... and the covariance `L Lᵀ`.
fn frames(count: usize, label: &str) -> Array2<f32> {
    let mut rng = Streams::new(9).rng_for(Stream::Data, label);
    let factor = factor();
    let mut frames = Array2::zeros((count, NODES));
    for mut frame in frames.rows_mut() {
        let z = DVector::from_fn(NODES, |_, _| rng.sample::<f64, _>(StandardNormal));
        let x = &factor * z;
        frame.iter_mut().enumerate().for_each(|(node, value)| *value = (x[node] + node as f64) as f32);
    }
    frames
}

/// A chain: each node is 0.8 of the one before, and something of its own.
fn factor() -> DMatrix<f64> {
    DMatrix::from_fn(NODES, NODES, |i, j| if j > i { 0.0 } else { 0.8f64.powi((i - j) as i32) })
}

fn covariance() -> DMatrix<f64> {
    factor() * factor().transpose()
}

fn moments() -> Moments {
    Moments::fit([frames(4000, "train").view()].into_iter())
}

fn run(baseline: &dyn Baseline, frame: &[f32], masked: &[usize]) -> Vec<f32> {
    let visible: Vec<usize> = (0..NODES).filter(|node| !masked.contains(node)).collect();
    let frames = ArrayView2::from_shape((1, NODES), frame).unwrap();
    let mut predictions = vec![f32::NAN; masked.len()];
    baseline.predict(&Problem { frames, masked, visible: &visible }, &mut predictions).unwrap();
    predictions
}

fn close(a: &[f32], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let far = a.iter().zip(b).any(|(a, b)| (f64::from(*a) - b).abs() > tolerance);
    assert!(!far, "{a:?} {b:?}");
}

fn block(matrix: &DMatrix<f64>, rows: &[usize], columns: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), columns.len(), |i, j| matrix[(rows[i], columns[j])])
}

fn dense(matrix: &Array2<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[[i, j]])
}

fn masks() -> [Vec<usize>; 4] {
    [vec![2], vec![0, 3, 7], vec![0, 2, 4, 6], vec![0, 1, 2, 4, 5, 6, 7]]
}

#[test]
fn moments_by_hand() {
    let parts = [ndarray::array![[1.0f32, 2.0], [3.0, 2.0]], ndarray::array![[5.0, 5.0]]];
    let moments = Moments::fit(parts.iter().map(|part| part.view()));
    assert_eq!((moments.mean(), moments.frames()), (&[3.0, 3.0][..], 3));
    // Deviations (-2, 0, 2) and (-1, -1, 2).
    let expected = ndarray::array![[8.0, 6.0], [6.0, 6.0]] / 3.0;
    assert!((moments.covariance() - expected).iter().all(|d: &f64| d.abs() < 1e-15));
    assert!((moments.correlations()[[0, 1]] - 6.0 / 48f64.sqrt()).abs() < 1e-15);
    let within = Moments::within(parts.iter().map(|part| part.view()));
    // Of the first part alone: its deviations are (-1, 1) and (0, 0).
    assert_eq!(within.covariance(), ndarray::array![[2.0, 0.0], [0.0, 0.0]] / 3.0);
    assert_eq!(within.mean(), moments.mean());
}

/// Both ways of computing it, against an inverse of the visible block.
#[test]
fn the_gaussian_is_the_conditional_expectation() {
    let moments = moments();
    let gaussian = Gaussian::new(&moments, 0.0).unwrap();
    let (covariance, mean) = (dense(moments.covariance()), moments.mean());
    let frame = frames(1, "one").row(0).to_vec();
    for masked in masks() {
        let visible: Vec<usize> = (0..NODES).filter(|node| !masked.contains(node)).collect();
        let known = DVector::from_fn(visible.len(), |i, _| f64::from(frame[visible[i]]) - mean[visible[i]]);
        let inverse = block(&covariance, &visible, &visible).try_inverse().unwrap();
        let expected = block(&covariance, &masked, &visible) * inverse * known;
        let expected: Vec<f64> = masked.iter().zip(&expected).map(|(&node, x)| mean[node] + x).collect();
        close(&run(&gaussian, &frame, &masked), &expected, 1e-5);
    }
}

/// With enough frames its error is the conditional variance of the true covariance.
#[test]
fn the_error_of_the_gaussian_is_the_conditional_variance() {
    let gaussian = Gaussian::new(&moments(), 0.0).unwrap();
    let test = frames(20_000, "test");
    let masked = [1, 4, 5];
    let visible = [0, 2, 3, 6, 7];
    let c = covariance();
    let inverse = block(&c, &visible, &visible).try_inverse().unwrap();
    let conditional =
        block(&c, &masked, &masked) - block(&c, &masked, &visible) * inverse * block(&c, &visible, &masked);
    let mut sums = [0.0; 3];
    for frame in test.rows() {
        let frame = frame.to_vec();
        let predictions = run(&gaussian, &frame, &masked);
        for (place, &node) in masked.iter().enumerate() {
            sums[place] += f64::from(frame[node] - predictions[place]).powi(2);
        }
    }
    for (place, sum) in sums.iter().enumerate() {
        let (error, expected) = (sum / 20_000.0, conditional[(place, place)]);
        // A standard error of 1 %, and 0.1 % for the estimated covariance.
        assert!((error / expected - 1.0).abs() < 0.05, "{place}: {error} {expected}");
    }
}

/// Each regression by its own normal equations.
#[test]
fn ridge_meets_its_normal_equations() {
    let moments = moments();
    let penalty = 0.3;
    let (covariance, mean) = (dense(moments.covariance()), moments.mean());
    let own = penalty * covariance.diagonal().mean();
    let frame = frames(1, "one").row(0).to_vec();
    let regress = |node: usize, hidden: &[usize]| {
        let others: Vec<usize> = (0..NODES).filter(|&other| other != node).collect();
        let mut normal = block(&covariance, &others, &others);
        (0..others.len()).for_each(|i| normal[(i, i)] += own);
        let weights = normal.lu().solve(&block(&covariance, &others, &[node])).unwrap();
        let known = |j: usize| if hidden.contains(&j) { 0.0 } else { f64::from(frame[j]) - mean[j] };
        mean[node] + others.iter().zip(&weights).map(|(&j, weight)| weight * known(j)).sum::<f64>()
    };
    for masked in masks() {
        let all = Ridge::new(&moments, penalty, RidgeInput::AllOthers).unwrap();
        let expected: Vec<f64> = masked.iter().map(|&node| regress(node, &[])).collect();
        close(&run(&all, &frame, &masked), &expected, 1e-5);
        let as_mean = Ridge::new(&moments, penalty, RidgeInput::MaskedAsMean).unwrap();
        let expected: Vec<f64> = masked.iter().map(|&node| regress(node, &masked)).collect();
        close(&run(&as_mean, &frame, &masked), &expected, 1e-5);
    }
}

/// With one masked node, shrinkage α and the penalty α / (1 - α) are the same thing.
#[test]
fn ridge_and_gaussian_agree_on_one_masked_node() {
    let moments = moments();
    let gaussian = Gaussian::new(&moments, 0.2).unwrap();
    let ridge = Ridge::new(&moments, 0.25, RidgeInput::MaskedAsMean).unwrap();
    let frame = frames(1, "one").row(0).to_vec();
    for node in 0..NODES {
        let expected: Vec<f64> = run(&ridge, &frame, &[node]).into_iter().map(f64::from).collect();
        close(&run(&gaussian, &frame, &[node]), &expected, 1e-5);
    }
}

#[test]
fn baselines_of_one_number_by_hand() {
    let moments = moments();
    let (c, mean) = (moments.covariance(), moments.mean());
    let frame = frames(1, "one").row(0).to_vec();
    let value = |node: usize| f64::from(frame[node]) - mean[node];
    let masked = [0, 3, 4];
    close(&run(&TrainingMean::new(&moments), &frame, &masked), &masked.map(|node| mean[node]), 1e-6);
    let line = Array2::from_shape_fn((NODES, NODES), |(i, j)| (i as f64 - j as f64).abs());
    let nearest = Nearest::new(&moments, &line).unwrap();
    // Of 4 the nearest visible one is 5, of 3 it is 2, of 0 it is 1.
    let one = |node: usize, other: usize| mean[node] + c[[node, other]] / c[[other, other]] * value(other);
    close(&run(&nearest, &frame, &masked), &[one(0, 1), one(3, 2), one(4, 5)], 1e-5);
    let visible = [1, 2, 5, 6, 7];
    let average: f64 = visible.iter().map(|&j| value(j)).sum::<f64>() / 5.0;
    let variance: f64 = visible.iter().flat_map(|&i| visible.map(|j| c[[i, j]])).sum::<f64>() / 25.0;
    let by_mean = |node: usize| {
        let covariance: f64 = visible.iter().map(|&j| c[[node, j]]).sum::<f64>() / 5.0;
        mean[node] + covariance / variance * average
    };
    close(&run(&VisibleMean::new(&moments), &frame, &masked), &masked.map(by_mean), 1e-5);
    let mut partners = vec![None; NODES];
    (partners[0], partners[3]) = (Some(7), Some(4));
    let paired = Paired::new(&moments, &partners).unwrap();
    // The partner of 3 is masked, 4 has none.
    close(&run(&paired, &frame, &masked), &[one(0, 7), by_mean(3), by_mean(4)], 1e-5);
}

fn data(standardize: Standardize) -> MaskedData {
    let subject = |name: &str| Recording { subject: name.to_owned(), frames: frames(600, name) };
    let config =
        MaskedConfig { standardize, held_out: HeldOut::Named(vec!["c".to_owned()]), ..Default::default() };
    MaskedData::new(["a", "b", "c"].map(subject).to_vec(), &config, &Streams::new(2)).unwrap()
}

fn line() -> Array2<f64> {
    Array2::from_shape_fn((NODES, NODES), |(i, j)| (i as f64 - j as f64).abs())
}

/// What is hidden changes no prediction, except of the one that says so.
#[test]
fn no_baseline_reads_what_is_masked() {
    let moments = moments();
    let mut partners = vec![None; NODES];
    partners[0] = Some(3);
    let honest: [Box<dyn Baseline>; 6] = [
        Box::new(TrainingMean::new(&moments)),
        Box::new(VisibleMean::new(&moments)),
        Box::new(Nearest::new(&moments, &line()).unwrap()),
        Box::new(Paired::new(&moments, &partners).unwrap()),
        Box::new(Ridge::new(&moments, 0.01, RidgeInput::MaskedAsMean).unwrap()),
        Box::new(Gaussian::new(&moments, 0.01).unwrap()),
    ];
    let all = Ridge::new(&moments, 0.01, RidgeInput::AllOthers).unwrap();
    let frame = frames(1, "one").row(0).to_vec();
    for masked in masks() {
        let mut other = frame.clone();
        masked.iter().for_each(|&node| other[node] = 99.0);
        for baseline in &honest {
            let (a, b) = (run(baseline.as_ref(), &frame, &masked), run(baseline.as_ref(), &other, &masked));
            assert_eq!(a, b, "{} {masked:?}", baseline.name());
        }
        assert_eq!(run(&all, &frame, &masked) == run(&all, &other, &masked), masked.len() == 1);
    }
}

/// On each part and share: the constant scores 0, the Gaussian is the best of those that see only what is visible.
#[test]
fn the_table_is_in_the_order_of_theory() {
    for standardize in [Standardize::Training, Standardize::None] {
        let data = data(standardize);
        let baselines = standard(&data, Some(&line()), Some(&[None; NODES])).unwrap();
        for part in [Part::Test, Part::HeldOut] {
            let rows = table(&data, part, &baselines).unwrap();
            assert_eq!(rows.len(), 4 * 7);
            for rows in rows.chunks(7) {
                let r2 = |name: &str| rows.iter().find(|row| row.baseline == name).unwrap().r2.unwrap();
                assert!(r2("training-mean").abs() < 1e-6, "predictions are in single precision");
                assert!(r2("gaussian") > 0.2);
                for other in ["visible-mean", "nearest", "paired", "ridge-masked-as-mean"] {
                    assert!(r2("gaussian") > r2(other) - 0.03, "{other} {rows:?}");
                }
                assert!(r2("ridge-all-others") >= r2("gaussian") - 0.03);
            }
        }
    }
}

/// All frames of a window are predicted, each from itself.
#[test]
fn windows_are_predicted_frame_by_frame() {
    let single = data(Standardize::Training);
    let config =
        MaskedConfig { window: 3, target: tasks::masked::WindowTarget::All, ..single.config().clone() };
    let subject = |name: &str| Recording { subject: name.to_owned(), frames: frames(600, name) };
    let windowed = MaskedData::new(["a", "b", "c"].map(subject).to_vec(), &config, &Streams::new(2)).unwrap();
    let masks = |items: usize| Masks { masked: 2, nodes: [1, 6].repeat(items) };
    let item = |frame| Item { recording: 0, frame };
    let together = windowed.gather(&[item(10)], masks(1)).unwrap();
    let apart = single.gather(&[item(10), item(11), item(12)], masks(3)).unwrap();
    for baseline in standard(&single, Some(&line()), None).unwrap() {
        let (a, b) =
            (predict(baseline.as_ref(), &together).unwrap(), predict(baseline.as_ref(), &apart).unwrap());
        // [masked, outputs] against [items, masked].
        assert_eq!([a[0], a[3], a[1], a[4], a[2], a[5]], b[..], "{}", baseline.name());
        let (a, b) = (
            score(baseline.as_ref(), &windowed, &together).unwrap(),
            score(baseline.as_ref(), &single, &apart).unwrap(),
        );
        assert!((a.squared_error - b.squared_error).abs() < 1e-9 && a.values == b.values);
    }
}

/// White noise has nothing to predict, copies have everything.
#[test]
fn ridge_r2_of_nothing_and_of_everything() {
    let mut rng = Streams::new(3).rng_for(Stream::Data, "white");
    let mut draw =
        || Array2::<f32>::from_shape_fn((5000, 6), |_| rng.sample::<f64, _>(StandardNormal) as f32);
    let (train, test) = (draw(), draw());
    let r2 = |train: &Array2<f32>, test: &Array2<f32>| {
        let moments = Moments::fit([train.view()].into_iter());
        ridge_r2(&moments, 0.01, [(test.view(), moments.mean())].into_iter()).unwrap()
    };
    assert!(r2(&train, &test).abs() < 0.01);
    let copies = Array2::from_shape_fn(test.dim(), |(frame, node)| test[[frame, node / 2]]);
    assert!(r2(&copies, &copies) > 0.98);
    let nothing = Array2::<f32>::zeros((5, 2));
    let moments = Moments::fit([nothing.view()].into_iter());
    assert_eq!(ridge_r2(&moments, 0.01, [(nothing.view(), moments.mean())].into_iter()), None);
}

#[test]
fn what_does_not_fit_is_refused() {
    let moments = moments();
    assert!(Nearest::new(&moments, &Array2::zeros((2, 2))).is_err());
    assert!(Paired::new(&moments, &[None; 3]).is_err());
    assert!(Paired::new(&moments, &[Some(0); NODES]).is_err());
    assert!(Gaussian::new(&moments, 1.5).is_err());
    let few = Moments::fit([frames(3, "few").view()].into_iter());
    assert!(Gaussian::new(&few, 0.0).unwrap_err().to_string().contains("raise the shrinkage"));
    assert!(Gaussian::new(&few, 0.01).is_ok());
}
