//! The interpreter as the functions of a library see it.

use crate::calls::Entry;
use crate::heap::{Heap, Items};
use crate::ir::{Expr, Name};
use crate::language::Language;
use crate::reference::Ref;
use crate::value::{Args, Val};
use aegish_values::{Taint, Value};

/// What a function of a library may ask of the interpreter that follows it.
pub trait Machine: Sized {
    fn language(&self) -> Language;

    fn heap(&mut self) -> &mut Heap;

    /// Takes fuel; false when there is none left.
    fn burn(&mut self, amount: usize) -> bool;

    /// Something was not followed.
    fn leave_open(&mut self);

    /// Whether the present statement is reached for sure.
    fn is_certain(&self) -> bool;

    /// Whether loops are still followed item by item.
    fn unrolls(&self) -> bool;

    fn expr(&mut self, expr: &Expr) -> Val;

    fn call(&mut self, function: &Val, args: Args) -> Val;

    /// Calls the functions among the arguments with something unknown.
    fn run_callbacks(&mut self, args: &Args, object: Option<&Val>);

    /// A call that the table of calls describes.
    fn effect_call(&mut self, entry: &Entry, args: &Args, path: &str) -> Val;

    /// Follows a text as code of the program.
    fn evaluate(&mut self, code: &Val) -> Val;

    fn truth(&self, value: &Val) -> Option<bool>;

    fn lookup(&mut self, name: &Name) -> Val;

    /// Binds a variable of the program.
    fn bind_in_program(&mut self, name: &Name, value: Val);

    /// Changes a variable where it is declared.
    fn bind_nearest(&mut self, name: &Name, value: Val);

    fn attribute(&mut self, object: &Val, name: &Name) -> Val;

    fn set_attribute(&mut self, object: &Val, name: &Name, value: Val);

    fn library_attribute(&mut self, path: &str, name: &str) -> Val;

    /// The program stores something as an attribute of a library.
    fn override_library(&mut self, path: String, value: Val);

    fn index(&mut self, object: &Val, index: &Val) -> Val;

    fn set_index(&mut self, object: &Val, index: &Val, value: Val);

    fn slice(&mut self, object: &Val, bounds: &[Option<Val>]) -> Val;

    fn iterate(&mut self, value: &Val) -> Items;

    /// Any item of the value.
    fn element(&mut self, value: &Val) -> Val;

    fn text_of(&mut self, value: &Val) -> Value;

    /// What the class of a reference makes of it where a text is needed.
    fn overloaded_text(&mut self, place: Ref, value: &Val) -> Option<Value>;

    /// What an operator that a class or a table of the program defines makes of two values.
    fn overloaded_operator(&mut self, a: &Val, sign: &str, b: &Val) -> Option<Val>;

    fn taint_of(&self, value: &Val) -> Taint;

    /// The value in a form that is cheap to compare.
    fn compact(&mut self, value: Val) -> Val;

    /// Follows something that may not happen.
    fn maybe<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T;

    /// Follows one operation for each value that it may be, and joins the results.
    fn each(&mut self, value: &Val, follow: impl FnMut(&mut Self, &Val) -> Val) -> Val;

    /// Follows something any number of times.
    fn repeated(&mut self, follow: &mut dyn FnMut(&mut Self));

    /// Follows a function for each item, one behind the other, and returns what it gives.
    fn for_each(&mut self, items: Items, follow: &mut dyn FnMut(&mut Self, &Val) -> Val) -> Items;

    /// A method with a special name that a class of the program defines.
    fn special(&mut self, value: &Val, name: &str) -> Option<Val>;

    /// The path of a library by its usual name.
    fn canonical(&self, path: &str) -> Name;

    fn is_function(&self, value: &Val) -> bool;

    fn known_bytes(&self, value: &Val) -> Option<Vec<u8>>;

    /// A text as a literal of the language.
    fn literal(&mut self, text: &str) -> Option<Val>;

    /// The content of a file that the program opened.
    fn file_content(&self, index: usize) -> Val;

    fn new_object(&mut self, list: Vec<(&str, Val)>) -> Val;

    /// Follows something that may change a variable, which has its old value afterwards.
    fn localized(&mut self, name: &str, follow: impl FnOnce(&mut Self));

    /// Data that the peer sends.
    fn received(&self) -> Val;

    /// A variable of the environment.
    fn env(&mut self, name: &str) -> Val;

    /// Calls a function with each item.
    fn call_each(&mut self, function: &Val, items: &Items) -> Items;

    /// Calls a method of an object.
    fn method(&mut self, object: &Val, name: &str, args: Args) -> Val;

    /// A list of all of the values.
    fn new_list(&mut self, list: Vec<Val>) -> Val;

    fn new_dict(&mut self, list: Vec<(Val, Val)>, rest: Option<Val>) -> Val;

    fn is_php(&self) -> bool {
        self.language() == Language::Php
    }

    fn is_javascript(&self) -> bool {
        self.language() == Language::JavaScript
    }
}
