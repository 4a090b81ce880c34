//! Vim and ex commands: `:!`, filters, `:read`, `:write`, other languages, `:execute`, calls.
//!
//! Takes what `-c` or `+` gives, a script, or typed lines. Editing and options are harmless and give
//! nothing.

use super::quoted_words::head;
use super::vim_expr::{after_range, calls, joined, until_bar};
use super::vim_names::{LANGUAGE_FILES, LANGUAGES, command, fits, foreign};
use super::{is_stream, known, shell, text_from, text_to, write};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// Maximum depth of commands inside commands, such as `:execute` inside `:global`.
const MAX_DEPTH: usize = 8;

/// Scans ex commands, one or more per line.
pub(in super::super) fn ex(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    super::targets::vim_names(code, effects);
    let variables: RefCell<HashMap<String, String>> = RefCell::default();
    // Variables of the script are found under names that no variable of the environment has.
    let env = |name: &str| {
        let own = name.strip_prefix("let ").map(|name| variables.borrow().get(name).cloned());
        own.unwrap_or_else(|| (around.env)(name))
    };
    let around = &CodeContext {
        env: &env,
        input: around.input.clone(),
        files: around.files,
        args: around.args,
    };
    let mut scan = Ex {
        around,
        effects,
        shell: None,
        flag: None,
        variables: &variables,
        directory: String::new(),
        current: None,
    };
    let mut rest = code;
    let mut first = true;
    while !rest.is_empty() {
        let (line, tail) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = tail;
        if line.trim().is_empty() {
            continue;
        }
        // A continuation line of a script begins with a backslash.
        let line = line.trim_start().strip_prefix('\\').unwrap_or(line);
        match foreign(line) {
            Some((lang, code)) => rest = scan.foreign(lang, code, rest, first),
            None => scan.line(line, 0),
        }
        first = false;
    }
    // vim runs every later command with this program.
    if let Some(program) = scan.shell.take().filter(|program| !program.is_empty()) {
        scan.effects.push(CodeEffect::Argv(vec![known(program)]));
    }
}

struct Ex<'a> {
    around: &'a CodeContext<'a>,
    effects: &'a mut Vec<CodeEffect>,
    /// The program set by `:set shell=`.
    shell: Option<String>,
    /// The option set by `:set shellcmdflag=`, behind which it gets a command.
    flag: Option<String>,
    variables: &'a RefCell<HashMap<String, String>>,
    /// The directory that `:cd` names.
    directory: String,
    /// The name that `:file` gave to what is edited.
    current: Option<Value>,
}

impl Ex<'_> {
    /// Code of another language: a here-document, the rest of the line, or, if it comes first in an argument,
    /// the whole text. Returns the text that is left to read as ex commands.
    fn foreign<'t>(&mut self, lang: Lang, code: &str, rest: &'t str, first: bool) -> &'t str {
        if let Some(mark) = code.strip_prefix("<<") {
            let mark = mark.trim().trim_start_matches("trim").trim();
            let mark = if mark.is_empty() { "." } else { mark };
            let mut end = rest.len();
            let mut after = rest.len();
            let mut at = 0;
            for line in rest.split_inclusive('\n') {
                if line.trim() == mark {
                    end = at;
                    after = at + line.len();
                    break;
                }
                at += line.len();
            }
            self.effects.push(CodeEffect::Eval(lang, known(text_to(rest, end))));
            return text_from(rest, after);
        }
        if first && !rest.trim().is_empty() {
            self.effects.push(CodeEffect::Eval(lang, known(format!("{code}\n{rest}"))));
            return "";
        }
        self.effects.push(CodeEffect::Eval(lang, known(code)));
        rest
    }

    /// Evaluates one line. Bars separate commands, unless the command takes the whole line.
    fn line(&mut self, line: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.effects.push(CodeEffect::Hidden);
            return;
        }
        let mut rest = line;
        for _ in 0..64 {
            let (name, tail) = command(rest);
            let Some(next) = self.command(name, tail, depth) else {
                return;
            };
            rest = next;
            if rest.trim().is_empty() {
                return;
            }
        }
        // More commands on one line than are followed.
        self.effects.push(CodeEffect::Hidden);
    }

    /// Evaluates one command; returns the text after the bar, or nothing if the command takes the whole line.
    fn command<'t>(&mut self, name: &str, tail: &'t str, depth: usize) -> Option<&'t str> {
        if name.is_empty() {
            if let Some(text) = tail.strip_prefix('!') {
                self.bang(text.strip_prefix('!').unwrap_or(text));
                return None;
            }
            // A quote begins a comment; a search or a bare range only moves.
            if tail.starts_with('"') {
                return None;
            }
            return tail.split_once('|').map(|(_, rest)| rest);
        }
        if let Some((_, _, lang)) =
            LANGUAGES.iter().find(|(full, least, _)| fits(name, full, *least))
        {
            let code = tail.strip_prefix('!').unwrap_or(tail).trim_start();
            self.effects.push(CodeEffect::Eval(*lang, known(code)));
            return None;
        }
        let bang = tail.starts_with('!');
        let plain = tail.strip_prefix('!').unwrap_or(tail);
        let is = |full: &str, least: usize| fits(name, full, least);
        if is("read", 1) && (bang || plain.trim_start().starts_with('!')) {
            let command = if bang { plain } else { plain.trim_start().get(1..).unwrap_or("") };
            shell(command, self.effects);
            return None;
        }
        if (is("write", 1) || is("wq", 2))
            && tail.starts_with([' ', '\t'])
            && tail.trim_start().starts_with('!')
        {
            shell(tail.trim_start().get(1..).unwrap_or(""), self.effects);
            return None;
        }
        if is("global", 1) || is("vglobal", 1) {
            let delimiter = plain.chars().next().filter(|c| !c.is_alphanumeric())?;
            let body =
                after_range(&plain.replacen(delimiter, "/", 1).replace(delimiter, "/")).to_owned();
            self.line(&body, depth + 1);
            return None;
        }
        if is("normal", 4) {
            self.normal(plain.trim_start(), depth);
            return None;
        }
        if is("autocmd", 2) || is("command", 3) || is("map", 3) || name.ends_with("map") {
            // The command comes after names and flags. The search is for text that starts like a command.
            for marker in [":!", "!", ":call ", ":exe", "<Cmd>"] {
                if let Some(at) = plain.find(marker) {
                    let body = text_from(plain, at).trim_start_matches("<Cmd>");
                    let end = body.find("<CR>").or_else(|| body.find("<cr>")).unwrap_or(body.len());
                    let (kept, before) = (text_to(body, end), self.effects.len());
                    self.line(kept, depth + 1);
                    if self.effects.len() > before {
                        break;
                    }
                }
            }
            return None;
        }
        let (argument, rest) = until_bar(plain);
        self.simple(name, argument, depth);
        rest
    }

    fn simple(&mut self, name: &str, argument: &str, depth: usize) {
        let is = |full: &str, least: usize| fits(name, full, least);
        // `++opt` and `+cmd` come before file names.
        let mut file = argument.trim();
        while file.starts_with('+') {
            let (option, tail) = head(file);
            if let Some(command) =
                option.strip_prefix('+').filter(|c| !c.is_empty() && !c.starts_with('+'))
            {
                self.line(&command.replace("\\ ", " "), depth + 1);
            }
            file = tail;
        }
        if (is("edit", 1) || name == "E") && file.starts_with('!') {
            shell(text_from(file, 1), self.effects);
            return;
        }
        if is("file", 1) && !file.is_empty() {
            self.current = Some(self.path(file));
        }
        if let Some(path) = self.current.clone().filter(|_| is("read", 1) && file.is_empty()) {
            self.effects.push(CodeEffect::Read(path));
        }
        let current = file.is_empty() || matches!(file, "%" | "#");
        if is("shell", 2) {
            let program = self.shell.take().unwrap_or_else(|| "sh".to_owned());
            self.effects.push(CodeEffect::Shell(known(program)));
        } else if is("terminal", 3) {
            shell(if file.is_empty() { "sh" } else { file }, self.effects);
        } else if is("set", 2) || is("setlocal", 4) || is("setglobal", 4) {
            self.options(argument);
        } else if is("source", 2) || is("runtime", 2) {
            if !current {
                let path = self.path(file);
                self.effects.push(CodeEffect::Script(Lang::Vim, path));
            }
        } else if let Some((_, _, lang)) =
            LANGUAGE_FILES.iter().find(|(full, least, _)| is(full, *least))
        {
            let path = self.path(file);
            self.effects.push(CodeEffect::Script(*lang, path));
        } else if is("write", 1)
            || is("wq", 2)
            || is("saveas", 3)
            || is("update", 2)
            || is("xit", 1)
            || is("exit", 3)
        {
            let (file, append) = match file.strip_prefix(">>") {
                Some(rest) => (rest.trim(), true),
                None => (file, false),
            };
            if !current && !is_stream(file) {
                let path = self.path(file);
                write(path, append, self.effects);
            }
        } else if is("redir", 4)
            || is("hardcopy", 2)
            || is("mksession", 3)
            || is("mkvimrc", 3)
            || is("mkexrc", 2)
        {
            let target = file.trim_start_matches('>').trim();
            if !target.is_empty()
                && !target.starts_with(['@', '='])
                && target != "END"
                && target != "end"
            {
                let path = self.path(target);
                write(path, file.starts_with(">>"), self.effects);
            }
        } else if is("read", 1)
            || is("edit", 1)
            || is("view", 3)
            || is("split", 2)
            || is("vsplit", 2)
            || is("tabedit", 4)
            || is("tabnew", 6)
            || is("new", 3)
            || is("find", 3)
            || is("badd", 3)
            || is("ex", 2)
            || is("visual", 2)
            || is("diffsplit", 5)
            || is("sview", 2)
            || is("open", 1)
        {
            if !current {
                let path = self.path(file);
                self.effects.push(CodeEffect::Read(path));
            }
        } else if is("args", 2) || is("argadd", 4) || is("argedit", 4) || is("next", 1) {
            for file in file.split_whitespace() {
                let path = self.path(file);
                self.effects.push(CodeEffect::Read(path));
            }
        } else if is("vimgrep", 3) || is("lvimgrep", 2) || is("vimgrepadd", 8) {
            for file in file.split_whitespace().skip(1) {
                let path = self.path(file);
                self.effects.push(CodeEffect::Read(path));
            }
        } else if is("cd", 2) || is("lcd", 2) || is("tcd", 2) || is("chdir", 3) {
            if let Some(directory) = self.path(file).as_known() {
                self.directory = directory.to_owned();
            }
        } else if is("execute", 3) {
            self.execute(argument, depth);
        } else if is("make", 3) || is("lmake", 4) {
            shell(&format!("make {file}"), self.effects);
        } else if is("grep", 2) || is("lgrep", 3) {
            shell(&format!("grep -n {file}"), self.effects);
        } else if is("call", 3)
            || is("echo", 2)
            || is("echomsg", 5)
            || is("let", 3)
            || is("if", 2)
            || is("while", 2)
            || is("return", 4)
            || is("put", 2)
            || is("eval", 2)
            || is("const", 4)
            || is("var", 3)
            || is("elseif", 5)
            || is("echon", 5)
            || is("for", 3)
            || is("throw", 2)
        {
            if let Some(value) = argument
                .trim()
                .strip_prefix("&shell")
                .or_else(|| argument.trim().strip_prefix("&sh"))
            {
                let (value, _) = joined(value.trim_start_matches([' ', '=']), self.around);
                self.shell = value.as_known().map(str::to_owned);
            }
            if let Some((_, keys)) = argument.split_once("feedkeys(") {
                self.typed(&joined(keys, self.around).0, depth);
            }
            if is("let", 3) || is("for", 3) || is("const", 4) || is("var", 3) {
                self.remember(argument);
            }
            calls(argument, self.around, self.effects);
        }
    }

    /// `let name = value`, `for name in list`: the values, one after the other.
    fn remember(&mut self, argument: &str) {
        let Some((name, value)) = argument.split_once(" in ").or_else(|| argument.split_once('='))
        else {
            return;
        };
        let (value, _) = joined(value, self.around);
        let name = name.trim().trim_end_matches('.');
        match value.as_known() {
            Some(text) => self.variables.borrow_mut().insert(name.to_owned(), text.to_owned()),
            None => self.variables.borrow_mut().remove(name),
        };
    }

    /// The file that a command names: variables and commands in it are expanded.
    fn path(&mut self, text: &str) -> Value {
        let text = text.trim().replace("\\ ", " ");
        let mut path = Value::empty();
        if let Some(command) = text.strip_prefix('`') {
            let command = command.trim_end_matches('`');
            shell(command, self.effects);
            match command.strip_prefix("echo ") {
                Some(words) => path.push_str(words.trim()),
                None => path = Value::one_of_many_values(),
            }
        } else {
            let mut parts = text.split('$');
            path.push_str(parts.next().unwrap_or_default());
            for part in parts {
                let name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                let length = part.chars().take_while(name).count();
                match (self.around.env)(text_to(part, length)) {
                    Some(value) => path.push_str(&value),
                    None => path.push(Piece::Unknown("environment variable")),
                }
                path.push_str(text_from(part, length));
            }
        }
        if self.directory.is_empty() || path.known_prefix().starts_with(['/', '~']) {
            return path;
        }
        let mut placed = known(format!("{}/", self.directory));
        placed.append(&path);
        placed
    }

    /// `feedkeys()`: keys as if they were typed.
    fn typed(&mut self, keys: &Value, depth: usize) {
        let Some(keys) = keys.as_known() else {
            self.effects.push(CodeEffect::Hidden);
            return;
        };
        let keys = keys.to_owned();
        for ended in ["<CR>", "<cr>", "<Enter>", "\n", "\r"]
            .iter()
            .fold(vec![keys.as_str()], |parts, end| {
                parts.iter().flat_map(|part| part.split(end)).collect::<Vec<_>>()
            })
        {
            self.normal(ended, depth);
        }
    }

    /// `:!command`, by the program that is set as the shell.
    fn bang(&mut self, command: &str) {
        let Some(program) = self.shell.as_deref().filter(|program| !program.is_empty()) else {
            shell(command, self.effects);
            return;
        };
        let flag = self.flag.as_deref().unwrap_or("-c");
        let words = program.split_whitespace().chain(flag.split_whitespace());
        let words = words.chain([command.trim()]).map(known).collect();
        self.effects.push(CodeEffect::Argv(words));
    }

    fn options(&mut self, argument: &str) {
        for option in argument.split_whitespace() {
            let flag =
                option.strip_prefix("shellcmdflag=").or_else(|| option.strip_prefix("shcf="));
            if let Some(flag) = flag {
                self.flag = Some(flag.replace("\\ ", " "));
            }
            let value = option.strip_prefix("shell=").or_else(|| option.strip_prefix("sh="));
            if let Some(program) = value {
                self.shell = Some(program.replace("\\ ", " "));
            }
            // Options whose value is a command or function that is called later.
            for name in [
                "makeprg=",
                "grepprg=",
                "keywordprg=",
                "equalprg=",
                "formatprg=",
                "mp=",
                "gp=",
                "kp=",
            ] {
                if let Some(program) =
                    option.strip_prefix(name).filter(|program| !program.starts_with(':'))
                {
                    shell(program, self.effects);
                }
            }
        }
    }

    fn execute(&mut self, argument: &str, depth: usize) {
        let mut value = Value::empty();
        let mut rest = argument.trim();
        // Several expressions are joined by blanks.
        for _ in 0..32 {
            let (piece, tail) = joined(rest, self.around);
            value.append(&piece);
            rest = tail.trim_start();
            if rest.is_empty() || tail.len() == argument.len() {
                break;
            }
            value.push_str(" ");
        }
        if let Some(text) = value.as_known() {
            let text = text.to_owned();
            self.line(&text, depth + 1);
            return;
        }
        let prefix = value.known_prefix();
        let (name, tail) = command(prefix);
        let runs = tail.trim_start().starts_with('!')
            && (name.is_empty() || fits(name, "read", 1) || fits(name, "write", 1));
        if prefix.is_empty() {
            self.effects.push(CodeEffect::Hidden);
        } else if runs {
            let skipped = prefix.find('!').map_or(0, |at| at + 1);
            let mut text = known(prefix.get(skipped..).unwrap_or(""));
            for piece in value.pieces().iter().skip(1) {
                text.push(piece.clone());
            }
            self.effects.push(CodeEffect::Shell(text));
        } else {
            calls(argument, self.around, self.effects);
        }
    }

    /// Normal mode: filters begin with `!` and a movement, command lines with a colon.
    fn normal(&mut self, keys: &str, depth: usize) {
        if let Some(at) = keys.find(':') {
            let text = text_from(keys, at + 1).trim_end_matches(['\r', '\n']);
            let text =
                text.trim_end_matches("<CR>").trim_end_matches("\\<cr>").trim_end_matches("^M");
            self.line(text, depth + 1);
        } else if let Some(text) = keys.trim_start_matches(['g', 'G']).strip_prefix('!') {
            let text = text.strip_prefix("ip").unwrap_or_else(|| text.get(1..).unwrap_or(""));
            shell(text, self.effects);
        }
    }
}
