//! Assignments and their meaning for later commands.

use super::Interp;
use crate::prompt_code::{self, prompt_code};
use aegish_analysis::{Effect, EffectKind, ShadowScope, VariableCode};
use aegish_options::Argument;
use aegish_profiles::{ArgumentRole, DisarmEffect};
use aegish_shell_state::{Subscript, Variable, VariableContent, join_lists};
use aegish_syntax::{AndOr, ArrayElement, Command, CommandKind, SimpleCommand, Span, Word};
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, origin};
use std::sync::Arc;

impl Interp<'_> {
    /// `name=(a b [5]=c)`
    pub(crate) fn assign_literal_array(
        &mut self,
        name: &str,
        elements: &[ArrayElement],
        append: bool,
    ) {
        let name = &self.resolve_reference(name);
        let keyed = self.is_keyed(name);
        // The elements are expanded before the array changes: they may name it.
        let mut lists: Vec<Vec<(Subscript, Value)>> = vec![Vec::new()];
        let mut key: Option<Subscript> = None;
        for element in elements {
            if element.index.is_none() && !keyed {
                lists = self.extended_lists(lists, &element.value);
                continue;
            }
            let value = self.expand_single(&element.value);
            match (&element.index, key.take()) {
                (Some(index), _) => {
                    let place = self.element_at(name, index);
                    lists.iter_mut().for_each(|new| new.push((place.clone(), value.clone())));
                }
                // `(key value key value)`
                (None, Some(key)) => {
                    lists.iter_mut().for_each(|new| new.push((key.clone(), value.clone())));
                }
                (None, None) => {
                    key = Some(
                        value.as_known().map_or(Subscript::Any, |k| Subscript::Key(k.to_owned())),
                    );
                }
            }
        }
        for (_, value) in lists.iter_mut().flatten() {
            *value = self.with_attributes(name, std::mem::take(value));
        }
        for (subscript, value) in lists.iter().flatten() {
            let key = if let Subscript::Key(key) = subscript { Some(key.as_str()) } else { None };
            self.note_element(name, key, value);
        }
        if self.is_readonly(name) {
            return;
        }
        let outer = self.ctx.variables.get(name).cloned();
        let variable = self.state.variables.get_or_insert_with(name.clone(), || Variable {
            content: outer.map_or(VariableContent::Unset, VariableContent::Scalar),
            ..Variable::default()
        });
        variable.perhaps_unset = false;
        if !append {
            variable.ways = None;
            variable.content = match keyed {
                true => VariableContent::Keyed(Arc::default()),
                false => VariableContent::Indexed(Arc::default()),
            };
        }
        // Usually there is one list, and what the variable held is changed in place.
        let before = (lists.len() > 1).then(|| variable.clone());
        for (place, new) in lists.iter().enumerate() {
            let mut one = match (place, &before) {
                (0, _) | (_, None) => std::mem::take(variable),
                (_, Some(before)) => before.clone(),
            };
            one.change(|content| {
                if append && !keyed {
                    let old = std::mem::replace(content, VariableContent::Unset);
                    *content = VariableContent::Indexed(old.into_indexed());
                }
                // A word without a number goes behind the one before it.
                let mut behind = None;
                for (subscript, value) in new {
                    let subscript = match (subscript, behind) {
                        (Subscript::Next, Some(number)) => Subscript::At(number),
                        (subscript, _) => subscript.clone(),
                    };
                    behind = match subscript {
                        Subscript::At(number) if number >= 0 => number.checked_add(1),
                        _ => None,
                    };
                    content.put(subscript, value.clone(), false);
                }
            });
            match place {
                0 => *variable = one,
                _ => variable.join(&one),
            }
        }
    }

    /// Adds the fields of a word to each of several possible lists of elements. Lists of the same length become one.
    fn extended_lists(
        &mut self,
        mut lists: Vec<Vec<(Subscript, Value)>>,
        word: &Word,
    ) -> Vec<Vec<(Subscript, Value)>> {
        let mut endings: Vec<Vec<Value>> = Vec::new();
        for fields in self.expand_alternatives(word) {
            let values: Vec<Value> = fields.into_iter().map(|field| field.value).collect();
            match endings.iter_mut().find(|known| known.len() == values.len()) {
                Some(known) => *known = join_lists(known, &values),
                None => endings.push(values),
            }
        }
        // A limit was reached; the other elements still count.
        if endings.is_empty() {
            return lists;
        }
        if lists.len() * endings.len() > MAX_ALTERNATIVES {
            self.hidden_limit(self.span(word.span), "possible elements");
            endings.truncate(1);
        }
        let next = |value: &Value| (Subscript::Next, value.clone());
        // Usually there is one list, and nothing is copied.
        if let ([only], [end]) = (lists.as_mut_slice(), endings.as_slice()) {
            only.extend(end.iter().map(next));
            return lists;
        }
        lists
            .iter()
            .flat_map(|list| {
                endings
                    .iter()
                    .map(move |end| list.iter().cloned().chain(end.iter().map(next)).collect())
            })
            .collect()
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
        let code = self.follow_shell_variable(name, value, span);
        if matches!(name.as_str(), "PS1" | "PS2") {
            self.follow_prompt(value, span);
        }
        let (name, value) = (name.to_owned(), value.clone());
        self.effect(EffectKind::Setenv { name, value, code }, span);
    }

    /// Follows the code in a variable that a shell runs by itself (`PROMPT_COMMAND`, `PS4`, `BASH_ENV`). It counts as
    /// followed if it is known, and every program in it is.
    fn follow_shell_variable(&mut self, name: &str, value: &Value, span: Span) -> VariableCode {
        let Some(text) = value.as_known().filter(|text| !text.is_empty()) else {
            return match value.readings(MAX_ALTERNATIVES) {
                Some(texts) if texts.len() > 1 => {
                    let known = |text| Value::known(text).tainted(value.taint());
                    let values: Vec<Value> = texts.into_iter().map(known).collect();
                    self.follow_one_of(name, &values, span)
                }
                _ => {
                    let own = value.own_texts();
                    let own = own.into_iter().filter(|text| !text.is_empty()).map(Value::known);
                    self.follow_one_of(name, &own.collect::<Vec<_>>(), span);
                    VariableCode::Unread
                }
            };
        };
        let (commands, effects) = (self.out.commands.len(), self.out.effects.len());
        match name {
            "PROMPT_COMMAND" => self.followed_later(|interp| {
                interp.run_code_value(value, span);
            }),
            "PS0" | "PS1" | "PS2" | "PS4" => self.followed_later(|interp| {
                interp.expand_text(text);
            }),
            "BASH_ENV" | "ENV" => match self.written_at(text) {
                Some(content) => self.followed_later(|interp| {
                    interp.run_code_value(&content, span);
                }),
                None => return VariableCode::Unread,
            },
            // Options of the program that is about to run.
            _ if let Some(profile) = self.deferred.setting_for
                && profile.env.contains(&(name, ArgumentRole::Options)) =>
            {
                let (role, value) = (ArgumentRole::Options, value.clone());
                self.followed_later(|interp| {
                    interp.apply_options(
                        profile,
                        &Argument { role, value, span, word: None, option: true },
                    );
                });
            }
            // A function with the name of a program stands in for it.
            _ => match text.strip_prefix("()").filter(|_| is_own_function(name)) {
                Some(body) => self.followed_later(|interp| {
                    interp.run_code_value(&Value::known(body.trim()), span);
                }),
                None => return VariableCode::Unread,
            },
        }
        let run = self.out.commands.get(commands..).unwrap_or_default();
        let programs_known = run.iter().all(|command| command.program.is_some());
        let hidden = |effect: &Effect| matches!(effect.kind, EffectKind::Hidden { .. });
        if !programs_known || self.effects_since(effects).iter().any(hidden) {
            return VariableCode::Unread;
        }
        let is_prompt = matches!(name, "PS0" | "PS1" | "PS2" | "PS4");
        match run.is_empty() {
            false => VariableCode::Followed,
            true if is_prompt && aegish_syntax::parse_double_quoted(text).is_ok() => {
                VariableCode::RunsNothing
            }
            true => VariableCode::Unread,
        }
    }

    /// As [`Self::follow_shell_variable`], of a variable that has one of several values.
    fn follow_one_of(&mut self, name: &str, values: &[Value], span: Span) -> VariableCode {
        let follow = |value| self.follow_shell_variable(name, value, span);
        let codes: Vec<VariableCode> = values.iter().map(follow).collect();
        let worst = [VariableCode::Unread, VariableCode::Followed];
        worst.into_iter().find(|code| codes.contains(code)).unwrap_or(VariableCode::RunsNothing)
    }

    /// In a session the guard's own code uses these variables between lines. As name references or integers they would
    /// run code there.
    pub(crate) fn check_used_by_driver(&mut self, name: &str, span: Span) {
        if self.ctx.interactive && (matches!(name, "PS1" | "PS2") || name.starts_with("__aegish_"))
        {
            self.disarm(
                DisarmEffect::Input,
                "changes variables that the guard uses between lines",
                span,
            );
        }
    }

    /// A prompt is code that bash expands before every line. Pieces that are not known are left out: what a session
    /// shows as its prompt is judged again when all of it is known.
    fn follow_prompt(&mut self, value: &Value, span: Span) {
        let text = |piece: &Piece| {
            if let Piece::Text(text) = piece { text.to_string() } else { String::new() }
        };
        let known: String = value.pieces().iter().map(text).collect();
        if !prompt_code::expands(&known) {
            return;
        }
        let Some(code) = prompt_code(&known) else { return };
        // Bash expands it when the line is over, and calls functions as they are defined then.
        let code = match value.is_known() {
            true => Value::known(code).tainted(value.taint()),
            false => Value::known(code),
        };
        if !self.deferred.traps.iter().any(|(known, _)| *known == code) {
            self.deferred.traps.push((code, span));
        }
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
    pub(crate) fn effect_function(&mut self, name: &str, body: &Command, span: Span) {
        self.report_shell_command(span);
        let scope = if self.ctx.interactive || self.state.allexport {
            ShadowScope::Session
        } else {
            ShadowScope::Text
        };
        let meaning = self.alias_like(body);
        let meaning = meaning.map_or_else(|| Value::unknown("function"), Value::known);
        self.effect(EffectKind::Shadow { name: name.to_owned(), meaning, scope }, span);
    }

    /// The words of a function that is no more than an alias: `{ ls --color "$@"; }`
    fn alias_like(&self, body: &Command) -> Option<String> {
        let CommandKind::Group(list) = &body.kind else { return None };
        let [AndOr { first, rest, background: false, .. }] = list.items.as_slice() else {
            return None;
        };
        let [command] = first.commands.as_slice() else { return None };
        let CommandKind::Simple(SimpleCommand { assignments, words }) = &command.kind else {
            return None;
        };
        let alone = rest.is_empty()
            && assignments.is_empty()
            && command.redirects.is_empty()
            && body.redirects.is_empty();
        let (arguments, words) = words.split_last()?;
        if !alone || self.source_text(arguments.span) != "\"$@\"" {
            return None;
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+:,".contains(c);
        let words = words.iter().map(|word| self.source_text(word.span));
        let words: Option<Vec<&str>> =
            words.map(|text| text.chars().all(plain).then_some(text)).collect();
        Some(words?.join(" "))
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

/// `BASH_FUNC_name%%`, where no program has that name.
fn is_own_function(variable: &str) -> bool {
    let name = variable.strip_prefix("BASH_FUNC_").and_then(|name| name.strip_suffix("%%"));
    name.is_some_and(|name| aegish_profiles::find(name).is_none())
}
