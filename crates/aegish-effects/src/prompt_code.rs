//! What bash runs when it expands a prompt.

/// Ends the text of a prompt. A prompt with this line in it cannot be written as code.
const END: &str = "__aegish_end_of_prompt";

/// A command that runs what bash runs when it expands this prompt, and nothing else.
///
/// A prompt is expanded as in double quotes, but quotes mean nothing in it, which is how bash expands a
/// here-document. Before that bash replaces its own escapes: only octal numbers yield characters that are then
/// expanded. `None` if there is no such command.
#[must_use]
pub fn prompt_code(prompt: &str) -> Option<String> {
    let text = with_octal_numbers(prompt);
    let fits = !text.contains('\0') && text.lines().all(|line| line != END);
    fits.then(|| format!(": <<{END}\n{text}\n{END}\n"))
}

/// Whether bash may run a command or change a variable when it expands the prompt.
pub(crate) fn expands(prompt: &str) -> bool {
    with_octal_numbers(prompt).contains(['$', '`'])
}

/// Replaces `\nnn` by the character.
fn with_octal_numbers(prompt: &str) -> String {
    let mut text = String::with_capacity(prompt.len());
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let digits = after.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let number = after.get(..digits).and_then(|digits| u32::from_str_radix(digits, 8).ok());
        // Only the lowest byte counts.
        match number.and_then(|number| char::from_u32(number & 0xff)) {
            Some(c) => {
                text.push(c);
                rest = after.get(digits..).unwrap_or_default();
            }
            None => {
                let next = after.chars().next();
                text.push('\\');
                text.extend(next);
                rest = after.get(next.map_or(0, char::len_utf8)..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_numbers_are_characters_and_other_escapes_stay() {
        assert_eq!(
            with_octal_numbers(r"\044(date) \w\$ \\044 \140x\140"),
            r"$(date) \w\$ \\044 `x`"
        );
        assert_eq!(with_octal_numbers(r"\033[1m\n\"), "\u{1b}[1m\\n\\");
    }

    #[test]
    fn a_prompt_cannot_end_its_own_text() {
        assert!(prompt_code("\\w\\$ ").is_some());
        assert_eq!(prompt_code("x\n__aegish_end_of_prompt\nls"), None);
        assert_eq!(prompt_code("x\\012__aegish_end_of_prompt\\012ls"), None);
    }
}
