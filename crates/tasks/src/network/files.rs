//! A network as a folder of plain files: `.npy` arrays, which NumPy reads, and a record in JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ndarray::{Array1, Array2};
use ndarray_npy::{ReadNpyError, ReadNpyExt, ReadableElement, WriteNpyExt};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use streams::Streams;

use super::{
    Coupling, Graph, Layout, NetworkConfig, NetworkData, NetworkError, NetworkStats, NetworkWarning,
};
use crate::write_whole;

/// The record: written last, so that a folder that has it is whole.
pub const RECORD: &str = "network.json";

const SCHEMA: u32 = 2;
const COUPLING: &str = "coupling.npy";
const COORDS: &str = "coords.npy";
const PERIODS: &str = "periods.npy";
const MODULES: &str = "modules.npy";

/// What a folder holds and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The version of this form: 2.
    pub schema: u32,
    /// The version of the program that wrote it.
    pub version: String,
    /// The seed of everything random.
    pub streams: Streams,
    /// The settings, defaults filled in.
    pub config: NetworkConfig,
    /// [`NetworkData::sha256`].
    pub sha256: String,
    /// The arrays beside the record.
    pub files: BTreeMap<String, FileRecord>,
    /// The activity in numbers.
    pub stats: NetworkStats,
    /// What speaks against training on it, one line each.
    pub warnings: Vec<String>,
}

/// One array of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRecord {
    /// What it is.
    pub what: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

impl FileRecord {
    fn of(bytes: &[u8], what: &str) -> Self {
        Self { what: what.to_owned(), sha256: format!("{:x}", Sha256::digest(bytes)) }
    }
}

impl NetworkData {
    /// The files of this network, names and contents: `subject-N.npy` (`[frames, nodes]`, single precision),
    /// `coupling.npy` (`[nodes, nodes]`), `coords.npy` (`[nodes, axes]`), `periods.npy` (`[axes]`, if axes are
    /// closed), `modules.npy` (`[nodes]`, if there are modules), and the record, which is the last.
    pub fn files(&self, streams: &Streams) -> Vec<(String, Vec<u8>)> {
        self.files_and_record(streams).0
    }

    fn files_and_record(&self, streams: &Streams) -> (Vec<(String, Vec<u8>)>, Record) {
        let (mut files, mut about) = (Vec::new(), BTreeMap::new());
        let mut add = |name: String, bytes: Vec<u8>, what: &str| {
            about.insert(name.clone(), FileRecord::of(&bytes, what));
            files.push((name, bytes));
        };
        let coupling = npy(&self.graph.coupling().to_dense());
        add(COUPLING.to_owned(), coupling, "W: row i reads from column j; float64");
        if let Some(layout) = self.graph.layout() {
            add(COORDS.to_owned(), npy(layout.coords()), "coordinates of nodes; float64");
            if let Some(periods) = layout.periods() {
                let periods = Array1::from(periods.to_vec());
                add(PERIODS.to_owned(), npy(&periods), "after how much each axis repeats itself; float64");
            }
        }
        if let Some(modules) = self.graph.modules() {
            let modules: Array1<u32> = modules.iter().map(|&module| module as u32).collect();
            add(MODULES.to_owned(), npy(&modules), "module of each node; uint32");
        }
        for (subject, series) in self.series.iter().enumerate() {
            add(subject_file(subject), npy(series), "activity, frames x nodes; float32");
        }
        let record = self.record(streams, about);
        // A record is plain data: writing it to memory cannot fail.
        let mut json = serde_json::to_vec_pretty(&record).unwrap_or_default();
        json.push(b'\n');
        files.push((RECORD.to_owned(), json));
        (files, record)
    }

    fn record(&self, streams: &Streams, files: BTreeMap<String, FileRecord>) -> Record {
        let stats = self.stats();
        let warnings = NetworkWarning::of(&self.config.dynamics, &stats);
        Record {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            streams: streams.clone(),
            config: self.config.clone(),
            sha256: self.sha256(),
            files,
            stats,
            warnings: warnings.iter().map(ToString::to_string).collect(),
        }
    }

    /// Writes [the files](NetworkData::files), each under a temporary name that is then replaced; creates the folder.
    /// `streams` are those that it was generated with.
    ///
    /// # Errors
    /// [`NetworkError::Io`] if writing fails.
    pub fn save(&self, folder: &Path, streams: &Streams) -> Result<Record, NetworkError> {
        let (files, record) = self.files_and_record(streams);
        write_all(folder, &files)?;
        Ok(record)
    }

    /// Reads a folder that was saved, and checks that it is whole.
    ///
    /// # Errors
    /// [`NetworkError::Io`] if a file cannot be read, [`NetworkError::File`] if it is not what the record says.
    pub fn load(folder: &Path) -> Result<(Self, Record), NetworkError> {
        let path = folder.join(RECORD);
        let text = fs::read_to_string(&path).map_err(|problem| NetworkError::reading(&path, problem))?;
        let record: Record = serde_json::from_str(&text)
            .map_err(|problem| wrong(&path, "the record of a network", problem.to_string()))?;
        if record.schema != SCHEMA {
            return Err(wrong(&path, &format!("schema {SCHEMA}"), record.schema.to_string()));
        }
        let arrays = Arrays { folder, listed: &record.files };
        let coupling = Coupling::from_dense(&arrays.matrix(COUPLING)?)
            .map_err(|problem| wrong(&folder.join(COUPLING), "a coupling", problem.to_string()))?;
        let coords = arrays.has(COORDS).then(|| arrays.matrix(COORDS)).transpose()?;
        let periods = arrays.has(PERIODS).then(|| arrays.vector::<f64>(PERIODS)).transpose()?;
        let modules = arrays.has(MODULES).then(|| arrays.vector::<u32>(MODULES)).transpose()?;
        let graph = Graph::from_parts(
            coupling,
            coords.map(|coords| Layout::new(coords, periods)),
            modules.map(|modules| modules.into_iter().map(|module| module as usize).collect()),
        );
        let subjects = 0..record.config.subjects;
        let series = subjects.map(|subject| arrays.matrix(&subject_file(subject)));
        let series = series.collect::<Result<Vec<Array2<f32>>, _>>()?;
        let fits = |nodes: usize| nodes == graph.nodes();
        let same_nodes =
            graph.layout().is_none_or(|layout| fits(layout.coords().nrows()) && layout.is_sound())
                && graph.modules().is_none_or(|modules| fits(modules.len()))
                && series.iter().all(|one| fits(one.ncols()));
        let data = Self { config: record.config.clone(), graph, series };
        if !same_nodes || data.sha256() != record.sha256 {
            let expected = format!("arrays that belong to {RECORD} (SHA-256 {})", record.sha256);
            return Err(wrong(folder, &expected, "others".to_owned()));
        }
        Ok((data, record))
    }
}

/// The arrays that a record lists. Each is read once, and nothing is believed of it, not even its header, before it is
/// known to be the file that was written: the hash of the data says nothing of the coupling, for one.
struct Arrays<'a> {
    folder: &'a Path,
    listed: &'a BTreeMap<String, FileRecord>,
}

impl Arrays<'_> {
    fn has(&self, name: &str) -> bool {
        self.listed.contains_key(name)
    }

    fn matrix<T: ReadableElement>(&self, name: &str) -> Result<Array2<T>, NetworkError> {
        let array = Array2::read_npy(self.bytes(name)?.as_slice());
        array.map_err(|problem| wrong(&self.folder.join(name), "a matrix as .npy", problem.to_string()))
    }

    fn vector<T: ReadableElement>(&self, name: &str) -> Result<Vec<T>, NetworkError> {
        let array = Array1::read_npy(self.bytes(name)?.as_slice());
        let problem =
            |problem: ReadNpyError| wrong(&self.folder.join(name), "a vector as .npy", problem.to_string());
        Ok(array.map_err(problem)?.into_raw_vec_and_offset().0)
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, NetworkError> {
        let listed = self.listed.get(name).ok_or_else(|| {
            wrong(&self.folder.join(RECORD), &format!("the SHA-256 of {name}"), "none".to_owned())
        })?;
        let path = self.folder.join(name);
        let bytes = fs::read(&path).map_err(|problem| NetworkError::reading(&path, problem))?;
        let got = format!("{:x}", Sha256::digest(&bytes));
        if got != listed.sha256 {
            let expected = format!("the file that {RECORD} lists (SHA-256 {})", listed.sha256);
            return Err(wrong(&path, &expected, format!("another ({got})")));
        }
        Ok(bytes)
    }
}

fn subject_file(subject: usize) -> String {
    format!("subject-{subject}.npy")
}

fn npy(array: &impl WriteNpyExt) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail; that the types have a form in the file is known when this is compiled.
    let written = array.write_npy(&mut bytes);
    debug_assert!(written.is_ok());
    bytes
}

fn wrong(path: &Path, expected: &str, got: String) -> NetworkError {
    NetworkError::File { path: path.to_owned(), expected: expected.to_owned(), got }
}

fn write_all(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), NetworkError> {
    fs::create_dir_all(folder).map_err(|problem| NetworkError::writing(folder, problem))?;
    // While files are replaced, no record says that they belong together.
    let record = folder.join(RECORD);
    if record.exists() {
        fs::remove_file(&record).map_err(|problem| NetworkError::writing(&record, problem))?;
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        write_whole(&path, bytes).map_err(|problem| NetworkError::writing(&path, problem))?;
    }
    Ok(())
}
