//! How long systems take, and their share of waiting.

use super::Form;
use super::axis::{Axis, Scale, log_range};
use super::bars::BarRows;
use super::frame::{heading, heading_height, lower_axis, missing_note, note, note_height};
use crate::draw::{Area, Paint, Point, Scene, Stroke};
use crate::format::seconds;
use crate::system::{ComparedSystem, Times};

/// Quantiles of the total time, and below it those of the model's own time.
pub(crate) fn distribution(systems: &[ComparedSystem], form: Form) -> Option<Scene> {
    let shown: Vec<&ComparedSystem> =
        systems.iter().filter(|system| system.figures.total_time.is_some()).collect();
    if shown.is_empty() {
        return None;
    }
    let missing: Vec<&str> = systems
        .iter()
        .filter(|system| system.figures.total_time.is_none())
        .map(|system| system.short.as_str())
        .collect();
    let left_out = missing_note(&missing, "no times in the log");
    let title = "Latency";
    let hint = "Box: the middle half of all samples; tick: median; triangle: 90\u{a0}%; thin line: shortest \
                to 99\u{a0}%. Dark: total time with queueing; pale: the model's own time.";
    let width = form.width();
    let top = heading_height(width, title, hint) + 6.0;
    let rows = BarRows::new(&shown, form, top, 36.0, 10.0);
    let values: Vec<f64> = shown.iter().flat_map(|system| extremes(system)).collect();
    let axis =
        Axis::new(Scale::Log, log_range(&values), (rows.field.left + 4.0, rows.field.right - 4.0));
    let below = rows.field.bottom + 42.0;
    let mut scene = Scene::new(width, below + note_height(width, &left_out) + 8.0, title);
    scene.description = describe(&shown, &left_out);
    heading(&mut scene, title, hint);
    lower_axis(&mut scene, &rows.field, &axis, "time of a sample (log scale)", seconds);
    rows.label(&mut scene, &shown);
    for (row, system) in shown.iter().enumerate() {
        let middle = rows.middle(row);
        let paint = system.provider().paint();
        match (&system.figures.total_time, &system.figures.model_time) {
            (Some(total), Some(model)) => {
                spread(&mut scene, &axis, middle - 7.0, total, paint);
                spread(&mut scene, &axis, middle + 7.0, model, paint.towards(Paint::GROUND, 0.55));
            }
            (Some(total), None) => spread(&mut scene, &axis, middle, total, paint),
            _ => {}
        }
    }
    note(&mut scene, below, &left_out);
    Some(scene)
}

/// The range that is drawn of a system.
fn extremes(system: &ComparedSystem) -> Vec<f64> {
    [&system.figures.total_time, &system.figures.model_time]
        .into_iter()
        .flatten()
        // A few answers without any time must not compress the scale for all others.
        .flat_map(|times| [times.min.max(times.p50 / 20.0), times.p99])
        .filter(|value| *value > 0.0)
        .collect()
}

fn spread(scene: &mut Scene, axis: &Axis, y: f64, times: &Times, paint: Paint) {
    let at = |value: f64| axis.at(value);
    scene.segment(
        Point::new(at(times.min), y),
        Point::new(at(times.p99), y),
        Stroke::solid(paint.towards(Paint::GROUND, 0.35), 1.25),
    );
    let (left, right) = (at(times.p25), at(times.p75));
    scene.rounded(Area::new(left, y - 5.0, right.max(left + 2.0), y + 5.0), 2.0, paint);
    let median = at(times.p50);
    scene.segment(
        Point::new(median, y - 5.0),
        Point::new(median, y + 5.0),
        Stroke::solid(paint.text(), 2.0),
    );
    let p90 = at(times.p90);
    scene.polygon(
        vec![
            Point::new(p90, y + 1.0),
            Point::new(p90 - 4.0, y - 6.0),
            Point::new(p90 + 4.0, y - 6.0),
        ],
        paint.towards(Paint::INK, 0.25),
        1.0,
    );
}

fn describe(systems: &[&ComparedSystem], left_out: &str) -> String {
    let one = |system: &&ComparedSystem| {
        let figures = [("total", system.figures.total_time), ("model", system.figures.model_time)];
        let parts: Vec<String> = figures
            .iter()
            .filter_map(|(name, times)| {
                let times = times.as_ref()?;
                Some(format!("{name} median {}, 90 % {}", seconds(times.p50), seconds(times.p90)))
            })
            .collect();
        format!("{}: {}", system.short, parts.join(", "))
    };
    let lines: Vec<String> = systems.iter().map(one).collect();
    format!("{}. {left_out}", lines.join("; "))
}
