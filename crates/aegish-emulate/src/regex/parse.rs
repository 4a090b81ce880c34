//! Pattern text → tree, for basic and extended syntax.

use super::{Assertion, RegexSyntax, Set, Unit};

/// Maximum depth of nested groups.
const MAX_DEPTH: usize = 64;

/// Highest count in an interval.
const MAX_REPEAT: usize = 255;

pub(super) enum PatternNode {
    Empty,
    One(Unit),
    Assert(Assertion),
    Back(usize),
    Group(usize, Box<PatternNode>),
    Sequence(Vec<PatternNode>),
    Either(Vec<PatternNode>),
    Repeat(Box<PatternNode>, usize, Option<usize>),
}

pub(super) struct ParsedPattern {
    pub(super) node: PatternNode,
    pub(super) groups: usize,
    pub(super) back_references: bool,
}

struct PatternParser {
    pattern: Vec<char>,
    at: usize,
    extended: bool,
    groups: usize,
    back_references: bool,
}

/// A token of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Plain(char),
    Any,
    Star,
    Plus,
    Question,
    OpenCount,
    Open,
    Close,
    Or,
    Caret,
    Dollar,
    Bracket,
    Escaped(char),
}

pub(super) fn parse(pattern: &str, dialect: RegexSyntax) -> Option<ParsedPattern> {
    let mut parser = PatternParser {
        pattern: pattern.chars().collect(),
        at: 0,
        extended: dialect == RegexSyntax::Extended,
        groups: 0,
        back_references: false,
    };
    let node = parser.either(0)?;
    if parser.at < parser.pattern.len() {
        return None;
    }
    Some(ParsedPattern { node, groups: parser.groups, back_references: parser.back_references })
}

impl PatternParser {
    /// The token at the current position and its length in characters.
    fn token(&self) -> Option<(Token, usize)> {
        self.token_at(self.at)
    }

    fn token_at(&self, at: usize) -> Option<(Token, usize)> {
        let first = *self.pattern.get(at)?;
        let special = match first {
            '.' => Some(Token::Any),
            '*' => Some(Token::Star),
            '[' => Some(Token::Bracket),
            '^' => Some(Token::Caret),
            '$' => Some(Token::Dollar),
            _ => None,
        };
        if let Some(token) = special {
            return Some((token, 1));
        }
        let operator = |c: char| match c {
            '+' => Some(Token::Plus),
            '?' => Some(Token::Question),
            '{' => Some(Token::OpenCount),
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            '|' => Some(Token::Or),
            _ => None,
        };
        if first == '\\' {
            let second = *self.pattern.get(at + 1)?;
            let token = match operator(second) {
                Some(token) if !self.extended => token,
                _ => Token::Escaped(second),
            };
            return Some((token, 2));
        }
        match operator(first) {
            Some(token) if self.extended => Some((token, 1)),
            _ => Some((Token::Plain(first), 1)),
        }
    }

    fn either(&mut self, depth: usize) -> Option<PatternNode> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut branches = vec![self.sequence(depth)?];
        while let Some((Token::Or, length)) = self.token() {
            self.at += length;
            branches.push(self.sequence(depth)?);
        }
        match branches.len() {
            1 => branches.pop(),
            _ => Some(PatternNode::Either(branches)),
        }
    }

    fn sequence(&mut self, depth: usize) -> Option<PatternNode> {
        let mut nodes: Vec<PatternNode> = Vec::new();
        // True where there is nothing to repeat.
        let mut fresh = true;
        while let Some((token, length)) = self.token() {
            let node = match token {
                Token::Or => break,
                Token::Close if depth > 0 => break,
                Token::Close => return None,
                Token::Star | Token::Plus | Token::Question | Token::OpenCount if fresh => {
                    if self.extended {
                        return None;
                    }
                    self.at += length;
                    PatternNode::One(Unit::Char(u32::from(*self.pattern.get(self.at - 1)?)))
                }
                Token::Star | Token::Plus | Token::Question => {
                    self.at += length;
                    let (least, most) = match token {
                        Token::Star => (0, None),
                        Token::Plus => (1, None),
                        _ => (0, Some(1)),
                    };
                    let inner = nodes.pop()?;
                    PatternNode::Repeat(Box::new(inner), least, most)
                }
                Token::OpenCount => {
                    self.at += length;
                    let (least, most) = self.interval()?;
                    let inner = nodes.pop()?;
                    PatternNode::Repeat(Box::new(inner), least, most)
                }
                Token::Open => {
                    self.at += length;
                    self.groups += 1;
                    let number = self.groups;
                    let inner = self.either(depth + 1)?;
                    match self.token() {
                        Some((Token::Close, length)) => self.at += length,
                        _ => return None,
                    }
                    PatternNode::Group(number, Box::new(inner))
                }
                Token::Caret => {
                    self.at += 1;
                    if self.extended || nodes.is_empty() {
                        nodes.push(PatternNode::Assert(Assertion::Start));
                        // In basic syntax a star after the anchor is an ordinary character.
                        fresh = true;
                        continue;
                    }
                    PatternNode::One(Unit::Char(u32::from('^')))
                }
                Token::Dollar => {
                    self.at += 1;
                    let at_end = matches!(self.token(), None | Some((Token::Or | Token::Close, _)));
                    if self.extended || at_end {
                        PatternNode::Assert(Assertion::End)
                    } else {
                        PatternNode::One(Unit::Char(u32::from('$')))
                    }
                }
                Token::Any => {
                    self.at += length;
                    PatternNode::One(Unit::Any)
                }
                Token::Bracket => {
                    self.at += length;
                    PatternNode::One(Unit::Set(self.bracket()?))
                }
                Token::Plain(c) => {
                    self.at += length;
                    PatternNode::One(Unit::Char(u32::from(c)))
                }
                Token::Escaped(c) => {
                    self.at += length;
                    self.escaped(c)?
                }
            };
            nodes.push(node);
            fresh = false;
        }
        Some(match nodes.len() {
            0 => PatternNode::Empty,
            1 => nodes.pop()?,
            _ => PatternNode::Sequence(nodes),
        })
    }

    fn escaped(&mut self, c: char) -> Option<PatternNode> {
        let word = || Set {
            negated: false,
            ranges: vec![(48, 57), (65, 90), (95, 95), (97, 122), (0x80, 0x10_ffff)],
        };
        let space = || Set { negated: false, ranges: vec![(9, 13), (32, 32)] };
        Some(match c {
            '1'..='9' => {
                let group = c.to_digit(10)? as usize;
                if group > self.groups {
                    return None;
                }
                self.back_references = true;
                PatternNode::Back(group)
            }
            'w' => PatternNode::One(Unit::Set(word())),
            'W' => PatternNode::One(Unit::Set(Set { negated: true, ..word() })),
            's' => PatternNode::One(Unit::Set(space())),
            'S' => PatternNode::One(Unit::Set(Set { negated: true, ..space() })),
            'b' => PatternNode::Assert(Assertion::WordEdge),
            'B' => PatternNode::Assert(Assertion::NotWordEdge),
            '<' => PatternNode::Assert(Assertion::WordStart),
            '>' => PatternNode::Assert(Assertion::WordEnd),
            '`' => PatternNode::Assert(Assertion::Start),
            '\'' => PatternNode::Assert(Assertion::End),
            c => PatternNode::One(Unit::Char(u32::from(c))),
        })
    }

    /// `n}`, `n,}`, `,m}`, `n,m}` with the closing brace in the form of the dialect.
    fn interval(&mut self) -> Option<(usize, Option<usize>)> {
        let least = self.digits();
        let (least, most) = if self.pattern.get(self.at) == Some(&',') {
            self.at += 1;
            (least.unwrap_or(0), self.digits())
        } else {
            (least?, Some(least?))
        };
        if !self.extended {
            if self.pattern.get(self.at) != Some(&'\\') {
                return None;
            }
            self.at += 1;
        }
        if self.pattern.get(self.at) != Some(&'}') {
            return None;
        }
        self.at += 1;
        let fits =
            least <= MAX_REPEAT && most.is_none_or(|most| most <= MAX_REPEAT && least <= most);
        fits.then_some((least, most))
    }

    fn digits(&mut self) -> Option<usize> {
        let mut value = None;
        while let Some(digit) = self.pattern.get(self.at).and_then(|c| c.to_digit(10)) {
            value = Some((value.unwrap_or(0) * 10 + digit as usize).min(100_000));
            self.at += 1;
        }
        value
    }

    /// The rest of a bracket expression, after `[`.
    fn bracket(&mut self) -> Option<Set> {
        let mut set = Set::default();
        if self.pattern.get(self.at) == Some(&'^') {
            set.negated = true;
            self.at += 1;
        }
        let begin = self.at;
        loop {
            let c = *self.pattern.get(self.at)?;
            if c == ']' && self.at > begin {
                self.at += 1;
                return Some(set);
            }
            let low = if c == '[' && matches!(self.pattern.get(self.at + 1), Some(':' | '=' | '.'))
            {
                let kind = *self.pattern.get(self.at + 1)?;
                let name = self.named(kind)?;
                if kind == ':' {
                    let bytes = super::super::tr::class(&name)?;
                    set.ranges.extend(bytes.iter().map(|b| (u32::from(*b), u32::from(*b))));
                    if matches!(name.as_str(), "alpha" | "alnum" | "print" | "graph") {
                        set.ranges.push((0xa1, 0x10_ffff));
                    }
                    continue;
                }
                let mut letters = name.chars();
                let letter = letters.next()?;
                if letters.next().is_some() {
                    return None;
                }
                letter
            } else {
                self.at += 1;
                c
            };
            let dash = self.pattern.get(self.at) == Some(&'-');
            match self.pattern.get(self.at + 1) {
                Some(&high) if dash && high != ']' => {
                    if high == '[' && matches!(self.pattern.get(self.at + 2), Some(':' | '=' | '.'))
                    {
                        return None;
                    }
                    if high < low {
                        return None;
                    }
                    self.at += 2;
                    set.ranges.push((u32::from(low), u32::from(high)));
                }
                _ => set.ranges.push((u32::from(low), u32::from(low))),
            }
        }
    }

    /// `[:name:]`, `[=x=]`, `[.x.]`
    fn named(&mut self, kind: char) -> Option<String> {
        let begin = self.at + 2;
        let mut end = begin;
        while !(self.pattern.get(end) == Some(&kind) && self.pattern.get(end + 1) == Some(&']')) {
            end += 1;
            if end >= self.pattern.len() || end > begin + 16 {
                return None;
            }
        }
        self.at = end + 2;
        Some(self.pattern.get(begin..end)?.iter().collect())
    }
}
