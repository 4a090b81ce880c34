//! `aegish bench retry`: samples that timed out or failed, asked again and merged into their log.

use crate::progress::ProgressDisplay;
use crate::results;
use crate::run::{AskOptions, RuleOptions, system_of, variable};
use aegish_bench::run::{Budget, Repair, RunSession, RunSettings, stop_on_signals};
use aegish_bench::system::{KeepBodies, RequestStyle, SystemBuilder, Thinking};
use aegish_guard::Role;
use aegish_judge::Prompt;
use aegish_terminal::{ExitKind, Failure, Screen, complain, visible};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct RetryOptions {
    /// Logs with samples that timed out or failed
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// Whom to ask instead of the system that the log names
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
}

pub(crate) fn run(options: &RetryOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let settings = options.rules.settings()?;
    let session = RunSession::new(Path::new("."), Budget::new(settings.cost_limit), None);
    if let Err(error) = stop_on_signals(&session.stop) {
        complain(&format!("Ctrl-C will end the run without a last word: {error}"));
    }
    let mut complete = true;
    for log in &options.logs {
        if session.stop.is_over() {
            complete = false;
            break;
        }
        if let Err(failure) = repair_log(log, options, &settings, &session, screen) {
            complete = false;
            complain(&format!("{}: {}", log.display(), failure.message));
        }
    }
    if complete {
        return Ok(ExitKind::Allow);
    }
    Err(Failure::internal("not every log was repaired"))
}

fn repair_log(
    path: &Path,
    options: &RetryOptions,
    settings: &RunSettings,
    session: &RunSession,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::internal(error.to_string());
    let repair = Repair::of(path).map_err(|error| fail(&error))?;
    let name = visible(&path.display().to_string());
    let (lost, samples) = (repair.lost(), repair.samples());
    if lost == 0 {
        screen.put(format_args!("{name}: nothing to repair among {samples} samples\n"));
        return Ok(());
    }
    let header = repair.header();
    let system = system_of(options.system.as_deref().unwrap_or(&header.eval.model))?;
    let system = builder(&repair)?.build(&system).map_err(|error| fail(&error))?;
    let dataset = header.eval.dataset.name.clone().unwrap_or_default();
    let label = header.eval.model.clone();
    let display = ProgressDisplay::default();
    let progress = repair.progress();
    let limiter = session.limiter(&*system, settings.max_connections);
    display.begin(display.add(&label, lost), progress.clone(), Some(limiter));
    let display_thread = display.show();
    let ended = repair.run(system, settings, session, progress);
    display_thread.end();
    let (outcome, repaired) = ended.map_err(|error| fail(&error))?;
    screen.put(format_args!("{name}: {repaired} of {lost} samples repaired\n"));
    results::show(
        &[results::ResultRow { system: &label, dataset: &dataset, outcome: &outcome }],
        screen,
    );
    match outcome.reason {
        None => Ok(()),
        Some(_) => Err(Failure::internal("stopped before all samples were asked about again")),
    }
}

/// Uses the prompt and settings of the log, so that new answers are comparable with the old ones.
fn builder(repair: &Repair) -> Result<SystemBuilder<'static>, Failure> {
    let header = repair.header();
    let generate = &header.eval.model_generate_config;
    let role = header.eval.metadata.get("role").and_then(|role| role.as_str());
    let style = header.eval.metadata.get("asks_as").and_then(|style| style.as_str());
    let asking = AskOptions {
        style: style.and_then(RequestStyle::from_name),
        cot: false,
        system_prompt: None,
        role: role.and_then(|role| role.parse().ok()).unwrap_or(Role::Default),
        max_tokens: generate.get("max_tokens").and_then(|n| u32::try_from(n.as_u64()?).ok()),
        batch: false,
        log_bodies: false,
    };
    let step_by_step = header.solvers.iter().any(|solver| solver.ends_with("chain_of_thought"));
    let thinking = if step_by_step { Thinking::StepByStep } else { Thinking::Direct };
    let seed = generate.get("seed").and_then(serde_json::Value::as_i64);
    let built = asking.builder(&variable)?;
    let prompt = match &header.prompt {
        Some(text) => Prompt::with_role(text, Role::Default),
        None => built.prompt.clone(),
    };
    Ok(SystemBuilder { prompt, thinking, seed, bodies: KeepBodies::No, ..built })
}
