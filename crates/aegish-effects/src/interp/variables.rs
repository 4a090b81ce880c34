//! Assignments and their meaning for later commands.

use super::Interp;
use crate::effect::{EffectKind, ShadowScope};
use crate::state::VariableContent;
use aegish_syntax::{ArrayElement, Span};
use aegish_values::{Value, origin};
use std::collections::BTreeMap;

impl Interp<'_> {
    /// `name=(a b [5]=c)`
    pub(crate) fn assign_literal_array(
        &mut self,
        name: &str,
        elements: &[ArrayElement],
        append: bool,
    ) {
        let existing = self.variable_content(name);
        if let Some(VariableContent::Keyed(items)) = &existing {
            let mut items = if append { items.clone() } else { BTreeMap::new() };
            for element in elements {
                let value = self.expand_single(&element.value);
                if let Some(index) = &element.index {
                    let key = self.expand_single(index);
                    if let Some(key) = key.as_known() {
                        items.insert(key.to_owned(), value);
                    }
                }
            }
            self.assign_array(name, VariableContent::Keyed(items));
            return;
        }
        let mut items: BTreeMap<i64, Value> = match (append, existing) {
            (true, Some(VariableContent::Indexed(items))) => items,
            (true, Some(VariableContent::Scalar(value))) => BTreeMap::from([(0, value)]),
            _ => BTreeMap::new(),
        };
        let mut next = items.keys().next_back().map_or(0, |last| last + 1);
        for element in elements {
            if let Some(index) = &element.index {
                let value = self.expand_single(&element.value);
                if let Some(number) = self.arithmetic(index) {
                    items.insert(number, value);
                    next = number + 1;
                }
                continue;
            }
            let mut fields = Vec::new();
            self.expand_word_into(&element.value, &mut fields);
            for field in fields {
                items.insert(next, field.value);
                next += 1;
            }
        }
        self.assign_array(name, VariableContent::Indexed(items));
    }

    /// The value of `name+=value`.
    pub(crate) fn appended(&mut self, name: &str, value: &Value) -> Value {
        let integer = self.state.variables.get(name).is_some_and(|variable| variable.integer);
        let mut joined = match self.lookup(name) {
            Some(Some(old)) => old,
            Some(None) => Value::empty(),
            None => Value::unknown(origin::VARIABLE),
        };
        if integer {
            joined.push_str("+");
        }
        joined.append(value);
        joined
    }

    /// Reports variables that other programs may read.
    ///
    /// Lower-case names are variables of the script by convention and are left out unless exported.
    pub(crate) fn effect_setenv(&mut self, name: &str, value: &Value, span: Span, lasting: bool) {
        let name = &self.resolve_reference(name);
        let environment =
            name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let exported = self.state.variables.get(name).is_some_and(|variable| variable.exported);
        if !environment && !exported && lasting && !name.starts_with("__") {
            return;
        }
        // The same directories in the same order: nothing is looked for elsewhere.
        if name == "PATH" && self.ctx.variables.get("PATH").is_some_and(|known| known == value) {
            return;
        }
        self.report_shell_command(span);
        self.effect(EffectKind::Setenv { name: name.to_owned(), value: value.clone() }, span);
    }

    /// A word; with the origin of `$PPID` if it is the number of the process that started the shell, or of its group.
    pub(crate) fn marked_as_guard(&self, word: &Value) -> Value {
        let Some(VariableContent::Scalar(process)) =
            self.state.variables.get("PPID").map(|variable| &variable.content)
        else {
            return word.clone();
        };
        let number = word.as_known().map(|text| text.strip_prefix('-').unwrap_or(text));
        if number.is_some() && number == process.as_known() {
            return word.clone().tainted(process.taint());
        }
        word.clone()
    }

    /// A name gets another meaning in this session.
    pub(crate) fn effect_shadow(&mut self, name: &str, meaning: Value, span: Span) {
        self.report_shell_command(span);
        let scope = ShadowScope::Session;
        self.effect(EffectKind::Shadow { name: name.to_owned(), meaning, scope }, span);
    }

    /// A function is defined.
    pub(crate) fn effect_function(&mut self, name: &str, span: Span) {
        self.report_shell_command(span);
        let scope = if self.ctx.interactive || self.state.allexport {
            ShadowScope::Session
        } else {
            ShadowScope::Text
        };
        let meaning = Value::unknown("function");
        self.effect(EffectKind::Shadow { name: name.to_owned(), meaning, scope }, span);
    }

    /// Child shells get functions too.
    pub(crate) fn export_functions(&mut self, names: impl IntoIterator<Item = String>, span: Span) {
        for name in names {
            if !self.ctx.interactive && self.state.functions.contains_key(&name) {
                self.effect_shadow(&name, Value::unknown("function"), span);
            }
            self.state.exported_functions.push(name);
        }
    }

    /// `set -a`: everything is exported, also what is defined later.
    pub(crate) fn export_all(&mut self, span: Span) {
        let names: Vec<String> = self.state.functions.keys().cloned().collect();
        self.export_functions(names, span);
        self.state.allexport = true;
    }
}
