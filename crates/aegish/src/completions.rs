//! `aegish completions`: scripts made from the definition of the command line.

use crate::args::{Arguments, CompletedShell};
use aegish_terminal::{ExitKind, Failure, Screen};
use clap::CommandFactory;
use clap_complete::{Shell, generate};

pub(crate) fn run(shell: CompletedShell, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let shell = match shell {
        CompletedShell::Bash => Shell::Bash,
        CompletedShell::Zsh => Shell::Zsh,
        CompletedShell::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "aegish", &mut script);
    screen.put(String::from_utf8_lossy(&script).trim_end()).end();
    Ok(ExitKind::Allow)
}
