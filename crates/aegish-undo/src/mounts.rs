//! Mounted file systems, as the kernel lists them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The places where something is mounted.
pub(crate) fn places() -> Vec<PathBuf> {
    let listed = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let lines = listed.split(|byte| *byte == b'\n');
    lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(4)).map(unescaped).collect()
}

/// Whether something is mounted below a directory.
pub(crate) fn is_below(dir: &Path, places: &[PathBuf]) -> bool {
    places.iter().any(|place| place != dir && place.starts_with(dir))
}

/// Blanks and backslashes are written as octal numbers.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, behind)) = rest.split_first() {
        let octal = behind.get(..3).filter(|_| *first == b'\\');
        let number =
            octal.and_then(|octal| u8::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok());
        match number {
            Some(number) => {
                bytes.push(number);
                rest = behind.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_the_kernel_writes_them() {
        assert_eq!(unescaped(br"/a\040b\134c"), Path::new("/a b\\c"));
        assert!(places().contains(&PathBuf::from("/")));
        assert!(is_below(Path::new("/"), &places()));
    }
}
