//! Settings of the shell, from the configuration.

use super::failed;
use super::limits::KernelLimits;
use super::refusal::{RefusalFormat, Unattended};
use crate::args::JudgeArgs;
use crate::configuration;
use crate::run::undoable::Afterwards;
use aegish_config::{Answers, Config, Mode};
use aegish_exec::{Bash, Environment, Stops};
use aegish_guard::{FailMode, JudgeMode, Role};
use aegish_judge::Judge;
use aegish_terminal::{ExitKind, Failure};
use std::env;
use std::path::PathBuf;

/// Settings of the shell.
pub(crate) struct ShellSettings {
    pub(crate) config: Config,
    pub(crate) role: Role,
    /// The answer to warnings when no person can be asked.
    pub(crate) on_warn: Answers,
    /// The answer to verdicts that are left open.
    pub(crate) fail_mode: FailMode,
    pub(crate) format: RefusalFormat,
    /// Nobody is asked.
    pub(crate) unattended: Option<Unattended>,
    pub(crate) live: bool,
    pub(crate) vi: bool,
    pub(crate) prompt: String,
    pub(crate) history: Option<PathBuf>,
    pub(crate) history_size: usize,
    /// A line that is run before the first one that is typed: the options of the call.
    pub(crate) opening: Option<String>,
    /// Limits that the kernel holds.
    pub(crate) limits: KernelLimits,
    /// Whether every text is run so that it can be undone, and what happens to its changes.
    pub(crate) undo: Option<Afterwards>,
}

impl ShellSettings {
    /// The settings of this process.
    pub(crate) fn load() -> Result<Self, Failure> {
        Self::of(configuration::load()?)
    }

    /// The settings of a configuration.
    pub(super) fn of(config: Config) -> Result<Self, Failure> {
        let format = match config.word("AEGISH_FORMAT") {
            "json" => RefusalFormat::Json,
            _ => RefusalFormat::Text,
        };
        let kept = config.count("AEGISH_HISTORY_SIZE");
        let role = configuration::role(&config)?;
        Ok(Self {
            limits: KernelLimits::of(&config, role),
            role,
            on_warn: config.answers("AEGISH_ON_WARN"),
            fail_mode: configuration::fail_mode(&config),
            format,
            unattended: None,
            live: config.is_on("AEGISH_LIVE"),
            vi: config.word("AEGISH_EDIT_MODE") == "vi",
            prompt: config.get("AEGISH_PROMPT").unwrap_or_default(),
            history: config.home().map(|home| home.join(".aegish_history")),
            history_size: usize::try_from(kept).unwrap_or(usize::MAX),
            opening: None,
            undo: None,
            config,
        })
    }

    /// Development or production.
    pub(crate) fn mode(&self) -> Mode {
        self.config.mode()
    }

    /// The bash that runs what was judged; in production the system's.
    pub(crate) fn bash(&self) -> Result<Bash, Failure> {
        let bash = match self.mode() {
            Mode::Development => Bash::in_path(env::var_os("PATH").as_deref()),
            Mode::Production => Bash::fixed(),
        }
        .map_err(|error| Failure { ending: ExitKind::NoBash, message: error.to_string() })?;
        if let Some(hash) = self.config.get("AEGISH_BASH_HASH") {
            bash.verify(&hash).map_err(failed)?;
        }
        Ok(bash)
    }

    /// The variables it gets.
    pub(crate) fn environment(&self) -> Environment {
        match self.mode() {
            Mode::Development => Environment::inherited(env::vars_os()),
            Mode::Production => Environment::restricted(env::vars_os()),
        }
    }

    /// Whether a stopped command also stops the shell and returns the terminal to its parent.
    pub(crate) fn stops(&self) -> Stops {
        match self.mode() {
            Mode::Development => Stops::HandedOn,
            Mode::Production => Stops::Undone,
        }
    }

    /// When a model is asked.
    pub(crate) fn asks(&self) -> Result<JudgeMode, Failure> {
        JudgeArgs::default().mode(&self.config)
    }

    /// The judge; `None` if no model could ever be asked.
    pub(crate) fn judge(&self) -> Result<Option<(Judge, JudgeMode)>, Failure> {
        JudgeArgs::default().for_many_commands(&self.config)
    }
}
