//! Commands of the language that the table of calls alone cannot describe.

use super::binding::{PowerShellBinding, given};
use super::blocks::PowerShellBlocks;
use super::commands::{Called, PowerShellCommands};
use super::filters::PowerShellFilters;
use super::items::PowerShellItems;
use super::network::PowerShellNetwork;
use super::objects::PowerShellObjects;
use super::{PowerShellCalls, PowerShellState};
use crate::effect::CodeEffect;
use crate::heap::Items;
use crate::value::{Args, Interprets, LOST, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_code_library::paths::join_paths;
use aegish_values::Value;
use easy_ext::ext;

#[ext(PowerShellCmdlets)]
pub(super) impl Interpreter<'_> {
    /// A command of the table; none if the table does not know it.
    fn cmdlet(&mut self, name: &str, called: &Called<'_>) -> Option<Val> {
        let entry = crate::calls::find(self.language, name)?;
        let bound = self.bound_command(&entry, called.words, called.input);
        if bound.simulated {
            return Some(Val::None);
        }
        let args = &bound.args;
        let value = match self.special_cmdlet(name, args, called) {
            Some(value) => value,
            None => {
                let drive = given(args, "Path").and_then(Val::as_known);
                match drive.and_then(|path| self.drive_value(&path)) {
                    Some(value) => value,
                    None => {
                        self.run_blocks(called);
                        let args = without_blocks(args);
                        let value = self.effect_call(&entry, &args, name);
                        // Files that are copied are no output.
                        if entry.effect == crate::calls::Effect::Copy { Val::None } else { value }
                    }
                }
            }
        };
        if let Some(variable) = &bound.output {
            let name = format!("${}", variable.trim_start_matches('+').to_lowercase());
            self.bind(&name.into(), value.clone());
        }
        Some(value)
    }

    fn special_cmdlet(&mut self, name: &str, args: &Args, called: &Called<'_>) -> Option<Val> {
        let input = || called.input.cloned().unwrap_or(Val::None);
        let value = |name: &str| given(args, name).cloned();
        Some(match name {
            "invoke-expression" => {
                let code = value("Command").unwrap_or(Val::None);
                self.run_code(&code)
            }
            "foreach-object" => self.for_each_object(args, called),
            "where-object" => self.where_object(called),
            "select-object" => self.select_object(args, called),
            "sort-object" | "get-unique" | "group-object" => {
                self.run_blocks(called);
                self.in_any_order(called)
            }
            "get-random" => {
                let list = value("InputObject").filter(|list| !matches!(list, Val::Int(_)))?;
                self.element(&list)
            }
            "invoke-command" | "start-job" | "start-threadjob" | "measure-command"
            | "trace-command" => self.run_script_block(args, called),
            "start-process" => self.start_process(args),
            "new-scheduledtaskaction" => {
                let program = value("Execute")?;
                let words = value("Argument");
                self.start_with_words(&program, words.as_ref())
            }
            "new-object" => self.new_object_call(args),
            "set-variable" => {
                self.set_variable(args);
                Val::None
            }
            "get-variable" => self.get_variable(args),
            "set-alias" => {
                let target = value("Value").unwrap_or_else(Val::unknown);
                match value("Name").and_then(|name| name.as_known()) {
                    Some(name) => {
                        let scope = self.scope.program();
                        let name = format!("alias:{}", name.to_lowercase());
                        self.bind_in(&scope, &name.into(), target);
                    }
                    None => self.open = true,
                }
                Val::None
            }
            "get-command" | "get-alias" => match value("Name").and_then(|name| name.as_known()) {
                Some(name) if !name.contains(['*', '?', '[']) => Val::text(name),
                _ => Val::Text(Value::unknown(LOST)),
            },
            "set-item" | "set-content" | "add-content" | "new-item" | "remove-item" => {
                return self.changed_item(name, args);
            }
            "get-item" | "get-content" => return self.read_item(name, args),
            "get-childitem" => self.child_items(args),
            "rename-item" => self.rename_item(args),
            "write-output" => {
                let all = value("InputObject").into_iter().chain(args.list.iter().cloned());
                let mut items = Items::default();
                for one in all {
                    let more = self.powershell_items(&one);
                    crate::heap::extend(&mut items, more);
                }
                self.unrolled(items)
            }
            "write-host" => {
                let all: Vec<Val> =
                    value("Object").into_iter().chain(args.list.iter().cloned()).collect();
                let mut text = Value::empty();
                for (place, one) in all.iter().enumerate() {
                    if place > 0 {
                        text.push_str(" ");
                    }
                    text.append(&self.powershell_text(one));
                }
                self.show(&Val::Text(text));
                Val::None
            }
            "out-default" | "out-host" => {
                self.show(&input());
                Val::None
            }
            "out-null" => Val::None,
            "out-string" => {
                let all = value("InputObject").unwrap_or_else(input);
                Val::Text(self.content_lines(&all))
            }
            "out-file" | "export-csv" | "export-clixml" => {
                given(args, "Append")?;
                let path =
                    value("FilePath").or_else(|| value("Path")).or_else(|| value("LiteralPath"))?;
                let path = self.path_of_object(&path);
                let path = self.resolved(&path);
                let content = value("InputObject").unwrap_or_else(input);
                let content = self.content_lines(&content);
                self.write_file(&path, content, true);
                Val::None
            }
            "new-item-directory" => {
                let path = value("Path").or_else(|| value("Name"))?;
                let path = self.path_of_object(&path);
                let path = self.resolved(&path);
                self.write_file(&path, Value::empty(), true);
                Val::Text(path)
            }
            "tee-object" => {
                let all = value("InputObject").unwrap_or_else(input);
                let path = value("FilePath").or_else(|| value("LiteralPath"));
                if let Some(path) = path {
                    let path = self.path_of_object(&path);
                    let path = self.resolved(&path);
                    let content = self.content_lines(&all);
                    let append = given(args, "Append").is_some();
                    self.write_file(&path, content, append);
                }
                if let Some(variable) = value("Variable").and_then(|name| name.as_known()) {
                    self.bind(&format!("${}", variable.to_lowercase()).into(), all.clone());
                }
                all
            }
            "import-module" => self.import_module(args),
            "add-type" => self.add_type(args),
            "set-location" | "push-location" | "pop-location" => self.locate(name, args),
            "get-location" => Val::Text(self.here()),
            "read-host" => self.stdin(),
            "join-path" => self.join_path(args),
            "split-path" => self.split_path(args),
            "resolve-path" | "convert-path" => {
                let path = value("Path").or_else(|| value("LiteralPath"))?;
                Val::Text(self.path_of_object(&path))
            }
            "invoke-webrequest" | "invoke-restmethod" => self.web_request(args),
            "stop-computer" | "restart-computer" => {
                let mut argv = vec![Value::known("shutdown")];
                if name == "restart-computer" {
                    argv.push(Value::known("-r"));
                }
                self.start(argv)
            }
            "invoke-wmimethod" | "invoke-cimmethod" => {
                let code = value("ArgumentList").or_else(|| value("Arguments"));
                let code = code.unwrap_or(Val::None);
                let named = |names: [&str; 2], word: &str| {
                    let name = names.iter().find_map(|name| value(name)?.as_known());
                    name.is_some_and(|name| name.eq_ignore_ascii_case(word))
                };
                if named(["Class", "ClassName"], "win32_process")
                    && named(["Name", "MethodName"], "create")
                {
                    let line = match &code {
                        Val::Dict(_) => self.index(&code, &Val::text("CommandLine")),
                        other => self.element(other),
                    };
                    let line = self.powershell_text(&line);
                    return Some(self.start_shell(&line));
                }
                self.hidden_code(&code)
            }
            _ => return None,
        })
    }

    /// Commands that get a block, in this process or another one.
    fn run_script_block(&mut self, args: &Args, called: &Called<'_>) -> Val {
        for name in ["ComputerName", "HostName", "ConnectionUri"] {
            if let Some(host) = given(args, name).cloned() {
                let host = self.powershell_text(&host);
                self.connect(host, Value::empty());
            }
        }
        // The name of a computer may stand before the block.
        let is_block = |value: &&Val| matches!(value, Val::Function(_) | Val::Partial(_));
        if let (Some(Val::Text(host)), Some(block)) =
            (given(args, "ScriptBlock"), args.list.iter().find(is_block))
        {
            self.connect(host.clone(), Value::empty());
            return self.call_block(&block.clone(), &[], called.input, false);
        }
        if let Some(path) = given(args, "FilePath").cloned() {
            let path = self.path_of_object(&path);
            self.run_script(&path);
            return Val::unknown();
        }
        let list = given(args, "ArgumentList").cloned();
        let words = match list {
            Some(list) => {
                let items = self.powershell_items(&list);
                items.list.into_iter().chain(items.rest).collect()
            }
            None => Vec::new(),
        };
        let block = ["ScriptBlock", "Expression", "InitializationScript"];
        let mut value = Val::None;
        for name in block.iter().rev() {
            if let Some(block) = given(args, name).cloned() {
                value = match &block {
                    Val::Text(_) | Val::Unknown(..) => self.run_code(&block),
                    other => self.call_block(other, &words, called.input, false),
                };
            }
        }
        value
    }

    fn start_process(&mut self, args: &Args) -> Val {
        let program = given(args, "FilePath").cloned().unwrap_or_else(Val::unknown);
        let directory = given(args, "WorkingDirectory").cloned();
        let outer = directory.map(|directory| {
            let outer = self.working_directory();
            let directory = self.powershell_text(&directory);
            self.change_directory(&directory);
            outer
        });
        let verb = given(args, "Verb").and_then(Val::as_known);
        if verb.is_some_and(|verb| verb.eq_ignore_ascii_case("runas")) {
            self.record(CodeEffect::SetUser(Value::known("Administrator")));
        }
        let words = given(args, "ArgumentList").cloned();
        let value = self.start_with_words(&program, words.as_ref());
        if let Some(outer) = outer {
            self.set_directory(outer);
        }
        for name in ["RedirectStandardOutput", "RedirectStandardError"] {
            if let Some(path) = given(args, name).cloned() {
                let path = self.path_of_object(&path);
                let path = self.resolved(&path);
                self.write_file(&path, Value::unknown("output"), false);
            }
        }
        if let Some(path) = given(args, "RedirectStandardInput").cloned() {
            let path = self.path_of_object(&path);
            let path = self.resolved(&path);
            let content = self.read_file(&path);
            if value == Val::Process(Interprets::Input) {
                self.write_to(&value, &[content]);
            }
        }
        value
    }

    /// Starts a program whose arguments are one text or a list.
    fn start_with_words(&mut self, program: &Val, words: Option<&Val>) -> Val {
        let mut argv = vec![self.powershell_text(program)];
        let list = match words {
            Some(words) => self.powershell_items(words),
            None => Items::default(),
        };
        for word in list.list.iter().chain(&list.rest) {
            let text = self.powershell_text(word);
            // Quotes in one text keep words together.
            let parts = text
                .as_known()
                .filter(|text| text.contains(' '))
                .and_then(crate::effect::words::split_words);
            match parts {
                Some(parts) => argv.extend(parts.into_iter().map(Value::known)),
                None => argv.push(text),
            }
        }
        self.start(argv)
    }

    fn import_module(&mut self, args: &Args) -> Val {
        let names = given(args, "Name").or_else(|| given(args, "Assembly")).cloned();
        let items = self.powershell_items(&names.unwrap_or(Val::None));
        for name in items.list.iter().chain(&items.rest) {
            let path = self.path_of_object(name);
            match path.as_known() {
                Some(known) if known.ends_with(".dll") || known.ends_with(".so") => {
                    let path = self.resolved(&path);
                    self.record(CodeEffect::Load(path));
                }
                Some(known) if !known.contains(['/', '\\']) => {
                    self.record(CodeEffect::Import(known.to_owned()));
                }
                _ => {
                    self.run_script(&path);
                }
            }
        }
        Val::unknown()
    }

    /// `Add-Type`: code of another language, or a library.
    fn add_type(&mut self, args: &Args) -> Val {
        for name in ["TypeDefinition", "MemberDefinition"] {
            if let Some(code) = given(args, name).cloned() {
                self.hidden_code(&code);
                return Val::unknown();
            }
        }
        let paths = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned();
        let items = self.powershell_items(&paths.unwrap_or(Val::None));
        for path in items.list.iter().chain(&items.rest) {
            let path = self.path_of_object(path);
            let path = self.resolved(&path);
            self.record(CodeEffect::Load(path));
        }
        Val::None
    }

    fn locate(&mut self, name: &str, args: &Args) -> Val {
        let path = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned();
        if name == "pop-location" {
            let back = match self.state.with(|shell: &mut PowerShellState| shell.directories.pop())
            {
                Some(back) if self.uncertain == 0 => back,
                _ => Value::unknown("directory"),
            };
            self.set_directory(back);
            return Val::None;
        }
        if name == "push-location" {
            let now = self.working_directory();
            self.state.with(|shell: &mut PowerShellState| shell.directories.push(now));
        }
        let Some(path) = path else {
            if name == "set-location" {
                let home = self.env("HOME").to_text();
                self.set_directory(home);
            }
            return Val::None;
        };
        let path = self.path_of_object(&path);
        if path.as_known() == Some("-") {
            self.set_directory(Value::unknown("directory"));
        } else {
            self.change_directory(&path);
        }
        Val::None
    }

    fn join_path(&mut self, args: &Args) -> Val {
        let mut parts = Vec::new();
        let names = ["Path", "ChildPath", "AdditionalChildPath"];
        for value in names.iter().filter_map(|name| given(args, name)).chain(&args.list) {
            let items = self.powershell_items(value);
            for item in items.list.iter().chain(&items.rest) {
                let text = self.powershell_text(item);
                // A part that starts with a slash is below the others too.
                let slashes = text.known_prefix().len()
                    - text.known_prefix().trim_start_matches(['/', '\\']).len();
                parts.push(if parts.is_empty() { text } else { text.tail(slashes) });
            }
        }
        Val::Text(join_paths(&parts))
    }

    fn split_path(&mut self, args: &Args) -> Val {
        let path = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned();
        let path = self.path_of_object(&path.unwrap_or_else(Val::unknown));
        let Some(known) = path.as_known() else {
            return Val::Text(crate::value::part_of(&path));
        };
        let (under, leaf) = known.trim_end_matches('/').rsplit_once('/').unwrap_or(("", known));
        let has = |name: &str| given(args, name).is_some();
        let made = if has("Leaf") {
            leaf.to_owned()
        } else if has("LeafBase") {
            leaf.rsplit_once('.').map_or(leaf, |(base, _)| base).to_owned()
        } else if has("Extension") {
            leaf.rfind('.').and_then(|at| leaf.get(at..)).unwrap_or("").to_owned()
        } else if under.is_empty() && known.starts_with('/') {
            "/".to_owned()
        } else {
            under.to_owned()
        };
        Val::Text(Value::known(made).tainted(path.taint()))
    }

    /// Commands that change a file, or what a path on another drive names.
    fn changed_item(&mut self, name: &str, args: &Args) -> Option<Val> {
        if name == "new-item" {
            return Some(self.new_item(args));
        }
        let path = given(args, "Path").or_else(|| given(args, "LiteralPath"));
        let path = path.and_then(Val::as_known)?;
        if name == "remove-item" {
            let drive = path.split_once(':').map(|(drive, _)| drive.to_ascii_lowercase());
            return matches!(drive.as_deref(), Some("env" | "variable" | "function" | "alias"))
                .then(|| {
                    self.set_drive_value(&path, Val::None);
                    Val::None
                });
        }
        let value = given(args, "Value").cloned().unwrap_or(Val::None);
        self.set_drive_value(&path, value).then_some(Val::None)
    }

    fn read_item(&mut self, name: &str, args: &Args) -> Option<Val> {
        let given_path = given(args, "Path").or_else(|| given(args, "LiteralPath")).cloned()?;
        let path = self.path_of_object(&given_path);
        if let Some(known) = path.as_known().map(str::to_owned)
            && let Some(value) = self.drive_value(&known)
        {
            let name = known.split_once(':').map_or("", |(_, name)| name).to_owned();
            let pairs =
                vec![(Val::text("name"), Val::text(name)), (Val::text("value"), value.clone())];
            return Some(if path.known_prefix().is_empty() || name_is_content(&known, args) {
                value
            } else {
                self.new_dict(pairs, None)
            });
        }
        if name == "get-item" {
            return Some(Val::Text(path));
        }
        let items = self.powershell_items(&given_path);
        let mut all = Items::default();
        for one in items.list.iter().chain(&items.rest) {
            let path = self.path_of_object(one);
            let path = self.resolved(&path);
            let content = self.read_file(&path);
            let lines = match content.as_known() {
                Some(text) if given(args, "Raw").is_none() && text.contains('\n') => {
                    let list = text.lines().map(Val::text).collect();
                    Items { list, rest: None }
                }
                _ => Items { list: vec![content], rest: None },
            };
            crate::heap::extend(&mut all, lines);
        }
        Some(self.unrolled(all))
    }
}

/// Whether the value itself is read, not an object with it.
fn name_is_content(path: &str, args: &Args) -> bool {
    given(args, "Raw").is_some() || path.to_ascii_lowercase().starts_with("env:")
}

/// Blocks were called already.
fn without_blocks(args: &Args) -> Args {
    let block = |value: &Val| matches!(value, Val::Function(_) | Val::Partial(_) | Val::Bound(_));
    Args {
        list: args.list.iter().filter(|value| !block(value)).cloned().collect(),
        named: args.named.iter().filter(|(_, value)| !block(value)).cloned().collect(),
        rest: args.rest.clone(),
    }
}
