//! What the generators of all languages share: a name flows through expressions and statements to a use.

use super::Program;
use crate::random::Random;
use std::marker::PhantomData;

/// Deepest nesting of expressions.
const DEEPEST: u32 = 5;

/// The text around the lines of a program.
pub(super) trait Grammar {
    /// The first lines.
    const HEAD: &'static str = "";
    /// What ends a line.
    const END: &'static str = "\n";
}

/// What a language makes of a name.
pub(super) trait Expressions {
    /// An expression without a statement before it whose value is the text.
    fn literal(&mut self, text: &str) -> String;

    /// An expression of any kind whose value is the text.
    fn some_value(&mut self, text: &str) -> String;

    /// Uses a value: runs or opens it.
    fn sink(&mut self, value: &str);
}

/// A program of a language that is being made.
pub(super) struct Generator<'a, L> {
    random: &'a mut Random,
    lines: Vec<String>,
    /// A start of names that no other program has.
    pub(super) prefix: String,
    pub(super) names: u32,
    depth: u32,
    language: PhantomData<L>,
}

impl<L> Generator<'_, L> {
    pub(super) fn pick(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    pub(super) fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// An expression whose value is the text.
    pub(super) fn value(&mut self, text: &str) -> String
    where
        Self: Expressions,
    {
        self.depth += 1;
        let value = if self.depth > DEEPEST { self.literal(text) } else { self.some_value(text) };
        self.depth -= 1;
        value
    }
}

/// A random program.
pub(super) fn program<L: Grammar>(random: &mut Random, number: u64) -> Program
where
    for<'g> Generator<'g, L>: Expressions,
{
    let canary = format!("zq{number}x");
    let mut generator = Generator::<L> {
        random,
        lines: Vec::new(),
        prefix: format!("C{number}x"),
        names: 0,
        depth: 0,
        language: PhantomData,
    };
    let value = generator.value(&canary);
    generator.sink(&value);
    let lines = generator.lines.iter().map(|line| format!("{line}{}", L::END));
    Program { code: L::HEAD.to_owned() + &lines.collect::<String>(), canary }
}
