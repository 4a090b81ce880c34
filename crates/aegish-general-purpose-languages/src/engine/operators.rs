//! Operators: their precedence, and their result for known values.

use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::Object;
use aegish_profiles::Lang;
use aegish_values::Value;

impl Interpreter<'_> {
    /// The current operator and its precedence.
    pub(super) fn infix<'t>(&self, c: &mut Cursor<'t>) -> Option<(&'t str, u8)> {
        let tok = c.peek()?;
        let lang = self.dialect.lang;
        let power = match (tok.kind, tok.text) {
            (TokenKind::Name, "and" | "or" | "xor") => 2,
            (
                TokenKind::Name,
                "in" | "is" | "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "instanceof" | "cmp",
            ) => 6,
            (TokenKind::Op, text) => match text {
                "?" if matches!(lang, Lang::Java | Lang::Groovy | Lang::Julia) => 3,
                "||" | "??" => 4,
                "&&" => 5,
                "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "<=>" | "=~" | "!~"
                | "~=" => 6,
                "<>" if lang == Lang::Elixir => 9,
                "|>" => 7,
                "|" | "^" | "&" | "<<" | ">>" => 8,
                ".." | "..." => 7,
                "." if self.dialect.dot_joins => 9,
                "++" if lang == Lang::Erlang || lang == Lang::Elixir => 9,
                "+" | "-" => 9,
                "*" | "/" | "%" | "//" => 10,
                "**" => 11,
                "=" if self.dialect.lang == Lang::Go || self.dialect.lang == Lang::Elixir => 1,
                _ => return None,
            },
            _ => return None,
        };
        Some((tok.text, power))
    }

    pub(super) fn binary(
        &mut self,
        c: &mut Cursor<'_>,
        left: Object,
        op: &str,
        power: u8,
    ) -> Object {
        c.skip_lines();
        match op {
            "if" => {
                self.expr(c, 4);
                if c.peek().is_some_and(|t| t.kind == TokenKind::Name && t.text == "else") {
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

    pub(super) fn arithmetic(&mut self, left: &Object, op: &str, right: &Object) -> Object {
        let lang = self.dialect.lang;
        self.burn(
            left.as_known().map_or(0, |t| t.len() / 64)
                + right.as_known().map_or(0, |t| t.len() / 64),
        );
        let numbers = match (left, right) {
            (Object::Num(a), Object::Num(b)) => Some((*a, *b)),
            _ => None,
        };
        match op {
            "." | ".." | "<>" | "++" if numbers.is_none() || op != ".." => match (left, right) {
                (Object::List(a), Object::List(b)) => {
                    let most = self.followed(a.len() + b.len());
                    Object::List(a.iter().chain(b).take(most).cloned().collect())
                }
                _ => left.join(right),
            },
            "+" => match (left, right, numbers) {
                (_, _, Some((a, b))) => Object::Num(a.wrapping_add(b)),
                (Object::List(a), Object::List(b), _) => {
                    let most = self.followed(a.len() + b.len());
                    Object::List(a.iter().chain(b).take(most).cloned().collect())
                }
                (Object::Text(_), _, _) | (_, Object::Text(_), _) => left.join(right),
                _ => Object::Other,
            },
            "-" => numbers.map_or(Object::Other, |(a, b)| Object::Num(a.wrapping_sub(b))),
            "^" | "|" | "&" => match (op, numbers) {
                ("^", Some((a, b))) => Object::Num(a ^ b),
                ("|", Some((a, b))) => Object::Num(a | b),
                ("&", Some((a, b))) => Object::Num(a & b),
                ("|", None) => match (left, right) {
                    // Flags: os.O_WRONLY | os.O_CREAT
                    (Object::Name(a), Object::Name(b)) if a.len() + b.len() < 256 => {
                        Object::Name(format!("{a}|{b}"))
                    }
                    _ => Object::Other,
                },
                _ => Object::Other,
            },
            "*" | "x" => match (left, right, numbers) {
                (_, _, Some((a, b))) => Object::Num(a.wrapping_mul(b)),
                (Object::Text(_), Object::Text(_), _) if lang == Lang::Julia => left.join(right),
                (Object::Text(value), Object::Num(times), _)
                | (Object::Num(times), Object::Text(value), _) => {
                    let times = usize::try_from(*times).unwrap_or(0);
                    match value.as_known() {
                        Some(text) if text.len().saturating_mul(times) <= super::decode::LIMIT => {
                            Object::known(text.repeat(times))
                        }
                        _ => Object::Text(Value::unknown("repeated")),
                    }
                }
                _ => Object::Other,
            },
            "%" => match (left, numbers) {
                (_, Some((a, b))) => a.checked_rem(b).map_or(Object::Other, Object::Num),
                (Object::Text(_), _) => self.format(left, &right.clone().items(), true),
                _ => Object::Other,
            },
            "/" | "//" => match (left, numbers) {
                (_, Some((a, b))) => a.checked_div(b).map_or(Object::Other, Object::Num),
                _ => Object::Other,
            },
            "<<" => match left {
                // Text << text, file << text, connection << text
                Object::Text(_) => left.join(right),
                Object::File(index) => {
                    self.add_content(*index, &right.text());
                    left.clone()
                }
                _ => numbers.map_or(Object::Other, |(a, b)| {
                    u32::try_from(b)
                        .ok()
                        .and_then(|b| a.checked_shl(b))
                        .map_or(Object::Other, Object::Num)
                }),
            },
            _ => Object::Other,
        }
    }
}
