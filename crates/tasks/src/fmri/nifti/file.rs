//! Opening a file: header, extensions, and the way to its numbers.

use std::path::{Path, PathBuf};

use super::extension::{self, Extension};
use super::frames::Frames;
use super::header::{Header, Storage};
use crate::fmri::affine::Grid;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::source::Source;

/// An opened file, whose numbers are not read yet.
pub struct NiftiFile {
    /// The header.
    pub header: Header,
    /// The blocks between header and numbers.
    pub extensions: Vec<Extension>,
    source: Source<'static>,
}

/// One frame, in memory.
#[derive(Debug, Clone)]
pub struct Volume {
    /// The file.
    pub path: PathBuf,
    /// Shape and place.
    pub grid: Grid,
    /// The values, scaled, `[i + nx (j + ny k)]`.
    pub values: Vec<f64>,
}

impl NiftiFile {
    /// Reads header and extensions. Of a pair, either file can be named.
    ///
    /// # Errors
    /// If a field of the header cannot be, or if it promises more numbers than the file can hold.
    pub fn open(path: &Path) -> Result<Self> {
        let is_image = stem_of(path, "img").is_some() && !path_is_header(path);
        let header_path = if is_image { partner(path, "img", "hdr") } else { None };
        let mut source = Source::open(header_path.as_deref().unwrap_or(path))?;
        let header = Header::read(&mut source)?;
        let extensions = extension::read(&mut source, &header)?;
        if header.storage == Storage::Pair {
            let data = if is_image { Some(path.to_owned()) } else { partner(path, "hdr", "img") };
            let data = data.filter(|data| data.exists()).ok_or_else(|| {
                let expected = "an .img file beside its .hdr file, for this header is that of a pair";
                FmriError::format(path, "magic", expected, "none", "copy the .img file beside it")
            })?;
            source = Source::open(&data)?;
        }
        check_length(&source, &header)?;
        Ok(NiftiFile { header, extensions, source })
    }

    /// The way to the numbers.
    ///
    /// # Errors
    /// If the file ends before them.
    pub fn into_frames(mut self) -> Result<Frames> {
        self.source.skip_to(self.header.data_offset, "vox_offset")?;
        Ok(Frames::new(self.source, self.header))
    }

    /// The numbers of a file of one frame.
    ///
    /// # Errors
    /// If it has several, or is damaged.
    pub fn into_volume(self) -> Result<Volume> {
        let path = self.source.path().to_owned();
        let count = self.header.frames();
        if count != 1 {
            let expected = "one volume";
            let remedy = "give a 3-D image, or take one volume out of this one";
            return Err(FmriError::format(&path, "dim", expected, format!("{count} volumes"), remedy));
        }
        let (grid, mut values) = (self.header.grid, Vec::new());
        self.into_frames()?.next_frame(&mut values)?;
        Ok(Volume { path, grid, values })
    }
}

impl Volume {
    /// Reads a file of one frame.
    ///
    /// # Errors
    /// As [`NiftiFile::open`] and [`NiftiFile::into_volume`].
    pub fn read(path: &Path) -> Result<Self> {
        NiftiFile::open(path)?.into_volume()
    }
}

/// Before anything is allocated: can the file hold what its header promises?
fn check_length(source: &Source, header: &Header) -> Result<()> {
    let needed = header.data_offset.saturating_add(header.data_len());
    if needed <= source.capacity() {
        return Ok(());
    }
    let expected = format!("at least {needed} bytes ({:?} numbers of {})", header.shape, header.datatype);
    let got = format!("at most {}", source.capacity());
    let remedy = "the file is cut off or its header wrong: copy or fetch it again";
    Err(FmriError::format(source.path(), "dim", expected, got, remedy))
}

/// The path without `.EXTENSION` or `.EXTENSION.gz`, and what stood behind the stem.
fn stem_of<'a>(path: &'a Path, extension: &str) -> Option<(&'a str, &'a str)> {
    let name = path.file_name()?.to_str()?;
    let (plain, zipped) = (format!(".{extension}"), format!(".{extension}.gz"));
    let stem = name.strip_suffix(&zipped).or_else(|| name.strip_suffix(&plain))?;
    Some((stem, name.get(stem.len()..)?))
}

/// The other file of a pair, compressed or not; the plain name if neither is there.
fn partner(path: &Path, from: &str, to: &str) -> Option<PathBuf> {
    let (stem, _) = stem_of(path, from)?;
    let names = [format!("{stem}.{to}"), format!("{stem}.{to}.gz")].map(|name| path.with_file_name(name));
    let found = names.iter().find(|name| name.exists()).cloned();
    let [plain, _] = names;
    Some(found.unwrap_or(plain))
}

/// Some programs name a single file `.img`; then its first bytes are a header.
fn path_is_header(path: &Path) -> bool {
    let Ok(mut source) = Source::open(path) else { return false };
    let mut first = [0; 4];
    source.fill(&mut first, "sizeof_hdr").is_ok()
        && super::raw::kind(first).is_some()
        && partner(path, "img", "hdr").is_none_or(|header| !header.exists())
}
