//! Permit → bash: runs exactly what was judged, and says how it ended.
//!
//! Takes a [`Permit`], which only the guard can make, and hands its bytes to a real bash: once
//! ([`run`]) or as a line of a persistent interactive one ([`Shell`]). It judges nothing, changes no
//! byte, and never lets bash read code that was not judged (start-up files, `BASH_ENV`, functions in
//! the environment).
//!
//! Has `unsafe` for what happens between fork and exec.

mod ask;
mod bash;
mod child_stack;
mod closed;
mod complete;
mod descent;
mod ended;
mod environment;
mod gate;
mod hangup;
mod history;
mod interrupt;
mod key_bindings;
mod once;
mod options;
mod outcome;
mod pin;
mod prompts;
mod quiet_stops;
mod reading;
mod report;
mod script;
mod shell;
mod signals;
mod spawn;
mod system_completion;
mod terminal;
mod text;
mod told;

pub use aegish_guard::Permit;
pub use bash::{Bash, NoBash};
pub use complete::{CompletedCommand, CompletionCode, Completions, Names};
pub use ended::Ended;
pub use environment::{Environment, Removed};
pub use interrupt::Interrupts;
pub use key_bindings::KeyBindings;
pub use once::{Call, CallForm, NotRun, Stops, end_as, run};
pub use options::{BashOptions, Refused, Sign};
pub use outcome::Outcome;
pub use pin::{Changed, ChangedPart};
pub use report::{ChangedVariables, Report};
pub use script::FoundScript;
pub use shell::Shell;
pub use system_completion::{SystemCompletions, system_completions};
pub use terminal::Terminal;
pub use told::ToldState;
