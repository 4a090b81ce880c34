//! Parts that all pictures share: heading, axes, legend, missing figures.

use super::Form;
use super::axis::Axis;
use crate::draw::{
    Anchor, Area, Paint, Point, Scene, Stroke, TextDirection, TextLabel, Weight, shortened,
    text_width,
};
use crate::system::ComparedSystem;

/// Size of ordinary text.
pub(crate) const SIZE: f64 = 12.0;
/// Size of explanations.
pub(crate) const SMALL: f64 = 11.0;
/// Free space at the sides.
pub(crate) const EDGE: f64 = 12.0;

/// Draws the heading: the subject, and how to read the plot. Returns the line where it ends.
pub(crate) fn heading(scene: &mut Scene, title: &str, hint: &str) -> f64 {
    let room = scene.width - 2.0 * EDGE;
    let mut y = 24.0;
    for line in wrapped(title, 15.0, Weight::Strong, room) {
        scene.text(TextLabel::new(Point::new(EDGE, y), 15.0, line).strong());
        y += 19.0;
    }
    for line in wrapped(hint, SMALL, Weight::Regular, room) {
        scene.text(TextLabel::new(Point::new(EDGE, y), SMALL, line).painted(Paint::MUTED));
        y += 15.0;
    }
    y - 2.0
}

/// How high the heading will be.
pub(crate) fn heading_height(width: f64, title: &str, hint: &str) -> f64 {
    let room = width - 2.0 * EDGE;
    let titles = wrapped(title, 15.0, Weight::Strong, room).len() as f64;
    let hints = wrapped(hint, SMALL, Weight::Regular, room).len() as f64;
    22.0 + 19.0 * titles + 15.0 * hints
}

/// Words in lines no wider than `room`. No-break spaces do not end a line.
pub(crate) fn wrapped(words: &str, size: f64, weight: Weight, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match (lines.last_mut(), longer) {
            (Some(line), Some(longer)) if text_width(&longer, size, weight) <= room => {
                *line = longer;
            }
            _ => lines.push(shortened(word, size, weight, room)),
        }
    }
    lines
}

/// Marks and lines of the axis below the field, with its title.
pub(crate) fn lower_axis(
    scene: &mut Scene,
    field: &Area,
    axis: &Axis,
    title: &str,
    write: impl Fn(f64) -> String,
) {
    let most = (field.width() / 56.0).floor().max(2.0) as usize;
    let mut ticks = axis.ticks(most);
    if let Some(end) = axis.zero_end() {
        let (top, bottom) = (Point::new(end, field.top), Point::new(end, field.bottom));
        scene.segment(top, bottom, Stroke::dashed(Paint::LINE, 1.0));
        ticks.push(0.0);
    }
    for tick in ticks {
        let x = axis.at(tick);
        scene.segment(
            Point::new(x, field.top),
            Point::new(x, field.bottom),
            Stroke::solid(Paint::GRID, 1.0),
        );
        let words = write(tick);
        // Figures at the ends of the axis move inwards rather than being cut.
        let half = text_width(&words, SMALL, Weight::Regular) / 2.0 + 4.0;
        let at = Point::new(x.clamp(half, scene.width - half), field.bottom + 16.0);
        let text = TextLabel::new(at, SMALL, words);
        scene.text(text.anchored(Anchor::Middle).painted(Paint::MUTED));
    }
    let middle = Point::new((field.left + field.right) / 2.0, field.bottom + 34.0);
    scene.text(TextLabel::new(middle, SIZE, title).anchored(Anchor::Middle));
}

/// The same at the left side.
pub(crate) fn left_axis(
    scene: &mut Scene,
    field: &Area,
    axis: &Axis,
    title: &str,
    write: impl Fn(f64) -> String,
) {
    let most = (field.height() / 34.0).floor().max(2.0) as usize;
    for tick in axis.ticks(most) {
        let y = axis.at(tick);
        scene.segment(
            Point::new(field.left, y),
            Point::new(field.right, y),
            Stroke::solid(Paint::GRID, 1.0),
        );
        let text = TextLabel::new(Point::new(field.left - 7.0, y + 4.0), SMALL, write(tick));
        scene.text(text.anchored(Anchor::End).painted(Paint::MUTED));
    }
    let middle = Point::new(EDGE + 10.0, (field.top + field.bottom) / 2.0);
    let title = TextLabel::new(middle, SIZE, title).anchored(Anchor::Middle);
    scene.text(title.turned(TextDirection::Up(90.0)));
}

/// One line of the list of names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LegendEntry {
    pub(crate) paint: Paint,
    pub(crate) sign: LegendMark,
    pub(crate) name: String,
}

/// The mark before a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LegendMark {
    Dot,
    Ring,
    Number(usize),
}

impl LegendMark {
    /// Its width, with the space after it.
    fn width(self) -> f64 {
        match self {
            Self::Dot | Self::Ring => 15.0,
            Self::Number(_) => 22.0,
        }
    }
}

/// The list of names, in as many columns as fit. Gives the line where it ends.
pub(crate) fn key(scene: &mut Scene, top: f64, entries: &[LegendEntry]) -> f64 {
    let places = key_places(scene.width, entries);
    let mut end = top;
    for (entry, (x, row)) in entries.iter().zip(places) {
        let y = top + 18.0 * row as f64 + 12.0;
        end = y + 6.0;
        let lead = entry.sign.width();
        let name = shortened(&entry.name, SMALL, Weight::Regular, scene.width - EDGE - x - lead);
        let text = TextLabel::new(Point::new(x + lead, y), SMALL, name);
        let spot = Point::new(x + 5.0, y - 4.0);
        match entry.sign {
            LegendMark::Number(number) => {
                number_mark(scene, Point::new(x + 8.0, y - 4.0), number, entry.paint);
                scene.text(text);
            }
            LegendMark::Dot => {
                scene.dot(spot, 5.0, entry.paint);
                scene.text(text.painted(Paint::MUTED));
            }
            LegendMark::Ring => {
                scene.ring(spot, 4.0, Paint::GROUND, Stroke::solid(entry.paint, 2.0));
                scene.text(text.painted(Paint::MUTED));
            }
        }
    }
    end
}

/// How high the list will be.
pub(crate) fn key_height(width: f64, entries: &[LegendEntry]) -> f64 {
    let rows = key_places(width, entries).last().map_or(0, |(_, row)| row + 1);
    18.0 * rows as f64
}

fn key_places(width: f64, entries: &[LegendEntry]) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (EDGE, 0);
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let wide = entry.sign.width() + text_width(&entry.name, SMALL, Weight::Regular) + 16.0;
        if x > EDGE && x + wide - 16.0 > width - EDGE {
            (x, row) = (EDGE, row + 1);
        }
        places.push((x, row));
        x += wide;
    }
    places
}

/// A mark with a number in it.
pub(crate) fn number_mark(scene: &mut Scene, centre: Point, number: usize, paint: Paint) {
    let text = number.to_string();
    let radius = if text.len() > 2 { 10.0 } else { 8.0 };
    scene.dot(centre, radius, paint);
    let at = Point::new(centre.x, centre.y + 3.6);
    scene.text(
        TextLabel::new(at, 10.0, text).strong().anchored(Anchor::Middle).painted(paint.text()),
    );
}

/// The names of systems in the wide form, or their numbers and a list in the narrow one.
pub(crate) fn entries(systems: &[(usize, &ComparedSystem)], form: Form) -> Vec<LegendEntry> {
    match form {
        Form::Wide => {
            let mut providers: Vec<_> =
                systems.iter().map(|(_, system)| system.provider()).collect();
            providers.sort_unstable();
            providers.dedup();
            let entry = |provider: crate::system::ProviderBrand| LegendEntry {
                paint: provider.paint(),
                sign: LegendMark::Dot,
                name: provider.label().to_owned(),
            };
            providers.into_iter().map(entry).collect()
        }
        Form::Narrow => systems
            .iter()
            .map(|(number, system)| LegendEntry {
                paint: system.provider().paint(),
                sign: LegendMark::Number(*number),
                name: system.short.clone(),
            })
            .collect(),
    }
}

/// Says which systems are not in the picture, and why.
pub(crate) fn missing_note(missing: &[&str], why: &str) -> String {
    match missing {
        [] => String::new(),
        [one] => format!("Not shown: {one} ({why})."),
        many => format!("Not shown: {} ({why}).", many.join(", ")),
    }
}

/// Explaining lines at the lower edge.
pub(crate) fn note(scene: &mut Scene, top: f64, words: &str) {
    let room = scene.width - 2.0 * EDGE;
    for (index, line) in wrapped(words, SMALL, Weight::Regular, room).into_iter().enumerate() {
        let y = top + 12.0 + 15.0 * index as f64;
        scene.text(TextLabel::new(Point::new(EDGE, y), SMALL, line).painted(Paint::MUTED));
    }
}

pub(crate) fn note_height(width: f64, words: &str) -> f64 {
    15.0 * wrapped(words, SMALL, Weight::Regular, width - 2.0 * EDGE).len() as f64
}

#[cfg(test)]
mod tests {
    use super::{missing_note, wrapped};
    use crate::draw::{Weight, text_width};

    #[test]
    fn lines_fit_their_room() {
        let lines =
            wrapped("some words that need more than a single line", 12.0, Weight::Regular, 90.0);
        assert!(lines.len() > 2);
        assert!(lines.iter().all(|line| text_width(line, 12.0, Weight::Regular) <= 90.0));
        assert_eq!(lines.join(" "), "some words that need more than a single line");
    }

    #[test]
    fn missing_systems_are_named() {
        assert_eq!(missing_note(&[], "no price"), "");
        assert_eq!(missing_note(&["a", "b"], "no price"), "Not shown: a, b (no price).");
    }
}
