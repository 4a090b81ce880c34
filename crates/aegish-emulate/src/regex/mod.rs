//! POSIX regular expressions, as `sed`, `grep` and `expr` use them.
//!
//! Takes a pattern in basic or extended syntax with the usual GNU additions, gives leftmost-longest matches.
//! The search backtracks and never visits the same state at the same position twice, so its work is bounded
//! by pattern times text. A pattern with back-references is bounded by a number of steps instead. The result
//! is `None` if the pattern is not understood or the bound is reached.

mod parse;

use parse::{ParsedPattern, PatternNode};
use std::cell::{Cell, RefCell};

/// Which syntax a pattern is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegexSyntax {
    Basic,
    Extended,
}

/// Maximum number of steps of one expression, over all its matches.
const BUDGET: u64 = 4_000_000;

/// Maximum number of instructions of an expression.
const MAX_PROGRAM: usize = 8_000;

/// Maximum number of bits in the table of visited states.
const MAX_VISITED: usize = 1 << 27;

#[derive(Debug)]
enum Inst {
    One(Unit),
    /// Tries the first branch first.
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    Assert(Assertion),
    Back(usize),
    Match,
}

/// What matches one character.
#[derive(Debug, Clone)]
enum Unit {
    Any,
    Char(u32),
    Set(Set),
}

/// A bracket expression.
#[derive(Debug, Clone, Default)]
struct Set {
    negated: bool,
    ranges: Vec<(u32, u32)>,
}

/// A condition on a position between characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assertion {
    Start,
    End,
    WordStart,
    WordEnd,
    WordEdge,
    NotWordEdge,
}

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Regex {
    program: Vec<Inst>,
    groups: usize,
    fold: bool,
    back_references: bool,
    steps: Cell<u64>,
    visited: RefCell<Vec<u64>>,
}

/// A match: byte ranges of the whole and of each group.
#[derive(Debug, Clone)]
pub(super) struct RegexMatch(Vec<Option<usize>>);

impl RegexMatch {
    /// Start and end of a group; 0 is the whole match.
    pub(super) fn range(&self, group: usize) -> Option<(usize, usize)> {
        match (self.0.get(group * 2), self.0.get(group * 2 + 1)) {
            (Some(Some(start)), Some(Some(end))) => Some((*start, *end)),
            _ => None,
        }
    }
}

enum Pending {
    Go(usize, usize),
    Restore(usize, Option<usize>),
}

impl Regex {
    /// Compiles a pattern; `fold` ignores case.
    pub(super) fn new(pattern: &str, dialect: RegexSyntax, fold: bool) -> Option<Self> {
        let ParsedPattern { node, groups, back_references } = parse::parse(pattern, dialect)?;
        let mut program = vec![Inst::Save(0)];
        emit(&node, &mut program)?;
        program.push(Inst::Save(1));
        program.push(Inst::Match);
        Some(Self {
            program,
            groups,
            fold,
            back_references,
            steps: Cell::new(0),
            visited: RefCell::new(Vec::new()),
        })
    }

    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// The leftmost-longest match that starts at `from` or later. The outer `None` means that the search
    /// reached its bound.
    #[allow(clippy::option_option)]
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<Option<RegexMatch>> {
        let width = text.len().checked_sub(from)? + 1;
        let bits = width.checked_mul(self.program.len())?;
        let mut visited = self.visited.borrow_mut();
        if !self.back_references {
            if bits > MAX_VISITED {
                return None;
            }
            let words = bits / 64 + 1;
            if visited.len() < words {
                visited.resize(words, 0);
            }
        }
        let mut touched = Vec::new();
        let mut found = Some(None);
        let mut start = from;
        loop {
            match self.match_at(text, from, start, width, &mut visited, &mut touched) {
                None => {
                    found = None;
                    break;
                }
                Some(Some(slots)) => {
                    found = Some(Some(RegexMatch(slots)));
                    break;
                }
                Some(None) => {}
            }
            if start >= text.len() {
                break;
            }
            start += unit_at(text, start).1;
        }
        for word in touched {
            if let Some(word) = visited.get_mut(word) {
                *word = 0;
            }
        }
        found
    }

    #[allow(clippy::option_option)]
    fn match_at(
        &self,
        text: &[u8],
        from: usize,
        start: usize,
        width: usize,
        visited: &mut [u64],
        touched: &mut Vec<usize>,
    ) -> Option<Option<Vec<Option<usize>>>> {
        let mut slots: Vec<Option<usize>> = vec![None; self.groups * 2 + 2];
        let mut best: Option<Vec<Option<usize>>> = None;
        let mut stack = vec![Pending::Go(0, start)];
        'states: while let Some(todo) = stack.pop() {
            let (mut pc, mut at) = match todo {
                Pending::Go(pc, at) => (pc, at),
                Pending::Restore(slot, value) => {
                    *slots.get_mut(slot)? = value;
                    continue;
                }
            };
            loop {
                let steps = self.steps.get() + 1;
                self.steps.set(steps);
                if steps > BUDGET {
                    return None;
                }
                if !self.back_references {
                    let bit = pc * width + (at - from);
                    let word = visited.get_mut(bit / 64)?;
                    if *word == 0 {
                        touched.push(bit / 64);
                    }
                    if *word & (1 << (bit % 64)) != 0 {
                        continue 'states;
                    }
                    *word |= 1 << (bit % 64);
                }
                match self.program.get(pc)? {
                    Inst::One(unit) => {
                        if at >= text.len() {
                            continue 'states;
                        }
                        let (code, length) = unit_at(text, at);
                        if !self.fits(unit, code) {
                            continue 'states;
                        }
                        at += length;
                        pc += 1;
                    }
                    Inst::Split(first, second) => {
                        stack.push(Pending::Go(*second, at));
                        pc = *first;
                    }
                    Inst::Jump(target) => pc = *target,
                    Inst::Save(slot) => {
                        let saved = slots.get_mut(*slot)?;
                        stack.push(Pending::Restore(*slot, *saved));
                        *saved = Some(at);
                        pc += 1;
                    }
                    Inst::Assert(assertion) => {
                        if !holds(*assertion, text, at) {
                            continue 'states;
                        }
                        pc += 1;
                    }
                    Inst::Back(group) => {
                        let (Some(Some(begin)), Some(Some(end))) =
                            (slots.get(group * 2), slots.get(group * 2 + 1))
                        else {
                            continue 'states;
                        };
                        let piece = text.get(*begin..*end).unwrap_or(b"");
                        let here = text.get(at..at + piece.len()).unwrap_or(b"");
                        let same = if self.fold {
                            here.eq_ignore_ascii_case(piece)
                        } else {
                            here == piece
                        };
                        if here.len() != piece.len() || !same {
                            continue 'states;
                        }
                        at += piece.len();
                        pc += 1;
                    }
                    Inst::Match => {
                        let longer = match &best {
                            None => true,
                            Some(best) => best.get(1).copied().flatten() < Some(at),
                        };
                        if longer {
                            best = Some(slots.clone());
                        }
                        if at == text.len() {
                            return Some(best);
                        }
                        continue 'states;
                    }
                }
            }
        }
        Some(best)
    }

    fn fits(&self, unit: &Unit, code: u32) -> bool {
        match unit {
            Unit::Any => true,
            Unit::Char(wanted) => {
                *wanted == code || (self.fold && other_case(code).contains(wanted))
            }
            Unit::Set(set) => {
                let inside =
                    |code: u32| set.ranges.iter().any(|(low, high)| (*low..=*high).contains(&code));
                let hit = inside(code) || (self.fold && other_case(code).into_iter().any(inside));
                hit != set.negated
            }
        }
    }
}

fn other_case(code: u32) -> [u32; 2] {
    let Some(c) = char::from_u32(code) else {
        return [code, code];
    };
    let lower = c.to_lowercase().next().map_or(code, u32::from);
    let upper = c.to_uppercase().next().map_or(code, u32::from);
    [lower, upper]
}

/// The character at a position and its length. Bytes that are not UTF-8 match no character.
fn unit_at(text: &[u8], at: usize) -> (u32, usize) {
    let first = text.get(at).copied().unwrap_or(0);
    if first < 0x80 {
        return (u32::from(first), 1);
    }
    let length = match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    let decoded = text
        .get(at..at + length)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .and_then(|text| text.chars().next());
    match decoded {
        Some(c) => (u32::from(c), length),
        None => (0x11_0000 + u32::from(first), 1),
    }
}

fn is_word(text: &[u8], at: Option<usize>) -> bool {
    at.and_then(|at| text.get(at))
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80)
}

fn holds(assertion: Assertion, text: &[u8], at: usize) -> bool {
    let before = is_word(text, at.checked_sub(1));
    let after = is_word(text, Some(at));
    match assertion {
        Assertion::Start => at == 0,
        Assertion::End => at == text.len(),
        Assertion::WordStart => !before && after,
        Assertion::WordEnd => before && !after,
        Assertion::WordEdge => before != after,
        Assertion::NotWordEdge => before == after,
    }
}

fn emit(node: &PatternNode, program: &mut Vec<Inst>) -> Option<()> {
    if program.len() > MAX_PROGRAM {
        return None;
    }
    match node {
        PatternNode::Empty => {}
        PatternNode::One(unit) => program.push(Inst::One(unit.clone())),
        PatternNode::Assert(assertion) => program.push(Inst::Assert(*assertion)),
        PatternNode::Back(group) => program.push(Inst::Back(*group)),
        PatternNode::Group(number, inner) => {
            program.push(Inst::Save(number * 2));
            emit(inner, program)?;
            program.push(Inst::Save(number * 2 + 1));
        }
        PatternNode::Sequence(nodes) => {
            for node in nodes {
                emit(node, program)?;
            }
        }
        PatternNode::Either(nodes) => {
            let mut exits = Vec::new();
            for (index, node) in nodes.iter().enumerate() {
                let last = index + 1 == nodes.len();
                let split = program.len();
                if !last {
                    program.push(Inst::Split(split + 1, 0));
                }
                emit(node, program)?;
                if !last {
                    exits.push(program.len());
                    program.push(Inst::Jump(0));
                    let next = program.len();
                    *program.get_mut(split)? = Inst::Split(split + 1, next);
                }
            }
            let end = program.len();
            for exit in exits {
                *program.get_mut(exit)? = Inst::Jump(end);
            }
        }
        PatternNode::Repeat(inner, least, most) => {
            for _ in 0..*least {
                emit(inner, program)?;
            }
            match most {
                None => {
                    let split = program.len();
                    program.push(Inst::Split(split + 1, 0));
                    emit(inner, program)?;
                    program.push(Inst::Jump(split));
                    let end = program.len();
                    *program.get_mut(split)? = Inst::Split(split + 1, end);
                }
                Some(most) => {
                    let mut splits = Vec::new();
                    for _ in *least..*most {
                        splits.push(program.len());
                        program.push(Inst::Split(0, 0));
                        emit(inner, program)?;
                    }
                    let end = program.len();
                    for split in splits {
                        *program.get_mut(split)? = Inst::Split(split + 1, end);
                    }
                }
            }
        }
    }
    Some(())
}
