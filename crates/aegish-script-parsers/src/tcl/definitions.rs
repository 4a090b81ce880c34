//! Procedures.

use super::commands::split_name;
use super::words::Word;
use super::{Mode, Parsed, Tcl, lists, text};
use crate::ir::{Argument, Arguments, Block, Body, Constant, Expr, Function, Parameter, Receiver};
use crate::lowering::Lowering;
use std::rc::Rc;

impl Tcl<'_> {
    pub(super) fn proc_command(
        &mut self,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        let [name, parameters, code] = words.as_slice() else { return Ok(false) };
        let (Some(name), Some(parameters), Some(code)) =
            (name.literal(), parameters.literal().and_then(lists::split), code.literal())
        else {
            return Ok(false);
        };
        let (space, plain) = split_name(name);
        let here = self.lowering.commands.namespace.clone();
        let space = match (name.starts_with("::"), here.is_empty()) {
            (true, _) | (false, true) => space.to_owned(),
            (false, false) if space.is_empty() => here.clone(),
            (false, false) => format!("{here}::{space}"),
        };
        let defines = super::define_command(&mut self.lowering.commands, &space, plain);
        self.lowering.cut |= !defines;
        self.lowering.commands.namespace = space;
        let (expects, again) = (std::mem::take(&mut self.expects), self.again);
        let body = self.body(code, &Mode::Tail);
        self.lowering.commands.namespace = here;
        (self.expects, self.again) = (expects, again);
        let (positional, rest) = parameters_of(&parameters);
        self.lowering.functions += 1;
        let function = Function {
            id: self.lowering.functions,
            name: Lowering::name(name),
            positional,
            rest,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        };
        let arguments =
            vec![Argument::One(text(name)), Argument::One(Expr::Function(Rc::new(function)))];
        let value = self.call("<proc>", arguments);
        Self::give(mode, value, out);
        Ok(true)
    }
}

/// The parameters of a list: a name, or a name with its default. `args` takes the remaining ones.
fn parameters_of(list: &[String]) -> (Vec<Parameter>, Option<crate::ir::Name>) {
    let mut positional = Vec::new();
    let mut rest = None;
    for (place, item) in list.iter().enumerate() {
        let parts = lists::split(item).unwrap_or_default();
        let name = parts.first().map_or("", String::as_str);
        let variable = Lowering::name(&format!("${name}"));
        if name == "args" && place + 1 == list.len() {
            rest = Some(variable);
            continue;
        }
        let default =
            parts.get(1).map(|value| Expr::Constant(Constant::Text(Rc::from(value.as_str()))));
        positional.push(Parameter { name: variable, default });
    }
    (positional, rest)
}
