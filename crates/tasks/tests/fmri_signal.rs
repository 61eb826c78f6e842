//! Cleaning against nilearn 0.14.1 and scipy 1.17.1 (made by `fixtures/make_nifti.py`), and its laws.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Ix2};
use tasks::fmri::extract::Semantics;
use tasks::fmri::series::read_npz_array;
use tasks::fmri::signal::{Band, Cleaning, Standardize, clean, detrend, filter_forward_backward, z_score};

fn golden(name: &str) -> Array2<f64> {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nifti/signal_expected.npz");
    read_npz_array(&path, name).unwrap().into_dimensionality::<Ix2>().unwrap()
}

fn assert_close(name: &str, ours: &Array2<f64>) {
    let theirs = golden(name);
    assert_eq!(ours.dim(), theirs.dim(), "{name}");
    for (a, b) in ours.iter().zip(&theirs) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{name}: {a} is not {b}");
    }
}

#[test]
fn each_step_is_nilearns() {
    let mut series = golden("S");
    detrend(&mut series);
    assert_close("detrend", &series);
    let mut series = golden("S");
    z_score(&mut series, &[0.0; 4]);
    assert_close("zscore_sample", &series);
    let band = |low_pass, high_pass| Band { low_pass, high_pass };
    for (name, band) in [
        ("butter_band", band(Some(0.1), Some(0.01))),
        ("butter_low", band(Some(0.1), None)),
        ("butter_high", band(None, Some(0.01))),
    ] {
        let mut series = golden("S");
        filter_forward_backward(&band.sections(0.5).unwrap(), &mut series).unwrap();
        assert_close(name, &series);
    }
    let sections = band(Some(0.1), Some(0.01)).sections(0.5).unwrap();
    assert_close("sos_band", &Array2::from_shape_fn((5, 6), |(section, index)| sections[section][index]));
    let default = Cleaning { detrend: true, standardize: Standardize::ZScore, ..Cleaning::default() };
    assert_close("clean_default", &clean(&golden("S"), &default).unwrap().series);
    let filtered = Cleaning { band: band(Some(0.1), Some(0.01)), repetition_time: Some(2.0), ..default };
    assert_close("clean_bp", &clean(&golden("S"), &filtered).unwrap().series);
}

fn noise(frames: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((frames, columns), |(frame, column)| {
        let x = (frame * 7 + column * 13) as f64;
        (x * 0.61).sin() + (x * x * 0.017).cos() + 100.0
    })
}

/// What is cleaned away does not matter: any line and any multiple of a confound can be added.
#[test]
fn lines_and_confounds_do_not_matter() {
    let (series, confounds) = (noise(80, 4), noise(80, 6).select(ndarray::Axis(1), &[4, 5]));
    for band in [Band::default(), Band { low_pass: Some(0.12), high_pass: Some(0.02) }] {
        let cleaning = Cleaning {
            detrend: true,
            band,
            repetition_time: Some(2.0),
            confounds: Some(confounds.clone()),
            standardize: Standardize::ZScore,
            ..Cleaning::default()
        };
        let expected = clean(&series, &cleaning).unwrap().series;
        let mut changed = series.clone();
        for ((frame, column), value) in changed.indexed_iter_mut() {
            *value += 3.0 + 0.5 * frame as f64 + (column as f64 + 1.0) * confounds[(frame, 0)]
                - 2.0 * confounds[(frame, 1)];
        }
        let ours = clean(&changed, &cleaning).unwrap().series;
        assert!(ours.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9));
        for column in ours.columns() {
            let squares: f64 = column.iter().map(|value| value * value).sum();
            assert!(column.sum().abs() < 1e-9 && (squares - 79.0).abs() < 1e-9);
        }
    }
}

/// A scrubbed frame has no influence, whatever is in it; at the ends neither.
#[test]
fn scrubbed_frames_have_no_influence() {
    let series = noise(80, 2);
    let kept: Vec<usize> = (1..79).filter(|frame| ![20, 21, 22, 50].contains(frame)).collect();
    for (band, semantics) in [
        (Band::default(), Semantics::Strict),
        (Band::default(), Semantics::NilearnCompat),
        (Band { low_pass: Some(0.1), high_pass: None }, Semantics::Strict),
    ] {
        let cleaning = Cleaning {
            detrend: true,
            band,
            repetition_time: Some(2.0),
            kept: Some(kept.clone()),
            standardize: Standardize::ZScore,
            semantics,
            ..Cleaning::default()
        };
        let expected = clean(&series, &cleaning).unwrap();
        let mut spiked = series.clone();
        for frame in [0, 20, 21, 22, 50, 79] {
            spiked.row_mut(frame).fill(1e6);
        }
        let ours = clean(&spiked, &cleaning).unwrap();
        assert_eq!(ours.frames, kept);
        assert!(ours.series.iter().zip(&expected.series).all(|(a, b)| (a - b).abs() < 1e-9), "{band:?}");
    }
}

#[test]
fn constant_series_give_zero_and_nan_columns_stay() {
    let mut series = noise(60, 3);
    series.column_mut(1).fill(750.0000037252903);
    series.column_mut(2).fill(f64::NAN);
    let band = Band { low_pass: Some(0.1), high_pass: Some(0.01) };
    for band in [Band::default(), band] {
        let cleaning = Cleaning {
            detrend: true,
            band,
            repetition_time: Some(2.0),
            standardize: Standardize::ZScore,
            ..Cleaning::default()
        };
        let ours = clean(&series, &cleaning).unwrap().series;
        assert!(ours.column(1).iter().all(|value| *value == 0.0));
        assert!(ours.column(2).iter().all(|value| value.is_nan()));
        assert!(ours.column(0).iter().all(|value| value.is_finite()));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let series = noise(60, 2);
    let refused = |cleaning: Cleaning, words: &str| {
        let error = clean(&series, &cleaning).map(|_| ()).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(words), "{error}");
    };
    let band = Band { low_pass: Some(0.1), high_pass: None };
    let default = Cleaning::default;
    refused(Cleaning { band, ..default() }, "repetition_time");
    refused(Cleaning { band, repetition_time: Some(0.0), ..default() }, "repetition_time");
    refused(Cleaning { band, repetition_time: Some(6.0), ..default() }, "half the frames a second");
    refused(
        Cleaning { band, repetition_time: Some(2.0), kept: Some((0..18).collect()), ..default() },
        "more than 18 frames",
    );
    refused(Cleaning { kept: Some(vec![3, 3]), ..default() }, "increasing frames below 60");
    refused(Cleaning { kept: Some(vec![60]), ..default() }, "increasing frames below 60");
    refused(Cleaning { kept: Some(vec![5]), detrend: true, ..default() }, "two frames");
    refused(Cleaning { confounds: Some(noise(59, 1)), ..default() }, "60 frames");
    refused(Cleaning { confounds: Some(noise(60, 59)), ..default() }, "fewer than 59");
    let mut spoiled = noise(60, 2);
    spoiled[(3, 1)] = f64::NAN;
    refused(Cleaning { confounds: Some(spoiled.clone()), ..default() }, "column 2");
    assert!(clean(&spoiled, &default()).unwrap_err().to_string().contains("column 2"));
    assert!(default().with_confound(&[1.0; 60]).unwrap().with_confound(&[1.0; 59]).is_err());
}
