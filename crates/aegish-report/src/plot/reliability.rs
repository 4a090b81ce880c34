//! Stated confidence against the share of right answers.

use super::Form;
use super::axis::{Axis, Scale};
use super::frame::{
    EDGE, entries, heading, heading_height, key, key_height, left_axis, lower_axis, missing_note,
    note, note_height, number_mark,
};
use crate::draw::{Area, Paint, Point, Scene, Stroke};
use crate::format::percent;
use crate::system::ComparedSystem;
use aegish_log::metrics::Calibration;

/// Fewer verdicts in a range are too few for a point.
const FEWEST: u64 = 5;

/// A line per system; on the diagonal a system is right as often as it states.
pub(crate) fn reliability(systems: &[ComparedSystem], form: Form) -> Option<Scene> {
    let shown: Vec<(usize, &ComparedSystem, &Calibration)> = systems
        .iter()
        .enumerate()
        .filter_map(|(at, system)| Some((at + 1, system, enough(system)?)))
        .collect();
    if shown.is_empty() {
        return None;
    }
    let missing: Vec<&str> = systems
        .iter()
        .filter(|system| enough(system).is_none())
        .map(|system| system.short.as_str())
        .collect();
    let left_out = missing_note(&missing, "no verdict with a confidence");
    let title = "Reliability of the stated confidence";
    let hint = "On the dashed line a system is right as often as it says; below it claims too much. \
                Ranges with fewer than five verdicts are left out.";
    let width = form.width();
    let height = match form {
        Form::Wide => 300.0,
        Form::Narrow => 250.0,
    };
    let top = heading_height(width, title, hint) + 6.0;
    let field = Area::new(64.0, top, width - EDGE, top + height);
    let inner = field.grown(-12.0);
    let x = Axis::new(Scale::Linear, (0.0, 100.0), (inner.left, inner.right));
    let y = Axis::new(Scale::Linear, (0.0, 100.0), (inner.bottom, inner.top));
    let numbered: Vec<(usize, &ComparedSystem)> =
        shown.iter().map(|(number, system, _)| (*number, *system)).collect();
    let list = entries(&numbered, Form::Narrow);
    let below = field.bottom + 46.0;
    let list_top =
        below + if left_out.is_empty() { 0.0 } else { note_height(width, &left_out) + 6.0 };
    let mut scene = Scene::new(width, list_top + key_height(width, &list) + 10.0, title);
    let one = |(_, system, found): &(usize, &ComparedSystem, &Calibration)| {
        format!("{}: expected calibration error {:.3}", system.short, found.ece)
    };
    scene.description = shown.iter().map(one).collect::<Vec<_>>().join("; ");
    heading(&mut scene, title, hint);
    lower_axis(&mut scene, &field, &x, "stated confidence", percent);
    left_axis(&mut scene, &field, &y, "right answers", percent);
    let diagonal = vec![Point::new(x.at(0.0), y.at(0.0)), Point::new(x.at(100.0), y.at(100.0))];
    scene.line(diagonal, Stroke::dashed(Paint::MUTED, 1.0));
    let mut taken: Vec<Point> = Vec::new();
    for (number, system, found) in &shown {
        let place = |bin: &aegish_log::metrics::CalibrationBin| {
            Point::new(x.at(100.0 * bin.confidence), y.at(100.0 * bin.accuracy))
        };
        let points: Vec<Point> =
            found.bins.iter().filter(|bin| bin.samples >= FEWEST).map(place).collect();
        let paint = system.provider().paint();
        for point in &points {
            scene.dot(*point, 3.0, paint);
        }
        if points.len() > 1 {
            scene.line(points.clone(), Stroke::solid(paint, 1.5));
        }
        if let Some(last) = points.last() {
            let free = clear_of(&taken, &inner, *last);
            taken.push(free);
            number_mark(&mut scene, free, *number, paint);
        }
    }
    note(&mut scene, below, &left_out);
    key(&mut scene, list_top, &list);
    Some(scene)
}

/// The calibration of a system, if one range has enough verdicts.
fn enough(system: &ComparedSystem) -> Option<&Calibration> {
    let found = system.calibration.as_ref()?;
    found.bins.iter().any(|bin| bin.samples >= FEWEST).then_some(found)
}

/// A free position for a number near a point.
fn clear_of(taken: &[Point], field: &Area, point: Point) -> Point {
    let is_free = |place: &Point| {
        let apart =
            |other: &Point| (other.x - place.x).abs() > 19.0 || (other.y - place.y).abs() > 19.0;
        (field.left..=field.right).contains(&place.x)
            && (field.top..=field.bottom).contains(&place.y)
            && taken.iter().all(apart)
    };
    let steps =
        (0..12).flat_map(|left| (-6..=6).map(move |down| (f64::from(left), f64::from(down))));
    let mut places: Vec<Point> = steps
        .map(|(left, down)| Point::new(point.x - 20.0 * left, point.y + 20.0 * down))
        .collect();
    let distance = |place: &Point| (place.x - point.x).hypot(place.y - point.y);
    places.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
    places.into_iter().find(is_free).unwrap_or(point)
}
