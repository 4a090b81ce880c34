//! Which bash is run, and whether it is the expected one.

use data_encoding::HEXLOWER;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

/// Paths of bash in production.
const FIXED: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];

/// Bytes of a script under the name of bash that are searched for the name of this program.
const SCRIPT_START: u64 = 64 * 1024;

/// A bash that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bash {
    path: PathBuf,
}

/// Why there is no bash to run. Nothing was run.
#[derive(Debug)]
pub enum NoBash {
    /// None was found.
    Missing {
        /// The paths that were searched.
        looked: String,
    },
    /// It could not be read to compare its hash.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Its hash is not the one that the configuration names.
    Different {
        /// Which.
        path: PathBuf,
        /// Its hash.
        found: String,
        /// The hash it should have.
        expected: String,
    },
}

impl fmt::Display for NoBash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { looked } => {
                write!(f, "nothing was run: there is no bash in {looked}; install bash 5")
            }
            Self::Unreadable { path, error } => {
                write!(f, "nothing was run: {} cannot be read to check it: {error}", path.display())
            }
            Self::Different { path, found, expected } => write!(
                f,
                "nothing was run: {} is not the bash that AEGISH_BASH_HASH names\n  \
                 expected {expected}\n  found    {found}\n\
                 if bash was updated, an administrator sets the new hash in /etc/aegish/config",
                path.display()
            ),
        }
    }
}

impl std::error::Error for NoBash {}

impl Bash {
    /// The first one in `PATH` that is not this program under the name of bash.
    ///
    /// # Errors
    /// If there is none.
    pub fn in_path(path: Option<&OsStr>) -> Result<Self, NoBash> {
        let path = path.unwrap_or_else(|| OsStr::new("/usr/bin:/bin"));
        let found = std::env::split_paths(path)
            .filter(|dir| dir.is_absolute())
            .map(|dir| dir.join("bash"))
            .find(|candidate| executable(candidate) && !is_guard(candidate));
        match found {
            Some(path) => Ok(Self { path }),
            None => Self::fixed()
                .map_err(|_| NoBash::Missing { looked: path.to_string_lossy().into_owned() }),
        }
    }

    /// The system's bash, independent of `PATH`.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn fixed() -> Result<Self, NoBash> {
        match FIXED.iter().map(Path::new).find(|candidate| executable(candidate)) {
            Some(path) => Ok(Self { path: path.to_path_buf() }),
            None => Err(NoBash::Missing { looked: FIXED.join(" and ") }),
        }
    }

    /// Compares its SHA-256 with the one that is expected.
    ///
    /// # Errors
    /// If it differs or cannot be read.
    pub fn verify(&self, expected: &str) -> Result<(), NoBash> {
        let found = hash(&self.path)
            .map_err(|error| NoBash::Unreadable { path: self.path.clone(), error })?;
        if found.eq_ignore_ascii_case(expected.trim()) {
            return Ok(());
        }
        let expected = expected.trim().to_owned();
        Err(NoBash::Different { path: self.path.clone(), found, expected })
    }

    /// Its SHA-256, as hexadecimal digits.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn hash(&self) -> std::io::Result<String> {
        hash(&self.path)
    }

    /// Its version, such as `5.2.21(1)-release`.
    ///
    /// # Errors
    ///
    /// If it cannot be started, or prints no version.
    pub fn version(&self) -> std::io::Result<String> {
        let output = self.version_text()?;
        let text = String::from_utf8_lossy(&output);
        let version = text.split("version ").nth(1).and_then(|rest| rest.split(' ').next());
        version
            .map(str::to_owned)
            .ok_or_else(|| std::io::Error::other("it does not say which version it is"))
    }

    /// What it prints about its version.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn version_text(&self) -> std::io::Result<Vec<u8>> {
        Ok(Command::new(&self.path).arg("--version").env_clear().output()?.stdout)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a file is this program by another name, a copy of it, or a script that names it and would start it again.
fn is_guard(candidate: &Path) -> bool {
    let own = Path::new("/proc/self/exe");
    if is_script_naming(candidate, own) {
        return true;
    }
    let (Ok(one), Ok(other)) = (own.metadata(), candidate.metadata()) else { return false };
    if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
        return true;
    }
    one.len() == other.len() && matches!((hash(own), hash(candidate)), (Ok(a), Ok(b)) if a == b)
}

/// Whether a file is a script in which the name of a program occurs.
fn is_script_naming(script: &Path, program: &Path) -> bool {
    let Some(text) = start_of_script(script) else { return false };
    let name = program.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_owned()));
    name.is_some_and(|name| {
        let name = name.as_encoded_bytes();
        text.windows(name.len()).any(|part| part == name)
    })
}

/// The first bytes of a file if it is a script.
fn start_of_script(file: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(file).ok()?;
    let mut mark = [0; 2];
    file.read_exact(&mut mark).ok()?;
    let mut text = Vec::new();
    (mark == *b"#!").then(|| file.take(SCRIPT_START).read_to_end(&mut text).ok())??;
    Some(text)
}

/// SHA-256 of a file, as hexadecimal digits.
pub(crate) fn hash(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    Ok(HEXLOWER.encode(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_hash_is_refused_and_the_right_one_is_not() -> Result<(), NoBash> {
        let bash = Bash::fixed()?;
        let found = match bash.verify("00") {
            Err(NoBash::Different { found, .. }) => found,
            other => return other,
        };
        assert_eq!(found.len(), 64);
        bash.verify(&format!(" {} ", found.to_uppercase()))
    }

    #[test]
    fn bash_reports_its_version() -> Result<(), Box<dyn std::error::Error>> {
        let version = Bash::fixed()?.version()?;
        let major = version.split('.').next().unwrap_or_default();
        assert!(major.parse::<u32>().is_ok_and(|major| major >= 3), "{version}");
        Ok(())
    }

    #[test]
    fn relative_directories_are_not_searched() {
        let path = OsStr::new(".:nowhere");
        assert!(Bash::in_path(Some(path)).is_ok_and(|bash| bash.path().is_absolute()));
    }
}
