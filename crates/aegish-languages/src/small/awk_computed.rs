//! awk: values that its functions compute, and arrays.

use super::awk::{AwkScan, LOOK};
use super::awk_lex::Token;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values};

/// Calls inside of calls; what is deeper is unknown.
const MAX_DEPTH: usize = 4;

impl AwkScan<'_> {
    /// An array holds any of the values that were put into it.
    pub(super) fn element(&mut self, name: &str, value: Value) {
        let value = match self.variables.get(name) {
            Some(before) => join_values(before, &value),
            None => value,
        };
        self.variables.insert(name.to_owned(), value);
    }

    /// `split(text, array, separator)`
    pub(super) fn split(&mut self, at: usize) {
        let arguments = self.arguments(at + 1);
        let (Some(text), Some(&(begin, _))) = (arguments.first(), arguments.get(1)) else { return };
        let Some(Token::Name(array)) = self.token(begin) else { return };
        let text = self.value(text.0, text.1);
        let separator = arguments.get(2).map(|(begin, end)| self.value(*begin, *end));
        let parts: Option<Vec<String>> = text.as_known().map(|text| match &separator {
            None => text.split_whitespace().map(str::to_owned).collect(),
            Some(separator) => match separator.as_known() {
                Some("") => text.chars().map(String::from).collect(),
                Some(separator) => text.split(separator).map(str::to_owned).collect(),
                None => vec![text.to_owned()],
            },
        });
        let value = match parts {
            Some(parts) if parts.len() <= MAX_ALTERNATIVES => Value::one_of(parts),
            _ => Value::unknown("computed"),
        };
        let array = array.clone();
        self.element(&array, value);
    }

    /// Where the arguments of the call whose bracket opens at `open` begin and end.
    fn arguments(&self, open: usize) -> Vec<(usize, usize)> {
        let close = self.closing(open);
        let mut arguments = Vec::new();
        let mut begin = open + 1;
        while begin < close {
            let end = self.expression_end(begin).min(close);
            arguments.push((begin, end));
            begin = end + 1;
        }
        arguments
    }

    /// The bracket that is closed at `close`.
    pub(super) fn opening(&self, close: usize) -> usize {
        let mut depth = 0usize;
        let mut at = close;
        loop {
            match self.token(at) {
                Some(Token::Op(")" | "]")) => depth += 1,
                Some(Token::Op("(" | "[")) => depth -= 1,
                _ => {}
            }
            if depth == 0 || at == 0 || at + LOOK < close {
                return at;
            }
            at -= 1;
        }
    }

    /// What a function that only computes gives.
    pub(super) fn computed(&self, name: &str, open: usize) -> Value {
        let unknown = || Value::unknown("computed");
        let known = matches!(name, "substr" | "tolower" | "toupper");
        if !known || self.depth.get() >= MAX_DEPTH {
            return unknown();
        }
        self.depth.set(self.depth.get() + 1);
        let values: Vec<Value> =
            self.arguments(open).iter().map(|(begin, end)| self.value(*begin, *end)).collect();
        self.depth.set(self.depth.get() - 1);
        let Some(texts) = values.first().and_then(|value| value.readings(MAX_ALTERNATIVES)) else {
            return unknown();
        };
        let number = |at: usize| {
            let text = values.get(at).and_then(Value::as_known)?;
            text.parse::<usize>().ok()
        };
        let cut = |text: &String| match name {
            "tolower" => Some(text.to_lowercase()),
            "toupper" => Some(text.to_uppercase()),
            "substr" => {
                let count = if values.len() > 2 { number(2)? } else { usize::MAX };
                Some(text.chars().skip(number(1)?.saturating_sub(1)).take(count).collect())
            }
            _ => None,
        };
        match texts.iter().map(cut).collect::<Option<Vec<String>>>() {
            Some(texts) => Value::one_of(texts),
            None => unknown(),
        }
    }

    /// `sprintf` with `%s` and `%d`.
    pub(super) fn formatted(&self, begin: usize, end: usize) -> Value {
        let Some(Token::Text(format)) = self.token(begin) else {
            return Value::unknown("formatted text");
        };
        let mut arguments = Vec::new();
        let mut at = begin + 1;
        while at < end && self.token(at).is_some_and(|token| token.is(",")) {
            let stop = self.expression_end(at + 1).min(end);
            arguments.push(self.value(at + 1, stop));
            at = stop;
        }
        let mut arguments = arguments.into_iter();
        let mut out = Value::empty();
        let mut pieces = format.split('%');
        out.push_str(pieces.next().unwrap_or(""));
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                out.push_str("%");
                out.push_str(pieces.next().unwrap_or(""));
                continue;
            }
            let argument = arguments.next();
            // `%c` of a number is the character of that number.
            let letter = argument.as_ref().and_then(|value| {
                let text = value.as_known()?;
                match text.parse::<u32>() {
                    Ok(number) => char::from_u32(number),
                    Err(_) => text.chars().next(),
                }
            });
            if let (Some(tail), Some(letter)) = (piece.strip_prefix('c'), letter) {
                out.push_str(letter.encode_utf8(&mut [0; 4]));
                out.push_str(tail);
                continue;
            }
            match (piece.strip_prefix(['s', 'd']), argument) {
                (Some(tail), Some(value)) => {
                    out.append(&value);
                    out.push_str(tail);
                }
                _ => out.push(Piece::Unknown("formatted text")),
            }
        }
        out
    }
}
