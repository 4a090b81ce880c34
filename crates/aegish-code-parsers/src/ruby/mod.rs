//! Ruby: text → intermediate form, by `lib-ruby-parser`.
//!
//! Everything that Ruby writes without a receiver is a call of a method of `self`. A block is a function that sees the
//! variables around it and is passed as the argument named `&`. The parser keeps its own stack, but dropping its tree
//! recurses; the stack for that grows with the text.

mod arguments;
mod calls;
mod expressions;
mod patterns;
mod statements;
mod targets;

use crate::ir::{Constant, Expr, Name, Program, Statement, Target};
use crate::lowering::Lowering;
use lib_ruby_parser::{ErrorLevel, Node, Parser, ParserOptions};
use std::collections::HashSet;
use std::rc::Rc;

/// Longest text that is parsed, in bytes. The parser needs 1.4 s for 1 MiB.
const MAX_TEXT: usize = 256 << 10;

/// Stack per byte of the text for dropping a tree that nests with every byte.
const STACK_PER_BYTE: usize = 640;

/// The argument that a block is passed as.
const BLOCK: &str = "&";

/// The line behind which a text is data.
const END: &str = "__END__";

/// The variable of the last line that was read.
const LINE: &str = "$_";

/// What `next` and `break` leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Method,
    Block,
    Loop,
}

/// The variables of a method or block, and what is around the present statement in it.
struct Frame {
    names: HashSet<String>,
    /// A block sees the variables around it.
    block: bool,
    around: Vec<Around>,
}

/// The lowering of one text.
struct Ruby<'a> {
    lowering: &'a mut Lowering,
    frames: Vec<Frame>,
    /// Inside of `class << self`.
    singleton: bool,
    temporaries: u32,
    /// Parameters that the next block does not write down.
    numbered: Vec<String>,
    /// The text uses the line that `-n` and `-p` read.
    uses_line: bool,
    /// `retry` was seen in the present `begin`.
    retries: bool,
}

/// Returns the program that a text is.
pub(crate) fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let body = stacker::grow((1 << 20) + code.len() * STACK_PER_BYTE, || {
        let options = ParserOptions { record_tokens: false, ..ParserOptions::default() };
        let parsed = Parser::new(code, options).do_parse();
        let failed = |level: &ErrorLevel| matches!(level, ErrorLevel::Error);
        let rejected = parsed.diagnostics.iter().any(|found| failed(&found.level));
        let mut ruby = Ruby {
            lowering,
            frames: Vec::new(),
            singleton: false,
            temporaries: 0,
            numbered: Vec::new(),
            uses_line: false,
            retries: false,
        };
        ruby.frames.push(Frame {
            names: HashSet::new(),
            block: false,
            around: vec![Around::Method],
        });
        let mut body = Vec::new();
        if let Some(data) = data_of(code) {
            let value = Expr::Constant(Constant::Text(Rc::from(data)));
            body.push(Statement::Assign(vec![Target::Name(Lowering::name("DATA"))], value));
        }
        if let Some(tree) = &parsed.ast {
            ruby.before(tree, &mut body);
            ruby.statements(Some(tree), &mut body);
            if ruby.uses_line {
                // The interpreter learns it before a condition hides it.
                body.insert(0, Statement::Expr(Expr::Name(Lowering::name(LINE))));
            }
        }
        lowering.cut |= rejected;
        body
    });
    Program { body, cut: lowering.cut, size: lowering.size }
}

/// The text behind `__END__`.
fn data_of(code: &str) -> Option<&str> {
    let at = code.find(&format!("\n{END}\n"))?;
    code.get(at + END.len() + 2..)
}

impl Ruby<'_> {
    fn name(text: &str) -> Name {
        Lowering::name(text)
    }

    /// A variable that the text does not name.
    fn temporary(&mut self) -> Name {
        self.temporaries += 1;
        Self::name(&format!("<{}>", self.temporaries))
    }

    /// `BEGIN { … }` runs before everything else.
    fn before(&mut self, tree: &Node, out: &mut Vec<Statement>) {
        let first = match tree {
            Node::Begin(begin) => begin.statements.as_slice(),
            other => std::slice::from_ref(other),
        };
        for node in first {
            if let Node::Preexe(block) = node {
                self.statements(block.body.as_deref(), out);
            }
        }
    }

    fn declare(&mut self, name: &str) {
        if let Some(frame) = self.frames.last_mut() {
            frame.names.insert(name.to_owned());
        }
    }

    /// The target of an assignment to a local variable.
    fn local(&mut self, name: &str) -> Target {
        let mut outer = false;
        for (depth, frame) in self.frames.iter().rev().enumerate() {
            if frame.names.contains(name) {
                outer = depth > 0;
                break;
            }
            if !frame.block {
                break;
            }
        }
        let variable = Self::name(name);
        if outer {
            return Target::Nearest(variable);
        }
        self.declare(name);
        Target::Name(variable)
    }

    fn around(&self) -> Around {
        self.frames.last().and_then(|frame| frame.around.last().copied()).unwrap_or(Around::Method)
    }

    /// Lowers the body of a loop.
    fn in_loop<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(frame) = self.frames.last_mut() {
            frame.around.push(Around::Loop);
        }
        let result = lower(self);
        if let Some(frame) = self.frames.last_mut() {
            frame.around.pop();
        }
        result
    }
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

fn nil() -> Expr {
    Expr::Constant(Constant::None)
}

fn this() -> Expr {
    Expr::Name(Lowering::name("self"))
}
