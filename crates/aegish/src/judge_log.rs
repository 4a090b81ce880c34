//! `aegish judge-log`: judges commands that other programs recorded.

use crate::configuration;
use aegish_records::JudgeLogOptions;
use aegish_terminal::{ExitKind, Failure, Screen};

pub(crate) fn run(options: &JudgeLogOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let role = options.role.map_or_else(|| configuration::role(&config), Ok)?;
    aegish_records::run(options, role, screen)
}
