//! Drives and paths: files, variables, functions, aliases, the environment.

use super::binding::given;
use super::blocks::PowerShellBlocks;
use super::members::PowerShellMembers;
use crate::effect::CodeEffect;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_code_library::paths::join_paths;
use aegish_values::{Piece, Value};
use easy_ext::ext;

/// A drive that holds no files, and a name on it.
fn drive(path: &str) -> Option<(String, &str)> {
    let (drive, name) = path.split_once(':')?;
    let drive = drive.to_ascii_lowercase();
    let name = name.trim_start_matches(['/', '\\']);
    matches!(drive.as_str(), "env" | "variable" | "function" | "alias").then_some((drive, name))
}

#[ext(PowerShellItems)]
pub(super) impl Interpreter<'_> {
    /// The path of a file object.
    fn path_of_object(&mut self, value: &Val) -> Value {
        match value {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let path = ["fullname", "path", "psPath"].iter().find_map(|name| {
                    let same = |key: &Val| {
                        key.as_known().is_some_and(|key| key.eq_ignore_ascii_case(name))
                    };
                    entries.list.iter().find(|(key, _)| same(key)).map(|(_, value)| value.clone())
                });
                match path {
                    Some(path) => self.powershell_text(&path),
                    None => self.powershell_text(value),
                }
            }
            other => self.powershell_text(other),
        }
    }

    /// Reads what a path on a drive names; none if it is a file.
    fn drive_value(&mut self, path: &str) -> Option<Val> {
        let (drive, name) = drive(path)?;
        let lower = name.to_lowercase();
        Some(match drive.as_str() {
            "env" => self.environment(name),
            "variable" => self.lookup(&format!("${lower}").into()),
            "function" => self.lookup(&format!("function:{lower}").into()),
            _ => match crate::calls::alias(self.language, &lower) {
                Some(command) => Val::text(command),
                None => Val::unknown(),
            },
        })
    }

    /// Sets what a path on a drive names; false if it is a file.
    fn set_drive_value(&mut self, path: &str, value: Val) -> bool {
        let Some((drive, name)) = drive(path) else { return false };
        let lower = name.to_lowercase();
        match drive.as_str() {
            "env" => self.set_environment(name, &value),
            "variable" => self.bind(&format!("${lower}").into(), value),
            "function" => {
                let value = self.code_block(&value);
                self.bind(&format!("function:{lower}").into(), value);
            }
            _ => self.bind(&format!("alias:{lower}").into(), value),
        }
        true
    }

    /// A variable of the environment; names are compared without their case on some systems.
    fn environment(&mut self, name: &str) -> Val {
        let value = self.env(name);
        let upper = name.to_ascii_uppercase();
        match value.as_known() {
            None if upper != name => match self.env(&upper) {
                other if other.as_known().is_some() => join(&value, &other),
                _ => value,
            },
            _ => value,
        }
    }

    /// `Set-Variable` and `New-Variable`.
    fn set_variable(&mut self, args: &Args) {
        let value = given(args, "Value").cloned().unwrap_or(Val::None);
        let names = given(args, "Name").cloned().unwrap_or(Val::None);
        let items = self.powershell_items(&names);
        for name in items.list.iter().chain(&items.rest) {
            match self.powershell_text(name).readings(8) {
                Some(names) => {
                    for name in names {
                        let name = name.rsplit(':').next().unwrap_or("").to_lowercase();
                        let value = value.clone();
                        let scope = given(args, "Scope").is_some();
                        if scope {
                            let program = self.scope.program();
                            self.bind_in(&program, &format!("${name}").into(), value.clone());
                        }
                        self.bind(&format!("${name}").into(), value);
                    }
                }
                // Any variable may be set.
                None => self.open = true,
            }
        }
    }

    /// `Get-Variable` and `Get-Item variable:x`.
    fn get_variable(&mut self, args: &Args) -> Val {
        let names = given(args, "Name").cloned().unwrap_or(Val::None);
        let Some(name) = names.as_known().filter(|name| !name.contains(['*', '?', '['])) else {
            return Val::Text(Value::unknown(crate::value::LOST));
        };
        let value = self.lookup(&format!("${}", name.to_lowercase()).into());
        match given(args, "ValueOnly") {
            Some(_) => value,
            None => self.new_dict(
                vec![(Val::text("name"), Val::text(name)), (Val::text("value"), value)],
                None,
            ),
        }
    }

    /// `New-Item`: a file, a directory, a link, or something on another drive.
    fn new_item(&mut self, args: &Args) -> Val {
        let text = |this: &mut Self, name: &str| {
            given(args, name).cloned().map(|value| this.path_of_object(&value))
        };
        let value = given(args, "Value").or_else(|| given(args, "Target")).cloned();
        let mut paths: Vec<Value> = Vec::new();
        let given_paths = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned();
        let items = self.powershell_items(&given_paths.unwrap_or(Val::None));
        for path in items.list.iter().chain(&items.rest) {
            paths.push(self.path_of_object(path));
        }
        if let Some(name) = text(self, "Name") {
            let under = paths.pop();
            paths = vec![match under {
                Some(under) => join_paths(&[under, name]),
                None => name,
            }];
        }
        let kind = text(self, "ItemType").map(|kind| kind.to_string().to_ascii_lowercase());
        let kind = kind.unwrap_or_default();
        for path in &paths {
            if let Some(known) = path.as_known() {
                let known = known.to_owned();
                if self.set_drive_value(&known, value.clone().unwrap_or(Val::None)) {
                    continue;
                }
            }
            let path = self.resolved(path);
            match (kind.as_str(), &value) {
                ("symboliclink" | "hardlink" | "junction", Some(target)) => {
                    let target = self.path_of_object(target);
                    let target = self.resolved(&target);
                    let name = path.as_known().map(str::to_owned);
                    self.links.extend(name.map(|name| (name, target.clone())));
                    self.record(CodeEffect::Link { target, name: path });
                }
                ("directory" | "d", _) => {
                    self.write_file(&path, Value::empty(), true);
                }
                _ => {
                    let content = value.clone().unwrap_or(Val::None);
                    let content = self.content_lines(&content);
                    self.write_file(&path, content, false);
                }
            }
        }
        match paths.pop() {
            Some(path) => self.object("io.fileinfo", vec![("fullname", Val::Text(path))]),
            None => Val::unknown(),
        }
    }

    /// What a listing of a directory gives: paths below it.
    fn child_items(&mut self, args: &Args) -> Val {
        let given_path = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned();
        let path = given_path.map(|path| self.path_of_object(&path));
        let path = path.unwrap_or_else(|| Value::known("."));
        if let Some(known) = path.as_known()
            && known.contains(':')
            && drive(known).is_some()
        {
            return Val::unknown();
        }
        let path = self.resolved(&path);
        if path.as_known() != Some(".") && !path.known_prefix().is_empty() {
            self.record(CodeEffect::List(path.clone()));
        }
        let below = if path.as_known().is_some_and(|path| path.contains(['*', '?'])) {
            crate::operand::globbed(&path)
        } else {
            let mut any = Value::empty();
            any.push(Piece::AnyString);
            join_paths(&[path, any])
        };
        self.heap.list(crate::heap::Items { list: Vec::new(), rest: Some(Val::Text(below)) })
    }

    /// `Rename-Item`: the new name is in the same directory.
    fn rename_item(&mut self, args: &Args) -> Val {
        let path = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned();
        let from = self.path_of_object(&path.unwrap_or_else(Val::unknown));
        let name = given(args, "NewName").cloned().unwrap_or_else(Val::unknown);
        let name = self.powershell_text(&name);
        let to = match from.as_known().and_then(|from| from.rsplit_once('/')) {
            Some((under, _)) if !name.known_prefix().contains('/') => {
                join_paths(&[Value::known(format!("{under}/")), name])
            }
            _ => name,
        };
        let (from, to) = (self.resolved(&from), self.resolved(&to));
        self.record(CodeEffect::Copy { from, to });
        Val::None
    }
}
