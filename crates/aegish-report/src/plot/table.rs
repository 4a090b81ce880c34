//! The ranking as a picture.

use super::frame::{EDGE, SIZE, SMALL, heading, heading_height};
use crate::draw::{
    Anchor, Area, Paint, Point, Scene, Stroke, TextLabel, Weight, shortened, text_width,
};
use crate::format::{half_width, time};
use crate::system::{ComparedSystem, Rate, TARGET};

const ROW: f64 = 28.0;
/// The text for a missing figure.
const MISSING: &str = "–";

/// A cell: its text, and whether it meets a target.
struct Cell {
    words: String,
    paint: Paint,
}

impl Cell {
    fn plain(words: String) -> Self {
        Self { words, paint: Paint::INK }
    }

    fn missing() -> Self {
        Self { words: MISSING.to_owned(), paint: Paint::MUTED }
    }

    fn against_target(words: String, value: f64) -> Self {
        Self { words, paint: if value >= TARGET { Paint::GOOD } else { Paint::BAD } }
    }
}

const COLUMNS: [&str; 11] = [
    "#",
    "system",
    "detection",
    "macro",
    "pass",
    "asks",
    "score",
    "$ / 1,000",
    "p50",
    "p90",
    "errors",
];

/// All systems with their figures, the best first.
pub(crate) fn ranking(systems: &[ComparedSystem]) -> Option<Scene> {
    if systems.is_empty() {
        return None;
    }
    let title = "Ranking";
    let hint = "± half of the 95\u{a0}% interval. Detection and pass are coloured by the \
                target of 95\u{a0}%. Asks: harmless commands answered with WARN. p50, p90: total time of \
                a sample. Errors: samples without a verdict.";
    let rows: Vec<[Cell; 11]> = systems.iter().map(cells).collect();
    let widths: Vec<f64> = COLUMNS
        .iter()
        .enumerate()
        .map(|(column, head)| {
            let cells = rows.iter().map(|row| text_width(&row[column].words, SIZE, Weight::Strong));
            cells.fold(text_width(head, SMALL, Weight::Strong), f64::max).min(230.0) + 22.0
        })
        .collect();
    let width = widths.iter().sum::<f64>() + 2.0 * EDGE;
    let top = heading_height(width, title, hint) + 24.0;
    let mut scene = Scene::new(width, top + ROW * rows.len() as f64 + 14.0, title);
    scene.description = format!("{} systems, the best first.", systems.len());
    heading(&mut scene, title, hint);
    let mut x = EDGE;
    for (column, (head, wide)) in COLUMNS.iter().zip(&widths).enumerate() {
        let (at, anchor) = place(column, x, *wide);
        let text = TextLabel::new(Point::new(at, top - 8.0), SMALL, *head).strong();
        scene.text(text.anchored(anchor).painted(Paint::MUTED));
        x += wide;
    }
    for (index, (row, system)) in rows.into_iter().zip(systems).enumerate() {
        let y = top + ROW * index as f64;
        if index % 2 == 0 {
            let area = Area::new(EDGE, y, width - EDGE, y + ROW);
            scene.rounded(area, 3.0, Paint::GRID.towards(Paint::GROUND, 0.45));
        }
        let bar = Area::new(EDGE, y + 5.0, EDGE + 3.0, y + ROW - 5.0);
        scene.rounded(bar, 1.5, system.provider().paint());
        let mut x = EDGE;
        for (column, (cell, wide)) in row.into_iter().zip(&widths).enumerate() {
            let (at, anchor) = place(column, x, *wide);
            let words = shortened(&cell.words, SIZE, Weight::Strong, wide - 16.0);
            let text = TextLabel::new(Point::new(at, y + ROW / 2.0 + 4.0), SIZE, words);
            let text = if matches!(column, 1 | 6) { text.strong() } else { text };
            scene.text(text.anchored(anchor).painted(cell.paint));
            x += wide;
        }
    }
    let line = Stroke::solid(Paint::LINE, 1.0);
    scene.segment(Point::new(EDGE, top), Point::new(width - EDGE, top), line);
    Some(scene)
}

/// Names from the left, figures from the right.
fn place(column: usize, left: f64, width: f64) -> (f64, Anchor) {
    if column == 1 { (left + 8.0, Anchor::Start) } else { (left + width - 8.0, Anchor::End) }
}

fn cells(system: &ComparedSystem) -> [Cell; 11] {
    let figures = &system.figures;
    let rate = |rate: Option<Rate>| match rate {
        Some(rate) => {
            let half = half_width(100.0 * rate.half_width(), 1);
            let words = format!("{:.1} {half}", 100.0 * rate.value());
            Cell::against_target(words, rate.value())
        }
        None => Cell::missing(),
    };
    let or_missing = |words: Option<String>| words.map_or_else(Cell::missing, Cell::plain);
    let times = figures.total_time;
    [
        or_missing(system.rank_label()),
        Cell::plain(system.short.clone()),
        rate(figures.detection),
        or_missing(figures.detection_macro.map(|rate| format!("{:.1}", 100.0 * rate.value))),
        rate(figures.pass),
        or_missing(figures.friction.map(|rate| format!("{:.1}", 100.0 * rate.value()))),
        or_missing(
            figures
                .score
                .map(|score| format!("{:.4} {}", score.value, half_width(score.half_width(), 4))),
        ),
        or_missing(figures.cost.map(|cost| cost.label())),
        or_missing(times.map(|times| time(times.p50))),
        or_missing(times.map(|times| time(times.p90))),
        Cell::plain(figures.errors.total().to_string()),
    ]
}
