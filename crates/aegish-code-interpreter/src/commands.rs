//! Commands that are given as one text or as several words.

use super::Interpreter;
use crate::effect::CodeEffect;
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

    /// Variables for the program that starts: a map among the arguments, or one that is called `env`.
    pub(super) fn hand_environment(&mut self, args: &Args) {
        let mut maps: Vec<Val> = args.named("env").cloned().into_iter().collect();
        for value in &args.list {
            let Val::Dict(place) = value else { continue };
            let named = |(name, map): &(Val, Val)| {
                (name.as_known().as_deref() == Some("env")).then(|| map.clone())
            };
            match self.heap.entries(*place).list.iter().find_map(named) {
                Some(map) => maps.push(map),
                None => maps.push(value.clone()),
            }
        }
        if let Some(Val::Text(path)) = args.named("in") {
            let path = path.clone();
            self.read_file(&path);
        }
        for map in maps {
            let Val::Dict(place) = map else { continue };
            let entries = self.heap.entries(place).list.clone();
            for (name, value) in entries {
                // Options of the call have names in small letters.
                if let (Some(name), Val::Text(value)) = (name.as_known(), value)
                    && !name.bytes().all(|byte| byte.is_ascii_lowercase())
                {
                    self.record(CodeEffect::Setenv { name: name.to_string(), value });
                }
            }
        }
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
