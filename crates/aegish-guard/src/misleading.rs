//! Text that looks different from what bash reads.
//!
//! Takes the text, its tree and the expanded commands, gives findings for invisible and
//! direction-changing characters and for command names in look-alike letters. Plain ASCII costs one
//! pass over the bytes. Knows nothing of what the commands do.

use crate::rules::MISLEADING_TEXT;
use crate::{Action, Finding};
use aegish_effects::Analysis;
use aegish_syntax::{AssignmentValue, Command, CommandKind, Part, Script, Span, Word};

const INSTEAD: &str =
    "Type it anew with plain letters and spaces; quote names that need other characters.";

/// A character that is not what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trick {
    /// Changes the writing direction of the text after it.
    Direction,
    /// Has no width.
    Invisible,
    /// Looks like a space and separates nothing.
    Space,
}

impl Trick {
    fn of(c: char) -> Option<Self> {
        match c {
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => Some(Self::Direction),
            '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2064}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}' => Some(Self::Invisible),
            '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{2800}'
            | '\u{3000}' => Some(Self::Space),
            _ => None,
        }
    }

    fn describe(self, c: char) -> String {
        let what = match self {
            Self::Direction => "changes the direction of writing",
            Self::Invisible => "cannot be seen",
            Self::Space => "looks like a space but separates nothing",
        };
        format!("U+{:04X}, which {what}", u32::from(c))
    }
}

/// All findings, at most one per word and one for the rest of the text.
pub(crate) fn findings(text: &str, script: &Script, analysis: &Analysis) -> Vec<Finding> {
    let mut found = Vec::new();
    if text.is_ascii() {
        return found;
    }
    names(analysis, &mut found);
    if !text.chars().any(|c| Trick::of(c).is_some()) {
        return found;
    }
    for command in script.commands() {
        bare_words(command, &mut |word| bare_word(word, &mut found));
    }
    elsewhere(text, &mut found);
    found
}

/// Names of commands: letters that read like a known program, and anything that cannot be seen.
fn names(analysis: &Analysis, found: &mut Vec<Finding>) {
    for (index, command) in analysis.commands.iter().enumerate() {
        let Some(name) = command.argv.first().and_then(|name| name.as_known()) else { continue };
        if name.is_ascii() {
            continue;
        }
        let base = name.rsplit('/').next().unwrap_or(name);
        let reason = match name.chars().find_map(|c| Some((c, Trick::of(c)?))) {
            Some((c, trick)) => format!("the command name contains {}", trick.describe(c)),
            None => {
                let reads_like: Option<String> = base.chars().map(plain_letter).collect();
                match reads_like.filter(|plain| aegish_profiles::find(plain).is_some()) {
                    Some(plain) => format!(
                        "the command name reads like `{plain}` but is written in letters of another alphabet"
                    ),
                    None => continue,
                }
            }
        };
        let finding = finding(Action::Block, command.span, reason);
        found.push(Finding { command: Some(index), ..finding });
    }
}

/// Words of a command that bash splits and compares without quotes.
fn bare_words(command: &Command, each: &mut dyn FnMut(&Word)) {
    for redirect in &command.redirects {
        each(&redirect.target);
    }
    match &command.kind {
        CommandKind::Simple(simple) => {
            for assignment in &simple.assignments {
                if let AssignmentValue::Scalar(word) = &assignment.value {
                    each(word);
                }
            }
            simple.words.iter().for_each(each);
        }
        CommandKind::For { words, .. } | CommandKind::Select { words, .. } => {
            words.iter().flatten().for_each(each);
        }
        _ => {}
    }
}

fn bare_word(word: &Word, found: &mut Vec<Finding>) {
    if found.iter().any(|known| encloses(known.span, word.span)) {
        return;
    }
    let trick = word.parts.iter().find_map(|part| match part {
        Part::Literal(text) => first_trick(text),
        _ => None,
    });
    let Some((c, trick)) = trick else { return };
    // A space of another kind in an argument is mostly a file name; in a name it was caught above.
    let action = if trick == Trick::Space { Action::Warn } else { Action::Block };
    let reason = format!("a word contains {}", trick.describe(c));
    found.push(finding(action, word.span, reason));
}

/// In quotes, comments and here-documents only changes of the writing direction matter.
fn elsewhere(text: &str, found: &mut Vec<Finding>) {
    let hidden = text.char_indices().find(|(at, c)| {
        let here = Span::new(*at, at + c.len_utf8());
        Trick::of(*c) == Some(Trick::Direction)
            && !found.iter().any(|known| encloses(known.span, here))
    });
    if let Some((at, c)) = hidden {
        let reason = format!("the text contains {}", Trick::Direction.describe(c));
        found.push(finding(Action::Warn, Span::new(at, at + c.len_utf8()), reason));
    }
}

/// The first misleading character in unquoted text. A joiner between letters that are not ASCII is ordinary.
fn first_trick(text: &str) -> Option<(char, Trick)> {
    let mut before = 'a';
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let joins = matches!(c, '\u{200c}' | '\u{200d}')
            && !before.is_ascii()
            && letters.peek().is_some_and(|after| !after.is_ascii());
        if let Some(trick) = Trick::of(c).filter(|_| !joins) {
            return Some((c, trick));
        }
        before = c;
    }
    None
}

fn encloses(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn finding(action: Action, span: Span, reason: String) -> Finding {
    Finding {
        rule: &MISLEADING_TEXT,
        action,
        confidence: 0.9,
        span,
        command: None,
        reason,
        instead: Some(INSTEAD),
        open: false,
    }
}

/// Whether a character has no width or only changes the direction of others.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(Trick::of(c), Some(Trick::Invisible | Trick::Direction))
}

/// The ASCII character a reader takes this one for.
pub(crate) fn plain_letter(c: char) -> Option<char> {
    let plain = match c {
        _ if c.is_ascii() => c,
        // Cyrillic
        'а' => 'a',
        'Ь' | 'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ҽ' => 'e',
        'һ' => 'h',
        'і' | 'ı' | 'ɩ' | 'ι' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ℓ' | 'ⅼ' => 'l',
        'м' | 'ⅿ' => 'm',
        'п' | 'ո' => 'n',
        'о' | 'ο' | 'օ' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'ц' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'ᴢ' => 'z',
        'α' | 'ɑ' => 'a',
        'ɡ' => 'g',
        'ƒ' => 'f',
        'ε' => 'e',
        '‐' | '‑' | '‒' | '–' | '−' => '-',
        // Full-width forms and mathematical letters follow the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => return char::from_u32(u32::from(c) - 0xfee0),
        '\u{1d400}'..='\u{1d6a3}' => {
            let place = (u32::from(c) - 0x1d400) % 52;
            let base =
                if place < 26 { u32::from('A') + place } else { u32::from('a') + place - 26 };
            return char::from_u32(base);
        }
        _ => return None,
    };
    Some(plain)
}
