//! Checks whether the guard's analysis of a text covers what a run of it did.

use crate::run::{HERE, Run};
use aegish_guard::{
    Action, Context, Decision, Machine, NoMachine, OsMachine, Request, Role, Session, Value,
    check_in,
};
use std::collections::HashMap;
use std::fmt;

/// Something that a run did and that the analysis does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Uncovered {
    /// The run did something critical, and the verdict is ALLOW.
    Verdict(String),
    /// A program ran with these words.
    Command(Vec<String>),
    /// A file was opened.
    Opened(String),
    /// A file was changed.
    Written(String),
}

impl Uncovered {
    /// Whether both are of the same kind, so that a smaller program shows the same mistake.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict(what) => write!(f, "ALLOW, but it {what}"),
            Self::Command(words) => write!(f, "not foreseen: runs {words:?}"),
            Self::Opened(path) => write!(f, "not foreseen: opens {path}"),
            Self::Written(path) => write!(f, "not foreseen: writes {path}"),
        }
    }
}

/// The guard's decisions on the lines of a program.
pub(crate) struct Judged {
    decisions: Vec<Decision>,
}

impl Judged {
    /// Judges a script as a whole, or lines one after the other as a session.
    /// `complete`: variables that are not given are known to be unset.
    pub(crate) fn new(lines: &[String], complete: bool) -> Self {
        let machine: &dyn Machine = if lines.len() == 1 { &OsMachine } else { &NoMachine };
        let variables = [("HOME", "/root"), ("PATH", "/bin")];
        let variables: HashMap<String, Value> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::known(*value)))
            .collect();
        let context = Context {
            cwd: if lines.len() == 1 { HERE.to_owned() } else { String::new() },
            home: "/root".to_owned(),
            variables,
            complete,
            aliases: HashMap::new(),
            positional: Some(Vec::new()),
            zero: Some(crate::run::BASH.to_owned()),
            reader: aegish_guard::OutputReader::Trusted,
            form: aegish_guard::TextForm::CommandLine,
            interactive: false,
            stdin: aegish_guard::StandardInput::Other,
            machine,
        };
        let first = Context {
            cwd: HERE.to_owned(),
            variables: context.variables.clone(),
            aliases: HashMap::new(),
            home: context.home.clone(),
            positional: Some(Vec::new()),
            zero: context.zero.clone(),
            ..context
        };
        let mut session = Session::new();
        let mut decisions = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let context = if index == 0 { &first } else { &context };
            let text = line.as_bytes();
            let request = Request { text, context, role: Role::Default, user_rules: &[] };
            let (decision, next) = check_in(&session, &request);
            session = next;
            decisions.push(decision);
        }
        Self { decisions }
    }

    /// The strictest verdict.
    pub(crate) fn action(&self) -> Action {
        self.decisions.iter().map(Decision::action).max().unwrap_or(Action::Allow)
    }

    /// Whether something is left open.
    pub(crate) fn is_open(&self) -> bool {
        self.decisions.iter().any(|decision| decision.is_open() || hides(decision))
    }

    /// Whether the run did something that the policy must not allow.
    pub(crate) fn is_critical(run: &Run) -> bool {
        critical(run).is_some()
    }

    /// The first action of the run that the analysis does not cover.
    pub(crate) fn uncovered(&self, run: &Run) -> Option<Uncovered> {
        if let Some(what) = critical(run)
            && self.action() == Action::Allow
        {
            return Some(Uncovered::Verdict(what));
        }
        if self.is_open() {
            return None;
        }
        let reports = || self.decisions.iter().flat_map(|decision| &decision.analysis().commands);
        for words in &run.commands {
            if !reports().any(|report| covers(&report.argv, words) || hands_on(&report.argv, words))
            {
                return Some(Uncovered::Command(words.clone()));
            }
        }
        let opened = run.opened.iter().filter(|path| *path != "/etc/passwd" && !is_of_sed(path));
        for path in opened {
            if !self.names(path) {
                return Some(Uncovered::Opened(path.clone()));
            }
        }
        for path in &run.written {
            if !is_of_sed(path) && !self.names(path) {
                return Some(Uncovered::Written(path.clone()));
            }
        }
        None
    }

    /// Whether an effect names this file.
    fn names(&self, path: &str) -> bool {
        let effects = self.decisions.iter().flat_map(|decision| &decision.analysis().effects);
        let forms = |line: String| {
            let (_, named) = line.split_once(' ')?;
            Some(named.to_owned())
        };
        let mut found = false;
        for effect in effects {
            let Some(named) = forms(effect.kind.to_string()) else { continue };
            found |= fits(&named, path);
        }
        found || self.makes(path)
    }

    /// Whether a command of the analysis makes a directory or a link with this name, which is no effect.
    fn makes(&self, path: &str) -> bool {
        let base = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
        let commands = self.decisions.iter().flat_map(|decision| &decision.analysis().commands);
        let makes = |argv: &[Value]| {
            argv.first()
                .is_some_and(|name| matches!(base(&name.to_string()).as_str(), "ln" | "mkdir"))
        };
        commands.filter(|command| makes(&command.argv)).any(|command| {
            command
                .argv
                .iter()
                .any(|word| word.has_unknown() || base(&word.to_string()) == base(path))
        })
    }
}

/// Whether a path is that of the temporary file of `sed -i`.
fn is_of_sed(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.strip_prefix("sed").is_some_and(|rest| rest.len() == 6)
}

/// Whether the text runs something that cannot be read.
fn hides(decision: &Decision) -> bool {
    decision.analysis().effects.iter().any(|effect| effect.kind.to_string().starts_with("hidden "))
}

/// The action of the run that the policy must not allow, if there is one.
fn critical(run: &Run) -> Option<String> {
    if run.opened.contains("/etc/shadow") {
        return Some("reads /etc/shadow".to_owned());
    }
    if run.written.contains("/etc/passwd") {
        return Some("writes /etc/passwd".to_owned());
    }
    let removes = |words: &&Vec<String>| {
        let name = words.first().map(String::as_str).unwrap_or_default();
        (name == "rm" || name.ends_with("/rm"))
            && words.iter().any(|word| word.starts_with('-') && word.contains('r'))
            && words.iter().any(|word| word == "/etc" || word == "/")
    };
    run.commands.iter().find(removes).map(|words| format!("runs {words:?}"))
}

/// Whether a reported command can be this one. An unknown word matches any number of words.
fn covers(report: &[Value], words: &[String]) -> bool {
    let (Some((name, values)), Some((program, words))) =
        (report.split_first(), words.split_first())
    else {
        return false;
    };
    let base = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
    let shown = name.to_string();
    // The analysis reports only the first words of longer commands.
    let words =
        if report.len() == REPORTED { words.get(..REPORTED - 1).unwrap_or(words) } else { words };
    let same = name.as_known().is_none() || base(&shown) == base(program);
    same && follows(values, words)
}

/// Whether this is a program that nobody knows with the words of a command, which is not critical.
fn hands_on(report: &[Value], words: &[String]) -> bool {
    report.first().and_then(Value::as_known) == Some("launch")
        && (1..report.len()).any(|at| covers(report.get(at..).unwrap_or_default(), words))
}

/// Maximum number of words of a command in the analysis.
const REPORTED: usize = 256;

fn follows(values: &[Value], words: &[String]) -> bool {
    let Some((value, rest)) = values.split_first() else { return words.is_empty() };
    if value.is_several() && follows(rest, words) {
        return true;
    }
    if let Some(known) = value.as_known() {
        // The descriptor number of `<(…)` does not matter.
        let descriptor = |text: &str| text.starts_with("/dev/fd/");
        // A script may know its own name with the directory.
        let same_file = |word: &str| known.starts_with('/') && lexical(word) == lexical(known);
        let same = |word: &String| {
            word == known || same_file(word) || descriptor(word) && descriptor(known)
        };
        return words.first().is_some_and(same) && follows(rest, &words[1..]);
    }
    if value.has_unknown() || value.has_glob() {
        return (0..=words.len()).any(|taken| follows(rest, &words[taken..]));
    }
    words.first().is_some_and(|word| fits(&value.to_string(), word)) && follows(rest, &words[1..])
}

/// The values that a display form in braces names, of which some may have braces of their own.
fn alternatives(form: &str) -> Vec<&str> {
    let Some(inside) = form.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return vec![form];
    };
    let mut all = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '|' if depth == 0 => {
                all.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return vec![form];
        }
    }
    all.push(&inside[start..]);
    all
}

/// Whether the display form of a value (`{a|b}`, `*`, `?`, `[…]`, `‹why›`) matches this path.
fn fits(form: &str, path: &str) -> bool {
    if let several @ [_, _, ..] = alternatives(form).as_slice() {
        return several.iter().any(|one| fits(one, path));
    }
    // `$(…)` loses the end of a line behind which nothing comes.
    let form = form.split_once("\n‹").map_or(form, |(line, _)| line);
    // The name of a file may look like a pattern.
    if form == path {
        return true;
    }
    let text = path.strip_prefix(&format!("{HERE}/")).unwrap_or(path);
    let pattern: Vec<char> = form.chars().collect();
    // The root of a process is that of the machine.
    let normal = lexical(form.strip_prefix("/proc/self/root").unwrap_or(form));
    let plain: Vec<char> = normal.chars().collect();
    [
        path.to_owned(),
        text.to_owned(),
        format!("./{text}"),
        format!("{HERE}/./{text}"),
        format!("../{}", path.trim_start_matches('/')),
    ]
    .iter()
    .any(|candidate| matches(&pattern, &candidate.chars().collect::<Vec<_>>()))
        || matches(&plain, &path.chars().collect::<Vec<_>>())
}

/// The absolute path with `.` and `..` resolved.
fn lexical(path: &str) -> String {
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{HERE}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The place behind the `]` that ends a class, in which `[:alpha:]`, `[.s.]` and `[=s=]` may stand.
fn class_end(class: &[char]) -> Option<usize> {
    let mut at = 0;
    loop {
        match class.get(at..)? {
            ['[', kind @ (':' | '.' | '='), inside @ ..] => {
                at += 4 + inside.windows(2).position(|pair| pair == [*kind, ']'])?;
            }
            [']', ..] if at > 0 => return Some(at + 1),
            [_, ..] => at += 1,
            [] => return None,
        }
    }
}

fn matches(pattern: &[char], text: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return text.is_empty() };
    let skip = |end: char| rest.iter().position(|c| *c == end).map(|at| &rest[at + 1..]);
    match first {
        '*' => (0..=text.len()).any(|at| matches(rest, &text[at..])),
        '?' => !text.is_empty() && matches(rest, &text[1..]),
        '‹' => {
            skip('›').is_some_and(|rest| (0..=text.len()).any(|at| matches(rest, &text[at..])))
        }
        '[' => {
            class_end(rest).is_some_and(|end| !text.is_empty() && matches(&rest[end..], &text[1..]))
        }
        '{' => {
            let end = rest.iter().position(|c| *c == '}').unwrap_or(rest.len());
            let inside: String = rest[..end].iter().collect();
            let after = rest.get(end + 1..).unwrap_or_default();
            // Below a directory, `./name` is `name`.
            let is_whole = |one: &&str| after.is_empty() && one.starts_with('/');
            let normal = inside.split('|').filter(is_whole).map(lexical);
            let names = inside.split('|').flat_map(|one| [one, one.trim_start_matches("./")]);
            names.map(str::to_owned).chain(normal).any(|one| {
                let mut whole: Vec<char> = one.chars().collect();
                whole.extend(after);
                matches(&whole, text)
            })
        }
        c => text.first() == Some(c) && matches(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Judged, Uncovered};
    use crate::run::Run;
    use std::collections::BTreeSet;

    fn run(commands: &[&[&str]], opened: &[&str], written: &[&str]) -> Run {
        let texts = |list: &[&str]| -> BTreeSet<String> {
            list.iter().map(|text| (*text).to_owned()).collect()
        };
        let words = |list: &&[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Run {
            commands: commands.iter().map(words).collect(),
            opened: texts(opened),
            written: texts(written),
            ended: false,
        }
    }

    /// What the oracle says if the guard judged one text and another one ran: an analysis that is wrong on purpose.
    fn found(judged: &str, did: &Run) -> Option<Uncovered> {
        Judged::new(&[judged.to_owned()], true).uncovered(did)
    }

    #[test]
    fn an_analysis_that_misses_a_command_a_read_or_a_write_is_found() {
        let told = "cat notes; echo x > out";
        let ran: &[&[&str]] = &[&["cat", "notes"]];
        assert_eq!(found("cat notes", &run(&[&["cat", "notes"]], &[], &[])), None);
        assert!(found(told, &run(&[&["cat", "other"]], &[], &[])).is_some_and(|missed| {
            matches!(missed, Uncovered::Command(words) if words == ["cat", "other"])
        }));
        let opens = run(ran, &["/etc/hosts"], &[]);
        assert_eq!(found(told, &opens), Some(Uncovered::Opened("/etc/hosts".to_owned())));
        let writes = run(ran, &[], &["/elsewhere"]);
        assert_eq!(found(told, &writes), Some(Uncovered::Written("/elsewhere".to_owned())));
    }

    #[test]
    fn a_critical_run_of_an_allowed_text_is_found_and_one_of_a_blocked_text_is_not() {
        let did = run(&[&["cat", "/etc/shadow"]], &["/etc/shadow"], &[]);
        assert!(matches!(found("cat notes", &did), Some(Uncovered::Verdict(_))));
        assert_eq!(found("cat /etc/shadow", &did), None);
    }

    #[test]
    fn one_of_several_paths_is_covered() {
        let text = "v=./x\ntrap 'v=/etc/' ERR\nfalse\ntrap - ERR\n";
        let reads = run(&[&["cat"]], &["/etc/shadow"], &[]);
        assert_eq!(found(&format!("{text}(cat) < $v\\shadow"), &reads), None);
        let writes = run(&[&["echo", "r"]], &[], &["/w/x"]);
        assert_eq!(found(&format!("{text}echo r > $v"), &writes), None);
    }

    #[test]
    fn an_open_analysis_covers_everything() {
        let did = run(&[&["rm", "x"]], &[], &["/w/x"]);
        assert_eq!(found("eval \"$(some-program)\"", &did), None);
    }
}
