//! From what was read to the role of every word.

use crate::Field;
use crate::operands::assign;
use crate::reader::Reader;
use aegish_profiles::{ArgumentRole, DeclaredEffect, Grammar, Stdin};
use aegish_syntax::Span;
use aegish_values::Value;

/// A command line with roles.
pub struct CommandLine {
    /// Option values and operands, in order of appearance.
    pub arguments: Vec<Argument>,
    /// What follows from the program, subcommands and flags.
    pub declared: Vec<DeclaredEffect>,
    /// Words from here on belong to a role that takes the rest of the line.
    pub rest: Option<(ArgumentRole, usize)>,
    /// Operands for which the grammar has no place.
    pub strays: Vec<usize>,
    /// What happens to standard input.
    pub stdin: Stdin,
    /// What can be typed at the program.
    pub keys: Option<&'static str>,
    /// The word that stands where a subcommand should, if the grammar has none of that name.
    pub unknown_sub: Option<usize>,
}

/// One word (or part of a word) with its role.
pub struct Argument {
    /// What it is to the program.
    pub role: ArgumentRole,
    /// What it holds.
    pub value: Value,
    /// Where it stands.
    pub span: Span,
}

/// Reads the words after the program's name.
#[must_use]
pub fn parse(grammar: &'static Grammar, words: &[Field]) -> CommandLine {
    let mut reader = Reader::new(grammar, words);
    reader.read();
    reader.finish()
}

impl Reader<'_> {
    fn finish(self) -> CommandLine {
        let mut declared: Vec<DeclaredEffect> = Vec::new();
        let mut stdin = self.grammar().stdin;
        // What a program does as such holds only where no subcommand says otherwise.
        let innermost = self.grammar();
        declared.extend_from_slice(innermost.does);
        let keys = innermost.keys;
        for grammar in &self.levels {
            for mode in grammar.modes {
                if self.applies(mode) {
                    declared.extend_from_slice(mode.does);
                    for operand in &self.operands {
                        follow(mode.words, &self.words[*operand].value, &mut declared);
                    }
                    stdin = mode.stdin.unwrap_or(stdin);
                }
            }
        }
        for opt in &self.given {
            declared.extend_from_slice(opt.does);
        }
        for (opt, value, _) in &self.values {
            follow(opt.values, value, &mut declared);
        }
        for operand in &self.operands {
            follow(innermost.words, &self.words[*operand].value, &mut declared);
        }
        let mut arguments = Vec::with_capacity(self.values.len() + self.operands.len());
        let mut strays = Vec::new();
        for (opt, value, span) in &self.values {
            // A mode given by a later option still decides the role.
            let by_mode = opt.names.first().and_then(|name| self.by_mode(name));
            let role = by_mode.map_or(opt.value, |other| other.value);
            match role {
                Some(role) => arguments.push(Argument { role, value: value.clone(), span: *span }),
                None if opt.names.is_empty() => {
                    arguments.push(Argument {
                        role: ArgumentRole::Path,
                        value: value.clone(),
                        span: *span,
                    });
                }
                None => {}
            }
        }
        let slots = self.slots();
        let fixed =
            if self.rest.is_some() { &slots[..slots.len().saturating_sub(1)] } else { slots };
        let roles = assign(fixed, self.operands.len());
        for (index, operand) in self.operands.iter().enumerate() {
            let field = &self.words[*operand];
            match roles.get(index).copied().flatten() {
                Some(role) if !self.unknown_sub => {
                    arguments.push(Argument { role, value: field.value.clone(), span: field.span });
                }
                _ => strays.push(*operand),
            }
        }
        let unknown_sub = match self.levels.as_slice() {
            [grammar] if !grammar.subs.is_empty() => self.operands.first().copied(),
            _ => None,
        };
        CommandLine { arguments, declared, rest: self.rest, strays, stdin, keys, unknown_sub }
    }
}

/// Adds the effects that a word brings with it.
fn follow(
    conditions: &'static [(&'static str, &'static [DeclaredEffect])],
    word: &Value,
    declared: &mut Vec<DeclaredEffect>,
) {
    if let Some(text) = word.as_known() {
        for (_, more) in conditions.iter().filter(|(condition, _)| *condition == text) {
            declared.extend_from_slice(more);
        }
    }
}
