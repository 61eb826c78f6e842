//! NIfTI against nibabel 5.4.2: every file of the fixtures (made by `fixtures/make_nifti.py`), read or refused.

use std::path::{Path, PathBuf};

use ndarray::ArrayD;
use serde_json::Value;
use tasks::fmri::nifti::{AffineSource, Datatype, NiftiFile, Storage, Version};
use tasks::fmri::series::read_npz_array;
use tasks::fmri::{FmriError, LabelImage, Mask};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nifti").join(name)
}

fn manifest() -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(fixture("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let files = manifest["files"].as_object().unwrap();
    files.iter().map(|(name, facts)| (name.clone(), facts.clone())).collect()
}

/// All values in the order of the file.
fn read(name: &str) -> Result<(NiftiFile, Vec<f64>), FmriError> {
    let mut frames = NiftiFile::open(&fixture(name))?.into_frames()?;
    let (mut values, mut frame) = (Vec::new(), Vec::new());
    while frames.next_frame(&mut frame)? {
        values.append(&mut frame);
    }
    Ok((NiftiFile::open(&fixture(name))?, values))
}

/// What we refuse, and the field that the error names. All but `bad_bitpix` and the two colour and complex types are
/// refused by nibabel, too.
const REFUSED: [(&str, &str); 14] = [
    ("scl_internan.nii", "scl_inter"),
    ("bad_truncated.nii", "dim"),
    ("bad_magic.nii", "magic"),
    ("bad_dim0.nii", "dim[0]"),
    ("bad_negdim.nii", "dim[1]"),
    ("bad_datatype.nii", "datatype"),
    ("bad_bitpix.nii", "bitpix"),
    ("bad_voxoffset.nii", "vox_offset"),
    ("bad_truncated.nii.gz", "data"),
    ("bad_empty.nii", "sizeof_hdr"),
    ("aff_qform_w2_negative.nii", "quatern_b, quatern_c, quatern_d"),
    ("dtype_rgb24.nii", "datatype"),
    ("dtype_c8.nii", "datatype"),
    ("no such file.nii", ""),
];

/// Read here, refused by nibabel: plain NIfTI under a name that ends in .gz.
const SNIFFED: &str = "func_i16_le_notgz.nii.gz";

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter()
        .map(|value| value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap()))
        .collect()
}

fn close(ours: f64, theirs: f64) -> bool {
    (ours.is_nan() && theirs.is_nan())
        || ours == theirs
        || (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0)
}

#[test]
fn files_are_refused_by_the_field_that_is_wrong() {
    for (name, expected) in REFUSED {
        match read(name).map(|_| ()) {
            Err(FmriError::Format { path, field, .. }) => {
                assert_eq!((field.as_str(), path), (expected, fixture(name)), "{name}");
            }
            Err(error @ FmriError::Read { .. }) => {
                assert!(expected.is_empty() && error.is_input(), "{name}: {error}")
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn all_other_files_are_read_as_nibabel_reads_them() {
    let mut read_files = 0;
    for (name, facts) in manifest() {
        if REFUSED.iter().any(|(refused, _)| *refused == name) {
            continue;
        }
        let facts = if name == SNIFFED {
            manifest().iter().find(|(name, _)| name == "func_i16_le.nii").unwrap().1.clone()
        } else {
            facts
        };
        let nibabel = &facts["nibabel"];
        assert!(nibabel["error"].is_null(), "{name}: {nibabel}");
        let (file, values) = read(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let shape: Vec<usize> =
            numbers(&nibabel["shape"]).into_iter().map(|length| length as usize).collect();
        assert_eq!(file.header.shape, shape, "{name}");
        // nibabel does not convert micrometres; we do.
        let unit = if name == "units_micron.nii" { 1e-3 } else { 1.0 };
        let affine = nibabel["affine"].as_array().unwrap();
        for (row, expected) in file.header.grid.affine.rows.iter().zip(affine) {
            assert!(
                row.iter().zip(numbers(expected)).all(|(a, b)| close(*a, b * unit)),
                "{name}: {row:?} {expected}"
            );
        }
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        assert_eq!((values.len() - finite.len()) as u64, nibabel["n_nonfinite"].as_u64().unwrap(), "{name}");
        let sum = finite.iter().sum::<f64>();
        assert!(close(sum, nibabel["sum_finite"].as_f64().unwrap()), "{name}: {sum}");
        let ends = [values[..4].to_vec(), values[values.len() - 2..].to_vec()].concat();
        let expected = [numbers(&nibabel["first"]), numbers(&nibabel["last"])].concat();
        // Printed with the digits of float32, where the file holds that.
        let single = file.header.datatype == Datatype::F32;
        let same = |a: f64, b: f64| {
            if single { a as f32 == b as f32 || (a.is_nan() && b.is_nan()) } else { close(a, b) }
        };
        assert!(ends.iter().zip(&expected).all(|(a, b)| same(*a, *b)), "{name}: {ends:?} {expected:?}");
        read_files += 1;
    }
    assert_eq!(read_files, 67 - (REFUSED.len() - 1));
}

#[test]
fn every_voxel_is_where_it_belongs() {
    let stored = fixture("expected_arrays.npz");
    let (functional, labels) =
        (read_npz_array(&stored, "func").unwrap(), read_npz_array(&stored, "labels").unwrap());
    let in_file_order = |array: &ArrayD<f64>| array.t().iter().copied().collect::<Vec<f64>>();
    for name in [
        "func_i16_le.nii",
        "func_i16_be.nii",
        "func_i16_n2_be.nii.gz",
        "func_i16_pair.hdr",
        "func_i16_pair.img",
        "func_i16_multimember.nii.gz",
        "func_i16_padoffset.nii",
        "func_i16_ext.nii",
    ] {
        let (_, values) = read(name).unwrap();
        assert!(values.iter().zip(in_file_order(&functional)).all(|(a, b)| (a - b).abs() < 1e-9), "{name}");
        assert_eq!(values.len(), functional.len());
    }
    for name in ["labels_i16.nii", "labels_f32.nii", "labels_scaled_u8.nii", "labels_f32_nanbg.nii"] {
        let image = LabelImage::read(&fixture(name)).unwrap();
        let id = |code: &u32| code.checked_sub(1).map_or(0.0, |index| image.ids[index as usize] as f64);
        assert!(image.codes.iter().map(id).eq(in_file_order(&labels)), "{name}");
        assert_eq!(image.ids, [3, 7, 12, 25, 40, 41]);
    }
    assert_eq!(LabelImage::read(&fixture("labels_negative.nii")).unwrap().ids, [-3, 7, 12, 25, 40, 41]);
}

#[test]
fn headers_say_what_they_mean() {
    let header = |name: &str| NiftiFile::open(&fixture(name)).unwrap().header;
    for (name, time) in [
        ("func_i16_le.nii", Some(2.0)),
        ("tr_msec.nii.gz", Some(2.0)),
        ("tr_zero.nii.gz", None),
        ("aff_none.nii", None),
    ] {
        assert_eq!(header(name).repetition_time, time, "{name}");
    }
    assert_eq!(header("aff_both_differ.nii").affine_source, AffineSource::Sform);
    assert_eq!(header("aff_qform_only.nii").affine_source, AffineSource::Qform);
    assert_eq!(header("aff_none.nii").affine_source, AffineSource::Base);
    assert_eq!(header("func_i16_n2_le.nii").version, Version::Two);
    assert_eq!(header("func_i16_pair.hdr").storage, Storage::Pair);
    assert_eq!((header("dim_5d.nii").frames(), header("dim_trailing1.nii").frames()), (2, 1));
    let extensions = NiftiFile::open(&fixture("func_i16_ext.nii")).unwrap().extensions;
    assert_eq!((extensions.len(), extensions[0].code), (1, 6));
    assert!(extensions[0].content.starts_with(b"hello extension"));
    assert!(NiftiFile::open(&fixture("func_i16_padoffset.nii")).unwrap().extensions.is_empty());
}

#[test]
fn images_that_are_no_labels_or_masks_are_refused() {
    for name in ["func_single3d.nii", "func_i16_le.nii", "float_nan_inf.nii"] {
        assert!(LabelImage::read(&fixture(name)).unwrap_err().is_input(), "{name}");
    }
    assert!(Mask::read(&fixture("labels_i16.nii")).unwrap_err().to_string().contains("one value besides 0"));
    assert_eq!(
        Mask::read(&fixture("mask_u8.nii")).unwrap().inside.iter().filter(|inside| **inside).count(),
        252
    );
    assert!(LabelImage::read(&fixture("dim_trailing1.nii")).is_ok());
}

#[test]
fn checksums_and_bytes_behind_the_end_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(fixture("func_i16_le.nii.gz")).unwrap();
    let written = |bytes: &[u8]| {
        let path = folder.path().join("changed.nii.gz");
        std::fs::write(&path, bytes).unwrap();
        let mut frames = NiftiFile::open(&path)?.into_frames()?;
        let mut frame = Vec::new();
        while frames.next_frame(&mut frame)? {}
        Ok::<(), FmriError>(())
    };
    assert!(written(&good).is_ok());
    assert!(written(&[good.as_slice(), &[0; 512]].concat()).is_ok(), "padding");
    assert!(written(&[good.as_slice(), b"rest"].concat()).is_err());
    let mut wrong = good.clone();
    let checksum = wrong.len() - 8;
    wrong[checksum] ^= 1;
    let error = written(&wrong).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("copy or fetch it again"), "{error}");
}

/// A header that asks for more than all memory costs nothing: it is refused before anything is allocated.
#[test]
fn headers_that_promise_too_much_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lying.nii");
    let mut bytes = std::fs::read(fixture("func_i16_le.nii")).unwrap();
    for axis in 0..7 {
        bytes[42 + 2 * axis..44 + 2 * axis].copy_from_slice(&i16::MAX.to_le_bytes());
    }
    for axes in [3i16, 4, 7] {
        bytes[40..42].copy_from_slice(&axes.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        let error = NiftiFile::open(&path).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(": dim: expected"), "{error}");
    }
}
