//! From expanded pieces to fields: splitting, pattern characters, file names.

use crate::brackets;
use crate::element::Element;
use aegish_values::pattern::{self, Node};
use aegish_values::{MAX_ALTERNATIVES, Piece, Taint, Value, origin};

/// Collects the pieces of one word.
#[derive(Default, Clone)]
pub struct Builder {
    elements: Vec<Element>,
    taint: Taint,
    /// Work that the elements cost and that was not taken from the budget yet.
    work: usize,
}

/// Bytes of known text that cost one step.
const BYTES_PER_STEP: usize = 1024;
/// What a piece costs besides its text: 16 of them are one step.
const PIECE: usize = 64;
/// What a further field costs: with its piece, two of them are one step.
const FIELD: usize = 448;

impl Builder {
    /// Adds known text; `split` if it came from an unquoted expansion.
    pub fn text(&mut self, text: &str, quoted: bool, split: bool) {
        if !text.is_empty() {
            let piece = Piece::Text(text.into());
            self.elements.push(Element::Piece { piece, quoted, split });
        }
    }

    /// Adds a piece that is not split.
    pub fn piece(&mut self, piece: Piece, quoted: bool) {
        self.elements.push(Element::Piece { piece, quoted, split: false });
    }

    /// Adds the pieces of a value and its taint; `split` if it came from an unquoted expansion.
    pub fn value(&mut self, value: &Value, quoted: bool, split: bool) {
        if !value.each().is_empty() {
            self.work += PIECE * value.each().len();
            self.taint.absorb(value.taint());
            self.elements.push(Element::Value { value: value.clone(), quoted, split });
            return;
        }
        for piece in value.pieces() {
            self.work += PIECE + if let Piece::Text(text) = piece { text.len() } else { 0 };
            self.elements.push(Element::Piece { piece: piece.clone(), quoted, split });
        }
        self.taint.absorb(value.taint());
    }

    /// Steps to take from the budget for what was added.
    pub fn take_steps(&mut self) -> usize {
        let steps = self.work / BYTES_PER_STEP;
        self.work %= BYTES_PER_STEP;
        steps
    }

    /// Adds the boundary between two elements of `$@`, or of `$*` if `joined`.
    pub fn field_break(&mut self, joined: bool) {
        self.work += FIELD;
        self.elements.push(Element::Break { joined });
    }

    /// Whether the last piece is a path that the next piece continues.
    pub fn is_path(&self) -> bool {
        let piece = self.elements.iter().rev().find_map(|element| match element {
            Element::Piece { piece, .. } => Some(piece),
            _ => None,
        });
        let Some(Piece::Text(text)) = piece else { return false };
        text.rsplit([':', '=', ' ']).next().is_some_and(|path| path.contains('/'))
    }

    /// Adds quotes: the field exists even if it is empty.
    pub fn mark_quoted(&mut self) {
        self.elements.push(Element::Quotes);
    }

    /// The field stands for any number of words, as the element of a list that it comes from.
    pub fn mark_several(&mut self) {
        self.elements.push(Element::Several);
    }

    /// Everything as one value, without splitting or patterns.
    pub fn into_single(self, separator: &Value) -> Value {
        let mut value = Value::empty();
        for element in self.elements {
            match element {
                Element::Piece { piece, .. } => value.push(piece),
                Element::Value { value: one, .. } => value.append(&one),
                Element::Break { joined: true } => value.append(separator),
                Element::Break { joined: false } => value.push_str(" "),
                Element::Quotes | Element::Several => {}
            }
        }
        value.tainted(&self.taint)
    }

    /// The fields of the word, once for each text that a part to be split may be; `None` if there are too many.
    pub fn into_alternatives(mut self, ifs: Option<&str>) -> Option<Vec<Vec<Value>>> {
        let separators = ifs.unwrap_or("");
        let splits = |text: &String| {
            text.is_empty() || text.contains(|c| separators.contains(c) || "*?[".contains(c))
        };
        let at = self.elements.iter().position(|element| match element {
            Element::Piece { piece: Piece::OneOf(texts), quoted: false, split: true } => {
                texts.iter().any(splits)
            }
            Element::Value { quoted: false, .. } => true,
            _ => false,
        });
        let Some(at) = at else { return Some(vec![self.into_fields(ifs)]) };
        let rest = self.elements.split_off(at + 1);
        let (values, split): (Vec<Value>, bool) = match self.elements.pop()? {
            Element::Piece { piece: Piece::OneOf(texts), split, .. } => {
                (texts.into_iter().map(Value::known).collect(), split)
            }
            Element::Value { value, split, .. } => (value.each().to_vec(), split),
            _ => return None,
        };
        let mut all = Vec::new();
        for value in values {
            let (elements, taint) = (self.elements.clone(), self.taint.clone());
            let mut one = Self { elements, taint, work: 0 };
            one.value(&value, false, split);
            one.elements.extend(rest.iter().cloned());
            all.extend(one.into_alternatives(ifs)?);
            if all.len() > MAX_ALTERNATIVES {
                return None;
            }
        }
        Some(all)
    }

    /// The fields of the word; `ifs` is `None` if unknown (then nothing is split).
    fn into_fields(self, ifs: Option<&str>) -> Vec<Value> {
        let mut splitter = Splitter::default();
        let splits = ifs != Some("");
        let ifs = ifs.unwrap_or("");
        for element in brackets::joined(self.elements, ifs) {
            match element {
                Element::Quotes => splitter.started = true,
                Element::Several => splitter.several = true,
                Element::Break { .. } => splitter.finish(false),
                Element::Piece { piece: Piece::Text(text), quoted: true, .. } => {
                    splitter.current.push_str(&text);
                    splitter.started = true;
                }
                Element::Piece { piece: Piece::Text(text), split: true, .. } => {
                    splitter.split(&text, ifs);
                }
                Element::Piece { piece: Piece::Text(text), .. } => {
                    push_active(&mut splitter.current, &text);
                    splitter.started = true;
                }
                Element::Piece { piece, quoted, split } => {
                    splitter.several |= splits && split && !quoted && is_several(&piece);
                    splitter.current.push(piece);
                    splitter.started = true;
                }
                Element::Value { value, .. } => {
                    splitter.current.append(&value);
                    splitter.started = true;
                }
            }
        }
        splitter.finish(false);
        let taint = self.taint;
        if taint.is_none() {
            return splitter.fields;
        }
        splitter.fields.into_iter().map(|field| field.tainted(&taint)).collect()
    }
}

/// Whether a piece may be any number of words where it is split.
fn is_several(piece: &Piece) -> bool {
    matches!(piece, Piece::Unknown(why) if !origin::NUMBERS.contains(why))
}

#[derive(Default)]
struct Splitter {
    fields: Vec<Value>,
    current: Value,
    started: bool,
    /// Whether the current field stands for any number of words.
    several: bool,
}

impl Splitter {
    fn finish(&mut self, keep_empty: bool) {
        let several = std::mem::take(&mut self.several);
        if self.started || keep_empty {
            let field = std::mem::take(&mut self.current);
            self.fields.push(field.with_several(several));
        }
        self.started = false;
    }

    fn split(&mut self, text: &str, ifs: &str) {
        let mut run = String::new();
        let mut after_blank = false;
        for c in text.chars() {
            if !ifs.contains(c) {
                run.push(c);
                after_blank = false;
                continue;
            }
            if !run.is_empty() {
                push_active(&mut self.current, &run);
                self.started = true;
                run.clear();
            }
            let blank = matches!(c, ' ' | '\t' | '\n');
            if blank {
                if self.started {
                    self.finish(false);
                    after_blank = true;
                }
            } else if after_blank {
                // A blank before a delimiter belongs to it.
                after_blank = false;
            } else {
                self.finish(true);
            }
        }
        if !run.is_empty() {
            push_active(&mut self.current, &run);
            self.started = true;
        }
    }
}

/// Appends text in which pattern characters are active.
fn push_active(value: &mut Value, text: &str) {
    if !text.contains(['*', '?', '[']) && !text.contains("@(") {
        value.push_str(text);
        return;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        // `@(a|b)` is a pattern with `extglob`.
        if matches!(c, '@' | '+' | '?' | '*' | '!')
            && chars.get(at + 1) == Some(&'(')
            && let Some(length) =
                chars.get(at..).and_then(|rest| rest.iter().position(|c| *c == ')'))
        {
            value.push(Piece::AnyString);
            at += length + 1;
            continue;
        }
        match *c {
            '*' => value.push(Piece::AnyString),
            '?' => value.push(Piece::AnyChar),
            // In a value it protects the next character.
            '\\' if chars.get(at + 1).is_some() => {
                at += 1;
                chars.get(at).into_iter().for_each(|c| value.push_str(c.encode_utf8(&mut [0; 4])));
            }
            '[' => {
                if let Some((_, after)) = pattern::class(&chars, at) {
                    value.push(Piece::AnyOf(
                        chars.get(at..after).unwrap_or_default().iter().collect(),
                    ));
                    at = after;
                    continue;
                }
                value.push_str("[");
            }
            c => value.push_str(c.encode_utf8(&mut [0; 4])),
        }
        at += 1;
    }
}

/// The pattern a value stands for; `None` if a piece is unknown.
pub fn nodes(value: &Value) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    for piece in value.pieces() {
        match piece {
            Piece::Text(text) => nodes.extend(text.chars().map(Node::Char)),
            Piece::AnyString => nodes.push(Node::Star),
            Piece::AnyChar => nodes.push(Node::Any),
            Piece::AnyOf(class) => {
                let chars: Vec<char> = class.chars().collect();
                nodes.push(pattern::class(&chars, 0)?.0);
            }
            Piece::OneOf(_) | Piece::Unknown(_) => return None,
        }
    }
    Some(nodes)
}

/// Limit on directory entries read and on names returned.
const MAX_ENTRIES: usize = 4096;
const MAX_NAMES: usize = 512;

/// Returns the names in a directory; `None` if it cannot be listed or holds more than the limit.
pub type List<'a> = &'a dyn Fn(&str, usize) -> Option<Vec<String>>;

/// The file names a pattern matches, sorted; `None` if a directory on the way cannot be listed.
pub fn glob_names(value: &Value, cwd: &Value, list: List<'_>) -> Option<Vec<String>> {
    let nodes = nodes(value)?;
    let mut components: Vec<Vec<Node>> = vec![Vec::new()];
    for node in nodes {
        if matches!(node, Node::Char('/')) {
            components.push(Vec::new());
        } else if let Some(last) = components.last_mut() {
            last.push(node);
        }
    }
    let absolute = components.first().is_some_and(Vec::is_empty);
    // (name as displayed, path)
    let mut found: Vec<(String, String)> = if absolute {
        components.remove(0);
        vec![("/".to_owned(), "/".to_owned())]
    } else {
        let base = cwd.as_known().filter(|path| path.starts_with('/'))?;
        vec![(String::new(), format!("{}/", base.trim_end_matches('/')))]
    };
    let last = components.len().checked_sub(1)?;
    for (index, component) in components.iter().enumerate() {
        let slash = if index < last { "/" } else { "" };
        let literal: Option<String> = component
            .iter()
            .map(|node| if let Node::Char(c) = node { Some(*c) } else { None })
            .collect();
        let mut next = Vec::new();
        for (shown, place) in &found {
            if let Some(name) = &literal {
                // After a pattern the name must exist for the path to match.
                let matched = index > 0
                    && !name.is_empty()
                    && components.get(..index).unwrap_or_default().iter().any(|c| !is_literal(c));
                if matched && !list(place, MAX_ENTRIES).is_some_and(|all| all.contains(name)) {
                    continue;
                }
                next.push((format!("{shown}{name}{slash}"), format!("{place}{name}{slash}")));
                continue;
            }
            let hidden = matches!(component.first(), Some(Node::Char('.')));
            let Some(names) = list(place, MAX_ENTRIES) else {
                // What a pattern found may be a file; a directory that is named may hold anything.
                match components.get(..index).unwrap_or_default().iter().all(|c| is_literal(c)) {
                    true => return None,
                    false => continue,
                }
            };
            for name in names {
                let chars: Vec<char> = name.chars().collect();
                if (hidden || !name.starts_with('.')) && pattern::matches(component, &chars)? {
                    next.push((format!("{shown}{name}{slash}"), format!("{place}{name}{slash}")));
                }
            }
        }
        if next.len() > MAX_NAMES {
            return None;
        }
        found = next;
    }
    let mut names: Vec<String> = found.into_iter().map(|(shown, _)| shown).collect();
    names.sort();
    Some(names)
}

fn is_literal(component: &[Node]) -> bool {
    component.iter().all(|node| matches!(node, Node::Char(_)))
}

/// Text whose pattern characters are active, as `find -name` reads them.
pub fn as_pattern(text: &str) -> Value {
    let mut value = Value::empty();
    push_active(&mut value, text);
    value
}
