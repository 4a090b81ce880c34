//! Typed lines: read, judged, and passed to a bash that lives as long as the session.

use super::ask::{self, PromptAnswer, UndoOffer, VerdictPrompt};
use super::bindings::EditorBindings;
use super::completion::SessionCompleter;
use super::edited::Edited;
use super::editor::{Known, LineHelper};
use super::history::{History, LineOutcome};
use super::input::{self, LineEditor, Typed};
use super::line_context::{self, LineContext};
use super::line_verdict::{JudgeAnswer, LineVerdict};
use super::prompt_command::{self, PromptCommands};
use super::recall;
use super::record::{JudgedText, Record};
use super::session_history::SessionHistory;
use super::session_prompt::SessionPrompts;
use super::settings::ShellSettings;
use super::supervise::ProgramGuard;
use super::{BLOCKED, DECLINED, INTERRUPTED, elevation, failed, random_hex, reserved};
use crate::configuration::{self, Asker};
use crate::run::undoable::{self, Afterwards, Means};
use crate::user_rules::UserRules;
use aegish_exec::{ChangedPart, Ended, Outcome, Shell, Terminal};
use aegish_guard::{
    Action, Consent, Decision, HistoryExpansion, JudgeMode, Permit, RecordKey, Session,
};
use aegish_judge::Judge;
use aegish_terminal::{Failure, complain};
use aegish_undo::Run;
use rustyline::config::Configurer;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Limit on judging a line again because a file changed.
const ROUNDS: usize = 3;

/// One session at the terminal.
pub(super) struct InteractiveSession {
    pub(super) shell: Rc<RefCell<Shell>>,
    pub(super) line_context: Rc<RefCell<LineContext>>,
    pub(super) known: Rc<RefCell<Known>>,
    pub(super) editor: LineEditor,
    pub(super) history: SessionHistory,
    pub(super) settings: ShellSettings,
    pub(super) judge: Option<(Arc<Judge>, JudgeMode)>,
    pub(super) record: Record,
    pub(super) programs: ProgramGuard,
    opened: Opened,
    /// How often in a row `^D` was pressed without ending the session.
    ends: u64,
    pub(super) status: u8,
    /// Problems of the configuration that were already reported.
    unread: String,
    pub(super) bindings: EditorBindings,
    pub(super) prompts: SessionPrompts,
    pub(super) prompt_commands: PromptCommands,
    /// The key under which the verdict on the present line is kept, if it is one of a start file.
    pub(super) start_key: Option<RecordKey>,
}

/// How the session was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    /// By a login; `logout` ends it.
    AtLogin,
    /// By another shell or program.
    Within,
}

/// Who gets a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recipient {
    Bash,
    /// The guard keeps it: it only sets `PROMPT_COMMAND`.
    PromptCommands,
}

/// The next step after a line.
pub(super) enum PromptStep {
    Next,
    /// The line was not run.
    Refused,
    End(u8),
}

pub(crate) fn run(settings: ShellSettings, opened: Opened) -> Result<u8, Failure> {
    let mut session = InteractiveSession::start(settings, opened)?;
    let status = session.run()?;
    session.record.exit(status);
    session.programs.outlive();
    Ok(status)
}

impl InteractiveSession {
    fn start(settings: ShellSettings, opened: Opened) -> Result<Self, Failure> {
        let (bash, mut environment) = (settings.bash()?, settings.environment());
        for removed in environment.removed().iter().filter(|one| one.name == "BASH_ENV") {
            complain(&format!("{} is not read: nobody judged it", removed.name));
        }
        let terminal = Terminal::of_stdin().map_err(failed)?;
        let record = Record::open(&settings)?;
        let (programs, confinement) =
            ProgramGuard::prepare(&settings, &mut environment, &bash, &record, None)?;
        let shell = Shell::start(&bash, &environment, terminal, &random_hex::<16>()?, confinement);
        let shell = Rc::new(RefCell::new(shell.map_err(failed)?));
        let line_context = Rc::new(RefCell::new(LineContext {
            session: Session::new(),
            surroundings: configuration::surroundings(&settings.config, Asker::Person),
            role: settings.role,
            user_rules: UserRules::of(&settings.config),
            machine: Rc::default(),
        }));
        let known = Rc::new(RefCell::new(Known::default()));
        let history = settings.history.clone().map(|path| History::at(path, settings.history_size));
        let live = settings.live.then(|| line_context::live(Rc::clone(&line_context)));
        let completer = SessionCompleter::new(&shell, &line_context, bash, &settings);
        let helper = LineHelper::new(completer, Rc::clone(&known), live);
        let editor = input::editor(&settings, helper, &known.borrow(), history.as_ref())?;
        if let Some(history) = &history {
            shell.borrow_mut().read_history(history.path()).map_err(failed)?;
        }
        let judge = settings.judge()?.map(|(judge, mode)| (Arc::new(judge), mode));
        let mut session = Self {
            shell,
            line_context,
            known,
            editor,
            history: SessionHistory::new(history),
            programs,
            settings,
            judge,
            record,
            opened,
            ends: 0,
            status: 0,
            unread: String::new(),
            bindings: EditorBindings::default(),
            prompts: SessionPrompts::default(),
            prompt_commands: PromptCommands::default(),
            start_key: None,
        };
        session.observe();
        let cwd = session.line_context.borrow().surroundings.cwd.clone();
        session.record.start(&cwd);
        let judge = session.judge.as_ref().map(|(judge, mode)| (&**judge, *mode));
        super::banner::show(&session.settings, judge);
        Ok(session)
    }

    /// Reads and runs lines until the end.
    fn run(&mut self) -> Result<u8, Failure> {
        self.read_inputrc()?;
        if let Some(status) = self.read_start_files()? {
            return Ok(status);
        }
        loop {
            if let Some(status) = self.run_prompt_commands()? {
                return Ok(status);
            }
            let typed = self.read()?;
            let line = match typed {
                Typed::Command(line) => match self.recalled(line) {
                    Some(line) => line,
                    None => continue,
                },
                Typed::ToEdit(line) => match self.edit(&line)? {
                    Edited::Line(line) => line,
                    Edited::Nothing => continue,
                    Edited::End(status) => return Ok(status),
                },
                Typed::Dropped => {
                    self.status = INTERRUPTED;
                    self.shell.borrow_mut().set_status(INTERRUPTED);
                    continue;
                }
                Typed::Unfinished => {
                    complain("nothing was run: the command is not complete");
                    self.refused("", DECLINED, LineOutcome::Declined);
                    continue;
                }
                Typed::End if self.ignores_end() => continue,
                // Bash handles the end of input: it warns about stopped jobs first.
                Typed::End => "exit".to_owned(),
            };
            self.ends = 0;
            let turn = if line.trim().is_empty() { self.nothing()? } else { self.turn(&line)? };
            if let PromptStep::End(status) = turn {
                return Ok(status);
            }
        }
    }

    /// The line with what it recalls of earlier ones; nothing if there is no such line. After `set +H` it stays as it is.
    fn recalled(&self, line: String) -> Option<String> {
        match self.line_context.borrow().session.history_expansion() {
            HistoryExpansion::On => recall::recalled(line, &self.editor, self.history.numbered()),
            HistoryExpansion::Off => Some(line),
        }
    }

    /// `set -o ignoreeof`: for a number of times `^D` only prints how to leave.
    fn ignores_end(&mut self) -> bool {
        let shell = self.shell.borrow();
        let Some(times) = shell.last().variables.get("IGNOREEOF") else { return false };
        // A value that is not a number means ten, as in bash.
        let ignored = self.ends < times.parse().unwrap_or(10);
        self.ends += 1;
        if ignored {
            complain("use `exit` to leave");
        }
        ignored
    }

    /// An empty line: bash reports jobs that ended.
    fn nothing(&mut self) -> Result<PromptStep, Failure> {
        let seen = self.shell.borrow_mut().look();
        match seen {
            Ok(()) => Ok(PromptStep::Next),
            Err(Ended::Gone(outcome)) => Ok(ended(outcome)),
            Err(error) => Err(failed(error)),
        }
    }

    fn read(&mut self) -> Result<Typed, Failure> {
        self.follow_bind()?;
        let prompts = self.prompts()?;
        let mut typed = input::read(&mut self.editor, &self.known, &prompts);
        while typed.is_err() && self.shell.borrow().retake_terminal() {
            typed = input::read(&mut self.editor, &self.known, &prompts);
        }
        // A lost terminal looks like the end of input.
        if !matches!(typed, Ok(Typed::Command(_) | Typed::ToEdit(_) | Typed::Dropped)) {
            self.shell.borrow().end_without_terminal();
        }
        let typed = typed.map_err(failed)?;
        Ok(match (typed, self.opened) {
            (Typed::Command(line), Opened::AtLogin) => Typed::Command(input::from_login(line)),
            (typed, _) => typed,
        })
    }

    /// Judges a line, asks if necessary, and runs it. One that only sets `PROMPT_COMMAND` is not sent to bash.
    pub(super) fn turn(&mut self, line: &str) -> Result<PromptStep, Failure> {
        if !prompt_command::only_sets(line) {
            return self.judged_turn(line, Recipient::Bash);
        }
        let session = self.with_prompt_command();
        let session = std::mem::replace(&mut self.line_context.borrow_mut().session, session);
        let turn = self.judged_turn(line, Recipient::PromptCommands);
        self.line_context.borrow_mut().session = session;
        turn
    }

    fn judged_turn(&mut self, line: &str, recipient: Recipient) -> Result<PromptStep, Failure> {
        let _ = self.editor.add_history_entry(line);
        self.known.borrow().last_words.add(line);
        self.look_at_configuration();
        self.line_context.borrow().machine.clear();
        let mut consent = None;
        let mut undo = self.settings.undo;
        let mut changed: Option<(String, Decision)> = None;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let verdict = match changed.take() {
                Some((path, before)) => self.decide_without_file(line, &path, &before),
                None => self.decide(line),
            };
            let LineVerdict { decision, after, judge_answer } = verdict;
            let latency = began.elapsed();
            let mut unasked = decision.action() == Action::Allow;
            // Consent to a warning does not cover a worse verdict.
            let answer = match consent {
                _ if judge_answer == JudgeAnswer::Cancelled => {
                    complain("nothing was run: the answer was not waited for");
                    PromptAnswer::Interrupted
                }
                Some((action, consent)) if decision.action() <= action => PromptAnswer::Go(consent),
                _ if self.only_system_files_warn(line, &decision, &after) => {
                    unasked = true;
                    PromptAnswer::Go(Consent::Given)
                }
                _ => self.ask(&decision, line),
            };
            if answer.consent().is_some()
                && !self.line_context.borrow_mut().user_rules.spend(decision.lifted())
            {
                continue;
            }
            let cwd = self.line_context.borrow().surroundings.cwd.clone();
            let judged =
                JudgedText { decision: &decision, text: line.as_bytes(), cwd: &cwd, latency };
            let entry = match self.record.decision(&judged, &answer) {
                Ok(entry) => entry,
                Err(failure) => return Ok(self.unrecorded(line, &failure)),
            };
            let given = match answer {
                PromptAnswer::Go(consent) => consent,
                PromptAnswer::GoUndoably(consent) => {
                    undo = Some(Afterwards::Ask);
                    consent
                }
                PromptAnswer::Blocked => {
                    return Ok(self.refused(line, BLOCKED, LineOutcome::Blocked));
                }
                PromptAnswer::Declined => {
                    return Ok(self.refused(line, DECLINED, LineOutcome::Declined));
                }
                PromptAnswer::Interrupted => {
                    return Ok(self.refused(line, INTERRUPTED, LineOutcome::Declined));
                }
            };
            consent = Some((decision.action(), given));
            let path = self.known.borrow().path.clone();
            let reserved = match recipient {
                Recipient::Bash => reserved::obstacle(&self.line_context.borrow().session, &after),
                Recipient::PromptCommands => None,
            };
            let elevations = &decision.analysis().elevations;
            let powerless = elevation::obstacle(elevations, &path, &self.settings.limits);
            let obstacle =
                reserved.map(str::to_owned).or_else(|| powerless.map(|found| found.to_string()));
            if let Some(obstacle) = obstacle {
                complain(&obstacle);
                self.record.not_run(entry, &obstacle);
                return Ok(self.refused(line, BLOCKED, LineOutcome::Blocked));
            }
            let Some(permit) = decision.permit(given) else {
                return Ok(self.refused(line, BLOCKED, LineOutcome::Blocked));
            };
            let held = match undo.map(|_| self.hold(&decision, line, &cwd)).transpose() {
                Ok(held) => held,
                Err(failure) => {
                    complain(&failure.message);
                    self.record.not_run(entry, &failure.message);
                    return Ok(self.refused(line, BLOCKED, LineOutcome::Blocked));
                }
            };
            self.programs.begin(&decision, &after, self.line_context.borrow().user_rules.rules());
            let began = Instant::now();
            let prompts = self.prompt_values();
            let record = self.start_record(&decision, &after).filter(|_| unasked);
            let ran = match recipient {
                Recipient::Bash => self.execute(&permit, after),
                Recipient::PromptCommands => self.take_prompt_command(line, &after, given),
            };
            match ran {
                Ok(turn) => {
                    self.follow_prompts(&prompts, given);
                    let status =
                        if let PromptStep::End(status) = turn { status } else { self.status };
                    self.record.end(entry, status, began.elapsed());
                    if let (Some(run), Some(afterwards)) = (held, undo)
                        && let Err(failure) =
                            undoable::finish(run, afterwards, &self.settings.config)
                    {
                        complain(&failure.message);
                    }
                    self.history.remember(line, LineOutcome::Ran);
                    self.keep_start_record(record);
                    return Ok(turn);
                }
                Err(Ended::Changed(what)) => {
                    self.record.not_run(entry, &what.to_string());
                    if what.what == ChangedPart::Contents {
                        changed = Some((what.path, decision));
                    }
                }
                Err(error) => {
                    self.record.not_run(entry, &error.to_string());
                    return Err(failed(error));
                }
            }
        }
        complain("nothing was run: a file that the line depends on keeps changing; try again");
        Ok(self.refused(line, BLOCKED, LineOutcome::Blocked))
    }

    /// Reloads the configuration: added or removed rules, and the settings of the current project. If it
    /// cannot be read, the previous one stays, and the problem is reported once.
    fn look_at_configuration(&mut self) {
        let mut line_context = self.line_context.borrow_mut();
        let renewed = configuration::read_in(&line_context.surroundings.cwd)
            .map_err(|problems| problems.to_string())
            .and_then(|config| ShellSettings::of(config).map_err(|failure| failure.message));
        match renewed {
            // A session that began in production stays there.
            Ok(settings) if settings.mode() != self.settings.mode() => {}
            Ok(mut settings) => {
                // What bash put on itself stays.
                settings.limits = self.settings.limits.clone();
                line_context.user_rules.take(&settings.config);
                line_context.role = settings.role;
                self.settings = settings;
                self.unread.clear();
            }
            Err(problem) if problem != self.unread => {
                complain(&format!("the configuration stays as it was: {problem}"));
                self.unread = problem;
            }
            Err(_) => {}
        }
    }

    fn ask(&self, decision: &Decision, line: &str) -> PromptAnswer {
        let mut line_context = self.line_context.borrow_mut();
        let machine = Rc::clone(&line_context.machine);
        let context = line_context.context(&machine);
        let proposals = decision.proposals(&line_context.request(line, &context));
        let prompt = VerdictPrompt {
            decision,
            text: line,
            settings: &self.settings,
            context: &context,
            proposals,
            undo: UndoOffer::Offered,
        };
        ask::decide(&prompt, &mut line_context.user_rules)
    }

    /// Saves what a line may change. The bash of the session sees the real files, so there is no overlay.
    fn hold(&self, decision: &Decision, line: &str, cwd: &str) -> Result<Run, Failure> {
        let (analysis, config) = (decision.analysis(), &self.settings.config);
        undoable::begin(analysis, line.as_bytes(), Path::new(cwd), config, Means::Copies)
    }

    fn execute(&mut self, permit: &Permit, after: Session) -> Result<PromptStep, Ended> {
        let ran = self.shell.borrow_mut().run(permit).map(|report| report.status);
        match ran {
            Ok(status) => {
                self.status = status;
                self.adopt(permit, after, status);
                Ok(PromptStep::Next)
            }
            Err(Ended::Gone(outcome)) => Ok(ended(outcome)),
            Err(error) => Err(error),
        }
    }

    /// Updates the session after a text ran.
    pub(super) fn adopt(&mut self, permit: &Permit, after: Session, status: u8) {
        let before = self.line_context.borrow().surroundings.cwd.clone();
        {
            let session = &mut self.line_context.borrow_mut().session;
            *session = after;
            session.line_ended(status);
        }
        self.observe();
        if permit.sets_edit_mode() {
            self.editor.set_edit_mode(input::edit_mode(self.shell.borrow().last()));
        }
        if self.line_context.borrow().surroundings.cwd != before {
            self.look_at_configuration();
        }
    }

    /// A line that could not be recorded is not run, except to leave the session.
    fn unrecorded(&mut self, line: &str, failure: &Failure) -> PromptStep {
        complain(&failure.message);
        let mut words = line.split_whitespace();
        let leaves = matches!(words.next(), Some("exit" | "logout"));
        match (leaves, words.next(), words.next()) {
            (true, None, _) => PromptStep::End(self.status),
            (true, Some(status), None) => match status.parse() {
                Ok(status) => PromptStep::End(status),
                Err(_) => self.refused(line, BLOCKED, LineOutcome::Blocked),
            },
            _ => self.refused(line, BLOCKED, LineOutcome::Blocked),
        }
    }

    fn refused(&mut self, line: &str, status: u8, fate: LineOutcome) -> PromptStep {
        self.status = status;
        self.shell.borrow_mut().set_status(status);
        self.history.remember(line, fate);
        PromptStep::Refused
    }

    /// Updates the session from bash's report.
    fn observe(&mut self) {
        let mut shell = self.shell.borrow_mut();
        let mut known = self.known.borrow_mut();
        self.line_context.borrow_mut().observe(shell.last(), &mut known);
        shell.forget_variables();
        if let Some(helper) = self.editor.helper() {
            helper.forget_programs();
        }
    }
}

/// The step after the end of bash. Without a message only if a line ended it.
pub(super) fn ended(outcome: Outcome) -> PromptStep {
    if let Outcome::Killed(_) = outcome {
        complain(&format!("{}; the session is over", Ended::Gone(outcome)));
    }
    PromptStep::End(outcome.status())
}
