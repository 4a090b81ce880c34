//! Commands that make texts.

use super::code::TclCode;
use super::expressions::number;
use super::variables::TclVariables;
use super::{TclNames, known};
use crate::value::{LOST, Val, is_own, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::paths::{base_name, directory_name, join_paths};
use aegish_code_library::tcl::pure;
use aegish_code_library::tcl::texts::integer;
use aegish_values::{Taint, Value};
use easy_ext::ext;

/// Most combinations of words that are computed.
const MOST_READINGS: usize = 16;

#[ext(TclTexts)]
pub(super) impl Interpreter<'_> {
    /// Commands without effects.
    fn tcl_text_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        let first = words.first().cloned();
        Some(match path {
            "string cat" => {
                let mut text = Value::empty();
                for word in words {
                    let more = self.tcl_text(word);
                    text.append(&more);
                }
                Val::Text(text)
            }
            "format" => self.tcl_format(words),
            "regexp" => {
                self.tcl_matched(words, 2);
                Val::unknown()
            }
            "scan" | "binary scan" if words.len() > 2 => {
                self.tcl_scanned(words);
                Val::unknown()
            }
            "regsub" => {
                let options = self.tcl_options(words, &["-start"]);
                let rest = words.get(options..)?;
                let (target, given) = match rest {
                    [_, _, _, target] => (Some(target.clone()), words.get(..words.len() - 1)?),
                    _ => (None, words),
                };
                if words.iter().take(options).any(|word| known(word).as_deref() == Some("-command"))
                {
                    let command = rest.get(2)?.clone();
                    let part = Val::Text(part_of(&self.tcl_text(rest.get(1)?)));
                    self.maybe(|this| this.tcl_prefix(&command, vec![part]));
                }
                let value = self.tcl_pure(path, given);
                match target {
                    Some(target) => {
                        self.tcl_put_named(&target, value);
                        Val::unknown()
                    }
                    None => value,
                }
            }
            "file join" => {
                let parts: Vec<Value> = words.iter().map(|word| self.tcl_text(word)).collect();
                Val::Text(join_paths(&parts))
            }
            "file dirname" | "file tail" | "file rootname" | "file extension" => {
                let path_text = self.tcl_text(&first?);
                match path_text.readings(8) {
                    Some(readings) => {
                        let made: Vec<Val> = readings
                            .iter()
                            .map(|text| Val::text(part_of_path(path, text)))
                            .collect();
                        made.into_iter().reduce(|a, b| join(&a, &b))?
                    }
                    None if path == "file tail" && path_text.known_prefix().ends_with('/') => {
                        let at = path_text.known_prefix().len();
                        Val::Text(path_text.tail(at))
                    }
                    None => Val::Text(part_of(&path_text)),
                }
            }
            "file normalize" | "file nativename" | "file tildeexpand" | "auto_execok"
            | "list_quote" | "string trim_all" | "http::data" | "namespace code"
            | "namespace origin" => first?,
            "namespace tail" | "namespace qualifiers" => {
                let name = known(&first?)?;
                let (space, plain) = aegish_code_parsers::tcl::split_name(&name);
                Val::text(if path == "namespace tail" { plain } else { space })
            }
            "namespace current" => Val::text(format!("::{}", self.tcl_namespace())),
            "namespace which" => {
                let name = words.last()?.clone();
                self.tcl_full(&name)
            }
            "info script" => Val::Text(Value::unknown("script")),
            "info body" | "info commands" | "info procs" | "info vars" | "info globals"
            | "info locals" | "info args" => Val::Text(Value::unknown("name")),
            "string is" | "string bytelength" | "string length" | "string compare"
            | "string equal" | "string first" | "string last" | "string match" => {
                let value = self.tcl_pure(path, words);
                if value.as_known().is_some() { value } else { Val::unknown() }
            }
            _ if path.starts_with("string ") || is_pure(path) => self.tcl_pure(path, words),
            _ => return None,
        })
    }

    fn tcl_full(&mut self, name: &Val) -> Val {
        match known(name) {
            Some(name) if name.starts_with("::") => Val::text(name),
            Some(name) => Val::text(format!("::{name}")),
            None => name.clone(),
        }
    }

    /// Options at the start of the words; some of them take a value.
    fn tcl_options(&mut self, words: &[Val], with_value: &[&str]) -> usize {
        let mut at = 0;
        while let Some(option) = words.get(at).and_then(known)
            && option.starts_with('-')
            && option.len() > 1
        {
            at += 1;
            if option == "--" {
                break;
            }
            at += usize::from(with_value.contains(&option.as_str()));
        }
        at
    }

    /// A command over all readings of its words.
    fn tcl_pure(&mut self, path: &str, words: &[Val]) -> Val {
        let texts: Vec<Value> = words.iter().map(|word| self.tcl_text(word)).collect();
        let mut taint = Taint::none();
        texts.iter().for_each(|text| taint.absorb(text.taint()));
        let mut rows: Vec<Vec<String>> = vec![Vec::new()];
        for text in &texts {
            let Some(readings) = text.readings(8) else {
                rows.clear();
                break;
            };
            self.burn(text.known_prefix().len() / 32);
            rows = rows
                .iter()
                .flat_map(|row| {
                    readings.iter().map(move |reading| {
                        let mut row = row.clone();
                        row.push(reading.clone());
                        row
                    })
                })
                .collect();
            if rows.len() > MOST_READINGS {
                rows.clear();
                break;
            }
        }
        let made: Option<Vec<String>> = rows.iter().map(|row| pure(path, row)).collect();
        match made {
            Some(made) if !made.is_empty() => {
                let values =
                    made.into_iter().map(|text| Val::Text(Value::known(text).tainted(&taint)));
                values.reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown)
            }
            _ => {
                // What is made of known text alone is known to whoever wrote it.
                let own =
                    !texts.is_empty() && texts.iter().all(|text| is_own(text) || is_number(text));
                let why = if own { LOST } else { "computed" };
                Val::Text(Value::unknown(why).tainted(&taint))
            }
        }
    }

    /// `format`: a text with values in it.
    fn tcl_format(&mut self, words: &[Val]) -> Val {
        let Some((form, values)) = words.split_first() else { return Val::unknown() };
        let form = self.tcl_text(form);
        let Some(known_form) = form.as_known() else { return self.tcl_pure("format", words) };
        let known_form = known_form.to_owned();
        let mut values = values.iter();
        let mut out = Value::empty().tainted(form.taint());
        let mut rest = known_form.as_str();
        while let Some(at) = rest.find('%') {
            out.push_str(rest.get(..at).unwrap_or(""));
            rest = rest.get(at + 1..).unwrap_or("");
            if let Some(behind) = rest.strip_prefix('%') {
                out.push_str("%");
                rest = behind;
                continue;
            }
            let length = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let spec = rest.get(..length).unwrap_or("").to_owned();
            rest =
                rest.get(length..).unwrap_or("").trim_start_matches(['l', 'h', 'j', 'z', 'q', 'L']);
            let kind = rest.chars().next().unwrap_or('s');
            rest = rest.get(kind.len_utf8().min(rest.len())..).unwrap_or("");
            if spec.contains(['*', '$']) {
                return self.tcl_pure("format", words);
            }
            let value = values.next().cloned().unwrap_or(Val::None);
            let made = match (kind, number(&value)) {
                ('c', Some(code)) => crate::numbers::character(code).map(|c| c.to_string()),
                ('d' | 'i' | 'u', Some(code)) => Some(code.to_string()),
                ('x', Some(code)) => Some(format!("{code:x}")),
                ('X', Some(code)) => Some(format!("{code:X}")),
                ('o', Some(code)) => Some(format!("{code:o}")),
                ('b', Some(code)) => Some(format!("{code:b}")),
                _ => None,
            };
            match (made, kind) {
                (Some(made), _) => out.push_str(&padded(&spec, &made)),
                (None, 's') => {
                    let text = self.tcl_text(&value);
                    match text.as_known() {
                        Some(known) => out.push_str(&padded(&spec, known)),
                        None => out.append(&text),
                    }
                }
                (None, 'c') => {
                    let text = self.tcl_text(&value);
                    let own = is_own(&text) || is_number(&text);
                    let why = if own { LOST } else { "computed" };
                    out.append(&Value::unknown(why).tainted(text.taint()));
                }
                (None, _) => out.append(&Value::unknown(super::NUMBER)),
            }
        }
        out.push_str(rest);
        Val::Text(out)
    }

    /// Variables that get parts of a text that matches.
    fn tcl_matched(&mut self, words: &[Val], skipped: usize) {
        let options = self.tcl_options(words, &["-start"]);
        let text = words.get(options + 1).cloned().unwrap_or_else(Val::unknown);
        let part = part_of(&self.tcl_text(&text));
        for name in words.iter().skip(options + skipped) {
            self.tcl_put_named(name, Val::Text(part.clone()));
        }
    }

    /// Variables that get the fields of a text.
    fn tcl_scanned(&mut self, words: &[Val]) {
        let text = words.first().map(|text| self.tcl_text(text)).unwrap_or_default();
        let form = words.get(1).and_then(known).unwrap_or_default();
        for name in words.iter().skip(2) {
            let value = match (form.as_str(), text.as_known()) {
                ("%c", Some(known)) => match known.chars().next() {
                    Some(c) => Val::Int(i64::from(u32::from(c))),
                    None => Val::unknown(),
                },
                ("%d", Some(known)) => integer(known).map_or_else(Val::unknown, Val::Int),
                ("a*" | "A*" | "%s", Some(known)) if !known.contains(' ') => Val::text(known),
                _ => Val::Text(part_of(&text)),
            };
            self.tcl_put_named(name, value);
        }
    }
}

/// Whether a text is a number that is not known.
fn is_number(text: &Value) -> bool {
    text.taint().is_none()
        && text.pieces().iter().all(
            |piece| matches!(piece, aegish_values::Piece::Unknown(why) if *why == super::NUMBER),
        )
}

/// Commands whose result is a text made of their words.
fn is_pure(path: &str) -> bool {
    matches!(
        path,
        "split"
            | "binary decode"
            | "binary encode"
            | "binary format"
            | "encoding convertfrom"
            | "encoding convertto"
            | "base64::decode"
            | "base64::encode"
            | "zlib inflate"
            | "zlib decompress"
            | "zlib gunzip"
            | "scan"
    )
}

fn part_of_path(command: &str, path: &str) -> String {
    match command {
        "file dirname" => directory_name(path),
        "file tail" => base_name(path).to_owned(),
        "file rootname" => {
            let name = base_name(path);
            match name.rfind('.') {
                Some(at) => path.get(..path.len() - (name.len() - at)).unwrap_or(path).to_owned(),
                None => path.to_owned(),
            }
        }
        _ => base_name(path)
            .rfind('.')
            .and_then(|at| base_name(path).get(at..))
            .unwrap_or("")
            .to_owned(),
    }
}

/// A text at least as long as a specification says.
fn padded(spec: &str, text: &str) -> String {
    let left = spec.contains('-');
    let digits = spec.trim_start_matches(['-', '+', ' ', '#']);
    let fill = if digits.starts_with('0') && !left { '0' } else { ' ' };
    let (width, precision) = digits.split_once('.').unwrap_or((digits, ""));
    let text: String = match precision.parse::<usize>() {
        Ok(most) => text.chars().take(most).collect(),
        Err(_) => text.to_owned(),
    };
    let width = width.parse::<usize>().unwrap_or(0).min(4096);
    let missing: String =
        std::iter::repeat_n(fill, width.saturating_sub(text.chars().count())).collect();
    if left { text + &missing } else { missing + &text }
}
