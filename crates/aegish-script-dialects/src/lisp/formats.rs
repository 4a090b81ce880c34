//! Texts that are taken apart, replaced, and made from a format.

use super::output::LispOutput;
use super::texts::LispTexts;
use super::{LispCalls, symbol_of};
use crate::heap::Items;
use crate::value::{Args, Val, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::Formatting;
use aegish_values::Value;
use easy_ext::ext;

#[ext(LispFormats)]
pub(super) impl Interpreter<'_> {
    fn lisp_split(&mut self, path: &str, args: &Args) -> Option<Val> {
        let value = args.get(0).cloned()?;
        let named = super::keyed(args);
        let text = value.to_text();
        let separator = match path {
            "string-lines" => Some("\n".to_owned()),
            "uiop:split-string" => Some(
                named.named("separator").and_then(Val::as_known).unwrap_or_else(|| " ".to_owned()),
            ),
            _ => match args.list.get(1) {
                None | Some(Val::None) => None,
                Some(separator) => match separator.as_known() {
                    Some(known)
                        if known
                            .chars()
                            .all(|c| c.is_alphanumeric() || " ,:;/_=-\n\t@#".contains(c)) =>
                    {
                        Some(known)
                    }
                    Some(known)
                        if matches!(
                            known.as_str(),
                            "[ \t\n]+" | " +" | "[ ]+" | "[[:space:]]+"
                        ) =>
                    {
                        None
                    }
                    _ => return Some(self.lisp_parts_of(&text)),
                },
            },
        };
        let omits = separator.is_none() || args.list.get(2).is_some_and(|omit| *omit != Val::None);
        let Some(known) = text.as_known() else { return Some(self.lisp_parts_of(&text)) };
        let list: Vec<Val> = match &separator {
            None => known.split_whitespace().map(Val::text).collect(),
            // Any of its characters separates.
            Some(set) if path == "uiop:split-string" => {
                known.split(|c| set.contains(c)).map(Val::text).collect()
            }
            Some(separator) => known
                .split(separator.as_str())
                .filter(|part| !omits || !part.is_empty())
                .map(Val::text)
                .collect(),
        };
        Some(self.new_list(list))
    }

    fn lisp_parts_of(&mut self, text: &Value) -> Val {
        let rest = Some(Val::Text(part_of(text)));
        self.heap.list(Items { list: Vec::new(), rest })
    }

    fn lisp_replaced(&mut self, path: &str, args: &Args) -> Option<Val> {
        // Emacs: pattern, new, text. Racket: text, old, new, or pattern, text, new.
        let places = match (path, self.is_emacs()) {
            (_, true) => [0, 1, 2],
            ("string-replace", _) => [1, 2, 0],
            ("regexp-replace*" | "regexp-replace", _) => [0, 2, 1],
            _ => return Some(Val::Text(self.lisp_lost(args))),
        };
        let [old, new, text] = places.map(|place| args.get(place).cloned());
        let (old, new, text) = (old?, new?, text?);
        if new.is_callable() {
            self.run_callbacks(&Args::of(vec![new.clone(), text.clone()]), None);
        }
        let literal = path == "string-replace";
        let plain = old.as_known().filter(|old| {
            !old.is_empty()
                && (literal
                    || old.chars().all(|c| c.is_alphanumeric() || " _/=,:;@#%-".contains(c)))
        });
        let simple =
            new.as_known().filter(|new| literal || !new.contains('\\') && !new.contains('&'));
        match (plain, simple, text.to_text()) {
            (Some(old), Some(new), text) if path != "regexp-replace" && text.is_known() => {
                Some(Val::Text(text.replace(&old, &Value::known(new))))
            }
            _ => Some(Val::Text(self.lisp_lost(args))),
        }
    }

    /// `(format "%s" …)` of Emacs.
    fn lisp_format(&mut self, args: &Args) -> Value {
        let Some(format) = args.get(0).map(Val::to_text) else { return Value::empty() };
        let mut values = Vec::new();
        for value in args.list.iter().skip(1).chain(&args.rest) {
            values.push(match value {
                Val::None => Val::text("nil"),
                Val::Bool(true) => Val::text("t"),
                Val::Int(_) | Val::Text(_) => value.clone(),
                other => match symbol_of(other) {
                    Some(name) => Val::text(name),
                    None => Val::Text(self.lisp_lost(&Args::of(vec![other.clone()]))),
                },
            });
        }
        // A text in quotes is another one.
        let quoted = format.as_known().is_some_and(|format| {
            format.contains("%S") || format.contains("%-") || format.contains('$')
        });
        if quoted || args.rest.is_some() {
            return self.lisp_lost(args);
        }
        self.percent_format(&format, &Val::Tuple(values.into()))
    }

    /// `format` of Common Lisp, Guile and Racket: a text, or printed somewhere.
    fn lisp_tilde_call(&mut self, args: &Args) -> Val {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        if let Val::Text(format) = &first {
            return Val::Text(self.lisp_tilde(format, args.list.get(1..).unwrap_or(&[]), args));
        }
        let Some(format) = args.get(1).map(Val::to_text) else { return Val::unknown() };
        let text = self.lisp_tilde(&format, args.list.get(2..).unwrap_or(&[]), args);
        match first {
            Val::None | Val::Bool(false) => Val::Text(text),
            port => {
                self.lisp_put_text(Some(&port), &Val::Text(text));
                Val::None
            }
        }
    }

    /// A format with `~a` in it.
    fn lisp_tilde(&mut self, format: &Value, values: &[Val], args: &Args) -> Value {
        let Some(known) = format.as_known().map(str::to_owned) else { return self.lisp_lost(args) };
        let mut out = Value::empty().tainted(format.taint());
        let mut values = values.iter();
        let mut rest = known.as_str();
        while let Some(at) = rest.find('~') {
            out.push_str(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let Some(directive) = rest.chars().next() else { break };
            rest = rest.get(directive.len_utf8()..).unwrap_or_default();
            match directive.to_ascii_lowercase() {
                '~' => out.push_str("~"),
                '%' | 'n' => out.push_str("\n"),
                'a' | 'd' => match values.next() {
                    Some(value) => {
                        let text = self.lisp_joined(value);
                        out.append(&text);
                    }
                    None => return self.lisp_lost(args),
                },
                's' | 'v' => match values.next() {
                    Some(value @ Val::Int(_)) => out.append(&value.to_text()),
                    Some(Val::Text(text))
                        if text.as_known().is_some_and(|text| !text.contains(['"', '\\'])) =>
                    {
                        out.push_str("\"");
                        out.append(text);
                        out.push_str("\"");
                    }
                    _ => return self.lisp_lost(args),
                },
                '\n' => rest = rest.trim_start(),
                _ => return self.lisp_lost(args),
            }
        }
        out.push_str(rest);
        out
    }
}
