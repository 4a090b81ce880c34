//! `printf` as bash's builtin.
//!
//! `-v` (which assigns instead of printing), `%n`, `%a` and `%(…)T` are not emulated.

use super::MAX_OUTPUT;
use super::echo::{AfterEscape, EscapeContext, escape, unescape};

pub(super) fn printf(args: &[&str]) -> Option<Vec<u8>> {
    let args = match args.split_first()? {
        (&"--", rest) => rest,
        (first, _) if first.len() > 1 && first.starts_with('-') => return None,
        _ => args,
    };
    let (format, mut values) = args.split_first()?;
    let mut out = Vec::new();
    loop {
        let before = values.len();
        if once(format, &mut values, &mut out)? == AfterEscape::Stop {
            break;
        }
        if out.len() > MAX_OUTPUT {
            return None;
        }
        if values.is_empty() || values.len() == before {
            break;
        }
    }
    Some(out)
}

/// Flags, width and precision of one conversion.
#[derive(Default, Clone, Copy)]
struct ConversionSpec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

fn next<'a>(values: &mut &[&'a str]) -> &'a str {
    match values.split_first() {
        Some((first, rest)) => {
            *values = rest;
            first
        }
        None => "",
    }
}

/// Goes through the format once.
fn once(format: &str, values: &mut &[&str], out: &mut Vec<u8>) -> Option<AfterEscape> {
    let mut rest = format;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\\' => {
                escape(&mut rest, EscapeContext::Format, out);
            }
            '%' => {
                if let Some(tail) = rest.strip_prefix('%') {
                    out.push(b'%');
                    rest = tail;
                } else if convert(&mut rest, values, out)? == AfterEscape::Stop {
                    return Some(AfterEscape::Stop);
                }
            }
            other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Some(AfterEscape::Continue)
}

fn convert(rest: &mut &str, values: &mut &[&str], out: &mut Vec<u8>) -> Option<AfterEscape> {
    let mut spec = ConversionSpec::default();
    loop {
        match rest.chars().next()? {
            '-' => spec.left = true,
            '+' => spec.plus = true,
            ' ' => spec.space = true,
            '#' => spec.alternate = true,
            '0' => spec.zero = true,
            '\'' => {}
            _ => break,
        }
        *rest = rest.get(1..).unwrap_or_default();
    }
    if let Some(width) = number(rest, values)? {
        spec.left |= width < 0;
        spec.width = usize::try_from(width.unsigned_abs()).ok()?;
    }
    if let Some(tail) = rest.strip_prefix('.') {
        *rest = tail;
        // A negative precision from `*` is ignored.
        spec.precision = usize::try_from(number(rest, values)?.unwrap_or(0)).ok();
    }
    if spec.width > MAX_OUTPUT || spec.precision.is_some_and(|precision| precision > MAX_OUTPUT) {
        return None;
    }
    *rest = rest.trim_start_matches(['h', 'l', 'L', 'j', 't', 'z']);
    let letter = rest.chars().next()?;
    *rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    match letter {
        's' => pad_text(next(values).as_bytes(), spec, out),
        'c' => pad_text(next(values).as_bytes().get(..1).unwrap_or(b"\0"), spec, out),
        'b' => {
            let mut text = Vec::new();
            let then = unescape(next(values), EscapeContext::PercentB, &mut text);
            pad_text(&text, spec, out);
            return Some(then);
        }
        'q' | 'Q' => pad_text(quoted(next(values)).as_bytes(), spec, out),
        'd' | 'i' => {
            let value = integer(next(values))?;
            let value = i64::try_from(value.clamp(i64::MIN.into(), i64::MAX.into())).ok()?;
            let sign = sign(value < 0, spec);
            pad_number(sign, &value.unsigned_abs().to_string(), spec, out);
        }
        'u' | 'o' | 'x' | 'X' => {
            let value = integer(next(values))?;
            // Negative numbers wrap around. Larger numbers become the maximum.
            let value = if value < 0 {
                i64::try_from(value.max(i64::MIN.into())).ok()? as u64
            } else {
                u64::try_from(value).unwrap_or(u64::MAX)
            };
            let (prefix, digits) = match letter {
                'u' => ("", value.to_string()),
                'o' => (
                    "",
                    format!("{}{value:o}", if spec.alternate && value != 0 { "0" } else { "" }),
                ),
                'x' => (if spec.alternate && value != 0 { "0x" } else { "" }, format!("{value:x}")),
                _ => (if spec.alternate && value != 0 { "0X" } else { "" }, format!("{value:X}")),
            };
            pad_number(prefix, &digits, spec, out);
        }
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => real(letter, next(values), spec, out)?,
        _ => return None,
    }
    Some(AfterEscape::Continue)
}

/// A width or precision: digits, or `*` for the next argument.
fn number(rest: &mut &str, values: &mut &[&str]) -> Option<Option<i64>> {
    if let Some(tail) = rest.strip_prefix('*') {
        *rest = tail;
        return Some(Some(i64::try_from(integer(next(values))?).ok()?));
    }
    let digits = super::echo::take(rest, 10, 9);
    Some(digits.parse().ok())
}

fn sign(negative: bool, spec: ConversionSpec) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn pad_text(text: &[u8], spec: ConversionSpec, out: &mut Vec<u8>) {
    let text = text.get(..spec.precision.unwrap_or(text.len()).min(text.len())).unwrap_or_default();
    let fill = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
    out.extend_from_slice(text);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', fill));
    }
}

fn pad_number(sign: &str, digits: &str, spec: ConversionSpec, out: &mut Vec<u8>) {
    let digits = match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None if spec.zero && !spec.left => {
            format!("{digits:0>width$}", width = spec.width.saturating_sub(sign.len()))
        }
        None => digits.to_owned(),
    };
    pad_text(format!("{sign}{digits}").as_bytes(), ConversionSpec { precision: None, ..spec }, out);
}

/// Reads an integer as C does. Bash reports text after the number but uses the number.
fn integer(text: &str) -> Option<i128> {
    if let Some(character) = text.strip_prefix(['\'', '"']) {
        return Some(character.chars().next().map_or(0, |c| i128::from(u32::from(c))));
    }
    let text = text.trim_start();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (text, base) = match hex {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => (digits, 16),
        _ if text.starts_with('0') => (text, 8),
        _ => (text, 10),
    };
    let mut value: i128 = 0;
    for digit in text.chars().map_while(|c| c.to_digit(base)) {
        value = (value * i128::from(base) + i128::from(digit)).min(1 << 80);
    }
    Some(if negative { -value } else { value })
}

/// Formats a floating point number. Bash computes with more digits than `f64` has, so only short precisions
/// agree.
fn real(letter: char, text: &str, spec: ConversionSpec, out: &mut Vec<u8>) -> Option<()> {
    let precision = spec.precision.unwrap_or(6);
    let text = text.trim();
    if precision > 12 || text.len() > 15 {
        return None;
    }
    let value: f64 = match text {
        "" => 0.0,
        _ if text.starts_with(['\'', '"']) || text.contains(['x', 'X', 'n', 'N']) => return None,
        _ => text.parse().ok()?,
    };
    let size = value.abs();
    let mut digits = match letter.to_ascii_lowercase() {
        'f' => format!("{size:.precision$}"),
        'e' => exponent(size, precision),
        _ => {
            let significant = precision.max(1);
            let scientific = exponent(size, significant - 1);
            let power: i32 = scientific.split_once('e')?.1.parse().ok()?;
            let plain = power >= -4 && power < i32::try_from(significant).ok()?;
            let text = if plain {
                let decimals =
                    usize::try_from(i32::try_from(significant).ok()? - 1 - power).ok()?;
                format!("{size:.decimals$}")
            } else {
                scientific
            };
            if spec.alternate { text } else { without_trailing_zeros(&text) }
        }
    };
    if letter.is_ascii_uppercase() {
        digits = digits.to_ascii_uppercase();
    }
    let sign = sign(value.is_sign_negative(), spec);
    pad_number(sign, &digits, ConversionSpec { precision: None, ..spec }, out);
    Some(())
}

fn exponent(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

fn without_trailing_zeros(text: &str) -> String {
    let (mantissa, power) = match text.split_once('e') {
        Some((mantissa, power)) => (mantissa, format!("e{power}")),
        None => (text, String::new()),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{power}")
}

/// `%q`: backslashes, or `$'…'` if there are control characters.
fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::new();
    if text.chars().any(char::is_control) {
        out.push_str("$'");
        for c in text.chars() {
            match c {
                '\x07' => out.push_str("\\a"),
                '\x08' => out.push_str("\\b"),
                '\x1b' => out.push_str("\\E"),
                '\x0c' => out.push_str("\\f"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\x0b' => out.push_str("\\v"),
                '\\' | '\'' => out.extend(['\\', c]),
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        out.push_str(&format!("\\{byte:03o}"));
                    }
                }
                c => out.push(c),
            }
        }
        out.push('\'');
        return out;
    }
    let mut previous = None;
    for c in text.chars() {
        let special = match c {
            ' ' | '\'' | '!' | '"' | '$' | '&' | '(' | ')' | '*' | ',' | ';' | '<' | '>' | '?'
            | '[' | '\\' | ']' | '^' | '`' | '{' | '|' | '}' => true,
            '#' => previous.is_none(),
            '~' => matches!(previous, None | Some('=' | ':')),
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(c);
        previous = Some(c);
    }
    out
}
