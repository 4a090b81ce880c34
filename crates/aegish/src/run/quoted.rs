//! Words → a text of the shell that means them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// One word is a text already; several are words.
pub(super) fn text(words: &[OsString]) -> OsString {
    if let [text] = words {
        return text.clone();
    }
    let mut text = Vec::new();
    for word in words {
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend(word_text(word));
    }
    OsString::from_vec(text)
}

fn word_text(word: &OsStr) -> Vec<u8> {
    let bytes = word.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(byte);
    match !bytes.is_empty() && bytes.iter().all(plain) {
        true => bytes.to_vec(),
        false => quoted(bytes),
    }
}

/// The text of a word that stands for exactly these bytes.
pub(crate) fn quoted(word: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\'';
    if word.iter().all(plain) {
        return [b"'", word, b"'"].concat();
    }
    let mut text = b"$'".to_vec();
    for byte in word {
        match byte {
            b'\'' | b'\\' => text.extend([b'\\', *byte]),
            b' '..=b'~' => text.push(*byte),
            other => text.extend(format!("\\x{other:02x}").bytes()),
        }
    }
    text.push(b'\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words_and_a_text_stays_a_text() {
        let of = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            text(&words).into_string().unwrap()
        };
        assert_eq!(of(&["make && ls *"]), "make && ls *");
        assert_eq!(of(&["git", "commit", "-m", "it's a *"]), r"git commit -m $'it\'s a *'");
        assert_eq!(of(&["echo", ""]), "echo ''");
    }
    #[test]
    fn a_quoted_word_stands_for_its_bytes() {
        assert_eq!(quoted(b"a b$c"), b"'a b$c'");
        assert_eq!(quoted(b"it's\n"), br"$'it\'s\x0a'");
        assert_eq!(quoted(b""), b"''");
    }
}
