//! Limits that the kernel holds for bash and all that it starts, from the settings.

use crate::Failure;
use aegish_config::{Config, ConfigSource, Mode};
use aegish_guard::Role;
use aegish_kernel::{Confinement, Limit};
use aegish_sandbox::{FileProfile, Scope, rules};
use nix::sys::resource::Resource;
use nix::unistd::{User, geteuid};
use std::env;
use std::path::{Path, PathBuf};

/// The limits of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelLimits {
    /// Which files are closed; none if that is off.
    pub(crate) files: Option<FileProfile>,
    cores: CoreFiles,
}

/// Whether a crash leaves the memory of the program in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoreFiles {
    Kept,
    None,
}

impl KernelLimits {
    /// No limit.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { files: None, cores: CoreFiles::Kept }
    }

    /// Those of a configuration.
    pub(crate) fn of(config: &Config, role: Role) -> Self {
        let word = |name| match config.row(name) {
            // An administrator needs sudo, which these limits disable.
            Some(row) if row.source == ConfigSource::BuiltIn && role == Role::Sysadmin => "off",
            _ => config.word(name),
        };
        let files = match word("AEGISH_FILES") {
            "open" => Some(FileProfile::Open),
            "home" => Some(FileProfile::Home),
            "project" => Some(FileProfile::Project),
            "readonly" => Some(FileProfile::ReadOnly),
            _ => None,
        };
        let cores = match config.mode() {
            Mode::Development => CoreFiles::Kept,
            Mode::Production => CoreFiles::None,
        };
        Self { files, cores }
    }

    /// Whether set-user-ID programs such as sudo get no rights.
    pub(crate) fn take_rights(&self) -> bool {
        self.files.is_some()
    }

    /// One line about them.
    pub(crate) fn summary(&self, config: &Config) -> String {
        match self.files {
            None => NO_KERNEL_LIMITS.to_owned(),
            Some(_) => format!("held by the kernel: files {}", config.word("AEGISH_FILES")),
        }
    }

    /// What bash puts on itself before it runs. Fails if the kernel does not give what is set.
    pub(crate) fn confinement(&self, config: &Config) -> Result<Confinement, Failure> {
        let mut confinement = Confinement::none();
        if self.cores == CoreFiles::None {
            confinement.limit([Limit { resource: Resource::RLIMIT_CORE, most: 0 }]);
        }
        if let Some(profile) = self.files {
            confinement.restrict_files(self.rules(profile, config)?);
        }
        Ok(confinement)
    }

    fn rules(
        &self,
        profile: FileProfile,
        config: &Config,
    ) -> Result<std::os::fd::OwnedFd, Failure> {
        let home = home(config);
        let cwd = env::current_dir().unwrap_or_default();
        let listed = config.get("AEGISH_READABLE").unwrap_or_default();
        let readable: Vec<PathBuf> = listed
            .split(',')
            .filter(|path| !path.is_empty())
            .map(|path| match (path.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => PathBuf::from(path),
            })
            .map(|path| path.canonicalize().unwrap_or(path))
            .collect();
        let guards_own: Vec<PathBuf> = [
            env::current_exe().ok(),
            config.get("AEGISH_AUDIT_DIR").map(PathBuf::from),
            config.config_dir(),
            config.state_dir(),
        ]
        .into_iter()
        .flatten()
        .collect();
        let scope = Scope {
            home: home.as_deref(),
            cwd: Path::new(&cwd),
            readable: &readable,
            guards_own: &guards_own,
        };
        rules(profile, &scope).map_err(|error| {
            Failure::internal(format!(
                "nothing was run: AEGISH_FILES is {}, but {error}; without these limits it works \
                 with AEGISH_FILES=off",
                config.word("AEGISH_FILES")
            ))
        })
    }
}

/// Shown where the kernel does not confine programs.
pub(crate) const NO_KERNEL_LIMITS: &str =
    "kernel limits are not on: a program is judged when it is started, not confined while it runs";

/// The home directory. In production that of the account: whoever starts the shell chooses the variable.
fn home(config: &Config) -> Option<PathBuf> {
    let of_account = || User::from_uid(geteuid()).ok().flatten().map(|user| user.dir);
    match config.mode() {
        Mode::Development => config.home(),
        Mode::Production => of_account().or_else(|| config.home()),
    }
}
