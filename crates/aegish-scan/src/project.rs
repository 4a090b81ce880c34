//! The files of a project that hold shell commands.

use crate::{FileKind, ScanError};
use ignore::{DirEntry, WalkBuilder};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes of a file that are looked at to tell whether it is a script.
const BEGINNING: u64 = 128;

/// A file to be judged.
pub struct ProjectFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
    /// The directory from which its commands are started: that of the scan.
    pub root: PathBuf,
}

/// The files below the paths, sorted. Files that Git ignores are left out unless they are named.
///
/// # Errors
///
/// If a path does not exist or is of no known kind, or if a directory cannot be read.
pub fn find(paths: &[PathBuf], no_ignore: bool) -> Result<Vec<ProjectFile>, ScanError> {
    let mut found = Vec::new();
    for path in paths {
        let metadata = path.metadata().map_err(|error| {
            ScanError::WrongPath(format!("nothing was scanned: {}: {error}", path.display()))
        })?;
        if metadata.is_dir() {
            walk(path, no_ignore, &mut found)?;
        } else if !metadata.is_file() {
            // Opening a named pipe would wait for a writer.
            return Err(ScanError::WrongPath(format!(
                "nothing was scanned: {} is neither a regular file nor a directory",
                path.display()
            )));
        } else {
            let root = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let kind = kind_of(path).ok_or_else(|| unknown_kind(path))?;
            let root = root.unwrap_or(Path::new(".")).to_path_buf();
            found.push(ProjectFile { path: path.clone(), kind, root });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    Ok(found)
}

fn unknown_kind(path: &Path) -> ScanError {
    ScanError::WrongPath(format!(
        "{} was not scanned: its name and first line tell no kind of file with commands; \
         `aegish check --file` judges it as a shell script",
        path.display()
    ))
}

fn walk(root: &Path, no_ignore: bool, found: &mut Vec<ProjectFile>) -> Result<(), ScanError> {
    let walker = WalkBuilder::new(root)
        .standard_filters(!no_ignore)
        // Workflows are in `.github`.
        .hidden(false)
        .follow_links(false)
        .filter_entry(|entry| !is_repository(entry))
        .build();
    for entry in walker {
        let entry = entry.map_err(|error| {
            ScanError::Incomplete(format!(
                "the scan is not complete, nothing was approved: {error}"
            ))
        })?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        if let Some(kind) = kind_of(entry.path()) {
            let path = entry.path().strip_prefix("./").unwrap_or(entry.path()).to_path_buf();
            found.push(ProjectFile { path, kind, root: root.to_path_buf() });
        }
    }
    Ok(())
}

/// The directory in which Git keeps its own files.
fn is_repository(entry: &DirEntry) -> bool {
    entry.file_name() == ".git" && entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// The kind by the name, or by the first line of files whose name tells nothing.
fn kind_of(path: &Path) -> Option<FileKind> {
    FileKind::by_name(path).or_else(|| {
        if !FileKind::may_be_script(path) {
            return None;
        }
        let mut beginning = Vec::new();
        File::open(path).ok()?.take(BEGINNING).read_to_end(&mut beginning).ok()?;
        FileKind::of(path, &beginning)
    })
}
