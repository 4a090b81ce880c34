//! Untrusted text → plain text that is safe to show.
//!
//! Escape sequences are removed completely, so that no `[31m` remains, and so are control characters,
//! characters that change the direction of writing, and invisible ones. White space becomes single spaces.

/// `text` without control sequences, cut after `most` characters.
pub(crate) fn plain_text(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let c = match c {
            '\u{1b}' => {
                skip_escape(&mut chars);
                continue;
            }
            '\u{9b}' => {
                skip_control_sequence(&mut chars);
                continue;
            }
            '\u{2028}' | '\u{2029}' | '\u{85}' => ' ',
            c if c.is_whitespace() => ' ',
            c if c.is_control() || invisible(c) => continue,
            c => c,
        };
        if c == ' ' && (out.is_empty() || out.ends_with(' ')) {
            continue;
        }
        if count == most {
            break;
        }
        out.push(c);
        count += 1;
    }
    out.truncate(out.trim_end().len());
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips the rest of an escape sequence: a control sequence, a string up to its end, or one character.
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // Ends at BEL, ST or the line's end; without one it would eat the whole reason.
            let mut ahead = chars.clone();
            ahead.next();
            while let Some(c) = ahead.next() {
                match c {
                    '\u{7}' | '\u{9c}' => {
                        *chars = ahead;
                        return;
                    }
                    '\u{1b}' => {
                        ahead.next_if_eq(&'\\');
                        *chars = ahead;
                        return;
                    }
                    '\n' | '\r' => break,
                    _ => {}
                }
            }
            chars.next();
        }
        Some(' '..='~') => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_control_sequence(chars: &mut Chars<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Characters that change how others are shown, or that are not shown at all.
pub(crate) fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
