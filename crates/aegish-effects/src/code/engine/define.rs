//! Names that come into being: imports, functions, blocks, several variables at once.

use super::call::Place;
use super::lex::Kind;
use super::obj::{Args, Obj};
use super::state::{Cur, Lambda, Machine};
use super::walk::element;
use aegish_profiles::Lang;

/// Where the indented block that belongs to the line of `from` ends.
pub(super) fn indented(c: &Cur<'_>, from: usize) -> usize {
    let own = c
        .toks
        .get(..from)
        .and_then(|before| before.iter().rposition(|t| t.kind == Kind::Line))
        .and_then(|n| c.toks.get(n))
        .map_or(0, |t| t.text.len());
    let mut place = from;
    while let Some(tok) = c.toks.get(place).filter(|_| place < c.end) {
        if tok.kind == Kind::Line && tok.text.len() <= own {
            return place;
        }
        if tok.kind == Kind::Op && tok.mate > place && tok.mate < c.end {
            place = tok.mate;
        }
        place += 1;
    }
    c.end
}

impl Machine<'_> {
    /// An import at the start of a statement; false if it is none.
    pub(super) fn import(&mut self, c: &mut Cur<'_>) -> bool {
        let Some(word) = c.at(0).map(|t| t.text) else {
            return false;
        };
        let next = c.at(1);
        if next.is_none_or(|t| {
            t.kind == Kind::Op && !matches!(t.text, "{" | "*" | "(" | "::" | "." | "\\")
        }) {
            return false;
        }
        match (self.d.lang, word) {
            (Lang::Python, "import") => self.python_import(c),
            (Lang::Python, "from") => self.python_from(c),
            (Lang::Node, "import") => return !c.is_op(1, "(") && self.node_import(c),
            (Lang::Perl, "use" | "package")
            | (Lang::Php, "use" | "namespace")
            | (Lang::Java | Lang::Groovy, "import" | "package")
            | (Lang::Julia, "using" | "import")
            | (Lang::Elixir, "import" | "use" | "alias")
            | (Lang::Go, "import" | "package") => {
                while let Some(tok) = c.at(0) {
                    if tok.kind == Kind::Line || matches!(tok.text, ";") {
                        break;
                    }
                    c.pos = if matches!(tok.text, "(" | "{") {
                        c.mate() + 1
                    } else {
                        c.pos + 1
                    };
                }
            }
            _ => return false,
        }
        true
    }

    fn dotted(c: &mut Cur<'_>) -> String {
        let mut path = String::new();
        while let Some(tok) = c.at(0) {
            match (tok.kind, tok.text) {
                (Kind::Name, "import" | "as") => break,
                (Kind::Name, text) => path.push_str(text),
                (Kind::Op, "." | "...") => path.push('.'),
                _ => break,
            }
            c.pos += 1;
        }
        path
    }

    fn python_import(&mut self, c: &mut Cur<'_>) {
        c.pos += 1;
        loop {
            let path = Self::dotted(c);
            if c.is_name(0, "as") {
                if let Some(alias) = c.at(1).filter(|t| t.kind == Kind::Name) {
                    self.set(alias.text, Obj::Name(path));
                    c.pos += 2;
                }
            } else if let Some(first) = path.split('.').next() {
                // A name that shadows an earlier alias.
                self.vars.remove(first);
            }
            if !c.eat(",") {
                return;
            }
        }
    }

    fn python_from(&mut self, c: &mut Cur<'_>) {
        c.pos += 1;
        let module = Self::dotted(c);
        if !c.is_name(0, "import") {
            return;
        }
        c.pos += 1;
        let open = c.eat("(");
        while let Some(tok) = c.at(0) {
            if open {
                c.skip_lines();
            }
            match (tok.kind, tok.text) {
                (Kind::Op, "*") => {
                    if self.stars.len() < 8 {
                        self.stars.push(module.clone());
                    }
                    c.pos += 1;
                }
                (Kind::Op, ",") | (Kind::Line, _) if open || tok.kind == Kind::Op => c.pos += 1,
                (Kind::Name, name) => {
                    let alias = if c.is_name(1, "as") {
                        c.at(2).map_or(name, |t| t.text)
                    } else {
                        name
                    };
                    c.pos += if c.is_name(1, "as") { 3 } else { 1 };
                    self.set(alias, Obj::Name(format!("{module}.{name}")));
                }
                _ => {
                    c.eat(")");
                    return;
                }
            }
        }
    }

    /// `import x, {a as b} from "m"`.
    fn node_import(&mut self, c: &mut Cur<'_>) -> bool {
        let mut look = 1;
        while let Some(tok) = c.at(look) {
            if let Kind::Str(_) = tok.kind {
                break;
            }
            look += 1;
            if look > 200 {
                return false;
            }
        }
        let Some(module) = c.at(look).map(|t| t.text) else {
            return false;
        };
        let object = self.require(module);
        let path = match &object {
            Obj::Name(path) => path.clone(),
            _ => module.to_owned(),
        };
        let mut inside = false;
        let mut previous: Option<&str> = None;
        for ahead in 1..look {
            let Some(tok) = c.at(ahead) else { break };
            match (tok.kind, tok.text) {
                (Kind::Op, "{") => inside = true,
                (Kind::Op, "}") => inside = false,
                (Kind::Name, "as" | "from" | "type") => continue,
                (Kind::Name, name) => {
                    let renamed = c.is_name(ahead - 1, "as");
                    let source = if renamed {
                        previous.unwrap_or(name)
                    } else {
                        name
                    };
                    let target = if inside && source != "default" {
                        format!("{path}.{source}")
                    } else {
                        path.clone()
                    };
                    self.set(name, Obj::Name(target));
                    previous = Some(name);
                }
                _ => {}
            }
        }
        c.pos += look + 1;
        true
    }

    /// A function, lambda or class definition at hand.
    pub(super) fn definition(&mut self, c: &mut Cur<'_>, word: &str) -> Option<Obj> {
        let lang = self.d.lang;
        let next = c.at(1)?;
        match (lang, word) {
            (Lang::Python, "lambda") => {
                let mut params = Vec::new();
                c.pos += 1;
                while let Some(tok) = c.at(0) {
                    c.pos += 1;
                    if tok.text == ":" && tok.kind == Kind::Op {
                        break;
                    }
                    if tok.kind == Kind::Name {
                        params.push(tok.text.to_owned());
                    }
                }
                Some(self.arrow_body(c, params))
            }
            (_, "class" | "interface" | "trait" | "module" | "struct")
                if next.kind == Kind::Name && !matches!(lang, Lang::Perl | Lang::R) =>
            {
                c.pos += 2;
                while let Some(tok) = c.at(0) {
                    if tok.kind == Kind::Line || matches!(tok.text, "{" | ":" | ";") {
                        break;
                    }
                    c.pos = if tok.text == "(" {
                        c.mate() + 1
                    } else {
                        c.pos + 1
                    };
                }
                c.eat("{");
                Some(Obj::Other)
            }
            (Lang::Elixir, "fn") => {
                c.pos += 1;
                let limit = c.pos + 16;
                while c.pos < limit
                    && c.at(0)
                        .is_some_and(|t| t.text != "->" && t.kind != Kind::Line)
                {
                    if let Some(tok) = c.at(0).filter(|t| t.kind == Kind::Name) {
                        let value = self.callback.clone();
                        self.set(tok.text, value);
                    }
                    c.pos += 1;
                }
                c.eat("->");
                Some(self.expr(c, 0))
            }
            (Lang::Python | Lang::Ruby | Lang::Groovy | Lang::Elixir, "def")
            | (Lang::Elixir, "defp" | "defmodule")
            | (
                Lang::Node | Lang::Php | Lang::Lua | Lang::R | Lang::Julia | Lang::Octave,
                "function",
            )
            | (Lang::Go, "func")
            | (Lang::Perl, "sub")
            | (Lang::Php, "fn") => {
                if lang == Lang::Groovy
                    && !(c.at(1).is_some_and(|t| t.kind == Kind::Name) && c.is_op(2, "("))
                {
                    return None;
                }
                Some(self.function(c))
            }
            _ => None,
        }
    }

    fn function(&mut self, c: &mut Cur<'_>) -> Obj {
        c.pos += 1;
        self.function_named(c)
    }

    /// A function from its name on.
    pub(super) fn function_named(&mut self, c: &mut Cur<'_>) -> Obj {
        let lang = self.d.lang;
        c.eat("*");
        // Go: func (receiver T) name(…)
        if lang == Lang::Go && c.is_op(0, "(") {
            let close = c.mate();
            if c.toks.get(close + 1).is_some_and(|t| t.kind == Kind::Name)
                && c.toks.get(close + 2).is_some_and(|t| t.text == "(")
            {
                c.pos = close + 1;
            }
        }
        let mut name: Option<&str> = None;
        while let Some(tok) = c.at(0).filter(|t| t.kind == Kind::Name) {
            name = Some(tok.text);
            c.pos += 1;
            if !(c.eat(".") || c.eat(":") || c.eat("::")) {
                break;
            }
        }
        let params = if c.is_op(0, "(") {
            self.parameters(c)
        } else {
            Vec::new()
        };
        let inline = matches!(
            lang,
            Lang::Ruby | Lang::Lua | Lang::Julia | Lang::Octave | Lang::Elixir
        );
        if inline {
            return self.inline_function(c, &params, name.is_some());
        }
        if lang == Lang::Python {
            let from = c.pos;
            let mut place = from;
            while c.toks.get(place).is_some_and(|t| {
                place < c.end && t.kind != Kind::Line && !(t.kind == Kind::Op && t.text == ":")
            }) {
                place += 1;
            }
            let body = place + 1;
            let block = c.toks.get(body).is_none_or(|t| t.kind == Kind::Line);
            let end = if block {
                indented(c, body)
            } else {
                (body..c.end)
                    .find(|n| c.toks.get(*n).is_some_and(|t| t.kind == Kind::Line))
                    .unwrap_or(c.end)
            };
            self.burn(end.saturating_sub(body));
            return self.remember(c, name, params, (body, end.max(body)));
        }
        let limit = c.pos + 24;
        while c.pos < limit
            && c.at(0)
                .is_some_and(|t| !(t.kind == Kind::Op && matches!(t.text, "{" | "=>" | ";" | ",")))
        {
            if lang == Lang::R {
                return self.arrow_body(c, params);
            }
            c.pos = if c.is_op(0, "(") {
                c.mate() + 1
            } else {
                c.pos + 1
            };
        }
        if c.eat("=>") {
            return self.arrow_body(c, params);
        }
        if c.is_op(0, "{") {
            let close = c.mate();
            let body = (c.pos + 1, close);
            c.pos = close + 1;
            let end = c.pos;
            let value = self.remember(c, name, params, body);
            c.pos = end;
            return value;
        }
        Obj::Other
    }

    /// A function whose end is a keyword: its body is walked where it stands.
    fn inline_function(&mut self, c: &mut Cur<'_>, params: &[String], named: bool) -> Obj {
        let first = if named {
            Obj::Other
        } else {
            self.callback.clone()
        };
        for (index, param) in params.iter().enumerate() {
            self.set(
                param,
                if index == 0 {
                    first.clone()
                } else {
                    Obj::Other
                },
            );
        }
        self.printed = None;
        // Julia: f(x) = …; the walk goes on behind the head.
        if c.is_op(0, "=") {
            c.pos += 1;
        }
        Obj::Other
    }

    /// The names in a parameter list; the cursor ends behind it.
    fn parameters(&self, c: &mut Cur<'_>) -> Vec<String> {
        let close = c.mate();
        let mut names = Vec::new();
        let mut fresh = true;
        let mut place = c.pos + 1;
        while let Some(tok) = c.toks.get(place).filter(|_| place < close) {
            match (tok.kind, tok.text) {
                (Kind::Op, ",") => fresh = true,
                (Kind::Var, text) if fresh => {
                    names.push(format!("${text}"));
                    fresh = false;
                }
                (Kind::Name, text)
                    if fresh && !matches!(self.d.lang, Lang::Php | Lang::Java | Lang::Groovy) =>
                {
                    names.push(text.to_owned());
                    fresh = false;
                }
                (Kind::Name, text)
                    if matches!(self.d.lang, Lang::Java | Lang::Groovy)
                        && c.toks
                            .get(place + 1)
                            .is_some_and(|t| matches!(t.text, "," | ")")) =>
                {
                    names.push(text.to_owned())
                }
                (Kind::Op, "[" | "{" | "(") if tok.mate > place => place = tok.mate,
                _ => {}
            }
            place += 1;
        }
        c.pos = close + 1;
        names
    }

    /// Keeps a function for when it is called; if it cannot be kept, walks it now.
    fn remember(
        &mut self,
        c: &mut Cur<'_>,
        name: Option<&str>,
        params: Vec<String>,
        body: (usize, usize),
    ) -> Obj {
        c.pos = body.1;
        if !c.top || self.lambdas.len() > 2000 {
            for param in &params {
                self.set(param, Obj::Other);
            }
            let mut inner = c.part(body.0, body.1, false);
            self.statements(&mut inner);
            return Obj::Other;
        }
        self.lambdas.push(Lambda {
            params,
            body,
            called: false,
            active: false,
        });
        let value = Obj::Lambda(self.lambdas.len() - 1);
        if let Some(name) = name {
            self.set(name, value.clone());
        }
        value
    }

    /// `(a, b) => …` if the parentheses at hand are parameters.
    pub(super) fn arrow(&mut self, c: &mut Cur<'_>) -> Option<Obj> {
        let sign = match self.d.lang {
            Lang::Node => "=>",
            Lang::Java | Lang::Julia => "->",
            _ => return None,
        };
        let close = c.mate();
        if !c
            .toks
            .get(close + 1)
            .is_some_and(|t| t.kind == Kind::Op && t.text == sign && close + 1 < c.end)
        {
            return None;
        }
        let params = self.parameters(c);
        c.pos = close + 2;
        Some(self.arrow_body(c, params))
    }

    /// The body behind `=>`: a block, or an expression up to the next comma or closing bracket.
    pub(super) fn arrow_body(&mut self, c: &mut Cur<'_>, params: Vec<String>) -> Obj {
        c.skip_lines();
        if c.is_op(0, "{") && self.d.lang != Lang::Python {
            let close = c.mate();
            let body = (c.pos + 1, close);
            let value = self.remember(c, None, params, body);
            c.pos = close + 1;
            return value;
        }
        let from = c.pos;
        let mut place = from;
        while let Some(tok) = c.toks.get(place).filter(|_| place < c.end) {
            match (tok.kind, tok.text) {
                (Kind::Op, "(" | "[" | "{") if tok.mate > place => place = tok.mate,
                (Kind::Op, "," | ")" | "]" | "}" | ";") => break,
                (Kind::Line, _) if !c.wrap => break,
                (Kind::Name, "for") if self.d.lang == Lang::Python => break,
                _ => {}
            }
            place += 1;
        }
        self.burn(place - from);
        self.remember(c, None, params, (from, place.min(c.end)))
    }

    /// Walks the body of a function with these arguments.
    pub(super) fn invoke(&mut self, index: usize, args: &[Obj]) -> Obj {
        let Some(lambda) = self.lambdas.get_mut(index) else {
            return Obj::Other;
        };
        lambda.called = true;
        if lambda.active || self.depth > 40 || self.fuel == 0 {
            return Obj::Other;
        }
        lambda.active = true;
        let (params, body) = (lambda.params.clone(), lambda.body);
        let own = params.first().is_some_and(|p| p == "self" || p == "cls");
        for (place, param) in params.iter().enumerate() {
            let value = place
                .checked_sub(usize::from(own))
                .and_then(|n| args.get(n))
                .cloned()
                .unwrap_or(Obj::Other);
            self.set(param, value);
        }
        if self.d.lang == Lang::Perl {
            self.set("$_", Obj::List(args.to_vec()));
        }
        self.depth += 4;
        let outer = self.returned.take();
        let top = self.top;
        let mut c = Cur {
            toks: top,
            pos: body.0,
            end: body.1.min(top.len()),
            wrap: false,
            top: true,
        };
        let last = self.statements(&mut c);
        let result = std::mem::replace(&mut self.returned, outer).unwrap_or(last);
        self.depth -= 4;
        if let Some(lambda) = self.lambdas.get_mut(index) {
            lambda.active = false;
        }
        result
    }

    /// Several variables at once: `a, b = …`, `my ($a, $b) = …`, `const {x: y} = …`.
    pub(super) fn unpack(&mut self, c: &mut Cur<'_>) -> Option<Obj> {
        let mut look = 0;
        while c.at(look).is_some_and(|t| {
            t.kind == Kind::Name
                && matches!(t.text, "my" | "our" | "local" | "let" | "const" | "var")
        }) {
            look += 1;
        }
        let first = c.at(look)?;
        let open = first.kind == Kind::Op && matches!(first.text, "(" | "{" | "[");
        if !open && !c.is_op(look + 1, ",") {
            return None;
        }
        if open {
            let sign = c.toks.get(first.mate.saturating_add(1))?;
            if first.mate >= c.end
                || sign.kind != Kind::Op
                || !matches!(sign.text, "=" | ":=")
                || first.mate > c.pos + 64
            {
                return None;
            }
        }
        // (variable, member of the source)
        let mut names: Vec<(String, String)> = Vec::new();
        let map = open && first.text == "{";
        let mut place = look + usize::from(open);
        loop {
            let tok = c.at(place)?;
            match (tok.kind, tok.text) {
                (Kind::Name, "my") => {}
                (Kind::Name, text) => names.push((text.to_owned(), text.to_owned())),
                (Kind::Var, text) => names.push((format!("${text}"), text.to_owned())),
                (Kind::Op, ":") if map => {
                    let target = c.at(place + 1).filter(|t| t.kind == Kind::Name)?;
                    names.last_mut()?.0 = target.text.to_owned();
                    place += 1;
                }
                (Kind::Op, "," | "*" | "\\" | "...") => {}
                (Kind::Line, _) if open => {}
                (Kind::Op, ")" | "}" | "]") if open => {}
                (Kind::Op, "=" | ":=") => break,
                _ => return None,
            }
            place += 1;
            if place > 64 {
                return None;
            }
        }
        c.pos += place + 1;
        c.skip_lines();
        let mut value = self.expr(c, 3);
        if c.is_op(0, ",") && !c.wrap {
            let mut items = vec![value];
            while c.eat(",") {
                items.push(self.expr(c, 3));
                if items.len() > 256 {
                    break;
                }
            }
            value = Obj::List(items);
        }
        for (index, (name, member)) in names.into_iter().enumerate() {
            let part = match &value {
                _ if map => self.settle(Place {
                    object: value.clone(),
                    member: Some(member),
                }),
                Obj::List(items) => items.get(index).cloned().unwrap_or(Obj::Other),
                other if index == 0 => other.clone(),
                _ => Obj::Other,
            };
            self.set(&name, part);
        }
        Some(value)
    }

    /// `|a, b|` or `a, b ->` at the start of a block.
    pub(super) fn block_params(&mut self, c: &mut Cur<'_>, value: &Obj) {
        let bars = c.is_op(0, "|");
        if !bars
            && !(matches!(self.d.lang, Lang::Groovy)
                && c.at(0).is_some_and(|t| t.kind == Kind::Name)
                && (c.is_op(1, "->") || c.is_op(1, ",")))
        {
            if self.d.lang == Lang::Groovy {
                self.set("it", value.clone());
            }
            return;
        }
        c.pos += usize::from(bars);
        let mut first = true;
        while let Some(tok) = c.at(0) {
            c.pos += 1;
            match (tok.kind, tok.text) {
                (Kind::Op, "|" | "->") | (Kind::Line, _) => return,
                (Kind::Name, name) => {
                    self.set(name, if first { value.clone() } else { Obj::Other });
                    first = false;
                }
                _ => {}
            }
        }
    }

    /// A block behind a call, if there is one.
    pub(super) fn block(&mut self, c: &mut Cur<'_>, place: &mut Place) {
        if !self.d.blocks {
            return;
        }
        let value = match &place.object {
            Obj::File(_) | Obj::Conn | Obj::Proc(_) => place.object.clone(),
            list @ Obj::List(_) => element(list),
            text @ Obj::Text(value) if value.has_unknown() => text.clone(),
            _ => Obj::Other,
        };
        if c.is_op(0, "{") {
            let close = c.mate();
            let from = c.pos + 1;
            c.pos = close + 1;
            if let (true, Obj::List(items)) = (self.mapping, &place.object) {
                self.mapping = false;
                let mut mapped = Vec::with_capacity(items.len());
                for item in items {
                    let mut inner = c.part(from, close, false);
                    self.block_params(&mut inner, item);
                    mapped.push(self.statements(&mut inner));
                }
                place.object = Obj::List(mapped);
                return;
            }
            let mut inner = c.part(from, close, false);
            self.block_params(&mut inner, &value);
            self.statements(&mut inner);
        } else if c.is_name(0, "do") {
            c.pos += 1;
            self.block_params(c, &value);
        }
        self.mapping = false;
    }

    /// `element for name in list`: evaluates the element once for every known item.
    pub(super) fn comprehension(&mut self, c: &mut Cur<'_>, from: usize, acts: usize) -> Vec<Obj> {
        let stop = c.pos;
        c.pos += 1;
        let mut names: Vec<&str> = Vec::new();
        while let Some(tok) = c.peek() {
            c.pos += 1;
            match (tok.kind, tok.text) {
                (Kind::Name, "in") => break,
                (Kind::Name, name) => names.push(name),
                _ => {}
            }
        }
        let list = self.expr(c, 4);
        let filtered = c.peek().is_some_and(|t| t.kind == Kind::Name);
        // Conditions and further loops are walked for their calls only.
        while c.peek().is_some_and(|t| t.text != ",") {
            let before = c.pos;
            if c.at(0).is_some_and(|t| {
                t.kind == Kind::Name && matches!(t.text, "if" | "for" | "in" | "async")
            }) {
                c.pos += 1;
            } else {
                self.expr(c, 4);
            }
            if c.pos <= before {
                c.pos = before + 1;
            }
        }
        let items = match (&list, names.as_slice()) {
            (Obj::List(items), [_]) if !filtered && items.len() <= 4096 => items.clone(),
            (Obj::Text(value), [_]) if !filtered => match value.as_known() {
                Some(text) if text.len() <= 4096 => {
                    text.chars().map(|ch| Obj::known(ch.to_string())).collect()
                }
                _ => return vec![Obj::Other],
            },
            (Obj::Bytes(bytes), [_]) if bytes.len() <= 4096 => {
                bytes.iter().map(|b| Obj::Num(i64::from(*b))).collect()
            }
            _ => return vec![Obj::Other],
        };
        let Some(name) = names.first() else {
            return vec![Obj::Other];
        };
        self.acts.truncate(acts);
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            self.set(name, item);
            let mut inner = c.part(from, stop, true);
            results.push(self.expr(&mut inner, 0));
        }
        results
    }

    /// Perl's `map { … } list`: the block, once for every known item.
    pub(super) fn perl_map(&mut self, c: &mut Cur<'_>) -> Obj {
        let close = c.mate();
        let from = c.pos + 1;
        c.pos = close + 1;
        c.eat(",");
        let mut rest = c.part(c.pos, c.end, c.wrap);
        let mut list = Vec::new();
        loop {
            let before = rest.pos;
            match self.expr(&mut rest, 3) {
                Obj::List(items) => list.extend(items),
                other => list.push(other),
            }
            if rest.pos <= before || !rest.eat(",") || list.len() > 4096 {
                break;
            }
        }
        c.pos = rest.pos;
        let mut mapped = Vec::with_capacity(list.len());
        for item in list {
            self.set("$_", item);
            let mut inner = c.part(from, close, false);
            mapped.push(self.statements(&mut inner));
        }
        Obj::List(mapped)
    }

    /// `left |> f(x)`: the left side is the first argument.
    pub(super) fn piped_into(&mut self, c: &mut Cur<'_>, left: Obj) -> Obj {
        let saved = self.injected.replace(left);
        let result = self.expr(c, 8);
        self.injected = saved;
        result
    }

    /// Code found inside a text of this code; shares its variables.
    pub(super) fn nested(&mut self, code: &str) -> Obj {
        if self.depth > 20 || code.len() > 64 * 1024 || !self.burn(code.len()) {
            return Obj::Other;
        }
        self.depth += 4;
        let toks = super::lex::lex(self.d, code);
        let mut c = Cur::new(&toks, false);
        let value = self.statements(&mut c);
        self.depth -= 4;
        value
    }

    /// Calls a function value with these arguments.
    pub(super) fn apply(&mut self, function: &Obj, args: Args) -> Obj {
        self.call(
            Place {
                object: function.clone(),
                member: None,
            },
            args,
        )
    }
}
