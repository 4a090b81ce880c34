//! Branches and loops: states are followed apart and joined.

use super::{Flow, Interpreter, Loop, LoopKind};
use crate::effect::CodeEffect;
use crate::heap::{Changes, Combine};
use crate::ir::{BinaryOp, Bindings, Block, Choice, Expr, Name, Statement, Target};
use crate::limits::{MAX_ITERATIONS, MAX_PASSES};
use crate::value::{Val, join};

/// Iterations of an endless loop that are followed one by one.
const ENDLESS_ITERATIONS: usize = 24;

impl Interpreter<'_> {
    /// Follows the first branch whose condition holds; `test` gives none for the last branch without condition.
    pub(super) fn choose(
        &mut self,
        branches: usize,
        mut test: impl FnMut(&mut Self, usize) -> Option<bool>,
        mut body: impl FnMut(&mut Self, usize) -> Flow,
    ) -> Flow {
        let base = self.heap.depth();
        let mut outcomes = Vec::new();
        let mut last = Flow::Next;
        let mut forked = false;
        for branch in 0..branches {
            match test(self, branch) {
                Some(false) => {}
                Some(true) => {
                    last = body(self, branch);
                    break;
                }
                None => {
                    if !forked {
                        self.uncertain += 1;
                    }
                    self.heap.push();
                    let flow = body(self, branch);
                    if flow == Flow::Next {
                        outcomes.push(self.heap.changes_since(base));
                    }
                    self.heap.pop();
                    if !forked {
                        forked = true;
                        self.heap.push();
                    }
                }
            }
        }
        if !forked {
            return last;
        }
        self.uncertain -= 1;
        let (changes, _) = self.heap.pop();
        if last == Flow::Next {
            outcomes.push(changes);
        }
        self.continue_with(outcomes)
    }

    /// Goes on in one of several states.
    fn continue_with(&mut self, states: Vec<Changes>) -> Flow {
        if states.is_empty() {
            return Flow::Stop;
        }
        self.heap.apply_one_of(states);
        Flow::Next
    }

    /// Follows something that may not happen.
    pub fn maybe<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        self.uncertain += 1;
        self.heap.push();
        let result = follow(self);
        let (changes, _) = self.heap.pop();
        self.heap.combine(changes, Combine::Join);
        self.uncertain -= 1;
        result
    }

    /// Follows one operation for each value that it may be, and joins the results.
    pub fn each(&mut self, value: &Val, mut follow: impl FnMut(&mut Self, &Val) -> Val) -> Val {
        let Val::OneOf(values) = value else { return follow(self, value) };
        let mut states = Vec::new();
        let mut result: Option<Val> = None;
        self.uncertain += 1;
        for value in values.iter() {
            self.heap.push();
            let one = follow(self, value);
            states.push(self.heap.pop().0);
            result = Some(result.map_or(one.clone(), |result| join(&result, &one)));
        }
        self.uncertain -= 1;
        self.heap.apply_one_of(states);
        result.unwrap_or_else(Val::unknown)
    }

    fn enter_loop(&mut self, kind: LoopKind, label: Option<Name>) {
        let base = self.heap.depth();
        let (breaks, continues) = (Vec::new(), Vec::new());
        self.loops.push(Loop { kind, label, base, iteration: base, breaks, continues });
        self.heap.push();
    }

    /// A statement that `break label` leaves.
    pub(super) fn labeled(&mut self, label: &Name, body: &Block) -> Flow {
        self.enter_loop(LoopKind::Label, Some(label.clone()));
        self.label = Some(label.clone());
        let flow = self.block(body);
        self.label = None;
        self.leave_loop(flow, &Vec::new())
    }

    /// The cases from the first that equals the subject on.
    pub(super) fn switch(&mut self, subject: &Val, cases: &[Choice]) -> Flow {
        self.enter_loop(LoopKind::Switch, None);
        let mut entries = Vec::new();
        let mut certain = false;
        for (place, (test, _)) in cases.iter().enumerate() {
            let Some(test) = test else { continue };
            let value = self.expr(test);
            match self.dialect.is_case(self, subject, &value) {
                Some(false) => {}
                Some(true) => {
                    entries.push(place);
                    certain = true;
                    break;
                }
                None => entries.push(place),
            }
        }
        if !certain && let Some(place) = cases.iter().position(|(test, _)| test.is_none()) {
            entries.push(place);
            certain = true;
        }
        let run = |this: &mut Self, from: usize| {
            for (_, body) in cases.iter().skip(from) {
                if this.block(body) == Flow::Stop {
                    return Flow::Stop;
                }
            }
            Flow::Next
        };
        let flow = if let (true, [only]) = (certain, entries.as_slice()) {
            run(self, *only)
        } else {
            let base = self.heap.depth();
            let mut states = Vec::new();
            self.uncertain += 1;
            for from in entries {
                self.heap.push();
                if run(self, from) == Flow::Next {
                    states.push(self.heap.changes_since(base));
                }
                self.heap.pop();
            }
            self.uncertain -= 1;
            if !certain {
                states.push(Changes::new());
            }
            self.continue_with(states)
        };
        self.leave_loop(flow, &Vec::new())
    }

    /// Follows one iteration with variables of its own.
    fn with_copies(&mut self, copies: &[Name], body: &Block) -> Flow {
        if copies.is_empty() {
            return self.block(body);
        }
        self.scoped(|this| {
            for name in copies {
                let value = this.lookup(name);
                this.bind(name, value);
            }
            let flow = this.block(body);
            let values: Vec<Val> = copies.iter().map(|name| this.lookup(name)).collect();
            if let Some(parent) = this.scope.parent.clone() {
                let inner = std::mem::replace(&mut this.scope, parent);
                for (name, value) in copies.iter().zip(values) {
                    this.bind_nearest(name, value);
                }
                this.scope = inner;
            }
            flow
        })
    }

    /// Ends a loop in the state behind it.
    fn leave_loop(&mut self, flow: Flow, otherwise: &Block) -> Flow {
        let Some(all) = self.loops.pop() else { return Flow::Next };
        let mut states = all.breaks;
        if flow == Flow::Next && self.block(otherwise) == Flow::Next {
            states.push(self.heap.changes_since(all.base));
        }
        self.heap.pop();
        self.continue_with(states)
    }

    /// Follows one iteration; `Stop` if no path leads to the next one.
    fn iteration(&mut self, body: &mut dyn FnMut(&mut Self) -> Flow) -> Flow {
        let base = self.heap.depth();
        if let Some(all) = self.loops.last_mut() {
            all.iteration = base;
        }
        self.heap.push();
        let flow = body(self);
        let mut states =
            self.loops.last_mut().map(|all| std::mem::take(&mut all.continues)).unwrap_or_default();
        if states.is_empty() && flow == Flow::Next {
            self.heap.commit();
            return Flow::Next;
        }
        if flow == Flow::Next {
            states.push(self.heap.changes_since(base));
        }
        self.heap.pop();
        self.continue_with(states)
    }

    /// Follows the body any number of times, until nothing new is seen.
    fn fixed_point(
        &mut self,
        body: &mut dyn FnMut(&mut Self) -> Flow,
        after: &mut dyn FnMut(&mut Self) -> Flow,
    ) {
        self.uncertain += 1;
        for pass in 0..=MAX_PASSES {
            if !self.burn(1) {
                break;
            }
            self.heap.push();
            let mut flow = self.iteration(body);
            if flow == Flow::Next {
                flow = after(self);
            }
            let (changes, _) = self.heap.pop();
            let how = match pass {
                0 => Combine::Join,
                _ if pass < MAX_PASSES => Combine::Widen,
                _ => Combine::Forget,
            };
            if flow == Flow::Stop || !self.heap.combine(changes, how) {
                break;
            }
        }
        self.uncertain -= 1;
    }

    /// Follows something any number of times.
    pub fn repeated(&mut self, follow: &mut dyn FnMut(&mut Self)) {
        self.enter_loop(LoopKind::Label, None);
        let mut body = |this: &mut Self| {
            follow(this);
            Flow::Next
        };
        self.fixed_point(&mut body, &mut |_| Flow::Next);
        self.leave_loop(Flow::Next, &Vec::new());
    }

    pub(super) fn for_loop(
        &mut self,
        target: &Target,
        iterable: &Val,
        body: &Block,
        otherwise: &Block,
        bindings: Bindings,
    ) -> Flow {
        let all = self.iterate(iterable);
        let label = self.label.take();
        self.enter_loop(LoopKind::Loop, label);
        let run = |this: &mut Self, item: &Val| match bindings {
            Bindings::Shared => {
                this.assign(target, item.clone());
                this.block(body)
            }
            Bindings::PerIteration => this.scoped(|this| {
                this.assign(target, item.clone());
                this.block(body)
            }),
        };
        let mut items = all.list.into_iter();
        let mut rest = all.rest;
        let mut flow = Flow::Next;
        if items.len() <= MAX_ITERATIONS {
            while self.unroll > 0
                && let Some(item) = items.next()
            {
                flow = self.iteration(&mut |this| run(this, &item));
                if flow == Flow::Stop {
                    break;
                }
            }
        }
        if flow == Flow::Next {
            for item in items {
                rest = Some(rest.map_or(item.clone(), |rest| join(&rest, &item)));
            }
            if let Some(rest) = rest {
                self.fixed_point(&mut |this| run(this, &rest), &mut |_| Flow::Next);
            }
        }
        self.leave_loop(flow, otherwise)
    }

    pub(super) fn while_loop(
        &mut self,
        test: &Expr,
        step: &Block,
        body: &Block,
        otherwise: &Block,
        copies: &[Name],
    ) -> Flow {
        let label = self.label.take();
        self.enter_loop(LoopKind::Loop, label);
        let constant = matches!(test, Expr::Constant(_));
        let most = if constant { ENDLESS_ITERATIONS } else { MAX_ITERATIONS };
        if constant {
            self.endless += 1;
            if step.is_empty() && only_grows(body) {
                self.record(CodeEffect::Exhaust);
            }
        }
        let mut flow = Flow::Next;
        let mut iterations = 0;
        let mut settled = false;
        while self.unroll > 0 && iterations < most && self.burn(1) {
            let value = self.expr(test);
            match self.dialect.loop_truth(self, &value) {
                Some(true) => {}
                Some(false) => {
                    settled = true;
                    break;
                }
                None => break,
            }
            iterations += 1;
            self.heap.push();
            flow = self.iteration(&mut |this| this.with_copies(copies, body));
            if flow == Flow::Next {
                flow = self.block(step);
            }
            let same = self.heap.is_unchanged();
            self.heap.commit();
            if flow == Flow::Stop {
                break;
            }
            if same && iterations > 1 {
                // The next iteration would be the same, for ever.
                flow = Flow::Stop;
                break;
            }
        }
        if flow == Flow::Next && !settled {
            self.fixed_point(
                &mut |this| {
                    this.expr(test);
                    this.with_copies(copies, body)
                },
                &mut |this| this.block(step),
            );
            self.expr(test);
            if constant {
                flow = Flow::Stop;
            }
        }
        if constant {
            self.endless -= 1;
        }
        self.leave_loop(flow, otherwise)
    }

    /// `break`: the state goes behind the loop.
    pub(super) fn break_loop(&mut self, label: Option<&Name>) -> Flow {
        let found = self.loops.iter_mut().rev().find(|all| match label {
            Some(_) => all.label.as_ref() == label,
            None => all.kind != LoopKind::Label,
        });
        match found {
            Some(all) => {
                let changes = self.heap.changes_since(all.base);
                all.breaks.push(changes);
            }
            None => self.dialect.break_outside(self),
        }
        Flow::Stop
    }

    /// `continue`: the state goes to the next iteration.
    pub(super) fn continue_loop(&mut self, label: Option<&Name>) -> Flow {
        let found = self.loops.iter_mut().rev().find(|all| {
            all.kind == LoopKind::Loop && (label.is_none() || all.label.as_ref() == label)
        });
        if let Some(all) = found {
            let changes = self.heap.changes_since(all.iteration);
            all.continues.push(changes);
        }
        Flow::Stop
    }
}

/// Whether a body does nothing but add to a list or a text. In an endless loop that fills the memory.
fn only_grows(body: &Block) -> bool {
    if let [Statement::Block(inner)] = body.as_slice() {
        return only_grows(inner);
    }
    !body.is_empty()
        && body.iter().all(|statement| match statement {
            Statement::Expr(Expr::Call(call)) => match &call.function {
                Expr::Attribute(_, name) => {
                    matches!(&**name, "append" | "extend" | "fork" | "Popen" | "push" | "spawn")
                }
                // A language may have functions for it.
                Expr::Name(name) => matches!(&**name, "push" | "unshift" | "array_push"),
                _ => false,
            },
            Statement::Update(_, _, BinaryOp::Add | BinaryOp::Mul, value) => {
                !matches!(value, Expr::Constant(crate::ir::Constant::Int(_)))
            }
            Statement::Assign(_, Expr::Chain(_, rest)) => rest.iter().all(|(op, value)| {
                *op == BinaryOp::Add
                    && !matches!(value, Expr::Constant(crate::ir::Constant::Int(_)))
            }),
            _ => false,
        })
}
