//! Commands that are given as one text or as several words.

use super::Interpreter;
use crate::effect::CodeEffect;
use crate::language::Language;
use crate::value::{Args, Interprets, Val};
use aegish_calls::Role;
use aegish_code_library::given::Given;
use aegish_values::Value;

impl Interpreter<'_> {
    /// Each argument is a command of its own.
    pub(super) fn commands(&mut self, args: &Args) -> Val {
        for command in args.values() {
            match command {
                Val::Dict(_) => {}
                Val::List(_) | Val::Tuple(_) => {
                    self.start_list(command, None);
                }
                other => {
                    self.start_shell(&other.to_text());
                }
            }
        }
        Val::Process(Interprets::Nothing)
    }

    /// Follows a call that starts something with the variables that it gives what it starts.
    pub(super) fn with_environment(
        &mut self,
        given: &Given<'_>,
        start: impl FnOnce(&mut Self) -> Val,
    ) -> Val {
        let variables = self.given_environment(given);
        if variables.is_empty() {
            return start(self);
        }
        self.record(CodeEffect::Environment(variables));
        let value = start(self);
        self.record(CodeEffect::Environment(Vec::new()));
        value
    }

    /// `env=…`, `{env: …}`; in Ruby a map in front of the command.
    fn given_environment(&mut self, given: &Given<'_>) -> Vec<(String, Value)> {
        let key = Val::text("env");
        let option = |value: &Val| match value {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                entries.list.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone())
            }
            _ => None,
        };
        let front = match (given.args.list.first(), self.language) {
            (Some(map @ Val::Dict(_)), Language::Ruby) => Some(map.clone()),
            _ => None,
        };
        let map = given.args.named("env").cloned().or(front);
        let Some(Val::Dict(place)) = map.or_else(|| given.args.list.iter().find_map(option)) else {
            return Vec::new();
        };
        let entries = self.heap.entries(place);
        let text = |(name, value): &(Val, Val)| Some((name.as_known()?, value.to_text()));
        entries.list.iter().filter_map(text).collect()
    }

    /// `system(command)`, `system(program, argument, …)`; maps are the environment and options.
    pub(super) fn system(&mut self, given: &Given<'_>) -> Val {
        self.attach_streams(given);
        let directory = given.args.named("chdir").cloned();
        let outer = directory.map(|directory| {
            let old = self.working_directory();
            self.change_directory(&directory.to_text());
            old
        });
        for (name, file) in &given.args.named {
            if let (true, Val::Text(path) | Val::Path(path)) =
                (self.language == Language::Ruby, file)
            {
                let path = self.resolved(path);
                match &**name {
                    "in" => {
                        self.read_file(&path);
                    }
                    "out" | "err" => {
                        self.write_file(&path, Value::unknown("output"), false);
                    }
                    _ => {}
                }
            }
        }
        let mut words: Vec<Val> = given.args.list.clone();
        words.retain(|word| !matches!(word, Val::Dict(_)));
        // A pair is the program and the name that it sees.
        if let Some(pair @ (Val::List(_) | Val::Tuple(_))) = words.first() {
            let first = self.index(&pair.clone(), &Val::Int(0));
            if let Some(slot) = words.first_mut() {
                *slot = first;
            }
            if words.len() == 1 {
                words.extend(given.args.rest.clone());
                let argv = words.iter().map(Val::to_text).collect();
                return self.start(argv);
            }
        }
        let value = match (words.as_slice(), &given.args.rest) {
            ([], Some(rest)) => {
                let rest = rest.to_text();
                self.start_shell(&rest)
            }
            ([command], None) => {
                let command = command.clone();
                self.each(&command, |this, one| {
                    let text = this.text_of(one);
                    this.start_shell(&text)
                })
            }
            (_, rest) => {
                let mut argv: Vec<Value> = words.iter().map(Val::to_text).collect();
                argv.extend(rest.as_ref().map(Val::to_text));
                self.start(argv)
            }
        };
        if let (Some(input), Val::Process(Interprets::Input)) =
            (given.get(Role::Input).cloned(), &value)
        {
            self.write_to(&value, &[input]);
        }
        if let Some(old) = outer {
            self.set_directory(old);
        }
        value
    }
}
