//! Finds members without a directory, after the writer was killed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::read::{u16_at, u32_at, wide_values};
use super::records::{ELSEWHERE, END, END_64, ENTRY, LOCAL, LOCATOR_64, Member, Method};

/// Flag: the sizes follow the member.
const SIZES_FOLLOW: u16 = 1 << 3;

/// Finds every complete member from the start of a file and skips older directories. Ends at incomplete or
/// invalid data.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(file: &'a File) -> Self {
        Self { file, at: 0, end: 0 }
    }

    /// The offset after the last member found so far.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    fn find(&mut self) -> io::Result<Option<Member>> {
        let length = self.file.metadata()?.len();
        loop {
            let mut start = [0; 46];
            let got = read_up_to(self.file, &mut start, self.at)?;
            let short = |at: usize| u64::from(u16_at(&start, at));
            let size = match got.checked_sub(4).map(|_| u32_at(&start, 0)) {
                Some(LOCAL) if got >= 30 => match local(self.file, &start, self.at)? {
                    Some((member, size)) if size <= length - self.at => {
                        self.at += size;
                        self.end = self.at;
                        return Ok(Some(member));
                    }
                    _ => return Ok(None),
                },
                Some(ENTRY) if got >= 46 => 46 + short(28) + short(30) + short(32),
                Some(END_64) => 56,
                Some(LOCATOR_64) => 20,
                Some(END) if got >= 22 => 22 + short(20),
                _ => return Ok(None),
            };
            self.at += size;
        }
    }
}

impl Iterator for Scan<'_> {
    type Item = io::Result<Member>;

    fn next(&mut self) -> Option<io::Result<Member>> {
        self.find().transpose()
    }
}

/// The member of a local header, and the length of both.
fn local(file: &File, start: &[u8], offset: u64) -> io::Result<Option<(Member, u64)>> {
    let (names, extras) = (usize::from(u16_at(start, 26)), usize::from(u16_at(start, 28)));
    if u16_at(start, 6) & SIZES_FOLLOW != 0 {
        return Ok(None);
    }
    let mut rest = vec![0; names + extras];
    if read_up_to(file, &mut rest, offset + 30)? < rest.len() {
        return Ok(None);
    }
    let mut wide = wide_values(&rest[names..]).into_iter();
    let mut field = |at: usize| match u32_at(start, at) {
        ELSEWHERE => wide.next(),
        value => Some(u64::from(value)),
    };
    let (Some(size), Some(compressed)) = (field(22), field(18)) else { return Ok(None) };
    rest.truncate(names);
    let Ok(name) = String::from_utf8(rest) else { return Ok(None) };
    let method = Method::from_code(u16_at(start, 8));
    let member = Member { name, method, crc: u32_at(start, 14), compressed, size, offset };
    let size = compressed.checked_add(30 + (names + extras) as u64);
    Ok(size.map(|size| (member, size)))
}

fn read_up_to(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match file.read_at(&mut buffer[got..], at + got as u64) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
