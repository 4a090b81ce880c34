//! The bundle of this machine: the last good one, and the highest number that was ever taken.
//!
//! `bundle.toml` is what the guard reads. `highest` outlives it, so that removing the bundle does not open the way for an
//! older one. The number is written first: if the machine dies in between, the same bundle is taken again.

use std::fs;
use std::path::{Path, PathBuf};

use aegish_config::SystemDirectory;
use aegish_private_files::{Missing, Owner, read_trusted, replace_file};

use crate::bundle::{LONGEST, Refused, SignedBundle};
use crate::key::PublicKey;

/// Everybody reads the policy.
const MODE: u32 = 0o644;
const DIR_MODE: u32 = 0o755;

/// What became of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installed {
    /// It is in force from now on.
    New,
    /// It was in force before.
    Same,
}

/// The directory with the bundle.
#[derive(Debug, Clone)]
pub struct BundleStore {
    dir: PathBuf,
    bundle: PathBuf,
    owner: u32,
}

/// The highest bundle that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Highest {
    fleet: String,
    version: u64,
    hash: String,
}

impl BundleStore {
    /// The store of a machine.
    #[must_use]
    pub fn new(system: &SystemDirectory) -> Self {
        Self { dir: system.fleet(), bundle: system.bundle(), owner: system.owner() }
    }

    /// The bundle in force, which may be over its time.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not what was signed.
    pub fn current(&self, keys: &[PublicKey]) -> Result<Option<SignedBundle>, String> {
        match self.read(&self.bundle)? {
            None => Ok(None),
            Some(bytes) => {
                SignedBundle::verify(&bytes, keys).map(Some).map_err(|refused| refused.to_string())
            }
        }
    }

    /// Whether a bundle may follow those that were taken before.
    ///
    /// # Errors
    ///
    /// If not, or if the record of them cannot be read.
    pub fn follows(&self, bundle: &SignedBundle) -> Result<Installed, String> {
        let SignedBundle { head, hash, .. } = bundle;
        let Some(highest) = self.highest()? else { return Ok(Installed::New) };
        let refused = if highest.fleet != head.fleet {
            Refused::OtherFleet { found: head.fleet.clone(), wanted: highest.fleet }
        } else if head.version < highest.version {
            Refused::RolledBack { found: head.version, highest: highest.version }
        } else if head.version == highest.version && highest.hash != *hash {
            Refused::Twice(head.version)
        } else {
            let text = self.read(&self.bundle)?;
            let same = text.is_some_and(|text| text == bundle.text.as_bytes());
            return Ok(if same { Installed::Same } else { Installed::New });
        };
        Err(refused.to_string())
    }

    /// Puts a bundle into force, if it may follow.
    ///
    /// # Errors
    ///
    /// If it may not, or cannot be written. The last one then stays in force.
    pub fn install(&self, bundle: &SignedBundle) -> Result<Installed, String> {
        let installed = self.follows(bundle)?;
        if installed == Installed::Same {
            return Ok(installed);
        }
        self.make_directory()?;
        let SignedBundle { head, hash, text, .. } = bundle;
        let line = format!("{} {} {hash}\n", head.fleet, head.version);
        self.write(&self.highest_path(), line.as_bytes())?;
        self.write(&self.bundle, text.as_bytes())?;
        Ok(installed)
    }

    fn make_directory(&self) -> Result<(), String> {
        use std::os::unix::fs::PermissionsExt as _;
        let failed = |error: std::io::Error| format!("{}: {error}", self.dir.display());
        if !self.dir.exists() {
            fs::create_dir_all(&self.dir).map_err(failed)?;
            let mode = fs::Permissions::from_mode(DIR_MODE);
            fs::set_permissions(&self.dir, mode).map_err(failed)?;
        }
        Ok(())
    }

    fn highest(&self) -> Result<Option<Highest>, String> {
        let path = self.highest_path();
        let Some(bytes) = self.read(&path)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let words: Vec<&str> = text.split_whitespace().collect();
        let read = match words[..] {
            [fleet, version, hash] => version.parse().ok().map(|version| Highest {
                fleet: fleet.to_owned(),
                version,
                hash: hash.to_owned(),
            }),
            _ => None,
        };
        // Without the number an old bundle could come back.
        read.map(Some).ok_or_else(|| {
            format!("{} cannot be read; write FLEET VERSION HASH into it", path.display())
        })
    }

    fn highest_path(&self) -> PathBuf {
        self.dir.join("highest")
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        let owner = Owner::Only(self.owner);
        read_trusted(path, owner, Some(owner), LONGEST + 1).map_err(|error| error.to_string())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        replace_file(path, bytes, MODE, Missing::Fail)
            .map_err(|error| format!("{} was not written: {error}", path.display()))
    }
}
