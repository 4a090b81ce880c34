//! Functions of C that a program gets by their names.

use super::called::LispCalled;
use super::symbol_of;
use crate::effect::CodeEffect;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use easy_ext::ext;

#[ext(LispForeign)]
pub(super) impl Interpreter<'_> {
    /// Gets a function of C, or calls it.
    fn lisp_foreign(&mut self, path: &str, args: &Args) -> Option<Val> {
        let function = |value: &Val| value.as_known().as_deref().and_then(of_c);
        Some(match path {
            "pointer->procedure" => args.get(1).cloned()?,
            "alien-funcall" => {
                let behind = args.list.iter().skip(1).cloned().collect();
                self.lisp_call(&args.get(0).cloned()?, Args::of(behind))
            }
            "foreign-funcall" => {
                // Types stand before the values.
                let values = args.list.iter().skip(1).filter(|value| symbol_of(value).is_none());
                let values = values.cloned().collect();
                match args.get(0).and_then(function) {
                    Some(name) => self.lisp_call(&Val::Library(name.into()), Args::of(values)),
                    None => Val::unknown(),
                }
            }
            _ => {
                if let ("get-ffi-obj", Some(Val::Text(library))) = (path, args.list.get(1)) {
                    self.record(CodeEffect::Load(library.clone()));
                }
                match args.list.iter().find_map(function) {
                    Some(name) => Val::Library(name.into()),
                    None => Val::unknown(),
                }
            }
        })
    }
}

/// The function of the table that does what one of C does.
fn of_c(name: &str) -> Option<&'static str> {
    Some(match name {
        "system" | "popen" => "system",
        "execl" | "execlp" => "execlp",
        "dlopen" => "dynamic-link",
        "unlink" | "remove" => "delete-file",
        "rename" => "rename-file",
        "rmdir" => "rmdir",
        "chmod" => "chmod",
        "chown" => "chown",
        "symlink" => "symlink",
        "link" => "link",
        "setuid" | "seteuid" => "setuid",
        "fork" => "primitive-fork",
        "kill" => "kill",
        _ => return None,
    })
}
