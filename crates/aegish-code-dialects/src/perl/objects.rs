//! Methods, classes, and modules.

use super::handles::PerlHandles;
use super::variables::PerlVariables;
use super::{PerlCalls, PerlState};
use crate::calls::{Effect, Entry};
use crate::effect::CodeEffect;
use crate::heap::Binding;
use crate::ir::Name;
use crate::language::Language;
use crate::reference::Ref;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PerlValues;
use aegish_values::{Taint, Value};
use easy_ext::ext;

/// Classes between a class and the one that defines a method.
const MOST_CLASSES: usize = 32;

#[ext(PerlObjects)]
pub(super) impl Interpreter<'_> {
    /// A function of the program, by its full name.
    fn sub(&mut self, name: &str) -> Option<Val> {
        let program = self.scope.program();
        let place = program.find(&format!("&{name}"))?;
        match self.heap.variable(place) {
            Binding::Bound(value) | Binding::Maybe(value) => Some(value),
            Binding::Unbound => None,
        }
    }

    /// The classes in which a method is looked for.
    fn linear(&mut self, class: &str) -> Vec<String> {
        let mut all = vec![class.to_owned()];
        let mut at = 0;
        while let Some(class) = all.get(at).cloned() {
            at += 1;
            let program = self.scope.program();
            let Some(place) = program.find(&format!("@{class}::ISA")) else { continue };
            let (Binding::Bound(list) | Binding::Maybe(list)) = self.heap.variable(place) else {
                continue;
            };
            for base in self.perl_iterate(&list).list {
                if let Some(base) = base.as_known()
                    && !all.contains(&base)
                    && all.len() < MOST_CLASSES
                {
                    all.push(base);
                }
            }
        }
        all
    }

    fn perl_sub_of(&mut self, class: &str, name: &str) -> Option<Val> {
        let classes = self.linear(class);
        classes.iter().find_map(|class| self.sub(&format!("{class}::{name}")))
    }

    fn classes_of(&self, place: Ref) -> Vec<Name> {
        let state = self.state.get::<PerlState>();
        state.and_then(|state| state.blessed.get(&place)).cloned().unwrap_or_default()
    }

    /// The method for an operator that the class of an object defines.
    fn overload(&mut self, place: Ref, op: &str) -> Option<Val> {
        let classes = self.classes_of(place);
        for class in classes {
            for class in self.linear(&class) {
                let method = self.state.with(|perl: &mut PerlState| {
                    let all = perl.overloads.get(&class)?;
                    all.iter().find(|(known, _)| known == op).map(|(_, method)| method.clone())
                });
                if method.is_some() {
                    return method;
                }
            }
        }
        None
    }

    /// What an operator that a class defines makes of an object.
    fn overloaded(&mut self, place: Ref, op: &str, value: &Val) -> Option<Value> {
        let method = self.overload(place, op)?;
        let args = Args::of(vec![value.clone(), Val::None, Val::None]);
        let made = self.perl_call_value(&method, args);
        let made = self.perl_scalar(made);
        Some(made.to_text())
    }

    /// What an operator makes of two values of which one is an object whose class defines it.
    fn perl_operator(&mut self, a: &Val, sign: &str, b: &Val) -> Option<Val> {
        let place = |value: &Val| match value {
            Val::List(place) | Val::Dict(place) | Val::Scalar(place) => Some(*place),
            _ => None,
        };
        // Equal as texts, and equal as numbers.
        let signs = match sign {
            "==" => &["==", "eq"][..],
            "!=" => &["!=", "ne"],
            "<" => &["<", "lt"],
            ">" => &[">", "gt"],
            "<=" => &["<=", "le"],
            ">=" => &[">=", "ge"],
            sign => &[sign],
        };
        for (one, other, swapped) in [(a, b, Val::text("")), (b, a, Val::Int(1))] {
            let Some(at) = place(one) else { continue };
            for sign in signs.iter().chain(&["<=>", "cmp", "nomethod"]) {
                if let Some(method) = self.overload(at, sign) {
                    let args = Args::of(vec![one.clone(), other.clone(), swapped]);
                    let made = self.perl_call_value(&method, args);
                    return Some(self.perl_scalar(made));
                }
            }
        }
        None
    }

    /// A function that the program does not define: of a module, or of the language.
    fn library_function(&mut self, name: &str) -> Val {
        let name = name.strip_prefix("main::").unwrap_or(name);
        let (package, short) = name.rsplit_once("::").unwrap_or(("main", name));
        let table = |path: &str| crate::calls::find(Language::Perl, path).is_some();
        let qualified = self.canonical(&format!("{package}.{short}"));
        if table(&qualified) {
            return Val::Library(qualified);
        }
        for module in self.state.with(|perl: &mut PerlState| perl.imports.clone()) {
            let path = self.canonical(&format!("{module}.{short}"));
            if table(&path) {
                return Val::Library(path);
            }
        }
        if let Some(auto) = self.perl_sub_of(package, "AUTOLOAD") {
            self.perl_bind(
                &format!("${package}::AUTOLOAD"),
                Val::text(format!("{package}::{short}")),
            );
            return auto;
        }
        if table(short) && !short.contains('.') {
            return Val::Library(short.into());
        }
        if let Some(path) = crate::calls::perl_function(short) {
            return Val::Library(path.into());
        }
        Val::Library(format!("<word>{short}").into())
    }

    /// `object->$method(arguments)`.
    fn dynamic_method(&mut self, object: &Val, method: &Val, args: Args) -> Val {
        match method {
            Val::OneOf(_) => {
                self.each(method, |this, one| this.dynamic_method(object, one, args.clone()))
            }
            Val::Text(text) => match text.readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.perl_method(object, &name, args.clone()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None),
                None => {
                    if !self.uncalled {
                        self.record(CodeEffect::Hidden);
                    }
                    Val::unknown()
                }
            },
            function => {
                let args = args.with_first(object.clone());
                self.perl_call_value(function, args)
            }
        }
    }

    fn perl_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        if !self.burn(1) {
            return Val::unknown();
        }
        match object {
            Val::OneOf(values) => {
                let there: Vec<Val> =
                    values.iter().filter(|one| **one != Val::None).cloned().collect();
                match there.as_slice() {
                    [only] => self.perl_method(&only.clone(), name, args),
                    _ => self.each(object, |this, one| this.perl_method(one, name, args.clone())),
                }
            }
            Val::Tuple(_) | Val::Partial(_) if Self::is_list(object) => {
                let one = self.perl_scalar(object.clone());
                if Self::is_list(&one) {
                    Val::unknown()
                } else {
                    self.perl_method(&one, name, args)
                }
            }
            Val::Text(class) => match class.readings(4) {
                Some(classes) => classes
                    .into_iter()
                    .map(|class| self.perl_class_method(&class, object, name, args.clone()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None),
                None => self.unknown_method(object, name, args),
            },
            Val::Dict(place) | Val::List(place) | Val::Scalar(place) => {
                let classes = self.classes_of(*place);
                if classes.is_empty() {
                    return self.unknown_method(object, name, args);
                }
                classes
                    .into_iter()
                    .map(|class| self.perl_class_method(&class, object, name, args.clone()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None)
            }
            Val::Library(path) if path.starts_with('*') => {
                let handle = path.trim_start_matches("*main::").to_owned();
                self.handle_method(&handle, name, &args)
            }
            Val::Library(path) => {
                let path = path.clone();
                self.perl_library_method(&path, object, name, args)
            }
            Val::File(_) | Val::Connection | Val::Process(_) => {
                self.perl_stream_method(object, name, &args)
            }
            Val::Path(_) => {
                let path = self.canonical(&format!("Path::Tiny.{name}"));
                match crate::calls::find(Language::Perl, &path) {
                    Some(entry) => {
                        let args = self.plain_args(&args.with_first(object.clone()));
                        self.effect_call(&entry, &args, &path)
                    }
                    None => object.clone(),
                }
            }
            Val::Function(_) if matches!(name, "call" | "(&{}") => {
                self.perl_call_value(object, args)
            }
            _ => self.unknown_method(object, name, args),
        }
    }

    fn perl_class_method(&mut self, class: &str, object: &Val, name: &str, args: Args) -> Val {
        // `$self->SUPER::name`, `$self->Class::name`.
        if let Some((package, short)) = name.rsplit_once("::") {
            let found = if package == "SUPER" {
                let bases: Vec<String> = self.linear(class).into_iter().skip(1).collect();
                let program = bases.iter().find_map(|base| self.sub(&format!("{base}::{short}")));
                if program.is_none() {
                    for base in bases {
                        if crate::calls::has_members(Language::Perl, &base) {
                            return self.perl_library_method(&base, object, short, args);
                        }
                    }
                }
                program
            } else {
                self.perl_sub_of(package, short)
            };
            return match found {
                Some(function) => self.call(&function, args.with_first(object.clone())),
                None => Val::unknown(),
            };
        }
        if let Some(function) = self.perl_sub_of(class, name) {
            return self.call(&function, args.with_first(object.clone()));
        }
        match name {
            "can" => {
                let wanted = args.get(0).map(|name| self.perl_text(name)).unwrap_or_default();
                let Some(wanted) = wanted.as_known().map(str::to_owned) else {
                    return Val::Unknown(Taint::none(), Forgotten::Callable);
                };
                if let Some(function) = self.perl_sub_of(class, &wanted) {
                    return function;
                }
                let path = self.canonical(&format!("{class}.{wanted}"));
                return match crate::calls::find(Language::Perl, &path) {
                    Some(_) => Val::Library(path),
                    None if class == "CORE" => Val::Library(wanted.as_str().into()),
                    None => Val::None,
                };
            }
            "isa" | "DOES" | "VERSION" => return Val::unknown(),
            "import" | "unimport" => {
                self.state.with(|perl: &mut PerlState| perl.imports.push(class.to_owned()));
                return Val::unknown();
            }
            _ => {}
        }
        let program = self.scope.program();
        let handle = program.find(&format!("*main::{class}")).is_some()
            || matches!(class, "STDIN" | "STDOUT" | "STDERR");
        if handle {
            return self.handle_method(class, name, &args);
        }
        if let Some(auto) = self.perl_sub_of(class, "AUTOLOAD") {
            for package in self.linear(class) {
                let full = Val::text(format!("{class}::{name}"));
                self.perl_bind(&format!("${package}::AUTOLOAD"), full);
            }
            return self.call(&auto, args.with_first(object.clone()));
        }
        for base in self.linear(class) {
            if crate::calls::has_members(Language::Perl, &base) {
                return self.perl_library_method(&base, object, name, args);
            }
        }
        self.perl_library_method(class, object, name, args)
    }

    /// A method of a class of a library, or of one of its objects.
    fn perl_library_method(&mut self, class: &str, object: &Val, name: &str, args: Args) -> Val {
        let path = self.canonical(&format!("{class}.{name}"));
        if let Some(entry) = crate::calls::find(Language::Perl, &path) {
            let value = self.method_effect(&entry, &args, &path);
            self.set_by_library(&args);
            return value;
        }
        self.set_by_library(&args);
        if !crate::calls::has_members(Language::Perl, class)
            && let Some(entry) = crate::calls::find(Language::Perl, &format!("?.{name}"))
        {
            let args = self.plain_args(&args.with_first(object.clone()));
            return self.effect_call(&entry, &args, name);
        }
        self.run_callbacks(&args, None);
        let taint = self.content_taint(&args);
        if !taint.is_none() {
            return Val::tainted(taint);
        }
        Val::Library(class.into())
    }

    /// A call of the table; options are pairs of a name and a value.
    fn method_effect(&mut self, entry: &Entry, args: &Args, path: &str) -> Val {
        let mut args = self.plain_args(args);
        // All further arguments are one list.
        if let Some(place) = entry.parameters.iter().position(|(name, _)| *name == "list") {
            let list = args.list.split_off(place.min(args.list.len()));
            let rest = args.rest.take();
            let all = self.heap.list(crate::heap::Items { list, rest });
            args.list.push(all);
        }
        let named: Vec<&str> =
            entry.parameters.iter().filter_map(|(name, _)| name.strip_prefix('*')).collect();
        if !named.is_empty() {
            let mut place = 0;
            let options: Vec<Val> = args
                .list
                .iter()
                .flat_map(|value| match value {
                    Val::Dict(cell) => {
                        let entries = self.heap.entries(*cell);
                        entries.list.iter().flat_map(|(k, v)| [k.clone(), v.clone()]).collect()
                    }
                    other => vec![other.clone()],
                })
                .collect();
            while let Some(key) = options.get(place) {
                if let (Some(key), Some(value)) = (key.as_known(), options.get(place + 1))
                    && let Some(name) = named.iter().find(|name| **name == key)
                {
                    args.named.push(((*name).into(), value.clone()));
                    place += 1;
                }
                place += 1;
            }
        }
        // Options stand behind the host.
        if entry.effect == Effect::Connect && entry.parameters.len() == 1 {
            args.list.truncate(1);
        }
        if entry.effect == Effect::Connect && args.named("LocalPort").is_some() {
            let port = args.named("LocalPort").map(Val::to_text).unwrap_or_default();
            let host = args.named("LocalAddr").map(Val::to_text).unwrap_or_default();
            self.listen(host, port);
            return Val::Connection;
        }
        if entry.effect == Effect::Connect
            && let Some(address) =
                args.named("PeerAddr").or_else(|| args.named("PeerHost")).cloned()
        {
            let port = args.named("PeerPort").map(Val::to_text);
            let (host, port) = self.address_of(Some(address), None, port);
            self.connect(host, port);
            return Val::Connection;
        }
        let value = self.effect_call(entry, &args, path);
        match value {
            // Several names, and no reference to them.
            Val::List(place) if matches!(entry.effect, Effect::Glob | Effect::List) => {
                Self::perl_list((*self.heap.items(place)).clone())
            }
            other => other,
        }
    }

    fn unknown_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        self.set_by_library(&args);
        match crate::calls::find(Language::Perl, &format!("?.{name}")) {
            Some(entry) => {
                let args = self.plain_args(&args.with_first(object.clone()));
                self.effect_call(&entry, &args, name)
            }
            None => {
                self.run_callbacks(&args, None);
                let mut taint = self.content_taint(&args);
                taint.absorb(&self.taint_of(object));
                match object {
                    Val::Unknown(_, Forgotten::Callable) => object.clone(),
                    _ => Val::tainted(taint),
                }
            }
        }
    }
}
