//! Calls that start programs or requests, with their options.

use super::ScriptValues;
use super::calls::ScriptCalls;
use super::events::ScriptEvents;
use super::objects::ScriptObjects;
use crate::calls::{Effect, Entry, Role};
use crate::effect::CodeEffect;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::TextMethods;
use aegish_code_library::given::Given;
use aegish_values::{Source, Value};
use easy_ext::ext;

#[ext(ScriptPrograms)]
pub(super) impl Interpreter<'_> {
    /// A call of the table: options are named arguments, and callbacks get the result.
    fn script_effect_call(&mut self, entry: &Entry, args: &Args, path: &str) -> Val {
        let args = &self.with_options(entry, args);
        let given = Given { entry, args };
        let value = match self.script_effect(&given, path) {
            Some(value) => value,
            None => self.effect_value(&given, path),
        };
        if !matches!(
            entry.effect,
            Effect::Timer
                | Effect::Promise
                | Effect::ListFrom
                | Effect::ReflectApply
                | Effect::ReflectConstruct
                | Effect::Identity
                | Effect::Proxy
                | Effect::Merge
                | Effect::Define
                | Effect::SetProperty
                | Effect::GetProperty
                | Effect::NewObject
                | Effect::NewMap
                | Effect::ListOf
                | Effect::NewList
                | Effect::Apply
                | Effect::Partial
                | Effect::Print
                | Effect::Same
                | Effect::Nothing
        ) {
            self.run_script_callbacks(entry, args, path, &value);
        }
        match value {
            Val::Path(path) => Val::Text(path),
            other => other,
        }
    }

    /// The options of a call become named arguments.
    fn with_options(&mut self, entry: &Entry, args: &Args) -> Args {
        let Some(last) = entry.parameters.iter().position(|(_, role)| *role == Some(Role::Options))
        else {
            return args.clone();
        };
        let mut named = args.named.clone();
        let mut list = Vec::new();
        for (place, value) in args.list.iter().enumerate() {
            let objects: Vec<Val> = value
                .alternatives()
                .iter()
                .filter(|value| matches!(value, Val::Dict(_)))
                .cloned()
                .collect();
            if place > last || objects.is_empty() {
                list.push(value.clone());
                continue;
            }
            for object in objects {
                for pair in self.entries_of(&object).list {
                    if let Val::Tuple(pair) = &pair
                        && let [key, value] = &**pair
                        && let Some(name) = key.as_known()
                    {
                        named.push((name.into(), value.clone()));
                    }
                }
            }
            // The place stays, so that the arguments behind keep theirs.
            if place == last || place == 0 {
                list.push(Val::None);
            }
        }
        Args { list, named, rest: args.rest.clone() }
    }

    /// Starts a program: its name, its arguments, or both as one text for a shell.
    fn spawn(&mut self, given: &Given<'_>) -> Val {
        let Some(program) = given.get(Role::Program).cloned() else { return Val::unknown() };
        let shell = given.get(Role::Shell).map_or(Some(false), |shell| self.truth(shell));
        let arguments = match given.get(Role::Arguments) {
            Some(list @ (Val::List(_) | Val::Tuple(_) | Val::OneOf(_))) => {
                let list = list.clone();
                self.iterate(&list)
            }
            _ => crate::heap::Items::default(),
        };
        let input = given.get(Role::Input).cloned();
        let started = self.each(&program, |this, program| {
            let name = match program {
                // A list is the program with its arguments.
                Val::List(_) | Val::Tuple(_) => return this.start_list(program, None),
                other => this.script_text(other),
            };
            let mut words = vec![name];
            for item in arguments.list.iter().chain(&arguments.rest) {
                words.push(this.script_text(item));
            }
            if shell == Some(false) {
                return this.start(words);
            }
            let mut text = Value::empty();
            for (place, word) in words.iter().enumerate() {
                if place > 0 {
                    text.push_str(" ");
                }
                text.append(word);
            }
            if shell.is_none() {
                this.start(words);
            }
            this.start_shell(&text)
        });
        if let (Some(input), Val::Process(crate::value::Interprets::Input)) = (input, &started) {
            self.write_to(&started, &[input]);
        }
        started
    }

    /// `new Worker(file, { eval })`, `fork(file)`.
    fn worker(&mut self, given: &Given<'_>) -> Val {
        let evaluates = given.get(Role::Shell).map_or(Some(false), |value| self.truth(value));
        if let Some(code) = given.get(Role::Path).cloned() {
            if evaluates != Some(false) {
                self.evaluate(&code, None);
            }
            if evaluates != Some(true) {
                let path = self.script_text(&code);
                self.run_script(&path);
            }
        }
        Val::Process(crate::value::Interprets::Nothing)
    }

    /// A request whose URL is given in parts.
    fn request(&mut self, given: &Given<'_>, scheme: &str) -> Option<Val> {
        let option = |names: &[&str]| names.iter().find_map(|name| given.args.named(name).cloned());
        let host = option(&["hostname", "host"])?;
        let mut url = Value::known(scheme);
        url.append(&self.script_text(&host));
        if let Some(port) = option(&["port"]) {
            url.push_str(":");
            url.append(&self.script_text(&port));
        }
        if let Some(path) = option(&["path"]) {
            url.append(&self.script_text(&path));
        }
        let verb = given.get(Role::Method).and_then(Val::as_known).unwrap_or_default();
        if matches!(verb.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH") {
            self.record(CodeEffect::Send { to: url.clone(), file: None });
            return Some(Val::from_source("received", Source::Network(url.to_string())));
        }
        Some(self.fetch(url, None))
    }

    /// A text whose words are a program and its arguments.
    fn run_words(&mut self, given: &Given<'_>) -> Val {
        match given.get(Role::Command).cloned() {
            Some(list @ (Val::List(_) | Val::Tuple(_))) => self.start_list(&list, None),
            Some(command) => {
                let text = self.script_text(&command);
                match text.as_known() {
                    Some(known) => self.start(known.split_whitespace().map(Value::known).collect()),
                    None => self.start(vec![text]),
                }
            }
            None => Val::unknown(),
        }
    }

    /// Follows a call in the directory that its options name.
    fn in_directory(
        &mut self,
        given: &Given<'_>,
        follow: impl FnOnce(&mut Self, &Given<'_>) -> Val,
    ) -> Val {
        self.attach_streams(given);
        let outer = given
            .get(Role::Directory)
            .filter(|directory| **directory != Val::None)
            .map(Val::to_text)
            .filter(|directory| !crate::operand::is_unnamed(directory))
            .map(|directory| {
                let old = self.working_directory();
                self.change_directory(&directory);
                old
            });
        let value = follow(self, given);
        if let Some(old) = outer {
            self.set_directory(old);
        }
        value
    }

    /// Runs a shell command in the directory that the options name.
    fn script_shell(&mut self, given: &Given<'_>) -> Val {
        self.in_directory(given, |this, given| match given.get(Role::Command).cloned() {
            Some(command) => this.each(&command, |this, command| {
                let text = match command {
                    Val::List(_) | Val::Tuple(_) => {
                        this.join_text(&Value::known(" "), command).to_text()
                    }
                    Val::Connection => this.received().to_text(),
                    other => this.script_text(other),
                };
                this.start_shell(&text)
            }),
            None => Val::unknown(),
        })
    }

    /// A tagged template as one text.
    fn template_text(&mut self, args: &Args) -> Value {
        let texts = match args.get(0) {
            Some(list @ (Val::List(_) | Val::Tuple(_))) => self.iterate(list).list,
            Some(other) => return self.script_text(&other.clone()),
            None => return Value::empty(),
        };
        let mut text = Value::empty();
        for (place, part) in texts.iter().enumerate() {
            let part = self.script_text(part);
            text.append(&part);
            if place + 1 < texts.len() {
                match args.list.get(place + 1) {
                    Some(list @ (Val::List(_) | Val::Tuple(_))) => {
                        let joined = self.join_text(&Value::known(" "), list).to_text();
                        text.append(&joined);
                    }
                    Some(value) => {
                        let value = self.script_text(value);
                        text.append(&value);
                    }
                    None => text.push(aegish_values::Piece::Unknown("computed")),
                }
            }
        }
        text
    }
}
