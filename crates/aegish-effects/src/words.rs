//! A command's words sorted by the program's own grammar: subcommands, options, operands.
//!
//! For whoever asks what a command line says (rules that people write) instead of what it does.

use crate::effect::CommandReport;
use crate::expand::Field;
use crate::interp::sort_words;
use aegish_profiles::{Grammar, Stdin, Style};
use aegish_syntax::Span;
use aegish_values::Value;

/// The words after a program's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The spellings of each subcommand, outermost first (`git stash drop` has two).
    pub subcommands: Vec<&'static [&'static str]>,
    /// Options in the order in which they are given; letters in one word are told apart.
    pub options: Vec<GivenOption>,
    /// Everything else, the words of a command that is launched included.
    pub operands: Vec<Value>,
}

/// An option of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenOption {
    /// As it is written, with dashes and without its value.
    pub name: String,
    /// All spellings, if the program's profile has it.
    pub spellings: &'static [&'static str],
    /// Its value, if it has one.
    pub value: Option<Value>,
}

impl GivenOption {
    /// Whether this is the option of that name, however it is spelled here.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.spellings.contains(&name)
    }
}

/// What a program nobody knows is taken to understand.
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

impl Words {
    /// Sorts the words of a command.
    #[must_use]
    pub fn of(command: &CommandReport) -> Self {
        let profile = command.program.and_then(aegish_profiles::find);
        let grammar = profile.map_or(&PLAIN, |profile| &profile.grammar);
        let field = |value: &Value| Field { value: value.clone(), span: Span::default() };
        let fields: Vec<Field> = command.argv.iter().skip(1).map(field).collect();
        sort_words(grammar, &fields)
    }
}
