//! Assignments: those of a command, those that last, and those among the words of `declare`.

use super::Interp;
use super::expansion::split_element;
use aegish_expansion::Field;
use aegish_shell_state::{Switch, Variable, VariableContent};
use aegish_syntax::{Assignment, AssignmentValue, Part, SimpleCommand, Span, Word};
use aegish_values::{Value, join_values};

impl Interp<'_> {
    /// Words of `export`, `declare`, …: assignments among them are not split.
    pub(super) fn expand_declaration(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut keyed = false;
        let mut local = true;
        let mut flags = String::new();
        for (at, word) in words.iter().enumerate() {
            if let [Part::Literal(flag)] = word.parts.as_slice() {
                flags.push_str(flag.strip_prefix('-').unwrap_or_default());
                keyed |= flag.starts_with('-') && flag.contains('A');
                let global = matches!(flag.as_str(), "export" | "readonly") && at == 0;
                local &= !(global || flag.starts_with('-') && flag.contains('g'));
            }
            if let (true, [Part::Literal(name), Part::Array(_)]) = (local, word.parts.as_slice()) {
                let name = name.trim_end_matches('=').trim_end_matches('+');
                let inherits = self.is_on(Switch::LocalInherits) || self.is_on(Switch::PlainShell);
                self.keep_outer(name, inherits);
            }
            if let [Part::Literal(name), Part::Array(_)] = word.parts.as_slice()
                && flags.contains(['i', 'l', 'u'])
            {
                let name = name.trim_end_matches('=').trim_end_matches('+');
                let name = self.resolve_reference(name);
                let unset = || Variable { content: VariableContent::Unset, ..Variable::default() };
                self.state.variables.get_or_insert_with(name, unset).with_attributes(&flags);
            }
            if let (true, [Part::Literal(name), Part::Array(_)]) = (keyed, word.parts.as_slice()) {
                let name = name.trim_end_matches('=').trim_end_matches('+');
                if !self.is_keyed(name) {
                    self.assign_array(name, VariableContent::Keyed(Default::default()));
                }
            }
            let assigns =
                matches!(word.parts.first(), Some(Part::Literal(text)) if text.contains('='));
            // `declare "$name"=/*/x`: no file has such a name, and nothing is split.
            let whole = |part: &Part| matches!(part, Part::Literal(_) | Part::DoubleQuoted(_));
            let sets = |part: &Part| matches!(part, Part::Literal(text) if text.starts_with('='));
            if assigns || word.parts.iter().all(whole) && word.parts.iter().any(sets) {
                for word in aegish_syntax::expand_braces(word).unwrap_or_else(|| vec![word.clone()])
                {
                    let value = self.expand_assignment_word(&word);
                    fields.push(Field { value, span: self.span(word.span) });
                }
            } else {
                self.expand_word_into(word, &mut fields);
            }
        }
        fields
    }

    /// `name=value` as an argument: sets arrays at once, gives the text otherwise.
    pub(super) fn expand_assignment_word(&mut self, word: &Word) -> Value {
        if let [Part::Literal(name), Part::Array(elements)] = word.parts.as_slice() {
            let append = name.ends_with("+=");
            let name = name.trim_end_matches('=').trim_end_matches('+');
            self.assign_literal_array(name, elements, append);
            return Value::known(name);
        }
        // A tilde directly after `=` is expanded, as in a real assignment.
        if let [Part::Literal(text), behind @ ..] = word.parts.as_slice()
            && let Some((name, rest)) = text.split_once('=')
        {
            let mut parts = vec![Part::Literal(rest.to_owned())];
            parts.extend_from_slice(behind);
            let mut value = Value::known(format!("{name}="));
            value.append(&self.expand_with_colons(&Word { parts, span: word.span }));
            return value;
        }
        self.expand_single(word)
    }

    /// An assignment that stands alone changes the shell itself.
    pub(crate) fn run_assignment(&mut self, assignment: &Assignment, lasting: bool) {
        let span = self.span(assignment.span);
        match &assignment.value {
            AssignmentValue::Array(elements) => {
                self.assign_literal_array(&assignment.name, elements, assignment.append);
            }
            AssignmentValue::Scalar(word) => {
                let mut value = self.expand_with_colons(word);
                if let Some(index) = &assignment.index {
                    self.assign_element(&assignment.name, index, value, assignment.append);
                    return;
                }
                if assignment.append {
                    let longer = self.appended(&assignment.name, &value);
                    // Elsewhere `x+=y` is the name of a command.
                    value = match self.lookup(&assignment.name).flatten() {
                        Some(old) if self.is_on(Switch::PlainShell) => join_values(&old, &longer),
                        _ => longer,
                    };
                }
                self.effect_setenv(&assignment.name, &value, span, lasting);
                self.assign(&assignment.name, value);
            }
        }
    }

    /// Sets variables for one command only; returns what to restore.
    pub(super) fn push_assignments(
        &mut self,
        assignments: &[Assignment],
    ) -> Vec<(String, Option<Variable>)> {
        let mut saved = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            // A reference stays as it is, and the variable that it names is set.
            let mut name = self.resolve_reference(&assignment.name);
            if let Some((array, _)) = split_element(&name) {
                name = array.to_owned();
            }
            let before = self.state.variables.get(&name).cloned();
            self.run_assignment(assignment, false);
            if let Some(variable) = self.state.variables.get_mut(&name) {
                variable.exported = true;
            }
            saved.push((name, before));
        }
        saved
    }

    pub(super) fn pop_assignments(&mut self, saved: Vec<(String, Option<Variable>)>) {
        for (name, before) in saved.into_iter().rev() {
            if let Some(at) = self.calls.lasting.iter().position(|lasting| *lasting == name) {
                self.calls.lasting.swap_remove(at);
                if let (Some(now), Some(before)) = (self.state.variables.get_mut(&name), &before) {
                    now.join(before);
                }
                continue;
            }
            match before {
                Some(variable) => {
                    self.state.variables.insert(name, variable);
                }
                None => {
                    self.state.variables.remove(&name);
                }
            }
        }
    }

    /// Records elements of arrays that bash runs or uses as aliases.
    pub(crate) fn note_element(&mut self, name: &str, key: Option<&str>, value: &Value) {
        match (name, key) {
            ("PROMPT_COMMAND", _) => self.effect_setenv(name, value, Span::default(), true),
            ("BASH_ALIASES", Some(key)) => {
                self.effect_shadow(key, value.clone(), Span::default());
                if let Some(text) = value.as_known() {
                    self.state.aliases.insert(key.to_owned(), text.to_owned());
                }
            }
            ("BASH_CMDS", Some(key)) => {
                self.effect_shadow(key, value.clone(), Span::default());
                if let Some(path) = value.as_known() {
                    self.state.hashed.insert(key.to_owned(), path.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Sets a whole array.
    pub(crate) fn assign_array(&mut self, name: &str, content: VariableContent) {
        let name = self.resolve_reference(name);
        match &content {
            VariableContent::Indexed(items) => {
                items.values().for_each(|value| self.note_element(&name, None, value));
            }
            VariableContent::Keyed(items) => {
                items.iter().for_each(|(key, value)| self.note_element(&name, Some(key), value));
            }
            _ => {}
        }
        if self.is_readonly(&name) {
            return;
        }
        let variable = self.state.variables.get_or_insert_with(name, Default::default);
        variable.content = content;
        variable.perhaps_unset = false;
        variable.ways = None;
    }
}

pub(super) fn is_declaration(simple: &SimpleCommand) -> bool {
    matches!(
        simple.words.first().map(|word| word.parts.as_slice()),
        Some([Part::Literal(name)])
            if matches!(name.as_str(), "export" | "declare" | "local" | "readonly" | "typeset" | "alias")
    )
}
