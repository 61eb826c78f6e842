//! NumPy's .npz format: a zip archive of .npy files, stored or deflated.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use zip::ZipArchive;

use super::npy::{self, Header};
use super::{ArrayInfo, Loaded, Problem, choose};

type Archive = ZipArchive<BufReader<File>>;

pub(super) fn arrays(path: &Path) -> Result<Vec<ArrayInfo>, Problem> {
    let mut archive = open(path)?;
    let names = names(&archive);
    let shape = |archive: &mut Archive, name: &str| {
        let mut member = archive.by_name(&format!("{name}.npy")).map_err(broken)?;
        Ok::<_, Problem>(Header::read(&mut member)?.0.shape)
    };
    names
        .into_iter()
        .map(|name| Ok(ArrayInfo { shape: shape(&mut archive, &name)?, name }))
        .collect::<Result<_, Problem>>()
}

pub(super) fn read(path: &Path, name: Option<&str>) -> Result<Loaded, Problem> {
    let mut archive = open(path)?;
    let names = names(&archive);
    let name = choose(&names, name)?.to_owned();
    let member = archive.by_name(&format!("{name}.npy")).map_err(broken)?;
    let size = member.size();
    npy::read_array(member, size, Some(name))
}

fn open(path: &Path) -> Result<Archive, Problem> {
    ZipArchive::new(BufReader::new(File::open(path)?)).map_err(broken)
}

fn names(archive: &Archive) -> Vec<String> {
    archive.file_names().filter_map(|name| name.strip_suffix(".npy")).map(str::to_owned).collect()
}

fn broken(error: zip::result::ZipError) -> Problem {
    match error {
        zip::result::ZipError::Io(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => error.into(),
        other => Problem::new(
            "its archive",
            "a whole .npz archive, stored or deflated",
            other.to_string(),
            "save it again with `numpy.savez`",
        ),
    }
}
