//! Classes and objects of TclOO. A method is a procedure whose name has that of its class in front.

use super::code::TclCode;
use super::{TclNames, TclState, known};
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_parsers::tcl::lists;
use easy_ext::ext;

#[ext(TclObjects)]
pub(super) impl Interpreter<'_> {
    fn tcl_object_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        match path {
            "oo::class" => {
                let name = words.get(1).and_then(known)?;
                if known(words.first()?).as_deref() != Some("create") {
                    return Some(Val::Library("<object>".into()));
                }
                if let Some(body) = words.get(2) {
                    self.tcl_class_body(&name, &body.clone());
                }
                let class = Val::Library("<object>".into());
                self.tcl_proc(&Val::text(name), &class);
                Some(class)
            }
            "oo::define" | "oo::objdefine" => {
                let name = words.first().and_then(known).unwrap_or_default();
                match words.get(1..)? {
                    [body] => self.tcl_class_body(&name, &body.clone()),
                    parts => self.tcl_member(&name, parts),
                }
                Some(Val::None)
            }
            "interp create" | "safe::interpCreate" => {
                let name = words
                    .last()
                    .filter(|name| known(name).is_some_and(|name| !name.starts_with('-')));
                let object = Val::Library("<object>".into());
                if let Some(name) = name {
                    self.tcl_proc(&name.clone(), &object);
                }
                Some(object)
            }
            "my" | "next" => Some(self.tcl_object_call(words)),
            _ => None,
        }
    }

    /// The definitions in a class: their code is read as procedures are.
    fn tcl_class_body(&mut self, class: &str, body: &Val) {
        let Some(body) = self.tcl_text(body).as_known().map(str::to_owned) else {
            self.open |= !self.uncalled;
            return;
        };
        // The words `method`, `constructor` and so on are commands inside of the body only.
        let program = self.scope.program();
        for word in [
            "method",
            "constructor",
            "destructor",
            "superclass",
            "mixin",
            "filter",
            "export",
            "forward",
        ] {
            let function = Val::Partial(std::rc::Rc::new(crate::value::Partial {
                function: Val::Library("<member>".into()),
                args: Args::of(vec![Val::text(class), Val::text(word)]),
            }));
            self.bind_in(&program, &format!("<class>::{word}").into(), function);
        }
        self.state
            .with(|tcl: &mut TclState| tcl.inside.push((self.frames.len(), "<class>".into())));
        let outer = std::mem::replace(&mut self.scope, program);
        self.tcl_evaluate(&body);
        self.scope = outer;
        self.state.with(|tcl: &mut TclState| tcl.inside.pop());
    }

    /// One definition of a class.
    fn tcl_member(&mut self, class: &str, words: &[Val]) {
        let Some((kind, rest)) = words.split_first() else { return };
        let kind = known(kind).unwrap_or_default();
        let (name, rest) = match (kind.as_str(), rest) {
            ("method", [name, rest @ ..]) => (known(name).unwrap_or_default(), rest),
            ("constructor" | "destructor", rest) => (kind, rest),
            _ => return,
        };
        let (parameters, body) = match rest {
            [body] => (Val::text(""), body.clone()),
            [parameters, body] => (parameters.clone(), body.clone()),
            [.., parameters, body] => (parameters.clone(), body.clone()),
            [] => return,
        };
        let full = lists::joined([format!("::{class} {name}").as_str()]);
        let full = lists::split(&full).and_then(|items| items.into_iter().next()).unwrap_or(full);
        self.state.with(|tcl: &mut TclState| tcl.inside.push((self.frames.len(), "".into())));
        self.tcl_reread("proc", &[Val::text(full), parameters, body]);
        self.state.with(|tcl: &mut TclState| tcl.inside.pop());
    }

    /// A method of an object: the class is not followed, each method with the name may run.
    fn tcl_object_call(&mut self, words: &[Val]) -> Val {
        let Some((method, rest)) = words.split_first() else { return Val::unknown() };
        let Some(method) = known(method) else { return Val::Library("<object>".into()) };
        let wanted = match method.as_str() {
            "new" | "create" => "constructor",
            "destroy" => "destructor",
            "eval" | "invokehidden" => return self.tcl_eval(rest),
            "alias" => return Val::None,
            other => other,
        };
        let rest = if method == "create" { rest.get(1..).unwrap_or(&[]) } else { rest };
        let program = self.scope.program();
        let end = format!(" {wanted}");
        let mut functions: Vec<Val> = Vec::new();
        for (name, place) in program.names() {
            if name.ends_with(&end)
                && !name.starts_with('$')
                && let crate::heap::Binding::Bound(value) | crate::heap::Binding::Maybe(value) =
                    self.heap.variable(place)
            {
                functions.push(value);
            }
        }
        let mut result: Option<Val> = None;
        for function in functions {
            let one = self.maybe(|this| this.call(&function, Args::of(rest.to_vec())));
            result = Some(result.map_or(one.clone(), |known| crate::value::join(&known, &one)));
        }
        match (method.as_str(), result) {
            ("create", _) => {
                if let Some(name) = words.get(1) {
                    self.tcl_proc(&name.clone(), &Val::Library("<object>".into()));
                }
                Val::Library("<object>".into())
            }
            ("new", _) | (_, None) => Val::Library("<object>".into()),
            (_, Some(value)) => value,
        }
    }
}
