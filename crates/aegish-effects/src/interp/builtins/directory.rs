//! Builtins that change the working directory: `cd`, `pushd`, `popd`, `dirs`.

use crate::interp::{CommandResult, Interp};
use aegish_expansion::Field;
use aegish_shell_state::{Subscript, Switch, VariableContent};
use aegish_syntax::Span;
use aegish_values::{Value, join_all, join_values};
use std::collections::BTreeMap;

impl Interp<'_> {
    pub(super) fn builtin_cd(&mut self, words: &[Field], _span: Span) -> CommandResult {
        let target = match operand(words) {
            None => self.home(),
            Some(value) if value.as_known() == Some("-") => self.previous_directory(),
            Some(value) => match value.as_known().filter(|_| self.is_on(Switch::CdableVars)) {
                Some(name) => self.lookup_scalar(name).unwrap_or_else(|| self.on_cdpath(value)),
                None => self.on_cdpath(value),
            },
        };
        let given = |word: &Field| word.value.as_known() == Some("-P");
        let physical = self.is_on(Switch::Physical) || words.iter().any(given);
        let target = match target.as_known().filter(|_| !self.state.links.is_empty()) {
            Some(path) if physical => Value::known(self.resolved(path)).tainted(target.taint()),
            Some(path) => Value::known(self.as_written(path)).tainted(target.taint()),
            None => target,
        };
        self.go_to(&target);
        CommandResult::default()
    }

    pub(super) fn builtin_pushd(&mut self, words: &[Field], span: Span) -> CommandResult {
        // Every state of the shell holds the stack.
        if !self.spend(self.state.directories.len(), span) {
            return CommandResult::default();
        }
        let here = self.state.cwd.clone();
        if words.iter().any(|word| is_rotation(&word.value)) {
            let any = join_values(&self.any_of_stack(), &here);
            self.state.directories.iter_mut().for_each(|directory| *directory = any.clone());
            self.go_to(&any);
            return CommandResult::default();
        }
        match operand(words) {
            // `pushd -n` stays where it is, and keeps the name as it is written.
            Some(value) if words.iter().any(|word| word.value.as_known() == Some("-n")) => {
                self.state.directories.push(value.clone());
                self.state.stack_named = true;
                self.note_stack();
            }
            Some(value) if value.as_known() == Some("") => return CommandResult::status(false),
            Some(value) => {
                let target = value.clone();
                self.state.directories.push(here);
                self.go_to(&target);
            }
            // Exchanges the two topmost entries.
            None => {
                let target = self.state.directories.pop();
                self.state.directories.push(here);
                self.go_to(&target.unwrap_or_else(|| Value::unknown("directory of the stack")));
            }
        }
        CommandResult::default()
    }

    pub(super) fn builtin_popd(&mut self, words: &[Field], _span: Span) -> CommandResult {
        let plain = operand(words).is_none() && words.is_empty();
        let here = self.state.cwd.clone();
        match self.state.directories.pop() {
            // The shell was there.
            Some(target) if plain && !self.state.stack_named => {
                self.state.cwd = target;
                self.note_move(here);
            }
            target => {
                // Without a stack it stays.
                let stays = target.is_none();
                let target = match target {
                    Some(target) if plain => target,
                    Some(target) => join_values(&target, &self.any_of_stack()),
                    None => Value::unknown("directory of the stack"),
                };
                self.go_to(&target);
                if stays {
                    self.state.cwd = join_values(&self.state.cwd, &here);
                }
            }
        }
        CommandResult::default()
    }

    pub(super) fn builtin_dirs(&mut self, words: &[Field], _span: Span) -> CommandResult {
        if words.iter().any(|word| word.value.as_known() == Some("-c")) {
            self.state.directories.clear();
            return CommandResult::default();
        }
        CommandResult::output(self.printed_stack())
    }

    /// Changes the working directory, `PWD` and `OLDPWD`.
    fn go_to(&mut self, target: &Value) {
        let before = self.state.cwd.clone();
        self.change_directory(target);
        self.note_move(before);
    }

    /// Sets `PWD` and `OLDPWD` after a change of the working directory.
    fn note_move(&mut self, before: Value) {
        let after = self.state.cwd.clone();
        let places = after.own_texts();
        let stays =
            places.len() > 1 && before.own_texts().iter().any(|place| places.contains(place));
        let left = match stays {
            // If it fails, the variable keeps its value.
            true => join_values(&before, &self.lookup_scalar("OLDPWD").unwrap_or_default()),
            false => before,
        };
        self.assign("OLDPWD", left);
        self.assign("PWD", after);
        self.note_stack();
    }

    /// What `dirs`, `pushd` and `popd` print: the working directory and the stack.
    fn printed_stack(&self) -> Value {
        let mut printed = self.state.cwd.clone();
        if self.state.directories.is_empty() {
            printed.push_str("\n");
            return printed;
        }
        Value::one_of_many_values().tainted(printed.taint())
    }

    /// Sets `DIRSTACK`: the working directory, and the stack from its top on.
    fn note_stack(&mut self) {
        let stack = std::iter::once(&self.state.cwd).chain(self.state.directories.iter().rev());
        let items: BTreeMap<i64, Value> = (0..).zip(stack.cloned()).collect();
        self.assign_array("DIRSTACK", VariableContent::Indexed(items.into()));
    }

    /// One of the directories of the stack.
    fn any_of_stack(&self) -> Value {
        let all = join_all(self.state.directories.iter());
        all.unwrap_or_else(|| Value::unknown("directory of the stack"))
    }

    /// `DIRSTACK[1]=…`: an entry gets another name, and stays where it is.
    pub(crate) fn name_directory(&mut self, entry: &Subscript, name: &Value) {
        self.state.stack_named = true;
        let count = self.state.directories.len();
        let from_top = match entry {
            Subscript::At(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        for (at, directory) in self.state.directories.iter_mut().enumerate() {
            if from_top.is_none_or(|number| at + number == count) {
                *directory = match from_top {
                    Some(_) => name.clone(),
                    None => join_values(directory, name),
                };
            }
        }
    }

    /// `~1`, `~+1`, `~-1`: an entry of the stack of `pushd`, from either end.
    pub(crate) fn stacked_directory(&self, entry: &str) -> Option<Value> {
        let number: usize = entry.trim_start_matches(['+', '-']).parse().ok()?;
        let count = self.state.directories.len();
        let at = if entry.starts_with('-') { number } else { count.checked_sub(number)? };
        match self.state.directories.get(at) {
            None if at == count => Some(self.state.cwd.clone()),
            directory => directory.cloned(),
        }
    }

    /// `$OLDPWD`
    pub(crate) fn previous_directory(&self) -> Value {
        self.lookup_scalar("OLDPWD").unwrap_or_else(|| Value::unknown("previous directory"))
    }

    /// The directory that a relative name means if `CDPATH` is set: below any of its entries.
    fn on_cdpath(&self, target: &Value) -> Value {
        let text = target.known_prefix();
        let plain = !text.starts_with(['/', '.', '~']);
        let path = self.lookup_scalar("CDPATH").filter(|_| plain);
        let Some(path) = path else { return target.clone() };
        let below = |entry: &str| match entry {
            "" | "." => target.clone(),
            _ => {
                let mut whole = Value::known(entry);
                whole.push_str("/");
                whole.append(target);
                whole
            }
        };
        if path.is_one_of_many_values() {
            return path;
        }
        let paths = path.own_texts();
        let places: Vec<Value> = paths.iter().flat_map(|path| path.split(':').map(below)).collect();
        join_all(places.iter()).unwrap_or_else(|| target.clone())
    }
}

/// The first word that is not an option. A lone dash is an operand.
fn operand(words: &[Field]) -> Option<&Value> {
    let is_option = |text: &str| text.starts_with('-') && text.len() > 1;
    words.iter().map(|word| &word.value).find(|value| !is_option(value.known_prefix()))
}

/// `+2`, `-0`
fn is_rotation(value: &Value) -> bool {
    value
        .as_known()
        .and_then(|text| text.strip_prefix(['+', '-']))
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
