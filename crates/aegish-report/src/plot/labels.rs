//! Places names beside marks, so that they cover neither each other nor marks and stay in the picture.
//!
//! Each name is tried at many positions around its mark, near and level ones first. Marks with many
//! neighbours come first. Several orders are tried and the best result is used, always the same one for the
//! same figures.

use crate::draw::{Area, Point, Weight, text_width};

/// A mark with a name to be placed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    pub(crate) centre: Point,
    pub(crate) radius: f64,
    pub(crate) name: String,
    /// The width of the name.
    width: f64,
}

impl Mark {
    /// A mark with its name, in this size.
    pub(crate) fn new(centre: Point, radius: f64, name: impl Into<String>, size: f64) -> Self {
        let name = name.into();
        let width = text_width(&name, size, Weight::Regular);
        Self { centre, radius, name, width }
    }
}

/// A placed name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    /// The left end of its base line.
    pub(crate) at: Point,
    /// The area that it covers.
    pub(crate) area: Area,
    /// A line from the mark to the name, if they are apart.
    pub(crate) leader: Option<(Point, Point)>,
}

/// Distances from the edge of the mark, in pixels.
const DISTANCES: [f64; 11] = [4.0, 9.0, 16.0, 26.0, 38.0, 52.0, 70.0, 92.0, 120.0, 155.0, 200.0];
/// From this distance on a name needs a line to its mark.
const NEEDS_LEADER: f64 = 12.0;
/// Directions, in steps of 1/16 of a turn from the right, clockwise; the first are preferred.
const DIRECTIONS: [u32; 16] = [0, 8, 12, 4, 14, 2, 10, 6, 15, 1, 9, 7, 13, 3, 11, 5];
/// Free space around names.
const MARGIN: f64 = 2.0;

/// Places all names within `frame`; `None` if one does not fit.
///
/// `soft` areas (error bars, lines) are covered only if necessary.
pub(crate) fn place(marks: &[Mark], size: f64, frame: &Area, soft: &[Area]) -> Option<Vec<Placed>> {
    let crowd = |mark: &Mark| {
        let near = |other: &&Mark| {
            (other.centre.x - mark.centre.x).abs() < 120.0
                && (other.centre.y - mark.centre.y).abs() < 40.0
        };
        marks.iter().filter(near).count()
    };
    let mut order: Vec<usize> = (0..marks.len()).collect();
    let mut best: Option<(f64, Vec<Placed>)> = None;
    for attempt in 0..4 {
        match attempt {
            0 => order.sort_by_key(|index| std::cmp::Reverse(crowd(&marks[*index]))),
            1 => order.sort_by(|a, b| marks[*a].centre.y.total_cmp(&marks[*b].centre.y)),
            2 => order.sort_by(|a, b| marks[*b].centre.x.total_cmp(&marks[*a].centre.x)),
            _ => order.reverse(),
        }
        let Some((cost, placed)) = attempt_in(&order, marks, size, frame, soft) else { continue };
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, placed));
        }
    }
    best.map(|(_, placed)| placed)
}

fn attempt_in(
    order: &[usize],
    marks: &[Mark],
    size: f64,
    frame: &Area,
    soft: &[Area],
) -> Option<(f64, Vec<Placed>)> {
    let mut placed: Vec<Option<Placed>> = vec![None; marks.len()];
    let mut total = 0.0;
    for index in order {
        if marks[*index].name.is_empty() {
            placed[*index] = Some(candidate(&marks[*index], 0.0, 0.0, 0));
            continue;
        }
        let mut best: Option<(f64, Placed)> = None;
        for (step, distance) in DISTANCES.iter().enumerate() {
            for (preference, direction) in DIRECTIONS.iter().enumerate() {
                let candidate = candidate(&marks[*index], size, *distance, *direction);
                if !free(&candidate, *index, marks, &placed, frame) {
                    continue;
                }
                let hidden: f64 = soft.iter().map(|area| candidate.area.overlap(area)).sum();
                let cost = 10.0 * step as f64 + preference as f64 + 0.4 * hidden;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, candidate));
                }
            }
        }
        let (cost, found) = best?;
        total += cost;
        placed[*index] = Some(found);
    }
    Some((total, placed.into_iter().flatten().collect()))
}

/// The name at this distance in this direction from the mark, measured to its nearest edge.
fn candidate(mark: &Mark, size: f64, distance: f64, direction: u32) -> Placed {
    let angle = f64::from(direction) * std::f64::consts::PI / 8.0;
    let (sin, cos) = angle.sin_cos();
    let reach = mark.radius + distance;
    let (x, y) = (mark.centre.x + cos * reach, mark.centre.y + sin * reach);
    let (width, height) = (mark.width, size);
    let left = match cos {
        cos if cos > 0.3 => x,
        cos if cos < -0.3 => x - width,
        _ => x - width / 2.0,
    };
    let top = match sin {
        sin if sin > 0.3 => y,
        sin if sin < -0.3 => y - height,
        _ => y - height / 2.0,
    };
    let area = Area::new(left, top, left + width, top + height);
    let leader = (distance > NEEDS_LEADER).then(|| {
        let from = Point::new(
            mark.centre.x + cos * (mark.radius + 1.0),
            mark.centre.y + sin * (mark.radius + 1.0),
        );
        (from, Point::new(x - cos * 2.0, y - sin * 2.0))
    });
    // The letters of a line fill about its middle 72 %.
    Placed { at: Point::new(left, top + 0.82 * height), area, leader }
}

fn free(
    candidate: &Placed,
    index: usize,
    marks: &[Mark],
    placed: &[Option<Placed>],
    frame: &Area,
) -> bool {
    let area = candidate.area.grown(MARGIN);
    if !frame.contains(&candidate.area) {
        return false;
    }
    for (other, mark) in marks.iter().enumerate() {
        let radius = mark.radius + 1.0;
        let spot = Area::new(
            mark.centre.x - radius,
            mark.centre.y - radius,
            mark.centre.x + radius,
            mark.centre.y + radius,
        );
        if area.overlap(&spot) > 0.0 {
            return false;
        }
        let crossed = candidate.leader.is_some_and(|(from, to)| crosses(from, to, &spot));
        if other != index && crossed {
            return false;
        }
    }
    placed.iter().flatten().all(|other| {
        let over = area.overlap(&other.area) > 0.0
            || candidate
                .leader
                .is_some_and(|(from, to)| crosses(from, to, &other.area.grown(MARGIN)))
            || other.leader.is_some_and(|(from, to)| crosses(from, to, &area));
        let lines_meet =
            candidate.leader.zip(other.leader).is_some_and(|((a, b), (c, d))| meet(a, b, c, d));
        !over && !lines_meet
    })
}

/// Whether a line touches an area.
fn crosses(from: Point, to: Point, area: &Area) -> bool {
    const STEPS: u32 = 24;
    (0..=STEPS).any(|step| {
        let share = f64::from(step) / f64::from(STEPS);
        let x = from.x + (to.x - from.x) * share;
        let y = from.y + (to.y - from.y) * share;
        area.left <= x && x <= area.right && area.top <= y && y <= area.bottom
    })
}

/// Whether two lines cross.
fn meet(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

#[cfg(test)]
mod tests {
    use super::{Mark, Placed, place};
    use crate::draw::{Area, Point};

    const FRAME: Area = Area::new(0.0, 0.0, 560.0, 420.0);

    fn marks(points: &[(f64, f64)]) -> Vec<Mark> {
        let mark = |(index, (x, y)): (usize, &(f64, f64))| {
            Mark::new(Point::new(*x, *y), 5.0, format!("claude-model-number-{index}"), 12.0)
        };
        points.iter().enumerate().map(mark).collect()
    }

    fn check(marks: &[Mark], placed: &[Placed]) {
        assert_eq!(marks.len(), placed.len());
        for (index, one) in placed.iter().enumerate() {
            assert!(FRAME.contains(&one.area), "{one:?}");
            for other in &placed[index + 1..] {
                assert!(one.area.overlap(&other.area) <= 0.0, "{one:?} {other:?}");
            }
            for mark in marks {
                let (x, y) = (mark.centre.x, mark.centre.y);
                let spot = Area::new(x - 5.0, y - 5.0, x + 5.0, y + 5.0);
                assert!(one.area.overlap(&spot) <= 0.0, "{one:?} {mark:?}");
            }
        }
    }

    #[test]
    fn a_lonely_mark_has_its_name_at_its_right() {
        let marks = marks(&[(100.0, 100.0)]);
        let placed = place(&marks, 12.0, &FRAME, &[]).expect("room");
        assert!(placed[0].leader.is_none());
        assert!((placed[0].at.x - 109.0).abs() < 1e-9);
    }

    #[test]
    fn a_mark_at_the_edge_has_its_name_inside() {
        let marks = marks(&[(555.0, 3.0), (555.0, 417.0), (3.0, 3.0)]);
        check(&marks, &place(&marks, 12.0, &FRAME, &[]).expect("room"));
    }

    #[test]
    fn crowded_marks_have_names_that_do_not_touch() {
        let points: Vec<(f64, f64)> = (0..10)
            .map(|i| (400.0 + f64::from(i % 4) * 40.0, 30.0 + f64::from(i) * 16.0))
            .collect();
        let marks = marks(&points);
        check(&marks, &place(&marks, 12.0, &FRAME, &[]).expect("room"));
    }

    #[test]
    fn a_label_without_room_is_left_out() {
        let marks = marks(&[(20.0, 20.0)]);
        assert_eq!(place(&marks, 12.0, &Area::new(0.0, 0.0, 40.0, 40.0), &[]), None);
    }
}
