//! Globs and `local`.

use super::PerlCalls;
use super::variables::PerlVariables;
use crate::heap::{Binding, Cell};
use crate::value::{Forgotten, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PerlValues;
use aegish_values::Taint;
use easy_ext::ext;

#[ext(PerlGlobs)]
pub(super) impl Interpreter<'_> {
    /// `*name = value`.
    fn set_glob(&mut self, glob: &Val, value: &Val) {
        let name = self.perl_text(glob);
        let Some(names) = name.readings(8) else {
            self.open |= value.is_callable();
            return;
        };
        for name in names {
            let name = name.trim_start_matches('*').trim_start_matches("::").to_owned();
            let full = if name.contains("::") { name.clone() } else { format!("main::{name}") };
            match value {
                Val::Function(_) | Val::Bound(_) => {
                    self.perl_bind(&format!("&{full}"), value.clone());
                }
                Val::Library(path) if path.starts_with('*') => {
                    let from = path.get(1..).unwrap_or("").to_owned();
                    for sigil in ['&', '$', '@', '%', '*'] {
                        let place = self.perl_cell(&format!("{sigil}{from}"));
                        if let Some(value) = self.held(place) {
                            let target = self.perl_cell(&format!("{sigil}{full}"));
                            self.heap.write(target, Cell::Variable(Binding::Bound(value)));
                        }
                    }
                }
                Val::Library(_) | Val::Partial(_) => {
                    self.perl_bind(&format!("&{full}"), value.clone());
                }
                Val::List(_) => {
                    let place = self.perl_cell(&format!("@{full}"));
                    self.heap.write(place, Cell::Variable(Binding::Bound(value.clone())));
                }
                Val::Dict(_) => {
                    let place = self.perl_cell(&format!("%{full}"));
                    self.heap.write(place, Cell::Variable(Binding::Bound(value.clone())));
                }
                Val::Scalar(place) => {
                    let program = self.scope.program();
                    program.insert(format!("${full}").into(), *place);
                }
                Val::Text(_) => {
                    let function = self.perl_text(value);
                    let value = match function.as_known() {
                        Some(name) => self.perl_function_named(name),
                        None => Val::Unknown(Taint::none(), Forgotten::Callable),
                    };
                    self.perl_bind(&format!("&{full}"), value);
                }
                Val::OneOf(values) => {
                    for one in values.clone().iter() {
                        let glob = Val::text(name.clone());
                        self.maybe(|this| this.set_glob(&glob, one));
                    }
                }
                other => self.perl_bind(&format!("*{full}"), other.clone()),
            }
        }
    }

    /// Keeps what a variable holds until the end of the block.
    fn localize(&mut self, name: &str) {
        let place = self.perl_cell(name);
        let Some(cell) = self.heap.get(place).cloned() else { return };
        let copy = match &cell {
            Cell::Variable(Binding::Bound(Val::List(list))) => {
                let items = (*self.heap.items(*list)).clone();
                Some(self.heap.list(items))
            }
            Cell::Variable(Binding::Bound(Val::Dict(hash))) => {
                let entries = (*self.heap.entries(*hash)).clone();
                Some(self.heap.dict(entries))
            }
            _ => None,
        };
        self.locals.push((place, cell));
        if let Some(copy) = copy {
            self.heap.write(place, Cell::Variable(Binding::Bound(copy)));
        }
    }

    fn localize_element(&mut self, of: &Val) {
        if let Val::Dict(place) | Val::List(place) = of
            && let Some(cell) = self.heap.get(*place).cloned()
        {
            self.locals.push((*place, cell));
        }
    }
}
