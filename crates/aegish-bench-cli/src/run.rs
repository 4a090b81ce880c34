//! `aegish bench run`: asks systems about data sets and writes logs.

use crate::plan::{self, BenchPlan};
use crate::progress::ProgressDisplay;
use crate::results;
use crate::worker;
use aegish_bench::queue::{Address, Coordinator, RunEnd, RunRequest, WINDOW};
use aegish_bench::run::{
    Budget, OpenTask, Opened, Progress, RemoteSolver, Resume, RevisionQuery, RunSession,
    RunSettings, StopReason, Suite, Task, TaskOutcome, stop_on_signals,
};
use aegish_bench::system::{
    Delivery, KeepBodies, RequestStyle, SystemBuilder, SystemName, Thinking, unknown_host,
};
use aegish_guard::Role;
use aegish_judge::{Prompt, Scoring};
use aegish_log::Expected;
use aegish_log::metrics::Reducer;
use aegish_terminal::{ExitKind, Failure, Screen, complain, visible};
use aegish_wire::{Client, Limits, TransportOptions};
use clap::Args;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A run that costs more asks first.
const ASKED_FROM: f64 = 1.0;

#[derive(Args)]
pub(crate) struct RunOptions {
    /// A model alone; may be repeated
    #[arg(long = "model", short, value_name = "PROVIDER/MODEL")]
    models: Vec<String>,
    /// static, guard, guard:MODEL, replay/LOG, exec:COMMAND or a model; may be repeated [default: static]
    #[arg(long = "system", short, value_name = "SYSTEM")]
    systems: Vec<String>,
    /// A list of models: `seed` has the ten of the seed's evaluation; `original` has the same, and reads answers as the
    /// original program did
    #[arg(long)]
    suite: Option<Suite>,
    /// Whose rules answers are read by: seed or original [default: the suite's, else seed]
    #[arg(long, value_name = "NAME", value_parser = scoring)]
    scoring: Option<Scoring>,
    /// One of our data sets, or a file; may be repeated [default: all of ours]
    #[arg(long = "dataset", short, value_name = "NAME|FILE")]
    datasets: Vec<String>,
    /// What is expected of rows that say nothing: block or pass
    #[arg(long)]
    expect: Option<Expected>,
    /// Put other names into the attacks, chosen by this number, and add their harmless twins
    #[arg(long, value_name = "NUMBER")]
    instantiate: Option<u64>,
    #[command(flatten)]
    asking: AskOptions,
    /// How often every sample is asked about
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// How the answers to a repeated sample become one value: mean, mode, median or max
    #[arg(long, value_name = "NAME", default_value = "mean", value_parser = reducer)]
    epochs_reducer: Reducer,
    /// Only the first N samples of each set
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    rules: RuleOptions,
    /// The folder for logs
    #[arg(long, value_name = "DIR", default_value = "logs")]
    log_dir: PathBuf,
    /// Go on with this log [default: the newest of the same task, if it was interrupted]
    #[arg(long, value_name = "LOG", conflicts_with = "fresh")]
    resume: Option<PathBuf>,
    /// Begin new logs, even if there are interrupted ones
    #[arg(long)]
    fresh: bool,
    /// Have workers ask (`aegish bench worker`), through Redis or Valkey at
    /// redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]; `bench worker --help` says more
    #[arg(long, value_name = "URL")]
    queue: Option<Address>,
    /// Say what would be asked and what it may cost, and ask nothing
    #[arg(long)]
    dry_run: bool,
}

/// How systems are asked.
#[derive(Args)]
pub(crate) struct AskOptions {
    /// Whose request models get: that of the seed's chain, or that of `check` with its schema and bound (production)
    /// [default: seed for models, production for guards]
    #[arg(long = "as", value_name = "NAME", value_parser = request_style)]
    pub(crate) style: Option<RequestStyle>,
    /// Ask models to think step by step before they answer
    #[arg(long)]
    pub(crate) cot: bool,
    /// A file with the system prompt [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    pub(crate) system_prompt: Option<PathBuf>,
    /// Whose work is judged: default, sysadmin or restricted
    #[arg(long, default_value_t = Role::Default)]
    pub(crate) role: Role,
    /// The longest answer, in tokens [default: the provider's]
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u32>,
    /// Hand in questions as batches, at the price of batches: models of openai and anthropic, answers within a day
    #[arg(long, conflicts_with = "queue")]
    pub(crate) batch: bool,
    /// Keep the exact bodies of requests and replies in the log
    #[arg(long)]
    pub(crate) log_bodies: bool,
}

/// The rules of a run.
#[derive(Args)]
pub(crate) struct RuleOptions {
    /// Requests at once per provider [default: found out, up to 100; programs: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) max_connections: Option<u32>,
    /// Seconds for one sample, waiting for a turn not counted
    #[arg(long, value_name = "S", default_value_t = 180.0)]
    pub(crate) time_limit: f64,
    /// Dollars for the whole run; it ends below
    #[arg(long, value_name = "USD")]
    pub(crate) cost_limit: Option<f64>,
    /// Do not ask before spending, and leave out systems that cannot be asked
    #[arg(long, short)]
    pub(crate) yes: bool,
}

impl RuleOptions {
    pub(crate) fn settings(&self) -> Result<RunSettings, Failure> {
        let time_limit = Duration::try_from_secs_f64(self.time_limit)
            .ok()
            .filter(|time| !time.is_zero())
            .ok_or_else(|| {
                Failure::usage("nothing was asked: --time-limit is a number of seconds")
            })?;
        if self.cost_limit.is_some_and(|limit| !(limit >= 0.0 && limit.is_finite())) {
            return Err(Failure::usage("nothing was asked: --cost-limit is a number of dollars"));
        }
        Ok(RunSettings {
            time_limit,
            max_connections: self.max_connections,
            cost_limit: self.cost_limit,
            ..RunSettings::default()
        })
    }
}

impl AskOptions {
    pub(crate) fn builder<'a>(
        &self,
        env: &'a dyn Fn(&str) -> Option<String>,
    ) -> Result<SystemBuilder<'a>, Failure> {
        let prompt = match &self.system_prompt {
            None => Prompt::built_in(self.role),
            Some(path) => Prompt::from_file(path, self.role).map_err(|error| {
                let message = format!("nothing was asked: {}: {error}", path.display());
                if path.exists() { Failure::internal(message) } else { Failure::usage(message) }
            })?,
        };
        let options = TransportOptions::from_env(env)
            .map_err(|error| Failure::internal(format!("nothing was asked: {error}")))?;
        Ok(SystemBuilder {
            env,
            client: Client::new(options, Limits::default()),
            style: self.style,
            prompt,
            thinking: if self.cot { Thinking::StepByStep } else { Thinking::Direct },
            bodies: if self.log_bodies { KeepBodies::Yes } else { KeepBodies::No },
            seed: Some(42),
            max_tokens: self.max_tokens,
            role: self.role,
            delivery: if self.batch { Delivery::Batches } else { Delivery::Requests },
        })
    }
}

fn reducer(name: &str) -> Result<Reducer, String> {
    Reducer::from_name(name).ok_or_else(|| "not a reducer: mean, mode, median or max".to_owned())
}

fn request_style(name: &str) -> Result<RequestStyle, String> {
    RequestStyle::from_name(name).ok_or_else(|| "neither seed nor production".to_owned())
}

pub(crate) fn scoring(name: &str) -> Result<Scoring, String> {
    Scoring::from_name(name).ok_or_else(|| "not a way of scoring: seed or original".to_owned())
}

/// Variables of this process.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub(crate) fn run(options: &RunOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let revision = RevisionQuery::start(Path::new("."));
    let settings = RunSettings {
        epochs: options.epochs,
        reducer: options.epochs_reducer,
        scoring: options.scoring.or(options.suite.map(Suite::scoring)).unwrap_or_default(),
        limit: options.limit,
        ..options.rules.settings()?
    };
    let names = plan::systems(&options.models, &options.systems, options.suite)?;
    let datasets = plan::datasets(&options.datasets, options.expect, options.instantiate)?;
    let builder = options.asking.builder(&variable)?;
    let plan = BenchPlan::new(names, datasets, &builder, &settings)?;
    if options.dry_run {
        plan.show(&settings, screen);
        return Ok(ExitKind::Allow);
    }
    if !may_begin(&plan, &settings, options.rules.yes)? {
        return Err(Failure::usage("nothing was asked"));
    }
    if options.queue.is_none() {
        known_hosts(&plan)?;
    }
    let mut tasks = plan.tasks(&settings);
    if options.asking.batch {
        // A batch takes hours: those of all data sets are handed in at once.
        tasks = tasks.into_iter().flatten().map(|task| vec![task]).collect();
    }
    let queue = match &options.queue {
        Some(address) => Some(Queue {
            address: worker::with_credentials(address)?,
            requests: plan.requests(&builder, &settings),
        }),
        None => None,
    };
    let mut session =
        RunSession::new(&options.log_dir, Budget::new(settings.cost_limit), revision.answer());
    session
        .plan(tasks.iter().flatten(), &from(options, &plan)?)
        .map_err(|error| Failure::internal(error.to_string()))?;
    let outcomes = ask(tasks, session, queue.as_ref());
    forget_lost_questions(&outcomes);
    finish(&outcomes, screen)
}

/// A cost limit is for the whole run, so questions that were lost count until all of it is complete.
fn forget_lost_questions(outcomes: &[SystemOutcomes]) {
    let logs = outcomes
        .iter()
        .flat_map(|system| &system.outcomes)
        .map(|(_, outcome)| outcome.as_ref().ok().filter(|outcome| outcome.reason.is_none()));
    for outcome in logs.collect::<Option<Vec<_>>>().into_iter().flatten() {
        outcome.forget_lost_questions();
    }
}

/// Refuses addresses whose host cannot be resolved. A proxy resolves names itself.
fn known_hosts(plan: &BenchPlan) -> Result<(), Failure> {
    let proxies =
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    if proxies.into_iter().any(|name| variable(name).is_some_and(|value| !value.is_empty())) {
        return Ok(());
    }
    let systems = plan.rows.iter().filter_map(|row| row.system.as_ref().ok());
    let mut addresses: Vec<&str> =
        systems.filter_map(|system| system.info().base_url.as_deref()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    match addresses.into_iter().find_map(|address| Some((address, unknown_host(address)?))) {
        None => Ok(()),
        Some((address, host)) => Err(Failure::usage(format!(
            "nothing was asked: there is no host `{}` ({}); check the address and the network",
            visible(&host),
            visible(address)
        ))),
    }
}

/// The logs to resume.
fn from(options: &RunOptions, plan: &BenchPlan) -> Result<Resume, Failure> {
    match &options.resume {
        Some(_) if plan.rows.len() * plan.datasets.len() != 1 => Err(Failure::usage(
            "nothing was asked: --resume takes one log, so name one system and one data set",
        )),
        Some(log) if !log.exists() => Err(Failure::usage(format!(
            "nothing was asked: there is no log {}",
            visible(&log.display().to_string())
        ))),
        Some(log) => Ok(Resume::Log(log.clone())),
        None if options.fresh => Ok(Resume::Never),
        None => Ok(Resume::Interrupted),
    }
}

/// Shows what is missing and the cost, and asks for confirmation if the cost is high.
fn may_begin(plan: &BenchPlan, settings: &RunSettings, yes: bool) -> Result<bool, Failure> {
    let missing = plan.obstacles().count();
    let ready = plan.rows.len() - missing;
    let dollars = plan.dollars().min(settings.cost_limit.unwrap_or(f64::INFINITY));
    let dear = dollars >= ASKED_FROM;
    if settings.cost_limit.is_some()
        && let Some(name) = plan.unpriced().next()
    {
        return Err(Failure::usage(format!(
            "nothing was asked: the price of {name} is not known, so no limit on the cost can be kept; \
             leave out the system or the limit"
        )));
    }
    if missing > 0 || (dear && !yes) {
        let mut shown = Screen::errors();
        plan.show(settings, &mut shown);
        let _ = shown.finish();
    }
    if ready == 0 || (missing > 0 && !yes) {
        let one = plan.obstacles().next().map_or_else(String::new, |(_, error)| error.to_string());
        return Err(Failure::usage(match (plan.rows.len(), ready) {
            (1, _) => one,
            (_, 0) => "nothing was asked: no system can be".to_owned(),
            _ => format!(
                "nothing was asked: {missing} of {} systems cannot be; set what is missing, or leave them \
                 out with --yes",
                plan.rows.len()
            ),
        }));
    }
    if !dear || yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        let advice =
            "nothing was asked: a run that costs about this much needs --yes or --cost-limit";
        return if settings.cost_limit.is_some() { Ok(true) } else { Err(Failure::usage(advice)) };
    }
    confirmed()
}

fn confirmed() -> Result<bool, Failure> {
    let fail = |error| Failure::internal(format!("nothing was asked: {error}"));
    write!(io::stderr(), "Go on? [y/N] ").map_err(fail)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(fail)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// The queue, and a request for each system.
struct Queue {
    address: Address,
    requests: Vec<RunRequest>,
}

/// One system's tasks, one after the other.
struct SystemOutcomes {
    label: String,
    outcomes: Vec<(String, Result<TaskOutcome, String>)>,
}

/// Asks all systems at once, each about one data set after the other.
fn ask(systems: Vec<Vec<Task>>, session: RunSession, queue: Option<&Queue>) -> Vec<SystemOutcomes> {
    if let Err(error) = stop_on_signals(&session.stop) {
        complain(&format!("Ctrl-C will end the run without a last word: {error}"));
    }
    let display = ProgressDisplay::default();
    let session = Arc::new(session);
    let mut running = Vec::new();
    for (index, tasks) in systems.into_iter().enumerate() {
        let remote_solver = queue
            .and_then(|queue| Some((queue.address.clone(), queue.requests.get(index)?.clone())));
        let label = tasks.first().map_or_else(String::new, |task| task.system.info().model.clone());
        let number = display.add(&label, tasks.iter().map(Task::questions).sum());
        let (session, display) = (Arc::clone(&session), display.clone());
        let work = move || run_tasks(tasks, &session, &display, number, remote_solver.as_ref());
        running.push((label, thread::Builder::new().stack_size(1 << 20).spawn(work)));
    }
    let display_thread = display.show();
    let ended = running.into_iter().map(|(label, thread)| {
        let outcomes = match thread.map(thread::JoinHandle::join) {
            Ok(Ok(outcomes)) => outcomes,
            Ok(Err(_)) => vec![(String::new(), Err("it broke off".to_owned()))],
            Err(error) => {
                vec![(String::new(), Err(format!("no thread could be started: {error}")))]
            }
        };
        SystemOutcomes { label, outcomes }
    });
    let ended = ended.collect();
    display_thread.end();
    ended
}

fn run_tasks(
    tasks: Vec<Task>,
    session: &RunSession,
    display: &ProgressDisplay,
    number: usize,
    remote_solver: Option<&(Address, RunRequest)>,
) -> Vec<(String, Result<TaskOutcome, String>)> {
    let mut outcomes = Vec::new();
    for task in tasks {
        if session.stop.is_over() {
            break;
        }
        let name = task.dataset.name.clone();
        let questions = task.questions();
        let begin = |opened: &OpenTask| {
            display.begin(number, opened.progress(), Some(opened.limiter()));
        };
        let outcome = match session.open(task) {
            Ok(Opened::Finished(outcome)) => {
                display.begin(number, Arc::new(Progress::new(questions, questions)), None);
                Ok(*outcome)
            }
            Ok(Opened::Open(opened)) => match remote_solver {
                None => {
                    begin(&opened);
                    opened.run().map_err(|error| error.to_string())
                }
                Some((address, request)) => run_with_workers(*opened, address, request, begin),
            },
            Err(error) => Err(error.to_string()),
        };
        outcomes.push((name, outcome));
    }
    outcomes
}

/// Runs a task whose questions are asked by workers.
fn run_with_workers(
    opened: OpenTask,
    address: &Address,
    request: &RunRequest,
    begin: impl Fn(&OpenTask),
) -> Result<TaskOutcome, String> {
    let remote = Coordinator::open(address, opened.eval_id(), request, opened.stopper())
        .map_err(|error| format!("nothing was asked: {error}"))?;
    let remote = Arc::new(remote);
    let others: Arc<dyn RemoteSolver> = remote.clone();
    let opened = opened.solved_by(others, WINDOW);
    begin(&opened);
    let outcome = opened.run().map_err(|error| error.to_string());
    let complete = outcome.as_ref().is_ok_and(|outcome| outcome.reason.is_none());
    remote.close(if complete { RunEnd::Complete } else { RunEnd::Early });
    outcome
}

/// The table, and advice about missing parts.
fn finish(systems: &[SystemOutcomes], screen: &mut Screen) -> Result<ExitKind, Failure> {
    let mut rows = Vec::new();
    let mut complete = true;
    for system in systems {
        for (dataset, outcome) in &system.outcomes {
            match outcome {
                Ok(outcome) => {
                    rows.push(results::ResultRow { system: &system.label, dataset, outcome });
                    complete &= explain(&system.label, outcome);
                }
                Err(error) => {
                    complete = false;
                    complain(&format!("{}: {error}", system.label));
                }
            }
        }
    }
    results::show(&rows, screen);
    if complete && !rows.is_empty() {
        return Ok(ExitKind::Allow);
    }
    Err(Failure::internal("the run is not complete"))
}

/// Prints why a task ended early; returns true if it did not.
fn explain(system: &str, outcome: &TaskOutcome) -> bool {
    let again = "the same command goes on from here";
    let Some(reason) = &outcome.reason else { return true };
    let why = match reason {
        StopReason::Cancelled if outcome.batches_out > 0 => format!(
            "stopped with {} at the provider; the same command picks up from there",
            batches(outcome.batches_out)
        ),
        StopReason::Cancelled => format!("stopped; {again}"),
        StopReason::CostLimit => format!("stopped by the cost limit; {again}"),
        StopReason::Failed(why) => format!("failed: {why}; once that is fixed, {again}"),
    };
    complain(&format!("{system}: {why} ({})", visible(&outcome.path.display().to_string())));
    false
}

fn batches(number: usize) -> String {
    if number == 1 { "a batch".to_owned() } else { format!("{number} batches") }
}

/// The name from which the system of a log is built again.
pub(crate) fn system_of(model: &str) -> Result<SystemName, Failure> {
    model.parse().map_err(|error| Failure::usage(format!("{error}")))
}
