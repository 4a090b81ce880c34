//! Decompresses streams.

use std::io::{self, BufRead, Read};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::read::broken;

/// A stream of the content of deflated bytes.
pub(super) struct Inflate<R> {
    bytes: R,
    state: Box<InflateState>,
    end: StreamEnd,
}

#[derive(PartialEq, Eq)]
enum StreamEnd {
    Ahead,
    Reached,
}

impl<R: BufRead> Inflate<R> {
    pub(super) fn new(bytes: R) -> Self {
        Self { bytes, state: InflateState::new_boxed(DataFormat::Raw), end: StreamEnd::Ahead }
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.end == StreamEnd::Ahead && !buffer.is_empty() {
            let input = self.bytes.fill_buf()?;
            let input_ended = input.is_empty();
            let result = inflate(&mut self.state, input, buffer, MZFlush::None);
            self.bytes.consume(result.bytes_consumed);
            match result.status {
                Ok(MZStatus::StreamEnd) => self.end = StreamEnd::Reached,
                // No progress without more input or output space; more input may follow.
                Ok(_) | Err(MZError::Buf) => {}
                Err(_) => return Err(broken("its bytes are damaged")),
            }
            if result.bytes_written > 0 {
                return Ok(result.bytes_written);
            }
            if input_ended && self.end == StreamEnd::Ahead {
                return Err(broken("it is cut off"));
            }
        }
        Ok(0)
    }
}

/// A stream of the content of consecutive Zstandard frames.
pub(super) struct Unzstd<R: BufRead> {
    frame: Option<StreamingDecoder<R, FrameDecoder>>,
}

impl<R: BufRead> Unzstd<R> {
    pub(super) fn new(bytes: R) -> io::Result<Self> {
        Ok(Self { frame: Some(frame(bytes)?) })
    }
}

impl<R: BufRead> Read for Unzstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut current) = self.frame.take() {
            let got = current.read(buffer)?;
            if got > 0 || buffer.is_empty() {
                self.frame = Some(current);
                return Ok(got);
            }
            let mut bytes = current.into_inner();
            if !bytes.fill_buf()?.is_empty() {
                self.frame = Some(frame(bytes)?);
            }
        }
        Ok(0)
    }
}

fn frame<R: BufRead>(bytes: R) -> io::Result<StreamingDecoder<R, FrameDecoder>> {
    StreamingDecoder::new(bytes).map_err(|error| broken(&error.to_string()))
}
