//! Variables: finding their values and setting them.

use crate::interp::{Interp, UNKNOWN_PART};
use aegish_expansion::arith;
use aegish_expansion::operands::Operands;
use aegish_shell_state::{Subscript, Variable, VariableContent};
use aegish_syntax::{Part, Word};
use aegish_values::{Piece, Source, Taint, Value, origin};
use std::collections::BTreeMap;

impl Interp<'_> {
    /// The value of a variable that neither the script nor the context sets.
    pub(crate) fn foreign(&self, name: &str) -> Value {
        let known = match name {
            "SHELL" => Some(Value::known("/bin/bash")),
            "BASH" => Some(Value::one_of(["/bin/bash".to_owned(), "/usr/bin/bash".to_owned()])),
            "BASH_EXECUTION_STRING" => {
                Some(self.frame.text.started_with.as_deref().cloned().unwrap_or_default())
            }
            "BASH_VERSION" => Some(Value::known("5.2.15(1)-release")),
            "IFS" => Some(Value::known(" \t\n")),
            "BASH_SOURCE" => {
                let sourced = self.calls.sourced.last().or(self.state.zero.as_ref());
                Some(sourced.cloned().unwrap_or_default())
            }
            "SHELLOPTS" => Some(Value::one_of_many_values()),
            "PWD" | "DIRSTACK" => Some(self.state.cwd.clone()),
            "HOME" => Some(self.home()),
            "OSTYPE" => Some(Value::known("linux-gnu")),
            "PATH" => {
                let mut value = Value::known("/");
                value.push(Piece::Unknown("search path"));
                Some(value)
            }
            _ => None,
        };
        known.unwrap_or_else(|| {
            let number = INTEGERS.contains(&name) || SET_NUMBERS.contains(&name);
            Value::unknown(if number { origin::NUMBER } else { origin::VARIABLE })
                .tainted(&Taint::from(Source::Environment(name.to_owned())))
        })
    }

    /// A variable's value: `Some(None)` if known to be unset, `None` if nothing is known.
    #[allow(clippy::option_option)]
    pub(crate) fn lookup(&self, name: &str) -> Option<Option<Value>> {
        let mut name = name;
        for _ in 0..8 {
            let Some(variable) = self.state.variables.get(name) else {
                if let Some(names) = self.function_names(name) {
                    return Some(names.scalar());
                }
                let known = self.ctx.variables.get(name).cloned();
                return (known.is_some() || self.is_surely_unset(name)).then_some(known);
            };
            if !variable.reference {
                if variable.perhaps_unset {
                    self.deferred.unset.set(true);
                }
                return Some(variable.content.scalar());
            }
            match &variable.content {
                VariableContent::Scalar(value) => match value.pieces() {
                    [Piece::Text(target)] => name = target,
                    _ => return Some(Some(Value::unknown("name reference"))),
                },
                _ => return Some(None),
            }
        }
        Some(Some(Value::unknown("circular name reference")))
    }

    /// Whether a variable has no value. Bash itself gives some variables a value.
    pub(super) fn is_surely_unset(&self, name: &str) -> bool {
        self.ctx.complete && !is_set_by_bash(name) && name != UNKNOWN_PART
    }

    /// The value of a variable, if it is set and known.
    pub(crate) fn lookup_scalar(&self, name: &str) -> Option<Value> {
        self.lookup(name).flatten()
    }

    pub(crate) fn variable_content(&self, name: &str) -> Option<VariableContent> {
        let name = self.resolve_reference(name);
        let set = self.state.variables.get(&name).map(|variable| variable.content.clone());
        let set = set.or_else(|| self.table_of(&name));
        set.or_else(|| self.function_names(&name)).or_else(|| {
            self.ctx.variables.get(&name).map(|value| VariableContent::Scalar(value.clone()))
        })
    }

    /// `BASH_ALIASES` and `BASH_CMDS`: what the text has put there.
    fn table_of(&self, name: &str) -> Option<VariableContent> {
        let known = |(name, text): (&String, &String)| (name.clone(), Value::known(text.as_str()));
        let items: BTreeMap<String, Value> = match name {
            "BASH_ALIASES" => self.state.aliases.iter().map(known).collect(),
            "BASH_CMDS" => self.state.hashed.iter().map(known).collect(),
            _ => return None,
        };
        (!items.is_empty()).then(|| VariableContent::Keyed(items.into()))
    }

    /// `FUNCNAME`: the functions that are being followed, innermost first.
    fn function_names(&self, name: &str) -> Option<VariableContent> {
        let calls = &self.calls.words;
        if name != "FUNCNAME" || calls.is_empty() {
            return None;
        }
        let names = calls.iter().rev().map(|(name, _)| name.as_str()).chain(["main"]);
        let items: BTreeMap<i64, Value> = (0..).zip(names.map(Value::known)).collect();
        Some(VariableContent::Indexed(items.into()))
    }

    /// Follows `declare -n`.
    pub(crate) fn resolve_reference(&self, name: &str) -> String {
        let mut name = name.to_owned();
        for _ in 0..8 {
            match self.state.variables.get(&name) {
                Some(Variable {
                    reference: true, content: VariableContent::Scalar(value), ..
                }) => match value.as_known() {
                    // Without a target, an assignment gives it one.
                    Some("") | None => return name,
                    Some(target) => name = target.to_owned(),
                },
                _ => return name,
            }
        }
        name
    }

    /// Whether a variable is read-only.
    pub(crate) fn is_readonly(&self, name: &str) -> bool {
        self.state.variables.get(name).is_some_and(|variable| variable.readonly)
    }

    /// The subscript of a name that was computed: Bash expands it.
    pub(crate) fn subscript(text: &str) -> Word {
        let literal = || Word { parts: vec![Part::Literal(text.to_owned())], ..Word::default() };
        aegish_syntax::parse_double_quoted(text).unwrap_or_else(|_| literal())
    }

    /// Sets a scalar variable or an element (`name[index]`), following name references and attributes.
    pub(crate) fn assign(&mut self, name: &str, value: Value) {
        let name = self.resolve_reference(name);
        if let Some((array, index)) = split_element(&name) {
            let index = Self::subscript(index);
            self.assign_element(array, &index, value, false);
            return;
        }
        if self.is_readonly(&name) {
            return;
        }
        self.note_special(&name, &value);
        let value = self.with_attributes(&name, value);
        let exported = self.state.allexport || self.state.to_export.contains(&name);
        let variable = self.state.variables.get_or_insert_with(name, Default::default);
        variable.exported |= exported;
        variable.perhaps_unset = false;
        match &mut variable.content {
            VariableContent::Indexed(_) | VariableContent::Keyed(_) => {
                variable.change(|content| content.put(Subscript::At(0), value.clone(), false));
            }
            content => {
                *content = VariableContent::Scalar(value);
                variable.ways = None;
            }
        }
    }

    /// Variables whose assignment changes something else.
    fn note_special(&mut self, name: &str, value: &Value) {
        match name {
            "BASH_ARGV0" => self.state.zero = Some(value.clone()),
            "POSIXLY_CORRECT" => self.switch_on(&Value::known("posix")),
            "_" => self.state.last_word = Some(value.clone()),
            // What words are, and which programs they name, depends on them. Known directories of which some are taken
            // out come first.
            "IFS" | "PATH" if matches!(value.pieces().first(), Some(Piece::Unknown(_))) => {
                self.check_name(value);
            }
            _ => {}
        }
    }

    /// The value after assignment to a variable declared with `-i`, `-u` or `-l`.
    pub(crate) fn with_attributes(&mut self, name: &str, value: Value) -> Value {
        let variable = self.state.variables.get(name);
        let declared = variable.is_some_and(|variable| variable.integer);
        let case = variable.and_then(|variable| variable.case);
        // Once they were unset they are variables like any other.
        let plain = variable.is_some_and(|variable| match &variable.content {
            VariableContent::Unset => true,
            VariableContent::Scalar(text) => {
                text.as_known().is_some_and(|text| text.parse::<i64>().is_err())
            }
            _ => false,
        });
        let by_bash = INTEGERS.contains(&name) && !plain;
        if declared || by_bash {
            self.evaluate_subscript(&value);
            // What it is later depends on the time, or on chance.
            if by_bash && !matches!(name, "OPTIND" | "HISTCMD") {
                return Value::unknown(origin::NUMBER).tainted(value.taint());
            }
            let Some(text) = value.as_known().map(str::to_owned) else {
                return Value::unknown(origin::NUMBER).tainted(value.taint());
            };
            return arith::evaluate(&text, self)
                .map_or_else(|| Value::unknown(origin::NUMBER), |n| Value::known(n.to_string()));
        }
        let change = |text: &str| match case {
            Some('u') => text.to_uppercase(),
            Some('l') => text.to_lowercase(),
            _ => text.to_owned(),
        };
        if case.is_none() {
            return value;
        }
        let changed = Operands::default().apply(&value, &|text, _, _| Some(change(text)));
        changed.unwrap_or_else(|| value.changed(origin::EXPANSION)).tainted(value.taint())
    }

    /// Sets an array element.
    pub(crate) fn assign_element(&mut self, name: &str, index: &Word, value: Value, append: bool) {
        let name = self.resolve_reference(name);
        if matches!(name.as_str(), "PROMPT_COMMAND" | "BASH_ALIASES" | "BASH_CMDS") {
            let key = self.expand_single(index);
            self.note_element(&name, key.as_known(), &value);
        }
        if self.is_readonly(&name) {
            return;
        }
        let value = self.with_attributes(&name, value);
        let subscript = self.element_at(&name, index);
        if name == "DIRSTACK" {
            self.name_directory(&subscript, &value);
        }
        let variable = self.state.variables.get_or_insert_with(name, Default::default);
        variable.change(|content| content.put(subscript.clone(), value.clone(), append));
    }

    /// The element of an array that a subscript means.
    pub(crate) fn element_at(&mut self, name: &str, index: &Word) -> Subscript {
        if self.is_keyed(name) {
            let key = self.expand_single(index);
            return key.as_known().map_or(Subscript::Any, |key| Subscript::Key(key.to_owned()));
        }
        self.arithmetic(index).map_or(Subscript::Any, Subscript::At)
    }

    /// Whether a name stands for an associative array.
    pub(crate) fn is_keyed(&self, name: &str) -> bool {
        let variable = self.state.variables.get(&self.resolve_reference(name));
        variable.is_some_and(|variable| matches!(variable.content, VariableContent::Keyed(_)))
    }
}

/// Variables to which bash gives a value.
#[rustfmt::skip]
const BY_BASH: [&str; 49] = [
    "BASH", "BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0", "BASH_CMDS", "BASH_COMMAND",
    "BASH_EXECUTION_STRING", "BASH_LINENO", "BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSINFO", "BASH_VERSION", "COLUMNS",
    "COMP_WORDBREAKS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID", "GROUPS", "HISTCMD", "HISTSIZE", "HOME",
    "HOSTNAME", "HOSTTYPE", "IFS", "LINENO", "LINES", "MACHTYPE", "OLDPWD", "OPTERR", "OPTIND", "OSTYPE", "PATH",
    "PIPESTATUS", "PPID", "PS4", "PWD", "RANDOM", "SECONDS", "SHELL", "SHELLOPTS", "SHLVL", "SRANDOM", "TERM", "UID",
    "_",
];

/// Whether a variable that no text sets has a value.
pub(super) fn is_set_by_bash(name: &str) -> bool {
    BY_BASH.contains(&name)
}

/// Variables that bash itself declares as integers, and that a script can set.
const INTEGERS: [&str; 8] =
    ["BASHPID", "EPOCHSECONDS", "HISTCMD", "LINENO", "OPTIND", "RANDOM", "SECONDS", "SRANDOM"];

/// Other variables that bash itself sets to a number.
const SET_NUMBERS: [&str; 4] = ["EUID", "PPID", "SHLVL", "UID"];

/// The parts of `name[index]`.
pub(crate) fn split_element(name: &str) -> Option<(&str, &str)> {
    let (array, rest) = name.split_once('[')?;
    Some((array, rest.strip_suffix(']')?)).filter(|(array, _)| !array.is_empty())
}
