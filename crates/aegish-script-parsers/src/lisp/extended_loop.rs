//! `loop` of Common Lisp with its words. Clauses that run side by side are followed inside of each other.

use super::loops::{each, not, repeat};
use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, assign, nil, set, truth};
use crate::ir::{Block, Expr, Name, Statement};

/// Words that end a clause.
const WORDS: &[&str] = &[
    "for",
    "as",
    "do",
    "doing",
    "collect",
    "collecting",
    "append",
    "appending",
    "nconc",
    "sum",
    "summing",
    "count",
    "counting",
    "maximize",
    "minimize",
    "while",
    "until",
    "when",
    "if",
    "unless",
    "return",
    "finally",
    "initially",
    "with",
    "repeat",
    "always",
    "never",
    "thereis",
    "else",
    "end",
    "and",
    "named",
    "concat",
    "vconcat",
];

impl Lisp<'_> {
    pub(super) fn extended_loop(
        &mut self,
        clauses: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let collected = self.temporary();
        let mut inner = vec![assign(&collected, Expr::List(Vec::new()))];
        let mut rest = clauses;
        let mut finally = Vec::new();
        self.loop_clauses(&mut rest, &collected, &mut inner, &mut finally)?;
        let gathers = clauses.iter().filter_map(Datum::symbol).any(|word| {
            matches!(
                word.trim_start_matches(':'),
                "collect" | "collecting" | "append" | "appending" | "nconc"
            )
        });
        let counts = clauses.iter().filter_map(Datum::symbol).any(|word| {
            matches!(
                word.trim_start_matches(':'),
                "sum"
                    | "count"
                    | "maximize"
                    | "minimize"
                    | "thereis"
                    | "always"
                    | "never"
                    | "concat"
                    | "vconcat"
            )
        });
        inner.append(&mut finally);
        let value = match (gathers, counts) {
            (true, _) => Expr::Name(collected),
            (false, true) => self.inner_call("<part>", vec![Expr::Name(collected)]),
            _ => nil(),
        };
        if !matches!(dest, Dest::Ignore) {
            Self::give(dest, value, &mut inner);
        }
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// Clauses up to the end; those behind `for` are inside of its loop.
    fn loop_clauses(
        &mut self,
        rest: &mut &[Datum],
        collected: &Name,
        out: &mut Block,
        finally: &mut Block,
    ) -> Parsed<()> {
        let mut endless = true;
        while let Some((first, more)) = rest.split_first() {
            let word = first.symbol().ok_or(Rejected)?.trim_start_matches(':').to_owned();
            *rest = more;
            match word.as_str() {
                "named" => *rest = rest.get(1..).ok_or(Rejected)?,
                "with" => {
                    let name = take(rest)?.symbol().ok_or(Rejected)?.clone();
                    let value = if takes(rest, "=") { self.value(&take(rest)?)? } else { nil() };
                    out.push(assign(&name, value));
                }
                "initially" => {
                    while rest.first().is_some_and(|datum| datum.items().is_some()) {
                        let datum = take(rest)?;
                        self.form(&datum, &Dest::Ignore, out)?;
                    }
                }
                "for" | "as" | "repeat" => {
                    endless = false;
                    self.loop_for(&word, rest, collected, out, finally)?;
                }
                _ => {
                    // The body without `for`: an endless loop.
                    let mut body = Vec::new();
                    self.loop_action(&word, rest, collected, &mut body, finally)?;
                    while !rest.is_empty() {
                        let word = take(rest)?
                            .symbol()
                            .ok_or(Rejected)?
                            .trim_start_matches(':')
                            .to_owned();
                        self.loop_action(&word, rest, collected, &mut body, finally)?;
                    }
                    if endless {
                        out.push(repeat(truth(true), Vec::new(), vec![Statement::Block(body)]));
                    } else {
                        out.append(&mut body);
                    }
                }
            }
        }
        Ok(())
    }

    fn loop_for(
        &mut self,
        word: &str,
        rest: &mut &[Datum],
        collected: &Name,
        out: &mut Block,
        finally: &mut Block,
    ) -> Parsed<()> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let (target, list) = if word == "repeat" {
            let count = self.value(&take(rest)?)?;
            (crate::ir::Target::Ignore, self.inner_call("<numbers>", vec![count]))
        } else {
            let variable = take(rest)?;
            let target = super::places::target(&variable)?;
            let how = take(rest)?.symbol().ok_or(Rejected)?.trim_start_matches(':').to_owned();
            let list = match how.as_str() {
                "in" | "in-ref" | "across" | "elements" => self.value(&take(rest)?)?,
                "on" => {
                    let value = self.value(&take(rest)?)?;
                    self.inner_call("<tails>", vec![value])
                }
                "=" => {
                    // A value that is computed anew each time.
                    let first = self.value(&take(rest)?)?;
                    let then = match takes(rest, "then") {
                        true => Some(self.value(&take(rest)?)?),
                        false => None,
                    };
                    let names = super::conditions::symbols_of(&variable);
                    out.push(Statement::Assign(vec![target], first));
                    let mut body = Vec::new();
                    self.loop_clauses_inside(rest, collected, &mut body, finally)?;
                    let mut steps = Vec::new();
                    if let (Some(then), Some(name)) = (then, names.first()) {
                        steps.push(set(name, then));
                    }
                    out.push(repeat(Expr::Unknown, steps, vec![Statement::Block(body)]));
                    self.lowering.leave();
                    return Ok(());
                }
                "from" | "upfrom" | "downfrom" | "below" | "to" | "upto" => {
                    let mut start = Expr::Constant(crate::ir::Constant::Int(0));
                    let mut end = None;
                    let mut plain = how != "downfrom";
                    let value = self.value(&take(rest)?)?;
                    match how.as_str() {
                        "below" => end = Some(("below".to_owned(), value)),
                        "to" | "upto" => end = Some(("to".to_owned(), value)),
                        _ => start = value,
                    }
                    while let Some(next) = rest.first().and_then(Datum::symbol) {
                        let next = next.trim_start_matches(':').to_owned();
                        if !matches!(
                            next.as_str(),
                            "to" | "upto" | "below" | "by" | "downto" | "above"
                        ) {
                            break;
                        }
                        *rest = rest.get(1..).unwrap_or(&[]);
                        let value = self.value(&take(rest)?)?;
                        plain &= matches!(next.as_str(), "to" | "upto" | "below");
                        end = Some((next, value));
                    }
                    match end {
                        Some((how, end)) if plain => {
                            let name = if how == "below" { "<numbers>" } else { "<numbers-to>" };
                            self.inner_call(name, vec![start, end])
                        }
                        _ => self.inner_call("<numbers>", vec![Expr::Unknown]),
                    }
                }
                "being" => {
                    // `being the hash-keys of table`.
                    let mut table = None;
                    while let Some(next) = rest.first() {
                        if next
                            .symbol()
                            .is_some_and(|word| WORDS.contains(&word.trim_start_matches(':')))
                        {
                            break;
                        }
                        table = Some(take(rest)?);
                    }
                    let value = self.value(&table.ok_or(Rejected)?)?;
                    self.inner_call("<parts>", vec![value])
                }
                _ => return Err(Rejected),
            };
            if takes(rest, "by") {
                self.value(&take(rest)?)?;
            }
            (target, list)
        };
        let mut body = Vec::new();
        self.loop_clauses_inside(rest, collected, &mut body, finally)?;
        out.push(each(target, list, body));
        self.lowering.leave();
        Ok(())
    }

    /// Clauses inside of the loop of a clause.
    fn loop_clauses_inside(
        &mut self,
        rest: &mut &[Datum],
        collected: &Name,
        out: &mut Block,
        finally: &mut Block,
    ) -> Parsed<()> {
        while !rest.is_empty() {
            let word = take(rest)?.symbol().ok_or(Rejected)?.trim_start_matches(':').to_owned();
            match word.as_str() {
                "and" | "for" | "as" | "repeat" => {
                    let word = if word == "and"
                        && rest.first().is_some_and(|w| w.is("for") || w.is("as"))
                    {
                        take(rest)?;
                        "for"
                    } else {
                        word.as_str()
                    };
                    self.loop_for(word, rest, collected, out, finally)?;
                }
                "with" => {
                    let name = take(rest)?.symbol().ok_or(Rejected)?.clone();
                    let value = if takes(rest, "=") { self.value(&take(rest)?)? } else { nil() };
                    out.push(assign(&name, value));
                }
                word => self.loop_action(word, rest, collected, out, finally)?,
            }
        }
        Ok(())
    }

    fn loop_action(
        &mut self,
        word: &str,
        rest: &mut &[Datum],
        collected: &Name,
        out: &mut Block,
        finally: &mut Block,
    ) -> Parsed<()> {
        match word {
            "do" | "doing" => {
                while rest.first().is_some_and(|datum| datum.items().is_some()) {
                    let datum = take(rest)?;
                    self.form(&datum, &Dest::Ignore, out)?;
                }
            }
            "finally" => {
                if takes(rest, "return") {
                    let datum = take(rest)?;
                    self.form(&super::reader::form("return", vec![datum]), &Dest::Ignore, finally)?;
                }
                takes(rest, "do");
                while rest.first().is_some_and(|datum| datum.items().is_some()) {
                    let datum = take(rest)?;
                    self.form(&datum, &Dest::Ignore, finally)?;
                }
            }
            "collect" | "collecting" | "sum" | "summing" | "count" | "counting" | "maximize"
            | "minimize" | "always" | "never" | "thereis" | "append" | "appending" | "nconc"
            | "concat" | "vconcat" => {
                let value = self.value(&take(rest)?)?;
                let function = match word {
                    "append" | "appending" | "nconc" => "<add-all>",
                    _ => "<add>",
                };
                let added = match takes(rest, "into") {
                    true => {
                        let name = take(rest)?.symbol().ok_or(Rejected)?.clone();
                        let values = vec![Expr::Name(name.clone()), value];
                        let value = self.inner_call("<added>", values);
                        set(&name, value)
                    }
                    false => {
                        let values = vec![Expr::Name(collected.clone()), value];
                        Statement::Expr(self.inner_call(function, values))
                    }
                };
                out.push(added);
            }
            "while" | "until" => {
                let test = self.value(&take(rest)?)?;
                let test = if word == "while" { not(test) } else { test };
                out.push(Statement::Branch(vec![(Some(test), vec![Statement::Break(None)])]));
            }
            "return" => {
                let datum = take(rest)?;
                self.form(&super::reader::form("return", vec![datum]), &Dest::Ignore, out)?;
            }
            "when" | "if" | "unless" => {
                let test = self.value(&take(rest)?)?;
                let test = if word == "unless" { not(test) } else { test };
                let mut yes = Vec::new();
                let mut no = Vec::new();
                self.loop_selected(rest, collected, &mut yes, finally)?;
                if takes(rest, "else") {
                    self.loop_selected(rest, collected, &mut no, finally)?;
                }
                takes(rest, "end");
                out.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
            }
            _ => return Err(Rejected),
        }
        Ok(())
    }

    fn loop_selected(
        &mut self,
        rest: &mut &[Datum],
        collected: &Name,
        out: &mut Block,
        finally: &mut Block,
    ) -> Parsed<()> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        loop {
            let word = take(rest)?.symbol().ok_or(Rejected)?.trim_start_matches(':').to_owned();
            self.loop_action(&word, rest, collected, out, finally)?;
            if !takes(rest, "and") {
                break;
            }
        }
        self.lowering.leave();
        Ok(())
    }
}

fn take(rest: &mut &[Datum]) -> Parsed<Datum> {
    let (first, more) = rest.split_first().ok_or(Rejected)?;
    *rest = more;
    Ok(first.clone())
}

fn takes(rest: &mut &[Datum], word: &str) -> bool {
    let found = rest
        .first()
        .and_then(Datum::symbol)
        .is_some_and(|name| name.trim_start_matches(':') == word);
    if found {
        *rest = rest.get(1..).unwrap_or(&[]);
    }
    found
}
