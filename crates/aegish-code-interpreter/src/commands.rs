//! Commands that are given as one text or as several words.

use super::Interpreter;
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
