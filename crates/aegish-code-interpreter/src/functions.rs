//! Functions of the program: closures, arguments, calls, and functions that nothing calls.

use super::{Flow, Frame, Interpreter};
use crate::heap::{Entries, Items};
use crate::ir::{Arguments, Body, Function, Name, Receiver};
use crate::limits::MAX_CALLS;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, Closure, LOST, Val, is_own, join, widen};
use aegish_values::Value;
use std::rc::Rc;

/// Calls of one function inside of each other before their arguments are joined.
const RECURSION: usize = 3;
/// Deepest nesting of lists in an argument that is looked at.
const NESTED: usize = 4;

impl Interpreter<'_> {
    pub fn closure(&mut self, code: &Rc<Function>) -> Val {
        let defaults = code
            .positional
            .iter()
            .chain(&code.keyword_only)
            .filter_map(|parameter| {
                Some((parameter.name.clone(), self.expr(parameter.default.as_ref()?)))
            })
            .collect();
        let scope = if code.sees_itself {
            Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Block)
        } else {
            Rc::clone(&self.scope)
        };
        let closure = Rc::new(Closure {
            code: Rc::clone(code),
            scope: Rc::clone(&scope),
            defaults,
            class: std::cell::RefCell::default(),
        });
        if code.sees_itself {
            self.bind_in(&scope, &code.name, Val::Function(Rc::clone(&closure)));
        }
        if !self.functions.iter().any(|known| known.code.id == code.id) {
            self.functions.push(Rc::clone(&closure));
        }
        Val::Function(closure)
    }

    /// The value of a definition after its decorators.
    pub(super) fn decorated(&mut self, value: Val, decorators: &[Val]) -> Val {
        let mut value = value;
        for decorator in decorators.iter().rev() {
            value = match decorator {
                Val::Library(path) => match &**path {
                    "staticmethod" => Val::StaticMethod(Rc::new(value)),
                    "classmethod" => Val::ClassMethod(Rc::new(value)),
                    "property" | "functools.cached_property" => Val::Property(Rc::new(value)),
                    // A decorator of a library may call the function. Its result stands for the function.
                    _ => {
                        if aegish_calls::find(self.language, path).is_some() {
                            self.call(decorator, Args::of(vec![value.clone()]));
                        }
                        value
                    }
                },
                Val::Function(_)
                | Val::Bound(_)
                | Val::Class(_)
                | Val::Instance(_)
                | Val::Partial(_) => {
                    let result = self.call(decorator, Args::of(vec![value.clone()]));
                    if matches!(result, Val::Unknown(..)) { join(&result, &value) } else { result }
                }
                // `@property.setter` and decorators that are not known.
                _ => value,
            };
        }
        value
    }

    /// Calls a function of the program.
    pub fn enter(&mut self, closure: &Rc<Closure>, args: Args) -> Val {
        self.called.insert(closure.code.id);
        let active = self.frames.iter().filter(|frame| frame.function == closure.code.id).count();
        let mut args = args;
        let mut widened = false;
        if active > 0 {
            // A call that is already being followed gives nothing new.
            let same = |frame: &&Frame| frame.function == closure.code.id && frame.args == args;
            if self.frames.iter().any(|frame| same(&frame)) {
                return self.unknown_result(closure);
            }
            if self.frames.iter().any(|f| f.function == closure.code.id && f.widened) {
                return self.unknown_result(closure);
            }
            // `this` does not count: it is the same in most recursions.
            let receivers = usize::from(closure.code.receiver == Receiver::This);
            let known = args.values().skip(receivers).all(|value| {
                matches!(value, Val::Int(_) | Val::None | Val::Bool(_))
                    || value.as_known().is_some()
            });
            if active >= RECURSION && !known || active >= MAX_CALLS / 2 || self.unroll == 0 {
                args = self.widened_args(closure, args);
                widened = true;
            }
        }
        if self.frames.len() >= MAX_CALLS {
            self.open |= !widened && active == 0;
            return self.unknown_result(closure);
        }
        let scope = self.dialect.function_scope(self, closure);
        let base = self.heap.depth();
        let locals = self.locals.len();
        self.heap.push();
        let yields = closure.code.generator.then(|| self.heap.list(Items::default()));
        let yields = match yields {
            Some(Val::List(place)) => Some(place),
            _ => None,
        };
        self.frames.push(Frame {
            function: closure.code.id,
            args: args.clone(),
            widened,
            base,
            exits: Vec::new(),
            returned: None,
            yields,
            class: closure.class.borrow().clone(),
            first: args.list.first().cloned(),
        });
        let outer = std::mem::replace(&mut self.scope, scope);
        let loops = std::mem::take(&mut self.loops);
        self.bind_arguments(closure, args);
        let flow = stacker::maybe_grow(128 * 1024, 1024 * 1024, || match &closure.code.body {
            Body::Block(body) => self.block(body),
            Body::Expr(expr) => {
                let value = self.expr(expr);
                self.return_value(&value);
                Flow::Stop
            }
        });
        let scope = std::mem::replace(&mut self.scope, outer);
        self.loops = loops;
        let Some(frame) = self.frames.pop() else { return Val::unknown() };
        let mut states = frame.exits;
        let mut result = frame.returned;
        // A function that never returns leaves its changes to whoever catches the exception.
        if flow == Flow::Next || states.is_empty() {
            states.push(self.heap.changes_since(base));
            if flow == Flow::Next {
                result = Some(result.map_or(Val::None, |result| join(&result, &Val::None)));
            }
        }
        self.heap.pop();
        self.heap.apply_one_of(states);
        self.restore_locals(locals);
        self.release(&scope);
        match frame.yields {
            Some(place) => Val::List(place),
            None => result.unwrap_or(Val::None),
        }
    }

    /// What a call gives that is already being followed. If the first call got nothing from outside, its result is made of
    /// what the program says.
    fn unknown_result(&self, closure: &Closure) -> Val {
        let first = self.frames.iter().find(|frame| frame.function == closure.code.id);
        let texts = |frame: &Frame| {
            let mut texts = false;
            let own = frame.args.values().all(|value| self.is_own_value(value, &mut texts, NESTED));
            own && texts
        };
        if first.is_some_and(texts) { Val::Text(Value::unknown(LOST)) } else { Val::unknown() }
    }

    /// Whether nothing in a value comes from outside; says if there are texts.
    fn is_own_value(&self, value: &Val, texts: &mut bool, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match value {
            Val::Text(text) | Val::Path(text) => {
                *texts = true;
                is_own(text)
            }
            Val::Unknown(..) => false,
            Val::Tuple(items) | Val::OneOf(items) => {
                items.iter().all(|item| self.is_own_value(item, texts, depth))
            }
            Val::List(place) => {
                let items = self.heap.items(*place);
                items
                    .list
                    .iter()
                    .chain(&items.rest)
                    .all(|item| self.is_own_value(item, texts, depth))
            }
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let values = entries.list.iter().map(|(_, value)| value).chain(&entries.rest);
                values.into_iter().all(|value| self.is_own_value(value, texts, depth))
            }
            Val::File(_) | Val::Connection | Val::Process(_) => false,
            _ => true,
        }
    }

    /// The arguments joined with those of the calls that are being followed.
    fn widened_args(&self, closure: &Closure, mut args: Args) -> Args {
        for frame in self.frames.iter().filter(|frame| frame.function == closure.code.id) {
            for (place, value) in args.list.iter_mut().enumerate() {
                if let Some(other) = frame.args.list.get(place) {
                    *value = widen(other, value);
                }
            }
            for (name, value) in &mut args.named {
                if let Some(other) = frame.args.named(name) {
                    *value = widen(other, value);
                }
            }
        }
        args
    }

    fn bind_arguments(&mut self, closure: &Closure, args: Args) {
        let code = &closure.code;
        let scope = Rc::clone(&self.scope);
        let references = std::mem::take(&mut self.references);
        let mut named = args.named;
        let mut take = |name: &Name| {
            let place = named.iter().position(|(known, _)| known == name)?;
            Some(named.remove(place).1)
        };
        let default = |name: &Name| {
            closure.defaults.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        let mut bound = Vec::new();
        if code.arguments == Arguments::Named {
            let receivers = self.dialect.receivers(code);
            let list = args.list.iter().skip(receivers).cloned().collect();
            let value = self.heap.list(Items { list, rest: args.rest.clone() });
            bound.push(("arguments".into(), value));
        }
        let mut list = args.list.into_iter();
        for parameter in &code.positional {
            let value = match list.next().or_else(|| take(&parameter.name)) {
                Some(value) => value,
                None => match (args.rest.clone(), default(&parameter.name)) {
                    (Some(rest), Some(default)) => join(&rest, &default),
                    (Some(value), None) | (None, Some(value)) => value,
                    (None, None) => self.dialect.missing_argument(),
                },
            };
            bound.push((parameter.name.clone(), value));
        }
        for parameter in &code.keyword_only {
            let value = take(&parameter.name)
                .or_else(|| default(&parameter.name))
                .unwrap_or_else(Val::unknown);
            bound.push((parameter.name.clone(), value));
        }
        if let Some(rest) = &code.rest {
            let items = Items { list: list.collect(), rest: args.rest };
            let value = self.heap.list(items);
            bound.push((rest.clone(), value));
        }
        if let Some(rest) = &code.named_rest {
            let list = named.into_iter().map(|(name, value)| (Val::text(&*name), value)).collect();
            let rest_value = self.uncalled.then(Val::unknown);
            let value = self.heap.dict(Entries { list, rest: rest_value });
            bound.push((rest.clone(), value));
        }
        for (name, value) in bound {
            match name.strip_prefix('&').filter(|_| self.dialect.marks_references()) {
                Some(name) => self.bind_in(&scope, &name.into(), value),
                None => self.bind_in(&scope, &name, value),
            }
        }
        // Two names of one variable.
        for (name, place) in references {
            scope.insert(name, place);
        }
    }

    /// Gives the cells that the present function changed for itself what they held.
    pub fn restore_locals(&mut self, mark: usize) {
        while self.locals.len() > mark {
            if let Some((place, cell)) = self.locals.pop() {
                self.heap.write(place, cell);
            }
        }
    }

    pub(super) fn return_value(&mut self, value: &Val) {
        let Some(frame) = self.frames.last_mut() else { return };
        let changes = self.heap.changes_since(frame.base);
        frame.exits.push(changes);
        frame.returned =
            Some(frame.returned.take().map_or(value.clone(), |known| join(&known, value)));
    }

    /// Follows functions that the program defines and does not call: a library or another program may.
    pub(super) fn follow_uncalled(&mut self) {
        self.uncalled = true;
        self.uncertain += 1;
        let mut place = 0;
        while let Some(closure) = self.functions.get(place).cloned() {
            place += 1;
            if self.called.contains(&closure.code.id) || self.fuel == 0 {
                continue;
            }
            let first = closure.class.borrow().clone().map(|class| self.any_instance(&class));
            let first = match (first, closure.code.receiver) {
                (None, Receiver::This) => Some(Val::unknown()),
                (_, Receiver::Lexical) => None,
                (first, _) => first,
            };
            let mut args = Args::of(first.into_iter().collect());
            args.rest = Some(Val::unknown());
            let closure_name = Rc::clone(&closure.code.name);
            self.maybe(|this| {
                let result = this.enter(&closure, args);
                // A pickled object is made by the call that this method names.
                if matches!(&*closure_name, "__reduce__" | "__reduce_ex__")
                    && let Val::Tuple(items) = &result
                    && let [function, Val::Tuple(arguments), ..] = &**items
                {
                    this.call(function, Args::of(arguments.to_vec()));
                }
            });
        }
        self.uncertain -= 1;
    }
}
