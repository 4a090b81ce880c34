//! Classes of the program and their instances.

use super::Interpreter;
use crate::heap::{Attributes, Cell};
use crate::ir::{Argument, Class, Name};
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, ClassValue, Closure, Val};
use std::rc::Rc;

/// The attribute of a class that is its own class.
const META: &str = "<metaclass>";

/// Most instances that are remembered for methods that only a library calls.
pub const MAX_INSTANCES: usize = 64;

impl Interpreter<'_> {
    /// An instance of a class or of a class that extends it: one that the program made, if there is one.
    pub(super) fn any_instance(&mut self, class: &Rc<ClassValue>) -> Val {
        let known: Vec<Val> = self
            .instances
            .iter()
            .filter(|(_, instance)| match instance {
                Val::Instance(place) => {
                    let own = self.heap.attributes(*place).class.clone();
                    own.is_some_and(|own| extends(&own, class, 0))
                }
                _ => false,
            })
            .map(|(_, instance)| instance.clone())
            .collect();
        known
            .into_iter()
            .reduce(|a, b| crate::value::join(&a, &b))
            .unwrap_or_else(|| self.instance_of(class))
    }

    pub(super) fn define_class(&mut self, class: &Rc<Class>) -> Val {
        let mut bases = Vec::new();
        let mut options = Args::default();
        for base in &class.bases {
            match base {
                Argument::One(base) => bases.push(self.expr(base)),
                // `metaclass=M` and options of the base class.
                Argument::Named(name, value) => {
                    let value = self.expr(value);
                    options.named.push((name.clone(), value));
                }
                Argument::Spread(value) | Argument::SpreadNamed(value) => {
                    self.expr(value);
                }
            }
        }
        let scope = Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Class);
        let outer = std::mem::replace(&mut self.scope, Rc::clone(&scope));
        self.block(&class.body);
        self.scope = outer;
        let mut list = Vec::new();
        for (name, place) in scope.names() {
            if let crate::heap::Binding::Bound(value) | crate::heap::Binding::Maybe(value) =
                self.heap.variable(place)
            {
                list.push((name, value));
            }
        }
        list.sort_by(|a, b| a.0.cmp(&b.0));
        let methods: Vec<Val> = list.iter().map(|(_, value)| value.clone()).collect();
        let attributes = self.heap.alloc(Cell::Object(Rc::new(Attributes { class: None, list })));
        let value = Rc::new(ClassValue { name: class.name.clone(), bases, attributes });
        for method in &methods {
            for function in functions_in(method) {
                *function.class.borrow_mut() = Some(Rc::clone(&value));
            }
        }
        let made = self.dialect.class_made(self, class, &value);
        self.tell_members(&value, &options);
        let given = options.named("metaclass").cloned();
        if let Some(meta @ (Val::Class(_) | Val::Function(_))) =
            given.or_else(|| self.class_attribute(&made, META))
        {
            return self.made_by(&meta, &value, made, options);
        }
        made
    }

    /// A class after the class or function that makes it has run.
    fn made_by(&mut self, meta: &Val, class: &Rc<ClassValue>, made: Val, options: Args) -> Val {
        let members = self.heap.attributes(class.attributes).list.clone();
        let entries = members.into_iter().map(|(name, value)| (Val::text(&*name), value)).collect();
        let members = self.new_dict(entries, None);
        let bases = Val::Tuple(class.bases.clone().into());
        let mut args = Args::of(vec![Val::text(&*class.name), bases, members]);
        args.named = options.named.into_iter().filter(|(name, _)| &**name != "metaclass").collect();
        if let Val::Function(_) = meta {
            return self.call(meta, args);
        }
        self.put(class.attributes, &META.into(), meta.clone());
        for (hook, first) in [("__prepare__", meta), ("__new__", meta), ("__init__", &made)] {
            if let Some(hook) = self.class_attribute(meta, hook) {
                let hook = match hook {
                    Val::StaticMethod(inner) | Val::ClassMethod(inner) => (*inner).clone(),
                    other => other,
                };
                self.call(&hook, args.clone().with_first(first.clone()));
            }
        }
        made
    }

    /// A method that the class of a class has for it.
    pub fn method_of_class(&mut self, class: &Val, name: &str) -> Option<Val> {
        let meta = self.class_attribute(class, META)?;
        let method = self.class_attribute(&meta, name)?;
        Some(self.bound(method, class, &meta))
    }

    /// Members of a class are told their names, and its bases its options.
    fn tell_members(&mut self, class: &Rc<ClassValue>, options: &Args) {
        let value = Val::Class(Rc::clone(class));
        for (name, member) in self.heap.attributes(class.attributes).list.clone() {
            if let Val::Instance(_) = member
                && let Some(hook) = self.special(&member, "__set_name__")
            {
                self.call(&hook, Args::of(vec![value.clone(), Val::text(&*name)]));
            }
        }
        if options.named.is_empty() {
            return;
        }
        for base in &class.bases {
            if let Some(hook) = self.class_attribute(base, "__init_subclass__") {
                self.call(&hook, options.clone().with_first(value.clone()));
            }
        }
    }

    /// Bases are told about their subclasses.
    pub(super) fn with_subclass_hooks(&mut self, class: &Rc<ClassValue>) -> Val {
        let value = Val::Class(Rc::clone(class));
        for base in &class.bases {
            if let Some(hook) = self.class_attribute(base, "__init_subclass__") {
                self.call(&hook, Args::of(vec![value.clone()]));
            }
        }
        value
    }

    /// An attribute of a class or one of its bases, unbound.
    pub fn class_attribute(&self, class: &Val, name: &str) -> Option<Val> {
        self.class_attribute_at(class, name, 0)
    }

    /// The same behind a number of bases and prototypes, of which only so many are followed.
    pub fn class_attribute_at(&self, class: &Val, name: &str, depth: u32) -> Option<Val> {
        let Val::Class(class) = class else { return None };
        if depth > 16 {
            return None;
        }
        let attributes = self.heap.attributes(class.attributes);
        if let Some((_, value)) = attributes.list.iter().find(|(known, _)| &**known == name) {
            return Some(value.clone());
        }
        if let Some(found) =
            class.bases.iter().find_map(|base| self.class_attribute_at(base, name, depth + 1))
        {
            return Some(found);
        }
        self.dialect.prototype_attribute(self, class, name, depth)
    }

    /// A new instance whose `__init__` is not called.
    pub fn instance_of(&mut self, class: &Rc<ClassValue>) -> Val {
        let class = Some(Val::Class(Rc::clone(class)));
        let attributes = Attributes { class, list: Vec::new() };
        Val::Instance(self.heap.alloc(Cell::Object(Rc::new(attributes))))
    }

    pub fn instantiate(&mut self, class: &Rc<ClassValue>, args: Args) -> Val {
        let value = Val::Class(Rc::clone(class));
        let instance = match self.class_attribute(&value, "__new__") {
            Some(new) => {
                let new = match new {
                    Val::StaticMethod(inner) => (*inner).clone(),
                    other => other,
                };
                let made = self.call(&new, args.clone().with_first(value.clone()));
                if matches!(made, Val::Unknown(..) | Val::None | Val::Library(_)) {
                    self.instance_of(class)
                } else {
                    made
                }
            }
            None => self.instance_of(class),
        };
        if self.instances.len() < MAX_INSTANCES {
            self.instances.push((class.attributes, instance.clone()));
        }
        self.dialect.initialize(self, class, instance, args)
    }

    /// Runs the constructor, where the languages agree.
    pub fn plain_initialize(&mut self, class: &Rc<ClassValue>, instance: Val, args: Args) -> Val {
        let value = Val::Class(Rc::clone(class));
        if let Some(init) = self.class_attribute(&value, "__init__") {
            self.call(&init, args.with_first(instance.clone()));
        } else {
            // A class with fields only: `@dataclass`, `NamedTuple`.
            for (name, value) in &args.named {
                self.set_attribute(&instance, name, value.clone());
            }
            if let Some(after) = self.class_attribute(&value, "__post_init__") {
                self.call(&after, Args::of(vec![instance.clone()]));
            }
            // A class of a library that the program extends: `class T(Thread): def run(self)`.
            if let Some(base) = class.bases.iter().find(|base| matches!(base, Val::Library(_)))
                && !args.list.is_empty()
            {
                self.call(&base.clone(), args);
            }
        }
        instance
    }

    /// An attribute of an instance: its own, or that of its class with the instance bound.
    pub fn instance_attribute(&mut self, place: Ref, name: &Name) -> Option<Val> {
        let attributes = self.heap.attributes(place);
        if let Some((_, value)) = attributes.list.iter().find(|(known, _)| known == name) {
            return Some(value.clone());
        }
        let class = attributes.class.clone()?;
        if &**name == "__class__" {
            return Some(class);
        }
        let instance = Val::Instance(place);
        match self.class_attribute(&class, name) {
            Some(value) => Some(self.bound(value, &instance, &class)),
            None => {
                let get = self
                    .class_attribute(&class, "__getattr__")
                    .or_else(|| self.class_attribute(&class, "__getattribute__"))?;
                Some(self.call(&get, Args::of(vec![instance, Val::text(&**name)])))
            }
        }
    }

    /// A class attribute as it is seen through an instance.
    pub fn bound(&mut self, value: Val, instance: &Val, class: &Val) -> Val {
        match value {
            Val::Function(_) => Val::Bound(Rc::new((instance.clone(), value))),
            Val::Property(getter) => {
                self.dialect.call_bound(self, instance, &getter, Args::default())
            }
            Val::StaticMethod(inner) => (*inner).clone(),
            Val::ClassMethod(inner) => Val::Bound(Rc::new((class.clone(), (*inner).clone()))),
            Val::OneOf(values) => values
                .iter()
                .map(|value| self.bound(value.clone(), instance, class))
                .reduce(|a, b| crate::value::join(&a, &b))
                .unwrap_or_else(Val::unknown),
            other => other,
        }
    }

    /// A special method of an instance, bound.
    pub fn special(&mut self, value: &Val, name: &str) -> Option<Val> {
        let Val::Instance(place) = value else { return None };
        let class = self.heap.attributes(*place).class.clone()?;
        let method = self.class_attribute(&class, name)?;
        Some(self.bound(method, value, &class))
    }

    /// `with` enters a context.
    pub(super) fn enter_context(&mut self, manager: &Val) -> Val {
        if let Some(enter) =
            self.special(manager, "__enter__").or_else(|| self.special(manager, "__aenter__"))
        {
            return self.call(&enter, Args::default());
        }
        match manager {
            // What a generator yields: `@contextmanager`.
            Val::List(_) => self.element(manager),
            other => other.clone(),
        }
    }

    pub(super) fn leave_context(&mut self, manager: &Val) {
        if let Some(exit) =
            self.special(manager, "__exit__").or_else(|| self.special(manager, "__aexit__"))
        {
            let args = Args::of(vec![Val::unknown(), Val::unknown(), Val::unknown()]);
            self.call(&exit, args);
        }
    }
}

fn extends(class: &Val, base: &Rc<ClassValue>, depth: u32) -> bool {
    let Val::Class(class) = class else { return false };
    class == base || depth < 16 && class.bases.iter().any(|one| extends(one, base, depth + 1))
}

/// The functions of a class attribute.
fn functions_in(value: &Val) -> Vec<Rc<Closure>> {
    match value {
        Val::Function(function) => vec![Rc::clone(function)],
        Val::Property(inner) | Val::StaticMethod(inner) | Val::ClassMethod(inner) => {
            functions_in(inner)
        }
        Val::OneOf(values) => values.iter().flat_map(functions_in).collect(),
        _ => Vec::new(),
    }
}
