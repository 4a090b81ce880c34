//! Programs that split or join lines: `cut`, `paste`, `fold`.

use super::options::{count, parse};
use super::{MAX_OUTPUT, ProgramCall, split_lines};

/// Inclusive ranges, counted from one.
type Ranges = Vec<(usize, usize)>;

fn ranges(list: &str) -> Option<Ranges> {
    let mut ranges = Vec::new();
    for item in list.split([',', ' ']) {
        let (low, high) = match item.split_once('-') {
            None => {
                let one: usize = item.parse().ok()?;
                (one, one)
            }
            Some(("", "")) => return None,
            Some((low, "")) => (low.parse().ok()?, usize::MAX),
            Some(("", high)) => (1, high.parse().ok()?),
            Some((low, high)) => (low.parse().ok()?, high.parse().ok()?),
        };
        if low == 0 || high < low {
            return None;
        }
        ranges.push((low, high));
    }
    ranges.sort_unstable();
    let mut merged: Ranges = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match merged.last_mut() {
            Some(last) if low <= last.1 => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    Some(merged)
}

fn complemented(ranges: &Ranges) -> Ranges {
    let mut out = Vec::new();
    let mut next = 1;
    for (low, high) in ranges {
        if *low > next {
            out.push((next, low - 1));
        }
        next = high.saturating_add(1);
    }
    if next < usize::MAX {
        out.push((next, usize::MAX));
    }
    out
}

pub(super) fn cut(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "b:c:f:d:snCO:z",
        &[
            ("bytes", 'b'),
            ("characters", 'c'),
            ("fields", 'f'),
            ("delimiter", 'd'),
            ("only-delimited", 's'),
            ("complement", 'C'),
            ("output-delimiter", 'O'),
            ("zero-terminated", 'z'),
        ],
    )?;
    let (fields, list) = match (parsed.value('b'), parsed.value('c'), parsed.value('f')) {
        (Some(list), None, None) | (None, Some(list), None) => (false, list),
        (None, None, Some(list)) => (true, list),
        _ => return None,
    };
    let mut wanted = ranges(list)?;
    if parsed.has('C') {
        wanted = complemented(&wanted);
    }
    let delimiter = match parsed.value('d') {
        None => b'\t',
        Some("") => 0,
        Some(text) => match text.as_bytes() {
            [byte] => *byte,
            _ => return None,
        },
    };
    let end = if parsed.has('z') { 0 } else { b'\n' };
    let glue = parsed.value('O').map(str::as_bytes);
    let input = call.input(&parsed.operands)?;
    let mut out = Vec::new();
    for line in input.split_inclusive(|byte| *byte == end) {
        let line = line.strip_suffix(&[end]).unwrap_or(line);
        if fields {
            if !line.contains(&delimiter) {
                if parsed.has('s') {
                    continue;
                }
                out.extend_from_slice(line);
            } else {
                let pieces: Vec<&[u8]> = line.split(|byte| *byte == delimiter).collect();
                let mut chosen: Vec<&[u8]> = Vec::new();
                for (low, high) in &wanted {
                    let high = (*high).min(pieces.len());
                    chosen.extend(pieces.get(low - 1..high).unwrap_or(&[]));
                }
                out.extend(chosen.join(glue.unwrap_or(&[delimiter])));
            }
        } else {
            let mut first = true;
            for (low, high) in &wanted {
                let high = (*high).min(line.len());
                let Some(piece) = line.get(low - 1..high).filter(|piece| !piece.is_empty()) else {
                    continue;
                };
                if !first {
                    out.extend_from_slice(glue.unwrap_or(b""));
                }
                out.extend_from_slice(piece);
                first = false;
            }
        }
        out.push(end);
    }
    Some(out)
}

pub(super) fn paste(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "sd:", &[("serial", 's'), ("delimiters", 'd')])?;
    let delimiters = delimiter_list(parsed.value('d').unwrap_or("\t"))?;
    let names = if parsed.operands.is_empty() { vec!["-"] } else { parsed.operands.clone() };
    let between = |index: usize| -> &[u8] {
        match delimiters.get(index % delimiters.len().max(1)) {
            Some(Some(byte)) => std::slice::from_ref(byte),
            _ => b"",
        }
    };
    let mut out = Vec::new();
    if parsed.has('s') {
        for (at, name) in names.iter().enumerate() {
            // The input was read to its end before.
            let again = *name == "-" && names.get(..at).is_some_and(|names| names.contains(&"-"));
            let content = if again { Vec::new() } else { call.file(name)? };
            for (index, line) in split_lines(&content).enumerate() {
                if index > 0 {
                    out.extend_from_slice(between(index - 1));
                }
                out.extend_from_slice(line);
            }
            out.push(b'\n');
        }
        return Some(out);
    }
    // Several `-` read alternate lines of the same input.
    let reads_input = names.contains(&"-");
    let input = if reads_input { call.stdin? } else { &[] };
    let stdin: Vec<&[u8]> = split_lines(input).collect();
    let files: Vec<Option<Vec<u8>>> = names
        .iter()
        .map(|name| if *name == "-" { Some(None) } else { call.file(name).map(Some) })
        .collect::<Option<_>>()?;
    let mut sources: Vec<Option<std::vec::IntoIter<&[u8]>>> = files
        .iter()
        .map(|file| file.as_ref().map(|text| split_lines(text).collect::<Vec<_>>().into_iter()))
        .collect();
    let mut shared = stdin.into_iter();
    loop {
        let mut any = false;
        let mut row: Vec<u8> = Vec::new();
        for (index, source) in sources.iter_mut().enumerate() {
            if index > 0 {
                row.extend_from_slice(between(index - 1));
            }
            let line = match source {
                Some(lines) => lines.next(),
                None => shared.next(),
            };
            if let Some(line) = line {
                any = true;
                row.extend_from_slice(line);
            }
        }
        if !any {
            return Some(out);
        }
        out.extend(row);
        out.push(b'\n');
        if out.len() > MAX_OUTPUT {
            return None;
        }
    }
}

fn delimiter_list(text: &str) -> Option<Vec<Option<u8>>> {
    let mut list = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        list.push(match byte {
            b'\\' => match bytes.next()? {
                b'0' => None,
                b'n' => Some(b'\n'),
                b't' => Some(b'\t'),
                b'\\' => Some(b'\\'),
                b'r' => Some(b'\r'),
                other => Some(other),
            },
            0x80.. => return None,
            other => Some(other),
        });
    }
    if list.is_empty() {
        list.push(None);
    }
    Some(list)
}

pub(super) fn fold(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let mut args: Vec<String> = Vec::new();
    for arg in call.args {
        let old = arg
            .strip_prefix('-')
            .filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        args.push(old.map_or_else(|| (*arg).to_owned(), |digits| format!("-w{digits}")));
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let parsed = parse(&words, "bsw:", &[("bytes", 'b'), ("spaces", 's'), ("width", 'w')])?;
    let width = count(parsed.value('w').unwrap_or("80"))?;
    if parsed.has('s') || width == 0 {
        return None;
    }
    let input = call.input(&parsed.operands)?;
    // Tabs and backspaces, which move the column, are not emulated.
    if !parsed.has('b') && input.iter().any(|byte| matches!(byte, b'\t' | 8 | b'\r')) {
        return None;
    }
    let mut out = Vec::with_capacity(input.len() * 2);
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        for (index, piece) in body.chunks(width).enumerate() {
            if index > 0 {
                out.push(b'\n');
            }
            out.extend_from_slice(piece);
        }
        out.extend_from_slice(line.get(body.len()..).unwrap_or_default());
    }
    Some(out)
}
