//! Terms: variables, literals, brackets, and what stands behind them.

use super::operators::LOWEST;
use super::tree::Node;
use super::{Parsed, Perl, Rejected};

impl Perl<'_> {
    pub(super) fn term(&mut self) -> Parsed<Node> {
        self.blanks();
        let first = match self.byte(0) {
            b'$' => self.scalar_term()?,
            b'@' => self.array_term()?,
            b'%' => self.hash_term()?,
            b'&' => self.code_term()?,
            b'*' => self.glob_term()?,
            b'(' => self.bracket_term()?,
            b'[' => {
                self.at += 1;
                let items = self.list_until("]")?;
                Node::AnonArray(Box::new(items))
            }
            b'{' => {
                self.at += 1;
                let items = self.list_until("}")?;
                Node::AnonHash(Box::new(items))
            }
            b'"' | b'\'' | b'`' => self.quoted()?,
            b'/' => self.pattern_term()?,
            b'<' => self.angle_term()?,
            b'0'..=b'9' => self.number()?,
            b'.' if self.byte(1).is_ascii_digit() => self.number()?,
            byte if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 => {
                self.word_term()?
            }
            b':' if self.starts("::") => self.word_term()?,
            _ => return Err(Rejected),
        };
        self.behind(first)
    }

    /// Expressions up to a closing bracket, which is taken.
    pub(super) fn list_until(&mut self, close: &str) -> Parsed<Node> {
        let mut nodes = Vec::new();
        while !self.takes(close) {
            if self.takes(",") {
                continue;
            }
            match self.expression(LOWEST)? {
                Node::List(more) if nodes.is_empty() => nodes = more,
                other => nodes.push(other),
            }
            if !self.is(close) && !self.is(",") {
                return Err(Rejected);
            }
        }
        Ok(Node::List(nodes))
    }

    fn bracket_term(&mut self) -> Parsed<Node> {
        self.at += 1;
        let nodes = match self.list_until(")")? {
            Node::List(nodes) => nodes,
            other => vec![other],
        };
        let list = Node::List(nodes);
        self.blanks();
        if self.byte(0) == b'[' {
            self.at += 1;
            let places = self.list_until("]")?;
            return Ok(Node::ListSlice(Box::new(list), Box::new(places)));
        }
        Ok(list)
    }

    /// Subscripts, calls and methods behind a term.
    pub(super) fn behind(&mut self, first: Node) -> Parsed<Node> {
        let mut node = first;
        let mut links = 0;
        let result = loop {
            let subscripted = matches!(
                node,
                Node::Element(..)
                    | Node::CallValue(..)
                    | Node::Method(..)
                    | Node::DynamicMethod(..)
            );
            // Blanks may stand before an arrow.
            let before = self.at;
            self.blanks();
            let next = if self.starts("->") {
                self.at += 2;
                self.arrow(node)
            } else if subscripted
                && self.at == before
                && matches!(self.byte(0), b'[' | b'{')
                && matches!(node, Node::Element(..) | Node::CallValue(..))
            {
                self.subscript(node)
            } else if matches!(node, Node::Element(..) | Node::CallValue(..))
                && self.byte(0) == b'('
                && self.at == before
            {
                let arguments = self.call_brackets()?;
                Ok(Node::CallValue(Box::new(node), Some(arguments)))
            } else {
                self.at = before;
                break Ok(node);
            };
            match next {
                Ok(next) => node = next,
                Err(error) => break Err(error),
            }
            links += 1;
            if self.enter().is_err() {
                break Err(Rejected);
            }
        };
        (0..links).for_each(|_| self.leave());
        result
    }

    /// `[place]` or `{key}` of what a value refers to.
    fn subscript(&mut self, node: Node) -> Parsed<Node> {
        if self.byte(0) == b'[' {
            let place = self.place()?;
            let of = Node::Deref('@', Box::new(node));
            Ok(Node::Element(Box::new(of), Box::new(place)))
        } else {
            let key = self.key()?;
            let of = Node::Deref('%', Box::new(node));
            Ok(Node::Element(Box::new(of), Box::new(key)))
        }
    }

    pub(super) fn place(&mut self) -> Parsed<Node> {
        self.expect("[")?;
        let place = self.full()?;
        self.expect("]")?;
        Ok(place)
    }

    /// `{word}` or `{expression}`.
    pub(super) fn key(&mut self) -> Parsed<Node> {
        self.expect("{")?;
        self.blanks();
        let minus = usize::from(self.byte(0) == b'-');
        self.at += minus;
        let word = self.plain_word().to_owned();
        let behind = self.rest().get(word.len()..).unwrap_or("").trim_start();
        if !word.is_empty() && behind.starts_with('}') {
            self.at += word.len();
            self.expect("}")?;
            let sign = if minus == 1 { "-" } else { "" };
            return Ok(Node::Text(format!("{sign}{word}")));
        }
        self.at -= minus;
        let key = self.full()?;
        self.expect("}")?;
        Ok(key)
    }

    fn arrow(&mut self, node: Node) -> Parsed<Node> {
        self.blanks();
        let object = Box::new(node);
        match (self.byte(0), self.byte(1)) {
            (b'[', _) | (b'{', _) => self.subscript(*object),
            (b'(', _) => {
                let arguments = self.call_brackets()?;
                Ok(Node::CallValue(object, Some(arguments)))
            }
            (b'$', b'*') => {
                self.at += 2;
                Ok(Node::Deref('$', object))
            }
            (b'$', b'#') if self.byte(2) == b'*' => {
                self.at += 3;
                Ok(Node::LastIndex(Box::new(Node::Deref('@', object))))
            }
            (sign @ (b'@' | b'%'), b'*') => {
                self.at += 2;
                Ok(Node::Deref(char::from(sign), object))
            }
            (b'&', b'*') => {
                self.at += 2;
                Ok(Node::CallValue(object, None))
            }
            (b'*', b'*') => {
                self.at += 2;
                Ok(Node::Deref('*', object))
            }
            (sign @ (b'@' | b'%'), b'[') => {
                self.at += 2;
                let places = self.list_until("]")?;
                let of = Node::Deref('@', object);
                Ok(Node::Slice(Box::new(of), Box::new(places), sign == b'%'))
            }
            (sign @ (b'@' | b'%'), b'{') => {
                self.at += 2;
                let keys = self.list_until("}")?;
                let of = Node::Deref('%', object);
                Ok(Node::Slice(Box::new(of), Box::new(keys), sign == b'%'))
            }
            (b'$', _) => {
                let method = self.simple_scalar()?;
                let arguments = self.method_arguments()?;
                Ok(Node::DynamicMethod(object, Box::new(method), arguments))
            }
            _ => {
                let name = self.take_name(false).ok_or(Rejected)?;
                let arguments = self.method_arguments()?;
                Ok(Node::Method(object, name, arguments))
            }
        }
    }

    fn method_arguments(&mut self) -> Parsed<Vec<Node>> {
        let before = self.at;
        self.blanks();
        if self.byte(0) == b'(' {
            return self.call_brackets();
        }
        self.at = before;
        Ok(Vec::new())
    }

    /// `(arguments)`.
    pub(super) fn call_brackets(&mut self) -> Parsed<Vec<Node>> {
        self.expect("(")?;
        Ok(self.list_until(")")?.into_list())
    }

    /// The name behind a sigil, or what is dereferenced.
    pub(super) fn sigil_name(&mut self) -> Parsed<Base> {
        if matches!(self.byte(0), b' ' | b'\t') {
            self.blanks();
            if !matches!(self.byte(0), b'{' | b'$') && self.plain_word().is_empty() {
                return Err(Rejected);
            }
        }
        match self.byte(0) {
            b'{' => self.braced_name(),
            b'$' => {
                self.at += 1;
                // `$$` is the process.
                let next = self.byte(0);
                let named = next.is_ascii_alphabetic() || matches!(next, b'_' | b'{' | b'$' | b':');
                if !named || next == b':' && self.byte(1) != b':' {
                    return Ok(Base::Name("$".to_owned()));
                }
                self.enter()?;
                let inner = self.sigil_name();
                self.leave();
                Ok(Base::Value(match inner? {
                    Base::Name(name) => Node::Scalar(self.variable('$', &name)),
                    Base::Value(node) => Node::Deref('$', Box::new(node)),
                }))
            }
            b'^' if self.byte(1).is_ascii_uppercase() || self.byte(1) == b'_' => {
                let name = format!("^{}", char::from(self.byte(1)));
                self.at += 2;
                Ok(Base::Name(name))
            }
            b'0'..=b'9' => {
                let rest = self.rest();
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let name = rest.get(..end).unwrap_or("").to_owned();
                self.at += end;
                Ok(Base::Name(name))
            }
            _ => {
                if let Some(name) = self.take_name(true) {
                    return Ok(Base::Name(name));
                }
                let c = self.rest().chars().next().ok_or(Rejected)?;
                if !c.is_ascii_punctuation() {
                    return Err(Rejected);
                }
                self.at += 1;
                Ok(Base::Name(c.to_string()))
            }
        }
    }

    /// `{name}`, `{^NAME}`, `{expression}`.
    fn braced_name(&mut self) -> Parsed<Base> {
        self.expect("{")?;
        let start = self.at;
        self.blanks();
        if self.byte(0) == b'^' {
            self.at += 1;
            let name = format!("^{}", self.plain_word());
            self.at += name.len() - 1;
            self.expect("}")?;
            return Ok(Base::Name(name));
        }
        if let Some(name) = self.take_name(false)
            && self.takes("}")
        {
            return Ok(Base::Name(name));
        }
        self.at = start;
        self.blanks();
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && rest.as_bytes().get(digits) == Some(&b'}') {
            let name = rest.get(..digits).unwrap_or("").to_owned();
            self.at += digits + 1;
            return Ok(Base::Name(name));
        }
        self.at = start;
        let node = self.full()?;
        if self.takes("}") {
            return Ok(Base::Value(node));
        }
        // Statements, whose last one gives the value.
        self.expect(";")?;
        let mut body = vec![super::tree::Stmt::Expr(node)];
        body.append(&mut self.statement_list(true)?);
        self.expect("}")?;
        Ok(Base::Value(Node::DoBlock(body)))
    }

    /// A scalar without a subscript behind it.
    pub(super) fn simple_scalar(&mut self) -> Parsed<Node> {
        self.expect("$")?;
        Ok(match self.sigil_name()? {
            Base::Name(name) => Node::Scalar(self.variable('$', &name)),
            Base::Value(node) => Node::Deref('$', Box::new(node)),
        })
    }

    pub(super) fn scalar_term(&mut self) -> Parsed<Node> {
        self.at += 1;
        if self.byte(0) == b'#' && matches!(self.byte(1), b'{' | b'$') {
            self.at += 1;
            return Ok(Node::LastIndex(Box::new(match self.sigil_name()? {
                Base::Name(name) => Node::Array(self.variable('@', &name)),
                Base::Value(node) => Node::Deref('@', Box::new(node)),
            })));
        }
        if self.byte(0) == b'#' && (self.byte(1).is_ascii_alphabetic() || self.byte(1) == b'_') {
            self.at += 1;
            let name = self.take_name(true).ok_or(Rejected)?;
            return Ok(Node::LastIndex(Box::new(Node::Array(self.variable('@', &name)))));
        }
        let base = self.sigil_name()?;
        match self.byte(0) {
            b'[' => {
                let of = match base {
                    Base::Name(name) => Node::Array(self.variable('@', &name)),
                    Base::Value(node) => Node::Deref('@', Box::new(node)),
                };
                let place = self.place()?;
                Ok(Node::Element(Box::new(of), Box::new(place)))
            }
            b'{' => {
                let of = match base {
                    Base::Name(name) => Node::Hash(self.variable('%', &name)),
                    Base::Value(node) => Node::Deref('%', Box::new(node)),
                };
                let key = self.key()?;
                Ok(Node::Element(Box::new(of), Box::new(key)))
            }
            _ => Ok(match base {
                Base::Name(name) => Node::Scalar(self.variable('$', &name)),
                Base::Value(node) => Node::Deref('$', Box::new(node)),
            }),
        }
    }

    pub(super) fn array_term(&mut self) -> Parsed<Node> {
        self.at += 1;
        let base = self.sigil_name()?;
        self.array_or_slice(base, '@')
    }

    fn hash_term(&mut self) -> Parsed<Node> {
        self.at += 1;
        let base = self.sigil_name()?;
        self.array_or_slice(base, '%')
    }

    /// An array, a hash or a slice.
    fn array_or_slice(&mut self, base: Base, sigil: char) -> Parsed<Node> {
        let of = |this: &Self, base: Base, sigil: char| match base {
            Base::Name(name) => {
                let name = this.variable(sigil, &name);
                if sigil == '@' { Node::Array(name) } else { Node::Hash(name) }
            }
            Base::Value(node) => Node::Deref(sigil, Box::new(node)),
        };
        match self.byte(0) {
            b'[' => {
                self.at += 1;
                let of = of(self, base, '@');
                let places = self.list_until("]")?;
                Ok(Node::Slice(Box::new(of), Box::new(places), sigil == '%'))
            }
            b'{' => {
                let of = of(self, base, '%');
                let keys = self.key()?;
                Ok(Node::Slice(Box::new(of), Box::new(keys), sigil == '%'))
            }
            _ => Ok(of(self, base, sigil)),
        }
    }

    fn code_term(&mut self) -> Parsed<Node> {
        self.at += 1;
        self.blanks();
        let function = match self.sigil_name()? {
            Base::Name(name) => match name.strip_prefix("CORE::") {
                Some(name) => Node::Text(format!("CORE::{name}")),
                None => Node::Code(self.global('&', &name)),
            },
            Base::Value(node) => node,
        };
        if self.is("(") {
            let arguments = self.call_brackets()?;
            return Ok(Node::CallValue(Box::new(function), Some(arguments)));
        }
        Ok(Node::CallValue(Box::new(function), None))
    }

    fn glob_term(&mut self) -> Parsed<Node> {
        self.at += 1;
        let glob = match self.sigil_name()? {
            Base::Name(name) => Node::Glob(self.global('*', &name)),
            Base::Value(node) => Node::Deref('*', Box::new(node)),
        };
        // `*name{CODE}`.
        if self.byte(0) == b'{' {
            let key = self.key()?;
            return Ok(Node::Builtin("<glob-part>".to_owned(), vec![glob, key]));
        }
        Ok(glob)
    }

    fn number(&mut self) -> Parsed<Node> {
        let rest = self.rest().as_bytes();
        let (radix, start) = match (rest.first(), rest.get(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => (16, 2),
            (Some(b'0'), Some(b'b' | b'B')) => (2, 2),
            (Some(b'0'), Some(b'o' | b'O')) => (8, 2),
            (Some(b'0'), Some(b'0'..=b'7' | b'_')) => (8, 1),
            _ => (10, 0),
        };
        let mut end = start;
        while let Some(byte) = rest.get(end) {
            let digit = char::from(*byte).is_digit(radix) || *byte == b'_';
            let point = radix == 10
                && *byte == b'.'
                && rest.get(end + 1) != Some(&b'.')
                && !rest.get(start..end).unwrap_or(&[]).contains(&b'.')
                && !rest
                    .get(end + 1)
                    .is_some_and(|next| next.is_ascii_alphabetic() && !matches!(next, b'e' | b'E'));
            let exponent = radix == 10
                && matches!(byte, b'e' | b'E')
                && rest.get(end + 1).is_some_and(|next| {
                    next.is_ascii_digit()
                        || matches!(next, b'+' | b'-')
                            && rest.get(end + 2).is_some_and(u8::is_ascii_digit)
                });
            if exponent {
                end += 1;
            }
            if !(digit || point || exponent) {
                break;
            }
            end += 1;
        }
        let digits = self.rest().get(start..end).unwrap_or("").replace('_', "");
        self.at += end;
        // `1.2.3` is a text of the characters with these numbers.
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() && digits.contains('.') {
            while self.byte(0) == b'.' && self.byte(1).is_ascii_digit()
                || self.byte(0).is_ascii_digit()
            {
                self.at += 1;
            }
            return Ok(Node::Number);
        }
        if radix == 10 && digits.contains(['.', 'e', 'E']) {
            let whole = digits.strip_suffix(".0").unwrap_or(&digits);
            return Ok(whole.parse().map_or(Node::Number, Node::Int));
        }
        if digits.is_empty() {
            return Ok(Node::Int(0));
        }
        Ok(i64::from_str_radix(&digits, radix).map_or(Node::Number, Node::Int))
    }
}

/// What a sigil stands before.
pub(super) enum Base {
    Name(String),
    Value(Node),
}
