//! Programs that compute from their arguments: `seq`, `basename`, `dirname`, `expr`.

use super::options::parse;
use super::regex::{Regex, RegexSyntax};
use super::{MAX_OUTPUT, ProgramCall};
use std::fmt::Write;

pub(super) fn seq(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let mut separator = "\n";
    let mut equal_width = false;
    let mut format: Option<(&str, &str)> = None;
    let mut numbers = Vec::new();
    let mut rest = call.args.iter();
    // Negative numbers look like options, so the general parser does not fit.
    while let Some(arg) = rest.next() {
        match *arg {
            "-s" | "--separator" => separator = rest.next()?,
            "-w" | "--equal-width" => equal_width = true,
            "-f" | "--format" => format = Some(rest.next()?.split_once("%g")?),
            _ => {
                if let Some(value) = arg.strip_prefix("--format=") {
                    format = Some(value.split_once("%g")?);
                } else if let Some(value) =
                    arg.strip_prefix("--separator=").or(arg.strip_prefix("-s"))
                {
                    separator = value;
                } else {
                    numbers.push(arg.parse::<i64>().ok()?);
                }
            }
        }
    }
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] => (*first, *step, *last),
        _ => return None,
    };
    if step == 0 {
        return None;
    }
    let width = if equal_width { first.to_string().len().max(last.to_string().len()) } else { 0 };
    let (start, end) = format.unwrap_or_default();
    if start.contains('%') || end.contains('%') {
        return None;
    }
    let mut out = String::new();
    let mut value = first;
    while (step > 0 && value <= last) || (step < 0 && value >= last) {
        if !out.is_empty() {
            out.push_str(separator);
        }
        out.push_str(start);
        match width {
            0 => write!(out, "{value}").ok()?,
            width => write!(out, "{value:0width$}").ok()?,
        }
        out.push_str(end);
        if out.len() > MAX_OUTPUT {
            return None;
        }
        value = value.checked_add(step)?;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    Some(out.into_bytes())
}

fn last_part(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

pub(super) fn basename(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "as:z", &[("multiple", 'a'), ("suffix", 's'), ("zero", 'z')])?;
    let many = parsed.has('a') || parsed.has('s');
    let (paths, suffix) = match parsed.operands.as_slice() {
        all if many => (all, parsed.value('s').unwrap_or("")),
        [path] => (std::slice::from_ref(path), ""),
        [path, suffix] => (std::slice::from_ref(path), *suffix),
        _ => return None,
    };
    let end = if parsed.has('z') { '\0' } else { '\n' };
    let mut out = String::new();
    for path in paths {
        let name = last_part(path);
        let short = name.strip_suffix(suffix).filter(|short| !short.is_empty()).unwrap_or(name);
        out.push_str(short);
        out.push(end);
    }
    Some(out.into_bytes())
}

pub(super) fn dirname(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "z", &[("zero", 'z')])?;
    if parsed.operands.is_empty() {
        return None;
    }
    let end = if parsed.has('z') { '\0' } else { '\n' };
    let mut out = String::new();
    for path in parsed.operands {
        let trimmed = path.trim_end_matches('/');
        let directory = match trimmed.rfind('/') {
            None if trimmed.is_empty() && !path.is_empty() => "/",
            None => ".",
            Some(at) => match trimmed.get(..at).unwrap_or_default().trim_end_matches('/') {
                "" => "/",
                directory => directory,
            },
        };
        out.push_str(directory);
        out.push(end);
    }
    Some(out.into_bytes())
}

/// `expr` with a single operator; longer expressions are rare and left unknown.
pub(super) fn expr(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let number = |text: &str| text.parse::<i64>().ok();
    let characters = |text: &str| text.chars().count();
    let result = match call.args {
        ["length", text] => characters(text).to_string(),
        ["index", text, set] => {
            text.chars().position(|c| set.contains(c)).map_or(0, |at| at + 1).to_string()
        }
        ["substr", text, from, length] => {
            let (from, length) = (number(from)?, number(length)?);
            if from < 1 || length < 1 {
                String::new()
            } else {
                let skip = usize::try_from(from - 1).ok()?;
                text.chars().skip(skip).take(usize::try_from(length).ok()?).collect()
            }
        }
        [text, ":", pattern] | ["match", text, pattern] => {
            let regex = Regex::new(pattern, RegexSyntax::Basic, false)?;
            let found = regex
                .find(text.as_bytes(), 0)?
                .filter(|found| found.range(0).is_some_and(|r| r.0 == 0));
            if regex.groups() > 0 {
                let group = found.and_then(|found| found.range(1));
                group.map_or("", |(start, end)| text.get(start..end).unwrap_or("")).to_owned()
            } else {
                let matched = found.and_then(|found| found.range(0));
                matched.map_or(0, |(_, end)| text.get(..end).map_or(0, characters)).to_string()
            }
        }
        [a, operator, b] => {
            let truth = |truth: bool| i64::from(truth).to_string();
            let order = match (number(a), number(b)) {
                (Some(a), Some(b)) => a.cmp(&b),
                _ => a.cmp(b),
            };
            match *operator {
                "+" => number(a)?.checked_add(number(b)?)?.to_string(),
                "-" => number(a)?.checked_sub(number(b)?)?.to_string(),
                "*" => number(a)?.checked_mul(number(b)?)?.to_string(),
                "/" => number(a)?.checked_div(number(b)?)?.to_string(),
                "%" => number(a)?.checked_rem(number(b)?)?.to_string(),
                "=" | "==" => truth(order.is_eq()),
                "!=" => truth(order.is_ne()),
                "<" => truth(order.is_lt()),
                "<=" => truth(order.is_le()),
                ">" => truth(order.is_gt()),
                ">=" => truth(order.is_ge()),
                "|" if !matches!(*a, "" | "0") => (*a).to_owned(),
                "|" => (*b).to_owned(),
                "&" if !matches!(*a, "" | "0") && !matches!(*b, "" | "0") => (*a).to_owned(),
                "&" => "0".to_owned(),
                _ => return None,
            }
        }
        [one] if !one.starts_with("--") => (*one).to_owned(),
        _ => return None,
    };
    Some(format!("{result}\n").into_bytes())
}
