//! The open recordings, where they have been fetched: `cargo xtask datasets fetch hcp-aal2 --accept-terms`.

use std::path::Path;

use ndarray::{Array2, ArrayView1, Axis};
use tasks::fmri::dataset::{SubjectSet, split_blocks};

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| f(a - mean_a, b - mean_b)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// Correlation (Pearson) over pairs of parcels of 1 - r, r averaged over subjects, with the distance of the centroids.
fn distance_correlation(set: &SubjectSet, coordinates: &Array2<f64>, chosen: &[usize]) -> f64 {
    let distance = |a: ArrayView1<f64>, b: ArrayView1<f64>| (&a - &b).mapv(|d| d * d).sum().sqrt();
    let columns: Vec<Vec<Vec<f64>>> = set
        .subjects()
        .iter()
        .map(|subject| chosen.iter().map(|parcel| subject.series.column(*parcel).to_vec()).collect())
        .collect();
    let (mut functional, mut spatial) = (Vec::new(), Vec::new());
    for i in 0..chosen.len() {
        for j in 0..i {
            let sum: f64 = columns.iter().map(|columns| correlation(&columns[i], &columns[j])).sum();
            functional.push(1.0 - sum / columns.len() as f64);
            spatial.push(distance(coordinates.row(chosen[i]), coordinates.row(chosen[j])));
        }
    }
    correlation(&functional, &spatial)
}

/// The anchors measured with an independent implementation, to their last digit: raw .07 (94 regions), .22 (80
/// cortical), .31 (left cortical); without the global signal .37, .41, .47.
#[test]
fn regions_that_are_near_are_connected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../out/data/hcp-aal2");
    if !folder.join("dataset.json").exists() {
        println!(
            "skipped: no out/data/hcp-aal2; `cargo xtask datasets fetch hcp-aal2 --accept-terms` fetches it"
        );
        return;
    }
    let raw = SubjectSet::load_folder(&folder).unwrap();
    assert_eq!((raw.subjects().len(), raw.parcels(), raw.repetition_time()), (7, 94, Some(0.72)));
    assert!(raw.subjects().iter().all(|subject| subject.series.nrows() == 1200));
    let mean = raw.subjects()[0].series.mean_axis(Axis(0)).unwrap().mean().unwrap();
    assert!((8000.0..11000.0).contains(&mean), "{mean}");
    let regions = raw.regions().unwrap().clone();
    let places = regions.coordinates.clone().unwrap();
    let cortical = regions.cortical.clone().unwrap();
    let all: Vec<usize> = (0..94).collect();
    let cortex: Vec<usize> = all.iter().copied().filter(|parcel| cortical[*parcel]).collect();
    let left: Vec<usize> = cortex.iter().copied().filter(|parcel| places[(*parcel, 0)] < 0.0).collect();
    let without = raw.clone().z_scored().without_global_signal().unwrap();
    for (set, anchors) in [(&raw, [0.07, 0.22, 0.31]), (&without, [0.37, 0.41, 0.47])] {
        for (chosen, anchor) in [&all, &cortex, &left].into_iter().zip(anchors) {
            let ours = distance_correlation(set, &places, chosen);
            println!("{} regions: {ours:.3}, anchor {anchor}", chosen.len());
            assert!((ours - anchor).abs() < 0.006, "{} regions: {ours} is not {anchor}", chosen.len());
        }
    }
    let split = split_blocks(&raw.subjects()[0].series, 0.2, 3.0).unwrap();
    assert!(split.gap > 0 && split.train.end + split.gap == split.test.start, "{split:?}");
}
