//! The machine that events are about.

use std::fs;

/// The machine of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Names the log: hashes of one chain belong together.
    pub chain: String,
}

impl Host {
    /// This machine, or one that is named.
    #[must_use]
    pub fn new(name: Option<&str>, log: &std::path::Path) -> Self {
        let own = || fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let name = name.map_or_else(|| own().trim().to_owned(), str::to_owned);
        let name = if name.is_empty() { "unknown".to_owned() } else { name };
        let file = log.file_name().unwrap_or_default().to_string_lossy();
        let chain = format!("{name}/{file}");
        Self { name, chain }
    }
}
