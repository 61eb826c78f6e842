//! The bytes of a file, decompressed if they are gzip.

mod gzip;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use gzip::Members;

use super::error::{FmriError, Result};

/// Deflate cannot make more of a byte than this many (two bits for 258).
pub(crate) const LARGEST_EXPANSION: u64 = 1032;

/// How much is read at once.
const BUFFER: usize = 1 << 16;

/// A file that is read once, from its beginning to its end.
pub(crate) struct Source<'a> {
    path: PathBuf,
    reader: Box<dyn Read + 'a>,
    position: u64,
    capacity: u64,
}

impl<'a> Source<'a> {
    /// Opens a file; whether it is gzip is told by its first two bytes, not by its name.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let failed = |problem| FmriError::Read { path: path.to_owned(), problem };
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let length = metadata.len();
        let mut magic = [0; 2];
        let is_gzip = length >= 2 && {
            file.read_exact(&mut magic).map_err(failed)?;
            file.rewind().map_err(failed)?;
            magic == [0x1f, 0x8b]
        };
        let buffered = BufReader::with_capacity(BUFFER, file);
        let (reader, capacity): (Box<dyn Read>, u64) = if is_gzip {
            (Box::new(Members::new(buffered)), length.saturating_mul(LARGEST_EXPANSION))
        } else {
            (Box::new(buffered), length)
        };
        Ok(Source { path: path.to_owned(), reader, position: 0, capacity })
    }

    /// A part of a file, of at most `capacity` bytes.
    pub(crate) fn part(path: &Path, reader: impl Read + 'a, capacity: u64) -> Self {
        Source { path: path.to_owned(), reader: Box::new(reader), position: 0, capacity }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The most bytes that can be in it. Exact for a plain file.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Fills the buffer, or says of which part the bytes are missing.
    pub(crate) fn fill(&mut self, buffer: &mut [u8], part: &str) -> Result<()> {
        self.reader.read_exact(buffer).map_err(|problem| FmriError::reading(&self.path, part, problem))?;
        self.position += buffer.len() as u64;
        Ok(())
    }

    /// That many bytes. What is allocated grows with what has been read, so that a false length costs nothing.
    pub(crate) fn take(&mut self, length: u64, part: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(length).read_to_end(&mut bytes);
        read.map_err(|problem| FmriError::reading(&self.path, part, problem))?;
        self.position += bytes.len() as u64;
        if (bytes.len() as u64) < length {
            return Err(FmriError::reading(&self.path, part, io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(bytes)
    }

    /// Reads on, to that position.
    pub(crate) fn skip_to(&mut self, position: u64, part: &str) -> Result<()> {
        let wanted = position.saturating_sub(self.position);
        let skipped = io::copy(&mut self.reader.by_ref().take(wanted), &mut io::sink())
            .map_err(|problem| FmriError::reading(&self.path, part, problem))?;
        self.position += skipped;
        if skipped < wanted {
            return Err(FmriError::reading(&self.path, part, io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(())
    }

    /// Reads to the end, so that checksums at the end of gzip members are checked too.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let rest = io::copy(&mut self.reader, &mut io::sink());
        self.position += rest.map_err(|problem| FmriError::reading(&self.path, "end", problem))?;
        Ok(())
    }
}
