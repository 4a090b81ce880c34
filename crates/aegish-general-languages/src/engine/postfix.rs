//! What is hung on behind a value: members, calls, subscripts, blocks.

use super::brackets::{is_word_operator, starts_value};
use super::call::Place;
use super::dialect::Bare;
use super::lex::{Kind, Tok};
use super::obj::{Args, Obj};
use super::state::{Cur, Machine};
use super::walk::is_keyword;
use aegish_profiles::Lang;

impl Machine<'_> {
    /// Members, calls, subscripts and blocks behind a value.
    pub(super) fn postfix(&mut self, c: &mut Cur<'_>, base: Obj) -> Obj {
        let mut place = Place { object: base, member: None };
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
                    place = Place { object: result, member: None };
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
                        Kind::Var if tok.text != "::" => {
                            match self.vars.get(&format!("${}", name.text)).and_then(Obj::as_known)
                            {
                                Some(known) => known,
                                None => name.text.to_owned(),
                            }
                        }
                        _ => name.text.to_owned(),
                    };
                    let waiting = self.injected.take();
                    let object = self.settle(place);
                    self.injected = waiting;
                    if let Some(value) = self.assign_member(c, &object, &member) {
                        return value;
                    }
                    place = Place { object, member: Some(member) };
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
                        place = Place { object: result, member: None };
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
                    place = Place { object: result, member: None };
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
                    place = Place { object: self.subscript(c, &object, inside), member: None };
                }
                "{" if self.d.lang == Lang::Perl
                    && matches!(&place.object, Obj::Name(n) if matches!(n.as_str(), "map" | "grep" | "sort")) =>
                {
                    let mapped = self.perl_map(c);
                    place = Place { object: mapped, member: None };
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
                    place = Place { object: self.subscript(c, &object, inside), member: None };
                }
                "{" if self.d.blocks
                    && (place.member.is_some() || matches!(place.object, Obj::Name(_))) =>
                {
                    if place.member.is_some() {
                        let result = self.call(place, Args::default());
                        place = Place { object: result, member: None };
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
                    place = Place { object: map, member: None };
                }
                "{" if self.d.lang == Lang::Perl
                    && matches!(&place.object, Obj::Name(n) if matches!(n.as_str(), "exec" | "system" | "print")) =>
                {
                    let args = self.bare_args(c, &place);
                    let result = self.call(place, args);
                    place = Place { object: result, member: None };
                }
                "{" if self.d.bare == Bare::Literal && matches!(place.object, Obj::Name(_)) => {
                    let table = self.braces(c);
                    let args = Args { list: vec![table], ..Args::default() };
                    let result = self.call(place, args);
                    place = Place { object: result, member: None };
                }
                "++" | "--" if self.d.lang != Lang::Erlang && self.d.lang != Lang::Elixir => {
                    c.pos += 1;
                    return self.settle(place);
                }
                _ => {
                    if self.bare_follows(c, tok, &place) {
                        let args = self.bare_args(c, &place);
                        let result = self.call(place, args);
                        place = Place { object: result, member: None };
                        self.block(c, &mut place);
                        continue;
                    }
                    return self.settle(place);
                }
            }
        }
    }

    /// Whether the sign at hand names a member.
    pub(super) fn member_sign(&self, c: &Cur<'_>, tok: &Tok<'_>) -> bool {
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
    pub(super) fn bare_follows(&self, c: &Cur<'_>, tok: &Tok<'_>, place: &Place) -> bool {
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
                        // Groovy: `Type name = value` declares.
                        let declares = self.d.lang == Lang::Groovy
                            && after.is_some_and(|t| {
                                t.kind == Kind::Op && matches!(t.text, "=" | ";" | ",")
                            });
                        tok.gap
                            && !is_keyword(tok.text)
                            && tok.text != "instanceof"
                            && !declares
                            && !(self.d.lang == Lang::Perl && is_word_operator(tok.text))
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
}
