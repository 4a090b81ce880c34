//! Lines that people type: read, judged, handed to a bash that lives as long as the session.

use super::ask::{self, Answer};
use super::{BLOCKED, DECLINED, failed};
use crate::source;
use crate::{Failure, output};
use aegish_exec::{Bash, Ended, Environment, Outcome, Shell, Terminal};
use aegish_guard::{Observed, OsMachine, Pinning, Request, Role, Session, check_in};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

static MACHINE: OsMachine = OsMachine;

pub(crate) fn run() -> Result<u8, Failure> {
    let bash = Bash::in_path(std::env::var_os("PATH").as_deref()).map_err(failed)?;
    let environment = Environment::inherited(std::env::vars_os());
    let terminal = Terminal::of_stdin().map_err(failed)?;
    let mut shell = Shell::start(&bash, &environment, terminal, &mark()?).map_err(failed)?;
    let mut session = Session::new();
    let config = Config::builder().bracketed_paste(true).build();
    let mut editor: Editor<(), MemHistory> =
        Editor::with_history(config, MemHistory::new()).map_err(failed)?;
    let mut status = 0;
    loop {
        let line = match editor.readline("aegish> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                status = 130;
                continue;
            }
            Err(ReadlineError::Eof) => "exit".to_owned(),
            Err(error) => return Err(failed(error)),
        };
        if line.trim().is_empty() {
            continue;
        }
        let machine = Pinning::new(&MACHINE);
        let mut context = source::surroundings(None).at(&shell.last().cwd).context(&machine);
        context.interactive = true;
        let request =
            Request { text: line.as_bytes(), context: &context, role: Role::Default, judge: None };
        let (decision, after) = check_in(&session, &request);
        let consent = match ask::decide(&decision, &line) {
            Answer::Go(consent) => consent,
            Answer::Blocked => {
                status = BLOCKED;
                continue;
            }
            Answer::Declined => {
                status = DECLINED;
                continue;
            }
        };
        let Some(permit) = decision.permit(consent, machine.take()) else { continue };
        match shell.run(&permit) {
            Ok(report) => {
                status = report.status;
                session = after;
                let last_word = session.last_word().unwrap_or_default().to_owned();
                session.observe(&Observed {
                    variables: report.variables.clone(),
                    aliases: report.aliases.clone(),
                });
                session.settle(&MACHINE);
                shell.set_last_word(last_word.as_bytes());
            }
            Err(Ended::Gone(outcome)) => {
                return Ok(match outcome {
                    Outcome::Exited(status) => status,
                    Outcome::Killed(_) => outcome.status(),
                });
            }
            Err(Ended::Changed(changed)) => output::complain(&changed.to_string()),
            Err(error @ Ended::Broken(_)) => return Err(failed(error)),
        }
        let _ = status;
    }
}

/// A random word that no line can print.
fn mark() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
