//! `tasks fmri extract`: what it writes and prints, what it refuses, and its exit codes.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use ndarray::Ix2;
use tasks::fmri::dataset::RegionTable;
use tasks::fmri::series::{SeriesOptions, read_npz_array, read_series};

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn extract(out: &Path, args: &[&str]) -> Output {
    let all = [&["fmri", "extract", "--out", out.to_str().unwrap()], args].concat();
    Command::cargo_bin("tasks").unwrap().args(all).output().unwrap()
}

/// The exit code, and the one line on standard error.
fn refusal(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    (output.status.code().unwrap(), text)
}

#[test]
fn a_recording_becomes_clean_series() {
    let folder = tempfile::tempdir().unwrap();
    let (bold, labels) = (fixture("nifti/func_i16_le.nii.gz"), fixture("nifti/labels_i16.nii"));
    let confounds = fixture("nifti/confounds.tsv");
    let arguments = [
        "--bold",
        &bold,
        "--labels",
        &labels,
        "--confounds",
        &confounds,
        "--columns",
        "trans_*,rot_z",
        "--detrend",
        "--high-pass",
        "0.01",
        "--low-pass",
        "0.1",
        "--standardize",
        "zscore",
        "--nilearn-compat",
    ];
    let out = folder.path().join("made").join("series.npz");
    let output = extract(&out, &arguments);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1 + 6 + 1, "{text}");
    assert!(
        text.contains("100.0 %") && text.contains("48 frames (0 left out) of 6 parcels, repetition time 2 s"),
        "{text}"
    );
    let golden =
        read_npz_array(fixture("nifti/masker_expected.npz").as_ref(), "bandpass_conf_zscore").unwrap();
    let golden = golden.into_dimensionality::<Ix2>().unwrap();
    let read = read_series(&out, &SeriesOptions::default()).unwrap();
    assert!(read.series.iter().zip(&golden).all(|(a, b)| (a - b).abs() < 1e-9));
    assert_eq!((read.ids, read.repetition_time), (Some(vec![3, 7, 12, 25, 40, 41]), Some(2.0)));
    assert_eq!(read_npz_array(&out, "coordinates").unwrap().shape(), [6, 3]);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(out.with_extension("json")).unwrap()).unwrap();
    assert_eq!(report["coverage"][2]["used_voxels"], 1);
    let table = out.with_extension("regions.csv");
    let asked = ["--regions", table.to_str().unwrap()];
    assert!(extract(&folder.path().join("again.npz"), &[&arguments[..], &asked].concat()).status.success());
    let places = fs::read_to_string(&table).unwrap();
    let known = read_npz_array(&out, "coordinates").unwrap();
    assert_eq!((places.lines().count(), places.lines().next()), (7, Some("name,x_mm,y_mm,z_mm")));
    let read: Vec<f64> =
        places.lines().skip(1).flat_map(|line| line.split(',').skip(1).map(|v| v.parse().unwrap())).collect();
    assert_eq!(read, known.iter().copied().collect::<Vec<_>>(), "every digit is written");
    // The same input gives the same bytes; what is there is not replaced.
    let bytes = fs::read(&out).unwrap();
    let (code, line) = refusal(&extract(&out, &arguments));
    assert!(code == 2 && line.contains("--force"), "{line}");
    assert!(extract(&out, &[arguments.as_slice(), &["--force"]].concat()).status.success());
    assert_eq!(fs::read(&out).unwrap(), bytes);
}

#[test]
fn other_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let (bold, labels) = (fixture("cifti/tiny.dtseries.nii"), fixture("cifti/tiny.dlabel.nii"));
    let out = folder.path().join("x.tsv");
    let output = extract(&out, &["--bold", &bold, "--labels", &labels, "--global-signal", "--detrend"]);
    assert!(output.status.success(), "{output:?}");
    let read = read_series(&out, &SeriesOptions::default()).unwrap();
    assert_eq!(read.names.unwrap(), ["L_V1", "L_MST", "R_V1", "Thal"]);
    assert_eq!(read.series.dim(), (9, 4));
    let seeds = folder.path().join("seeds.csv");
    fs::write(&seeds, "name,x,y,z\none,-14.9,19.3,-17.7\n").unwrap();
    let bold = fixture("nifti/func_i16_le.nii");
    let mask = fixture("nifti/mask_u8.nii");
    let out = folder.path().join("y.npy");
    let output = extract(
        &out,
        &["--bold", &bold, "--spheres", seeds.to_str().unwrap(), "--radius", "6", "--mask", &mask],
    );
    assert!(output.status.success(), "{output:?}");
    assert_eq!(read_series(&out, &SeriesOptions::default()).unwrap().series.dim(), (48, 1));
}

/// Names and frames of a table are those of the archive, and its names those of the table of regions.
#[test]
fn tables_are_read_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (bold, labels) = (fixture("nifti/func_i16_le.nii"), fixture("nifti/labels_i16.nii"));
    let names = path("names.tsv");
    fs::write(&names, "id\tname\n3\tfront, left\n7\ta \"b\"\n12\t\"c\"\n25\t25\n40\tß\n41\tx y\n").unwrap();
    let given = ["front, left", "a \"b\"", "\"c\"", "25", "ß", "x y"].map(str::to_owned);
    let numbered = [3, 7, 12, 25, 40, 41].map(|id| format!("label-{id}"));
    for (number, (more, expected)) in
        [(vec!["--names", &names], given), (vec![], numbered)].into_iter().enumerate()
    {
        let arguments = [&["--bold", &bold, "--labels", &labels], &more[..]].concat();
        let file = |kind: &str| path(&format!("series-{number}.{kind}"));
        assert!(extract(file("npz").as_ref(), &arguments).status.success());
        let archive = read_series(file("npz").as_ref(), &SeriesOptions::default()).unwrap();
        assert_eq!((archive.series.nrows(), archive.names.as_deref()), (48, Some(&expected[..])));
        for kind in ["csv", "tsv"] {
            let regions = file(&format!("{kind}.regions.csv"));
            let arguments = [&arguments[..], &["--regions", &regions, "--force"]].concat();
            let output = extract(file(kind).as_ref(), &arguments);
            assert!(output.status.success(), "{output:?}");
            let read = read_series(file(kind).as_ref(), &SeriesOptions::default()).unwrap();
            assert_eq!((read.series, read.names.as_deref()), (archive.series.clone(), Some(&expected[..])));
            let table = RegionTable::read(regions.as_ref()).unwrap();
            assert_eq!(table.select(&expected, "the series").unwrap().names, table.names);
        }
    }
    // Names that a table would lose are refused there, and kept by an archive.
    fs::write(&names, "id\tname\n3\t1\n7\t2\n12\t3.5\n25\t-4\n40\tnan\n41\t6\n").unwrap();
    let arguments = ["--bold", &bold, "--labels", &labels, "--names", &names, "--regions", &path("new.csv")];
    let before = fs::read_dir(folder.path()).unwrap().count();
    let (code, line) = refusal(&extract(path("numbers.csv").as_ref(), &arguments));
    assert!(code == 2 && line.contains("expected a name that is no number"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before, "nothing was written");
    assert!(extract(path("numbers.npz").as_ref(), &arguments).status.success());
}

/// Paths are bytes; the report, which is text, marks those that are none.
#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_no_text_are_read() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join(std::ffi::OsStr::from_bytes(b"s\xff"));
    fs::create_dir(&inner).unwrap();
    let (bold, out) = (inner.join("func.nii"), folder.path().join("x.npz"));
    fs::copy(fixture("nifti/func_i16_le.nii"), &bold).unwrap();
    let mut command = Command::cargo_bin("tasks").unwrap();
    command.args(["fmri", "extract", "--labels", &fixture("nifti/labels_i16.nii"), "--bold"]).arg(&bold);
    let output = command.arg("--out").arg(&out).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let report = fs::read(out.with_extension("json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["bold"], bold.display().to_string());
    assert!(out.exists() && report["mask"].is_null());
}

/// Recordings of one name are told apart by their folders; one that is given twice is not two.
#[test]
fn recordings_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let value = |at: usize| ((at as f64 * 12.9898).sin() * 43_758.545_3).fract();
    let table = |seed: usize| -> String {
        let line = |frame: usize| {
            (0..9).map(|c| value(seed + frame * 9 + c).to_string()).collect::<Vec<_>>().join(",") + "\n"
        };
        (0..300).map(line).collect()
    };
    for (number, name) in ["sub-01/bold.csv", "sub-02/bold.csv"].into_iter().enumerate() {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(path(name), table(7919 * number)).unwrap();
    }
    let (one, other, out) = (path("sub-01/bold.csv"), path("sub-02/bold.csv"), path("c.csv"));
    let channels = |more: &[&str]| {
        let all = [&["fmri", "channels", "--out", &out], more].concat();
        Command::cargo_bin("tasks").unwrap().args(all).output().unwrap()
    };
    let output = channels(&["--series", &one, &other]);
    assert!(output.status.success(), "{output:?}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["recordings"][0]["name"], "sub-01-bold");
    assert_eq!(found["recordings"][1]["name"], "sub-02-bold");
    let (code, line) = refusal(&channels(&["--force", "--series", &one, &other, &one]));
    assert!(code == 2 && line.matches("sub-01/bold.csv").count() == 2, "{line}");
    // Places that are all one tell nothing apart.
    let places = path("places.csv");
    fs::write(&places, "name,x\n".to_owned() + &(0..9).map(|c| format!("c{c},2.5\n")).collect::<String>())
        .unwrap();
    let (code, line) = refusal(&channels(&["--force", "--coords", &places, "--series", &one]));
    assert!(
        code == 2 && line.contains("expected places that differ, got (2.5) for each of 9 channels"),
        "{line}"
    );
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let (bold, labels) = (fixture("nifti/func_i16_le.nii"), fixture("nifti/labels_i16.nii"));
    let (lost, no_time) = (fixture("nifti/labels_hires_i16.nii"), fixture("nifti/tr_zero.nii.gz"));
    let (bad, confounds) = (fixture("nifti/bad_truncated.nii"), fixture("nifti/confounds.tsv"));
    for (arguments, words) in [
        (vec!["--bold", &bold, "--labels", &lost], "parcels 6"),
        (vec!["--bold", &bad, "--labels", &labels], "bad_truncated.nii: dim: expected"),
        (vec!["--bold", "nothing.nii", "--labels", &labels], "nothing.nii: cannot read"),
        (vec!["--bold", &no_time, "--labels", &labels, "--low-pass", "0.1"], "repetition_time"),
        (
            vec!["--bold", &bold, "--labels", &labels, "--confounds", &confounds],
            "the columns are trans_x, trans_y, rot_z",
        ),
        (
            vec!["--bold", &bold, "--labels", &labels, "--confounds", &confounds, "--columns", "csf"],
            "a column \"csf\"",
        ),
        (vec!["--bold", &bold], "--labels"),
        (
            vec!["--bold", &bold, "--labels", &labels, "--tr=-1"],
            "'-1' for '--tr <SECONDS>': expected seconds",
        ),
        (vec!["--bold", &bold, "--labels", &labels, "--tr=0"], "expected seconds, a finite number above 0"),
        (vec!["--bold", &bold, "--labels", &labels, "--tr=nan"], "expected seconds, a finite number above 0"),
        (vec!["--bold", &bold, "--labels", &labels, "--tr", "inf"], "expected seconds"),
    ] {
        let (code, line) = refusal(&extract(&folder.path().join("x.npz"), &arguments));
        assert!(code == 2 && line.contains(words), "{line}");
    }
    let (code, line) =
        refusal(&extract(&folder.path().join("x.xlsx"), &["--bold", &bold, "--labels", &labels]));
    assert!(code == 2 && line.contains(".npz, .npy, .csv or .tsv"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was written");
    // Metadata that contradict the header.
    let image = folder.path().join("sub-1_bold.nii");
    fs::copy(&bold, &image).unwrap();
    fs::write(folder.path().join("sub-1_bold.json"), r#"{"RepetitionTime": 0.72}"#).unwrap();
    let arguments = ["--bold", image.to_str().unwrap(), "--labels", &labels];
    let (code, line) = refusal(&extract(&folder.path().join("x.npz"), &arguments));
    assert!(
        code == 2 && line.contains("expected 0.72 s, as its JSON file says, got 2 s in its header"),
        "{line}"
    );
    assert!(
        extract(&folder.path().join("x.npz"), &[arguments.as_slice(), &["--tr", "2"]].concat())
            .status
            .success()
    );
}

/// Each result has a file of its own, over which nothing is written that is read or was there.
#[test]
fn nothing_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (bold, labels) = (fixture("nifti/func_i16_le.nii"), fixture("nifti/labels_i16.nii"));
    let arguments = ["--bold", &bold, "--labels", &labels];
    for regions in ["f.npz", "./f.npz", "f.json"] {
        let more = ["--regions", &path(regions), "--force"];
        let (code, line) = refusal(&extract(path("f.npz").as_ref(), &[&arguments[..], &more].concat()));
        assert!(code == 2 && line.contains("--regions: expected another file than --out"), "{line}");
    }
    // The metadata beside a recording have the name that the report would have.
    fs::copy(&bold, path("sub-1_bold.nii")).unwrap();
    fs::write(path("sub-1_bold.json"), r#"{"RepetitionTime": 2.0}"#).unwrap();
    let arguments = ["--bold", &path("sub-1_bold.nii"), "--labels", &labels, "--force"];
    let (code, line) = refusal(&extract(path("sub-1_bold.npz").as_ref(), &arguments));
    assert!(code == 2 && line.contains("the metadata of --bold"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was written");
    // A report of our own is replaced.
    fs::remove_file(path("sub-1_bold.json")).unwrap();
    for _ in 0..2 {
        let output = extract(path("sub-1_bold.npz").as_ref(), &arguments);
        assert!(output.status.success(), "{output:?}");
    }

    // No generator here: numbers that look like chance.
    let value = |frame: usize, channel: usize| {
        (((frame * 9 + channel) as f64 * 12.9898).sin() * 43_758.545_3).fract()
    };
    let line = |frame| (0..9).map(|c| value(frame, c).to_string()).collect::<Vec<_>>().join(",") + "\n";
    let lines = (0..300).map(line);
    fs::write(path("s.csv"), lines.collect::<String>()).unwrap();
    let before = fs::read(path("s.csv")).unwrap();
    let channels = |out: &str, more: &[&str]| {
        let (series, out) = (path("s.csv"), path(out));
        let all = [&["fmri", "channels", "--series", &series, "--out", &out], more].concat();
        Command::cargo_bin("tasks").unwrap().args(all).output().unwrap()
    };
    for more in [&[][..], &["--force"]] {
        let (code, line) = refusal(&channels("s.csv", more));
        assert!(code == 2 && line.contains("--out: expected another file than --series"), "{line}");
    }
    assert_eq!(fs::read(path("s.csv")).unwrap(), before);
    fs::write(path("c.csv"), "mine").unwrap();
    let (code, line) = refusal(&channels("c.csv", &[]));
    assert!(code == 2 && line.contains("choose another --out or add --force"), "{line}");
    assert_eq!(fs::read_to_string(path("c.csv")).unwrap(), "mine");
    let output = channels("c.csv", &["--force"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(path("c.csv")).unwrap().lines().count(), 10);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (bold, labels) = (fixture("nifti/func_i16_le.nii"), fixture("nifti/labels_i16.nii"));
    let confounds = fixture("nifti/confounds.tsv");
    for (more, words) in [
        (&["--radius", "3"][..], "--radius: expected --spheres with it, got --labels"),
        (&["--allow-overlap"], "--allow-overlap"),
        (&["--confounds", &confounds, "--scrub-above", "1", "--backfill"], "--columns"),
    ] {
        let arguments = [&["--bold", &bold, "--labels", &labels], more].concat();
        let (code, line) = refusal(&extract(&folder.path().join("x.npz"), &arguments));
        assert!(code == 2 && line.contains(words), "{line}");
    }
    let arguments = ["--bold", &bold, "--spheres", "s.csv", "--names", "n.csv"];
    let (code, line) = refusal(&extract(&folder.path().join("x.npz"), &arguments));
    assert!(code == 2 && line.contains("--labels"), "{line}");
}
