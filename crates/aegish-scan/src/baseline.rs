//! A baseline: the findings of an earlier scan, which do not count again.

use crate::ScanError;
use crate::judged::{JudgedFile, Suppression};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The form of the file.
const VERSION: u32 = 1;

/// Findings that are known.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

/// A finding; all but the fingerprint is for people.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    path: String,
    rule: String,
    reason: String,
    fingerprint: String,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    ///
    /// If there is none, or it is of another form.
    pub fn read(path: &Path) -> Result<Self, ScanError> {
        let failed = |error: String| {
            ScanError::WrongPath(format!(
                "nothing was scanned: the baseline {}: {error}",
                path.display()
            ))
        };
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        let baseline: Self =
            serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        if baseline.version != VERSION {
            return Err(failed(format!("version {} is not known", baseline.version)));
        }
        Ok(baseline)
    }

    /// The findings that count now.
    #[must_use]
    pub fn of(files: &[JudgedFile]) -> Self {
        let mut findings = Vec::new();
        for file in files {
            for finding in file
                .findings
                .iter()
                .filter(|one| !matches!(one.suppression, Some(Suppression::Comment(_))))
            {
                findings.push(Known {
                    path: file.path.clone(),
                    rule: finding.rule.name.to_owned(),
                    reason: finding.reason.clone(),
                    fingerprint: finding.fingerprint.clone(),
                });
            }
        }
        Self { version: VERSION, findings }
    }

    /// Writes it to a file.
    ///
    /// # Errors
    ///
    /// If that fails.
    pub fn write(&self, path: &Path) -> Result<(), ScanError> {
        let failed = |error: String| {
            ScanError::Incomplete(format!(
                "the baseline {} was not written: {error}",
                path.display()
            ))
        };
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.to_string()))?;
        fs::write(path, text + "\n").map_err(|error| failed(error.to_string()))
    }

    /// Marks the findings that are in the baseline.
    pub fn mark(&self, files: &mut [JudgedFile]) {
        let known: HashSet<&str> =
            self.findings.iter().map(|one| one.fingerprint.as_str()).collect();
        for finding in files.iter_mut().flat_map(|file| &mut file.findings) {
            if finding.suppression.is_none() && known.contains(finding.fingerprint.as_str()) {
                finding.suppression = Some(Suppression::Baseline);
            }
        }
    }
}
