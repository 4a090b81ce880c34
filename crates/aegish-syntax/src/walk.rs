//! Traversals of the whole tree: all commands, and inserting here-documents.

use crate::cursor::Parser;
use crate::heredoc::placeholder_id;
use crate::{
    AndOr, ArrayElement, AssignmentValue, Command, CommandKind, Cond, List, Param, ParamOp, Part,
    Redirect, Script, SimpleCommand, Word,
};

impl Script {
    /// Every command in the tree, outer ones before inner ones, including those in substitutions,
    /// here-documents, arithmetic, tests, patterns and function bodies.
    #[must_use]
    pub fn commands(&self) -> Vec<&Command> {
        let mut found = Collector(Vec::new());
        found.list(&self.body);
        found.0
    }

    /// Every simple command in the tree; see [`Script::commands`].
    #[must_use]
    pub fn simple_commands(&self) -> Vec<&SimpleCommand> {
        self.commands()
            .into_iter()
            .filter_map(|command| match &command.kind {
                CommandKind::Simple(simple) => Some(simple),
                _ => None,
            })
            .collect()
    }
}

impl Word {
    /// Every command inside the word; see [`Script::commands`].
    #[must_use]
    pub fn commands(&self) -> Vec<&Command> {
        let mut found = Collector(Vec::new());
        found.word(self);
        found.0
    }
}

/// The traversal, in a shared and a mutable version.
macro_rules! traversal {
    ({ $($type:tt)* } { $($borrow:tt)* }) => {
        fn list(&mut self, list: $($type)* List) {
            self.items($($borrow)* list.items);
        }

        fn command(&mut self, command: $($type)* Command) {
            for redirect in $($borrow)* command.redirects {
                self.redirect(redirect);
            }
            match $($borrow)* command.kind {
                CommandKind::Simple(simple) => self.simple(simple),
                CommandKind::Group(list) | CommandKind::Subshell(list) => self.list(list),
                CommandKind::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.list(condition);
                        self.list(body);
                    }
                    if let Some(body) = otherwise {
                        self.list(body);
                    }
                }
                CommandKind::While { condition, body, .. } => {
                    self.list(condition);
                    self.list(body);
                }
                CommandKind::For { words, body, .. } | CommandKind::Select { words, body, .. } => {
                    for word in words.into_iter().flatten() {
                        self.word(word);
                    }
                    self.list(body);
                }
                CommandKind::ForArith { init, condition, step, body } => {
                    self.word(init);
                    self.word(condition);
                    self.word(step);
                    self.list(body);
                }
                CommandKind::Case { word, arms } => {
                    self.word(word);
                    for arm in arms {
                        for pattern in $($borrow)* arm.patterns {
                            self.word(pattern);
                        }
                        self.list($($borrow)* arm.body);
                    }
                }
                CommandKind::Function { body, .. } | CommandKind::Coproc { body, .. } => {
                    self.visit(body);
                }
                CommandKind::Cond(cond) => self.cond(cond),
                CommandKind::Arith(word) => self.word(word),
            }
        }

        fn simple(&mut self, simple: $($type)* SimpleCommand) {
            for assignment in $($borrow)* simple.assignments {
                if let Some(index) = $($borrow)* assignment.index {
                    self.word(index);
                }
                match $($borrow)* assignment.value {
                    AssignmentValue::Scalar(word) => self.word(word),
                    AssignmentValue::Array(elements) => self.elements(elements),
                }
            }
            for word in $($borrow)* simple.words {
                self.word(word);
            }
        }

        fn elements(&mut self, elements: $($type)* [ArrayElement]) {
            for element in elements {
                if let Some(index) = $($borrow)* element.index {
                    self.word(index);
                }
                self.word($($borrow)* element.value);
            }
        }

        fn cond(&mut self, cond: $($type)* Cond) {
            match cond {
                Cond::Word(word) | Cond::Unary(_, word) => self.word(word),
                Cond::Binary(left, _, right) => {
                    self.word(left);
                    self.word(right);
                }
                Cond::Not(inner) => self.cond(inner),
                Cond::And(left, right) | Cond::Or(left, right) => {
                    self.cond(left);
                    self.cond(right);
                }
            }
        }

        fn word(&mut self, word: $($type)* Word) {
            self.parts($($borrow)* word.parts);
        }

        fn parts(&mut self, parts: $($type)* [Part]) {
            for part in parts {
                match part {
                    Part::Literal(_) | Part::Escaped(_) => {}
                    Part::SingleQuoted(_) | Part::AnsiC(_) => {}
                    Part::DoubleQuoted(parts) => self.parts(parts),
                    Part::Param(param) => self.param(param),
                    Part::Command(command) => self.list($($borrow)* command.body.body),
                    Part::Process(process) => self.list($($borrow)* process.body.body),
                    Part::Arith(word) => self.word(word),
                    Part::ExtGlob(_, words) => {
                        for word in words {
                            self.word(word);
                        }
                    }
                    Part::Array(elements) => self.elements(elements),
                }
            }
        }

        fn param(&mut self, param: $($type)* Param) {
            if let Some(index) = $($borrow)* param.index {
                self.word(index);
            }
            match $($borrow)* param.op {
                ParamOp::Plain | ParamOp::Length => {}
                ParamOp::Transform(_) | ParamOp::Names(_) => {}
                ParamOp::Default { word, .. }
                | ParamOp::Assign { word, .. }
                | ParamOp::Error { word, .. }
                | ParamOp::Alternative { word, .. }
                | ParamOp::RemovePrefix { pattern: word, .. }
                | ParamOp::RemoveSuffix { pattern: word, .. } => self.word(word),
                ParamOp::Replace { pattern, with, .. } => {
                    self.word(pattern);
                    if let Some(word) = with {
                        self.word(word);
                    }
                }
                ParamOp::Substring { offset, length } => {
                    self.word(offset);
                    if let Some(word) = length {
                        self.word(word);
                    }
                }
                ParamOp::Case { pattern, .. } => {
                    if let Some(word) = pattern {
                        self.word(word);
                    }
                }
            }
        }
    };
}

struct Collector<'t>(Vec<&'t Command>);

impl<'t> Collector<'t> {
    traversal!({ &'t } { & });

    fn items(&mut self, items: &'t [AndOr]) {
        for item in items {
            for pipeline in std::iter::once(&item.first).chain(item.rest.iter().map(|(_, p)| p)) {
                for command in &pipeline.commands {
                    self.visit(command);
                }
            }
        }
    }

    fn visit(&mut self, command: &'t Command) {
        self.0.push(command);
        self.command(command);
    }

    fn redirect(&mut self, redirect: &'t Redirect) {
        self.word(&redirect.target);
        if let Some(body) = &redirect.here_doc {
            self.word(body);
        }
    }
}

struct Placer<'b>(&'b mut [Option<Word>]);

impl Placer<'_> {
    traversal!({ &mut } { &mut });

    fn items(&mut self, items: &mut [AndOr]) {
        for item in items {
            for command in &mut item.first.commands {
                self.visit(command);
            }
            for (_, pipeline) in &mut item.rest {
                for command in &mut pipeline.commands {
                    self.visit(command);
                }
            }
        }
    }

    fn visit(&mut self, command: &mut Command) {
        self.command(command);
    }

    fn redirect(&mut self, redirect: &mut Redirect) {
        self.word(&mut redirect.target);
        if let Some(body) = &mut redirect.here_doc {
            if let Some(found) = placeholder_id(body).and_then(|id| self.0.get_mut(id)?.take()) {
                *body = found;
            }
            self.word(body);
        }
    }
}

impl Parser<'_> {
    /// Inserts the bodies read so far into these commands.
    pub(crate) fn place_here_docs(&mut self, items: &mut [AndOr]) {
        if !self.bodies.is_empty() {
            Placer(&mut self.bodies).items(items);
        }
    }

    /// Inserts the bodies read so far into these parts.
    pub(crate) fn place_here_docs_in_parts(&mut self, parts: &mut [Part]) {
        if !self.bodies.is_empty() {
            Placer(&mut self.bodies).parts(parts);
        }
    }
}
