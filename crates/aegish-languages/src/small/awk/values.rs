//! awk: values of variables, numbers and texts, and functions that only compute.

use aegish_values::{MAX_ALTERNATIVES, Value, join_values, widen_value};
use std::collections::BTreeMap;

/// A value of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Datum {
    /// Nothing was put in.
    Unset,
    Number(f64),
    Text(Value),
    /// Text that was read, which is a number if it looks like one.
    Input(Value),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Array {
    pub(super) items: BTreeMap<String, Datum>,
    /// What was put in at places that are not known.
    pub(super) elsewhere: Option<Datum>,
}

/// The number at the start of a text.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim_start();
    let mut best = 0.0;
    let sign = usize::from(text.starts_with(['-', '+']));
    let numeric = |c: char| c.is_ascii_digit() || ".eE+-".contains(c);
    let end = text.get(sign..).and_then(|rest| rest.find(|c| !numeric(c)));
    let longest = end.map_or(text.len(), |end| end + sign);
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < longest.min(40)) {
        let value = text.get(..at + c.len_utf8()).and_then(|part| part.parse::<f64>().ok());
        best = value.unwrap_or(best);
    }
    best
}

/// Whether some versions of awk read another number in a text than others.
fn is_hexadecimal(text: &str) -> bool {
    let digits = text.trim_start().trim_start_matches(['-', '+']);
    digits.starts_with("0x") || digits.starts_with("0X")
}

fn looks_numeric(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    text.parse().ok().filter(|_| plain)
}

/// A number as awk prints it.
pub(super) fn printed(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e16 {
        return format!("{value:.0}");
    }
    general(value, 6, false)
}

/// `%g`
pub(super) fn general(value: f64, precision: usize, keeps: bool) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan".to_owned() } else { format!("{value}") };
    }
    let digits = precision.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') && !keeps {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    trim(&format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
}

impl Datum {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self::Text(Value::known(text.into()))
    }

    pub(super) fn text(&self) -> Value {
        match self {
            Self::Unset => Value::empty(),
            Self::Number(number) => Value::known(printed(*number)),
            Self::Text(text) | Self::Input(text) => text.clone(),
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Unset => Some(0.0),
            Self::Number(number) => Some(*number),
            Self::Text(text) | Self::Input(text) => {
                text.as_known().filter(|text| !is_hexadecimal(text)).map(number)
            }
        }
    }

    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Unset => Some(false),
            Self::Number(number) => Some(*number != 0.0),
            Self::Text(text) => text.as_known().map(|text| !text.is_empty()),
            Self::Input(text) => {
                let text = text.as_known().filter(|text| !is_hexadecimal(text))?;
                Some(looks_numeric(text).map_or(!text.is_empty(), |number| number != 0.0))
            }
        }
    }

    fn as_number(&self) -> Option<Option<f64>> {
        Some(match self {
            Self::Unset => Some(0.0),
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
            Self::Input(text) => {
                looks_numeric(text.as_known().filter(|text| !is_hexadecimal(text))?)
            }
        })
    }

    /// How the two compare, if both are known.
    pub(super) fn order(&self, other: &Self) -> Option<std::cmp::Ordering> {
        if let (Some(a), Some(b)) = (self.as_number()?, other.as_number()?) {
            return a.partial_cmp(&b);
        }
        Some(self.text().as_known()?.cmp(other.text().as_known()?))
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        Self::Input(join_values(&self.text(), &other.text()))
    }

    pub(super) fn widen(&self, before: &Self) -> Self {
        if self == before {
            return self.clone();
        }
        Self::Input(widen_value(&self.text(), &before.text()))
    }
}

/// Whether all of a value stands in what is judged.
pub(super) fn is_own(value: &Value) -> bool {
    value.is_one_of_many_values()
        || value.is_one_of_own()
        || value.readings(MAX_ALTERNATIVES).is_some()
}

/// What is made of these values in a way that is not followed.
pub(super) fn computed(from: &[Value]) -> Value {
    let mut value = match from.iter().all(is_own) {
        true => Value::one_of_many_values(),
        false => Value::unknown("computed"),
    };
    for part in from {
        value = value.tainted(part.taint());
    }
    value
}

/// The value with a change made to each of its texts.
pub(super) fn changed(
    value: &Value,
    others: &[Value],
    change: impl Fn(&str) -> Option<String>,
) -> Value {
    let texts = value.readings(MAX_ALTERNATIVES);
    let texts: Option<Vec<String>> =
        texts.and_then(|texts| texts.iter().map(|text| change(text)).collect());
    match texts {
        Some(texts) => Value::one_of(texts).tainted(value.taint()),
        None => computed(&[std::slice::from_ref(value), others].concat()),
    }
}

/// `substr`
pub(super) fn substr(text: &str, from: f64, length: Option<f64>) -> Option<String> {
    // Versions differ in rounding, in places before the text, and in whether they count bytes.
    let whole = from.fract() == 0.0 && length.is_none_or(|length| length.fract() == 0.0);
    if !whole || from < 1.0 && length.is_some() || !text.is_ascii() {
        return None;
    }
    let end = length.map_or(f64::INFINITY, |length| from + length);
    let inside = |at: usize| (at + 1) as f64 >= from && ((at + 1) as f64) < end;
    Some(text.chars().enumerate().filter(|(at, _)| inside(*at)).map(|(_, c)| c).collect())
}

/// `sprintf`: the parts of the format with their values in place.
pub(super) fn formatted(format: &Value, values: &[Datum]) -> Value {
    let all = || {
        let texts: Vec<Value> = values.iter().map(Datum::text).collect();
        computed(&[std::slice::from_ref(format), &texts].concat())
    };
    let Some(text) = format.as_known() else { return all() };
    let mut values = values.iter();
    let mut out = Value::empty();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c != '%' {
            out.push_str(c.encode_utf8(&mut [0; 4]));
            continue;
        }
        if letters.peek() == Some(&'%') {
            letters.next();
            out.push_str("%");
            continue;
        }
        let mut flags = String::new();
        while let Some(flag) = letters.next_if(|c| "-+ #0'".contains(*c)) {
            flags.push(flag);
        }
        let Some(width) = letters_size(&mut letters, &mut values) else { return all() };
        let mut precision = None;
        if letters.next_if_eq(&'.').is_some() {
            let Some(given) = letters_size(&mut letters, &mut values) else { return all() };
            precision = Some(given.unwrap_or(0));
        }
        let Some(kind) = letters.next() else { break };
        // Without a value some versions print nothing at all.
        let Some(value) = values.next().cloned() else { return all() };
        let plain = width.is_none() && precision.is_none();
        if kind == 's' && plain {
            out.append(&value.text());
            continue;
        }
        let made = conversion(kind, &value, &flags, precision);
        let Some(made) = made else {
            out.append(&computed(&[value.text()]));
            continue;
        };
        let missing = width.unwrap_or(0).min(4096).saturating_sub(made.chars().count());
        let zeros = flags.contains('0') && !flags.contains('-') && !"sc".contains(kind);
        let made = match (flags.contains('-'), zeros) {
            (true, _) => format!("{made}{}", " ".repeat(missing)),
            (_, true) => {
                let (sign, digits) = match made.strip_prefix('-') {
                    Some(digits) => ("-", digits),
                    None => ("", made.as_str()),
                };
                format!("{sign}{}{digits}", "0".repeat(missing))
            }
            _ => format!("{}{made}", " ".repeat(missing)),
        };
        out.push_str(&made);
    }
    out
}

fn letters_size<'d>(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    values: &mut impl Iterator<Item = &'d Datum>,
) -> Option<Option<usize>> {
    if letters.next_if_eq(&'*').is_some() {
        return values.next()?.number().map(|number| Some(number.abs() as usize));
    }
    let mut digits = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    Some(digits.parse().ok())
}

fn conversion(kind: char, value: &Datum, flags: &str, precision: Option<usize>) -> Option<String> {
    let precision = precision.map(|precision| precision.min(4096));
    let signed = |text: String| match flags.contains('+') && !text.starts_with('-') {
        true => format!("+{text}"),
        false => text,
    };
    Some(match kind {
        's' => {
            let text = value.text();
            // Some versions count bytes.
            let text = text.as_known().filter(|text| text.is_ascii())?;
            text.chars().take(precision.unwrap_or(usize::MAX)).collect()
        }
        'c' => match value {
            Datum::Number(code) => {
                let code = Some(*code as u32).filter(|code| *code < 128)?;
                char::from_u32(code)?.to_string()
            }
            // A number that was read is a letter in some versions, its code in others.
            other => {
                let text = other.text();
                let text = text.as_known().filter(|text| text.is_ascii())?;
                let read = matches!(other, Datum::Input(_)) && looks_numeric(text).is_some();
                (!read).then(|| text.chars().take(1).collect())?
            }
        },
        'd' | 'i' => signed(format!("{:.0}", value.number()?.trunc())),
        'x' => format!("{:x}", value.number()? as i64),
        'X' => format!("{:X}", value.number()? as i64),
        'o' => format!("{:o}", value.number()? as i64),
        'u' => format!("{}", value.number()? as u64),
        'f' | 'F' => signed(format!("{:.*}", precision.unwrap_or(6), value.number()?)),
        'e' | 'E' => return None,
        'g' | 'G' => signed(general(value.number()?, precision.unwrap_or(6), false)),
        _ => return None,
    })
}
