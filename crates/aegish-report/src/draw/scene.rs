//! The elements of a picture.

use super::{Paint, Weight};

/// A position, in pixels from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) const fn new(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { left, top, right, bottom }
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The rectangle enlarged by `margin` on every side.
    pub(crate) fn grown(&self, margin: f64) -> Self {
        Self::new(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)
    }

    /// The area of the intersection, in square pixels.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width > 0.0 && height > 0.0 { width * height } else { 0.0 }
    }

    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) paint: Paint,
    pub(crate) width: f64,
    /// Lengths of dash and gap.
    pub(crate) dash: Option<(f64, f64)>,
}

impl Stroke {
    pub(crate) const fn solid(paint: Paint, width: f64) -> Self {
        Self { paint, width, dash: None }
    }

    pub(crate) const fn dashed(paint: Paint, width: f64) -> Self {
        Self { paint, width, dash: Some((4.0, 3.0)) }
    }
}

/// Which part of a text is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// The distance from the position of a text to its left end.
    pub(crate) fn shift(self, width: f64) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => -width / 2.0,
            Self::End => -width,
        }
    }
}

/// The direction of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TextDirection {
    /// From left to right.
    Level,
    /// Upwards from the position, at this many degrees.
    Up(f64),
}

/// Words; the position is on their base line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextLabel {
    pub(crate) at: Point,
    pub(crate) words: String,
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) anchor: Anchor,
    pub(crate) paint: Paint,
    pub(crate) turn: TextDirection,
    pub(crate) rim: Border,
}

/// Whether letters have an outline in the background colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Border {
    None,
    /// A narrow rim in the colour of the ground.
    Ground,
}

impl Border {
    /// The extent beyond the letters, in pixels.
    pub(crate) const REACH: f64 = 1.75;
}

impl TextLabel {
    /// Ordinary words to the right of `at`.
    pub(crate) fn new(at: Point, size: f64, words: impl Into<String>) -> Self {
        Self {
            at,
            words: words.into(),
            size,
            weight: Weight::Regular,
            anchor: Anchor::Start,
            paint: Paint::INK,
            turn: TextDirection::Level,
            rim: Border::None,
        }
    }

    pub(crate) fn strong(self) -> Self {
        Self { weight: Weight::Strong, ..self }
    }

    pub(crate) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn painted(self, paint: Paint) -> Self {
        Self { paint, ..self }
    }

    pub(crate) fn rimmed(self) -> Self {
        Self { rim: Border::Ground, ..self }
    }

    pub(crate) fn turned(self, turn: TextDirection) -> Self {
        Self { turn, ..self }
    }
}

/// One shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SceneShape {
    Box { area: Area, radius: f64, fill: Paint, opacity: f64 },
    Polygon { points: Vec<Point>, fill: Paint, opacity: f64 },
    Line { points: Vec<Point>, stroke: Stroke },
    Circle { centre: Point, radius: f64, fill: Paint, edge: Option<Stroke> },
    Text(TextLabel),
}

/// A picture: shapes, the later over the earlier.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// A short text for readers who cannot see it.
    pub(crate) title: String,
    /// A description in full sentences.
    pub(crate) description: String,
    pub(crate) shapes: Vec<SceneShape>,
}

impl Scene {
    pub(crate) fn new(width: f64, height: f64, title: impl Into<String>) -> Self {
        let title = title.into();
        Self { width, height, title, description: String::new(), shapes: Vec::new() }
    }

    pub(crate) fn block(&mut self, area: Area, fill: Paint) {
        self.rounded(area, 0.0, fill);
    }

    pub(crate) fn rounded(&mut self, area: Area, radius: f64, fill: Paint) {
        self.shapes.push(SceneShape::Box { area, radius, fill, opacity: 1.0 });
    }

    /// A translucent block.
    pub(crate) fn veil(&mut self, area: Area, fill: Paint, opacity: f64) {
        self.shapes.push(SceneShape::Box { area, radius: 0.0, fill, opacity });
    }

    pub(crate) fn polygon(&mut self, points: Vec<Point>, fill: Paint, opacity: f64) {
        self.shapes.push(SceneShape::Polygon { points, fill, opacity });
    }

    pub(crate) fn line(&mut self, points: Vec<Point>, stroke: Stroke) {
        self.shapes.push(SceneShape::Line { points, stroke });
    }

    pub(crate) fn segment(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.line(vec![from, to], stroke);
    }

    pub(crate) fn dot(&mut self, centre: Point, radius: f64, fill: Paint) {
        self.shapes.push(SceneShape::Circle { centre, radius, fill, edge: None });
    }

    pub(crate) fn ring(&mut self, centre: Point, radius: f64, fill: Paint, edge: Stroke) {
        self.shapes.push(SceneShape::Circle { centre, radius, fill, edge: Some(edge) });
    }

    pub(crate) fn text(&mut self, text: TextLabel) {
        if !text.words.is_empty() {
            self.shapes.push(SceneShape::Text(text));
        }
    }
}
