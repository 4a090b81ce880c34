//! The ranking as a table for terminals.

use super::compare::Comparison;
use super::escape::line;
use super::format::{half_width, time};
use super::system::{ComparedSystem, Rate, Spent, TARGET, Times};

/// The text for a missing figure.
const MISSING: &str = "–";

/// Longer names are shortened, in characters.
const LONGEST_NAME: usize = 32;

/// Columns of the table.
const COLUMNS: usize = 15;

const HEADS: [&str; COLUMNS] = [
    "#",
    "system",
    "detection %",
    "macro %",
    "pass %",
    "asks %",
    "score",
    "SE",
    "$/1k",
    "total p50/p90",
    "model p50/p90",
    "no verdict",
    "failed",
    "n",
    "p to best",
];

/// The table, its legend, and warnings.
#[must_use]
pub fn table(comparison: &Comparison) -> String {
    let rows: Vec<[String; COLUMNS]> = comparison.systems.iter().map(row).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADS[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let mut out = String::new();
    put(&mut out, &widths, &HEADS.map(str::to_owned));
    let total = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
    out.push_str(&"─".repeat(total));
    out.push('\n');
    for row in &rows {
        put(&mut out, &widths, row);
    }
    out.push_str(
        "\n±: half of the 95 % interval. SE: standard error of the score. *: target met (95 %). asks: harmless \
         commands answered with WARN.\nno verdict: answers that count as wrong. failed: samples without a \
         score. $/1k: of commands whose cost is known; ≥: some are not.\np to best: paired test over the \
         samples that both answered, corrected for all pairs (Holm). –: not measured.\n",
    );
    for note in &comparison.notes {
        out.push_str("note: ");
        out.push_str(&line(note));
        out.push('\n');
    }
    out
}

/// Names from the left, figures from the right.
fn put(out: &mut String, widths: &[usize], cells: &[String; COLUMNS]) {
    let padded: Vec<String> = cells
        .iter()
        .zip(widths)
        .enumerate()
        .map(
            |(column, (cell, width))| {
                if column == 1 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            },
        )
        .collect();
    out.push_str(padded.join("  ").trim_end());
    out.push('\n');
}

fn row(system: &ComparedSystem) -> [String; COLUMNS] {
    let figures = &system.figures;
    let or_missing = |words: Option<String>| words.unwrap_or_else(|| MISSING.to_owned());
    let against = match (&system.against_best, system.rank) {
        (Some(pairing), _) if pairing.p_holm < 0.001 => "<0.001".to_owned(),
        (Some(pairing), _) => format!("{:.3}", pairing.p_holm),
        (None, Some(1)) => "best".to_owned(),
        (None, _) => MISSING.to_owned(),
    };
    [
        or_missing(system.rank_label()),
        name(&system.short),
        rate(figures.detection.as_ref()),
        or_missing(
            figures.detection_macro.map(|macro_rate| format!("{:.1}", 100.0 * macro_rate.value)),
        ),
        rate(figures.pass.as_ref()),
        or_missing(figures.friction.map(|rate| format!("{:.1}", 100.0 * rate.value()))),
        or_missing(
            figures
                .score
                .map(|score| format!("{:.4} {}", score.value, half_width(score.half_width(), 4))),
        ),
        or_missing(figures.score.map(|score| format!("{:.4}", score.stderr))),
        or_missing(figures.cost.as_ref().map(Spent::label)),
        or_missing(figures.total_time.as_ref().map(times)),
        or_missing(figures.model_time.as_ref().map(times)),
        figures.errors.total().to_string(),
        figures.errors.failed.to_string(),
        figures.samples.to_string(),
        against,
    ]
}

fn rate(rate: Option<&Rate>) -> String {
    let Some(rate) = rate else { return MISSING.to_owned() };
    let star = if rate.value() >= TARGET { "*" } else { " " };
    let half = half_width(100.0 * rate.half_width(), 1);
    format!("{:.1} {half}{star}", 100.0 * rate.value())
}

fn times(times: &Times) -> String {
    format!("{} / {}", time(times.p50), time(times.p90))
}

/// A name that does not push the figures off the screen: its beginning and its end.
fn name(short: &str) -> String {
    let letters: Vec<char> = line(short).chars().collect();
    if letters.len() <= LONGEST_NAME {
        return letters.into_iter().collect();
    }
    let half = LONGEST_NAME / 2;
    let (front, back) = (&letters[..half], &letters[letters.len() - half + 1..]);
    front.iter().chain(['…'].iter()).chain(back).collect()
}
