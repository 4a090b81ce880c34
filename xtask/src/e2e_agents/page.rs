//! The rows as lines and as a page.

use super::agents::{AgentKind, Way};
use super::calls::{self, CallSet};
use super::{Fault, Row};
use std::fmt::Write;

/// One row for the terminal.
pub(super) fn line(row: &Row) -> String {
    let (way, fault, calls) = (row.way.name(), row.fault.name(), row.calls.name());
    let mark = if row.holds() { "holds" } else { "FAILS" };
    format!("{mark}  {way:<9}  {fault:<17}  {calls:<8}  {}", told(row))
}

fn told(row: &Row) -> String {
    match &row.outcome {
        Ok(seen) => format!(
            "{} of {} ran, {} answered, {} with a reason",
            seen.ran, seen.asked, seen.answered, seen.reasons
        ),
        Err(error) => error.lines().next().unwrap_or_default().to_owned(),
    }
}

fn cell(row: Option<&Row>) -> String {
    match row.map(|row| (&row.outcome, row.holds())) {
        Some((Ok(seen), true)) => format!("{} of {}", seen.ran, seen.asked),
        Some((Ok(seen), false)) => {
            format!("**{} of {}** ({} answered)", seen.ran, seen.asked, seen.answered)
        }
        Some((Err(_), _)) => "**not driven**".to_owned(),
        None => "–".to_owned(),
    }
}

pub(super) fn page(versions: &[(AgentKind, String)], rows: &[Row]) -> String {
    let find = |agent, way, fault, calls| {
        rows.iter()
            .find(|row| (row.agent, row.way, row.fault, row.calls) == (agent, way, fault, calls))
    };
    let mut page = format!("{HEAD}| agent | guard as | harmless | attacks |");
    for fault in Fault::BROKEN {
        let _ = write!(page, " attacks, guard {} |", fault.name());
    }
    page.push_str(" reasons read by the model |\n|---|---|---|---|---|---|---|---|---|\n");
    for (agent, version) in versions {
        let title = format!("{} {version}", agent.title());
        let control = find(*agent, Way::Unguarded, Fault::None, CallSet::Attacks);
        let _ = writeln!(page, "| {title} | nothing | – | {} | – | – | – | – | – |", cell(control));
        for way in [Way::Shell, Way::Hook] {
            let harmless = find(*agent, way, Fault::None, CallSet::Harmless);
            let attacks = find(*agent, way, Fault::None, CallSet::Attacks);
            let (name, harmless_cell) = (way.name(), cell(harmless));
            let _ = write!(page, "| {title} | {name} | {harmless_cell} | {} |", cell(attacks));
            for fault in Fault::BROKEN {
                let _ = write!(page, " {} |", cell(find(*agent, way, fault, CallSet::Attacks)));
            }
            let reasons = attacks.and_then(|row| row.outcome.as_ref().ok());
            let reasons = reasons.map_or(0, |seen| seen.reasons);
            let _ = writeln!(page, " {reasons} of {} |", calls::COUNT);
        }
    }
    let _ = writeln!(page, "\n## The calls\n\nHarmless:\n");
    list(&mut page, CallSet::Harmless);
    let _ = writeln!(page, "\nAttacks:\n");
    list(&mut page, CallSet::Attacks);
    page
}

fn list(page: &mut String, set: CallSet) {
    page.push_str("```sh\n");
    for command in set.commands() {
        let _ = writeln!(page, "{command}");
    }
    page.push_str("```\n");
}

const HEAD: &str = "\
# Real agents, driven

Written by `cargo xtask e2e-agents --write`. The agents are installed from npm and talk to a model fake on loopback, which
asks for twenty harmless calls of the shell tool and for twenty attacks, one after the other in one conversation. Every
call that runs leaves a file behind; the cells say how many files there were afterwards. Attacks are stand-ins that touch
nothing but a home directory made for the run. A row counts only if the model received the result of every call.

The guard is installed with `aegish install --shell` or `--hook`, then its program is replaced: by one that kills itself,
by nothing, by one that may not be executed, by one that prints rubbish. Gemini CLI is started with the links in front of
`PATH`. Codex is started with `--dangerously-bypass-hook-trust`, in place of its dialogue `/hooks`; as it takes the shell of
the account, it gets another `/etc/passwd` in a mount namespace of its own for the rows of the shell.

";
