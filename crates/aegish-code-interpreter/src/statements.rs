//! Statements.

use super::changed_texts::changed_text;
use super::{Flow, Interpreter};
use crate::effect::CodeEffect;
use crate::heap::{Combine, Items};
use crate::ir::{Block, Case, Class, Expr, Function, Handler, Name, PartOf, Statement, Target};
use crate::scope::ScopeKind;
use crate::value::{Val, join};
use aegish_code_library::Operators;
use std::rc::Rc;

impl Interpreter<'_> {
    pub fn block(&mut self, body: &Block) -> Flow {
        for statement in body {
            if !self.burn(1) || self.statement(statement) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Next
    }

    pub fn statement(&mut self, statement: &Statement) -> Flow {
        match statement {
            Statement::Expr(expr) => {
                self.expr(expr);
            }
            Statement::Assign(targets, value) => {
                let value = self.expr(value);
                for target in targets {
                    self.assign(target, value.clone());
                }
            }
            Statement::Update(target, old, op, value) => {
                let old = self.expr(old);
                let value = self.expr(value);
                let value = self.update_value(&old, *op, &value);
                self.assign(target, value);
            }
            Statement::Branch(branches) => {
                return self.choose(
                    branches.len(),
                    |this, place| match branches.get(place) {
                        Some((Some(test), _)) => {
                            let value = this.expr(test);
                            this.truth(&value)
                        }
                        _ => Some(true),
                    },
                    |this, place| {
                        branches.get(place).map_or(Flow::Next, |(_, body)| this.block(body))
                    },
                );
            }
            Statement::For { target, iterable, body, otherwise, bindings } => {
                let iterable = self.expr(iterable);
                return self.for_loop(target, &iterable, body, otherwise, *bindings);
            }
            Statement::While { test, step, body, otherwise, copies } => {
                return self.while_loop(test, step, body, otherwise, copies);
            }
            Statement::Block(body) => return self.dialect.block(self, body),
            Statement::Declare(names) => self.declare(names),
            Statement::Switch { subject, cases } => {
                let subject = self.expr(subject);
                return self.scoped(|this| this.switch(&subject, cases));
            }
            Statement::Labeled(label, body) => return self.labeled(label, body),
            Statement::WithObject(object, body) => {
                let object = self.expr(object);
                return self.scoped(|this| {
                    for item in this.dialect.entries_of(this, &object).list {
                        if let Val::Tuple(pair) = &item
                            && let [key, value] = &**pair
                            && let Some(name) = key.as_known()
                        {
                            this.bind(&name.into(), value.clone());
                        }
                    }
                    this.block(body)
                });
            }
            Statement::Function { code, decorators } => {
                self.dialect.define_function(self, code, decorators);
            }
            Statement::Class { class, decorators } => {
                self.dialect.define_class(self, class, decorators);
            }
            Statement::Return(value) => {
                let value = value.as_ref().map_or(Val::None, |value| self.expr(value));
                self.return_value(&value);
                return Flow::Stop;
            }
            Statement::ReturnOuter(value) => {
                let value = self.expr(value);
                self.dialect.return_outer(self, &value);
                return Flow::Stop;
            }
            Statement::Break(label) => return self.break_loop(label.as_ref()),
            Statement::Continue(label) => return self.continue_loop(label.as_ref()),
            Statement::Raise(value) => {
                if let Some(value) = value {
                    let value = self.expr(value);
                    self.tell_hooks(&value);
                    if self.dialect.catches_values() {
                        let thrown = self.thrown.take();
                        self.thrown =
                            Some(thrown.map_or(value.clone(), |known| join(&known, &value)));
                    }
                }
                return Flow::Stop;
            }
            Statement::Try { body, handlers, otherwise, finally } => {
                return self.attempt(body, handlers, otherwise, finally);
            }
            Statement::With { items, body } => return self.with(items, body),
            Statement::Match { subject, cases } => {
                let subject = self.expr(subject);
                return self.matching(&subject, cases);
            }
            Statement::Import { module, alias } => {
                if let Some(own) = self.import_dotted(module, alias.is_some()) {
                    let first: Name = module.split('.').next().unwrap_or(module).into();
                    self.bind(alias.as_ref().unwrap_or(&first), own);
                    return Flow::Next;
                }
                self.record(CodeEffect::Import(module.to_string()));
                match alias {
                    Some(alias) => self.bind(alias, Val::Library(self.canonical(module))),
                    None => {
                        let first: Name = module.split('.').next().unwrap_or(module).into();
                        let value = Val::Library(self.canonical(&first));
                        self.bind(&first, value);
                    }
                }
            }
            Statement::ImportFrom { module, names, star } => {
                let own = self.load_module(module);
                if own.is_none() {
                    self.record(CodeEffect::Import(module.to_string()));
                }
                for (name, bound) in names {
                    let value = self.imported_name(module, name).unwrap_or_else(|| {
                        let module = Val::Library(self.canonical(module));
                        self.attribute(&module, name)
                    });
                    self.bind(bound, value);
                }
                if let (Some(Val::Instance(place)), true) = (&own, *star) {
                    for (name, value) in self.heap.attributes(*place).list.clone() {
                        self.bind(&name, value);
                    }
                }
                if *star && own.is_none() {
                    for name in aegish_calls::members(self.language, &self.canonical(module)) {
                        let module = Val::Library(self.canonical(module));
                        let name: Name = name.into();
                        let value = self.attribute(&module, &name);
                        self.bind(&name, value);
                    }
                }
            }
            Statement::Global(names) | Statement::Nonlocal(names) => {
                for name in names {
                    if self.scope.parent.is_some() {
                        self.scope.declare_outer(name.clone());
                    }
                }
            }
            Statement::Delete(targets) => {
                targets.iter().for_each(|target| self.dialect.delete(self, target));
            }
        }
        Flow::Next
    }

    /// Defines a function, where the languages agree.
    pub(super) fn plain_function(&mut self, code: &Rc<Function>, decorators: &[Expr]) {
        let decorators: Vec<Val> = decorators.iter().map(|d| self.expr(d)).collect();
        let function = self.closure(code);
        let function = self.decorated(function, &decorators);
        self.bind(&code.name, function);
    }

    /// Defines a class, where the languages agree.
    pub(super) fn plain_class(&mut self, class: &Rc<Class>, decorators: &[Expr]) {
        let decorators: Vec<Val> = decorators.iter().map(|d| self.expr(d)).collect();
        let value = self.define_class(class);
        let value = self.decorated(value, &decorators);
        self.bind(&class.name, value);
    }

    /// Truth of a value, if it is known.
    pub fn truth(&self, value: &Val) -> Option<bool> {
        self.dialect.truth(self, value)
    }

    /// Truth, where the languages agree.
    pub(super) fn plain_truth(&self, value: &Val) -> Option<bool> {
        match value {
            Val::List(place) => {
                let items = self.heap.items(*place);
                match (items.list.is_empty(), &items.rest) {
                    (false, _) => Some(true),
                    (true, None) => Some(false),
                    _ => None,
                }
            }
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                (entries.list.is_empty() && entries.rest.is_none()).then_some(false)
            }
            other => other.truth(),
        }
    }

    pub(super) fn assign(&mut self, target: &Target, value: Val) {
        match target {
            Target::Ignore => {}
            Target::Name(name) => self.bind(name, value),
            Target::Attribute(object, name) => {
                let object = self.expr(object);
                self.set_attribute(&object, name, value);
            }
            Target::Index(object, index) => {
                let of = object;
                let object = self.expr(of);
                let index = self.expr(index);
                match changed_text(self.language, &object, &index, &value) {
                    Some(changed) => self.put_text(of, &object, changed),
                    None => self.set_index(&object, &index, value),
                }
            }
            Target::Sequence(targets, star) => self.unpack(targets, *star, &value),
            Target::Nearest(name) => self.bind_nearest(name, value),
            Target::Computed(key) => {
                let key = self.expr(key);
                if let Some(name) = self.dialect.key(self, &key).as_known() {
                    self.bind(&name.into(), value);
                }
            }
            Target::Object(targets, rest) => {
                for (key, target) in targets {
                    let key = self.expr(key);
                    let part = self.index(&value, &key);
                    self.assign(target, part);
                }
                if let Some(rest) = rest {
                    self.assign(rest, value);
                }
            }
            Target::Default(parts) => {
                let (target, default) = &**parts;
                let value = self.or_default(value, default);
                self.assign(target, value);
            }
        }
    }

    /// Variables of the function around, or of the program.
    fn declare(&mut self, names: &[Name]) {
        let mut scope = Rc::clone(&self.scope);
        while scope.kind == ScopeKind::Block
            && let Some(parent) = scope.parent.clone()
        {
            scope = parent;
        }
        for name in names {
            if scope.find(name).is_none() {
                self.bind_in(&scope, name, Val::None);
            }
        }
    }

    fn unpack(&mut self, targets: &[Target], star: Option<usize>, value: &Val) {
        let Items { list, rest } = self.iterate(value);
        let before = star.unwrap_or(targets.len());
        let after = star.map_or(0, |star| targets.len() - star - 1);
        let any = |items: &[Val], rest: &Option<Val>| {
            items
                .iter()
                .chain(rest)
                .cloned()
                .reduce(|a, b| crate::value::join(&a, &b))
                .unwrap_or_else(Val::unknown)
        };
        for (place, target) in targets.iter().enumerate() {
            let item = if place < before {
                list.get(place).cloned().or_else(|| rest.clone())
            } else if Some(place) == star {
                let end = list.len().saturating_sub(after).max(before.min(list.len()));
                let middle = list.get(before.min(end)..end).unwrap_or(&[]).to_vec();
                Some(self.heap.list(Items { list: middle, rest: rest.clone() }))
            } else if rest.is_some() {
                Some(any(&list, &rest))
            } else {
                let from_end = targets.len() - place;
                list.len().checked_sub(from_end).and_then(|at| list.get(at)).cloned()
            };
            let item = item.unwrap_or_else(|| self.dialect.missing_item());
            self.assign(target, item);
        }
    }

    fn attempt(
        &mut self,
        body: &Block,
        handlers: &[Handler],
        otherwise: &Block,
        finally: &Block,
    ) -> Flow {
        let base = self.heap.depth();
        self.heap.push_collecting();
        let outer = self.thrown.take();
        let flow = self.block(body);
        let thrown = std::mem::replace(&mut self.thrown, outer);
        let (changes, passed) = self.heap.pop();
        let mut states = Vec::new();
        if flow == Flow::Next {
            self.heap.push();
            self.heap.apply(changes);
            if self.block(otherwise) == Flow::Next {
                states.push(self.heap.changes_since(base));
            }
            self.heap.pop();
        }
        self.uncertain += 1;
        for handler in handlers {
            self.heap.push();
            self.heap.combine(passed.clone(), Combine::Join);
            if let Some(name) = &handler.name {
                // Errors that the language itself throws are objects without known content.
                self.bind(name, thrown.clone().unwrap_or_else(Val::unknown));
            }
            if self.block(&handler.body) == Flow::Next {
                states.push(self.heap.changes_since(base));
            }
            self.heap.pop();
        }
        self.uncertain -= 1;
        if !finally.is_empty() && (handlers.is_empty() || states.is_empty()) {
            // It also runs when the body is left early.
            self.uncertain += 1;
            self.heap.push();
            self.heap.combine(passed, Combine::Join);
            self.block(finally);
            self.heap.pop();
            self.uncertain -= 1;
        }
        if states.is_empty() {
            return Flow::Stop;
        }
        self.heap.apply_one_of(states);
        self.block(finally)
    }

    fn with(&mut self, items: &[(Expr, Option<Target>)], body: &Block) -> Flow {
        let mut managers = Vec::new();
        for (context, target) in items {
            let manager = self.expr(context);
            let value = self.enter_context(&manager);
            if let Some(target) = target {
                self.assign(target, value);
            }
            managers.push(manager);
        }
        let catches = managers.iter().any(|manager| match manager {
            Val::Library(path) => path.ends_with("suppress"),
            Val::Instance(_) => true,
            _ => false,
        });
        let flow = if catches {
            self.heap.push_collecting();
            let flow = self.block(body);
            let (changes, passed) = self.heap.pop();
            if flow == Flow::Next {
                self.heap.apply(changes);
            }
            self.heap.combine(passed, Combine::Join);
            Flow::Next
        } else {
            self.block(body)
        };
        for manager in managers.iter().rev() {
            self.leave_context(manager);
        }
        flow
    }

    /// A part of a value that a pattern takes out of it.
    fn part(&mut self, value: &Val, step: &PartOf) -> Val {
        match step {
            PartOf::Key(key) => {
                let key = crate::numbers::constant_value(key);
                self.index(value, &key)
            }
            PartOf::Item(place) => self.index(value, &Val::Int(*place)),
            PartOf::Items(start, behind) => {
                let end = (*behind > 0).then_some(Val::Int(-behind));
                self.slice(value, &[Some(Val::Int(*start)), end, None])
            }
            PartOf::Attribute(name) => self.attribute(value, name),
            PartOf::Some => match value {
                Val::Instance(place) => {
                    let values = self.heap.attributes(*place).list.clone();
                    let values = values.into_iter().map(|(_, value)| value);
                    values.reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown)
                }
                other => self.element(other),
            },
        }
    }

    fn matching(&mut self, subject: &Val, cases: &[Case]) -> Flow {
        self.choose(
            cases.len(),
            |this, place| {
                let case = cases.get(place)?;
                if case.always {
                    return Some(true);
                }
                let values: Vec<Val> =
                    case.values.as_ref()?.iter().map(|value| this.expr(value)).collect();
                let known: Option<Vec<bool>> =
                    values.iter().map(|value| crate::numbers::equal(subject, value)).collect();
                let matches = known?.into_iter().any(|same| same);
                if matches && case.guard.is_some() { None } else { Some(matches) }
            },
            |this, place| {
                let Some(case) = cases.get(place) else { return Flow::Next };
                for (way, name) in &case.binds {
                    let part =
                        way.iter().fold(subject.clone(), |part, step| this.part(&part, step));
                    this.bind(name, part);
                }
                if let Some(guard) = &case.guard {
                    this.expr(guard);
                }
                this.block(&case.body)
            },
        )
    }
}

/// Truth of a value where only nothing and `false` are not true.
#[must_use]
pub fn truth_of_object(value: &Val) -> Option<bool> {
    match value {
        Val::Bool(value) => Some(*value),
        Val::None => Some(false),
        Val::Unknown(..) | Val::Library(_) | Val::Process(_) | Val::Method(_) => None,
        // Input that ends is nil.
        Val::Text(text) if text.has_unknown() => None,
        Val::Connection | Val::File(_) => None,
        Val::OneOf(values) => {
            let first = truth_of_object(values.first()?)?;
            values.iter().all(|value| truth_of_object(value) == Some(first)).then_some(first)
        }
        _ => Some(true),
    }
}
