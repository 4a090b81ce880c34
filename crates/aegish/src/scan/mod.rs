//! `aegish scan`: judges the shell commands in the files of a project, in place.

mod print;

use crate::args::ScanOptions;
use crate::configuration;
use crate::user_rules::UserRules;
use aegish_guard::Action;
use aegish_scan::{Baseline, FileJudge, JudgedFile, ProjectFile, ScanError, Suppression};
use aegish_terminal::{ExitKind, Failure, Screen};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Room for the deepest nesting the parser accepts.
const STACK: usize = 8 << 20;
/// Time between two updates of the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

fn failure(error: ScanError) -> Failure {
    match error {
        ScanError::WrongPath(message) => Failure::usage(message),
        ScanError::Incomplete(message) => Failure::internal(message),
    }
}

/// The answers of a scan.
struct ScanReport {
    files: Vec<JudgedFile>,
}

impl ScanReport {
    /// Findings that count, of an action.
    fn count(&self, action: Action) -> usize {
        let findings = self.files.iter().flat_map(|file| &file.findings);
        findings.filter(|one| one.action == action && one.suppression.is_none()).count()
    }

    fn suppressed(&self, kind: fn(&Suppression) -> bool) -> usize {
        let findings = self.files.iter().flat_map(|file| &file.findings);
        findings.filter(|one| one.suppression.as_ref().is_some_and(kind)).count()
    }

    fn commands(&self) -> usize {
        self.files.iter().map(|file| file.commands).sum()
    }

    fn not_judged(&self) -> usize {
        self.files.iter().filter(|file| file.error.is_some()).count()
    }

    /// The strictest finding decides; a file that could not be judged is not approved.
    fn ending(&self, fail_on: FailOn) -> ExitKind {
        if fail_on != FailOn::Never && self.count(Action::Block) > 0 {
            ExitKind::Block
        } else if self.not_judged() > 0 {
            ExitKind::Failure
        } else if fail_on == FailOn::Warn && self.count(Action::Warn) > 0 {
            ExitKind::Warn
        } else {
            ExitKind::Allow
        }
    }
}

/// The findings that make the exit status other than 0.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// Commands that are blocked
    Block,
    /// Commands that are blocked or asked about
    Warn,
    /// None
    Never,
}

/// The form of the report.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScanFormat {
    /// For people
    Text,
    /// One object
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
}

pub(crate) fn run(options: &ScanOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let role = match options.role {
        Some(role) => role,
        None => configuration::role(&config)?,
    };
    let baseline = options
        .baseline
        .as_deref()
        .map(Baseline::read)
        .transpose()
        .map_err(failure)?
        .unwrap_or_default();
    let user_rules = UserRules::of(&config);
    let found = aegish_scan::find(&options.paths, options.no_ignore).map_err(failure)?;
    let judge = FileJudge { role, user_rules: user_rules.rules() };
    let mut report = ScanReport { files: judge_all(&found, &judge)? };
    baseline.mark(&mut report.files);
    if let Some(path) = &options.write_baseline {
        Baseline::of(&report.files).write(path).map_err(failure)?;
    }
    match options.format {
        ScanFormat::Text => print::text(&report, options.all, screen),
        ScanFormat::Github => print::annotations(&report, screen),
        ScanFormat::Json => print::json(&report, screen)?,
        ScanFormat::Sarif => {
            let document = aegish_scan::sarif::document(&report.files, env!("CARGO_PKG_VERSION"));
            print::write(&document, screen)?;
        }
    }
    Ok(report.ending(options.fail_on))
}

/// Judges all files on all cores; the answers are in the order of the files.
fn judge_all(found: &[ProjectFile], judge: &FileJudge<'_>) -> Result<Vec<JudgedFile>, Failure> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(found.len()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = found.get(number) else { return };
            let judged = judge.file(file);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, judged));
        }
    };
    let count = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| -> io::Result<()> {
        let workers: Vec<_> = (0..count)
            .map(|_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work))
            .collect::<Result<_, _>>()?;
        if io::stderr().is_terminal() {
            while workers.iter().any(|worker| !worker.is_finished()) {
                thread::sleep(PROGRESS_INTERVAL);
                print::progress(next.load(Ordering::Relaxed).min(found.len()), found.len());
            }
            print::end_progress();
        }
        Ok(())
    })
    .map_err(|error| Failure::internal(format!("nothing was judged: {error}")))?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, file)| file).collect())
}
