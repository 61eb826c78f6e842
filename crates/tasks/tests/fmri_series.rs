//! Parcellated series as numpy 2.4.6 and scipy 1.17.1 write them (made by `fixtures/make_series.py`), confounds, and
//! sets of subjects.

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::{Array2, array};
use tasks::fmri::dataset::{DESCRIPTION, Description, REGIONS, RegionTable, Subject, SubjectSet};
use tasks::fmri::series::{
    Layout, NpzArray, SeriesOptions, npz_bytes, read_npz_array, read_series, table_text,
};
use tasks::fmri::{ConfoundOptions, Confounds};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/series").join(name)
}

fn expected() -> Array2<f64> {
    let text = fs::read_to_string(fixture("expected.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows: Vec<Vec<f64>> = serde_json::from_value(json["values"].clone()).unwrap();
    Array2::from_shape_fn((12, 5), |(frame, parcel)| rows[frame][parcel])
}

fn options(variable: &str, layout: Layout) -> SeriesOptions {
    SeriesOptions { layout, variable: (!variable.is_empty()).then(|| variable.to_owned()) }
}

#[test]
fn arrays_are_read_as_they_were_written() {
    let single = expected().mapv(|value| f64::from(value as f32));
    let whole = expected().mapv(f64::trunc);
    let (frames, parcels) = (Layout::FramesByParcels, Layout::ParcelsByFrames);
    for (name, variable, layout, values) in [
        ("f8.npy", "", frames, expected()),
        ("f4_fortran.npy", "", frames, single.clone()),
        ("i2_be.npy", "", frames, whole.clone()),
        ("two.npz", "first", frames, expected()),
        ("one.npz", "", frames, expected()),
        ("plain.mat", "tc", parcels, expected()),
        ("plain.mat", "", parcels, expected()),
        ("compressed.mat", "tc", parcels, expected()),
        ("int.mat", "a", frames, whole),
        ("int.mat", "b", frames, single),
        ("named.tsv", "", frames, expected()),
        ("plain.csv", "", frames, expected()),
    ] {
        let read = read_series(&fixture(name), &options(variable, layout)).unwrap();
        assert_eq!(read.series.dim(), (12, 5), "{name}");
        assert!(read.series.iter().zip(&values).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()), "{name}");
        assert_eq!(read.names.is_some(), name == "named.tsv");
    }
    assert_eq!(read_npz_array(&fixture("one.npz"), "vector").unwrap().shape(), [5]);
}

#[test]
fn arrays_that_are_not_meant_are_named() {
    let refused = |name: &str, variable: &str, words: &str| {
        let error = read_series(&fixture(name), &options(variable, Layout::FramesByParcels)).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(words), "{error}");
    };
    refused("two.npz", "", "got first, second");
    refused("two.npz", "third", "expected an array \"third\"");
    refused("two.npz", "names", "descr");
    refused("int.mat", "", "got a, b");
    refused("expected.json", "", "expected .npy, .npz, .mat, .csv, .tsv or .ptseries.nii");
    refused("nothing.npy", "", "cannot read");
    for name in ["f8.npy", "plain.csv", "named.tsv"] {
        refused(name, "tc", "only .npz and .mat hold several arrays");
    }
}

/// A line that counts columns, as pandas writes it, may be a header or a frame: neither is guessed.
#[test]
fn a_header_of_numbers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    let read = |text: &str, layout| {
        fs::write(&path, text).unwrap();
        read_series(&path, &options("", layout)).map_err(|error| error.to_string())
    };
    let frames = Layout::FramesByParcels;
    for (text, words) in [
        ("0,1,2\n0.5,0.1,0.2\n", "line 1: expected the values of the first line, or names, got 0 to 2"),
        ("1,2,3\n0.5,0.1,0.2\n", "got 1 to 3, which look like numbers of columns; remove the line"),
        (",0,1\n0,0.5,0.1\n", "got an empty field and 0 to 1"),
    ] {
        let line = read(text, frames).unwrap_err();
        assert!(line.contains(words) && line.lines().count() == 1, "{line}");
    }
    for text in ["0,1\n0.5,0.1\n", "0,1,3\n0.5,0.1,0.2\n"] {
        assert_eq!(read(text, frames).unwrap().series.nrows(), 2, "{text}");
    }
    assert_eq!(read("a,b,c\n0,1,2\n", frames).unwrap().series, array![[0.0, 1.0, 2.0]]);
    // Where lines are channels, a header can name none of them.
    let line = read("a,b,c\n0,1,5\n", Layout::ParcelsByFrames).unwrap_err();
    assert!(line.contains("--parcels-by-frames") && line.contains("a header that names 3 columns"), "{line}");
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let series = expected();
    let names = ["a", "ß", "long name", "d", "e"].map(str::to_owned);
    let arrays = || {
        [
            ("series", NpzArray::Matrix(series.view())),
            ("labels", NpzArray::Integers(&[3, 7, -1, 4, 5])),
            ("names", NpzArray::Texts(&names)),
            ("repetition_time", NpzArray::Vector(&[0.72])),
            ("coordinates", NpzArray::Matrix(series.view())),
        ]
    };
    let bytes = npz_bytes(&arrays()).unwrap();
    assert_eq!(bytes, npz_bytes(&arrays()).unwrap());
    let path = folder.path().join("x.npz");
    fs::write(&path, bytes).unwrap();
    let read = read_series(&path, &SeriesOptions::default()).unwrap();
    assert_eq!(
        (read.series, read.ids, read.repetition_time),
        (series.clone(), Some(vec![3, 7, -1, 4, 5]), Some(0.72))
    );
    // Coordinates that do not fit the parcels are none of theirs.
    assert_eq!((read.names, read.coordinates), (Some(names.to_vec()), None));
    for (name, delimiter) in [("x.tsv", b'\t'), ("x.csv", b',')] {
        let path = folder.path().join(name);
        let mut names = names.clone();
        names[3..].clone_from_slice(&["d, \"left\"\tof it".to_owned(), "5".to_owned()]);
        fs::write(&path, table_text(series.view(), &names, delimiter).unwrap()).unwrap();
        let read = read_series(&path, &SeriesOptions::default()).unwrap();
        assert_eq!((read.series, read.names.unwrap()), (series.clone(), names.to_vec()));
    }
    // A header of numbers would be one frame more.
    let numbers = ["1", "-2", "3.5", "n/a", "inf"].map(str::to_owned);
    let error = table_text(series.view(), &numbers, b',').unwrap_err();
    assert!(error.is_input() && error.to_string().contains("got 1, -2, 3.5, n/a, inf"), "{error}");
    assert!(table_text(series.view(), &names[..4], b',').unwrap_err().to_string().contains("5 names"));
}

#[test]
fn confounds_are_chosen_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sub-1_desc-confounds_timeseries.tsv");
    let table = "trans_x\ttrans_x_derivative1\tframewise_displacement\ttrans_y\n1\tn/a\tn/a\t4\n2\t1\t0.2\t5\n4\t2\t0.7\t6\n";
    fs::write(&path, table).unwrap();
    let confounds = Confounds::read(&path).unwrap();
    let select = |names: &[&str], backfill| {
        confounds
            .select(&names.iter().map(ToString::to_string).collect::<Vec<_>>(), &ConfoundOptions { backfill })
    };
    let (values, names) = select(&["trans_y", "trans_x"], false).unwrap();
    assert_eq!(
        (values, names),
        (array![[4.0, 1.0], [5.0, 2.0], [6.0, 4.0]], vec!["trans_y".to_owned(), "trans_x".to_owned()])
    );
    assert!(
        select(&["trans_*"], false).unwrap_err().to_string().contains("column trans_x_derivative1, frame 1")
    );
    assert_eq!(select(&["trans_*"], true).unwrap().0.column(1).to_vec(), [1.0, 1.0, 2.0]);
    assert!(select(&["csf"], true).unwrap_err().to_string().contains("a column \"csf\""));
    assert_eq!(confounds.frames_at_most("framewise_displacement", 0.5).unwrap(), [0, 1]);
    for wrong in ["1\t2\n3\t4\n", "a\ta\n1\t2\n", "a\tb\n1\tx\n", "a\tb\n", "a\tb\n1\n", ""] {
        fs::write(&path, wrong).unwrap();
        assert!(Confounds::read(&path).unwrap_err().is_input(), "{wrong:?}");
    }
}

fn subject(name: &str, series: Array2<f64>) -> Subject {
    Subject { name: name.to_owned(), series }
}

fn wave(frames: usize, parcels: usize, phase: f64) -> Array2<f64> {
    Array2::from_shape_fn((frames, parcels), |(f, p)| {
        (f as f64 * (0.3 + 0.1 * p as f64) + phase).sin() + (f as f64 * 0.05).cos()
    })
}

#[test]
fn subjects_are_checked() {
    let set = |subjects| SubjectSet::new(subjects, None, None).map(|_| ()).map_err(|error| error.to_string());
    let good = || subject("a", wave(50, 4, 0.0));
    assert!(set(vec![good(), subject("b", wave(60, 4, 1.0))]).is_ok());
    let refused = |subjects, words: &str| {
        let error = set(subjects).unwrap_err();
        assert!(error.contains(words), "{error}");
    };
    refused(vec![], "one or more");
    refused(vec![good(), good()], "each name once");
    refused(vec![good(), subject("b", wave(50, 3, 0.0))], "4 parcels, as in a");
    refused(vec![subject("b", wave(1, 3, 0.0))], "two frames");
    let mut spoiled = wave(50, 4, 0.0);
    spoiled[(7, 2)] = f64::INFINITY;
    refused(vec![good(), subject("b", spoiled)], "inf in parcel 3, frame 8");
    let mut constant = wave(50, 4, 0.0);
    constant.column_mut(1).fill(9.0);
    refused(vec![subject("b", constant)], "9 throughout in parcel 2");
    let table = RegionTable::named(vec!["x".to_owned()]);
    assert!(SubjectSet::new(vec![good()], Some(table), None).unwrap_err().to_string().contains("4 lines"));
}

/// What `tasks fmri extract` writes brings its names and places along, and needs no table.
#[test]
fn archives_name_and_place_their_parcels() {
    let folder = tempfile::tempdir().unwrap();
    let (series, places) = (expected(), Array2::from_shape_fn((5, 3), |(p, axis)| p as f64 - axis as f64));
    let names = ["a_L", "b_L", "ß", "long name", "b_R"].map(str::to_owned);
    let write = |name: &str, names: &[String]| {
        let arrays = [
            ("series", NpzArray::Matrix(series.view())),
            ("names", NpzArray::Texts(names)),
            ("coordinates", NpzArray::Matrix(places.view())),
        ];
        let path = folder.path().join(name);
        fs::write(&path, npz_bytes(&arrays).unwrap()).unwrap();
        (name.to_owned(), path)
    };
    let files = [write("one.npz", &names), write("two.npz", &names)];
    let set = SubjectSet::load(&files, None, &Description::default()).unwrap();
    let regions = set.regions().unwrap();
    assert_eq!((&regions.names[..], regions.coordinates.as_ref()), (&names[..], Some(&places)));
    assert_eq!(regions.partners(), [None, Some(4), None, None, Some(1)]);
    let twice = ["a", "b", "b", "c", "d"].map(str::to_owned);
    let error = SubjectSet::load(&[write("three.npz", &twice)], None, &Description::default()).unwrap_err();
    assert!(error.to_string().contains("parcel 3: expected a name that no other has"), "{error}");
}

/// Without the global signal, parcels do not correlate with their former mean, and sum up to nothing.
#[test]
fn the_global_signal_is_gone() {
    let set = SubjectSet::new(vec![subject("a", wave(200, 5, 0.0))], None, None).unwrap();
    let cleaned = set.without_global_signal().unwrap();
    let rest = &cleaned.subjects()[0].series;
    assert!(rest.rows().into_iter().all(|row| row.sum().abs() < 1e-9));
    let scored = cleaned.z_scored();
    for column in scored.subjects()[0].series.columns() {
        assert!(column.sum().abs() < 1e-9 && (column.dot(&column) - 199.0).abs() < 1e-9);
    }
}

#[test]
fn folders_are_read_as_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("s2.mat", &fs::read(fixture("compressed.mat")).unwrap());
    put("s1.mat", &fs::read(fixture("plain.mat")).unwrap());
    put("NOTICE.txt", b"not a recording");
    let how = Description {
        parcels_by_frames: true,
        variable: Some("tc".to_owned()),
        repetition_time: Some(0.72),
        ..Default::default()
    };
    put(DESCRIPTION, &serde_json::to_vec(&how).unwrap());
    put(REGIONS, b"name,x_mm,y_mm,z_mm,cortical\na,1,2,3,1\nb,1,2,4,0\nc,1,2,5,1\nd,1,2,6,1\ne,-1,0,0.5,1\n");
    let set = SubjectSet::load_folder(folder.path()).unwrap();
    let names: Vec<&str> = set.subjects().iter().map(|subject| subject.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), set.parcels(), set.repetition_time()),
        (["s1", "s2"].as_slice(), 5, Some(0.72))
    );
    assert_eq!(set.subjects()[1].series, expected());
    let regions = set.regions().unwrap();
    assert_eq!(regions.coordinates.as_ref().unwrap().row(4).to_vec(), [-1.0, 0.0, 0.5]);
    assert_eq!(regions.cortical.as_deref(), Some([true, false, true, true, true].as_slice()));
    put(DESCRIPTION, b"{\"unknown\": 1}");
    assert!(SubjectSet::load_folder(folder.path()).unwrap_err().to_string().contains("unknown"));
    assert!(SubjectSet::load_folder(&folder.path().join("none")).unwrap_err().is_input());
}
