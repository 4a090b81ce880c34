//! `aegish doctor`: checks the installation, and says what to do about problems.

mod agent;
mod hooks;
mod places;
mod system;

use crate::args::Format;
use crate::user_rules::UserRules;
use crate::{config, configuration};
use aegish_agents::Agent;
use aegish_config::Config;
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::Args;
use serde::Serialize;

#[derive(Args)]
pub(crate) struct DoctorOptions {
    /// Also ask every model about a harmless command
    #[arg(long)]
    pub(crate) online: bool,
    /// Only look at the guard of this coding agent: try it, and break it on purpose
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<Agent>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    /// As it should be.
    Ok,
    /// No problem, but worth knowing.
    Note,
    /// A problem to be fixed.
    Problem,
}

/// One check with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct CheckResult {
    area: &'static str,
    state: Health,
    what: String,
    remedy: Option<String>,
}

impl CheckResult {
    fn ok(area: &'static str, what: impl Into<String>) -> Self {
        Self { area, state: Health::Ok, what: what.into(), remedy: None }
    }

    fn note(area: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, state: Health::Note, what: what.into(), remedy: Some(remedy.into()) }
    }

    fn problem(area: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, state: Health::Problem, what: what.into(), remedy: Some(remedy.into()) }
    }
}

pub(crate) fn run(options: &DoctorOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let mut findings = Vec::new();
    let config = configured(&mut findings);
    if let (Some(agent), Some(config)) = (options.agent, &config) {
        findings = agent::guard_of(agent, config);
        return report(&findings, options, screen);
    }
    findings.extend(system::bash(config.as_ref()));
    findings.extend(system::kernel(config.as_ref()));
    if let Some(config) = &config {
        findings.extend(system::models(config, options.online));
        findings.extend(places::own(config));
        findings.extend(places::audit(config));
        findings.extend(hooks::of_agents(config));
    }
    findings.extend(places::login_shell());
    report(&findings, options, screen)
}

fn report(
    findings: &[CheckResult],
    options: &DoctorOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let sick = findings.iter().any(|finding| finding.state == Health::Problem);
    match options.format {
        Format::Text => show(findings, screen),
        Format::Json => {
            let json = serde_json::to_string(findings)
                .map_err(|error| Failure::internal(format!("nothing was listed: {error}")))?;
            screen.put(json).end();
        }
    }
    Ok(if sick { ExitKind::Failure } else { ExitKind::Allow })
}

/// The configuration, with its problems and notes.
fn configured(findings: &mut Vec<CheckResult>) -> Option<Config> {
    const AREA: &str = "configuration";
    let mend = "mend the line that is named, then run `aegish config check`";
    let config = match configuration::read() {
        Ok(config) => config,
        Err(problems) => {
            let each = problems.0.iter().map(ToString::to_string);
            findings.extend(each.map(|problem| CheckResult::problem(AREA, problem, mend)));
            return None;
        }
    };
    let files: Vec<String> = config.files().iter().map(|path| path.display().to_string()).collect();
    let read = if files.is_empty() { "no file".to_owned() } else { files.join(", ") };
    let (mode, role) = (config.mode().as_str(), config.word("AEGISH_ROLE"));
    findings.push(CheckResult::ok(AREA, format!("{mode}, role {role}, from {read}")));
    let wrong = config::problems(&config);
    findings.extend(wrong.into_iter().map(|problem| CheckResult::problem(AREA, problem, mend)));
    for note in config.notes() {
        let remedy = "remove it where it is set, if it is not meant to tighten anything";
        findings.push(CheckResult::note(AREA, note.to_string(), remedy));
    }
    let user_rules = UserRules::of(&config);
    if !config.rules().is_empty() {
        let count = user_rules.rules().len();
        findings.push(CheckResult::ok("rules", format!("{count} added by people count now")));
    }
    for note in user_rules.notes() {
        findings.push(CheckResult::problem(
            "rules",
            note,
            "`aegish policy test` tries all of them",
        ));
    }
    Some(config)
}

fn show(findings: &[CheckResult], screen: &mut Screen) {
    let width = findings.iter().map(|finding| finding.area.len()).max().unwrap_or(0);
    for finding in findings {
        let (style, word) = match finding.state {
            Health::Ok => (Style::Good, "ok"),
            Health::Note => (Style::Doubtful, "note"),
            Health::Problem => (Style::Bad, "problem"),
        };
        screen.paint(style, format_args!("{word:<7}")).put("  ");
        screen.paint(Style::Strong, format_args!("{:<width$}", finding.area)).put("  ");
        screen.put(visible(&finding.what)).end();
        if let Some(remedy) = &finding.remedy {
            let indent = " ".repeat(7 + 2 + width + 2);
            screen.put(indent).paint(Style::Faint, visible(remedy)).end();
        }
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let (problems, notes) = (count(Health::Problem), count(Health::Note));
    screen.end();
    screen.put(format_args!("{} looked at, {problems} to mend, {notes} to know", findings.len()));
    screen.end();
}
