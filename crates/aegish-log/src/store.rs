//! The file of a log while it grows.
//!
//! Three files: the log, which other programs can open at any time; `….spool`, the members finished since the
//! log was last updated; `….index`, the directory of all members, on disk so that memory does not grow with
//! the log. A member is in the spool, and so survives `kill -9`, before [`Store::add`] returns.
//!
//! An update of the log appends the spool, a directory and an end record. As long as that fits into the 64
//! KiB that readers accept behind an end record, the old end stays and the log can be opened at any time.
//! Later the old directory is overwritten. A writer that is killed in those milliseconds leaves a log that
//! only [`Store::reopen`] opens, by scanning the file for members.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::zip::{self, Archive, Member, Scan, Sizes};

/// Maximum distance of an end record from the end of the file at which readers still find it, minus a margin.
const READABLE_BEHIND_END: u64 = 60_000;
/// Room for another sample, the list after it, and the end.
const ROOM: u64 = 12_000;
/// Directory entries are collected up to this size before they are written.
const INDEX_BUFFER: usize = 1 << 16;

/// A growing archive.
#[derive(Debug)]
pub(super) struct Store {
    log: File,
    spool: File,
    index: File,
    spool_path: PathBuf,
    index_path: PathBuf,
    /// The offset of the next members in the log.
    base: u64,
    end: OldDirectory,
    state: DirectoryState,
    spooled: u64,
    entries: u64,
    indexed: u64,
    index_buffer: Vec<u8>,
}

/// How the end of the log changes when members are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OldDirectory {
    /// It stays, and a new one follows.
    Kept,
    /// It is overwritten.
    Overwritten,
}

/// Whether the log contains everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectoryState {
    UpToDate,
    Behind,
}

/// The path of the file with members that are not in the log yet.
pub(super) fn spool_path(log: &Path) -> PathBuf {
    beside(log, ".spool")
}

fn beside(log: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(log);
    name.push(ending);
    PathBuf::from(name)
}

impl Store {
    /// Creates an archive; refuses to replace a file.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let log = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let store = Self::with(log, path)?;
        // Leftovers of an earlier log with the same name.
        store.spool.set_len(0)?;
        Ok(store)
    }

    fn with(log: File, path: &Path) -> io::Result<Self> {
        let (spool_path, index_path) = (spool_path(path), beside(path, ".index"));
        let fresh = |path: &Path| {
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)
        };
        Ok(Self {
            spool: OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&spool_path)?,
            index: fresh(&index_path)?,
            log,
            spool_path,
            index_path,
            base: 0,
            end: OldDirectory::Kept,
            state: DirectoryState::Behind,
            spooled: 0,
            entries: 0,
            indexed: 0,
            index_buffer: Vec::new(),
        })
    }

    /// Opens an archive to add to it: a finished one, or one whose writer was killed.
    ///
    /// `keep` selects the members that stay. Members that were only in the spool are moved to the archive
    /// and passed to `late`.
    pub(super) fn reopen(
        path: &Path,
        mut keep: impl FnMut(&Member) -> bool,
        mut late: impl FnMut(&Archive, &Member) -> io::Result<()>,
    ) -> io::Result<Self> {
        let log = OpenOptions::new().read(true).write(true).open(path)?;
        let archive = Archive::open(log.try_clone()?);
        let mut store = Self::with(log, path)?;
        match archive {
            Ok(archive) => {
                for member in archive.directory() {
                    let member = member?;
                    if keep(&member) {
                        store.enter(&member)?;
                    }
                }
                store.choose_base(archive.directory_offset(), archive.end());
            }
            Err(_) => {
                let log = store.log.try_clone()?;
                let mut scan = Scan::new(&log);
                for member in &mut scan {
                    let member = member?;
                    if keep(&member) {
                        store.enter(&member)?;
                    }
                }
                store.base = scan.end();
                store.end = OldDirectory::Overwritten;
            }
        }
        let archive = Archive::without_directory(store.spool.try_clone()?);
        for member in Scan::new(archive.file()) {
            let member = member?;
            // After a power loss a file may have its full length but not its last bytes.
            let Ok(end) = archive.checked_end(&member) else { break };
            late(&archive, &member)?;
            store.spooled = end;
            if keep(&member) {
                store.enter(&Member { offset: store.base + member.offset, ..member })?;
            }
        }
        store.spool.set_len(store.spooled)?;
        Ok(store)
    }

    /// Number of members so far, including replaced ones.
    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Whether the next addition could make the log unreadable for a moment, unless it is updated first.
    pub(super) fn is_full(&self) -> bool {
        let directory = self.indexed + self.index_buffer.len() as u64;
        self.end == OldDirectory::Kept && self.spooled + directory + ROOM > READABLE_BEHIND_END
    }

    /// Adds a member with a finished header and bytes. Sets `member.offset`.
    pub(super) fn add(&mut self, mut member: Member, header_and_bytes: &[u8]) -> io::Result<()> {
        self.spool.write_all_at(header_and_bytes, self.spooled)?;
        member.offset = self.base + self.spooled;
        self.spooled += header_and_bytes.len() as u64;
        self.enter(&member)
    }

    /// Adds a member of any size; a function writes its deflated bytes.
    pub(super) fn add_streamed(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Streamed<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut member = Member {
            name: name.to_owned(),
            method: zip::Method::Deflate,
            crc: 0,
            compressed: 0,
            size: 0,
            offset: self.base + self.spooled,
        };
        let mut header = Vec::new();
        zip::local_header(&mut header, &member, Sizes::Wide);
        let start = self.spooled + header.len() as u64;
        let mut stream =
            Streamed { spool: &self.spool, at: start, crc: crc32fast::Hasher::new(), size: 0 };
        write(&mut stream)?;
        member.compressed = stream.at - start;
        member.size = stream.size;
        let end = stream.at;
        member.crc = stream.crc.finalize();
        header.clear();
        zip::local_header(&mut header, &member, Sizes::Wide);
        self.spool.write_all_at(&header, self.spooled)?;
        self.spooled = end;
        self.enter(&member)
    }

    fn enter(&mut self, member: &Member) -> io::Result<()> {
        zip::directory_entry(&mut self.index_buffer, member);
        self.entries += 1;
        self.state = DirectoryState::Behind;
        if self.index_buffer.len() >= INDEX_BUFFER { self.write_index() } else { Ok(()) }
    }

    fn write_index(&mut self) -> io::Result<()> {
        self.index.write_all_at(&self.index_buffer, self.indexed)?;
        self.indexed += self.index_buffer.len() as u64;
        self.index_buffer.clear();
        Ok(())
    }

    /// Updates the log.
    pub(super) fn publish(&mut self) -> io::Result<()> {
        if self.state == DirectoryState::UpToDate {
            return Ok(());
        }
        self.write_index()?;
        // No part of an older directory may look like the end of a truncated member.
        self.log.set_len(self.base)?;
        copy(&self.spool, 0, &self.log, self.base, self.spooled)?;
        let directory = self.base + self.spooled;
        copy(&self.index, 0, &self.log, directory, self.indexed)?;
        let mut end = Vec::new();
        zip::end_records(&mut end, self.entries, self.indexed, directory);
        self.log.write_all_at(&end, directory + self.indexed)?;
        self.spool.set_len(0)?;
        self.spooled = 0;
        self.choose_base(directory, directory + self.indexed + end.len() as u64);
        self.state = DirectoryState::UpToDate;
        Ok(())
    }

    /// The position of the next update: after the end record while the log is small, over the directory
    /// otherwise.
    fn choose_base(&mut self, directory: u64, end: u64) {
        let small = 2 * (end - directory) < READABLE_BEHIND_END;
        (self.base, self.end) =
            if small { (end, OldDirectory::Kept) } else { (directory, OldDirectory::Overwritten) };
    }

    /// The archive in its current state, without the spool.
    pub(super) fn archive(&self) -> io::Result<Archive> {
        Archive::open(self.log.try_clone()?)
    }

    /// Syncs everything to disk and removes the files beside the log.
    pub(super) fn close(self) -> io::Result<()> {
        self.log.sync_all()?;
        fs::remove_file(&self.spool_path)?;
        fs::remove_file(&self.index_path)
    }
}

/// A sink for the bytes of a large member.
pub(super) struct Streamed<'a> {
    spool: &'a File,
    at: u64,
    crc: crc32fast::Hasher,
    size: u64,
}

impl Streamed<'_> {
    /// Content and its deflated form.
    pub(super) fn put(&mut self, content: &[u8], deflated: &[u8]) -> io::Result<()> {
        self.crc.update(content);
        self.size += content.len() as u64;
        self.spool.write_all_at(deflated, self.at)?;
        self.at += deflated.len() as u64;
        Ok(())
    }
}

fn copy(from: &File, from_at: u64, to: &File, to_at: u64, mut left: u64) -> io::Result<()> {
    let mut buffer = vec![0; left.min(1 << 18) as usize];
    let (mut read_at, mut write_at) = (from_at, to_at);
    while left > 0 {
        let size = left.min(buffer.len() as u64) as usize;
        from.read_exact_at(&mut buffer[..size], read_at)?;
        to.write_all_at(&buffer[..size], write_at)?;
        (read_at, write_at, left) =
            (read_at + size as u64, write_at + size as u64, left - size as u64);
    }
    Ok(())
}
