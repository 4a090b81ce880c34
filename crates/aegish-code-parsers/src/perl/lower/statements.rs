//! Statements.

use super::super::Perl;
use super::super::tree::{Declaration, Jump, Node, Stmt, Sub};
use super::{arguments_of, gives_list, nothing, one, text};
use crate::ir::{Bindings, Block, Constant, Expr, Item, LogicOp, Name, Statement, Target, UnaryOp};

/// What becomes of the value of the last statement.
pub(super) enum Tail {
    Nothing,
    Return,
    Assign(Name),
}

impl Perl<'_> {
    /// The whole program: functions and modules come first.
    pub(in super::super) fn lower_program(&mut self, statements: &[Stmt]) -> Block {
        let mut out = Vec::new();
        if let Some(data) = self.data.take() {
            let value = self.call("<data>", one(vec![text(&data)]));
            out.push(Statement::Assign(vec![Target::Nearest("*main::DATA".into())], value));
        }
        // The last statement gives the value of code that is evaluated.
        let tail = if self.has_end { Tail::Nothing } else { Tail::Return };
        let mut body = self.body(statements, &tail);
        let ends = std::mem::take(&mut self.ends);
        for (number, end) in ends.into_iter().enumerate().rev() {
            // It runs even if the end is not reached.
            let function: Name = format!("&main::<end {number}>").into();
            let target = Target::Nearest(function.clone());
            out.push(Statement::Assign(vec![target], Expr::Function(end)));
            let call = self.call("<call>", one(vec![Expr::Name(function)]));
            body.push(Statement::Expr(call));
        }
        for (function, code) in std::mem::take(&mut self.hoisted) {
            let target = Target::Nearest(function);
            out.push(Statement::Assign(vec![target], Expr::Function(code)));
        }
        out.append(&mut self.uses);
        out.append(&mut body);
        out
    }

    /// Statements of a block; functions are known from its beginning on.
    pub(super) fn body(&mut self, statements: &[Stmt], tail: &Tail) -> Block {
        let mut out = Vec::new();
        for statement in statements {
            if let Stmt::Sub(function, sub) = statement {
                self.sub(function, sub, &mut out);
            }
        }
        let last = statements.len().saturating_sub(1);
        for (place, statement) in statements.iter().enumerate() {
            let tail = if place == last { tail } else { &Tail::Nothing };
            self.statement_into(statement, tail, &mut out);
        }
        out
    }

    fn sub(&mut self, function: &Name, sub: &Sub, out: &mut Block) {
        let code = self.function(function, sub, true);
        self.hoisted.push((function.clone(), code.clone()));
        let target = Target::Nearest(function.clone());
        out.push(Statement::Assign(vec![target], Expr::Function(code)));
    }

    fn statement_into(&mut self, statement: &Stmt, tail: &Tail, out: &mut Block) {
        self.lowering.size += 1;
        match statement {
            Stmt::Expr(node) => self.expression_statement(node, tail, out),
            Stmt::Block(body) => {
                // `last` leaves a bare block.
                let inner = self.body(body, tail);
                out.push(Statement::Block(inner));
            }
            Stmt::If(branches) => {
                let mut lowered = Vec::new();
                for (test, body) in branches {
                    let test = test.as_ref().map(|test| self.scalar(test));
                    let body = self.body(body, tail);
                    lowered.push((test, vec![Statement::Block(body)]));
                }
                out.push(Statement::Block(vec![Statement::Branch(lowered)]));
            }
            Stmt::While { test, body, step, first } => {
                // `… while fork` goes on for ever in every child.
                let forks = matches!(test, Some(Node::Builtin(function, _)) if function == "fork");
                let test = match test {
                    Some(test) if !forks => self.while_test(test),
                    _ => Expr::Constant(Constant::Bool(true)),
                };
                let mut all = Vec::new();
                if *first {
                    all.append(&mut self.body(body, &Tail::Nothing));
                }
                let mut body = vec![Statement::Block(self.body(body, &Tail::Nothing))];
                if forks {
                    let fork = self.call("fork", Vec::new());
                    body.push(Statement::Expr(fork));
                }
                let step = self.body(step, &Tail::Nothing);
                let (otherwise, copies) = (Vec::new(), Vec::new());
                all.push(Statement::While { test, step, body, otherwise, copies });
                out.push(Statement::Block(all));
            }
            Stmt::ForC { start, test, step, body } => {
                let mut all = Vec::new();
                if let Some(start) = start {
                    self.expression_statement(start, &Tail::Nothing, &mut all);
                }
                let test = match test {
                    Some(test) => self.scalar(test),
                    None => Expr::Constant(Constant::Bool(true)),
                };
                let mut steps = Vec::new();
                if let Some(step) = step {
                    self.expression_statement(step, &Tail::Nothing, &mut steps);
                }
                let body = vec![Statement::Block(self.body(body, &Tail::Nothing))];
                let (otherwise, copies) = (Vec::new(), Vec::new());
                all.push(Statement::While { test, step: steps, body, otherwise, copies });
                out.push(Statement::Block(all));
            }
            Stmt::Foreach { variable, list, body } => {
                self.foreach(variable.as_ref(), list, body, out);
            }
            Stmt::Labeled(label, inner) => {
                let mut body = Vec::new();
                self.statement_into(inner, &Tail::Nothing, &mut body);
                // The label belongs to the loop itself, which may have a block around it.
                let body = match body.as_mut_slice() {
                    [Statement::Block(inner)] => {
                        let mut inner = std::mem::take(inner);
                        if let Some(last) = inner.pop() {
                            inner.push(Statement::Labeled(label.clone(), vec![last]));
                        }
                        vec![Statement::Block(inner)]
                    }
                    _ => vec![Statement::Labeled(label.clone(), body)],
                };
                out.extend(body);
            }
            Stmt::Sub(..) => {}
            Stmt::Begin(sub) => {
                // It runs even if the statements before it leave the program.
                let code = self.function("BEGIN", sub, false);
                self.made += 1;
                let function: Name = format!("&main::<begin {}>", self.made).into();
                self.hoisted.push((function.clone(), code.clone()));
                let target = Target::Nearest(function.clone());
                out.push(Statement::Assign(vec![target], Expr::Function(code)));
                let call = self.call("<call>", one(vec![Expr::Name(function)]));
                out.push(Statement::Expr(call));
            }
            Stmt::End(sub) => {
                let code = self.function("END", sub, false);
                self.ends.push(code);
            }
            Stmt::Use { module, list } => self.use_module(module, list.as_ref()),
        }
    }

    /// Modules are loaded before anything else runs.
    fn use_module(&mut self, module: &str, list: Option<&Node>) {
        if module == "constant" {
            if let Some(list) = list {
                self.constants_from(list);
            }
            return;
        }
        let package = self.package.clone();
        let mut all = one(vec![text(module), text(&package)]);
        if let Some(list) = list {
            let items = self.items(list);
            all.extend(arguments_of(items));
        }
        let call = self.call("<use>", all);
        self.uses.push(Statement::Expr(call));
    }

    /// `use constant NAME => value`: functions that give the values.
    fn constants_from(&mut self, list: &Node) {
        let define = |this: &mut Self, key: &Node, values: &[Node]| {
            let (Node::Text(constant) | Node::Word(constant)) = key else {
                this.lowering.cut = true;
                return;
            };
            let value = match values {
                [one] => this.given_back(one),
                several => Expr::Tuple(this.argument_items(several)),
            };
            let code = this.expression_function(value);
            let target = Target::Nearest(this.global('&', constant));
            this.uses.push(Statement::Assign(vec![target], Expr::Function(code)));
        };
        match list {
            Node::AnonHash(inner) => {
                if let Node::List(nodes) = &**inner {
                    for pair in nodes.chunks(2) {
                        if let [key, value] = pair {
                            define(self, key, std::slice::from_ref(value));
                        }
                    }
                }
            }
            Node::List(nodes) => {
                if let Some((key, values)) = nodes.split_first() {
                    define(self, key, values);
                }
            }
            other => define(self, other, &[]),
        }
    }

    /// The condition of a loop: a line that is read becomes `$_`.
    fn while_test(&mut self, test: &Node) -> Expr {
        match test {
            Node::Readline(_) | Node::Glob2(_) => self.read_topic(test),
            Node::Builtin(function, _)
                if matches!(function.as_str(), "readline" | "readdir" | "glob") =>
            {
                self.read_topic(test)
            }
            Node::Int(number) if *number != 0 => Expr::Constant(Constant::Bool(true)),
            Node::List(nodes) if nodes.len() == 1 => match nodes.first() {
                Some(only) => self.while_test(only),
                None => nothing(),
            },
            Node::Assign(_, _, value) if reads(value) => {
                let test = self.scalar(test);
                self.call("<maybe>", one(vec![test]))
            }
            Node::Builtin(function, arguments) if function == "defined" => {
                let inner: Vec<Expr> = arguments.iter().map(|node| self.while_test(node)).collect();
                let unknown = arguments.iter().any(|node| {
                    matches!(node, Node::Assign(_, _, value) if reads(value)) || reads(node)
                });
                if unknown {
                    return self.call("<maybe>", one(inner));
                }
                self.scalar(test)
            }
            other => self.scalar(other),
        }
    }

    fn read_topic(&mut self, test: &Node) -> Expr {
        let value = self.scalar(test);
        let assigned = Expr::Assign(Box::new((Target::Nearest("$_".into()), value)));
        self.call("<maybe>", one(vec![assigned]))
    }

    fn foreach(&mut self, variable: Option<&Node>, list: &Node, body: &[Stmt], out: &mut Block) {
        let mut all = Vec::new();
        let (target, variable) = match variable {
            Some(Node::Declare(Declaration::My, nodes, _)) => match nodes.first() {
                Some(Node::Scalar(variable)) => (Target::Name(variable.clone()), variable.clone()),
                _ => (Target::Ignore, "$_".into()),
            },
            Some(Node::Scalar(variable)) => (Target::Nearest(variable.clone()), variable.clone()),
            Some(Node::Declare(_, nodes, _)) => match nodes.first() {
                Some(Node::Scalar(variable)) => {
                    (Target::Nearest(variable.clone()), variable.clone())
                }
                _ => (Target::Ignore, "$_".into()),
            },
            _ => (Target::Nearest("$_".into()), Name::from("$_")),
        };
        if !matches!(target, Target::Name(_)) {
            let call = self.call("<local>", one(vec![text(&variable)]));
            all.push(Statement::Expr(call));
        }
        let inner = vec![Statement::Block(self.body(body, &Tail::Nothing))];
        // The loop variable is another name of each item.
        let places: Vec<&Node> = match list {
            Node::List(nodes) => nodes.iter().collect(),
            other => vec![other],
        };
        if let [array @ (Node::Array(_) | Node::Deref('@', _))] = places.as_slice()
            && self.changes.contains(&variable)
        {
            // What becomes of the items is collected and replaces them.
            self.made += 1;
            let kept: Name = format!("@main::<loop {}>", self.made).into();
            let empty = Expr::List(Vec::new());
            all.push(Statement::Assign(vec![Target::Nearest(kept.clone())], empty));
            let items = self.container(array);
            let list = Expr::List(vec![Item::Spread(items)]);
            let values = vec![Expr::Name(kept.clone()), Expr::Name(variable)];
            let push = self.call("push", one(values));
            let mut inner = inner;
            inner.push(Statement::Expr(push));
            all.push(for_loop(target, list, inner));
            let place = self.place_of(array);
            let end = self.call("<replace-items>", one(vec![place, Expr::Name(kept)]));
            all.push(Statement::Expr(end));
            out.push(Statement::Block(all));
            return;
        }
        let scalars = places.iter().all(|node| matches!(node, Node::Scalar(_) | Node::Element(..)));
        if scalars && !places.is_empty() && places.len() <= 8 && self.changes.contains(&variable) {
            for node in &places {
                let value = self.scalar(node);
                let mut inner = vec![Statement::Block(self.body(body, &Tail::Nothing))];
                let changed = self.assign_value(node, Expr::Name(variable.clone()));
                inner.push(Statement::Expr(changed));
                let target = match &target {
                    Target::Name(_) => Target::Name(variable.clone()),
                    _ => Target::Nearest(variable.clone()),
                };
                all.push(for_loop(target, Expr::List(vec![Item::One(value)]), inner));
            }
            out.push(Statement::Block(all));
            return;
        }
        let items = self.items(list);
        let items = Expr::List(items);
        all.push(for_loop(target, items, inner));
        out.push(Statement::Block(all));
    }

    fn expression_statement(&mut self, node: &Node, tail: &Tail, out: &mut Block) {
        match node {
            Node::Return(_) | Node::Jump(..) | Node::Goto(_) => self.control(node, out),
            Node::List(nodes) if nodes.len() == 1 => {
                if let Some(only) = nodes.first() {
                    self.expression_statement(only, tail, out);
                }
            }
            Node::Builtin(function, arguments)
                if matches!(function.as_str(), "die" | "exit") && matches!(tail, Tail::Nothing) =>
            {
                let items = self.argument_items(arguments);
                let value = if function == "die" {
                    Some(self.call("<message>", arguments_of(items)))
                } else {
                    let value = self.call("exit", arguments_of(items));
                    out.push(Statement::Expr(value));
                    None
                };
                out.push(Statement::Raise(value));
            }
            // What stands behind may leave the function.
            Node::Logic(op @ (LogicOp::Or | LogicOp::And), nodes) if nodes.iter().any(leaves) => {
                self.logic_statement(*op, nodes, tail, out);
            }
            Node::Ternary(parts) if parts.iter().any(leaves) => {
                let [test, yes, no] = &**parts;
                let test = self.scalar(test);
                let mut first = Vec::new();
                self.expression_statement(yes, tail, &mut first);
                let mut second = Vec::new();
                self.expression_statement(no, tail, &mut second);
                out.push(Statement::Branch(vec![(Some(test), first), (None, second)]));
            }
            Node::DoBlock(body) if matches!(tail, Tail::Nothing) => {
                let body = self.body(body, &Tail::Nothing);
                out.push(Statement::Block(body));
            }
            other => match tail {
                Tail::Nothing => {
                    let value = match other {
                        Node::Assign(op, target, value) => self.assign(*op, target, value, true),
                        Node::Call(..)
                        | Node::CallValue(..)
                        | Node::Method(..)
                        | Node::DynamicMethod(..)
                        | Node::EvalBlock(_)
                        | Node::Each(..)
                        | Node::Glob2(_) => self.several(other),
                        Node::Builtin(function, arguments) if gives_list(function) => {
                            self.builtin(function, arguments, true)
                        }
                        Node::List(nodes) => {
                            for node in nodes {
                                self.expression_statement(node, &Tail::Nothing, out);
                            }
                            return;
                        }
                        other => self.scalar(other),
                    };
                    out.push(Statement::Expr(value));
                }
                Tail::Return => {
                    let value = self.given_back(other);
                    out.push(Statement::Return(Some(value)));
                }
                Tail::Assign(variable) => {
                    let value = self.given_back(other);
                    out.push(Statement::Assign(vec![Target::Nearest(variable.clone())], value));
                }
            },
        }
    }

    /// `a or return`, `a and next`.
    fn logic_statement(&mut self, op: LogicOp, nodes: &[Node], tail: &Tail, out: &mut Block) {
        let Some((first, rest)) = nodes.split_first() else { return };
        if rest.is_empty() {
            self.expression_statement(first, tail, out);
            return;
        }
        let test = self.scalar(first);
        let test = match op {
            LogicOp::Or => Expr::Unary(UnaryOp::Not, Box::new(test)),
            _ => test,
        };
        let mut body = Vec::new();
        self.logic_statement(op, rest, tail, &mut body);
        out.push(Statement::Branch(vec![(Some(test), body)]));
    }

    /// Statements that leave a function or a loop.
    pub(super) fn control(&mut self, node: &Node, out: &mut Block) {
        match node {
            Node::Return(value) => {
                let value = match value {
                    Some(value) => self.given_back(value),
                    None => Expr::Tuple(Vec::new()),
                };
                out.push(Statement::Return(Some(value)));
            }
            Node::Jump(Jump::Last, label) => out.push(Statement::Break(label.clone())),
            Node::Jump(Jump::Next, label) => out.push(Statement::Continue(label.clone())),
            Node::Jump(Jump::Redo, label) => {
                // The same item again: what comes of it is not followed.
                self.lowering.cut = true;
                out.push(Statement::Continue(label.clone()));
            }
            Node::Goto(target) => {
                let value = match &**target {
                    Node::CallValue(function, None) => self.value_call(function, None),
                    other => self.several(other),
                };
                out.push(Statement::Return(Some(value)));
            }
            _ => {}
        }
    }
}

fn for_loop(target: Target, iterable: Expr, body: Block) -> Statement {
    Statement::For {
        target,
        iterable,
        body,
        otherwise: Vec::new(),
        bindings: Bindings::PerIteration,
    }
}

/// Whether an expression reads a line, a name or a pair each time.
fn reads(node: &Node) -> bool {
    match node {
        Node::Readline(_) | Node::Glob2(_) => true,
        Node::Builtin(function, _) => {
            matches!(function.as_str(), "readline" | "readdir" | "each" | "getc" | "glob")
        }
        Node::List(nodes) => nodes.iter().any(reads),
        _ => false,
    }
}

/// Whether an expression leaves the function, the loop or the program.
fn leaves(node: &Node) -> bool {
    match node {
        Node::Return(_) | Node::Jump(..) | Node::Goto(_) => true,
        Node::Builtin(function, _) => matches!(function.as_str(), "die" | "exit" | "exec"),
        Node::List(nodes) => nodes.len() == 1 && nodes.iter().any(leaves),
        Node::Logic(_, nodes) => nodes.iter().any(leaves),
        Node::DoBlock(_) => true,
        _ => false,
    }
}
