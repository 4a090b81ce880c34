//! Strings in the memory of another process.
//!
//! Another thread of that process may change them at any time, so every address is read once, and what was
//! read is only the caller's claim.

use std::io::IoSliceMut;

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

/// The size of a page; a read across its end may fail although the beginning is there.
const PAGE: u64 = 4096;
/// How much is read at once.
const WINDOW: usize = 4 * PAGE as usize;

/// Reads strings and lists of strings of a process.
#[derive(Debug)]
pub struct Reader {
    process: Pid,
    /// The last piece that was read: strings of one list are usually beside each other.
    window: Vec<u8>,
    start: u64,
    /// Bytes that may still be read.
    left: usize,
}

impl Reader {
    /// Reads at most this many bytes of strings.
    #[must_use]
    pub fn new(process: Pid, most: usize) -> Self {
        Self { process, window: Vec::new(), start: 0, left: most }
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

    /// The strings that a list of pointers names; a null pointer ends it. An absent list is empty.
    ///
    /// # Errors
    ///
    /// As for [`Self::string`].
    pub fn list(&mut self, address: u64, pointer: usize) -> Result<Vec<Vec<u8>>, Errno> {
        let mut strings = Vec::new();
        for string in self.pointers(address, pointer)? {
            strings.push(self.string(string)?);
        }
        Ok(strings)
    }

    fn pointers(&mut self, mut address: u64, size: usize) -> Result<Vec<u64>, Errno> {
        let mut pointers = Vec::new();
        if address == 0 {
            return Ok(pointers);
        }
        let mut buffer = vec![0; PAGE as usize];
        loop {
            let room = (PAGE - address % PAGE) as usize;
            let whole = room - room % size;
            // A pointer that lies across two pages is read alone.
            let wanted = if whole == 0 { size } else { whole };
            let read = self.read(address, &mut buffer[..wanted])?;
            for chunk in buffer[..read - read % size].chunks_exact(size) {
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(chunk);
                let value = u64::from_le_bytes(bytes);
                if value == 0 {
                    return Ok(pointers);
                }
                self.left = self.left.checked_sub(size).ok_or(Errno::E2BIG)?;
                pointers.push(value);
            }
            if read < size {
                return Err(Errno::EFAULT);
            }
            address = address.checked_add((read - read % size) as u64).ok_or(Errno::EFAULT)?;
        }
    }

    /// Some bytes from this address on, at least one.
    fn at(&mut self, address: u64) -> Result<&[u8], Errno> {
        let end = self.start + self.window.len() as u64;
        if address < self.start || address >= end {
            let mut window = std::mem::take(&mut self.window);
            window.resize(WINDOW, 0);
            let read = self.read(address, &mut window)?;
            window.truncate(read);
            (self.window, self.start) = (window, address);
        }
        self.window.get((address - self.start) as usize..).ok_or(Errno::EFAULT)
    }

    /// Reads until the buffer is full or a page is not there.
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let mut remote = Vec::with_capacity(buffer.len() / PAGE as usize + 2);
        let (mut at, mut left) = (address, buffer.len() as u64);
        while left > 0 {
            let length = left.min(PAGE - at % PAGE);
            let base = usize::try_from(at).map_err(|_| Errno::EFAULT)?;
            remote.push(RemoteIoVec { base, len: length as usize });
            at = at.checked_add(length).ok_or(Errno::EFAULT)?;
            left -= length;
        }
        match process_vm_readv(self.process, &mut [IoSliceMut::new(buffer)], &remote)? {
            0 => Err(Errno::EFAULT),
            read => Ok(read),
        }
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
        let long = "x".repeat(3 * WINDOW) + "\0";
        let texts = ["one\0", "", &long];
        assert_eq!(own(1 << 20).string(texts[0].as_ptr() as u64)?, b"one");
        assert_eq!(own(1 << 20).string(long.as_ptr() as u64)?.len(), 3 * WINDOW);
        let pointers = [texts[0].as_ptr() as u64, long.as_ptr() as u64, 0];
        let list = own(1 << 20).list(pointers.as_ptr() as u64, 8)?;
        assert_eq!((list.len(), list[1].len()), (2, 3 * WINDOW));
        assert!(own(1 << 20).list(0, 8)?.is_empty());
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
