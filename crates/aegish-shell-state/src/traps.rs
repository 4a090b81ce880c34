//! Code that runs on signals and events.

use crate::files::FileFact;
use crate::variable::Meanings;
use aegish_syntax::Span;
use aegish_values::{PathMap, Value};
use std::sync::Arc;

/// Events between the commands of a script, on which the shell itself runs code.
const BETWEEN_COMMANDS: [&str; 3] = ["DEBUG", "ERR", "RETURN"];
/// The event at the end of a shell.
const END: &str = "EXIT";

/// Code that runs on signals and events.
#[derive(Debug, Clone)]
pub struct Trap {
    /// The code as given.
    pub code: Value,
    /// When it runs.
    pub events: Vec<String>,
    /// What words stood for when it was last followed.
    pub seen: Meanings,
    /// The values of the variables that it names, where it was last followed between two commands.
    pub met: Vec<Option<Value>>,
    /// The files of the script when it was followed.
    pub files: PathMap<FileFact>,
    /// It changes what words stand for, and runs while the script does.
    pub assigns: bool,
    /// It reads `BASH_COMMAND`, which is another one each time.
    pub reads_command: bool,
    /// Where it was set, if that is in the present text.
    pub span: Option<Span>,
}

impl Trap {
    /// The name under which an event is kept: upper case without `SIG`.
    #[must_use]
    pub fn event(name: &str) -> String {
        let name = name.to_ascii_uppercase();
        let name = name.strip_prefix("SIG").unwrap_or(&name);
        if name == "0" { END.to_owned() } else { name.to_owned() }
    }

    /// Whether it runs on this event.
    #[must_use]
    pub fn runs_on(&self, event: &str) -> bool {
        self.events.iter().any(|own| own == event)
    }

    /// Whether it runs at the end of the shell.
    #[must_use]
    pub fn ends(&self) -> bool {
        self.runs_on(END)
    }

    /// Whether it runs at the end of the shell and at no other time.
    #[must_use]
    pub fn only_ends(&self) -> bool {
        self.events.iter().all(|event| event == END)
    }

    /// Whether the shell runs it between commands.
    #[must_use]
    pub fn between_commands(&self) -> bool {
        BETWEEN_COMMANDS.iter().any(|event| self.runs_on(event))
    }

    /// Whether it runs when a signal comes or the shell ends.
    #[must_use]
    pub fn waits(&self) -> bool {
        !self.events.iter().all(|event| BETWEEN_COMMANDS.contains(&event.as_str()))
    }
}

/// The traps of a shell. Copies share them.
#[derive(Debug, Clone, Default)]
pub struct Traps(Arc<Vec<Arc<Trap>>>);

impl Traps {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = &Trap> {
        self.0.iter().map(Arc::as_ref)
    }

    /// The trap at a place.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&Arc<Trap>> {
        self.0.get(at)
    }

    /// Adds a trap beside those for the same events.
    pub fn add(&mut self, trap: Trap) {
        Arc::make_mut(&mut self.0).push(Arc::new(trap));
    }

    /// Nothing runs on these events any more.
    pub fn remove(&mut self, events: &[String]) {
        if self.iter().any(|trap| events.iter().any(|event| trap.runs_on(event))) {
            self.change_all(|trap| trap.events.retain(|event| !events.contains(event)));
            Arc::make_mut(&mut self.0).retain(|trap| !trap.events.is_empty());
        }
    }

    /// Nothing runs at the end of this shell: children do not inherit that.
    pub fn remove_ends(&mut self) {
        self.remove(&[END.to_owned()]);
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Changes the trap at a place.
    pub fn change(&mut self, at: usize, change: impl FnOnce(&mut Trap)) {
        if let Some(trap) = Arc::make_mut(&mut self.0).get_mut(at) {
            change(Arc::make_mut(trap));
        }
    }

    /// Changes each of them.
    pub fn change_all(&mut self, mut change: impl FnMut(&mut Trap)) {
        if !self.is_empty() {
            Arc::make_mut(&mut self.0).iter_mut().for_each(|trap| change(Arc::make_mut(trap)));
        }
    }

    /// Joins those of two ways: each may be set.
    pub fn join(&mut self, other: &Self) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        // Most are the same on both ways, at the same place.
        let pairs = self.0.iter().zip(other.0.iter());
        let shared = pairs.take_while(|(ours, theirs)| Arc::ptr_eq(ours, theirs)).count();
        for trap in other.0.iter().skip(shared) {
            let known = self.iter().position(|ours| ours.code == trap.code);
            match known {
                Some(at) => self.change(at, |ours| {
                    let new = trap.events.iter().filter(|event| !ours.events.contains(event));
                    let new: Vec<String> = new.cloned().collect();
                    ours.events.extend(new);
                    ours.assigns |= trap.assigns;
                }),
                None => Arc::make_mut(&mut self.0).push(Arc::clone(trap)),
            }
        }
    }
}
