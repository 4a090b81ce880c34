//! Parameter expansion: `$x`, `${x…}` with every operator.

use crate::expand::operators::{
    change_case, remove_prefix, remove_suffix, replace, slice, substring,
};
use crate::expand::{Builder, Quoting, arith, fields};
use crate::interp::{Interp, Switch};
use crate::state::Content;
use aegish_syntax::{Param, ParamOp, Part, Word};
use aegish_values::Value;
use aegish_values::pattern::{self, Node};

/// What a parameter stands for before its operator is applied.
enum Found {
    /// Known to be unset (or to have no elements).
    Unset,
    /// One string.
    One(Value),
    /// Several: `$@`, `${a[@]}`; `joined` for the `*` forms.
    Many { items: Vec<Value>, joined: bool },
    /// Not set by the script and not known to the context.
    Foreign(Value),
}

impl Interp<'_> {
    /// Expands a parameter into `out`.
    pub(crate) fn expand_param(&mut self, param: &Param, quoted: bool, out: &mut Builder) {
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
            ParamOp::Plain => self.emit(found, quoted, out),
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
                    self.assign(&param.name, value.clone());
                    out.value(&value, quoted, true);
                }
            }
            ParamOp::Error { word, .. } => {
                let _ = self.expand_single(word);
                // Bash stops if it is unset or empty, so afterwards it is neither.
                let found = match found {
                    Found::Foreign(value) => {
                        Found::One(Value::unknown("required variable").tainted(value.taint()))
                    }
                    other => other,
                };
                self.emit(found, quoted, out);
            }
            ParamOp::Alternative { colon, word } => match &found {
                // Whether the foreign variable is set is unknown: the word may be used.
                Found::Foreign(_) => self.expand_operand(word, quoted, out),
                other if set_and_full(other, *colon) => self.expand_operand(word, quoted, out),
                _ => {
                    let _ = self.expand_single(word);
                }
            },
            ParamOp::Length => {
                let length = match &found {
                    Found::Unset => Some(0),
                    Found::One(value) => value.as_known().map(|text| text.chars().count()),
                    Found::Many { items, .. } => Some(items.len()),
                    Found::Foreign(_) => None,
                };
                let value = length.map_or_else(
                    || Value::unknown("length"),
                    |length| Value::known(length.to_string()),
                );
                out.value(&value, quoted, true);
            }
            ParamOp::Substring { offset, length } => {
                let start = self.arithmetic(offset);
                let count = length.as_ref().map(|word| self.arithmetic(word));
                self.emit_substring(param, found, start, count, quoted, out);
            }
            ParamOp::RemovePrefix { longest, pattern } => {
                let pattern = self.pattern(pattern);
                self.emit_mapped(found, quoted, out, |text| {
                    remove_prefix(text, pattern.as_deref()?, *longest)
                });
            }
            ParamOp::RemoveSuffix { longest, pattern } => {
                let pattern = self.pattern(pattern);
                self.emit_mapped(found, quoted, out, |text| {
                    remove_suffix(text, pattern.as_deref()?, *longest)
                });
            }
            ParamOp::Replace { scope, pattern, with } => {
                let pattern = self.pattern(pattern);
                let with = with.as_ref().map_or_else(Value::empty, |word| self.expand_single(word));
                let small = self.is_on(Switch::NoCaseMatch);
                self.emit_mapped(found, quoted, out, |text| {
                    let (pattern, with) = (pattern.as_deref()?, with.as_known()?);
                    if small {
                        return replace(
                            &text.to_lowercase(),
                            &pattern::small(pattern),
                            with,
                            *scope,
                        );
                    }
                    replace(text, pattern, with, *scope)
                });
            }
            ParamOp::Case { change, all, pattern } => {
                let pattern = pattern.as_ref().map(|word| self.pattern(word));
                self.emit_mapped(found, quoted, out, |text| {
                    let filter = match &pattern {
                        None => None,
                        Some(nodes) => Some(nodes.as_deref()?),
                    };
                    change_case(text, *change, *all, filter)
                });
            }
            ParamOp::Transform(kind) => self.transform(*kind, found, quoted, out),
            ParamOp::Names(_) => {}
        }
    }

    fn transform(&mut self, kind: char, found: Found, quoted: bool, out: &mut Builder) {
        match kind {
            'U' => self.emit_mapped(found, quoted, out, |text| Some(text.to_uppercase())),
            'L' => self.emit_mapped(found, quoted, out, |text| Some(text.to_lowercase())),
            'u' => self.emit_mapped(found, quoted, out, |text| change_case(text, '^', false, None)),
            'Q' | 'k' | 'K' => {
                self.emit_mapped(found, quoted, out, |text| {
                    Some(format!("'{}'", text.replace('\'', "'\\''")))
                });
            }
            'E' => self.emit_mapped(found, quoted, out, |text| {
                let script = aegish_syntax::parse(&format!("x $'{}'", text.replace('\'', "\\'")));
                script.body.items.first().and_then(|item| {
                    match &item.first.commands.first()?.kind {
                        aegish_syntax::CommandKind::Simple(simple) => {
                            match simple.words.get(1)?.parts.first()? {
                                Part::AnsiC(decoded) => Some(decoded.clone()),
                                _ => None,
                            }
                        }
                        _ => None,
                    }
                })
            }),
            // `@P` expands the value like a prompt, command substitutions included.
            'P' => {
                let value = found.into_value();
                if let Some(text) = value.as_known() {
                    let text = text.to_owned();
                    let expanded = self.expand_text(&text);
                    out.value(&expanded, quoted, true);
                } else {
                    out.value(&value, quoted, true);
                }
            }
            _ => out.value(&Value::unknown("transformation"), quoted, true),
        }
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

    fn emit(&mut self, found: Found, quoted: bool, out: &mut Builder) {
        match found {
            Found::Unset => {}
            Found::One(value) | Found::Foreign(value) => out.value(&value, quoted, true),
            Found::Many { items, joined } => self.emit_many(&items, joined, quoted, out),
        }
    }

    fn emit_many(&mut self, items: &[Value], joined: bool, quoted: bool, out: &mut Builder) {
        if quoted && joined {
            out.mark_quoted();
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                if quoted && joined {
                    out.text(self.join_character().as_str(), true, false);
                } else {
                    out.field_break();
                }
            }
            if quoted && !joined {
                out.mark_quoted();
            }
            out.value(item, quoted, true);
        }
    }

    fn join_character(&self) -> String {
        match self.state.variables.get("IFS").and_then(|v| v.content.scalar()) {
            None => " ".to_owned(),
            Some(value) => value
                .as_known()
                .and_then(|text| text.chars().next())
                .map(String::from)
                .unwrap_or_default(),
        }
    }

    fn emit_mapped(
        &mut self,
        found: Found,
        quoted: bool,
        out: &mut Builder,
        map: impl Fn(&str) -> Option<String>,
    ) {
        let apply = |value: &Value| match value.as_known().map(&map) {
            Some(Some(text)) => Value::known(text).tainted(value.taint()),
            _ => match value.readings(8) {
                Some(readings) => match readings.iter().map(|r| map(r)).collect::<Option<Vec<_>>>()
                {
                    Some(texts) => Value::one_of(texts).tainted(value.taint()),
                    None => Value::unknown("expansion").tainted(value.taint()),
                },
                None => Value::unknown("expansion").tainted(value.taint()),
            },
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
    }

    fn emit_substring(
        &mut self,
        param: &Param,
        found: Found,
        start: Option<i64>,
        count: Option<Option<i64>>,
        quoted: bool,
        out: &mut Builder,
    ) {
        let (Some(start), Some(count)) = (start, count.map_or(Some(None), |c| c.map(Some))) else {
            out.value(&Value::unknown("substring"), quoted, true);
            return;
        };
        match found {
            Found::Many { items, joined } => {
                let mut items = items;
                if param.name == "@" || param.name == "*" {
                    items.insert(0, self.shell_name());
                }
                let items = slice(&items, start, count).map(<[Value]>::to_vec).unwrap_or_default();
                self.emit_many(&items, joined, quoted, out);
            }
            Found::Unset => {}
            Found::One(value) | Found::Foreign(value) => {
                let cut = substring(&value, start, count)
                    .unwrap_or_else(|| Value::unknown("substring").tainted(value.taint()));
                out.value(&cut, quoted, true);
            }
        }
    }

    fn shell_name(&self) -> Value {
        self.state.zero.clone().unwrap_or_else(|| Value::known("bash"))
    }

    fn find_indirect(&mut self, param: &Param) -> Found {
        let direct = Param { indirect: false, op: ParamOp::Plain, ..param.clone() };
        let name = self.find(&direct).into_value();
        match name.as_known() {
            Some(name) => {
                let (name, index) = match name.split_once('[') {
                    Some((name, rest)) => (name, rest.strip_suffix(']')),
                    None => (name, None),
                };
                let index = index.map(|text| Word {
                    parts: vec![Part::Literal(text.to_owned())],
                    span: param.span,
                });
                self.find(&Param {
                    name: name.to_owned(),
                    index,
                    indirect: false,
                    op: ParamOp::Plain,
                    span: param.span,
                })
            }
            None => Found::Foreign(Value::unknown("indirect variable").tainted(name.taint())),
        }
    }

    fn find(&mut self, param: &Param) -> Found {
        match param.name.as_str() {
            "@" | "*" => {
                let joined = param.name == "*";
                return match &self.state.positional {
                    Some(items) => Found::Many { items: items.to_vec(), joined },
                    None => Found::Foreign(Value::unknown("script arguments")),
                };
            }
            "#" => {
                return Found::One(match &self.state.positional {
                    Some(items) => Value::known(items.len().to_string()),
                    None => Value::unknown("number of arguments"),
                });
            }
            "0" => return Found::One(self.shell_name()),
            "_" => {
                return Found::One(
                    self.state.last_word.clone().unwrap_or_else(|| Value::unknown("last word")),
                );
            }
            "?" => return Found::One(Value::unknown("exit status")),
            "$" | "!" => return Found::One(Value::unknown("process id")),
            "-" => return Found::One(Value::known("hB")),
            name if name.bytes().all(|b| b.is_ascii_digit()) => {
                let position: usize = name.parse().unwrap_or(usize::MAX);
                return match &self.state.positional {
                    Some(items) => match items.get(position.wrapping_sub(1)) {
                        Some(value) => Found::One(value.clone()),
                        None => Found::Unset,
                    },
                    None => Found::Foreign(Value::unknown("script argument")),
                };
            }
            _ => {}
        }
        let Some(index) = &param.index else {
            return match self.lookup(&param.name) {
                Some(Some(value)) => Found::One(value),
                Some(None) => Found::Unset,
                None => Found::Foreign(self.foreign(&param.name)),
            };
        };
        let Some(content) = self.variable_content(&param.name) else {
            if self.is_surely_unset(&param.name) {
                return Found::Unset;
            }
            let _ = self.expand_single(index);
            return Found::Foreign(self.foreign(&param.name));
        };
        if is_list_index(index) {
            return Found::Many { items: content.elements(), joined: is_star(Some(index)) };
        }
        let item = match &content {
            Content::Keyed(items) => {
                let key = self.expand_single(index);
                key.as_known()
                    .map_or(Some(Value::unknown("array element")), |k| items.get(k).cloned())
            }
            Content::Indexed(items) => match self.arithmetic(index) {
                Some(number) => {
                    let number = if number < 0 {
                        items.keys().next_back().map_or(number, |last| last + 1 + number)
                    } else {
                        number
                    };
                    items.get(&number).cloned()
                }
                None => Some(Value::unknown("array element")),
            },
            other => match self.arithmetic(index) {
                Some(0 | -1) => other.scalar(),
                Some(_) => None,
                None => Some(Value::unknown("array element")),
            },
        };
        item.map_or(Found::Unset, Found::One)
    }

    /// Evaluates arithmetic text after expanding it.
    pub(crate) fn arithmetic(&mut self, word: &Word) -> Option<i64> {
        if let [Part::Literal(text)] = word.parts.as_slice()
            && let Some(number) = arith::parse_number(text.trim())
        {
            return Some(number);
        }
        let value = self.expand_quoted(word);
        let text = value.as_known()?.to_owned();
        arith::evaluate(&text, self)
    }

    /// A word as a pattern: quoted parts are literal.
    pub(crate) fn pattern(&mut self, word: &Word) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        for part in &word.parts {
            match part {
                Part::Literal(text) => nodes.extend(pattern::compile(text)),
                Part::ExtGlob(kind, alternatives) => {
                    let alternatives = alternatives
                        .iter()
                        .map(|word| self.pattern(word))
                        .collect::<Option<Vec<_>>>()?;
                    nodes.push(Node::Group(*kind, alternatives));
                }
                Part::Param(_) | Part::Command(_) | Part::Arith(_) => {
                    let one = Word { parts: vec![part.clone()], span: word.span };
                    let value = self.expand_single(&one);
                    nodes.extend(pattern::compile(value.as_known()?));
                }
                other => {
                    let one = Word { parts: vec![other.clone()], span: word.span };
                    let value = self.expand_single(&one);
                    nodes.extend(fields::nodes(&value)?);
                }
            }
        }
        Some(nodes)
    }
}

impl Found {
    fn into_value(self) -> Value {
        match self {
            Self::Unset => Value::empty(),
            Self::One(value) | Self::Foreign(value) => value,
            Self::Many { items, .. } => {
                let mut value = Value::empty();
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        value.push_str(" ");
                    }
                    value.append(item);
                }
                value
            }
        }
    }
}

impl arith::Variables for Interp<'_> {
    fn get(&mut self, name: &str, index: Option<&str>) -> Option<String> {
        let value = match index {
            None => self.lookup(name),
            Some(index) => match self.variable_content(name) {
                Some(Content::Indexed(items)) => Some(items.get(&index.parse().ok()?).cloned()),
                Some(Content::Keyed(items)) => Some(items.get(index).cloned()),
                Some(other) => Some(other.scalar()),
                None => None,
            },
        };
        match value {
            // In arithmetic an unset name counts as zero; a foreign one is nearly always unset.
            None | Some(None) => Some(String::new()),
            Some(Some(value)) => {
                let text = value.as_known()?.to_owned();
                if text.contains("$(") || text.contains('`') {
                    // Bash expands subscripts inside the value: `x='a[$(cmd)]'; $((x))`.
                    let _ = self.expand_text(&text);
                    return None;
                }
                Some(text)
            }
        }
    }

    fn set(&mut self, name: &str, index: Option<&str>, value: i64) {
        let value = Value::known(value.to_string());
        match index {
            None => {
                let name = self.resolve_reference(name);
                self.state.variables.entry(name).or_default().content = Content::Scalar(value);
            }
            Some(index) => {
                let word = Word { parts: vec![Part::Literal(index.to_owned())], ..Word::default() };
                self.assign_element(name, &word, value, false);
            }
        }
    }
}

fn is_list_index(index: &Word) -> bool {
    matches!(index.parts.as_slice(), [Part::Literal(text)] if text == "@" || text == "*")
}

fn is_star(index: Option<&Word>) -> bool {
    index.is_some_and(|word| matches!(word.parts.as_slice(), [Part::Literal(text)] if text == "*"))
}
