//! The lines in which two texts differ.

/// The most lines on each side that are compared; in longer texts all lines of the part that differs count.
const MOST_LINES: usize = 2000;

/// A line of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLine<'a> {
    /// Only in the first text.
    Removed(&'a str),
    /// Only in the second text.
    Added(&'a str),
    /// So many lines are the same.
    Same(usize),
}

/// The difference between two texts.
#[must_use]
pub fn line_diff<'a>(before: &'a str, after: &'a str) -> Vec<DiffLine<'a>> {
    let (one, other): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let first = one.iter().zip(&other).take_while(same).count();
    let rest = one.len().min(other.len()) - first;
    let last = one.iter().rev().zip(other.iter().rev()).take(rest).take_while(same).count();
    let inner =
        |lines: &[&'a str]| lines.get(first..lines.len() - last).unwrap_or_default().to_vec();
    let mut lines = Vec::new();
    push_same(&mut lines, first);
    middle(&inner(&one), &inner(&other), &mut lines);
    push_same(&mut lines, last);
    lines
}

fn push_same(lines: &mut Vec<DiffLine<'_>>, count: usize) {
    match lines.last_mut() {
        _ if count == 0 => {}
        Some(DiffLine::Same(before)) => *before += count,
        _ => lines.push(DiffLine::Same(count)),
    }
}

/// By the longest common sequence of lines.
fn middle<'a>(one: &[&'a str], other: &[&'a str], lines: &mut Vec<DiffLine<'a>>) {
    if one.len() > MOST_LINES || other.len() > MOST_LINES {
        lines.extend(one.iter().map(|line| DiffLine::Removed(line)));
        lines.extend(other.iter().map(|line| DiffLine::Added(line)));
        return;
    }
    let width = other.len() + 1;
    let mut common = vec![0_u16; (one.len() + 1) * width];
    for (row, left) in one.iter().enumerate().rev() {
        for (column, right) in other.iter().enumerate().rev() {
            let at = row * width + column;
            common[at] = match left == right {
                true => common[at + width + 1] + 1,
                false => common[at + width].max(common[at + 1]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < one.len() || column < other.len() {
        let at = row * width + column;
        match (one.get(row), other.get(column)) {
            (Some(left), Some(right)) if left == right => {
                push_same(lines, 1);
                (row, column) = (row + 1, column + 1);
            }
            (Some(left), Some(_)) if common[at + width] >= common[at + 1] => {
                lines.push(DiffLine::Removed(left));
                row += 1;
            }
            (_, Some(right)) => {
                lines.push(DiffLine::Added(right));
                column += 1;
            }
            (Some(left), None) => {
                lines.push(DiffLine::Removed(left));
                row += 1;
            }
            (None, None) => break,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DiffLine::{Added, Removed, Same};
    use super::*;

    #[test]
    fn lines_that_differ_are_shown_and_others_counted() {
        let (before, after) = ("a\nb\nc\nd\n", "a\nc\nx\nd\n");
        assert_eq!(line_diff(before, after), [Same(1), Removed("b"), Same(1), Added("x"), Same(1)]);
        assert_eq!(line_diff("", "n\n"), [Added("n")]);
        assert_eq!(line_diff("same\n", "same\n"), [Same(1)]);
    }
}
