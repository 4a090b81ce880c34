//! Operands: literals, variables, names, brackets, and what is hung on behind them (members, calls,
//! subscripts, blocks).

use super::call::Place;
use super::dialect::{Bare, Tick};
use super::lex::{Kind, Tok};
use super::obj::{Args, Obj};
use super::state::{Cur, Machine};
use super::walk::{is_keyword, is_skipped};
use crate::code::CodeAct;
use crate::value::{Source, Taint, Value};
use aegish_profiles::Lang;

/// Operators that assign, without the plain `=`.
const ASSIGNS: &[&str] = &[
    "=", ":=", "<-", "+=", ".=", "||=", "//=", "??=", "*=", "-=", "|=", "x=",
];

impl Machine<'_> {
    /// A value with everything hung on behind it.
    pub(super) fn operand(&mut self, c: &mut Cur<'_>) -> Obj {
        // Prefixes and words without a value are passed over here, without recursion.
        loop {
            let Some(tok) = c.peek() else {
                return Obj::Other;
            };
            if !self.burn(1) {
                c.pos = c.end;
                return Obj::Other;
            }
            let base = match tok.kind {
                Kind::Line => return Obj::Other,
                Kind::Num => {
                    c.pos += 1;
                    number(tok.text, self.d.lang)
                }
                Kind::Str(_) => self.strings(c),
                Kind::Run(quote) => {
                    c.pos += 1;
                    let text = self.cook(tok.text, quote);
                    self.run_shell(&text);
                    Obj::from_source("output", Source::Program(text.to_string()))
                }
                Kind::Words => {
                    c.pos += 1;
                    self.words(tok)
                }
                Kind::Regex => {
                    c.pos += 1;
                    Obj::Other
                }
                Kind::Code => {
                    c.pos += 1;
                    self.nested(tok.text)
                }
                Kind::Input => {
                    c.pos += 1;
                    let line = self.input(tok.text);
                    self.set("$_", line.clone());
                    line
                }
                Kind::Var => return self.variable(c, tok),
                Kind::Name => {
                    if is_skipped(tok.text) && !self.is_call_word(c, tok) {
                        if tok.text == "while" || tok.text == "until" {
                            return Obj::Other;
                        }
                        c.pos += 1;
                        continue;
                    }
                    return self.name(c, tok);
                }
                Kind::Op => match tok.text {
                    "(" => match self.arrow(c) {
                        Some(lambda) => lambda,
                        None => {
                            let value = self.parenthesized(c);
                            // `while (…) {`: the brace opens a block, it is no subscript.
                            if c.is_op(0, "{") {
                                return value;
                            }
                            value
                        }
                    },
                    "[" => self.bracketed(c),
                    "{" => self.braces(c),
                    "-" => {
                        c.pos += 1;
                        return match self.expr(c, 11) {
                            Obj::Num(number) => Obj::Num(number.wrapping_neg()),
                            Obj::Name(_) => Obj::Other,
                            other => other,
                        };
                    }
                    "->" if self.d.lang == Lang::Ruby => {
                        c.pos += 1;
                        if c.is_op(0, "(") {
                            c.pos = c.mate() + 1;
                        }
                        continue;
                    }
                    "!" | "~" | "&" | "\\" | "*" | "**" | "@" | "$" | "..." | "+" | "++" | "--"
                    | "::" | "<" | "!!" | "?" | "^" => {
                        c.pos += 1;
                        continue;
                    }
                    _ => return Obj::Other,
                },
            };
            return self.postfix(c, base);
        }
    }

    /// Words that are usually syntax but are a call here: `do "file"` in Perl.
    fn is_call_word(&self, c: &Cur<'_>, tok: &Tok<'_>) -> bool {
        let next = c.at(1);
        match (self.d.lang, tok.text) {
            (Lang::Perl, "do") => next.is_some_and(|t| matches!(t.kind, Kind::Str(_) | Kind::Var)),
            (Lang::Php | Lang::R | Lang::Julia, "repeat" | "end") => {
                next.is_some_and(|t| t.text == "(")
            }
            _ => false,
        }
    }

    /// One or more adjacent literals.
    fn strings(&mut self, c: &mut Cur<'_>) -> Obj {
        let mut all: Option<Obj> = None;
        while let Some((Kind::Str(quote), tok)) = c.peek().map(|t| (t.kind, t)) {
            if all.is_some()
                && !matches!(
                    self.d.lang,
                    Lang::Python | Lang::Ruby | Lang::Elixir | Lang::Erlang
                )
            {
                break;
            }
            c.pos += 1;
            let part = Obj::Text(self.cook(tok.text, quote));
            all = Some(match all {
                None => part,
                Some(before) => before.join(&part),
            });
        }
        all.unwrap_or(Obj::Other)
    }

    fn words(&mut self, tok: &Tok<'_>) -> Obj {
        if self.d.tick == Tick::Words {
            let items = self.command_words(tok.text);
            self.run_argv(items.iter().map(Obj::text).collect());
            return Obj::Proc(false);
        }
        Obj::List(
            tok.text
                .split_whitespace()
                .take(4096)
                .map(Obj::known)
                .collect(),
        )
    }

    /// Perl's `<…>`.
    fn input(&mut self, handle: &str) -> Obj {
        let name = handle.trim_start_matches('$');
        let key = if handle.starts_with('$') {
            format!("${name}")
        } else {
            name.to_owned()
        };
        match self.vars.get(&key) {
            Some(Obj::Conn) => self.received(),
            Some(Obj::File(index)) => match self.opened(*index) {
                Some((path, _)) => Self::content_of(&path),
                None => Obj::Other,
            },
            _ if handle.is_empty() || handle == "STDIN" || handle == "ARGV" => self.stdin(),
            _ => Obj::Other,
        }
    }

    /// If an assignment follows: evaluates it and stores the value.
    fn assign(&mut self, c: &mut Cur<'_>, key: &str) -> Option<Obj> {
        let tok = c.at(0)?;
        if tok.kind != Kind::Op || !ASSIGNS.contains(&tok.text) {
            return None;
        }
        if tok.text == "<-" && self.d.lang != Lang::R {
            return None;
        }
        let op = tok.text;
        c.pos += 1;
        c.skip_lines();
        let value = self.expr(c, 3);
        let value = match op {
            "+=" | ".=" => match self.vars.get(key) {
                Some(old @ (Obj::Text(_) | Obj::Num(_))) => match (old, &value, op) {
                    (Obj::Num(a), Obj::Num(b), "+=") => Obj::Num(a.wrapping_add(*b)),
                    _ => {
                        let joined = old.join(&value);
                        self.burn(joined.as_known().map_or(0, |t| t.len() / 64));
                        joined
                    }
                },
                Some(Obj::List(old)) if old.len() < 4096 => {
                    let mut items = old.clone();
                    items.extend(value.items());
                    Obj::List(items)
                }
                _ => Obj::Other,
            },
            "||=" | "//=" | "??=" => match self.vars.get(key) {
                Some(old) if !old.is_blank() => old.clone(),
                _ => value,
            },
            "*=" | "-=" | "|=" | "x=" => Obj::Other,
            _ => value,
        };
        self.set(key, value.clone());
        Some(value)
    }

    fn variable(&mut self, c: &mut Cur<'_>, tok: &Tok<'_>) -> Obj {
        c.pos += 1;
        let key = format!("${}", tok.text);
        if matches!(tok.text, "<" | ">" | "EUID" | "UID")
            && c.is_op(0, "=")
            && self.d.lang == Lang::Perl
        {
            c.pos += 1;
            let user = self.expr(c, 3);
            self.act(CodeAct::SetUser(user.text()));
            return user;
        }
        if let Some(value) = self.assign(c, &key) {
            return value;
        }
        let value = match self.vars.get(&key) {
            Some(value) => value.clone(),
            None => match (self.d.lang, tok.text) {
                (Lang::Perl, "ENV") | (Lang::Php, "_ENV" | "_SERVER") => Obj::Name("ENV".into()),
                (Lang::Perl, "ARGV") => Obj::List(self.arguments(false)),
                (Lang::Php, "argv") => Obj::List(self.arguments(true)),
                (Lang::Php, "_GET" | "_POST" | "_REQUEST" | "_COOKIE") => {
                    Obj::from_source("request", Source::Network("request".into()))
                }
                (Lang::Perl | Lang::Ruby, "_") => self.stdin(),
                (Lang::Ruby, "stdin" | "stdout" | "stderr") => Obj::Name(tok.text.to_owned()),
                (Lang::Perl, "STDIN" | "STDOUT" | "STDERR" | "~") => Obj::Name("STDIN".into()),
                (Lang::Perl | Lang::Ruby, "0") => Obj::known("-e"),
                _ => Obj::Other,
            },
        };
        self.postfix(c, value)
    }

    /// The arguments of the program, with or without its own name in front.
    pub(super) fn arguments(&self, own_name: bool) -> Vec<Obj> {
        let own = own_name.then(|| Obj::known("-c"));
        own.into_iter()
            .chain(self.around.args.iter().cloned().map(Obj::Text))
            .collect()
    }

    fn name(&mut self, c: &mut Cur<'_>, tok: &Tok<'_>) -> Obj {
        let word = tok.text;
        if let Some(value) = self.definition(c, word) {
            // Only a call right behind it belongs to a definition.
            return if c.is_op(0, "(") || c.is_op(0, ".") {
                self.postfix(c, value)
            } else {
                value
            };
        }
        let arrow = match self.d.lang {
            Lang::Node => c.is_op(1, "=>"),
            Lang::Java | Lang::Julia => c.is_op(1, "->"),
            _ => false,
        };
        // JavaScript, Java: a method definition.
        if matches!(self.d.lang, Lang::Node | Lang::Java) && c.is_op(1, "(") {
            let close = c.at(1).map_or(0, |t| t.mate);
            if c.toks
                .get(close.saturating_add(1))
                .is_some_and(|t| t.kind == Kind::Op && t.text == "{" && close + 1 < c.end)
            {
                return self.function_named(c);
            }
        }
        if arrow {
            let params = vec![word.to_owned()];
            c.pos += 2;
            return self.arrow_body(c, params);
        }
        c.pos += 1;
        // `name: Type = value`
        if matches!(self.d.lang, Lang::Python | Lang::Node)
            && c.is_op(0, ":")
            && c.at(1).is_some_and(|t| t.kind == Kind::Name)
            && c.is_op(2, "=")
            && !c.wrap
        {
            c.pos += 2;
        }
        if let Some(value) = self.assign(c, word) {
            return value;
        }
        let value = match self.vars.get(word) {
            Some(value) => value.clone(),
            None => self.free_name(word, c),
        };
        self.postfix(c, value)
    }

    /// A name that is no variable.
    fn free_name(&mut self, word: &str, c: &Cur<'_>) -> Obj {
        match (self.d.lang, word) {
            (Lang::Perl, "shift")
                if !c.is_op(0, "(") && c.at(0).is_none_or(|t| t.kind != Kind::Var) =>
            {
                self.shift()
            }
            (Lang::Ruby, "ARGV") | (Lang::Julia, "ARGS") => Obj::List(self.arguments(false)),
            (Lang::Ruby, "httpd") => {
                let root = self.around.args.first().cloned().unwrap_or_default();
                self.act(CodeAct::Serve {
                    host: Value::empty(),
                    root,
                });
                Obj::Other
            }
            (Lang::Lua, "arg") => Obj::List(self.arguments(true)),
            _ => {
                for star in &self.stars {
                    let full = format!("{star}.{word}");
                    if super::table::find(self.d.calls, &full).is_some() {
                        return Obj::Name(full);
                    }
                }
                Obj::Name(word.to_owned())
            }
        }
    }

    /// Perl's `shift`: the next parameter or argument.
    fn shift(&mut self) -> Obj {
        match self.vars.get_mut("$_") {
            Some(Obj::List(items)) if !items.is_empty() => items.remove(0),
            _ => self
                .around
                .args
                .first()
                .cloned()
                .map_or(Obj::Other, Obj::Text),
        }
    }

    fn parenthesized(&mut self, c: &mut Cur<'_>) -> Obj {
        let close = c.mate();
        let mut inner = c.part(c.pos + 1, close, true);
        let args = self.items(&mut inner);
        c.pos = close + 1;
        let tuple = args.list.len() != 1 || !args.named.is_empty();
        if !args.named.is_empty() && args.list.is_empty() {
            return Obj::Dict(args.named);
        }
        let comma = close
            .checked_sub(1)
            .and_then(|n| c.toks.get(n))
            .is_some_and(|t| t.text == "," && t.kind == Kind::Op);
        let mut list = args.list;
        match list.pop() {
            Some(only) if !tuple && !comma => only,
            Some(last) => {
                list.push(last);
                Obj::List(list)
            }
            None => Obj::List(list),
        }
    }

    fn bracketed(&mut self, c: &mut Cur<'_>) -> Obj {
        let close = c.mate();
        let mut inner = c.part(c.pos + 1, close, true);
        let mut args = self.items(&mut inner);
        c.pos = close + 1;
        if args.generated && args.list.len() == 1 {
            return args.list.pop().unwrap_or(Obj::Other);
        }
        // Go and Java: `[]string{…}`, `[]byte("…")`.
        if args.list.is_empty()
            && self.d.lang == Lang::Go
            && c.at(0).is_some_and(|t| t.kind == Kind::Name)
        {
            c.pos += 1;
            if c.is_op(0, "{") || c.is_op(0, "(") {
                let close = c.mate();
                let mut inner = c.part(c.pos + 1, close, true);
                let list = self.items(&mut inner).list;
                let cast = c.is_op(0, "(");
                c.pos = close + 1;
                return match list.first() {
                    Some(only) if cast => only.clone(),
                    _ => Obj::List(list),
                };
            }
        }
        if !args.named.is_empty() && args.list.is_empty() {
            return Obj::Dict(args.named);
        }
        Obj::List(args.list)
    }

    /// `{…}`: a map, a set, or statements; whatever it turns out to be.
    pub(super) fn braces(&mut self, c: &mut Cur<'_>) -> Obj {
        let close = c.mate();
        let mut inner = c.part(c.pos + 1, close, false);
        c.pos = close + 1;
        let mut pairs: Vec<(String, Obj)> = Vec::new();
        let mut items: Vec<Obj> = Vec::new();
        let mut comma = false;
        self.block_params(&mut inner, &Obj::Other);
        while inner.pos < inner.end {
            if !self.burn(1) {
                break;
            }
            let before = inner.pos;
            inner.skip_lines();
            if inner.at(0).is_some_and(|t| {
                t.kind == Kind::Op && matches!(t.text, "," | ";" | "}" | ")" | "]")
            }) {
                comma |= inner.is_op(0, ",");
                inner.pos += 1;
                continue;
            }
            let key = key_of(&inner, self.d.lang);
            let mut value = if key.is_some() {
                inner.pos += 1;
                Obj::Other
            } else if self.d.lang == Lang::Lua
                && inner.at(0).is_some_and(|t| t.kind == Kind::Name)
                && inner.is_op(1, "=")
            {
                let name = inner.at(0).map_or("", |t| t.text);
                inner.pos += 2;
                let value = self.expr(&mut inner, 1);
                pairs.push((name.to_owned(), value));
                continue;
            } else {
                self.statement_in_braces(&mut inner)
            };
            if inner.is_op(0, ":") || inner.is_op(0, "=>") {
                inner.pos += 1;
                inner.skip_lines();
                let key = key.or_else(|| value.as_known()).unwrap_or_default();
                value = self.expr(&mut inner, 3);
                if pairs.len() < 4096 {
                    pairs.push((key, value));
                }
            } else if items.len() < 4096 {
                items.push(value);
            }
            if inner.pos <= before {
                inner.pos = before + 1;
            }
        }
        if !pairs.is_empty() {
            return Obj::Dict(pairs);
        }
        if comma || self.d.lang == Lang::Lua {
            return Obj::List(items);
        }
        items.pop().unwrap_or(Obj::Other)
    }

    fn statement_in_braces(&mut self, c: &mut Cur<'_>) -> Obj {
        match c.at(0) {
            Some(t) if t.kind == Kind::Name && is_keyword(t.text) => self.statement(c),
            _ => match self.unpack(c) {
                Some(value) => value,
                None => self.expr(c, 0),
            },
        }
    }

    /// The items of a list or the arguments of a call, up to the end of the cursor.
    pub(super) fn items(&mut self, c: &mut Cur<'_>) -> Args {
        let mut args = Args::default();
        while c.peek().is_some() {
            if !self.burn(1) {
                break;
            }
            let before = c.pos;
            if c.at(0).is_some_and(|t| {
                t.kind == Kind::Op && matches!(t.text, "," | ";" | ":" | ")" | "]" | "}")
            }) {
                c.pos += 1;
                continue;
            }
            let from = c.pos;
            let acts = self.acts.len();
            if let Some(name) = self.named_argument(c) {
                let value = self.expr(c, 1);
                args.named.push((name, value));
            } else {
                let key = key_of(c, self.d.lang).filter(|_| c.is_op(1, "=>"));
                let value = if key.is_some() {
                    c.pos += 1;
                    Obj::Other
                } else {
                    self.expr(c, 0)
                };
                if c.peek()
                    .is_some_and(|t| t.kind == Kind::Op && t.text == "=>")
                {
                    c.pos += 1;
                    c.skip_lines();
                    let target = self.expr(c, 3);
                    let key = key.or_else(|| value.as_known());
                    // Ruby: [:in, :out] => connection
                    args.named.push((key.unwrap_or_default(), target));
                } else if c
                    .peek()
                    .is_some_and(|t| t.kind == Kind::Name && t.text == "for")
                    && self.d.lang == Lang::Python
                {
                    let list = self.comprehension(c, from, acts);
                    args.list.push(Obj::List(list));
                    args.generated = true;
                } else {
                    let spread = c
                        .toks
                        .get(from)
                        .is_some_and(|t| t.kind == Kind::Op && matches!(t.text, "*" | "..."));
                    let flat = spread
                        || (self.d.lang == Lang::Perl
                            && c.toks
                                .get(from)
                                .is_some_and(|t| matches!(t.kind, Kind::Words | Kind::Var)));
                    match value {
                        Obj::List(inner) if flat => args.list.extend(inner),
                        other => args.list.push(other),
                    }
                    // print {$fh} "…", print $fh "…"
                    if self.d.lang == Lang::Perl
                        && args.list.len() == 1
                        && c.at(0).is_some_and(starts_value)
                    {
                        args.handle = true;
                    }
                }
            }
            if c.pos <= before {
                c.pos = before + 1;
            }
            if args.list.len() > 8192 {
                c.pos = c.end;
            }
        }
        args
    }

    /// `name=value` or `name: value`: the name, with the cursor behind the sign.
    fn named_argument(&self, c: &mut Cur<'_>) -> Option<String> {
        let tok = c.at(0)?;
        let sign = match self.d.lang {
            Lang::Python | Lang::R | Lang::Julia | Lang::Octave => "=",
            Lang::Ruby | Lang::Elixir | Lang::Php | Lang::Groovy | Lang::Go => ":",
            _ => return None,
        };
        let named = tok.kind == Kind::Name || matches!(tok.kind, Kind::Str(_)) && sign == ":";
        if named && c.is_op(1, sign) && (sign == "=" || !c.is_op(2, ":")) {
            c.pos += 2;
            c.skip_lines();
            return Some(tok.text.to_owned());
        }
        None
    }

    /// Members, calls, subscripts and blocks behind a value.
    pub(super) fn postfix(&mut self, c: &mut Cur<'_>, base: Obj) -> Obj {
        let mut place = Place {
            object: base,
            member: None,
        };
        let mut links = 0;
        loop {
            links += 1;
            if links > 512 || !self.burn(1) {
                return self.settle(place);
            }
            // A chain may go on in the next line.
            if !c.wrap
                && c.at(0).is_some_and(|t| t.kind == Kind::Line)
                && c.at(1).is_some_and(|t| {
                    t.kind == Kind::Op && matches!(t.text, "." | "?." | "->" | "&." | "|>")
                })
                && !self.d.dot_joins
            {
                c.pos += 1;
            }
            let Some(tok) = c.peek() else {
                return self.settle(place);
            };
            if tok.kind != Kind::Op {
                if self.bare_follows(c, tok, &place) {
                    let args = self.bare_args(c, &place);
                    let result = self.call(place, args);
                    place = Place {
                        object: result,
                        member: None,
                    };
                    self.block(c, &mut place);
                    continue;
                }
                if tok.kind == Kind::Name && tok.text == "do" && self.d.lang == Lang::Ruby {
                    self.block(c, &mut place);
                }
                return self.settle(place);
            }
            match tok.text {
                "." | "?." | "->" | "::" | "&." | "!!." | ":" | "$" | "\\" | "@" => {
                    if !self.member_sign(c, tok) {
                        // ->[0], ->{x}, ->(…), ?.[0], .(…)
                        let opens = c.at(1).is_some_and(|t| {
                            t.kind == Kind::Op && matches!(t.text, "[" | "{" | "(")
                        });
                        let sign = matches!(tok.text, "->" | "?.")
                            || (tok.text == "." && !self.d.dot_joins);
                        if opens && sign {
                            c.pos += 1;
                            continue;
                        }
                        return self.settle(place);
                    }
                    c.pos += 1;
                    c.skip_lines();
                    let Some(name) = c.at(0) else {
                        return self.settle(place);
                    };
                    c.pos += 1;
                    let member = match name.kind {
                        Kind::Var if tok.text != "::" => match self
                            .vars
                            .get(&format!("${}", name.text))
                            .and_then(Obj::as_known)
                        {
                            Some(known) => known,
                            None => name.text.to_owned(),
                        },
                        _ => name.text.to_owned(),
                    };
                    let waiting = self.injected.take();
                    let object = self.settle(place);
                    self.injected = waiting;
                    if let Some(value) = self.assign_member(c, &object, &member) {
                        return value;
                    }
                    place = Place {
                        object,
                        member: Some(member),
                    };
                    // `X->new`, `c.gets`: a call without parentheses.
                    let next = c.at(0);
                    let open = next.is_some_and(|t| {
                        t.kind == Kind::Op && t.text == "(" && (!t.gap || !self.d.members_call)
                    });
                    if self.d.members_call
                        && !open
                        && !next.is_some_and(|t| self.bare_follows(c, t, &place))
                        && !matches!(tok.text, "::")
                    {
                        let result = self.call(place, Args::default());
                        place = Place {
                            object: result,
                            member: None,
                        };
                        self.block(c, &mut place);
                    }
                }
                "(" if !tok.gap
                    || matches!(place.object, Obj::Name(_) | Obj::Lambda(_))
                    || place.member.is_some() =>
                {
                    let close = c.mate();
                    let mut inner = c.part(c.pos + 1, close, true);
                    let saved = self.expect_callback(&place, &inner);
                    let waiting = self.injected.take();
                    let args = self.items(&mut inner);
                    self.injected = waiting;
                    self.callback = saved;
                    c.pos = close + 1;
                    let result = self.call(place, args);
                    place = Place {
                        object: result,
                        member: None,
                    };
                    self.block(c, &mut place);
                }
                "[" if c.mate() == c.pos + 1
                    && c.at(2).is_some_and(|t| t.kind == Kind::Op && t.text == "{") =>
                {
                    // Java: new String[]{…}
                    c.pos += 2;
                    let close = c.mate();
                    let mut inner = c.part(c.pos + 1, close, true);
                    let list = self.items(&mut inner).list;
                    c.pos = close + 1;
                    place = Place { object: Obj::List(list), member: None };
                }
                "[" if !tok.gap || !matches!(self.d.bare, Bare::Always) => {
                    let object = self.settle(place);
                    let close = c.mate();
                    let inside = (c.pos + 1, close);
                    c.pos = close + 1;
                    place = Place {
                        object: self.subscript(c, &object, inside),
                        member: None,
                    };
                }
                "{" if self.d.lang == Lang::Perl
                    && matches!(&place.object, Obj::Name(n) if matches!(n.as_str(), "map" | "grep" | "sort")) =>
                {
                    let mapped = self.perl_map(c);
                    place = Place {
                        object: mapped,
                        member: None,
                    };
                }
                "{" if self.d.lang == Lang::Perl
                    && !tok.gap
                    && place.member.is_none()
                    && !matches!(place.object, Obj::Lambda(_)) =>
                {
                    let object = self.settle(place);
                    let close = c.mate();
                    let inside = (c.pos + 1, close);
                    c.pos = close + 1;
                    place = Place {
                        object: self.subscript(c, &object, inside),
                        member: None,
                    };
                }
                "{" if self.d.blocks
                    && (place.member.is_some() || matches!(place.object, Obj::Name(_))) =>
                {
                    if place.member.is_some() {
                        let result = self.call(place, Args::default());
                        place = Place {
                            object: result,
                            member: None,
                        };
                    }
                    if matches!(&place.object, Obj::Name(name) if name == "loop") {
                        self.endless = self.endless.max(c.mate());
                        self.printed = None;
                    }
                    self.block(c, &mut place);
                    return self.settle(place);
                }
                "{" if self.d.lang == Lang::Go
                    && matches!(place.object, Obj::Name(_))
                    && !tok.gap =>
                {
                    let map = self.braces(c);
                    place = Place {
                        object: map,
                        member: None,
                    };
                }
                "{" if self.d.lang == Lang::Perl
                    && matches!(&place.object, Obj::Name(n) if matches!(n.as_str(), "exec" | "system" | "print")) =>
                {
                    let args = self.bare_args(c, &place);
                    let result = self.call(place, args);
                    place = Place {
                        object: result,
                        member: None,
                    };
                }
                "{" if self.d.bare == Bare::Literal && matches!(place.object, Obj::Name(_)) => {
                    let table = self.braces(c);
                    let args = Args {
                        list: vec![table],
                        ..Args::default()
                    };
                    let result = self.call(place, args);
                    place = Place {
                        object: result,
                        member: None,
                    };
                }
                "++" | "--" if self.d.lang != Lang::Erlang && self.d.lang != Lang::Elixir => {
                    c.pos += 1;
                    return self.settle(place);
                }
                _ => {
                    if self.bare_follows(c, tok, &place) {
                        let args = self.bare_args(c, &place);
                        let result = self.call(place, args);
                        place = Place {
                            object: result,
                            member: None,
                        };
                        self.block(c, &mut place);
                        continue;
                    }
                    return self.settle(place);
                }
            }
        }
    }

    /// Whether the sign at hand names a member.
    fn member_sign(&self, c: &Cur<'_>, tok: &Tok<'_>) -> bool {
        let Some(next) = c.at(1) else { return false };
        let lang = self.d.lang;
        let name = matches!(next.kind, Kind::Name)
            || (next.kind == Kind::Var && matches!(tok.text, "->" | "::"));
        match tok.text {
            "." => {
                !self.d.dot_joins
                    && (name
                        || (next.kind == Kind::Str(super::dialect::RAW) && lang == Lang::Groovy))
            }
            "?." => name && lang != Lang::Elixir,
            "&." => name && lang == Lang::Ruby,
            "->" => name && matches!(lang, Lang::Perl | Lang::Php),
            "::" => name && !matches!(lang, Lang::Python | Lang::Node | Lang::Go),
            ":" => self.d.colon_member && name && !next.gap && !tok.gap,
            "$" | "@" => name && lang == Lang::R && !tok.gap,
            "\\" => name && lang == Lang::Php && !tok.gap,
            _ => false,
        }
    }

    /// Whether a call without parentheses starts here.
    fn bare_follows(&self, c: &Cur<'_>, tok: &Tok<'_>, place: &Place) -> bool {
        let callable =
            place.member.is_some() || matches!(place.object, Obj::Name(_) | Obj::Lambda(_));
        if !callable || c.at(0).is_none_or(|t| t.kind == Kind::Line) {
            return false;
        }
        match self.d.bare {
            Bare::Never => false,
            Bare::Literal => matches!(tok.kind, Kind::Str(_)),
            Bare::Only(names) => {
                place.member.is_none()
                    && matches!(&place.object, Obj::Name(name) if names.iter().any(|n| name.eq_ignore_ascii_case(n)))
                    && (starts_value(tok)
                        || (tok.kind == Kind::Op && matches!(tok.text, "(" | "[" | "@" | "-")))
            }
            Bare::Always => {
                let after = c.at(1);
                match tok.kind {
                    Kind::Str(_) | Kind::Run(_) | Kind::Var | Kind::Words | Kind::Input => {
                        tok.gap || matches!(self.d.lang, Lang::Perl | Lang::Ruby)
                    }
                    Kind::Num | Kind::Regex => tok.gap,
                    Kind::Name => {
                        tok.gap
                            && !is_keyword(tok.text)
                            && !matches!(
                                tok.text,
                                "x" | "eq"
                                    | "ne"
                                    | "lt"
                                    | "gt"
                                    | "le"
                                    | "ge"
                                    | "cmp"
                                    | "xor"
                                    | "instanceof"
                                    | "fn"
                            )
                            || tok.text == "fn" && self.d.lang == Lang::Elixir
                    }
                    Kind::Op => {
                        let tight = after.is_some_and(|t| !t.gap);
                        match tok.text {
                            "[" => tok.gap && self.d.lang != Lang::Perl,
                            "\\" => self.d.lang == Lang::Perl,
                            "->" => tok.gap && tight && self.d.lang == Lang::Ruby,
                            "*" | "&" | "-" | "::" => {
                                tok.gap && tight && self.d.lang != Lang::Elixir
                            }
                            _ => false,
                        }
                    }
                    _ => false,
                }
            }
        }
    }

    /// The arguments of a call without parentheses.
    fn bare_args(&mut self, c: &mut Cur<'_>, place: &Place) -> Args {
        let from = c.pos;
        let mut end = from;
        // The arguments reach to the end of the statement.
        while let Some(tok) = c.toks.get(end).filter(|_| end < c.end) {
            match (tok.kind, tok.text) {
                (Kind::Op, "(" | "[" | "{") if tok.mate > end && tok.mate < c.end => end = tok.mate,
                (Kind::Op, ")" | "]" | "}" | ";") => break,
                (Kind::Line, _) if !c.wrap => {
                    let comma = end
                        .checked_sub(1)
                        .and_then(|n| c.toks.get(n))
                        .is_some_and(|t| {
                            t.kind == Kind::Op && matches!(t.text, "," | "=>" | "." | "+")
                        });
                    if !comma {
                        break;
                    }
                }
                (
                    Kind::Name,
                    "if" | "unless" | "while" | "until" | "for" | "foreach" | "rescue" | "do"
                    | "and" | "or" | "then",
                ) if end > from => {
                    if !(tok.text == "if" && self.d.lang == Lang::Python) {
                        break;
                    }
                }
                _ => {}
            }
            end += 1;
        }
        self.burn(end - from);
        let mut inner = c.part(from, end, true);
        let saved = self.expect_callback(place, &inner);
        let args = self.items(&mut inner);
        self.callback = saved;
        c.pos = end.max(from + 1).min(c.end);
        args
    }
}

/// A key written as a bare word: `{host: …}`, `(PeerAddr => …)`.
fn key_of(c: &Cur<'_>, lang: Lang) -> Option<String> {
    let tok = c.at(0)?;
    let sign = c.at(1)?;
    // In JavaScript the arrow makes a function.
    let arrow = sign.text == "=>" && lang != Lang::Node;
    if tok.kind == Kind::Name && sign.kind == Kind::Op && (arrow || sign.text == ":") {
        return Some(tok.text.to_owned());
    }
    None
}

fn starts_value(tok: &Tok<'_>) -> bool {
    match tok.kind {
        Kind::Str(_) | Kind::Run(_) | Kind::Var | Kind::Num | Kind::Words | Kind::Input => true,
        Kind::Name => {
            !is_keyword(tok.text)
                && !matches!(
                    tok.text,
                    "x" | "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "cmp" | "xor"
                )
        }
        _ => false,
    }
}

/// A number as written.
pub(super) fn number(text: &str, lang: Lang) -> Obj {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let lower = plain.to_ascii_lowercase();
    let parsed = if let Some(hex) = lower.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()
    } else if let Some(octal) = lower.strip_prefix("0o") {
        i64::from_str_radix(octal, 8).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        i64::from_str_radix(binary, 2).ok()
    } else if lower.len() > 1
        && lower.starts_with('0')
        && !matches!(
            lang,
            Lang::Lua | Lang::R | Lang::Julia | Lang::Octave | Lang::Elixir | Lang::Erlang
        )
    {
        i64::from_str_radix(&lower, 8).ok()
    } else {
        lower.trim_end_matches(['l', 'n', 'u', 'i']).parse().ok()
    };
    match parsed {
        Some(number) => Obj::Num(number),
        None => Obj::Text(Value::known(plain).tainted(&Taint::none())),
    }
}
