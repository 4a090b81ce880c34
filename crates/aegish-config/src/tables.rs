//! TOML files: the system's, the user's, the project's.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::bundle::{self, BUNDLE};
use crate::keys::{SourceContent, shown, unknown};
use crate::origin::{ConfigOrigin, ConfigSource};
use crate::table::{self, Setting, ValueType};
use crate::user_rules::{self, Bases, RULE};

/// The table that gives roles to users and groups.
const ROLES: &str = "roles";

/// Reads a TOML file.
pub(crate) fn file(
    path: &Path,
    bytes: &[u8],
    source: ConfigSource,
    bases: &Bases,
) -> SourceContent {
    let mut page = SourceContent::default();
    let whole = |line| ConfigOrigin::Line(path.to_path_buf(), line);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            page.problem(whole(line_at(valid, valid.len())), "this line is not UTF-8");
            return page;
        }
    };
    let lines = LineIndex { path, text };
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            page.problem(lines.at(at), format!("this is not TOML: {}", error.message()));
            return page;
        }
    };
    for (key, value) in document.get_ref() {
        let place = lines.at(key.span().start);
        let name = key.get_ref().as_ref();
        if name == BUNDLE {
            bundle::head(&mut page, value.get_ref(), source, place, &lines);
            continue;
        }
        if name == ROLES {
            roles(&mut page, value.get_ref(), source, place, &lines);
            continue;
        }
        if name == RULE {
            user_rules::rules(&mut page, value.get_ref(), source, bases, &lines, place);
            continue;
        }
        match known(name) {
            Ok(setting) => match text_of(setting.kind, value.get_ref()) {
                Ok(text) => page.say(setting, &text, source, place),
                Err(advice) => page.problem(place, format!("{name} does not fit; {advice}")),
            },
            Err(what) => page.problem(place, what),
        }
    }
    if source == ConfigSource::Fleet && page.bundle.is_none() && page.problems.is_empty() {
        let what = "it is no bundle: write [bundle] with fleet, version and expires";
        page.problem(whole(0), what);
    }
    page
}

fn known(key: &str) -> Result<&'static Setting, String> {
    let found = table::table().iter().find(|setting| setting.key() == key);
    if let Some(setting) = found {
        return Ok(setting);
    }
    if let Some(setting) = table::setting(key) {
        return Err(format!("in TOML {key} is written {}", setting.key()));
    }
    let name = format!("AEGISH_{}", key.to_ascii_uppercase());
    if let Some((_, advice)) = table::RETIRED.iter().find(|(retired, _)| *retired == name) {
        return Err(format!("{} is not a setting any more: {advice}", shown(key)));
    }
    let keys = table::table().iter().map(Setting::key).chain([ROLES, RULE].map(str::to_owned));
    Err(unknown(key, keys))
}

/// The value as `KEY=VALUE` lines would write it. Text is read in the same way; numbers, switches and lists
/// may also be written as TOML values.
fn text_of(kind: ValueType, value: &DeValue<'_>) -> Result<String, &'static str> {
    match (kind, value) {
        (_, DeValue::String(text)) => Ok(text.to_string()),
        (ValueType::Switch, DeValue::Boolean(on)) => Ok(if *on { "on" } else { "off" }.to_owned()),
        (ValueType::Count { .. } | ValueType::Decimal { .. }, DeValue::Integer(number)) => {
            Ok(number.to_string())
        }
        (ValueType::Decimal { .. }, DeValue::Float(number)) => Ok(number.to_string()),
        (ValueType::List { .. } | ValueType::Answers(_), DeValue::Array(words)) => {
            let mut list = Vec::new();
            for word in words {
                match word.get_ref() {
                    DeValue::String(word) if !word.contains(',') => list.push(word.to_string()),
                    _ => return Err("write a list of words in quotes"),
                }
            }
            Ok(list.join(","))
        }
        (ValueType::Switch, _) => Err("write true or false"),
        (ValueType::Count { .. } | ValueType::Decimal { .. }, _) => Err("write a number"),
        (ValueType::List { .. }, _) => Err("write a list of words in quotes"),
        _ => Err("write a text in quotes"),
    }
}

fn roles(
    page: &mut SourceContent,
    value: &DeValue<'_>,
    source: ConfigSource,
    place: ConfigOrigin,
    lines: &LineIndex<'_>,
) {
    if !matches!(source, ConfigSource::SystemTables | ConfigSource::Fleet) {
        let what = format!(
            "roles cannot be given in a {} file; only here: fleet, system",
            source.as_str()
        );
        return page.problem(place, what);
    }
    let DeValue::Table(table) = value else {
        return page.problem(place, "roles is a table: write [roles.users] or [roles.groups]");
    };
    for (key, value) in table {
        let place = lines.at(key.span().start);
        let (kind, DeValue::Table(people)) = (key.get_ref().as_ref(), value.get_ref()) else {
            page.problem(
                place,
                "write names and roles, for example users = { kim = \"sysadmin\" }",
            );
            continue;
        };
        if !matches!(kind, "users" | "groups") {
            page.problem(
                place,
                format!("there is no roles.{}; write users or groups", shown(kind)),
            );
            continue;
        }
        for (name, role) in people {
            let place = lines.at(name.span().start);
            let word = match role.get_ref() {
                DeValue::String(word) => word.as_ref(),
                _ => "",
            };
            let outcome = page.roles.add(kind, name.get_ref(), word, place.clone());
            if let Err(what) = outcome {
                page.problem(place, what);
            }
        }
    }
}

/// Turns positions into lines.
pub(crate) struct LineIndex<'a> {
    path: &'a Path,
    text: &'a str,
}

impl LineIndex<'_> {
    pub(crate) fn at(&self, offset: usize) -> ConfigOrigin {
        ConfigOrigin::Line(self.path.to_path_buf(), line_at(self.text.as_bytes(), offset))
    }
}

fn line_at(bytes: &[u8], offset: usize) -> usize {
    1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, source: ConfigSource) -> SourceContent {
        file(Path::new("/c.toml"), text.as_bytes(), source, &Bases::default())
    }

    #[test]
    fn values_are_written_as_toml_has_them() {
        let page = read(
            "mode = 'production'\nhistory_size = 5_0\nbanner = false\nmin_confidence = 1\n\
             llm_timeout = 2.5\nfallback_models = ['ollama/x', 'vllm/y']\ncache_ttl = '12h'\n\
             allowed_providers = 'ollama, vllm'\n[roles]\nusers = { kim = 'sysadmin' }\n\
             [roles.groups]\nguests = 'restricted'\n",
            ConfigSource::SystemTables,
        );
        assert_eq!(page.problems, []);
        let mut said: Vec<String> =
            page.said.iter().map(|said| format!("{}={}", said.setting.key(), said.value)).collect();
        said.sort_unstable();
        assert_eq!(
            said,
            [
                "allowed_providers=ollama,vllm",
                "banner=off",
                "cache_ttl=12h",
                "fallback_models=ollama/x,vllm/y",
                "history_size=50",
                "llm_timeout=2.5",
                "min_confidence=1",
                "mode=production",
            ]
        );
    }

    #[test]
    fn every_wrong_line_is_named() {
        for (text, expected) in [
            ("\nmode = ", "/c.toml:2: this is not TOML:"),
            ("mode = 'x'\nmode = 'y'", "/c.toml:2: this is not TOML: duplicate key"),
            (
                "\n\nfail_mod = 'safe'",
                "/c.toml:3: there is no setting fail_mod; did you mean fail_mode?",
            ),
            ("AEGISH_MODE = 'production'", "/c.toml:1: in TOML AEGISH_MODE is written mode"),
            ("mode = 1", "/c.toml:1: mode does not fit; write a text in quotes"),
            ("mode = 'prod'", "/c.toml:1: mode is \"prod\"; write development or production"),
            ("banner = 1", "/c.toml:1: banner does not fit; write true or false"),
            ("history_size = 1.5", "/c.toml:1: history_size does not fit; write a number"),
            ("history_size = -1", "/c.toml:1: history_size is \"-1\"; write a whole number"),
            ("fallback_models = [1]", "/c.toml:1: fallback_models does not fit; write a list"),
            ("skip_bash_hash = true", "/c.toml:1: skip_bash_hash is not a setting any more"),
            ("[judge]\nwhen = 1", "/c.toml:1: judge does not fit; write a text in quotes"),
            ("roles = 1", "/c.toml:1: roles is a table"),
            ("[roles]\nusers = 'kim'", "/c.toml:2: write names and roles"),
            ("[roles.people]\nkim = 'default'", "/c.toml:1: there is no roles.people"),
            ("[roles.users]\n\nkim = 'boss'", "/c.toml:3: the role of kim is \"boss\"; write"),
            ("[roles.users]\nkim = 1", "/c.toml:2: the role of kim is \"\"; write"),
        ] {
            let page = read(text, ConfigSource::SystemTables);
            let found: Vec<String> = page.problems.iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].starts_with(expected), "{text}: {}", found[0]);
        }
        let page = file(Path::new("/c.toml"), b"\n# \xff", ConfigSource::User, &Bases::default());
        assert_eq!(page.problems[0].to_string(), "/c.toml:2: this line is not UTF-8");
    }

    #[test]
    fn a_setting_that_a_source_must_not_set_is_a_problem() {
        let page = read("mode = 'production'", ConfigSource::User);
        assert_eq!(
            page.problems[0].to_string(),
            "/c.toml:1: mode cannot be set in a user file; only here: fleet, system, environment"
        );
        let page = read("prompt = '$ '", ConfigSource::Project);
        assert_eq!(page.problems.len(), 1);
        let page = read("[roles.users]\nkim = 'sysadmin'", ConfigSource::User);
        assert_eq!(
            page.problems[0].to_string(),
            "/c.toml:1: roles cannot be given in a user file; only here: fleet, system"
        );
    }
}
