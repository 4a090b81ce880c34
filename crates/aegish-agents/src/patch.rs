//! Patches in the form `*** Begin Patch`: text → the files that they change.

use crate::call::{FileOperation, NotUnderstood};

/// The files of a patch, with the lines that it adds. A patch without any file is not understood.
pub(crate) fn files(patch: &str) -> Result<Vec<FileOperation>, NotUnderstood> {
    let mut files: Vec<FileOperation> = Vec::new();
    for line in patch.lines() {
        // The tools accept blanks around the markers.
        let marker = line.trim();
        let named = |prefix| marker.strip_prefix(prefix).map(|path: &str| path.trim().to_owned());
        if let Some(path) = named("*** Add File:") {
            files.push(FileOperation::Write { path, content: Some(String::new()) });
        } else if let Some(path) = named("*** Update File:") {
            files.push(FileOperation::Edit { path, added: Some(String::new()) });
        } else if let Some(path) = named("*** Delete File:") {
            files.push(FileOperation::Delete { path });
        } else if let Some(to) = named("*** Move to:") {
            let Some(FileOperation::Edit { path, .. }) = files.last() else {
                return Err(NotUnderstood::new("a patch moves a file that it does not name"));
            };
            let from = path.clone();
            files.push(FileOperation::Move { from, to: to.clone() });
            // The lines that follow are written to the new name.
            files.push(FileOperation::Edit { path: to, added: Some(String::new()) });
        } else if let Some(text) = line.strip_prefix('+')
            && let Some(
                FileOperation::Write { content: Some(added), .. }
                | FileOperation::Edit { added: Some(added), .. },
            ) = files.last_mut()
        {
            added.push_str(text);
            added.push('\n');
        }
    }
    if files.is_empty() {
        return Err(NotUnderstood::new("the patch names no file in a form that is known"));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_found() {
        let patch = "*** Begin Patch\n*** Add File: a.sh\n+#!/bin/sh\n+ls\n*** Update File: b\n@@\n-x\n+y\n\
                     *** Update File: c\n*** Move to: d\n@@\n+z\n*** Delete File: e\n*** End Patch";
        let path = str::to_owned;
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            files(patch),
            Ok(vec![
                FileOperation::Write { path: path("a.sh"), content: text("#!/bin/sh\nls\n") },
                FileOperation::Edit { path: path("b"), added: text("y\n") },
                FileOperation::Edit { path: path("c"), added: text("") },
                FileOperation::Move { from: path("c"), to: path("d") },
                FileOperation::Edit { path: path("d"), added: text("z\n") },
                FileOperation::Delete { path: path("e") },
            ])
        );
    }

    #[test]
    fn a_patch_without_files_is_not_understood() {
        assert!(files("").is_err());
        assert!(files("--- a/x\n+++ b/x\n").is_err());
        assert!(files("*** Begin Patch\n*** Move to: x").is_err());
    }
}
