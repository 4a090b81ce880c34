//! `-c`, a script file, a script on standard input: judged whole, then run by one bash.

use super::ask::{self, PromptAnswer, UndoOffer, VerdictPrompt};
use super::elevation::{self, Obstacle};
use super::record::{JudgedText, Record};
use super::refusal::RefusalFormat;
use super::settings::ShellSettings;
use super::sftp::{self, SftpFilter};
use super::shell_call::{bash_on_input, is_called_as_shell};
use super::supervise::ProgramGuard;
use super::{BLOCKED, DECLINED, INTERRUPTED, failed};
use crate::configuration::{self, Asker};
use crate::run::tight;
use crate::run::undoable::{self, Afterwards, Means};
use crate::source;
use crate::user_rules::UserRules;
use aegish_exec::{BashOptions, Call, CallForm, Changed, ChangedPart, FoundScript, NotRun};
use aegish_guard::{
    Action, Consent, Context, Decision, JudgeMode, MAX_INPUT_BYTES, Request, Session,
    StandardInput, StaticCheck, TextForm, UnsteadyFiles, UserRule, Value, check,
};
use aegish_judge::Judge;
use aegish_terminal::{Failure, complain};
use nix::errno::Errno;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) fn text(
    text: &OsStr,
    words: &[OsString],
    options: &BashOptions,
    settings: &ShellSettings,
) -> Result<u8, Failure> {
    // `ssh host bash -s < script`: the script on standard input is judged, because it can be read here.
    if let Some((arguments, options)) = bash_on_input(text)
        && !io::stdin().is_terminal()
    {
        return input(&arguments, &options, settings);
    }
    let parameters = words.get(1..).unwrap_or_default();
    run(text.as_bytes(), parameters, CallForm::Text { words }, options, settings)
}

/// The status for a script that is not there.
const MISSING: u8 = 127;
/// The status for one that cannot be read.
const UNREADABLE: u8 = 126;
/// How often a text is judged again because names in a directory changed.
const ROUNDS: usize = 3;
/// Bytes that bash reads to distinguish a script from a program.
const SNIFF: usize = 80;

pub(crate) fn file(
    path: &Path,
    arguments: &[OsString],
    options: &BashOptions,
    settings: &ShellSettings,
) -> Result<u8, Failure> {
    let name = path.display();
    let found = FoundScript::find(path, env::var_os("PATH").as_deref())
        .and_then(|(script, file)| Ok((script, bounded(file)?)));
    // The same messages and statuses as bash, which callers of a shell expect.
    let (script, text) = match found {
        Ok(found) => found,
        Err(error) => {
            let advice = match super::nearest_task(path) {
                Some(task) if error.kind() == io::ErrorKind::NotFound => {
                    format!("; did you mean `aegish {task}`?")
                }
                _ => String::new(),
            };
            complain(&format!("{name}: {}{advice}", reason(&error)));
            return Ok(if error.kind() == io::ErrorKind::NotFound { MISSING } else { UNREADABLE });
        }
    };
    if is_program(&text) {
        complain(&format!("{name}: cannot execute binary file"));
        return Ok(UNREADABLE);
    }
    run(&text, arguments, CallForm::File { script: &script, arguments }, options, settings)
}

/// The error message of the system, without its number.
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
    options: &BashOptions,
    settings: &ShellSettings,
) -> Result<u8, Failure> {
    let text = bounded(io::stdin().lock())
        .map_err(|error| Failure::internal(format!("standard input was not run: {error}")))?;
    run(&text, arguments, CallForm::Input { arguments }, options, settings)
}

/// One byte more than the guard accepts is enough to be refused.
fn bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(MAX_INPUT_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Prints ignored settings, because they may be the cause.
fn refused(status: u8, settings: &ShellSettings) -> u8 {
    if settings.format == RefusalFormat::Text {
        for note in settings.config.notes() {
            complain(&format!("note: {note}"));
        }
    }
    status
}

fn run(
    text: &[u8],
    parameters: &[OsString],
    form: CallForm<'_>,
    options: &BashOptions,
    settings: &ShellSettings,
) -> Result<u8, Failure> {
    // An empty text needs no verdict, and bash would do nothing.
    if text.iter().all(|byte| b" \t\n".contains(byte)) {
        return Ok(0);
    }
    let machine = UnsteadyFiles::default();
    let mut context = source::surroundings(None).context(&machine);
    let asker = if is_called_as_shell() { Asker::Agent } else { Asker::Person };
    context.reader = configuration::reader(&settings.config, asker);
    context.interactive = false;
    let from_terminal = io::stdin().is_terminal();
    context.stdin = if from_terminal { StandardInput::Terminal } else { StandardInput::Other };
    context.positional =
        Some(parameters.iter().map(|word| Value::known(word.to_string_lossy())).collect());
    context.zero = match form {
        CallForm::Text { words } => words.first().map(|word| word.to_string_lossy().into_owned()),
        CallForm::File { script, .. } => Some(script.found().to_string_lossy().into_owned()),
        CallForm::Input { .. } => None,
    };
    if let CallForm::File { .. } = form {
        context.form = TextForm::ScriptFile;
    }
    let call = Call { form, options, stops: settings.stops() };
    let record = Record::open(settings);
    if let Ok(record) = &record {
        record.prepare();
    }
    let mut once = Once {
        text,
        context,
        machine: &machine,
        settings,
        user_rules: UserRules::of(&settings.config),
        mode: settings.asks()?,
        judge: None,
        consent: None,
        undo: settings.undo,
    };
    let mut answered = once.answer()?;
    let mut record = record?;
    let mut rounds = 0;
    loop {
        rounds += 1;
        match once.run(answered, call, &mut record)? {
            Round::Done(status) => return Ok(status),
            Round::Changed(changed, _) if rounds == ROUNDS => return Err(failed(changed)),
            Round::Changed(Changed { what: ChangedPart::Names, .. }, _) => {
                answered = once.answer()?;
            }
            Round::Changed(changed, before) => {
                answered = once
                    .answer_without_file(&changed.path, &before)
                    .ok_or_else(|| failed(changed))?;
            }
        }
    }
}

/// One text that is judged and run.
struct Once<'a> {
    text: &'a [u8],
    context: Context<'a>,
    /// The context's machine.
    machine: &'a UnsteadyFiles,
    settings: &'a ShellSettings,
    user_rules: UserRules,
    mode: JudgeMode,
    /// Built on first use.
    judge: Option<Judge>,
    /// The verdict that a person accepted in an earlier round.
    consent: Option<(Action, Consent)>,
    /// Whether it is run so that it can be undone.
    undo: Option<Afterwards>,
}

/// A verdict, and the answer to its question.
struct Answered {
    decision: Decision,
    answer: PromptAnswer,
    latency: Duration,
    /// The user rules it was judged under.
    rules: Vec<UserRule>,
    /// The session behind the text.
    after: Session,
}

/// The result of judging and running a text.
enum Round {
    Done(u8),
    /// Nothing was run: a directory or file that the verdict depends on has changed, possibly because this
    /// process writes there.
    Changed(Changed, Box<Answered>),
}

impl Once<'_> {
    /// Records the verdict, and runs the text if it may.
    fn run(
        &mut self,
        answered: Answered,
        call: Call<'_>,
        record: &mut Record,
    ) -> Result<Round, Failure> {
        let settings = self.settings;
        let Answered { decision, answer, latency, rules, after } = &answered;
        let cwd = &self.context.cwd;
        let judged = JudgedText { decision, text: self.text, cwd, latency: *latency };
        let entry = record.decision(&judged, answer)?;
        let consent = match answer {
            PromptAnswer::Go(consent) | PromptAnswer::GoUndoably(consent) => *consent,
            PromptAnswer::Blocked => return Ok(Round::Done(refused(BLOCKED, settings))),
            PromptAnswer::Declined => return Ok(Round::Done(refused(DECLINED, settings))),
            PromptAnswer::Interrupted => return Ok(Round::Done(INTERRUPTED)),
        };
        self.consent = Some((decision.action(), consent));
        if matches!(answer, PromptAnswer::GoUndoably(_)) {
            self.undo = Some(Afterwards::Ask);
        }
        let Some(mut permit) = decision.permit(consent) else { return Ok(Round::Done(BLOCKED)) };
        // Options of the call are judged as if the text began by setting them.
        if let Ok(Some(line)) = call.options.line() {
            let with_options = self.check_after(&[line.as_bytes(), b"\n"].concat(), rules);
            if with_options.action() > decision.static_action() {
                let why = "nothing was run: with the options of the call it is judged worse";
                complain(why);
                record.not_run(entry, why);
                return Ok(Round::Done(refused(BLOCKED, settings)));
            }
            permit = permit.depending_on(&with_options);
        }
        // Functions of the environment are passed on if they make no verdict worse.
        let mut environment = settings.environment();
        if let Some(functions) = environment.functions() {
            let with_functions = self.check_after(&functions, rules);
            if with_functions.action() <= decision.static_action() {
                environment.pass_functions();
                permit = permit.depending_on(&with_functions);
            } else {
                complain("functions of the environment are left out: with them it is judged worse");
            }
        }
        let path = env::var("PATH").unwrap_or_default();
        match elevation::obstacle(&decision.analysis().elevations, &path, &settings.limits) {
            // A script may work without it; if not, bash prints its own message.
            None | Some(Obstacle::Missing(_)) => {}
            Some(obstacle) => {
                complain(&obstacle.to_string());
                record.not_run(entry, &obstacle.to_string());
                return Ok(Round::Done(BLOCKED));
            }
        }
        let bash =
            settings.bash().inspect_err(|failure| record.not_run(entry, &failure.message))?;
        // It reads settings, which needs a process with one thread.
        let filter = sftp::is_served(decision.analysis()).then(SftpFilter::start).transpose()?;
        let mut held = match self.undo {
            Some(afterwards) => {
                let (cwd, means) = (Path::new(cwd.as_str()), Means::OverlayOrCopies);
                let analysis = decision.analysis();
                let run = undoable::begin(analysis, self.text, cwd, &settings.config, means)
                    .inspect_err(|failure| record.not_run(entry, &failure.message))?;
                Some((run, afterwards))
            }
            None => None,
        };
        let inside = held.as_ref().and_then(|(run, _)| run.namespace());
        let (mut programs, confinement) =
            ProgramGuard::prepare(settings, &mut environment, &bash, record, inside)
                .inspect_err(|failure| record.not_run(entry, &failure.message))?;
        programs.begin(decision, after, rules);
        let began = Instant::now();
        let ran = aegish_exec::run(&bash, &environment, &permit, call, confinement);
        if let Some(filter) = filter {
            filter.finish();
        }
        match ran {
            Ok(outcome) => {
                record.end(entry, outcome.status(), began.elapsed());
                if let Some((run, afterwards)) = held.take() {
                    undoable::finish(run, afterwards, &settings.config)?;
                }
                let refused = settings.unattended.is_some() && programs.has_refused();
                if let Some(uses) = programs.uses() {
                    tight::tell(&uses, &settings.limits);
                }
                programs.outlive();
                let status = aegish_exec::end_as(outcome);
                Ok(Round::Done(if refused { status.max(BLOCKED) } else { status }))
            }
            Err(not_run) => {
                let failure = failed(&not_run);
                record.not_run(entry, &failure.message);
                match not_run {
                    NotRun::Changed(changed) => Ok(Round::Changed(changed, Box::new(answered))),
                    _ => Err(failure),
                }
            }
        }
    }

    /// Judges the text, and asks a person about a warning.
    fn answer(&mut self) -> Result<Answered, Failure> {
        let (text, settings) = (self.text, self.settings);
        let began = Instant::now();
        loop {
            let rules = self.user_rules.rules().to_vec();
            let (session, context) = (Session::new(), &self.context);
            let request = Request { text, context, role: settings.role, user_rules: &rules };
            let (checked, built) = (StaticCheck::new(&session, &request), &mut self.judge);
            let (decision, after) =
                checked.ask_lazily(self.mode, move || judge_of(built, settings))?;
            let decision = decision.settled_by(settings.fail_mode);
            let latency = began.elapsed();
            let answer = match self.consent {
                Some((action, consent)) if decision.action() <= action => PromptAnswer::Go(consent),
                _ => {
                    let prompt = VerdictPrompt {
                        decision: &decision,
                        text: &String::from_utf8_lossy(text),
                        settings,
                        context,
                        proposals: decision.proposals(&request),
                        undo: UndoOffer::Offered,
                    };
                    ask::decide(&prompt, &mut self.user_rules)
                }
            };
            // Each round removes one used-up rule, so this ends.
            if answer.consent().is_none() || self.user_rules.spend(decision.lifted()) {
                return Ok(Answered { decision, answer, latency, rules, after });
            }
        }
    }

    /// The verdict without the content of a file that changed; none if the verdict depends on it.
    fn answer_without_file(&mut self, path: &str, before: &Answered) -> Option<Answered> {
        let (consent, began) = (before.answer.consent()?, Instant::now());
        self.machine.add(path);
        let decision = self.check_after(b"", &before.rules);
        decision.holds_without_files(&before.decision).then(|| Answered {
            decision,
            answer: PromptAnswer::Go(consent),
            latency: began.elapsed(),
            rules: before.rules.clone(),
            after: before.after.clone(),
        })
    }

    /// The static decision on the text with something before it.
    fn check_after(&self, before: &[u8], user_rules: &[UserRule]) -> Decision {
        let text = [before, self.text].concat();
        let (context, role) = (&self.context, self.settings.role);
        check(&Request { text: &text, context, role, user_rules })
    }
}

/// The judge, built on first use. None if there is no model to ask.
pub(super) fn judge_of<'j>(
    built: &'j mut Option<Judge>,
    settings: &ShellSettings,
) -> Result<Option<&'j Judge>, Failure> {
    if built.is_none() {
        *built = settings.judge()?.map(|(judge, _)| judge);
    }
    Ok(built.as_ref())
}
