//! `use` and `require`.

use super::PerlState;
use super::objects::PerlObjects;
use super::variables::PerlVariables;
use crate::language::Language;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_values::Value;
use easy_ext::ext;

/// Modules that change how the text is read and nothing else.
const PRAGMAS: &[&str] = &[
    "strict",
    "warnings",
    "utf8",
    "feature",
    "vars",
    "integer",
    "bytes",
    "locale",
    "open",
    "sort",
    "subs",
    "less",
    "diagnostics",
    "experimental",
    "autodie",
    "bigint",
    "bignum",
    "re",
    "encoding",
    "mro",
    "fields",
    "filetest",
    "version",
    "threads",
    "if",
    "overload",
    "parent",
    "base",
];

#[ext(PerlModules)]
pub(super) impl Interpreter<'_> {
    /// `use Module list`, `require Module`.
    fn use_module(&mut self, args: &Args) -> Val {
        let module = args.get(0).and_then(Val::as_known).unwrap_or_default();
        let package = args.get(1).and_then(Val::as_known).unwrap_or_default();
        let list: Vec<Val> = args.list.iter().skip(2).cloned().collect();
        match module.as_str() {
            "parent" | "base" => {
                let isa = self.perl_variable(&format!("@{package}::ISA"));
                let bases: Vec<Val> = list
                    .into_iter()
                    .filter(|base| !matches!(base.as_known().as_deref(), Some("-norequire") | None))
                    .collect();
                if let Val::List(place) = isa {
                    for base in bases {
                        self.heap.update_items(place, |items| {
                            crate::heap::push_item(items, base.clone());
                        });
                    }
                }
                return Val::None;
            }
            "overload" => {
                let mut pairs = list.into_iter();
                while let (Some(op), Some(method)) = (pairs.next(), pairs.next()) {
                    if let Some(op) = op.as_known() {
                        self.state.with(|perl: &mut PerlState| {
                            perl.overloads.entry(package.clone()).or_default().push((op, method));
                        });
                    }
                }
                return Val::None;
            }
            "lib" => {
                return Val::None;
            }
            "if" => {
                if let Some(name) = list.get(1).and_then(Val::as_known) {
                    self.state.with(|perl: &mut PerlState| perl.imports.push(name));
                }
                return Val::None;
            }
            _ => {}
        }
        if PRAGMAS.contains(&module.as_str()) {
            return Val::None;
        }
        if self.load_module(&module).is_some() {
            self.import_subs(&module, &package, &list);
            return Val::None;
        }
        let path = format!("{module}.import");
        if let Some(entry) = crate::calls::find(Language::Perl, &path) {
            let args = Args::of(list);
            self.method_effect(&entry, &args, &path);
        }
        self.state.with(|perl: &mut PerlState| perl.imports.push(module));
        Val::None
    }

    /// Gives a package the subs and variables that a module exports, or those of a list.
    fn import_subs(&mut self, module: &str, package: &str, list: &[Val]) {
        let program = self.scope.program();
        if let Some(import) = program.find(&format!("&{module}::import"))
            && let Some(import) = self.held(import)
        {
            let args = std::iter::once(Val::text(module)).chain(list.iter().cloned()).collect();
            let args = self.new_list(args);
            self.call(&import, Args::of(vec![args]));
            return;
        }
        let mut names: Vec<String> = list.iter().filter_map(Val::as_known).collect();
        if names.is_empty() {
            let exported = self.perl_variable(&format!("@{module}::EXPORT"));
            names.extend(self.iterate(&exported).list.iter().filter_map(Val::as_known));
        }
        for name in names {
            let (sigil, name) = match name.strip_prefix(['$', '@', '%', '&']) {
                Some(rest) => (name.get(..1).unwrap_or("&"), rest),
                None => ("&", name.as_str()),
            };
            let exported = program.find(&format!("{sigil}{module}::{name}"));
            if let Some(value) = exported.and_then(|place| self.held(place)) {
                self.perl_bind(&format!("{sigil}{package}::{name}"), value);
            }
        }
    }

    /// Runs a file as code.
    fn require_file(&mut self, path: &Value, names_file: bool) {
        if path.is_known() && !names_file && !path.known_prefix().ends_with(".pl") {
            let module = path.known_prefix().trim_end_matches(".pm").replace('/', "::");
            if path.known_prefix().ends_with(".pm") || !path.known_prefix().contains('.') {
                if self.load_module(&module).is_none() {
                    self.state.with(|perl: &mut PerlState| perl.imports.push(module));
                }
                return;
            }
        }
        self.run_script(path);
    }
}
