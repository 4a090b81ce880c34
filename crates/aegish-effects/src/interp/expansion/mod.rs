//! Words → fields: Bash's expansions, in Bash's order, on abstract values.
//!
//! Tilde, parameters, substitutions, arithmetic and file names ask the state of the shell; the rest is
//! in [`aegish_expansion`]. Substitutions are followed; nothing is run.

mod found;
mod glob;
mod lookup;
mod parameter;
mod tilde;
mod transform;
mod ways;

pub(super) use lookup::split_element;

use super::simple::append_to_each;
use super::{Interp, UNKNOWN_PART};
use aegish_expansion::items::{MAX_OWN_WORDS, or_paths_of};
use aegish_expansion::{Builder, Field, Quoting, drop_zero_bytes, is_bare_list, trim_newlines};
use aegish_shell_state::Switch;
use aegish_syntax::{Part, Span, Word};
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, either_value, join_values};

/// What words are split at unless `IFS` says something else.
pub(crate) const BLANKS: &str = " \t\n";

/// An item of a loop.
pub(crate) struct Item {
    pub(crate) value: Value,
    pub(crate) presence: Presence,
}

impl Item {
    /// An item of the only list of items, or of one of several.
    pub(crate) fn new(value: Value, only: bool) -> Self {
        let sure = only && !value.is_several();
        Self { value, presence: if sure { Presence::Sure } else { Presence::Possible } }
    }
}

/// Whether a loop has a round for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// In every run.
    Sure,
    /// In some runs: other runs have other items in its place.
    Possible,
}

impl Interp<'_> {
    /// All fields of a list of words.
    pub(crate) fn expand_words(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::with_capacity(words.len());
        for word in words {
            self.expand_word_into(word, &mut fields);
        }
        fields
    }

    /// Items of a loop: if the fields of a word are one of several lists, those of all lists.
    pub(crate) fn expand_items(&mut self, words: &[Word]) -> Vec<Item> {
        let mut items = Vec::new();
        for word in words {
            let lists = self.expand_alternatives(word);
            let one = lists.len() == 1;
            items.extend(lists.into_iter().flatten().map(|field| Item::new(field.value, one)));
        }
        items
    }

    /// The fields of one word: none, one or several. If several lists of fields are possible, each position
    /// holds the values of all of them.
    pub(crate) fn expand_word_into(&mut self, word: &Word, fields: &mut Vec<Field>) {
        let mut lists = self.expand_alternatives(word).into_iter();
        let Some(mut all) = lists.next() else { return };
        for list in lists {
            let count = all.len();
            for (field, other) in all.iter_mut().zip(&list) {
                field.value = join_values(&field.value, &other.value);
            }
            all.extend(list.into_iter().skip(count));
        }
        fields.extend(all);
    }

    /// The lists of fields that a word may have: one, if nothing in it is one of several texts.
    pub(crate) fn expand_alternatives(&mut self, word: &Word) -> Vec<Vec<Field>> {
        let span = self.span(word.span);
        if let Some(text) = unexpanded(word) {
            return vec![vec![Field { value: Value::known(text), span }]];
        }
        let named = self.ways_in(word);
        if named.is_empty() {
            return self.expand_on_way(word, span);
        }
        let lists: Vec<Vec<Vec<Field>>> =
            self.on_each_way(&named, span, |interp| interp.expand_on_way(word, span));
        let mut all: Vec<Vec<Field>> = Vec::new();
        for list in lists.into_iter().flatten() {
            let same = |known: &Vec<Field>| {
                known.len() == list.len()
                    && known.iter().zip(&list).all(|(one, other)| one.value == other.value)
            };
            if !all.iter().any(same) {
                all.push(list);
            }
        }
        all
    }

    fn expand_on_way(&mut self, word: &Word, span: Span) -> Vec<Vec<Field>> {
        let Some(words) = aegish_syntax::expand_braces(word) else {
            self.hidden_limit(span, "brace expansion");
            return Vec::new();
        };
        let mut lists = self.expand_each(&words, span);
        // A shell called `sh` may leave braces as they are.
        if words.len() > 1 && self.is_on(Switch::PlainShell) {
            lists.extend(self.expand_each(std::slice::from_ref(word), span));
        }
        lists
    }

    fn expand_each(&mut self, words: &[Word], span: Span) -> Vec<Vec<Field>> {
        let mut lists: Vec<Vec<Field>> = vec![Vec::new()];
        for word in words {
            let builder = self.built(&word.parts, Quoting::None);
            let alternatives = match self.possible_ifs().as_slice() {
                [ifs] => builder.into_alternatives(ifs.as_deref()),
                several => {
                    let lists =
                        several.iter().map(|ifs| builder.clone().into_alternatives(ifs.as_deref()));
                    lists.reduce(|all, more| Some([all?, more?].concat())).flatten()
                }
            };
            let alternatives = alternatives.filter(|all| all.len() <= MAX_ALTERNATIVES);
            let alternatives =
                alternatives.unwrap_or_else(|| vec![vec![Value::one_of_many_values()]]);
            let count = alternatives.len();
            // The name that a loop over a pattern has set is one name.
            let quoted = word.parts.iter().all(|part| matches!(part, Part::DoubleQuoted(_)));
            let mut endings: Vec<Vec<Field>> = Vec::with_capacity(count);
            for values in alternatives {
                let mut fields = Vec::new();
                for value in values {
                    self.report_cut(&value, span);
                    match quoted {
                        true => fields.push(Field { value, span }),
                        false => self.expand_glob(value, span, &mut fields),
                    }
                }
                endings.push(fields);
            }
            if let [only] = endings.as_mut_slice() {
                append_to_each(&mut lists, only);
                continue;
            }
            if lists.len() * count > MAX_ALTERNATIVES {
                self.hidden_limit(span, "possible words");
                continue;
            }
            lists = lists
                .iter()
                .flat_map(|list| endings.iter().map(move |end| [list.as_slice(), end].concat()))
                .collect();
        }
        lists
    }

    /// The value of a word where Bash neither splits nor matches file names (assignments, `case`,
    /// redirection targets with a single result, here-strings).
    pub(crate) fn expand_single(&mut self, word: &Word) -> Value {
        match word.parts.as_slice() {
            [] => return Value::empty(),
            [Part::Literal(text)] if !text.starts_with('~') => return Value::known(text.as_str()),
            _ => {}
        }
        self.joined_over_ways(word, |interp| {
            let builder = interp.built(&word.parts, Quoting::None);
            interp.single(builder, word.span)
        })
    }

    /// As [`Self::expand_single`], in places where a tilde is also expanded behind each colon (assignments, here-strings).
    pub(crate) fn expand_with_colons(&mut self, word: &Word) -> Value {
        let has_tilde = |part: &Part| matches!(part, Part::Literal(text) if text.contains(":~"));
        if !word.parts.iter().any(has_tilde) {
            return self.expand_single(word);
        }
        let mut builder = Builder::default();
        let mut segment: Vec<Part> = Vec::new();
        for part in &word.parts {
            let Part::Literal(text) = part else {
                segment.push(part.clone());
                continue;
            };
            for (index, text) in text.split(':').enumerate() {
                if index > 0 {
                    self.expand_parts(&segment, Quoting::None, true, &mut builder);
                    builder.text(":", false, false);
                    segment.clear();
                }
                segment.push(Part::Literal(text.to_owned()));
            }
        }
        self.expand_parts(&segment, Quoting::None, true, &mut builder);
        self.single(builder, word.span)
    }

    /// The value of text that is expanded like a double-quoted string (here-documents, arithmetic).
    pub(crate) fn expand_quoted(&mut self, word: &Word) -> Value {
        self.joined_over_ways(word, |interp| {
            let builder = interp.built(&word.parts, Quoting::Double);
            interp.single(builder, word.span)
        })
    }

    /// The pieces of a word. Its text and its fields draw on the budget.
    fn built(&mut self, parts: &[Part], quoting: Quoting) -> Builder {
        let mut builder = Builder::default();
        self.expand_parts(parts, quoting, quoting == Quoting::None, &mut builder);
        let steps = builder.take_steps();
        if steps > 0 {
            self.spend(steps, Span::default());
        }
        builder
    }

    fn single(&mut self, builder: Builder, span: Span) -> Value {
        let value = builder.into_single(&self.join_character());
        self.report_cut(&value, self.span(span));
        value
    }

    /// What was left out of a value that became too long may name anything.
    fn report_cut(&mut self, value: &Value, span: Span) {
        if value.is_cut() {
            self.hidden_limit(span, "length of a value");
        }
    }

    /// Computed text that Bash expands once more (subscripts, `${x@P}`).
    pub(crate) fn expand_text(&mut self, text: &str) -> Value {
        match aegish_syntax::parse_double_quoted(text) {
            Ok(word) => self.expand_quoted(&word),
            Err(_) => Value::unknown("text that does not parse"),
        }
    }

    pub(super) fn expand_parts(
        &mut self,
        parts: &[Part],
        quoting: Quoting,
        tilde: bool,
        out: &mut Builder,
    ) {
        let quoted = quoting == Quoting::Double;
        for (index, part) in parts.iter().enumerate() {
            let steps = out.take_steps();
            if steps > 0 && !self.spend(steps, Span::default()) {
                out.piece(Piece::Unknown("work"), true);
                return;
            }
            match part {
                Part::Literal(text) => {
                    let mut text = text.as_str();
                    if tilde && !quoted && index == 0 && text.starts_with('~') {
                        let (home, rest) = self.leading_tilde(text, parts.len() == 1);
                        if let Some(home) = home {
                            out.value(&home, true, false);
                        }
                        text = rest;
                    }
                    out.text(text, quoted, false);
                }
                Part::Escaped(c) => out.text(c.encode_utf8(&mut [0; 4]), true, false),
                Part::SingleQuoted(text) | Part::AnsiC(text) => {
                    out.mark_quoted();
                    let mark = format!("${{{UNKNOWN_PART}}}");
                    // A part of the code that only a run knows.
                    match text.contains(&mark) {
                        true => {
                            let unknown = self.foreign(UNKNOWN_PART);
                            out.value(
                                &Value::known(text.as_str()).replace(&mark, &unknown),
                                true,
                                false,
                            );
                        }
                        false
                            if matches!(part, Part::AnsiC(_)) && self.is_on(Switch::PlainShell) =>
                        {
                            // Other shells take `$'…'` for a dollar and quoted text.
                            let either = Value::one_of([text.clone(), format!("${text}")]);
                            out.value(&either, true, false);
                        }
                        false => out.text(text, true, false),
                    }
                }
                Part::DoubleQuoted(inner) => {
                    // `"$@"` without parameters gives no field; any other quotes give one.
                    if !is_bare_list(inner) {
                        out.mark_quoted();
                    }
                    self.expand_parts(inner, Quoting::Double, false, out);
                }
                Part::Param(param) => self.expand_param(param, quoted, out),
                Part::Command(sub) => {
                    let before = (self.out.commands.len(), self.deferred.fed.len());
                    let mut value = self.run_substitution(&sub.body, self.span(sub.span));
                    drop_zero_bytes(&mut value);
                    trim_newlines(&mut value);
                    // `ls NAME` prints the name of a file, or what is in a directory.
                    if let [Piece::Text(file), Piece::AnyString] = value.pieces()
                        && let Some(file) =
                            file.strip_suffix('\n').filter(|name| !name.contains('\n'))
                    {
                        let mut names = Value::empty();
                        names.push(Piece::AnyString);
                        value = either_value(&Value::known(file), &names).tainted(value.taint());
                    }
                    if value.has_unknown() {
                        value = match out.is_path() {
                            true => self.with_own_words(value, before),
                            false => self.with_own_paths(value, before),
                        };
                    }
                    out.value(&value, quoted, true);
                }
                Part::Arith(word) => {
                    let number = self.arithmetic(word);
                    out.value(&self.number(number), quoted, true);
                }
                Part::Process(sub) => {
                    let name = self.run_process_substitution(sub);
                    out.value(&name, true, false);
                }
                Part::ExtGlob(kind, alternatives) => {
                    self.expand_extglob(*kind, alternatives, out);
                }
                Part::Array(elements) => {
                    // Only reached for declaration commands, which read the elements themselves.
                    for element in elements {
                        let value = self.expand_single(&element.value);
                        out.value(&value, true, false);
                    }
                }
            }
        }
    }

    /// The unknown output of commands as the end of a path: it may be one of the words that the text itself
    /// gives them, which the writer of the text knows and the analysis does not.
    fn with_own_words(&mut self, output: Value, (commands, fed): (usize, usize)) -> Value {
        let argv =
            self.out.commands.iter().skip(commands).flat_map(|command| command.argv.iter().skip(1));
        let given = argv.filter_map(Value::as_known);
        let fed = self.deferred.fed.iter().skip(fed).map(String::as_str);
        let inside = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let mut words: Vec<String> = Vec::new();
        let mut cut = false;
        // `shadow.XXX` may be cut to `shadow`.
        for word in given
            .chain(fed)
            .flat_map(|text| text.split(|c| !inside(c)))
            .flat_map(|word| std::iter::once(word).chain(word.split(['.', '-', '_'])))
        {
            let word = word.trim_matches(['.', '-']);
            if word.len() > 1 && !cut && !words.iter().any(|known| known == word) {
                cut = words.len() >= MAX_OWN_WORDS;
                words.push(word.to_owned());
            }
        }
        if cut {
            self.hidden_limit(Span::default(), "words of a substitution");
        }
        if let Some(listed) = self.listed_name(commands) {
            return listed.tainted(output.taint());
        }
        if words.is_empty() {
            return output;
        }
        words.push(String::new());
        let mut value = Value::one_of(words);
        value.append(&output);
        value
    }

    /// The unknown output of commands that are fed with paths by the text itself: it may be one of these.
    fn with_own_paths(&mut self, output: Value, (commands, fed): (usize, usize)) -> Value {
        let printed = self.out.commands.iter().skip(commands).filter(|command| {
            let name = command.argv.first().and_then(Value::as_known);
            matches!(name, Some("echo" | "printf"))
        });
        let printed = printed.flat_map(|command| command.argv.iter().skip(1));
        // A name that a pattern elsewhere matches, changed in some way.
        if let [Piece::Unknown(_)] = output.pieces()
            && let Some(pattern) = printed.clone().find(|word| word.is_path_pattern())
        {
            return pattern.clone().tainted(output.taint());
        }
        let fed = self.deferred.fed.iter().skip(fed).map(String::as_str);
        let value = or_paths_of(printed.filter_map(Value::as_known).chain(fed), output);
        value.unwrap_or_else(|output| {
            self.hidden_limit(Span::default(), "paths of a substitution");
            output
        })
    }

    /// The output of commands that list a directory of the system and select a name from it: any name in which the
    /// text stands that is searched for.
    fn listed_name(&self, commands: usize) -> Option<Value> {
        let commands = self.out.commands.get(commands..)?;
        let lists = commands.iter().any(|command| {
            matches!(command.program, Some("ls" | "dir" | "vdir"))
                && command.argv.iter().any(|word| word.known_prefix().starts_with('/'))
        });
        let searched =
            commands.iter().filter(|command| command.program == Some("grep")).find_map(|command| {
                let word = command.argv.get(1)?.as_known()?;
                word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then_some(word)
            });
        if !lists {
            return None;
        }
        let mut name = Value::empty();
        name.push(Piece::AnyString);
        if let Some(word) = searched {
            name.push_str(word);
            name.push(Piece::AnyString);
        }
        Some(name)
    }

    /// An extended glob is shown as `*`: it may match any of its alternatives, and more.
    fn expand_extglob(&mut self, _kind: char, alternatives: &[Word], out: &mut Builder) {
        self.note_extended();
        for alternative in alternatives {
            // Substitutions inside the alternatives run while the word is expanded.
            let _ = self.expand_single(alternative);
        }
        out.piece(Piece::AnyString, false);
        out.mark_several();
    }
}

/// The text of a word that no expansion changes. Most words are like that.
pub(super) fn unexpanded(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        // By bytes: a search for one of several characters decodes each of them.
        [Part::Literal(text)]
            if !text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'~')) =>
        {
            Some(text)
        }
        _ => None,
    }
}
