//! Values of SQL expressions: literals, functions that compute, and columns, which may hold any text of the code.

use super::known;
use super::sql::Token;
use aegish_values::{MAX_ALTERNATIVES, Value, join_values};

/// Expressions inside of expressions.
const MAX_DEPTH: usize = 16;

/// Tokens of a call that are looked at. What longer ones give is not followed.
const LOOK: usize = 4096;

/// What a column may hold, as far as the code says.
pub(super) struct Texts(Value);

impl Texts {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let mut all: Vec<String> = Vec::new();
        for token in tokens {
            let Token::Text(text) = token else { continue };
            // A list of JSON holds texts.
            let parts = text.split('"').filter(|part| part.len() < text.len());
            for text in std::iter::once(text.as_str()).chain(parts) {
                if !text.is_empty() && !all.iter().any(|one| one == text) {
                    all.push(text.to_owned());
                }
            }
        }
        let computed = match tokens.len() <= LOOK {
            true => computed_texts(tokens),
            false => vec![None],
        };
        if computed.contains(&None) {
            return Self(Value::lost());
        }
        all.extend(computed.into_iter().flatten());
        let value = match all.len() {
            0 => Value::unknown("SQL expression"),
            count if count <= MAX_ALTERNATIVES => {
                join_values(&Value::one_of(all), &Value::unknown("SQL expression"))
            }
            _ => Value::one_of_many_values(),
        };
        Self(value)
    }
}

/// What expressions make of the text of the code, which a column may hold afterwards; none if that is not known.
fn computed_texts(tokens: &[Token]) -> Vec<Option<String>> {
    let outside = Texts(Value::unknown("SQL expression"));
    let mut all = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let tail = tokens.get(at + 1..).unwrap_or_default();
        match (token, tail) {
            (Token::Text(_), [Token::Sign('|'), Token::Sign('|'), ..]) => all.push(None),
            (Token::Word(name), [Token::Sign('('), inside @ ..])
                if COMPUTES.contains(&name.as_str()) =>
            {
                let values = closing(inside).and_then(|end| inside.get(..end));
                let values = list(values.unwrap_or_default(), &outside, 1).0;
                let own = values.iter().any(|value| value.readings(MAX_ALTERNATIVES).is_some());
                let texts: Option<Vec<&str>> = values.iter().map(Value::as_known).collect();
                match texts.and_then(|texts| computed(name, &texts)) {
                    None if !own => {}
                    text => all.push(text),
                }
            }
            _ => {}
        }
    }
    all
}

/// Functions that put texts together or take them apart.
const COMPUTES: [&str; 13] = [
    "char",
    "chr",
    "concat",
    "concat_ws",
    "format",
    "group_concat",
    "printf",
    "replace",
    "reverse",
    "substr",
    "substring",
    "translate",
    "unhex",
];

/// The arguments of the call whose bracket opens before `begin`.
pub(super) fn arguments(statement: &[Token], begin: usize, texts: &Texts) -> Vec<Value> {
    let tail = statement.get(begin..).unwrap_or_default();
    match closing(tail) {
        Some(end) => list(tail.get(..end).unwrap_or_default(), texts, 0).0,
        None => vec![Value::lost()],
    }
}

/// The place of the bracket that closes a call.
fn closing(tokens: &[Token]) -> Option<usize> {
    let mut nested = 0usize;
    // Bounded: what a call gives that does not end before is lost.
    for (at, token) in tokens.iter().enumerate().take(LOOK) {
        match token {
            Token::Sign('(') => nested += 1,
            Token::Sign(')') if nested == 0 => return Some(at),
            Token::Sign(')') => nested -= 1,
            _ => {}
        }
    }
    None
}

/// Values between commas up to the bracket that closes them, and how many tokens those are.
fn list(tokens: &[Token], texts: &Texts, depth: usize) -> (Vec<Value>, usize) {
    let mut values = Vec::new();
    let mut nested = 0usize;
    let mut begin = 0;
    let mut end = tokens.len();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('(') => nested += 1,
            Token::Sign(')') if nested == 0 => {
                end = at;
                break;
            }
            Token::Sign(')') => nested -= 1,
            Token::Sign(',') if nested == 0 => {
                values.push(value(tokens.get(begin..at).unwrap_or_default(), texts, depth));
                begin = at + 1;
            }
            _ => {}
        }
    }
    values.push(value(tokens.get(begin..end).unwrap_or_default(), texts, depth));
    (values, end + 1)
}

/// The value of an expression.
pub(super) fn value(tokens: &[Token], texts: &Texts, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::one_of_many_values();
    }
    // One of those in it.
    let any = || {
        let mut all = texts.0.clone();
        for token in tokens {
            if let Token::Text(text) = token {
                all = join_values(&all, &known(text.as_str()));
            }
        }
        all
    };
    if tokens
        .iter()
        .any(|token| ["case", "select", "from", "with"].iter().any(|word| token.is(word)))
    {
        return any();
    }
    let mut out = Value::empty();
    let mut rest = tokens;
    while let Some((token, tail)) = rest.split_first() {
        rest = tail;
        match token {
            Token::Text(text) => out.push_str(text),
            Token::Sign('|') => {}
            Token::Sign('(') => {
                let (values, length) = list(tail, texts, depth + 1);
                rest = tail.get(length..).unwrap_or_default();
                values.first().into_iter().for_each(|value| out.append(value));
            }
            Token::Word(word) => match tail.split_first() {
                Some((Token::Sign('('), inside)) => {
                    let (values, length) = list(inside, texts, depth + 1);
                    rest = inside.get(length..).unwrap_or_default();
                    out.append(&called(word, &values, texts));
                }
                // `x'2f65'`: bytes.
                Some((Token::Text(digits), after)) if matches!(word.as_str(), "x" | "e" | "n") => {
                    rest = after;
                    match word.as_str() {
                        "x" => out.append(&bytes(digits).map_or_else(Value::lost, known)),
                        _ => out.push_str(digits),
                    }
                }
                _ if word.starts_with(|c: char| c.is_ascii_digit()) => out.push_str(word),
                _ if matches!(word.as_str(), "null" | "collate" | "as" | "text" | "blob") => {}
                // `t.column`
                Some((Token::Sign('.'), _)) => {}
                _ => out.append(&texts.0),
            },
            Token::Sign('.' | '@' | ':' | '?') => {}
            // `-> '$.a'`: a part of a document.
            Token::Sign(_) => return any(),
        }
        if out.pieces().len() > 64 {
            return Value::one_of_many_values();
        }
    }
    out
}

fn bytes(digits: &str) -> Option<String> {
    let digits: Vec<char> = digits.chars().collect();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).ok())
        .collect();
    String::from_utf8(bytes?).ok()
}

/// What a function gives.
fn called(name: &str, values: &[Value], texts: &Texts) -> Value {
    let joined = || {
        values
            .iter()
            .skip(1)
            .fold(values.first().cloned(), |all, value| all.map(|all| join_values(&all, value)))
    };
    let known_texts: Option<Vec<&str>> = values.iter().map(Value::as_known).collect();
    let computed = known_texts.as_deref().and_then(|values| computed(name, values));
    match (name, computed) {
        (_, Some(text)) => known(text),
        ("iif" | "if", _) => {
            let chosen = values.get(1..).unwrap_or_default();
            chosen.iter().fold(Value::empty(), |all, value| join_values(&all, value))
        }
        ("coalesce" | "ifnull" | "nullif" | "max" | "min" | "cast" | "group_concat", _) => {
            joined().unwrap_or_default()
        }
        ("concat", _) => {
            let mut all = Value::empty();
            values.iter().for_each(|value| all.append(value));
            all
        }
        _ if values.iter().all(|value| value.readings(MAX_ALTERNATIVES).is_some()) => Value::lost(),
        _ => join_values(&texts.0, &Value::unknown("SQL expression")),
    }
}

fn computed(name: &str, values: &[&str]) -> Option<String> {
    let number = |at: usize| values.get(at).and_then(|text| text.trim().parse::<i64>().ok());
    Some(match (name, values) {
        ("lower" | "lcase", [text]) => text.to_lowercase(),
        ("upper" | "ucase", [text]) => text.to_uppercase(),
        ("trim", [text]) => text.trim_matches(' ').to_owned(),
        ("ltrim", [text]) => text.trim_start_matches(' ').to_owned(),
        ("rtrim", [text]) => text.trim_end_matches(' ').to_owned(),
        ("trim", [text, set]) => text.trim_matches(|c| set.contains(c)).to_owned(),
        ("ltrim", [text, set]) => text.trim_start_matches(|c| set.contains(c)).to_owned(),
        ("rtrim", [text, set]) => text.trim_end_matches(|c| set.contains(c)).to_owned(),
        ("replace", [text, from, to]) if !from.is_empty() => text.replace(from, to),
        ("reverse", [text]) => text.chars().rev().collect(),
        ("unhex", [digits]) => bytes(digits)?,
        ("substr" | "substring", [text, ..]) => {
            let count = i64::try_from(text.chars().count()).ok()?;
            let from = number(1)?;
            let from = if from < 0 { count + from } else { from.max(1) - 1 };
            let take = if values.len() > 2 { number(2)? } else { count };
            let skip = usize::try_from(from).ok()?;
            text.chars().skip(skip).take(usize::try_from(take).ok()?).collect()
        }
        ("char" | "chr", numbers) => {
            let letter = |number: &&str| char::from_u32(number.trim().parse().ok()?);
            numbers.iter().map(letter).collect::<Option<String>>()?
        }
        ("printf" | "format", [format, rest @ ..]) => {
            let mut rest = rest.iter();
            let mut out = String::new();
            let mut letters = format.chars();
            while let Some(c) = letters.next() {
                match c {
                    '%' => match letters.next()? {
                        '%' => out.push('%'),
                        's' | 'd' | 'i' => out.push_str(rest.next()?),
                        'c' => out.extend(rest.next()?.chars().next()),
                        _ => return None,
                    },
                    c => out.push(c),
                }
            }
            out
        }
        _ => return None,
    })
}

/// What statements print that only compute; `None` if one does something else.
pub(super) fn printed(tokens: &[Token]) -> Option<String> {
    let texts = Texts(Value::unknown("SQL expression"));
    let mut out = String::new();
    for statement in tokens.split(|token| *token == Token::Sign(';')) {
        let Some((first, rest)) = statement.split_first() else { continue };
        let other = ["from", "where", "union", "limit", "order", "group", "distinct"];
        let plain = !rest.iter().any(|token| other.iter().any(|word| token.is(word)));
        if !first.is("select") || !plain || rest.contains(&Token::Sign('*')) {
            return None;
        }
        let values = list(rest, &texts, 0).0;
        let row: Option<Vec<&str>> = values.iter().map(Value::as_known).collect();
        out.push_str(&row?.join("|"));
        out.push('\n');
    }
    Some(out)
}
