//! Compresses whole members, and members with a constant start.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};

use super::zip::{self, Member, Method, Sizes};

/// Fast rather than small: the prompt, the largest part of a sample, is compressed only once.
const LEVEL: i32 = 1;
/// For data that is compressed once and written often.
const BEST: i32 = 9;
/// Raw bytes, no zlib header.
const RAW: i32 = -15;

/// A reusable compressor.
pub(super) struct Deflate {
    state: Box<CompressorOxide>,
}

/// What follows the compressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing.
    End,
    /// More data, compressed independently.
    More,
}

impl Deflate {
    pub(super) fn new() -> Self {
        Self::with_level(LEVEL)
    }

    /// For data that is compressed once and written often.
    pub(super) fn best() -> Self {
        Self::with_level(BEST)
    }

    fn with_level(level: i32) -> Self {
        let flags = create_comp_flags_from_zip_params(level, RAW, 0);
        Self { state: Box::new(CompressorOxide::new(flags)) }
    }

    /// Appends the deflated form of some content.
    pub(super) fn append(&mut self, content: &[u8], then: Then, out: &mut Vec<u8>) {
        self.state.reset();
        let flush = match then {
            Then::End => TDEFLFlush::Finish,
            // Ends on a byte boundary, and later data does not refer back to it.
            Then::More => TDEFLFlush::Full,
        };
        let (status, _) = compress_to_output(&mut self.state, content, flush, |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            true
        });
        debug_assert!(matches!(status, TDEFLStatus::Done | TDEFLStatus::Okay));
    }
}

/// Writes the header and bytes of a small member to `out`.
pub(super) fn pack(deflate: &mut Deflate, name: &str, content: &[u8], out: &mut Vec<u8>) -> Member {
    let mut deflated = Vec::new();
    deflate.append(content, Then::End, &mut deflated);
    let member = Member {
        name: name.to_owned(),
        method: Method::Deflate,
        crc: crc32fast::hash(content),
        compressed: deflated.len() as u64,
        size: content.len() as u64,
        offset: 0,
    };
    zip::local_header(out, &member, Sizes::Narrow);
    out.extend_from_slice(&deflated);
    member
}

#[cfg(test)]
mod tests {
    use super::{Deflate, Then};

    #[test]
    fn parts_compressed_separately_form_one_stream() {
        let (first, second) = ("always the same ".repeat(3000), "different ".repeat(7));
        let mut bytes = Vec::new();
        Deflate::best().append(first.as_bytes(), Then::More, &mut bytes);
        let mut each_time = Deflate::new();
        for _ in 0..2 {
            let mut bytes = bytes.clone();
            each_time.append(second.as_bytes(), Then::End, &mut bytes);
            let content = miniz_oxide::inflate::decompress_to_vec(&bytes).ok();
            assert_eq!(content, Some((first.clone() + &second).into_bytes()));
        }
    }
}
