//! Reads an archive: its directory, one entry at a time, and its members.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt as _;

use super::records::{ELSEWHERE, END, END_64, ENTRY, EXTRA_64, LOCAL, LOCATOR_64, Member, Method};
use super::unpack::{Inflate, Unzstd};

/// The longest comment at the end of an archive.
const LONGEST_COMMENT: u64 = u16::MAX as u64;
const END_BYTES: usize = 22;
const LOCATOR_BYTES: u64 = 20;
/// A larger member is not a sample and is not read into memory.
const LARGEST_IN_MEMORY: u64 = 1 << 30;

/// An archive that is open for reading.
#[derive(Debug)]
pub(crate) struct Archive {
    file: File,
    directory: ByteRange,
    entries: u64,
    end: u64,
}

/// A range of bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ByteRange {
    offset: u64,
    size: u64,
}

impl Archive {
    /// Finds the directory.
    ///
    /// # Errors
    ///
    /// If there is none, or its position is invalid.
    pub(crate) fn open(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let tail_length = length.min(LONGEST_COMMENT + END_BYTES as u64);
        let tail_start = length - tail_length;
        let mut tail = vec![0; tail_length as usize];
        file.read_exact_at(&mut tail, tail_start)?;
        let end = tail
            .windows(END_BYTES)
            .rposition(|record| u32_at(record, 0) == END)
            .ok_or_else(|| broken("it is no ZIP archive, or its end is missing"))?;
        let record = &tail[end..];
        let behind = tail_start + (end + END_BYTES) as u64 + u64::from(u16_at(record, 20));
        let mut entries = u64::from(u16_at(record, 10));
        let mut directory = ByteRange {
            size: u64::from(u32_at(record, 12)),
            offset: u64::from(u32_at(record, 16)),
        };
        let end = tail_start + end as u64;
        if let Some(wide) = wide_end(&file, end)? {
            (entries, directory) = wide;
        }
        let fits = directory.offset.checked_add(directory.size).is_some_and(|to| to <= end);
        if !fits {
            return Err(broken("its directory lies outside the file"));
        }
        Ok(Self { file, directory, entries, end: behind.min(length) })
    }

    /// An archive without a directory, for members that a scan found.
    pub(crate) fn without_directory(file: File) -> Self {
        Self { file, directory: ByteRange { offset: 0, size: 0 }, entries: 0, end: 0 }
    }

    /// The number of entries in the directory.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// The offset of the directory.
    pub(crate) fn directory_offset(&self) -> u64 {
        self.directory.offset
    }

    /// The offset after the end record.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// The entries, in their order in the file.
    pub(crate) fn directory(&self) -> Directory<'_> {
        Directory {
            bytes: BufReader::with_capacity(1 << 16, self.at(self.directory)),
            left: self.entries,
        }
    }

    /// The offset of a member's bytes.
    fn bytes_of(&self, member: &Member) -> io::Result<u64> {
        let mut header = [0; 30];
        self.file.read_exact_at(&mut header, member.offset).map_err(cut_off)?;
        if u32_at(&header, 0) != LOCAL {
            return Err(broken("its directory points to something else"));
        }
        let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        Ok(member.offset + 30 + names)
    }

    /// The offset after a member, if its content is valid.
    pub(crate) fn checked_end(&self, member: &Member) -> io::Result<u64> {
        let mut content = self.open_member(member)?;
        let (mut crc, mut buffer) = (crc32fast::Hasher::new(), vec![0; 1 << 16]);
        loop {
            match content.read(&mut buffer)? {
                0 => break,
                got => crc.update(&buffer[..got]),
            }
        }
        if crc.finalize() != member.crc {
            return Err(broken("its bytes are damaged"));
        }
        Ok(self.bytes_of(member)? + member.compressed)
    }

    /// A member's content as a stream.
    pub(crate) fn open_member(&self, member: &Member) -> io::Result<Box<dyn Read + '_>> {
        let bytes = BufReader::with_capacity(
            member.compressed.clamp(64, 1 << 16) as usize,
            self.at(ByteRange { offset: self.bytes_of(member)?, size: member.compressed }),
        );
        Ok(match member.method {
            Method::Stored => Box::new(bytes),
            Method::Deflate => Box::new(Inflate::new(bytes)),
            Method::Zstd => Box::new(Unzstd::new(bytes)?),
            Method::Other(code) => {
                return Err(broken(&format!("compression method {code} is not supported")));
            }
        })
    }

    /// The whole content of a member, checked.
    pub(crate) fn read(&self, member: &Member) -> io::Result<Vec<u8>> {
        if member.size > LARGEST_IN_MEMORY {
            return Err(broken("it is larger than 1 GiB"));
        }
        let mut content = Vec::with_capacity(member.size as usize + 1);
        self.open_member(member)?.take(member.size + 1).read_to_end(&mut content)?;
        if content.len() as u64 != member.size || crc32fast::hash(&content) != member.crc {
            return Err(broken("its bytes are damaged"));
        }
        Ok(content)
    }

    fn at(&self, range: ByteRange) -> Section<'_> {
        Section { file: &self.file, at: range.offset, end: range.offset + range.size }
    }
}

/// The values of the 64-bit end record, if one precedes the end record at this offset.
fn wide_end(file: &File, end: u64) -> io::Result<Option<(u64, ByteRange)>> {
    let Some(at) = end.checked_sub(LOCATOR_BYTES) else { return Ok(None) };
    let mut locator = [0; LOCATOR_BYTES as usize];
    file.read_exact_at(&mut locator, at)?;
    if u32_at(&locator, 0) != LOCATOR_64 {
        return Ok(None);
    }
    let mut record = [0; 56];
    file.read_exact_at(&mut record, u64_at(&locator, 8)).map_err(cut_off)?;
    if u32_at(&record, 0) != END_64 {
        return Err(broken("its 64-bit end record is damaged"));
    }
    let range = ByteRange { size: u64_at(&record, 40), offset: u64_at(&record, 48) };
    Ok(Some((u64_at(&record, 32), range)))
}

/// A range of bytes as a stream.
#[derive(Debug)]
struct Section<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = buffer.len().min((self.end - self.at) as usize);
        if wanted == 0 {
            return Ok(0);
        }
        let got = self.file.read_at(&mut buffer[..wanted], self.at)?;
        if got == 0 {
            return Err(broken("it is cut off"));
        }
        self.at += got as u64;
        Ok(got)
    }
}

/// The entries of a directory.
pub(crate) struct Directory<'a> {
    bytes: BufReader<Section<'a>>,
    left: u64,
}

impl Iterator for Directory<'_> {
    type Item = io::Result<Member>;

    fn next(&mut self) -> Option<io::Result<Member>> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.entry();
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }
}

impl Directory<'_> {
    fn entry(&mut self) -> io::Result<Member> {
        let mut record = [0; 46];
        self.bytes.read_exact(&mut record).map_err(cut_off)?;
        if u32_at(&record, 0) != ENTRY {
            return Err(broken("its directory is damaged"));
        }
        let mut name = vec![0; usize::from(u16_at(&record, 28))];
        self.bytes.read_exact(&mut name).map_err(cut_off)?;
        let mut extra = vec![0; usize::from(u16_at(&record, 30))];
        self.bytes.read_exact(&mut extra).map_err(cut_off)?;
        let comment = u64::from(u16_at(&record, 32));
        io::copy(&mut (&mut self.bytes).take(comment), &mut io::sink())?;
        let mut wide = wide_values(&extra).into_iter();
        let mut field = |at: usize| match u32_at(&record, at) {
            ELSEWHERE => wide.next().ok_or_else(|| broken("its directory is damaged")),
            value => Ok(u64::from(value)),
        };
        let (size, compressed, offset) = (field(24)?, field(20)?, field(42)?);
        Ok(Member {
            name: String::from_utf8(name).map_err(|_| broken("a member's name is not UTF-8"))?,
            method: Method::from_code(u16_at(&record, 10)),
            crc: u32_at(&record, 16),
            compressed,
            size,
            offset,
        })
    }
}

/// The values of the extra field for 64-bit values.
pub(super) fn wide_values(mut extra: &[u8]) -> Vec<u64> {
    while extra.len() >= 4 {
        let (kind, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some(value) = extra.get(4..4 + length) else { break };
        if kind == EXTRA_64 {
            return value.chunks_exact(8).map(|bytes| u64_at(bytes, 0)).collect();
        }
        extra = &extra[4 + length..];
    }
    Vec::new()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

pub(super) fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

fn cut_off(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::UnexpectedEof { broken("it is cut off") } else { error }
}
