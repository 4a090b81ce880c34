//! Operators: how tightly they bind, and what they make of known values.

use super::lex::Kind;
use super::obj::Obj;
use super::state::{Cur, Machine};
use aegish_profiles::Lang;
use aegish_values::Value;

impl Machine<'_> {
    /// The operator at hand and how tightly it binds.
    pub(super) fn infix<'t>(&self, c: &mut Cur<'t>) -> Option<(&'t str, u8)> {
        let tok = c.peek()?;
        let lang = self.d.lang;
        let power = match (tok.kind, tok.text) {
            (Kind::Name, "and" | "or" | "xor") => 2,
            (Kind::Name, "if") if lang == Lang::Python => 3,
            (
                Kind::Name,
                "in" | "is" | "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "instanceof" | "cmp",
            ) => 6,
            (Kind::Name, "not") if lang == Lang::Python && c.is_name(1, "in") => 6,
            (Kind::Name, "x") if lang == Lang::Perl => 10,
            (Kind::Op, text) => match text {
                "?" if matches!(
                    lang,
                    Lang::Node
                        | Lang::Php
                        | Lang::Perl
                        | Lang::Ruby
                        | Lang::Java
                        | Lang::Groovy
                        | Lang::Julia
                ) =>
                {
                    3
                }
                "||" | "??" => 4,
                "//" if lang == Lang::Perl => 4,
                "&&" => 5,
                "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "<=>" | "=~" | "!~"
                | "~=" => 6,
                "<>" if lang == Lang::Elixir => 9,
                "|>" => 7,
                "|" | "^" | "&" | "<<" | ">>" => 8,
                ".." if lang == Lang::Lua => 9,
                ".." | "..." => 7,
                "." if self.d.dot_joins => 9,
                "++" if lang == Lang::Erlang || lang == Lang::Elixir => 9,
                "+" | "-" => 9,
                "*" | "/" | "%" | "//" => 10,
                "**" => 11,
                "=" if self.d.lang == Lang::Go || self.d.lang == Lang::Elixir => 1,
                _ => return None,
            },
            _ => return None,
        };
        Some((tok.text, power))
    }

    pub(super) fn binary(&mut self, c: &mut Cur<'_>, left: Obj, op: &str, power: u8) -> Obj {
        c.skip_lines();
        match op {
            "if" => {
                self.expr(c, 4);
                if c.peek().is_some_and(|t| t.kind == Kind::Name && t.text == "else") {
                    c.pos += 1;
                    let other = self.expr(c, 3);
                    return left.either(other);
                }
                left
            }
            "?" => {
                let yes = self.expr(c, 3);
                c.skip_lines();
                if c.eat(":") {
                    let no = self.expr(c, 3);
                    return yes.either(no);
                }
                yes
            }
            "|>" => self.piped_into(c, left),
            "||" | "or" | "??" | "&&" | "and" => {
                let right = self.expr(c, power + 1);
                if matches!(op, "&&" | "and") { right } else { left.either(right) }
            }
            _ => {
                let right = self.expr(c, power + 1);
                self.arithmetic(&left, op, &right)
            }
        }
    }

    pub(super) fn arithmetic(&mut self, left: &Obj, op: &str, right: &Obj) -> Obj {
        let lang = self.d.lang;
        self.burn(
            left.as_known().map_or(0, |t| t.len() / 64)
                + right.as_known().map_or(0, |t| t.len() / 64),
        );
        let numbers = match (left, right) {
            (Obj::Num(a), Obj::Num(b)) => Some((*a, *b)),
            _ => None,
        };
        match op {
            "." | ".." | "<>" | "++" if numbers.is_none() || op != ".." => match (left, right) {
                (Obj::List(a), Obj::List(b)) => {
                    Obj::List(a.iter().chain(b).take(4096).cloned().collect())
                }
                _ => left.join(right),
            },
            "+" => match (left, right, numbers) {
                (_, _, Some((a, b))) => Obj::Num(a.wrapping_add(b)),
                (Obj::List(a), Obj::List(b), _) => {
                    Obj::List(a.iter().chain(b).take(4096).cloned().collect())
                }
                (Obj::Text(_), _, _) | (_, Obj::Text(_), _) => left.join(right),
                _ => Obj::Other,
            },
            "-" => numbers.map_or(Obj::Other, |(a, b)| Obj::Num(a.wrapping_sub(b))),
            "^" | "|" | "&" => match (op, numbers) {
                ("^", Some((a, b))) => Obj::Num(a ^ b),
                ("|", Some((a, b))) => Obj::Num(a | b),
                ("&", Some((a, b))) => Obj::Num(a & b),
                ("|", None) => match (left, right) {
                    // Flags: os.O_WRONLY | os.O_CREAT
                    (Obj::Name(a), Obj::Name(b)) if a.len() + b.len() < 256 => {
                        Obj::Name(format!("{a}|{b}"))
                    }
                    _ => Obj::Other,
                },
                _ => Obj::Other,
            },
            "*" | "x" => match (left, right, numbers) {
                (_, _, Some((a, b))) => Obj::Num(a.wrapping_mul(b)),
                (Obj::Text(_), Obj::Text(_), _) if lang == Lang::Julia => left.join(right),
                (Obj::Text(value), Obj::Num(times), _) | (Obj::Num(times), Obj::Text(value), _) => {
                    let times = usize::try_from(*times).unwrap_or(0);
                    match value.as_known() {
                        Some(text) if text.len().saturating_mul(times) <= super::decode::LIMIT => {
                            Obj::known(text.repeat(times))
                        }
                        _ => Obj::Text(Value::unknown("repeated")),
                    }
                }
                _ => Obj::Other,
            },
            "%" => match (left, numbers) {
                (_, Some((a, b))) => a.checked_rem(b).map_or(Obj::Other, Obj::Num),
                (Obj::Text(_), _) => self.format(left, &right.clone().items(), true),
                _ => Obj::Other,
            },
            "/" | "//" => match (left, numbers) {
                (_, Some((a, b))) => a.checked_div(b).map_or(Obj::Other, Obj::Num),
                // pathlib: Path("/etc") / "passwd"
                (Obj::Text(_), _) if lang == Lang::Python && matches!(right, Obj::Text(_)) => {
                    left.join(&Obj::known("/")).join(right)
                }
                _ => Obj::Other,
            },
            "<<" => match left {
                // Ruby: text << text, file << text, connection << text
                Obj::Text(_) => left.join(right),
                Obj::File(index) => {
                    self.add_content(*index, &right.text());
                    left.clone()
                }
                _ => numbers.map_or(Obj::Other, |(a, b)| {
                    u32::try_from(b)
                        .ok()
                        .and_then(|b| a.checked_shl(b))
                        .map_or(Obj::Other, Obj::Num)
                }),
            },
            _ => Obj::Other,
        }
    }
}
