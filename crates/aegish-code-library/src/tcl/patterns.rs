//! Patterns of `string match`.

/// Steps that one match may take.
const MOST_STEPS: usize = 100_000;

/// Whether a text matches a pattern with `*`, `?`, `[…]` and `\`; none if that takes too long.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on if the characters behind a star do not match.
    let mut retry: Option<(usize, usize)> = None;
    for _ in 0..MOST_STEPS {
        if pattern.get(p) == Some(&'*') {
            retry = Some((p, t));
            p += 1;
            continue;
        }
        let Some(c) = text.get(t) else {
            return Some(pattern.get(p..).unwrap_or(&[]).iter().all(|c| *c == '*'));
        };
        match one(pattern.get(p..).unwrap_or(&[]), *c) {
            Some(length) => {
                p += length;
                t += 1;
            }
            None => match retry.as_mut() {
                Some((star, from)) => {
                    *from += 1;
                    (p, t) = (*star + 1, *from);
                }
                None => return Some(false),
            },
        }
    }
    None
}

/// The length of the pattern that matches one character.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', literal, ..] => (*literal == c).then_some(2),
        ['[', rest @ ..] => {
            let end = rest.iter().position(|c| *c == ']')?;
            let inside = rest.get(..end)?;
            let mut at = 0;
            let mut found = false;
            while let Some(from) = inside.get(at) {
                if let (Some('-'), Some(to)) = (inside.get(at + 1), inside.get(at + 2)) {
                    found |= (*from.min(to)..=*from.max(to)).contains(&c);
                    at += 3;
                } else {
                    found |= *from == c;
                    at += 1;
                }
            }
            found.then_some(end + 2)
        }
        [literal, ..] => (*literal == c).then_some(1),
        [] => None,
    }
}
