//! How a task of the command line ends.

/// Exit status of a run; see `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitKind {
    /// The command may run, or the task other than a verdict is done.
    Allow,
    /// A person has to be asked first.
    Warn,
    /// It must not run.
    Block,
    /// The arguments make no sense.
    Usage,
    /// Another error; nothing was approved.
    Failure,
    /// No bash was found.
    NoBash,
}

impl ExitKind {
    /// The status of the process.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Warn => 10,
            Self::Block => 20,
            Self::Usage => 2,
            Self::Failure => 3,
            Self::NoBash => 127,
        }
    }
}

/// Why a run ended without doing its work.
#[derive(Debug)]
pub struct Failure {
    /// The exit status.
    pub ending: ExitKind,
    /// What did not happen, and what to do.
    pub message: String,
}

impl Failure {
    /// The arguments or the configuration make no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { ending: ExitKind::Usage, message: message.into() }
    }

    /// Another error.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { ending: ExitKind::Failure, message: message.into() }
    }
}
