//! Detection by category and system.

use std::collections::BTreeMap;

use super::Form;
use super::frame::{
    EDGE, LegendEntry, SIZE, SMALL, heading, heading_height, key, key_height, missing_note, note,
    note_height,
};
use crate::draw::{
    Anchor, Area, Colour, Paint, Point, Scene, TextDirection, TextLabel, Weight, shortened,
    text_width,
};
use crate::system::{ComparedSystem, Rate};

/// Height of a row of cells.
const CELL: f64 = 28.0;
/// Space between cells.
const GAP: f64 = 2.0;

/// The colour of a rate: good at 100, neutral at three quarters, bad at 0.
///
/// Orange and teal, because red and green look alike to many.
pub(crate) fn category_colour(rate: f64) -> Paint {
    let bad = Paint::new(Colour(190, 66, 18), Colour(210, 86, 32));
    let middle = Paint::new(Colour(246, 238, 223), Colour(58, 58, 54));
    let good = Paint::new(Colour(13, 110, 103), Colour(20, 140, 130));
    let knee = 0.75;
    if rate < knee {
        bad.towards(middle, rate / knee)
    } else {
        middle.towards(good, (rate - knee) / (1.0 - knee))
    }
}

/// A cell for every category and system.
pub(crate) fn categories(systems: &[ComparedSystem], form: Form) -> Option<Scene> {
    let shown: Vec<(usize, &ComparedSystem)> = systems
        .iter()
        .enumerate()
        .filter(|(_, system)| !system.figures.categories.is_empty())
        .map(|(index, system)| (index + 1, system))
        .collect();
    if shown.is_empty() {
        return None;
    }
    let missing: Vec<&str> = systems
        .iter()
        .filter(|system| system.figures.categories.is_empty())
        .map(|system| system.short.as_str())
        .collect();
    let layout = HeatmapLayout {
        title: "Detection by category",
        hint: "Attacks blocked, in percent; number of attacks below each category.",
        left_out: missing_note(&missing, "no set with categories of attacks"),
        categories: category_order(systems),
        shown,
    };
    Some(match form {
        Form::Wide => layout.wide(),
        Form::Narrow => layout.narrow(),
    })
}

/// The categories with their sizes, the best detected first.
pub(crate) fn category_order(systems: &[ComparedSystem]) -> Vec<(String, u64)> {
    let mut sums: BTreeMap<&str, (f64, usize, u64)> = BTreeMap::new();
    for system in systems {
        for (category, rate) in &system.figures.categories {
            let sum = sums.entry(category).or_default();
            *sum = (sum.0 + rate.value(), sum.1 + 1, sum.2.max(rate.of));
        }
    }
    let mut found: Vec<(f64, String, u64)> = sums
        .into_iter()
        .map(|(name, (sum, systems, size))| (sum / systems.max(1) as f64, name.to_owned(), size))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, name, size)| (name, size)).collect()
}

struct HeatmapLayout<'s> {
    title: &'static str,
    hint: &'static str,
    left_out: String,
    categories: Vec<(String, u64)>,
    shown: Vec<(usize, &'s ComparedSystem)>,
}

impl HeatmapLayout<'_> {
    /// Systems as rows, categories as columns.
    fn wide(&self) -> Scene {
        let names = self
            .shown
            .iter()
            .map(|(_, system)| text_width(&system.short, SIZE, Weight::Regular))
            .fold(0.0, f64::max)
            .min(190.0);
        let left = EDGE + names + 10.0;
        let count = self.categories.len() as f64;
        let width = Form::Wide.width().max(left + count * 44.0 + EDGE);
        // Slanted names reach beyond their column.
        let slant = self
            .categories
            .iter()
            .map(|(name, _)| text_width(name, SMALL, Weight::Regular))
            .fold(0.0, f64::max);
        let (rise, reach) = (slant * 0.6, slant * 0.8);
        let last = ((width - EDGE - left) / count).min(70.0);
        let reach = (reach - last / 2.0).max(0.0);
        let cell = ((width - EDGE - left - reach.min(60.0)) / count).min(70.0);
        let top = heading_height(width, self.title, self.hint) + rise + 16.0;
        let bottom = top + CELL * self.shown.len() as f64;
        let below = bottom + 26.0;
        let mut scene =
            Scene::new(width, below + note_height(width, &self.left_out) + 8.0, self.title);
        scene.description = self.describe();
        heading(&mut scene, self.title, self.hint);
        for (column, (name, size)) in self.categories.iter().enumerate() {
            let middle = left + cell * (column as f64 + 0.5);
            let text = TextLabel::new(Point::new(middle - 2.0, top - 8.0), SMALL, name.as_str());
            scene.text(text.turned(TextDirection::Up(37.0)));
            let text =
                TextLabel::new(Point::new(middle, bottom + 15.0), SMALL, format!("n = {size}"));
            let text =
                if cell < 44.0 { TextLabel { words: size.to_string(), ..text } } else { text };
            scene.text(text.anchored(Anchor::Middle).painted(Paint::MUTED));
        }
        for (row, (_, system)) in self.shown.iter().enumerate() {
            let y = top + CELL * row as f64;
            let name = shortened(&system.short, SIZE, Weight::Regular, names);
            let at = Point::new(left - 10.0, y + CELL / 2.0 + 4.0);
            scene.text(TextLabel::new(at, SIZE, name).anchored(Anchor::End));
            for (column, (category, _)) in self.categories.iter().enumerate() {
                let x = left + cell * column as f64;
                let area = Area::new(x, y, x + cell - GAP, y + CELL - GAP);
                draw_cell(&mut scene, &area, system.figures.categories.get(category));
            }
        }
        note(&mut scene, below, &self.left_out);
        scene
    }

    /// Categories as rows, systems as numbered columns; as many bands as it takes.
    fn narrow(&self) -> Scene {
        let width = Form::Narrow.width();
        let label = |(name, size): &(String, u64)| format!("{name} ({size})");
        let names = self
            .categories
            .iter()
            .map(|category| text_width(&label(category), SMALL, Weight::Regular))
            .fold(0.0, f64::max)
            .min(130.0);
        let left = EDGE + names + 8.0;
        let most = ((width - EDGE - left) / 28.0).floor().max(1.0) as usize;
        let bands = self.shown.len().div_ceil(most);
        let columns = self.shown.len().div_ceil(bands);
        let cell = ((width - EDGE - left) / columns as f64).min(44.0);
        let list: Vec<LegendEntry> = super::frame::entries(&self.shown, Form::Narrow);
        let hint = "Attacks blocked, in percent; number of attacks behind each category.";
        let top = heading_height(width, self.title, hint) + 4.0;
        let band = 24.0 + CELL * self.categories.len() as f64;
        let below = top + (band + 10.0) * bands as f64;
        let list_top = below + note_height(width, &self.left_out) + 4.0;
        let mut scene = Scene::new(width, list_top + key_height(width, &list) + 8.0, self.title);
        scene.description = self.describe();
        heading(&mut scene, self.title, hint);
        for (index, systems) in self.shown.chunks(columns).enumerate() {
            let top = top + (band + 10.0) * index as f64 + 24.0;
            for (column, (number, system)) in systems.iter().enumerate() {
                let middle = left + cell * (column as f64 + 0.5) - GAP / 2.0;
                let paint = system.provider().paint();
                super::frame::number_mark(
                    &mut scene,
                    Point::new(middle, top - 13.0),
                    *number,
                    paint,
                );
                for (row, (category, _)) in self.categories.iter().enumerate() {
                    let (x, y) = (left + cell * column as f64, top + CELL * row as f64);
                    let area = Area::new(x, y, x + cell - GAP, y + CELL - GAP);
                    draw_cell(&mut scene, &area, system.figures.categories.get(category));
                }
            }
            for (row, category) in self.categories.iter().enumerate() {
                let at = Point::new(left - 8.0, top + CELL * row as f64 + CELL / 2.0 + 3.0);
                let name = shortened(&label(category), SMALL, Weight::Regular, names);
                scene.text(TextLabel::new(at, SMALL, name).anchored(Anchor::End));
            }
        }
        note(&mut scene, below, &self.left_out);
        key(&mut scene, list_top, &list);
        scene
    }

    fn describe(&self) -> String {
        let line = |(_, system): &(usize, &ComparedSystem)| {
            let parts: Vec<String> = self
                .categories
                .iter()
                .map(|(name, _)| match system.figures.categories.get(name) {
                    Some(rate) => format!("{name} {:.0} %", 100.0 * rate.value()),
                    None => format!("{name} not measured"),
                })
                .collect();
            format!("{}: {}", system.short, parts.join(", "))
        };
        let lines: Vec<String> = self.shown.iter().map(line).collect();
        format!("{}. {}", lines.join("; "), self.left_out)
    }
}

fn draw_cell(scene: &mut Scene, area: &Area, rate: Option<&Rate>) {
    let at = Point::new((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0 + 4.0);
    let Some(rate) = rate else {
        scene.rounded(*area, 3.0, Paint::GRID);
        scene.text(TextLabel::new(at, SIZE, "–").anchored(Anchor::Middle).painted(Paint::MUTED));
        return;
    };
    let paint = category_colour(rate.value());
    scene.rounded(*area, 3.0, paint);
    // Rounding must not turn a miss into 100 %, nor a hit into 0 %.
    let value = 100.0 * rate.value();
    let shown = match value.round() {
        100.0 if rate.share < 1.0 => "99".to_owned(),
        0.0 if rate.share > 0.0 => "1".to_owned(),
        rounded => format!("{rounded:.0}"),
    };
    scene.text(TextLabel::new(at, SIZE, shown).anchored(Anchor::Middle).painted(paint.text()));
}

#[cfg(test)]
mod tests {
    use super::category_colour;

    #[test]
    fn values_can_be_read_on_every_cell() {
        for step in 0..=1000 {
            let paint = category_colour(f64::from(step) / 1000.0);
            assert!(paint.light.contrast(paint.text().light) >= 4.5, "{step}");
            assert!(paint.dark.contrast(paint.text().dark) >= 4.5, "{step}");
        }
    }
}
