//! Names of options: as they are listed, shortened, with the other number of dashes, with their value glued on.

use crate::operands::takes_rest;
use crate::reader::Reader;
use aegish_profiles::{ArgumentRole, Behaviour, OperandSlot, Opt, Style};
use aegish_values::Piece;

/// The options that a shortened name may stand for.
#[derive(Default)]
pub(crate) struct Shortened {
    /// If the program has one of the name's length, it is one of these.
    pub(crate) certain: Vec<&'static Opt>,
    /// Those whose name may also be that of a flag which is not listed (`--manual` and `--manual-auth-hook`).
    pub(crate) possible: Vec<&'static Opt>,
}

impl Reader<'_> {
    /// `node $OPTIONS server.js`: words from outside that are not quoted, where a script or code would stand.
    pub(crate) fn stands_for_options(&self, at: usize) -> bool {
        let word = &self.word(at).value;
        let outside = |piece: &Piece| matches!(piece, Piece::Unknown(_));
        let code = |slot: &OperandSlot| {
            matches!(slot.role, ArgumentRole::Code(_) | ArgumentRole::Script(_))
        };
        word.is_several()
            && word.pieces().iter().all(outside)
            && !word.is_one_of_many_values()
            && word.each().is_empty()
            && word.taint().network().is_none()
            && self.operands.is_empty()
            && at + 1 < self.words.len()
            && self.slots().first().is_some_and(code)
    }

    /// What `--out` is short for. A program refuses a name that several options begin with, but the grammar may list
    /// options of other programs, so each of them counts.
    pub(crate) fn shortened(&self, name: &str) -> Shortened {
        let long = self.grammar().style == Style::Long;
        let mut found = Shortened::default();
        // `-o` of a program whose options are words is an option of its own.
        let shortest = if long && !name.starts_with("--") { 4 } else { 3 };
        if name.len() < shortest || !(long || name.starts_with("--")) {
            return found;
        }
        let name = name.trim_start_matches('-');
        for opt in self.listed() {
            let rests = opt.names.iter().filter_map(|listed| {
                let dashes = if long { "-" } else { "--" };
                let rest =
                    listed.strip_prefix(dashes)?.trim_start_matches('-').strip_prefix(name)?;
                (!rest.is_empty()).then_some(rest)
            });
            let mut certain = None;
            for rest in rests {
                certain = Some(certain == Some(true) || !long && !rest.starts_with('-'));
            }
            match certain {
                Some(true) => found.certain.push(opt),
                Some(false) if opt.value.is_some() => found.possible.push(opt),
                _ => {}
            }
        }
        found
    }

    /// Where options are words, one dash and two are the same.
    pub(crate) fn with_other_dashes(&self, name: &str) -> Option<&'static Opt> {
        if self.grammar().style != Style::Long {
            return None;
        }
        let bare = name.trim_start_matches('-');
        let other = if name.starts_with("--") { '-' } else { ' ' };
        self.find(|opt| {
            opt.names.iter().any(|listed| match other {
                '-' => listed.strip_prefix('-') == Some(bare),
                _ => bare.len() > 1 && listed.strip_prefix("--") == Some(bare),
            })
        })
    }

    /// `-o/etc/x` where options are words: the option with the longest name that the word begins with, and the
    /// length of that name.
    pub(crate) fn glued(&self, text: &str) -> Option<(&'static Opt, usize)> {
        let of = |opt: &'static Opt| {
            let fits = |name: &&&str| {
                let rest = text.strip_prefix(**name);
                // A small letter begins many other words.
                let letter = name.len() == 2 && name.ends_with(|c: char| c.is_ascii_lowercase());
                rest.is_some_and(|rest| !letter || rest.contains('/'))
            };
            let length = opt.names.iter().filter(fits).map(|name| name.len()).max()?;
            opt.value.is_some().then_some((opt, length))
        };
        self.listed().filter_map(of).max_by_key(|(_, length)| *length)
    }

    /// An option whose name is not listed as it is written; gives the number of further words used if it is certain
    /// what it is.
    pub(crate) fn take_shortened(
        &mut self,
        name: &str,
        at: usize,
        attached: Option<usize>,
    ) -> Option<usize> {
        let whole = attached.is_some() || self.word(at).value.is_known();
        let found = if whole { self.shortened(name) } else { Shortened::default() };
        // All that they may do counts, except that nothing is done.
        let cautious = |opt: &&Opt| !opt.does.iter().any(|effect| effect.is(Behaviour::Inert));
        let several = found.certain.len() > 1 && found.certain.iter().any(cautious);
        let certain: Vec<&'static Opt> =
            found.certain.into_iter().filter(|opt| !several || cautious(opt)).collect();
        let takes_value = |opt: &&&'static Opt| opt.value.is_some();
        let first = certain.iter().find(takes_value).or(certain.first()).copied();
        let used = first.map(|opt| {
            self.note(at, name, opt.names);
            self.take(opt, at, attached)
        });
        let others =
            certain.into_iter().filter(|opt| first.is_none_or(|one| !std::ptr::eq(one, *opt)));
        for opt in others.chain(found.possible) {
            let value = match attached {
                Some(offset) => Some((self.word(at).value.tail(offset), at)),
                None if opt.optional => None,
                // Behind a flag stands the next option.
                None => self
                    .words
                    .get(at + 1)
                    .filter(|next| !next.value.known_prefix().starts_with('-'))
                    .map(|next| (next.value.clone(), at + 1)),
            };
            if let Some((value, place)) = value
                .filter(|_| opt.value.is_some_and(|role| !takes_rest(role) || attached.is_some()))
            {
                self.values.push((opt, value, place));
            }
            if attached.is_some() || opt.value.is_none() {
                self.given.push(opt);
            }
        }
        used
    }

    /// `php -R CODE -E CODE`: another option with code, where one was given.
    pub(crate) fn is_other_code(&self, at: usize) -> bool {
        let next = self.words.get(at).and_then(|word| self.named(word.value.as_known()?));
        let is_code = |opt: &Opt| matches!(opt.value, Some(ArgumentRole::Code(_)));
        let before = self.values.last().map(|(opt, _, _)| *opt);
        let other = |opt: &Opt| before.is_some_and(|one| is_code(one) && !std::ptr::eq(one, opt));
        next.is_some_and(|opt| is_code(opt) && other(opt))
    }
}
