//! Calls, and arguments that a function changes.

use super::callables::PhpCallables;
use super::objects::PhpObjects;
use super::{PhpState, PhpVariables};
use crate::heap::{Binding, Cell, Entries};
use crate::ir::{Argument, Call, CallKind, Expr};
use crate::reference::Ref;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PhpValues;
use easy_ext::ext;

#[ext(PhpCalls)]
pub(super) impl Interpreter<'_> {
    /// A call of the text.
    fn php_call(&mut self, call: &Call) -> Val {
        let function = self.expr(&call.function);
        let args = self.php_arguments(&call.arguments);
        let outer = std::mem::replace(&mut self.site, call.site);
        let mut back: Vec<(&Expr, Ref)> = Vec::new();
        let function = match &function {
            // A class whose name is a text is not called.
            Val::Text(_) if call.kind == CallKind::New => self.class_named(&function),
            _ => function,
        };
        let references = self.references_of(&function, &call.arguments, &args, &mut back);
        self.state.with(|php: &mut PhpState| php.outputs.clear());
        self.references = references;
        let value = self.call(&function, args);
        self.references.clear();
        let outputs = self.state.with(|php: &mut PhpState| std::mem::take(&mut php.outputs));
        for (place, value) in outputs {
            if let Some(Argument::One(expr)) = call.arguments.get(place) {
                self.assign_place(expr, value);
            }
        }
        for (expr, place) in back {
            if let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place) {
                self.assign_place(expr, value);
            }
        }
        self.site = outer;
        value
    }

    /// Arguments; items of an array with names are named arguments.
    fn php_arguments(&mut self, arguments: &[Argument]) -> Args {
        let mut args = Args::default();
        for argument in arguments {
            match argument {
                Argument::One(expr) => {
                    let value = self.expr(expr);
                    args.list.push(value);
                }
                Argument::Named(name, expr) => {
                    let value = self.expr(expr);
                    args.named.push((name.clone(), value));
                }
                Argument::Spread(expr) | Argument::SpreadNamed(expr) => {
                    let value = self.expr(expr);
                    let entries = self.php_entries(&value);
                    self.add_arguments(&mut args, entries);
                }
            }
        }
        args
    }

    /// Adds the items of an array to arguments.
    fn add_arguments(&mut self, args: &mut Args, entries: Entries) {
        for (key, value) in entries.list {
            match key {
                Val::Text(name) if name.is_known() => {
                    args.named.push((format!("${name}").into(), value));
                }
                _ => args.list.push(value),
            }
        }
        if let Some(rest) = entries.rest {
            let known = args.rest.take();
            args.rest = Some(known.map_or(rest.clone(), |known| crate::value::join(&known, &rest)));
        }
    }

    /// The parameters of a function that are variables of the caller.
    fn references_of<'e>(
        &mut self,
        function: &Val,
        arguments: &'e [Argument],
        args: &Args,
        back: &mut Vec<(&'e Expr, Ref)>,
    ) -> Vec<(crate::ir::Name, Ref)> {
        let (closure, shift) = match function {
            Val::Function(closure) => (closure.clone(), 0),
            Val::Bound(pair) => match &pair.1 {
                Val::Function(closure) => (closure.clone(), 1),
                _ => return Vec::new(),
            },
            Val::Class(_) => match self.class_attribute(function, "__init__") {
                Some(Val::Function(closure)) => (closure, 1),
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let mut references = Vec::new();
        for (place, argument) in arguments.iter().enumerate() {
            let Some(parameter) = closure.code.positional.get(place + shift) else { break };
            let Some(name) = parameter.name.strip_prefix('&') else { continue };
            let Argument::One(expr) = argument else { continue };
            match expr {
                Expr::Name(variable) if variable.starts_with('$') => {
                    let cell = self.php_cell(variable);
                    references.push((name.into(), cell));
                }
                Expr::Index(_) | Expr::Attribute(..) => {
                    let value = args.list.get(place).cloned().unwrap_or(Val::None);
                    let cell = self.heap.alloc(Cell::Variable(Binding::Bound(value)));
                    references.push((name.into(), cell));
                    back.push((expr, cell));
                }
                _ => {}
            }
        }
        references
    }

    /// Assigns to the place that an argument is.
    fn assign_place(&mut self, expr: &Expr, value: Val) {
        match expr {
            Expr::Name(name) if name.starts_with('$') => self.php_bind(name, value),
            Expr::Attribute(object, name) => {
                let object = self.expr(object);
                self.php_set_attribute(&object, name, value);
            }
            Expr::Index(parts) => {
                let [object, index] = &**parts;
                let mut array = self.expr(object);
                if array == Val::None {
                    let made = self.php_array(Entries::default());
                    self.assign_place(object, made);
                    array = self.expr(object);
                }
                let index = self.expr(index);
                self.php_set_index(&array, &index, value);
            }
            _ => {}
        }
    }

    /// What the present call assigns to its argument at a place.
    fn output(&mut self, place: usize, value: Val) {
        self.state.with(|php: &mut PhpState| php.outputs.push((place, value)));
    }
}
