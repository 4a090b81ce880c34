//! `split`: the files into which it cuts its input.

use super::options::{ParsedOptions, parse};

/// With so few pieces, every kind of suffix keeps the length that it has at first.
const MOST_PIECES: usize = 64;

/// The names and contents of the files that `split` makes of this input, given its arguments; `None` if that is not
/// followed.
#[must_use]
pub fn split(args: &[&str], input: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let long = [
        ("lines", 'l'),
        ("bytes", 'b'),
        ("suffix-length", 'a'),
        ("numeric-suffixes", 'D'),
        ("hex-suffixes", 'X'),
        ("additional-suffix", 'S'),
        ("elide-empty-files", 'e'),
        ("unbuffered", 'u'),
        ("verbose", 'v'),
    ];
    let parsed = parse(args, "l:b:a:dxD::X::S:euv", &long)?;
    let pieces: Vec<&[u8]> = match (parsed.value('b'), parsed.value('l')) {
        (Some(_), Some(_)) => return None,
        (Some(size), None) => input.chunks(positive(size)?).collect(),
        (None, lines) => in_lines(input, lines.map_or(Some(1000), positive)?),
    };
    if pieces.len() > MOST_PIECES || parsed.operands.len() > 2 {
        return None;
    }
    let start = parsed.operands.get(1).copied().unwrap_or("x");
    let end = parsed.value('S').unwrap_or("");
    let named = |(index, piece): (usize, &[u8])| {
        Some((format!("{start}{}{end}", suffix(index, &parsed)?), piece.to_vec()))
    };
    pieces.into_iter().enumerate().map(named).collect()
}

fn positive(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number| *number > 0)
}

fn in_lines(input: &[u8], count: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = input;
    while !rest.is_empty() {
        let mut ends = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let end = ends.nth(count - 1).map_or(rest.len(), |(at, _)| at + 1);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn suffix(index: usize, parsed: &ParsedOptions<'_>) -> Option<String> {
    let length = parsed.value('a').map_or(Some(2), positive)?;
    let first = |letter| match parsed.value(letter) {
        None | Some("") => Some(0),
        Some(from) => from.parse::<usize>().ok(),
    };
    let (decimal, hex) = (parsed.has('d') || parsed.has('D'), parsed.has('x') || parsed.has('X'));
    let written = match (decimal, hex) {
        (true, true) => return None,
        (true, false) => format!("{:0length$}", index + first('D')?),
        (false, true) => format!("{:0length$x}", index + first('X')?),
        (false, false) => {
            let mut letters = vec![b'a'; length];
            let mut rest = index;
            for letter in letters.iter_mut().rev() {
                *letter += u8::try_from(rest % 26).ok()?;
                rest /= 26;
            }
            String::from_utf8(letters).ok()?
        }
    };
    (written.len() == length).then_some(written)
}
