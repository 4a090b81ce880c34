//! Which command a name stands for.

use super::binding::parameter;
use super::blocks::PowerShellBlocks;
use super::cmdlets::PowerShellCmdlets;
use super::{PowerShellCalls, PowerShellState};
use crate::effect::CodeEffect;
use crate::heap::Binding;
use crate::language::Language;
use crate::value::{Args, Forgotten, Interprets, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_values::{Source, Value};
use easy_ext::ext;
use std::rc::Rc;

/// Most commands that a name may stand for.
const NAMES: usize = 16;

/// Verbs of commands that only look or make values. A command with another verb that is not known is reported.
const QUIET: &[&str] = &[
    "assert",
    "compare",
    "convert",
    "convertfrom",
    "convertto",
    "debug",
    "find",
    "format",
    "get",
    "group",
    "join",
    "measure",
    "out",
    "ping",
    "receive",
    "resolve",
    "search",
    "select",
    "show",
    "sort",
    "split",
    "test",
    "wait",
    "where",
    "write",
];

/// A command: its words, its input, and whether it runs in the scope of its caller.
pub(super) struct Called<'a> {
    pub(super) words: &'a [Val],
    pub(super) input: Option<&'a Val>,
    pub(super) dotted: bool,
}

#[ext(PowerShellCommands)]
pub(super) impl Interpreter<'_> {
    /// A command of the text.
    fn command_call(&mut self, args: &Args) -> Val {
        let name = args.get(0).cloned().unwrap_or(Val::None);
        let dotted = args.get(1) == Some(&Val::Bool(true));
        let input = args.named("<input>").cloned();
        let mut words = Vec::new();
        for word in args.list.iter().skip(2) {
            self.add_word(word, &mut words);
        }
        let called = Called { words: &words, input: input.as_ref(), dotted };
        self.each(&name, |this, name| this.run_value(name, &called))
    }

    /// Adds a word; the items of a splatted variable are words of their own.
    fn add_word(&mut self, word: &Val, words: &mut Vec<Val>) {
        let splat = match word {
            Val::Tuple(parts) => match &**parts {
                [Val::Library(mark), value] if &**mark == "<splat>" => Some(value.clone()),
                _ => None,
            },
            _ => None,
        };
        match splat {
            None => words.push(word.clone()),
            Some(Val::Dict(place)) => {
                let entries = self.heap.entries(place);
                for (key, value) in &entries.list {
                    if let Some(name) = key.as_known() {
                        words.push(Val::Library(format!("-{name}:").into()));
                        words.push(value.clone());
                    }
                }
                if let Some(rest) = &entries.rest {
                    words.push(rest.clone());
                }
            }
            Some(value) => {
                let items = self.powershell_items(&value);
                words.extend(items.list);
                words.extend(items.rest);
            }
        }
    }

    /// Runs what a value names or is.
    fn run_value(&mut self, name: &Val, called: &Called<'_>) -> Val {
        match name {
            Val::Function(_) | Val::Partial(_) | Val::Bound(_) => {
                self.call_block(name, called.words, called.input, called.dotted)
            }
            Val::None => Val::None,
            other => {
                let text = self.powershell_text(other);
                match text.readings(NAMES) {
                    Some(names) => {
                        let alone = names.len() == 1;
                        let mut all: Option<Val> = None;
                        for name in names {
                            let one = if alone {
                                self.run_named(&name, called)
                            } else {
                                self.maybe(|this| this.run_named(&name, called))
                            };
                            all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                        }
                        all.unwrap_or(Val::None)
                    }
                    None => self.run_unknown(&text, called),
                }
            }
        }
    }

    /// A command whose name is not fully known.
    fn run_unknown(&mut self, name: &Value, called: &Called<'_>) -> Val {
        let end = name.known_suffix().to_ascii_lowercase();
        let path = end.contains(['/', '\\']) || name.known_prefix().contains(['/', '\\']);
        if path && end.ends_with(".ps1") {
            self.state.with(|shell: &mut PowerShellState| shell.foreign |= called.dotted);
            self.record(CodeEffect::Script(self.language.lang(), name.clone()));
            return Val::unknown();
        }
        if path {
            return self.run_program(name.clone(), called);
        }
        let from = Val::Text(name.clone());
        self.run_blocks(called);
        self.hidden_code(&from)
    }

    /// The value of a name that the program defined, and whether it is sure to be defined.
    fn defined(&self, name: &str) -> Option<(Val, bool)> {
        let mut scope = Some(Rc::clone(&self.scope));
        let mut found: Option<Val> = None;
        while let Some(at) = scope {
            if let Some(place) = at.find(name) {
                match self.heap.variable(place) {
                    Binding::Unbound => {}
                    Binding::Bound(value) => {
                        return Some((found.map_or(value.clone(), |f| join(&f, &value)), true));
                    }
                    Binding::Maybe(value) => {
                        found = Some(found.map_or(value.clone(), |f| join(&f, &value)));
                    }
                }
            }
            scope = at.parent.clone();
        }
        found.map(|found| (found, false))
    }

    /// A command by its name: an alias, a function, a command of the language, a program.
    fn run_named(&mut self, name: &str, called: &Called<'_>) -> Val {
        if !self.burn(1) {
            return Val::unknown();
        }
        let name = name.trim();
        let lower = name.to_lowercase();
        for kind in ["alias", "function"] {
            if let Some((value, certain)) = self.defined(&format!("{kind}:{lower}")) {
                let looped = value.as_known().is_some_and(|known| known.to_lowercase() == lower);
                if looped || value == Val::None {
                    continue;
                }
                if certain {
                    return self.run_value(&value, called);
                }
                let one = self.maybe(|this| this.run_value(&value, called));
                let other = self.maybe(|this| this.run_known(name, &lower, called));
                return join(&one, &other);
            }
        }
        self.run_known(name, &lower, called)
    }

    fn run_known(&mut self, name: &str, lower: &str, called: &Called<'_>) -> Val {
        // `Module\Command` names a command of a module.
        let inner = match lower.rsplit_once('\\') {
            Some((module, command))
                if command.contains('-')
                    && !module.contains(['/', ':'])
                    && !module.starts_with('.') =>
            {
                command
            }
            _ => lower,
        };
        let inner =
            inner.strip_suffix(".exe").filter(|inner| inner.contains("pwsh")).unwrap_or(inner);
        let canonical = crate::calls::alias(Language::PowerShell, inner).unwrap_or(inner);
        if let Some(value) = self.cmdlet(canonical, called) {
            return value;
        }
        if lower.ends_with(".ps1") {
            let path = Value::known(name.replace('\\', "/"));
            let path = self.resolved(&path);
            self.state.with(|shell: &mut PowerShellState| shell.foreign |= called.dotted);
            self.run_blocks(called);
            self.record(CodeEffect::Script(self.language.lang(), path));
            return Val::unknown();
        }
        let verb = canonical.split_once('-').map(|(verb, _)| verb);
        if verb.is_some_and(|verb| QUIET.contains(&verb)) && !canonical.contains(['/', '.']) {
            self.run_blocks(called);
            let taint = match called.input {
                Some(input) => self.taint_of(input),
                None => aegish_values::Taint::none(),
            };
            return Val::tainted(taint);
        }
        if name.is_empty() {
            return Val::None;
        }
        self.run_program(Value::known(name), called)
    }

    /// Blocks among the words may be called.
    fn run_blocks(&mut self, called: &Called<'_>) {
        for word in called.words {
            if matches!(word, Val::Function(_) | Val::Partial(_)) {
                let item = called.input.map_or_else(Val::unknown, |input| self.element(input));
                self.maybe(|this| {
                    this.with_item(&item, |this| this.call_block(word, &[], None, false))
                });
            }
        }
    }

    /// Starts a program with the words as its arguments.
    fn run_program(&mut self, name: Value, called: &Called<'_>) -> Val {
        self.run_blocks(called);
        let program = name.to_string();
        let mut argv = vec![name];
        let mut joined = false;
        for word in called.words {
            let known = parameter(word).map(|(name, colon)| (format!("-{name}"), colon));
            match (known, word) {
                (Some((text, colon)), _) => {
                    let text = if colon { text + ":" } else { text };
                    argv.push(Value::known(text));
                    joined = colon;
                    continue;
                }
                (None, Val::List(_) | Val::Tuple(_)) => {
                    let items = self.powershell_items(word);
                    for item in items.list.iter().chain(&items.rest) {
                        argv.push(self.powershell_text(item));
                    }
                }
                (None, Val::None) => {}
                (None, other) => {
                    let text = self.powershell_text(other);
                    match argv.last_mut().filter(|_| joined) {
                        Some(last) => last.append(&text),
                        None => argv.push(text),
                    }
                }
            }
            joined = false;
        }
        let started = self.start(argv);
        if let (Some(input), Val::Process(Interprets::Input)) = (called.input, &started) {
            let text = self.content_lines(input);
            self.write_to(&started, &[Val::Text(text)]);
        }
        let output = Val::from_source("output", Source::Program(program));
        // Behind a connection, what a program gives may be anything.
        match called.input {
            Some(input) if self.taint_of(input).network().is_some() => {
                Val::Unknown(self.taint_of(input), Forgotten::Data)
            }
            _ => output,
        }
    }
}
