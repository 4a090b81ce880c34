//! Sessions whose state the shell itself can tell, so that a text that was judged before need not be followed again.

use crate::content::VariableContent;
use crate::session::Session;
use crate::state::{HistoryExpansion, ShellState};
use aegish_values::{Taint, Value, origin};
use std::collections::BTreeMap;

impl Session {
    /// Whether the shell can tell everything that the lines so far left behind: variables, functions, aliases, options.
    /// It cannot tell which files they wrote, where content came from, and some of its traps.
    #[must_use]
    pub fn is_told_by_shell(&self) -> bool {
        let Some(state) = self.state() else { return true };
        // Every field is named, so that a new one is decided on.
        let ShellState {
            variables,
            functions: _,
            aliases: _,
            positional: _,
            parameter_ways: _,
            cwd: _,
            descriptors,
            perhaps_closed: _,
            read_from: _,
            files,
            replaced,
            last_word: _,
            directories,
            unpacked,
            made,
            filled,
            pieces,
            traps,
            settings,
            recalled,
            lines: _,
            called_by_shell: _,
            exported_functions: _,
            links,
            hashed,
            zero: _,
            switches: _,
            unread: _,
            reaching,
            to_export: _,
            allexport: _,
            modes_changed: _,
            stack_named: _,
            errexit: _,
            history_expansion,
            vouched,
            outcome: _,
            jobs,
        } = state;
        let outside = |taint: &Taint| taint.network().is_some() || taint.checkout().is_some();
        let from_outside = |content: &VariableContent| match content {
            VariableContent::Unset => false,
            VariableContent::Scalar(value) => outside(value.taint()),
            VariableContent::Indexed(items) => items.values().any(|value| outside(value.taint())),
            VariableContent::Keyed(items) => items.values().any(|value| outside(value.taint())),
        };
        descriptors.is_empty()
            && files.is_empty()
            && replaced.is_empty()
            && directories.is_empty()
            && unpacked.is_empty()
            && made.is_empty()
            && filled.is_empty()
            && pieces.is_empty()
            && settings.is_empty()
            && recalled.is_empty()
            && links.is_empty()
            && hashed.is_empty()
            && vouched.is_empty()
            && traps.is_empty()
            && jobs.is_empty()
            && !reaching
            && history_expansion == HistoryExpansion::On
            && !variables.values().any(|variable| from_outside(&variable.content))
    }

    /// A text that two sessions share if and only if an analysis treats them alike.
    #[must_use]
    pub fn description(&self) -> String {
        let mut state = self.state().unwrap_or_default();
        let variables: BTreeMap<String, String> = state
            .variables
            .iter()
            .map(|(name, variable)| (name.clone(), format!("{variable:?}")))
            .collect();
        let functions: BTreeMap<String, String> = state
            .functions
            .iter()
            .map(|(name, function)| (name.clone(), format!("{function:?}")))
            .collect();
        let aliases: BTreeMap<String, String> =
            state.aliases.iter().map(|(name, text)| (name.clone(), text.clone())).collect();
        state.variables.clear();
        state.functions.clear();
        state.aliases.clear();
        format!("{variables:?}\n{functions:?}\n{aliases:?}\n{state:?}")
    }

    /// Makes the values of these variables unknown, so that no verdict depends on them.
    pub fn forget_values(&mut self, names: &[&str]) {
        let Some(mut state) = self.state() else { return };
        for name in names {
            if let Some(variable) = state.variables.get_mut(name) {
                let value = variable.content.scalar().unwrap_or_default();
                let unknown = Value::unknown(origin::VARIABLE).tainted(value.taint());
                variable.content = VariableContent::Scalar(unknown);
                variable.perhaps_unset = true;
                variable.ways = None;
            }
        }
        *self = Self::after(state);
    }

    /// The shell calls these functions by itself, for completion. How it came to its state was not followed.
    pub fn observe_called_by_shell(&mut self, names: impl Iterator<Item = String>) {
        let mut state = self.state().unwrap_or_default();
        state.called_by_shell = names.collect();
        state.unread = true;
        *self = Self::after(state);
    }
}
