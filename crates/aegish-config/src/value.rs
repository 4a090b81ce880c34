//! Text → a value that fits its setting, and which of two values is tighter.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::answers::Answers;
use crate::network::Network;
use crate::table::{Empty, Setting, Tighter, ValueType};

/// The longest time that makes sense: ten years.
const LONGEST: u64 = 10 * 366 * 86_400;

/// A valid value of a setting. Its text can be read back.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// One of the setting's words.
    Word(&'static str),
    /// On or off.
    Switch(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Decimal(f64),
    /// A time.
    Time(Duration),
    /// A text or a hash.
    Text(String),
    /// A path from the root.
    Path(PathBuf),
    /// Several words.
    List(Vec<String>),
    /// Answers by kind.
    Answers(Answers),
    /// How far connections go.
    Network(Network),
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Switch(on) => f.write_str(if *on { "on" } else { "off" }),
            Self::Count(number) => write!(f, "{number}"),
            Self::Decimal(number) => write!(f, "{number}"),
            Self::Time(time) => {
                let seconds = time.as_secs();
                let units = [(86_400, 'd'), (3600, 'h'), (60, 'm')];
                let fits = units.iter().find(|(size, _)| seconds % size == 0);
                let (size, unit) = fits.copied().unwrap_or((1, 's'));
                write!(f, "{}{unit}", seconds / size)
            }
            Self::Text(text) => f.write_str(text),
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::List(words) => f.write_str(&words.join(",")),
            Self::Answers(answers) => answers.fmt(f),
            Self::Network(network) => network.fmt(f),
        }
    }
}

/// Reads a value; the error says what to write instead.
pub(crate) fn read(kind: ValueType, text: &str) -> Result<SettingValue, String> {
    let trimmed = text.trim();
    match kind {
        ValueType::Word(words) => {
            let found = words.iter().find(|word| word.eq_ignore_ascii_case(trimmed));
            found.map(|word| SettingValue::Word(word)).ok_or_else(|| one_of(words))
        }
        ValueType::Switch => match trimmed.to_ascii_lowercase().as_str() {
            "on" | "1" | "true" | "yes" => Ok(SettingValue::Switch(true)),
            "off" | "0" | "false" | "no" => Ok(SettingValue::Switch(false)),
            _ => Err("write on or off".to_owned()),
        },
        ValueType::Count { least, most } => match trimmed.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(SettingValue::Count(number)),
            _ => Err(format!("write a whole number from {least} to {most}")),
        },
        ValueType::Decimal { least, most } => match trimmed.parse::<f64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(SettingValue::Decimal(number)),
            _ => Err(format!("write a number from {least} to {most}")),
        },
        ValueType::Time => time(trimmed)
            .map(SettingValue::Time)
            .ok_or_else(|| "write a number and s, m, h or d, for example 7d".to_owned()),
        ValueType::Text if text.chars().any(char::is_control) => {
            Err("write it without control characters".to_owned())
        }
        // Trailing blanks of a prompt are kept.
        ValueType::Text => Ok(SettingValue::Text(text.to_owned())),
        ValueType::Path => match PathBuf::from(trimmed) {
            path if path.is_absolute() => Ok(SettingValue::Path(path)),
            _ => Err("write a path from the root".to_owned()),
        },
        ValueType::List { empty } => {
            let words = trimmed.split(',').map(str::trim).filter(|word| !word.is_empty());
            let words: Vec<String> = words.map(str::to_owned).collect();
            if words.is_empty() && empty == Empty::Mistake {
                return Err("name at least one".to_owned());
            }
            Ok(SettingValue::List(words))
        }
        ValueType::Answers(kinds) => Answers::read(kinds, trimmed).map(SettingValue::Answers),
        ValueType::Network => Network::read(trimmed).map(SettingValue::Network),
        ValueType::Hash => {
            let hash = trimmed.to_ascii_lowercase();
            if hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                Ok(SettingValue::Text(hash))
            } else {
                Err("write a SHA-256: 64 hexadecimal digits".to_owned())
            }
        }
    }
}

fn one_of(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("write {} or {last}", others.join(", "))
        }
        _ => format!("write {}", words.join("")),
    }
}

fn time(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let size = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    let seconds = number.checked_mul(size).filter(|seconds| (1..=LONGEST).contains(seconds))?;
    Some(Duration::from_secs(seconds))
}

/// Compares a new value with the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Equal.
    Same,
    /// The new value is tighter.
    Tighter,
    /// It is looser, or neither.
    Other,
}

/// Compares a value with the present one in the direction of their setting.
pub(crate) fn compare(
    setting: &Setting,
    now: Option<&SettingValue>,
    next: &SettingValue,
) -> Strictness {
    if now == Some(next) {
        return Strictness::Same;
    }
    let tighter = match (setting.tighter, now, next) {
        (Tighter::Harmless, _, _) | (Tighter::Fewer | Tighter::Any | Tighter::Less, None, _) => {
            true
        }
        (Tighter::LaterWord, Some(SettingValue::Word(now)), SettingValue::Word(next)) => {
            let ValueType::Word(words) = setting.kind else { return Strictness::Other };
            let rank = |word: &str| words.iter().position(|known| *known == word);
            rank(next) > rank(now)
        }
        (Tighter::Off, Some(SettingValue::Switch(true)), SettingValue::Switch(false)) => true,
        (Tighter::Less, Some(now), next) => number(next) < number(now),
        (Tighter::More, Some(now), next) => number(next) > number(now),
        (Tighter::Fewer, Some(SettingValue::List(now)), SettingValue::List(next)) => {
            next.iter().all(|word| now.iter().any(|known| known.eq_ignore_ascii_case(word)))
        }
        (Tighter::Fewer, Some(SettingValue::Network(now)), SettingValue::Network(next)) => {
            next.is_within(now)
        }
        (Tighter::Fewer, Some(SettingValue::Answers(now)), SettingValue::Answers(next)) => {
            let ValueType::Answers(kinds) = setting.kind else { return Strictness::Other };
            kinds.iter().all(|kind| now.allows(kind) || !next.allows(kind))
        }
        _ => false,
    };
    if tighter { Strictness::Tighter } else { Strictness::Other }
}

fn number(value: &SettingValue) -> Option<f64> {
    match value {
        SettingValue::Decimal(number) => Some(*number),
        SettingValue::Time(time) => Some(time.as_secs_f64()),
        // Exact up to 2^53, far above every bound.
        SettingValue::Count(number) => Some(*number as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::setting;

    fn change(name: &str, now: Option<&str>, next: &str) -> Option<Strictness> {
        let setting = setting(name)?;
        let now = match now {
            Some(text) => Some(read(setting.kind, text).ok()?),
            None => None,
        };
        Some(compare(setting, now.as_ref(), &read(setting.kind, next).ok()?))
    }

    #[test]
    fn a_value_is_read_as_people_write_it() {
        let switch = |text| read(ValueType::Switch, text);
        assert_eq!(switch("Yes"), Ok(SettingValue::Switch(true)));
        assert_eq!(switch("0"), Ok(SettingValue::Switch(false)));
        assert!(switch("maybe").is_err());
        let time = |text| read(ValueType::Time, text).map(|value| value.to_string());
        assert_eq!(time("90s").as_deref(), Ok("90s"));
        assert_eq!(time("120m").as_deref(), Ok("2h"));
        assert!(time("7").is_err() && time("0d").is_err() && time("-1s").is_err());
        let list = |text| read(ValueType::List { empty: Empty::Nothing }, text);
        assert_eq!(list(" a , b,").map(|list| list.to_string()).as_deref(), Ok("a,b"));
        assert_eq!(list(""), Ok(SettingValue::List(vec![])));
        assert!(read(ValueType::List { empty: Empty::Mistake }, " ,").is_err());
        let hash = "AB".repeat(32);
        assert_eq!(read(ValueType::Hash, &hash), Ok(SettingValue::Text(hash.to_ascii_lowercase())));
        assert!(
            read(ValueType::Hash, "ab").is_err()
                && read(ValueType::Hash, &"xy".repeat(32)).is_err()
        );
        assert!(read(ValueType::Path, "etc/x").is_err());
        assert!(read(ValueType::Text, "a\u{1b}[2J").is_err());
        assert!(read(ValueType::Decimal { least: 0.0, most: 1.0 }, "NaN").is_err());
    }

    #[test]
    fn a_wrong_value_is_answered_with_the_right_ones() {
        let words = ValueType::Word(&["a", "b", "c"]);
        assert_eq!(read(words, "d"), Err("write a, b or c".to_owned()));
        assert_eq!(
            read(ValueType::Count { least: 1, most: 9 }, "10"),
            Err("write a whole number from 1 to 9".to_owned())
        );
    }

    #[test]
    fn the_direction_decides_which_value_is_tighter() {
        use Strictness::{Other, Same, Tighter};
        for (name, now, next, expected) in [
            ("AEGISH_ROLE", Some("sysadmin"), "default", Tighter),
            ("AEGISH_ROLE", Some("default"), "restricted", Tighter),
            ("AEGISH_ROLE", Some("restricted"), "default", Other),
            ("AEGISH_FAIL_MODE", Some("safe"), "safe", Same),
            ("AEGISH_FAIL_MODE", Some("safe"), "open", Other),
            ("AEGISH_CACHE", Some("on"), "off", Tighter),
            ("AEGISH_CACHE", Some("off"), "on", Other),
            ("AEGISH_CACHE_TTL", Some("7d"), "1h", Tighter),
            ("AEGISH_CACHE_TTL", Some("1h"), "7d", Other),
            ("AEGISH_MIN_CONFIDENCE", Some("0.6"), "0.9", Tighter),
            ("AEGISH_MIN_CONFIDENCE", Some("0.6"), "0.5", Other),
            ("AEGISH_ALLOWED_PROVIDERS", None, "openai", Tighter),
            ("AEGISH_ALLOWED_PROVIDERS", Some("openai,ollama"), "Ollama", Tighter),
            ("AEGISH_ALLOWED_PROVIDERS", Some("ollama"), "ollama,openai", Other),
            ("AEGISH_ON_WARN", Some("allow"), "deny", Tighter),
            ("AEGISH_ON_WARN", Some("deny"), "package-install=allow", Other),
            ("AEGISH_ON_WARN", Some("allow"), "allow,work-loss=deny", Tighter),
            ("AEGISH_ON_WARN", Some("work-loss=allow"), "allow,work-loss=deny", Other),
            ("AEGISH_PRIMARY_MODEL", Some("openai/gpt-4"), "ollama/x", Other),
            ("AEGISH_PROMPT", Some("> "), "$ ", Tighter),
        ] {
            assert_eq!(change(name, now, next), Some(expected), "{name} {now:?} {next}");
        }
        let (one, other) = ("a".repeat(64), "b".repeat(64));
        assert_eq!(change("AEGISH_BASH_HASH", None, &one), Some(Tighter));
        assert_eq!(change("AEGISH_BASH_HASH", Some(&one), &other), Some(Other));
    }
}
