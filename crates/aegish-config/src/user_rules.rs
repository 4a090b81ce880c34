//! `[[rule]]`: reads and writes user rules in files.

use std::fmt::Write as _;
use std::path::PathBuf;

use aegish_policy::{
    Authority, HostPattern, Lifts, OptionPattern, PathPattern, Reach, Role, Shape, TextPattern,
    UserRule, Verb,
};
use toml::de::{DeTable, DeValue};

use crate::keys::{SourceContent, shown, unknown};
use crate::origin::{ConfigOrigin, ConfigSource};
use crate::tables::LineIndex;

/// The name of the table.
pub(crate) const RULE: &str = "rule";

/// The keys of a rule.
const KEYS: [&str; 20] = [
    "verdict",
    "name",
    "program",
    "subcommand",
    "options",
    "without",
    "no_other_options",
    "arguments",
    "paths",
    "hosts",
    "exactly",
    "within",
    "roles",
    "against",
    "even_blocked",
    "until",
    "once",
    "because",
    "examples",
    "counterexamples",
];

/// A rule and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldRule {
    /// Its content.
    pub rule: UserRule,
    /// Its source.
    pub source: ConfigSource,
    /// Its origin.
    pub place: ConfigOrigin,
    /// The file that holds this rule and nothing else, if there is one.
    pub file: Option<PathBuf>,
}

/// Base directories of patterns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bases {
    pub(crate) home: String,
    /// The base of relative patterns: the project's directory.
    pub(crate) here: String,
}

/// Reads all rules of a file.
pub(crate) fn rules(
    page: &mut SourceContent,
    value: &DeValue<'_>,
    source: ConfigSource,
    bases: &Bases,
    lines: &LineIndex<'_>,
    place: ConfigOrigin,
) {
    let DeValue::Array(rules) = value else {
        return page.problem(place, "rules are written as tables: [[rule]]");
    };
    for (number, rule) in (1..).zip(rules) {
        let place = lines.at(rule.span().start);
        let DeValue::Table(table) = rule.get_ref() else {
            page.problem(place, "rules are written as tables: [[rule]]");
            continue;
        };
        let mut reader = RuleReader { page, table, lines, place: place.clone() };
        if let Some(rule) = reader.rule(source, bases, number) {
            page.rules.push(HeldRule { rule, source, place, file: None });
        }
    }
}

struct RuleReader<'a, 'i> {
    page: &'a mut SourceContent,
    table: &'a DeTable<'i>,
    lines: &'a LineIndex<'a>,
    place: ConfigOrigin,
}

impl RuleReader<'_, '_> {
    fn rule(&mut self, source: ConfigSource, bases: &Bases, number: usize) -> Option<UserRule> {
        let problems = self.page.problems.len();
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if !KEYS.contains(&name) {
                let place = self.lines.at(key.span().start);
                self.page.problem(place, unknown(name, KEYS.iter().map(ToString::to_string)));
            }
        }
        let verb = self.text("verdict").map(|word| word.parse::<Verb>());
        let verb = match verb {
            Some(Ok(verb)) => Some(verb),
            Some(Err(error)) => self.wrong("verdict", &error.to_string()),
            None => self.wrong("verdict", "write verdict = \"allow\", \"ask\" or \"deny\""),
        };
        let path = |text: &str| PathPattern::new(text, &bases.home, &bases.here);
        let shape = Shape {
            program: self.text("program").and_then(|text| {
                let pattern = TextPattern::new(&text);
                pattern.map_err(|error| self.wrong::<()>("program", &error)).ok()
            }),
            subcommand: self.patterns("subcommand", TextPattern::new),
            options: self.patterns("options", OptionPattern::new),
            without: self.patterns("without", OptionPattern::new),
            no_other_options: self.switch("no_other_options"),
            arguments: self.patterns("arguments", TextPattern::new),
            paths: self.patterns("paths", path),
            hosts: self.patterns("hosts", HostPattern::new),
            exactly: self.table.contains_key("exactly").then(|| self.list("exactly")),
            within: self.patterns("within", path).into_iter().next(),
            roles: self
                .patterns("roles", |word| word.parse::<Role>().map_err(|error| error.to_string())),
        };
        if shape.program.is_none() && shape.exactly.is_none() {
            self.wrong::<()>("program", "a rule is about a program: write program = \"NAME\"");
        }
        let against = self.patterns("against", |name| {
            let found = aegish_policy::rule(name).map(|rule| rule.name);
            found.ok_or_else(|| format!("there is no rule {name}; `aegish rules` lists them"))
        });
        let reach = if self.switch("even_blocked") { Reach::Blocks } else { Reach::Warnings };
        if reach == Reach::Blocks && against.is_empty() {
            self.wrong::<()>("even_blocked", "name the rules it is about: against = [\"…\"]");
        }
        if verb.is_some_and(|verb| verb != Verb::Allow)
            && (reach == Reach::Blocks || !against.is_empty())
        {
            self.wrong::<()>("against", "only an allow goes against rules");
        }
        let once = self.switch("once");
        if once && verb.is_some_and(|verb| verb != Verb::Allow) {
            self.wrong::<()>("once", "only an allow can be for once");
        }
        let rule = UserRule {
            name: self.text("name").unwrap_or_else(|| format!("rule-{number}")),
            verb: verb?,
            authority: match source {
                ConfigSource::SystemKeys
                | ConfigSource::SystemTables
                | ConfigSource::Fleet
                | ConfigSource::BuiltIn => Authority::System,
                ConfigSource::User | ConfigSource::Project | ConfigSource::Environment => {
                    Authority::Person
                }
            },
            shape,
            lifts: Lifts { against, reach },
            until: self.moment("until"),
            once,
            because: self.text("because"),
            examples: self.list("examples"),
            counterexamples: self.list("counterexamples"),
        };
        (self.page.problems.len() == problems).then_some(rule)
    }

    /// The error for a key.
    fn wrong<T>(&mut self, key: &str, what: &str) -> Option<T> {
        let at = self.table.iter().find(|(name, _)| name.get_ref().as_ref() == key);
        let place = at.map_or(self.place.clone(), |(name, _)| self.lines.at(name.span().start));
        self.page.problem(place, what);
        None
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.table.get(key)?.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            _ => self.wrong(key, &format!("{key} does not fit; write a text in quotes")),
        }
    }

    fn switch(&mut self, key: &str) -> bool {
        match self.table.get(key).map(|value| value.get_ref()) {
            None => false,
            Some(DeValue::Boolean(on)) => *on,
            Some(_) => {
                self.wrong::<()>(key, &format!("{key} does not fit; write true or false"));
                false
            }
        }
    }

    /// A list of texts; one text is a list of one.
    fn list(&mut self, key: &str) -> Vec<String> {
        let Some(value) = self.table.get(key) else { return Vec::new() };
        let texts = match value.get_ref() {
            DeValue::String(text) => Some(vec![text.to_string()]),
            DeValue::Array(values) => values
                .iter()
                .map(|value| match value.get_ref() {
                    DeValue::String(text) => Some(text.to_string()),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        texts.unwrap_or_else(|| {
            self.wrong::<()>(key, &format!("{key} does not fit; write a list of texts in quotes"));
            Vec::new()
        })
    }

    fn patterns<T>(&mut self, key: &str, read: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        let mut patterns = Vec::new();
        for text in self.list(key) {
            match read(&text) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => {
                    self.wrong::<()>(key, &format!("{key} does not fit: {error}"));
                }
            }
        }
        patterns
    }

    /// A time in UTC, to the second, so that times sort as text.
    fn moment(&mut self, key: &str) -> Option<String> {
        let text = match self.table.get(key)?.get_ref() {
            DeValue::Datetime(moment) => moment.to_string(),
            DeValue::String(text) => text.to_string(),
            _ => String::new(),
        };
        let form = "0000-00-00T00:00:00Z";
        let fits = text.len() == form.len()
            && text.bytes().zip(form.bytes()).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                _ => byte == wanted,
            });
        let number = |from: usize| text.get(from..from + 2).and_then(|two| two.parse::<u8>().ok());
        let within = |from: usize, least: u8, most: u8| {
            number(from).is_some_and(|number| (least..=most).contains(&number))
        };
        let real = within(5, 1, 12) && within(8, 1, 31) && within(11, 0, 23) && within(14, 0, 59);
        if fits && real {
            Some(text)
        } else {
            self.wrong(key, &format!("{key} is {}; write 2026-02-08T12:34:56Z", shown(&text)))
        }
    }
}

/// A rule as a file that can be read again.
#[must_use]
pub fn rule_text(rule: &UserRule) -> String {
    let title: String =
        rule.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = format!("# {title}\n[[{RULE}]]\n");
    let mut put = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    put("verdict", quoted(rule.verb.as_str()));
    put("name", quoted(&rule.name));
    let shape = &rule.shape;
    if let Some(program) = &shape.program {
        put("program", quoted(program.as_str()));
    }
    let lists: [(&str, Vec<String>); 10] = [
        ("subcommand", texts(&shape.subcommand)),
        ("options", texts(&shape.options)),
        ("without", texts(&shape.without)),
        ("arguments", texts(&shape.arguments)),
        ("paths", texts(&shape.paths)),
        ("hosts", texts(&shape.hosts)),
        ("roles", texts(&shape.roles)),
        ("against", texts(&rule.lifts.against)),
        ("examples", rule.examples.clone()),
        ("counterexamples", rule.counterexamples.clone()),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            put(key, array(&list));
        }
    }
    if let Some(words) = &shape.exactly {
        put("exactly", array(words));
    }
    if let Some(directory) = &shape.within {
        put("within", quoted(directory.as_str()));
    }
    let switches = [
        ("no_other_options", shape.no_other_options),
        ("even_blocked", rule.lifts.reach == Reach::Blocks),
        ("once", rule.once),
    ];
    for (key, on) in switches {
        if on {
            put(key, "true".to_owned());
        }
    }
    if let Some(until) = &rule.until {
        put("until", until.clone());
    }
    if let Some(because) = &rule.because {
        put("because", quoted(because));
    }
    text
}

fn texts(items: &[impl ToString]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn array(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn read(text: &str, source: ConfigSource) -> SourceContent {
        let bases = Bases { home: "/home/kim".to_owned(), here: "/srv/app".to_owned() };
        crate::tables::file(Path::new("/r.toml"), text.as_bytes(), source, &bases)
    }

    const FULL: &str = r#"
[[rule]]
verdict = "allow"
name = "scratch"
program = "rm"
subcommand = ["x"]
options = ["-r|--recursive", "color=never"]
without = "--no-preserve-root"
no_other_options = true
arguments = ["*.o"]
paths = ["build/**", "~/scratch/*"]
hosts = ["*.example.org"]
within = "/srv"
roles = ["default", "sysadmin"]
against = ["destructive-file-system"]
even_blocked = true
until = 2026-02-08T12:34:56Z
once = true
because = "it is \"scratch\" \\ space"
examples = ["rm -r build/x"]
counterexamples = ["rm -r src"]
"#;

    #[test]
    fn a_written_rule_is_read_back() {
        let page = read(FULL, ConfigSource::User);
        assert_eq!(page.problems, []);
        let rule = &page.rules[0].rule;
        assert_eq!(rule.shape.paths[0].as_str(), "/srv/app/build/**");
        assert_eq!(rule.shape.paths[1].as_str(), "/home/kim/scratch/*");
        assert_eq!(rule.authority, Authority::Person);
        let again = read(&rule_text(rule), ConfigSource::User);
        assert_eq!(again.problems, []);
        assert_eq!(&again.rules[0].rule, rule);
    }

    #[test]
    fn a_command_cannot_write_lines_into_the_file() {
        let mut page = read(FULL, ConfigSource::User);
        let mut rule = page.rules.remove(0).rule;
        rule.shape.exactly = Some(vec!["echo".to_owned(), "\n[[rule]]\nverdict='deny'".to_owned()]);
        let again = read(&rule_text(&rule), ConfigSource::User);
        assert_eq!(again.problems, []);
        assert_eq!(again.rules.len(), 1);
        assert_eq!(again.rules[0].rule, rule);
    }

    #[test]
    fn every_mistake_is_named() {
        for (text, expected) in [
            ("rule = 1", "/r.toml:1: rules are written as tables: [[rule]]"),
            ("[[rule]]\nprogram = 'rm'", "/r.toml:1: write verdict ="),
            ("[[rule]]\nverdict = 'no'\nprogram = 'rm'", "/r.toml:2: unknown verb: `no`"),
            ("[[rule]]\nverdict = 'deny'", "/r.toml:1: a rule is about a program"),
            (
                "[[rule]]\nverdict = 'deny'\nprogramm = 'rm'\nprogram = 'rm'",
                "/r.toml:3: there is no setting programm; did you mean program?",
            ),
            (
                "[[rule]]\nverdict = 'deny'\nprogram = ''",
                "/r.toml:3: an empty pattern fits nothing",
            ),
            (
                "[[rule]]\nverdict = 'deny'\nprogram = 'x'\nhosts = ['https://a/']",
                "/r.toml:4: hosts does not fit: `https://a/` is more than a host",
            ),
            (
                "[[rule]]\nverdict = 'allow'\nprogram = 'x'\nagainst = ['nothing']",
                "/r.toml:4: against does not fit: there is no rule nothing",
            ),
            (
                "[[rule]]\nverdict = 'allow'\nprogram = 'x'\neven_blocked = true",
                "/r.toml:4: name the rules it is about",
            ),
            (
                "[[rule]]\nverdict = 'deny'\nprogram = 'x'\nagainst = ['work-loss']",
                "/r.toml:4: only an allow goes against rules",
            ),
            (
                "[[rule]]\nverdict = 'allow'\nprogram = 'x'\nuntil = 2026-02-08",
                "/r.toml:4: until is 2026-02-08; write 2026-02-08T12:34:56Z",
            ),
            (
                "[[rule]]\nverdict = 'allow'\nprogram = 'x'\nuntil = '2099-13-01T00:00:00Z'",
                "/r.toml:4: until is 2099-13-01T00:00:00Z; write",
            ),
            (
                "[[rule]]\nverdict = 'allow'\nprogram = 'x'\nonce = 1",
                "/r.toml:4: once does not fit; write true or false",
            ),
        ] {
            let page = read(text, ConfigSource::User);
            let found: Vec<String> = page.problems.iter().map(ToString::to_string).collect();
            assert!(found.iter().any(|one| one.starts_with(expected)), "{text}: {found:?}");
            assert_eq!(page.rules, [], "{text}");
        }
    }
}
