//! The numbers of a file, one frame at a time.

use super::header::Header;
use crate::fmri::error::Result;
use crate::fmri::source::Source;

/// How many bytes are decoded at once; a multiple of the size of every type.
const CHUNK: usize = 1 << 16;

/// Reads frame after frame: memory for one, however many there are.
pub struct Frames {
    source: Source<'static>,
    header: Header,
    /// Numbers not yet read.
    left: usize,
    chunk: Vec<u8>,
}

impl Frames {
    /// `source` stands where the numbers begin.
    pub(super) fn new(source: Source<'static>, header: Header) -> Self {
        let left = header.frames() * header.frame_len();
        Frames { source, header, left, chunk: vec![0; CHUNK] }
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The path of the file of the numbers.
    pub fn path(&self) -> &std::path::Path {
        self.source.path()
    }

    /// Replaces the content of `frame` by the next frame, `[i + nx (j + ny k)]`, scaled. False behind the last one.
    ///
    /// # Errors
    /// If the file ends early or is damaged: nothing is filled in.
    pub fn next_frame(&mut self, frame: &mut Vec<f64>) -> Result<bool> {
        self.next_run(self.header.frame_len(), frame)
    }

    /// The next `length` numbers in the order of the file; that many times a whole number are all there are.
    ///
    /// With the last of them the checksum of a compressed file is checked.
    pub(crate) fn next_run(&mut self, length: usize, run: &mut Vec<f64>) -> Result<bool> {
        run.clear();
        if self.left == 0 {
            return Ok(false);
        }
        let scaling = self.header.scaling.map_or((1.0, 0.0), |scaling| (scaling.slope, scaling.intercept));
        let mut bytes = length * self.header.datatype.size();
        while bytes > 0 {
            let Some(chunk) = self.chunk.get_mut(..bytes.min(CHUNK)) else { break };
            self.source.fill(chunk, "data")?;
            // Grows with what was read, not with what the header promises.
            self.header.datatype.decode(chunk, self.header.byte_order, scaling, run);
            bytes -= chunk.len();
        }
        self.left = self.left.saturating_sub(length);
        if self.left == 0 {
            self.source.finish()?;
        }
        Ok(true)
    }
}
