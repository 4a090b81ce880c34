//! Systems as rows, with one figure or two related ones.

use super::Form;
use super::axis::{Axis, Scale, percent_range, range_from_zero};
use super::frame::{
    EDGE, LegendEntry, LegendMark, SIZE, SMALL, heading, heading_height, key, key_height,
    lower_axis, missing_note, note, note_height,
};
use crate::draw::{
    Anchor, Area, Paint, Point, Scene, Stroke, TextLabel, Weight, shortened, text_width,
};
use crate::format::{dollars, percent};
use crate::system::{ComparedSystem, Spent};

/// Rows of systems beside a field with an axis below it.
pub(crate) struct BarRows {
    /// The area of the figures.
    pub(crate) field: Area,
    /// The left end of the names and their width.
    names: (f64, f64),
    /// The distance between two rows.
    step: f64,
    form: Form,
}

impl BarRows {
    /// Rows of a given height for figures; names are beside them, or above them in the narrow form.
    pub(crate) fn new(
        systems: &[&ComparedSystem],
        form: Form,
        top: f64,
        height: f64,
        right: f64,
    ) -> Self {
        let width = form.width();
        let widest = systems
            .iter()
            .map(|system| text_width(&system.short, SIZE, Weight::Regular))
            .fold(0.0, f64::max);
        let (left, room, step) = match form {
            Form::Wide => {
                let room = widest.min(190.0);
                (EDGE + room + 12.0, room, height)
            }
            Form::Narrow => (EDGE, width - 2.0 * EDGE, height + 16.0),
        };
        let bottom = top + step * systems.len() as f64;
        let field = Area::new(left, top, width - EDGE - right, bottom);
        Self { field, names: (EDGE, room), step, form }
    }

    /// The middle of a row's figures.
    pub(crate) fn middle(&self, row: usize) -> f64 {
        let above = match self.form {
            Form::Wide => 0.0,
            Form::Narrow => 16.0,
        };
        self.field.top + self.step * row as f64 + above + (self.step - above) / 2.0
    }

    /// Writes the names.
    pub(crate) fn label(&self, scene: &mut Scene, systems: &[&ComparedSystem]) {
        let (left, room) = self.names;
        for (row, system) in systems.iter().enumerate() {
            let name = shortened(&system.short, SIZE, Weight::Regular, room);
            let middle = self.middle(row);
            let text = match self.form {
                Form::Wide => {
                    let at = Point::new(left + room, middle + 4.0);
                    TextLabel::new(at, SIZE, name).anchored(Anchor::End)
                }
                Form::Narrow => {
                    let top = self.field.top + self.step * row as f64;
                    // The lines of the axis must not run through the name.
                    let width = text_width(&name, SIZE, Weight::Regular);
                    let behind = Area::new(left, top + 2.0, left + width + 4.0, top + 18.0);
                    scene.block(behind, Paint::GROUND);
                    TextLabel::new(Point::new(left, top + 14.0), SIZE, name)
                }
            };
            scene.text(text);
        }
    }
}

/// Dollars for a thousand commands, the cheapest first.
pub(crate) fn cost(systems: &[ComparedSystem], form: Form) -> Option<Scene> {
    let cost = |system: &ComparedSystem| system.figures.cost.map(|cost| cost.per_thousand);
    let mut shown: Vec<&ComparedSystem> =
        systems.iter().filter(|system| cost(system).is_some()).collect();
    let missing: Vec<&str> = systems
        .iter()
        .filter(|system| cost(system).is_none())
        .map(|system| system.short.as_str())
        .collect();
    if shown.is_empty() {
        return None;
    }
    let value = |system: &ComparedSystem| cost(system).unwrap_or_default();
    shown.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let title = "Cost of 1,000 commands";
    let label = |system: &ComparedSystem| {
        system.figures.cost.as_ref().map(Spent::label).unwrap_or_default()
    };
    let hint =
        "US dollars by the price list; shorter is cheaper. ≥: the cost of some is not known.";
    let left_out = missing_note(&missing, "no price or no tokens known");
    let width = form.width();
    let top = heading_height(width, title, hint) + 6.0;
    let rows = BarRows::new(&shown, form, top, 26.0, 56.0);
    let values: Vec<f64> = shown.iter().map(|system| value(system)).collect();
    let axis =
        Axis::new(Scale::Linear, range_from_zero(&values), (rows.field.left, rows.field.right));
    let below = rows.field.bottom + 26.0;
    let mut scene = Scene::new(width, below + note_height(width, &left_out) + 10.0, title);
    scene.description = format!("{}. {left_out}", list(&shown, label));
    heading(&mut scene, title, hint);
    lower_axis(&mut scene, &rows.field, &axis, "", dollars);
    rows.label(&mut scene, &shown);
    for (row, system) in shown.iter().enumerate() {
        let middle = rows.middle(row);
        let end = axis.at(value(system)).max(rows.field.left + 1.5);
        let bar = Area::new(rows.field.left, middle - 8.0, end, middle + 8.0);
        scene.rounded(bar, 2.0, system.provider().paint());
        let text = TextLabel::new(Point::new(end + 6.0, middle + 4.0), SMALL, label(system));
        scene.text(text.strong());
    }
    note(&mut scene, below, &left_out);
    Some(scene)
}

/// Detection over all attacks beside the mean of the categories.
pub(crate) fn micro_vs_macro(systems: &[ComparedSystem], form: Form) -> Option<Scene> {
    let both = |system: &ComparedSystem| {
        let micro = system.figures.detection?.value();
        let macro_rate = system.figures.detection_macro?.value;
        Some((100.0 * micro, 100.0 * macro_rate))
    };
    let shown: Vec<(&ComparedSystem, (f64, f64))> =
        systems.iter().filter_map(|system| Some((system, both(system)?))).collect();
    if shown.is_empty() {
        return None;
    }
    let missing: Vec<&str> = systems
        .iter()
        .filter(|system| both(system).is_none())
        .map(|system| system.short.as_str())
        .collect();
    let left_out = missing_note(&missing, "no set with categories of attacks");
    let title = "Detection: all attacks against mean of categories";
    let hint = "Ring left of the dot: rare kinds of attack are missed more often than common ones.";
    let width = form.width();
    let top = heading_height(width, title, hint) + 6.0;
    let names: Vec<&ComparedSystem> = shown.iter().map(|(system, _)| *system).collect();
    let rows = BarRows::new(&names, form, top, 26.0, 10.0);
    let values: Vec<f64> =
        shown.iter().flat_map(|(_, (micro, macro_rate))| [*micro, *macro_rate]).collect();
    let axis = Axis::new(
        Scale::Linear,
        percent_range(&values),
        (rows.field.left + 8.0, rows.field.right - 8.0),
    );
    let list_entries = [
        LegendEntry {
            paint: Paint::MUTED,
            sign: LegendMark::Dot,
            name: "all attacks (micro)".to_owned(),
        },
        LegendEntry {
            paint: Paint::MUTED,
            sign: LegendMark::Ring,
            name: "mean of categories (macro)".to_owned(),
        },
    ];
    let below = rows.field.bottom + 26.0;
    let note_top = below + key_height(width, &list_entries) + 4.0;
    let mut scene = Scene::new(width, note_top + note_height(width, &left_out) + 10.0, title);
    let pair = |(micro, macro_rate): (f64, f64)| {
        format!("{} of all, {} as mean of categories", percent(micro), percent(macro_rate))
    };
    let lines: Vec<String> = shown
        .iter()
        .map(|(system, values)| format!("{}: {}", system.short, pair(*values)))
        .collect();
    scene.description = format!("{}. {left_out}", lines.join("; "));
    heading(&mut scene, title, hint);
    lower_axis(&mut scene, &rows.field, &axis, "", percent);
    rows.label(&mut scene, &names);
    for (row, (system, (micro, macro_rate))) in shown.iter().enumerate() {
        let y = rows.middle(row);
        let paint = system.provider().paint();
        let (from, to) = (Point::new(axis.at(*macro_rate), y), Point::new(axis.at(*micro), y));
        scene.segment(from, to, Stroke::solid(paint.towards(Paint::GROUND, 0.5), 3.0));
        scene.ring(from, 5.0, Paint::GROUND, Stroke::solid(paint, 2.0));
        scene.dot(to, 6.0, paint);
    }
    key(&mut scene, below, &list_entries);
    note(&mut scene, note_top, &left_out);
    Some(scene)
}

fn list(systems: &[&ComparedSystem], write: impl Fn(&ComparedSystem) -> String) -> String {
    let lines: Vec<String> =
        systems.iter().map(|system| format!("{}: {}", system.short, write(system))).collect();
    lines.join("; ")
}
