//! Constructs of the language that the lowering writes as calls.

use super::PhpVariables;
use super::callables::PhpCallables;
use super::objects::PhpObjects;
use crate::heap::{Binding, Cell, Entries, Items};
use crate::ir::{Name, Target};
use crate::scope::ScopeKind;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::php::formats::integer;
use aegish_code_library::{Machine, PhpOperators, PhpValues};
use easy_ext::ext;
use std::rc::Rc;

#[ext(PhpConstructs)]
pub(super) impl Interpreter<'_> {
    /// A construct; none if it is not one of these.
    fn php_construct(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let second = args.list.get(1).cloned().unwrap_or(Val::None);
        let name = |value: &Val| -> Name { value.as_known().unwrap_or_default().into() };
        Some(match path {
            "<copy>" => self.php_copy(&first, 0),
            "<alias>" => {
                let cell = self.php_cell(&name(&second));
                if self.heap.variable(cell) == Binding::Unbound {
                    self.heap.write(cell, Cell::Variable(Binding::Bound(Val::None)));
                }
                if self.is_certain() {
                    self.variables_scope().insert(name(&first), cell);
                } else {
                    // Whether both names stand for one variable is not known.
                    let value = self.php_variable(&name(&second));
                    self.php_bind(&name(&first), value);
                    self.open |= !self.uncalled;
                }
                self.php_variable(&name(&second))
            }
            "<global>" => {
                let scope = self.variables_scope();
                let program = scope.program();
                if scope.kind == ScopeKind::Function {
                    let cell = self.cell_in(&program, &name(&first));
                    scope.insert(name(&first), cell);
                }
                Val::None
            }
            "<static>" => {
                let scope = self.variables_scope();
                let program = scope.program();
                let cell = self.cell_in(&program, &name(&second));
                if self.heap.variable(cell) == Binding::Unbound {
                    let value = args.list.get(2).cloned().unwrap_or(Val::None);
                    self.heap.write(cell, Cell::Variable(Binding::Bound(value)));
                }
                scope.insert(name(&first), cell);
                Val::None
            }
            "<properties>" => Val::Tuple([Val::Library("<properties>".into()), first].into()),
            "<member>" => {
                if args.list.get(2).is_some() {
                    // A closure is called itself: `$object->{$name}(…)` with a text names a method.
                    return Some(match &second {
                        Val::Function(_) | Val::Bound(_) | Val::Partial(_) => second,
                        _ => self.method_named(&first, &second),
                    });
                }
                let list = Val::Tuple([Val::Library("<properties>".into()), first].into());
                self.php_index(&list, &second)
            }
            "<magic>" => {
                // The method `__call`, its class if it is static, the name, and the arguments as an array.
                let given = args.list.iter().skip(3).cloned().collect();
                let list = self.php_list(given, args.rest.clone());
                let method = first;
                let asked = args.list.get(2).cloned().unwrap_or(Val::None);
                let mut call = vec![asked, list];
                if second != Val::None {
                    call.insert(0, second);
                }
                self.call(&method, Args::of(call))
            }
            "<class>" => self.class_named(&first),
            "<class-of>" => match &first {
                Val::Instance(_) => self.class_named(&first),
                _ => second,
            },
            "<class-name>" => match &first {
                Val::Class(class) => {
                    Val::text(class.name.trim_start_matches(':').replace('.', "\\"))
                }
                Val::Library(path) => Val::text(path.replace('.', "\\")),
                Val::Instance(_) => {
                    let class = self.class_named(&first);
                    return self.php_construct(path, &Args::of(vec![class]));
                }
                _ => Val::unknown(),
            },
            "<parent>" => self.super_call(&Args::default()),
            "<clone>" => match &first {
                Val::Instance(place) => {
                    let mut attributes = (*self.heap.attributes(*place)).clone();
                    for (_, value) in &mut attributes.list {
                        *value = self.php_copy(value, 0);
                    }
                    let copy = Val::Instance(self.heap.alloc(Cell::Object(Rc::new(attributes))));
                    if let Some(method) = self.special(&copy, "__clone") {
                        self.call(&method, Args::default());
                    }
                    copy
                }
                other => other.clone(),
            },
            "<test>" => Val::unknown(),
            "<page>" => {
                let printed = self.printed.clone();
                self.maybe(|this| this.call(&first, Args::default()));
                self.printed = printed;
                Val::None
            }
            "<isset>" => {
                let missing = args.list.contains(&Val::None);
                let known = args.list.iter().all(|value| {
                    matches!(value, Val::Int(_) | Val::Bool(_) | Val::Dict(_) | Val::Instance(_))
                        || value.as_known().is_some()
                });
                match (missing, known) {
                    (true, _) => Val::Bool(false),
                    (_, true) => Val::Bool(true),
                    _ => Val::unknown(),
                }
            }
            "<empty>" => {
                self.php_truth(&first).map_or_else(Val::unknown, |truth| Val::Bool(!truth))
            }
            "<int>" => integer(&first).map_or_else(Val::unknown, Val::Int),
            "<float>" => Val::unknown(),
            "<bool>" => self.php_truth(&first).map_or_else(Val::unknown, Val::Bool),
            "<string>" => Val::Text(self.php_text(&first)),
            "<unset>" => Val::None,
            "<array>" => match &first {
                Val::Instance(place) => {
                    let attributes = self.heap.attributes(*place);
                    let list = attributes
                        .list
                        .iter()
                        .map(|(name, value)| {
                            (Val::text(name.trim_start_matches('$')), value.clone())
                        })
                        .collect();
                    self.php_array(Entries { list, rest: None })
                }
                other => {
                    let entries = self.php_entries(other);
                    self.php_array(entries)
                }
            },
            "<object>" => {
                let entries = self.php_entries(&first);
                if entries.rest.is_some() {
                    return Some(first);
                }
                let list = entries.list.into_iter().filter_map(|(key, value)| {
                    Some((format!("${}", key.as_known()?).into(), value))
                });
                let list = list.collect();
                self.plain_object(list, None)
            }
            "<invert>" => self.inverted(&first),
            "<items>" => {
                let items = self.iterate(&first);
                self.heap.list(items)
            }
            "<pairs>" => self.pairs(&first),
            "<case>" => {
                let list = vec![("$name".into(), first), ("$value".into(), second)];
                self.plain_object(list, None)
            }
            _ => return None,
        })
    }

    /// `unset`: the name goes, not the variable that it may share with another name.
    fn php_delete(&mut self, target: &Target) {
        match target {
            Target::Name(name) if self.is_certain() => {
                let cell = self.heap.alloc(Cell::Variable(Binding::Unbound));
                self.variables_scope().insert(name.clone(), cell);
            }
            // Whether it happens is not known, so the value stays.
            Target::Name(_) => {}
            Target::Attribute(object, name) => {
                let object = self.expr(object);
                self.php_set_attribute(&object, name, Val::None);
            }
            Target::Index(object, index) => {
                let (object, index) = (self.expr(object), self.expr(index));
                let index = aegish_code_library::php::key(&index);
                match &object {
                    Val::Dict(place) => self.heap.update_entries(*place, |entries| {
                        if crate::heap::is_key(&index) {
                            entries.list.retain(|(known, _)| *known != index);
                        } else {
                            for (_, value) in &mut entries.list {
                                *value = join(value, &Val::None);
                            }
                        }
                    }),
                    Val::Instance(_) => {
                        if let Some(method) = self.special(&object, "offsetunset") {
                            self.call(&method, Args::of(vec![index]));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Keys and values as pairs.
    fn pairs(&mut self, value: &Val) -> Val {
        let pair = |key: Val, value: Val| Val::Tuple([key, value].into());
        let items = match value {
            Val::Dict(_) => {
                let entries = self.php_entries(value);
                Items {
                    list: entries.list.into_iter().map(|(key, value)| pair(key, value)).collect(),
                    rest: entries.rest.map(|rest| pair(Val::unknown(), rest)),
                }
            }
            other => {
                let items = self.iterate(other);
                let unknown_key = match other {
                    Val::List(_) | Val::Tuple(_) => None,
                    // Keys of what a client sends are its choice too.
                    _ => Some(Val::tainted(self.taint_of(other))),
                };
                let key = |at: i64| unknown_key.clone().unwrap_or(Val::Int(at));
                Items {
                    list: items
                        .list
                        .into_iter()
                        .zip(0..)
                        .map(|(value, at)| pair(key(at), value))
                        .collect(),
                    rest: items.rest.map(|rest| {
                        let key = unknown_key.clone().unwrap_or_else(Val::unknown);
                        pair(key, rest)
                    }),
                }
            }
        };
        self.heap.list(items)
    }

    /// The items of an object that a loop goes over.
    fn php_items(&mut self, value: &Val) -> Option<Items> {
        match value {
            Val::Dict(_) => {
                let entries = self.php_entries(value);
                Some(Items {
                    list: entries.list.into_iter().map(|(_, value)| value).collect(),
                    rest: entries.rest,
                })
            }
            Val::Instance(place) => {
                let any = |value: Val| Items { list: Vec::new(), rest: Some(value) };
                if let Some(method) = self.special(value, "__iter__") {
                    let made = self.call(&method, Args::default());
                    return Some(if made == *value {
                        any(Val::unknown())
                    } else {
                        self.iterate(&made)
                    });
                }
                if let Some(method) = self.special(value, "current") {
                    return Some(any(self.call(&method, Args::default())));
                }
                let attributes = self.heap.attributes(*place);
                let class = attributes.class.clone();
                let library =
                    class.and_then(|class| aegish_code_interpreter::library_base(&class, 0));
                if library.is_some() {
                    return Some(any(Val::unknown()));
                }
                let list = attributes.list.iter().map(|(_, value)| value.clone()).collect();
                Some(Items { list, rest: None })
            }
            Val::OneOf(values) => {
                let values = values.clone();
                let mut all: Option<Items> = None;
                for one in values.iter().filter(|one| **one != Val::None) {
                    let items = self.iterate(one);
                    all = Some(match all {
                        None => items,
                        Some(known) if known == items => known,
                        Some(known) => {
                            let parts = known.list.into_iter().chain(known.rest);
                            let parts = parts.chain(items.list).chain(items.rest);
                            Items { list: Vec::new(), rest: parts.reduce(|a, b| join(&a, &b)) }
                        }
                    });
                }
                all
            }
            Val::Library(path) if matches!(&**path, "$_SERVER" | "$_ENV" | "$GLOBALS") => {
                Some(Items { list: Vec::new(), rest: Some(Val::unknown()) })
            }
            _ => None,
        }
    }
}
