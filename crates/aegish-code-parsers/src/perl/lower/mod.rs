//! The syntax tree → intermediate form.
//!
//! The context decides: [`Perl::scalar`] gives one value, [`Perl::items`] all of them. A call whose one value counts is
//! wrapped in a sequence. Arrays and hashes are the values of the variables `@name` and `%name`; names in angle brackets
//! are functions of the interpreter.

mod assignments;
mod builtins;
mod calls;
mod functions;
mod places;
mod statements;

use super::Perl;
use super::tree::Node;
use crate::ir::{Argument, Call, CallKind, Constant, Expr, Item, UnaryOp};
use crate::lowering::Lowering;
use std::rc::Rc;

pub(super) fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

pub(super) fn nothing() -> Expr {
    Expr::Constant(Constant::None)
}

pub(super) fn name(value: &str) -> Expr {
    Expr::Name(Lowering::name(value))
}

fn one(values: Vec<Expr>) -> Vec<Argument> {
    values.into_iter().map(Argument::One).collect()
}

fn arguments_of(items: Vec<Item>) -> Vec<Argument> {
    items
        .into_iter()
        .map(|item| match item {
            Item::One(value) => Argument::One(value),
            Item::Spread(value) => Argument::Spread(value),
        })
        .collect()
}

impl Perl<'_> {
    /// A call of a function of the language or of the interpreter.
    fn call(&mut self, function: &str, arguments: Vec<Argument>) -> Expr {
        self.call_expr(name(function), arguments)
    }

    fn call_expr(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    /// One value.
    pub(super) fn scalar(&mut self, node: &Node) -> Expr {
        self.lowering.size += 1;
        match node {
            Node::Text(value) | Node::Word(value) => text(value),
            Node::Int(number) => Expr::Constant(Constant::Int(*number)),
            Node::Number => Expr::Constant(Constant::Number),
            Node::Scalar(variable) => Expr::Name(variable.clone()),
            Node::Array(_) | Node::Hash(_) | Node::Deref('@' | '%', _) => {
                let container = self.container(node);
                self.call("<count>", one(vec![container]))
            }
            Node::Code(function) => Expr::Name(function.clone()),
            Node::Glob(glob) => {
                let glob = text(glob);
                self.call("<glob>", one(vec![glob]))
            }
            Node::Deref('*', inner) => {
                let inner = self.scalar(inner);
                self.call("<glob>", one(vec![inner]))
            }
            Node::Deref(_, inner) => {
                let inner = self.scalar(inner);
                self.call("<deref$>", one(vec![inner]))
            }
            Node::LastIndex(array) => {
                let array = self.container(array);
                self.call("<last-index>", one(vec![array]))
            }
            Node::Element(of, index) => {
                let container = self.container(of);
                let index = self.scalar(index);
                Expr::Index(Box::new([container, index]))
            }
            Node::Slice(..)
            | Node::ListSlice(..)
            | Node::Call(..)
            | Node::CallValue(..)
            | Node::Method(..)
            | Node::DynamicMethod(..)
            | Node::EvalBlock(_) => Expr::Sequence(vec![self.several(node)]),
            Node::Declare(how, nodes, _) => self.declare_nodes(*how, nodes),
            Node::Assign(op, target, value) => self.assign(*op, target, value, false),
            Node::Chain(first, rest) => {
                let first = self.scalar(first);
                let rest = rest.iter().map(|(op, node)| (*op, self.scalar(node))).collect();
                Expr::Chain(Box::new(first), rest)
            }
            Node::Concat(nodes) | Node::Build(nodes) => {
                Expr::Build(nodes.iter().map(|node| self.scalar(node)).collect())
            }
            Node::Joined(list) => {
                let items = self.items(list);
                self.call("<interpolate>", arguments_of(items))
            }
            Node::Repeat(what, count) => {
                let what = self.scalar(what);
                let count = self.scalar(count);
                self.call("<repeat>", one(vec![what, count]))
            }
            Node::Range(from, to) => {
                let from = self.scalar(from);
                let to = self.scalar(to);
                self.call("<maybe>", one(vec![from, to]))
            }
            Node::Logic(op, nodes) => {
                Expr::Logic(*op, nodes.iter().map(|node| self.scalar(node)).collect())
            }
            Node::Compare(left, op, right) => {
                let left = self.scalar(left);
                let right = self.scalar(right);
                Expr::Compare(Box::new(left), vec![(*op, right)])
            }
            Node::Order(op, left, right) => {
                let left = self.scalar(left);
                let right = self.scalar(right);
                self.call("<order>", one(vec![left, text(op), right]))
            }
            Node::Not(inner) => Expr::Unary(UnaryOp::Not, Box::new(self.scalar(inner))),
            Node::Negative(inner) => match &**inner {
                Node::Int(number) => Expr::Constant(Constant::Int(number.wrapping_neg())),
                Node::Word(word) | Node::Text(word) if word.parse::<f64>().is_err() => {
                    text(&format!("-{word}"))
                }
                Node::Call(function, arguments) if arguments.is_empty() => {
                    let word = function.rsplit("::").next().unwrap_or("");
                    text(&format!("-{word}"))
                }
                inner => Expr::Unary(UnaryOp::Minus, Box::new(self.scalar(inner))),
            },
            Node::Invert(inner) => Expr::Unary(UnaryOp::Invert, Box::new(self.scalar(inner))),
            Node::Increment { target, by, before } => self.increment(target, *by, *before),
            Node::Ternary(parts) => {
                let [test, yes, no] = &**parts;
                let test = self.scalar(test);
                let yes = self.scalar(yes);
                let no = self.scalar(no);
                Expr::Conditional(Box::new([test, yes, no]))
            }
            Node::List(nodes) => match nodes.as_slice() {
                [] => nothing(),
                [only] => self.scalar(only),
                _ => Expr::Sequence(nodes.iter().map(|node| self.scalar(node)).collect()),
            },
            Node::AnonArray(list) => {
                let items = self.items(list);
                Expr::List(items)
            }
            Node::AnonHash(list) => {
                let items = self.items(list);
                self.call("<hash>", arguments_of(items))
            }
            Node::AnonSub(sub) => Expr::Function(self.function("__ANON__", sub, true)),
            Node::Reference(inner) => self.reference(inner),
            Node::Builtin(function, arguments) => self.builtin(function, arguments, false),
            Node::Each(..) => {
                let all = self.several(node);
                self.call("<count>", one(vec![all]))
            }
            Node::Print(function, handle, arguments) => {
                self.print(function, handle.as_deref(), arguments)
            }
            Node::Match { target, pattern, flags, negated } => {
                let found = self.matched("<match>", target.as_deref(), pattern, flags);
                if *negated { Expr::Unary(UnaryOp::Not, Box::new(found)) } else { found }
            }
            Node::Subst { target, pattern, to, flags } => {
                self.substituted(target.as_deref(), pattern, to, flags)
            }
            Node::Trans { target, from, to, flags } => {
                self.translated(target.as_deref(), from, to, flags)
            }
            Node::Pattern(pattern, flags) => {
                let pattern = self.scalar(pattern);
                self.call("<qr>", one(vec![pattern, text(flags)]))
            }
            Node::PatternCode(pattern, codes) => {
                let mut values = vec![self.scalar(pattern)];
                for code in codes {
                    values.push(Expr::Function(self.function("<pattern>", code, false)));
                }
                self.call("<pattern-code>", one(values))
            }
            Node::Readline(handle) => {
                let handle = self.handle(handle);
                self.call("readline", one(vec![handle]))
            }
            Node::Glob2(_) => {
                let all = self.several(node);
                self.call("<any>", one(vec![all]))
            }
            Node::Backtick(command) => {
                let command = self.scalar(command);
                self.call("readpipe", one(vec![command]))
            }
            Node::DoBlock(body) => self.do_block(body),
            Node::FileTest(operand) => {
                let operand = match operand {
                    Some(operand) => self.scalar(operand),
                    None => name("$_"),
                };
                self.call("<file-test>", one(vec![operand]))
            }
            Node::Return(_) | Node::Jump(..) | Node::Goto(_) => {
                let mut out = Vec::new();
                self.control(node, &mut out);
                Expr::Block(out)
            }
            Node::Undefined => nothing(),
            Node::Wantarray => Expr::Constant(Constant::Number),
        }
    }

    /// All values of an expression, as a value that stands for several.
    fn several(&mut self, node: &Node) -> Expr {
        match node {
            Node::Slice(of, indexes, keys) => {
                let container = self.container(of);
                let items = self.items(indexes);
                let indexes = Expr::List(items);
                self.call(
                    if *keys { "<pairs-of>" } else { "<slice>" },
                    one(vec![container, indexes]),
                )
            }
            Node::ListSlice(list, indexes) => {
                let list = self.items(list);
                let indexes = self.items(indexes);
                let values = vec![Expr::List(list), Expr::List(indexes)];
                self.call("<slice>", one(values))
            }
            Node::Call(function, arguments) => self.user_call(function, arguments),
            Node::CallValue(function, arguments) => self.value_call(function, arguments.as_deref()),
            Node::Method(object, method, arguments) => {
                let object = self.scalar(object);
                let items = self.argument_items(arguments);
                let function = Expr::Attribute(Box::new(object), Lowering::name(method));
                self.call_expr(function, arguments_of(items))
            }
            Node::DynamicMethod(object, method, arguments) => {
                let object = self.scalar(object);
                let method = self.scalar(method);
                let mut all = one(vec![object, method]);
                let items = self.argument_items(arguments);
                all.extend(arguments_of(items));
                self.call("<method>", all)
            }
            Node::EvalBlock(sub) => {
                let function = Expr::Function(self.function("<eval>", sub, false));
                self.call("<eval-block>", one(vec![function]))
            }
            Node::Each(function, sub, list) => {
                let code = Expr::Function(self.function("<block>", sub, false));
                let mut all = one(vec![code]);
                let items = self.argument_items(list);
                all.extend(arguments_of(items));
                self.call(function, all)
            }
            Node::Glob2(pattern) => {
                let pattern = self.scalar(pattern);
                self.call("glob", one(vec![pattern]))
            }
            other => self.scalar(other),
        }
    }

    fn argument_items(&mut self, arguments: &[Node]) -> Vec<Item> {
        let mut items = Vec::new();
        for argument in arguments {
            items.append(&mut self.items(argument));
        }
        items
    }

    /// All values.
    pub(super) fn items(&mut self, node: &Node) -> Vec<Item> {
        self.lowering.size += 1;
        match node {
            Node::List(nodes) => self.argument_items(nodes),
            Node::Array(_) | Node::Deref('@', _) => vec![Item::Spread(self.container(node))],
            Node::Hash(_) | Node::Deref('%', _) => {
                let hash = self.container(node);
                vec![Item::Spread(self.call("<pairs>", one(vec![hash])))]
            }
            Node::Slice(..) | Node::ListSlice(..) | Node::Glob2(_) => {
                vec![Item::Spread(self.several(node))]
            }
            Node::Call(..)
            | Node::CallValue(..)
            | Node::Method(..)
            | Node::DynamicMethod(..)
            | Node::Each(..)
            | Node::EvalBlock(_) => {
                let value = self.several(node);
                vec![Item::Spread(self.call("<list>", one(vec![value])))]
            }
            Node::Declare(_, nodes, brackets) => {
                let many = *brackets
                    || nodes.iter().any(|node| matches!(node, Node::Array(_) | Node::Hash(_)));
                let value = self.scalar(node);
                if many {
                    let mut items = vec![Item::Spread(self.call("<nothing>", one(vec![value])))];
                    items.append(&mut self.argument_items(nodes));
                    items
                } else {
                    vec![Item::One(value)]
                }
            }
            Node::Assign(op, target, value) if self.is_list_target(target) => {
                let made = self.assign(*op, target, value, true);
                vec![Item::Spread(made)]
            }
            Node::Repeat(what, count) if matches!(**what, Node::List(_)) => {
                let items = self.items(what);
                let count = self.scalar(count);
                let list = Expr::List(items);
                vec![Item::Spread(self.call("<repeat-list>", one(vec![list, count])))]
            }
            Node::Range(from, to) => {
                let from = self.scalar(from);
                let to = self.scalar(to);
                vec![Item::Spread(self.call("<range>", one(vec![from, to])))]
            }
            Node::Ternary(parts) => {
                let [test, yes, no] = &**parts;
                let test = self.scalar(test);
                let yes = Expr::Tuple(self.items(yes));
                let no = Expr::Tuple(self.items(no));
                let value = Expr::Conditional(Box::new([test, yes, no]));
                vec![Item::Spread(self.call("<list>", one(vec![value])))]
            }
            Node::Logic(op, nodes) => {
                let last = nodes.len().saturating_sub(1);
                let mut values = Vec::new();
                for (place, node) in nodes.iter().enumerate() {
                    let single = place < last || !is_several(node);
                    values.push(if single {
                        self.scalar(node)
                    } else {
                        Expr::Tuple(self.items(node))
                    });
                }
                let value = Expr::Logic(*op, values);
                vec![Item::Spread(self.call("<list>", one(vec![value])))]
            }
            Node::Reference(inner) => match &**inner {
                Node::List(nodes) => {
                    nodes.iter().map(|node| Item::One(self.reference(node))).collect()
                }
                _ => vec![Item::One(self.scalar(node))],
            },
            Node::Match { target, pattern, flags, negated: false } => {
                let found = self.matched("<match-list>", target.as_deref(), pattern, flags);
                vec![Item::Spread(self.call("<list>", one(vec![found])))]
            }
            Node::Readline(handle) => {
                let handle = self.handle(handle);
                vec![Item::Spread(self.call("<readlines>", one(vec![handle])))]
            }
            Node::Backtick(command) => {
                let command = self.scalar(command);
                let value = self.call("readpipe", one(vec![command]));
                vec![Item::Spread(self.call("<lines>", one(vec![value])))]
            }
            Node::DoBlock(body) => {
                let value = self.do_block(body);
                vec![Item::Spread(self.call("<list>", one(vec![value])))]
            }
            Node::Builtin(function, arguments) if gives_list(function) => {
                let value = self.builtin(function, arguments, true);
                vec![Item::Spread(self.call("<list>", one(vec![value])))]
            }
            Node::Return(_) | Node::Jump(..) => {
                let value = self.scalar(node);
                vec![Item::Spread(self.call("<nothing>", one(vec![value])))]
            }
            other => vec![Item::One(self.scalar(other))],
        }
    }
}

/// Whether an expression may stand for several values.
pub(super) fn is_several(node: &Node) -> bool {
    match node {
        Node::Array(_)
        | Node::Hash(_)
        | Node::Deref('@' | '%', _)
        | Node::Slice(..)
        | Node::ListSlice(..)
        | Node::Each(..)
        | Node::Range(..)
        | Node::Glob2(_)
        | Node::EvalBlock(_)
        | Node::DoBlock(_)
        | Node::Call(..)
        | Node::CallValue(..)
        | Node::Method(..)
        | Node::DynamicMethod(..) => true,
        Node::List(nodes) => nodes.len() != 1 || nodes.iter().any(is_several),
        Node::Builtin(function, _) => gives_list(function),
        Node::Repeat(what, _) => matches!(**what, Node::List(_)),
        Node::Ternary(parts) => {
            let [_, yes, no] = &**parts;
            is_several(yes) || is_several(no)
        }
        _ => false,
    }
}

/// Functions of the language that give several values in a list.
pub(super) fn gives_list(function: &str) -> bool {
    matches!(
        function,
        "sort"
            | "reverse"
            | "keys"
            | "values"
            | "each"
            | "split"
            | "splice"
            | "unpack"
            | "caller"
            | "localtime"
            | "gmtime"
            | "stat"
            | "lstat"
            | "glob"
            | "readdir"
            | "readline"
            | "readpipe"
            | "eval"
            | "do"
            | "delete"
            | "getpwnam"
            | "getpwuid"
            | "getpwent"
            | "times"
    )
}
