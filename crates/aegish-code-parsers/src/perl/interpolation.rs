//! Variables and escapes inside of texts and patterns.

use super::terms::Base;
use super::tree::Node;
use super::{Parsed, Perl, Rejected};

/// Parts of a text, and the functions that are applied to groups of them (`\U…\E`).
struct Parts {
    groups: Vec<(&'static str, Vec<Node>)>,
    text: String,
    /// `\u` or `\l` waits for the next part.
    next: Option<&'static str>,
}

impl Parts {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = Node::Text(std::mem::take(&mut self.text));
            if let Some((_, nodes)) = self.groups.last_mut() {
                nodes.push(text);
            }
        }
    }

    fn push(&mut self, node: Node) {
        self.flush();
        let node = match self.next.take() {
            Some(function) => Node::Builtin(function.to_owned(), vec![node]),
            None => node,
        };
        if let Some((_, nodes)) = self.groups.last_mut() {
            nodes.push(node);
        }
    }

    fn character(&mut self, c: char) {
        match self.next.take() {
            Some("ucfirst") => self.text.extend(c.to_uppercase()),
            Some(_) => self.text.extend(c.to_lowercase()),
            None => self.text.push(c),
        }
    }

    fn open(&mut self, function: &'static str) {
        self.flush();
        self.groups.push((function, Vec::new()));
    }

    fn close(&mut self) {
        self.flush();
        if self.groups.len() > 1
            && let Some((function, nodes)) = self.groups.pop()
        {
            let node = Node::Builtin(function.to_owned(), vec![Node::Build(nodes)]);
            if let Some((_, nodes)) = self.groups.last_mut() {
                nodes.push(node);
            }
        }
    }

    fn finish(mut self) -> Node {
        while self.groups.len() > 1 {
            self.close();
        }
        self.flush();
        let mut nodes = self.groups.pop().map(|(_, nodes)| nodes).unwrap_or_default();
        match nodes.as_slice() {
            [] => Node::Text(String::new()),
            [Node::Text(_)] => nodes.remove(0),
            _ => Node::Build(nodes),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Text,
    Pattern,
}

impl Perl<'_> {
    /// The value of a text in double quotes.
    pub(super) fn interpolated(&mut self, raw: &str) -> Parsed<Node> {
        if !raw.contains(['$', '@', '\\']) {
            return Ok(Node::Text(raw.to_owned()));
        }
        self.within(raw, |this| this.parts(Inside::Text))
    }

    /// The value of a pattern.
    pub(super) fn interpolated_pattern(&mut self, raw: &str) -> Parsed<Node> {
        if !raw.contains(['$', '@']) && !raw.contains("\\Q") {
            return Ok(Node::Text(raw.to_owned()));
        }
        self.within(raw, |this| this.parts(Inside::Pattern))
    }

    fn parts(&mut self, inside: Inside) -> Parsed<Node> {
        let mut parts = Parts { groups: vec![("", Vec::new())], text: String::new(), next: None };
        while !self.ended() {
            match self.byte(0) {
                b'\\' => self.escape(&mut parts, inside)?,
                b'$' if self.interpolates(inside) => {
                    let node = self.inner_scalar(inside)?;
                    parts.push(node);
                }
                b'@' if self.interpolates_array() => {
                    let node = self.inner_array(inside)?;
                    parts.push(Node::Joined(Box::new(node)));
                }
                _ => {
                    let c = self.bump().ok_or(Rejected)?;
                    parts.character(c);
                }
            }
        }
        Ok(parts.finish())
    }

    /// Whether the sign here begins a variable.
    fn interpolates(&self, inside: Inside) -> bool {
        let (next, second) = (self.byte(1), self.byte(2));
        if next.is_ascii_alphanumeric() || matches!(next, b'_' | b'{') || next >= 0x80 {
            return next < 0x80 || self.rest().chars().nth(1).is_some_and(char::is_alphabetic);
        }
        match next {
            b'&' => true,
            b':' => second == b':' && (self.byte(3).is_ascii_alphabetic() || self.byte(3) == b'_'),
            b'$' => {
                inside == Inside::Text
                    || second.is_ascii_alphabetic()
                    || matches!(second, b'_' | b'{')
            }
            b'#' => {
                matches!(second, b'{' | b'$')
                    || second.is_ascii_alphabetic() && inside == Inside::Text
            }
            b'@' | b'!' | b',' | b'.' | b';' | b'/' | b'0' | b'^' | b'<' | b'>' | b'[' | b']'
            | b'"' | b'\'' | b'`' | b'+'
                if inside == Inside::Text =>
            {
                !matches!(next, b'^') || second.is_ascii_uppercase()
            }
            _ => false,
        }
    }

    fn interpolates_array(&self) -> bool {
        let next = self.byte(1);
        next.is_ascii_alphabetic()
            || matches!(next, b'_' | b'{' | b'$')
            || next == b':' && self.byte(2) == b':'
    }

    fn inner_scalar(&mut self, inside: Inside) -> Parsed<Node> {
        self.at += 1;
        if self.byte(0) == b'#' {
            self.at -= 1;
            return self.scalar_term();
        }
        let base = self.sigil_name()?;
        let mut node = match self.byte(0) {
            b'[' if self.is_inner_place(inside) => {
                let of = match base {
                    Base::Name(name) => Node::Array(self.variable('@', &name)),
                    Base::Value(node) => Node::Deref('@', Box::new(node)),
                };
                let place = self.place()?;
                Node::Element(Box::new(of), Box::new(place))
            }
            b'{' if self.is_inner_key(inside) => {
                let of = match base {
                    Base::Name(name) => Node::Hash(self.variable('%', &name)),
                    Base::Value(node) => Node::Deref('%', Box::new(node)),
                };
                let key = self.key()?;
                Node::Element(Box::new(of), Box::new(key))
            }
            _ => match base {
                Base::Name(name) => Node::Scalar(self.variable('$', &name)),
                Base::Value(node) => Node::Deref('$', Box::new(node)),
            },
        };
        let mut links = 0;
        loop {
            let arrow = self.starts("->");
            let elements = matches!(node, Node::Element(..));
            let ahead = if arrow { 2 } else { 0 };
            let next = self.byte(ahead);
            if arrow && self.starts("->@*") {
                self.at += 4;
                node = Node::Joined(Box::new(Node::Deref('@', Box::new(node))));
                break;
            }
            self.at += ahead;
            let place = next == b'[' && (arrow || elements) && self.is_inner_place(inside);
            let key = next == b'{' && (arrow || elements) && self.is_inner_key(inside);
            if !(place || key) {
                self.at -= ahead;
                break;
            }
            node = if place {
                let place = self.place()?;
                let of = Node::Deref('@', Box::new(node));
                Node::Element(Box::new(of), Box::new(place))
            } else {
                let key = self.key()?;
                let of = Node::Deref('%', Box::new(node));
                Node::Element(Box::new(of), Box::new(key))
            };
            links += 1;
            self.enter()?;
        }
        (0..links).for_each(|_| self.leave());
        Ok(node)
    }

    /// Whether `[` begins a place and not a class of characters.
    fn is_inner_place(&self, inside: Inside) -> bool {
        let Some(inner) = self.rest().get(1..).and_then(|rest| rest.split(']').next()) else {
            return false;
        };
        let number = inner.strip_prefix('-').unwrap_or(inner);
        let number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let variable = inner.strip_prefix('$').is_some_and(|name| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '_' || c == '#' || inside == Inside::Text)
        });
        number || variable || inside == Inside::Text && inner.starts_with(['$', '-'])
    }

    /// Whether `{` begins a key and not a number of repetitions.
    fn is_inner_key(&self, inside: Inside) -> bool {
        inside == Inside::Text
            || !self.rest().get(1..).and_then(|rest| rest.split('}').next()).is_some_and(|inner| {
                !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_digit() || b == b',')
            })
    }

    fn inner_array(&mut self, inside: Inside) -> Parsed<Node> {
        self.at += 1;
        let base = self.sigil_name()?;
        match self.byte(0) {
            b'[' if inside == Inside::Text => {
                self.at += 1;
                let of = match base {
                    Base::Name(name) => Node::Array(self.variable('@', &name)),
                    Base::Value(node) => Node::Deref('@', Box::new(node)),
                };
                let places = self.list_until("]")?;
                Ok(Node::Slice(Box::new(of), Box::new(places), false))
            }
            b'{' if inside == Inside::Text => {
                self.at += 1;
                let of = match base {
                    Base::Name(name) => Node::Hash(self.variable('%', &name)),
                    Base::Value(node) => Node::Deref('%', Box::new(node)),
                };
                let keys = self.list_until("}")?;
                Ok(Node::Slice(Box::new(of), Box::new(keys), false))
            }
            _ => Ok(match base {
                Base::Name(name) => Node::Array(self.variable('@', &name)),
                Base::Value(node) => Node::Deref('@', Box::new(node)),
            }),
        }
    }

    fn escape(&mut self, parts: &mut Parts, inside: Inside) -> Parsed<()> {
        self.at += 1;
        let Some(c) = self.bump() else {
            parts.text.push('\\');
            return Ok(());
        };
        match c {
            'Q' => parts.open("quotemeta"),
            'U' => parts.open("uc"),
            'L' => parts.open("lc"),
            'F' => parts.open("fc"),
            'E' => parts.close(),
            'u' if inside == Inside::Text => parts.next = Some("ucfirst"),
            'l' if inside == Inside::Text => parts.next = Some("lcfirst"),
            _ if inside == Inside::Pattern => {
                parts.text.push('\\');
                parts.text.push(c);
            }
            _ => {
                let value = self.escaped(c);
                parts.character(value);
            }
        }
        Ok(())
    }

    fn escaped(&mut self, c: char) -> char {
        let code = |text: &str, radix: u32| {
            u32::from_str_radix(text, radix).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
        };
        match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'e' => '\x1b',
            '0'..='7' => {
                let more = self
                    .rest()
                    .bytes()
                    .take(2)
                    .take_while(|byte| (b'0'..=b'7').contains(byte))
                    .count();
                let digits = format!("{c}{}", self.rest().get(..more).unwrap_or(""));
                self.at += more;
                code(&digits, 8)
            }
            'x' | 'o' | 'N' if self.byte(0) == b'{' => {
                let inner = self.rest().get(1..).unwrap_or("");
                let Some(end) = inner.find('}') else { return c };
                let digits = inner.get(..end).unwrap_or("").trim().replace('_', "");
                let digits = digits.strip_prefix("U+").unwrap_or(&digits).to_owned();
                self.at += end + 2;
                code(&digits, if c == 'o' { 8 } else { 16 })
            }
            'x' => {
                let digits = self.rest().bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                let value = code(self.rest().get(..digits).unwrap_or(""), 16);
                self.at += digits;
                if digits == 0 { '\0' } else { value }
            }
            'c' => {
                let next = self.bump().unwrap_or('@').to_ascii_uppercase();
                char::from_u32(u32::from(next) ^ 64).unwrap_or(next)
            }
            other => other,
        }
    }
}
