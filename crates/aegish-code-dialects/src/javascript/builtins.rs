//! Functions without effects of the language and its libraries.

use super::ScriptValues;
use super::objects::ScriptObjects;
use super::properties::ScriptProperties;
use crate::calls::{Effect, Role};
use crate::decode;
use crate::heap::{Entries, Items, insert};
use crate::limits::MAX_ITEMS;
use crate::value::{Args, Forgotten, LOST, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::given::Given;
use aegish_code_library::javascript::operators::parse_number;
use aegish_code_library::{ScriptArrays, ScriptJson, ScriptTexts, TextMethods};
use aegish_values::{Taint, Value};
use easy_ext::ext;

/// Functions without effects of the language and its libraries.
#[ext(ScriptBuiltins)]
pub(super) impl Interpreter<'_> {
    /// A function without effects; none if the entry is for another language.
    fn script_pure(&mut self, given: &Given<'_>) -> Option<Val> {
        let args = given.args;
        let first = args.get(0).cloned().unwrap_or(Val::None);
        Some(match given.entry.effect {
            Effect::Keys => {
                let items = self.keys_of(&first);
                self.heap.list(items)
            }
            Effect::Values => {
                let items = self.values_of(&first);
                self.heap.list(items)
            }
            Effect::Entries => {
                let items = self.entries_of(&first);
                self.heap.list(items)
            }
            Effect::Merge => self.merged(&first, args),
            Effect::NewObject => {
                let mut list = Vec::new();
                if first != Val::None {
                    list.push((Val::text("__proto__"), first));
                }
                let object = self.new_dict(list, None);
                if let Some(Val::Dict(_)) = args.get(1) {
                    self.define_all(&object, &args.get(1).cloned().unwrap_or(Val::None));
                }
                object
            }
            Effect::SetPrototype => {
                let prototype = args.get(1).cloned().unwrap_or(Val::None);
                self.script_set_attribute(&first, &"__proto__".into(), prototype);
                first
            }
            Effect::Define => {
                if let Some(descriptor) = args.get(2) {
                    let (key, descriptor) =
                        (args.get(1).cloned().unwrap_or(Val::None), descriptor.clone());
                    self.define(&first, &key, &descriptor);
                } else if let Some(all) = args.get(1) {
                    let all = all.clone();
                    self.define_all(&first, &all);
                }
                first
            }
            Effect::Descriptor => {
                let key = args.get(1).cloned().unwrap_or(Val::None);
                let value = self.script_index(&first, &key);
                self.new_object(vec![("value", value)])
            }
            Effect::Prototype => Val::Library("Function.prototype".into()),
            Effect::ReflectApply => {
                let items = self.iterate(&args.get(2).cloned().unwrap_or(Val::None));
                let this = args.get(1).cloned().unwrap_or(Val::None);
                let call = Args { list: items.list, rest: items.rest, ..Args::default() };
                match &first {
                    Val::Method(_) | Val::Library(_) => {
                        let list = self.heap.list(Items { list: call.list, rest: call.rest });
                        self.method(&first, "apply", Args::of(vec![this, list]))
                    }
                    _ => self.call_with(&this, &first, call),
                }
            }
            Effect::ReflectConstruct => {
                let items = self.iterate(&args.get(1).cloned().unwrap_or(Val::None));
                let call = Args { list: items.list, rest: items.rest, ..Args::default() };
                self.construct(&first, call)
            }
            Effect::GetProperty => {
                let key = args.get(1).cloned().unwrap_or(Val::None);
                self.script_index(&first, &key)
            }
            Effect::SetProperty => {
                let key = args.get(1).cloned().unwrap_or(Val::None);
                let value = args.get(2).cloned().unwrap_or(Val::None);
                self.script_set_index(&first, &key, value);
                Val::Bool(true)
            }
            Effect::Characters => {
                let mut text = String::new();
                for value in &args.list {
                    let code = match value {
                        Val::Text(text) => text.as_known().and_then(parse_number),
                        other => other.as_int(),
                    };
                    match code.and_then(crate::numbers::character) {
                        Some(c) => text.push(c),
                        None => {
                            let mut taint = Taint::none();
                            args.values().for_each(|value| taint.absorb(&self.taint_of(value)));
                            return Some(Val::Text(Value::unknown(LOST).tainted(&taint)));
                        }
                    }
                }
                match &args.rest {
                    None => Val::text(text),
                    Some(_) => Val::Text(Value::unknown(LOST)),
                }
            }
            Effect::Buffer => self.text_bytes(&first, args.get(1)),
            Effect::JoinBytes => self.join_text(&Value::empty(), &first),
            Effect::EncodeBase64 => self.byte_text(&first, &Args::of(vec![Val::text("base64")])),
            Effect::JsonText => self.json_text(&first),
            Effect::JsonValue => self.json_value(&first),
            Effect::Number => self.number_of(&first, args.get(1)),
            Effect::Round => match first {
                Val::Int(_) => first,
                other => Val::tainted(self.taint_of(&other)),
            },
            Effect::ListOf => {
                let items = Items { list: args.list.clone(), rest: args.rest.clone() };
                self.heap.list(items)
            }
            Effect::NewList => match (args.list.as_slice(), &args.rest) {
                ([Val::Int(count)], None) => {
                    let count = usize::try_from(*count).unwrap_or(0).min(MAX_ITEMS);
                    self.new_list(vec![Val::None; count])
                }
                _ => {
                    let items = Items { list: args.list.clone(), rest: args.rest.clone() };
                    self.heap.list(items)
                }
            },
            Effect::ListFrom => self.list_from(&first, args.get(1)),
            Effect::NewMap => {
                let mut entries = Entries::default();
                let items = match &first {
                    Val::Dict(_) => self.entries_of(&first),
                    Val::Text(_) => Items { list: Vec::new(), rest: Some(first.clone()) },
                    other => self.iterate(other),
                };
                for pair in items.list.into_iter().chain(items.rest) {
                    let pair = self.iterate(&pair);
                    let key = pair.list.first().cloned().unwrap_or_else(Val::unknown);
                    let key = match self.property_names(&key).as_deref() {
                        Some([one]) => Val::text(one.as_str()),
                        _ => Val::unknown(),
                    };
                    let value =
                        pair.list.get(1).cloned().or(pair.rest).unwrap_or_else(Val::unknown);
                    insert(&mut entries, key, value);
                }
                self.heap.dict(entries)
            }
            Effect::AnyOf => self.element(&first),
            Effect::JoinBelow => {
                let mut path = Value::empty();
                for part in &args.list {
                    let part = self.script_text(part);
                    if part.as_known() == Some("") {
                        continue;
                    }
                    if !path.pieces().is_empty()
                        && !path.known_suffix().ends_with('/')
                        && !part.known_prefix().starts_with('/')
                    {
                        path.push_str("/");
                    }
                    path.append(&part);
                }
                if let Some(rest) = &args.rest {
                    path.push_str("/");
                    path.append(&rest.to_text());
                }
                Val::Text(path)
            }
            Effect::Extension => {
                let text = self.script_text(&first);
                match text.as_known() {
                    Some(path) => {
                        let name = aegish_code_library::paths::base_name(path);
                        let at = name.rfind('.').filter(|at| *at > 0);
                        Val::text(at.and_then(|at| name.get(at..)).unwrap_or(""))
                    }
                    None => Val::Text(crate::value::part_of(&text)),
                }
            }
            Effect::Relative => {
                let to = args.get(1).cloned().unwrap_or(Val::None);
                Val::Text(self.script_text(&to))
            }
            Effect::NewError => {
                let message = Val::Text(self.script_text(&first));
                self.new_object(vec![("message", message.clone()), ("stack", message)])
            }
            Effect::Proxy => {
                let handler = args.get(1).cloned().unwrap_or(Val::None);
                let traps = self.values_of(&handler);
                if traps.list.is_empty() && traps.rest.is_none() {
                    return Some(first);
                }
                // A trap gets names and values of the text.
                let part = Val::Text(Value::unknown(LOST));
                for trap in traps.list {
                    let call = Args {
                        list: vec![first.clone(), part.clone(), part.clone()],
                        rest: Some(Val::unknown()),
                        ..Args::default()
                    };
                    self.maybe(|this| this.call(&trap, call));
                }
                Val::Unknown(Taint::none(), Forgotten::Callable)
            }
            Effect::Format => self.formatted_text(args),
            Effect::Url => {
                let text = self.script_text(&first);
                match (args.get(1), is_relative(&text)) {
                    (Some(base), true) => {
                        let base = self.script_text(&base.clone());
                        Val::Text(beside(&base, &text))
                    }
                    _ => Val::Text(text),
                }
            }
            Effect::PathOfUrl => {
                let text = self.script_text(&first);
                match text.known_prefix().strip_prefix("file://") {
                    Some(_) => Val::Text(text.tail("file://".len())),
                    None => Val::Text(text),
                }
            }
            Effect::Pattern => match (&first, args.get(1)) {
                (Val::Pattern(_), None) => first,
                _ => {
                    let source = self.script_text(&first);
                    let flags = args.get(1).map_or_else(Value::empty, Val::to_text);
                    match (source.as_known(), flags.as_known()) {
                        (Some(source), Some(flags)) => {
                            Val::Pattern(std::rc::Rc::new((source.into(), flags.into())))
                        }
                        _ => Val::unknown(),
                    }
                }
            },
            Effect::Identity => match given.get(Role::Function) {
                Some(function) => function.clone(),
                None => first,
            },
            Effect::Percent => {
                let text = self.script_text(&first);
                let known = text.as_known().and_then(|text| decode::percent(text, false));
                known.map_or_else(|| Val::Text(text.clone()), Val::bytes)
            }
            Effect::Unescape => {
                let text = self.script_text(&first);
                match text.as_known().map(unescape) {
                    Some(known) => Val::text(known),
                    None => Val::Text(text),
                }
            }
            _ => return None,
        })
    }

    fn merged(&mut self, first: &Val, args: &Args) -> Val {
        let mut entries = Entries::default();
        for value in args.list.iter().skip(1) {
            self.add_properties(&mut entries, value);
        }
        match first {
            Val::Dict(place) => {
                let place = *place;
                self.heap.update_entries(place, |known| {
                    for (key, value) in entries.list {
                        insert(known, key, value);
                    }
                    if let Some(rest) = entries.rest {
                        known.rest = Some(rest);
                    }
                });
            }
            other => {
                for (key, value) in entries.list {
                    self.script_set_index(other, &key, value);
                }
            }
        }
        first.clone()
    }

    /// Defines a property by its descriptor.
    fn define(&mut self, object: &Val, key: &Val, descriptor: &Val) {
        let getter = self.script_attribute(descriptor, &"get".into());
        let value = match getter {
            Val::Function(_) | Val::Bound(_) => Val::Property(std::rc::Rc::new(getter)),
            _ => self.script_attribute(descriptor, &"value".into()),
        };
        let setter = self.script_attribute(descriptor, &"set".into());
        if let (Val::Function(_), Some(names)) = (&setter, self.property_names(key)) {
            for name in names {
                let name = aegish_code_parsers::setter_name(&name);
                self.script_set_attribute(object, &name.into(), setter.clone());
            }
        }
        self.script_set_index(object, key, value);
    }

    fn define_all(&mut self, object: &Val, descriptors: &Val) {
        for pair in self.entries_of(descriptors).list {
            if let Val::Tuple(pair) = &pair
                && let [key, descriptor] = &**pair
            {
                self.define(object, key, descriptor);
            }
        }
    }

    fn list_from(&mut self, value: &Val, function: Option<&Val>) -> Val {
        let items = match value {
            // `{ length: n }`.
            Val::Dict(place) => {
                let length = self.script_attribute(value, &"length".into());
                match length {
                    Val::Int(count) => Items {
                        list: vec![Val::None; usize::try_from(count).unwrap_or(0).min(MAX_ITEMS)],
                        rest: None,
                    },
                    Val::None => self.entries_of(&Val::Dict(*place)),
                    _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
                }
            }
            other => self.iterate(other),
        };
        let list = self.heap.list(items);
        match function {
            Some(function) if *function != Val::None => {
                self.array_method(&list, "map", &Args::of(vec![function.clone()]))
            }
            _ => list,
        }
    }

    fn number_of(&mut self, value: &Val, base: Option<&Val>) -> Val {
        match value {
            Val::Int(_) => value.clone(),
            Val::Bool(known) => Val::Int(i64::from(*known)),
            Val::Text(text) => match (text.as_known(), base) {
                (Some(text), Some(Val::Int(base))) => {
                    let base = u32::try_from(*base).ok().filter(|base| (2..=36).contains(base));
                    let digits: String = text
                        .trim()
                        .trim_start_matches("0x")
                        .chars()
                        .take_while(|c| base.is_some_and(|base| c.is_digit(base)))
                        .collect();
                    base.and_then(|base| i64::from_str_radix(&digits, base).ok())
                        .map_or_else(Val::unknown, Val::Int)
                }
                (Some(text), _) => parse_number(text).map_or_else(Val::unknown, Val::Int),
                (None, _) => Val::tainted(text.taint().clone()),
            },
            Val::OneOf(values) => {
                let values = values.clone();
                values
                    .iter()
                    .map(|value| self.number_of(value, base))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            other => Val::tainted(self.taint_of(other)),
        }
    }

    /// `util.format("%s", value)`.
    fn formatted_text(&mut self, args: &Args) -> Val {
        let format = self.script_text(&args.get(0).cloned().unwrap_or(Val::None));
        let Some(known) = format.as_known().map(str::to_owned) else { return Val::Text(format) };
        let mut values = args.list.iter().skip(1);
        let mut out = Value::empty();
        let mut rest = known.as_str();
        while let Some(at) = rest.find('%') {
            out.push_str(rest.get(..at).unwrap_or(""));
            let kind = rest.get(at + 1..).and_then(|rest| rest.chars().next());
            match kind {
                Some('%') => out.push_str("%"),
                Some('s' | 'd' | 'i' | 'f' | 'j' | 'o' | 'O') => match values.next() {
                    Some(value) => {
                        let value = self.script_text(&value.clone());
                        out.append(&value);
                    }
                    None => out.push_str(rest.get(at..at + 2).unwrap_or("")),
                },
                _ => out.push_str("%"),
            }
            let skip = kind
                .filter(|kind| "%sdifjoO".contains(*kind))
                .map_or(1, |kind| 1 + kind.len_utf8());
            rest = rest.get(at + skip..).unwrap_or("");
        }
        out.push_str(rest);
        for value in values {
            out.push_str(" ");
            let value = self.script_text(&value.clone());
            out.append(&value);
        }
        Val::Text(out)
    }
}

/// Whether a text is no whole URL.
fn is_relative(text: &Value) -> bool {
    let start = text.known_prefix();
    !start.contains("://") && !start.starts_with('/')
}

/// A path beside the file that a URL names.
fn beside(base: &Value, path: &Value) -> Value {
    let known = base.known_suffix();
    let mut text = match base.as_known() {
        Some(base) => Value::known(base.rsplit_once('/').map_or("", |(before, _)| before)),
        None if known.ends_with("/script.js") => Value::unknown(aegish_code_library::given::HERE),
        None => base.clone(),
    };
    text.push_str("/");
    text.append(path);
    text
}

/// `%41` and `%u0041`.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        let (digits, length) = match rest.strip_prefix('u') {
            Some(after) => (after.get(..4), 5),
            None => (rest.get(..2), 2),
        };
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                rest = rest.get(length..).unwrap_or("");
            }
            None => out.push('%'),
        }
    }
    out.push_str(rest);
    out
}
