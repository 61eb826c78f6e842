//! Tables from files, as NumPy 2.4.6 writes them (`tests/fixtures/tables`) and as other tools do.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use ndarray::{Array2, array};
use probe::io::{TablePath, write_npy};
use safetensors::tensor::{Dtype, TensorView, serialize};

fn fixture(name: &str) -> TablePath {
    TablePath::file(format!("{}/tests/fixtures/tables/{name}", env!("CARGO_MANIFEST_DIR")))
}

/// The table of `make_tables.py`.
fn expected() -> Array2<f64> {
    Array2::from_shape_fn((5, 3), |(i, j)| i as f64 - 2.0 * j as f64 + 0.5)
}

#[test]
fn numpy_files_read_as_numpy_wrote_them() {
    for name in ["f8.npy", "f4-fortran.npy", "f8-big-endian.npy", "f2.npy", "leading-ones.npy"] {
        assert_eq!(fixture(name).read().unwrap().values, expected(), "{name}");
    }
    assert_eq!(fixture("i8.npy").read().unwrap().values, expected() - 0.5);
    let positive = expected().mapv(|v| f64::from(u8::from(v > 0.0)));
    assert_eq!(fixture("bool.npy").read().unwrap().values, positive);
    let vector = fixture("u1-vector.npy").read().unwrap();
    assert_eq!((vector.values.dim(), vector.values[[6, 0]]), ((7, 1), 6.0));
    assert_eq!(vector.stored, "u8 [7]");
}

#[test]
fn archives_hold_arrays_by_name() {
    let named = fixture("stored.npz").named("second").read().unwrap();
    assert_eq!(named.values, expected().t());
    let only = fixture("deflated.npz").read().unwrap();
    assert_eq!((only.values.dim(), only.source.name.as_deref()), ((200, 3), Some("only")));
    let arrays = fixture("stored.npz").arrays().unwrap();
    let listed: Vec<_> = arrays.iter().map(|array| (array.name.as_str(), array.shape.as_slice())).collect();
    assert_eq!(listed, [("first", [5, 3].as_slice()), ("second", [3, 5].as_slice())]);
}

#[test]
fn what_is_written_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    for table in [
        expected(),
        array![[f64::NAN.copysign(1.0), -0.0, 1e-300]],
        Array2::zeros((0, 3)),
        Array2::zeros((900, 7)),
    ] {
        let path = dir.path().join("x.npy");
        write_npy(&path, table.view()).unwrap();
        let read = TablePath::file(&path).read().unwrap().values;
        assert_eq!(read.dim(), table.dim());
        assert!(read.iter().zip(&table).all(|(a, b)| a.to_bits() == b.to_bits()));
        // NumPy asks for data that start at a multiple of 64.
        assert_eq!((std::fs::metadata(&path).unwrap().len() as usize - table.len() * 8) % 64, 0);
    }
}

fn safetensors(dir: &Path, tensors: &[(&str, Dtype, Vec<usize>, Vec<u8>)]) -> PathBuf {
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        ((*name).to_owned(), TensorView::new(*dtype, shape.clone(), bytes).unwrap())
    });
    let path = dir.join("model.safetensors");
    std::fs::write(&path, serialize(views, None::<HashMap<String, String>>).unwrap()).unwrap();
    path
}

#[test]
fn safetensors_of_every_float_read() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = |kind: Dtype| -> Vec<u8> {
        let value = |v: &f64| match kind {
            Dtype::F16 => f16::from_f64(*v).to_le_bytes().to_vec(),
            Dtype::BF16 => bf16::from_f64(*v).to_le_bytes().to_vec(),
            Dtype::F32 => (*v as f32).to_le_bytes().to_vec(),
            _ => v.to_le_bytes().to_vec(),
        };
        expected().iter().flat_map(value).collect()
    };
    let kinds = [("a", Dtype::F16), ("b", Dtype::BF16), ("c", Dtype::F32), ("d", Dtype::F64)];
    let mut tensors: Vec<_> = kinds.map(|(name, kind)| (name, kind, vec![1, 5, 3], bytes(kind))).to_vec();
    tensors.push(("index", Dtype::I64, vec![2], [3i64, -4].iter().flat_map(|v| v.to_le_bytes()).collect()));
    let path = safetensors(dir.path(), &tensors);
    for (name, _) in kinds {
        assert_eq!(TablePath::file(&path).named(name).read().unwrap().values, expected(), "{name}");
    }
    assert_eq!(TablePath::file(&path).named("index").read().unwrap().values, array![[3.0], [-4.0]]);
    assert_eq!(TablePath::file(&path).arrays().unwrap().len(), 5);
}

#[test]
fn text_may_have_a_head_and_labels() {
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        TablePath::file(dir.path().join(name)).read()
    };
    let plain = read("a.csv", "1,2\n3,4.5\n").unwrap();
    assert_eq!((plain.values, plain.labels, plain.columns), (array![[1.0, 2.0], [3.0, 4.5]], None, None));
    let full = read("b.csv", "region,x,y\n# a comment\nleft, 1, -2e3\nright, 3, 4\n").unwrap();
    assert_eq!(full.values, array![[1.0, -2000.0], [3.0, 4.0]]);
    assert_eq!(full.labels.unwrap(), ["left", "right"]);
    assert_eq!(full.columns.unwrap(), ["x", "y"]);
    assert_eq!(read("c.tsv", "1\t2\n").unwrap().values, array![[1.0, 2.0]]);
    for (text, words) in [
        ("1,2\n3\n", ["line 2", "2 cells"]),
        ("1,2\n3,x\n", ["line 2, column 2", "`x`"]),
        ("x,y\n", ["at least one", "none"]),
        ("", ["at least one", "none"]),
    ] {
        let error = read("d.csv", text).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

/// A first column without a name in the head is an index: of names, or of a count that names nothing.
#[test]
fn a_column_without_a_name_is_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        std::fs::write(dir.path().join("a.csv"), text).unwrap();
        TablePath::file(dir.path().join("a.csv")).read().unwrap()
    };
    for (index, labels) in
        [(["0", "1"], None), (["1", "2"], None), (["7", "3"], Some(vec!["7".to_owned(), "3".into()]))]
    {
        let table = read(&format!(",x,y\n{},1.5,2\n{},3,4\n", index[0], index[1]));
        assert_eq!((table.values, table.labels), (array![[1.5, 2.0], [3.0, 4.0]], labels));
        assert_eq!(table.columns.unwrap(), ["x", "y"]);
    }
}

/// A line that counts columns may be a head or an observation: neither is guessed. Distances on a line begin so, too.
#[test]
fn a_head_of_numbers_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let write = |text: &str| {
        std::fs::write(dir.path().join("a.csv"), text).unwrap();
        TablePath::file(dir.path().join("a.csv"))
    };
    refused(
        &write("0,1,2\n0.5,0.1,0.2\n"),
        &["line 1", "got 0 to 2", "numbers of columns", "remove the line"],
    );
    refused(&write("1,2,3\n0.5,0.1,0.2\n"), &["got 1 to 3", "names of the columns"]);
    refused(&write(",0,1,2\n0,0.5,0.1,0.2\n"), &["an empty cell and 0 to 2", "index=False"]);
    for (text, first) in [
        ("0,1\n3,4\n", 0.0),
        ("0,1,2\n1,0,1\n2,1,0\n", 0.0),
        ("a,b,c\n0,1,2\n5,6,7\n", 0.0),
        ("1,2,4\n3,4,5\n", 1.0),
        ("0,1,2\n", 0.0),
    ] {
        assert_eq!(write(text).read().unwrap().values[[0, 0]], first, "{text}");
    }
}

#[test]
fn other_separators_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for (text, words) in [
        ("x;y\n1;2\n3;4\n", ["`1;2`", "semicolons"]),
        ("1,5;2,5\n3,5;4,5\n", ["`5;2`", "semicolons"]),
        ("1 2 3\n4 5 6\n", ["`4 5 6`", "spaces"]),
        ("1\t2\n3\t4\n", ["with", "tabs"]),
    ] {
        let path = dir.path().join("a.csv");
        std::fs::write(&path, text).unwrap();
        refused(&TablePath::file(path), &[words[0], words[1], "separated by commas (.csv) or tabs (.tsv)"]);
    }
}

/// Each refusal is one line that names the file, what was expected, what was got, and what to do.
fn refused(path: &TablePath, words: &[&str]) {
    let error = path.read().unwrap_err().to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    for word in ["expected", "got", ";"].iter().chain(words) {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn what_is_no_table_is_refused() {
    refused(&fixture("cube.npy"), &["2 dimensions", "[2, 3, 4]"]);
    refused(&fixture("text.npy"), &["<U1", "astype"]);
    refused(&fixture("nothing.npy"), &["nothing.npy"]);
    refused(&fixture("stored.npz"), &["first, second", "FILE::NAME"]);
    refused(&fixture("stored.npz").named("third"), &["`third`", "first, second"]);
    refused(&fixture("f8.npy").named("x"), &["name"]);
    refused(&TablePath::file("model.bin"), &[".bin", ".safetensors"]);
    let table = TablePath::file("x::y.npy");
    assert_eq!(table.to_string().parse::<TablePath>().unwrap().name.as_deref(), Some("y.npy"));
}

/// A header that promises more than there is must not make the reader allocate it.
#[test]
fn damaged_files_are_refused_before_anything_is_allocated() {
    let dir = tempfile::tempdir().unwrap();
    let whole = std::fs::read(&fixture("f8.npy").path).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.path().join(name), bytes).unwrap();
        TablePath::file(dir.path().join(name))
    };
    refused(&write("cut.npy", &whole[..whole.len() - 1]), &["120 bytes", "119"]);
    refused(&write("long.npy", &[&whole[..], &[0]].concat()), &["121"]);
    refused(&write("none.npy", b""), &["header"]);
    refused(&write("magic.npy", b"not a numpy file at all"), &["header"]);
    let lies = |shape: &str| {
        let text = String::from_utf8_lossy(&whole[10..128]).replace("(5, 3)", shape);
        [&whole[..10], &text.as_bytes()[..118], &whole[128..]].concat()
    };
    refused(&write("huge.npy", &lies("(99999999999, 3)")), &["bytes"]);
    refused(&write("overflow.npy", &lies("(9999999999999999, 9999999999999999)")), &["more than memory"]);
    refused(&write("negative.npy", &lies("(-5, 3)")), &["header"]);

    let path = safetensors(dir.path(), &[("x", Dtype::F32, vec![2, 2], vec![0; 16])]);
    let bytes = std::fs::read(&path).unwrap();
    refused(&write("cut.safetensors", &bytes[..bytes.len() - 1]), &["promises"]);
    refused(&write("head.safetensors", &bytes[..4]), &["fewer than 8"]);
    refused(&write("length.safetensors", &[&u64::MAX.to_le_bytes(), &bytes[8..]].concat()), &["header of"]);
    refused(&write("zip.npz", &whole), &["archive"]);
}

#[test]
fn a_table_with_nan_is_refused_by_place_where_it_must_be_finite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.csv");
    std::fs::write(&path, "1,2\n3,nan\n").unwrap();
    let error = TablePath::file(&path).read().unwrap().finite().unwrap_err().to_string();
    assert!(error.contains("row 1, column 1") && error.contains("x.csv"), "{error}");
}
