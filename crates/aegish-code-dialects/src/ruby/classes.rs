//! Classes and modules of the program, and their objects.

use super::calls::RubyCalls;
use super::kernel::RubyKernel;
use super::{BLOCK, DEFINEE, RubyState, RubyValues, take_block};
use crate::heap::{Attributes, Binding, Cell};
use crate::ir::{Argument, Class, Function, Name};
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, ClassValue, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::RubyLists;
use easy_ext::ext;
use std::rc::Rc;

/// Classes of the language that a program may add methods to.
const CORE: &[&str] = &[
    "Array",
    "Class",
    "Comparable",
    "Dir",
    "Enumerable",
    "File",
    "Float",
    "Hash",
    "IO",
    "Integer",
    "Module",
    "NilClass",
    "Numeric",
    "Proc",
    "Range",
    "Regexp",
    "String",
    "Struct",
    "Symbol",
    "Time",
];

#[ext(RubyClasses)]
pub(super) impl Interpreter<'_> {
    /// `class … end` and `module … end`.
    fn ruby_class(&mut self, class: &Rc<Class>) {
        let bases: Vec<Val> = class
            .bases
            .iter()
            .filter_map(|base| match base {
                Argument::One(base) => Some(self.expr(base)),
                _ => None,
            })
            .collect();
        let known = self.lookup(&class.name);
        let value = match &known {
            Val::Class(_) => known.clone(),
            _ if matches!(&*class.name, "Object" | "Kernel" | "BasicObject") => self
                .state
                .with(|ruby: &mut RubyState| ruby.object.clone())
                .map_or_else(Val::unknown, Val::Class),
            Val::Library(_) if CORE.contains(&&*class.name) => known.clone(),
            _ => {
                let value = self.new_class(&class.name, bases.clone());
                self.bind(&class.name, value.clone());
                value
            }
        };
        let scope = Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Block);
        let outer = std::mem::replace(&mut self.scope, Rc::clone(&scope));
        self.bind_in(&scope, &"self".into(), value.clone());
        self.bind_in(&scope, &DEFINEE.into(), value.clone());
        for base in &bases {
            if let Some(hook) = self.find_method(base, "inherited", false) {
                self.call_method(base, &hook, Args::of(vec![value.clone()]));
            }
        }
        self.block(&class.body);
        self.scope = outer;
        if let Val::Class(class) = &value {
            for (name, place) in scope.names() {
                if name.starts_with(char::is_uppercase)
                    && let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place)
                {
                    self.put(class.attributes, &name, value);
                }
            }
        }
    }

    fn new_class(&mut self, name: &Name, bases: Vec<Val>) -> Val {
        let attributes = self.heap.alloc(Cell::Object(Rc::new(Attributes::default())));
        Val::Class(Rc::new(ClassValue { name: name.clone(), bases, attributes }))
    }

    /// `def`: the class around gets a method.
    fn ruby_define(&mut self, code: &Rc<Function>) {
        let method = self.closure(code);
        let definee = self.lookup(&DEFINEE.into());
        self.define_in(&definee, &code.name, method);
    }

    fn define_in(&mut self, definee: &Val, name: &str, method: Val) {
        let class = match definee {
            Val::Class(class) => Some(Rc::clone(class)),
            _ => self.state.with(|ruby: &mut RubyState| ruby.object.clone()),
        };
        let Some(class) = class else { return };
        if let Val::Function(closure) = &method {
            *closure.class.borrow_mut() = Some(Rc::clone(&class));
        }
        match definee {
            Val::Class(_) => self.put(class.attributes, &name.into(), method),
            // A class of the language: all values may have the method.
            _ => self.put(class.attributes, &format!("ext.{name}").into(), method),
        }
    }

    /// The methods of a module become those of a class.
    fn include(&mut self, class: &Val, module: &Val, prefix: &str) {
        match (class, module) {
            (_, Val::Class(module)) => {
                let attributes = self.heap.attributes(module.attributes);
                for (name, value) in &attributes.list {
                    if name.starts_with("self.") {
                        continue;
                    }
                    let name = format!("{prefix}{name}");
                    match class {
                        Val::Class(class) => {
                            self.put(class.attributes, &name.into(), value.clone());
                        }
                        Val::Instance(place) => self.put(*place, &name.into(), value.clone()),
                        _ => {}
                    }
                }
                for hook in ["included", "extended", "prepended"] {
                    let module = Val::Class(Rc::clone(module));
                    if let Some(method) = self.class_attribute(&module, &format!("self.{hook}")) {
                        self.call_method(&module, &method, Args::of(vec![class.clone()]));
                    }
                }
            }
            // `include FileUtils`: its functions are methods of the object.
            (_, Val::Library(path)) => {
                let object = self.state.with(|ruby: &mut RubyState| ruby.object.clone());
                for name in crate::calls::members(self.language, path) {
                    let value = Val::Library(self.canonical(&format!("{path}.{name}")));
                    if let Some(object) = &object {
                        self.put(object.attributes, &name.into(), value);
                    }
                }
            }
            _ => {}
        }
    }

    /// A method of a class of the program.
    fn class_method(&mut self, class: &Val, name: &str, mut args: Args, implicit: bool) -> Val {
        let Val::Class(value) = class else { return Val::unknown() };
        let value = Rc::clone(value);
        match name {
            "new" | "[]" | "allocate" => self.new_object_of(&value, args),
            "include" | "prepend" => {
                for module in args.list.clone() {
                    self.include(class, &module, "");
                }
                class.clone()
            }
            "extend" => {
                for module in args.list.clone() {
                    self.include(class, &module, "self.");
                }
                class.clone()
            }
            "define_method" => {
                let block = take_block(&mut args);
                let body = args.list.get(1).cloned().or(block).unwrap_or_else(Val::unknown);
                match args.get(0).and_then(Val::as_known) {
                    Some(name) => self.define_in(class, &name, body),
                    None => self.open = true,
                }
                Val::unknown()
            }
            "alias_method" => {
                self.alias(class, &args);
                Val::None
            }
            "const_set" => {
                let name = args.get(0).and_then(Val::as_known);
                if let (Some(name), Some(new)) = (name, args.list.get(1)) {
                    self.put(value.attributes, &name.into(), new.clone());
                }
                Val::None
            }
            "name" | "to_s" | "inspect" => Val::text(&*value.name),
            "attr_accessor"
            | "attr_reader"
            | "attr_writer"
            | "attr"
            | "private"
            | "public"
            | "protected"
            | "module_function"
            | "private_class_method"
            | "private_constant"
            | "public_class_method"
            | "remove_method"
            | "undef_method"
            | "freeze" => args.list.first().cloned().unwrap_or(Val::None),
            "superclass" => value.bases.first().cloned().unwrap_or_else(Val::unknown),
            "members" | "instance_methods" | "constants" | "ancestors" | "methods" => {
                Val::unknown()
            }
            _ => {
                if let Some(missing) = self.find_method(class, "method_missing", false) {
                    return self.call_method(class, &missing, args.with_first(Val::text(name)));
                }
                if let Some(base) = aegish_code_interpreter::library_base(class, 0) {
                    return self.library_send(&base, name, args);
                }
                if implicit {
                    return self.kernel_call(name, args);
                }
                let block = take_block(&mut args);
                self.run_block(block.as_ref(), &Val::unknown());
                self.unknown_call(&args)
            }
        }
    }

    fn alias(&mut self, class: &Val, args: &Args) {
        let name = |place: usize| args.get(place).and_then(Val::as_known);
        let (Some(new), Some(old)) = (name(0), name(1)) else { return };
        let found = self.find_method(class, &old, true);
        let instance = match class {
            Val::Class(class) => Some(Rc::clone(class)),
            _ => self.state.with(|ruby: &mut RubyState| ruby.object.clone()),
        };
        let found = found.unwrap_or_else(|| Val::Library(self.canonical(&old)));
        if let Some(class) = instance {
            self.put(class.attributes, &new.into(), found);
        }
    }

    fn new_object_of(&mut self, class: &Rc<ClassValue>, args: Args) -> Val {
        let value = Val::Class(Rc::clone(class));
        let instance = self.instance_of(class);
        if self.instances.len() < aegish_code_interpreter::MAX_INSTANCES {
            self.instances.push((class.attributes, instance.clone()));
        }
        if let Some(fields) = self.class_attribute(&value, "<fields>") {
            let names = self.iterate(&fields).list;
            let Val::Instance(place) = instance else { return instance };
            for (name, value) in names.iter().zip(&args.list) {
                if let Some(name) = name.as_known() {
                    self.put(place, &format!("@{name}").into(), value.clone());
                }
            }
            for (name, value) in &args.named {
                self.put(place, &format!("@{name}").into(), value.clone());
            }
        }
        if let Some(init) = self.class_attribute(&value, "initialize") {
            self.call_method(&instance, &init, args);
        } else if let Some(base) = aegish_code_interpreter::library_base(&value, 0) {
            self.library_send(&base, "new", args);
        }
        instance
    }

    /// A method of an object that its class does not define.
    fn instance_method(&mut self, place: Ref, name: &str, mut args: Args, implicit: bool) -> Val {
        let instance = Val::Instance(place);
        let attributes = self.heap.attributes(place);
        let field = |name: &str| {
            attributes
                .list
                .iter()
                .find(|(known, _)| &**known == name)
                .map(|(_, value)| value.clone())
        };
        if let Some(stripped) = name.strip_suffix('=')
            && let Some(value) = args.get(0)
            && name != "=="
        {
            let value = value.clone();
            self.put(place, &format!("@{stripped}").into(), value);
            return Val::None;
        }
        if args.list.is_empty()
            && let Some(value) = field(&format!("@{name}"))
        {
            return value;
        }
        match name {
            "extend" => {
                for module in args.list.clone() {
                    self.include(&instance, &module, "self.");
                }
                return instance;
            }
            "include" => {
                let object = self
                    .state
                    .with(|ruby: &mut RubyState| ruby.object.clone())
                    .map_or_else(Val::unknown, Val::Class);
                for module in args.list.clone() {
                    self.include(&object, &module, "");
                }
                return instance;
            }
            "define_method" | "define_singleton_method" => {
                let block = take_block(&mut args);
                let body = args.list.get(1).cloned().or(block).unwrap_or_else(Val::unknown);
                match args.get(0).and_then(Val::as_known) {
                    Some(name) => self.put(place, &format!("self.{name}").into(), body),
                    None => self.open = true,
                }
                return Val::unknown();
            }
            "alias_method" => {
                self.alias(&instance, &args);
                return Val::None;
            }
            "[]" if args.list.len() == 1 => {
                if let Some(value) =
                    args.get(0).and_then(Val::as_known).and_then(|name| field(&format!("@{name}")))
                {
                    return value;
                }
            }
            _ => {}
        }
        if let Some(missing) = attributes
            .class
            .as_ref()
            .and_then(|class| self.class_attribute(class, "method_missing"))
        {
            return self.call_method(&instance, &missing, args.with_first(Val::text(name)));
        }
        let base = attributes
            .class
            .as_ref()
            .and_then(|class| aegish_code_interpreter::library_base(class, 0));
        if let Some(base) = base {
            return self.library_send(&base, name, args);
        }
        if implicit {
            return self.kernel_call(name, args);
        }
        let block = take_block(&mut args);
        let taint = self.taint_of(&instance);
        self.run_block(block.as_ref(), &Val::tainted(taint.clone()));
        self.run_callbacks(&args, None);
        Val::tainted(taint)
    }

    /// `super`: the method of the same name in a class above.
    fn ruby_super(&mut self, name: &str, mut args: Args) -> Val {
        let Some(frame) = self.frames.iter().rev().find(|frame| !self.is_block(frame.function))
        else {
            return Val::unknown();
        };
        let Some(class) = frame.class.clone() else { return Val::unknown() };
        let object = frame.first.clone().unwrap_or_else(Val::unknown);
        if name == "zsuper" {
            let block = args.named(BLOCK).cloned();
            args = frame.args.clone();
            if !args.list.is_empty() {
                args.list.remove(0);
            }
            if let Some(block) = block {
                args.named.retain(|(name, _)| &**name != BLOCK);
                args.named.push((BLOCK.into(), block));
            }
        }
        let id = frame.function;
        let Some(method) = self.functions.iter().find(|known| known.code.id == id) else {
            return Val::unknown();
        };
        let method = method.code.name.clone();
        for base in &class.bases {
            let key = if matches!(object, Val::Class(_)) {
                format!("self.{method}")
            } else {
                method.to_string()
            };
            if let Some(found) = self.class_attribute(base, &key) {
                return self.call_method(&object, &found, args);
            }
            if let Val::Library(path) = base {
                let path = path.clone();
                let name = if &*method == "initialize" { "new" } else { &*method };
                return self.library_send(&path, name, args);
            }
        }
        self.kernel_call(&method, args)
    }
}
