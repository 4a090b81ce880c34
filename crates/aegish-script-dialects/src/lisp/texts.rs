//! Functions of texts, characters and symbols.

use super::called::LispCalled;
use super::formats::LispFormats;
use super::mapped::LispMapped;
use super::{LispCalls, symbol, symbol_of};
use crate::decode;
use crate::heap::Items;
use crate::value::{Args, LOST, Val, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::TextMethods;
use aegish_values::{Piece, Value};
use easy_ext::ext;

#[ext(LispTexts)]
pub(super) impl Interpreter<'_> {
    fn lisp_text_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "concat"
            | "string-append"
            | "strcat"
            | "bytes-append"
            | "concatenate"
            | "string-append*"
            | "string-concat"
            | "string-append-immutable"
            | "uiop:strcat" => {
                let skipped = usize::from(path == "concatenate");
                let mut text = Value::empty();
                for value in args.list.iter().skip(skipped) {
                    text.append(&self.lisp_joined(value));
                }
                if let Some(rest) = &args.rest {
                    text.append(&self.lisp_joined(rest));
                    text.push(Piece::Unknown(LOST));
                }
                Val::Text(text)
            }
            "string" | "char-to-string" | "list->string" | "unibyte-string" | "make-string-of"
            | "string*" => {
                let mut text = Value::empty();
                for value in args.list.iter().chain(&args.rest) {
                    match value {
                        Val::Int(code) if self.is_emacs() => {
                            match crate::numbers::character(*code) {
                                Some(c) => text.push_str(&c.to_string()),
                                None => text.push(Piece::Unknown(LOST)),
                            }
                        }
                        other => text.append(&self.lisp_joined(other)),
                    }
                }
                if args.rest.is_some() {
                    text.push(Piece::Unknown(LOST));
                }
                Val::Text(text)
            }
            "integer->char" | "code-char" | "int-char" => {
                match first?.as_int().and_then(crate::numbers::character) {
                    Some(c) => Val::text(c.to_string()),
                    None => Val::Text(Value::unknown(LOST)),
                }
            }
            "char->integer" | "char-code" | "string-to-char" | "char-int" => match first? {
                Val::Text(text) => match text.as_known().and_then(|text| text.chars().next()) {
                    Some(c) => Val::Int(i64::from(u32::from(c))),
                    None => Val::unknown(),
                },
                other => other,
            },
            "make-string" => {
                let count = first?.as_int().and_then(|count| usize::try_from(count).ok());
                let fill = match args.get(1) {
                    Some(Val::Int(code)) => crate::numbers::character(*code).map(|c| c.to_string()),
                    Some(other) => other.as_known(),
                    None => Some(" ".to_owned()),
                };
                match (count, fill) {
                    (Some(count), Some(fill))
                        if count.saturating_mul(fill.len()) < decode::LIMIT =>
                    {
                        Val::text(fill.repeat(count))
                    }
                    _ => Val::Text(Value::unknown(LOST)),
                }
            }
            "format" | "format-message" if self.is_emacs() => Val::Text(self.lisp_format(args)),
            "format" => return Some(self.lisp_tilde_call(args)),
            "upcase" | "string-upcase" | "char-upcase" => self.lisp_method(&first?, "upper", &[]),
            "downcase" | "string-downcase" | "char-downcase" => {
                self.lisp_method(&first?, "lower", &[])
            }
            "capitalize" | "string-capitalize" | "upcase-initials" | "string-titlecase" => {
                self.lisp_method(&first?, "title", &[])
            }
            "string-trim"
            | "string-trim-both"
            | "string-clean-whitespace"
            | "string-trim-left"
            | "string-trim-right"
            | "string-trim-whitespace" => {
                // Which of the two is the text depends on the dialect.
                if args.list.len() > 1 {
                    return Some(Val::Text(self.lisp_lost(args)));
                }
                let text = first?;
                let name = match path {
                    "string-trim-left" => "lstrip",
                    "string-trim-right" => "rstrip",
                    _ => "strip",
                };
                self.lisp_method(&text, name, &[])
            }
            "substring"
            | "substring-no-properties"
            | "subseq"
            | "seq-subseq"
            | "string-copy"
            | "substring/shared"
            | "cl-subseq"
            | "string-take"
            | "string-drop"
            | "seq-take"
            | "seq-drop"
                if matches!(first, Some(Val::Text(_) | Val::OneOf(_))) =>
            {
                self.lisp_substring(path, args)?
            }
            "mapconcat" => {
                let function = first?;
                let list = args.get(1).cloned()?;
                let items = self.lisp_items(&list);
                let results = {
                    let mut results = Items::default();
                    for item in &items.list {
                        let value = self.lisp_call(&function, Args::of(vec![item.clone()]));
                        results.list.push(value);
                    }
                    if let Some(rest) = &items.rest {
                        let value = self
                            .maybe(|this| this.lisp_call(&function, Args::of(vec![rest.clone()])));
                        results.rest = Some(value);
                    }
                    results
                };
                let separator =
                    args.list.get(2).map_or_else(Value::empty, |value| self.lisp_joined(value));
                Val::Text(self.lisp_join(&results, &separator))
            }
            "string-join" | "combine-and-quote-strings" => {
                let items = self.iterate(&first?);
                let default = if self.is_emacs() { "" } else { " " };
                let separator =
                    args.list.get(1).map_or_else(|| Value::known(default), Val::to_text);
                Val::Text(self.lisp_join(&items, &separator))
            }
            "split-string"
            | "string-split"
            | "string-tokenize"
            | "uiop:split-string"
            | "split-string-and-unquote"
            | "string-lines" => self.lisp_split(path, args)?,
            "replace-regexp-in-string"
            | "string-replace"
            | "regexp-replace*"
            | "regexp-replace"
            | "replace-in-string"
            | "string-replace-substring"
            | "regexp-substitute/global" => self.lisp_replaced(path, args)?,
            "symbol-name" | "symbol->string" => {
                self.each(&first?, |_, value| match symbol_of(value) {
                    Some(name) => Val::text(name),
                    None => Val::Text(Value::unknown("symbol")),
                })
            }
            "symbol->keyword" | "string->keyword" => match first?.as_known() {
                Some(name) => symbol(&format!(":{name}")),
                None => Val::unknown(),
            },
            "number-to-string"
            | "number->string"
            | "int-to-string"
            | "prin1-to-string"
            | "write-to-string"
            | "princ-to-string"
            | "~a"
            | "~s"
            | "object->string"
            | "format-value"
            | "string->immutable-string"
            | "substring-copy"
            | "copy-string"
            | "prin1-char"
            | "path->string"
            | "string->path"
            | "namestring"
            | "native-namestring"
            | "uiop:native-namestring"
            | "pathname"
            | "truename"
            | "probe-file-name"
            | "parse-namestring"
            | "shell-quote-argument"
            | "make-string-input-stream"
            | "open-input-string"
            | "open-input-bytes"
            | "string->bytes/utf-8"
            | "bytes->string/utf-8"
            | "string->utf8"
            | "utf8->string"
            | "encode-coding-string"
            | "decode-coding-string"
            | "string-as-unibyte"
            | "string-to-multibyte"
            | "string-make-unibyte"
            | "propertize"
            | "substitute-env-vars"
            | "convert-standard-filename"
            | "file-truename"
            | "directory-file-name"
            | "file-name-as-directory"
            | "file-local-name"
            | "string-to-unibyte"
            | "build-path-string"
            | "expand-abbrev"
            | "regexp-quote" => {
                let value = first?;
                match path {
                    "substitute-env-vars" => Val::Text(self.lisp_lost(args)),
                    "file-name-as-directory" => {
                        let mut text = self.lisp_joined(&value);
                        if text.as_known().is_some_and(|text| !text.ends_with('/')) {
                            text.push_str("/");
                        }
                        Val::Text(text)
                    }
                    "shell-quote-argument" => {
                        let text = self.lisp_joined(&value);
                        let plain = text.as_known().is_some_and(|text| {
                            !text.is_empty()
                                && text
                                    .chars()
                                    .all(|c| c.is_ascii_alphanumeric() || "-_./:,@%+=".contains(c))
                        });
                        match text.as_known() {
                            Some(known) if !plain => {
                                Val::text(format!("'{}'", known.replace('\'', "'\\''")))
                            }
                            _ => Val::Text(text),
                        }
                    }
                    _ => Val::Text(self.lisp_joined(&value)),
                }
            }
            "string-to-number" | "string->number" | "parse-integer" => match first? {
                Val::Text(text) => match text.as_known().map(|text| text.trim().parse::<i64>()) {
                    Some(Ok(number)) if args.list.len() == 1 => Val::Int(number),
                    _ => Val::unknown(),
                },
                other => other,
            },
            "expand-file-name" | "file-name-concat" => {
                let mut parts: Vec<Value> = Vec::new();
                for value in args.list.iter().chain(&args.rest).filter(|value| **value != Val::None)
                {
                    parts.push(self.lisp_joined(value));
                }
                if path == "expand-file-name" {
                    parts.reverse();
                }
                Val::Text(aegish_code_library::paths::join_paths(&parts))
            }
            "rot13-string" | "rot13" => match first?.as_known() {
                Some(text) => Val::text(decode::rot13(&text)),
                None => Val::Text(self.lisp_lost(args)),
            },
            "string-pad"
            | "string-pad-left"
            | "string-pad-right"
            | "truncate-string-to-width"
            | "string-limit"
            | "file-name-nondirectory"
            | "file-name-directory"
            | "file-name-base"
            | "file-name-sans-extension"
            | "file-name-extension"
            | "basename"
            | "dirname"
            | "file-basename" => {
                let name = match path {
                    "file-name-nondirectory" | "basename" if args.list.len() == 1 => "base",
                    "file-name-directory" | "dirname" => "directory",
                    _ => "",
                };
                match (first?.as_known(), name) {
                    (Some(text), "base") => Val::text(text.rsplit('/').next().unwrap_or_default()),
                    (Some(text), "directory") => match text.rfind('/') {
                        Some(at) => Val::text(text.get(..=at).unwrap_or_default()),
                        None => Val::None,
                    },
                    _ => Val::Text(self.lisp_lost(args)),
                }
            }
            _ => return None,
        })
    }

    /// A text that is made of others and not computed.
    fn lisp_lost(&mut self, args: &Args) -> Value {
        match self.lisp_unknown(args) {
            Val::Text(text) => text,
            other => Value::unknown("computed").tainted(&other.own_taint()),
        }
    }

    /// A value as a part of a text: characters of lists are joined.
    fn lisp_joined(&mut self, value: &Val) -> Value {
        match value {
            Val::None => {
                if self.is_emacs() {
                    Value::empty()
                } else {
                    Value::known("nil")
                }
            }
            Val::Bool(true) => Value::known("t"),
            Val::List(_) => {
                let items = self.iterate(value);
                let mut text = Value::empty();
                for item in items.list.iter().chain(&items.rest) {
                    match item {
                        Val::Int(code) => match crate::numbers::character(*code) {
                            Some(c) => text.push_str(&c.to_string()),
                            None => text.push(Piece::Unknown(LOST)),
                        },
                        Val::Text(part) => text.append(part),
                        other => text.append(&Value::unknown(LOST).tainted(&self.taint_of(other))),
                    }
                }
                if items.rest.is_some() {
                    text.push(Piece::Unknown(LOST));
                }
                text
            }
            Val::File(index) => self.file_content(*index).to_text(),
            other => match symbol_of(other) {
                Some(name) => Value::known(name),
                None => other.to_text(),
            },
        }
    }

    fn lisp_method(&mut self, value: &Val, name: &str, given: &[Val]) -> Val {
        match value {
            Val::Text(text) => {
                let text = text.clone();
                self.text_method(&text, name, &Args::of(given.to_vec()))
            }
            Val::OneOf(_) => self.each(value, |this, one| this.lisp_method(one, name, given)),
            other => other.clone(),
        }
    }

    fn lisp_join(&mut self, items: &Items, separator: &Value) -> Value {
        let mut text = Value::empty();
        for (place, item) in items.list.iter().enumerate() {
            if place > 0 {
                text.append(separator);
            }
            text.append(&self.lisp_joined(item));
        }
        if let Some(rest) = &items.rest {
            let taint = self.taint_of(rest);
            text.append(&Value::unknown(LOST).tainted(&taint));
        }
        text
    }

    fn lisp_substring(&mut self, path: &str, args: &Args) -> Option<Val> {
        let value = args.get(0).cloned()?;
        if let Val::OneOf(_) = &value {
            return Some(self.each(&value, |this, one| {
                let mut args = args.clone();
                if let Some(slot) = args.list.first_mut() {
                    *slot = one.clone();
                }
                this.lisp_substring(path, &args).unwrap_or_else(Val::unknown)
            }));
        }
        let Val::Text(text) = &value else { return Some(value.forget()) };
        let bound = |place: usize| match args.list.get(place) {
            None | Some(Val::None) => Some(None),
            Some(value) => value.as_int().map(Some),
        };
        let (Some(from), Some(to)) = (bound(1), bound(2)) else {
            return Some(Val::Text(part_of(text)));
        };
        let Some(readings) = text.readings(16) else { return Some(Val::Text(part_of(text))) };
        let (from, to) = match path {
            "string-take" | "seq-take" => (Some(0), from),
            _ => (from, to),
        };
        let all = readings.into_iter().map(|known| {
            let chars: Vec<char> = known.chars().collect();
            let length = i64::try_from(chars.len()).unwrap_or(i64::MAX);
            let place = |at: i64| {
                usize::try_from(if at < 0 { at + length } else { at.min(length) }).unwrap_or(0)
            };
            let (from, to) = (place(from.unwrap_or(0)), place(to.unwrap_or(length)));
            chars.get(from..to.max(from)).unwrap_or(&[]).iter().collect::<String>()
        });
        Some(Val::Text(Value::one_of(all).tainted(text.taint())))
    }
}
