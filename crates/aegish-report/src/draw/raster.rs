//! A scene → pixels.

use ab_glyph_rasterizer::{Point as Spot, Rasterizer, point};

use super::font::{self, OutlineSink};
use super::scene::SceneShape;
use super::{
    Area, Border, Colour, Paint, Point, Scene, Stroke, TextDirection, TextLabel, Theme, text_width,
};

/// Pixels, row by row from the upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Three bytes each: red, green, blue.
    pub(crate) bytes: Vec<u8>,
}

/// Most pixels of a picture; a larger one is scaled down.
const MOST: f64 = 40_000_000.0;

/// Draws a scene with `scale` pixels per unit; fewer if the picture would be too large.
pub(crate) fn raster(scene: &Scene, theme: Theme, scale: f64) -> Pixels {
    let scale = scale.min((MOST / (scene.width * scene.height).max(1.0)).sqrt());
    let (width, height) = ((scene.width * scale).ceil(), (scene.height * scale).ceil());
    let mut canvas = Canvas::new(width as usize, height as usize, scale, theme);
    for shape in &scene.shapes {
        canvas.draw(shape);
    }
    canvas.pixels
}

struct Canvas {
    pixels: Pixels,
    scale: f64,
    theme: Theme,
}

impl Canvas {
    fn new(width: usize, height: usize, scale: f64, theme: Theme) -> Self {
        let Colour(red, green, blue) = Paint::GROUND.of(theme);
        let bytes = [red, green, blue].repeat(width * height);
        Self { pixels: Pixels { width, height, bytes }, scale, theme }
    }

    fn draw(&mut self, shape: &SceneShape) {
        match shape {
            SceneShape::Box { area, radius, fill, opacity } => {
                self.fill(&Outline::rounded(area, *radius), *fill, *opacity);
            }
            SceneShape::Polygon { points, fill, opacity } => {
                self.fill(&Outline::polygon(points), *fill, *opacity);
            }
            SceneShape::Line { points, stroke } => self.stroke(points, *stroke),
            SceneShape::Circle { centre, radius, fill, edge } => {
                if let Some(edge) = edge {
                    let outer = Outline::circle(*centre, radius + edge.width / 2.0);
                    self.fill(&outer, edge.paint, 1.0);
                    self.fill(&Outline::circle(*centre, radius - edge.width / 2.0), *fill, 1.0);
                } else {
                    self.fill(&Outline::circle(*centre, *radius), *fill, 1.0);
                }
            }
            SceneShape::Text(text) => {
                if text.rim == Border::Ground {
                    let mut rim = Outline::default();
                    for way in arc(text.at, Border::REACH, 0.0, 4).into_iter().step_by(4) {
                        rim.add(&Outline::text(&TextLabel { at: way, ..text.clone() }));
                    }
                    self.fill(&rim, Paint::GROUND, 1.0);
                }
                self.fill(&Outline::text(text), text.paint, 1.0);
            }
        }
    }

    fn stroke(&mut self, points: &[Point], stroke: Stroke) {
        let mut outline = Outline::default();
        for (from, to) in dashes(points, stroke.dash) {
            outline.bar(from, to, stroke.width);
        }
        if stroke.dash.is_none() {
            // Round joints, so that no corner has a notch.
            for joint in points.iter().skip(1).take(points.len().saturating_sub(2)) {
                outline.add(&Outline::circle(*joint, stroke.width / 2.0));
            }
        }
        self.fill(&outline, stroke.paint, 1.0);
    }

    /// Fills an outline. All parts have the same direction, so that overlaps stay filled.
    fn fill(&mut self, outline: &Outline, paint: Paint, opacity: f64) {
        let Some(bounds) = outline.bounds(self.scale) else { return };
        let left = bounds.left.floor().max(0.0);
        let top = bounds.top.floor().max(0.0);
        let right = bounds.right.ceil().min(self.pixels.width as f64);
        let bottom = bounds.bottom.ceil().min(self.pixels.height as f64);
        if right <= left || bottom <= top {
            return;
        }
        let width = (right - left) as usize;
        let mut raster = Rasterizer::new(width, (bottom - top) as usize);
        let place = |spot: (f64, f64)| -> Spot {
            // Points outside the picture are clamped, because the outline still bounds the inside.
            let x = (spot.0 * self.scale - left).clamp(0.0, right - left);
            let y = (spot.1 * self.scale - top).clamp(0.0, bottom - top);
            point(x as f32, y as f32)
        };
        for piece in &outline.pieces {
            match *piece {
                OutlinePiece::Line(from, to) => raster.draw_line(place(from), place(to)),
                OutlinePiece::Curve(from, control, to) => {
                    raster.draw_quad(place(from), place(control), place(to));
                }
            }
        }
        let Colour(red, green, blue) = paint.of(self.theme);
        let stride = self.pixels.width;
        let (column, row) = (left as usize, top as usize);
        let bytes = &mut self.pixels.bytes;
        raster.for_each_pixel(|index, coverage| {
            let share = f64::from(coverage.abs().min(1.0)) * opacity;
            if share <= 0.0 {
                return;
            }
            let at = 3 * ((row + index / width) * stride + column + index % width);
            for (byte, colour) in bytes.iter_mut().skip(at).zip([red, green, blue]) {
                let old = f64::from(*byte);
                *byte = (old + (f64::from(colour) - old) * share).round() as u8;
            }
        });
    }
}

/// The pieces of a line that are drawn.
fn dashes(points: &[Point], dash: Option<(f64, f64)>) -> Vec<(Point, Point)> {
    let pairs = points.windows(2).map(|pair| (pair[0], pair[1]));
    let Some((on, off)) = dash else { return pairs.collect() };
    let mut pieces = Vec::new();
    let mut done = 0.0;
    for (from, to) in pairs {
        let length = (to.x - from.x).hypot(to.y - from.y);
        let at = |distance: f64| {
            let share = distance / length;
            Point::new(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
        };
        let mut here = 0.0;
        while here < length {
            let phase = (done + here) % (on + off);
            let step = if phase < on { on - phase } else { on + off - phase };
            let next = (here + step.max(0.01)).min(length);
            if phase < on {
                pieces.push((at(here), at(next)));
            }
            here = next;
        }
        done += length;
    }
    pieces
}

#[derive(Debug, Clone, Copy)]
enum OutlinePiece {
    Line((f64, f64), (f64, f64)),
    Curve((f64, f64), (f64, f64), (f64, f64)),
}

/// A closed outline.
#[derive(Debug, Default)]
struct Outline {
    pieces: Vec<OutlinePiece>,
}

impl Outline {
    fn polygon(points: &[Point]) -> Self {
        let ends = points.iter().cycle().skip(1);
        let pieces = points
            .iter()
            .zip(ends)
            .map(|(a, b)| OutlinePiece::Line((a.x, a.y), (b.x, b.y)))
            .collect();
        Self { pieces }
    }

    fn circle(centre: Point, radius: f64) -> Self {
        let radius = radius.max(0.0);
        Self::polygon(&arc(centre, radius, 0.0, 4))
    }

    fn rounded(area: &Area, radius: f64) -> Self {
        let radius = radius.min(area.width() / 2.0).min(area.height() / 2.0).max(0.0);
        let inner = area.grown(-radius);
        if radius < 0.01 {
            return Self::polygon(&[
                Point::new(area.left, area.top),
                Point::new(area.right, area.top),
                Point::new(area.right, area.bottom),
                Point::new(area.left, area.bottom),
            ]);
        }
        let corners = [
            (inner.right, inner.bottom),
            (inner.left, inner.bottom),
            (inner.left, inner.top),
            (inner.right, inner.top),
        ];
        let points: Vec<Point> = corners
            .iter()
            .enumerate()
            .flat_map(|(quarter, (x, y))| {
                let mut points = arc(Point::new(*x, *y), radius, quarter as f64, 1);
                let angle = (quarter as f64 + 1.0) * std::f64::consts::FRAC_PI_2;
                points.push(Point::new(x + radius * angle.cos(), y + radius * angle.sin()));
                points
            })
            .collect();
        Self::polygon(&points)
    }

    fn text(text: &TextLabel) -> Self {
        let width = text_width(&text.words, text.size, text.weight);
        let shift = text.anchor.shift(width);
        let angle = match text.turn {
            TextDirection::Level => 0.0,
            TextDirection::Up(degrees) => -degrees.to_radians(),
        };
        let mut letters =
            Letters { outline: Self::default(), at: text.at, size: text.size, shift, angle };
        font::outlines(&text.words, text.weight, &mut letters);
        letters.outline
    }

    /// A straight line of some width.
    fn bar(&mut self, from: Point, to: Point, width: f64) {
        let length = (to.x - from.x).hypot(to.y - from.y);
        if length <= 0.0 {
            return;
        }
        let (x, y) =
            ((to.y - from.y) / length * width / 2.0, (from.x - to.x) / length * width / 2.0);
        self.add(&Self::polygon(&[
            Point::new(from.x + x, from.y + y),
            Point::new(to.x + x, to.y + y),
            Point::new(to.x - x, to.y - y),
            Point::new(from.x - x, from.y - y),
        ]));
    }

    fn add(&mut self, other: &Self) {
        self.pieces.extend_from_slice(&other.pieces);
    }

    fn bounds(&self, scale: f64) -> Option<Area> {
        let mut bounds: Option<Area> = None;
        let mut include = |(x, y): (f64, f64)| {
            let (x, y) = (x * scale, y * scale);
            let old = bounds.unwrap_or(Area::new(x, y, x, y));
            bounds = Some(Area::new(
                old.left.min(x),
                old.top.min(y),
                old.right.max(x),
                old.bottom.max(y),
            ));
        };
        for piece in &self.pieces {
            match *piece {
                OutlinePiece::Line(from, to) => {
                    include(from);
                    include(to);
                }
                OutlinePiece::Curve(from, control, to) => {
                    include(from);
                    include(control);
                    include(to);
                }
            }
        }
        bounds.filter(|area| area.width().is_finite() && area.height().is_finite())
    }
}

/// Points on a circle, from a quarter on for some quarters, without the last.
fn arc(centre: Point, radius: f64, quarter: f64, quarters: u32) -> Vec<Point> {
    const STEPS: u32 = 16;
    (0..quarters * STEPS)
        .map(|step| {
            let turn = quarter + f64::from(step) / f64::from(STEPS);
            let angle = turn * std::f64::consts::FRAC_PI_2;
            Point::new(centre.x + radius * angle.cos(), centre.y + radius * angle.sin())
        })
        .collect()
}

/// Converts letters from ems to pixels.
struct Letters {
    outline: Outline,
    at: Point,
    size: f64,
    shift: f64,
    angle: f64,
}

impl Letters {
    fn place(&self, (x, y): (f32, f32)) -> (f64, f64) {
        let (x, y) = (f64::from(x) * self.size + self.shift, f64::from(y) * self.size);
        let (sin, cos) = self.angle.sin_cos();
        (self.at.x + x * cos - y * sin, self.at.y + x * sin + y * cos)
    }
}

impl OutlineSink for Letters {
    fn line(&mut self, from: (f32, f32), to: (f32, f32)) {
        let piece = OutlinePiece::Line(self.place(from), self.place(to));
        self.outline.pieces.push(piece);
    }

    fn curve(&mut self, from: (f32, f32), control: (f32, f32), to: (f32, f32)) {
        let piece = OutlinePiece::Curve(self.place(from), self.place(control), self.place(to));
        self.outline.pieces.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Area, Colour, Paint, Point, Scene, Stroke, TextLabel, Theme};
    use super::{Pixels, raster};

    const RED: Paint = Paint::new(Colour(255, 0, 0), Colour(255, 0, 0));

    fn pixel(pixels: &Pixels, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * pixels.width + x);
        [pixels.bytes[at], pixels.bytes[at + 1], pixels.bytes[at + 2]]
    }

    #[test]
    fn a_box_covers_its_pixels_and_half_of_those_at_its_edge() {
        let mut scene = Scene::new(4.0, 4.0, "box");
        scene.block(Area::new(1.0, 1.0, 2.5, 3.0), RED);
        let pixels = raster(&scene, Theme::Light, 1.0);
        assert_eq!((pixels.width, pixels.height, pixels.bytes.len()), (4, 4, 48));
        assert_eq!(pixel(&pixels, 1, 1), [255, 0, 0]);
        assert_eq!(pixel(&pixels, 2, 2), [255, 128, 128]);
        assert_eq!(pixel(&pixels, 0, 0), [255, 255, 255]);
        assert_eq!(pixel(&pixels, 3, 3), [255, 255, 255]);
    }

    #[test]
    fn the_ground_follows_the_theme() {
        let scene = Scene::new(1.0, 1.0, "nothing");
        let Colour(red, green, blue) = Paint::GROUND.dark;
        assert_eq!(raster(&scene, Theme::Dark, 1.0).bytes, [red, green, blue]);
    }

    #[test]
    fn shapes_that_leave_the_picture_are_cut_at_its_edge() {
        let mut scene = Scene::new(6.0, 6.0, "outside");
        scene.block(Area::new(-50.0, -50.0, 3.0, 50.0), RED);
        scene.dot(Point::new(500.0, 500.0), 3.0, RED);
        let pixels = raster(&scene, Theme::Light, 1.0);
        assert_eq!(pixel(&pixels, 0, 0), [255, 0, 0]);
        assert_eq!(pixel(&pixels, 2, 5), [255, 0, 0]);
        assert_eq!(pixel(&pixels, 3, 3), [255, 255, 255]);
    }

    #[test]
    fn crossing_and_joining_lines_have_no_holes() {
        let mut scene = Scene::new(20.0, 20.0, "cross");
        let corner = vec![Point::new(2.0, 2.0), Point::new(16.0, 2.0), Point::new(16.0, 16.0)];
        scene.line(corner, Stroke::solid(RED, 4.0));
        let pixels = raster(&scene, Theme::Light, 1.0);
        assert_eq!(pixel(&pixels, 15, 2), [255, 0, 0]);
        assert_eq!(pixel(&pixels, 16, 3), [255, 0, 0]);
    }

    #[test]
    fn words_leave_ink() {
        let mut scene = Scene::new(40.0, 20.0, "words");
        scene.text(TextLabel::new(Point::new(2.0, 15.0), 14.0, "MW"));
        let pixels = raster(&scene, Theme::Light, 1.0);
        let dark = pixels.bytes.chunks(3).filter(|rgb| rgb[0] < 100).count();
        assert!(dark > 40, "{dark}");
    }
}
