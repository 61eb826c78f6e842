//! Extraction against nilearn 0.14.1 on the fixtures (made by `fixtures/make_nifti.py`), and the stricter rules.

use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde_json::Value;
use tasks::fmri::extract::Semantics;
use tasks::fmri::extract::{
    ExtractOptions, Extraction, LostParcels, Regions, SphereOptions, coverage_table, extract,
};
use tasks::fmri::nifti::NiftiFile;
use tasks::fmri::series::read_npz_array;
use tasks::fmri::signal::{Band, Cleaning, Standardize, clean};
use tasks::fmri::{Centroid, Confounds, FmriError, LabelImage, LabelTable, Mask, centroids};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nifti").join(name)
}

fn json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture(name)).unwrap()).unwrap()
}

fn golden(name: &str) -> Array2<f64> {
    let array = read_npz_array(&fixture("masker_expected.npz"), name).unwrap();
    let columns = *array.shape().last().unwrap();
    let rows = array.len() / columns;
    Array2::from_shape_vec((rows, columns), array.into_iter().collect()).unwrap()
}

fn series(
    functional: &str,
    labels: &str,
    mask: Option<&str>,
    options: &ExtractOptions,
) -> Result<Extraction, FmriError> {
    let file = NiftiFile::open(&fixture(functional))?;
    let mask = mask.map(|name| Mask::read(&fixture(name))).transpose()?;
    let labels = LabelImage::read(&fixture(labels))?;
    let regions = Regions::from_labels(&labels, None, mask.as_ref(), &file.header.grid, options)?;
    extract(file.into_frames()?, regions, options)
}

/// The cleaning that the parameters of a case ask for; nothing if the case does what we leave out.
fn cleaning(case: &Value) -> Option<Cleaning> {
    let parameters = &case["params"];
    let known = [
        "standardize",
        "detrend",
        "high_pass",
        "low_pass",
        "t_r",
        "standardize_confounds",
        "mask_img",
        "resampling_target",
    ];
    if parameters.as_object().unwrap().keys().any(|key| !known.contains(&key.as_str())) {
        return None;
    }
    let standardize = match parameters["standardize"].as_str() {
        None => Standardize::No,
        Some("zscore_sample") => Standardize::ZScore,
        Some("psc") => Standardize::PercentChange,
        Some(other) => panic!("{other}"),
    };
    let confounds = case["confounds"].as_bool().unwrap().then(|| {
        let table = Confounds::read(&fixture("confounds.tsv")).unwrap();
        table.select(&["trans_*".to_owned(), "rot_z".to_owned()], &Default::default()).unwrap().0
    });
    let kept = case["sample_mask"]
        .as_array()
        .map(|kept| kept.iter().map(|frame| frame.as_u64().unwrap() as usize).collect());
    Some(Cleaning {
        detrend: parameters["detrend"].as_bool().unwrap_or(false),
        band: Band { low_pass: parameters["low_pass"].as_f64(), high_pass: parameters["high_pass"].as_f64() },
        repetition_time: parameters["t_r"].as_f64(),
        confounds,
        raw_confounds: parameters["standardize_confounds"].as_bool() == Some(false),
        kept,
        standardize,
        semantics: Semantics::NilearnCompat,
        single_precision: case["func"] == "func_f32_nan.nii.gz",
    })
}

fn assert_close(name: &str, ours: &Array2<f64>, theirs: &Array2<f64>) {
    assert_eq!(ours.dim(), theirs.dim(), "{name}");
    for (a, b) in ours.iter().zip(theirs) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{name}: {a} is not {b}");
    }
}

/// Left out on purpose: smoothing, cosine drift, other reducers than the mean, cubic resampling of the data.
const LEFT_OUT: [&str; 9] = [
    "cosine",
    "resample_to_labels",
    "smooth6",
    "strategy_maximum",
    "strategy_median",
    "strategy_minimum",
    "strategy_standard_deviation",
    "strategy_sum",
    "strategy_variance",
];

#[test]
fn nilearn_compat_meets_every_case_to_1e_9() {
    let expected = json("masker_expected.json");
    let (mut met, mut left_out) = (0, Vec::new());
    for (name, case) in expected["cases"].as_object().unwrap() {
        if name == "resample_none_mismatch" {
            continue;
        }
        let Some(cleaning) = cleaning(case).filter(|_| case["params"]["resampling_target"] != "labels")
        else {
            left_out.push(name.as_str());
            continue;
        };
        let (functional, labels) = (case["func"].as_str().unwrap(), case["labels"].as_str().unwrap());
        let mask = case["params"]["mask_img"].as_str();
        let extraction = series(functional, labels, mask, &ExtractOptions::nilearn_compat()).unwrap();
        let ids: Vec<i64> =
            case["atlas_ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        assert_eq!(extraction.regions.ids(), ids, "{name}");
        let cleaned = clean(&extraction.series, &cleaning).unwrap().series;
        assert_close(name, &cleaned, &golden(name));
        met += 1;
    }
    left_out.sort_unstable();
    assert_eq!((met, left_out.as_slice()), (23, LEFT_OUT.as_slice()));
}

#[test]
fn the_nearest_voxels_are_scipys() {
    let labels = LabelImage::read(&fixture("labels_hires_i16.nii")).unwrap();
    let file = NiftiFile::open(&fixture("func_i16_le.nii")).unwrap();
    let expected = read_npz_array(&fixture("masker_expected.npz"), "resampled_labels_nearest").unwrap();
    let count = |id: f64| expected.iter().filter(|value| **value == id).count();
    let regions =
        Regions::from_labels(&labels, None, None, &file.header.grid, &ExtractOptions::nilearn_compat())
            .unwrap();
    for parcel in &regions.coverage {
        assert_eq!(parcel.grid_voxels, count(parcel.id as f64), "{}", parcel.id);
    }
    assert_eq!(regions.dropped, [6]);
}

#[test]
fn spheres_are_nilearns() {
    let expected = json("masker_expected.json");
    let seeds: Vec<[f64; 3]> = serde_json::from_value(expected["sphere_seeds_mm"].clone()).unwrap();
    let options = ExtractOptions::nilearn_compat();
    for (name, radius) in [("spheres_rNone", None), ("spheres_r4.0", Some(4.0)), ("spheres_r6.0", Some(6.0))]
    {
        let file = NiftiFile::open(&fixture("func_i16_le.nii")).unwrap();
        let spheres = SphereOptions { radius, allow_overlap: true };
        let regions =
            Regions::from_spheres(&seeds, None, &spheres, None, &file.header.grid, &options).unwrap();
        assert_close(
            name,
            &extract(file.into_frames().unwrap(), regions, &options).unwrap().series,
            &golden(name),
        );
    }
    let grid = NiftiFile::open(&fixture("func_i16_le.nii")).unwrap().header.grid;
    let spheres = SphereOptions { radius: Some(4.0), allow_overlap: false };
    for options in [options, ExtractOptions::default()] {
        let far = Regions::from_spheres(&[seeds[0], [500.0; 3]], None, &spheres, None, &grid, &options);
        assert!(far.unwrap_err().to_string().starts_with("parcels 2:"));
        let same = Regions::from_spheres(&[seeds[0], seeds[0]], None, &spheres, None, &grid, &options);
        assert!(same.unwrap_err().to_string().contains("overlap"));
    }
}

/// Strictly, every voxel of a sphere lies within the radius, or is the nearest one.
#[test]
fn strict_spheres_end_at_their_radius() {
    let grid = NiftiFile::open(&fixture("func_i16_le.nii")).unwrap().header.grid;
    let seed = grid.position(100);
    let spheres = SphereOptions { radius: Some(4.0), allow_overlap: false };
    let regions =
        Regions::from_spheres(&[seed], None, &spheres, None, &grid, &ExtractOptions::default()).unwrap();
    let distance = |number: usize| {
        grid.position(number).iter().zip(seed).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    assert_eq!(
        regions.coverage[0].used_voxels,
        (0..grid.len()).filter(|number| distance(*number) <= 4.0).count()
    );
}

#[test]
fn lost_labels_and_other_grids_are_never_silent() {
    let strict = ExtractOptions::default();
    let lost = series("func_i16_le.nii", "labels_hires_i16.nii", None, &strict).unwrap_err();
    assert!(lost.to_string().starts_with("parcels 6: expected a voxel"), "{lost}");
    let with_nan = ExtractOptions { lost: LostParcels::Nan, ..strict };
    let kept = series("func_i16_le.nii", "labels_hires_i16.nii", None, &with_nan).unwrap();
    assert_eq!(kept.regions.ids(), [1, 2, 3, 4, 5, 6]);
    assert!(
        kept.series.column(5).iter().all(|value| value.is_nan())
            && kept.series.column(4).iter().all(|value| value.is_finite())
    );
    assert!(kept.regions.coverage[5].lost && kept.regions.coverage[5].atlas_voxels == 1);
    assert!(coverage_table(&kept.regions.coverage).lines().nth(6).unwrap().ends_with("LOST"));
    let same_grid = ExtractOptions { same_grid: true, ..strict };
    let other = series("func_i16_le.nii", "labels_hires_i16.nii", None, &same_grid).unwrap_err();
    assert!(matches!(other, FmriError::Mismatch { .. }), "{other}");
    assert!(series("func_i16_le.nii", "labels_i16.nii", Some("mask_u8.nii"), &same_grid).is_ok());
}

#[test]
fn voxels_that_are_not_finite_are_left_out_and_counted() {
    // All of label 12 is NaN, and one voxel of label 7, in all 48 frames.
    let refused =
        series("func_f32_nan.nii.gz", "labels_i16.nii", None, &ExtractOptions::default()).unwrap_err();
    assert!(refused.to_string().starts_with("parcels 12: expected a finite value"), "{refused}");
    let options = ExtractOptions { lost: LostParcels::Nan, global_signal: true, ..ExtractOptions::default() };
    let extraction = series("func_f32_nan.nii.gz", "labels_i16.nii", None, &options).unwrap();
    let counts: Vec<u64> = extraction.regions.coverage.iter().map(|parcel| parcel.not_finite).collect();
    assert_eq!(counts, [0, 48, 48, 0, 0, 0]);
    // The voxel left out of label 7 is the first one, k running fastest.
    let plain = golden("plain");
    let mean_of_45 = plain.column(1);
    let functional = read_npz_array(&fixture("expected_arrays.npz"), "func").unwrap();
    let labels = read_npz_array(&fixture("expected_arrays.npz"), "labels").unwrap();
    let first = labels.indexed_iter().find(|(_, label)| **label == 7.0).unwrap().0;
    for frame in 0..48 {
        let value = functional[[first[0], first[1], first[2], frame].as_slice()];
        let expected = (45.0 * mean_of_45[frame] - value) / 44.0;
        assert!((extraction.series[(frame, 1)] - expected).abs() < 1e-4, "float32 data");
    }
    // The global signal is the mean over all labelled voxels that are finite: 60 + 44 + 33 + 52 + 20.
    let weights = [60.0, 44.0, 0.0, 33.0, 52.0, 20.0];
    let global = extraction.global.unwrap();
    assert_eq!(global.len(), 48);
    for (frame, mean) in global.iter().enumerate() {
        let sum: f64 = (0..6)
            .filter(|parcel| *parcel != 2)
            .map(|parcel| weights[parcel] * extraction.series[(frame, parcel)])
            .sum();
        assert!((mean - sum / 209.0).abs() < 1e-9);
    }
}

#[test]
fn names_are_joined_by_id() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("names.tsv");
    std::fs::write(
        &table,
        "index\tname\n41\tlast\n3\tfirst\n7\tseven\n12\ttwelve\n25\tx\n40\ty\n99\tunused\n",
    )
    .unwrap();
    let grid = NiftiFile::open(&fixture("func_i16_le.nii")).unwrap().header.grid;
    let labels = LabelImage::read(&fixture("labels_i16.nii")).unwrap();
    let options = ExtractOptions::default();
    let regions =
        Regions::from_labels(&labels, Some(&LabelTable::read(&table).unwrap()), None, &grid, &options)
            .unwrap();
    assert_eq!(regions.names(), ["first", "seven", "twelve", "x", "y", "last"]);
    std::fs::write(&table, "index,name\n41,last\n").unwrap();
    let missing =
        Regions::from_labels(&labels, Some(&LabelTable::read(&table).unwrap()), None, &grid, &options);
    assert!(missing.unwrap_err().to_string().contains("a name for label 3"));
    std::fs::write(&table, "# FreeSurfer\n3 Left 1 2 3 0\n3 Right 1 2 3 0\n").unwrap();
    assert!(LabelTable::read(&table).unwrap_err().to_string().contains("id 3 once (Left)"));
}

#[test]
fn centroids_are_the_mean_voxel_through_the_affine() {
    let expected = json("centroids.json");
    for (image, means) in [
        ("labels_i16.nii", &expected["mean_voxel_through_affine"]),
        ("labels_lr.nii", &expected["labels_lr"]["plain_mean"]),
    ] {
        let labels = LabelImage::read(&fixture(image)).unwrap();
        let (mean, medoid) = (centroids(&labels, Centroid::Mean), centroids(&labels, Centroid::Medoid));
        for (row, id) in labels.ids.iter().enumerate() {
            let theirs: [f64; 3] = serde_json::from_value(means[id.to_string()].clone()).unwrap();
            assert!(mean.row(row).iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-9), "{image} {id}");
            // No voxel of the parcel is nearer to the mean than its medoid, which is one of them.
            let distance =
                |point: &[f64]| point.iter().zip(theirs).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            let voxels = (0..labels.grid.len()).filter(|voxel| labels.codes[*voxel] as usize == row + 1);
            let best =
                voxels.map(|voxel| distance(&labels.grid.position(voxel))).fold(f64::INFINITY, f64::min);
            assert!((distance(&medoid.row(row).to_vec()) - best).abs() < 1e-9, "{image} {id}");
        }
    }
}

/// Moving all voxels of image, labels and mask alike changes nothing.
#[test]
fn a_parcel_of_the_whole_mask_is_the_global_signal() {
    let options = ExtractOptions { global_signal: true, ..ExtractOptions::default() };
    let file = NiftiFile::open(&fixture("func_i16_le.nii")).unwrap();
    let mask = Mask::read(&fixture("mask_u8.nii")).unwrap();
    let whole = LabelImage {
        path: mask.path.clone(),
        grid: mask.grid,
        ids: vec![1],
        codes: mask.inside.iter().map(|inside| u32::from(*inside)).collect(),
    };
    let regions = Regions::from_labels(&whole, None, Some(&mask), &file.header.grid, &options).unwrap();
    let extraction = extract(file.into_frames().unwrap(), regions, &options).unwrap();
    let global = extraction.global.unwrap();
    assert!(extraction.series.column(0).iter().zip(&global).all(|(a, b)| (a - b).abs() < 1e-9));
}
