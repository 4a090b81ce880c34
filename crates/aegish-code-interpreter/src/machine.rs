//! The interpreter as the functions of a library see it.

use super::Interpreter;
use crate::heap::{Heap, Items};
use crate::ir::{Expr, Name};
use crate::language::Language;
use crate::reference::Ref;
use crate::value::{Args, Val};
use aegish_calls::Entry;
use aegish_code_library::Machine;
use aegish_values::{Taint, Value};

impl Machine for Interpreter<'_> {
    fn language(&self) -> Language {
        self.language
    }

    fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }

    fn leave_open(&mut self) {
        self.open = true;
    }

    fn is_certain(&self) -> bool {
        self.uncertain == 0
    }

    fn unrolls(&self) -> bool {
        self.unroll > 0
    }

    fn bind_in_program(&mut self, name: &Name, value: Val) {
        let scope = self.scope.program();
        self.bind_in(&scope, name, value);
    }

    fn maybe<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        Self::maybe(self, follow)
    }

    fn each(&mut self, value: &Val, follow: impl FnMut(&mut Self, &Val) -> Val) -> Val {
        Self::each(self, value, follow)
    }

    fn repeated(&mut self, follow: &mut dyn FnMut(&mut Self)) {
        Self::repeated(self, follow);
    }

    fn for_each(&mut self, items: Items, follow: &mut dyn FnMut(&mut Self, &Val) -> Val) -> Items {
        Self::for_each(self, items, follow)
    }

    fn burn(&mut self, amount: usize) -> bool {
        Self::burn(self, amount)
    }

    fn expr(&mut self, expr: &Expr) -> Val {
        Self::expr(self, expr)
    }

    fn call(&mut self, function: &Val, args: Args) -> Val {
        Self::call(self, function, args)
    }

    fn run_callbacks(&mut self, args: &Args, object: Option<&Val>) {
        Self::run_callbacks(self, args, object);
    }

    fn effect_call(&mut self, entry: &Entry, args: &Args, path: &str) -> Val {
        Self::effect_call(self, entry, args, path)
    }

    fn evaluate(&mut self, code: &Val) -> Val {
        Self::evaluate(self, code, None)
    }

    fn truth(&self, value: &Val) -> Option<bool> {
        Self::truth(self, value)
    }

    fn lookup(&mut self, name: &Name) -> Val {
        Self::lookup(self, name)
    }

    fn bind_nearest(&mut self, name: &Name, value: Val) {
        Self::bind_nearest(self, name, value);
    }

    fn attribute(&mut self, object: &Val, name: &Name) -> Val {
        Self::attribute(self, object, name)
    }

    fn set_attribute(&mut self, object: &Val, name: &Name, value: Val) {
        Self::set_attribute(self, object, name, value);
    }

    fn library_attribute(&mut self, path: &str, name: &str) -> Val {
        Self::library_attribute(self, path, name)
    }

    fn override_library(&mut self, path: String, value: Val) {
        Self::override_library(self, path, value);
    }

    fn index(&mut self, object: &Val, index: &Val) -> Val {
        Self::index(self, object, index)
    }

    fn set_index(&mut self, object: &Val, index: &Val, value: Val) {
        Self::set_index(self, object, index, value);
    }

    fn slice(&mut self, object: &Val, bounds: &[Option<Val>]) -> Val {
        Self::slice(self, object, bounds)
    }

    fn iterate(&mut self, value: &Val) -> Items {
        Self::iterate(self, value)
    }

    fn element(&mut self, value: &Val) -> Val {
        Self::element(self, value)
    }

    fn text_of(&mut self, value: &Val) -> Value {
        Self::text_of(self, value)
    }

    fn overloaded_text(&mut self, place: Ref, value: &Val) -> Option<Value> {
        self.dialect.overloaded_text(self, place, value)
    }

    fn overloaded_operator(&mut self, a: &Val, sign: &str, b: &Val) -> Option<Val> {
        self.dialect.overloaded_operator(self, a, sign, b)
    }

    fn taint_of(&self, value: &Val) -> Taint {
        Self::taint_of(self, value)
    }

    fn compact(&mut self, value: Val) -> Val {
        Self::compact(self, value)
    }

    fn special(&mut self, value: &Val, name: &str) -> Option<Val> {
        Self::special(self, value, name)
    }

    fn canonical(&self, path: &str) -> Name {
        Self::canonical(self, path)
    }

    fn is_function(&self, value: &Val) -> bool {
        Self::is_function(self, value)
    }

    fn known_bytes(&self, value: &Val) -> Option<Vec<u8>> {
        Self::known_bytes(self, value)
    }

    fn literal(&mut self, text: &str) -> Option<Val> {
        Self::literal(self, text)
    }

    fn file_content(&self, index: usize) -> Val {
        Self::file_content(self, index)
    }

    fn new_object(&mut self, list: Vec<(&str, Val)>) -> Val {
        Self::new_object(self, list)
    }

    fn localized(&mut self, name: &str, follow: impl FnOnce(&mut Self)) {
        let mark = self.locals.len();
        self.dialect.localize(self, name);
        follow(self);
        self.restore_locals(mark);
    }

    fn received(&self) -> Val {
        Self::received(self)
    }

    fn env(&mut self, name: &str) -> Val {
        Self::env(self, name)
    }

    fn call_each(&mut self, function: &Val, items: &Items) -> Items {
        Self::call_each(self, function, items)
    }

    fn method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        Self::method(self, object, name, args)
    }

    fn new_list(&mut self, list: Vec<Val>) -> Val {
        Self::new_list(self, list)
    }

    fn new_dict(&mut self, list: Vec<(Val, Val)>, rest: Option<Val>) -> Val {
        Self::new_dict(self, list, rest)
    }
}
