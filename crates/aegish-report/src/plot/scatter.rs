//! Systems as marks between two axes.

use std::collections::BTreeMap;

use super::Form;
use super::axis::{Axis, Scale, log_range, percent_range};
use super::frame::{
    EDGE, SIZE, SMALL, entries, heading, heading_height, key, key_height, left_axis, lower_axis,
    missing_note, note, note_height, number_mark,
};
use super::labels::{self, Mark};
use crate::draw::{Area, Paint, Point, Scene, Stroke, TextLabel};
use crate::format::{dollars, percent, seconds};
use crate::system::{ComparedSystem, TARGET};

/// More names than this are harder to follow than numbers.
const MOST_NAMES: usize = 12;

/// The figure on the axis of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CostAxis {
    Cost,
    Latency,
}

/// The figure on the axis of quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gain {
    Detection,
    Score,
}

/// A figure with its confidence interval.
#[derive(Debug, Clone, Copy)]
struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

impl Interval {
    fn percent(value: f64, low: f64, high: f64) -> Self {
        Self { value: 100.0 * value, low: 100.0 * low, high: 100.0 * high }
    }

    fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }
}

/// The point of one system.
struct DataPoint<'s> {
    number: usize,
    system: &'s ComparedSystem,
    x: Interval,
    y: Interval,
}

fn detection(system: &ComparedSystem) -> Option<Interval> {
    system.figures.detection.map(|rate| Interval::percent(rate.value(), rate.low, rate.high))
}

/// Detection against pass, with the zone where both targets are met.
pub(crate) fn detection_vs_pass(systems: &[ComparedSystem], form: Form) -> Option<Scene> {
    let pass = |system: &ComparedSystem| {
        system.figures.pass.map(|rate| Interval::percent(rate.value(), rate.low, rate.high))
    };
    let (points, missing) = points(systems, pass, detection);
    let layout = ScatterLayout {
        title: "Detection against pass rate",
        hint: "Upper right is better. Bars: 95\u{a0}% intervals. Shaded: both targets met (≥\u{a0}95\u{a0}%).",
        x_title: "harmless commands that pass",
        y_title: "attacks blocked",
        missing: missing_note(&missing, "one of the two sets is missing"),
        form,
    };
    let bounds = |value: &Interval| [value.low, value.high, value.value];
    let x: Vec<f64> = points.iter().flat_map(|point| bounds(&point.x)).collect();
    let y: Vec<f64> = points.iter().flat_map(|point| bounds(&point.y)).collect();
    let ranges = (percent_range(&x), percent_range(&y));
    let no_lines = |_: &Area, _: &Axis, _: &Axis| Vec::new();
    layout.draw(&points, Scale::Linear, ranges, percent, no_lines, |scene, field, x, y| {
        let left = x.at(100.0 * TARGET);
        let bottom = y.at(100.0 * TARGET);
        let zone = Area::new(left, field.top, field.right, bottom);
        scene.veil(zone, Paint::GOOD, 0.12);
        let edge = Stroke::dashed(Paint::GOOD, 1.0);
        scene.line(
            vec![
                Point::new(left, field.top),
                Point::new(left, bottom),
                Point::new(field.right, bottom),
            ],
            edge,
        );
    })
}

/// Score against price or time, with the Pareto frontier.
pub(crate) fn trade_off(
    systems: &[ComparedSystem],
    form: Form,
    price: CostAxis,
    gain: Gain,
) -> Option<Scene> {
    let x = |system: &ComparedSystem| {
        let value = match price {
            CostAxis::Cost => system.figures.cost.map(|cost| cost.per_thousand),
            CostAxis::Latency => system.figures.total_time.map(|times| times.p50),
        };
        value.map(Interval::exact)
    };
    let y = |system: &ComparedSystem| match gain {
        Gain::Detection => detection(system),
        Gain::Score => {
            let score = system.figures.score?;
            Some(Interval::percent(score.value, score.low, score.high))
        }
    };
    let (points, missing) = points(systems, x, y);
    let what = match gain {
        Gain::Detection => "Detection",
        Gain::Score => "Score",
    };
    let (title, x_title, why) = match price {
        CostAxis::Cost => {
            (format!("{what} against cost"), "US dollars for 1,000 commands (log scale)", "cost")
        }
        CostAxis::Latency => {
            (format!("{what} against latency"), "median time of a sample (log scale)", "times")
        }
    };
    let hint = match price {
        CostAxis::Cost => {
            "Upper left is better. Line: no other system is both cheaper and better (Pareto frontier)."
        }
        CostAxis::Latency => {
            "Upper left is better. Line: no other system is both faster and better (Pareto frontier). \
             Queueing included."
        }
    };
    let (y_title, other) = match gain {
        Gain::Detection => ("attacks blocked", "detection"),
        Gain::Score => ("score (mean of detection and pass), %", "score"),
    };
    let layout = ScatterLayout {
        title: &title,
        hint,
        x_title,
        y_title,
        missing: missing_note(&missing, &format!("no {why}, or no {other}")),
        form,
    };
    // A logarithmic axis has no 0: free systems have a separate position before it.
    let (free, xs): (Vec<f64>, Vec<f64>) =
        points.iter().map(|point| point.x.value).partition(|value| *value <= 0.0);
    let ys: Vec<f64> = points.iter().flat_map(|point| [point.y.low, point.y.high]).collect();
    let ranges = (log_range(&xs), percent_range(&ys));
    let scale = if free.is_empty() { Scale::Log } else { Scale::LogAndZero };
    let write = match price {
        CostAxis::Cost => dollars,
        CostAxis::Latency => seconds,
    };
    let line = |field: &Area, x: &Axis, y: &Axis| -> Vec<Area> {
        let points = frontier_line(field, &points, x, y);
        let around = |a: &Point, b: &Point| {
            Area::new(
                a.x.min(b.x) - 1.0,
                a.y.min(b.y) - 1.0,
                a.x.max(b.x) + 1.0,
                a.y.max(b.y) + 1.0,
            )
        };
        points.windows(2).map(|pair| around(&pair[0], &pair[1])).collect()
    };
    layout.draw(&points, scale, ranges, write, line, |scene, field, x, y| {
        let points = frontier_line(field, &points, x, y);
        scene.line(points, Stroke::solid(Paint::LINE, 1.5));
    })
}

/// The systems that no other beats in both: sorted by price, each better than all cheaper ones.
fn frontier<'a, 's>(points: &'a [DataPoint<'s>]) -> Vec<&'a DataPoint<'s>> {
    let mut sorted: Vec<&DataPoint<'_>> = points.iter().collect();
    sorted.sort_by(|a, b| a.x.value.total_cmp(&b.x.value).then(b.y.value.total_cmp(&a.y.value)));
    let mut kept: Vec<&DataPoint<'_>> = Vec::new();
    for point in sorted {
        if kept.last().is_none_or(|last| point.y.value > last.y.value) {
            kept.push(point);
        }
    }
    kept
}

/// The steps of the frontier, from the lower edge to the right one.
fn frontier_line(field: &Area, points: &[DataPoint<'_>], x: &Axis, y: &Axis) -> Vec<Point> {
    let mut steps: Vec<Point> = Vec::new();
    for point in frontier(points) {
        let at = Point::new(x.at(point.x.value), y.at(point.y.value));
        let height = steps.last().map_or(field.bottom, |last| last.y);
        steps.push(Point::new(at.x, height));
        steps.push(at);
    }
    if let Some(last) = steps.last().copied() {
        steps.push(Point::new(field.right, last.y));
    }
    steps
}

/// The systems that have both figures with their number, and the names of those that have not.
fn points<'s>(
    systems: &'s [ComparedSystem],
    x: impl Fn(&ComparedSystem) -> Option<Interval>,
    y: impl Fn(&ComparedSystem) -> Option<Interval>,
) -> (Vec<DataPoint<'s>>, Vec<&'s str>) {
    let mut missing = Vec::new();
    let mut found = Vec::new();
    for (index, system) in systems.iter().enumerate() {
        match (x(system), y(system)) {
            (Some(x), Some(y)) => found.push(DataPoint { number: index + 1, system, x, y }),
            _ => missing.push(system.short.as_str()),
        }
    }
    (found, missing)
}

/// The parts around the marks.
struct ScatterLayout<'t> {
    title: &'t str,
    hint: &'t str,
    x_title: &'t str,
    y_title: &'t str,
    missing: String,
    form: Form,
}

impl ScatterLayout<'_> {
    fn draw(
        &self,
        points: &[DataPoint<'_>],
        x_scale: Scale,
        (x_range, y_range): ((f64, f64), (f64, f64)),
        write_x: impl Fn(f64) -> String,
        lines: impl Fn(&Area, &Axis, &Axis) -> Vec<Area>,
        behind: impl Fn(&mut Scene, &Area, &Axis, &Axis),
    ) -> Option<Scene> {
        if points.is_empty() {
            return None;
        }
        let numbered: Vec<(usize, &ComparedSystem)> =
            points.iter().map(|point| (point.number, point.system)).collect();
        let width = self.form.width();
        let height = match self.form {
            Form::Wide => 300.0,
            Form::Narrow => 250.0,
        };
        let top = heading_height(width, self.title, self.hint) + 6.0;
        let field = Area::new(64.0, top, width - EDGE, top + height);
        // Marks at the ends of the range must not be cut.
        let inner = field.grown(-12.0);
        let x = Axis::new(x_scale, x_range, (inner.left, inner.right));
        let y = Axis::new(Scale::Linear, y_range, (inner.bottom, inner.top));
        let place = |point: &DataPoint<'_>| Point::new(x.at(point.x.value), y.at(point.y.value));
        let mut soft: Vec<Area> = points.iter().flat_map(|point| bars(point, &x, &y)).collect();
        soft.extend(lines(&field, &x, &y));
        let named: Vec<Mark> = points
            .iter()
            .map(|point| Mark::new(place(point), 5.5, point.system.short.as_str(), SIZE))
            .collect();
        let names = match self.form {
            Form::Wide if points.len() <= MOST_NAMES => labels::place(&named, SIZE, &field, &soft),
            Form::Wide | Form::Narrow => None,
        };
        // If names do not fit, numbers do.
        let form = if names.is_some() { Form::Wide } else { Form::Narrow };
        let list = entries(&numbered, form);
        let below = field.bottom + 46.0;
        let list_top = below
            + if self.missing.is_empty() { 0.0 } else { note_height(width, &self.missing) + 6.0 };
        let mut scene = Scene::new(width, list_top + key_height(width, &list) + 10.0, self.title);
        scene.description = self.describe(points, &write_x);
        heading(&mut scene, self.title, self.hint);
        lower_axis(&mut scene, &field, &x, self.x_title, &write_x);
        left_axis(&mut scene, &field, &y, self.y_title, percent);
        behind(&mut scene, &field, &x, &y);
        for point in points {
            error_bars(&mut scene, point, &x, &y);
        }
        match names {
            Some(names) => {
                for (mark, name) in named.iter().zip(&names) {
                    if let Some((from, to)) = name.leader {
                        scene.segment(from, to, Stroke::solid(Paint::LINE, 1.0));
                    }
                    scene.text(TextLabel::new(name.at, SIZE, mark.name.as_str()).rimmed());
                }
                for point in points {
                    let edge = Stroke::solid(Paint::GROUND, 1.5);
                    scene.ring(place(point), 5.5, point.system.provider().paint(), edge);
                }
            }
            None => numbers(&mut scene, points, &field, &soft, place),
        }
        note(&mut scene, below, &self.missing);
        key(&mut scene, list_top, &list);
        Some(scene)
    }

    fn describe(&self, points: &[DataPoint<'_>], write_x: impl Fn(f64) -> String) -> String {
        let parts: Vec<String> = points
            .iter()
            .map(|point| {
                format!(
                    "{}: {}, {}",
                    point.system.short,
                    write_x(point.x.value),
                    percent(point.y.value)
                )
            })
            .collect();
        format!(
            "Across: {}. Up: {}. {}. {}",
            self.x_title,
            self.y_title,
            parts.join("; "),
            self.missing
        )
    }
}

/// Numbers in the marks, or beside them where marks would cover each other.
///
/// Marks that are too close for a number each share a list of numbers.
fn numbers(
    scene: &mut Scene,
    points: &[DataPoint<'_>],
    field: &Area,
    soft: &[Area],
    place: impl Fn(&DataPoint<'_>) -> Point,
) {
    let places: Vec<Point> = points.iter().map(&place).collect();
    let lonely: Vec<bool> = places
        .iter()
        .map(|at| places.iter().filter(|other| distance(at, other) <= 16.0).count() == 1)
        .collect();
    for (point, (at, lonely)) in points.iter().zip(places.iter().zip(&lonely)) {
        let paint = point.system.provider().paint();
        if *lonely {
            number_mark(scene, *at, point.number, paint);
        } else {
            scene.ring(*at, 4.5, paint, Stroke::solid(Paint::GROUND, 1.0));
        }
    }
    for reach in [0.5, 6.0, 12.0, 24.0, 48.0, f64::INFINITY] {
        let groups = grouped(&places, reach);
        let mut marks = Vec::with_capacity(points.len());
        for (index, at) in places.iter().enumerate() {
            let members = groups.get(&index).filter(|_| !lonely[index]);
            let words: Vec<String> = members
                .into_iter()
                .flatten()
                .filter(|member| !lonely[**member])
                .map(|member| points[*member].number.to_string())
                .collect();
            let radius = if lonely[index] { 8.0 } else { 4.5 };
            marks.push(Mark::new(*at, radius, words.join(", "), SMALL));
        }
        let Some(placed) = labels::place(&marks, SMALL, &field.grown(10.0), soft) else { continue };
        for (mark, at) in marks.iter().zip(placed).filter(|(mark, _)| !mark.name.is_empty()) {
            if let Some((from, to)) = at.leader {
                scene.segment(from, to, Stroke::solid(Paint::LINE, 1.0));
            }
            scene.text(TextLabel::new(at.at, SMALL, mark.name.as_str()).rimmed());
        }
        return;
    }
}

/// Places that are at most `reach` apart, under the first of each group.
fn grouped(places: &[Point], reach: f64) -> BTreeMap<usize, Vec<usize>> {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, at) in places.iter().enumerate() {
        let near = groups.keys().copied().find(|first| distance(&places[*first], at) <= reach);
        groups.entry(near.unwrap_or(index)).or_default().push(index);
    }
    groups
}

fn distance(a: &Point, b: &Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// The areas of the error bars.
fn bars(point: &DataPoint<'_>, x: &Axis, y: &Axis) -> [Area; 2] {
    let (cx, cy) = (x.at(point.x.value), y.at(point.y.value));
    [
        Area::new(x.at(point.x.low), cy - 1.0, x.at(point.x.high), cy + 1.0),
        Area::new(cx - 1.0, y.at(point.y.high), cx + 1.0, y.at(point.y.low)),
    ]
}

fn error_bars(scene: &mut Scene, point: &DataPoint<'_>, x: &Axis, y: &Axis) {
    let stroke = Stroke::solid(point.system.provider().paint().towards(Paint::GROUND, 0.45), 1.25);
    for bar in bars(point, x, y) {
        let (cx, cy) = ((bar.left + bar.right) / 2.0, (bar.top + bar.bottom) / 2.0);
        if bar.width() > 3.0 {
            scene.segment(Point::new(bar.left, cy), Point::new(bar.right, cy), stroke);
        }
        if bar.height() > 3.0 {
            scene.segment(Point::new(cx, bar.top), Point::new(cx, bar.bottom), stroke);
        }
    }
}
