//! Variables: names without a package, globs, references, elements, `local`.

use super::objects::PerlObjects;
use super::{PerlCalls, PerlState};
use crate::effect::CodeEffect;
use crate::heap::{Binding, Cell, Entries, Items, insert};
use crate::limits::MAX_ITEMS;
use crate::lines::READINGS;
use crate::numbers::place_in;
use crate::reference::Ref;
use crate::value::{Forgotten, Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::{PerlValues, perl};
use aegish_values::{Source, Value};
use easy_ext::ext;
use std::rc::Rc;

/// The name of a variable with its package.
fn qualified(name: &str) -> String {
    let mut chars = name.chars();
    let sigil = chars.next().unwrap_or('$');
    let rest = chars.as_str();
    if rest.contains("::") { name.to_owned() } else { format!("{sigil}main::{rest}") }
}

#[ext(PerlVariables)]
pub(super) impl Interpreter<'_> {
    /// The cell of a variable; a global one is made.
    fn perl_cell(&mut self, name: &str) -> Ref {
        let mut scope = Some(Rc::clone(&self.scope));
        while let Some(at) = scope {
            if let Some(place) = at.find(name) {
                return place;
            }
            scope = at.parent.clone();
        }
        let program = self.scope.program();
        let full = qualified(name);
        if let Some(place) = program.find(&full) {
            return place;
        }
        let place = self.heap.alloc(Cell::Variable(Binding::Unbound));
        program.insert(full.into(), place);
        place
    }

    /// The value that a variable with this sigil holds.
    fn perl_coerced(&mut self, name: &str, value: Val) -> Val {
        match name.as_bytes().first() {
            Some(b'@') => match value {
                Val::List(_) => value,
                other => {
                    let items = self.perl_iterate(&other);
                    self.heap.list(items)
                }
            },
            Some(b'%') => match value {
                Val::Dict(_) | Val::Library(_) => value,
                other => {
                    let items = self.perl_iterate(&other);
                    let entries = self.entries_from(items);
                    self.heap.dict(entries)
                }
            },
            Some(b'$') => self.perl_scalar(value),
            _ => value,
        }
    }

    /// Assigns to a variable where it is declared, or to the global one.
    fn perl_bind(&mut self, name: &str, value: Val) {
        if matches!(name, "$<" | "$>") {
            self.record(CodeEffect::SetUser(value.to_text()));
        }
        let value = self.perl_coerced(name, value);
        let value = self.compact(value);
        let place = self.perl_cell(name);
        self.heap.write(place, Cell::Variable(Binding::Bound(value)));
    }

    fn held(&self, place: Ref) -> Option<Val> {
        match self.heap.variable(place) {
            Binding::Bound(value) | Binding::Maybe(value) => Some(value),
            Binding::Unbound => None,
        }
    }

    /// A name that no block declares.
    fn perl_builtin(&mut self, name: &str) -> Val {
        let mut chars = name.chars();
        let (Some(sigil), rest) = (chars.next(), chars.as_str()) else { return Val::None };
        if !rest.contains("::")
            && let Some(place) = self.scope.program().find(&qualified(name))
            && let Some(value) = self.held(place)
        {
            return value;
        }
        let rest = rest.strip_prefix("main::").unwrap_or(rest);
        match sigil {
            '$' => self.special_scalar(rest),
            '@' => match rest {
                "ARGV" => {
                    let list = self.around.args.iter().cloned().map(Val::Text).collect();
                    let list = self.new_list(list);
                    self.perl_bind("@ARGV", list.clone());
                    list
                }
                "F" => {
                    self.reads_line = true;
                    let fields = self.fields_of_line();
                    self.heap.list(fields)
                }
                "INC" | "-" | "+" => {
                    self.heap.list(Items { list: Vec::new(), rest: Some(Val::unknown()) })
                }
                _ => self.heap.list(Items::default()),
            },
            '%' => match rest {
                "ENV" | "SIG" | "INC" => Val::Library(format!("%{rest}").into()),
                "+" | "-" => {
                    let rest = Some(Val::Text(Value::unknown("part of a text")));
                    self.heap.dict(Entries { list: Vec::new(), rest })
                }
                _ => self.heap.dict(Entries::default()),
            },
            '&' => self.library_function(rest),
            '*' => Val::Library(format!("*main::{rest}").into()),
            _ => Val::Library(name.into()),
        }
    }

    /// The fields of a line that `-a` makes, at blanks or what `-F` says.
    fn fields_of_line(&mut self) -> Items {
        let content = self.argument_input();
        let line = self.any_line(&content, false).unwrap_or(Val::None).to_text();
        let Some(readings) = line.readings(READINGS) else {
            return Items { list: Vec::new(), rest: Some(Val::Text(part_of(&line))) };
        };
        let separates = |c: char| c.is_whitespace() || ":;,|=".contains(c);
        let field = |text: &str| Val::Text(Value::known(text).tainted(line.taint()));
        if let [only] = readings.as_slice()
            && !only.contains([':', ';', ',', '|', '='])
        {
            let list = only.split_whitespace().map(field).collect();
            return Items { list, rest: None };
        }
        let fields = readings.iter().flat_map(|line| {
            line.split_whitespace().chain(line.split(separates)).map(field).collect::<Vec<_>>()
        });
        Items { list: Vec::new(), rest: fields.reduce(|a, b| join(&a, &b)) }
    }

    fn special_scalar(&mut self, name: &str) -> Val {
        match name {
            "_" => {
                self.reads_line = true;
                let content = self.argument_input();
                let line = |kept| self.any_line(&content, kept).unwrap_or(Val::None);
                // `-l` takes the ends of lines away.
                join(&line(true), &line(false))
            }
            "0" => Val::text("-e"),
            "^X" => Val::text("perl"),
            "^O" => Val::text("linux"),
            "\"" => Val::text(" "),
            "," | "\\" => Val::text(""),
            "/" => Val::text("\n"),
            ";" => Val::text("\u{1c}"),
            "AEGISH_UNKNOWN" | "a" | "b" | "$" | "!" | "@" | "." | "?" | "<" | ">" | "(" | ")"
            | "^T" | "^V" | "]" => Val::unknown(),
            "ARGV" => Val::Text(Value::unknown("a file of the arguments")),
            name if name == "&" || name.bytes().all(|byte| byte.is_ascii_digit()) => {
                Val::Text(Value::unknown("part of a text"))
            }
            name => {
                // The option `-s` makes variables of arguments.
                let start = format!("-{name}=");
                let given = self.around.args.iter().find_map(|argument| {
                    argument.known_prefix().starts_with(&start).then(|| argument.tail(start.len()))
                });
                given.map_or(Val::None, Val::Text)
            }
        }
    }

    /// The array or hash of a variable, which is made if there is none.
    fn perl_variable(&mut self, name: &str) -> Val {
        let place = self.perl_cell(name);
        if let Some(value) = self.held(place) {
            return value;
        }
        let value = self.perl_builtin(name);
        let value = self.perl_coerced(name, value);
        if !matches!(value, Val::Library(_)) {
            self.heap.write(place, Cell::Variable(Binding::Bound(value.clone())));
        }
        value
    }

    /// A container of a kind; what is not known about the old value is not known about its items.
    fn fresh(&mut self, kind: &str, old: &Val) -> Val {
        let rest = match old {
            Val::Unknown(..) => Some(old.clone()),
            Val::Text(text) if text.has_unknown() => Some(old.clone()),
            _ => None,
        };
        if kind == "@" {
            self.heap.list(Items { list: Vec::new(), rest })
        } else {
            self.heap.dict(Entries { list: Vec::new(), rest })
        }
    }

    fn is_container(value: &Val, kind: &str) -> bool {
        match value {
            Val::List(_) => kind == "@",
            Val::Dict(_) | Val::Library(_) => kind == "%",
            Val::OneOf(values) => values.iter().any(|one| Self::is_container(one, kind)),
            _ => false,
        }
    }

    /// What a scalar refers to; made if it refers to nothing.
    fn vivify(&mut self, name: &str, kind: &str) -> Val {
        let value = self.lookup(&name.into());
        if let Some(found) = self.referred(&value, kind) {
            return found;
        }
        let made = self.fresh(kind, &value);
        self.perl_bind(name, made.clone());
        made
    }

    fn referred(&mut self, value: &Val, kind: &str) -> Option<Val> {
        if Self::is_container(value, kind) {
            return Some(value.clone());
        }
        match value {
            // A name stands for the variable that has it.
            Val::Text(text) if text.is_known() && text.has_text() => {
                let name = text.as_known()?.trim_start_matches("main::").to_owned();
                Some(self.perl_variable(&format!("{kind}{name}")))
            }
            Val::Library(path) if path.starts_with('*') => {
                let name = path.get(1..)?.trim_start_matches("main::").to_owned();
                Some(self.perl_variable(&format!("{kind}{name}")))
            }
            _ => None,
        }
    }

    fn vivify_element(&mut self, of: &Val, index: &Val, kind: &str) -> Val {
        let value = self.perl_index(of, index);
        if let Some(found) = self.referred(&value, kind) {
            return found;
        }
        let made = self.fresh(kind, &value);
        self.perl_set_index(of, index, made.clone());
        made
    }

    /// `@$value`, `%$value`.
    fn dereferenced(&mut self, value: &Val, kind: &str) -> Val {
        if let Some(found) = self.referred(value, kind) {
            return found;
        }
        match value {
            Val::None | Val::Bool(_) | Val::Int(_) => self.fresh(kind, &Val::None),
            Val::OneOf(values) => values
                .clone()
                .iter()
                .map(|one| self.dereferenced(one, kind))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or(Val::None),
            Val::Tuple(_) | Val::Partial(_) => {
                let one = self.perl_scalar(value.clone());
                if one == *value { Val::unknown() } else { self.dereferenced(&one, kind) }
            }
            Val::Unknown(taint, forgotten) => {
                let rest = Val::Unknown(taint.clone(), *forgotten);
                self.fresh(kind, &rest)
            }
            other => {
                let rest = Val::tainted(self.taint_of(other));
                self.fresh(kind, &rest)
            }
        }
    }

    /// `$$value`.
    fn dereferenced_scalar(&mut self, value: &Val) -> Val {
        match value {
            Val::Scalar(place) => self.held(*place).unwrap_or(Val::None),
            Val::OneOf(_) => self.each(value, |this, one| this.dereferenced_scalar(one)),
            Val::Text(text) => match text.readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| {
                        let name = name.trim_start_matches("main::").to_owned();
                        self.lookup(&format!("${name}").as_str().into())
                    })
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None),
                None => Val::Unknown(text.taint().clone(), Forgotten::Callable),
            },
            Val::Library(path) if path.starts_with('*') => {
                let name = path.get(1..).unwrap_or("").trim_start_matches("main::").to_owned();
                self.lookup(&format!("${name}").as_str().into())
            }
            Val::None => Val::None,
            other => other.forget(),
        }
    }

    /// `$$target = value`.
    fn set_dereferenced(&mut self, target: &Val, value: Val) {
        match target {
            Val::Scalar(place) => {
                if self.state.with(|perl: &mut PerlState| perl.copies.contains(place)) {
                    self.open = true;
                }
                let value = self.perl_scalar(value);
                self.heap.write(*place, Cell::Variable(Binding::Bound(value)));
            }
            Val::Text(text) => match text.as_known() {
                Some(name) => {
                    let name = format!("${}", name.trim_start_matches("main::"));
                    self.perl_bind(&name, value);
                }
                None => self.open = true,
            },
            Val::OneOf(values) => {
                for one in values.clone().iter() {
                    self.maybe(|this| this.set_dereferenced(one, value.clone()));
                }
            }
            _ => {}
        }
    }

    fn perl_index(&mut self, object: &Val, index: &Val) -> Val {
        match object {
            Val::OneOf(values) => values
                .clone()
                .iter()
                .map(|one| self.perl_index(one, index))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or(Val::None),
            Val::List(place) => {
                let items = self.heap.items(*place);
                let any =
                    || items.list.iter().chain(&items.rest).cloned().reduce(|a, b| join(&a, &b));
                match perl::number(index).filter(|_| !matches!(index, Val::OneOf(_))) {
                    Some(number) => {
                        if number < 0 && items.rest.is_some() {
                            return any().unwrap_or(Val::None);
                        }
                        let found =
                            place_in(number, items.list.len()).and_then(|at| items.list.get(at));
                        found.cloned().or_else(|| items.rest.clone()).unwrap_or(Val::None)
                    }
                    None => any().unwrap_or(Val::None),
                }
            }
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let key = self.perl_text(index);
                let all = || {
                    entries
                        .list
                        .iter()
                        .map(|(_, value)| value)
                        .chain(&entries.rest)
                        .cloned()
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or(Val::None)
                };
                match key.readings(16) {
                    Some(keys) => keys
                        .into_iter()
                        .map(|key| {
                            let key = Val::text(key);
                            match entries.list.iter().find(|(known, _)| *known == key) {
                                Some((_, value)) => value.clone(),
                                None => entries.rest.clone().unwrap_or(Val::None),
                            }
                        })
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or(Val::None),
                    None => all(),
                }
            }
            Val::Library(path) if &**path == "%ENV" => match self.perl_text(index).as_known() {
                Some(name) => self.env(name),
                None => Val::from_source("environment", Source::Environment(String::new())),
            },
            Val::Text(text) if text.has_unknown() => object.clone(),
            Val::Text(_) | Val::None | Val::Int(_) | Val::Bool(_) => Val::None,
            Val::Tuple(_) | Val::Partial(_) => {
                let items = self.perl_values(object);
                let list = self.heap.list(items);
                self.perl_index(&list, index)
            }
            Val::Unknown(..) => object.clone(),
            other => Val::tainted(self.taint_of(other)),
        }
    }

    fn perl_set_index(&mut self, object: &Val, index: &Val, value: Val) {
        let value = self.perl_scalar(value);
        let value = self.compact(value);
        match object {
            Val::Dict(place) => {
                let key = Val::Text(self.perl_text(index));
                self.heap.update_entries(*place, |entries| insert(entries, key, value));
            }
            Val::List(place) => {
                let number = perl::number(index);
                self.heap.update_items(*place, |items| {
                    let length = items.list.len();
                    let at = number.and_then(|number| place_in(number, length));
                    match at {
                        Some(at) if at < length => {
                            if let Some(slot) = items.list.get_mut(at) {
                                *slot = value;
                            }
                        }
                        Some(at) if items.rest.is_none() && at < MAX_ITEMS => {
                            items.list.resize(at, Val::None);
                            items.list.push(value);
                        }
                        _ => {
                            for known in &mut items.list {
                                *known = join(known, &value);
                            }
                            let rest = items.rest.take();
                            items.rest =
                                Some(rest.map_or(value.clone(), |rest| join(&rest, &value)));
                        }
                    }
                });
            }
            Val::Library(path) if &**path == "%ENV" => match self.perl_text(index).readings(4) {
                Some(names) => {
                    let value = Val::Text(self.perl_text(&value));
                    names.iter().for_each(|name| self.set_environment(name, &value));
                }
                None => self.open = true,
            },
            // A signal may come at any time.
            Val::Library(path) if &**path == "%SIG" => {
                let ignored = value
                    .as_known()
                    .is_some_and(|v| matches!(v.as_str(), "IGNORE" | "DEFAULT" | ""));
                if !ignored {
                    let name = self.perl_text(index);
                    self.override_library(format!("%SIG.{name}"), value.clone());
                    let args = crate::value::Args::of(vec![index.clone()]);
                    self.maybe(|this| this.perl_call_value(&value, args));
                }
            }
            Val::OneOf(values) => {
                for one in values.clone().iter() {
                    self.maybe(|this| this.perl_set_index(one, index, value.clone()));
                }
            }
            _ => {}
        }
    }

    /// A new variable with a value: what `\ expression` refers to.
    fn reference_to(&mut self, value: Val) -> Val {
        let place = self.heap.alloc(Cell::Variable(Binding::Bound(value)));
        self.state.with(|perl: &mut PerlState| perl.copies.insert(place));
        Val::Scalar(place)
    }
}
