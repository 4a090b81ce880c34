//! `switch`: the first pattern that a text matches.

use super::words::Word;
use super::{Mode, Parsed, Tcl, lists, text};
use crate::ir::{Block, Expr, LogicOp, Statement, Target};

/// What a pattern stands for, and the code behind it.
type Choice = (Word, Word);

impl Tcl<'_> {
    pub(super) fn switch_command(
        &mut self,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        let mut how = "exact";
        let mut at = 0;
        let mut folds = false;
        let mut assigned = Vec::new();
        // With two words left the first is the text, whatever it looks like.
        while words.len() - at > 2 {
            let Some(option) = words.get(at).and_then(Word::literal) else { break };
            match option {
                "-exact" => how = "exact",
                "-glob" => how = "glob",
                "-regexp" => how = "regexp",
                "-nocase" => folds = true,
                "-matchvar" | "-indexvar" => {
                    let Some(name) = words.get(at + 1).and_then(Word::literal) else {
                        return Ok(false);
                    };
                    assigned.push(name.to_owned());
                    at += 1;
                }
                "--" => {
                    at += 1;
                    break;
                }
                _ => break,
            }
            at += 1;
        }
        let behind = words.len().saturating_sub(at + 1);
        let listed = match (behind, words.get(at + 1).and_then(Word::literal)) {
            (1, Some(list)) => match lists::split(list) {
                Some(items) if items.len().is_multiple_of(2) => Some(items),
                _ => return Ok(false),
            },
            (1, None) => return Ok(false),
            (0, _) => return Ok(false),
            _ if !behind.is_multiple_of(2) => return Ok(false),
            _ => None,
        };
        let mut words = std::mem::take(words).into_iter().skip(at);
        let Some(subject) = words.next() else { return Ok(false) };
        let items: Vec<Word> = match listed {
            Some(items) => items.into_iter().map(Word::literally).collect(),
            None => words.collect(),
        };
        let mut choices: Vec<Choice> = Vec::new();
        let mut items = items.into_iter();
        while let (Some(pattern), Some(code)) = (items.next(), items.next()) {
            choices.push((pattern, code));
        }
        if folds || how == "regexp" {
            how = if how == "regexp" { "regexp" } else { "folded" };
        }
        self.give_through(mode, out, |this, mode, out| {
            let value = this.temporary();
            out.push(Statement::Assign(vec![Target::Name(value.clone())], subject.value()));
            for name in assigned {
                let unknown = this.call_with("<caught>", vec![Expr::Unknown]);
                out.push(Statement::Assign(vec![super::words::target_named(&name)], unknown));
            }
            let last = choices.len().saturating_sub(1);
            let mut branches = Vec::new();
            let mut tests: Vec<Expr> = Vec::new();
            let mut ends = false;
            for (place, (pattern, code)) in choices.into_iter().enumerate() {
                let always = place == last && pattern.literal() == Some("default");
                if !always {
                    let values = vec![text(how), Expr::Name(value.clone()), pattern.value()];
                    tests.push(this.call_with("<matches>", values));
                }
                // `-`: the code of the next pattern.
                if code.literal() == Some("-") && !always {
                    continue;
                }
                let body = this.body_of(code, mode);
                let test = match (always, tests.len()) {
                    (true, _) => None,
                    (false, 1) => tests.pop(),
                    (false, _) => Some(Expr::Logic(LogicOp::Or, std::mem::take(&mut tests))),
                };
                ends |= test.is_none();
                branches.push((test, body));
            }
            if !ends {
                let mut otherwise = Vec::new();
                Self::give_nothing(mode, &mut otherwise);
                branches.push((None, otherwise));
            }
            out.push(Statement::Branch(branches));
            Ok(())
        })?;
        Ok(true)
    }
}

impl Word {
    /// A word without substitutions.
    pub(super) fn literally(item: String) -> Self {
        Self::of(vec![super::words::Part::Text(item)])
    }
}
