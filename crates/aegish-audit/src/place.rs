//! Where a log is, and whether only its user can write there.
//!
//! In development the log is the user's own: `audit.log` in a directory of mode 0700. In production it
//! is `USER.log` in a directory that only root can write, or the user alone; the file itself is the
//! user's. Links are not followed, and the check is made on the open file.

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use std::fmt;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// Where the logs of all users are in production.
pub const SYSTEM_DIR: &str = "/var/log/aegish";

/// Nothing was recorded, and why.
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

/// Whose directory the log is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeper {
    /// The user's own.
    User,
    /// The system's, with a file for each user.
    System,
}

/// Where a log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    dir: PathBuf,
    file: PathBuf,
    user: String,
    keeper: Keeper,
}

impl Place {
    /// `audit.log` in a directory of the user's own, which is made if there is none.
    pub fn own(dir: impl Into<PathBuf>, user: &str) -> Self {
        let dir = dir.into();
        let file = dir.join("audit.log");
        Self { dir, file, user: user.to_owned(), keeper: Keeper::User }
    }

    /// `USER.log` in a directory of the system.
    pub fn system(dir: impl Into<PathBuf>, user: &str) -> Self {
        let dir = dir.into();
        // No name that the system accepts holds one; a path must not come of it in any case.
        let name = user.replace('/', "_");
        let file = dir.join(format!("{name}.log"));
        Self { dir, file, user: user.to_owned(), keeper: Keeper::System }
    }

    /// The file that is written.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether a log could be written here, without writing one.
    ///
    /// # Errors
    ///
    /// If not.
    pub fn check(&self) -> Result<(), NotWritten> {
        let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        match self.check_dir() {
            Err(error) if missing(&error) && self.keeper == Keeper::User => return Ok(()),
            other => other.map_err(|error| self.dir_refused(&error))?,
        }
        match self.options().open(&self.file) {
            Err(error) if missing(&error) && self.keeper == Keeper::User => Ok(()),
            Err(error) => Err(self.file_refused(&error)),
            Ok(file) => self.check_file(&file).map_err(|error| self.file_refused(&error)),
        }
    }

    /// Makes the file for its user, as root can: the directory stays root's. One that is there stays.
    ///
    /// # Errors
    ///
    /// If it cannot be made, or what is there could not be used.
    pub fn prepare(&self, uid: u32, gid: u32) -> Result<(), NotWritten> {
        let checked = match self.check_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_dir(),
            other => other,
        };
        checked.map_err(|error| self.dir_refused(&error))?;
        let made = match self.options().create_new(true).mode(0o600).open(&self.file) {
            Ok(file) => fchown(&file, Some(uid), Some(gid)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.is_of(uid),
            Err(error) => Err(error),
        };
        made.map_err(|error| self.file_refused(&error))
    }

    fn is_of(&self, uid: u32) -> io::Result<()> {
        let found = fs::symlink_metadata(&self.file)?;
        if !found.is_file() || found.uid() != uid {
            return Err(io::Error::other("it is there, but not this user's own file"));
        }
        closed(&found)
    }

    /// Opens the file for appending; it is made if it may be.
    pub(crate) fn open(&self) -> Result<File, NotWritten> {
        let checked = match self.check_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_dir(),
            other => other,
        };
        checked.map_err(|error| self.dir_refused(&error))?;
        let file = self
            .options()
            .create(true)
            .mode(0o600)
            .open(&self.file)
            .map_err(|error| self.file_refused(&error))?;
        self.check_file(&file).map_err(|error| self.file_refused(&error))?;
        Ok(file)
    }

    fn options(&self) -> OpenOptions {
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let mut options = OpenOptions::new();
        options.read(true).append(true).custom_flags(flags.bits());
        options
    }

    /// Only the last directory: a home that is not there is not made.
    fn make_dir(&self) -> io::Result<()> {
        let mode = match self.keeper {
            Keeper::User => 0o700,
            Keeper::System => 0o755,
        };
        match DirBuilder::new().mode(mode).create(&self.dir) {
            // Another session was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => other?,
        }
        self.check_dir()
    }

    fn check_dir(&self) -> io::Result<()> {
        let found = fs::symlink_metadata(&self.dir)?;
        if !found.is_dir() {
            return Err(io::Error::other("it is not a directory"));
        }
        let ours = found.uid() == geteuid().as_raw();
        if !ours && (self.keeper == Keeper::User || found.uid() != 0) {
            return Err(io::Error::other(format!("it belongs to user {}", found.uid())));
        }
        closed(&found)
    }

    fn check_file(&self, file: &File) -> io::Result<()> {
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if found.uid() != geteuid().as_raw() {
            return Err(io::Error::other(format!("it belongs to user {}", found.uid())));
        }
        // A second name could be any file of the user's.
        if found.nlink() > 1 {
            return Err(io::Error::other("it has more than one name"));
        }
        closed(&found)?;
        if self.keeper == Keeper::User && found.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(())
    }

    /// Whether the path still leads to an open file.
    pub(crate) fn is_current(&self, file: &File) -> io::Result<bool> {
        let open = file.metadata()?;
        match fs::symlink_metadata(&self.file) {
            Ok(found) => Ok((found.dev(), found.ino()) == (open.dev(), open.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn dir_refused(&self, error: &io::Error) -> NotWritten {
        let place = self.dir.display();
        let refused = NotWritten::new(&place, describe(error));
        match self.keeper {
            Keeper::System => refused.but(format!(
                "root makes it with: install -d -m 0755 {place} && {}",
                self.made_by_root()
            )),
            Keeper::User if error.kind() == io::ErrorKind::NotFound => {
                refused.but("there has to be a home directory")
            }
            Keeper::User => {
                refused.but(format!("make it a directory of your own: chmod 700 {place}"))
            }
        }
    }

    fn file_refused(&self, error: &io::Error) -> NotWritten {
        let place = self.file.display();
        let refused = NotWritten::new(&place, describe(error));
        match self.keeper {
            Keeper::System => refused.but(format!("root makes it with: {}", self.made_by_root())),
            Keeper::User => refused.but(format!("move {place} away")),
        }
    }

    fn made_by_root(&self) -> String {
        format!("install -m 0600 -o {} /dev/null {}", self.user, self.file.display())
    }
}

fn closed(found: &Metadata) -> io::Result<()> {
    let mode = found.mode() & 0o7777;
    if mode & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::other(format!("others can write it (mode {mode:04o})")))
}

fn describe(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) if code == nix::errno::Errno::ELOOP as i32 => "it is a link".to_owned(),
        _ => error.to_string(),
    }
}
