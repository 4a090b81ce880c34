//! Escapes of Tcl.

/// Adds what the escape stands for that a text starts with, behind its backslash. Returns its length.
pub(crate) fn escape(rest: &str, out: &mut String) -> usize {
    let Some(first) = rest.chars().next() else {
        out.push('\\');
        return 0;
    };
    let number = |skip: usize, most: usize, base: u32| {
        let digits = rest.get(skip..).unwrap_or("");
        let length = digits.chars().take(most).take_while(|c| c.is_digit(base)).count();
        let value = u32::from_str_radix(digits.get(..length).unwrap_or(""), base).ok();
        (value.map(|value| char::from_u32(value).unwrap_or('\u{fffd}')), skip + length)
    };
    let simple = match first {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\n' => {
            out.push(' ');
            return 1 + blanks(rest.get(1..).unwrap_or(""));
        }
        'x' | 'u' | 'U' => {
            let most = match first {
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            let (found, length) = number(1, most, 16);
            out.push(found.unwrap_or(first));
            return length;
        }
        '0'..='7' => {
            let (found, length) = number(0, 3, 8);
            out.push(found.unwrap_or(first));
            return length;
        }
        other => other,
    };
    out.push(simple);
    first.len_utf8()
}

/// Blanks and tabs at the start of a text.
pub(crate) fn blanks(text: &str) -> usize {
    text.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The text in braces: only a backslash before the end of a line means something.
pub(crate) fn joined_lines(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or(""));
        let behind = rest.get(at + 1..).unwrap_or("");
        if let Some(next) = behind.strip_prefix('\n') {
            out.push(' ');
            rest = next.get(blanks(next)..).unwrap_or("");
        } else {
            out.push('\\');
            let length = behind.chars().next().map_or(0, char::len_utf8);
            out.push_str(behind.get(..length).unwrap_or(""));
            rest = behind.get(length..).unwrap_or("");
        }
    }
    out.push_str(rest);
    out
}
