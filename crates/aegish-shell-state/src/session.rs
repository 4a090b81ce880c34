//! State of earlier lines of a session, passed from one analysis to the next.
//!
//! Without a real shell (a list of commands to judge) it holds what the analysis concluded. With a real
//! shell, [`Session::observe`] takes the variables and aliases of the shell, and [`Session::settle`] forgets
//! contents of files, which are read again. Origins are never forgotten.

use crate::content::VariableContent;
use crate::state::{HistoryExpansion, ShellState, Switch};
use crate::variable::Variable;
use aegish_values::{Source, Taint, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Limit on the files that are stored beside a shell. Beyond it only files with an outside origin are stored.
const MOST_FILES: usize = 2048;

/// State after earlier lines: variables, functions, aliases, files written and their origin.
#[derive(Debug, Clone, Default)]
pub struct Session {
    state: Option<Arc<ShellState>>,
}

/// The state that a real shell reports.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// All variables, exported or not, without arrays.
    pub variables: &'a HashMap<String, String>,
    /// All aliases.
    pub aliases: &'a HashMap<String, String>,
}

impl Session {
    /// A session in which nothing has happened yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The session that a line leaves behind.
    pub fn after(mut state: ShellState) -> Self {
        // `<(…)` exists for one line only.
        state.files.remove_starting_with("/dev/fd/");
        // Spans of the next text refer to another source.
        state.traps.change_all(|trap| trap.span = None);
        state.jobs.end_line();
        // The guard switches comments on again behind each line.
        state.switches.retain(|switch| *switch != Switch::NoComments);
        Self { state: Some(Arc::new(state)) }
    }

    /// The state after the lines so far; `None` if nothing has happened yet.
    #[must_use]
    pub fn state(&self) -> Option<ShellState> {
        self.state.as_deref().cloned()
    }

    /// The working directory after the lines so far, if it is known.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.state.as_deref()?.cwd.as_known()
    }

    /// Whether the lines so far changed to an unknown directory.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state
            .as_deref()
            .is_some_and(|state| !state.cwd.pieces().is_empty() && state.cwd.as_known().is_none())
    }

    /// The last word of the last command (`$_`), if it is known.
    #[must_use]
    pub fn last_word(&self) -> Option<&str> {
        self.state.as_deref()?.last_word.as_ref()?.as_known()
    }

    /// What the lines so far chose by `set -H` and `set +H`.
    #[must_use]
    pub fn history_expansion(&self) -> HistoryExpansion {
        self.state.as_deref().map(|state| state.history_expansion).unwrap_or_default()
    }

    /// The functions that the lines so far define: name and body as written, of each possible definition.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &str)> {
        let functions = self.state.iter().flat_map(|state| state.functions.iter());
        functions.flat_map(|(name, function)| {
            function.definitions().iter().map(|definition| (name.as_str(), &*definition.text))
        })
    }

    /// The variables that the lines so far set, without arrays.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.state.iter().flat_map(|state| {
            state.variables.iter().filter_map(|(name, variable)| match &variable.content {
                VariableContent::Scalar(value) => Some((name.as_str(), value)),
                VariableContent::Unset
                | VariableContent::Indexed(_)
                | VariableContent::Keyed(_) => None,
            })
        })
    }

    /// Whether a variable that is no array has exactly this text.
    #[must_use]
    pub fn is_set_to(&self, name: &str, text: &str) -> bool {
        let variable = self.state.as_deref().and_then(|state| state.variables.get(name));
        matches!(variable.map(|variable| &variable.content),
            Some(VariableContent::Scalar(value)) if value.as_known() == Some(text))
    }

    /// Whether a line so far made a variable read-only.
    #[must_use]
    pub fn is_readonly(&self, name: &str) -> bool {
        let variable = self.state.as_deref().and_then(|state| state.variables.get(name));
        variable.is_some_and(|variable| variable.readonly)
    }

    /// The text of a variable, or of the elements of an indexed array in their order; empty if it is not set. `None` if
    /// some of it is not known.
    #[must_use]
    pub fn texts_of(&self, name: &str) -> Option<Vec<String>> {
        let Some(variable) = self.state.as_deref().and_then(|state| state.variables.get(name))
        else {
            return Some(Vec::new());
        };
        let known = |value: &Value| value.as_known().map(str::to_owned);
        match &variable.content {
            _ if variable.perhaps_unset || variable.reference => None,
            VariableContent::Unset => Some(Vec::new()),
            VariableContent::Scalar(value) => known(value).map(|text| vec![text]),
            VariableContent::Indexed(items) => items.values().map(known).collect(),
            VariableContent::Keyed(_) => None,
        }
    }

    /// The aliases that the lines so far define: name and text.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let aliases = self.state.iter().flat_map(|state| state.aliases.iter());
        aliases.map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The files that the lines so far wrote, without named pipes: path and content.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Value)> {
        let files = self.state.iter().flat_map(|state| state.files.iter());
        files.filter(|(_, fact)| !fact.fifo).map(|(path, fact)| (path, &fact.content))
    }

    /// Whether code of the shell may run that no line names (traps, code that could not be read), or
    /// assignments may change variables that they do not name.
    #[must_use]
    pub fn calls_back(&self) -> bool {
        self.state.as_deref().is_some_and(|state| {
            state.unread
                || state.reaching
                || !state.traps.is_empty()
                || !state.called_by_shell.is_empty()
        })
    }

    /// Replaces conclusions about single variables by the values that the shell reports; `None` is an unset
    /// variable.
    pub fn observe_some<'v>(&mut self, observed: impl Iterator<Item = (&'v str, Option<&'v str>)>) {
        let mut state = self.state().unwrap_or_default();
        for (name, text) in observed {
            match text {
                Some(text) => state.observe(name, text),
                // Arrays are not reported.
                None if state.variables.get(name).is_some_and(Variable::is_scalar) => {
                    state.variables.remove(name);
                }
                None => {}
            }
        }
        // Every line starts with the terminal as its input.
        state.descriptors.remove(&0);
        state.lines.clear();
        self.state = Some(Arc::new(state));
    }

    /// Replaces conclusions by the state of the shell. Origins of values are kept.
    pub fn observe(&mut self, observed: Observed<'_>) {
        let mut state = self.state().unwrap_or_default();
        let gone: Vec<String> = state
            .variables
            .iter()
            .filter(|(name, variable)| {
                variable.is_scalar() && !observed.variables.contains_key(*name)
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in gone {
            state.variables.remove(&name);
        }
        for (name, text) in observed.variables {
            state.observe(name, text);
        }
        state.aliases = observed.aliases.clone().into();
        // The guard beside it expands references to the history by itself.
        state.lines.clear();
        // Every line starts with the terminal as its input.
        state.descriptors.remove(&0);
        self.state = Some(Arc::new(state));
    }

    /// The last line ended with this status: a verification at its end succeeded or failed.
    pub fn line_ended(&mut self, status: u8) {
        let Some(mut state) = self.state() else { return };
        let outcome = std::mem::take(&mut state.outcome);
        let shown = outcome.of(status == 0);
        if shown.is_empty() {
            return;
        }
        state.vouched.extend_from_slice(shown);
        self.state = Some(Arc::new(state));
    }

    /// Forgets contents of files, because an editor or a failed command may have changed them. Origins
    /// are kept.
    pub fn settle(&mut self) {
        let Some(mut state) = self.state() else { return };
        if state.files.values().all(|fact| fact.settled) && state.files.len() <= MOST_FILES {
            return;
        }
        if state.files.len() > MOST_FILES {
            state.files.retain(|_, fact| !fact.content.taint().is_none());
        }
        let written = state.files.iter().filter(|(_, fact)| !fact.fifo && !fact.settled);
        let written: Vec<String> = written.map(|(path, _)| path.to_owned()).collect();
        for path in written {
            if let Some(fact) = state.files.get_mut(&path) {
                fact.settled = true;
            }
        }
        self.state = Some(Arc::new(state));
    }
}

impl ShellState {
    /// Sets a variable to the value that the shell reports.
    fn observe(&mut self, name: &str, text: &str) {
        let before = self.variables.get(name);
        if let Some(VariableContent::Scalar(value)) = before.map(|variable| &variable.content)
            && value.as_known() == Some(text)
            && before.is_some_and(|variable| !variable.perhaps_unset)
            && name != "PPID"
        {
            return;
        }
        let mut origin = origin_of(before, text);
        // The process that started the shell is the guard.
        if name == "PPID" {
            origin = Taint::from(Source::Environment(name.to_owned()));
        }
        let variable = self.variables.get_or_insert_with(name.to_owned(), Variable::default);
        if matches!(variable.content, VariableContent::Scalar(_) | VariableContent::Unset) {
            variable.content = VariableContent::Scalar(Value::known(text).tainted(&origin));
            variable.perhaps_unset = false;
            variable.ways = None;
        }
    }
}

/// The origin of a variable's text. If the text is not the one that the analysis knew, the old origin does
/// not apply.
fn origin_of(before: Option<&Variable>, text: &str) -> Taint {
    match before.map(|variable| &variable.content) {
        Some(VariableContent::Scalar(value))
            if value.as_known().is_none_or(|known| known == text) =>
        {
            value.taint().clone()
        }
        _ => Taint::none(),
    }
}
