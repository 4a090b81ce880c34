//! A command's words sorted by the program's own grammar: subcommands, options, operands.
//!
//! For callers that need the words themselves (user rules, `find`) instead of their effects.

use crate::Field;
use crate::part::{CommandPart, GivenOption};
use crate::reader::Reader;
use aegish_profiles::{Grammar, Stdin, Style};
use aegish_values::Value;

/// The words after a program's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The spellings of each subcommand, outermost first (`git stash drop` has two).
    pub subcommands: Vec<&'static [&'static str]>,
    /// Options in their order; letters in one word are separate.
    pub options: Vec<GivenOption>,
    /// All other words, including those of a launched command.
    pub operands: Vec<Value>,
}

/// The grammar of a program without a profile.
static PLAIN: Grammar = Grammar {
    style: Style::Gnu,
    options: &[],
    operands: &[],
    stdin: Stdin::Data,
    keys: None,
    does: &[],
    words: &[],
    modes: &[],
    subs: &[],
};

/// Sorts the words after a program's name; `None` is a program without a profile.
#[must_use]
pub fn sort(grammar: Option<&'static Grammar>, words: &[Field]) -> Words {
    let reader = read(grammar.unwrap_or(&PLAIN), words);
    let rest = reader.rest.map_or(words.len(), |(_, from)| from);
    let operands = reader
        .operands
        .iter()
        .map(|at| reader.word(*at))
        .chain(words.get(rest..).unwrap_or_default());
    let operands = operands.map(|field| field.value.clone()).collect();
    let option = |part| match part {
        CommandPart::Option(option, _) => Some(option),
        _ => None,
    };
    let options = reader.parts.unwrap_or_default().into_iter().filter_map(option).collect();
    Words { subcommands: reader.subcommands, options, operands }
}

/// The parts of a command line in the order in which they are written.
#[must_use]
pub fn parts(grammar: &'static Grammar, words: &[Field]) -> Vec<CommandPart> {
    read(grammar, words).parts.unwrap_or_default()
}

fn read<'w>(grammar: &'static Grammar, words: &'w [Field]) -> Reader<'w> {
    let mut reader = Reader::new(grammar, words);
    reader.parts = Some(Vec::new());
    reader.read();
    reader
}
