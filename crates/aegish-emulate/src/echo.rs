//! `echo` as bash's builtin, and the backslash escapes it shares with `printf`.

/// The context of a backslash escape. Bash reads octal digits differently in each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeContext {
    /// `echo -e`: octal needs a leading zero.
    Echo,
    /// The argument of `%b`: a leading zero is allowed.
    PercentB,
    /// `echo` of shells other than Bash: octal with or without a zero, no other numbers.
    PlainEcho,
    /// The format of `printf`: up to three octal digits, no `\c`.
    Format,
}

/// Whether output continues after an escape.
#[derive(PartialEq, Eq)]
pub(super) enum AfterEscape {
    Continue,
    /// `\c` was seen.
    Stop,
}

pub(super) fn echo(args: &[&str]) -> Option<Vec<u8>> {
    let mut escapes = false;
    let mut newline = true;
    let mut words = args;
    while let Some((first, rest)) = words.split_first() {
        let Some(letters) = first.strip_prefix('-') else {
            break;
        };
        if letters.is_empty() || !letters.chars().all(|c| matches!(c, 'n' | 'e' | 'E')) {
            break;
        }
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        words = rest;
    }
    let text = words.join(" ");
    let mut out = Vec::with_capacity(text.len() + 1);
    if escapes {
        if unescape(&text, EscapeContext::Echo, &mut out) == AfterEscape::Stop {
            return Some(out);
        }
    } else {
        out.extend_from_slice(text.as_bytes());
    }
    if newline {
        out.push(b'\n');
    }
    Some(out)
}

/// As `echo` of a shell that reads escapes always, and has no option but `-n`; empty if that is the same as in Bash.
pub fn plain_echo(args: &[&str]) -> Option<Vec<u8>> {
    let first = args.first().copied().unwrap_or_default();
    let options = first.starts_with('-') && first != "-n"
        || first == "-n" && args.get(1).is_some_and(|next| next.starts_with('-'));
    if !options && !args.iter().any(|word| word.contains('\\')) {
        return None;
    }
    let words = args.strip_prefix(&["-n"]).unwrap_or(args);
    let mut out = Vec::new();
    let ended = unescape(&words.join(" "), EscapeContext::PlainEcho, &mut out);
    if ended == AfterEscape::Continue && words.len() == args.len() {
        out.push(b'\n');
    }
    Some(out)
}

/// Appends `text` with its escapes replaced.
pub(super) fn unescape(text: &str, context: EscapeContext, out: &mut Vec<u8>) -> AfterEscape {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(rest.as_bytes().get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        match escape(&mut rest, context, out) {
            AfterEscape::Continue => {}
            AfterEscape::Stop => return AfterEscape::Stop,
        }
    }
    out.extend_from_slice(rest.as_bytes());
    AfterEscape::Continue
}

/// Reads one escape; `rest` begins after the backslash and is moved past the escape.
pub(super) fn escape(rest: &mut &str, context: EscapeContext, out: &mut Vec<u8>) -> AfterEscape {
    let Some(letter) = rest.chars().next() else {
        out.push(b'\\');
        return AfterEscape::Continue;
    };
    let whole = *rest;
    *rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    match letter {
        'e' | 'E' | 'x' | 'u' | 'U' | '"' | '\'' | '?' if context == EscapeContext::PlainEcho => {
            out.extend([b'\\', letter as u8]);
        }
        'a' => out.push(7),
        'b' => out.push(8),
        'e' | 'E' => out.push(27),
        'f' => out.push(12),
        'n' => out.push(b'\n'),
        'r' => out.push(b'\r'),
        't' => out.push(b'\t'),
        'v' => out.push(11),
        '\\' => out.push(b'\\'),
        'c' if context != EscapeContext::Format => return AfterEscape::Stop,
        '"' | '\'' | '?' if context != EscapeContext::Echo => out.push(letter as u8),
        '0'..='7' => {
            let digits = match context {
                EscapeContext::Echo if letter == '0' => take(rest, 8, 3),
                EscapeContext::Echo => {
                    out.push(b'\\');
                    out.push(letter as u8);
                    return AfterEscape::Continue;
                }
                EscapeContext::PercentB | EscapeContext::PlainEcho if letter == '0' => {
                    take(rest, 8, 3)
                }
                EscapeContext::PercentB | EscapeContext::PlainEcho | EscapeContext::Format => {
                    *rest = whole;
                    take(rest, 8, 3)
                }
            };
            out.push((u32::from_str_radix(digits, 8).unwrap_or(0) & 0xff) as u8);
        }
        'x' => {
            let digits = take(rest, 16, 2);
            match u8::from_str_radix(digits, 16) {
                Ok(byte) => out.push(byte),
                Err(_) => out.extend_from_slice(b"\\x"),
            }
        }
        'u' | 'U' => {
            let digits = take(rest, 16, if letter == 'u' { 4 } else { 8 });
            match u32::from_str_radix(digits, 16) {
                Ok(code) => push_code(code, out),
                Err(_) => {
                    out.push(b'\\');
                    out.push(letter as u8);
                }
            }
        }
        other => {
            out.push(b'\\');
            out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    AfterEscape::Continue
}

/// UTF-8 without the restriction to scalar values, as bash writes it.
pub(super) fn push_code(code: u32, out: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | ((code >> shift) & 0x3f) as u8;
    match code {
        0..=0x7f => out.push(code as u8),
        0x80..=0x7ff => out.extend([0xc0 | (code >> 6) as u8, tail(0)]),
        0x800..=0xffff => out.extend([0xe0 | (code >> 12) as u8, tail(6), tail(0)]),
        0x1_0000..=0x1f_ffff => {
            out.extend([0xf0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]);
        }
        _ => {}
    }
}

/// Reads at most `most` digits of the given base.
pub(super) fn take<'a>(rest: &mut &'a str, base: u32, most: usize) -> &'a str {
    let length = rest.chars().take(most).take_while(|c| c.is_digit(base)).count();
    let (digits, tail) = rest.split_at(length);
    *rest = tail;
    digits
}
