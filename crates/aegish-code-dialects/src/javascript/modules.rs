//! Modules: what `require` and `import` give.

use super::ScriptValues;
use crate::decode;
use crate::effect::CodeEffect;
use crate::operand::is_url;
use crate::value::{Forgotten, Val, join};
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
        self.run_script(path);
        Val::unknown()
    }
}
