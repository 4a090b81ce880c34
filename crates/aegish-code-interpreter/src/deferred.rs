//! Functions that are called later, or with the object that they belong to.

use super::Interpreter;
use crate::ir::Receiver;
use crate::value::{Args, ClassValue, Val};

/// Most callbacks that are run.
const MAX_CALLBACKS: usize = 512;
/// Most runs of a callback with the same arguments: what it sees may have changed.
const SAME: usize = 2;

impl Interpreter<'_> {
    /// A callback runs when the statements have run, and may not run at all.
    pub fn defer(&mut self, this: Option<Val>, function: Val, args: Args) {
        let same = |(known, with): &&(Val, Args)| *known == function && *with == args;
        if self.ran.iter().filter(same).count() < SAME {
            self.ran.push((function.clone(), args.clone()));
            self.deferred.push_back((this, function, args));
        }
    }

    /// Runs the callbacks, and those that they add.
    pub(super) fn run_deferred(&mut self) {
        let mut left = MAX_CALLBACKS;
        while let Some((this, function, args)) = self.deferred.pop_front() {
            if left == 0 || self.fuel == 0 {
                self.open = true;
                self.deferred.clear();
                return;
            }
            left -= 1;
            self.maybe(|interpreter| match &this {
                Some(this) => interpreter.call_with(this, &function, args),
                None => interpreter.call(&function, args),
            });
        }
    }

    /// Functions that get what nothing catches.
    pub(super) fn tell_hooks(&mut self, thrown: &Val) {
        for hook in self.hooks.clone() {
            self.defer(None, hook, Args::of(vec![thrown.clone()]));
        }
        if let Some(hook) = self.overridden("sys.excepthook") {
            let given = vec![Val::unknown(), thrown.clone(), Val::unknown()];
            self.defer(None, hook, Args::of(given));
        }
    }

    /// Calls a function with the object that it belongs to, if it takes one.
    pub fn call_with(&mut self, this: &Val, function: &Val, args: Args) -> Val {
        match function {
            Val::Function(closure) => match closure.code.receiver {
                Receiver::This => self.enter(closure, args.with_first(this.clone())),
                _ => self.enter(closure, args),
            },
            Val::OneOf(_) => self
                .each(function, |interpreter, one| interpreter.call_with(this, one, args.clone())),
            other => self.call(other, args),
        }
    }

    /// `super(args)`: the constructor of the base.
    pub fn call_super(&mut self, instance: &Val, class: &ClassValue, args: Args) -> Val {
        for base in &class.bases {
            if let Some(init) = self.class_attribute(base, "__init__") {
                self.call_with(instance, &init, args);
                return Val::None;
            }
            if matches!(base, Val::Library(_)) {
                if let (Val::Library(path), Some(first)) = (base, args.get(0))
                    && path.ends_with("Error")
                {
                    let message = first.clone();
                    self.set_attribute(instance, &"message".into(), message);
                }
                self.call(base, args);
                return Val::None;
            }
        }
        Val::None
    }
}
