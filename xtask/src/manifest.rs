//! The manifest of the own data sets: which files there are, how many commands, and their SHA-256.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Manifest {
    dataset: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    file: String,
    count: usize,
    sha256: String,
}

/// The files that the manifest names, with their text, after a look at count and hash.
pub(crate) fn files(dir: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let path = dir.join("manifest.toml");
    let complain = |what: String| format!("{}: {what}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| complain(error.to_string()))?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| complain(error.to_string()))?;
    let mut files = Vec::new();
    for entry in manifest.dataset {
        let file = dir.join(&entry.file);
        let text =
            fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let (count, hash) = (text.lines().count(), sha256(&text));
        if (count, hash.as_str()) != (entry.count, entry.sha256.as_str()) {
            return Err(complain(format!(
                "`{}` is not as described: it has count = {count}, sha256 = \"{hash}\"",
                entry.file
            )));
        }
        files.push((file, text));
    }
    Ok(files)
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn the_hash_is_the_usual_one() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(""), empty);
    }
}
