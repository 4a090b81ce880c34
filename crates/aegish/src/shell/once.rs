//! `-c`, a script file, a script on standard input: judged whole, then run by one bash.

use super::ask::{self, Answer, Matter};
use super::record::{Judged, Record};
use super::settings::{Format, Settings};
use super::{BLOCKED, DECLINED, INTERRUPTED, failed};
use crate::Failure;
use crate::house::House;
use crate::output::complain;
use crate::source;
use aegish_exec::Invocation;
use aegish_guard::{Asked, MAX_INPUT_BYTES, OsMachine, Pinning, Request, Value, check};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

static MACHINE: OsMachine = OsMachine;

pub(crate) fn text(text: &OsStr, words: &[OsString], settings: &Settings) -> Result<u8, Failure> {
    let parameters = words.get(1..).unwrap_or_default();
    run(text.as_bytes(), parameters, Invocation::Text { words }, settings)
}

/// The status for a script that is not there.
const MISSING: u8 = 127;
/// The status for one that cannot be read.
const UNREADABLE: u8 = 126;

pub(crate) fn file(
    path: &Path,
    arguments: &[OsString],
    settings: &Settings,
) -> Result<u8, Failure> {
    let text = match File::open(path).and_then(bounded) {
        Ok(text) => text,
        // Bash's own words for it: whoever calls a shell knows these numbers.
        Err(error) => {
            complain(&format!("{} was not run: {error}", path.display()));
            return Ok(if error.kind() == io::ErrorKind::NotFound { MISSING } else { UNREADABLE });
        }
    };
    run(&text, arguments, Invocation::File { path, arguments }, settings)
}

pub(crate) fn input(arguments: &[OsString], settings: &Settings) -> Result<u8, Failure> {
    let text = bounded(io::stdin().lock())
        .map_err(|error| Failure::internal(format!("standard input was not run: {error}")))?;
    run(&text, arguments, Invocation::Input { arguments }, settings)
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
    how: Invocation<'_>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let machine = Pinning::new(&MACHINE);
    let mut context = source::surroundings(None).context(&machine);
    context.interactive = false;
    context.positional =
        Some(parameters.iter().map(|word| Value::known(word.to_string_lossy())).collect());
    let mode = settings.asks()?;
    let began = Instant::now();
    let mut house = House::of(&settings.config);
    let mut court = None;
    let (decision, answer, latency) = loop {
        let rules = house.rules().to_vec();
        let request =
            |judge| Request { text, context: &context, role: settings.role, judge, house: &rules };
        let mut decision = check(&request(None));
        if mode.asks_about(&decision) {
            court = settings.judge()?;
        }
        if let Some((judge, mode)) = &court {
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
        let answer = ask::decide(&matter, &mut house);
        // Each time a rule is found used up there is one less.
        if !matches!(answer, Answer::Go(_)) || house.spend(&decision.lifted) {
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
    let Some(permit) = decision.permit(consent, machine.take()) else { return Ok(BLOCKED) };
    let outcome = settings.bash().and_then(|bash| {
        let began = Instant::now();
        let environment = settings.environment();
        let outcome = aegish_exec::run(&bash, &environment, &permit, how, settings.stops())
            .map_err(failed)?;
        record.end(entry, outcome.status(), began.elapsed());
        Ok(outcome)
    });
    if let Err(failure) = &outcome {
        record.not_run(entry, &failure.message);
    }
    outcome.map(aegish_exec::end_as)
}
