//! A set of subjects as a folder of plain files, which `load_folder` reads.

use std::fs;
use std::path::Path;

use super::{DESCRIPTION, Description, REGIONS, SubjectSet};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::series::NpzArray;
use crate::write_whole;

impl SubjectSet {
    /// The files of this set, names and contents: `NAME.npy` of each subject (`[frames, parcels]`, double precision),
    /// [`REGIONS`] where parcels are known, and [`DESCRIPTION`], which is the last.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let array = |subject: &super::Subject| {
            let bytes = NpzArray::Matrix(subject.series.view()).npy_bytes();
            (format!("{}.npy", subject.name), bytes)
        };
        let mut files: Vec<(String, Vec<u8>)> = self.subjects().iter().map(array).collect();
        files.extend(self.regions().map(|regions| (REGIONS.to_owned(), regions.to_csv(false).into_bytes())));
        let description = Description {
            repetition_time: self.repetition_time(),
            synthetic: self.is_synthetic(),
            ..Description::default()
        };
        // A description is plain data: writing it to memory cannot fail.
        let mut json = serde_json::to_vec_pretty(&description).unwrap_or_default();
        json.push(b'\n');
        files.push((DESCRIPTION.to_owned(), json));
        files
    }

    /// Writes [the files](SubjectSet::files), each under a temporary name that is then replaced; creates the folder.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)
            .map_err(|problem| FmriError::Write { path: folder.to_owned(), problem })?;
        for (name, bytes) in self.files() {
            let path = folder.join(name);
            write_whole(&path, &bytes).map_err(|problem| FmriError::Write { path, problem })?;
        }
        Ok(())
    }
}
