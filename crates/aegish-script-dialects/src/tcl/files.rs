//! Commands that use files.

use super::texts::TclTexts;
use super::variables::TclVariables;
use super::{TclNames, known};
use crate::effect::CodeEffect;
use crate::heap::Items;
use crate::operand::{globbed, is_unnamed};
use crate::value::Val;
use aegish_code_interpreter::Interpreter;
use aegish_code_library::paths::{base_name, join_paths};
use aegish_values::{Piece, Value};
use easy_ext::ext;

#[ext(TclFiles)]
pub(super) impl Interpreter<'_> {
    fn tcl_file_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        Some(match path {
            "file delete" => {
                // Options before the names; `-force` deletes directories with what is in them.
                let options = self.tcl_options(words, &[]);
                let tree = words
                    .iter()
                    .take(options)
                    .filter_map(known)
                    .any(|word| "-force".starts_with(&word));
                for path in self.tcl_paths(words.get(options..).unwrap_or(&[])) {
                    if !is_unnamed(&path) {
                        self.record(CodeEffect::Delete { path, tree });
                    }
                }
                Val::None
            }
            "file copy" | "file rename" => {
                let options = self.tcl_options(words, &[]);
                let paths = self.tcl_paths(words.get(options..)?);
                let (to, from) = paths.split_last()?;
                for one in from {
                    // Several files go into a directory.
                    let to = match (from.len() > 1, one.as_known()) {
                        (true, Some(name)) => {
                            join_paths(&[to.clone(), Value::known(base_name(name))])
                        }
                        _ => to.clone(),
                    };
                    self.record(CodeEffect::Copy { from: one.clone(), to });
                    if path == "file rename" && !is_unnamed(one) {
                        self.record(CodeEffect::Delete { path: one.clone(), tree: true });
                    }
                }
                Val::None
            }
            "file link" => {
                let options = self.tcl_options(words, &[]);
                let paths = self.tcl_paths(words.get(options..)?);
                if let [name, target] = paths.as_slice() {
                    if let Some(name) = name.as_known() {
                        self.links.push((name.to_owned(), target.clone()));
                    }
                    self.record(CodeEffect::Link { target: target.clone(), name: name.clone() });
                }
                Val::Text(Value::unknown("path"))
            }
            "file attributes" => {
                let path = self.tcl_paths(words.get(..1)?).pop()?;
                for pair in words.get(1..)?.chunks(2) {
                    let [option, value] = pair else { continue };
                    let value = self.tcl_text(value);
                    match known(option).as_deref() {
                        Some("-permissions") => {
                            self.record(CodeEffect::Mode { path: path.clone(), mode: value });
                        }
                        Some("-owner") => {
                            let mut owner = value;
                            owner.push_str(":");
                            self.record(CodeEffect::Owner { path: path.clone(), owner });
                        }
                        Some("-group") => {
                            let mut owner = Value::known(":");
                            owner.append(&value);
                            self.record(CodeEffect::Owner { path: path.clone(), owner });
                        }
                        _ => {}
                    }
                }
                Val::Text(Value::unknown("attributes"))
            }
            "file tempfile" => {
                let mut name = Value::known("/tmp/");
                name.push(Piece::Unknown("temporary name"));
                if let Some(variable) = words.first() {
                    self.tcl_put_named(variable, Val::Text(name.clone()));
                }
                self.write_file(&name, Value::empty(), false)
            }
            "file readlink" => {
                let mut paths = self.tcl_paths(words);
                let path = paths.pop()?;
                let target = path.as_known().and_then(|path| {
                    self.links
                        .iter()
                        .find(|(name, _)| name == path)
                        .map(|(_, target)| target.clone())
                });
                Val::Text(target.unwrap_or_else(|| Value::unknown("path")))
            }
            "file stat" | "file lstat" => {
                if let Some(variable) = words.get(1).and_then(known) {
                    let key = Val::Text(Value::unknown("key"));
                    self.tcl_put_element(&variable, &key, Val::unknown());
                }
                Val::None
            }
            "glob" => self.tcl_glob(words),
            "cd" => {
                let path = match words.first() {
                    Some(path) => self.tcl_text(path),
                    None => aegish_code_library::paths::home(&self.env("HOME")),
                };
                self.change_directory(&path);
                Val::None
            }
            _ => return None,
        })
    }

    /// The files that words name.
    fn tcl_paths(&mut self, words: &[Val]) -> Vec<Value> {
        let mut paths = Vec::new();
        for word in words {
            let text = self.tcl_text(word);
            paths.push(self.resolved(&text));
        }
        paths
    }

    fn tcl_glob(&mut self, words: &[Val]) -> Val {
        let mut rest = words.iter();
        let mut directory: Option<Value> = None;
        let mut patterns = Vec::new();
        let mut tails = false;
        let mut options = true;
        while let Some(word) = rest.next() {
            match known(word).filter(|word| options && word.starts_with('-')).as_deref() {
                Some("-directory" | "-dir" | "-path" | "-d") => {
                    directory = rest.next().map(|word| self.tcl_text(word));
                }
                Some("-types" | "-type") => {
                    rest.next();
                }
                Some("-tails") => tails = true,
                Some("-join" | "-nocomplain") => {}
                Some("--") => options = false,
                _ => patterns.push(self.tcl_text(word)),
            }
        }
        let mut found: Option<Val> = None;
        for pattern in patterns {
            let path = match (&directory, tails) {
                (Some(directory), _) => join_paths(&[directory.clone(), pattern.clone()]),
                (None, _) => pattern.clone(),
            };
            let path = self.resolved(&path);
            if !path.known_prefix().is_empty() {
                self.record(CodeEffect::List(path.clone()));
            }
            let names = if tails { globbed(&pattern) } else { globbed(&path) };
            let names = Val::Text(names);
            found = Some(found.map_or(names.clone(), |found| crate::value::join(&found, &names)));
        }
        self.heap.list(Items { list: Vec::new(), rest: found })
    }
}
