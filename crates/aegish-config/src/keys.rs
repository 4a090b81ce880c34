//! `/etc/aegish/config` and the environment: names and values, one per line or variable.

use std::ffi::OsString;
use std::path::Path;

use crate::bundle::BundleHead;
use crate::origin::{ConfigOrigin, ConfigProblem, ConfigSource};
use crate::roles::Roles;
use crate::table::{self, Setting, ValueType};
use crate::user_rules::HeldRule;
use crate::value::{self, SettingValue};

/// How much of a value is repeated in a problem.
const LONGEST: usize = 80;

/// One setting as a source has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceSetting {
    pub(crate) setting: &'static Setting,
    pub(crate) value: SettingValue,
    pub(crate) source: ConfigSource,
    pub(crate) place: ConfigOrigin,
}

/// A variable of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) place: ConfigOrigin,
}

/// The settings of one source.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceContent {
    pub(crate) said: Vec<SourceSetting>,
    pub(crate) foreign: Vec<Foreign>,
    pub(crate) roles: Roles,
    pub(crate) rules: Vec<HeldRule>,
    /// The head of a signed bundle.
    pub(crate) bundle: Option<BundleHead>,
    pub(crate) problems: Vec<ConfigProblem>,
}

impl SourceContent {
    pub(crate) fn problem(&mut self, place: ConfigOrigin, what: impl Into<String>) {
        self.problems.push(ConfigProblem::new(place, what));
    }

    /// Reads a value, if the source may set it.
    pub(crate) fn say(
        &mut self,
        setting: &'static Setting,
        text: &str,
        source: ConfigSource,
        place: ConfigOrigin,
    ) {
        if !setting.by.contains(&source) {
            return self.problem(place, misplaced(setting, source));
        }
        match value::read(setting.kind, text) {
            Ok(value) => self.said.push(SourceSetting { setting, value, source, place }),
            Err(advice) => {
                let what = format!("{} is \"{}\"; {advice}", name_in(setting, source), shown(text));
                self.problem(place, what);
            }
        }
    }
}

/// The name of a setting in this source.
fn name_in(setting: &Setting, source: ConfigSource) -> String {
    match source {
        ConfigSource::SystemKeys | ConfigSource::Environment | ConfigSource::BuiltIn => {
            setting.name.to_owned()
        }
        ConfigSource::Fleet
        | ConfigSource::SystemTables
        | ConfigSource::User
        | ConfigSource::Project => setting.key(),
    }
}

fn misplaced(setting: &Setting, source: ConfigSource) -> String {
    let name = name_in(setting, source);
    let mut places: Vec<&str> = setting.by.iter().map(|source| source.as_str()).collect();
    places.dedup();
    format!("{name} cannot be set in a {} file; only here: {}", source.as_str(), places.join(", "))
}

/// A shortened value without control characters.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(LONGEST).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The setting of a name that begins with `AEGISH_`.
fn ours(name: &str) -> Result<&'static Setting, String> {
    if let Some(setting) = table::setting(name) {
        return Ok(setting);
    }
    if let Some((_, advice)) = table::RETIRED.iter().find(|(retired, _)| *retired == name) {
        return Err(format!("{name} is not a setting any more: {advice}"));
    }
    let names = table::table().iter().map(|setting| setting.name.to_owned());
    Err(unknown(name, names))
}

/// The message for an unknown name, with the most similar known one.
pub(crate) fn unknown(name: &str, known: impl Iterator<Item = String>) -> String {
    let near = nearest(name, known);
    let name = shown(name);
    match near {
        Some(other) => format!("there is no setting {name}; did you mean {other}?"),
        None => format!("there is no setting {name}; `aegish config show` lists them"),
    }
}

/// The name that a mistyped one may mean.
#[must_use]
pub fn nearest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    // The common prefix of all names is ignored.
    let own = |name: &str| name.strip_prefix("AEGISH_").unwrap_or(name).to_owned();
    let name = own(name);
    let (far, other) = known.map(|other| (distance(&name, &own(&other)), other)).min()?;
    (far <= 1 + name.len() / 5).then_some(other)
}

/// How many letters have to be changed, added or left out.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.chars().take(LONGEST).enumerate() {
        let mut diagonal = at;
        row[0] = at + 1;
        for (column, d) in other.iter().enumerate() {
            let changed = diagonal + usize::from(c != *d);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// Reads a file of `KEY=VALUE` lines.
pub(crate) fn file(path: &Path, bytes: &[u8], foreign: &dyn Fn(&str) -> bool) -> SourceContent {
    let mut page = SourceContent::default();
    let mut first: Vec<(String, usize)> = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let place = ConfigOrigin::Line(path.to_path_buf(), number);
        let Ok(line) = std::str::from_utf8(line) else {
            page.problem(place, "this line is not UTF-8");
            continue;
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, text) = match pair(line) {
            Ok(pair) => pair,
            Err(what) => {
                page.problem(place, what);
                continue;
            }
        };
        if let Some((_, line)) = first.iter().find(|(known, _)| known == name) {
            page.problem(place, format!("{name} was set in line {line} already; keep one of them"));
            continue;
        }
        first.push((name.to_owned(), number));
        line_of(&mut page, name, text, place, foreign);
    }
    page
}

fn line_of(
    page: &mut SourceContent,
    name: &str,
    text: &str,
    place: ConfigOrigin,
    foreign: &dyn Fn(&str) -> bool,
) {
    if name.starts_with("AEGISH_") {
        match ours(name) {
            Ok(setting)
                if text.trim().is_empty() && !matches!(setting.kind, ValueType::List { .. }) =>
            {
                page.problem(place, format!("{name} has no value; write one, or remove the line"));
            }
            Ok(setting) => page.say(setting, text, ConfigSource::SystemKeys, place),
            Err(what) => page.problem(place, what),
        }
    } else if foreign(name) || of_a_server(name).is_some() {
        page.foreign.push(Foreign { name: name.to_owned(), value: text.to_owned(), place });
    } else {
        let names = table::table().iter().map(|setting| setting.name.to_owned());
        page.problem(place, unknown(name, names));
    }
}

/// `NAME` of `NAME_API_KEY` or `NAME_BASE_URL`, the variables of a server `openai-api/NAME`.
pub(crate) fn of_a_server(name: &str) -> Option<&str> {
    let server = name.strip_suffix("_API_KEY").or_else(|| name.strip_suffix("_BASE_URL"))?;
    (!server.is_empty()).then_some(server)
}

/// Name and value of a line, without one pair of quotes around the value.
fn pair(line: &str) -> Result<(&str, &str), String> {
    let Some((name, value)) = line.split_once('=') else {
        return Err(format!("\"{}\" is not KEY=VALUE", shown(line)));
    };
    let (name, value) = (name.trim_end(), value.trim());
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(format!("\"{}\" is not the name of a setting", shown(name)));
    }
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            let inner = rest.strip_suffix(quote);
            return match inner {
                Some(inner) => Ok((name, inner)),
                None => Err(format!("{name}: the quote {quote} is not closed")),
            };
        }
    }
    Ok((name, value))
}

/// Reads the variables of aegish. A blank variable is unset, except that an empty list is a list: an empty
/// list of allowed names is not the same as no limit.
pub(crate) fn environment(variables: &[(OsString, OsString)]) -> SourceContent {
    let mut page = SourceContent::default();
    for (name, text) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with("AEGISH_")) else { continue };
        let no_setting = table::NO_SETTINGS.contains(&name)
            || table::NO_SETTINGS_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if no_setting {
            continue;
        }
        let place = ConfigOrigin::Variable(name.to_owned());
        let setting = match ours(name) {
            Ok(setting) => setting,
            Err(what) => {
                page.problem(place, what);
                continue;
            }
        };
        let Some(text) = text.to_str() else {
            page.problem(place, format!("{name} is not UTF-8"));
            continue;
        };
        if text.trim().is_empty() && !matches!(setting.kind, ValueType::List { .. }) {
            continue;
        }
        page.say(setting, text, ConfigSource::Environment, place);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SourceContent {
        file(Path::new("/c"), text.as_bytes(), &|name| name == "OPENAI_API_KEY")
    }

    fn problems(text: &str) -> Vec<String> {
        read(text).problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn comments_blanks_and_one_pair_of_quotes_are_taken_away() {
        let page = read(
            "# mode\n\n  AEGISH_MODE = production \nAEGISH_PROMPT=\"  it's> \"\nAEGISH_FALLBACK_MODELS=\n\
             OPENAI_API_KEY='sk-\"x\"'\n",
        );
        assert_eq!(page.problems, []);
        let said: Vec<String> = page
            .said
            .iter()
            .map(|said| format!("{} {}={}", said.place, said.setting.name, said.value))
            .collect();
        assert_eq!(
            said,
            [
                "/c:3 AEGISH_MODE=production",
                "/c:4 AEGISH_PROMPT=  it's> ",
                "/c:5 AEGISH_FALLBACK_MODELS=",
            ]
        );
        assert_eq!(page.foreign[0].value, "sk-\"x\"");
    }

    #[test]
    fn every_wrong_line_is_named() {
        let text = "AEGISH_MODE=prodction\nAEGISH_FAILMODE=safe\nAEGISH_ROLE=\nnonsense\n\
                    MY VAR=1\nPATH=/bin\nAEGISH_PROMPT=\"x\nAEGISH_MODE=production\n\
                    AEGISH_SKIP_BASH_HASH=true\nAEGISH_HISTORY_SIZE=-1\nAEGISH_CACHE_DIR=x\n";
        let found = problems(text);
        let expected = [
            "/c:1: AEGISH_MODE is \"prodction\"; write development or production",
            "/c:2: there is no setting AEGISH_FAILMODE; did you mean AEGISH_FAIL_MODE?",
            "/c:3: AEGISH_ROLE has no value; write one, or remove the line",
            "/c:4: \"nonsense\" is not KEY=VALUE",
            "/c:5: \"MY VAR\" is not the name of a setting",
            "/c:6: there is no setting PATH; `aegish config show` lists them",
            "/c:7: AEGISH_PROMPT: the quote \" is not closed",
            "/c:8: AEGISH_MODE was set in line 1 already; keep one of them",
            "/c:9: AEGISH_SKIP_BASH_HASH is not a setting any more: leave out AEGISH_BASH_HASH instead",
            "/c:10: AEGISH_HISTORY_SIZE is \"-1\"; write a whole number from 0 to 1000000",
            "/c:11: AEGISH_CACHE_DIR is \"x\"; write a path from the root",
        ];
        assert_eq!(found, expected);
        let bytes = b"# fine\nAEGISH_PROMPT=\xff\n";
        let page = file(Path::new("/c"), bytes, &|_| false);
        assert_eq!(page.problems[0].to_string(), "/c:2: this line is not UTF-8");
    }

    #[test]
    fn a_misspelt_variable_is_a_problem_and_a_blank_one_is_not_set() {
        let variables = [
            ("AEGISH_ROLES", "restricted"),
            ("AEGISH_FOO", "1"),
            ("AEGISH_ROLE", " "),
            ("AEGISH_FALLBACK_MODELS", ""),
            ("AEGISH_REFERENCE", "/somewhere"),
            ("AEGISH_QUEUE_PASSWORD", "x"),
            ("PATH", "/bin"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let page = environment(&variables);
        assert_eq!(page.problems.len(), 2);
        assert_eq!(
            page.problems[1].to_string(),
            "environment variable AEGISH_FOO: there is no setting AEGISH_FOO; `aegish config show` lists them"
        );
        assert_eq!(
            page.problems[0].to_string(),
            "environment variable AEGISH_ROLES: there is no setting AEGISH_ROLES; did you mean AEGISH_ROLE?"
        );
        assert_eq!(page.said.len(), 1);
        assert_eq!(page.said[0].setting.name, "AEGISH_FALLBACK_MODELS");
    }
}
