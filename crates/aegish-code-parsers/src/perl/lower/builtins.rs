//! Functions of the language: which arguments are one value, which are changed.

use super::super::Perl;
use super::super::tree::Node;
use super::{arguments_of, name, nothing, one, text};
use crate::ir::{Argument, Arguments, Body, Constant, Expr, Function, Item, Receiver, Statement};
use crate::lowering::Lowering;
use std::rc::Rc;

/// Functions whose arguments are one value each.
#[rustfmt::skip] // several words in a line
const SCALARS: &[&str] = &[
    "abs", "alarm", "atan2", "bless", "caller", "chdir", "chr", "chroot", "cos", "crypt",
    "evalbytes", "exit", "exp", "fc", "getpwnam", "getpwuid", "getgrnam", "getgrgid",
    "gethostbyname", "getprotobyname", "gmtime", "hex", "index", "int", "lc", "lcfirst", "length",
    "link", "localtime", "log", "lstat", "mkdir", "oct", "ord", "quotemeta", "rand", "readlink",
    "readpipe", "ref", "rename", "rindex", "rmdir", "sin", "sleep", "sqrt", "srand", "stat",
    "symlink", "uc", "ucfirst", "umask", "vec", "waitpid", "eval", "do", "require", "truncate",
    "unpack", "glob",
];

/// Functions that take `$_` if they have no argument.
#[rustfmt::skip] // several words in a line
const TOPIC: &[&str] = &[
    "abs", "alarm", "chr", "chroot", "cos", "eval", "evalbytes", "exp", "fc", "glob", "hex",
    "int", "lc", "lcfirst", "length", "log", "lstat", "mkdir", "oct", "ord", "quotemeta",
    "readlink", "readpipe", "ref", "require", "rmdir", "sin", "sqrt", "stat", "uc", "ucfirst",
    "unlink",
];

/// Functions whose first argument is a file handle.
#[rustfmt::skip] // several words in a line
const HANDLES: &[&str] = &[
    "accept", "bind", "binmode", "close", "closedir", "connect", "eof", "fcntl", "fileno",
    "flock", "getc", "getpeername", "getsockname", "getsockopt", "ioctl", "listen", "readdir",
    "readline", "rewinddir", "seek", "seekdir", "select", "send", "setsockopt", "shutdown",
    "sysseek", "syswrite", "tell", "telldir", "write",
];

impl Perl<'_> {
    /// A function that gives the value of an expression.
    pub(super) fn expression_function(&mut self, value: Expr) -> Rc<Function> {
        self.lowering.functions += 1;
        Rc::new(Function {
            id: self.lowering.functions,
            name: Lowering::name("<expression>"),
            positional: Vec::new(),
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(vec![Statement::Return(Some(value))]),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        })
    }

    fn scalars(&mut self, arguments: &[Node]) -> Vec<Expr> {
        // `lc(@a)` and the like are rare; a list in brackets is several arguments.
        arguments.iter().map(|node| self.scalar(node)).collect()
    }

    pub(super) fn builtin(&mut self, function: &str, arguments: &[Node], several: bool) -> Expr {
        let first = arguments.first();
        match function {
            "scalar" => return first.map_or_else(nothing, |node| self.scalar(node)),
            "open" | "opendir" | "sysopen" | "socket" | "accept" => {
                return self.opened(function, arguments);
            }
            "pipe" | "socketpair" => return self.piped(function, arguments),
            "push" | "unshift" | "splice" => return self.array_call(function, arguments),
            "pop" | "shift" => {
                let array = match first {
                    Some(array) => self.place_of(array),
                    None => {
                        let variable = if self.lowered_subs > 0 { "@_" } else { "@ARGV" };
                        self.call("<variable>", one(vec![text(variable)]))
                    }
                };
                return self.call(function, one(vec![array]));
            }
            "keys" | "values" | "each" => {
                let container = first.map_or_else(nothing, |node| match node {
                    Node::Scalar(_) | Node::Element(..) => self.scalar(node),
                    other => self.container(other),
                });
                let all = self.call(function, one(vec![container]));
                return if several { all } else { self.call("<count>", one(vec![all])) };
            }
            "delete" => return self.deleted(first, several),
            "exists" | "defined" => return self.asked(function, first),
            "undef" => return self.undefined(first),
            "chomp" | "chop" => return self.chomped(function, arguments),
            "substr" if arguments.len() == 4 => {
                let (parts, new) = arguments.split_at(3);
                let new = new.first().map_or_else(nothing, |node| self.scalar(node));
                let assigned = self.substr_assigned(parts, new);
                let values = self.scalars(parts);
                let old = self.call("substr", one(values));
                return self.call("<first>", one(vec![old, assigned]));
            }
            "read" | "sysread" | "recv" => return self.read(arguments),
            "split" => return self.split(arguments, several),
            "reverse" if !several => {
                let items = self.or_topic(arguments);
                return self.call("<reverse-text>", arguments_of(items));
            }
            "sort" => {
                let items = self.argument_items(arguments);
                return self.call("sort", arguments_of(items));
            }
            "bless" if arguments.len() == 1 => {
                let mut values = self.scalars(arguments);
                values.push(text(&self.package.clone()));
                return self.call("bless", one(values));
            }
            "tie" => return self.tied(arguments),
            "require" => return self.required(first),
            "print" => return self.print("print", None, arguments),
            "exec" | "system" if arguments.is_empty() => return nothing(),
            "localtime" | "gmtime" | "times" | "caller" => {
                let values = self.scalars(arguments);
                return self.call("<maybe>", one(values));
            }
            "readdir" | "readline" if several => {
                let handle = match first {
                    Some(first) => self.handle(first),
                    None => Expr::Name(self.global('*', "ARGV")),
                };
                let function = if function == "readdir" { function } else { "<readlines>" };
                return self.call(function, one(vec![handle]));
            }
            "readdir" => {
                let handle = first.map_or_else(nothing, |first| self.handle(first));
                let all = self.call(function, one(vec![handle]));
                return self.call("<any>", one(vec![all]));
            }
            "unpack" | "stat" | "lstat" if !several => {
                let values = self.topic_scalars(function, arguments);
                let value = self.call(function, one(values));
                return Expr::Sequence(vec![value]);
            }
            "glob" if !several => {
                let values = self.topic_scalars(function, arguments);
                let all = self.call("glob", one(values));
                return self.call("<any>", one(vec![all]));
            }
            "eval" | "do" => {
                let values = self.topic_scalars(function, arguments);
                let value = self.call(function, one(values));
                return if several { value } else { Expr::Sequence(vec![value]) };
            }
            _ => {}
        }
        if HANDLES.contains(&function) {
            let mut all = match first {
                Some(first) => one(vec![self.handle(first)]),
                None => Vec::new(),
            };
            let items = self.argument_items(arguments.get(1..).unwrap_or(&[]));
            all.extend(arguments_of(items));
            return self.call(function, all);
        }
        if SCALARS.contains(&function) || function == "substr" {
            let values = self.topic_scalars(function, arguments);
            return self.call(function, one(values));
        }
        let items = if arguments.is_empty() && TOPIC.contains(&function) {
            vec![Item::One(name("$_"))]
        } else {
            self.argument_items(arguments)
        };
        self.call(function, arguments_of(items))
    }

    fn topic_scalars(&mut self, function: &str, arguments: &[Node]) -> Vec<Expr> {
        if arguments.is_empty() && TOPIC.contains(&function) {
            vec![name("$_")]
        } else {
            self.scalars(arguments)
        }
    }

    fn or_topic(&mut self, arguments: &[Node]) -> Vec<Item> {
        if arguments.is_empty() {
            vec![Item::One(name("$_"))]
        } else {
            self.argument_items(arguments)
        }
    }

    /// The first argument becomes the handle.
    fn opened(&mut self, function: &str, arguments: &[Node]) -> Expr {
        let Some((handle, rest)) = arguments.split_first() else { return nothing() };
        let rest = if function == "accept" {
            let listening = rest.first().map_or_else(nothing, |node| self.handle(node));
            one(vec![listening])
        } else {
            let mut values = Vec::new();
            for node in rest {
                // `open(F, '<&', STDIN)`.
                match node {
                    Node::Word(_) if function == "open" => {
                        values.push(Item::One(self.handle(node)));
                    }
                    Node::Call(function, none)
                        if none.is_empty() && !self.subs.contains_key(&**function) =>
                    {
                        values.push(Item::One(self.scalar(node)));
                    }
                    Node::Glob(_) => values.push(Item::One(self.handle(node))),
                    other => values.append(&mut self.items(other)),
                }
            }
            arguments_of(values)
        };
        let name_of = match handle {
            Node::Word(word) => text(word),
            _ => nothing(),
        };
        let mut all = one(vec![name_of]);
        all.extend(rest);
        let value = self.call(function, all);
        self.assign_handle(handle, value)
    }

    fn assign_handle(&mut self, handle: &Node, value: Expr) -> Expr {
        match handle {
            // `open(local *F, …)`.
            Node::Declare(super::super::tree::Declaration::Local, nodes, _) => {
                let mut out = Vec::new();
                nodes.iter().for_each(|node| self.localized(node, &mut out));
                let assigned = match nodes.first() {
                    Some(node) => self.assign_handle(node, value),
                    None => value,
                };
                out.push(Statement::Expr(assigned));
                Expr::Block(out)
            }
            Node::Deref('*', inner) | Node::Deref('$', inner) => {
                let inner = self.scalar(inner);
                self.call("<set-handle>", one(vec![inner, value]))
            }
            Node::Scalar(_) | Node::Declare(..) | Node::Element(..) => {
                self.assign_value(handle, value)
            }
            other => match self.target(other) {
                Some(target) => Expr::Assign(Box::new((target, value))),
                None => {
                    let inner = self.scalar(other);
                    self.call("<set-handle>", one(vec![inner, value]))
                }
            },
        }
    }

    fn piped(&mut self, function: &str, arguments: &[Node]) -> Expr {
        let mut out = Vec::new();
        for handle in arguments.iter().take(2) {
            let value = self.call(function, Vec::new());
            let assigned = self.assign_handle(handle, value);
            out.push(Statement::Expr(assigned));
        }
        out.push(Statement::Expr(Expr::Constant(Constant::Number)));
        Expr::Block(out)
    }

    fn array_call(&mut self, function: &str, arguments: &[Node]) -> Expr {
        let Some((array, rest)) = arguments.split_first() else { return nothing() };
        let array = match array {
            Node::Scalar(variable) => self.call("<vivify>", one(vec![text(variable), text("@")])),
            other => self.place_of(other),
        };
        let mut all = one(vec![array]);
        let items = self.argument_items(rest);
        all.extend(arguments_of(items));
        self.call(function, all)
    }

    fn deleted(&mut self, node: Option<&Node>, several: bool) -> Expr {
        match node {
            Some(Node::Element(of, index)) => {
                let of = self.container(of);
                let index = self.scalar(index);
                self.call("<delete>", one(vec![of, index]))
            }
            Some(Node::Slice(of, indexes, ..)) => {
                let of = self.container(of);
                let indexes = Expr::List(self.items(indexes));
                let value = self.call("<delete-slice>", one(vec![of, indexes]));
                if several { value } else { Expr::Sequence(vec![value]) }
            }
            Some(Node::Declare(_, nodes, _)) => self.deleted(nodes.first(), several),
            Some(Node::List(nodes)) if nodes.len() == 1 => self.deleted(nodes.first(), several),
            _ => nothing(),
        }
    }

    fn asked(&mut self, function: &str, node: Option<&Node>) -> Expr {
        match node {
            None => {
                let topic = name("$_");
                self.call(function, one(vec![topic]))
            }
            Some(Node::CallValue(_, None)) => Expr::Constant(Constant::Number),
            Some(Node::Element(of, index)) if function == "exists" => {
                let of = self.container(of);
                let index = self.scalar(index);
                self.call("<exists>", one(vec![of, index]))
            }
            Some(node @ (Node::Array(_) | Node::Hash(_) | Node::Deref('@' | '%', _))) => {
                let container = self.container(node);
                self.call("<count>", one(vec![container]))
            }
            Some(node) => {
                let value = self.scalar(node);
                self.call(function, one(vec![value]))
            }
        }
    }

    fn undefined(&mut self, node: Option<&Node>) -> Expr {
        match node {
            None => nothing(),
            Some(node @ (Node::Array(_) | Node::Deref('@', _))) => {
                let place = self.place_of(node);
                self.call("<set-array>", one(vec![place, Expr::List(Vec::new())]))
            }
            Some(node @ (Node::Hash(_) | Node::Deref('%', _))) => {
                let place = self.place_of(node);
                self.call("<set-hash>", one(vec![place, Expr::List(Vec::new())]))
            }
            Some(Node::CallValue(..)) => nothing(),
            Some(node) => self.assign_value(node, nothing()),
        }
    }

    fn chomped(&mut self, function: &str, arguments: &[Node]) -> Expr {
        let how = text(function);
        match arguments {
            [] => {
                let topic = name("$_");
                let new = self.call("<chomp>", one(vec![topic, how]));
                self.assign_value(&Node::Scalar("$_".into()), new)
            }
            [Node::List(nodes)] => self.chomped(function, nodes),
            [node @ Node::Assign(_, target, _)] => {
                let first = self.scalar(node);
                let rest = match &**target {
                    Node::Declare(_, nodes, _) => self.chomped(function, nodes),
                    other => self.chomped(function, std::slice::from_ref(other)),
                };
                self.call("<maybe>", one(vec![first, rest]))
            }
            [node @ (Node::Array(_) | Node::Deref('@', _))] => {
                let place = self.place_of(node);
                self.call("<chomp-list>", one(vec![place, how]))
            }
            [node @ Node::Declare(_, nodes, _)] => {
                let first = self.scalar(node);
                let rest = self.chomped(function, nodes);
                self.call("<maybe>", one(vec![first, rest]))
            }
            [node] => {
                let old = self.scalar(node);
                let new = self.call("<chomp>", one(vec![old, how]));
                self.assign_value(node, new)
            }
            several => {
                let all = several
                    .iter()
                    .map(|node| self.chomped(function, std::slice::from_ref(node)))
                    .collect();
                self.call("<maybe>", one(all))
            }
        }
    }

    /// `substr(text, start, length) = new`.
    pub(super) fn substr_assigned(&mut self, parts: &[Node], new: Expr) -> Expr {
        let Some(node) = parts.first() else { return new };
        let mut values = self.scalars(parts);
        values.resize_with(3, nothing);
        values.push(new);
        let value = self.call("<substr-replace>", one(values));
        self.assign_value(node, value)
    }

    fn read(&mut self, arguments: &[Node]) -> Expr {
        let [handle, buffer, rest @ ..] = arguments else { return nothing() };
        let handle = self.handle(handle);
        let mut values = vec![handle];
        values.extend(self.scalars(rest));
        let content = self.call("<read>", one(values));
        let assigned = self.assign_value(buffer, content);
        self.call("<maybe>", one(vec![assigned]))
    }

    fn split(&mut self, arguments: &[Node], several: bool) -> Expr {
        let pattern = match arguments.first() {
            Some(Node::Match { pattern, flags, target: None, .. }) => {
                let pattern = self.scalar(pattern);
                self.call("<qr>", one(vec![pattern, text(flags)]))
            }
            Some(other) => self.scalar(other),
            None => text(" "),
        };
        let mut values = vec![pattern];
        match arguments.get(1) {
            Some(node) => values.push(self.scalar(node)),
            None => values.push(name("$_")),
        }
        if let Some(limit) = arguments.get(2) {
            values.push(self.scalar(limit));
        }
        let all = self.call("split", one(values));
        if several { all } else { self.call("<count>", one(vec![all])) }
    }

    fn tied(&mut self, arguments: &[Node]) -> Expr {
        let Some((variable, rest)) = arguments.split_first() else { return nothing() };
        let items = self.argument_items(rest);
        let value = self.call("tie", arguments_of(items));
        match variable {
            Node::Declare(_, nodes, _) => {
                let declared = self.scalar(variable);
                let inner = match nodes.first() {
                    Some(node) => self.tie_variable(node, value),
                    None => value,
                };
                self.call("<last>", one(vec![declared, inner]))
            }
            other => self.tie_variable(other, value),
        }
    }

    fn tie_variable(&mut self, node: &Node, value: Expr) -> Expr {
        match node {
            Node::Array(_) | Node::Deref('@', _) => {
                let place = self.place_of(node);
                self.call("<tie-array>", one(vec![place, value]))
            }
            Node::Hash(_) | Node::Deref('%', _) => {
                let place = self.place_of(node);
                self.call("<tie-hash>", one(vec![place, value]))
            }
            other => {
                let fetched = self.call("<tie-scalar>", one(vec![value]));
                self.assign_value(other, fetched)
            }
        }
    }

    fn required(&mut self, node: Option<&Node>) -> Expr {
        match node {
            Some(Node::Word(module)) => {
                let package = self.package.clone();
                self.call("<use>", one(vec![text(module), text(&package), text("<require>")]))
            }
            Some(Node::Int(_) | Node::Number) => nothing(),
            Some(node) => {
                let value = self.scalar(node);
                self.call("require", one(vec![value]))
            }
            None => {
                let topic = name("$_");
                self.call("require", vec![Argument::One(topic)])
            }
        }
    }
}
