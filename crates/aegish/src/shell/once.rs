//! `-c`, a script file, a script on standard input: judged whole, then run by one bash.

use super::ask::{self, Answer, Matter};
use super::elevation::{self, Obstacle};
use super::invocation::bash_on_input;
use super::record::{Judged, Record};
use super::settings::{Format, Settings};
use super::{BLOCKED, DECLINED, INTERRUPTED, failed};
use crate::Failure;
use crate::output::complain;
use crate::source;
use crate::user_rules::UserRules;
use aegish_exec::{Call, Environment, Invocation, Options, Script};
use aegish_guard::{
    Asked, Context, MAX_INPUT_BYTES, OsMachine, Pinning, Request, UserRule, Value, check,
};
use nix::errno::Errno;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

static MACHINE: OsMachine = OsMachine;

pub(crate) fn text(
    text: &OsStr,
    words: &[OsString],
    options: &Options,
    settings: &Settings,
) -> Result<u8, Failure> {
    // `ssh host bash -s < script`: what counts is the script, and here it can be read.
    if let Some((arguments, options)) = bash_on_input(text)
        && !io::stdin().is_terminal()
    {
        return input(&arguments, &options, settings);
    }
    let parameters = words.get(1..).unwrap_or_default();
    run(text.as_bytes(), parameters, Invocation::Text { words }, options, settings)
}

/// The status for a script that is not there.
const MISSING: u8 = 127;
/// The status for one that cannot be read.
const UNREADABLE: u8 = 126;
/// How much of a file bash looks at to tell a script from a program.
const SNIFF: usize = 80;

pub(crate) fn file(
    path: &Path,
    arguments: &[OsString],
    options: &Options,
    settings: &Settings,
) -> Result<u8, Failure> {
    let name = path.display();
    let found = Script::find(path, env::var_os("PATH").as_deref())
        .and_then(|(script, file)| Ok((script, bounded(file)?)));
    // Bash's own words and numbers: whoever calls a shell knows them.
    let (script, text) = match found {
        Ok(found) => found,
        Err(error) => {
            complain(&format!("{name}: {}", reason(&error)));
            return Ok(if error.kind() == io::ErrorKind::NotFound { MISSING } else { UNREADABLE });
        }
    };
    if is_program(&text) {
        complain(&format!("{name}: cannot execute binary file"));
        return Ok(UNREADABLE);
    }
    run(&text, arguments, Invocation::File { script: &script, arguments }, options, settings)
}

/// What the system says, without its number.
fn reason(error: &io::Error) -> String {
    let known = match (error.raw_os_error(), error.kind()) {
        (Some(number), _) => Some(Errno::from_raw(number)),
        (None, io::ErrorKind::IsADirectory) => Some(Errno::EISDIR),
        _ => None,
    };
    known.map_or_else(|| error.to_string(), |known| known.desc().to_owned())
}

/// A NUL in the first line.
fn is_program(text: &[u8]) -> bool {
    let sniffed = text.iter().take(SNIFF).take_while(|byte| **byte != b'\n');
    sniffed.into_iter().any(|byte| *byte == 0)
}

pub(crate) fn input(
    arguments: &[OsString],
    options: &Options,
    settings: &Settings,
) -> Result<u8, Failure> {
    let text = bounded(io::stdin().lock())
        .map_err(|error| Failure::internal(format!("standard input was not run: {error}")))?;
    run(&text, arguments, Invocation::Input { arguments }, options, settings)
}

/// One byte more than the guard accepts is enough to be refused.
fn bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(MAX_INPUT_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Settings that do not count may be why; whoever set them should know.
fn refused(status: u8, settings: &Settings) -> u8 {
    if settings.format == Format::Text {
        for note in settings.config.notes() {
            complain(&format!("note: {note}"));
        }
    }
    status
}

fn run(
    text: &[u8],
    parameters: &[OsString],
    invocation: Invocation<'_>,
    options: &Options,
    settings: &Settings,
) -> Result<u8, Failure> {
    // There is nothing to judge, and bash would do nothing.
    if text.iter().all(|byte| b" \t\n".contains(byte)) {
        return Ok(0);
    }
    let machine = Pinning::new(&MACHINE);
    let mut context = source::surroundings(None).context(&machine);
    context.interactive = false;
    context.positional =
        Some(parameters.iter().map(|word| Value::known(word.to_string_lossy())).collect());
    context.zero = match invocation {
        Invocation::Text { words } => words.first().map(|word| word.to_string_lossy().into_owned()),
        Invocation::File { script, .. } => Some(script.found().to_string_lossy().into_owned()),
        Invocation::Input { .. } => None,
    };
    let mode = settings.asks()?;
    let began = Instant::now();
    let mut user_rules = UserRules::of(&settings.config);
    let mut judge_args = None;
    let (decision, answer, latency) = loop {
        let rules = user_rules.rules().to_vec();
        let request = |judge| Request {
            text,
            context: &context,
            role: settings.role,
            judge,
            user_rules: &rules,
        };
        let mut decision = check(&request(None));
        if mode.asks_about(&decision) {
            judge_args = settings.judge()?;
        }
        if let Some((judge, mode)) = &judge_args {
            decision = check(&request(Some(Asked { judge, mode: *mode })));
        }
        let latency = began.elapsed();
        let matter = Matter {
            decision: &decision,
            text: &String::from_utf8_lossy(text),
            settings,
            context: &context,
            proposals: decision.proposals(&request(None)),
        };
        let answer = ask::decide(&matter, &mut user_rules);
        // Each time a rule is found used up there is one less.
        if !matches!(answer, Answer::Go(_)) || user_rules.spend(&decision.lifted) {
            break (decision, answer, latency);
        }
    };
    let mut record = Record::open(settings)?;
    let judged = Judged { decision: &decision, text, cwd: &context.cwd, latency };
    let entry = record.decision(&judged, &answer)?;
    let consent = match answer {
        Answer::Go(consent) => consent,
        Answer::Blocked => return Ok(refused(BLOCKED, settings)),
        Answer::Declined => return Ok(refused(DECLINED, settings)),
        Answer::Interrupted => return Ok(INTERRUPTED),
    };
    if worse_with(options, text, &context, user_rules.rules(), settings) {
        let why = "nothing was run: with the options of the call it is judged worse";
        complain(why);
        record.not_run(entry, why);
        return Ok(refused(BLOCKED, settings));
    }
    let mut environment = settings.environment();
    pass_functions(&mut environment, text, &context, user_rules.rules(), settings);
    let path = std::env::var("PATH").unwrap_or_default();
    match elevation::obstacle(&decision.analysis.elevations, &path) {
        // A script may ask for it and do without; if not, bash says so in its own words.
        None | Some(Obstacle::Missing(_)) => {}
        Some(obstacle) => {
            complain(&obstacle.to_string());
            record.not_run(entry, &obstacle.to_string());
            return Ok(BLOCKED);
        }
    }
    let Some(permit) = decision.permit(consent, machine.take()) else { return Ok(BLOCKED) };
    let outcome = settings.bash().and_then(|bash| {
        let began = Instant::now();
        let call = Call { invocation, options, stops: settings.stops() };
        let outcome = aegish_exec::run(&bash, &environment, &permit, call).map_err(failed)?;
        record.end(entry, outcome.status(), began.elapsed());
        Ok(outcome)
    });
    if let Err(failure) = &outcome {
        record.not_run(entry, &failure.message);
    }
    outcome.map(aegish_exec::end_as)
}

/// Options of the call count as if the text began by setting them.
fn worse_with(
    options: &Options,
    text: &[u8],
    context: &Context<'_>,
    user_rules: &[UserRule],
    settings: &Settings,
) -> bool {
    let Ok(Some(line)) = options.line() else { return false };
    let action = |text: &[u8]| {
        check(&Request { text, context, role: settings.role, judge: None, user_rules }).action
    };
    action(&[line.as_bytes(), b"\n", text].concat()) > action(text)
}

/// Functions of the environment are passed on if nothing is judged worse with them.
fn pass_functions(
    environment: &mut Environment,
    text: &[u8],
    context: &Context<'_>,
    user_rules: &[UserRule],
    settings: &Settings,
) {
    let Some(functions) = environment.functions() else { return };
    let action = |text: &[u8]| {
        check(&Request { text, context, role: settings.role, judge: None, user_rules }).action
    };
    if action(&[&functions, text].concat()) <= action(text) {
        environment.pass_functions();
    } else {
        complain("functions of the environment are left out: with them it is judged worse");
    }
}
