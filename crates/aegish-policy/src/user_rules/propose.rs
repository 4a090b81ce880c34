//! Proposes rules that would remove a warning.

use super::fit::paths_of;
use super::pattern::{HostPattern, PathPattern, TextPattern, host_of};
use super::rule::{Lifts, OptionPattern, Reach, Shape, UserRule, Verb};
use crate::action::PolicyContext;
use crate::view;
use aegish_effects::{Analysis, CommandReport, Piece, Value, Words};
use std::collections::BTreeSet;

/// Rules that would remove the warnings of one command; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// For similar commands, if they can be described.
    pub alike: Option<UserRule>,
    /// For this command only, if it is known.
    pub exact: Option<UserRule>,
}

/// A warning of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warning {
    /// The rule that gives it.
    pub rule: &'static str,
    /// Index into the analysis' commands.
    pub command: usize,
    /// The static side could not read the code.
    pub open: bool,
}

/// The rules that would remove these warnings, one proposal per command. None if no rule could: a user rule
/// itself warns, or the command is known only at run time.
#[must_use]
pub fn propose(
    analysis: &Analysis,
    warnings: &[Warning],
    setting: &PolicyContext<'_>,
) -> Option<Vec<Proposal>> {
    let warned: BTreeSet<usize> = warnings.iter().map(|warning| warning.command).collect();
    if warned.is_empty() || warnings.iter().any(|warning| warning.rule == super::RULE.name) {
        return None;
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    for command in warned {
        let own: Vec<&Warning> =
            warnings.iter().filter(|warning| warning.command == command).collect();
        let proposal = one(analysis, command, &own, setting)?;
        if !proposals.contains(&proposal) {
            proposals.push(proposal);
        }
    }
    Some(proposals)
}

fn one(
    analysis: &Analysis,
    command: usize,
    warnings: &[&Warning],
    setting: &PolicyContext<'_>,
) -> Option<Proposal> {
    let Shapes { name, alike, exact } = shapes(analysis, command, setting)?;
    let mut against: Vec<&'static str> = warnings.iter().map(|warning| warning.rule).collect();
    against.sort_unstable();
    against.dedup();
    let rule = |shape: Shape| {
        let mut rule = UserRule::new(&name, Verb::Allow, shape);
        rule.lifts = Lifts { against: against.clone(), reach: Reach::Warnings };
        rule
    };
    // Unread code is allowed by name only, one program at a time.
    let unread = warnings.iter().any(|warning| warning.open);
    let alike = alike.filter(|_| !unread).map(rule);
    let exact = exact.map(rule);
    (alike.is_some() || exact.is_some()).then_some(Proposal { alike, exact })
}

/// Shapes for rules about one command.
#[derive(Debug, Clone, PartialEq)]
pub struct Shapes {
    /// The name of such a rule.
    pub name: String,
    /// For similar commands, if they can be described.
    pub alike: Option<Shape>,
    /// For this command only, if it is known.
    pub exact: Option<Shape>,
}

/// Shapes for rules about the command with this index.
#[must_use]
pub fn shapes(analysis: &Analysis, command: usize, setting: &PolicyContext<'_>) -> Option<Shapes> {
    let report = analysis.commands.get(command).filter(|report| !report.argv.is_empty())?;
    let words: Option<Vec<String>> =
        report.argv.iter().map(|word| word.as_known().map(str::to_owned)).collect();
    let within = PathPattern::new(setting.cwd, "", "").ok();
    let exact = words.map(|words| Shape { exactly: Some(words), within, ..Shape::default() });
    let alike = shape(analysis, command, report, setting);
    Some(Shapes { name: name(report), alike, exact })
}

/// `git-push`
fn name(report: &CommandReport) -> String {
    let program = report.argv.first().and_then(Value::as_known).unwrap_or("command");
    let mut name = program.rsplit('/').next().unwrap_or(program).to_owned();
    for spellings in report.words().subcommands {
        name.push('-');
        name.push_str(spellings.first().copied().unwrap_or_default());
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    // Bounded: a name for people, not a value that is judged.
    let name: String = name.chars().map(|c| if fits(c) { c } else { '-' }).take(40).collect();
    name.trim_matches(['-', '.']).to_owned()
}

/// The shape of similar commands: program, subcommand, exactly these options, files in the same directories,
/// the same hosts. Other arguments are free if the subcommand defines them.
fn shape(
    analysis: &Analysis,
    command: usize,
    report: &CommandReport,
    setting: &PolicyContext<'_>,
) -> Option<Shape> {
    let words = report.words();
    let program = report.argv.first()?.as_known()?;
    let program = match program.rsplit_once('/') {
        Some((_, base)) if report.program.is_some() => TextPattern::new(base).ok()?,
        Some(_) => {
            let path = PathPattern::new(program, setting.home, setting.cwd).ok()?;
            TextPattern::new(path.as_str()).ok()?
        }
        None => TextPattern::new(program).ok()?,
    };
    let subcommand = words.subcommands.iter().filter_map(|spellings| spellings.first());
    let subcommand: Vec<TextPattern> =
        subcommand.map(|name| TextPattern::new(name)).collect::<Result<_, _>>().ok()?;
    let options = words.options.iter().map(|given| {
        let value = match &given.value {
            Some(value) => format!("={}", value.as_known()?),
            None => String::new(),
        };
        let names =
            if given.spellings.is_empty() { given.name.clone() } else { given.spellings.join("|") };
        OptionPattern::new(&format!("{names}{value}")).ok()
    });
    let options: Vec<OptionPattern> = options.collect::<Option<_>>()?;
    let things = Things::of(analysis, command, setting)?;
    let free = !subcommand.is_empty();
    let others = words.operands.iter().filter(|word| !free && !things.are_about(word));
    let arguments: Option<Vec<TextPattern>> =
        others.map(|word| TextPattern::new(word.as_known()?).ok()).collect();
    let arguments = arguments?;
    let arguments = if arguments.is_empty() { arguments } else { whole(&words)? };
    Some(Shape {
        program: Some(program),
        subcommand,
        options,
        no_other_options: true,
        arguments,
        paths: things.paths,
        hosts: things.hosts,
        ..Shape::default()
    })
}

/// All operands unchanged: a pattern for arguments has to match every one of them.
fn whole(words: &Words) -> Option<Vec<TextPattern>> {
    words.operands.iter().map(|word| TextPattern::new(word.as_known()?).ok()).collect()
}

/// The files and hosts of a command, by the places where they are.
struct Things<'a> {
    paths: Vec<PathPattern>,
    hosts: Vec<HostPattern>,
    known: Vec<&'a Value>,
    cwd: &'a str,
}

impl<'a> Things<'a> {
    fn of(analysis: &'a Analysis, command: usize, setting: &PolicyContext<'a>) -> Option<Self> {
        let mut all =
            Self { paths: Vec::new(), hosts: Vec::new(), known: Vec::new(), cwd: setting.cwd };
        let own = analysis.effects.iter().filter(|effect| effect.command == command);
        for effect in own {
            for path in paths_of(&effect.kind) {
                all.known.push(path);
                let place = place(path, setting)?;
                if !all.paths.contains(&place) {
                    all.paths.push(place);
                }
            }
            if let Some(address) = view::host_of(&effect.kind) {
                all.known.push(address);
                let host = host_of(address.as_known()?);
                // A program that connects to no particular host.
                if host.is_empty() {
                    continue;
                }
                let host = HostPattern::new(host).ok()?;
                if !all.hosts.contains(&host) {
                    all.hosts.push(host);
                }
            }
        }
        Some(all)
    }

    fn are_about(&self, word: &Value) -> bool {
        let Some(text) = word.as_known() else { return false };
        let absolute = PathPattern::new(text, "", self.cwd).ok();
        self.known.iter().any(|value| {
            let same = *value == word;
            same || absolute.as_ref().is_some_and(|path| value.as_known() == Some(path.as_str()))
        })
    }
}

/// Everything in the project if the file is in it, else everything in its directory.
fn place(path: &Value, setting: &PolicyContext<'_>) -> Option<PathPattern> {
    // Expansions stay in the directory that is written before them.
    let literal = match path.as_known() {
        Some(text) => text,
        None if is_glob(path) => path.known_prefix(),
        None => return None,
    };
    let path = PathPattern::new(literal, setting.home, setting.cwd).ok()?;
    let cwd = setting.cwd.trim_end_matches('/');
    let in_project = !cwd.is_empty()
        && cwd != setting.home.trim_end_matches('/')
        && path.as_str().strip_prefix(cwd).is_some_and(|rest| {
            rest.starts_with('/') || (rest.is_empty() && literal.ends_with('/'))
        });
    let pattern = if in_project {
        format!("{cwd}/**")
    } else if literal.ends_with('/') {
        format!("{path}/*")
    } else {
        let (directory, _) = path.as_str().rsplit_once('/')?;
        if directory.is_empty() {
            return Some(path);
        }
        format!("{directory}/*")
    };
    PathPattern::new(&pattern, "", "").ok()
}

/// Text and globs within one directory.
fn is_glob(value: &Value) -> bool {
    let expanded =
        |piece: &Piece| matches!(piece, Piece::AnyString | Piece::AnyChar | Piece::AnyOf(_));
    value.pieces().iter().enumerate().all(|(at, piece)| match piece {
        Piece::Text(text) => at == 0 || !text.contains('/'),
        piece => expanded(piece),
    })
}
