//! gzip streams of several members, as `bgzip`, `pigz` and `cat a.gz b.gz` write them.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses all members of a stream, one after the other, and checks the length and the checksum of each.
///
/// Zero bytes after the last member are padding; anything else there is an error.
pub(super) struct Members<R: BufRead> {
    state: State<R>,
}

enum State<R: BufRead> {
    /// Boxed: the decoder's buffers are large.
    Inside(Box<GzDecoder<R>>),
    Done,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(stream: R) -> Self {
        Members { state: State::Inside(Box::new(GzDecoder::new(stream))) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let State::Inside(decoder) = &mut self.state else { return Ok(0) };
            let read = decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let State::Inside(decoder) = std::mem::replace(&mut self.state, State::Done) else {
                return Ok(0);
            };
            let mut stream = decoder.into_inner();
            if another_member(&mut stream)? {
                self.state = State::Inside(Box::new(GzDecoder::new(stream)));
            }
        }
    }
}

/// Skips padding. Whether a member follows.
fn another_member(stream: &mut impl BufRead) -> io::Result<bool> {
    let mut padded = false;
    loop {
        let buffer = stream.fill_buf()?;
        let Some(&first) = buffer.first() else { return Ok(false) };
        if first == 0x1f && !padded {
            return Ok(true);
        }
        let zeros = buffer.iter().take_while(|byte| **byte == 0).count();
        if zeros == 0 {
            let message = "other bytes after the last gzip member";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        padded = true;
        stream.consume(zeros);
    }
}
