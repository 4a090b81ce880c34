//! Arithmetic on text that is already expanded, with Bash's operators and precedence.
//!
//! A number that is only known at run time stays unknown, and the evaluation continues, so that later
//! assignments are still made. Parts that `&&`, `||` and `?:` skip are not evaluated. Syntax errors, division
//! by zero and nesting beyond the bound end the evaluation.

/// Variables as arithmetic sees them.
pub trait Variables {
    /// The text of a variable (or element), `Some("")` if unset, `None` if unknown.
    fn get(&mut self, name: &str, index: Option<&str>) -> Option<String>;
    /// An assignment, of a number that may be unknown.
    fn set(&mut self, name: &str, index: Option<&str>, value: Number, happens: Happens);
    /// Whether the elements have names instead of numbers.
    fn is_keyed(&self, name: &str) -> bool;
    /// A part of the text is not evaluated, because it is too long or too deep.
    fn limit_reached(&mut self);
}

/// A number; `None` if it is only known at run time.
pub type Number = Option<i64>;

/// Whether a part is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happens {
    /// Surely.
    Surely,
    /// It depends on an unknown number.
    Perhaps,
    /// Not at all.
    Never,
}

/// Placeholder for an unknown part of the text.
pub const UNKNOWN: &str = "AEGISH_UNKNOWN_NUMBER";

/// Deepest nesting of an expression.
const MAX_LEVEL: usize = 200;

/// Evaluates an expression; `None` if it cannot be evaluated or its value is not known.
pub fn evaluate(text: &str, variables: &mut dyn Variables) -> Option<i64> {
    evaluate_nested(text, variables, 0, Happens::Surely).flatten()
}

fn evaluate_nested(
    text: &str,
    variables: &mut dyn Variables,
    depth: usize,
    happens: Happens,
) -> Option<Number> {
    if depth > 8 || text.len() > 4096 {
        variables.limit_reached();
        return Some(None);
    }
    let mut parser =
        ArithParser { text: text.as_bytes(), at: 0, variables, depth, level: 0, happens };
    parser.blanks();
    if parser.at == parser.text.len() {
        return Some(Some(0));
    }
    let value = parser.comma()?;
    parser.blanks();
    (parser.at == parser.text.len()).then_some(value)
}

struct ArithParser<'a> {
    text: &'a [u8],
    at: usize,
    variables: &'a mut dyn Variables,
    depth: usize,
    level: usize,
    /// Whether the current part is evaluated.
    happens: Happens,
}

/// Binary operators by falling precedence; longer spellings first within the whole list.
const BINARY: &[(&str, u8)] = &[
    ("**", 11),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("==", 6),
    ("!=", 6),
    ("&&", 2),
    ("||", 1),
    ("*", 10),
    ("/", 10),
    ("%", 10),
    ("+", 9),
    ("-", 9),
    ("<", 7),
    (">", 7),
    ("&", 5),
    ("^", 4),
    ("|", 3),
];

impl ArithParser<'_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        if self.text.get(self.at..).unwrap_or_default().starts_with(token.as_bytes()) {
            self.at += token.len();
            true
        } else {
            false
        }
    }

    fn comma(&mut self) -> Option<Number> {
        let mut value = self.ternary()?;
        while self.eat(",") {
            value = self.ternary()?;
        }
        Some(value)
    }

    /// Reads a part that is evaluated only if the condition before it holds.
    fn guarded(
        &mut self,
        runs: Option<bool>,
        read: impl FnOnce(&mut Self) -> Option<Number>,
    ) -> Option<Number> {
        let here = match runs {
            Some(true) => Happens::Surely,
            Some(false) => Happens::Never,
            None => Happens::Perhaps,
        };
        let outer = self.happens;
        self.happens = outer.max(here);
        let value = read(self);
        self.happens = outer;
        value
    }

    fn ternary(&mut self) -> Option<Number> {
        self.level += 1;
        if self.level > MAX_LEVEL {
            self.variables.limit_reached();
            return None;
        }
        let condition = self.binary(0)?;
        let value = if self.eat("?") {
            let holds = condition.map(|number| number != 0);
            let yes = self.guarded(holds, Self::comma)?;
            if !self.eat(":") {
                return None;
            }
            let no = self.guarded(holds.map(|holds| !holds), Self::ternary)?;
            match holds {
                Some(true) => yes,
                Some(false) => no,
                None => yes.filter(|_| yes == no),
            }
        } else {
            condition
        };
        self.level -= 1;
        Some(value)
    }

    fn operator(&mut self, minimum: u8) -> Option<(&'static str, u8)> {
        self.blanks();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (token, power) =
            BINARY.iter().copied().find(|(token, _)| rest.starts_with(token.as_bytes()))?;
        // `x = …` and `x += …` are handled where the variable is read.
        let assigns = rest.get(token.len()) == Some(&b'=')
            && !matches!(token, "<=" | ">=" | "==" | "!=" | "&&" | "||" | "**");
        (power > minimum && !assigns).then_some((token, power))
    }

    fn binary(&mut self, minimum: u8) -> Option<Number> {
        let mut left = self.unary()?;
        while let Some((token, power)) = self.operator(minimum) {
            self.at += token.len();
            let runs = match token {
                "&&" => left.map(|number| number != 0),
                "||" => left.map(|number| number == 0),
                _ => Some(true),
            };
            // `**` groups to the right.
            let least = if token == "**" { power - 1 } else { power };
            let right = self.guarded(runs, |parser| parser.binary(least))?;
            left = match (token, left, right) {
                ("&&", Some(0), _) | ("&&", _, Some(0)) => Some(0),
                ("||", Some(number), _) | ("||", _, Some(number)) if number != 0 => Some(1),
                ("*", Some(0), _) | ("*", _, Some(0)) => Some(0),
                (_, Some(left), Some(right)) if self.happens != Happens::Never => {
                    Some(apply(token, left, right)?)
                }
                _ => None,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Number> {
        self.blanks();
        self.level += 1;
        if self.level > MAX_LEVEL {
            self.variables.limit_reached();
            return None;
        }
        let value = match self.text.get(self.at).copied()? {
            b'+' if self.text.get(self.at + 1) == Some(&b'+') => self.step(1)?,
            b'-' if self.text.get(self.at + 1) == Some(&b'-') => self.step(-1)?,
            b'+' => {
                self.at += 1;
                self.unary()?
            }
            b'-' => {
                self.at += 1;
                self.unary()?.map(i64::wrapping_neg)
            }
            b'!' => {
                self.at += 1;
                self.unary()?.map(|number| i64::from(number == 0))
            }
            b'~' => {
                self.at += 1;
                self.unary()?.map(|number| !number)
            }
            b'(' => {
                self.at += 1;
                let value = self.comma()?;
                if !self.eat(")") {
                    return None;
                }
                value
            }
            b'0'..=b'9' => Some(self.number()?),
            _ => self.variable()?,
        };
        self.level -= 1;
        Some(value)
    }

    /// `++x`, `--x`, but also `- -3` written without blanks.
    fn step(&mut self, by: i64) -> Option<Number> {
        let after = self.text.get(self.at + 2).copied()?;
        self.at += 2;
        if !(after.is_ascii_alphabetic() || after == b'_') {
            return self.unary();
        }
        let (name, index) = self.name()?;
        let value = self.read(&name, index.as_deref())?.map(|number| number.wrapping_add(by));
        self.set(&name, index.as_deref(), value);
        Some(value)
    }

    fn set(&mut self, name: &str, index: Option<&str>, value: Number) {
        if self.happens != Happens::Never {
            self.variables.set(name, index, value, self.happens);
        }
    }

    fn number(&mut self) -> Option<i64> {
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'#' | b'@' | b'_'))
        {
            self.at += 1;
        }
        parse_number(std::str::from_utf8(self.text.get(start..self.at).unwrap_or_default()).ok()?)
    }

    fn name(&mut self) -> Option<(String, Option<String>)> {
        self.blanks();
        let start = self.at;
        while self.text.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.at += 1;
        }
        if start == self.at {
            return None;
        }
        let name =
            String::from_utf8_lossy(self.text.get(start..self.at).unwrap_or_default()).into_owned();
        let mut index = None;
        if self.text.get(self.at) == Some(&b'[') {
            let open = self.at;
            let mut depth = 0usize;
            while let Some(byte) = self.text.get(self.at) {
                match byte {
                    b'[' => depth += 1,
                    b']' => depth -= 1,
                    _ => {}
                }
                self.at += 1;
                if depth == 0 {
                    break;
                }
            }
            let inner = self.text.get(open + 1..self.at.saturating_sub(1))?;
            index = Some(String::from_utf8_lossy(inner).into_owned());
        }
        Some((name, index))
    }

    fn variable(&mut self) -> Option<Number> {
        let (name, index) = self.name()?;
        self.blanks();
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(b"++") || rest.starts_with(b"--") {
            let by = if rest.starts_with(b"+") { 1 } else { -1 };
            self.at += 2;
            let value = self.read(&name, index.as_deref())?;
            self.set(&name, index.as_deref(), value.map(|number| number.wrapping_add(by)));
            return Some(value);
        }
        for token in ["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|="] {
            if rest.starts_with(token.as_bytes()) {
                self.at += token.len();
                let right = self.ternary()?;
                let left = self.read(&name, index.as_deref())?;
                let value = match (left, right) {
                    (Some(left), Some(right)) if self.happens != Happens::Never => {
                        Some(apply(token.get(..token.len() - 1).unwrap_or_default(), left, right)?)
                    }
                    _ => None,
                };
                self.set(&name, index.as_deref(), value);
                return Some(value);
            }
        }
        if rest.first() == Some(&b'=') && rest.get(1) != Some(&b'=') {
            self.at += 1;
            let value = self.ternary()?;
            self.set(&name, index.as_deref(), value);
            return Some(value);
        }
        self.read(&name, index.as_deref())
    }

    /// The value of a variable is itself evaluated as an expression.
    fn read(&mut self, name: &str, index: Option<&str>) -> Option<Number> {
        if self.happens == Happens::Never || name == UNKNOWN {
            return Some(None);
        }
        let (depth, happens) = (self.depth + 1, self.happens);
        let index = match index {
            Some(index) if self.variables.is_keyed(name) => Some(index.to_owned()),
            Some(index) => match evaluate_nested(index, self.variables, depth, happens)? {
                Some(number) => Some(number.to_string()),
                None => return Some(None),
            },
            None => None,
        };
        let Some(text) = self.variables.get(name, index.as_deref()) else { return Some(None) };
        match parse_number(text.trim()) {
            Some(number) => Some(Some(number)),
            None => evaluate_nested(&text, self.variables, depth, happens),
        }
    }
}

fn apply(token: &str, left: i64, right: i64) -> Option<i64> {
    Some(match token {
        "**" => left.wrapping_pow(u32::try_from(right).ok()?),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "<<" => left.wrapping_shl(u32::try_from(right & 63).ok()?),
        ">>" => left.wrapping_shr(u32::try_from(right & 63).ok()?),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "&" => left & right,
        "^" => left ^ right,
        "|" => left | right,
        "&&" => i64::from(left != 0 && right != 0),
        "||" => i64::from(left != 0 || right != 0),
        _ => return None,
    })
}

/// Decimal, `0x…`, `0…` and `base#digits`.
pub fn parse_number(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    if let Some((base, digits)) = text.split_once('#') {
        let base: u32 = base.parse().ok()?;
        if !(2..=64).contains(&base) {
            return None;
        }
        let mut value: i64 = 0;
        for byte in digits.bytes() {
            let digit = match byte {
                b'0'..=b'9' => u32::from(byte - b'0'),
                b'a'..=b'z' => u32::from(byte - b'a') + 10,
                b'A'..=b'Z' if base <= 36 => u32::from(byte - b'A') + 10,
                b'A'..=b'Z' => u32::from(byte - b'A') + 36,
                b'@' => 62,
                b'_' => 63,
                _ => return None,
            };
            if digit >= base {
                return None;
            }
            value = value.wrapping_mul(i64::from(base)).wrapping_add(i64::from(digit));
        }
        return Some(value);
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(hex, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::{Happens, Number, Variables, evaluate};
    use std::collections::HashMap;

    struct Map(HashMap<String, String>);
    impl Variables for Map {
        fn get(&mut self, name: &str, index: Option<&str>) -> Option<String> {
            let key = index.map_or_else(|| name.to_owned(), |i| format!("{name}[{i}]"));
            Some(self.0.get(&key).cloned().unwrap_or_default())
        }
        fn set(&mut self, name: &str, index: Option<&str>, value: Number, _happens: Happens) {
            let key = index.map_or_else(|| name.to_owned(), |i| format!("{name}[{i}]"));
            self.0.insert(key, value.map_or_else(|| "?".to_owned(), |number| number.to_string()));
        }
        fn is_keyed(&self, _name: &str) -> bool {
            false
        }
        fn limit_reached(&mut self) {
            self.0.insert("limit".to_owned(), "reached".to_owned());
        }
    }

    #[test]
    fn an_expression_that_is_too_deep_is_reported() {
        for (text, deep) in [("(".repeat(300) + "1", true), ("(((1)))".to_owned(), false)] {
            let mut map = Map(HashMap::new());
            evaluate(&text, &mut map);
            assert_eq!(map.0.contains_key("limit"), deep, "{text}");
        }
        let links = (0..20).map(|at| (format!("v{at}"), format!("v{}", at + 1)));
        let mut map = Map(links.collect());
        evaluate("v0", &mut map);
        assert!(map.0.contains_key("limit"));
    }

    #[test]
    fn expressions_are_computed_like_bash_does() {
        let mut map = Map(HashMap::from([("x".to_owned(), "5".to_owned())]));
        let cases: &[(&str, Option<i64>)] = &[
            ("1+2*3", Some(7)),
            ("(1+2)*3", Some(9)),
            ("2**3**2", Some(512)),
            ("x+1", Some(6)),
            ("x++ + x", Some(11)),
            ("-(-(-3#12--33#19))", Some(37)),
            ("16#ff", Some(255)),
            ("010", Some(8)),
            ("0x1f", Some(31)),
            ("1<2?10:20", Some(10)),
            ("y=3,y*2", Some(6)),
            ("a[1]=4", Some(4)),
            ("a[1]", Some(4)),
            ("1/0", None),
            ("1 +", None),
            ("!0", Some(1)),
            ("~0", Some(-1)),
            ("7 & 3 | 8", Some(11)),
            ("1 && 0 || 1", Some(1)),
            ("z=1, 1 || (z=2), z", Some(1)),
            ("z=1, 0 && (z=2), z", Some(1)),
            ("z=1, 1 ? 0 : (z=2), z", Some(1)),
            ("AEGISH_UNKNOWN_NUMBER * 0", Some(0)),
            ("(z = AEGISH_UNKNOWN_NUMBER), z = 3, z", Some(3)),
        ];
        for (text, expected) in cases {
            assert_eq!(evaluate(text, &mut map), *expected, "{text}");
        }
    }
}
