//! Ways to write a text that is not changed by expansion.

use super::Generator;
use crate::tree::Tree;

/// Whether a text needs no quotes.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

/// The plainest way to write a text.
pub(super) fn plain(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

impl Generator {
    /// The text, quoted in some way.
    pub(super) fn quoted(&mut self, text: &str) -> Tree {
        let simple = plain(text);
        let hex = |c: char| format!("\\x{:02x}", u32::from(c));
        let full = match self.random.below(7) {
            0 => format!("'{}'", text.replace('\'', "'\\''")),
            1 if !text.contains(['$', '`', '"', '\\', '!']) => format!("\"{text}\""),
            2 if text.is_ascii() && !text.is_empty() => {
                format!("$'{}'", text.chars().map(hex).collect::<String>())
            }
            3 if is_plain(text) => text.chars().flat_map(|c| ['\\', c]).collect(),
            4 if is_plain(text) && text.len() > 2 => {
                let at = 1 + self.random.below(text.len() - 2);
                format!("{}''\"{}\"", &text[..at], &text[at..])
            }
            _ => return Tree::text(simple),
        };
        Tree::choice("quotes", Tree::text(full), Tree::text(simple))
    }
}
