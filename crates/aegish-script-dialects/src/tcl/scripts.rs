//! Commands that take code.

use super::assignments::TclAssignments;
use super::code::TclCode;
use super::lists::TclLists;
use super::texts::TclTexts;
use super::variables::TclVariables;
use super::{TclNames, TclState};
use crate::heap::Binding;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::tcl::patterns::matches;
use aegish_code_parsers::tcl::{SUBSTITUTION, split_name};
use aegish_values::Value;
use easy_ext::ext;

#[ext(TclScripts)]
pub(super) impl Interpreter<'_> {
    /// Commands that run code.
    fn tcl_code_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        let first = words.first().cloned();
        let behind = words.get(1..).unwrap_or(&[]);
        Some(match path {
            "eval" => self.tcl_eval(words),
            "expr" => self.tcl_expression(words),
            "subst" => {
                let text = self.tcl_text(words.last()?);
                match text.readings(8).as_deref() {
                    Some([only]) => self.tcl_evaluate(&format!("{SUBSTITUTION}{only}")),
                    _ => {
                        self.tcl_hidden(&text);
                        Val::Text(Value::unknown("computed").tainted(text.taint()))
                    }
                }
            }
            "uplevel" => {
                let level = first.as_ref().and_then(Val::as_known).filter(|text| {
                    let digits = text.trim_start_matches('#');
                    words.len() > 1
                        && !digits.is_empty()
                        && digits.bytes().all(|b| b.is_ascii_digit())
                });
                let scope = self.tcl_level(level.as_deref().unwrap_or("1"));
                let code = if level.is_some() { behind } else { words };
                self.tcl_in_scope(scope, code)
            }
            "namespace eval" | "namespace inscope" => {
                let name = self.tcl_text(first.as_ref()?);
                self.tcl_in_namespace(name.as_known().unwrap_or("?"), behind)
            }
            "apply" => {
                let lambda = self.tcl_items(first.as_ref()?);
                if lambda.rest.is_some() || lambda.list.len() < 2 {
                    let text = self.tcl_text(first.as_ref()?);
                    self.tcl_hidden(&text);
                    return Some(Val::unknown());
                }
                let name = format!("<lambda {}>", self.tcl_text(first.as_ref()?));
                let mut definition = vec![Val::text(&*name)];
                definition.extend(lambda.list.into_iter().take(2));
                self.tcl_define(&definition);
                self.tcl_command(&Val::text(name), Args::of(behind.to_vec()))
            }
            "proc" => self.tcl_define(words),
            "rename" => self.tcl_rename(first.as_ref()?, words.get(1)?),
            "error" | "throw" => {
                let message = if path == "throw" { words.get(1).cloned() } else { first };
                let message = message.unwrap_or(Val::None);
                let thrown = self.thrown.take();
                self.thrown = Some(thrown.map_or(message.clone(), |known| join(&known, &message)));
                Val::unknown()
            }
            "exit" => {
                if first.as_ref().and_then(Val::as_known).as_deref() == Some("-onexit") {
                    self.tcl_later(words.get(1)?);
                }
                Val::unknown()
            }
            "time" | "timerate" | "trap" => {
                self.maybe(|this| this.tcl_script(words.first().unwrap_or(&Val::None)));
                Val::Text(Value::unknown("time"))
            }
            "after" => {
                let how = first.as_ref().and_then(Val::as_known).unwrap_or_default();
                if matches!(how.as_str(), "cancel" | "info") || behind.is_empty() {
                    return Some(Val::unknown());
                }
                self.maybe(|this| this.tcl_eval(behind))
            }
            "fileevent" | "chan event" | "bind" | "signal" | "chan postevent" => {
                if words.len() > 2 {
                    self.tcl_later(words.last()?);
                }
                Val::None
            }
            "wm" if words.len() == 4 => {
                self.tcl_later(words.last()?);
                Val::None
            }
            "trace add" | "trace variable" => {
                let command = words.last()?.clone();
                let unknown = || Val::Text(Value::unknown("argument"));
                let variable = words.get(if path == "trace add" { 1 } else { 0 }).cloned();
                let more = vec![variable.unwrap_or_else(unknown), Val::text(""), unknown()];
                self.maybe(|this| this.tcl_prefix(&command, more));
                Val::None
            }
            "interp eval" | "thread::send" | "send_thread" | "safe::interpEval" => {
                let code: Vec<Val> = behind
                    .iter()
                    .filter(|word| word.as_known().is_none_or(|word| word != "-async"))
                    .cloned()
                    .collect();
                self.tcl_eval(if path == "thread::send" {
                    code.get(..1).unwrap_or(&code)
                } else {
                    &code
                })
            }
            "thread::create" | "package ifneeded" | "tpool::post" => {
                self.tcl_later(words.last()?);
                Val::Library("<object>".into())
            }
            "interp invokehidden" => {
                let options = self.tcl_options(behind, &["-namespace"]);
                let command = behind.get(options)?.clone();
                let more = behind.get(options + 1..).unwrap_or(&[]).to_vec();
                self.tcl_command(&command, Args::of(more))
            }
            "interp alias" => {
                let (name, target) = (words.get(1)?, words.get(3..)?);
                let Some(command) = target.first() else { return Some(Val::None) };
                if command.as_known().as_deref() == Some("") {
                    return Some(Val::None);
                }
                let function = Val::Partial(std::rc::Rc::new(crate::value::Partial {
                    function: Val::Library("<command>".into()),
                    args: Args::of(target.to_vec()),
                }));
                let name = Val::Text(self.tcl_text(name));
                self.tcl_proc(&name, &function)
            }
            // Packages are sought in the directories that the program names.
            "package require" if self.tcl_is_set("::auto_path") => {
                let directories = self.tcl_get("::auto_path");
                let items = self.tcl_items(&directories);
                for directory in items.list.iter().chain(&items.rest) {
                    let directory = self.tcl_text(directory);
                    let index = Value::known("pkgIndex.tcl");
                    let path = aegish_code_library::paths::join_paths(&[directory, index]);
                    self.run_script(&path);
                }
                Val::unknown()
            }
            "tcl::tm::path" | "tcl::tm::add" => {
                let skipped = usize::from(path == "tcl::tm::path");
                let mut added = vec![Val::text("::auto_path")];
                added.extend(words.iter().skip(skipped).cloned());
                self.tcl_lappend(&added)
            }
            "namespace unknown" => {
                let items = self.tcl_items(&first?);
                self.tcl_partial("::unknown", "<command>", items.list)
            }
            "namespace ensemble" => {
                let option = |name: &str| {
                    let at =
                        words.iter().position(|word| super::known(word).as_deref() == Some(name));
                    at.and_then(|at| words.get(at + 1)).cloned()
                };
                let space = format!("::{}", self.tcl_namespace());
                let name = option("-command").as_ref().and_then(super::known);
                let map = option("-map").unwrap_or_else(|| Val::text(""));
                let name = name.unwrap_or_else(|| space.clone());
                self.tcl_partial(&name, "<ensemble>", vec![Val::text(space), map])
            }
            "namespace import" => {
                self.tcl_import(words);
                Val::None
            }
            "coroutine" => {
                let command = behind.first()?.clone();
                let more = behind.get(1..).unwrap_or(&[]).to_vec();
                let value = self.tcl_command(&command, Args::of(more));
                let name = first?;
                self.tcl_proc(&name, &Val::Library("<object>".into()));
                value
            }
            "tailcall" | "yieldto" => {
                let command = first?;
                self.tcl_command(&command, Args::of(behind.to_vec()))
            }
            "dict for" | "dict map" => {
                let command = if path == "dict for" { "foreach" } else { "lmap" };
                self.tcl_reread(command, words)
            }
            "array for" => {
                let list = self.tcl_array_list(words.get(1)?);
                self.tcl_reread("foreach", &[words.first()?.clone(), list, words.get(2)?.clone()])
            }
            "dict with" | "dict update" => {
                let body = words.last()?.clone();
                if path == "dict with" {
                    let dict = self.tcl_get_named(first.as_ref()?);
                    let items = self.tcl_items(&dict);
                    for pair in items.list.chunks(2) {
                        if let [name, value] = pair {
                            self.tcl_put_named(&name.clone(), value.clone());
                        }
                    }
                } else {
                    for pair in words.get(1..words.len() - 1)?.chunks(2) {
                        if let [key, name] = pair {
                            let dict = self.tcl_get_named(first.as_ref()?);
                            let value = self.tcl_dict_get(&dict, key);
                            self.tcl_put_named(&name.clone(), value);
                        }
                    }
                }
                self.maybe(|this| this.tcl_script(&body));
                // The variables may have changed the values of the keys.
                let name = first?;
                let old = self.tcl_get_named(&name);
                let lost = Val::Text(crate::value::part_of(&self.tcl_text(&old)));
                self.tcl_put_named(&name, join(&old, &lost));
                Val::unknown()
            }
            "dict filter" => {
                if words.len() > 3 && words.get(1)?.as_known().as_deref() == Some("script") {
                    self.tcl_reread(
                        "foreach",
                        &[words.get(2)?.clone(), first?, words.get(3)?.clone()],
                    );
                }
                Val::Text(crate::value::part_of(&self.tcl_text(words.first()?)))
            }
            "loop" => {
                let number = Val::Text(Value::unknown(super::NUMBER));
                let list = crate::heap::Items { list: Vec::new(), rest: Some(number) };
                let list = self.heap.list(list);
                self.tcl_reread("foreach", &[first?, list, words.last()?.clone()])
            }
            "for_recursive_glob" => {
                let entry = crate::calls::find(self.language, "recursive_glob")?;
                let list = self.effect_call(&entry, &Args::of(vec![words.get(1)?.clone()]), path);
                self.tcl_reread("foreach", &[first?, list, words.get(3)?.clone()])
            }
            "try_eval" => {
                for code in words {
                    self.tcl_later(code);
                }
                Val::unknown()
            }
            "fileutil::foreachLine" | "for_file" => {
                let entry = crate::calls::find(self.language, "fileutil::cat")?;
                let content =
                    self.effect_call(&entry, &Args::of(vec![words.get(1)?.clone()]), path);
                let list = crate::heap::Items { list: Vec::new(), rest: Some(content) };
                let list = self.heap.list(list);
                self.tcl_reread("foreach", &[first?, list, words.get(2)?.clone()])
            }
            _ => return None,
        })
    }

    /// Defines a command that is another one with words in front.
    fn tcl_partial(&mut self, name: &str, path: &str, list: Vec<Val>) -> Val {
        let function = Val::Partial(std::rc::Rc::new(crate::value::Partial {
            function: Val::Library(path.into()),
            args: Args::of(list),
        }));
        self.tcl_proc(&Val::text(name), &function)
    }

    /// A subcommand of a command that the program makes of a namespace.
    fn tcl_own_ensemble(&mut self, words: &[Val]) -> Val {
        let [space, map, name, rest @ ..] = words else { return Val::unknown() };
        if super::known(map).as_deref() != Some("") {
            let target = self.tcl_dict_get(map, name);
            return self.tcl_prefix(&target, rest.to_vec());
        }
        let mut full = self.tcl_text(space);
        full.push_str("::");
        let name = self.tcl_text(name);
        full.append(&name);
        self.tcl_command(&Val::Text(full), Args::of(rest.to_vec()))
    }

    /// `proc` with words that are values.
    fn tcl_define(&mut self, words: &[Val]) -> Val {
        let [name, parameters, body] = words else { return Val::unknown() };
        let known =
            |this: &mut Self, value: &Val| this.tcl_text(value).as_known().map(str::to_owned);
        match (known(self, name), known(self, parameters), known(self, body)) {
            (Some(_), Some(_), Some(_)) => self.tcl_reread("proc", words),
            (_, _, _) => self.tcl_proc(&name.clone(), &Self::tcl_unknown_code()),
        }
    }

    /// `namespace import ns::*`: names of commands without their namespace.
    fn tcl_import(&mut self, words: &[Val]) {
        let program = self.scope.program();
        for word in words {
            let Some(pattern) = self.tcl_text(word).as_known().map(str::to_owned) else {
                self.open |= !self.uncalled;
                continue;
            };
            let pattern = pattern.trim_start_matches(':');
            let (space, tail) = split_name(pattern);
            if space.is_empty() {
                continue;
            }
            for (name, place) in program.names() {
                let (found, plain) = split_name(&name);
                if found == space
                    && !name.starts_with('$')
                    && matches(tail, plain) != Some(false)
                    && let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place)
                {
                    self.open |= !aegish_code_parsers::tcl::define_command(
                        &mut self.lowering.commands,
                        "",
                        plain,
                    );
                    let full = self.tcl_full_name(plain);
                    self.bind_in(&program, &full.into(), value);
                }
            }
            self.state
                .with(|tcl: &mut TclState| tcl.imports.push((space.to_owned(), tail.to_owned())));
        }
    }
}
