//! Shipped sets and their manifest.
//!
//! They are part of the binary (about half a megabyte), so that an installed program can be measured without
//! other files.

use serde::Deserialize;
use std::sync::LazyLock;

use super::{Dataset, DatasetBytes, DatasetError, DatasetFormat};

const MANIFEST: &str = include_str!("../../datasets/manifest.toml");

/// The files that the manifest names.
const FILES: [(&str, &[u8]); 3] = [
    ("malicious.jsonl", include_bytes!("../../datasets/malicious.jsonl")),
    ("harmless.jsonl", include_bytes!("../../datasets/harmless.jsonl")),
    ("obfuscated.jsonl", include_bytes!("../../datasets/obfuscated.jsonl")),
];

/// A set as the manifest describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedSet {
    /// Its name.
    pub name: String,
    /// Its file in `datasets`.
    pub file: String,
    /// The content of the file.
    pub description: String,
    /// The number of samples.
    pub count: u64,
    /// Its licence.
    pub licence: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

#[derive(Deserialize)]
struct Manifest {
    dataset: Vec<ShippedSet>,
}

/// The shipped sets, in the order of the manifest.
#[must_use]
pub fn shipped() -> &'static [ShippedSet] {
    static SETS: LazyLock<Vec<ShippedSet>> = LazyLock::new(|| {
        // A test checks that the manifest is valid.
        toml::from_str::<Manifest>(MANIFEST).map(|manifest| manifest.dataset).unwrap_or_default()
    });
    &SETS
}

impl ShippedSet {
    /// Reads the set and checks it against the manifest.
    ///
    /// # Errors
    ///
    /// If the set differs from its description.
    pub fn open(&self) -> Result<Dataset, DatasetError> {
        let location = format!("crates/aegish-bench/datasets/{}", self.file);
        let bytes = FILES.iter().find(|(file, _)| *file == self.file).map(|(_, bytes)| *bytes);
        let bytes = bytes.ok_or_else(|| DatasetError::whole(&*location, "not in this program"))?;
        let source = DatasetBytes::Embedded(bytes);
        let set = Dataset::scan(self.name.clone(), location, source, DatasetFormat::Jsonl, None)?;
        let (count, hash) = (set.counts.samples(), &set.sha256);
        if (count, hash) != (self.count, &self.sha256) {
            let what = format!(
                "not as its manifest describes it: it has count = {count}, sha256 = \"{hash}\""
            );
            return Err(DatasetError::whole(&*set.location, what));
        }
        Ok(set)
    }
}
