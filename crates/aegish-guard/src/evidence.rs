//! Evidence about a command for a judge.
//!
//! Takes the text, the static analysis and the session; gives [`Gathered`] evidence: the command as typed, except for
//! text without effect, the commands after expansion, their effects and open findings, scripts and functions, and the
//! facts of the session that the text mentions. It weighs nothing: the judge, which writes the message, redacts and
//! shortens it.

use crate::injection::{NO_OPERATIONS, ShownText, could_steer};
use crate::{Context, Decision, Finding, Request, Session};
use aegish_effects::{
    Analysis, CommandReport, EffectKind, Piece, ScriptFile, ScriptLanguage, ScriptText, Value,
};
use aegish_judge::{Evidence, Marker, NoMessage, ScriptEvidence};
use std::collections::BTreeMap;

/// Maximum number of commands after expansion.
const MOST_COMMANDS: usize = 200;
/// Limits on the words of one of them, and on the characters of a word.
const MOST_WORDS: usize = 200;
const LONGEST_WORD: usize = 2000;
/// Maximum number of functions.
const MOST_FUNCTIONS: usize = 32;
/// Maximum number of recorded effects; a judge shows fewer and says how many are missing.
const MOST_EFFECTS: usize = 500;

/// Evidence about one command.
#[derive(Debug)]
pub struct Gathered<'a> {
    command: ShownText<'a>,
    canonical: String,
    effects: Vec<String>,
    /// The files that would run, and the functions of the session that it calls.
    scripts: Vec<ShownScript>,
    facts: Vec<(String, String)>,
    /// Whether any text that its author wrote and a judge is shown could tell the judge what to answer.
    could_steer: bool,
}

/// A script as a judge is shown it.
#[derive(Debug)]
struct ShownScript {
    path: String,
    /// None if it cannot be read.
    contents: Option<String>,
    /// The contents without the marks in them.
    authored: String,
}

impl ShownScript {
    fn of_file(file: &ScriptFile) -> Self {
        let path = file.path.clone();
        match (contents(file), file.language) {
            (None, _) => Self { path, contents: None, authored: String::new() },
            (Some(text), ScriptLanguage::Shell) => Self::of_shell(path, text),
            (Some(text), ScriptLanguage::Other) => {
                Self { path, contents: Some(text.to_owned()), authored: text.to_owned() }
            }
        }
    }

    fn of_shell(path: String, text: &str) -> Self {
        let ShownText { text, authored } = ShownText::new(text);
        Self { path, contents: Some(text.into_owned()), authored: authored.into_owned() }
    }
}

impl<'a> Gathered<'a> {
    /// Collects what is known of `text` and of its session.
    #[must_use]
    pub fn new(
        text: &'a str,
        decision: &'a Decision,
        session: &Session,
        request: &Request<'_>,
    ) -> Self {
        let analysis = &decision.analysis;
        let command = ShownText::new(text);
        // What a comment mentions is not needed.
        let functions = functions(&command.authored, analysis, session);
        let facts = facts(&command.authored, &functions, analysis, session, request);
        // A function that is called is code that runs, like a script.
        let functions = functions
            .iter()
            .map(|(name, body)| ShownScript::of_shell(format!("function {name}"), body));
        let mut scripts: Vec<ShownScript> =
            analysis.scripts.iter().map(ShownScript::of_file).chain(functions).collect();
        let places = HiddenPlaces::new(request.context);
        for script in &mut scripts {
            script.path = places.hide(&script.path);
        }
        let facts: Vec<Fact> = facts.into_iter().map(|fact| places.hide_in(fact)).collect();
        let could_steer = {
            let words = analysis.commands.iter().flat_map(known_text);
            let done = analysis.effects.iter().filter_map(|effect| object(&effect.kind));
            let derived: Vec<String> = words.chain(done).map(|text| places.hide(&text)).collect();
            let scripts = scripts.iter().flat_map(|script| [&*script.path, &*script.authored]);
            let facts = facts.iter().flat_map(|fact| [&*fact.name, &*fact.authored]);
            let authored = [&*command.authored].into_iter().chain(scripts).chain(facts);
            could_steer(authored.chain(derived.iter().map(String::as_str)))
        };
        Self {
            canonical: places.hide(&canonical(analysis)),
            effects: effects(analysis, &decision.findings)
                .iter()
                .map(|effect| places.hide(effect))
                .collect(),
            facts: facts.into_iter().map(|fact| (fact.name, fact.value)).collect(),
            command,
            scripts,
            could_steer,
        }
    }

    /// Whether the text that a judge is shown could tell it what to answer.
    pub(crate) fn could_steer(&self) -> bool {
        self.could_steer
    }

    /// The evidence in the form of a judge.
    pub fn give<T>(&self, judge: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let scripts: Vec<ScriptEvidence<'_>> = self
            .scripts
            .iter()
            .map(|script| ScriptEvidence {
                path: &script.path,
                contents: script.contents.as_deref(),
            })
            .collect();
        let facts: Vec<(&str, &str)> =
            self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        judge(&Evidence {
            command: &self.command.text,
            canonical: Some(&self.canonical).filter(|text| !text.is_empty()).map(String::as_str),
            effects: &self.effects,
            scripts: &scripts,
            facts: &facts,
        })
    }

    /// The message of a judge with this evidence and marker.
    ///
    /// # Errors
    ///
    /// If the command is too long for a judge.
    pub fn message(&self, marker: &Marker) -> Result<String, NoMessage> {
        self.give(|evidence| aegish_judge::enriched(evidence, marker)).map(|message| message.text)
    }
}

fn contents(file: &ScriptFile) -> Option<&str> {
    match &file.text {
        ScriptText::Whole(text) | ScriptText::Beginning(text) => Some(text.as_str()),
        ScriptText::Unread => None,
    }
}

/// The text of a command's words that is known, together and each by itself.
fn known_text(command: &CommandReport) -> Vec<String> {
    let idle = name_of(command).is_some_and(|name| NO_OPERATIONS.contains(&name));
    let shown = if idle { 1 } else { MOST_WORDS };
    let words: Vec<String> = command.argv.iter().take(shown).map(known_part).collect();
    let together = words.join(" ");
    words.into_iter().chain([together]).collect()
}

/// What an effect is about.
fn object(effect: &EffectKind) -> Option<String> {
    let text = effect.to_string();
    text.split_once(' ').map(|(_, object)| object.to_owned())
}

/// The known text of a value.
fn known_part(value: &Value) -> String {
    let known = value.pieces().iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.to_string()),
        Piece::OneOf(texts) => Some(texts.join(" ")),
        Piece::AnyOf(class) => Some(class.to_string()),
        Piece::AnyString | Piece::AnyChar | Piece::Unknown(_) => None,
    });
    known.collect::<Vec<String>>().join(" ")
}

fn name_of(command: &CommandReport) -> Option<&str> {
    command.argv.first().and_then(Value::as_known)
}

/// The number of commands above each one, at most twenty. Parents come first.
#[must_use]
pub fn depths(commands: &[CommandReport]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(commands.len());
    for command in commands {
        let above = command.parent.and_then(|parent| depths.get(parent));
        let depth = above.map_or(0, |depth| depth + 1);
        depths.push(depth.min(20));
    }
    depths
}

/// The commands that would run, one per line, those that another one runs below it.
fn canonical(analysis: &Analysis) -> String {
    let depths = depths(&analysis.commands);
    let shown = analysis.commands.iter().zip(depths).take(MOST_COMMANDS);
    let mut lines: Vec<String> = shown
        .filter(|(command, _)| !command.argv.is_empty())
        .map(|(command, depth)| "  ".repeat(depth) + &shown_line(command))
        .collect();
    if analysis.commands.len() > MOST_COMMANDS {
        lines.push(format!("… and {} more", analysis.commands.len() - MOST_COMMANDS));
    }
    lines.join("\n")
}

/// A command on one line, without the arguments of one that does nothing.
fn shown_line(command: &CommandReport) -> String {
    match name_of(command).filter(|name| NO_OPERATIONS.contains(name)) {
        Some(name) if command.argv.len() > 1 => {
            format!("{name} ‹left out: {} words›", command.argv.len() - 1)
        }
        _ => command_line(command),
    }
}

/// A command after expansion on one line. Words are quoted if their ends would not be visible.
#[must_use]
pub fn command_line(command: &CommandReport) -> String {
    let mut words: Vec<String> = command.argv.iter().take(MOST_WORDS).map(quoted).collect();
    if command.argv.len() > MOST_WORDS {
        words.push("…".to_owned());
    }
    words.join(" ")
}

fn quoted(word: &Value) -> String {
    let mut text = word.to_string();
    if let Some((end, _)) = text.char_indices().nth(LONGEST_WORD) {
        text.truncate(end);
        text.push('…');
    }
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+~*?[]{}‹›^…".contains(c);
    if text.contains(char::is_control) {
        let escaped: String = text
            .chars()
            .flat_map(|c| match c {
                '\'' | '\\' => format!("\\{c}").chars().collect(),
                c if c.is_control() => c.escape_default().collect::<Vec<char>>(),
                c => vec![c],
            })
            .collect();
        return format!("$'{escaped}'");
    }
    let bare = !text.is_empty() && (text.chars().all(plain) || word.has_unknown());
    if bare { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Open findings, other findings and effects, the most important first.
fn effects(analysis: &Analysis, findings: &[Finding]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.open) {
        lines.push(format!("not settled by static analysis: {}", finding.reason));
    }
    for finding in findings.iter().filter(|finding| !finding.open) {
        let rule = finding.rule;
        let name =
            if rule.id == rule.name { rule.name.to_owned() } else { format!("rule {}", rule.id) };
        lines.push(format!("{name}, {}: {}", finding.action, finding.reason));
    }
    for effect in analysis.effects.iter().take(MOST_EFFECTS) {
        let command = analysis.commands.get(effect.command);
        let act = match &effect.kind {
            // Quoted, so that the end of the value is visible.
            EffectKind::Setenv { name, value, .. } => format!("setenv {name}={}", quoted(value)),
            act => act.to_string(),
        };
        let line = match command.and_then(|command| command.argv.first()) {
            Some(name) => format!("{}: {act}", quoted(name)),
            None => act,
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The functions of the session that the text mentions, and those that these mention.
fn functions(text: &str, analysis: &Analysis, session: &Session) -> Vec<(String, String)> {
    let mut left: Vec<(&str, &str)> = session.functions().collect();
    let mut texts: Vec<&str> = vec![text];
    texts.extend(analysis.scripts.iter().filter_map(contents));
    texts.extend(session.aliases().filter(|(name, _)| mentions(text, name)).map(|(_, text)| text));
    let mut found: Vec<(String, String)> = Vec::new();
    while let Some(text) = texts.pop() {
        let (named, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(name, _)| mentions(text, name));
        left = others;
        for (name, body) in named.into_iter().take(MOST_FUNCTIONS - found.len()) {
            texts.push(body);
            found.push((name.to_owned(), body.to_owned()));
        }
    }
    found.sort();
    found
}

/// The working directory and the home, if their names could steer a judge. They are in most paths, and neither is needed
/// to judge a command, so they are left out instead of distrusting every answer given in such a directory.
struct HiddenPlaces(Vec<(String, &'static str)>);

impl HiddenPlaces {
    fn new(context: &Context<'_>) -> Self {
        let places = [(&context.cwd, "‹working directory›"), (&context.home, "‹home›")];
        let steers = |path: &str| path.len() > 1 && could_steer([path].into_iter());
        let mut hidden: Vec<(String, &'static str)> = places
            .into_iter()
            .filter(|(path, _)| steers(path))
            .map(|(path, mark)| (path.clone(), mark))
            .collect();
        // One may be in the other.
        hidden.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self(hidden)
    }

    fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (path, mark)| text.replace(path.as_str(), mark))
    }

    fn hide_in(&self, fact: Fact) -> Fact {
        let Fact { name, value, authored } = fact;
        Fact { name, value: self.hide(&value), authored: self.hide(&authored) }
    }
}

/// A fact of the session.
struct Fact {
    name: String,
    value: String,
    /// The part of the value that is known.
    authored: String,
}

impl Fact {
    fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: value.to_owned(), authored: value.to_owned() }
    }
}

/// Directory and user, and the aliases and variables of the session that the text mentions.
fn facts(
    text: &str,
    functions: &[(String, String)],
    analysis: &Analysis,
    session: &Session,
    request: &Request<'_>,
) -> Vec<Fact> {
    let context = request.context;
    let mut facts = vec![Fact::new("role", request.role.name())];
    if !context.cwd.is_empty() {
        facts.push(Fact::new("working directory", &context.cwd));
    }
    let mut texts: Vec<&str> = vec![text];
    texts.extend(analysis.scripts.iter().filter_map(contents));
    texts.extend(functions.iter().map(|(_, body)| body.as_str()));
    // Later ones win: the session has seen more than the context it began with.
    let mut aliases: BTreeMap<&str, &str> =
        context.aliases.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    aliases.extend(session.aliases());
    for (name, meaning) in aliases {
        if texts.iter().any(|text| mentions(text, name)) {
            facts.push(Fact::new(&format!("alias {name}"), meaning));
            texts.push(meaning);
        }
    }
    let mut variables: BTreeMap<&str, &Value> =
        context.variables.iter().map(|(name, value)| (name.as_str(), value)).collect();
    variables.extend(session.variables());
    for (name, value) in variables {
        if texts.iter().any(|text| mentions(text, name)) {
            let authored = known_part(value);
            facts.push(Fact { name: name.to_owned(), value: value.to_string(), authored });
        }
    }
    facts
}

/// Whether a text contains a name as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(start, _)| {
            let before = text.get(..start).and_then(|text| text.chars().next_back());
            let after = text.get(start + name.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(joins) && !after.is_some_and(joins)
        })
}

#[cfg(test)]
mod tests;
