//! Classifies the words in one pass: option, value, subcommand, operand.

use crate::Field;
use crate::operands::takes_rest;
use crate::part::{CommandPart, GivenOption};
use aegish_profiles::{ArgumentRole, Count, Grammar, Lang, Mode, OperandSlot, Opt, Style};
use aegish_values::{Piece, Value};

pub(crate) struct Reader<'w> {
    pub(crate) words: &'w [Field],
    pub(crate) levels: Vec<&'static Grammar>,
    /// The spellings of each subcommand that was entered.
    pub(crate) subcommands: Vec<&'static [&'static str]>,
    pub(crate) given: Vec<&'static Opt>,
    /// Flags that only a mode knows.
    flags: Vec<&'static str>,
    /// Option values, with the option they belong to and the word they are in.
    pub(crate) values: Vec<(&'static Opt, Value, usize)>,
    pub(crate) operands: Vec<usize>,
    pub(crate) rest: Option<(ArgumentRole, usize)>,
    pub(crate) unknown_sub: bool,
    /// A word that may be any option or subcommand.
    pub(crate) lost: Option<usize>,
    /// Every part in order, if the caller asked for it.
    pub(crate) parts: Option<Vec<CommandPart>>,
}

impl<'w> Reader<'w> {
    pub(crate) fn new(grammar: &'static Grammar, words: &'w [Field]) -> Self {
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
            lost: None,
            parts: None,
        }
    }

    /// The word with this index.
    #[expect(
        clippy::indexing_slicing,
        reason = "indices come from `read`, which counts up to the number of words"
    )]
    pub(crate) fn word(&self, at: usize) -> &'w Field {
        &self.words[at]
    }
}

impl Reader<'_> {
    /// Records an option as written, known to the grammar or not.
    pub(crate) fn note(&mut self, word: usize, name: &str, spellings: &'static [&'static str]) {
        if let Some(parts) = &mut self.parts {
            let option = GivenOption { name: name.to_owned(), spellings, value: None };
            parts.push(CommandPart::Option(option, word..word + 1));
        }
    }

    /// Records the value of the last option, and its word.
    fn note_value(&mut self, value: &Value, word: usize) {
        if let Some(CommandPart::Option(option, words)) =
            self.parts.as_mut().and_then(|all| all.last_mut())
        {
            option.value = Some(value.clone());
            words.end = word + 1;
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "there is the program's grammar from the start, and none is removed"
    )]
    pub(crate) fn grammar(&self) -> &'static Grammar {
        self.levels[self.levels.len() - 1]
    }

    pub(crate) fn read(&mut self) {
        let mut at = 0;
        let mut options = true;
        while at < self.words.len() {
            let word = &self.word(at).value;
            let text = word.known_prefix();
            let style = self.grammar().style;
            let first = self.operands.is_empty() && !self.grammar().subs.is_empty();
            // With text beside it, or behind other words, it is mostly a revision, a pattern, a name.
            if (options && style != Style::None || first)
                && at == 0
                && matches!(word.pieces(), [Piece::Unknown(_)])
                && (word.is_one_of_many() || word.is_one_of_many_values())
            {
                self.lost = self.lost.or(Some(at));
            }
            if text == "--" && word.is_known() && self.waits_for_separator() {
                self.rest = self.slots().last().map(|slot| (slot.role, at + 1));
                return;
            }
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
                // Words after the code of an interpreter are arguments of that code.
                if style == Style::Posix
                    && self.code_was_given(at)
                    && !self.is_other_code(at)
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
            if options && self.stands_for_options(at) {
                at += 1;
                continue;
            }
            if let Some(role) = self.rest_role() {
                self.rest = Some((role, at));
                return;
            }
            self.operands.push(at);
            if let Some(parts) = &mut self.parts {
                parts.push(CommandPart::Operand(at));
            }
            // Options of ssh may follow the host, up to the command.
            let before_command =
                self.slots().last().map(|slot| slot.role) == Some(ArgumentRole::RemoteWords);
            if style == Style::Posix && !before_command {
                options = false;
            }
            at += 1;
        }
    }

    /// Whether code was given, and what stands at `next` belongs to it. Most interpreters go on to read options.
    fn code_was_given(&self, next: usize) -> bool {
        let role = self.values.last().and_then(|(opt, _, _)| opt.value);
        let option = self.words.get(next).is_some_and(|word| {
            let text = word.value.known_prefix();
            text == "--" || is_option(text, self.grammar())
        });
        match role {
            Some(ArgumentRole::Code(Lang::Python | Lang::Scheme) | ArgumentRole::Module(_)) => true,
            Some(ArgumentRole::Code(_)) => !option,
            _ => false,
        }
    }

    /// `chmod -x f`: a mode that looks like an option.
    fn is_mode(&self, text: &str) -> bool {
        self.operands.is_empty()
            && self.grammar().operands.first().is_some_and(|slot| slot.role == ArgumentRole::Mode)
            && text.len() > 1
            && text.get(1..).unwrap_or_default().bytes().all(|b| b"rwxXstugoa,+=-".contains(&b))
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
    fn rest_role(&self) -> Option<ArgumentRole> {
        let slots = self.slots();
        let next = self.operands.len();
        let last = slots.last()?;
        let fits = takes_rest(last.role) && next + 1 >= slots.len() && !self.waits_for_separator();
        fits.then_some(last.role)
    }

    /// `["text*", "argv"]`: the command stands behind `--`.
    fn waits_for_separator(&self) -> bool {
        let slots = self.slots();
        let repeated = |slot: &OperandSlot| matches!(slot.count, Count::Any | Count::Some);
        slots.last().is_some_and(|slot| takes_rest(slot.role))
            && slots.iter().rev().skip(1).any(repeated)
    }

    /// The slots for operands; of several modes that apply, the last one listed is used.
    pub(crate) fn slots(&self) -> &'static [OperandSlot] {
        let grammar = self.grammar();
        let by_mode = grammar
            .modes
            .iter()
            .rev()
            .find_map(|mode| mode.operands.filter(|_| self.applies(mode)));
        by_mode.unwrap_or(grammar.operands)
    }

    pub(crate) fn applies(&self, mode: &Mode) -> bool {
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

    /// Every option that may be given here, the one that counts first. Options of the innermost level take precedence,
    /// and options of a mode those of its grammar.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &'static Opt> {
        self.levels.iter().rev().flat_map(|grammar| {
            let modes = grammar.modes.iter().filter(|mode| self.applies(mode));
            modes.flat_map(|mode| mode.options.iter()).chain(grammar.options.iter())
        })
    }

    pub(crate) fn find(&self, matches: impl Fn(&'static Opt) -> bool) -> Option<&'static Opt> {
        self.listed().find(|opt| matches(opt))
    }

    /// The meaning of an option in the current mode.
    pub(crate) fn by_mode(&self, name: &str) -> Option<&'static Opt> {
        self.levels
            .iter()
            .rev()
            .flat_map(|grammar| grammar.modes)
            .filter(|mode| self.applies(mode))
            .flat_map(|mode| mode.options)
            .find(|opt| opt.names.contains(&name))
    }

    pub(crate) fn named(&self, name: &str) -> Option<&'static Opt> {
        self.find(|opt| opt.names.contains(&name))
    }

    /// Reads the option at `at`; returns the number of words used.
    fn option(&mut self, at: usize) -> usize {
        let word = &self.word(at).value;
        let text = word.known_prefix().to_owned();
        let getopt = self.grammar().style == Style::Posix;
        let (name, attached) = match text.find('=') {
            // In getopt everything after a letter is its value.
            Some(2) if getopt && !text.starts_with("--") => (text.as_str(), None),
            Some(equals) => (text.get(..equals).unwrap_or_default(), Some(equals + 1)),
            None => (text.as_str(), None),
        };
        if let Some(opt) = self.named(name).or_else(|| self.with_other_dashes(name)) {
            self.note(at, name, opt.names);
            return 1 + self.take(opt, at, attached);
        }
        // `-javaagent:x.jar`: the name of such an option ends in the colon.
        if self.grammar().style == Style::Long
            && let Some(colon) = text.find(':')
            && let Some(opt) = self.named(text.get(..=colon).unwrap_or_default())
        {
            self.note(at, text.get(..=colon).unwrap_or_default(), opt.names);
            return 1 + self.take(opt, at, Some(colon + 1));
        }
        if let Some(used) = self.take_shortened(name, at, attached) {
            return 1 + used;
        }
        self.note_flag(name);
        if self.grammar().style == Style::Long
            && let Some((opt, length)) = self.glued(&text)
        {
            self.note(at, &text, &[]);
            self.given.push(opt);
            self.values.push((opt, word.tail(length), at));
            return 1;
        }
        if text.starts_with("--") || self.grammar().style == Style::Long {
            // An unknown long option: a value attached to it may still name a file.
            self.note(at, name, &[]);
            if attached.is_some() {
                self.stray_value(at);
            }
            return 1;
        }
        if let Some(rest) = text.strip_prefix('+') {
            self.note(at, &text, &[]);
            if let Some(opt) = self.named("+") {
                self.given.push(opt);
                let value = if rest.is_empty() { Value::empty() } else { word.tail(1) };
                self.values.push((opt, value, at));
            }
            return 1;
        }
        1 + self.bundle(at, text.trim_start_matches('-'), true)
    }

    /// A value attached to an option that the grammar does not know.
    fn stray_value(&mut self, at: usize) {
        static UNKNOWN: Opt =
            Opt { names: &[], value: None, optional: false, more: 0, does: &[], values: &[] };
        let word = &self.word(at).value;
        let equals = word.known_prefix().find('=').map_or(0, |equals| equals + 1);
        self.note_value(&word.tail(equals), at);
        self.values.push((&UNKNOWN, word.tail(equals), at));
    }

    /// Takes an option and its value; gives the number of further words used.
    pub(crate) fn take(&mut self, opt: &'static Opt, at: usize, attached: Option<usize>) -> usize {
        self.given.push(opt);
        let Some(role) = opt.value else { return 0 };
        if takes_rest(role) && attached.is_none() {
            if role == ArgumentRole::ArgvUntil && self.parts.is_some() {
                return self.take_command(at + 1);
            }
            // `xterm -e command args…`
            self.rest = Some((role, at + 1));
            return 0;
        }
        let word = self.word(at);
        if let Some(offset) = attached {
            self.note_value(&word.value.tail(offset), at);
            self.values.push((opt, word.value.tail(offset), at));
            return 0;
        }
        if opt.optional {
            self.note_absent(opt, at);
            return 0;
        }
        // `--opt$x`: the rest of the word is unknown, but it is this word.
        if !word.value.is_known() {
            return 0;
        }
        // The value of other options with several words is the first of them. A file that is read comes behind its name.
        let last = matches!(opt.value, Some(ArgumentRole::Replace | ArgumentRole::Read));
        let several = at + 1 + if last { usize::from(opt.more) } else { 0 };
        let place = if several < self.words.len() { several } else { at + 1 };
        match self.words.get(place) {
            Some(next) => {
                self.note_value(&next.value, at + 1);
                // What stands for itself is not replaced.
                let same = last
                    && opt.more > 0
                    && self.words.get(at + 1).is_some_and(|first| first.value == next.value);
                if !same {
                    self.values.push((opt, next.value.clone(), place));
                }
                1 + usize::from(opt.more)
            }
            None => 0,
        }
    }

    /// A list of files that has no name is read from standard input.
    fn note_absent(&mut self, opt: &'static Opt, at: usize) {
        if opt.value == Some(ArgumentRole::ReadList) {
            self.values.push((opt, Value::known("-"), at));
        }
    }

    /// Notes the command of `find -exec`, up to its end; gives the number of words used.
    fn take_command(&mut self, start: usize) -> usize {
        let words = self.words.get(start..).unwrap_or_default();
        let ends = |word: &Field| matches!(word.value.as_known(), Some(";" | "+"));
        let length = words.iter().position(ends).unwrap_or(words.len());
        if let Some(parts) = &mut self.parts {
            parts.push(CommandPart::Command(start..start + length));
        }
        (length + 1).min(words.len())
    }

    /// Short options in one word; gives the number of further words used.
    fn bundle(&mut self, at: usize, letters: &str, dashed: bool) -> usize {
        let word = &self.word(at).value;
        let mut used = 0;
        let offset_of_letters = usize::from(dashed);
        for (index, letter) in letters.char_indices() {
            let mut name = [b'-', 0, 0, 0, 0];
            let length = letter.encode_utf8(&mut name[1..]).len();
            let Ok(name) = std::str::from_utf8(name.get(..=length).unwrap_or_default()) else {
                continue;
            };
            let Some(opt) = self.named(name) else {
                self.note(at, name, &[]);
                self.note_flag(name);
                continue;
            };
            self.note(at, name, opt.names);
            self.given.push(opt);
            if opt.value.is_none() {
                continue;
            }
            let after = index + letter.len_utf8();
            let attached = dashed && (after < letters.len() || !word.is_known());
            if attached {
                let getopt = self.grammar().style == Style::Posix;
                let skip = usize::from(
                    !getopt && letters.get(after..).unwrap_or_default().starts_with('='),
                );
                let value = word.tail(offset_of_letters + after + skip);
                self.note_value(&value, at);
                self.values.push((opt, value, at));
                return used;
            }
            if opt.optional {
                self.note_absent(opt, at);
                continue;
            }
            if let Some(next) = self.words.get(at + 1 + used) {
                self.note_value(&next.value, at + 1 + used);
                self.values.push((opt, next.value.clone(), at + 1 + used));
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
        let word = &self.word(at).value;
        let text = word.known_prefix();
        let equals = text.find('=')?;
        let name = text.get(..equals).unwrap_or_default();
        let opt = self.find(|opt| opt.names.iter().any(|n| n.trim_end_matches('=') == name))?;
        self.note(at, name, opt.names);
        self.note_value(&word.tail(equals + 1), at);
        self.given.push(opt);
        self.values.push((opt, word.tail(equals + 1), at));
        Some(1)
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
