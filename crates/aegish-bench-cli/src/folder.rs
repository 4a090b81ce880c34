//! Logs in a folder.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files in a folder and in those below it that are wanted, by name. Links are not followed.
pub(crate) fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, wanted, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(
    folder: &Path,
    wanted: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        // Originals of repaired and rescored logs would count twice.
        if kind.is_dir() && entry.file_name() != "originals" {
            collect(&path, wanted, found)?;
        } else if kind.is_file() && wanted(&path) {
            found.push(path);
        }
    }
    Ok(())
}
