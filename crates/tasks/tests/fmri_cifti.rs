//! CIFTI-2 against nibabel 5.4.2 (made by `fixtures/make_cifti.py`).

use std::path::{Path, PathBuf};

use serde_json::Value;
use tasks::fmri::cifti::{Axis, CiftiFile, DenseLabels, Elements, read_dense_series, read_parcel_series};
use tasks::fmri::extract::ExtractOptions;
use tasks::fmri::nifti::NiftiFile;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cifti").join(name)
}

fn expected() -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture("expected.json")).unwrap()).unwrap()
}

#[test]
fn matrices_and_axes_are_nibabels() {
    for name in ["tiny.dtseries.nii", "tiny.dlabel.nii", "tiny.ptseries.nii"] {
        let mut file = CiftiFile::open(&fixture(name)).unwrap();
        let facts = &expected()[name];
        let shape: Vec<usize> = serde_json::from_value(facts["shape"].clone()).unwrap();
        assert_eq!([file.axes[0].len(), file.axes[1].len()], shape.as_slice(), "{name}");
        let first_row: Vec<f64> = serde_json::from_value(facts["first_row"].clone()).unwrap();
        let (mut run, mut row) = (Vec::new(), Vec::<f64>::new());
        while file.next_run(&mut run).unwrap() {
            row.extend(run.first());
        }
        assert_eq!(row[..first_row.len()], first_row, "{name}");
    }
}

#[test]
fn grayordinates_are_where_they_belong() {
    let file = CiftiFile::open(&fixture("tiny.dtseries.nii")).unwrap();
    let [Axis::Series(series), Axis::BrainModels(models)] = &file.axes else { panic!("axes") };
    assert_eq!((series.points, series.step), (9, Some(0.72)));
    let names: Vec<&str> = models.models.iter().map(|model| model.structure.as_str()).collect();
    assert_eq!(
        names,
        ["CIFTI_STRUCTURE_CORTEX_LEFT", "CIFTI_STRUCTURE_CORTEX_RIGHT", "CIFTI_STRUCTURE_THALAMUS_LEFT"]
    );
    assert!(
        matches!(&models.models[0].elements, Elements::Vertices { surface: 20, indices } if indices[5] == 7)
    );
    let places = models.positions();
    // Voxel (1, 1, 2) through diag(-2, 2, 2) and the offset (90, -126, -72).
    assert_eq!((places[0], places[23]), (None, Some([88.0, -124.0, -68.0])));
}

#[test]
fn means_of_dense_series_are_those_of_the_parcellated_file() {
    let labels = DenseLabels::read(&fixture("tiny.dlabel.nii")).unwrap();
    let stored: Vec<i64> = serde_json::from_value(expected()["labels"].clone()).unwrap();
    assert_eq!(labels.labels, stored);
    let extraction =
        read_dense_series(&fixture("tiny.dtseries.nii"), &labels, &ExtractOptions::default()).unwrap();
    let means: Vec<Vec<f64>> = serde_json::from_value(expected()["parcel_means"].clone()).unwrap();
    let parcels = read_parcel_series(&fixture("tiny.ptseries.nii")).unwrap();
    assert_eq!(extraction.series.dim(), (9, 4));
    for (frame, row) in means.iter().enumerate() {
        for (parcel, mean) in row.iter().enumerate() {
            assert!((extraction.series[(frame, parcel)] - mean).abs() < 1e-9);
            assert_eq!(parcels.series[(frame, parcel)], f64::from(*mean as f32));
        }
    }
    assert_eq!(extraction.regions.names(), ["L_V1", "L_MST", "R_V1", "Thal"]);
    assert_eq!(parcels.names.unwrap(), extraction.regions.names());
    assert_eq!((extraction.repetition_time, parcels.repetition_time), (Some(0.72), Some(0.72)));
}

#[test]
fn files_of_another_kind_are_refused() {
    assert!(
        DenseLabels::read(&fixture("tiny.dtseries.nii"))
            .unwrap_err()
            .to_string()
            .contains("LABELS by BRAIN_MODELS")
    );
    assert!(read_parcel_series(&fixture("tiny.dlabel.nii")).unwrap_err().is_input());
    let labels = DenseLabels::read(&fixture("tiny.dlabel.nii")).unwrap();
    assert!(read_dense_series(&fixture("tiny.ptseries.nii"), &labels, &ExtractOptions::default()).is_err());
    let mut fewer = labels;
    fewer.models.models.pop();
    let other = read_dense_series(&fixture("tiny.dtseries.nii"), &fewer, &ExtractOptions::default());
    assert!(other.unwrap_err().to_string().contains("the same grayordinates"));
    let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nifti/func_i16_n2_le.nii");
    assert!(CiftiFile::open(&plain).map(|_| ()).unwrap_err().to_string().contains("ecode"));
    assert_eq!(NiftiFile::open(&fixture("tiny.dtseries.nii")).unwrap().extensions[0].code, 32);
}

/// The XML of a file changed: what it says is checked against itself and against the header.
#[test]
fn axes_that_contradict_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changed.dtseries.nii");
    let good = std::fs::read(fixture("tiny.dtseries.nii")).unwrap();
    for (from, to, field) in [
        (r#"NumberOfSeriesPoints="9""#, r#"NumberOfSeriesPoints="8""#, "dim"),
        (r#"IndexCount="12""#, r#"IndexCount="13""#, "IndexCount"),
        (r#"IndexOffset="12""#, r#"IndexOffset="11""#, "IndexOffset"),
        (">0 1 2 4 ", ">0 1 2 99", "VertexIndices"),
        (r#"VolumeDimensions="5,5,5""#, r#"VolumeDimensions="5,5  ""#, "VolumeDimensions"),
        (r#"AppliesToMatrixDimension="1""#, r#"AppliesToMatrixDimension="0""#, "AppliesToMatrixDimension"),
        ("</Matrix>", "<!Matrix>", "CIFTI XML"),
        (r#"CIFTI Version="2.0""#, r#"CIFTI Version="1.0""#, "CIFTI XML"),
        ("-2.0000000000", "NaN          ", "TransformationMatrixVoxelIndicesIJKtoXYZ"),
    ] {
        assert_eq!(from.len(), to.len(), "{from}");
        let at = good.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        std::fs::write(&path, bytes).unwrap();
        let error = CiftiFile::open(&path).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(&format!(": {field}: expected")), "{to}: {error}");
    }
}
