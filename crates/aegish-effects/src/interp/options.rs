//! A command line read with its program's option grammar: which word plays which role.

use super::slots::{assign, takes_rest};
use crate::expand::Field;
use crate::words::{GivenOption, Words};
use aegish_profiles::{Count, DeclaredEffect, Grammar, Mode, Opt, Role, Slot, Stdin, Style};
use aegish_syntax::Span;
use aegish_values::{Piece, Value};

/// A command line with roles.
pub(crate) struct Parsed {
    /// Option values and operands, in order of appearance.
    pub(crate) items: Vec<Item>,
    /// What follows from the program, subcommands and flags.
    pub(crate) deeds: Vec<DeclaredEffect>,
    /// Words from here on belong to a role that takes the rest of the line.
    pub(crate) rest: Option<(Role, usize)>,
    /// Operands for which the grammar has no place.
    pub(crate) strays: Vec<usize>,
    /// What happens to standard input.
    pub(crate) stdin: Stdin,
    /// What can be typed at the program.
    pub(crate) keys: Option<&'static str>,
    /// The word that stands where a subcommand should, if the grammar has none of that name.
    pub(crate) unknown_sub: Option<usize>,
}

/// One word (or part of a word) with its role.
pub(crate) struct Item {
    pub(crate) role: Role,
    pub(crate) value: Value,
    pub(crate) span: Span,
}

struct Reader<'w> {
    words: &'w [Field],
    levels: Vec<&'static Grammar>,
    /// The spellings of each subcommand that was entered.
    subcommands: Vec<&'static [&'static str]>,
    given: Vec<&'static Opt>,
    /// Flags that only a mode knows.
    flags: Vec<&'static str>,
    /// Option values, with the option they belong to.
    values: Vec<(&'static Opt, Value, Span)>,
    operands: Vec<usize>,
    rest: Option<(Role, usize)>,
    unknown_sub: bool,
    /// Every option as it is written, known or not, if somebody wants to know.
    heard: Option<Vec<GivenOption>>,
}

/// Reads the words after the program's name.
pub(crate) fn parse(grammar: &'static Grammar, words: &[Field]) -> Parsed {
    let mut reader = Reader::new(grammar, words);
    reader.read();
    reader.finish()
}

/// The same words by what they are instead of by what follows from them.
pub(crate) fn words(grammar: &'static Grammar, words: &[Field]) -> Words {
    let mut reader = Reader::new(grammar, words);
    reader.heard = Some(Vec::new());
    reader.read();
    let rest = reader.rest.map_or(words.len(), |(_, from)| from);
    let operands = reader.operands.iter().map(|at| &words[*at]).chain(&words[rest..]);
    Words {
        subcommands: reader.subcommands,
        operands: operands.map(|field| field.value.clone()).collect(),
        options: reader.heard.unwrap_or_default(),
    }
}

impl<'w> Reader<'w> {
    fn new(grammar: &'static Grammar, words: &'w [Field]) -> Self {
        Self {
            words,
            levels: vec![grammar],
            subcommands: Vec::new(),
            given: Vec::new(),
            flags: Vec::new(),
            values: Vec::new(),
            operands: Vec::new(),
            rest: None,
            unknown_sub: false,
            heard: None,
        }
    }
}

impl Reader<'_> {
    fn hear(&mut self, name: &str, spellings: &'static [&'static str]) {
        if let Some(heard) = &mut self.heard {
            heard.push(GivenOption { name: name.to_owned(), spellings, value: None });
        }
    }

    /// The value of the option that was heard last.
    fn hear_value(&mut self, value: &Value) {
        if let Some(last) = self.heard.as_mut().and_then(|heard| heard.last_mut()) {
            last.value = Some(value.clone());
        }
    }

    fn grammar(&self) -> &'static Grammar {
        self.levels[self.levels.len() - 1]
    }

    fn read(&mut self) {
        let mut at = 0;
        let mut options = true;
        while at < self.words.len() {
            let word = &self.words[at].value;
            let text = word.known_prefix();
            let style = self.grammar().style;
            if options && text == "--" && word.is_known() {
                options = false;
                at += 1;
                continue;
            }
            if options && style == Style::Keys {
                if let Some(used) = self.key(at) {
                    at += used;
                    continue;
                }
            } else if options
                && style != Style::None
                && is_option(text, self.grammar())
                && !self.is_mode(text)
            {
                at += self.option(at);
                if self.rest.is_some() {
                    return;
                }
                // What follows the code of an interpreter belongs to that code.
                if style == Style::Posix
                    && self.code_was_given()
                    && let Some(slot) = self.slots().first().filter(|slot| takes_rest(slot.role))
                {
                    self.rest = (at < self.words.len()).then_some((slot.role, at));
                    return;
                }
                continue;
            } else if options && at == 0 && style == Style::Bsd && is_bundle(word) {
                at += 1 + self.bundle(at, text, false);
                continue;
            }
            if self.subcommand(word) {
                at += 1;
                continue;
            }
            if let Some(role) = self.rest_role() {
                self.rest = Some((role, at));
                return;
            }
            self.operands.push(at);
            // Options of ssh may follow the host, up to the command.
            let before_command =
                self.slots().last().map(|slot| slot.role) == Some(Role::RemoteWords);
            if style == Style::Posix && !before_command {
                options = false;
            }
            at += 1;
        }
    }

    fn code_was_given(&self) -> bool {
        let role = self.values.last().and_then(|(opt, _, _)| opt.value);
        matches!(role, Some(Role::Code(_) | Role::Module(_)))
    }

    /// `chmod -x f`: a mode that looks like an option.
    fn is_mode(&self, text: &str) -> bool {
        self.operands.is_empty()
            && self.grammar().operands.first().is_some_and(|slot| slot.role == Role::Mode)
            && text.len() > 1
            && text[1..].bytes().all(|b| b"rwxXstugoa,+=-".contains(&b))
            && self.named(text).is_none()
    }

    /// Enters a subcommand if the word names one and none of its operands came before.
    fn subcommand(&mut self, word: &Value) -> bool {
        let grammar = self.grammar();
        if grammar.subs.is_empty() || !self.operands.is_empty() {
            return false;
        }
        let found = word
            .as_known()
            .and_then(|text| grammar.subs.iter().find(|sub| sub.names.contains(&text)));
        match found {
            Some(sub) => {
                self.levels.push(&sub.grammar);
                self.subcommands.push(sub.names);
                true
            }
            None => {
                self.unknown_sub = grammar.operands.is_empty();
                false
            }
        }
    }

    /// The role of the next operand, if it is one that takes the rest of the line.
    fn rest_role(&self) -> Option<Role> {
        let slots = self.slots();
        let next = self.operands.len();
        let last = slots.last()?;
        let fits = takes_rest(last.role) && (next + 1 >= slots.len() || self.reached(slots, next));
        fits.then_some(last.role)
    }

    /// Whether only optional slots are left before the last one.
    fn reached(&self, slots: &[Slot], next: usize) -> bool {
        slots[next..slots.len() - 1].iter().all(|slot| matches!(slot.count, Count::Any))
    }

    /// The operands' places; of several modes that apply, the last one listed decides.
    fn slots(&self) -> &'static [Slot] {
        let grammar = self.grammar();
        let by_mode = grammar
            .modes
            .iter()
            .rev()
            .find_map(|mode| mode.operands.filter(|_| self.applies(mode)));
        by_mode.unwrap_or(grammar.operands)
    }

    fn applies(&self, mode: &Mode) -> bool {
        self.is_given(mode.when) && (mode.and.is_empty() || self.is_given(mode.and))
    }

    fn is_given(&self, names: &[&str]) -> bool {
        self.given.iter().any(|opt| opt.names.iter().any(|name| names.contains(name)))
            || self.flags.iter().any(|flag| names.contains(flag))
    }

    /// Notes a flag that the options do not list but a mode asks for.
    fn note_flag(&mut self, name: &str) {
        let known = self
            .levels
            .iter()
            .flat_map(|grammar| grammar.modes)
            .flat_map(|mode| mode.when.iter().chain(mode.and))
            .find(|when| **when == name);
        if let Some(flag) = known {
            self.flags.push(flag);
        }
    }

    fn find(&self, matches: impl Fn(&'static Opt) -> bool) -> Option<&'static Opt> {
        // The innermost level knows best; options of a mode go before those of its grammar.
        self.levels.iter().rev().find_map(|grammar| {
            let from_modes = grammar
                .modes
                .iter()
                .filter(|mode| self.applies(mode))
                .flat_map(|mode| mode.options.iter())
                .find(|opt| matches(opt));
            from_modes.or_else(|| grammar.options.iter().find(|opt| matches(opt)))
        })
    }

    /// What a mode that applies makes of an option.
    fn by_mode(&self, name: &str) -> Option<&'static Opt> {
        self.levels
            .iter()
            .rev()
            .flat_map(|grammar| grammar.modes)
            .filter(|mode| self.applies(mode))
            .flat_map(|mode| mode.options)
            .find(|opt| opt.names.contains(&name))
    }

    fn named(&self, name: &str) -> Option<&'static Opt> {
        self.find(|opt| opt.names.contains(&name))
    }

    /// Reads the option at `at`; gives the number of words used.
    fn option(&mut self, at: usize) -> usize {
        let word = &self.words[at].value;
        let text = word.known_prefix().to_owned();
        let (name, attached) = match text.find('=') {
            Some(equals) => (&text[..equals], Some(equals + 1)),
            None => (text.as_str(), None),
        };
        if let Some(opt) = self.named(name).or_else(|| self.abbreviated(name)) {
            self.hear(name, opt.names);
            return 1 + self.take(opt, at, attached);
        }
        // `-javaagent:x.jar`: the name of such an option ends in the colon.
        if self.grammar().style == Style::Long
            && let Some(colon) = text.find(':')
            && let Some(opt) = self.named(&text[..=colon])
        {
            self.hear(&text[..=colon], opt.names);
            return 1 + self.take(opt, at, Some(colon + 1));
        }
        self.note_flag(name);
        if text.starts_with("--") || self.grammar().style == Style::Long {
            // An unknown long option: a value attached to it may still name a file.
            self.hear(name, &[]);
            if attached.is_some() {
                self.stray_value(at);
            }
            return 1;
        }
        if let Some(rest) = text.strip_prefix('+') {
            self.hear(&text, &[]);
            if let Some(opt) = self.named("+") {
                self.given.push(opt);
                let value = if rest.is_empty() { Value::empty() } else { tail(word, 1) };
                self.values.push((opt, value, self.words[at].span));
            }
            return 1;
        }
        1 + self.bundle(at, text.trim_start_matches('-'), true)
    }

    /// A value attached to an option nobody knows.
    fn stray_value(&mut self, at: usize) {
        static UNKNOWN: Opt =
            Opt { names: &[], value: None, optional: false, more: 0, does: &[], values: &[] };
        let word = &self.words[at].value;
        let equals = word.known_prefix().find('=').map_or(0, |equals| equals + 1);
        self.hear_value(&tail(word, equals));
        self.values.push((&UNKNOWN, tail(word, equals), self.words[at].span));
    }

    /// `--out` for `--output`, if only one option starts like that.
    fn abbreviated(&self, name: &str) -> Option<&'static Opt> {
        if !name.starts_with("--") || name.len() < 4 || self.grammar().style == Style::Long {
            return None;
        }
        // Flags are not listed, so a name that ends where a word ends may be one of them
        // (`--manual` is not short for `--manual-auth-hook`).
        self.find(|opt| {
            opt.names.iter().any(|long| {
                long.strip_prefix(name)
                    .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('-'))
            })
        })
    }

    /// Takes an option and its value; gives the number of further words used.
    fn take(&mut self, opt: &'static Opt, at: usize, attached: Option<usize>) -> usize {
        self.given.push(opt);
        let Some(role) = opt.value else { return 0 };
        if takes_rest(role) && attached.is_none() {
            // `xterm -e command args…`
            self.rest = Some((role, at + 1));
            return 0;
        }
        let word = &self.words[at];
        if let Some(offset) = attached {
            self.hear_value(&tail(&word.value, offset));
            self.values.push((opt, tail(&word.value, offset), word.span));
            return 0;
        }
        // `--opt$x`: the rest of the word is unknown, but it is this word.
        if opt.optional || !word.value.is_known() {
            return 0;
        }
        match self.words.get(at + 1) {
            Some(next) => {
                self.hear_value(&next.value);
                self.values.push((opt, next.value.clone(), next.span));
                1 + usize::from(opt.more)
            }
            None => 0,
        }
    }

    /// Short options in one word; gives the number of further words used.
    fn bundle(&mut self, at: usize, letters: &str, dashed: bool) -> usize {
        let word = &self.words[at].value;
        let mut used = 0;
        let offset_of_letters = usize::from(dashed);
        for (index, letter) in letters.char_indices() {
            let mut name = [b'-', 0, 0, 0, 0];
            let length = letter.encode_utf8(&mut name[1..]).len();
            let Ok(name) = std::str::from_utf8(&name[..=length]) else {
                continue;
            };
            let Some(opt) = self.named(name) else {
                self.hear(name, &[]);
                self.note_flag(name);
                continue;
            };
            self.hear(name, opt.names);
            self.given.push(opt);
            if opt.value.is_none() {
                continue;
            }
            let after = index + letter.len_utf8();
            let attached = dashed && (after < letters.len() || !word.is_known());
            if attached {
                let skip = usize::from(letters[after..].starts_with('='));
                let value = tail(word, offset_of_letters + after + skip);
                self.hear_value(&value);
                self.values.push((opt, value, self.words[at].span));
                return used;
            }
            if opt.optional {
                continue;
            }
            if let Some(next) = self.words.get(at + 1 + used) {
                self.hear_value(&next.value);
                self.values.push((opt, next.value.clone(), next.span));
                used += 1;
            }
            if dashed {
                return used;
            }
        }
        used
    }

    /// `key=value`; gives the number of words used, if it is one.
    fn key(&mut self, at: usize) -> Option<usize> {
        let word = &self.words[at].value;
        let text = word.known_prefix();
        let equals = text.find('=')?;
        let name = &text[..equals];
        let opt = self.find(|opt| opt.names.iter().any(|n| n.trim_end_matches('=') == name))?;
        self.hear(name, opt.names);
        self.hear_value(&tail(word, equals + 1));
        self.given.push(opt);
        self.values.push((opt, tail(word, equals + 1), self.words[at].span));
        Some(1)
    }

    fn finish(self) -> Parsed {
        let mut deeds: Vec<DeclaredEffect> = Vec::new();
        let mut stdin = self.grammar().stdin;
        // What a program does as such holds only where no subcommand says otherwise.
        let innermost = self.grammar();
        deeds.extend_from_slice(innermost.does);
        let keys = innermost.keys;
        for grammar in &self.levels {
            for mode in grammar.modes {
                if self.applies(mode) {
                    deeds.extend_from_slice(mode.does);
                    for operand in &self.operands {
                        follow(mode.words, &self.words[*operand].value, &mut deeds);
                    }
                    stdin = mode.stdin.unwrap_or(stdin);
                }
            }
        }
        for opt in &self.given {
            deeds.extend_from_slice(opt.does);
        }
        for (opt, value, _) in &self.values {
            follow(opt.values, value, &mut deeds);
        }
        for operand in &self.operands {
            follow(innermost.words, &self.words[*operand].value, &mut deeds);
        }
        let mut items = Vec::with_capacity(self.values.len() + self.operands.len());
        let mut strays = Vec::new();
        for (opt, value, span) in &self.values {
            // A mode given by a later option still decides the role.
            let by_mode = opt.names.first().and_then(|name| self.by_mode(name));
            let role = by_mode.map_or(opt.value, |other| other.value);
            match role {
                Some(role) => items.push(Item { role, value: value.clone(), span: *span }),
                None if opt.names.is_empty() => {
                    items.push(Item { role: Role::Path, value: value.clone(), span: *span });
                }
                None => {}
            }
        }
        let slots = self.slots();
        let fixed =
            if self.rest.is_some() { &slots[..slots.len().saturating_sub(1)] } else { slots };
        let roles = assign(fixed, self.operands.len());
        for (index, operand) in self.operands.iter().enumerate() {
            let field = &self.words[*operand];
            match roles.get(index).copied().flatten() {
                Some(role) if !self.unknown_sub => {
                    items.push(Item { role, value: field.value.clone(), span: field.span });
                }
                _ => strays.push(*operand),
            }
        }
        let unknown_sub = match self.levels.as_slice() {
            [grammar] if !grammar.subs.is_empty() => self.operands.first().copied(),
            _ => None,
        };
        Parsed { items, deeds, rest: self.rest, strays, stdin, keys, unknown_sub }
    }
}

/// Adds the deeds that a word brings with it.
fn follow(
    conditions: &'static [(&'static str, &'static [DeclaredEffect])],
    word: &Value,
    deeds: &mut Vec<DeclaredEffect>,
) {
    if let Some(text) = word.as_known() {
        for (_, more) in conditions.iter().filter(|(condition, _)| *condition == text) {
            deeds.extend_from_slice(more);
        }
    }
}

fn is_option(text: &str, grammar: &Grammar) -> bool {
    (text.starts_with('-') && text.len() > 1)
        || (text.starts_with('+')
            && grammar.options.iter().any(|opt| opt.names.iter().any(|name| name.starts_with('+'))))
}

fn is_bundle(word: &Value) -> bool {
    word.as_known()
        .is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// A value without its first `offset` bytes of text.
pub(crate) fn tail(value: &Value, offset: usize) -> Value {
    let mut result = Value::empty();
    for (index, piece) in value.pieces().iter().enumerate() {
        match piece {
            Piece::Text(text) if index == 0 => result.push_str(text.get(offset..).unwrap_or("")),
            other => result.push(other.clone()),
        }
    }
    result.tainted(value.taint())
}
