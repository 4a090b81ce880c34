//! Values of parameters, and the variables of arithmetic.

use super::Interp;
use super::lookup::{is_set_by_bash, split_element};
use crate::interp::conditions::Substitutes;
use aegish_expansion::arith;
use aegish_expansion::arith::{Happens, Number};
use aegish_expansion::operands::Patterns;
use aegish_shell_state::{ANY_KEY, Switch, TextForm, Trap, VariableContent, places};
use aegish_syntax::{Param, ParamOp, Part, Span, Word};
use aegish_values::pattern::{self, Node};
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values, origin};

/// The value of a parameter before its operator is applied.
pub(super) enum Found {
    /// Known to be unset (or to have no elements).
    Unset,
    /// One string.
    One(Value),
    /// Several: `$@`, `${a[@]}`; `joined` for the `*` forms.
    Many { items: Vec<Value>, joined: bool },
    /// Not set by the script and not known to the context.
    Foreign(Value),
}

/// Elements of a list that are looked through in one step.
const ELEMENTS_PER_STEP: usize = 256;

impl Interp<'_> {
    /// Draws on the budget for a look through a long list.
    fn look_through(&mut self, elements: usize) {
        if elements >= ELEMENTS_PER_STEP {
            self.spend(elements / ELEMENTS_PER_STEP, Span::default());
        }
    }

    pub(crate) fn shell_name(&self) -> Value {
        self.state.zero.clone().unwrap_or_else(|| match self.ctx.form {
            TextForm::CommandLine => Value::known("bash"),
            // A script that runs itself starts no other shell.
            TextForm::ScriptFile => Value::known("./scriptfile"),
        })
    }

    pub(super) fn find_indirect(&mut self, param: &Param) -> Found {
        // `${!#}` is the last parameter, however many there are.
        if param.name == "#"
            && let Some(items) = self.state.positional.as_deref().filter(|items| !items.is_empty())
        {
            return places::last(items).map_or(Found::Unset, Found::One);
        }
        // Of a reference it is the name that it refers to.
        if let Some(variable) = self.state.variables.get(&param.name)
            && variable.reference
            && param.index.is_none()
            && let Some(target) = variable.content.scalar()
        {
            return Found::One(target);
        }
        let direct = Param { indirect: false, op: ParamOp::Plain, ..param.clone() };
        let name = self.find(&direct).into_value();
        if let Some(name) = name.as_known() {
            return self.find_named(name, param);
        }
        self.check_name(&name);
        let unknown = || Value::unknown("indirect variable").tainted(name.taint());
        let Some(names) = name.readings(MAX_ALTERNATIVES) else {
            // The text beside something from outside may be the whole name.
            let own = name.own_texts();
            let own = own.iter().map(|name| self.find_named(name, param).into_value());
            return match own.reduce(|all, value| join_values(&all, &value)) {
                Some(value) if !value.pieces().is_empty() => {
                    Found::One(join_values(&value, &unknown()))
                }
                _ => Found::Foreign(unknown()),
            };
        };
        let values = names.iter().map(|name| self.find_named(name, param).into_value());
        Found::One(values.reduce(|all, value| join_values(&all, &value)).unwrap_or_else(unknown))
    }

    /// The value of a computed name (`name`, `name[index]`).
    fn find_named(&mut self, name: &str, param: &Param) -> Found {
        let (name, index) = match split_element(name) {
            Some((array, index)) => (array, Some(Self::subscript(index))),
            None => (name, None),
        };
        let (name, op) = (name.to_owned(), ParamOp::Plain);
        self.find(&Param { name, index, indirect: false, op, span: param.span })
    }

    pub(super) fn find(&mut self, param: &Param) -> Found {
        let parameters = self.state.positional.as_ref().map_or(0, |items| items.len());
        if parameters > 0
            && (is_number(&param.name) || matches!(param.name.as_str(), "@" | "*" | "#"))
        {
            self.look_through(parameters);
        }
        match param.name.as_str() {
            "@" | "*" => {
                let joined = param.name == "*";
                return match &self.state.positional {
                    Some(items) => Found::Many { items: items.to_vec(), joined },
                    None => Found::Foreign(Value::unknown(origin::ARGUMENTS)),
                };
            }
            "#" => {
                return Found::One(match &self.state.positional {
                    Some(items) => count_of(items),
                    None => Value::unknown(origin::LENGTH),
                });
            }
            "0" => return Found::One(self.shell_name()),
            "_" => {
                // A trap runs commands in between, whose last word is another one.
                if self.state.traps.iter().any(Trap::between_commands) {
                    return Found::One(Value::lost());
                }
                return Found::One(
                    self.state.last_word.clone().unwrap_or_else(|| Value::unknown("last word")),
                );
            }
            "?" => return Found::One(Value::unknown(origin::EXIT_STATUS)),
            "$" | "!" => return Found::One(Value::unknown(origin::PROCESS_ID)),
            // Letters that the writer of the text knows.
            "-" => return Found::One(Value::one_of_many_values()),
            name if is_number(name) => {
                let position: usize = name.parse().unwrap_or(usize::MAX);
                return match &self.state.positional {
                    Some(items) => match places::at(items, position.wrapping_sub(1)) {
                        Some(value) => Found::One(value),
                        None => Found::Unset,
                    },
                    None => Found::Foreign(Value::unknown(origin::ARGUMENT)),
                };
            }
            _ => {}
        }
        let Some(index) = &param.index else {
            let target = self.resolve_reference(&param.name);
            if let Some((array, index)) = split_element(&target) {
                let index = Some(Self::subscript(index));
                let (name, op) = (array.to_owned(), ParamOp::Plain);
                return self.find(&Param { name, index, indirect: false, op, span: param.span });
            }
            return match self.lookup(&param.name) {
                Some(Some(value)) => Found::One(value),
                Some(None) => Found::Unset,
                None => Found::Foreign(self.foreign(&param.name)),
            };
        };
        let content = self.variable_content(&param.name);
        self.look_through(content.as_ref().map_or(0, VariableContent::count));
        let Some(content) = content else {
            // What stands in a subscript runs whether or not there is such an array.
            if !is_list_index(index) {
                let _ = self.arithmetic(index);
            }
            if self.is_surely_unset(&param.name) {
                return Found::Unset;
            }
            return Found::Foreign(self.foreign(&param.name));
        };
        if is_list_index(index) {
            return Found::Many { items: content.elements(), joined: is_star(Some(index)) };
        }
        let item = match &content {
            VariableContent::Keyed(items) => {
                let key = self.expand_single(index);
                match key.as_known() {
                    Some(key) => {
                        let perhaps =
                            items.get(ANY_KEY).map(|value| join_values(&Value::empty(), value));
                        match (items.get(key), perhaps) {
                            (Some(value), Some(other)) => Some(join_values(value, &other)),
                            (value, other) => value.cloned().or(other),
                        }
                    }
                    None => Some(any_of(items.values())),
                }
            }
            VariableContent::Indexed(items) => match self.arithmetic(index) {
                Some(number) => {
                    // Behind unknown words it may be any of them.
                    self.worked_on(
                        items.len() * usize::from(places::first_of_several(items).is_some()),
                    );
                    places::element(items, number)
                }
                None => Some(any_of(items.values())),
            },
            other => match self.arithmetic(index) {
                Some(0 | -1) => other.scalar(),
                Some(_) => None,
                None => other.scalar(),
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
        self.evaluate_subscript(&value);
        self.deferred.counted.set(value.is_one_of_own());
        let text = match value.as_known() {
            Some(text) => text.to_owned(),
            None => value.pieces().iter().fold(String::new(), |mut text, piece| {
                match piece {
                    Piece::Text(part) => text.push_str(part),
                    _ => text.push_str(arith::UNKNOWN),
                }
                text
            }),
        };
        arith::evaluate(&text, self)
    }

    /// The value of a number that was just computed.
    pub(super) fn number(&self, number: Option<i64>) -> Value {
        match number {
            Some(number) => Value::known(number.to_string()),
            None if self.deferred.counted.get() => Value::unknown(origin::COUNTER),
            None => Value::unknown(origin::NUMBER),
        }
    }

    /// Text as a pattern. Extended globs count if they may be switched on.
    fn compiled(&self, text: &str) -> Option<Vec<Node>> {
        if text.contains('(') && self.is_on(Switch::ExtGlob) {
            return pattern::compile_extended(text);
        }
        Some(pattern::compile(text))
    }

    /// Notes a pattern that the parser of bash takes only with `extglob`.
    pub(crate) fn note_extended(&mut self) {
        self.deferred.extended |= !self.is_on(Switch::ExtGlob);
    }

    /// A word as a pattern, if all of it is known.
    pub(crate) fn pattern(&mut self, word: &Word) -> Option<Vec<Node>> {
        let mut patterns = self.patterns(word)?;
        let single = patterns.list.len() == 1 && !patterns.foreign;
        patterns.list.pop().filter(|_| single)
    }

    /// The patterns that a word may be: quoted parts are literal. None if there are too many.
    pub(super) fn patterns(&mut self, word: &Word) -> Option<Patterns> {
        // A bracket expression may be put together from several parts, so they are compiled together.
        let mut all: Vec<(Vec<Node>, String)> = vec![Default::default()];
        let mut foreign = false;
        for (index, part) in word.parts.iter().enumerate() {
            let ends: Vec<String> = match part {
                Part::Literal(text) if index == 0 && text.starts_with('~') => {
                    let (home, rest) = self.leading_tilde(text, word.parts.len() == 1);
                    let mut text = pattern_text(&home.unwrap_or_default(), true)?;
                    text.push_str(rest);
                    vec![text]
                }
                Part::Literal(text) => vec![text.clone()],
                Part::ExtGlob(kind, alternatives) => {
                    let alternatives = alternatives
                        .iter()
                        .map(|word| self.pattern(word))
                        .collect::<Option<Vec<_>>>()?;
                    for (nodes, text) in &mut all {
                        nodes.extend(self.compiled(&std::mem::take(text))?);
                        nodes.push(Node::Group(*kind, alternatives.clone()));
                    }
                    continue;
                }
                part => {
                    let quoted =
                        !matches!(part, Part::Param(_) | Part::Command(_) | Part::Arith(_));
                    let one = Word { parts: vec![part.clone()], span: word.span };
                    let value = self.expand_single(&one);
                    let mut ends = Vec::new();
                    for variant in value.variants(MAX_ALTERNATIVES)? {
                        foreign |= variant.has_unknown();
                        ends.push(pattern_text(&variant.without_unknown(), quoted)?);
                    }
                    ends
                }
            };
            if all.len() * ends.len() > MAX_ALTERNATIVES {
                return None;
            }
            if let [end] = ends.as_slice() {
                all.iter_mut().for_each(|(_, text)| text.push_str(end));
                continue;
            }
            let longer = |(nodes, text): &(Vec<Node>, String), end: &String| {
                (nodes.clone(), format!("{text}{end}"))
            };
            all =
                all.iter().flat_map(|head| ends.iter().map(move |end| longer(head, end))).collect();
        }
        let mut list = Vec::with_capacity(all.len());
        for (nodes, text) in all {
            list.push([nodes.as_slice(), &self.compiled(&text)?].concat());
            // Other shells negate with `!` alone.
            if text.contains("[^") && self.is_on(Switch::PlainShell) {
                list.push(
                    [nodes.as_slice(), &self.compiled(&text.replace("[^", "[\\^"))?].concat(),
                );
            }
        }
        Some(Patterns { list, foreign })
    }
}

/// A value as the text of a pattern; its own characters are literal if it is quoted.
fn pattern_text(value: &Value, quoted: bool) -> Option<String> {
    let mut text = String::new();
    for piece in value.pieces() {
        match piece {
            Piece::Text(known) if !quoted => text.push_str(known),
            Piece::Text(known) => {
                for c in known.chars() {
                    if !c.is_alphanumeric() {
                        text.push('\\');
                    }
                    text.push(c);
                }
            }
            Piece::AnyString => text.push('*'),
            Piece::AnyChar => text.push('?'),
            Piece::AnyOf(class) => text.push_str(class),
            Piece::OneOf(_) | Piece::Unknown(_) => return None,
        }
    }
    Some(text)
}

impl Found {
    pub(super) fn into_value(self) -> Value {
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
        let content = index.and_then(|_| self.variable_content(name));
        self.look_through(content.as_ref().map_or(0, VariableContent::count));
        let value = match index {
            None => self.lookup(name),
            Some(index) => match content {
                Some(VariableContent::Indexed(items)) => {
                    Some(places::element(&items, index.parse().ok()?))
                }
                Some(VariableContent::Keyed(items)) => Some(items.get(index).cloned()),
                Some(other) => Some(other.scalar()),
                None => None,
            },
        };
        match value {
            // In arithmetic an unset name is zero. A variable from outside the script is nearly
            // always unset.
            None if is_set_by_bash(name) => None,
            None | Some(None) => Some(String::new()),
            // Bash expands subscripts inside the value: `x='a[$(cmd)]'; $((x))`.
            Some(Some(value)) => match self.evaluate_subscript(&value) {
                Substitutes::Yes => None,
                Substitutes::No => {
                    if value.is_one_of_own() {
                        self.deferred.counted.set(true);
                    }
                    value.as_known().map(str::to_owned)
                }
            },
        }
    }

    fn set(&mut self, name: &str, index: Option<&str>, value: Number, happens: Happens) {
        let value = self.number(value);
        let before = (happens == Happens::Perhaps).then(|| self.state.clone());
        match index {
            None => self.assign(name, value),
            Some(index) => {
                let word = Word { parts: vec![Part::Literal(index.to_owned())], ..Word::default() };
                self.assign_element(name, &word, value, false);
            }
        }
        if let Some(before) = before {
            self.state.join(&before);
        }
    }

    fn is_keyed(&self, name: &str) -> bool {
        Interp::is_keyed(self, name)
    }

    fn limit_reached(&mut self) {
        self.hidden_limit(self.frame.text.origin.unwrap_or_default(), "depth of arithmetic");
    }
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// How many elements there are.
pub(super) fn count_of(items: &[Value]) -> Value {
    match items.iter().any(Value::is_several) {
        true => Value::unknown(origin::LENGTH),
        false => Value::known(items.len().to_string()),
    }
}

/// One of the elements, or nothing.
fn any_of<'a>(items: impl Iterator<Item = &'a Value>) -> Value {
    items.fold(Value::empty(), |all, item| join_values(&all, item))
}

pub(super) fn is_list_index(index: &Word) -> bool {
    matches!(index.parts.as_slice(), [Part::Literal(text)] if text == "@" || text == "*")
}

pub(super) fn is_star(index: Option<&Word>) -> bool {
    index.is_some_and(|word| matches!(word.parts.as_slice(), [Part::Literal(text)] if text == "*"))
}
