//! Expressions.

use super::Interpreter;
use crate::heap::{Entries, Items, extend, insert, push_item};
use crate::ir::{
    Argument, BinaryOp, Call, Clause, Comprehension, ComprehensionKind, Expr, Gives, Item, LogicOp,
    UnaryOp,
};
use crate::language::Language;
use crate::limits::MAX_ITEMS;
use crate::numbers::{constant_value, type_of};
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, Val, join};
use aegish_code_library::{Containers, Formatting, Operators};
use aegish_values::Value;
use std::rc::Rc;

impl Interpreter<'_> {
    pub fn expr(&mut self, expr: &Expr) -> Val {
        if !self.burn(1) {
            return Val::unknown();
        }
        self.depth += 1;
        let value = if self.depth.is_multiple_of(16) {
            stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.expr_inside(expr))
        } else {
            self.expr_inside(expr)
        };
        self.depth -= 1;
        value
    }

    fn expr_inside(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Unknown => Val::unknown(),
            Expr::Constant(constant) => constant_value(constant),
            Expr::Name(name) => self.lookup(name),
            Expr::Build(parts) if self.language == Language::Lua => {
                let values: Vec<Val> = parts.iter().map(|part| self.expr(part)).collect();
                let joined = values.into_iter().rev().reduce(|behind, value| {
                    self.dialect.overloaded_operator(self, &value, "..", &behind).unwrap_or_else(
                        || {
                            let mut text = self.text_of(&value);
                            text.append(&self.text_of(&behind));
                            Val::Text(text)
                        },
                    )
                });
                match joined {
                    Some(value @ (Val::Int(_) | Val::Bool(_))) => Val::Text(self.text_of(&value)),
                    Some(value) => value,
                    None => Val::text(""),
                }
            }
            Expr::Build(parts) => {
                let mut text = Value::empty();
                for part in parts {
                    let value = self.expr(part);
                    text.append(&self.text_of(&value));
                }
                Val::Text(text)
            }
            Expr::Formatted(value, spec) => {
                let value = self.expr(value);
                let spec = self.expr(spec);
                Val::Text(self.formatted(&value, &spec.to_text()))
            }
            Expr::Chain(first, rest) => {
                let mut value = self.expr(first);
                for (op, right) in rest {
                    let right = self.expr(right);
                    value = match (value, op, &right) {
                        // In place, so that a long chain does not copy the text again and again.
                        (Val::Text(mut text), BinaryOp::Add, Val::Text(more))
                            if self.dialect.appends_texts()
                                && text.is_known()
                                && more.is_known() =>
                        {
                            self.burn(1 + more.known_prefix().len() / 64);
                            text.append(more);
                            Val::Text(text)
                        }
                        (value, ..) => self.binary(&value, *op, &right),
                    };
                }
                value
            }
            Expr::Unary(op, value) => {
                let value = self.expr(value);
                match op {
                    UnaryOp::Not => self.truth(&value).map_or_else(Val::unknown, |t| Val::Bool(!t)),
                    UnaryOp::Minus => value
                        .as_int()
                        .and_then(i64::checked_neg)
                        .map_or_else(|| value.forget(), Val::Int),
                    UnaryOp::Plus => self.dialect.plus(self, value),
                    UnaryOp::TypeOf => type_of(&value).map_or_else(Val::unknown, Val::text),
                    UnaryOp::Void => Val::None,
                    UnaryOp::Invert => {
                        value.as_int().map_or_else(|| value.forget(), |int| Val::Int(!int))
                    }
                }
            }
            Expr::Logic(op, values) => self.logic(*op, values),
            Expr::Compare(first, rest) => self.compare(first, rest),
            Expr::Conditional(parts) => {
                let [test, yes, no] = &**parts;
                let test = self.expr(test);
                match self.truth(&test) {
                    Some(true) => self.expr(yes),
                    Some(false) => self.expr(no),
                    None => {
                        let a = self.maybe(|this| this.expr(yes));
                        let b = self.maybe(|this| this.expr(no));
                        join(&a, &b)
                    }
                }
            }
            Expr::List(items) => {
                let items = self.item_list(items);
                self.heap.list(items)
            }
            Expr::Tuple(items) => {
                let items = self.item_list(items);
                match items.rest {
                    None => Val::Tuple(items.list.into()),
                    Some(_) => self.dialect.open_tuple(self, items),
                }
            }
            Expr::Dict(pairs) => self.dialect.map(self, pairs),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Function(code) => self.closure(code),
            Expr::Call(call) => self.dialect.call(self, call),
            Expr::Attribute(object, name) => {
                let object = self.expr(object);
                self.attribute(&object, name)
            }
            Expr::Index(parts) => {
                let [object, index] = &**parts;
                let object = self.expr(object);
                let index = self.expr(index);
                self.index(&object, &index)
            }
            Expr::Slice(object, bounds) => {
                let object = self.expr(object);
                let mut values = Vec::new();
                for bound in bounds.iter() {
                    values.push(bound.as_ref().map(|bound| self.expr(bound)));
                }
                self.slice(&object, &values)
            }
            Expr::Assign(assign) => {
                let (target, value) = &**assign;
                let value = self.expr(value);
                let inner = Rc::clone(&self.scope);
                while self.scope.kind == ScopeKind::Comprehension
                    && let Some(parent) = self.scope.parent.clone()
                {
                    self.scope = parent;
                }
                self.assign(target, value.clone());
                self.scope = inner;
                value
            }
            Expr::Yield(value) => {
                let value = value.as_ref().map_or(Val::None, |value| self.expr(value));
                self.yield_items(Items { list: vec![value], rest: None });
                Val::unknown()
            }
            Expr::Sequence(values) => {
                let mut last = Val::None;
                for value in values {
                    last = self.expr(value);
                }
                self.dialect.last_value(self, last)
            }
            Expr::Update(update) => {
                let old = self.expr(&update.old);
                let value = self.expr(&update.value);
                if update.op == BinaryOp::Other {
                    // A method that changes a text in place.
                    if matches!(old, Val::Text(_) | Val::OneOf(_)) {
                        self.text_changed(&old, &value);
                        self.assign(&update.target, value.clone());
                    }
                    return value;
                }
                let new = self.binary(&old, update.op, &value);
                self.assign(&update.target, new.clone());
                match update.gives {
                    Gives::Old => old,
                    Gives::New => new,
                }
            }
            Expr::Default(parts) => {
                let [value, default] = &**parts;
                let value = self.expr(value);
                self.or_default(value, default)
            }
            Expr::Pattern(source, flags) => {
                Val::Pattern(Rc::new((Rc::clone(source), Rc::clone(flags))))
            }
            Expr::Getter(code) => {
                let getter = self.closure(code);
                Val::Property(Rc::new(getter))
            }
            Expr::Class(class) => self.define_class(class),
            Expr::Keys(object) => {
                let object = self.expr(object);
                let keys = self.dialect.keys_of(self, &object);
                self.heap.list(keys)
            }
            Expr::Block(body) => self.dialect.block_value(self, body),
            Expr::YieldFrom(value) => {
                let value = self.expr(value);
                let items = self.iterate(&value);
                self.yield_items(items);
                Val::unknown()
            }
        }
    }

    /// Follows statements as an expression.
    pub fn value_of_block(&mut self, body: &crate::ir::Block) -> Val {
        for (place, statement) in body.iter().enumerate() {
            match statement {
                crate::ir::Statement::Expr(value) if place + 1 == body.len() => {
                    return self.expr(value);
                }
                other => {
                    if self.statement(other) == super::Flow::Stop {
                        return Val::unknown();
                    }
                }
            }
        }
        Val::None
    }

    /// Tells that a text which may be shared was changed in place.
    pub(super) fn text_changed(&mut self, old: &Val, new: &Val) {
        let mut scope = Some(Rc::clone(&self.scope));
        while let Some(at) = scope {
            for (_, place) in at.names() {
                if let crate::heap::Binding::Bound(known) = self.heap.variable(place)
                    && known == *old
                {
                    let either = join(old, new);
                    let either = crate::heap::Binding::Bound(either);
                    self.heap.write(place, crate::heap::Cell::Variable(either));
                }
            }
            scope = at.parent.clone();
        }
    }

    fn yield_items(&mut self, items: Items) {
        let Some(place) = self.frames.last().and_then(|frame| frame.yields) else { return };
        self.extend_list(place, items);
    }

    /// A value, or another one if it is missing.
    pub(super) fn or_default(&mut self, value: Val, default: &Expr) -> Val {
        match &value {
            Val::None => self.expr(default),
            Val::Unknown(..) | Val::Library(_) => {
                let other = self.maybe(|this| this.expr(default));
                join(&value, &other)
            }
            Val::OneOf(values)
                if values.iter().any(|v| matches!(v, Val::None | Val::Unknown(..))) =>
            {
                let there: Option<Val> = values
                    .iter()
                    .filter(|value| **value != Val::None)
                    .cloned()
                    .reduce(|a, b| join(&a, &b));
                let other = self.maybe(|this| this.expr(default));
                there.map_or(other.clone(), |there| join(&there, &other))
            }
            _ => value,
        }
    }

    fn logic(&mut self, op: LogicOp, values: &[Expr]) -> Val {
        let Some((first, rest)) = values.split_first() else { return Val::unknown() };
        let value = self.expr(first);
        if rest.is_empty() {
            return value;
        }
        if op == LogicOp::Coalesce {
            return match &value {
                Val::None => self.logic(op, rest),
                Val::Unknown(..) | Val::Library(_) | Val::OneOf(_) => {
                    let other = self.maybe(|this| this.logic(op, rest));
                    join(&value, &other)
                }
                // An environment variable may not be set.
                Val::Text(text) if text.has_unknown() => {
                    let other = self.maybe(|this| this.logic(op, rest));
                    join(&value, &other)
                }
                _ => value,
            };
        }
        match (op, self.truth(&value)) {
            (LogicOp::And, Some(true)) | (LogicOp::Or, Some(false)) => self.logic(op, rest),
            (LogicOp::And, Some(false)) | (LogicOp::Or, Some(true)) => value,
            (_, None) | (LogicOp::Coalesce, _) => {
                let other = self.maybe(|this| this.logic(op, rest));
                // An environment variable that is not set is replaced by its default.
                match (op, &value) {
                    // Only nil and false are not true.
                    (LogicOp::And, _) if self.dialect.has_few_falsehoods() => {
                        join(&Val::None, &other)
                    }
                    (LogicOp::Or, Val::OneOf(values)) if self.dialect.has_few_falsehoods() => {
                        values
                            .iter()
                            .filter(|value| !matches!(value, Val::None | Val::Bool(false)))
                            .fold(other, |all, value| join(&all, value))
                    }
                    (LogicOp::Or, Val::None) => other,
                    _ => join(&value, &other),
                }
            }
        }
    }

    fn item_list(&mut self, items: &[Item]) -> Items {
        let mut all = Items::default();
        for item in items {
            match item {
                Item::One(expr) => {
                    let value = self.expr(expr);
                    push_item(&mut all, value);
                }
                Item::Spread(expr) => {
                    let value = self.expr(expr);
                    let more = self.iterate(&value);
                    extend(&mut all, more);
                }
            }
        }
        all
    }

    /// A call of the text, where the languages agree.
    pub(super) fn plain_call(&mut self, call: &Call) -> Val {
        let function = self.expr(&call.function);
        let args = self.arguments(&call.arguments);
        let outer = std::mem::replace(&mut self.site, call.site);
        let value = self.call(&function, args);
        self.site = outer;
        value
    }

    /// A map that is written out, where the languages agree.
    pub(super) fn plain_map(&mut self, pairs: &[(Option<Expr>, Expr)]) -> Val {
        let mut entries = Entries::default();
        for (key, value) in pairs {
            match key {
                Some(key) => {
                    let key = self.expr(key);
                    let value = self.expr(value);
                    insert(&mut entries, key, value);
                }
                None => {
                    let value = self.expr(value);
                    if let Val::Dict(place) = value {
                        let more = self.heap.entries(place);
                        for (key, value) in &more.list {
                            insert(&mut entries, key.clone(), value.clone());
                        }
                        if let Some(rest) = &more.rest {
                            entries.rest = Some(rest.clone());
                        }
                    } else {
                        entries.rest = Some(value.forget());
                    }
                }
            }
        }
        self.heap.dict(entries)
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> Val {
        let scope = Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Comprehension);
        let outer = std::mem::replace(&mut self.scope, scope);
        let mut items = Items::default();
        let mut entries = Entries::default();
        self.clauses(&comprehension.clauses, &mut |this, certain| {
            let key = comprehension.key.as_ref().map(|key| this.expr(key));
            let value = this.expr(&comprehension.element);
            match comprehension.kind {
                ComprehensionKind::Dict => {
                    insert(&mut entries, key.unwrap_or(Val::None), value);
                }
                ComprehensionKind::List if certain && items.rest.is_none() => {
                    push_item(&mut items, value);
                }
                ComprehensionKind::List => {
                    let rest = items.rest.take();
                    items.rest = Some(rest.map_or(value.clone(), |rest| join(&rest, &value)));
                }
            }
        });
        self.scope = outer;
        match comprehension.kind {
            ComprehensionKind::List => self.heap.list(items),
            ComprehensionKind::Dict => self.heap.dict(entries),
        }
    }

    fn clauses(&mut self, clauses: &[Clause], give: &mut dyn FnMut(&mut Self, bool)) {
        self.clauses_from(clauses, true, give);
    }

    fn clauses_from(
        &mut self,
        clauses: &[Clause],
        certain: bool,
        give: &mut dyn FnMut(&mut Self, bool),
    ) {
        let Some((clause, rest)) = clauses.split_first() else { return give(self, certain) };
        let iterable = self.expr(&clause.iterable);
        let items = self.iterate(&iterable);
        // Bounded: leaving some out counts as code that was not read.
        self.open |= items.list.len() > MAX_ITEMS;
        for item in items.list.into_iter().take(MAX_ITEMS) {
            if !self.burn(1) {
                return;
            }
            self.clause_item(clause, item, rest, certain, give);
        }
        if let Some(item) = items.rest {
            self.maybe(|this| this.clause_item(clause, item, rest, false, give));
        }
    }

    fn clause_item(
        &mut self,
        clause: &Clause,
        item: Val,
        rest: &[Clause],
        certain: bool,
        give: &mut dyn FnMut(&mut Self, bool),
    ) {
        self.assign(&clause.target, item);
        let mut certain = certain;
        for condition in &clause.conditions {
            let value = self.expr(condition);
            match self.truth(&value) {
                Some(true) => {}
                Some(false) => return,
                None => certain = false,
            }
        }
        self.clauses_from(rest, certain, give);
    }

    pub fn arguments(&mut self, arguments: &[Argument]) -> Args {
        let mut args = Args::default();
        let mut items = Items::default();
        for argument in arguments {
            match argument {
                Argument::One(expr) => {
                    let value = self.expr(expr);
                    push_item(&mut items, value);
                }
                Argument::Spread(expr) => {
                    let value = self.expr(expr);
                    let more = self.iterate(&value);
                    extend(&mut items, more);
                }
                Argument::Named(name, expr) => {
                    let value = self.expr(expr);
                    args.named.push((name.clone(), value));
                }
                Argument::SpreadNamed(expr) => {
                    let value = self.expr(expr);
                    if let Val::Dict(place) = value {
                        for (key, value) in &self.heap.entries(place).list {
                            if let Some(name) = key.as_known() {
                                args.named.push((name.into(), value.clone()));
                            }
                        }
                    }
                }
            }
        }
        args.list = items.list;
        args.rest = items.rest;
        args
    }
}
