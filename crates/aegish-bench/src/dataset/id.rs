//! Ids of samples without an id in the data set.
//!
//! As in the seed: `binary_category_` and the first eight digits of the command's MD5 if a row has binary and
//! category, else the number of the row. Recorded runs and logs of the seed use these ids, so that they can
//! be compared sample by sample.

use data_encoding::HEXLOWER;
use md5::{Digest, Md5};

/// Longest id: it becomes part of a file name inside a log.
const LONGEST: usize = 200;

/// The seed's id of a command.
pub(crate) fn seed(binary: &str, category: &str, command: &str) -> String {
    let digest = Md5::digest(command.as_bytes());
    let short = HEXLOWER.encode(digest.get(..4).unwrap_or_default());
    format!("{binary}_{category}_{short}")
}

/// Whether an id is valid in a log.
pub(crate) fn usable(id: &str) -> bool {
    !id.is_empty() && id.len() <= LONGEST && !id.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::{seed, usable};

    #[test]
    fn an_id_is_the_one_of_the_seeds_logs() {
        let command = "7z a -ttar -an -so /etc/shadow | 7z e -ttar -si -so";
        assert_eq!(seed("7z", "file-read", command), "7z_file-read_593ac11d");
    }

    #[test]
    fn an_id_that_is_not_valid_in_a_file_name_is_refused() {
        assert!(usable("7z_file-read_593ac11d"));
        assert!(!usable("") && !usable("a\nb") && !usable(&"x".repeat(300)));
    }
}
