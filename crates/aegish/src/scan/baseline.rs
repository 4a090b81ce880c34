//! A baseline: the findings of an earlier scan, which do not count again.

use super::judged::{JudgedFile, Suppression};
use crate::Failure;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The form of the file.
const VERSION: u32 = 1;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

/// A finding; all but the fingerprint is for people.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    path: String,
    rule: String,
    reason: String,
    fingerprint: String,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let failed = |error: String| {
            Failure::usage(format!("nothing was scanned: the baseline {}: {error}", path.display()))
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
    pub(super) fn of(files: &[JudgedFile]) -> Self {
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

    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let failed = |error: String| {
            Failure::internal(format!("the baseline {} was not written: {error}", path.display()))
        };
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.to_string()))?;
        fs::write(path, text + "\n").map_err(|error| failed(error.to_string()))
    }

    /// Marks the findings that are in the baseline.
    pub(super) fn mark(&self, files: &mut [JudgedFile]) {
        let known: HashSet<&str> =
            self.findings.iter().map(|one| one.fingerprint.as_str()).collect();
        for finding in files.iter_mut().flat_map(|file| &mut file.findings) {
            if finding.suppression.is_none() && known.contains(finding.fingerprint.as_str()) {
                finding.suppression = Some(Suppression::Baseline);
            }
        }
    }
}
