//! Modules: what `require` and `import` give.

use super::ScriptValues;
use crate::decode;
use crate::effect::CodeEffect;
use crate::ir::Name;
use crate::operand::is_url;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::{Piece, Value};
use easy_ext::ext;

#[ext(ScriptModules)]
pub(super) impl Interpreter<'_> {
    fn script_import(&mut self, name: &Val) -> Val {
        let text = self.script_text(name);
        match text.readings(16) {
            Some(names) => names
                .into_iter()
                .map(|name| self.import_named(&name))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown),
            // A file whose name is partly known.
            None if text.known_prefix().starts_with(['.', '/'])
                || matches!(
                    text.pieces().first(),
                    Some(Piece::Unknown(aegish_code_library::given::HERE))
                ) =>
            {
                self.run_module_file(&text)
            }
            None => Val::Unknown(text.taint().clone(), Forgotten::Callable),
        }
    }

    fn import_named(&mut self, name: &str) -> Val {
        if let Some(code) = name.strip_prefix("data:") {
            return self.import_data(code);
        }
        let value = Value::known(name);
        if is_url(&value) {
            self.fetch(value, None);
            self.record(CodeEffect::RunReceived);
            return Val::unknown();
        }
        if name.starts_with(['.', '/', '~']) || name.starts_with("file:") {
            let path = name.strip_prefix("file://").unwrap_or(name);
            return self.run_module_file(&Value::known(path));
        }
        let name = name.strip_prefix("node:").unwrap_or(name);
        let name =
            ["npm:", "jsr:"].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
        // A version: `npm:execa@9`.
        let name = match name.get(1..).and_then(|rest| rest.find('@')) {
            Some(at) => name.get(..=at).unwrap_or(name),
            None => name,
        };
        Val::Library(self.canonical(name))
    }

    /// `data:text/javascript;base64,…`.
    fn import_data(&mut self, url: &str) -> Val {
        let (head, body) = url.split_once(',').unwrap_or(("", url));
        let bytes = decode::percent(body, false).and_then(|bytes| {
            if head.ends_with(";base64") {
                decode::base64(&String::from_utf8(bytes).ok()?)
            } else {
                Some(bytes)
            }
        });
        match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(code) if !head.contains("json") => {
                self.evaluate(&Val::text(code), None);
            }
            Some(_) => {}
            None => self.open = true,
        }
        Val::unknown()
    }

    fn run_module_file(&mut self, path: &Value) -> Val {
        let resolved = self.resolved(path);
        if let Some(value) = self.own_file(&resolved) {
            return value;
        }
        let end = path.known_suffix();
        if end.ends_with(".node") {
            let path = self.resolved(path);
            self.record(CodeEffect::Load(path));
            return Val::unknown();
        }
        if end.ends_with(".json") {
            let path = self.resolved(path);
            return self.read_file(&path);
        }
        self.run_script(path)
    }

    /// A module that the session wrote: the file itself, with an ending, or that of a directory.
    fn own_file(&mut self, path: &Value) -> Option<Val> {
        if let Some(value) = self.own_json(path) {
            return Some(value);
        }
        if let Some(value) = self.load_script(path) {
            return Some(value);
        }
        let mut described = path.clone();
        described.push_str("/package.json");
        let package = self.own_json(&described)?;
        let main = self.attribute(&package, &"main".into()).as_known()?;
        let main = aegish_code_library::paths::join_paths(&[path.clone(), Value::known(main)]);
        self.load_script(&main)
    }

    /// A file of JSON that the session wrote.
    fn own_json(&mut self, path: &Value) -> Option<Val> {
        let known = path.as_known()?;
        let file = [known.to_owned(), format!("{known}.json")]
            .into_iter()
            .find(|file| file.ends_with(".json") && self.around.files.content(file).is_some())?;
        let content = self.read_file(&Value::known(file));
        Some(self.library_call("JSON.parse", Args::of(vec![content])))
    }

    /// Follows a module of its own and gives what it exports.
    fn script_module(&mut self, code: &str) -> Val {
        let exports = self.new_object(Vec::new());
        let module = self.new_object(vec![("exports", exports.clone())]);
        let scope = self.module_scope(code, &[("module", module.clone()), ("exports", exports)]);
        let made = self.attribute(&module, &"exports".into());
        let names: Vec<(Name, Val)> = self.names_in(&scope);
        let exported =
            names.into_iter().filter(|(name, _)| !matches!(&**name, "module" | "exports"));
        let (default, named): (Vec<_>, Vec<_>) =
            exported.partition(|(name, _)| &**name == "<default>");
        let is_empty =
            matches!(&made, Val::Dict(place) if self.heap.entries(*place).list.is_empty());
        if !is_empty {
            return made;
        }
        let list = named.into_iter().map(|(name, value)| (Val::text(&*name), value)).collect();
        let object = self.new_dict(list, None);
        match default.into_iter().next() {
            Some((_, default)) => join(&default, &object),
            None => object,
        }
    }
}
