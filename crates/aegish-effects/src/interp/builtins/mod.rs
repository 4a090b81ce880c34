//! Bash's builtins: those that change the shell, run code or read files.
//!
//! Builtins that are also programs and only compute or print (`echo`, `printf`, `test`, `kill`, `pwd`)
//! are left to their profiles.

mod completion;
mod declare;
mod directory;
mod history;
mod locals;
mod read;
mod session;
mod shopt;

use super::{CommandResult, Interp};
use aegish_analysis::EffectKind;
use aegish_expansion::misuse::{is_misused, letters};
use aegish_expansion::{Field, arguments, joined};
use aegish_shell_state::Switch;
use aegish_syntax::Span;
use aegish_values::{Source, Taint, Value};
use std::sync::Arc;

/// All builtins, sorted. Whatever is not among them is a program.
#[rustfmt::skip]
pub const BUILTINS: [&str; 61] = [
    ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt",
    "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false", "fc", "fg", "getopts",
    "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read",
    "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "test", "times", "trap", "true", "type",
    "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

impl Interp<'_> {
    /// Follows a builtin; `None` if the name is not one, or has a profile that says more.
    pub(crate) fn run_builtin(
        &mut self,
        name: &str,
        fields: &[Field],
        span: Span,
    ) -> Option<CommandResult> {
        BUILTINS.binary_search(&name).ok()?;
        let words = arguments(fields);
        let fails = is_misused(name, words)
            || name == "local" && self.calls.locals.is_empty()
            || matches!(name, "read" | "mapfile" | "readarray") && self.reads_closed(words)
            || self.is_on(Switch::PlainShell) && is_of_bash(name, words);
        let before = fails.then(|| Box::new(self.state.clone()));
        let mut result = self.follow_builtin(name, fields, span)?;
        if let Some(before) = before {
            self.state.join(&before);
            result.status = None;
        }
        Some(result)
    }

    /// `read -u` with a descriptor that may not be open.
    fn reads_closed(&self, words: &[Field]) -> bool {
        let (options, _) = letters(words, "CcadiNnOptu");
        let number = |(letter, value): &(char, Value)| {
            value.as_known().filter(|_| *letter == 'u')?.parse::<u32>().ok()
        };
        let state = &self.state;
        let closed = |number| {
            number > 2 && !state.descriptors.contains_key(&number)
                || state.perhaps_closed.contains(&number)
        };
        options.iter().filter_map(number).any(closed)
    }

    fn follow_builtin(
        &mut self,
        name: &str,
        fields: &[Field],
        span: Span,
    ) -> Option<CommandResult> {
        let words = arguments(fields);
        let handler: fn(&mut Self, &[Field], Span) -> CommandResult = match name {
            ":" | "true" => |_, _, _| CommandResult::status(true),
            "jobs" if words.first().is_some_and(|word| word.value.as_known() == Some("-x")) => {
                |interp, words, span| interp.dispatch(words.get(1..).unwrap_or_default(), span)
            }
            "jobs" | "fg" | "bg" | "disown" | "suspend" | "times" | "caller" | "umask"
            | "ulimit" | "compopt" | "help" => |_, _, _| CommandResult::default(),
            "false" => |_, _, _| CommandResult::status(false),
            "break" => Self::builtin_break,
            "continue" => Self::builtin_continue,
            "return" => Self::builtin_return,
            "exit" | "logout" => Self::builtin_exit,
            "type" => |interp, words, _| {
                let is_kind = |word: &Field| word.value.as_known() == Some("-t");
                CommandResult::output(match words.iter().any(is_kind) {
                    true => Value::one_of(KINDS.map(str::to_owned)),
                    false => interp.located(words),
                })
            },
            "cd" => Self::builtin_cd,
            "pushd" => Self::builtin_pushd,
            "popd" => Self::builtin_popd,
            "dirs" => Self::builtin_dirs,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.report_builtin(fields, span);
                let result = self.builtin_declare(words, name, span);
                return Some(if prints(name, words) {
                    printed(self, name, words, result)
                } else {
                    result
                });
            }
            "unset" => Self::builtin_unset,
            "eval" => Self::builtin_eval,
            "source" | "." => Self::builtin_source,
            "exec" => Self::builtin_exec,
            "command" => Self::builtin_command,
            "builtin" => Self::builtin_builtin,
            "read" => Self::builtin_read,
            "mapfile" | "readarray" => Self::builtin_mapfile,
            "printf" if words.first().is_some_and(|w| w.value.known_prefix().starts_with("-v")) => {
                Self::builtin_printf_v
            }
            "trap" => Self::builtin_trap,
            "alias" => Self::builtin_alias,
            "unalias" => Self::builtin_unalias,
            "set" => Self::builtin_set,
            "shift" => Self::builtin_shift,
            "shopt" => Self::builtin_shopt,
            "let" => Self::builtin_let,
            "getopts" => Self::builtin_getopts,
            "wait" => Self::builtin_wait,
            "hash" => Self::builtin_hash,
            "enable" => Self::builtin_enable,
            "history" => Self::builtin_history,
            "fc" => Self::builtin_fc,
            "bind" => Self::builtin_bind,
            "complete" => Self::builtin_complete,
            "compgen" => Self::builtin_compgen,
            _ => return None,
        };
        let command = self.report_builtin(fields, span);
        // `eval` and similar builtins run code as if it was typed. Effects of the builtin itself are
        // reported under the builtin.
        let result = self.as_part_of(command, |interp| handler(interp, words, span));
        Some(if prints(name, words) { printed(self, name, words, result) } else { result })
    }

    fn report_builtin(&mut self, fields: &[Field], span: Span) -> usize {
        self.report(fields, Some("bash"), span)
    }

    fn builtin_eval(&mut self, words: &[Field], span: Span) -> CommandResult {
        if !self.spend(words.len() / 2, span) {
            return CommandResult::default();
        }
        let code = joined(words);
        self.run_code_value(&code, words.first().map_or(span, |word| word.span))
    }

    fn builtin_source(&mut self, words: &[Field], span: Span) -> CommandResult {
        let at = words.iter().take(1).filter(|word| word.value.as_known() == Some("--")).count();
        let Some((file, given)) = words.get(at..).and_then(<[Field]>::split_first) else {
            return CommandResult::default();
        };
        let _ = span;
        let given: Vec<Value> = given.iter().map(|word| word.value.clone()).collect();
        // Without words of its own, the file has the parameters of the caller.
        let given = (!given.is_empty()).then(|| Arc::new(given));
        let outer = given.as_ref().map(|given| self.state.positional.replace(Arc::clone(given)));
        self.calls.sourced.push(file.value.clone());
        let result = match self.run_stream(&file.value, file.span) {
            Some(result) => result,
            None => {
                self.effect(EffectKind::Read { path: file.value.clone(), tree: false }, file.span);
                self.until_return(|interp| interp.source_file(&file.value.clone(), file.span))
            }
        };
        self.calls.sourced.pop();
        if let Some(outer) = outer {
            match (outer, self.state.positional.clone()) {
                // `set` in the file changes them for good.
                (Some(outer), Some(now))
                    if given.is_none_or(|given| !Arc::ptr_eq(&given, &now)) =>
                {
                    self.state.set_parameters([outer, now]);
                }
                (outer, _) => self.state.positional = outer,
            }
        }
        result
    }

    fn builtin_exec(&mut self, words: &[Field], span: Span) -> CommandResult {
        let mut at = 0;
        while let Some(text) = words.get(at).and_then(|word| word.value.as_known()) {
            match text {
                "-a" => {
                    self.deferred.named_shell = words.get(at + 1).map(|word| word.value.clone());
                    at += 2;
                }
                "-c" | "-l" | "-cl" | "-lc" | "--" => at += 1,
                _ => break,
            }
        }
        let result =
            self.dispatch_program(words.get(at.min(words.len())..).unwrap_or_default(), span);
        self.deferred.named_shell = None;
        // The program takes the place of the shell.
        self.jumps.ended = at < words.len();
        result
    }

    fn builtin_command(&mut self, words: &[Field], span: Span) -> CommandResult {
        let mut at = 0;
        while let Some(text) = words.get(at).and_then(|word| word.value.as_known()) {
            match text {
                "-v" | "-V" | "-pv" | "-pV" => {
                    let words = words.get(at + 1..).unwrap_or_default();
                    let builtin = match words {
                        [name] if text.ends_with('v') => name.value.as_known(),
                        _ => None,
                    };
                    if let Some(name) = builtin.filter(|name| BUILTINS.contains(name)) {
                        return CommandResult::output(Value::known(format!("{name}\n")));
                    }
                    return CommandResult::output(self.located(words));
                }
                "-p" | "--" => at += 1,
                _ => break,
            }
        }
        self.without_functions(words.get(at..).unwrap_or_default(), span)
    }

    fn builtin_builtin(&mut self, words: &[Field], span: Span) -> CommandResult {
        self.without_functions(words, span)
    }

    fn without_functions(&mut self, words: &[Field], span: Span) -> CommandResult {
        let functions = std::mem::take(&mut self.state.functions);
        let result = self.dispatch(words, span);
        self.state.functions = functions;
        result
    }
}

/// Whether other shells do not have a builtin, or not with such words.
fn is_of_bash(name: &str, words: &[Field]) -> bool {
    let first = words.first().map_or("", |word| word.value.known_prefix());
    match name {
        "printf" => first.starts_with("-v"),
        "read" => first.starts_with('-') && first != "-r",
        _ => OF_BASH.contains(&name),
    }
}

/// Builtins that the standard does not name.
const OF_BASH: [&str; 16] = [
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "declare",
    "dirs",
    "enable",
    "let",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "source",
    "typeset",
];

/// Whether a builtin prints what the shell holds: names, values, settings.
fn prints(name: &str, words: &[Field]) -> bool {
    let first = words.first().map_or("", |word| word.value.known_prefix());
    let flag = |letters: &str| first.starts_with('-') && first.contains(|c| letters.contains(c));
    match name {
        "caller" | "compgen" | "help" | "jobs" | "times" | "ulimit" => true,
        "alias" => {
            !words.iter().all(|word| word.value.known_prefix().contains('=')) || words.is_empty()
        }
        "bind" | "complete" | "dirs" | "enable" | "fc" | "hash" | "history" | "set" | "shopt"
        | "trap" | "umask" => words.is_empty() || flag("plPSvtn"),
        "declare" | "export" | "local" | "readonly" | "typeset" => words.is_empty() || flag("pfF"),
        _ => false,
    }
}

/// A result whose output is not known, unless it is.
fn printed(
    interp: &Interp<'_>,
    name: &str,
    words: &[Field],
    result: CommandResult,
) -> CommandResult {
    let mut stdout = match result.stdout {
        known if !known.pieces().is_empty() => known,
        // What the text itself has put there.
        _ if let Some(declared) = interp.declared(words)
            && matches!(name, "declare" | "typeset") =>
        {
            return CommandResult { stdout: declared, ..result };
        }
        _ if PRINTS_OWN_TEXT.contains(&name) => Value::one_of_many_values(),
        _ if name == "set"
            && let Some(listed) = interp.listed_variables(false) =>
        {
            listed
        }
        _ => Value::unknown("output of a builtin"),
    };
    // Every variable with its value.
    let whole = words.iter().all(|word| word.value.known_prefix().starts_with('-'));
    if whole && matches!(name, "set" | "export" | "declare" | "typeset") {
        stdout = stdout.tainted(&Taint::from(Source::Program(name.to_owned())));
    }
    CommandResult { stdout, ..result }
}

/// What `type -t` prints.
const KINDS: [&str; 6] = ["alias\n", "keyword\n", "function\n", "builtin\n", "file\n", ""];

/// Builtins that print texts which commands before them have set.
const PRINTS_OWN_TEXT: [&str; 15] = [
    "alias", "caller", "compgen", "complete", "declare", "enable", "export", "fc", "hash", "help",
    "history", "local", "readonly", "trap", "typeset",
];

impl Interp<'_> {
    /// What `type`, `command -v` or `which` prints: the path of a program of the system, or what the text has put there.
    pub(crate) fn located(&self, words: &[Field]) -> Value {
        let name = words.iter().find(|word| !word.value.known_prefix().starts_with('-'));
        match name.and_then(|word| word.value.as_known()) {
            Some(name) if self.state.hashed.contains_key(name) => {
                let path = self.state.hashed.get(name).map_or("", String::as_str);
                Value::known(format!("{path}\n"))
            }
            Some(name)
                if self.state.functions.contains_key(name)
                    || self.state.aliases.contains_key(name) =>
            {
                Value::one_of_many_values()
            }
            Some(name) if aegish_profiles::find(name).is_some() => {
                Value::known(format!("/usr/bin/{name}\n"))
            }
            _ => Value::unknown("path of a command"),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::BUILTINS.is_sorted());
    }
}
