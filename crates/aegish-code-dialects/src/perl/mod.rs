//! Where the meaning of Perl differs from that of the other languages: contexts, variables by their sigil, globs,
//! references, packages.
//!
//! Variables have the names `$x`, `@x`, `%x`, `&package::function` and `*package::HANDLE`. A variable without a package
//! is one of the block, or of the package `main`. A list of values is a tuple; one of unknown length is a partial call of
//! `<list>`.

mod dialect;
mod functions;
mod globs;
mod handles;
mod modules;
mod objects;
mod streams;
mod variables;

pub use dialect::Perl;

use crate::effect::CodeEffect;
use crate::heap::Cell;
use crate::ir::{Block, Call, Expr, Name};
use crate::language::Language;
use crate::reference::Ref;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_interpreter::{Flow, Interpreter};
use aegish_code_library::PerlValues;
use aegish_values::Taint;
use easy_ext::ext;
use functions::PerlFunctions;
use objects::PerlObjects;
use std::collections::{HashMap, HashSet};

/// What is kept of a program of Perl.
#[derive(Default)]
struct PerlState {
    blessed: HashMap<Ref, Vec<Name>>,
    imports: Vec<String>,
    overloads: HashMap<String, Vec<(String, Val)>>,
    /// Variables that stand for something else, whose change is lost.
    copies: HashSet<Ref>,
}

#[ext(PerlCalls)]
pub(super) impl Interpreter<'_> {
    /// Arguments for a function of the table: undefined values are empty texts.
    fn plain_args(&mut self, args: &Args) -> Args {
        let mut plain = |value: &Val| match value {
            Val::None | Val::Bool(_) => Val::Text(self.perl_text(value)),
            Val::Tuple(_) | Val::Partial(_) => self.perl_scalar(value.clone()),
            other => other.clone(),
        };
        Args {
            list: args.list.iter().map(&mut plain).collect(),
            named: args.named.clone(),
            rest: args.rest.as_ref().map(plain),
        }
    }

    /// A function of the language or of a library.
    fn perl_library_call(&mut self, path: &str, args: &Args) -> Option<Val> {
        if let Some(value) = self.perl_function(path, args) {
            return Some(value);
        }
        let entry = crate::calls::find(Language::Perl, path)?;
        let value = self.method_effect(&entry, args, path);
        self.set_by_library(args);
        Some(value)
    }

    /// A block: what `local` changed comes back behind it.
    fn perl_block(&mut self, body: &Block) -> Flow {
        let mark = self.locals.len();
        let flow = self.scoped(|this| this.block(body));
        if flow == Flow::Next {
            self.restore_locals(mark);
        }
        flow
    }

    /// A call of the text.
    fn perl_call(&mut self, call: &Call) -> Val {
        match &call.function {
            Expr::Attribute(object, name) => {
                let object = self.expr(object);
                let args = self.arguments(&call.arguments);
                self.at_site(call.site, |this| this.perl_method(&object, name, args))
            }
            Expr::Name(name) if name.starts_with('&') => {
                let function = self.lookup(name);
                let args = self.arguments(&call.arguments);
                self.at_site(call.site, |this| this.named_call(name, &function, args))
            }
            Expr::Name(name) => {
                let args = self.arguments(&call.arguments);
                let name = name.clone();
                self.at_site(call.site, |this| this.library_call(&name, args))
            }
            other => {
                let function = self.expr(other);
                let args = self.arguments(&call.arguments);
                self.at_site(call.site, |this| this.call(&function, args))
            }
        }
    }

    fn at_site<T>(&mut self, site: u32, follow: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.site, site);
        let value = follow(self);
        self.site = outer;
        value
    }

    /// A call of a function by its name.
    fn named_call(&mut self, name: &str, function: &Val, args: Args) -> Val {
        let short = name.rsplit("::").next().unwrap_or("").trim_start_matches('&');
        match function {
            // No function has this name.
            Val::Library(path) if path.starts_with("<word>") => {
                if args.list.is_empty() && args.rest.is_none() {
                    let constant = short
                        .chars()
                        .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
                    return match constant && short.contains('_') {
                        true => Val::Library(short.into()),
                        false => Val::text(short),
                    };
                }
                // `method Class arguments`.
                if let Some(Val::Text(class)) = args.list.first()
                    && let Some(class) = class.as_known().map(str::to_owned)
                    && self.perl_sub_of(&class, short).is_some()
                {
                    let mut args = args;
                    let object = args.list.remove(0);
                    return self.perl_method(&object, short, args);
                }
                self.set_by_library(&args);
                self.unknown_call(&args)
            }
            _ => self.call(function, args),
        }
    }

    /// A call of a value: a function, or the name of one.
    fn perl_call_value(&mut self, function: &Val, args: Args) -> Val {
        match function {
            Val::OneOf(_) => {
                self.each(function, |this, one| this.perl_call_value(one, args.clone()))
            }
            Val::Text(text) => match text.readings(8) {
                Some(names) => {
                    let mut result: Option<Val> = None;
                    for name in names {
                        let function = self.perl_function_named(&name);
                        let one = self.named_call(&format!("&{name}"), &function, args.clone());
                        result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
                    }
                    result.unwrap_or(Val::None)
                }
                None => {
                    if !self.uncalled {
                        self.record(CodeEffect::Hidden);
                    }
                    Val::Unknown(Taint::none(), Forgotten::Callable)
                }
            },
            Val::Library(path) if path.starts_with('*') => {
                let name = path.replacen('*', "&", 1);
                let function = self.lookup(&name.as_str().into());
                self.named_call(&name, &function, args)
            }
            Val::Dict(_) | Val::List(_) | Val::Scalar(_) => {
                self.run_callbacks(&args, None);
                Val::unknown()
            }
            other => self.call(other, args),
        }
    }

    /// A function by the name that a text gives.
    fn perl_function_named(&mut self, name: &str) -> Val {
        let name = name.trim_start_matches(['&', '*']).trim_start_matches("::");
        if let Some(core) = name.strip_prefix("CORE::") {
            let core = core.strip_prefix("GLOBAL::").unwrap_or(core);
            return Val::Library(core.into());
        }
        let full = match name.contains("::") {
            true => format!("&{name}"),
            false => format!("&main::{name}"),
        };
        self.lookup(&full.as_str().into())
    }

    /// Libraries may change what references among their arguments refer to.
    fn set_by_library(&mut self, args: &Args) {
        for value in args.list.clone() {
            match value {
                Val::Scalar(place) => {
                    let old = match self.heap.variable(place) {
                        crate::heap::Binding::Bound(old) | crate::heap::Binding::Maybe(old) => {
                            join(&old, &Val::unknown())
                        }
                        crate::heap::Binding::Unbound => Val::unknown(),
                    };
                    self.heap.write(place, Cell::Variable(crate::heap::Binding::Bound(old)));
                }
                Val::List(place) => self.heap.update_items(place, |items| {
                    let rest = items.rest.take();
                    items.rest =
                        Some(rest.map_or_else(Val::unknown, |rest| join(&rest, &Val::unknown())));
                }),
                _ => {}
            }
        }
    }
}
