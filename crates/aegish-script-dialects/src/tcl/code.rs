//! Words that are code, and commands whose name is a value.

use super::expressions::TclExpressions;
use super::variables::TclVariables;
use super::{NUMBER, TclNames, TclState};
use crate::effect::CodeEffect;
use crate::heap::{Binding, Items};
use crate::limits::MAX_EVALS;
use crate::scope::Scope;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_parsers::tcl::{EXPRESSION, define_command, lists, split_name};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};
use easy_ext::ext;
use std::rc::Rc;

#[ext(TclCode)]
pub(super) impl Interpreter<'_> {
    /// A command by its name: one of the program, or one of the language.
    fn tcl_named(&mut self, name: &str) -> Val {
        let plain = name.trim_start_matches(':');
        let program = self.scope.program();
        let space = self.tcl_namespace();
        let mut names = Vec::new();
        if plain.len() == name.len() {
            // A name is sought in the namespace and in those around it.
            let mut space = &*space;
            while !space.is_empty() {
                names.push(format!("{space}::{plain}"));
                space = split_name(space).0;
            }
        }
        names.push(plain.to_owned());
        let mut found: Option<Val> = None;
        for name in names {
            let Some(place) = program.find(&name) else { continue };
            match self.heap.variable(place) {
                Binding::Unbound => {}
                Binding::Bound(value) => {
                    return found.map_or(value.clone(), |found| join(&found, &value));
                }
                Binding::Maybe(value) => {
                    found = Some(found.map_or(value.clone(), |found| join(&found, &value)));
                }
            }
        }
        let library = Val::Library(self.canonical(plain));
        found.map_or(library.clone(), |found| join(&found, &library))
    }

    /// Runs the command that a value names.
    fn tcl_command(&mut self, name: &Val, args: Args) -> Val {
        match name {
            Val::OneOf(_) => self.each(name, |this, one| this.tcl_command(one, args.clone())),
            Val::Library(_) | Val::Function(_) | Val::Partial(_) => self.call(name, args),
            _ => {
                let text = self.tcl_text(name);
                let Some(readings) = text.readings(8) else {
                    self.tcl_hidden(&text);
                    return Val::Text(Value::unknown("computed").tainted(text.taint()));
                };
                if let [only] = readings.as_slice() {
                    let command = self.tcl_named(only);
                    return self.call(&command, args);
                }
                let mut result: Option<Val> = None;
                for reading in readings {
                    let command = self.tcl_named(&reading);
                    let one = self.maybe(|this| this.call(&command, args.clone()));
                    result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
                }
                result.unwrap_or_else(Val::unknown)
            }
        }
    }

    /// Something runs that is not known.
    fn tcl_hidden(&mut self, text: &Value) {
        if text.taint().network().is_some() {
            self.record(CodeEffect::RunReceived);
        } else if !(self.uncalled && text.taint().is_none()) {
            self.record(CodeEffect::Hidden);
        }
    }

    /// Runs a command that is a list, with further words.
    fn tcl_prefix(&mut self, command: &Val, more: Vec<Val>) -> Val {
        let mut items = self.tcl_items(command);
        if items.rest.is_none() {
            items.list.extend(more);
        } else {
            more.into_iter().for_each(|value| crate::heap::push_item(&mut items, value));
        }
        self.tcl_run_items(items)
    }

    fn tcl_run_items(&mut self, items: Items) -> Val {
        let mut list = items.list.into_iter();
        match list.next() {
            Some(name) => {
                let args = Args { list: list.collect(), named: Vec::new(), rest: items.rest };
                self.tcl_command(&name, args)
            }
            None => match items.rest {
                Some(rest) => {
                    let text = self.tcl_text(&rest);
                    self.tcl_hidden(&text);
                    Val::Text(Value::unknown("computed").tainted(text.taint()))
                }
                None => Val::None,
            },
        }
    }

    /// `eval`: the words are joined into one script.
    fn tcl_eval(&mut self, words: &[Val]) -> Val {
        if let [only] = words {
            return self.tcl_script(only);
        }
        let texts: Vec<Value> = words.iter().map(|word| self.tcl_text(word)).collect();
        let known: Option<Vec<&str>> = texts.iter().map(Value::as_known).collect();
        if let Some(known) = known {
            let parts: Vec<&str> = known.iter().map(|text| text.trim()).collect();
            return self.tcl_evaluate(&parts.join(" "));
        }
        // Lists, and words without substitutions, are the words of one command.
        let plain = words.iter().zip(&texts).all(|(word, text)| {
            let is_list = matches!(word, Val::Tuple(_) | Val::List(_));
            is_list
                || text
                    .as_known()
                    .is_some_and(|text| !text.contains(['$', '[', ';', '\n', '"', '\\']))
                || matches!(
                    word,
                    Val::File(_) | Val::Connection | Val::Process(_) | Val::Library(_)
                )
        });
        if plain {
            let mut all = Items::default();
            for word in words {
                let items = self.tcl_items(word);
                crate::heap::extend(&mut all, items);
            }
            return self.tcl_run_items(all);
        }
        let mut script = Value::empty();
        for (place, text) in texts.iter().enumerate() {
            if place > 0 {
                script.push_str(" ");
            }
            script.append(text);
        }
        self.tcl_script(&Val::Text(script))
    }

    /// Runs a value as a script.
    fn tcl_script(&mut self, code: &Val) -> Val {
        match code {
            Val::OneOf(_) => return self.each(code, |this, one| this.tcl_script(one)),
            Val::Tuple(_) | Val::List(_) => {
                let items = self.tcl_items(code);
                return self.tcl_run_items(items);
            }
            Val::Connection => {
                self.record(CodeEffect::RunReceived);
                return self.received();
            }
            Val::None => return Val::None,
            _ => {}
        }
        let text = self.tcl_text(code);
        let Some(readings) = text.readings(8) else {
            let received = text.taint().network().is_some();
            if received {
                self.record(CodeEffect::RunReceived);
            } else if !(self.uncalled && text.taint().is_none()) {
                self.run_text(Lang::Tcl, &text);
            }
            return Val::Text(Value::unknown("computed").tainted(text.taint()));
        };
        if let [only] = readings.as_slice() {
            return self.tcl_evaluate(only);
        }
        let mut result: Option<Val> = None;
        for reading in readings {
            let one = self.maybe(|this| this.tcl_evaluate(&reading));
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        result.unwrap_or(Val::None)
    }

    /// Runs a known text as a script.
    fn tcl_evaluate(&mut self, code: &str) -> Val {
        if self.evals >= MAX_EVALS {
            self.open = true;
            return Val::unknown();
        }
        self.burn(code.len() / 64);
        self.lowering.commands.namespace = self.tcl_namespace().to_string();
        let program = self.lower(code);
        self.open |= program.cut;
        // Code of a namespace is a part of the program.
        if self.evals == 0 && self.frames.is_empty() && self.loops.is_empty() {
            self.fuel += 30 * program.size;
        }
        self.evals += 1;
        let value = self.value_of_block(&program.body);
        self.evals -= 1;
        value
    }

    /// Runs code that may run at some time, any number of times.
    fn tcl_later(&mut self, code: &Val) {
        self.maybe(|this| this.tcl_script(code));
    }

    /// Runs code in another scope.
    fn tcl_in_scope(&mut self, scope: Rc<Scope>, words: &[Val]) -> Val {
        let outer = std::mem::replace(&mut self.scope, scope);
        let value = self.tcl_eval(words);
        self.scope = outer;
        value
    }

    /// Runs code in a namespace.
    fn tcl_in_namespace(&mut self, space: &str, words: &[Val]) -> Val {
        let space = space.trim_matches(':');
        let here = self.tcl_namespace();
        let full: Rc<str> = match (space.is_empty(), here.is_empty()) {
            (true, _) => Rc::default(),
            (false, true) => space.into(),
            (false, false) => format!("{here}::{space}").into(),
        };
        self.state.with(|tcl: &mut TclState| tcl.inside.push((self.frames.len(), full)));
        let program = self.scope.program();
        let value = self.tcl_in_scope(program, words);
        self.state.with(|tcl: &mut TclState| tcl.inside.pop());
        value
    }

    /// `expr` with words that are values: their text is an expression.
    fn tcl_expression(&mut self, words: &[Val]) -> Val {
        let mut code = Value::empty();
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                code.push_str(" ");
            }
            if matches!(word, Val::Connection) {
                self.record(CodeEffect::RunReceived);
                return Val::unknown();
            }
            let text = self.tcl_text(word);
            code.append(&text);
        }
        if let Some(readings) = code.readings(8) {
            let several = readings.len() > 1;
            let mut result: Option<Val> = None;
            for reading in readings {
                let code = format!("{EXPRESSION}{reading}");
                let one = if several {
                    self.maybe(|this| this.tcl_evaluate(&code))
                } else {
                    self.tcl_evaluate(&code)
                };
                result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
            }
            let result = result.unwrap_or_else(Val::unknown);
            return self.tcl_result(&result);
        }
        // Numbers that are not known are substituted as variables without a value.
        let numbers = code.taint().is_none()
            && code
                .pieces()
                .iter()
                .all(|piece| matches!(piece, Piece::Text(_) | Piece::Unknown(NUMBER)));
        if numbers {
            let mut text = EXPRESSION.to_owned();
            for piece in code.pieces() {
                text.push_str(match piece {
                    Piece::Text(text) => text,
                    _ => "[<number>]",
                });
            }
            return self.tcl_evaluate(&text);
        }
        if code.known_prefix().trim().is_empty() || code.taint().network().is_some() {
            self.tcl_hidden(&code);
        } else if !(self.uncalled && code.taint().is_none()) {
            self.record(CodeEffect::Hidden);
        }
        Val::unknown()
    }

    /// A command whose words are part of the syntax of the language, with words that are values: they are read again.
    fn tcl_reread(&mut self, name: &str, words: &[Val]) -> Val {
        let mut code = name.to_owned();
        for (place, word) in words.iter().enumerate() {
            code.push(' ');
            let text = self.tcl_text(word);
            match text.as_known() {
                Some(known) => code.push_str(&lists::quoted(known, false)),
                None => {
                    let variable = format!("<word {} {place}>", self.evals);
                    self.tcl_put(&variable, word.clone());
                    code.push_str(&format!("${{{variable}}}"));
                }
            }
        }
        if self.state.with(|tcl: &mut TclState| tcl.reread.as_deref() == Some(&*code)) {
            // Its words are not those that it takes: an error.
            return Val::unknown();
        }
        let outer = self.state.with(|tcl: &mut TclState| tcl.reread.replace(code.clone()));
        let value = self.tcl_evaluate(&code);
        self.state.with(|tcl: &mut TclState| tcl.reread = outer);
        value
    }

    /// Defines a procedure.
    fn tcl_proc(&mut self, name: &Val, function: &Val) -> Val {
        let Some(names) = self.tcl_text(name).readings(8) else {
            // Any command may be defined anew.
            self.open |= !self.uncalled;
            return Val::None;
        };
        for name in names {
            let full = self.tcl_full_name(&name);
            let (space, plain) = split_name(&full);
            let defines = define_command(&mut self.lowering.commands, space, plain);
            self.open |= !defines;
            let value = match function {
                Val::Function(closure) => {
                    self.state.with(|tcl: &mut TclState| {
                        tcl.namespaces.insert(closure.code.id, space.into())
                    });
                    let closure = crate::value::Closure {
                        code: Rc::clone(&closure.code),
                        scope: self.scope.program(),
                        defaults: closure.defaults.clone(),
                        class: std::cell::RefCell::default(),
                    };
                    Val::Function(Rc::new(closure))
                }
                other => other.clone(),
            };
            let program = self.scope.program();
            self.bind_in(&program, &full.into(), value);
        }
        Val::None
    }

    /// The name of a command with its namespace, without colons in front.
    fn tcl_full_name(&self, name: &str) -> String {
        let space = self.tcl_namespace();
        match name.strip_prefix("::") {
            Some(plain) => plain.trim_start_matches(':').to_owned(),
            None if space.is_empty() => name.to_owned(),
            None => format!("{space}::{name}"),
        }
    }

    /// `rename`, and names of commands that another interpreter gets.
    fn tcl_rename(&mut self, old: &Val, new: &Val) -> Val {
        let (old, new) = (self.tcl_text(old), self.tcl_text(new));
        let (Some(old), Some(new)) = (old.as_known(), new.as_known()) else {
            self.open |= !self.uncalled;
            return Val::None;
        };
        let value = self.tcl_named(old);
        let (old, new) = (self.tcl_full_name(old), self.tcl_full_name(new));
        let program = self.scope.program();
        if !new.is_empty() {
            let (space, plain) = split_name(&new);
            self.open |= !define_command(&mut self.lowering.commands, space, plain);
            self.bind_in(&program, &new.into(), value);
        }
        self.bind_in(&program, &old.into(), Val::None);
        Val::None
    }

    /// A function that runs unknown code.
    fn tcl_unknown_code() -> Val {
        Val::Unknown(aegish_values::Taint::none(), Forgotten::Callable)
    }
}
