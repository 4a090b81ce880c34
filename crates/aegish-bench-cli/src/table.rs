//! Aligned columns.

/// The side on which a column is padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows as lines; columns are as wide as their widest cell.
pub(crate) fn text(rows: &[Vec<String>], aligned: &[Align]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..aligned.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, width), align) in row.iter().zip(&widths).zip(aligned) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            let room = " ".repeat(width - cell.chars().count());
            match align {
                Align::Left => line.push_str(&[cell, room.as_str()].concat()),
                Align::Right => line.push_str(&[room.as_str(), cell].concat()),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_characters() {
        let rows = [["ä", "1"], ["bcd", "22"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(text(&rows, &[Align::Left, Align::Right]), "ä     1\nbcd  22\n");
    }
}
