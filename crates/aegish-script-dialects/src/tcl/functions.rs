//! Commands of the language: which part of the analysis follows each.

use super::assignments::TclAssignments;
use super::channels::TclChannels;
use super::code::TclCode;
use super::ensembles::{subcommand, subcommands};
use super::expressions::TclExpressions;
use super::files::TclFiles;
use super::lists::TclLists;
use super::objects::TclObjects;
use super::processes::TclProcesses;
use super::scripts::TclScripts;
use super::texts::TclTexts;
use super::variables::TclVariables;
use super::{TclNames, TclState};
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::tcl::patterns::matches;
use aegish_code_parsers::tcl::is_special;
use aegish_values::Value;
use easy_ext::ext;

#[ext(TclFunctions)]
pub(super) impl Interpreter<'_> {
    /// A call of a command that the program does not define.
    fn tcl_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        if let Some(all) = subcommands(path) {
            return Some(self.tcl_ensemble(path, all, args));
        }
        Some(self.tcl_run(path, args))
    }

    fn tcl_ensemble(&mut self, path: &str, all: &[&'static str], args: &Args) -> Val {
        let Some(word) = args.get(0) else { return Val::unknown() };
        let text = self.tcl_text(word);
        let Some(readings) = text.readings(8) else {
            self.tcl_hidden(&text);
            return Val::Text(Value::unknown("computed").tainted(text.taint()));
        };
        let rest = Args {
            list: args.list.iter().skip(1).cloned().collect(),
            named: Vec::new(),
            rest: args.rest.clone(),
        };
        let mut result: Option<Val> = None;
        let several = readings.len() > 1;
        for reading in readings {
            let Some(name) = subcommand(all, &reading) else { continue };
            let path = format!("{path} {name}");
            let one = if several {
                self.maybe(|this| this.tcl_run(&path, &rest))
            } else {
                self.tcl_run(&path, &rest)
            };
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        result.unwrap_or_else(Val::unknown)
    }

    fn tcl_run(&mut self, path: &str, args: &Args) -> Val {
        // Further words that are not known stand for one more.
        let words: Vec<Val> = args.list.iter().chain(&args.rest).cloned().collect();
        if path.starts_with('<') {
            return self.tcl_internal(path, args, &words);
        }
        // Without its package it is a command that is not known.
        if is_extension(path) && self.tcl_has_fallback() {
            self.maybe(|this| this.tcl_not_known(path, &words));
        }
        let done = self
            .tcl_code_command(path, &words)
            .or_else(|| self.tcl_variable_command(path, &words))
            .or_else(|| self.tcl_list_command(path, &words))
            .or_else(|| self.tcl_channel_command(path, &words))
            .or_else(|| self.tcl_file_command(path, &words))
            .or_else(|| self.tcl_process_command(path, &words))
            .or_else(|| self.tcl_object_command(path, &words));
        if let Some(value) = done {
            return value;
        }
        if let Some(name) = path.strip_prefix("tcl::mathfunc::") {
            return self.tcl_math(name, &words);
        }
        if let Some(name) = path.strip_prefix("tcl::mathop::") {
            return self.tcl_operator(name, &words);
        }
        if is_special(path) {
            if args.rest.is_some() {
                self.tcl_hidden(&Value::unknown("code"));
                return Val::unknown();
            }
            return self.tcl_reread(path, &words);
        }
        if let Some(value) = self.tcl_text_command(path, &words) {
            return value;
        }
        self.tcl_table(path, &words)
    }

    /// A command of the table of calls, or one that is not known.
    fn tcl_table(&mut self, path: &str, words: &[Val]) -> Val {
        self.tcl_callbacks(words);
        let Some(entry) = crate::calls::find(self.language, path) else {
            return self.tcl_not_known(path, words);
        };
        let mut args = Args::default();
        let mut rest = words.iter();
        // `-option value` for the parameters that are given by name.
        while let Some(word) = rest.next() {
            let text = self.tcl_text(word);
            let option = text.as_known().and_then(|text| text.strip_prefix('-'));
            let named = option.filter(|option| {
                entry.parameters.iter().any(|(name, _)| name.strip_prefix('*') == Some(*option))
            });
            match named {
                Some(option) => {
                    let value = rest.next().cloned().unwrap_or(Val::None);
                    args.named.push((option.into(), value));
                }
                // An option without a value.
                None if option.is_some_and(|option| {
                    entry.parameters.iter().any(|(name, _)| name.strip_prefix("*-") == Some(option))
                }) => {}
                None => {
                    let place = args.list.len();
                    let several =
                        entry.parameters.get(place).is_some_and(|(name, _)| name.ends_with("List"));
                    let value = match several {
                        true => {
                            let items = self.tcl_items(word);
                            Val::Tuple(items.list.into_iter().chain(items.rest).collect())
                        }
                        false => self.tcl_simple(word),
                    };
                    args.list.push(value);
                }
            }
        }
        for (_, value) in &mut args.named {
            *value = self.tcl_simple(value);
        }
        let value = self.effect_call(&entry, &args, path);
        if let ("http::geturl", Some(channel @ Val::File(_))) = (path, args.named("channel")) {
            self.write_to(channel, std::slice::from_ref(&value));
        }
        match value {
            Val::Path(path) => Val::Text(path),
            Val::Library(_) => Val::Library("<object>".into()),
            other => other,
        }
    }

    /// A value as the table of calls takes it: lists are texts.
    fn tcl_simple(&mut self, value: &Val) -> Val {
        match value {
            Val::File(_) | Val::Connection | Val::Process(_) | Val::Library(_) => value.clone(),
            other => Val::Text(self.tcl_text(other)),
        }
    }

    /// Whether something runs for a command that is not known.
    fn tcl_has_fallback(&self) -> bool {
        self.scope.program().find("unknown").is_some() || self.tcl_is_set("::tcl_interactive")
    }

    /// A command that neither the program nor the table defines: one of a package.
    fn tcl_not_known(&mut self, path: &str, words: &[Val]) -> Val {
        let program = self.scope.program();
        let name = Val::text(path);
        if program.find("unknown").is_some() {
            let list = std::iter::once(name).chain(words.iter().cloned()).collect();
            let command = self.tcl_named("unknown");
            return self.call(&command, Args::of(list));
        }
        // Where a person types, a command that is not known is a program.
        if self.tcl_is_set("::tcl_interactive") {
            let list = std::iter::once(name).chain(words.iter().cloned()).collect::<Vec<_>>();
            return self.tcl_exec(&list);
        }
        // Code that defines a command when it is first used.
        if !self.tcl_arrays("::auto_index").is_empty() {
            let code = self.tcl_get(&format!("::auto_index({path})"));
            self.maybe(|this| this.tcl_script(&code));
        }
        let imported = self.state.with(|tcl: &mut TclState| {
            tcl.imports.iter().find_map(|(space, pattern)| {
                let full = format!("{space}::{path}");
                let known = crate::calls::find(self.language, &full).is_some();
                (known && matches(pattern, path) != Some(false)).then_some(full)
            })
        });
        if let Some(full) = imported {
            return self.tcl_run(&full, &Args::of(words.to_vec()));
        }
        let taint = self.content_taint(&Args::of(words.to_vec()));
        if taint.is_none() { Val::Library("<object>".into()) } else { Val::tainted(taint) }
    }

    /// Code that commands of packages take as options: `-command {…}`.
    fn tcl_callbacks(&mut self, words: &[Val]) {
        for pair in words.windows(2) {
            if let [name, code] = pair
                && let Some(name) = self.tcl_text(name).as_known()
                && matches!(
                    name,
                    "-command"
                        | "-cmd"
                        | "-callback"
                        | "-handler"
                        | "-invoke"
                        | "-postcommand"
                        | "-validatecommand"
                        | "-yscrollcommand"
                        | "-xscrollcommand"
                        | "-onexit"
                        | "-progress"
                )
            {
                self.maybe(|this| {
                    let text = this.tcl_text(code);
                    match text.as_known() {
                        Some(known) if !known.contains([';', '\n', '[', '$']) => {
                            this.tcl_prefix(code, Vec::new())
                        }
                        _ => this.tcl_script(code),
                    }
                });
            }
        }
    }

    /// Calls that the lowering makes.
    fn tcl_internal(&mut self, path: &str, args: &Args, words: &[Val]) -> Val {
        let first = words.first().cloned().unwrap_or(Val::None);
        match path {
            "<command>" => {
                let mut list = args.list.iter().cloned();
                match list.next() {
                    Some(name) => {
                        let rest = args.rest.clone();
                        let args = Args { list: list.collect(), named: Vec::new(), rest };
                        self.tcl_command(&name, args)
                    }
                    None => match &args.rest {
                        Some(rest) => {
                            let text = self.tcl_text(rest);
                            self.tcl_hidden(&text);
                            Val::unknown()
                        }
                        None => Val::None,
                    },
                }
            }
            "<get>" => self.tcl_get_named(&first),
            "<add>" => self.tcl_lappend(words),
            "<proc>" => {
                let function = words.get(1).cloned().unwrap_or(Val::None);
                self.tcl_proc(&first, &function)
            }
            "<groups>" => self.tcl_groups(words),
            "<calculate>" => self.tcl_calculate(words),
            "<minus>" => self.tcl_calculate(&[Val::Int(0), Val::text("-"), first]),
            "<invert>" => match super::expressions::number(&first) {
                Some(number) => Val::Int(!number),
                None => Val::unknown(),
            },
            "<result>" => self.tcl_result(&first),
            "<matches>" => self.tcl_matches(words),
            "<caught>" => self.tcl_caught(&first),
            "<ensemble>" => self.tcl_own_ensemble(words),
            "<member>" => {
                let class = super::known(&first).unwrap_or_default();
                self.tcl_member(&class, words.get(1..).unwrap_or(&[]));
                Val::None
            }
            "<object>" => {
                self.tcl_callbacks(words);
                self.tcl_object_call(words)
            }
            _ => Val::unknown(),
        }
    }
}

/// Whether a command is one of Expect, of Tk or of TclX, which a program need not have.
fn is_extension(path: &str) -> bool {
    matches!(
        path,
        "bind"
            | "chmod"
            | "chown"
            | "chroot"
            | "debug"
            | "destroy"
            | "disconnect"
            | "event"
            | "execl"
            | "focus"
            | "fork"
            | "frename"
            | "grid"
            | "id"
            | "kill"
            | "link"
            | "log_file"
            | "log_user"
            | "mkdir"
            | "option"
            | "overlay"
            | "pack"
            | "parity"
            | "place"
            | "read_file"
            | "readdir"
            | "rmdir"
            | "send"
            | "signal"
            | "sleep"
            | "spawn"
            | "strace"
            | "stty"
            | "system"
            | "timestamp"
            | "trap"
            | "unlink"
            | "wait"
            | "winfo"
            | "wm"
            | "write_file"
    )
}
