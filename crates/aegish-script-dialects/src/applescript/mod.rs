//! Where the meaning of AppleScript differs from that of the other languages: references to parts of texts and lists,
//! files by their names, and scripts that are run as text.

mod dialect;
mod parts;

pub use dialect::AppleScript;

use crate::effect::CodeEffect;
use crate::heap::Items;
use crate::limits::MAX_ITEMS;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};
use easy_ext::ext;
use parts::AppleScriptParts;

/// Folders that `path to` names, below the home directory.
const FOLDERS: &[(&str, &str)] = &[
    ("home folder", ""),
    ("desktop", "/Desktop"),
    ("desktop folder", "/Desktop"),
    ("documents folder", "/Documents"),
    ("downloads folder", "/Downloads"),
    ("library folder", "/Library"),
    ("movies folder", "/Movies"),
    ("music folder", "/Music"),
    ("pictures folder", "/Pictures"),
    ("public folder", "/Public"),
    ("preferences", "/Library/Preferences"),
    ("application support", "/Library/Application Support"),
];

/// Classes of frameworks that start programs or run code.
const RUNNERS: &[&str] = &["nstask", "nsuserunixtask", "nsapplescript", "osascript", "jscontext"];

#[ext(AppleScriptFunctions)]
pub(super) impl Interpreter<'_> {
    /// A name that the program does not define.
    fn applescript_builtin(&mut self, name: &str) -> Val {
        match name {
            "AEGISH_UNKNOWN" | "aegish_unknown" => Val::unknown(),
            "argv" => {
                let list: Vec<Val> = self.around.args.iter().cloned().map(Val::Text).collect();
                let rest = Some(Val::Text(Value::unknown("argument")));
                self.heap.list(Items { list, rest })
            }
            _ => Val::Library(self.canonical(name)),
        }
    }

    /// A call of a function of the language; none if it is not one of these.
    fn applescript_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "<join>" => self.joined_parts(&args.list),
            "<as text>" => {
                let delimiters = args.get(1).cloned().unwrap_or(Val::None);
                self.as_text(&first?, &delimiters)
            }
            "<as list>" => match first? {
                list @ Val::List(_) => list,
                other => self.heap.list(Items { list: vec![other], rest: None }),
            },
            "<as number>" => {
                let known = first?.as_known().and_then(|text| text.trim().parse().ok());
                known.map_or_else(Val::unknown, Val::Int)
            }
            "<compare>" => Val::unknown(),
            "<filter>" => {
                let list = self.element_of(&first?);
                self.heap.list(Items { list: Vec::new(), rest: Some(list) })
            }
            "<numbers>" => self.number_range(args),
            "<part>" => {
                let words = first?.as_known()?;
                let object = args.get(1)?.clone();
                let delimiters = args.get(2).cloned().unwrap_or(Val::None);
                self.part_of_value(&words, &object, &delimiters)
            }
            "<item>" => {
                let words = first?.as_known()?;
                let object = args.get(1)?.clone();
                let delimiters = args.get(2).cloned().unwrap_or(Val::None);
                let (from, to) = (args.get(3)?.clone(), args.get(4)?.clone());
                self.items_of_value(&words, &object, &delimiters, &from, &to)
            }
            "<below>" => {
                let (folder, file) = (args.get(0)?.to_text(), args.get(1)?.to_text());
                let mut path = folder;
                path.push_str("/");
                path.append(&file);
                Val::Path(path)
            }
            // Words of an application that stand for something.
            "<phrase>" => match (args.list.as_slice(), first.as_ref().and_then(Val::as_known)) {
                ([_], Some(words)) if args.named.is_empty() => {
                    Val::Library(format!("the {words}").into())
                }
                _ => Val::tainted(self.content_taint(args)),
            },
            "posix file" => Val::Path(first?.to_text()),
            "file" | "folder" | "alias" | "document file" | "disk item" | "disk" => {
                Val::Path(posix_path(&first?.to_text()))
            }
            "character id" | "string id" | "unicode text id" => self.characters_of(&first?),
            "ascii character" => self.characters_of(&first?),
            "path to" => self.path_to(&first?),
            "run script" => {
                self.run_script_value(&first?, args);
                Val::unknown()
            }
            "open for access" => {
                let writes = args.named.iter().any(|(name, _)| &**name == "write permission");
                let mode = Val::text(if writes { "w" } else { "r" });
                let entry = crate::calls::find(self.language, path)?;
                self.table_call(&entry, &Args::of(vec![first?, mode]), path)
            }
            // Applications delete, move and copy more than files.
            "delete" | "move" | "duplicate" => match first? {
                Val::Path(file) => {
                    self.change_file(path, &file, args);
                    Val::None
                }
                _ => Val::None,
            },
            // The same as the command of that effect.
            "restart" | "shut down" => {
                let how = if path == "restart" { "-r" } else { "-h" };
                let argv = ["shutdown", how, "now"].map(Value::known).to_vec();
                self.record(CodeEffect::Argv(argv));
                Val::None
            }
            "get" | "copy" => first?,
            "count" => match first? {
                Val::Text(text) => match text.as_known() {
                    Some(text) => Val::Int(i64::try_from(text.chars().count()).ok()?),
                    None => Val::unknown(),
                },
                list => {
                    let items = self.iterate(&list);
                    match items.rest {
                        None => Val::Int(i64::try_from(items.list.len()).ok()?),
                        Some(_) => Val::unknown(),
                    }
                }
            },
            _ => return self.framework_call(path, args),
        })
    }

    /// A method of a class that starts programs.
    fn framework_call(&mut self, path: &str, args: &Args) -> Option<Val> {
        let mut parts = path.split('.').map(str::to_lowercase);
        if !parts.any(|part| RUNNERS.contains(&part.as_str())) {
            return None;
        }
        let method = path.rsplit('.').next()?;
        match (method, args.list.as_slice()) {
            ("launchedtaskwithlaunchpath_arguments_", [program, list]) => {
                let mut argv = vec![program.to_text()];
                let items = self.iterate(list);
                argv.extend(items.list.iter().chain(&items.rest).map(Val::to_text));
                self.record(CodeEffect::Argv(argv));
            }
            ("alloc" | "init" | "new", []) => {}
            _ => self.record(CodeEffect::Hidden),
        }
        Some(Val::Library(path.into()))
    }

    /// `run script x`: text is code, a file is a script.
    fn run_script_value(&mut self, script: &Val, args: &Args) {
        if let Val::Path(path) = script {
            let path = self.resolved(path);
            self.record(CodeEffect::Script(Lang::Osascript, path));
            return;
        }
        let language = args.named("in").and_then(Val::as_known);
        match language.as_deref() {
            Some("JavaScript") => {
                let code = script.to_text();
                match code.has_unknown() {
                    true => self.record(CodeEffect::Hidden),
                    false => self.record(CodeEffect::Eval(Lang::Node, code)),
                }
            }
            _ => {
                self.evaluate(script, None);
            }
        }
    }

    fn change_file(&mut self, how: &str, file: &Value, args: &Args) {
        let from = self.resolved(file);
        let to = args.named("to").cloned();
        match (how, to) {
            ("delete", _) => self.record(CodeEffect::Delete { path: from, tree: true }),
            ("move", Some(Val::Library(place))) if place.contains("trash") => {
                self.record(CodeEffect::Delete { path: from, tree: true });
            }
            (_, Some(to)) => {
                let to = self.resolved(&to.to_text());
                self.record(CodeEffect::Copy { from, to });
            }
            _ => {}
        }
    }

    fn path_to(&mut self, place: &Val) -> Val {
        let Val::Library(name) = place else { return Val::unknown() };
        let name = name.strip_prefix("the ").unwrap_or(name);
        if let Some((_, below)) = FOLDERS.iter().find(|(known, _)| *known == name) {
            let mut path = aegish_code_library::paths::home(&self.env("HOME"));
            path.push_str(below);
            // A folder ends with a separator, so that a name can be put behind it.
            path.push_str("/");
            return Val::Path(path);
        }
        Val::Path(match name {
            "startup disk" => Value::known("/"),
            "applications folder" => Value::known("/Applications/"),
            "system folder" => Value::known("/System/"),
            "temporary items" | "temporary items folder" => {
                let mut path = Value::known("/tmp/");
                path.push(Piece::Unknown("temporary name"));
                path
            }
            _ => Value::unknown("a folder"),
        })
    }

    fn number_range(&mut self, args: &Args) -> Val {
        let number = |place: usize| args.list.get(place).and_then(Val::as_int);
        let items = match (number(0), number(1), number(2)) {
            (Some(from), Some(to), Some(step)) if step != 0 => {
                let count = to.checked_sub(from).and_then(|all| all.checked_div(step));
                let count = count.unwrap_or(i64::MAX).saturating_add(1).max(0);
                match usize::try_from(count).is_ok_and(|count| count <= MAX_ITEMS) {
                    true => {
                        let list = (0..count).map(|at| Val::Int(from + at * step)).collect();
                        Items { list, rest: None }
                    }
                    false => Items { list: Vec::new(), rest: Some(Val::unknown()) },
                }
            }
            _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
        };
        self.heap.list(items)
    }
}

/// The path of a file that is named with colons: the first part is the disk.
fn posix_path(name: &Value) -> Value {
    let Some(text) = name.as_known() else { return name.clone() };
    match text.split_once(':') {
        Some((_, rest)) if !text.starts_with('/') => {
            Value::known(format!("/{}", rest.replace(':', "/"))).tainted(name.taint())
        }
        _ => name.clone(),
    }
}
