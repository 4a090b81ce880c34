//! `awk` programs that only rearrange fields and print.
//!
//! Supports one or more `pattern { print … }` rules with fields, literals, a few string functions and
//! concatenation. Variables, loops and everything that runs or opens something are refused;
//! `aegish-languages` finds the effects of such programs.

mod parse;

use super::echo::push_code;
use super::options::parse;
use super::regex::Regex;
use super::{MAX_OUTPUT, ProgramCall, split_lines};

enum RuleCondition {
    Begin,
    Always,
    Line(usize),
    Matches(Box<Regex>),
    End,
}

struct AwkRule {
    when: RuleCondition,
    statements: Vec<Statement>,
}

struct Statement {
    /// `printf`: the first expression is a format and nothing is added.
    formatted: bool,
    values: Vec<Expr>,
}

enum Expr {
    Text(String),
    Number(f64),
    Field(Box<Expr>),
    FieldCount,
    LineNumber,
    Join(Vec<Expr>),
    Minus(Box<Expr>, Box<Expr>),
    Call(&'static str, Vec<Expr>),
}

pub(super) fn awk(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "F:v:", &[("field-separator", 'F'), ("assign", 'v')])?;
    let assigned: Option<Vec<(&str, &str)>> = parsed
        .given
        .iter()
        .filter(|(letter, _)| *letter == 'v')
        .map(|(_, text)| text.split_once('=').filter(|(_, value)| !value.contains('\\')))
        .collect();
    let assigned = assigned?;
    // Variables of awk itself change how it reads and prints.
    if assigned.iter().any(|(name, _)| !name.contains(|c: char| c.is_ascii_lowercase())) {
        return None;
    }
    let separator = match parsed.value('F') {
        None | Some(" ") => None,
        Some("t" | "\\t") => Some("\t"),
        Some("\\|" | "[|]") => Some("|"),
        Some("\\." | "[.]") => Some("."),
        Some(one) if one.len() == 1 && one != "\\" => Some(one),
        Some(text)
            if !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || ":,; =_-/".contains(c)) =>
        {
            Some(text)
        }
        Some(_) => return None,
    };
    let (program, files) = parsed.operands.split_first()?;
    // awk reads an operand `name=value` as an assignment.
    if files.iter().any(|file| file.contains('=')) {
        return None;
    }
    // A pattern that always fits prints every line.
    let program = if program.trim() == "1" { "{print}" } else { program };
    let rules = parse::program(program, &assigned)?;
    let mut out = Vec::new();
    let line = Line { text: "", fields: Vec::new(), number: 0 };
    for rule in rules.iter().filter(|rule| matches!(rule.when, RuleCondition::Begin)) {
        rule.run(&line, &mut out)?;
    }
    if rules.iter().all(|rule| matches!(rule.when, RuleCondition::Begin)) {
        return Some(out);
    }
    let input = call.input(files)?;
    let mut count = 0;
    for text in split_lines(&input) {
        let text = std::str::from_utf8(text).ok()?;
        count += 1;
        let fields = match separator {
            None => text.split([' ', '\t', '\n']).filter(|field| !field.is_empty()).collect(),
            Some(_) if text.is_empty() => Vec::new(),
            Some(separator) => text.split(separator).collect(),
        };
        let line = Line { text, fields, number: count };
        for rule in &rules {
            let applies = match &rule.when {
                RuleCondition::Begin | RuleCondition::End => false,
                RuleCondition::Always => true,
                RuleCondition::Line(number) => *number == count,
                RuleCondition::Matches(regex) => regex.find(text.as_bytes(), 0)?.is_some(),
            };
            if applies {
                rule.run(&line, &mut out)?;
            }
        }
        if out.len() > MAX_OUTPUT {
            return None;
        }
    }
    if rules.iter().any(|rule| matches!(rule.when, RuleCondition::End)) {
        return None;
    }
    Some(out)
}

struct Line<'a> {
    text: &'a str,
    fields: Vec<&'a str>,
    number: usize,
}

enum Datum {
    Text(String),
    Number(f64),
}

impl Datum {
    fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                Some(format!("{number:.0}"))
            }
            Self::Number(_) => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
        }
    }
}

impl AwkRule {
    fn run(&self, line: &Line<'_>, out: &mut Vec<u8>) -> Option<()> {
        for statement in &self.statements {
            let values: Vec<Datum> =
                statement.values.iter().map(|value| value.of(line)).collect::<Option<_>>()?;
            if statement.formatted {
                let (format, values) = values.split_first()?;
                formatted(&format.text()?, values, out)?;
            } else if values.is_empty() {
                out.extend_from_slice(line.text.as_bytes());
                out.push(b'\n');
            } else {
                let texts: Vec<String> = values.iter().map(Datum::text).collect::<Option<_>>()?;
                out.extend(texts.join(" ").into_bytes());
                out.push(b'\n');
            }
        }
        Some(())
    }
}

impl Expr {
    fn of(&self, line: &Line<'_>) -> Option<Datum> {
        Some(match self {
            Self::Text(text) => Datum::Text(text.clone()),
            Self::Number(number) => Datum::Number(*number),
            Self::FieldCount => Datum::Number(line.fields.len() as f64),
            Self::LineNumber => Datum::Number(line.number as f64),
            Self::Field(index) => {
                let index = index.of(line)?.number()?;
                if !(0.0..=1e6).contains(&index) {
                    return None;
                }
                let index = index as usize;
                let text = match index.checked_sub(1) {
                    None => line.text,
                    Some(index) => line.fields.get(index).copied().unwrap_or(""),
                };
                Datum::Text(text.to_owned())
            }
            Self::Join(parts) => {
                let mut text = String::new();
                for part in parts {
                    text.push_str(&part.of(line)?.text()?);
                }
                Datum::Text(text)
            }
            Self::Minus(a, b) => Datum::Number(a.of(line)?.number()? - b.of(line)?.number()?),
            Self::Call(name, arguments) => {
                let values: Vec<Datum> =
                    arguments.iter().map(|value| value.of(line)).collect::<Option<_>>()?;
                match (*name, values.as_slice()) {
                    ("toupper", [text]) => Datum::Text(text.text()?.to_ascii_uppercase()),
                    ("tolower", [text]) => Datum::Text(text.text()?.to_ascii_lowercase()),
                    ("length", []) => Datum::Number(line.text.chars().count() as f64),
                    ("length", [text]) => Datum::Number(text.text()?.chars().count() as f64),
                    ("substr", [text, from, rest @ ..]) => {
                        let from = from.number()?.round();
                        let end = match rest {
                            [] => f64::INFINITY,
                            [length] => from + length.number()?.round(),
                            _ => return None,
                        };
                        let text = text.text()?;
                        let inside = |i: usize| (i + 1) as f64 >= from && ((i + 1) as f64) < end;
                        let piece = text.chars().enumerate().filter(|(i, _)| inside(*i));
                        Datum::Text(piece.map(|(_, c)| c).collect())
                    }
                    ("sprintf", [format, rest @ ..]) => {
                        let mut out = Vec::new();
                        formatted(&format.text()?, rest, &mut out)?;
                        Datum::Text(String::from_utf8(out).ok()?)
                    }
                    _ => return None,
                }
            }
        })
    }
}

/// `%s`, `%d`, `%x`, `%o`, `%c` without width; numbers given to `%c` are characters.
fn formatted(format: &str, values: &[Datum], out: &mut Vec<u8>) -> Option<()> {
    let mut values = values.iter();
    let mut letters = format.chars();
    while let Some(c) = letters.next() {
        if c != '%' {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match letters.next()? {
            '%' => out.push(b'%'),
            's' => out.extend(values.next()?.text()?.into_bytes()),
            'd' | 'i' => {
                out.extend(format!("{}", values.next()?.number()?.trunc() as i64).into_bytes());
            }
            'x' => out.extend(format!("{:x}", values.next()?.number()? as i64).into_bytes()),
            'o' => out.extend(format!("{:o}", values.next()?.number()? as i64).into_bytes()),
            'c' => match values.next()? {
                Datum::Number(code) if (1.0..128.0).contains(code) => push_code(*code as u32, out),
                Datum::Number(_) => return None,
                Datum::Text(text) => {
                    let first: String = text.chars().take(1).collect();
                    out.extend(first.into_bytes());
                }
            },
            _ => return None,
        }
    }
    Some(())
}
