//! Lines that people type: read, judged, handed to a bash that lives as long as the session.

use super::ask::{self, Answer, Matter};
use super::editor::{Known, LineHelper, Live};
use super::history::{Fate, History};
use super::record::{Judged, Record};
use super::settings::Settings;
use super::{BLOCKED, DECLINED, INTERRUPTED, elevation, failed, start_files};
use crate::house::House;
use crate::output::{Screen, Style, complain};
use crate::source;
use crate::{Failure, configuration, output};
use aegish_exec::{Ended, Report, Shell, Terminal};
use aegish_guard::{
    Action, Asked, Decision, JudgeMode, Observed, OsMachine, Permit, Pinning, Pins, Request, Role,
    Session, Surroundings, check_in,
};
use aegish_judge::Judge;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, EditMode, Editor};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

static MACHINE: OsMachine = OsMachine;

/// How often a line is judged again because a file changed under it.
const ROUNDS: usize = 3;

/// What lines are judged against: it changes with every line.
struct Place {
    session: Session,
    surroundings: Surroundings,
    role: Role,
    house: House,
}

impl Place {
    fn judge(&self, line: &str, judge: Option<Asked<'_>>) -> (Decision, Session, Pins) {
        let machine = Pinning::new(&MACHINE);
        let context = self.surroundings.context(&machine);
        let request = Request {
            text: line.as_bytes(),
            context: &context,
            role: self.role,
            judge,
            house: self.house.rules(),
        };
        let (decision, after) = check_in(&self.session, &request);
        (decision, after, machine.take())
    }
}

/// One session at the terminal.
struct Front {
    shell: Rc<RefCell<Shell>>,
    place: Rc<RefCell<Place>>,
    known: Rc<RefCell<Known>>,
    editor: Editor<LineHelper, MemHistory>,
    history: Option<History>,
    settings: Settings,
    judge: Option<(Judge, JudgeMode)>,
    record: Record,
    status: u8,
    /// What is wrong with the configuration and was told.
    unread: String,
}

/// What one turn at the prompt leads to.
enum Turn {
    Next,
    /// The line was not run.
    Refused,
    End(u8),
}

pub(crate) fn run(settings: Settings) -> Result<u8, Failure> {
    let mut front = Front::start(settings)?;
    let status = front.session()?;
    front.record.exit(status);
    Ok(status)
}

impl Front {
    fn start(settings: Settings) -> Result<Self, Failure> {
        let (bash, environment) = (settings.bash()?, settings.environment());
        for removed in environment.removed().iter().filter(|one| one.name == "BASH_ENV") {
            complain(&format!("{} is not read: nobody judged it", removed.name));
        }
        let terminal = Terminal::of_stdin().map_err(failed)?;
        let shell = Shell::start(&bash, &environment, terminal, &mark()?).map_err(failed)?;
        let shell = Rc::new(RefCell::new(shell));
        let place = Rc::new(RefCell::new(Place {
            session: Session::new(),
            surroundings: source::surroundings(None),
            role: settings.role,
            house: House::of(&settings.config),
        }));
        let known = Rc::new(RefCell::new(Known::default()));
        let history = settings.history.clone().map(|path| History::at(path, settings.history_size));
        let editor = editor(&settings, &shell, &place, &known, history.as_ref())?;
        let judge = settings.judge()?;
        let record = Record::open(&settings)?;
        let mut front = Self {
            shell,
            place,
            known,
            editor,
            history,
            settings,
            judge,
            record,
            status: 0,
            unread: String::new(),
        };
        front.observe();
        let cwd = front.place.borrow().surroundings.cwd.clone();
        front.record.start(&cwd);
        super::banner::show(&front.settings, front.judge.as_ref());
        Ok(front)
    }

    /// Line after line, until there are no more.
    fn session(&mut self) -> Result<u8, Failure> {
        if let Some(status) = self.read_start_files()? {
            return Ok(status);
        }
        loop {
            let line = match self.read() {
                Ok(line) => line,
                Err(ReadlineError::Interrupted) => {
                    self.status = INTERRUPTED;
                    continue;
                }
                // Bash knows what an end of input means: stopped jobs are asked about first.
                Err(ReadlineError::Eof) => "exit".to_owned(),
                Err(error) => return Err(failed(error)),
            };
            if line.trim().is_empty() {
                continue;
            }
            match self.turn(&line)? {
                Turn::Next | Turn::Refused => {}
                Turn::End(status) => return Ok(status),
            }
        }
    }

    /// Has bash read what people keep for every session, each file judged like any other script. The
    /// status if one of them ends the session.
    fn read_start_files(&mut self) -> Result<Option<u8>, Failure> {
        for file in start_files::present(&self.settings.config) {
            match self.turn(&start_files::line(&file))? {
                Turn::Next => {}
                Turn::Refused => complain(&format!("{} was not read", file.display())),
                Turn::End(status) => return Ok(Some(status)),
            }
        }
        if let Some(line) = self.settings.opening.take()
            && let Turn::End(status) = self.turn(&line)?
        {
            return Ok(Some(status));
        }
        self.status = 0;
        self.shell.borrow_mut().set_status(0);
        Ok(None)
    }

    fn read(&mut self) -> Result<String, ReadlineError> {
        let (cwd, home) = {
            let place = self.place.borrow();
            (place.surroundings.cwd.clone(), place.surroundings.home.clone())
        };
        let prompt = super::prompt::prompt(&self.settings, &cwd, &home, self.status);
        self.editor.readline(&prompt)
    }

    /// Judges a line, asks if need be, runs it.
    fn turn(&mut self, line: &str) -> Result<Turn, Failure> {
        let _ = self.editor.add_history_entry(line);
        self.look_at_configuration();
        let mut consent = None;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let (decision, after, pins) = self.decide(line);
            let latency = began.elapsed();
            // Whoever answered for a warning answered for this verdict, not for a worse one.
            let answer = match consent {
                Some((action, consent)) if decision.action <= action => Answer::Go(consent),
                _ => self.ask(&decision, line),
            };
            if matches!(answer, Answer::Go(_))
                && !self.place.borrow_mut().house.spend(&decision.lifted)
            {
                continue;
            }
            let cwd = self.place.borrow().surroundings.cwd.clone();
            let judged = Judged { decision: &decision, text: line.as_bytes(), cwd: &cwd, latency };
            let entry = match self.record.decision(&judged, &answer) {
                Ok(entry) => entry,
                Err(failure) => return Ok(self.unrecorded(line, &failure)),
            };
            let given = match answer {
                Answer::Go(consent) => consent,
                Answer::Blocked => return Ok(self.refused(line, BLOCKED, Fate::Blocked)),
                Answer::Declined => return Ok(self.refused(line, DECLINED, Fate::Declined)),
                Answer::Interrupted => {
                    return Ok(self.refused(line, INTERRUPTED, Fate::Declined));
                }
            };
            consent = Some((decision.action, given));
            let path = self.known.borrow().path.clone();
            if let Some(obstacle) = elevation::obstacle(&decision.analysis.elevations, &path) {
                complain(&obstacle.to_string());
                self.record.not_run(entry, &obstacle.to_string());
                return Ok(self.refused(line, BLOCKED, Fate::Blocked));
            }
            let Some(permit) = decision.permit(given, pins) else {
                return Ok(self.refused(line, BLOCKED, Fate::Blocked));
            };
            let began = Instant::now();
            match self.execute(&permit, after) {
                Ok(turn) => {
                    let status = if let Turn::End(status) = turn { status } else { self.status };
                    self.record.end(entry, status, began.elapsed());
                    self.remember(line, Fate::Ran);
                    return Ok(turn);
                }
                Err(Ended::Changed(changed)) => self.record.not_run(entry, &changed.to_string()),
                Err(error) => {
                    self.record.not_run(entry, &error.to_string());
                    return Err(failed(error));
                }
            }
        }
        complain("nothing was run: a file that the line depends on keeps changing; try again");
        Ok(self.refused(line, BLOCKED, Fate::Blocked))
    }

    /// The static side first; a model only if that leaves something open, and not without a word.
    fn decide(&self, line: &str) -> (Decision, Session, Pins) {
        let place = self.place.borrow();
        let judged = place.judge(line, None);
        match &self.judge {
            Some((judge, mode)) if mode.asks_about(&judged.0) => {
                let mut screen = Screen::errors();
                screen.paint(Style::Faint, "asking a model …").end();
                let _ = screen.finish();
                place.judge(line, Some(Asked { judge, mode: *mode }))
            }
            _ => judged,
        }
    }

    /// Takes over what the configuration says by now: rules that were added or removed, and what the
    /// project that this directory belongs to asks for. What cannot be read leaves things as they are,
    /// and is told once.
    fn look_at_configuration(&mut self) {
        let mut place = self.place.borrow_mut();
        let renewed = configuration::read_in(&place.surroundings.cwd)
            .map_err(|problems| problems.to_string())
            .and_then(|config| Settings::of(config).map_err(|failure| failure.message));
        match renewed {
            Ok(settings) => {
                place.house.take(&settings.config);
                place.role = settings.role;
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

    fn ask(&self, decision: &Decision, line: &str) -> Answer {
        let mut place = self.place.borrow_mut();
        let context = place.surroundings.context(&MACHINE);
        let request = Request {
            text: line.as_bytes(),
            context: &context,
            role: place.role,
            judge: None,
            house: place.house.rules(),
        };
        let proposals = decision.proposals(&request);
        let matter =
            Matter { decision, text: line, settings: &self.settings, context: &context, proposals };
        ask::decide(&matter, &mut place.house)
    }

    fn execute(&mut self, permit: &Permit, after: Session) -> Result<Turn, Ended> {
        let ran = self.shell.borrow_mut().run(permit).map(|report| report.status);
        match ran {
            Ok(status) => {
                self.status = status;
                let before = self.place.borrow().surroundings.cwd.clone();
                self.place.borrow_mut().session = after;
                self.observe();
                if self.place.borrow().surroundings.cwd != before {
                    self.look_at_configuration();
                }
                Ok(Turn::Next)
            }
            Err(Ended::Gone(outcome)) => Ok(Turn::End(outcome.status())),
            Err(error) => Err(error),
        }
    }

    /// Nothing runs that was to be recorded and is not; but whoever wants to leave may.
    fn unrecorded(&mut self, line: &str, failure: &Failure) -> Turn {
        complain(&failure.message);
        if matches!(line.trim(), "exit" | "logout") {
            return Turn::End(self.status);
        }
        self.refused(line, BLOCKED, Fate::Blocked)
    }

    fn refused(&mut self, line: &str, status: u8, fate: Fate) -> Turn {
        self.status = status;
        self.shell.borrow_mut().set_status(status);
        self.remember(line, fate);
        Turn::Refused
    }

    /// Takes over what bash says of itself.
    fn observe(&mut self) {
        let mut shell = self.shell.borrow_mut();
        let mut place = self.place.borrow_mut();
        let Report { cwd, variables, aliases, .. } = shell.last().clone();
        let last_word = place.session.last_word().unwrap_or_default().to_owned();
        place.surroundings = place.surroundings.at(&cwd);
        let mut known = self.known.borrow_mut();
        known.names = aliases.keys().cloned().collect();
        known.names.extend(place.session.functions().map(|(name, _)| name.to_owned()));
        known.path = variables.get("PATH").cloned().unwrap_or_default();
        known.cwd = cwd;
        place.session.observe(&Observed { variables, aliases });
        place.session.settle();
        shell.set_last_word(last_word.as_bytes());
        if let Some(helper) = self.editor.helper() {
            helper.forget_programs();
        }
    }

    fn remember(&mut self, line: &str, fate: Fate) {
        // A line that begins with a blank is not kept, as in bash.
        let Some(history) = self.history.as_ref().filter(|_| !line.starts_with(' ')) else {
            return;
        };
        if let Err(error) = history.add(line, fate) {
            let path = history.path().display();
            complain(&format!("the line was not kept in {path}: {error}"));
            self.history = None;
        }
    }
}

fn editor(
    settings: &Settings,
    shell: &Rc<RefCell<Shell>>,
    place: &Rc<RefCell<Place>>,
    known: &Rc<RefCell<Known>>,
    history: Option<&History>,
) -> Result<Editor<LineHelper, MemHistory>, Failure> {
    let mode = if settings.vi { EditMode::Vi } else { EditMode::Emacs };
    let config = Config::builder()
        .max_history_size(settings.history_size)
        .map_err(failed)?
        .history_ignore_space(true)
        .completion_type(rustyline::CompletionType::List)
        .edit_mode(mode)
        .bracketed_paste(true)
        .build();
    let entries_kept = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, entries_kept).map_err(failed)?;
    let live: Option<Live> = settings.live.then(|| live(Rc::clone(place)));
    editor.set_helper(Some(LineHelper::new(Rc::clone(shell), Rc::clone(known), live)));
    let entries = history.map_or(Ok(Vec::new()), |history| {
        let _ = history.trim();
        history.entries()
    });
    match entries {
        Ok(entries) => {
            for entry in entries {
                let _ = editor.add_history_entry(entry);
            }
        }
        Err(error) => output::complain(&format!("the history was not read: {error}")),
    }
    Ok(editor)
}

/// The verdict on what is typed so far, if it is not a plain yes.
fn live(place: Rc<RefCell<Place>>) -> Live {
    Box::new(move |line| {
        let (decision, ..) = place.borrow().judge(line, None);
        if decision.action == Action::Allow {
            return None;
        }
        let mut screen = Screen::errors();
        screen
            .put("   ")
            .paint(Style::of(decision.action), decision.action.as_str().to_uppercase());
        screen.put(format_args!(" {}", decision.rule.name));
        Some(screen.into_text())
    })
}

/// A random word that no line can print.
fn mark() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
