//! Random programs: a marked name is computed in some way ([`word`]), statements in between must not affect
//! it ([`noise`]), and the name is used inside some construct ([`place`]).

mod noise;
mod place;
mod quoting;
mod reached;
mod sink;
mod word;

use crate::random::Random;
use crate::tree::Tree;

/// A generated program.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) tree: Tree,
    /// Whether its statements are lines of a session.
    pub(crate) session: bool,
    /// Whether the guard is told which variables are not set.
    pub(crate) complete: bool,
}

impl Program {
    pub(crate) fn text(&self) -> String {
        self.tree.render()
    }

    /// The texts that are judged one after the other.
    pub(crate) fn lines(&self) -> Vec<String> {
        match &self.tree {
            Tree::List(items) if self.session && items.len() > 1 => {
                items.iter().map(Tree::render).collect()
            }
            tree => vec![tree.render()],
        }
    }

    pub(crate) fn mode(&self) -> &'static str {
        match (self.session, self.complete) {
            (false, true) => "",
            (true, true) => " in a session",
            (false, false) => " with an unknown environment",
            (true, false) => " in a session with an unknown environment",
        }
    }
}

/// The state of the generator.
pub(crate) struct Generator {
    pub(crate) random: Random,
    names: usize,
    /// Variables whose value is used later.
    pub(crate) variables: Vec<String>,
}

impl Generator {
    /// A unique name.
    pub(crate) fn fresh(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }
}

/// Generates the program with this number.
pub(crate) fn generate(number: u64) -> Program {
    let mut generator = Generator { random: Random::new(number), names: 0, variables: Vec::new() };
    let mut statements = Vec::new();
    let uses = if generator.random.one_in(4) { 2 } else { 1 };
    for _ in 0..uses {
        let mut body = Vec::new();
        generator.sink(&mut body);
        let wrapped = generator.random.below(3);
        for _ in 0..wrapped {
            body = vec![generator.place(body)];
        }
        statements.extend(body);
    }
    let session = generator.random.one_in(4);
    let complete = generator.random.one_in(2);
    Program { tree: Tree::List(statements), session, complete }
}
