//! Strings in the memory of another process.
//!
//! Another thread of that process may change them at any time, so every address is read once, and what was
//! read is only the caller's claim.

use std::collections::BTreeMap;
use std::io::IoSliceMut;

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

/// What is read at once. A read across the end of a page may fail although the beginning is there.
const PAGE: u64 = 4096;
/// The most pages that are kept.
const KEPT: usize = 64;

/// Reads strings and lists of strings of a process.
#[derive(Debug)]
pub struct Reader {
    process: Pid,
    /// Pages that were read: the strings of a list are usually in few of them.
    pages: BTreeMap<u64, Box<[u8]>>,
    /// Bytes that may still be read.
    left: usize,
}

impl Reader {
    /// Reads at most this many bytes of strings.
    #[must_use]
    pub fn new(process: Pid, most: usize) -> Self {
        Self { process, pages: BTreeMap::new(), left: most }
    }

    /// The string at this address, without its NUL.
    ///
    /// # Errors
    ///
    /// `E2BIG` beyond the limit, and what the kernel says of memory that cannot be read.
    pub fn string(&mut self, mut address: u64) -> Result<Vec<u8>, Errno> {
        let mut text = Vec::new();
        loop {
            let piece = self.at(address)?;
            let end = piece.iter().position(|byte| *byte == 0);
            let taken = end.unwrap_or(piece.len());
            text.extend_from_slice(&piece[..taken]);
            let cost = taken + 1;
            self.left = self.left.checked_sub(cost).ok_or(Errno::E2BIG)?;
            if end.is_some() {
                return Ok(text);
            }
            address = address.checked_add(taken as u64).ok_or(Errno::EFAULT)?;
        }
    }

    /// So many bytes.
    ///
    /// # Errors
    ///
    /// `EFAULT` if they are not all there.
    pub fn bytes(&mut self, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let next = address.checked_add(bytes.len() as u64).ok_or(Errno::EFAULT)?;
            let wanted = length - bytes.len();
            let piece = self.at(next)?;
            bytes.extend_from_slice(&piece[..wanted.min(piece.len())]);
        }
        Ok(bytes)
    }

    /// The strings that a list of pointers names; a null pointer ends it. An absent list is empty.
    ///
    /// # Errors
    ///
    /// As for [`Self::string`].
    pub fn list(&mut self, address: u64, pointer: usize) -> Result<Vec<Vec<u8>>, Errno> {
        let mut strings = Vec::new();
        for together in self.pointers(address, pointer)?.chunks(KEPT / 2) {
            self.fetch(together);
            for string in together {
                strings.push(self.string(*string)?);
            }
        }
        Ok(strings)
    }

    fn pointers(&mut self, mut address: u64, size: usize) -> Result<Vec<u64>, Errno> {
        let mut pointers = Vec::new();
        if address == 0 {
            return Ok(pointers);
        }
        loop {
            let mut piece = self.at(address)?.to_vec();
            if piece.len() < size {
                // A pointer across two pages.
                piece = self.bytes(address, size)?;
            }
            let whole = piece.len() - piece.len() % size;
            for chunk in piece.chunks_exact(size) {
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(chunk);
                let value = u64::from_le_bytes(bytes);
                if value == 0 {
                    return Ok(pointers);
                }
                self.left = self.left.checked_sub(size).ok_or(Errno::E2BIG)?;
                pointers.push(value);
            }
            address = address.checked_add(whole as u64).ok_or(Errno::EFAULT)?;
        }
    }

    /// The bytes from this address to the end of its page, at least one.
    fn at(&mut self, address: u64) -> Result<&[u8], Errno> {
        let start = address - address % PAGE;
        if !self.pages.contains_key(&start) {
            self.read(&[start])?;
        }
        let page = self.pages.get(&start).ok_or(Errno::EFAULT)?;
        page.get((address - start) as usize..).ok_or(Errno::EFAULT)
    }

    /// Reads the pages of these addresses by one call, as they will be needed. What cannot be read is an error then.
    pub fn fetch(&mut self, addresses: &[u64]) {
        let mut starts: Vec<u64> =
            addresses.iter().map(|address| address - address % PAGE).collect();
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|start| !self.pages.contains_key(start));
        if !starts.is_empty() {
            let _ = self.read(&starts);
        }
    }

    /// Reads these pages until one is not there.
    fn read(&mut self, starts: &[u64]) -> Result<(), Errno> {
        if self.pages.len() + starts.len() > KEPT {
            self.pages.clear();
        }
        let base = |start: &u64| usize::try_from(*start).map_err(|_| Errno::EFAULT);
        let remote = starts
            .iter()
            .map(|start| Ok(RemoteIoVec { base: base(start)?, len: PAGE as usize }))
            .collect::<Result<Vec<_>, Errno>>()?;
        let mut buffer = vec![0; starts.len() * PAGE as usize];
        let read = process_vm_readv(self.process, &mut [IoSliceMut::new(&mut buffer)], &remote)?;
        let whole = buffer[..read].chunks_exact(PAGE as usize);
        self.pages.extend(starts.iter().copied().zip(whole.map(Box::from)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(most: usize) -> Reader {
        Reader::new(nix::unistd::getpid(), most)
    }

    #[test]
    fn strings_and_lists_are_read_to_their_end() -> Result<(), Errno> {
        let long = "x".repeat(3 * PAGE as usize) + "\0";
        let texts = ["one\0", "", &long];
        assert_eq!(own(1 << 20).string(texts[0].as_ptr() as u64)?, b"one");
        assert_eq!(own(1 << 20).string(long.as_ptr() as u64)?.len(), 3 * PAGE as usize);
        let pointers = [texts[0].as_ptr() as u64, long.as_ptr() as u64, 0];
        let list = own(1 << 20).list(pointers.as_ptr() as u64, 8)?;
        assert_eq!((list.len(), list[1].len()), (2, 3 * PAGE as usize));
        assert!(own(1 << 20).list(0, 8)?.is_empty());
        Ok(())
    }

    #[test]
    fn pointers_may_lie_across_pages_and_strings_in_many() -> Result<(), Errno> {
        let texts: Vec<String> =
            (0..500).map(|number| format!("{number}{}\0", "y".repeat(1000))).collect();
        let mut bytes = vec![0; 3];
        let pointers = texts.iter().map(|text| text.as_ptr() as u64).chain([0]);
        bytes.extend(pointers.flat_map(u64::to_le_bytes));
        let list = own(1 << 20).list(bytes.as_ptr() as u64 + 3, 8)?;
        assert_eq!(list.len(), 500);
        assert!(list.iter().zip(&texts).all(|(one, text)| text.as_bytes().starts_with(one)));
        assert!(list.iter().all(|one| one.len() > 1000));
        Ok(())
    }

    #[test]
    fn more_than_the_limit_is_an_error() {
        let long = "x".repeat(100) + "\0";
        assert_eq!(own(50).string(long.as_ptr() as u64), Err(Errno::E2BIG));
        let pointers = vec![long.as_ptr() as u64; 1000];
        assert_eq!(own(500).list(pointers.as_ptr() as u64, 8), Err(Errno::E2BIG));
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert_eq!(own(50).string(1), Err(Errno::EFAULT));
    }
}
