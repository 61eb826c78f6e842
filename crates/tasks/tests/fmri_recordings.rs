//! Tables of regions, the synthetic stand-in, and folders of recordings as they are written and read.

use std::fs;

use ndarray::{Array2, array};
use rand::RngExt;
use streams::{Stream, Streams};
use tasks::fmri::dataset::{Description, Hemisphere, REGIONS, RegionTable, Subject, SubjectSet};
use tasks::fmri::series::NpzArray;
use tasks::fmri::{StandInConfig, stand_in};

fn table(name: &str, text: &str) -> Result<RegionTable, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    RegionTable::read(&path).map_err(|error| {
        let message = error.to_string();
        assert!(error.is_input() && !message.contains('\n'), "{message}");
        message
    })
}

#[test]
fn tables_hold_what_is_known() {
    let names = table("a.csv", "name\nA_L\nA_R\n").unwrap();
    assert_eq!(names.hemispheres, [Hemisphere::Left, Hemisphere::Right]);
    assert_eq!((names.partners(), names.coordinates.as_ref()), (vec![Some(1), Some(0)], None));
    assert!(names.modules().is_none() && names.distances().is_none());

    let labels =
        table("a.csv", "network,name,hemisphere\nvisual,a,L\n\"motor, other\",b,midline\nvisual,c,right\n");
    let labels = labels.unwrap();
    assert_eq!(labels.modules().unwrap(), [0, 1, 0]);
    assert_eq!(labels.hemispheres, [Hemisphere::Left, Hemisphere::Neither, Hemisphere::Right]);

    for (header, axes) in [("x", 1), ("x_mm\ty_mm", 2), ("z\ty\tx", 3)] {
        let numbers = ["1.5", "-2", "3"][..axes].join("\t");
        let read = table("a.tsv", &format!("name\t{header}\nq\t{numbers}\n")).unwrap();
        assert_eq!(read.coordinates.unwrap().dim(), (1, axes));
    }
    let read = table("a.csv", "z,y,x,name,cortical\n3,2,1,q,1\n").unwrap();
    assert_eq!((read.coordinates, read.cortical), (Some(array![[1.0, 2.0, 3.0]]), Some(vec![true])));
}

#[test]
fn tables_that_cannot_be_are_refused() {
    for (text, words) in [
        ("region,x\na,1\n", "a column name"),
        ("name,y\na,1\n", "a column x"),
        ("name,x,z\na,1,2\n", "a column y"),
        ("name,x\na,one\n", "line 2, column 2: expected a finite number"),
        ("name,x\na,inf\n", "a finite number"),
        ("name\na\na\n", "line 3, column 1: expected each parcel with a name of its own"),
        ("name,x\n,1\n", "each parcel with a name of its own"),
        ("name,cortical\na,yes\n", "expected 0 or 1"),
        ("name,x\na\n", "2 fields"),
    ] {
        let error = table("a.csv", text).unwrap_err();
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn tables_are_joined_by_name() {
    let table = table("a.csv", "name,x,network\na,1,p\nb,2,q\nc,3,p\n").unwrap();
    let chosen = table.select(&["c", "a"].map(str::to_owned), "s.csv").unwrap();
    assert_eq!(chosen.coordinates.unwrap(), array![[3.0], [1.0]]);
    assert_eq!(chosen.networks.unwrap(), ["p", "p"]);
    let error = table.select(&["c", "d"].map(str::to_owned), "s.csv").unwrap_err().to_string();
    assert!(error.contains("each parcel of s.csv, got none for \"d\""), "{error}");
}

/// A series with names of its own is never matched to a table by the place of its columns.
#[test]
fn series_with_names_find_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("one.csv"), "b,a\n1,2\n3,5\n2,2.5\n").unwrap();
    fs::write(path("two.csv"), "b,a\n4,2\n3,5\n2,2.5\n").unwrap();
    fs::write(path(REGIONS), "name,x\na,1\nb,2\n").unwrap();
    let set = SubjectSet::load_folder(folder.path()).unwrap();
    let regions = set.regions().unwrap();
    assert_eq!(
        (regions.names.join(" "), regions.coordinates.clone().unwrap()),
        ("b a".to_owned(), array![[2.0], [1.0]])
    );
    fs::write(path("two.csv"), "a,b\n4,2\n3,5\n2,2.5\n").unwrap();
    let error = SubjectSet::load_folder(folder.path()).unwrap_err().to_string();
    assert!(error.contains("parcel 1: expected \"b\", as in") && error.contains("got \"a\""), "{error}");
    // Without a table the names of the series stand.
    let files = [("one".to_owned(), path("one.csv"))];
    let set = SubjectSet::load(&files, None, &Description::default()).unwrap();
    assert_eq!(set.regions().unwrap().names, ["b", "a"]);
}

/// Every recording of a folder is read, however its kind is spelt, or named.
#[test]
fn no_recording_of_a_folder_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let series = array![[1.0, 2.0], [3.0, 5.0], [2.0, 2.5]];
    let bytes = NpzArray::Matrix(series.view()).npy_bytes();
    for name in ["a.npy", "B.NPY", "c.1.Npy"] {
        fs::write(folder.path().join(name), &bytes).unwrap();
    }
    let set = SubjectSet::load_folder(folder.path()).unwrap();
    let names: Vec<&str> = set.subjects().iter().map(|subject| subject.name.as_str()).collect();
    assert_eq!(names, ["B", "a", "c.1"]);
    // One name of two files.
    fs::write(folder.path().join("a.csv"), "1,2\n3,5\n").unwrap();
    let error = SubjectSet::load_folder(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("a.npy: expected another name or file than") && error.contains("a.csv"),
        "{error}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_recording_whose_name_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let put =
        |name: &[u8]| fs::write(folder.path().join(std::ffi::OsStr::from_bytes(name)), "1,2\n3,5\n").unwrap();
    put(b"a.csv");
    put(b"notes-\xff.txt");
    SubjectSet::load_folder(folder.path()).unwrap();
    put(b"sub-\xff.csv");
    let error = SubjectSet::load_folder(folder.path()).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("sub-\u{fffd}.csv: name: expected a name of UTF-8"),
        "{error}"
    );
}

/// Written and read tables are the same, whatever is in a name.
#[test]
fn tables_are_written_as_they_are_read() {
    let text =
        "name,hemisphere,network,cortical,x,y,z\n\"A, \"\"b\"\"\",L,p q,1,-1.25,0.1,7\nC,other,r,0,1,2,3\n";
    let read = table("a.csv", text).unwrap();
    assert_eq!(read.to_csv(false), text);
    let tokens = read.to_csv(true);
    assert!(tokens.starts_with("token,name,") && tokens.contains("\n1,C,other,r,0,1,2,3\n"), "{tokens}");
    let numbered = RegionTable::numbered(12);
    assert_eq!((numbered.names[0].as_str(), numbered.to_csv(true).lines().count()), ("parcel-01", 13));
}

fn small() -> StandInConfig {
    StandInConfig { pairs: 6, inner_pairs: 1, subjects: 2, frames: 200, ..StandInConfig::default() }
}

#[test]
fn the_stand_in_is_mirrored_and_of_its_seed() {
    let streams = Streams::new(1);
    let set = stand_in(&small(), &streams).unwrap();
    assert_eq!(set, stand_in(&small(), &streams).unwrap());
    assert_ne!(set.sha256(), stand_in(&small(), &Streams::new(2)).unwrap().sha256());
    let regions = set.regions().unwrap();
    assert_eq!(regions.names[..3], ["P01_L", "P01_R", "P02_L"]);
    let places = regions.coordinates.as_ref().unwrap();
    for (region, partner) in regions.partners().into_iter().enumerate() {
        let partner = partner.unwrap();
        assert_eq!(partner, region ^ 1);
        let (one, other) = (places.row(region), places.row(partner));
        assert_eq!([-one[0], one[1], one[2]], [other[0], other[1], other[2]]);
        assert_eq!(one[0] < 0.0, regions.hemispheres[region] == Hemisphere::Left);
    }
    let cortical = regions.cortical.as_ref().unwrap();
    assert_eq!(cortical.iter().filter(|flag| !**flag).count(), 2);
    // A further subject changes none of the others, and longer recordings begin alike.
    let more = stand_in(&StandInConfig { subjects: 3, ..small() }, &streams).unwrap();
    assert_eq!(more.subjects()[..2], set.subjects()[..]);
}

#[test]
fn a_written_set_is_the_one_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let set = stand_in(&small(), &Streams::new(3)).unwrap();
    set.save(folder.path()).unwrap();
    let read = SubjectSet::load_folder(folder.path()).unwrap();
    assert_eq!((read.sha256(), &read), (set.sha256(), &set));
    assert!(read.is_synthetic(), "what is made up stays so in a folder");
    // Places are part of what the data are.
    fs::write(folder.path().join(REGIONS), RegionTable::numbered(12).to_csv(false)).unwrap();
    assert_ne!(SubjectSet::load_folder(folder.path()).unwrap().sha256(), set.sha256());
}

/// Of independent noise nothing can be predicted, and nothing is said of places; of a wave that all share, everything.
#[test]
fn statistics_of_noise_and_of_one_wave() {
    let set = |share: f64| {
        let series = |subject: usize| {
            let mut rng = Streams::new(9).rng_at(Stream::Data, subject as u64);
            Array2::from_shape_fn((600, 8), |(frame, _)| {
                rng.random::<f64>() + share * (frame as f64 * 0.3 + subject as f64).sin()
            })
        };
        let subject = |number: usize| Subject { name: format!("s{number}"), series: series(number) };
        let mut regions = RegionTable::named((0..8).map(|node| format!("r{node}")).collect());
        regions.coordinates = Some(Array2::from_shape_fn((8, 1), |(node, _)| node as f64));
        SubjectSet::new((0..3).map(subject).collect(), Some(regions), None).unwrap()
    };
    let r2 = |share: f64| {
        let stats = set(share).stats(&Streams::new(1)).unwrap();
        let of = |name: &str| stats.one_masked.iter().find(|row| row.predictor == name).unwrap().r2.unwrap();
        (of("ridge-all-others"), of("visible-mean"), stats.distance_correlation[0].raw.unwrap())
    };
    let (ridge, mean, distance) = r2(0.0);
    assert!(ridge.abs() < 0.1 && mean < 0.1 && distance.abs() < 0.6, "{ridge} {mean} {distance}");
    let (ridge, mean, _) = r2(50.0);
    assert!(ridge > 0.99 && mean > 0.99, "{ridge} {mean}");
}
