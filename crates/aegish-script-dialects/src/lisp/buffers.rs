//! The text of the current buffer of Emacs. Once point moves, text that is inserted is lost.

use super::code::LispCode;
use super::inner::LispInner;
use super::places::LispPlaces;
use super::texts::LispTexts;
use super::{LispCalls, LispState};
use crate::calls::{Effect, Entry, Role};
use crate::reference::Ref;
use crate::value::{Args, LOST, Val, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::given::Given;
use aegish_profiles::Lang;
use aegish_values::Value;
use easy_ext::ext;

#[ext(LispBuffers)]
pub(super) impl Interpreter<'_> {
    fn lisp_buffer_cell(&mut self) -> Ref {
        let known = self.state.with(|lisp: &mut LispState| lisp.buffer);
        let cell = self.lisp_cell(known, Val::Text(Value::unknown("buffer")));
        self.state.with(|lisp: &mut LispState| lisp.buffer = Some(cell));
        cell
    }

    fn lisp_buffer_text(&mut self) -> Value {
        let cell = self.lisp_buffer_cell();
        self.lisp_kept(cell).to_text()
    }

    fn lisp_insert(&mut self, text: &Value) {
        let cell = self.lisp_buffer_cell();
        let mut all = self.lisp_kept(cell).to_text();
        if all.known_prefix().len() + text.known_prefix().len() > crate::decode::LIMIT {
            all = part_of(&all);
        } else {
            let empty = all.pieces().is_empty();
            all.append(text);
            if self.state.with(|lisp: &mut LispState| lisp.moved) && !empty {
                all = part_of(&all);
            }
        }
        self.lisp_keep(cell, Val::Text(all));
    }

    fn lisp_buffer_change(&mut self, path: &str, args: &Args) -> Val {
        let cell = self.lisp_buffer_cell();
        let old = self.lisp_kept(cell);
        let first = args.list.first().cloned();
        match (path, first) {
            ("<enter-buffer>" | "<leave-buffer>", Some(content)) => {
                let content = match content {
                    Val::Text(_) => content,
                    other => Val::Text(Value::unknown("buffer").tainted(&other.own_taint())),
                };
                self.lisp_keep(cell, content);
            }
            ("<write-buffer>", Some(path)) => {
                let path = self.resolved(&path.to_text());
                self.write_file(&path, old.to_text(), false);
            }
            _ => {}
        }
        old
    }

    fn lisp_buffer(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "insert" | "insert-before-markers" | "insert-and-inherit" => {
                for value in args.list.clone() {
                    let text = match value {
                        Val::Int(code) => crate::numbers::character(code)
                            .map_or_else(|| Value::unknown(LOST), |c| Value::known(c.to_string())),
                        other => self.lisp_joined(&other),
                    };
                    self.lisp_insert(&text);
                }
                if args.rest.is_some() {
                    self.lisp_insert(&Value::unknown(LOST));
                }
                Val::None
            }
            "insert-char" => {
                self.lisp_insert(&Value::unknown(LOST));
                Val::None
            }
            "insert-file-contents"
            | "insert-file"
            | "insert-file-contents-literally"
            | "find-file"
            | "view-file"
            | "find-file-read-only"
            | "find-file-literally"
            | "find-file-other-window"
            | "find-file-other-frame"
            | "find-file-existing"
            | "find-alternate-file" => {
                let path_of = self.resolved(&first?.to_text());
                let content = self.read_file(&path_of).to_text();
                if !path.starts_with("insert") {
                    let cell = self.lisp_buffer_cell();
                    self.lisp_keep(cell, Val::Text(Value::empty()));
                    self.state.with(|lisp: &mut LispState| lisp.visited = Some(path_of));
                }
                self.lisp_insert(&content);
                Val::Text(content)
            }
            "find-file-noselect" => {
                let path = self.resolved(&first?.to_text());
                self.state.with(|lisp: &mut LispState| lisp.visited = Some(path.clone()));
                self.read_file(&path)
            }
            "save-buffer" | "basic-save-buffer" => {
                if let Some(file) = self.state.with(|lisp: &mut LispState| lisp.visited.clone()) {
                    let content = self.lisp_buffer_text();
                    self.write_file(&file, content, false);
                }
                Val::None
            }
            "set-buffer" | "switch-to-buffer" | "pop-to-buffer" | "pop-to-buffer-same-window" => {
                let content = self.lisp_inner("<content>", args);
                self.lisp_inner("<enter-buffer>", &Args::of(vec![content]));
                Val::unknown()
            }
            "buffer-string" => Val::Text(self.lisp_buffer_text()),
            "buffer-substring"
            | "buffer-substring-no-properties"
            | "filter-buffer-substring"
            | "delete-and-extract-region"
            | "thing-at-point"
            | "current-word"
            | "match-string"
            | "match-string-no-properties" => {
                let text = self.lisp_buffer_text();
                let whole = self.lisp_is_whole(args);
                Val::Text(if whole && path.starts_with("buffer-sub") {
                    text
                } else {
                    part_of(&text)
                })
            }
            "point-min" => super::symbol("point-min"),
            "point-max" => super::symbol("point-max"),
            "erase-buffer" => {
                let cell = self.lisp_buffer_cell();
                self.lisp_keep(cell, Val::Text(Value::empty()));
                Val::None
            }
            "delete-region"
            | "kill-region"
            | "replace-match"
            | "delete-char"
            | "kill-line"
            | "kill-word"
            | "yank"
            | "replace-regexp-in-region"
            | "replace-string"
            | "replace-regexp"
            | "upcase-region"
            | "downcase-region"
            | "base64-decode-region"
            | "base64-encode-region"
            | "sort-lines"
            | "reverse-region"
            | "goto-char"
            | "goto-line"
            | "beginning-of-buffer"
            | "backward-char"
            | "delete-line"
            | "indent-region"
            | "delete-matching-lines"
            | "flush-lines"
            | "keep-lines"
            | "zero-out"
            | "translate-region" => {
                let text = self.lisp_buffer_text();
                let moves = matches!(
                    path,
                    "goto-char" | "goto-line" | "beginning-of-buffer" | "backward-char"
                );
                if path == "base64-decode-region"
                    && let Some(decoded) = text
                        .as_known()
                        .and_then(crate::decode::base64)
                        .filter(|_| self.lisp_is_whole(args))
                {
                    let cell = self.lisp_buffer_cell();
                    self.lisp_keep(cell, Val::bytes(decoded));
                    return Some(Val::None);
                }
                if !moves {
                    let cell = self.lisp_buffer_cell();
                    self.lisp_keep(cell, Val::Text(part_of(&text)));
                } else if first.as_ref().and_then(super::symbol_of) != Some("point-max") {
                    // What is inserted from here on stands somewhere.
                    self.state.with(|lisp: &mut LispState| lisp.moved = true);
                }
                Val::None
            }
            "write-region" | "append-to-file" => {
                let file = self.resolved(&args.get(2)?.to_text());
                let content = match first? {
                    text @ Val::Text(_) => text.to_text(),
                    Val::None => self.lisp_buffer_text(),
                    _ => {
                        let text = self.lisp_buffer_text();
                        if self.lisp_is_whole(args) { text } else { part_of(&text) }
                    }
                };
                let append = path == "append-to-file"
                    || args.list.get(3).is_some_and(|append| self.truth(append) != Some(false));
                self.write_file(&file, content, append);
                Val::None
            }
            "write-file" | "set-visited-file-name" => {
                let file = self.resolved(&first?.to_text());
                let content = self.lisp_buffer_text();
                self.write_file(&file, content, false);
                Val::None
            }
            "eval-buffer"
            | "eval-region"
            | "eval-last-sexp"
            | "eval-defun"
            | "eval-current-buffer" => {
                let text = self.lisp_buffer_text();
                let whole = path != "eval-region" || self.lisp_is_whole(args);
                let text = if whole { text } else { part_of(&text) };
                self.lisp_run(&text);
                Val::None
            }
            "current-buffer" | "generate-new-buffer" | "get-buffer-create" | "get-buffer" => {
                Val::unknown()
            }
            "re-search-forward"
            | "search-forward"
            | "looking-at"
            | "eobp"
            | "bobp"
            | "forward-line"
            | "end-of-line"
            | "beginning-of-line"
            | "forward-char"
            | "point"
            | "goto-char-end"
            | "end-of-buffer"
            | "bolp"
            | "eolp"
            | "re-search-backward"
            | "search-backward"
            | "line-end-position"
            | "line-beginning-position"
            | "pos-bol"
            | "pos-eol"
            | "match-beginning"
            | "match-end"
            | "forward-sexp"
            | "backward-sexp" => {
                self.state.with(|lisp: &mut LispState| {
                    lisp.moved |=
                        !matches!(path, "eobp" | "bobp" | "point" | "bolp" | "eolp" | "looking-at");
                });
                Val::unknown()
            }
            "read" if first.is_none() || matches!(first, Some(Val::Unknown(..))) => {
                let text = self.lisp_buffer_text();
                let text = Val::Text(part_of(&text));
                self.lisp_read(&text)
            }
            "shell-command-on-region" | "call-shell-region" | "call-process-region" => {
                let input = match first? {
                    text @ Val::Text(_) => text.to_text(),
                    Val::None => self.lisp_buffer_text(),
                    _ => {
                        let text = self.lisp_buffer_text();
                        if self.lisp_is_whole(args) { text } else { part_of(&text) }
                    }
                };
                let process = match path {
                    "shell-command-on-region" | "call-shell-region" => {
                        let command = args.get(2)?.to_text();
                        self.start_shell(&command)
                    }
                    _ => {
                        let words = args
                            .list
                            .get(2)
                            .into_iter()
                            .chain(args.list.iter().skip(6))
                            .chain(&args.rest);
                        let argv: Vec<Value> = words.map(Val::to_text).collect();
                        self.start(argv)
                    }
                };
                if let Val::Process(crate::value::Interprets::Input) = process {
                    self.run_text(Lang::Shell, &input);
                }
                self.lisp_insert(&Value::unknown("output"));
                Val::unknown()
            }
            "url-insert-file-contents" => {
                let entry = Entry {
                    effect: Effect::Fetch,
                    parameters: vec![("url", Some(Role::Url))],
                    guessed: false,
                };
                let content = self.network_call(&Given { entry: &entry, args });
                self.lisp_insert(&content.to_text());
                content
            }
            _ => return None,
        })
    }

    fn lisp_is_whole(&self, args: &Args) -> bool {
        let at =
            |place: usize| args.list.get(place).and_then(super::symbol_of).map(ToOwned::to_owned);
        at(0).as_deref() == Some("point-min") && at(1).as_deref() == Some("point-max")
            || args.list.is_empty()
            || args.list.first() == Some(&Val::None)
            || args.list.first() == Some(&Val::Int(1)) && at(1).as_deref() == Some("point-max")
    }
}
