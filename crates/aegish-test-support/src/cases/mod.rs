//! The literate cases of `cases/*.md`: reading them, and the small machine they are judged on.
//!
//! Shared by tests, benchmarks and `cargo xtask`.
//! The format is described in `cases/README.md`.

pub mod sessions;

use aegish_guard::{
    Action, ConfiguredJudge, Decision, FileView, Machine, OsMachine, OutputReader, Request, Role,
    Session, Surroundings, check_with,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where cases are run.
pub const CWD: &str = "/home/user/project";
/// Whose home it is.
pub const HOME: &str = "/home/user";

/// One command with the verdict it must get.
#[derive(Debug, Clone)]
pub struct Case {
    /// File name and line.
    pub place: String,
    /// The topic: the file name without its ending.
    pub topic: String,
    /// The verdict.
    pub action: Action,
    /// Id or name of the rule that must name it, if given.
    pub rule: Option<String>,
    /// Whose work it is.
    pub role: Role,
    /// Who reads what the command prints.
    pub reader: OutputReader,
    /// Why it is known to fail, if it is.
    pub gap: Option<String>,
    /// The command.
    pub command: String,
    /// The files that exist.
    pub files: BTreeMap<String, String>,
}

impl Case {
    /// The guard's decision.
    pub fn decide(&self) -> Decision {
        self.decide_with(None)
    }

    /// The guard's decision if it may ask a person.
    pub fn decide_with(&self, judge: Option<ConfiguredJudge<'_>>) -> Decision {
        let machine = CaseMachine { files: &self.files };
        let mut context = surroundings(CWD).context(&machine);
        context.reader = self.reader;
        let text = self.command.as_bytes();
        let request = Request { text, context: &context, role: self.role, user_rules: &[] };
        check_with(&Session::new(), &request, judge).0
    }

    /// Whether the decision is the expected one.
    pub fn holds(&self, decision: &Decision) -> bool {
        let named = self
            .rule
            .as_deref()
            .is_none_or(|rule| decision.rule().id == rule || decision.rule().name == rule);
        decision.action() == self.action && named
    }

    /// The expectation of the case, in short.
    pub fn expected(&self) -> String {
        match &self.rule {
            Some(rule) => format!("{} {rule}", self.action),
            None => self.action.to_string(),
        }
    }
}

/// A user's session with nothing special about it.
pub fn surroundings(cwd: &str) -> Surroundings {
    let variables = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", HOME),
        ("USER", "user"),
        ("PWD", cwd),
        ("SHELL", "/bin/bash"),
        ("LANG", "C.UTF-8"),
        ("TERM", "xterm"),
    ];
    Surroundings {
        cwd: cwd.to_owned(),
        home: HOME.to_owned(),
        variables: variables.map(|(name, value)| (name, value.to_owned())).to_vec(),
        reader: OutputReader::Trusted,
    }
}

/// The real machine, for the data sets, in a directory of our own.
pub static REAL: OsMachine = OsMachine;

/// A machine whose home and temporary directories hold exactly the given files.
struct CaseMachine<'a> {
    files: &'a BTreeMap<String, String>,
}

impl CaseMachine<'_> {
    fn knows(path: &str) -> bool {
        ["/home/user", "/tmp"].iter().any(|place| {
            path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Machine for CaseMachine<'_> {
    fn read(&self, path: &str, limit: usize) -> FileView {
        match self.files.get(path) {
            Some(text) if text.len() <= limit => FileView::Text(text.clone()),
            Some(text) => FileView::Long(text.chars().take(limit).collect()),
            None if Self::knows(path) => FileView::Missing,
            None => FileView::Unknown,
        }
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        if !Self::knows(dir) {
            return None;
        }
        let below = format!("{}/", dir.trim_end_matches('/'));
        let mut names: Vec<String> = self
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(&below)?.split('/').next())
            .map(str::to_owned)
            .collect();
        names.dedup();
        (names.len() <= limit).then_some(names)
    }
}

/// The directory with the cases.
pub fn cases_dir() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The crates are in `crates/`, xtask directly in the workspace.
    let root = here.ancestors().find(|dir| dir.join("cases").is_dir());
    root.unwrap_or(here).join("cases")
}

/// All cases, file by file.
///
/// # Errors
///
/// Names the file and line that cannot be read.
pub fn all() -> Result<Vec<Case>, String> {
    every_document(read)
}

/// What every document holds, file by file.
fn every_document<T>(read: fn(&str, &str) -> Result<Vec<T>, String>) -> Result<Vec<T>, String> {
    let dir = cases_dir();
    let mut paths: Vec<PathBuf> = fs::read_dir(&dir)
        .map_err(|error| format!("{}: {error}", dir.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let topic = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.extend(read(&topic, &text)?);
    }
    Ok(all)
}

/// A fenced block of a document.
pub struct Block<'a> {
    /// The line it begins on, counted from zero.
    at: usize,
    /// The first word after the fence.
    kind: &'a str,
    /// The other words.
    rest: &'a str,
    /// Its lines, with their numbers.
    body: Vec<(usize, &'a str)>,
}

impl Block<'_> {
    fn whole(&self) -> String {
        self.body.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
    }

    /// The path of a `file` block.
    fn path(&self) -> String {
        if self.rest.starts_with('/') { self.rest.into() } else { format!("{CWD}/{}", self.rest) }
    }
}

/// The fenced blocks of a document.
fn blocks<'a>(topic: &str, text: &'a str) -> Result<Vec<Block<'a>>, String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(info) = line.trim_end().strip_prefix("```") else { continue };
        let (kind, rest) = info.split_once(' ').unwrap_or((info, ""));
        let mut body: Vec<(usize, &str)> = Vec::new();
        let mut closed = false;
        for (at, line) in lines.by_ref() {
            if line.trim_end() == "```" {
                closed = true;
                break;
            }
            body.push((at, line));
        }
        if !closed {
            return Err(format!("{}: this block is never closed", place_of(topic, at)));
        }
        blocks.push(Block { at, kind, rest, body });
    }
    Ok(blocks)
}

fn place_of(topic: &str, at: usize) -> String {
    format!("cases/{topic}.md:{}", at + 1)
}

/// The cases of one document.
///
/// # Errors
///
/// Names the line that cannot be read.
pub fn read(topic: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let mut files = BTreeMap::new();
    for block in blocks(topic, text)? {
        match block.kind {
            "cases" => {
                for (at, line) in &block.body {
                    if line.trim().is_empty() {
                        continue;
                    }
                    let place = place_of(topic, *at);
                    let (head, command) = line
                        .split_once(" | ")
                        .ok_or_else(|| format!("{place}: no ` | ` before the command"))?;
                    let case = head_of(head).map_err(|e| format!("{place}: {e}"))?;
                    let (command, files) = (command.to_owned(), files.clone());
                    cases.push(Case { place, topic: topic.to_owned(), command, files, ..case });
                }
            }
            "case" => {
                let place = place_of(topic, block.at);
                let case = head_of(block.rest).map_err(|e| format!("{place}: {e}"))?;
                let (command, files) = (block.whole(), files.clone());
                cases.push(Case { place, topic: topic.to_owned(), command, files, ..case });
            }
            "file" => {
                files.insert(block.path(), block.whole() + "\n");
            }
            _ => {}
        }
    }
    Ok(cases)
}

/// `[gap:] VERDICT [RULE] [# why it is a gap]`, and `role=ROLE` and `reader=agent` anywhere between.
fn head_of(head: &str) -> Result<Case, String> {
    let (words, note) = match head.split_once('#') {
        Some((words, note)) => (words, Some(note.trim().to_owned())),
        None => (head, None),
    };
    let mut role = Role::Default;
    let mut reader = OutputReader::Trusted;
    let mut plain: Vec<&str> = Vec::new();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("role", name)) => role = name.parse().map_err(|e| format!("{e}"))?,
            Some(("reader", "agent")) => reader = OutputReader::Agent,
            _ => plain.push(word),
        }
    }
    let gap = plain.first() == Some(&"gap:");
    let (verdict, rule) = match plain.get(usize::from(gap)..).unwrap_or_default() {
        [verdict] => (verdict, None),
        [verdict, rule] => (verdict, Some((*rule).to_owned())),
        _ => return Err("neither `VERDICT` nor `VERDICT RULE`".to_owned()),
    };
    let mut case = Case {
        place: String::new(),
        topic: String::new(),
        action: verdict.parse().map_err(|e| format!("{e}"))?,
        rule,
        role,
        reader,
        gap: None,
        command: String::new(),
        files: BTreeMap::new(),
    };
    match (gap, note) {
        (true, Some(why)) => case.gap = Some(why),
        (true, None) => return Err("a gap needs a reason after `#`".to_owned()),
        (false, _) => {}
    }
    if let Some(rule) = &case.rule
        && aegish_guard::rule(rule).is_none()
    {
        return Err(format!("there is no rule `{rule}`"));
    }
    Ok(case)
}
