//! Operators by their binding.

use super::tree::{AssignOp, Node};
use super::{Parsed, Perl, Rejected};
use crate::ir::{BinaryOp, CompareOp, LogicOp};

/// Bindings, from the loosest on.
pub(super) const LOWEST: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
pub(super) const COMMA: u8 = 5;
pub(super) const ASSIGN: u8 = 6;
const TERNARY: u8 = 7;
const RANGE: u8 = 8;
const OR_SIGN: u8 = 9;
const AND_SIGN: u8 = 10;
const BIT_OR: u8 = 11;
const BIT_AND: u8 = 12;
const EQUALITY: u8 = 13;
const RELATION: u8 = 14;
/// Operators with one argument and a name.
pub(super) const NAMED_UNARY: u8 = 16;
const SHIFT: u8 = 17;
const ADD: u8 = 18;
const MULTIPLY: u8 = 19;
const BIND: u8 = 20;
const UNARY: u8 = 21;
const POWER: u8 = 22;

/// An operator between two values, or behind one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Logic(LogicOp),
    Xor,
    Comma,
    Assign(AssignOp),
    Ternary,
    Range,
    Binary(BinaryOp),
    Compare(CompareOp),
    Order(&'static str),
    Bind,
    NotBind,
    Concat,
    Repeat,
    Isa,
}

/// Signs; longer ones come first.
const SIGNS: &[(&str, Op, u8)] = &[
    ("**=", Op::Assign(AssignOp::Binary(BinaryOp::Pow)), ASSIGN),
    ("||=", Op::Assign(AssignOp::Logic(LogicOp::Or)), ASSIGN),
    ("&&=", Op::Assign(AssignOp::Logic(LogicOp::And)), ASSIGN),
    ("//=", Op::Assign(AssignOp::Logic(LogicOp::Coalesce)), ASSIGN),
    ("<<=", Op::Assign(AssignOp::Binary(BinaryOp::ShiftLeft)), ASSIGN),
    (">>=", Op::Assign(AssignOp::Binary(BinaryOp::ShiftRight)), ASSIGN),
    ("...", Op::Range, RANGE),
    ("<=>", Op::Order("<=>"), EQUALITY),
    ("**", Op::Binary(BinaryOp::Pow), POWER),
    ("=~", Op::Bind, BIND),
    ("!~", Op::NotBind, BIND),
    ("==", Op::Compare(CompareOp::LooseEqual), EQUALITY),
    ("!=", Op::Compare(CompareOp::LooseNotEqual), EQUALITY),
    ("~~", Op::Order("~~"), EQUALITY),
    ("=>", Op::Comma, COMMA),
    ("<=", Op::Compare(CompareOp::LessEqual), RELATION),
    (">=", Op::Compare(CompareOp::GreaterEqual), RELATION),
    ("<<", Op::Binary(BinaryOp::ShiftLeft), SHIFT),
    (">>", Op::Binary(BinaryOp::ShiftRight), SHIFT),
    ("&&", Op::Logic(LogicOp::And), AND_SIGN),
    ("||", Op::Logic(LogicOp::Or), OR_SIGN),
    ("//", Op::Logic(LogicOp::Coalesce), OR_SIGN),
    ("..", Op::Range, RANGE),
    ("+=", Op::Assign(AssignOp::Binary(BinaryOp::Add)), ASSIGN),
    ("-=", Op::Assign(AssignOp::Binary(BinaryOp::Sub)), ASSIGN),
    ("*=", Op::Assign(AssignOp::Binary(BinaryOp::Mul)), ASSIGN),
    ("/=", Op::Assign(AssignOp::Binary(BinaryOp::Div)), ASSIGN),
    (".=", Op::Assign(AssignOp::Concat), ASSIGN),
    ("%=", Op::Assign(AssignOp::Binary(BinaryOp::Mod)), ASSIGN),
    ("&=", Op::Assign(AssignOp::Binary(BinaryOp::BitAnd)), ASSIGN),
    ("|=", Op::Assign(AssignOp::Binary(BinaryOp::BitOr)), ASSIGN),
    ("^=", Op::Assign(AssignOp::Binary(BinaryOp::BitXor)), ASSIGN),
    ("=", Op::Assign(AssignOp::Plain), ASSIGN),
    (",", Op::Comma, COMMA),
    ("?", Op::Ternary, TERNARY),
    ("<", Op::Compare(CompareOp::Less), RELATION),
    (">", Op::Compare(CompareOp::Greater), RELATION),
    ("+", Op::Binary(BinaryOp::Add), ADD),
    ("-", Op::Binary(BinaryOp::Sub), ADD),
    (".", Op::Concat, ADD),
    ("*", Op::Binary(BinaryOp::Mul), MULTIPLY),
    ("/", Op::Binary(BinaryOp::Div), MULTIPLY),
    ("%", Op::Binary(BinaryOp::Mod), MULTIPLY),
    ("&", Op::Binary(BinaryOp::BitAnd), BIT_AND),
    ("|", Op::Binary(BinaryOp::BitOr), BIT_OR),
    ("^", Op::Binary(BinaryOp::BitXor), BIT_OR),
];

const WORDS: &[(&str, Op, u8)] = &[
    ("or", Op::Logic(LogicOp::Or), LOWEST),
    ("xor", Op::Xor, LOWEST),
    ("and", Op::Logic(LogicOp::And), AND),
    ("eq", Op::Compare(CompareOp::Equal), EQUALITY),
    ("ne", Op::Compare(CompareOp::NotEqual), EQUALITY),
    ("cmp", Op::Order("cmp"), EQUALITY),
    ("lt", Op::Order("lt"), RELATION),
    ("gt", Op::Order("gt"), RELATION),
    ("le", Op::Order("le"), RELATION),
    ("ge", Op::Order("ge"), RELATION),
    ("isa", Op::Isa, RELATION),
    ("x", Op::Repeat, MULTIPLY),
];

impl Perl<'_> {
    /// An expression with commas and the operators that are words.
    pub(super) fn full(&mut self) -> Parsed<Node> {
        self.expression(LOWEST)
    }

    /// The operator here, its length and its binding.
    fn operator(&mut self) -> Option<(Op, usize, u8)> {
        self.blanks();
        let word = self.plain_word();
        if !word.is_empty() {
            if let Some((known, op, binding)) = WORDS.iter().find(|(known, ..)| *known == word) {
                if *known == "x" && self.byte(1) == b'=' && !matches!(self.byte(2), b'=' | b'~') {
                    return Some((Op::Assign(AssignOp::Repeat), 2, ASSIGN));
                }
                return Some((*op, known.len(), *binding));
            }
            // `"-"x80`.
            let digits = word.strip_prefix('x')?;
            let counts = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            return counts.then_some((Op::Repeat, 1, MULTIPLY));
        }
        SIGNS
            .iter()
            .find(|(sign, ..)| self.starts(sign))
            .map(|(sign, op, binding)| (*op, sign.len(), *binding))
    }

    /// An expression whose operators bind at least this much.
    pub(super) fn expression(&mut self, least: u8) -> Parsed<Node> {
        self.enter()?;
        let result = stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.climb(least));
        self.leave();
        result
    }

    fn climb(&mut self, least: u8) -> Parsed<Node> {
        self.blanks();
        let mut left = if least <= NOT && self.is_word("not") && !self.fat_comma_behind("not") {
            self.at += 3;
            if self.is("(") && self.empty_brackets() {
                Node::Not(Box::new(Node::Undefined))
            } else {
                Node::Not(Box::new(self.expression(NOT)?))
            }
        } else {
            self.unary()?
        };
        while let Some((op, length, binding)) = self.operator() {
            if binding < least {
                break;
            }
            let before = self.at;
            self.at += length;
            left = match op {
                Op::Comma => self.comma(left)?,
                Op::Logic(op) => {
                    let right = self.expression(binding + 1)?;
                    match left {
                        Node::Logic(known, mut nodes) if known == op => {
                            nodes.push(right);
                            Node::Logic(op, nodes)
                        }
                        other => Node::Logic(op, vec![other, right]),
                    }
                }
                Op::Xor => {
                    let right = self.expression(binding + 1)?;
                    Node::Order("xor", Box::new(left), Box::new(right))
                }
                Op::Assign(op) => {
                    let right = self.expression(ASSIGN)?;
                    self.changes(&left);
                    Node::Assign(op, Box::new(left), Box::new(right))
                }
                Op::Ternary => {
                    let yes = self.expression(ASSIGN)?;
                    self.expect(":")?;
                    let no = self.expression(TERNARY)?;
                    Node::Ternary(Box::new([left, yes, no]))
                }
                Op::Range => {
                    let right = self.expression(binding + 1)?;
                    Node::Range(Box::new(left), Box::new(right))
                }
                Op::Binary(BinaryOp::Pow) => {
                    let right = self.expression(UNARY)?;
                    chained(left, BinaryOp::Pow, right)
                }
                Op::Binary(op) => {
                    let right = self.expression(binding + 1)?;
                    chained(left, op, right)
                }
                Op::Concat => {
                    let right = self.expression(binding + 1)?;
                    match left {
                        Node::Concat(mut nodes) => {
                            nodes.push(right);
                            Node::Concat(nodes)
                        }
                        other => Node::Concat(vec![other, right]),
                    }
                }
                Op::Repeat => {
                    let right = self.expression(binding + 1)?;
                    Node::Repeat(Box::new(left), Box::new(right))
                }
                Op::Compare(op) => {
                    let right = self.expression(binding + 1)?;
                    Node::Compare(Box::new(left), op, Box::new(right))
                }
                Op::Order(op) => {
                    let right = self.expression(binding + 1)?;
                    Node::Order(op, Box::new(left), Box::new(right))
                }
                Op::Isa => {
                    let right = self.expression(binding + 1)?;
                    Node::Order("isa", Box::new(left), Box::new(right))
                }
                Op::Bind | Op::NotBind => {
                    let right = self.expression(UNARY)?;
                    if matches!(right, Node::Subst { .. } | Node::Trans { .. }) {
                        self.changes(&left);
                    }
                    bound(left, right, op == Op::NotBind)
                }
            };
            if self.at == before {
                return Err(Rejected);
            }
            self.lowering.size += 1;
        }
        Ok(left)
    }

    /// The list that goes on behind a comma.
    fn comma(&mut self, first: Node) -> Parsed<Node> {
        let mut nodes = vec![first];
        loop {
            while self.is(",") || self.is("=>") {
                self.at += if self.byte(0) == b',' { 1 } else { 2 };
            }
            if self.ends_list() {
                break;
            }
            nodes.push(self.expression(ASSIGN)?);
            if !(self.is(",") || self.is("=>")) {
                break;
            }
        }
        Ok(Node::List(nodes))
    }

    /// Whether nothing more of a list comes here.
    pub(super) fn ends_list(&mut self) -> bool {
        self.blanks();
        if self.ended() || matches!(self.byte(0), b')' | b']' | b'}' | b';' | b':') {
            return !self.starts("::");
        }
        let word = self.plain_word();
        let ends = matches!(
            word,
            "or" | "and"
                | "xor"
                | "if"
                | "unless"
                | "while"
                | "until"
                | "for"
                | "foreach"
                | "when"
                | "x"
                | "eq"
                | "ne"
                | "lt"
                | "gt"
                | "le"
                | "ge"
                | "cmp"
                | "isa"
        );
        ends && !self.fat_comma_behind(word)
    }

    /// Whether `=>` stands behind the word here.
    pub(super) fn fat_comma_behind(&self, word: &str) -> bool {
        let rest = self.rest().get(word.len()..).unwrap_or("");
        rest.trim_start().starts_with("=>")
    }

    pub(super) fn empty_brackets(&mut self) -> bool {
        let before = self.at;
        self.at += 1;
        let empty = self.is(")");
        if empty {
            self.at += 1;
        } else {
            self.at = before;
        }
        empty
    }

    fn unary(&mut self) -> Parsed<Node> {
        self.blanks();
        let node = match (self.byte(0), self.byte(1)) {
            (b'!', b'~') => return self.postfix(),
            (b'!', _) => {
                self.at += 1;
                Node::Not(Box::new(self.expression(UNARY)?))
            }
            (b'~', _) => {
                self.at += if self.byte(1) == b'~' { 2 } else { 1 };
                Node::Invert(Box::new(self.expression(UNARY)?))
            }
            (b'\\', _) => {
                self.at += 1;
                Node::Reference(Box::new(self.expression(UNARY)?))
            }
            (b'+', b'+') | (b'-', b'-') => {
                let by = if self.byte(0) == b'+' { 1 } else { -1 };
                self.at += 2;
                let target = Box::new(self.expression(POWER + 1)?);
                self.changes(&target);
                Node::Increment { target, by, before: true }
            }
            (b'+', _) => {
                self.at += 1;
                self.expression(UNARY)?
            }
            (b'-', letter) if letter.is_ascii_alphabetic() && self.is_file_test() => {
                return self.file_test();
            }
            (b'-', _) => {
                self.at += 1;
                Node::Negative(Box::new(self.expression(UNARY)?))
            }
            _ => return self.postfix(),
        };
        Ok(node)
    }

    /// A term with `++` or `--` behind it.
    fn postfix(&mut self) -> Parsed<Node> {
        let term = self.term()?;
        self.blanks();
        let by = if self.starts("++") {
            1
        } else if self.starts("--") {
            -1
        } else {
            return Ok(term);
        };
        self.at += 2;
        self.changes(&term);
        Ok(Node::Increment { target: Box::new(term), by, before: false })
    }

    /// Whether `-x` is a test of a file.
    fn is_file_test(&self) -> bool {
        let letter = self.byte(1);
        let next = self.byte(2);
        if !b"rwxoRWXOezsfdlpSbctugkTBAMC".contains(&letter)
            || next.is_ascii_alphanumeric()
            || next == b'_'
        {
            return false;
        }
        let rest = self.rest().get(2..).unwrap_or("").trim_start();
        // `-s => 1`, `(-e, 1)` as texts, `-x = …` of nothing.
        !rest.starts_with("=>") && !rest.starts_with("::")
    }

    fn file_test(&mut self) -> Parsed<Node> {
        self.at += 2;
        self.blanks();
        let stops = self.ends_list()
            || matches!(self.byte(0), b',' | b'?' | b'=' | b'|' | b'.' | b'<' | b'>')
            || self.starts("&&")
            || self.starts("!=");
        if stops {
            return Ok(Node::FileTest(None));
        }
        let operand = self.expression(NAMED_UNARY)?;
        Ok(Node::FileTest(Some(Box::new(operand))))
    }
}

fn chained(left: Node, op: BinaryOp, right: Node) -> Node {
    // Operators of the same binding go to the left: flat, so that the length does not nest.
    let group = |op: BinaryOp| match op {
        BinaryOp::Add | BinaryOp::Sub => 1,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => 2,
        BinaryOp::BitOr | BinaryOp::BitXor => 3,
        BinaryOp::BitAnd => 4,
        _ => 5,
    };
    match left {
        Node::Chain(first, mut rest)
            if group(op) < 5 && rest.last().is_some_and(|(last, _)| group(*last) == group(op)) =>
        {
            rest.push((op, right));
            Node::Chain(first, rest)
        }
        other => Node::Chain(Box::new(other), vec![(op, right)]),
    }
}

/// `value =~ pattern`.
fn bound(left: Node, right: Node, not: bool) -> Node {
    let target = Some(Box::new(left));
    match right {
        Node::Match { pattern, flags, .. } => Node::Match { target, pattern, flags, negated: not },
        Node::Subst { pattern, to, flags, .. } => Node::Subst { target, pattern, to, flags },
        Node::Trans { from, to, flags, .. } => Node::Trans { target, from, to, flags },
        other => {
            Node::Match { target, pattern: Box::new(other), flags: String::new(), negated: not }
        }
    }
}
