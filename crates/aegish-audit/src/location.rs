//! The path of a log, and the check that only its user can write there.
//!
//! In development the log belongs to the user: `audit.log` in a directory of mode 0700. In production it is
//! `USER.log` in a directory of root or of the user that no other user can write; the file belongs to the
//! user. `aegish-private-files` does the checks.

use aegish_private_files::{Error, LockedFile, Missing, Owner, PrivateDir};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of all logs in production.
pub const SYSTEM_DIR: &str = "/var/log/aegish";

/// Why nothing was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotWritten {
    pub(crate) place: String,
    pub(crate) why: String,
    pub(crate) remedy: Option<String>,
}

impl NotWritten {
    pub(crate) fn new(place: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self { place: place.to_string(), why: why.to_string(), remedy: None }
    }

    fn but(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the audit log was not written: {}: {}", self.place, self.why)?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NotWritten {}

/// A process that holds the lock for longer does so on purpose.
pub(crate) const LONGEST_LOCK: Duration = Duration::from_secs(5);

/// The owner of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectoryOwner {
    User,
    /// The system's, with a file for each user.
    System,
}

/// The path of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLocation {
    dir: PathBuf,
    file: PathBuf,
    user: String,
    owner: DirectoryOwner,
}

impl LogLocation {
    /// `audit.log` in a directory of the user, which is created if it is missing.
    pub fn own(dir: impl Into<PathBuf>, user: &str) -> Self {
        let dir = dir.into();
        let file = dir.join("audit.log");
        Self { dir, file, user: user.to_owned(), owner: DirectoryOwner::User }
    }

    /// `USER.log` in a directory of the system.
    pub fn system(dir: impl Into<PathBuf>, user: &str) -> Self {
        let dir = dir.into();
        // The system accepts no name with a slash; the check makes sure that the name cannot become a path.
        let name = user.replace('/', "_");
        let file = dir.join(format!("{name}.log"));
        Self { dir, file, user: user.to_owned(), owner: DirectoryOwner::System }
    }

    /// The file that is written.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Its name in the directory.
    pub(crate) fn name(&self) -> &OsStr {
        self.file.file_name().unwrap_or_default()
    }

    /// Whether a log could be written here, without writing one.
    ///
    /// # Errors
    ///
    /// If not.
    pub fn check(&self) -> Result<(), NotWritten> {
        let own = self.owner == DirectoryOwner::User;
        let dir = match self.directory(Missing::Fail) {
            Err(error) if error.is_not_found() && own => return Ok(()),
            other => other.map_err(|error| self.dir_refused(&error))?,
        };
        match dir.check_append(self.name()) {
            Ok(exists) if exists || own => Ok(()),
            Ok(_) => Err(self.file_remedy("it does not exist")),
            Err(error) => Err(self.file_refused(&error)),
        }
    }

    /// Creates the file for its user, as root can: the directory stays root's. One that is there stays.
    ///
    /// # Errors
    ///
    /// If it cannot be created, or what is there could not be used.
    pub fn prepare(&self, uid: u32, gid: u32) -> Result<(), NotWritten> {
        let dir = self.open_or_create()?;
        dir.create_for(self.name(), uid, gid).map_err(|error| self.file_refused(&error))
    }

    /// Only the last directory is created; a missing home directory is not.
    pub(crate) fn open_or_create(&self) -> Result<PrivateDir, NotWritten> {
        let mode = match self.owner {
            DirectoryOwner::User => 0o700,
            DirectoryOwner::System => 0o755,
        };
        self.directory(Missing::Create(mode)).map_err(|error| self.dir_refused(&error))
    }

    fn directory(&self, missing: Missing) -> Result<PrivateDir, Error> {
        let owner = match self.owner {
            DirectoryOwner::User => Owner::user(),
            DirectoryOwner::System => Owner::user_or_root(),
        };
        PrivateDir::open(&self.dir, owner, missing)
    }

    /// Opens the file for appending and locks it; creates it if it does not exist.
    pub(crate) fn lock(&self, dir: &PrivateDir) -> Result<LockedFile, NotWritten> {
        let refused = |error: Error| self.file_refused(&error);
        let file = dir.lock(self.name(), LONGEST_LOCK).map_err(refused)?;
        // In production, root may give a group read access.
        if self.owner == DirectoryOwner::User {
            file.hide_from_others().map_err(refused)?;
        }
        Ok(file)
    }

    fn dir_refused(&self, error: &Error) -> NotWritten {
        let refused = NotWritten::new(error.path().display(), error.problem());
        let place = self.dir.display();
        match (self.owner, error.remedy()) {
            // The problem is a directory above.
            (_, Some(remedy)) if error.path() != self.dir => refused.but(remedy),
            (DirectoryOwner::System, _) => refused.but(format!(
                "root makes it with: install -d -m 0755 {place} && {}",
                self.made_by_root()
            )),
            (DirectoryOwner::User, _) if error.is_not_found() => {
                refused.but("there has to be a home directory")
            }
            (DirectoryOwner::User, _) => {
                refused.but(format!("make it a directory of your own: chmod 700 {place}"))
            }
        }
    }

    pub(crate) fn file_refused(&self, error: &Error) -> NotWritten {
        self.file_remedy(error.problem())
    }

    fn file_remedy(&self, why: impl fmt::Display) -> NotWritten {
        let place = self.file.display();
        let refused = NotWritten::new(&place, why);
        match self.owner {
            DirectoryOwner::System => {
                refused.but(format!("root makes it with: {}", self.made_by_root()))
            }
            DirectoryOwner::User => refused.but(format!("move {place} away")),
        }
    }

    fn made_by_root(&self) -> String {
        format!("install -m 0600 -o {} /dev/null {}", self.user, self.file.display())
    }
}
