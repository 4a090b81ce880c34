//! What code of other languages sees of the session: its input, files, and libraries that options load before it.

use super::Interp;
use aegish_languages::{ANY_INPUT, CodeContext, CodeEffect, SessionFiles};
use aegish_profiles::Lang;
use aegish_shell_state::LookedAt;
use aegish_syntax::Span;
use aegish_values::Value;
use std::cell::RefCell;

impl Interp<'_> {
    /// Sets a variable that programs inherit.
    pub(super) fn put_into_environment(&mut self, name: &str, value: Value, span: Span) {
        self.effect_setenv(name, &value, span, false);
        self.assign(name, value);
        if let Some(variable) = self.state.variables.get_mut(name) {
            variable.exported = true;
        }
    }

    /// The effects of code with what it finds in this session.
    pub(super) fn scanned(
        &mut self,
        lang: Lang,
        text: &str,
        arguments: &[Value],
    ) -> Vec<CodeEffect> {
        let before = self.loaded_before(lang);
        let whole = format!("{before}{text}");
        let code = if before.is_empty() { text } else { &whole };
        let (effects, ran) = {
            let env = |name: &str| {
                self.lookup_scalar(name).and_then(|value| value.as_known().map(str::to_owned))
            };
            let input = match self.input_content() {
                // The interpreter read its code from there.
                Some(input) if input.as_known() == Some(text) => Value::empty(),
                Some(input) => input,
                None => Value::unknown(ANY_INPUT),
            };
            let files = FilesOfSession { interp: self, ran: RefCell::default() };
            let around = CodeContext { env: &env, args: arguments, input, files: &files };
            (aegish_languages::scan(lang, code, &around), files.ran.into_inner())
        };
        for (path, content) in ran {
            self.note_script(&path, &content, lang);
        }
        match lang {
            Lang::Sed => self.commands_of_sed(effects),
            _ => effects,
        }
    }

    /// The effects of a script of sed, with the commands that it makes of lines which are known.
    fn commands_of_sed(&self, effects: Vec<CodeEffect>) -> Vec<CodeEffect> {
        let runs = |kind: &CodeEffect| matches!(kind, CodeEffect::Shell(_));
        let command = self.frame.caller.parent.and_then(|at| self.out.commands.get(at));
        let Some(command) = command.filter(|_| effects.iter().any(runs)) else { return effects };
        let words: Option<Vec<&str>> = command.argv.iter().skip(1).map(Value::as_known).collect();
        let input = self.input_content();
        let input = input.as_ref().and_then(Value::as_known).map(str::as_bytes);
        let read = |path: &str| Some(self.written_at(path)?.as_known()?.as_bytes().to_vec());
        match words.and_then(|words| aegish_emulate::sed_commands(&words, input, &read)) {
            Some(commands) => effects
                .into_iter()
                .filter(|kind| !runs(kind))
                .chain(commands.into_iter().map(|text| CodeEffect::Shell(Value::known(text))))
                .collect(),
            None => effects,
        }
    }

    /// Options by which an interpreter loads libraries before the code, as statements of the language.
    fn loaded_before(&self, lang: Lang) -> String {
        let command = self.frame.caller.parent.and_then(|at| self.out.commands.get(at));
        let Some(command) = command.filter(|_| !self.state.files.is_empty()) else {
            return String::new();
        };
        let option = match lang {
            Lang::Ruby => "-r",
            Lang::Lua => "-l",
            Lang::Perl => "-M",
            _ => return String::new(),
        };
        let mut words = command.argv.iter().skip(1).filter_map(Value::as_known);
        let mut statements = String::new();
        while let Some(word) = words.next() {
            let Some(rest) = word.strip_prefix(option) else { continue };
            let name = if rest.is_empty() { words.next().unwrap_or("") } else { rest };
            if name.is_empty() || name.contains(['\'', '"', '\n', ' ']) {
                continue;
            }
            statements.push_str(&match lang {
                Lang::Ruby => format!("require '{name}'\n"),
                Lang::Lua => {
                    let (global, module) = name.split_once('=').unwrap_or((name, name));
                    format!("{global} = require('{module}')\n")
                }
                _ => match name.split_once('=') {
                    Some((module, list)) => format!("use {module} qw({list});"),
                    None => format!("use {name};"),
                },
            });
        }
        statements
    }
}

/// Files that the session wrote, as code sees them.
struct FilesOfSession<'a, 'b> {
    interp: &'a Interp<'b>,
    /// Those that ran.
    ran: RefCell<Vec<(Value, Value)>>,
}

impl SessionFiles for FilesOfSession<'_, '_> {
    fn content(&self, path: &str) -> Option<Value> {
        self.interp.written_at(path)
    }

    fn code(&self, path: &str) -> Option<Value> {
        let content = self.content(path)?;
        self.ran.borrow_mut().push((Value::known(path), content.clone()));
        Some(content)
    }

    fn ending_with(&self, end: &str) -> Option<(String, Value)> {
        self.interp.look_at(|| LookedAt::End(end.to_owned()));
        let file = self.interp.state.files.ending_with(end).next()?.to_owned();
        let content = self.interp.written(&file)?;
        self.ran.borrow_mut().push((Value::known(file.as_str()), content.clone()));
        Some((file, content))
    }
}
