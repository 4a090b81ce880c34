//! Words as bash reads them back.

/// The words of an exec form, quoted where that is needed.
pub(crate) fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(quoted).collect();
    quoted.join(" ")
}

/// One word in single quotes, or as it is if nothing in it means something to bash.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn words_with_meaning_are_quoted() {
        assert_eq!(
            joined(["sh", "-c", "echo $HOME", "it's", ""]),
            "sh -c 'echo $HOME' 'it'\\''s' ''"
        );
    }
}
