//! `tensors.safetensors`: encoding tables, attention maps, coordinates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ndarray::{Array2, Array3};
use safetensors::{Dtype, SafeTensors};

use super::{InputError, Truth, check_schema, read_bytes};

/// One encoding table before and after training.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// `block-<b>`, or `shared`.
    pub name: String,
    /// [tokens, width] before training.
    pub init: Array2<f64>,
    /// [tokens, width] after training.
    pub last: Array2<f64>,
}

/// Tables at a time on the way: its name (`epoch-<n>`), and each table [tokens, width] by block.
pub type Snapshot = (String, BTreeMap<String, Array2<f64>>);

/// The tensors of a run, widened to f64.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensors {
    /// Encoding tables by block; none where the encoding adds nothing to the tokens.
    pub tables: Vec<Table>,
    /// Tables on the way, epochs rising; only blocks in `tables`, and of the same shape.
    pub snapshots: Vec<Snapshot>,
    /// Attention weights [heads, queries, keys] by block.
    pub attention: Vec<(String, Array3<f64>)>,
    /// Ground-truth coordinates [tokens, axes].
    pub coords: Array2<f64>,
    /// What else is known of the truth.
    pub truth: Truth,
    /// Answers to the generalization items, where they were written.
    pub answers: Option<Answers>,
}

/// Which items were answered right, and what unit each belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// 1 or 0 by item.
    pub correct: Vec<f64>,
    /// A number by item.
    pub units: Vec<u64>,
}

impl Tensors {
    pub(crate) fn read(path: &Path) -> Result<Self, InputError> {
        let bytes = read_bytes(path)?;
        let file = File::open(path, &bytes)?;
        let coords = file.matrix("coords")?;
        let tokens = coords.nrows();
        let mut tables = Vec::new();
        for name in file.named("pe.final.", "pe.init.") {
            let [init, last] = ["init", "final"].map(|when| file.matrix(&format!("pe.{when}.{name}")));
            let table = Table { init: init?, last: last?, name };
            let shape = |x: &Array2<f64>| format!("{:?}", x.shape());
            file.same(&format!("pe.init.{}", table.name), &shape(&table.last), &shape(&table.init))?;
            file.same(
                &format!("pe.final.{}, rows", table.name),
                &format!("{tokens}, as in coords"),
                &format!(
                    "{}{}",
                    table.last.nrows(),
                    if table.last.nrows() == tokens { ", as in coords" } else { "" }
                ),
            )?;
            tables.push(table);
        }
        let snapshots = file.snapshots(&tables)?;
        let mut attention = Vec::new();
        for name in file.named("attention.final.", "attention.final.") {
            let tensor = format!("attention.final.{name}");
            let map = file.cube(&tensor)?;
            let (heads, queries, keys) = map.dim();
            file.same(
                &tensor,
                &format!("[heads, {tokens}, {tokens}]"),
                &format!("[heads, {queries}, {keys}]"),
            )?;
            if heads == 0 {
                return Err(file.wrong(&tensor, "at least one head", "none"));
            }
            attention.push((name, map));
        }
        let truth = Truth::read(&file, coords.view())?;
        let answers = file.answers()?;
        Ok(Self { tables, snapshots, attention, coords, truth, answers })
    }
}

pub(super) struct File<'a> {
    path: PathBuf,
    tensors: SafeTensors<'a>,
}

impl<'a> File<'a> {
    fn open(path: &Path, bytes: &'a [u8]) -> Result<Self, InputError> {
        let broken = |error: safetensors::SafeTensorError| InputError::Value {
            path: path.to_owned(),
            place: format!("{} bytes", bytes.len()),
            expected: "a whole safetensors file".into(),
            got: error.to_string(),
            remedy: "the file is damaged or cut short: run the training again".into(),
        };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let schema = header.metadata().as_ref().and_then(|metadata| metadata.get("schema")).cloned();
        check_schema(path, schema)?;
        Ok(Self { path: path.to_owned(), tensors: SafeTensors::deserialize(bytes).map_err(broken)? })
    }

    /// What follows either prefix, blocks by number.
    fn named(&self, first: &str, second: &str) -> Vec<String> {
        let number = |name: &str| name.strip_prefix("block-").and_then(|n| n.parse::<u64>().ok());
        let named: BTreeMap<_, String> = self
            .tensors
            .names()
            .into_iter()
            .filter_map(|name| name.strip_prefix(first).or_else(|| name.strip_prefix(second)))
            .map(|name| ((number(name), name), name.to_owned()))
            .collect();
        named.into_values().collect()
    }

    fn answers(&self) -> Result<Option<Answers>, InputError> {
        const CORRECT: &str = "generalization.correct";
        const UNIT: &str = "generalization.unit";
        if !self.tensors.names().contains(&CORRECT) {
            return Ok(None);
        }
        let ((_, correct), (_, units)) = (self.values(CORRECT)?, self.values(UNIT)?);
        self.same(UNIT, &format!("{} items", correct.len()), &format!("{} items", units.len()))?;
        if let Some(got) = correct.iter().find(|value| **value != 0.0 && **value != 1.0) {
            return Err(self.wrong(CORRECT, "0 or 1", &got.to_string()));
        }
        if let Some(got) = units.iter().find(|value| **value < 0.0 || value.fract() != 0.0) {
            return Err(self.wrong(UNIT, "whole numbers", &got.to_string()));
        }
        Ok(Some(Answers { correct, units: units.into_iter().map(|unit| unit as u64).collect() }))
    }

    /// `pe.epoch-<n>.TABLE` by epoch.
    fn snapshots(&self, tables: &[Table]) -> Result<Vec<Snapshot>, InputError> {
        let epoch_of = |name: &str| name.strip_prefix("pe.epoch-")?.split_once('.')?.0.parse::<u64>().ok();
        let epochs: BTreeSet<u64> = self.tensors.names().into_iter().filter_map(epoch_of).collect();
        let mut snapshots = Vec::new();
        for epoch in epochs {
            let prefix = format!("pe.epoch-{epoch}.");
            let mut blocks = BTreeMap::new();
            for name in self.named(&prefix, &prefix) {
                let Some(table) = tables.iter().find(|table| table.name == name) else { continue };
                let (full, shape) = (format!("{prefix}{name}"), |x: &Array2<f64>| format!("{:?}", x.shape()));
                let snapshot = self.matrix(&full)?;
                self.same(&full, &shape(&table.last), &shape(&snapshot))?;
                blocks.insert(name, snapshot);
            }
            snapshots.push((format!("epoch-{epoch}"), blocks));
        }
        Ok(snapshots)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.names().contains(&name)
    }

    pub(super) fn vector(&self, name: &str) -> Result<Vec<f64>, InputError> {
        let (shape, values) = self.values(name)?;
        self.same(
            name,
            "1 dimension",
            &format!("{} dimension{}", shape.len(), if shape.len() == 1 { "" } else { "s" }),
        )?;
        Ok(values)
    }

    pub(super) fn matrix(&self, name: &str) -> Result<Array2<f64>, InputError> {
        let (shape, values) = self.values(name)?;
        let [rows, columns] = shape[..] else {
            return Err(self.wrong(name, "2 dimensions", &format!("{shape:?}")));
        };
        Array2::from_shape_vec((rows, columns), values)
            .map_err(|error| self.wrong(name, "a full matrix", &error.to_string()))
    }

    fn cube(&self, name: &str) -> Result<Array3<f64>, InputError> {
        let (shape, values) = self.values(name)?;
        let [a, b, c] = shape[..] else {
            return Err(self.wrong(name, "3 dimensions", &format!("{shape:?}")));
        };
        Array3::from_shape_vec((a, b, c), values)
            .map_err(|error| self.wrong(name, "a full array", &error.to_string()))
    }

    fn values(&self, name: &str) -> Result<(Vec<usize>, Vec<f64>), InputError> {
        let view = self.tensors.tensor(name).map_err(|_| self.wrong(name, "a tensor", "none"))?;
        if view.dtype() != Dtype::F32 {
            return Err(self.wrong(name, "f32", &format!("{:?}", view.dtype())));
        }
        let values: Vec<f64> = view
            .data()
            .chunks_exact(4)
            .map(|bytes| f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
            .collect();
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => {
                Err(self.wrong(&format!("{name}, element {at}"), "a finite number", &values[at].to_string()))
            }
            None => Ok((view.shape().to_vec(), values)),
        }
    }

    pub(super) fn same(&self, place: &str, expected: &str, got: &str) -> Result<(), InputError> {
        if expected == got { Ok(()) } else { Err(self.wrong(place, expected, got)) }
    }

    pub(super) fn wrong(&self, place: &str, expected: &str, got: &str) -> InputError {
        InputError::Value {
            path: self.path.clone(),
            place: place.to_owned(),
            expected: expected.to_owned(),
            got: got.to_owned(),
            remedy: "write the tensors as docs/run-directory.md says, or run the training again".into(),
        }
    }
}
