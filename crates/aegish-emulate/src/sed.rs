//! `sed`, the part that computes: `s`, `y`, `p`, `P`, `d`, `q`, `Q`, `=`, `a`/`i`/`c`, `n`, `N`, `D`,
//! `h`/`H`/`g`/`G`/`x`, `b`/`t`/`T` and blocks, with addresses.
//!
//! Commands that use files or run programs make the result unknown; `aegish-languages` finds their effects.

mod parse;
mod replaced;

use replaced::substitute;

use super::options::parse;
use super::regex::Regex;
use super::{MAX_OUTPUT, ProgramCall, split_lines};

/// Maximum number of executed commands. A script that needs more is refused.
const MAX_STEPS: usize = 400_000;

/// When a command applies.
enum LineAddress {
    Line(usize),
    /// Every `.1`th line from `.0` on.
    Every(usize, usize),
    Last,
    Regex(Box<Regex>),
    /// Second address only: this many lines more.
    More(usize),
}

struct SedCommand {
    from: Option<LineAddress>,
    to: Option<LineAddress>,
    negated: bool,
    /// Last line of the current range; zero outside of a range.
    active: Option<usize>,
    verb: SedVerb,
}

impl SedCommand {
    /// Whether what it does next does not depend on the text of the line.
    fn keeps_to_lines(&self) -> bool {
        let matches =
            |address: &Option<LineAddress>| matches!(address, Some(LineAddress::Regex(_)));
        !matches(&self.from)
            && !matches(&self.to)
            && matches!(
                self.verb,
                SedVerb::Print
                    | SedVerb::PrintFirst
                    | SedVerb::Delete
                    | SedVerb::Quit
                    | SedVerb::QuitSilently
                    | SedVerb::Number
                    | SedVerb::Block(_)
                    | SedVerb::Nothing
            )
    }
}

enum SedVerb {
    Substitute {
        regex: Box<Regex>,
        parts: Vec<ReplacementPart>,
        all: bool,
        nth: usize,
        print: bool,
        /// The changed line runs as a command.
        runs: bool,
    },
    /// Runs a command, or the line itself.
    Run(Option<String>),
    Translate(Vec<(char, char)>),
    Print,
    PrintFirst,
    Delete,
    DeleteFirst,
    Quit,
    QuitSilently,
    Number,
    Append(String),
    Insert(String),
    Change(String),
    Next,
    NextAppend,
    Hold,
    HoldAppend,
    Get,
    GetAppend,
    Exchange,
    /// Jump to a command: always, after a substitution, without one.
    Branch(JumpCondition, usize),
    /// Start of a block. If the address does not match, execution continues at this command.
    Block(usize),
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JumpCondition {
    Always,
    Changed,
    Unchanged,
}

/// A piece of a replacement.
enum ReplacementPart {
    Text(String),
    Group(usize),
    /// `\U`, `\L`, `\u`, `\l`, `\E`
    Case(char),
}

pub(super) fn sed(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    // What a command prints is not known.
    Some(followed(call)?).filter(|done| done.ran.is_empty()).map(|done| done.out)
}

/// The commands that the script runs.
pub(super) fn commands(call: &ProgramCall<'_>) -> Option<Vec<String>> {
    Some(followed(call)?.ran)
}

fn followed(call: &ProgramCall<'_>) -> Option<Done> {
    let parsed = parse(
        call.args,
        "nEre:f:suz",
        &[
            ("quiet", 'n'),
            ("silent", 'n'),
            ("regexp-extended", 'E'),
            ("expression", 'e'),
            ("file", 'f'),
            ("separate", 's'),
            ("unbuffered", 'u'),
            ("posix", 'P'),
        ],
    )?;
    let mut operands = parsed.operands.as_slice();
    let mut pieces = Vec::new();
    for (letter, value) in &parsed.given {
        match letter {
            'e' => pieces.push((*value).to_owned()),
            'f' => pieces.push(String::from_utf8(call.file(value)?).ok()?),
            'z' | 's' => return None,
            _ => {}
        }
    }
    if pieces.is_empty() {
        let (first, rest) = operands.split_first()?;
        pieces.push((*first).to_owned());
        operands = rest;
    }
    let script = pieces.join("\n");
    let silent = parsed.has('n') || script.starts_with("#n\n");
    let commands = parse::script(&script, parsed.has('E') || parsed.has('r'))?;
    let input = call.input(operands)?;
    let unfinished = !input.is_empty() && !input.ends_with(b"\n");
    Executor {
        lines: split_lines(&input).collect(),
        at: 0,
        unfinished,
        silent,
        pattern: Vec::new(),
        hold: Vec::new(),
        out: Vec::new(),
        missing_newline: false,
        appended: Vec::new(),
        steps: 0,
        ran: Vec::new(),
        lost: false,
    }
    .run(commands)
}

struct Executor<'a> {
    lines: Vec<&'a [u8]>,
    /// Lines read so far; the number of the current line.
    at: usize,
    unfinished: bool,
    silent: bool,
    pattern: Vec<u8>,
    hold: Vec<u8>,
    out: Vec<u8>,
    missing_newline: bool,
    appended: Vec<String>,
    steps: usize,
    ran: Vec<String>,
    /// The line is what a command printed.
    lost: bool,
}

/// What a script printed, and the commands that it ran.
struct Done {
    out: Vec<u8>,
    ran: Vec<String>,
}

enum End {
    /// Print (unless silent) and go on.
    Normal,
    /// Go on without printing.
    Deleted,
    /// Go on without printing and without reading.
    Again,
    Quit,
    QuitSilently,
}

impl Executor<'_> {
    fn run(mut self, mut commands: Vec<SedCommand>) -> Option<Done> {
        let mut again = false;
        loop {
            if !again {
                let Some(line) = self.lines.get(self.at) else {
                    return Some(Done { out: self.out, ran: self.ran });
                };
                self.lost = false;
                self.pattern = line.to_vec();
                self.at += 1;
            }
            again = false;
            let end = self.cycle(&mut commands)?;
            let print = matches!(end, End::Normal | End::Quit) && !self.silent;
            if print {
                let pattern = std::mem::take(&mut self.pattern);
                self.print(&pattern);
            }
            if !matches!(end, End::QuitSilently) {
                for text in std::mem::take(&mut self.appended) {
                    self.text(&text);
                }
            }
            match end {
                End::Quit | End::QuitSilently => {
                    return Some(Done { out: self.out, ran: self.ran });
                }
                End::Again => again = true,
                _ => {}
            }
            if self.out.len() > MAX_OUTPUT {
                return None;
            }
        }
    }

    /// Prints a line. A last line without newline stays without one unless more follows.
    fn print(&mut self, line: &[u8]) {
        self.newline();
        self.out.extend_from_slice(line);
        if self.unfinished && self.at == self.lines.len() {
            self.missing_newline = true;
        } else {
            self.out.push(b'\n');
        }
    }

    fn text(&mut self, text: &str) {
        self.newline();
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'\n');
    }

    fn newline(&mut self) {
        if std::mem::take(&mut self.missing_newline) {
            self.out.push(b'\n');
        }
    }

    fn cycle(&mut self, commands: &mut [SedCommand]) -> Option<End> {
        let mut changed = false;
        let mut index = 0;
        while index < commands.len() {
            self.steps += 1;
            if self.steps > MAX_STEPS
                || self.pattern.len() + self.hold.len() + self.out.len() > 4 * MAX_OUTPUT
            {
                return None;
            }
            let command = commands.get_mut(index)?;
            index += 1;
            if self.lost && !command.keeps_to_lines() {
                return None;
            }
            let applies = self.applies(command)?;
            if let SedVerb::Block(end) = command.verb {
                if !applies {
                    index = end;
                }
                continue;
            }
            if !applies {
                continue;
            }
            match &command.verb {
                SedVerb::Run(text) => {
                    let text = text.clone();
                    self.run_command(text)?;
                }
                SedVerb::Substitute { regex, parts, all, nth, print, runs } => {
                    let runs = *runs;
                    if let Some(new) = substitute(&self.pattern, regex, parts, *all, *nth)? {
                        self.pattern = new;
                        changed = true;
                        if *print {
                            let line = self.pattern.clone();
                            self.print(&line);
                        }
                        if runs {
                            self.run_command(None)?;
                        }
                    }
                }
                SedVerb::Translate(map) => {
                    let text = std::str::from_utf8(&self.pattern).ok()?;
                    let swap =
                        |c: char| map.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
                    self.pattern = text.chars().map(swap).collect::<String>().into_bytes();
                }
                SedVerb::Print => {
                    let line = self.pattern.clone();
                    self.print(&line);
                }
                SedVerb::PrintFirst => {
                    let line = self.pattern.split(|b| *b == b'\n').next().unwrap_or(b"").to_vec();
                    self.newline();
                    self.out.extend(line);
                    self.out.push(b'\n');
                }
                SedVerb::Delete => return Some(End::Deleted),
                SedVerb::DeleteFirst => match self.pattern.iter().position(|b| *b == b'\n') {
                    None => return Some(End::Deleted),
                    Some(at) => {
                        self.pattern.drain(..=at);
                        return Some(End::Again);
                    }
                },
                SedVerb::Quit => return Some(End::Quit),
                SedVerb::QuitSilently => return Some(End::QuitSilently),
                SedVerb::Number => {
                    let number = self.at.to_string();
                    self.text(&number);
                }
                SedVerb::Append(text) => self.appended.push(text.clone()),
                SedVerb::Insert(text) => {
                    let text = text.clone();
                    self.text(&text);
                }
                SedVerb::Change(text) => {
                    if command.to.is_none() || command.active.is_none() || command.negated {
                        let text = text.clone();
                        self.text(&text);
                    }
                    return Some(End::Deleted);
                }
                SedVerb::Next => {
                    if self.at >= self.lines.len() {
                        return Some(End::Quit);
                    }
                    if !self.silent {
                        let line = self.pattern.clone();
                        self.print(&line);
                    }
                    for text in std::mem::take(&mut self.appended) {
                        self.text(&text);
                    }
                    self.pattern = self.lines.get(self.at)?.to_vec();
                    self.at += 1;
                }
                SedVerb::NextAppend => {
                    if self.at >= self.lines.len() {
                        return Some(End::Quit);
                    }
                    self.pattern.push(b'\n');
                    self.pattern.extend_from_slice(self.lines.get(self.at)?);
                    self.at += 1;
                }
                SedVerb::Hold => self.hold = self.pattern.clone(),
                SedVerb::HoldAppend => {
                    self.hold.push(b'\n');
                    self.hold.extend_from_slice(&self.pattern);
                }
                SedVerb::Get => self.pattern = self.hold.clone(),
                SedVerb::GetAppend => {
                    self.pattern.push(b'\n');
                    self.pattern.extend_from_slice(&self.hold);
                }
                SedVerb::Exchange => std::mem::swap(&mut self.pattern, &mut self.hold),
                SedVerb::Branch(when, target) => {
                    let jump = match when {
                        JumpCondition::Always => true,
                        JumpCondition::Changed => changed,
                        JumpCondition::Unchanged => !changed,
                    };
                    if *when != JumpCondition::Always {
                        changed = false;
                    }
                    if jump {
                        index = *target;
                    }
                }
                SedVerb::Block(_) | SedVerb::Nothing => {}
            }
        }
        Some(End::Normal)
    }

    /// Runs a command, or the line, which is then what that prints.
    fn run_command(&mut self, command: Option<String>) -> Option<()> {
        match command {
            Some(command) => self.ran.push(command),
            None => {
                let line = std::mem::take(&mut self.pattern);
                self.ran.push(String::from_utf8(line).ok()?);
                self.lost = true;
            }
        }
        Some(())
    }

    fn applies(&self, command: &mut SedCommand) -> Option<bool> {
        let Some(from) = &command.from else {
            return Some(!command.negated);
        };
        let last = self.at == self.lines.len();
        let single = |address: &LineAddress| -> Option<bool> {
            Some(match address {
                LineAddress::Line(number) => self.at == *number,
                LineAddress::Every(first, 0) => self.at == *first,
                LineAddress::Every(first, step) => {
                    self.at >= *first && (self.at - first).is_multiple_of(*step)
                }
                LineAddress::Last => last,
                LineAddress::Regex(regex) => regex.find(&self.pattern, 0)?.is_some(),
                LineAddress::More(_) => false,
            })
        };
        let Some(to) = &command.to else {
            return Some(single(from)? != command.negated);
        };
        let inside = match command.active {
            Some(end) => {
                let over = match to {
                    LineAddress::Regex(regex) => regex.find(&self.pattern, 0)?.is_some(),
                    LineAddress::Last => last,
                    _ => self.at >= end,
                };
                // A range does not cover this line if `n` or `N` read past its end.
                let beyond =
                    matches!(to, LineAddress::Line(_) | LineAddress::More(_)) && self.at > end;
                if over {
                    command.active = None;
                }
                !beyond
            }
            None => {
                // `0,/x/` may end on the first line already.
                let zero = matches!(from, LineAddress::Line(0)) && self.at == 1;
                let begins = zero || single(from)?;
                if begins {
                    let end = match to {
                        LineAddress::Line(number) => *number,
                        LineAddress::More(lines) => self.at + lines,
                        _ => usize::MAX,
                    };
                    let ends_here = match to {
                        LineAddress::Regex(regex) if zero => {
                            regex.find(&self.pattern, 0)?.is_some()
                        }
                        LineAddress::Last => last,
                        LineAddress::Regex(_) => false,
                        _ => end <= self.at,
                    };
                    if !ends_here {
                        command.active = Some(end);
                    }
                }
                begins
            }
        };
        Some(inside != command.negated)
    }
}
