//! Names of the language, constants of its libraries, and the arguments of the program.

use super::objects::ScriptObjects;
use crate::heap::Items;
use crate::value::{Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::Value;
use easy_ext::ext;

#[ext(ScriptNames)]
pub(super) impl Interpreter<'_> {
    /// A name that the program does not define.
    fn script_builtin(&mut self, name: &str) -> Val {
        let here = || Value::unknown(aegish_code_library::given::HERE);
        match name {
            "AEGISH_UNKNOWN" | "NaN" | "Infinity" => Val::unknown(),
            "this" | "global" | "globalThis" | "window" | "self" | "root" => {
                Val::Library("globalThis".into())
            }
            "super" => self.script_super(),
            "__dirname" => Val::Text(here()),
            "__filename" => {
                let mut path = here();
                path.push_str("/script.js");
                Val::Text(path)
            }
            "<meta>" => Val::Library("import.meta".into()),
            _ => Val::Library(self.canonical(name)),
        }
    }

    /// Values of libraries that are no functions.
    fn script_constant(&mut self, path: &str) -> Option<Val> {
        let here = || Value::unknown(aegish_code_library::given::HERE);
        Some(match path {
            "import.meta.dirname" | "import.meta.dir" => Val::Text(here()),
            "import.meta.url" | "import.meta.filename" | "import.meta.path" => {
                let mut path = here();
                path.push_str("/script.js");
                Val::Text(path)
            }
            "process.argv" | "Deno.args" | "Bun.argv" => {
                let items = self.script_arguments(path == "Deno.args");
                self.heap.list(items)
            }
            "process.execPath" | "process.argv0" => Val::text("node"),
            "process.platform" => Val::text("linux"),
            "path.sep" => Val::text("/"),
            "path.delimiter" => Val::text(":"),
            "os.EOL" => Val::text("\n"),
            "os.devNull" => Val::text("/dev/null"),
            "process.ppid" | "Deno.ppid" => aegish_code_interpreter::parent_process(),
            "process.pid" | "process.exitCode" | "process.version" | "process.versions" => {
                Val::unknown()
            }
            _ => return None,
        })
    }

    /// The arguments of the program. Code given on the command line has no script before them.
    fn script_arguments(&mut self, alone: bool) -> Items {
        let args = self.around.args;
        let rest = Some(Val::Text(Value::unknown("argument")));
        let text = |place: usize| args.get(place).cloned().map(Val::Text);
        if alone {
            return Items { list: (0..args.len()).filter_map(text).collect(), rest };
        }
        let mut list = vec![Val::text("node")];
        for place in 0..=args.len() {
            let before = place.checked_sub(1).and_then(text);
            list.extend(match (text(place), before) {
                (Some(a), Some(b)) => Some(join(&a, &b)),
                (one, other) => one.or(other),
            });
        }
        let rest = if args.is_empty() { rest } else { None };
        Items { list, rest }
    }
}
