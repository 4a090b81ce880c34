//! `sed` script text → commands. Returns `None` for commands that are not emulated.

use super::super::regex::{Regex, RegexSyntax};
use super::{JumpCondition, LineAddress, ReplacementPart, SedCommand, SedVerb};

/// Maximum number of commands in a script.
const MAX_COMMANDS: usize = 2_000;

struct ScriptReader {
    text: Vec<char>,
    at: usize,
    dialect: RegexSyntax,
}

pub(super) fn script(text: &str, extended: bool) -> Option<Vec<SedCommand>> {
    let dialect = if extended { RegexSyntax::Extended } else { RegexSyntax::Basic };
    let mut reader = ScriptReader { text: text.chars().collect(), at: 0, dialect };
    let mut commands: Vec<SedCommand> = Vec::new();
    let mut blocks: Vec<usize> = Vec::new();
    let mut labels: Vec<(String, usize)> = Vec::new();
    let mut jumps: Vec<(usize, String)> = Vec::new();
    loop {
        reader.skip(|c| c.is_whitespace() || c == ';');
        let Some(first) = reader.peek() else { break };
        if commands.len() > MAX_COMMANDS {
            return None;
        }
        if first == '#' {
            reader.skip(|c| c != '\n');
            continue;
        }
        let from = reader.address(false)?;
        let mut to = None;
        if from.is_some() {
            reader.skip(|c| c == ' ' || c == '\t');
            if reader.peek() == Some(',') {
                reader.at += 1;
                reader.skip(|c| c == ' ' || c == '\t');
                to = Some(reader.address(true)??);
            }
        }
        let zero_start = matches!(from, Some(LineAddress::Line(0)));
        if zero_start && !matches!(to, Some(LineAddress::Regex(_))) {
            return None;
        }
        reader.skip(|c| c == ' ' || c == '\t');
        let mut negated = false;
        while reader.peek() == Some('!') {
            negated = true;
            reader.at += 1;
            reader.skip(|c| c == ' ' || c == '\t');
        }
        let letter = reader.next()?;
        // With more addresses than these take, sed runs nothing of the script.
        let most = match letter {
            '}' | ':' => 0,
            'q' | 'Q' => 1,
            _ => 2,
        };
        if usize::from(from.is_some()) + usize::from(to.is_some()) > most {
            return None;
        }
        let mut jump = None;
        let verb = match letter {
            '{' => {
                blocks.push(commands.len());
                commands.push(SedCommand {
                    from,
                    to,
                    negated,
                    active: None,
                    verb: SedVerb::Block(0),
                });
                continue;
            }
            '}' => {
                let open = blocks.pop()?;
                let end = commands.len();
                commands.get_mut(open)?.verb = SedVerb::Block(end);
                reader.end()?;
                continue;
            }
            ':' => {
                reader.skip(|c| c == ' ' || c == '\t');
                labels.push((reader.word(), commands.len()));
                continue;
            }
            's' => reader.substitution()?,
            'e' => {
                reader.skip(|c| c == ' ' || c == '\t');
                let mut command = String::new();
                while let Some(c) = reader.peek().filter(|c| *c != '\n') {
                    command.push(c);
                    reader.next();
                }
                // Without an argument, the line itself runs.
                let own = command.trim_start().starts_with([';', '}']) || command.trim().is_empty();
                if own && !command.trim().is_empty() {
                    return None;
                }
                SedVerb::Run((!own).then_some(command))
            }
            'y' => reader.translation()?,
            'p' => SedVerb::Print,
            'P' => SedVerb::PrintFirst,
            'd' => SedVerb::Delete,
            'D' => SedVerb::DeleteFirst,
            'q' => SedVerb::Quit,
            'Q' => SedVerb::QuitSilently,
            '=' => SedVerb::Number,
            'n' => SedVerb::Next,
            'N' => SedVerb::NextAppend,
            'h' => SedVerb::Hold,
            'H' => SedVerb::HoldAppend,
            'g' => SedVerb::Get,
            'G' => SedVerb::GetAppend,
            'x' => SedVerb::Exchange,
            'b' | 't' | 'T' => {
                reader.skip(|c| c == ' ' || c == '\t');
                jump = Some(reader.word());
                let when = match letter {
                    'b' => JumpCondition::Always,
                    't' => JumpCondition::Changed,
                    _ => JumpCondition::Unchanged,
                };
                SedVerb::Branch(when, usize::MAX)
            }
            'a' => SedVerb::Append(reader.lines()?),
            'i' => SedVerb::Insert(reader.lines()?),
            'c' => SedVerb::Change(reader.lines()?),
            'z' => return None,
            _ => return None,
        };
        if !matches!(verb, SedVerb::Append(_) | SedVerb::Insert(_) | SedVerb::Change(_)) {
            if matches!(verb, SedVerb::Quit | SedVerb::QuitSilently) {
                reader.skip(|c| c == ' ');
                reader.skip(|c| c.is_ascii_digit());
            }
            reader.end()?;
        }
        if let Some(label) = jump {
            jumps.push((commands.len(), label));
        }
        commands.push(SedCommand { from, to, negated, active: None, verb });
    }
    if !blocks.is_empty() {
        return None;
    }
    for (index, label) in jumps {
        let target = if label.is_empty() {
            commands.len()
        } else {
            labels.iter().find(|(name, _)| *name == label)?.1
        };
        if let SedVerb::Branch(_, place) = &mut commands.get_mut(index)?.verb {
            *place = target;
        }
    }
    if commands.is_empty() {
        commands.push(SedCommand {
            from: None,
            to: None,
            negated: false,
            active: None,
            verb: SedVerb::Nothing,
        });
    }
    Some(commands)
}

impl ScriptReader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn skip(&mut self, fits: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
    }

    /// A label: up to white space or a semicolon.
    fn word(&mut self) -> String {
        let begin = self.at;
        self.skip(|c| !c.is_whitespace() && c != ';' && c != '}');
        self.text.get(begin..self.at).unwrap_or(&[]).iter().collect()
    }

    /// Checks that only a separator follows a command.
    fn end(&mut self) -> Option<()> {
        self.skip(|c| c == ' ' || c == '\t');
        match self.peek() {
            None | Some('\n' | ';' | '}' | '#') => Some(()),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<usize> {
        let begin = self.at;
        self.skip(|c| c.is_ascii_digit());
        self.text.get(begin..self.at)?.iter().collect::<String>().parse().ok()
    }

    /// The outer `None` is a refusal, the inner one means that there is no address.
    #[allow(clippy::option_option)]
    fn address(&mut self, second: bool) -> Option<Option<LineAddress>> {
        Some(match self.peek() {
            Some(c) if c.is_ascii_digit() => {
                let number = self.number()?;
                if !second && self.peek() == Some('~') {
                    self.at += 1;
                    Some(LineAddress::Every(number, self.number()?))
                } else {
                    Some(LineAddress::Line(number))
                }
            }
            Some('$') => {
                self.at += 1;
                Some(LineAddress::Last)
            }
            Some('+') if second => {
                self.at += 1;
                Some(LineAddress::More(self.number()?))
            }
            Some(c @ ('/' | '\\')) => {
                self.at += 1;
                let delimiter = if c == '\\' { self.next()? } else { '/' };
                let pattern = self.pattern(delimiter)?;
                let fold = self.peek() == Some('I');
                self.at += usize::from(fold);
                Some(LineAddress::Regex(Box::new(self.regex(&pattern, delimiter, fold)?)))
            }
            _ => None,
        })
    }

    /// Reads text up to an unescaped delimiter and keeps the escapes.
    fn until(&mut self, delimiter: char) -> Option<String> {
        let mut out = String::new();
        loop {
            let c = self.next()?;
            if c == delimiter {
                return Some(out);
            }
            out.push(c);
            if c == '\\' {
                out.push(self.next()?);
            }
        }
    }

    /// Like [`Self::until`], for a regular expression: a delimiter in brackets does not end it.
    fn pattern(&mut self, delimiter: char) -> Option<String> {
        let mut out = String::new();
        loop {
            let c = self.next()?;
            if c == delimiter {
                return Some(out);
            }
            out.push(c);
            match c {
                '\\' => out.push(self.next()?),
                '[' => {
                    let begin = self.at + usize::from(self.peek() == Some('^'));
                    loop {
                        let at = self.at;
                        let c = self.next()?;
                        out.push(c);
                        if c == ']' && at > begin {
                            break;
                        }
                        if c == '[' && self.peek().is_some_and(|kind| ":=.".contains(kind)) {
                            let kind = self.next()?;
                            out.push(kind);
                            while !out.ends_with(']')
                                || self.text.get(self.at.saturating_sub(2)) != Some(&kind)
                            {
                                out.push(self.next()?);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn regex(&self, pattern: &str, delimiter: char, fold: bool) -> Option<Regex> {
        if pattern.is_empty() {
            return None;
        }
        Regex::new(&plain_escapes(pattern, delimiter)?, self.dialect, fold)
    }

    fn substitution(&mut self) -> Option<SedVerb> {
        let delimiter = self.next().filter(|c| !matches!(c, '\n' | '\\'))?;
        let pattern = self.pattern(delimiter)?;
        let replacement = self.until(delimiter)?;
        let (mut all, mut nth, mut print, mut fold, mut runs) = (false, 1, false, false, false);
        loop {
            match self.peek() {
                Some('g') => all = true,
                Some('p') => print = true,
                Some('e') => runs = true,
                Some('i' | 'I') => fold = true,
                Some(c) if c.is_ascii_digit() => {
                    nth = self.number().filter(|nth| *nth > 0)?;
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        let regex = Box::new(self.regex(&pattern, delimiter, fold)?);
        let parts = parts(&replacement)?;
        let groups = regex.groups();
        if parts.iter().any(|part| matches!(part, ReplacementPart::Group(group) if *group > groups))
        {
            return None;
        }
        Some(SedVerb::Substitute { regex, parts, all, nth, print, runs })
    }

    fn translation(&mut self) -> Option<SedVerb> {
        let delimiter = self.next().filter(|c| !matches!(c, '\n' | '\\'))?;
        let mut sides = Vec::new();
        for _ in 0..2 {
            let text = self.until(delimiter)?;
            let mut side = Vec::new();
            let mut letters = text.chars();
            while let Some(c) = letters.next() {
                side.push(match c {
                    '\\' => match letters.next()? {
                        'n' => '\n',
                        't' => '\t',
                        '\\' => '\\',
                        other if other == delimiter => other,
                        _ => return None,
                    },
                    c => c,
                });
            }
            sides.push(side);
        }
        let (to, from) = (sides.pop()?, sides.pop()?);
        (from.len() == to.len()).then(|| SedVerb::Translate(from.into_iter().zip(to).collect()))
    }

    /// The text of `a`, `i`, `c`, in the one-line or the backslash form.
    fn lines(&mut self) -> Option<String> {
        self.skip(|c| c == ' ' || c == '\t');
        if self.peek() == Some('\\') {
            self.at += 1;
            self.skip(|c| c == ' ' || c == '\t');
            if self.peek() == Some('\n') {
                self.at += 1;
            }
        }
        let mut out = String::new();
        while let Some(c) = self.next() {
            match c {
                '\n' => break,
                '\\' => match self.next() {
                    Some('t') => out.push('\t'),
                    Some(other) => out.push(other),
                    None => break,
                },
                c => out.push(c),
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

/// Resolves `\n`, `\t`, `\xHH` and the escaped delimiter, leaving the escapes of the pattern syntax.
fn plain_escapes(pattern: &str, delimiter: char) -> Option<String> {
    let mut out = String::new();
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match letters.next()? {
            'n' if delimiter != 'n' => out.push('\n'),
            't' => out.push('\t'),
            'f' => out.push('\x0c'),
            'v' => out.push('\x0b'),
            'a' => out.push('\x07'),
            'r' => out.push('\r'),
            'x' | 'o' | 'd' | 'c' => return None,
            escaped if escaped == delimiter && delimiter != '/' => {
                // The meaning of an escaped special delimiter depends on the version of sed.
                if ".*[]^$+?(){}|".contains(delimiter) {
                    return None;
                }
                out.push(delimiter);
            }
            '/' => out.push('/'),
            other => out.extend(['\\', other]),
        }
    }
    Some(out)
}

fn parts(replacement: &str) -> Option<Vec<ReplacementPart>> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut letters = replacement.chars().peekable();
    while let Some(c) = letters.next() {
        let part = match c {
            '&' => ReplacementPart::Group(0),
            '\\' => match letters.next()? {
                digit @ '0'..='9' => ReplacementPart::Group(digit.to_digit(10)? as usize),
                case @ ('U' | 'L' | 'u' | 'l' | 'E') => ReplacementPart::Case(case),
                'n' => {
                    text.push('\n');
                    continue;
                }
                't' => {
                    text.push('\t');
                    continue;
                }
                'r' => {
                    text.push('\r');
                    continue;
                }
                'x' => {
                    let mut value = 0;
                    let mut digits = 0;
                    while let Some(digit) =
                        letters.peek().and_then(|c| c.to_digit(16)).filter(|_| digits < 2)
                    {
                        value = value * 16 + digit;
                        digits += 1;
                        letters.next();
                    }
                    if digits == 0 || value > 0x7f {
                        return None;
                    }
                    text.push(char::from_u32(value)?);
                    continue;
                }
                'a' | 'f' | 'v' | 'c' | 'd' | 'o' => return None,
                other => {
                    text.push(other);
                    continue;
                }
            },
            c => {
                text.push(c);
                continue;
            }
        };
        if !text.is_empty() {
            parts.push(ReplacementPart::Text(std::mem::take(&mut text)));
        }
        parts.push(part);
    }
    if !text.is_empty() {
        parts.push(ReplacementPart::Text(text));
    }
    Some(parts)
}
