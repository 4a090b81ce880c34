//! Functions without effects over known values. A result that cannot be computed keeps its sources.

use crate::calls::{Effect, Role};
use crate::decode;
use crate::decoded::Decoding;
use crate::given::Given;
use crate::heap::Items;
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::numbers::{bytes_of, character};
use crate::value::{Args, LOST, STDIN, Val, is_own, join};
use crate::{Containers, Pickles, TextMethods};
use aegish_values::{Piece, Taint, Value};

/// Functions without effects over known values.
pub trait PureCalls: Machine {
    fn pure_call(&mut self, given: &Given<'_>) -> Val {
        let value = given.args.get(0).cloned();
        let result = self.pure_value(given, value.as_ref());
        result.unwrap_or_else(|| {
            let mut taint = Taint::none();
            given.args.values().for_each(|value| taint.absorb(&self.taint_of(value)));
            // What is made of known text is known to whoever wrote it.
            let value = match value {
                Some(Val::File(index)) => Some(self.file_content(index)),
                Some(Val::Library(path)) if &*path == "sys.stdin" => Some(self.file_content(STDIN)),
                value => value,
            };
            let own = value.is_some_and(|value| match &value {
                Val::Text(text) => is_own(text),
                Val::OneOf(_) => is_own(&value.to_text()),
                _ => false,
            });
            let outside = given.args.values().any(|value| match value {
                Val::Text(text) => {
                    text.has_unknown() && text.pieces() != [Piece::Unknown("computed")]
                }
                Val::Library(path) => &**path == "sys.stdin",
                _ => false,
            });
            let why = match (own, outside) {
                (true, _) => LOST,
                (_, true) => "part of a text",
                _ => "computed",
            };
            Val::Text(Value::unknown(why).tainted(&taint))
        })
    }

    fn pure_value(&mut self, given: &Given<'_>, first: Option<&Val>) -> Option<Val> {
        let args = given.args;
        // Content of an open file or a connection counts as text.
        let content = match first {
            Some(Val::File(index)) => Some(self.file_content(*index)),
            Some(Val::Connection) => Some(self.received()),
            Some(Val::Library(path)) if &**path == "sys.stdin" => Some(self.file_content(STDIN)),
            other => other.cloned(),
        };
        let text = content.as_ref().and_then(|value| self.known_bytes_as_text(value));
        self.burn(text.as_ref().map_or(0, |text| text.len() / 32));
        match given.entry.effect {
            Effect::Same => content,
            Effect::Item => {
                let item = self.element(first?);
                Some(args.get(1).map_or(item.clone(), |default| join(&item, default)))
            }
            Effect::Base64 => decode::base64(&text?).map(Val::bytes),
            Effect::Base32 => decode::base32(&text?).map(Val::bytes),
            Effect::Hex => decode::hex(&text?).map(Val::bytes),
            Effect::Rot13 => Some(Val::text(decode::rot13(&text?))),
            Effect::Percent => decode::percent(&text?, false).map(Val::bytes),
            Effect::Inflate => decode::inflate(&self.known_bytes(&content?)?).map(Val::bytes),
            Effect::Decode => {
                let coding = args.get(1).or_else(|| args.named("encoding"))?.as_known()?;
                Some(self.decoded(&content?, &coding))
            }
            Effect::Chr => Some(Val::text(character(first?.as_int()?)?.to_string())),
            Effect::Ord => {
                let text = text?;
                let mut chars = text.chars();
                Some(Val::Int(i64::from(u32::from(chars.next()?))))
            }
            Effect::Reverse => {
                let mut items = self.iterate(first?);
                if items.rest.is_none() {
                    items.list.reverse();
                    return Some(self.heap().list(items));
                }
                let rest = Some(self.element(first?));
                Some(self.heap().list(Items { list: Vec::new(), rest }))
            }
            Effect::JoinPath => {
                let mut parts: Vec<Value> =
                    args.list.iter().chain(&args.rest).map(Val::to_text).collect();
                if parts.is_empty() {
                    parts.push(Value::unknown("path"));
                }
                let joined = crate::paths::join_paths(&parts);
                Some(match first {
                    Some(Val::Path(_)) => Val::Path(joined),
                    _ => Val::Text(joined),
                })
            }
            Effect::Expand => match content? {
                path @ Val::Path(_) => Some(path),
                other => Some(Val::Text(other.to_text())),
            },
            Effect::CountEnvironment => {
                Some(Val::Text(self.expanded_variables(&content?.to_text())))
            }
            Effect::BaseName => Some(Val::text(crate::paths::base_name(&text?))),
            Effect::DirName => {
                let directory = crate::paths::directory_name(&text?);
                Some(Val::text(if directory == "." { String::new() } else { directory }))
            }
            Effect::Range => self.range(args),
            Effect::ToList | Effect::ToTuple => {
                let Some(first) = first else {
                    return Some(self.new_list(Vec::new()));
                };
                let items = self.iterate(first);
                if given.entry.effect == Effect::ToTuple && items.rest.is_none() {
                    return Some(Val::Tuple(items.list.into()));
                }
                Some(self.heap().list(items))
            }
            Effect::ToDict => Some(self.new_mapping(args)),
            Effect::Sorted => {
                let items = self.sorted(first?, args);
                Some(self.heap().list(items))
            }
            Effect::Zip => Some(self.zip(args)),
            Effect::Chain => {
                let mut all = Items::default();
                for value in &args.list {
                    let items = self.iterate(value);
                    crate::heap::extend(&mut all, items);
                }
                Some(self.heap().list(all))
            }
            Effect::Enumerate => {
                let items = self.iterate(first?);
                let start =
                    args.get(1).or_else(|| args.named("start")).and_then(Val::as_int).unwrap_or(0);
                let list = items
                    .list
                    .into_iter()
                    .zip(start..)
                    .map(|(item, place)| Val::Tuple([Val::Int(place), item].into()))
                    .collect();
                let rest = items.rest.map(|rest| Val::Tuple([Val::unknown(), rest].into()));
                Some(self.heap().list(Items { list, rest }))
            }
            Effect::Int => self.integer(content, args),
            Effect::Text => {
                let Some(value) = content else { return Some(Val::text("")) };
                match value {
                    Val::OneOf(_) | Val::Unknown(..) => Some(Val::Text(value.to_text())),
                    other => Some(Val::Text(self.text_of(&other))),
                }
            }
            Effect::Bytes => match content? {
                list @ (Val::List(_) | Val::Tuple(_)) => {
                    let items = self.iterate(&list);
                    bytes_of(&items).map(Val::bytes)
                }
                Val::Int(_) => Some(Val::unknown()),
                other => Some(other),
            },
            Effect::Length => match content? {
                Val::Text(text) => {
                    Some(Val::Int(i64::try_from(text.as_known()?.chars().count()).ok()?))
                }
                Val::Tuple(items) => Some(Val::Int(i64::try_from(items.len()).ok()?)),
                Val::List(place) => {
                    let items = self.heap().items(place);
                    (items.rest.is_none())
                        .then(|| Val::Int(i64::try_from(items.list.len()).unwrap_or(0)))
                }
                _ => Some(Val::unknown()),
            },
            Effect::SplitWords => {
                let words = aegish_code_effects::words::split_words(&text?)?;
                Some(self.new_list(words.into_iter().map(Val::text).collect()))
            }
            Effect::JoinWords => {
                let joined = self.join_text(&Value::known(" "), first?);
                Some(joined)
            }
            Effect::Dedent => Some(Val::text(aegish_code_effects::words::dedent(&text?))),
            Effect::Unpickle => {
                let content = content?;
                match self.known_bytes(&content) {
                    Some(bytes) => Some(self.unpickled(&bytes)),
                    None => Some(content),
                }
            }
            Effect::Literal => self.literal(&text?),
            Effect::JoinText => {
                let separator = first?.to_text();
                let list = args.get(1)?.clone();
                Some(self.join_text(&separator, &list))
            }
            Effect::ReplacePattern => {
                let subject = given.get(Role::Value)?.clone();
                let replacement = given.get(Role::Content)?.clone();
                let pattern = given.text(Role::Name)?;
                self.run_callbacks(&Args::of(vec![replacement.clone()]), None);
                // A pattern without special characters is replaced as it stands.
                let plain =
                    pattern.as_known()?.chars().all(|c| c.is_alphanumeric() || " _/=-".contains(c));
                let known = subject.as_known()?;
                plain.then(|| {
                    Some(Val::text(known.replace(pattern.as_known()?, &replacement.as_known()?)))
                })?
            }
            Effect::Map => {
                let function = args.get(0)?.clone();
                let items = self.iterate(args.get(1)?);
                let results = self.call_each(&function, &items);
                Some(self.heap().list(results))
            }
            Effect::Filter => {
                let function = args.get(0)?.clone();
                let items = self.iterate(args.get(1)?);
                let mut kept = Items::default();
                for item in items.list {
                    let holds = match &function {
                        Val::None => self.truth(&item),
                        function => {
                            let value = self.call(function, Args::of(vec![item.clone()]));
                            self.truth(&value)
                        }
                    };
                    match holds {
                        Some(true) => crate::heap::push_item(&mut kept, item),
                        Some(false) => {}
                        None => {
                            kept.rest =
                                Some(kept.rest.map_or(item.clone(), |rest| join(&rest, &item)));
                        }
                    }
                }
                if let Some(rest) = items.rest {
                    self.maybe(|this| this.call(&function, Args::of(vec![rest.clone()])));
                    kept.rest = Some(kept.rest.map_or(rest.clone(), |known| join(&known, &rest)));
                }
                Some(self.heap().list(kept))
            }
            Effect::Reduce => {
                let function = args.get(0)?.clone();
                let items = self.iterate(args.get(1)?);
                let mut list = items.list.into_iter();
                let mut value = args.get(2).cloned().or_else(|| list.next())?;
                for item in list.chain(items.rest) {
                    value = self.call(&function, Args::of(vec![value, item]));
                }
                Some(value)
            }
            _ => None,
        }
    }

    fn expanded_variables(&mut self, text: &Value) -> Value {
        let Some(known) = text.as_known() else { return text.clone() };
        let known = known.to_owned();
        let mut out = Value::empty();
        let mut rest = known.as_str();
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or(""));
            rest = rest.get(at + 1..).unwrap_or("");
            let inner = rest.strip_prefix('{').unwrap_or(rest);
            let end = inner
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(inner.len());
            let name = inner.get(..end).unwrap_or("");
            if name.is_empty() {
                out.push_str("$");
                continue;
            }
            let value = self.env(name).to_text();
            out.append(&value);
            rest = inner.get(end..).unwrap_or("");
            rest = rest.strip_prefix('}').unwrap_or(rest);
        }
        out.push_str(rest);
        out
    }

    fn range(&mut self, args: &Args) -> Option<Val> {
        let numbers: Option<Vec<i64>> = args.list.iter().map(Val::as_int).collect();
        let numbers = numbers.filter(|_| args.rest.is_none());
        let any = |this: &mut Self| {
            Some(this.heap().list(Items { list: Vec::new(), rest: Some(Val::unknown()) }))
        };
        let (start, stop, step) = match numbers.as_deref() {
            Some([stop]) => (0, *stop, 1),
            Some([start, stop]) => (*start, *stop, 1),
            Some([start, stop, step]) if *step != 0 => (*start, *stop, *step),
            _ => return any(self),
        };
        let mut list = Vec::new();
        let mut at = start;
        while (step > 0 && at < stop) || (step < 0 && at > stop) {
            if list.len() >= MAX_ITEMS {
                return any(self);
            }
            list.push(Val::Int(at));
            at = at.checked_add(step)?;
        }
        Some(self.new_list(list))
    }

    fn new_mapping(&mut self, args: &Args) -> Val {
        let mut list: Vec<(Val, Val)> = Vec::new();
        let mut rest = None;
        match args.get(0) {
            // The names of a module.
            Some(module @ Val::Library(path))
                if crate::calls::has_members(self.language(), path) && args.named.is_empty() =>
            {
                return module.clone();
            }
            Some(Val::Dict(place)) => {
                let entries = self.heap().entries(*place);
                list.extend(entries.list.iter().cloned());
                rest.clone_from(&entries.rest);
            }
            Some(other) => {
                let pairs = self.iterate(&other.clone());
                for pair in &pairs.list {
                    let items = self.iterate(pair).list;
                    if let [key, value] = items.as_slice() {
                        list.push((key.clone(), value.clone()));
                    }
                }
                if let Some(pair) = &pairs.rest {
                    rest = Some(self.index(pair, &Val::Int(1)));
                }
            }
            None => {}
        }
        list.extend(args.named.iter().map(|(name, value)| (Val::text(&**name), value.clone())));
        self.new_dict(list, rest)
    }

    fn zip(&mut self, args: &Args) -> Val {
        let all: Vec<Items> = args.list.iter().map(|value| self.iterate(value)).collect();
        let length = all
            .iter()
            .map(|items| if items.rest.is_some() { usize::MAX } else { items.list.len() })
            .min()
            .unwrap_or(0);
        let known = all.iter().map(|items| items.list.len()).min().unwrap_or(0).min(length);
        let list = (0..known)
            .map(|place| {
                Val::Tuple(all.iter().filter_map(|items| items.list.get(place).cloned()).collect())
            })
            .collect();
        let rest = (length > known).then(|| {
            Val::Tuple(
                all.iter()
                    .map(|items| {
                        items
                            .list
                            .iter()
                            .chain(&items.rest)
                            .cloned()
                            .reduce(|a, b| join(&a, &b))
                            .unwrap_or_else(Val::unknown)
                    })
                    .collect(),
            )
        });
        self.heap().list(Items { list, rest })
    }

    fn integer(&mut self, value: Option<Val>, args: &Args) -> Option<Val> {
        let value = value?;
        match &value {
            Val::Int(_) => Some(value),
            Val::Bool(known) => Some(Val::Int(i64::from(*known))),
            Val::Text(text) => match (text.as_known(), args.get(1).and_then(Val::as_int)) {
                (Some(text), Some(base)) => {
                    let base =
                        u32::try_from(base).ok().filter(|b| (2..=36).contains(b)).unwrap_or(10);
                    let digits = text
                        .trim()
                        .trim_start_matches("0x")
                        .trim_start_matches("0o")
                        .trim_start_matches("0b");
                    i64::from_str_radix(digits, base).ok().map(Val::Int)
                }
                (Some(text), None) => text.trim().parse().ok().map(Val::Int),
                _ => Some(value),
            },
            _ => None,
        }
    }
}

impl<M: Machine> PureCalls for M {}
