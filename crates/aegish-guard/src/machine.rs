//! The real machine: bounded reads of regular files, bounded listings.
//!
//! It never opens files that could block or act on being opened (FIFOs, devices, sockets, `/proc`, `/sys`),
//! never writes, and returns every failure as a value instead of an error.

use aegish_effects::{FileView, Machine};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};

/// Number of bytes that are read to distinguish text from a compiled program.
const SNIFF: usize = 512;

/// Directories whose "files" are interfaces to the kernel.
const KERNEL: [&str; 3] = ["/proc/", "/sys/", "/dev/"];

/// The machine the process runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsMachine;

impl Machine for OsMachine {
    fn read(&self, path: &str, limit: usize) -> FileView {
        Self::read_through(path, path, limit)
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        if !dir.starts_with('/') {
            return None;
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).ok()? {
            if names.len() == limit {
                return None;
            }
            names.push(entry.ok()?.file_name().to_string_lossy().into_owned());
        }
        Some(names)
    }

    fn is_directory(&self, path: &str) -> bool {
        path.starts_with('/') && fs::metadata(path).is_ok_and(|found| found.is_dir())
    }

    fn without_links(&self, path: &str) -> Option<String> {
        let place = fs::canonicalize(path).ok()?.to_string_lossy().into_owned();
        (place != path).then_some(place)
    }
}

impl OsMachine {
    /// Reads the file at `path` under another name, for programs that see other mounts than this process.
    #[must_use]
    pub fn read_through(path: &str, place: &str, limit: usize) -> FileView {
        if !path.starts_with('/') {
            return FileView::Unknown;
        }
        if KERNEL.iter().any(|kernel| path.starts_with(kernel)) {
            return FileView::Unreadable;
        }
        match fs::metadata(place) {
            Ok(meta) if meta.is_file() => {}
            Ok(_) => return FileView::Unreadable,
            Err(error) => return failure(error.kind()),
        }
        match open(place) {
            Ok(file) => view(file, limit),
            Err(error) => failure(error.kind()),
        }
    }
}

/// Between the look and the opening the file may have been exchanged for a FIFO; opening must not wait.
fn open(path: &str) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // O_NONBLOCK, without a dependency for one number.
        let nonblock = if cfg!(target_os = "linux") { 0o4000 } else { 0x4 };
        options.custom_flags(nonblock);
    }
    options.open(path)
}

fn view(file: File, limit: usize) -> FileView {
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return FileView::Unreadable;
    }
    let mut bytes = Vec::new();
    // One byte more than the limit shows whether the file is longer.
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    if file.take(bound).read_to_end(&mut bytes).is_err() {
        return FileView::Unreadable;
    }
    if bytes.iter().take(SNIFF).any(|byte| *byte == 0) {
        return FileView::Binary;
    }
    let long = bytes.len() > limit;
    bytes.truncate(limit);
    // Bash also runs scripts that are not valid UTF-8, so they are text here.
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    if long { FileView::Long(text) } else { FileView::Text(text) }
}

fn failure(kind: ErrorKind) -> FileView {
    match kind {
        ErrorKind::NotFound | ErrorKind::NotADirectory => FileView::Missing,
        _ => FileView::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let dir = std::env::temp_dir().join(format!("aegish-{}-{name}", std::process::id()));
            fs::create_dir_all(&dir).expect("scratch directory");
            Self(dir)
        }

        fn file(&self, name: &str, content: &[u8]) -> String {
            let path = self.0.join(name);
            fs::write(&path, content).expect("scratch file");
            path.to_string_lossy().into_owned()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn text_is_read_whole_or_cut_at_the_limit() {
        let scratch = Scratch::new("text");
        let path = scratch.file("a.sh", b"echo hi\n");
        assert_eq!(OsMachine.read(&path, 100), FileView::Text("echo hi\n".to_owned()));
        assert_eq!(OsMachine.read(&path, 8), FileView::Text("echo hi\n".to_owned()));
        assert_eq!(OsMachine.read(&path, 4), FileView::Long("echo".to_owned()));
    }

    #[test]
    fn a_nul_near_the_beginning_means_binary() {
        let scratch = Scratch::new("binary");
        let path = scratch.file("a.out", b"\x7fELF\x02\x01\x01\x00\x00");
        assert_eq!(OsMachine.read(&path, 100), FileView::Binary);
    }

    #[test]
    fn broken_encoding_is_still_text() {
        let scratch = Scratch::new("latin1");
        let path = scratch.file("a.sh", b"# caf\xe9\nrm x\n");
        assert_eq!(OsMachine.read(&path, 100), FileView::Text("# caf\u{fffd}\nrm x\n".to_owned()));
    }

    #[test]
    fn special_files_are_never_opened() {
        let scratch = Scratch::new("fifo");
        let fifo = scratch.0.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        if made.is_ok_and(|status| status.success()) {
            assert_eq!(OsMachine.read(&fifo.to_string_lossy(), 10), FileView::Unreadable);
        }
        assert_eq!(OsMachine.read("/dev/zero", 10), FileView::Unreadable);
        assert_eq!(OsMachine.read("/proc/self/environ", 10), FileView::Unreadable);
        assert_eq!(OsMachine.read("/", 10), FileView::Unreadable);
        assert_eq!(OsMachine.read("relative", 10), FileView::Unknown);
    }

    #[test]
    fn a_missing_file_is_missing_and_a_large_directory_is_not_listed() {
        let scratch = Scratch::new("list");
        let path = scratch.file("one", b"");
        assert_eq!(OsMachine.read(&format!("{path}/below"), 10), FileView::Missing);
        assert_eq!(OsMachine.read(&format!("{path}-not"), 10), FileView::Missing);
        scratch.file("two", b"");
        let dir = scratch.0.to_string_lossy().into_owned();
        let mut names = OsMachine.list(&dir, 2).expect("two names");
        names.sort();
        assert_eq!(names, ["one", "two"]);
        assert_eq!(OsMachine.list(&dir, 1), None);
    }
}
