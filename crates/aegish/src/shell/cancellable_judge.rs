//! A judge that can be cancelled by `^C`.

use aegish_exec::Interrupts;
use aegish_guard::{Advisor, FailMode, Role, catch_panic};
use aegish_judge::{Evidence, Judge, OpinionSource, Ruling, ScriptEvidence};
use aegish_terminal::{Screen, Style, complain};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often `^C` is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A judge, and whether its answer was cancelled.
pub(crate) struct CancellableJudge<'a> {
    judge: &'a Arc<Judge>,
    cancelled: AtomicBool,
}

impl<'a> CancellableJudge<'a> {
    pub(crate) fn new(judge: &'a Arc<Judge>) -> Self {
        Self { judge, cancelled: AtomicBool::new(false) }
    }

    /// Whether `^C` was pressed before the answer. The decision must not be used then.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Advisor for CancellableJudge<'_> {
    fn has_model(&self) -> bool {
        self.judge.has_model()
    }

    /// A request cannot be aborted. After `^C` it continues in its thread until its timeout, and its
    /// answer goes to the cache.
    fn ask(&self, evidence: &Evidence<'_>, role: Role) -> Ruling {
        let mut screen = Screen::errors();
        screen.paint(Style::Faint, "asking a model … (^C gives up)").end();
        let _ = screen.finish();
        let began = Instant::now();
        let Ok(interrupts) = Interrupts::watch() else { return self.judge.ask(evidence, role) };
        let (judge, evidence) = (Arc::clone(self.judge), Owned::from(evidence));
        let (answer, answers) = mpsc::channel();
        thread::spawn(move || {
            // After a cancellation there is no receiver.
            let asked = catch_panic(|| evidence.give(|evidence| judge.ask(evidence, role)));
            let _ = answer.send(asked);
        });
        loop {
            match answers.recv_timeout(POLL_INTERVAL) {
                Ok(Ok(ruling)) => return ruling,
                Ok(Err(panicked)) => {
                    complain(&panicked.to_string());
                    return self.nothing(began.elapsed(), role);
                }
                Err(RecvTimeoutError::Timeout) if !interrupts.arrived() => {}
                Err(_) => {
                    self.cancelled.store(true, Ordering::Relaxed);
                    return self.nothing(began.elapsed(), role);
                }
            }
        }
    }

    fn fail_mode(&self) -> FailMode {
        self.judge.fail_mode()
    }

    fn min_confidence(&self) -> f64 {
        self.judge.min_confidence()
    }
}

impl CancellableJudge<'_> {
    fn nothing(&self, latency: Duration, role: Role) -> Ruling {
        Ruling {
            opinion: None,
            model: None,
            source: OpinionSource::Model,
            latency,
            usage: aegish_wire::Usage::default(),
            cost: None,
            prompt_hash: self.judge.prompt(role).hash.clone(),
            notes: Vec::new(),
        }
    }
}

/// Evidence that outlives the line it is about.
struct Owned {
    command: String,
    canonical: Option<String>,
    effects: Vec<String>,
    scripts: Vec<(String, Option<String>)>,
    facts: Vec<(String, String)>,
}

impl From<&Evidence<'_>> for Owned {
    fn from(evidence: &Evidence<'_>) -> Self {
        let script = |script: &ScriptEvidence<'_>| {
            (script.path.to_owned(), script.contents.map(str::to_owned))
        };
        let fact = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self {
            command: evidence.command.to_owned(),
            canonical: evidence.canonical.map(str::to_owned),
            effects: evidence.effects.to_vec(),
            scripts: evidence.scripts.iter().map(script).collect(),
            facts: evidence.facts.iter().map(fact).collect(),
        }
    }
}

impl Owned {
    fn give<T>(&self, to: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let scripts: Vec<ScriptEvidence<'_>> = self
            .scripts
            .iter()
            .map(|(path, contents)| ScriptEvidence { path, contents: contents.as_deref() })
            .collect();
        let facts: Vec<(&str, &str)> =
            self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        to(&Evidence {
            command: &self.command,
            canonical: self.canonical.as_deref(),
            effects: &self.effects,
            scripts: &scripts,
            facts: &facts,
        })
    }
}
