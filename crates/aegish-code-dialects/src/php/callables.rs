//! Texts and arrays that name a function.

use super::forgotten;
use super::objects::PhpObjects;
use crate::effect::CodeEffect;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PhpValues;
use easy_ext::ext;

/// The name of a class or function as a path.
pub(super) fn path(name: &str) -> String {
    name.trim_matches('\\').to_ascii_lowercase().replace('\\', ".")
}

#[ext(PhpCallables)]
pub(super) impl Interpreter<'_> {
    /// The class that a value names.
    fn class_named(&mut self, value: &Val) -> Val {
        match value {
            Val::Class(_) | Val::Library(_) | Val::Super(_) => value.clone(),
            Val::Instance(place) => {
                self.heap.attributes(*place).class.clone().unwrap_or_else(Val::unknown)
            }
            Val::Text(text) => match text.readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.lookup(&format!(":{}", path(&name)).into()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                None if text.taint().network().is_some() => forgotten(),
                None => Val::unknown(),
            },
            Val::OneOf(values) => {
                let values = values.clone();
                values
                    .iter()
                    .map(|one| self.class_named(one))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            _ => Val::unknown(),
        }
    }

    /// Calls a function by its name, or a method by an array with its object.
    fn php_call_named(&mut self, function: &Val, args: Args) -> Val {
        match function {
            Val::Text(text) => {
                if let Some(names) = text.readings(8) {
                    let mut all: Option<Val> = None;
                    for name in names {
                        let found = self.function_named(&name);
                        let one = self.call(&found, args.clone());
                        all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                    }
                    return all.unwrap_or_else(Val::unknown);
                }
                if text.taint().network().is_some() {
                    self.record(CodeEffect::RunReceived);
                    return Val::unknown();
                }
                let start = text.known_prefix().to_ascii_lowercase();
                if start.is_empty() {
                    return self.call(&forgotten(), args);
                }
                // One of the functions of the program with such a name.
                let mut called = false;
                for (name, _) in self.scope.program().names() {
                    if !name.starts_with(['$', '#', ':', '<']) && name.starts_with(&start) {
                        called = true;
                        let found = self.lookup(&name);
                        self.maybe(|this| this.call(&found, args.clone()));
                    }
                }
                if called { Val::unknown() } else { self.call(&forgotten(), args) }
            }
            Val::Dict(_) | Val::List(_) | Val::Tuple(_) => {
                let entries = self.php_entries(function);
                let mut values = entries.list.iter().map(|(_, value)| value.clone());
                let (Some(object), Some(name)) = (values.next(), values.next()) else {
                    return self.unknown_call(&args);
                };
                let method = self.method_named(&object, &name);
                self.call(&method, args)
            }
            _ => self.unknown_call(&args),
        }
    }

    fn function_named(&mut self, name: &str) -> Val {
        match name.split_once("::") {
            Some((class, method)) => {
                let class = self.class_named(&Val::text(class));
                self.method_named(&class, &Val::text(method))
            }
            None => self.lookup(&path(name).into()),
        }
    }

    fn method_named(&mut self, object: &Val, name: &Val) -> Val {
        let object = match object {
            Val::Text(_) => self.class_named(object),
            other => other.clone(),
        };
        let Some(names) = name.to_text().readings(8) else {
            return if object.is_callable() { forgotten() } else { Val::unknown() };
        };
        names
            .into_iter()
            .map(|name| {
                let name = name.to_ascii_lowercase();
                let name = match name.strip_prefix("parent::").unwrap_or(&name) {
                    "__construct" => "__init__",
                    "__invoke" => "__call__",
                    "__tostring" => "__str__",
                    other => other,
                };
                self.php_attribute(&object, &name.into())
            })
            .reduce(|a, b| join(&a, &b))
            .unwrap_or_else(Val::unknown)
    }

    /// The function that a value names; other values are as they are.
    fn callable(&mut self, value: &Val) -> Val {
        match value {
            Val::Text(text) => match text.readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.function_named(&name))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                None => value.clone(),
            },
            Val::Dict(_) | Val::List(_) => {
                let entries = self.php_entries(value);
                let mut values = entries.list.iter().map(|(_, value)| value.clone());
                match (values.next(), values.next()) {
                    (Some(object), Some(name)) => self.method_named(&object, &name),
                    _ => value.clone(),
                }
            }
            other => other.clone(),
        }
    }
}
