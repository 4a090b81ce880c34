//! Words of a command → the parameters that they stand for.

use super::blocks::PowerShellBlocks;
use super::items::PowerShellItems;
use crate::calls::{Entry, Role};
use crate::value::{Args, Closure, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_values::Value;
use easy_ext::ext;

/// Parameters that every command has and that take a value.
const COMMON: &[&str] = &[
    "erroraction",
    "warningaction",
    "informationaction",
    "progressaction",
    "errorvariable",
    "warningvariable",
    "informationvariable",
    "outvariable",
    "outbuffer",
    "pipelinevariable",
    "ea",
    "wa",
    "infa",
    "ev",
    "wv",
    "iv",
    "ov",
    "ob",
    "pv",
];

/// Parameters that every command has and that take none.
const COMMON_SWITCHES: &[&str] = &["verbose", "debug", "whatif", "confirm", "vb", "db", "wi", "cf"];

/// Other names of parameters.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("args", "argumentlist"),
    ("cn", "computername"),
    ("first", "totalcount"),
    ("head", "totalcount"),
    ("last", "tail"),
    ("lp", "literalpath"),
    ("pspath", "literalpath"),
    ("s", "recurse"),
    ("type", "itemtype"),
];

/// The words of a command as its parameters take them.
#[derive(Debug, Default)]
pub(super) struct Bound {
    pub(super) args: Args,
    /// Nothing is done.
    pub(super) simulated: bool,
    /// The variable that gets the output.
    pub(super) output: Option<String>,
}

/// The name of a parameter in the table: `*` for one that is only given by name, `-` for a switch, `<` behind it for one
/// that takes objects of the pipeline.
fn plain(name: &str) -> &str {
    name.trim_start_matches('*').trim_start_matches('-').trim_end_matches('<')
}

fn is_switch(name: &str) -> bool {
    name.trim_start_matches('*').starts_with('-')
}

/// The parameter that a word names; by its start if only one has it.
fn found<'a>(names: &(impl Iterator<Item = &'a str> + Clone), word: &str) -> Option<&'a str> {
    let exact = names.clone().find(|name| plain(name).eq_ignore_ascii_case(word));
    exact.or_else(|| {
        let starts = |name: &&str| {
            plain(name).get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        names.clone().find(starts)
    })
}

/// The name in a word that is a parameter, and whether its value follows.
pub(super) fn parameter(word: &Val) -> Option<(&str, bool)> {
    let Val::Library(path) = word else { return None };
    let name = path.strip_prefix('-')?;
    Some(match name.strip_suffix(':') {
        Some(name) => (name, true),
        None => (name, false),
    })
}

#[ext(PowerShellBinding)]
pub(super) impl Interpreter<'_> {
    /// The words of a command of the table as its arguments.
    fn bound_command(&mut self, entry: &Entry, words: &[Val], input: Option<&Val>) -> Bound {
        let mut all = Bound::default();
        let mut free: Vec<Val> = Vec::new();
        let names = entry.parameters.iter().map(|(name, _)| *name);
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            let Some((name, colon)) = parameter(word) else {
                free.push(word.clone());
                continue;
            };
            let value = |rest: &mut std::iter::Peekable<std::slice::Iter<'_, Val>>| {
                if colon || rest.peek().is_some_and(|next| parameter(next).is_none()) {
                    rest.next().cloned()
                } else {
                    None
                }
            };
            let name = name.to_ascii_lowercase();
            let common = COMMON.contains(&name.as_str());
            let known = found(&names, &name).or_else(|| {
                let (_, other) = OTHER_NAMES.iter().find(|(other, _)| *other == name)?;
                found(&names, other)
            });
            match known.filter(|_| !common) {
                Some(known) if is_switch(known) => {
                    let on = if colon { rest.next().cloned() } else { None };
                    let key = known.trim_start_matches('*');
                    all.args.named.push((key.into(), on.unwrap_or(Val::Bool(true))));
                }
                Some(known) => {
                    let value = value(&mut rest).unwrap_or(Val::Bool(true));
                    self.add_argument(entry, &mut all.args, known, value);
                }
                None if COMMON_SWITCHES.iter().any(|known| known.starts_with(&name)) => {
                    let on = if colon { rest.next().cloned() } else { None };
                    let on = on.is_none_or(|on| self.truth(&on) == Some(true));
                    all.simulated |= on && matches!(name.as_str(), "whatif" | "wi");
                }
                None => {
                    let value = value(&mut rest);
                    if matches!(name.as_str(), "outvariable" | "ov" | "pipelinevariable" | "pv") {
                        all.output = value.and_then(|value| value.as_known());
                    }
                }
            }
        }
        let mut free = free.into_iter();
        for (name, _) in &entry.parameters {
            if name.starts_with('*') || all.args.named(name).is_some() {
                continue;
            }
            let Some(value) = free.next() else { break };
            self.add_argument(entry, &mut all.args, name, value);
        }
        all.args.list.extend(free);
        if let Some(input) = input {
            let takes = entry.parameters.iter().map(|(name, _)| *name).find(|name| {
                name.ends_with('<') && all.args.named(name.trim_start_matches('*')).is_none()
            });
            if let Some(name) = takes {
                self.add_argument(entry, &mut all.args, name, input.clone());
            }
        }
        all
    }

    fn add_argument(&mut self, entry: &Entry, args: &mut Args, name: &str, value: Val) {
        let role = entry.parameters.iter().find(|(known, _)| *known == name).and_then(|p| p.1);
        let value = match (role, value) {
            (Some(Role::Content | Role::Body), value @ (Val::List(_) | Val::Tuple(_))) => {
                Val::Text(self.content_lines(&value))
            }
            (Some(Role::Content), value @ (Val::Function(_) | Val::Partial(_))) => value,
            (Some(Role::Content), value) => Val::Text(self.powershell_text(&value)),
            // Nothing is given.
            (Some(_), Val::None) => return,
            (
                Some(Role::Path | Role::From | Role::To | Role::Url | Role::Directory),
                value @ (Val::Dict(_) | Val::OneOf(_)),
            ) => Val::Text(self.path_of_object(&value)),
            (_, value) => value,
        };
        args.named.push((name.trim_start_matches('*').into(), value));
    }

    /// The words of a call of a function of the program, in the order of its parameters.
    fn bound_words(&mut self, closure: &Closure, words: &[Val]) -> Args {
        let parameters = &closure.code.positional;
        let names = parameters.iter().map(|parameter| parameter.name.trim_start_matches('$'));
        let mut values: Vec<Option<Val>> = vec![None; parameters.len()];
        let mut free: Vec<Val> = Vec::new();
        let mut args = Args::default();
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            if let Val::Tuple(parts) = word
                && let [Val::Library(mark), value] = &**parts
                && &**mark == "<splat>"
            {
                args.rest = Some(value.forget());
                continue;
            }
            let Some((name, colon)) = parameter(word) else {
                free.push(word.clone());
                continue;
            };
            let lower = name.to_lowercase();
            let place = names
                .clone()
                .position(|known| known == lower)
                .or_else(|| names.clone().position(|known| known.starts_with(&lower)));
            match place {
                Some(place) => {
                    let switch = parameters.get(place).is_some_and(|p| p.default.is_some());
                    let value =
                        if switch && !colon { Some(Val::Bool(true)) } else { rest.next().cloned() };
                    if let Some(slot) = values.get_mut(place) {
                        *slot = value;
                    }
                }
                None if COMMON.contains(&lower.as_str()) => {
                    rest.next();
                }
                None if COMMON_SWITCHES.contains(&lower.as_str()) => {}
                // Without such a parameter, it is an argument like others.
                None => free.push(Val::Text(Value::known(format!("-{name}")))),
            }
        }
        let mut free = free.into_iter();
        for (parameter, value) in parameters.iter().zip(values) {
            let switch = parameter.default.is_some();
            let value = match value {
                Some(value) => value,
                None if switch => Val::Bool(false),
                None => match (free.next(), &args.rest) {
                    (Some(value), _) => value,
                    (None, Some(rest)) => join(rest, &Val::None),
                    (None, None) => Val::None,
                },
            };
            args.list.push(value);
        }
        args.list.extend(free);
        args
    }
}

/// The argument of a parameter.
pub(super) fn given<'a>(args: &'a Args, name: &str) -> Option<&'a Val> {
    args.named.iter().find(|(known, _)| plain(known).eq_ignore_ascii_case(name)).map(|(_, v)| v)
}
