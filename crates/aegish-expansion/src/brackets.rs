//! Bracket expressions that are put together from several parts of a word: `["s"]`, `[\h]`, `[$x]`.

use crate::element::Element;
use aegish_values::pattern::{self, Node};
use aegish_values::{Piece, Value};

/// Brackets of a word that are looked at. Behind them anything may match.
const MOST: usize = 64;

/// Puts the parts of bracket expressions together that begin in one element and end in another one.
pub(crate) fn joined(elements: Vec<Element>, ifs: &str) -> Vec<Element> {
    let opens = |element: &Element| active(element).is_some_and(|(text, _)| text.contains('['));
    if elements.len() < 2 || !elements.iter().any(opens) {
        return elements;
    }
    let mut rest = elements;
    let mut done = Vec::with_capacity(rest.len());
    let mut looked = 0;
    while !rest.is_empty() {
        let first = rest.remove(0);
        let Some((text, split)) = active(&first) else {
            done.push(first);
            continue;
        };
        let chars: Vec<char> = text.chars().collect();
        let mut found = None;
        for at in open_brackets(&chars) {
            looked += 1;
            if looked > MOST {
                done.push(plain(Piece::AnyString));
                return done;
            }
            found = closed_later(&chars, at, &rest, ifs, split);
            if found.is_some() {
                let before: String = chars.get(..at).unwrap_or_default().iter().collect();
                done.push(Element::Piece {
                    piece: Piece::Text(before.into()),
                    quoted: false,
                    split,
                });
                break;
            }
        }
        let Some(found) = found else {
            done.push(first);
            continue;
        };
        done.push(plain(found.piece));
        rest.drain(..found.elements);
        rest.insert(0, found.behind);
    }
    done
}

fn plain(piece: Piece) -> Element {
    Element::Piece { piece, quoted: false, split: false }
}

/// The text of an element in which pattern characters count, and whether it is split.
fn active(element: &Element) -> Option<(&str, bool)> {
    match element {
        Element::Piece { piece: Piece::Text(text), quoted: false, split } => Some((text, *split)),
        _ => None,
    }
}

/// Places of brackets that the text itself does not close.
fn open_brackets(chars: &[char]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match (c, pattern::class(chars, at)) {
            ('[', Some((_, after))) => at = after,
            ('[', None) => {
                places.push(at);
                at += 1;
            }
            _ => at += 1,
        }
    }
    places
}

struct Found {
    piece: Piece,
    /// Elements that it takes.
    elements: usize,
    /// What is left of the last one.
    behind: Element,
}

/// The bracket expression that begins at a place of a text and ends in one of the next elements.
fn closed_later(
    chars: &[char],
    at: usize,
    rest: &[Element],
    ifs: &str,
    split: bool,
) -> Option<Found> {
    let mut written: String = chars.get(at..)?.iter().collect();
    if split && written.contains(|c| ifs.contains(c)) {
        return None;
    }
    // One of several texts, or one that is not known: the characters of all of them, or any.
    let (mut several, mut any) = (false, false);
    for (index, element) in rest.iter().enumerate() {
        match element {
            Element::Piece { piece: Piece::Text(text), quoted: true, .. } => {
                text.chars().for_each(|c| written.extend(['\\', c]));
            }
            Element::Piece { piece: Piece::Text(text), split, .. } => {
                let before = written.chars().count();
                written.push_str(text);
                let all: Vec<char> = written.chars().collect();
                let Some((node, after)) = pattern::class(&all, 0) else {
                    if *split && text.contains(|c| ifs.contains(c)) {
                        return None;
                    }
                    continue;
                };
                let inside: String = text.chars().take(after.saturating_sub(before)).collect();
                if *split && inside.contains(|c| ifs.contains(c)) {
                    return None;
                }
                let negated = matches!(node, Node::Class { negated: true, .. });
                let behind: String = all.get(after..).unwrap_or_default().iter().collect();
                return Some(Found {
                    piece: match any || several && negated {
                        true => Piece::AnyChar,
                        false => Piece::AnyOf(written_class(&node)?),
                    },
                    elements: index + 1,
                    behind: Element::Piece {
                        piece: Piece::Text(behind.into()),
                        quoted: false,
                        split: *split,
                    },
                });
            }
            Element::Piece { piece: Piece::OneOf(texts), .. } => {
                several = true;
                texts.iter().flat_map(|text| text.chars()).for_each(|c| written.extend(['\\', c]));
            }
            Element::Piece { piece: Piece::Unknown(why), .. } => {
                any |= Value::unknown(why).is_one_of_many();
            }
            Element::Piece { .. } | Element::Value { .. } => any = true,
            Element::Quotes => {}
            Element::Break { .. } | Element::Several => return None,
        }
    }
    None
}

/// A bracket expression as text without quotes: characters that mean something stand where they do not.
fn written_class(node: &Node) -> Option<String> {
    let Node::Class { negated, ranges } = node else { return None };
    let (mut first, mut middle, mut last) = (String::new(), String::new(), String::new());
    for (low, high) in ranges {
        match (low == high, low) {
            (true, ']') => first.push(']'),
            (true, '!' | '^' | '-') => last.push(*low),
            (true, '\\' | '[') => middle.extend(['\\', *low]),
            (true, c) => middle.push(*c),
            (false, _) => middle.extend([*low, '-', *high]),
        }
    }
    // A dash is one at the end, `!` and `^` are anywhere but at the beginning.
    let mut last: Vec<char> = last.chars().collect();
    last.sort_unstable_by_key(|c| *c == '-');
    let only_marks = first.is_empty() && middle.is_empty() && !negated;
    if only_marks && matches!(last.first(), Some('!' | '^')) {
        middle.push('\\');
    }
    let last: String = last.into_iter().collect();
    Some(format!("[{}{first}{middle}{last}]", if *negated { "!" } else { "" }))
}

#[cfg(test)]
mod tests {
    use crate::Builder;
    use aegish_values::{Piece, Value};

    fn word(parts: &[(&str, bool)]) -> Vec<Value> {
        let mut builder = Builder::default();
        for (text, quoted) in parts {
            builder.text(text, *quoted, false);
        }
        builder.into_alternatives(Some(" \t\n")).unwrap().remove(0)
    }

    #[test]
    fn quoted_characters_belong_to_a_bracket_expression() {
        let fields = word(&[("/etc/[", false), ("s", true), ("]hadow", false)]);
        assert_eq!(fields.len(), 1);
        let pieces = [
            Piece::Text("/etc/".into()),
            Piece::AnyOf("[s]".to_owned()),
            Piece::Text("hadow".into()),
        ];
        assert_eq!(fields.first().map(Value::pieces), Some(pieces.as_slice()));
    }

    #[test]
    fn a_quoted_bracket_closes_nothing() {
        let fields = word(&[("[a", false), ("]", true), ("b", false)]);
        assert_eq!(fields.first().and_then(Value::as_known), Some("[a]b"));
    }
}
