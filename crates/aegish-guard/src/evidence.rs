//! Evidence about a command for a judge.
//!
//! Takes the text, the static analysis and the session; gives [`Gathered`] evidence: the command as typed,
//! the commands after expansion, their effects and open findings, scripts and functions, and the facts of the
//! session that the text mentions. It neither weighs nor hides anything: the judge, which writes the message,
//! redacts and shortens it.

use crate::{Decision, Finding, Request, Session};
use aegish_effects::{Analysis, CommandReport, EffectKind, ScriptFile, ScriptText, Value};
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
    command: &'a str,
    canonical: String,
    effects: Vec<String>,
    scripts: &'a [ScriptFile],
    /// Functions of the session that it calls: name and body.
    functions: Vec<(String, String)>,
    facts: Vec<(String, String)>,
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
        let functions = functions(text, analysis, session);
        Self {
            command: text,
            canonical: canonical(analysis),
            effects: effects(analysis, &decision.findings),
            scripts: &analysis.scripts,
            facts: facts(text, &functions, analysis, session, request),
            functions,
        }
    }

    /// The evidence in the form of a judge.
    pub fn give<T>(&self, judge: impl FnOnce(&Evidence<'_>) -> T) -> T {
        // A function that is called is code that runs, like a script.
        let functions = self.functions.iter().map(|(name, body)| ScriptEvidence {
            path: name.as_str(),
            contents: Some(body.as_str()),
        });
        let scripts: Vec<ScriptEvidence<'_>> =
            self.scripts.iter().map(script).chain(functions).collect();
        let facts: Vec<(&str, &str)> =
            self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        judge(&Evidence {
            command: self.command,
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
        self.give(|evidence| aegish_judge::enriched(evidence, marker))
    }
}

fn script(file: &ScriptFile) -> ScriptEvidence<'_> {
    let contents = match &file.text {
        ScriptText::Whole(text) | ScriptText::Beginning(text) => Some(text.as_str()),
        ScriptText::Unread => None,
    };
    ScriptEvidence { path: &file.path, contents }
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
        .map(|(command, depth)| "  ".repeat(depth) + &command_line(command))
        .collect();
    if analysis.commands.len() > MOST_COMMANDS {
        lines.push(format!("… and {} more", analysis.commands.len() - MOST_COMMANDS));
    }
    lines.join("\n")
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
    let mut left: BTreeMap<&str, &str> = session.functions().collect();
    let mut texts: Vec<&str> = vec![text];
    texts.extend(analysis.scripts.iter().filter_map(|file| script(file).contents));
    texts.extend(session.aliases().filter(|(name, _)| mentions(text, name)).map(|(_, text)| text));
    let mut found: Vec<(String, String)> = Vec::new();
    while let Some(text) = texts.pop() {
        let named: Vec<&str> = left.keys().copied().filter(|name| mentions(text, name)).collect();
        for name in named.into_iter().take(MOST_FUNCTIONS - found.len()) {
            if let Some(body) = left.remove(name) {
                texts.push(body);
                found.push((format!("function {name}"), body.to_owned()));
            }
        }
    }
    found.sort();
    found
}

/// Directory and user, and the aliases and variables of the session that the text mentions.
fn facts(
    text: &str,
    functions: &[(String, String)],
    analysis: &Analysis,
    session: &Session,
    request: &Request<'_>,
) -> Vec<(String, String)> {
    let context = request.context;
    let mut facts = vec![("role".to_owned(), request.role.name().to_owned())];
    if !context.cwd.is_empty() {
        facts.push(("working directory".to_owned(), context.cwd.clone()));
    }
    let mut texts: Vec<&str> = vec![text];
    texts.extend(analysis.scripts.iter().filter_map(|file| script(file).contents));
    texts.extend(functions.iter().map(|(_, body)| body.as_str()));
    // Later ones win: the session has seen more than the context it began with.
    let mut aliases: BTreeMap<&str, &str> =
        context.aliases.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    aliases.extend(session.aliases());
    for (name, meaning) in aliases {
        if texts.iter().any(|text| mentions(text, name)) {
            facts.push((format!("alias {name}"), meaning.to_owned()));
            texts.push(meaning);
        }
    }
    let mut variables: BTreeMap<&str, &Value> =
        context.variables.iter().map(|(name, value)| (name.as_str(), value)).collect();
    variables.extend(session.variables());
    for (name, value) in variables {
        if texts.iter().any(|text| mentions(text, name)) {
            facts.push((name.to_owned(), value.to_string()));
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
mod tests {
    use super::*;
    use crate::{Context, FileView, Machine, Role, TextForm, check_in};
    use std::collections::HashMap;

    struct Files(HashMap<&'static str, FileView>);

    impl Machine for Files {
        fn read(&self, path: &str, _limit: usize) -> FileView {
            self.0.get(path).cloned().unwrap_or(FileView::Missing)
        }

        fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
            None
        }
    }

    fn gathered<T>(text: &str, files: &Files, see: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let variables = [("TARGET", "/srv/old"), ("SPARE", "unused"), ("HOME", "/home/joe")];
        let context = Context {
            cwd: "/work".to_owned(),
            home: "/home/joe".to_owned(),
            variables: variables
                .map(|(name, value)| (name.to_owned(), Value::known(value)))
                .into_iter()
                .collect(),
            aliases: HashMap::from([
                ("go".to_owned(), "sh ./go.sh".to_owned()),
                ("ll".to_owned(), "ls -l".to_owned()),
            ]),
            complete: false,
            positional: Some(Vec::new()),
            zero: None,
            interactive: true,
            stdin: aegish_effects::StandardInput::Terminal,
            form: TextForm::CommandLine,
            machine: files,
        };
        let typed = |text: &str, session: &Session| {
            let text = text.as_bytes();
            check_in(
                session,
                &Request { text, context: &context, role: Role::Default, user_rules: &[] },
            )
        };
        let mut session = Session::new();
        for line in [
            "later=/srv/new; away() { rm -rf \"$1\"; }",
            "eval 'outer() { inner \"$TARGET\"; }'",
            "inner() ( rm -r \"$1\" )",
            "alias out=outer",
            "unused() { date; }",
        ] {
            session = typed(line, &session).1;
        }
        let (decision, _) = typed(text, &session);
        let request = Request {
            text: text.as_bytes(),
            context: &context,
            role: Role::Default,
            user_rules: &[],
        };
        Gathered::new(text, &decision, &session, &request).give(see)
    }

    #[test]
    fn evidence_contains_only_what_the_text_mentions() {
        let files = Files(HashMap::from([(
            "/work/go.sh",
            FileView::Text("rm -rf \"$TARGET\"\n".to_owned()),
        )]));
        gathered("go now", &files, |evidence| {
            assert_eq!(evidence.command, "go now");
            let names: Vec<&str> = evidence.facts.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, ["role", "working directory", "alias go", "TARGET"]);
            assert_eq!(evidence.scripts.len(), 1);
            assert_eq!(evidence.scripts[0].path, "/work/go.sh");
            assert_eq!(evidence.scripts[0].contents, Some("rm -rf \"$TARGET\"\n"));
            assert_eq!(
                evidence.canonical,
                Some("sh ./go.sh now\n  rm -rf /srv/old"),
                "inner commands stand below the outer"
            );
            assert!(evidence.effects.iter().any(|line| line == "rm: delete-tree /srv/old"));
            assert!(evidence.is_whole());
        });
    }

    #[test]
    fn evidence_contains_state_of_earlier_lines() {
        gathered("away $later", &Files(HashMap::new()), |evidence| {
            assert!(evidence.facts.contains(&("later", "/srv/new")));
            let scripts: Vec<_> = evidence.scripts.iter().map(|s| (s.path, s.contents)).collect();
            assert_eq!(scripts, [("function away", Some("{ rm -rf \"$1\"; }"))]);
            assert!(evidence.effects.iter().any(|line| line == "rm: delete-tree /srv/new"));
        });
    }

    #[test]
    fn evidence_contains_functions_that_are_called_indirectly() {
        for text in ["outer", "out now", "sh -c x; outer"] {
            gathered(text, &Files(HashMap::new()), |evidence| {
                let scripts: Vec<_> =
                    evidence.scripts.iter().map(|s| (s.path, s.contents)).collect();
                let bodies = [
                    ("function inner", Some("( rm -r \"$1\" )")),
                    ("function outer", Some("{ inner \"$TARGET\"; }")),
                ];
                assert_eq!(scripts, bodies, "{text}");
                assert!(evidence.facts.contains(&("TARGET", "/srv/old")), "{text}");
            });
        }
    }

    #[test]
    fn a_function_that_is_too_long_to_be_shown_leaves_the_evidence_incomplete() {
        let long = format!("f() {{\n{}}}", "echo padding\n".repeat(3000));
        let context = Context::bare();
        let request =
            |text| Request { text, context: &context, role: Role::Default, user_rules: &[] };
        let (_, session) = check_in(&Session::new(), &request(long.as_bytes()));
        let (decision, _) = check_in(&session, &request(b"f"));
        let gathered = Gathered::new("f", &decision, &session, &request(b"f"));
        assert!(!gathered.give(|evidence| evidence.is_whole()));
        let message = gathered.message(&Marker::fixed(7));
        assert!(message.is_ok_and(|text| text.len() < 64 * 1024));
    }

    #[test]
    fn a_script_that_is_too_long_shows_its_beginning_and_one_that_cannot_be_read_is_named() {
        let long = "# padding\n".repeat(30_000);
        let files = Files(HashMap::from([
            ("/work/long.sh", FileView::Long(long)),
            ("/work/closed.sh", FileView::Unreadable),
        ]));
        gathered("sh long.sh; sh closed.sh", &files, |evidence| {
            assert!(!evidence.is_whole());
            let known: Vec<(&str, bool)> =
                evidence.scripts.iter().map(|s| (s.path, s.contents.is_some())).collect();
            assert_eq!(known, [("/work/long.sh", true), ("/work/closed.sh", false)]);
            assert!(evidence.effects[0].starts_with("not settled by static analysis: "));
        });
    }

    #[test]
    fn words_are_quoted_so_that_each_command_is_one_line() {
        let files = Files(HashMap::new());
        gathered("echo \"a b\" $'x\\ny' '' it\\'s $NOBODY", &files, |evidence| {
            assert_eq!(evidence.canonical, Some("echo 'a b' $'x\\ny' '' 'it'\\''s' ‹variable›"));
        });
    }
}
