//! Haskell and OCaml: functions of `System.Process`, `System.Directory`, `Sys`, `Unix` and the preludes that
//! run or open something. Arguments follow the name without commas.

use super::{known, shell, write};
use crate::CodeEffect;
use aegish_values::Value;

/// A token of an expression.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Mark(char),
}

pub(super) fn haskell(code: &str, effects: &mut Vec<CodeEffect>) {
    let tokens = lex(code);
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(path) = token else { continue };
        let name = path.rsplit('.').next().unwrap_or("");
        let mut rest = tokens.get(at + 1..).unwrap_or(&[]);
        match name {
            "callCommand" | "system" | "spawnCommand" | "shell" | "runCommand" => {
                match argument(&mut rest) {
                    Some(HaskellArgument::Text(text)) => shell(&text, effects),
                    // `shell` may be passed as a function; its text is then computed elsewhere.
                    _ if name == "shell" => {}
                    _ => effects.push(CodeEffect::Hidden),
                }
            }
            "command" if path == "Sys.command" => match argument(&mut rest) {
                Some(HaskellArgument::Text(text)) => shell(&text, effects),
                _ => effects.push(CodeEffect::Hidden),
            },
            "open_process" | "open_process_in" | "open_process_out" => {
                if let Some(HaskellArgument::Text(text)) = argument(&mut rest) {
                    shell(&text, effects);
                }
            }
            // The vector starts with `argv[0]`.
            "execv" | "execvp" | "execve" | "create_process" => {
                let Some(HaskellArgument::Text(program)) = argument(&mut rest) else {
                    continue;
                };
                let mut argv = vec![known(program)];
                if let Some(HaskellArgument::List(items)) = argument(&mut rest) {
                    argv.extend(items.into_iter().skip(1).map(known));
                }
                effects.push(CodeEffect::Argv(argv));
            }
            "open_in" | "open_in_bin" | "open_out" | "open_out_bin" => {
                if let Some(HaskellArgument::Text(path)) = argument(&mut rest) {
                    if name.starts_with("open_in") {
                        effects.push(CodeEffect::Read(known(path)));
                    } else {
                        write(known(path), false, effects);
                    }
                }
            }
            "remove" | "unlink" if path.contains('.') => {
                if let Some(HaskellArgument::Text(path)) = argument(&mut rest) {
                    effects.push(CodeEffect::Delete { path: known(path), tree: false });
                }
            }
            "callProcess"
            | "rawSystem"
            | "readProcess"
            | "readProcessWithExitCode"
            | "spawnProcess"
            | "proc"
            | "executeFile" => {
                let Some(HaskellArgument::Text(program)) = argument(&mut rest) else {
                    continue;
                };
                let mut next = argument(&mut rest);
                if name == "executeFile" {
                    next = argument(&mut rest);
                }
                let mut argv = vec![known(program)];
                match next {
                    Some(HaskellArgument::List(items)) => argv.extend(items.into_iter().map(known)),
                    _ => argv.push(Value::unknown("arguments")),
                }
                effects.push(CodeEffect::Argv(argv));
            }
            "readFile" | "openFile" | "withFile" | "readFile'" | "lines'" => {
                if let Some(HaskellArgument::Text(path)) = argument(&mut rest) {
                    match rest.first() {
                        Some(Token::Name(mode)) if mode == "WriteMode" || mode == "AppendMode" => {
                            write(known(path), mode == "AppendMode", effects);
                        }
                        _ => effects.push(CodeEffect::Read(known(path))),
                    }
                }
            }
            "writeFile" | "appendFile" => {
                if let Some(HaskellArgument::Text(path)) = argument(&mut rest) {
                    let content = match argument(&mut rest) {
                        Some(HaskellArgument::Text(text)) => known(text),
                        _ => Value::unknown("written text"),
                    };
                    let append = name == "appendFile";
                    effects.push(CodeEffect::Write { path: known(path), content, append });
                }
            }
            "removeFile"
            | "removeDirectory"
            | "removeDirectoryRecursive"
            | "removePathForcibly" => {
                if let Some(HaskellArgument::Text(path)) = argument(&mut rest) {
                    let tree = name != "removeFile" && name != "removeDirectory";
                    effects.push(CodeEffect::Delete { path: known(path), tree });
                }
            }
            "copyFile" | "renameFile" | "createFileLink" => {
                if let (Some(HaskellArgument::Text(from)), Some(HaskellArgument::Text(to))) =
                    (argument(&mut rest), argument(&mut rest))
                {
                    effects.push(CodeEffect::Copy { from: known(from), to: known(to) });
                }
            }
            "setUserID" | "setEffectiveUserID" => {
                effects.push(CodeEffect::SetUser(Value::unknown("user")));
            }
            _ => {}
        }
    }
}

/// An argument of a function.
enum HaskellArgument {
    Text(String),
    List(Vec<String>),
    Other,
}

/// Reads one argument. `$` and an opening parenthesis only group. Texts joined by `++` are one argument.
fn argument(rest: &mut &[Token]) -> Option<HaskellArgument> {
    while let [Token::Mark('$' | '('), tail @ ..] = *rest {
        *rest = tail;
    }
    match *rest {
        [Token::Text(first), tail @ ..] => {
            let mut text = first.clone();
            *rest = tail;
            while let [Token::Mark('+'), Token::Mark('+'), Token::Text(next), tail @ ..] = *rest {
                text.push_str(next);
                *rest = tail;
            }
            if let [Token::Mark(')'), tail @ ..] = *rest {
                *rest = tail;
            }
            Some(HaskellArgument::Text(text))
        }
        [Token::Mark('['), tail @ ..] => {
            // Bounded: longer lists are not arguments of a program.
            let end = tail.iter().take(256).position(|token| *token == Token::Mark(']'))?;
            let items = tail.get(..end)?.iter().filter_map(|token| match token {
                Token::Text(text) => Some(text.clone()),
                _ => None,
            });
            let items = items.collect();
            *rest = tail.get(end + 1..).unwrap_or(&[]);
            Some(HaskellArgument::List(items))
        }
        [_, tail @ ..] => {
            *rest = tail;
            Some(HaskellArgument::Other)
        }
        [] => None,
    }
}

fn lex(code: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' => {
                let mut text = String::new();
                while let Some(c) = letters.next() {
                    match c {
                        '"' => break,
                        '\\' => match letters.next() {
                            Some('n') => text.push('\n'),
                            Some('t') => text.push('\t'),
                            Some('&') | None => {}
                            Some(other) => text.push(other),
                        },
                        c => text.push(c),
                    }
                }
                out.push(Token::Text(text));
            }
            // A comment of OCaml.
            '(' if letters.peek() == Some(&'*') => {
                let mut star = false;
                letters.by_ref().find(|c| {
                    let end = star && *c == ')';
                    star = *c == '*';
                    end
                });
            }
            '-' if letters.peek() == Some(&'-') => {
                letters.by_ref().find(|c| *c == '\n');
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut name = String::from(c);
                while let Some(&c) = letters.peek() {
                    if !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '.')) {
                        break;
                    }
                    name.push(c);
                    letters.next();
                }
                out.push(Token::Name(name));
            }
            c if c.is_whitespace() => {}
            c => out.push(Token::Mark(c)),
        }
    }
    out
}
