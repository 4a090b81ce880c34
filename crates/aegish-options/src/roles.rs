//! Assigns a role to every word.

use crate::Field;
use crate::operands::assign;
use crate::reader::Reader;
use aegish_profiles::{ArgumentRole, DeclaredEffect, Grammar, Stdin};
use aegish_syntax::Span;
use aegish_values::Value;

/// A command line with roles.
#[derive(Clone)]
pub struct CommandLine {
    /// Option values and operands, in order of appearance.
    pub arguments: Vec<Argument>,
    /// Effects of the program, its subcommands and flags.
    pub declared: Vec<DeclaredEffect>,
    /// The words from this index on have one role.
    pub rest: Option<(ArgumentRole, usize)>,
    /// Operands that the grammar does not expect.
    pub strays: Vec<usize>,
    /// The use of standard input.
    pub stdin: Stdin,
    /// The kind of lines that can be typed at the program.
    pub keys: Option<&'static str>,
    /// The word in the position of a subcommand that the grammar does not know.
    pub unknown_sub: Option<usize>,
    /// The word of computed text that was lost on the way and may be any option or subcommand.
    pub lost: Option<usize>,
}

/// One word (or part of a word) with its role.
#[derive(Clone)]
pub struct Argument {
    /// Its role.
    pub role: ArgumentRole,
    /// Its value.
    pub value: Value,
    /// Its span. Words of one expansion, and those of computed text, have the same.
    pub span: Span,
    /// The word that it is, or is in; `None` if it is no word of the command line.
    pub word: Option<usize>,
    /// It belongs to an option.
    pub option: bool,
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
        // Effects of the program itself apply only if no subcommand overrides them.
        let innermost = self.grammar();
        declared.extend_from_slice(innermost.does);
        let keys = innermost.keys;
        for grammar in &self.levels {
            for mode in grammar.modes {
                if self.applies(mode) {
                    declared.extend_from_slice(mode.does);
                    for operand in &self.operands {
                        follow(mode.words, &self.word(*operand).value, &mut declared);
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
            follow(innermost.words, &self.word(*operand).value, &mut declared);
        }
        let mut arguments = Vec::with_capacity(self.values.len() + self.operands.len());
        let mut strays = Vec::new();
        for (opt, value, at) in &self.values {
            let span = self.word(*at).span;
            // A mode given by a later option still decides the role.
            let by_mode = opt.names.first().and_then(|name| self.by_mode(name));
            let role = by_mode.map_or(opt.value, |other| other.value);
            match role {
                Some(role) => arguments.push(Argument {
                    role,
                    value: value.clone(),
                    span,
                    word: Some(*at),
                    option: true,
                }),
                None if opt.names.is_empty() => {
                    arguments.push(Argument {
                        role: ArgumentRole::Path,
                        value: value.clone(),
                        span,
                        word: Some(*at),
                        option: true,
                    });
                }
                None => {}
            }
        }
        let slots = self.slots();
        let fixed = if self.rest.is_some() {
            slots.get(..slots.len().saturating_sub(1)).unwrap_or_default()
        } else {
            slots
        };
        let roles = assign(fixed, self.operands.len());
        for (index, operand) in self.operands.iter().enumerate() {
            let field = self.word(*operand);
            match roles.get(index).copied().flatten() {
                Some(role) if !self.unknown_sub => {
                    let (value, span) = (field.value.clone(), field.span);
                    let word = Some(*operand);
                    arguments.push(Argument { role, value, span, word, option: false });
                }
                _ => strays.push(*operand),
            }
        }
        let unknown_sub = match self.levels.as_slice() {
            [grammar] if !grammar.subs.is_empty() => self.operands.first().copied(),
            _ => None,
        };
        CommandLine {
            arguments,
            declared,
            rest: self.rest,
            strays,
            stdin,
            keys,
            unknown_sub,
            lost: self.lost,
        }
    }
}

/// Adds the effects of a word.
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
