//! Where the meaning of a language differs from what the languages have in common.

use crate::heap::{Binding, Cell, Items};
use crate::ir::{Block, Call, Class, Expr, Function, Name, Program, Target};
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, ClassValue, Closure, Val};
use crate::{Flow, Interpreter};
use aegish_calls::{Entry, Role};
use aegish_code_library::given::Given;
use aegish_values::Value;
use std::rc::Rc;

/// The meaning of one language. What a method does by default is the general meaning.
pub trait Dialect {
    /// Ways to write the place of all names.
    fn prefixes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether only nothing and `false` are not true.
    fn has_few_falsehoods(&self) -> bool {
        false
    }

    /// Whether a path may be a URL of a file.
    fn reads_file_urls(&self) -> bool {
        false
    }

    /// Whether each value that a path may have is a path of its own.
    fn splits_paths(&self) -> bool {
        false
    }

    /// Whether a program without arguments whose name has blanks was meant for a shell.
    fn splits_programs(&self) -> bool {
        false
    }

    /// Whether a value may be the name of a file; nothing is none.
    fn names_file(&self, value: &Val) -> bool {
        *value != Val::None
    }

    /// Whether all arguments of a role count, not just the first one.
    fn repeats_roles(&self) -> bool {
        true
    }

    /// Whether statements that are evaluated give the value of the last one.
    fn completes(&self) -> bool {
        false
    }

    /// Whether a handler gets what was thrown.
    fn catches_values(&self) -> bool {
        true
    }

    /// Whether `+` of two texts does nothing but put one behind the other.
    fn appends_texts(&self) -> bool {
        false
    }

    /// Whether a name outside of a scope can become another name of its variable.
    fn aliases_variables(&self) -> bool {
        false
    }

    /// Whether a parameter with `&` is another name of a variable.
    fn marks_references(&self) -> bool {
        false
    }

    /// What an argument is that the caller leaves out.
    fn missing_argument(&self) -> Val {
        Val::unknown()
    }

    /// What an item is that a list does not have.
    fn missing_item(&self) -> Val {
        Val::None
    }

    /// How many arguments are not in the list of all arguments.
    fn receivers(&self, _code: &Function) -> usize {
        1
    }

    /// Makes what is there before the first statement.
    fn start(&self, _on: &mut Interpreter<'_>) {}

    /// The value of a variable.
    fn lookup(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.plain_lookup(name)
    }

    /// A name that the program does not define.
    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        Val::Library(on.canonical(name))
    }

    /// Sets a variable.
    fn bind(&self, on: &mut Interpreter<'_>, name: &Name, value: Val) {
        on.plain_bind(name, value);
    }

    /// Changes a variable where it is declared.
    fn bind_nearest(&self, on: &mut Interpreter<'_>, name: &Name, value: Val) {
        on.plain_bind_nearest(name, value);
    }

    /// Gives a variable its old value back when the present function ends.
    fn localize(&self, _on: &mut Interpreter<'_>, _name: &str) {}

    /// Truth of a value, if it is known.
    fn truth(&self, on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        on.plain_truth(value)
    }

    /// Truth of the condition of a loop.
    fn loop_truth(&self, on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        on.truth(value)
    }

    /// Whether a value is that of a case.
    fn is_case(&self, _on: &mut Interpreter<'_>, subject: &Val, value: &Val) -> Option<bool> {
        crate::numbers::equal(subject, value)
    }

    /// A value as a text.
    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.plain_text(value)
    }

    /// What the class of a reference makes of it where a text is needed.
    fn overloaded_text(
        &self,
        _on: &mut Interpreter<'_>,
        _place: Ref,
        _value: &Val,
    ) -> Option<Value> {
        None
    }

    /// What an operator that a class or a table of the program defines makes of two values.
    fn overloaded_operator(
        &self,
        _on: &mut Interpreter<'_>,
        _a: &Val,
        _sign: &str,
        _b: &Val,
    ) -> Option<Val> {
        None
    }

    /// A text that is a literal, as a program.
    fn literal(&self, on: &mut Interpreter<'_>, text: &str) -> Program {
        on.lower(text.trim())
    }

    /// `+value`.
    fn plus(&self, _on: &mut Interpreter<'_>, value: Val) -> Val {
        value
    }

    /// A tuple whose length is not known.
    fn open_tuple(&self, on: &mut Interpreter<'_>, items: Items) -> Val {
        on.heap.list(items)
    }

    /// A map that is written out.
    fn map(&self, on: &mut Interpreter<'_>, pairs: &[(Option<Expr>, Expr)]) -> Val {
        on.plain_map(pairs)
    }

    /// A value as a key of a map.
    fn key(&self, _on: &mut Interpreter<'_>, key: &Val) -> Val {
        key.clone()
    }

    /// The keys that a loop over the names of an object sees.
    fn keys_of(&self, on: &mut Interpreter<'_>, object: &Val) -> Items {
        on.iterate(object)
    }

    /// The names of an object with their values.
    fn entries_of(&self, on: &mut Interpreter<'_>, object: &Val) -> Items {
        on.iterate(object)
    }

    /// The value of several expressions, of which this is the last one.
    fn last_value(&self, _on: &mut Interpreter<'_>, value: Val) -> Val {
        value
    }

    /// The value of statements that stand for an expression.
    fn block_value(&self, on: &mut Interpreter<'_>, body: &Block) -> Val {
        on.value_of_block(body)
    }

    /// The items of a value.
    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        on.plain_iterate(value)
    }

    /// An attribute of a value.
    fn attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name) -> Val {
        on.plain_attribute(object, name)
    }

    /// An attribute that neither a class nor its bases have.
    fn prototype_attribute(
        &self,
        _on: &Interpreter<'_>,
        _class: &ClassValue,
        _name: &str,
        _depth: u32,
    ) -> Option<Val> {
        None
    }

    /// Sets an attribute of a value.
    fn set_attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name, value: Val) {
        on.plain_set_attribute(object, name, value);
    }

    /// The value of a constant of a library, if it is known.
    fn constant(&self, on: &mut Interpreter<'_>, path: &str) -> Option<Val> {
        on.plain_constant(path)
    }

    /// An item of a value.
    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.plain_index(object, index)
    }

    /// Sets an item of a value.
    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        on.plain_set_index(object, index, value);
    }

    /// A call of the text.
    fn call(&self, on: &mut Interpreter<'_>, call: &Call) -> Val {
        on.plain_call(call)
    }

    /// Calls a function of the program.
    fn enter(&self, on: &mut Interpreter<'_>, closure: &Rc<Closure>, args: Args) -> Val {
        on.enter(closure, args)
    }

    /// The scope of a function that is called.
    fn function_scope(&self, _on: &mut Interpreter<'_>, closure: &Closure) -> Rc<Scope> {
        Scope::new(Some(Rc::clone(&closure.scope)), ScopeKind::Function)
    }

    /// Calls a function that belongs to a value.
    fn call_bound(&self, on: &mut Interpreter<'_>, of: &Val, function: &Val, args: Args) -> Val {
        on.call(function, args.with_first(of.clone()))
    }

    /// Calls a value that is no function.
    fn call_value(&self, on: &mut Interpreter<'_>, _value: &Val, args: Args) -> Val {
        on.unknown_call(&args)
    }

    /// A call of a function of the language; none if the table of calls describes it.
    fn call_function(&self, _on: &mut Interpreter<'_>, _path: &str, _args: &Args) -> Option<Val> {
        None
    }

    /// A call of something that a library made; none if the table of calls describes it.
    fn call_made(&self, _on: &mut Interpreter<'_>, _path: &str, _args: &Args) -> Option<Val> {
        None
    }

    /// A call that the table of calls describes.
    fn call_entry(&self, on: &mut Interpreter<'_>, entry: &Entry, args: &Args, path: &str) -> Val {
        on.table_call(entry, args, path)
    }

    /// A method of a value that is no instance of a class of the program.
    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        on.plain_method(object, name, args)
    }

    /// Prints the arguments.
    fn print(&self, on: &mut Interpreter<'_>, _path: &str, args: &Args) {
        on.plain_print(args);
    }

    /// Loads a module by its name.
    fn import(&self, on: &mut Interpreter<'_>, name: &Val) -> Val {
        on.plain_import(name)
    }

    /// Endings that a file of code may have in addition to its name.
    fn script_endings(&self) -> &'static [&'static str] {
        &[""]
    }

    /// How the paths of the files end that a module may be in.
    fn module_files(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// Follows the code of a file that the program runs, outside of functions.
    fn load(&self, on: &mut Interpreter<'_>, code: &str) -> Val {
        let program = on.scope.program();
        let outer = std::mem::replace(&mut on.scope, program);
        let value = self.evaluate(on, code, None);
        on.scope = outer;
        value
    }

    /// Follows the code of a module, and gives what a program gets that loads it.
    fn load_module(&self, on: &mut Interpreter<'_>, code: &str) -> Val {
        self.load(on, code)
    }

    /// Runs a command of a shell.
    fn shell(&self, on: &mut Interpreter<'_>, given: &Given<'_>) -> Val {
        on.start_command(given)
    }

    /// A program that a call names, then its arguments.
    fn command_words(&self, given: &Given<'_>) -> Args {
        given.behind_start(Role::Program)
    }

    /// The path of a file by its name.
    fn file_name(&self, _on: &mut Interpreter<'_>, name: Value) -> Value {
        name
    }

    /// Follows a text as code.
    fn evaluate(&self, on: &mut Interpreter<'_>, text: &str, variables: Option<&Val>) -> Val {
        on.evaluate_text(text, variables)
    }

    /// Host and port that a call names.
    fn address(&self, on: &mut Interpreter<'_>, given: &Given<'_>) -> (Value, Value) {
        on.plain_address(given)
    }

    /// Host and port that a server listens on.
    fn listen_address(&self, on: &mut Interpreter<'_>, given: &Given<'_>) -> (Value, Value) {
        on.address(given)
    }

    /// Statements with variables of their own.
    fn block(&self, on: &mut Interpreter<'_>, body: &Block) -> Flow {
        on.scoped(|on| on.block(body))
    }

    /// Defines a function.
    fn define_function(&self, on: &mut Interpreter<'_>, code: &Rc<Function>, decorators: &[Expr]) {
        on.plain_function(code, decorators);
    }

    /// Defines a class.
    fn define_class(&self, on: &mut Interpreter<'_>, class: &Rc<Class>, decorators: &[Expr]) {
        on.plain_class(class, decorators);
    }

    /// What follows when a class exists; gives the class.
    fn class_made(&self, on: &mut Interpreter<'_>, _class: &Class, value: &Rc<ClassValue>) -> Val {
        on.with_subclass_hooks(value)
    }

    /// A new object after its constructor.
    fn initialize(
        &self,
        on: &mut Interpreter<'_>,
        class: &Rc<ClassValue>,
        instance: Val,
        args: Args,
    ) -> Val {
        on.plain_initialize(class, instance, args)
    }

    /// `return` out of the function around the present one.
    fn return_outer(&self, on: &mut Interpreter<'_>, value: &Val) {
        on.return_value(value);
    }

    /// `break` outside of a loop.
    fn break_outside(&self, _on: &mut Interpreter<'_>) {}

    /// Removes a variable or a part of a value.
    fn delete(&self, on: &mut Interpreter<'_>, target: &Target) {
        if let Target::Name(name) = target
            && let Some(place) = on.scope.find(name)
        {
            on.heap.write(place, Cell::Variable(Binding::Unbound));
        }
    }
}
