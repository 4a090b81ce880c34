//! Plain tables for the terminal.

/// The first column is left-aligned, the others right-aligned.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            match column {
                0 => line.push_str(&format!("{cell}{pad}")),
                _ => line.push_str(&format!("  {pad}{cell}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `12.3 %`, or `–` without a value.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}
