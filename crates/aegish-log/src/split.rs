//! The elements of a JSON array, one at a time, without holding the array.

use std::io::{self, BufRead};

/// Reads an array and returns each of its elements as text.
///
/// Looks only at quotes and brackets; the reader of an element checks whether it is JSON.
pub(super) struct Elements<R> {
    bytes: R,
    state: ArrayPosition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayPosition {
    /// Before the array.
    Before,
    /// Inside.
    Within,
    /// After the array.
    After,
}

impl<R: BufRead> Elements<R> {
    /// The stream is positioned before `[`.
    pub(super) fn new(bytes: R) -> Self {
        Self { bytes, state: ArrayPosition::Before }
    }

    /// The next element; `None` after the last.
    ///
    /// # Errors
    ///
    /// If the stream ends inside the array, or is not an array.
    pub(super) fn next(&mut self, element: &mut Vec<u8>) -> io::Result<bool> {
        element.clear();
        if self.state == ArrayPosition::Before {
            match self.byte_after_space()? {
                Some(b'[') => self.state = ArrayPosition::Within,
                _ => return Err(invalid("there is no list where one should be")),
            }
        }
        if self.state == ArrayPosition::After {
            return Ok(false);
        }
        let Some(mut byte) = self.byte_after_space()? else { return Err(cut_off()) };
        if byte == b',' {
            let Some(next) = self.byte_after_space()? else { return Err(cut_off()) };
            byte = next;
        }
        if byte == b']' {
            self.state = ArrayPosition::After;
            return Ok(false);
        }
        element.push(byte);
        copy_value(&mut self.bytes, byte, element)?;
        Ok(true)
    }

    fn byte_after_space(&mut self) -> io::Result<Option<u8>> {
        next_byte(&mut self.bytes)
    }
}

/// The next byte that is not white space.
pub(super) fn next_byte(bytes: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let buffer = bytes.fill_buf()?;
        let Some(at) = buffer.iter().position(|byte| !byte.is_ascii_whitespace()) else {
            let all = buffer.len();
            if all == 0 {
                return Ok(None);
            }
            bytes.consume(all);
            continue;
        };
        let byte = buffer[at];
        bytes.consume(at + 1);
        return Ok(Some(byte));
    }
}

/// Copies the rest of a value after its first byte. A number ends before the byte after it.
pub(super) fn copy_value(
    bytes: &mut impl BufRead,
    first: u8,
    out: &mut impl Extend<u8>,
) -> io::Result<()> {
    let mut depth = match first {
        b'{' | b'[' => 1,
        b'"' => 0,
        _ => return copy_word(bytes, out),
    };
    let mut quoted = first == b'"';
    let mut escaped = false;
    loop {
        let buffer = bytes.fill_buf()?;
        if buffer.is_empty() {
            return Err(cut_off());
        }
        let mut end = None;
        for (at, byte) in buffer.iter().enumerate() {
            if quoted {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' => escaped = true,
                    b'"' => quoted = false,
                    _ => continue,
                }
                if quoted || depth > 0 {
                    continue;
                }
            } else {
                match byte {
                    b'"' => quoted = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => continue,
                }
                if quoted || depth > 0 {
                    continue;
                }
            }
            end = Some(at + 1);
            break;
        }
        let taken = end.unwrap_or(buffer.len());
        out.extend(buffer[..taken].iter().copied());
        bytes.consume(taken);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn copy_word(bytes: &mut impl BufRead, out: &mut impl Extend<u8>) -> io::Result<()> {
    loop {
        let buffer = bytes.fill_buf()?;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
        let end = buffer.iter().position(ends);
        let taken = end.unwrap_or(buffer.len());
        out.extend(buffer[..taken].iter().copied());
        bytes.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(());
        }
    }
}

fn cut_off() -> io::Error {
    invalid("it is cut off")
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Elements;
    use std::io::BufReader;

    fn elements(text: &str, buffer: usize) -> Result<Vec<String>, String> {
        let mut elements = Elements::new(BufReader::with_capacity(buffer, text.as_bytes()));
        let (mut all, mut element) = (Vec::new(), Vec::new());
        while elements.next(&mut element).map_err(|error| error.to_string())? {
            all.push(String::from_utf8_lossy(&element).into_owned());
        }
        Ok(all)
    }

    #[test]
    fn elements_are_split_whatever_they_contain() {
        let text =
            r#" [ {"a]": "}\"\\", "b": [1, {}]} , "x,\"]" ,12,-3e4 , null,[[],[]],{}, true ] "#;
        let expected = [
            r#"{"a]": "}\"\\", "b": [1, {}]}"#,
            r#""x,\"]""#,
            "12",
            "-3e4",
            "null",
            "[[],[]]",
            "{}",
            "true",
        ];
        for buffer in [1, 2, 3, 7, 1000] {
            assert_eq!(elements(text, buffer).as_deref(), Ok(&expected.map(str::to_owned)[..]));
        }
        assert_eq!(elements("[]", 8), Ok(Vec::new()));
    }

    #[test]
    fn an_array_truncated_at_any_byte_is_an_error() {
        let text = r#"[{"a": "b"}, 5, "c"]"#;
        for end in 0..text.len() {
            assert!(elements(&text[..end], 4).is_err(), "{}", &text[..end]);
        }
    }
}
