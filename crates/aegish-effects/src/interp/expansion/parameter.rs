//! Parameter expansion: `$x`, `${x…}` with every operator.

use super::Interp;
use super::found::{Found, count_of, is_list_index, is_star};
use aegish_expansion::operands::{Operands, quoted_replacement, some_part};
use aegish_expansion::operators::{change_case, remove_prefix, remove_suffix, replace, substring};
use aegish_expansion::{Builder, Quoting};
use aegish_shell_state::{Switch, VariableContent, places};
use aegish_syntax::{Param, ParamOp, Part, Word};
use aegish_values::pattern;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, either_value, join_values, origin};

impl Interp<'_> {
    /// Expands a parameter into `out`.
    pub(crate) fn expand_param(&mut self, param: &Param, quoted: bool, out: &mut Builder) {
        stacker::maybe_grow(256 * 1024, 1024 * 1024, || {
            self.expand_param_inside(param, quoted, out);
        });
    }

    fn expand_param_inside(&mut self, param: &Param, quoted: bool, out: &mut Builder) {
        if let ParamOp::Names(_) = param.op {
            let mut names: Vec<&String> =
                self.state.variables.keys().filter(|name| name.starts_with(&param.name)).collect();
            names.sort();
            let items: Vec<Value> =
                names.into_iter().map(|name| Value::known(name.as_str())).collect();
            self.emit_many(&items, false, quoted, out);
            return;
        }
        let list_keys = param.indirect && param.index.as_ref().is_some_and(is_list_index);
        if list_keys {
            let items = self.variable_content(&param.name).map_or_else(Vec::new, |c| c.keys());
            self.emit_many(&items, is_star(param.index.as_ref()), quoted, out);
            return;
        }
        let found = if param.indirect { self.find_indirect(param) } else { self.find(param) };
        self.apply_operator(param, found, quoted, out);
    }

    fn apply_operator(&mut self, param: &Param, found: Found, quoted: bool, out: &mut Builder) {
        let set_and_full = |found: &Found, colon: bool| match found {
            Found::Unset | Found::Foreign(_) => false,
            Found::One(value) => !(colon && value.as_known() == Some("")),
            Found::Many { items, .. } => !items.is_empty(),
        };
        match &param.op {
            ParamOp::Plain => {
                if matches!(found, Found::Unset | Found::Foreign(_))
                    && self.is_on(Switch::StopsAtUnset)
                {
                    self.deferred.may_stop.set(true);
                }
                self.emit(found, quoted, out);
            }
            ParamOp::Default { colon, word } | ParamOp::Assign { colon, word }
                if set_and_full(&found, *colon) && self.perhaps_none(param, &found, *colon) =>
            {
                let value = join_values(&found.into_value(), &self.expand_single(word));
                if matches!(param.op, ParamOp::Assign { .. }) {
                    self.assign_parameter(param, value.clone());
                }
                out.value(&value, quoted, true);
            }
            // `${2:-}` in a script says nothing about its argument.
            ParamOp::Default { word, .. }
                if word.parts.is_empty()
                    && matches!(found, Found::Foreign(_))
                    && param.name.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                self.emit(found, quoted, out);
            }
            ParamOp::Default { colon, word } => {
                if set_and_full(&found, *colon) {
                    self.emit(found, quoted, out);
                } else {
                    self.expand_operand(word, quoted, out);
                }
            }
            ParamOp::Assign { colon, word } => {
                if set_and_full(&found, *colon) {
                    self.emit(found, quoted, out);
                } else {
                    let value = self.expand_single(word);
                    self.assign_parameter(param, value.clone());
                    out.value(&value, quoted, true);
                }
            }
            ParamOp::Error { colon, word } => {
                let message = self.expand_single(word);
                let span = self.span(word.span);
                match message.as_known().filter(|text| !text.is_empty()) {
                    _ if set_and_full(&found, *colon) => {}
                    Some(text) => {
                        let zero = self.shell_name();
                        let line = format!("{zero}: line 1: {}: {text}\n", param.name);
                        self.write_to(2, Value::known(line), span);
                    }
                    None => self.prints_message(2, &message, span),
                }
                if !set_and_full(&found, *colon) || self.perhaps_none(param, &found, *colon) {
                    self.deferred.may_stop.set(true);
                }
                // Bash stops if it is unset or empty, so afterwards it is neither.
                let found = match found {
                    Found::Foreign(value) => {
                        Found::One(Value::unknown(origin::REQUIRED_VARIABLE).tainted(value.taint()))
                    }
                    other => other,
                };
                self.emit(found, quoted, out);
            }
            ParamOp::Alternative { colon, word } => match &found {
                // Whether the foreign variable is set is unknown: the word may be used. `${1+"$@"}` are all arguments.
                Found::Foreign(_) if names_list(word) => self.expand_operand(word, quoted, out),
                Found::Foreign(_) => {
                    let value = either_value(&Value::empty(), &self.expand_single(word));
                    out.value(&value, quoted, true);
                }
                other if set_and_full(other, *colon) && self.perhaps_none(param, other, *colon) => {
                    let value = join_values(&Value::empty(), &self.expand_single(word));
                    out.value(&value, quoted, true);
                }
                other if set_and_full(other, *colon) => self.expand_operand(word, quoted, out),
                _ => {
                    let _ = self.expand_single(word);
                }
            },
            ParamOp::Length => {
                let count = |text: &String| text.chars().count().to_string();
                let value = match &found {
                    Found::Unset => Value::known("0"),
                    Found::One(value) => match value.readings(MAX_ALTERNATIVES) {
                        Some(texts) => Value::one_of(texts.iter().map(count)),
                        None => Value::unknown(origin::LENGTH),
                    },
                    Found::Many { items, .. } => count_of(items),
                    Found::Foreign(_) => Value::unknown(origin::LENGTH),
                };
                out.value(&value, quoted, true);
            }
            ParamOp::Substring { offset, length } => {
                let start = self.bound(offset);
                let count = length.as_ref().map(|word| self.bound(word)).transpose();
                match (start, count) {
                    (Ok(start), Ok(count)) => {
                        self.emit_substring(param, found, start, count, quoted, out);
                    }
                    _ if let Found::Many { items, joined } = &found => {
                        let part: Vec<Value> = places::some_of(items.iter()).into_iter().collect();
                        self.emit_many(&part, *joined, quoted, out);
                    }
                    (start, count) => {
                        let counted = [start.err(), count.err()].contains(&Some(Bound::Counted));
                        let count = count.ok().flatten();
                        let part = some_part(&found.into_value(), count, counted);
                        out.value(&part, quoted, true);
                    }
                }
            }
            ParamOp::RemovePrefix { longest, pattern } => {
                let operands = Operands::pattern(self.patterns(pattern));
                self.emit_changed(found, quoted, out, |value| {
                    operands
                        .apply(value, &|text, pattern, _| remove_prefix(text, pattern, *longest))
                });
            }
            ParamOp::RemoveSuffix { longest, pattern } => {
                let operands = Operands::pattern(self.patterns(pattern));
                self.emit_changed(found, quoted, out, |value| {
                    operands
                        .apply(value, &|text, pattern, _| remove_suffix(text, pattern, *longest))
                });
            }
            ParamOp::Replace { scope, pattern, with } => {
                let patterns = self.patterns(pattern);
                let with = with.as_ref().map_or_else(Value::empty, |word| self.replacement(word));
                // Switches that may be on: both readings.
                let folds: &[bool] = match self.is_on(Switch::NoCaseMatch) {
                    true => &[false, true],
                    false => &[false],
                };
                let plain = self.is_on(Switch::PlainReplacement).then(|| Operands {
                    patterns: patterns.clone(),
                    with: quoted_replacement(&with),
                });
                let operands = Operands { patterns, with };
                self.emit_changed(found, quoted, out, |value| {
                    let ways = folds.iter().flat_map(|folds| {
                        let all = std::iter::once(&operands).chain(&plain);
                        all.map(|operands| {
                            operands.apply(value, &|text, pattern, with| match folds {
                                true => replace(text, &pattern::small(pattern), with, *scope, true),
                                false => replace(text, pattern, with, *scope, false),
                            })
                        })
                    });
                    let ways: Vec<Value> = ways.collect::<Option<_>>()?;
                    ways.into_iter().reduce(|all, one| join_values(&all, &one))
                });
            }
            ParamOp::Case { change, all, pattern } => {
                let operands = match pattern {
                    Some(word) => Operands::pattern(self.patterns(word)),
                    None => Operands::default(),
                };
                self.emit_changed(found, quoted, out, |value| {
                    operands.apply(value, &|text, pattern, _| {
                        change_case(text, *change, *all, Some(pattern))
                    })
                });
            }
            ParamOp::Transform(kind) => self.transform(*kind, param, found, quoted, out),
            ParamOp::Names(_) => {}
        }
    }

    /// The text that takes the place of a match. `&` stands for the match where it is not quoted.
    fn replacement(&mut self, word: &Word) -> Value {
        let mut whole = Value::empty();
        for part in &word.parts {
            let value = self.expand_single(&Word { parts: vec![part.clone()], span: word.span });
            let active = matches!(
                part,
                Part::Literal(_) | Part::Param(_) | Part::Command(_) | Part::Arith(_)
            );
            whole.append(&if active { value } else { quoted_replacement(&value) });
        }
        whole
    }

    /// Whether the parameter may be unset, or empty where that counts.
    fn perhaps_none(&self, param: &Param, found: &Found, colon: bool) -> bool {
        let name = self.resolve_reference(&param.name);
        let unset = self.state.variables.get(&name).is_some_and(|variable| variable.perhaps_unset);
        let empty = |piece: &Piece| matches!(piece, Piece::OneOf(texts) if texts.iter().any(String::is_empty));
        let empty = |value: &Value| match value.pieces() {
            [] => true,
            [only @ Piece::OneOf(_)] => empty(only),
            pieces => pieces.iter().all(
                |piece| matches!(piece, Piece::Unknown(why) if *why != origin::REQUIRED_VARIABLE),
            ),
        };
        let empty = match found {
            Found::One(value) => colon && value.possible().iter().any(empty),
            _ => false,
        };
        unset || empty
    }

    /// The operand of `${x:-word}`: split and matched like the rest of the word.
    fn expand_operand(&mut self, word: &Word, quoted: bool, out: &mut Builder) {
        if quoted {
            let value = self.expand_quoted(word);
            out.value(&value, true, false);
        } else {
            // Blanks in the operand separate fields; quotes inside it protect them.
            for part in &word.parts {
                match part {
                    Part::Literal(text) => out.text(text, false, true),
                    other => {
                        self.expand_parts(std::slice::from_ref(other), Quoting::None, false, out);
                    }
                }
            }
        }
    }

    /// `${x:=word}`, of an element or of the variable that `${!x…}` names as well.
    fn assign_parameter(&mut self, param: &Param, value: Value) {
        let direct = Param { indirect: false, op: ParamOp::Plain, ..param.clone() };
        if param.indirect {
            let name = self.find(&direct).into_value();
            self.check_name(&name);
            for name in name.own_texts() {
                self.assign(&name, value.clone());
            }
        } else if let Some(index) = &param.index {
            self.assign_element(&param.name, index, value, false);
        } else {
            self.assign(&param.name, value);
        }
    }

    fn emit(&mut self, found: Found, quoted: bool, out: &mut Builder) {
        match found {
            Found::Unset => {}
            Found::One(value) | Found::Foreign(value) => out.value(&value, quoted, true),
            Found::Many { items, joined } => self.emit_many(&items, joined, quoted, out),
        }
    }

    pub(super) fn emit_many(
        &mut self,
        items: &[Value],
        joined: bool,
        quoted: bool,
        out: &mut Builder,
    ) {
        if quoted && joined {
            out.mark_quoted();
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                if quoted && joined {
                    out.value(&self.join_character(), true, false);
                } else {
                    out.field_break(joined);
                }
            }
            if quoted && !joined {
                out.mark_quoted();
            }
            if item.is_several() && !joined {
                out.mark_several();
            }
            out.value(item, quoted, true);
        }
    }

    /// What stands between the words of `"$*"`.
    pub(super) fn join_character(&self) -> Value {
        let first = |ifs: Option<String>| match ifs {
            Some(ifs) => Value::known(ifs.chars().next().map(String::from).unwrap_or_default()),
            None => Value::empty(),
        };
        let each = self.possible_ifs().into_iter().map(first);
        each.reduce(|all, one| join_values(&all, &one)).unwrap_or_default()
    }

    /// Emits what an operator without operands makes of the parameter.
    pub(super) fn emit_mapped(
        &mut self,
        found: Found,
        quoted: bool,
        out: &mut Builder,
        map: impl Fn(&str) -> Option<String>,
    ) {
        self.emit_changed(found, quoted, out, |value| {
            Operands::default().apply(value, &|text, _, _| map(text))
        });
    }

    /// Emits what an operator makes of the parameter. `change` takes text, pattern and replacement, and gives nothing if
    /// that takes too much work.
    fn emit_changed(
        &mut self,
        found: Found,
        quoted: bool,
        out: &mut Builder,
        change: impl Fn(&Value) -> Option<Value>,
    ) {
        let mut limited = false;
        let mut apply = |value: &Value| {
            let changed = change(value);
            limited |= changed.is_none() && !value.has_unknown();
            let changed = changed.unwrap_or_else(|| value.changed(origin::EXPANSION));
            let changed = changed.tainted(value.taint());
            changed.with_several(value.is_several())
        };
        match found {
            Found::Unset => {
                // An unset parameter is the empty string for every operator.
                let value = apply(&Value::empty());
                out.value(&value, quoted, true);
            }
            Found::One(value) | Found::Foreign(value) => out.value(&apply(&value), quoted, true),
            Found::Many { items, joined } => {
                let items: Vec<Value> = items.iter().map(apply).collect();
                self.emit_many(&items, joined, quoted, out);
            }
        }
        if limited {
            self.hidden_limit(self.frame.text.origin.unwrap_or_default(), "work of an expansion");
        }
    }

    /// A bound of a substring.
    fn bound(&mut self, word: &Word) -> Result<i64, Bound> {
        let counted = |interp: &Self| match interp.deferred.counted.get() {
            true => Bound::Counted,
            false => Bound::Foreign,
        };
        self.arithmetic(word).ok_or_else(|| counted(self))
    }

    fn emit_substring(
        &mut self,
        param: &Param,
        found: Found,
        start: i64,
        count: Option<i64>,
        quoted: bool,
        out: &mut Builder,
    ) {
        match found {
            Found::Many { items, joined } => {
                let mut items = items;
                let items = match self.variable_content(&param.name) {
                    _ if param.name == "@" || param.name == "*" => {
                        items.insert(0, self.shell_name());
                        places::part(&items, start, count)
                    }
                    Some(VariableContent::Indexed(numbered)) => {
                        places::elements_from(&numbered, start, count)
                    }
                    _ => places::part(&items, start, count),
                };
                self.emit_many(&items, joined, quoted, out);
            }
            Found::Unset => {}
            Found::One(value) | Found::Foreign(value) => {
                let cut = value.mapped(|value| {
                    substring(value, start, count).unwrap_or_else(|| value.changed("substring"))
                });
                out.value(&cut, quoted, true);
            }
        }
    }
}

/// A bound of a substring that is not known.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// It is one of several numbers that the script computes.
    Counted,
    /// It comes from outside.
    Foreign,
}

/// Whether a word names all parameters, or all elements of an array.
fn names_list(word: &Word) -> bool {
    let list = |part: &Part| match part {
        Part::Param(param) => {
            matches!(param.name.as_str(), "@" | "*")
                || param.index.as_ref().is_some_and(is_list_index)
        }
        _ => false,
    };
    word.parts.iter().any(|part| match part {
        Part::DoubleQuoted(inner) => inner.iter().any(list),
        part => list(part),
    })
}
