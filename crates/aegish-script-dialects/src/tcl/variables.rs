//! Variables: those of a call, of a namespace and of the program. An array is a map in its variable.

use super::{TclNames, TclState};
use crate::heap::{Binding, Cell, Entries, insert};
use crate::ir::Name;
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::{Source, Value};
use easy_ext::ext;
use std::rc::Rc;

#[ext(TclVariables)]
pub(super) impl Interpreter<'_> {
    fn tcl_bind(&mut self, name: &str, value: Val) {
        match name.strip_prefix('$') {
            Some(variable) => self.tcl_put(variable, value),
            None => {
                let scope = self.scope.program();
                self.bind_in(&scope, &name.into(), value);
            }
        }
    }

    /// The scope of a variable, and the names that it may have there.
    fn tcl_names(&self, name: &str) -> (Rc<Scope>, Vec<Name>) {
        let program = self.scope.program();
        if name.starts_with("::") {
            return (program, vec![format!("${}", name.trim_start_matches(':')).into()]);
        }
        if self.scope.kind == ScopeKind::Function && !name.contains("::") {
            return (Rc::clone(&self.scope), vec![format!("${name}").into()]);
        }
        let space = self.tcl_namespace();
        let mut names = Vec::new();
        if !space.is_empty() {
            names.push(format!("${space}::{name}").into());
        }
        names.push(format!("${name}").into());
        (program, names)
    }

    fn tcl_find(&self, name: &str) -> Option<Ref> {
        let (scope, names) = self.tcl_names(name);
        let found = names.iter().filter_map(|name| scope.find(name));
        found.into_iter().find(|place| self.heap.variable(*place) != Binding::Unbound)
    }

    /// The cell of a variable, which is made if there is none.
    fn tcl_cell(&mut self, name: &str) -> Ref {
        if let Some(place) = self.tcl_find(name) {
            return place;
        }
        let (scope, names) = self.tcl_names(name);
        let first = names.first().cloned().unwrap_or_else(|| "$".into());
        self.tcl_cell_in(&scope, &first)
    }

    fn tcl_cell_in(&mut self, scope: &Scope, name: &Name) -> Ref {
        scope.find(name).unwrap_or_else(|| {
            let place = self.heap.alloc(Cell::Variable(Binding::Unbound));
            scope.insert(name.clone(), place);
            place
        })
    }

    /// Whether the program gives a variable a value.
    fn tcl_is_set(&self, name: &str) -> bool {
        self.tcl_find(name).is_some()
    }

    /// The value of a variable.
    fn tcl_get(&mut self, name: &str) -> Val {
        if let Some((array, key)) = element(name) {
            return self.tcl_element(array, &Val::text(key));
        }
        if let Some(place) = self.tcl_find(name)
            && let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place)
        {
            return value;
        }
        let plain = name.trim_start_matches(':');
        let program = self.scope.program();
        // What the analysis took for a variable of a call may be one of the program.
        if let Some(place) = program.find(&format!("${plain}"))
            && let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place)
        {
            return value;
        }
        match plain {
            "argv" => {
                let list = self.around.args.iter().cloned().map(Val::Text).collect();
                let rest = Some(Val::Text(Value::unknown("argument")));
                self.heap.list(crate::heap::Items { list, rest })
            }
            "argc" => Val::unknown(),
            "tcl_interactive" => Val::text("0"),
            _ => Val::Text(Value::unknown("variable")),
        }
    }

    fn tcl_element(&mut self, array: &str, key: &Val) -> Val {
        let plain = array.trim_start_matches(':');
        if plain == "env" {
            return match key.to_text().readings(8) {
                Some(keys) => {
                    let values: Vec<Val> = keys.iter().map(|key| self.env(key)).collect();
                    values.into_iter().reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown)
                }
                None => Val::Text(Value::unknown("environment")),
            };
        }
        let mut found: Option<Val> = None;
        let mut certain = true;
        for place in self.tcl_arrays(array) {
            let entries = self.heap.entries(place);
            let known: Vec<&Val> = match key.to_text().readings(8) {
                Some(keys) => {
                    let keys: Vec<Val> = keys.into_iter().map(Val::text).collect();
                    entries
                        .list
                        .iter()
                        .filter(|(key, _)| keys.contains(key))
                        .map(|(_, value)| value)
                        .collect()
                }
                None => entries.list.iter().map(|(_, value)| value).collect(),
            };
            certain &= !known.is_empty();
            for value in known.into_iter().chain(&entries.rest) {
                found = Some(found.map_or(value.clone(), |found| join(&found, value)));
            }
        }
        match found {
            Some(value) if certain => value,
            Some(value) => join(&value, &Val::Text(Value::unknown("variable"))),
            None if plain == "expect_out" => {
                Val::from_source("output", Source::Program("spawn".into()))
            }
            None => Val::Text(Value::unknown("variable")),
        }
    }

    /// The maps that an array may be.
    fn tcl_arrays(&mut self, name: &str) -> Vec<Ref> {
        let place = self
            .tcl_find(name)
            .or_else(|| self.scope.program().find(&format!("${}", name.trim_start_matches(':'))));
        let value = match place.map(|place| self.heap.variable(place)) {
            Some(Binding::Bound(value) | Binding::Maybe(value)) => value,
            _ => return Vec::new(),
        };
        let maps = value.alternatives().iter().filter_map(|value| match value {
            Val::Dict(place) => Some(*place),
            _ => None,
        });
        maps.collect()
    }

    /// Gives a variable a value.
    fn tcl_put(&mut self, name: &str, value: Val) {
        if let Some((array, key)) = element(name) {
            return self.tcl_put_element(array, &Val::text(key), value);
        }
        let place = self.tcl_cell(name);
        let value = self.compact(value);
        self.heap.write(place, Cell::Variable(Binding::Bound(value)));
    }

    fn tcl_put_element(&mut self, array: &str, key: &Val, value: Val) {
        if array.trim_start_matches(':') == "env" {
            let value = Val::Text(self.tcl_text(&value));
            match key.to_text().readings(8) {
                Some(keys) => keys.iter().for_each(|key| self.set_environment(key, &value)),
                // Any variable of the environment.
                None if !self.uncalled => self.open = true,
                None => {}
            }
            return;
        }
        let value = self.compact(value);
        let arrays = self.tcl_arrays(array);
        match arrays.as_slice() {
            [] => {
                let place = self.tcl_cell(array);
                let mut entries = Entries::default();
                insert(&mut entries, key.clone(), value);
                let map = self.heap.dict(entries);
                self.heap.write(place, Cell::Variable(Binding::Bound(map)));
            }
            [only] => {
                self.heap.update_entries(*only, |entries| insert(entries, key.clone(), value));
            }
            several => {
                for place in several {
                    let value = value.clone();
                    self.heap.update_entries(*place, |entries| {
                        let old = entries.list.iter().find(|(known, _)| known == key);
                        let value = old.map_or(value.clone(), |(_, old)| join(old, &value));
                        insert(entries, key.clone(), value);
                    });
                }
            }
        }
    }

    /// The value of the variable that a value names.
    fn tcl_get_named(&mut self, name: &Val) -> Val {
        let name = self.tcl_text(name);
        if let Some(names) = name.readings(8) {
            let values: Vec<Val> = names.iter().map(|name| self.tcl_get(name)).collect();
            return values.into_iter().reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown);
        }
        if let Some((array, _)) = name.known_prefix().split_once('(') {
            let key = Val::Text(Value::unknown("key"));
            return self.tcl_element(array, &key);
        }
        // Any variable that there is.
        let start = format!("${}", name.known_prefix());
        let mut found = Val::Text(Value::unknown("variable"));
        for (known, place) in self.scope.names() {
            if known.starts_with(&start)
                && let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place)
            {
                found = join(&found, &value);
            }
        }
        found
    }

    /// Gives the variable that a value names a value.
    fn tcl_put_named(&mut self, name: &Val, value: Val) {
        let name = self.tcl_text(name);
        match name.readings(8).as_deref() {
            Some([only]) => return self.tcl_put(only, value),
            Some(several) => {
                for name in several {
                    let old = self.tcl_get(name);
                    self.tcl_put(name, join(&old, &value));
                }
                return;
            }
            None => {}
        }
        if let Some((array, _)) = name.known_prefix().split_once('(') {
            let key = Val::Text(Value::unknown("key"));
            return self.tcl_put_element(array, &key, value);
        }
        // Any variable that there is.
        let start = format!("${}", name.known_prefix());
        for (known, place) in self.scope.names() {
            if known.starts_with(&start)
                && let Binding::Bound(old) | Binding::Maybe(old) = self.heap.variable(place)
            {
                let joined = join(&old, &value);
                self.heap.write(place, Cell::Variable(Binding::Bound(joined)));
            }
        }
    }

    /// The scope of a level: `1` is the caller, `#0` the program.
    fn tcl_level(&self, level: &str) -> Rc<Scope> {
        let program = self.scope.program();
        let scopes = self.state.get::<TclState>().map_or(&[][..], |state| &state.scopes);
        match level.strip_prefix('#') {
            Some("0") => program,
            Some(number) => {
                let at = number.parse::<usize>().unwrap_or(0);
                scopes.get(at).cloned().unwrap_or_else(|| Rc::clone(&self.scope))
            }
            None => {
                let back = level.parse::<usize>().unwrap_or(1);
                if back == 0 {
                    return Rc::clone(&self.scope);
                }
                scopes
                    .len()
                    .checked_sub(back)
                    .and_then(|at| scopes.get(at))
                    .cloned()
                    .unwrap_or(program)
            }
        }
    }

    /// Makes a name of the present call stand for a variable of another scope.
    fn tcl_link(&mut self, scope: &Rc<Scope>, other: &str, local: &str) {
        let outer = std::mem::replace(&mut self.scope, Rc::clone(scope));
        let place = if element(other).is_some() { None } else { Some(self.tcl_cell(other)) };
        let value = if place.is_none() { Some(self.tcl_get(other)) } else { None };
        self.scope = outer;
        match (place, value) {
            (Some(place), _) => {
                let (here, names) = self.tcl_names(local);
                if let Some(name) = names.first() {
                    here.insert(name.clone(), place);
                }
            }
            (None, value) => {
                // What is written to an element by its other name is not followed.
                self.open |= !self.uncalled;
                self.tcl_put(local, value.unwrap_or_else(Val::unknown));
            }
        }
    }

    /// `global`, `variable` and `upvar`.
    fn tcl_links(&mut self, command: &str, words: &[Val]) {
        let names: Vec<Option<String>> =
            words.iter().map(|word| self.tcl_text(word).as_known().map(str::to_owned)).collect();
        let unknown = names.iter().any(Option::is_none);
        self.open |= unknown && command != "variable" && !self.uncalled;
        let known = |place: usize| names.get(place).cloned().flatten();
        match command {
            "global" => {
                let program = self.scope.program();
                if self.scope.kind != ScopeKind::Function {
                    return;
                }
                for name in names.iter().flatten() {
                    let plain = name.rsplit("::").next().unwrap_or(name);
                    if plain != "env" {
                        let absolute = format!("::{}", name.trim_start_matches(':'));
                        self.tcl_link(&program, &absolute, plain);
                    }
                }
            }
            "variable" => {
                let space = self.tcl_namespace();
                let program = self.scope.program();
                for place in (0..words.len()).step_by(2) {
                    let Some(name) = known(place) else { continue };
                    let full = match name.strip_prefix("::") {
                        Some(rest) => rest.to_owned(),
                        None if space.is_empty() => name.clone(),
                        None => format!("{space}::{name}"),
                    };
                    if self.scope.kind == ScopeKind::Function {
                        let plain = name.rsplit("::").next().unwrap_or(&name).to_owned();
                        self.tcl_link(&program, &format!("::{full}"), &plain);
                    }
                    if let Some(value) = words.get(place + 1) {
                        let cell = self.tcl_cell_in(&program, &format!("${full}").into());
                        let value = self.compact(value.clone());
                        self.heap.write(cell, Cell::Variable(Binding::Bound(value)));
                    }
                }
            }
            _ => {
                let level = known(0).filter(|level| {
                    words.len() % 2 == 1
                        && level.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit())
                });
                let start = usize::from(words.len() % 2 == 1);
                let scope = self.tcl_level(level.as_deref().unwrap_or("1"));
                for place in (start..words.len()).step_by(2) {
                    match (known(place), known(place + 1)) {
                        (Some(other), Some(local)) => self.tcl_link(&scope, &other, &local),
                        (None, Some(local)) => {
                            self.tcl_put(&local, Val::Text(Value::unknown("variable")));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// The array and the key of an element.
fn element(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')')?.split_once('(')
}
