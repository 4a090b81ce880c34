//! `aegish man-pages`: manual pages made from the definition of the command line, one for each task.

use crate::args::Arguments;
use aegish_terminal::{ExitKind, Failure, Screen};
use clap::CommandFactory;
use std::path::Path;

pub(crate) fn run(dir: &Path, screen: &mut Screen) -> Result<ExitKind, Failure> {
    clap_mangen::generate_to(Arguments::command(), dir).map_err(|error| {
        Failure::internal(format!("not all pages were written to {}: {error}", dir.display()))
    })?;
    screen.put(format_args!("wrote the manual pages to {}", dir.display())).end();
    Ok(ExitKind::Allow)
}
