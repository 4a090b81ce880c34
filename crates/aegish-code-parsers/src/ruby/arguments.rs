//! Parameters of methods and blocks, and arguments of calls.

use super::{Around, BLOCK, Frame, Ruby, nil, text};
use crate::ir::{
    Argument, Arguments, Block, Body, Expr, Function, Name, Parameter, Receiver, Statement, Target,
};
use lib_ruby_parser::{Node, nodes};
use std::collections::HashSet;
use std::rc::Rc;

/// Parameters as they are found.
#[derive(Default)]
struct Parameters {
    positional: Vec<Parameter>,
    rest: Option<Name>,
    behind: Vec<Target>,
    keyword_only: Vec<Parameter>,
    named_rest: Option<Name>,
    /// What the body does first.
    prologue: Block,
}

impl Ruby<'_> {
    /// A method: the object comes as its first argument.
    pub(super) fn method(
        &mut self,
        name: &str,
        args: Option<&Node>,
        body: Option<&Node>,
    ) -> Rc<Function> {
        let outer = std::mem::replace(&mut self.singleton, false);
        let frame = Frame { names: HashSet::new(), block: false, around: vec![Around::Method] };
        let function = self.function(name, Receiver::Argument, frame, args, |ruby, out| {
            ruby.returning(body, out);
        });
        self.singleton = outer;
        function
    }

    /// A block: it sees the variables and the object around it.
    pub(super) fn block_function(
        &mut self,
        args: Option<&Node>,
        numbered: u8,
        body: Option<&Node>,
    ) -> Rc<Function> {
        let mut frame = Frame { names: HashSet::new(), block: true, around: vec![Around::Block] };
        let mut numbers = Vec::new();
        if args.is_none() && numbered == 0 {
            numbers.push("it".to_owned());
        }
        numbers.extend((1..=numbered).map(|number| format!("_{number}")));
        frame.names.extend(numbers.iter().cloned());
        self.numbered = numbers;
        self.function("<block>", Receiver::Lexical, frame, args, |ruby, out| {
            ruby.returning(body, out);
        })
    }

    /// A block that holds statements.
    pub(super) fn function_of(&mut self, name: &str, body: Block) -> Rc<Function> {
        self.lowering.functions += 1;
        Rc::new(Function {
            id: self.lowering.functions,
            name: Self::name(name),
            positional: Vec::new(),
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        })
    }

    fn function(
        &mut self,
        name: &str,
        receiver: Receiver,
        frame: Frame,
        args: Option<&Node>,
        body: impl FnOnce(&mut Self, &mut Block),
    ) -> Rc<Function> {
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        self.frames.push(frame);
        let mut found = Parameters::default();
        if receiver == Receiver::Argument {
            found.positional.push(Parameter { name: Self::name("self"), default: None });
            // A method sees its own block, or none.
            let name = Self::name(BLOCK);
            found.keyword_only.push(Parameter { name, default: Some(nil()) });
        } else {
            for number in std::mem::take(&mut self.numbered) {
                found
                    .positional
                    .push(Parameter { name: Self::name(&number), default: Some(nil()) });
            }
        }
        match args {
            Some(Node::Args(list)) => self.parameters(&list.args, &mut found),
            Some(Node::ForwardArg(_)) => self.parameters(&[], &mut found),
            _ => {}
        }
        if !found.behind.is_empty() {
            let rest = found.rest.clone().unwrap_or_else(|| Self::name("<rest>"));
            let mut targets = vec![Target::Name(rest.clone())];
            targets.append(&mut found.behind);
            let all = Expr::Name(rest.clone());
            found
                .prologue
                .insert(0, Statement::Assign(vec![Target::Sequence(targets, Some(0))], all));
            found.rest = Some(rest);
        }
        let mut block = found.prologue;
        body(self, &mut block);
        self.frames.pop();
        Rc::new(Function {
            id,
            name: Self::name(name),
            positional: found.positional,
            rest: found.rest,
            keyword_only: found.keyword_only,
            named_rest: found.named_rest,
            body: Body::Block(block),
            generator: false,
            receiver,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        })
    }

    fn parameters(&mut self, list: &[Node], found: &mut Parameters) {
        for parameter in list {
            match parameter {
                Node::Arg(arg) => {
                    self.declare(&arg.name);
                    if found.rest.is_some() {
                        found.behind.push(Target::Name(Self::name(&arg.name)));
                    } else {
                        found
                            .positional
                            .push(Parameter { name: Self::name(&arg.name), default: None });
                    }
                }
                Node::Optarg(arg) => {
                    self.declare(&arg.name);
                    let default = Some(self.value(&arg.default));
                    found.positional.push(Parameter { name: Self::name(&arg.name), default });
                }
                Node::Restarg(arg) => {
                    let name = arg.name.clone().unwrap_or_else(|| "*".to_owned());
                    self.declare(&name);
                    found.rest = Some(Self::name(&name));
                }
                Node::Kwarg(arg) => {
                    self.declare(&arg.name);
                    let name = Self::name(&arg.name);
                    found.keyword_only.push(Parameter { name, default: None });
                }
                Node::Kwoptarg(arg) => {
                    self.declare(&arg.name);
                    let default = Some(self.value(&arg.default));
                    found.keyword_only.push(Parameter { name: Self::name(&arg.name), default });
                }
                Node::Kwrestarg(arg) => {
                    let name = arg.name.clone().unwrap_or_else(|| "**".to_owned());
                    self.declare(&name);
                    found.named_rest = Some(Self::name(&name));
                }
                Node::Blockarg(arg) => {
                    if found.keyword_only.iter().all(|known| &*known.name != BLOCK) {
                        let name = Self::name(BLOCK);
                        found.keyword_only.push(Parameter { name, default: Some(nil()) });
                    }
                    if let Some(name) = &arg.name {
                        self.declare(name);
                        let target = Target::Name(Self::name(name));
                        let block = Expr::Name(Self::name(BLOCK));
                        found.prologue.push(Statement::Assign(vec![target], block));
                    }
                }
                Node::ForwardArg(_) => {
                    found.rest = Some(Self::name("..."));
                    found.named_rest = Some(Self::name("**"));
                }
                Node::Procarg0(inner) if inner.args.len() == 1 => {
                    self.parameters(&inner.args, found);
                }
                Node::Mlhs(nodes::Mlhs { items, .. })
                | Node::Procarg0(nodes::Procarg0 { args: items, .. }) => {
                    let name = self.temporary();
                    let target = self.several(items);
                    found.prologue.push(Statement::Assign(vec![target], Expr::Name(name.clone())));
                    found.positional.push(Parameter { name, default: None });
                }
                Node::Shadowarg(arg) => {
                    self.declare(&arg.name);
                    let target = Target::Name(Self::name(&arg.name));
                    found.prologue.push(Statement::Assign(vec![target], nil()));
                }
                _ => {}
            }
        }
    }

    pub(super) fn arguments(&mut self, args: &[Node]) -> Vec<Argument> {
        let mut list = Vec::new();
        for argument in args {
            match argument {
                Node::Splat(splat) => {
                    let value = match &splat.value {
                        Some(value) => self.value(value),
                        None => Expr::Name(Self::name("*")),
                    };
                    list.push(Argument::Spread(value));
                }
                Node::BlockPass(block) => {
                    let value = match &block.value {
                        Some(value) => self.value(value),
                        None => Expr::Name(Self::name(BLOCK)),
                    };
                    list.push(Argument::Named(Self::name(BLOCK), value));
                }
                Node::ForwardedArgs(_) => {
                    list.push(Argument::Spread(Expr::Name(Self::name("..."))));
                    list.push(Argument::SpreadNamed(Expr::Name(Self::name("**"))));
                    let block = Expr::Name(Self::name(BLOCK));
                    list.push(Argument::Named(Self::name(BLOCK), block));
                }
                Node::Kwargs(named) => self.named_arguments(&named.pairs, &mut list),
                other => {
                    let value = self.value(other);
                    list.push(Argument::One(value));
                }
            }
        }
        list
    }

    fn named_arguments(&mut self, pairs: &[Node], list: &mut Vec<Argument>) {
        let mut others = Vec::new();
        for pair in pairs {
            match pair {
                Node::Pair(pair) => {
                    let value = self.value(&pair.value);
                    match &*pair.key {
                        Node::Sym(key) => {
                            list.push(Argument::Named(
                                Self::name(&key.name.to_string_lossy()),
                                value,
                            ));
                        }
                        key => {
                            let key = self.value(key);
                            others.push((Some(key), value));
                        }
                    }
                }
                Node::Kwsplat(splat) => {
                    let value = self.value(&splat.value);
                    list.push(Argument::SpreadNamed(value));
                }
                _ => {}
            }
        }
        if !others.is_empty() {
            list.push(Argument::One(Expr::Dict(others)));
        }
    }

    pub(super) fn pairs(&mut self, pairs: &[Node]) -> Expr {
        let mut list = Vec::new();
        for pair in pairs {
            match pair {
                Node::Pair(pair) => {
                    let key = match &*pair.key {
                        Node::Sym(key) => text(&key.name.to_string_lossy()),
                        other => self.value(other),
                    };
                    let value = self.value(&pair.value);
                    list.push((Some(key), value));
                }
                Node::Kwsplat(splat) => {
                    let value = self.value(&splat.value);
                    list.push((None, value));
                }
                _ => {}
            }
        }
        Expr::Dict(list)
    }

    /// The value of `return`, `next` and `break`.
    pub(super) fn given(&mut self, args: &[Node]) -> Expr {
        match args {
            [] => nil(),
            [one] => self.value(one),
            several => self.list(several),
        }
    }
}
