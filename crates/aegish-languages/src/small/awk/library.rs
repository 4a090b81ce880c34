//! awk: functions, its own and those of the program.

use super::expressions::letters;
use super::parse::{Expr, Statement};
use super::run::Awk;
use super::values::{Array, Datum, changed, computed, formatted, substr};
use aegish_emulate::Expression;
use aegish_values::{MAX_ALTERNATIVES, Value, join_values, origin};

/// Most parts of a text.
const MAX_PARTS: usize = 4096;

impl Awk<'_> {
    pub(super) fn call(&mut self, name: &str, arguments: &[Expr]) -> Datum {
        let program = self.program;
        if let Some((parameters, body)) = program.functions.get(name) {
            return self.call_own(parameters, body, arguments);
        }
        match name {
            "split" => return self.split(arguments),
            "sub" | "gsub" => return self.substitute(name == "gsub", arguments),
            "match" => return self.match_text(arguments),
            _ => {}
        }
        if name == "length"
            && let [Expr::Variable(array)] = arguments
            && program.arrays.contains(array)
        {
            let array = self.memory.arrays.get(&self.array(array));
            return match array {
                Some(array) if array.elsewhere.is_some() => {
                    Datum::Input(Value::unknown(origin::NUMBER))
                }
                array => Datum::Number(array.map_or(0, |array| array.items.len()) as f64),
            };
        }
        let data: Vec<Datum> = arguments.iter().map(|argument| self.value(argument)).collect();
        let values: Vec<Value> = data.iter().map(Datum::text).collect();
        let number = |at: usize| data.get(at).and_then(Datum::number);
        let first = values.first().cloned().unwrap_or_default();
        match name {
            "system" => {
                self.lost = true;
                self.execute(first);
                Datum::Input(Value::unknown(origin::EXIT_STATUS))
            }
            "close" => {
                if let Some(name) = first.as_known() {
                    self.close(name);
                }
                Datum::Number(0.0)
            }
            "fflush" | "srand" => Datum::Number(0.0),
            "tolower" => letters(&first, |text| text.to_ascii_lowercase()),
            "toupper" => letters(&first, |text| text.to_ascii_uppercase()),
            "substr" => {
                let place = (number(1), data.len() > 2, number(2));
                Datum::Text(changed(
                    &first,
                    values.get(1..).unwrap_or_default(),
                    |text| match place {
                        (Some(from), false, _) => substr(text, from, None),
                        (Some(from), true, Some(length)) => substr(text, from, Some(length)),
                        _ => None,
                    },
                ))
            }
            "length" => {
                let text = if arguments.is_empty() { self.field(0) } else { first };
                // Some versions count bytes.
                match text.as_known().filter(|text| text.is_ascii()) {
                    Some(text) => Datum::Number(text.len() as f64),
                    None => Datum::Input(Value::unknown(origin::LENGTH)),
                }
            }
            "index" => match (first.as_known(), values.get(1).and_then(Value::as_known)) {
                (Some(text), Some(part)) if text.is_ascii() => {
                    let at = text.find(part).and_then(|at| text.get(..at));
                    Datum::Number(at.map_or(0, |before| before.chars().count() + 1) as f64)
                }
                _ => Datum::Input(Value::unknown(origin::NUMBER)),
            },
            "sprintf" => match data.split_first() {
                Some((format, values)) => Datum::Text(formatted(&format.text(), values)),
                None => Datum::Unset,
            },
            "int" => match number(0) {
                Some(number) => Datum::Number(number.trunc()),
                None => Datum::Input(Value::unknown(origin::NUMBER)),
            },
            "strtonum" => {
                self.lost = true;
                let text = first.as_known().unwrap_or_default();
                let hex = text.strip_prefix("0x").and_then(|hex| i64::from_str_radix(hex, 16).ok());
                let octal =
                    text.strip_prefix('0').and_then(|octal| i64::from_str_radix(octal, 8).ok());
                match hex.or(octal).map(|number| number as f64).or(number(0)) {
                    Some(number) => Datum::Number(number),
                    None => Datum::Input(Value::unknown(origin::NUMBER)),
                }
            }
            "and" | "or" | "xor" | "lshift" | "rshift" if self.not_everywhere() => {
                match (number(0), number(1)) {
                    (Some(a), Some(b)) => {
                        let (a, b) = (a as u64, b as u64);
                        Datum::Number(match name {
                            "and" => a & b,
                            "or" => a | b,
                            "xor" => a ^ b,
                            "lshift" => a.checked_shl(b as u32).unwrap_or(0),
                            _ => a.checked_shr(b as u32).unwrap_or(0),
                        } as f64)
                    }
                    _ => Datum::Input(Value::unknown(origin::NUMBER)),
                }
            }
            "rand" | "systime" | "strftime" | "mktime" => {
                self.lost = true;
                Datum::Input(Value::unknown("computed"))
            }
            "sqrt" | "exp" | "log" | "sin" | "cos" | "atan2" | "range" | "either" => {
                self.lost = true;
                Datum::Input(Value::unknown(origin::NUMBER))
            }
            _ => {
                self.lost = true;
                Datum::Input(computed(&values))
            }
        }
    }

    /// Notes that some versions of awk do not know this.
    fn not_everywhere(&mut self) -> bool {
        self.lost = true;
        true
    }

    /// A function of the program. Its parameters are variables of its own; arrays are those of the caller.
    fn call_own(&mut self, parameters: &[String], body: &[Statement], arguments: &[Expr]) -> Datum {
        let mut given = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let argument = arguments.get(at);
            let array = match argument {
                Some(Expr::Variable(name)) if self.program.arrays.contains(parameter) => {
                    Some(self.array(name))
                }
                None if self.program.arrays.contains(parameter) => {
                    Some(format!("{parameter} {}", self.calls))
                }
                _ => None,
            };
            let value = match (&array, argument) {
                (None, Some(argument)) => self.value(argument),
                _ => Datum::Unset,
            };
            if let (Some(array), None) = (&array, argument) {
                self.memory.arrays.insert(array.clone(), Array::default());
            }
            given.push((parameter, array, value));
        }
        if !self.enter() {
            return Datum::Input(Value::one_of_many_values());
        }
        let mut before = Vec::new();
        for (parameter, array, value) in given {
            let alias = format!("{parameter}[]");
            let array = array.map(Datum::known);
            before.push((parameter.clone(), self.memory.scalars.remove(parameter)));
            before.push((alias.clone(), self.memory.scalars.remove(&alias)));
            self.memory.scalars.insert(parameter.clone(), value);
            array.map(|array| self.memory.scalars.insert(alias, array));
        }
        let outer = self.memory.returned.take();
        self.block(body);
        let value = std::mem::replace(&mut self.memory.returned, outer);
        for (name, value) in before {
            match value {
                Some(value) => self.memory.scalars.insert(name, value),
                None => self.memory.scalars.remove(&name),
            };
        }
        self.calls -= 1;
        value.unwrap_or(Datum::Unset)
    }

    /// `split(text, array, separator)`
    fn split(&mut self, arguments: &[Expr]) -> Datum {
        let [text, Expr::Variable(array), rest @ ..] = arguments else { return Datum::Unset };
        let text = self.value(text).text();
        let separator = match rest.first() {
            Some(Expr::Regex(regex)) => Value::known(format!("({regex})")),
            Some(other) => self.value(other).text(),
            None => self.special("FS", " "),
        };
        let array = self.array(array);
        let parts = match (text.readings(MAX_ALTERNATIVES), separator.as_known()) {
            (Some(texts), Some(separator)) => {
                texts.iter().map(|text| parts(text, separator)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let array = self.memory.arrays.entry(array).or_default();
        *array = Array::default();
        match parts.as_deref() {
            Some([parts]) => {
                let items = parts.iter().enumerate();
                array.items = items
                    .map(|(at, part)| {
                        ((at + 1).to_string(), Datum::Input(Value::known(part.as_str())))
                    })
                    .collect();
                Datum::Number(parts.len() as f64)
            }
            Some(several) => {
                let texts = several.iter().flatten().cloned();
                array.elsewhere = Some(Datum::Input(Value::one_of(texts)));
                Datum::Input(Value::unknown(origin::COUNTER))
            }
            None => {
                array.elsewhere = Some(Datum::Input(computed(&[text])));
                Datum::Input(Value::unknown(origin::NUMBER))
            }
        }
    }

    /// `sub`, `gsub`
    fn substitute(&mut self, all: bool, arguments: &[Expr]) -> Datum {
        let [regex, by, rest @ ..] = arguments else { return Datum::Unset };
        let regex = self.regex(regex);
        let by = self.value(by).text();
        let whole = Expr::Field(Box::new(Expr::Number(0.0)));
        let target = rest.first().unwrap_or(&whole);
        let text = self.value(target).text();
        let done = text.as_known().zip(regex.as_known()).zip(by.as_known());
        let done = done.and_then(|((text, regex), by)| substituted(text, regex, by, all));
        if let Some((new, count)) = done {
            if count > 0 {
                self.assign(target, Datum::Text(Value::known(new).tainted(text.taint())));
            }
            return Datum::Number(count as f64);
        }
        self.lost = true;
        let new = computed(&[text.clone(), by.clone(), regex]);
        // Text that the program says may be all that is left.
        let new = match new.is_one_of_many_values() {
            true => new,
            false => join_values(&join_values(&new, &by), &text),
        };
        self.assign(target, Datum::Input(new));
        Datum::Input(Value::unknown(origin::NUMBER))
    }

    fn regex(&mut self, expression: &Expr) -> Value {
        match expression {
            Expr::Regex(regex) => Value::known(regex.replace("\\/", "/")),
            other => self.value(other).text(),
        }
    }

    /// `match(text, expression, array)`
    fn match_text(&mut self, arguments: &[Expr]) -> Datum {
        let [text, regex, rest @ ..] = arguments else { return Datum::Unset };
        let text = self.value(text).text();
        let regex = self.regex(regex);
        let found = text.as_known().zip(regex.as_known()).and_then(|(text, regex)| {
            let found = expression(regex)?.find(text, 0)?;
            Some((text, found.unwrap_or_default()))
        });
        let found = found.filter(|(text, _)| text.is_ascii());
        let Some((text, found)) = found else {
            let number = || Datum::Input(Value::unknown(origin::NUMBER));
            for name in ["RSTART", "RLENGTH"] {
                self.assign_name(name, number());
            }
            if let Some(Expr::Variable(array)) = rest.first() {
                let array = self.array(array);
                let array = self.memory.arrays.entry(array).or_default();
                array.elsewhere = Some(Datum::Input(computed(&[text])));
            }
            return number();
        };
        let characters = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
        let (start, length) = match found.first().copied().flatten() {
            Some((start, end)) => {
                (characters(text.get(..start)) + 1, characters(text.get(start..end)) as f64)
            }
            None => (0, -1.0),
        };
        let groups: Vec<String> = found
            .iter()
            .map(|range| {
                range.and_then(|(start, end)| text.get(start..end)).unwrap_or_default().to_owned()
            })
            .collect();
        self.assign_name("RSTART", Datum::Number(start as f64));
        self.assign_name("RLENGTH", Datum::Number(length));
        if let Some(Expr::Variable(array)) = rest.first() {
            let array = self.array(array);
            let items = groups.into_iter().enumerate();
            let items = items
                .map(|(at, part)| (at.to_string(), Datum::Input(Value::known(part))))
                .collect();
            self.memory.arrays.insert(array, Array { items, elsewhere: None });
        }
        Datum::Number(start as f64)
    }
}

/// A regular expression that means the same in every version of awk: not all of them know counts and classes with a
/// backslash.
pub(super) fn expression(regex: &str) -> Option<Expression> {
    let mut letters = regex.chars().peekable();
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('\\', Some('y' | 'B' | '<' | '>' | 'w' | 'W' | 's' | 'S' | '`' | '\'')) => {
                return None;
            }
            ('\\', _) => {
                letters.next();
            }
            ('{', Some(digit)) if digit.is_ascii_digit() => return None,
            _ => {}
        }
    }
    Expression::new(regex)
}

/// The parts of a text between separators, as `split` and fields have them.
pub(super) fn parts(text: &str, separator: &str) -> Option<Vec<String>> {
    let strings = |parts: Vec<&str>| parts.into_iter().map(str::to_owned).collect::<Vec<String>>();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let parts = match separator {
        " " => strings(text.split([' ', '\t', '\n']).filter(|part| !part.is_empty()).collect()),
        "" if !text.is_ascii() => return None,
        "" => text.chars().map(String::from).collect(),
        one if one.len() == 1 && one != "\\" => strings(text.split(one).collect()),
        regex => {
            let expression = expression(&regex.replace("\\/", "/"))?;
            let mut parts = Vec::new();
            let (mut begin, mut from) = (0, 0);
            while let Some(found) = expression.find(text, from)? {
                let (start, end) = found.first().copied().flatten()?;
                if end == start {
                    from = next(text, start)?;
                    continue;
                }
                parts.push(text.get(begin..start)?.to_owned());
                (begin, from) = (end, end);
                if parts.len() > MAX_PARTS {
                    return None;
                }
            }
            parts.push(text.get(begin..)?.to_owned());
            parts
        }
    };
    (parts.len() <= MAX_PARTS).then_some(parts)
}

/// The place of the character behind this one; `None` at the end.
fn next(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.chars().next().map(|c| at + c.len_utf8())
}

/// The text with matches replaced, and how many there were.
fn substituted(text: &str, regex: &str, by: &str, all: bool) -> Option<(String, usize)> {
    let expression = expression(regex)?;
    let mut out = String::new();
    let (mut begin, mut from, mut count) = (0, 0, 0);
    while let Some(found) = expression.find(text, from)? {
        let (start, end) = found.first().copied().flatten()?;
        out.push_str(text.get(begin..start)?);
        let mut letters = by.chars();
        while let Some(c) = letters.next() {
            match c {
                '\\' => match letters.next() {
                    Some(c @ ('&' | '\\')) => out.push(c),
                    Some(c) => out.extend(['\\', c]),
                    None => out.push('\\'),
                },
                '&' => out.push_str(text.get(start..end)?),
                c => out.push(c),
            }
        }
        count += 1;
        begin = end;
        if !all || count > MAX_PARTS {
            break;
        }
        from = end;
        if end == start {
            let Some(after) = next(text, end) else { break };
            out.push_str(text.get(end..after)?);
            (begin, from) = (after, after);
        } else if end == text.len() {
            break;
        }
    }
    out.push_str(text.get(begin..)?);
    Some((out, count))
}
