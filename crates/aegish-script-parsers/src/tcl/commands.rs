//! Which commands have a meaning of their own in the intermediate form.

use super::words::{Word, arguments};
use super::{Mode, Parsed, Tcl, constant};
use crate::ir::{Argument, Block, Statement};
use crate::lowering::TclCommands;

/// Commands that control the flow. A program that defines one of them anew is not followed.
const CONTROL: &[&str] = &[
    "break", "catch", "continue", "expr", "for", "foreach", "if", "lmap", "proc", "return",
    "switch", "try", "while",
];

/// Commands that programs define anew, too; then they are ordinary ones.
const ORDINARY: &[&str] = &[
    "error",
    "eval",
    "exit",
    "exp_continue",
    "expect",
    "expect_after",
    "expect_background",
    "expect_before",
    "expect_tty",
    "expect_user",
    "interact",
    "throw",
];

/// Whether a command has a meaning of its own in the intermediate form.
#[must_use]
pub fn is_special(name: &str) -> bool {
    CONTROL.contains(&name) || ORDINARY.contains(&name)
}

/// The namespace of a qualified name, and the rest of it.
#[must_use]
pub fn split_name(name: &str) -> (&str, &str) {
    match name.rfind("::") {
        Some(at) => {
            let space = name.get(..at).unwrap_or("").trim_matches(':');
            (space, name.get(at + 2..).unwrap_or(""))
        }
        None => ("", name),
    }
}

/// The program defines a command. False if the meaning of what was lowered is not that of the text any more.
pub fn define_command(known: &mut TclCommands, namespace: &str, name: &str) -> bool {
    if !is_special(name) {
        return true;
    }
    if CONTROL.contains(&name) {
        return false;
    }
    let used = match namespace {
        "" => known.used.iter().any(|(_, used)| used == name),
        space => known.used.contains(&(space.to_owned(), name.to_owned())),
    };
    known.defined.insert((namespace.to_owned(), name.to_owned()));
    !used
}

impl Tcl<'_> {
    /// Lowers one command.
    pub(super) fn command(&mut self, words: Vec<Word>, mode: &Mode, out: &mut Block) -> Parsed<()> {
        self.lowering.size += 1;
        let mut words = words.into_iter();
        let Some(first) = words.next() else { return Ok(()) };
        let mut rest: Vec<Word> = words.collect();
        let name = first.literal().map(|name| match name.strip_prefix("::") {
            Some(plain) if !plain.contains("::") => plain.to_owned(),
            _ => name.to_owned(),
        });
        let Some(name) = name else {
            let mut all = vec![first.argument()];
            all.extend(arguments(rest));
            let value = self.call("<command>", all);
            Self::give(mode, value, out);
            return Ok(());
        };
        if is_special(&name)
            && !rest.iter().any(|word| word.spread)
            && !self.is_defined(&name)
            && self.special(&name, &mut rest, mode, out)?
        {
            return Ok(());
        }
        let value = if name.contains(super::UNKNOWN_PART) {
            let mut all = vec![Argument::One(constant(&name))];
            all.extend(arguments(rest));
            self.call("<command>", all)
        } else {
            self.call(&name, arguments(rest))
        };
        Self::give(mode, value, out);
        Ok(())
    }

    /// Whether the program defines a command with a meaning of its own. If not, its use is noted.
    fn is_defined(&mut self, name: &str) -> bool {
        let known = &mut self.lowering.commands;
        let here = (known.namespace.clone(), name.to_owned());
        if known.defined.contains(&here)
            || known.defined.contains(&(String::new(), name.to_owned()))
        {
            return true;
        }
        known.used.insert(here);
        false
    }

    /// Lowers a command with a meaning of its own; false if its words are not those that it takes.
    fn special(
        &mut self,
        name: &str,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        match name {
            "if" => self.if_command(words, mode, out),
            "while" | "for" => self.loop_command(name, words, mode, out),
            "foreach" | "lmap" => self.foreach_command(name, words, mode, out),
            "switch" => self.switch_command(words, mode, out),
            "catch" => self.catch_command(words, mode, out),
            "try" => self.try_command(words, mode, out),
            "proc" => self.proc_command(words, mode, out),
            "return" => self.return_command(words, mode, out),
            "break" if words.is_empty() => {
                out.push(Statement::Break(None));
                Ok(true)
            }
            "continue" if words.is_empty() => {
                out.push(Statement::Continue(None));
                Ok(true)
            }
            "error" | "throw" | "exit" => {
                let value = self.call(name, arguments(std::mem::take(words)));
                out.push(Statement::Expr(value));
                // What it throws is noted by the call.
                out.push(Statement::Raise(None));
                Ok(true)
            }
            "eval" => match words.as_slice() {
                [only] if only.literal().is_some() => {
                    let code = only.literal().unwrap_or("").to_owned();
                    out.extend(self.body(&code, mode));
                    Ok(true)
                }
                _ => Ok(false),
            },
            "expr" => match words.as_slice() {
                [only] if only.literal().is_some() => {
                    let Some(word) = words.pop() else { return Ok(false) };
                    let value = self.condition(word);
                    let value = self.call_with("<result>", vec![value]);
                    Self::give(mode, value, out);
                    Ok(true)
                }
                _ => Ok(false),
            },
            "exp_continue" => {
                self.again = true;
                Self::give_nothing(mode, out);
                Ok(true)
            }
            _ => self.expect_command(name, words, mode, out),
        }
    }
}
