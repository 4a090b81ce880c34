//! JSON manifests: the `scripts` of `package.json` and `composer.json`.
//!
//! Arguments, where given, are the names of the scripts that are run; without any, all are reported.

use super::{shell, text_from};
use crate::{CodeContext, CodeEffect};
use aegish_values::Value;

/// Maximum depth of nested objects.
const MAX_DEPTH: usize = 64;

pub(super) fn json(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let names: Vec<&str> = around
        .args
        .iter()
        .filter_map(Value::as_known)
        .filter(|name| !name.starts_with('-'))
        .collect();
    let unknown = names.is_empty() || around.args.iter().any(|arg| !arg.is_known());
    let mut reader = JsonReader { text: code, path: Vec::new(), found: Vec::new() };
    // Scripts before a syntax error are reported, although programs refuse such manifests.
    let _ = reader.value(0);
    let found = reader.found;
    let named = found.iter().any(|(name, _)| names.contains(&name.as_str()));
    for (name, command) in found {
        let base = name.trim_start_matches("pre").trim_start_matches("post");
        if unknown || !named || names.contains(&name.as_str()) || names.contains(&base) {
            shell(&command, effects);
        }
    }
}

struct JsonReader<'a> {
    text: &'a str,
    /// Keys from the root to the current object.
    path: Vec<String>,
    found: Vec<(String, String)>,
}

impl JsonReader<'_> {
    fn trim(&mut self) {
        self.text = self.text.trim_start();
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        self.trim();
        self.text = self.text.strip_prefix(sign)?;
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.trim();
        match self.text.chars().next()? {
            '{' => {
                self.sign('{')?;
                self.trim();
                while !self.text.starts_with('}') {
                    self.trim();
                    let key = self.string()?;
                    self.sign(':')?;
                    self.path.push(key);
                    self.value(depth + 1)?;
                    self.path.pop();
                    self.trim();
                    if self.text.starts_with(',') {
                        self.sign(',')?;
                        self.trim();
                    } else if !self.text.starts_with('}') {
                        return None;
                    }
                }
                self.sign('}')
            }
            '[' => {
                self.sign('[')?;
                self.trim();
                while !self.text.starts_with(']') {
                    self.value(depth + 1)?;
                    self.trim();
                    if self.text.starts_with(',') {
                        self.sign(',')?;
                        self.trim();
                    } else if !self.text.starts_with(']') {
                        return None;
                    }
                }
                self.sign(']')
            }
            '"' => {
                let text = self.string()?;
                match self.path.as_slice() {
                    [section, name, ..] if section == "scripts" => {
                        self.found.push((name.clone(), text));
                    }
                    // Tasks of an editor, servers that an agent starts.
                    [.., key] if key == "command" || key == "initializeCommand" => {
                        self.found.push((key.clone(), text));
                    }
                    [.., key] if key == "args" => {
                        if let Some((name, command)) = self.found.last_mut()
                            && name == "command"
                        {
                            command.push_str(&format!(" '{}'", text.replace('\'', "'\\''")));
                        }
                    }
                    _ => {}
                }
                Some(())
            }
            _ => {
                let end = self.text.find([',', '}', ']']).unwrap_or(self.text.len());
                self.text = text_from(self.text, end);
                Some(())
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let body = self.text.strip_prefix('"')?;
        let mut out = String::new();
        let mut letters = body.char_indices();
        while let Some((at, c)) = letters.next() {
            match c {
                '"' => {
                    self.text = text_from(body, at + 1);
                    return Some(out);
                }
                '\\' => match letters.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'u' => {
                        let mut code = 0;
                        for _ in 0..4 {
                            code = code * 16 + letters.next()?.1.to_digit(16)?;
                        }
                        out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                    other => out.push(other),
                },
                c => out.push(c),
            }
        }
        None
    }
}
