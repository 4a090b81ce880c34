//! The records of an archive, as bytes.

/// How a member is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflate,
    Zstd,
    /// Not supported; Inspect does not use any other method.
    Other(u16),
}

impl Method {
    fn code(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflate => 8,
            Self::Zstd => 93,
            Self::Other(code) => code,
        }
    }

    pub(crate) fn from_code(code: u16) -> Self {
        match code {
            0 => Self::Stored,
            8 => Self::Deflate,
            93 => Self::Zstd,
            other => Self::Other(other),
        }
    }
}

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) method: Method,
    /// CRC-32 of the content.
    pub(crate) crc: u32,
    /// Bytes in the archive.
    pub(crate) compressed: u64,
    /// Bytes of the content.
    pub(crate) size: u64,
    /// The offset of its local header.
    pub(crate) offset: u64,
}

pub(crate) const LOCAL: u32 = 0x0403_4b50;
pub(crate) const ENTRY: u32 = 0x0201_4b50;
pub(crate) const END: u32 = 0x0605_4b50;
pub(crate) const END_64: u32 = 0x0606_4b50;
pub(crate) const LOCATOR_64: u32 = 0x0706_4b50;

/// A field with this value is too large for 32 bits; the real value is in an extra field.
pub(crate) const ELSEWHERE: u32 = u32::MAX;
/// The extra field for 64-bit values.
pub(crate) const EXTRA_64: u16 = 1;

const NAMES_ARE_UTF8: u16 = 1 << 11;
/// 1980-01-01. Members have a fixed time, so that equal content gives equal bytes.
const DATE: u16 = 0x21;

/// The record before a member's bytes. Its length depends only on the name, so that sizes can be written
/// later.
pub(crate) fn local_header(out: &mut Vec<u8>, member: &Member, sizes: Sizes) {
    let wide = sizes == Sizes::Wide;
    let in_field = |value: u64| if wide { ELSEWHERE } else { narrow(value) };
    put32(out, LOCAL);
    put16(out, if wide { 45 } else { 20 });
    put16(out, NAMES_ARE_UTF8);
    put16(out, member.method.code());
    put16(out, 0);
    put16(out, DATE);
    put32(out, member.crc);
    put32(out, in_field(member.compressed));
    put32(out, in_field(member.size));
    put16(out, name_length(member));
    put16(out, if wide { 20 } else { 0 });
    out.extend_from_slice(member.name.as_bytes());
    if wide {
        put16(out, EXTRA_64);
        put16(out, 16);
        put64(out, member.size);
        put64(out, member.compressed);
    }
}

/// The format of a member's sizes in a local header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// In 32 bits: for members that are known to be small.
    Narrow,
    /// In 64 bits.
    Wide,
}

/// The record of a member in the directory.
pub(crate) fn directory_entry(out: &mut Vec<u8>, member: &Member) {
    let mut extra = Vec::new();
    let mut field = |value: u64| {
        let narrow = narrow(value);
        if narrow == ELSEWHERE {
            put64(&mut extra, value);
        }
        narrow
    };
    let (size, compressed, offset) =
        (field(member.size), field(member.compressed), field(member.offset));
    let version = if extra.is_empty() { 20 } else { 45 };
    put32(out, ENTRY);
    // Made on Unix.
    put16(out, 3 << 8 | version);
    put16(out, version);
    put16(out, NAMES_ARE_UTF8);
    put16(out, member.method.code());
    put16(out, 0);
    put16(out, DATE);
    put32(out, member.crc);
    put32(out, compressed);
    put32(out, size);
    put16(out, name_length(member));
    put16(out, if extra.is_empty() { 0 } else { 4 + extra.len() as u16 });
    for _ in 0..3 {
        // No comment, one disk, content of unknown type.
        put16(out, 0);
    }
    // An ordinary file that its owner may read and write.
    put32(out, 0o100_644 << 16);
    put32(out, offset);
    out.extend_from_slice(member.name.as_bytes());
    if !extra.is_empty() {
        put16(out, EXTRA_64);
        put16(out, extra.len() as u16);
        out.extend_from_slice(&extra);
    }
}

/// The records after the directory.
pub(crate) fn end_records(out: &mut Vec<u8>, entries: u64, size: u64, offset: u64) {
    let wide =
        entries >= u64::from(u16::MAX) || narrow(size) == ELSEWHERE || narrow(offset) == ELSEWHERE;
    if wide {
        put32(out, END_64);
        put64(out, 44);
        put16(out, 3 << 8 | 45);
        put16(out, 45);
        put32(out, 0);
        put32(out, 0);
        put64(out, entries);
        put64(out, entries);
        put64(out, size);
        put64(out, offset);
        put32(out, LOCATOR_64);
        put32(out, 0);
        put64(out, offset + size);
        put32(out, 1);
    }
    let entries = u16::try_from(entries).unwrap_or(u16::MAX);
    put32(out, END);
    put32(out, 0);
    put16(out, entries);
    put16(out, entries);
    put32(out, narrow(size));
    put32(out, narrow(offset));
    put16(out, 0);
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(ELSEWHERE)
}

/// The length of a name. Names come from ids, whose length the writer limits.
fn name_length(member: &Member) -> u16 {
    u16::try_from(member.name.len()).unwrap_or(u16::MAX)
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}
