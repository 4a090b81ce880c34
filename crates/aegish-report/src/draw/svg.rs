//! A scene → SVG.
//!
//! Colours are attributes, for programs without style sheets, and also a style sheet for readers who prefer
//! dark pages. Each text has its width, so that another font cannot make words overlap.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use data_encoding::BASE64;

use super::scene::SceneShape;
use super::{
    Anchor, Border, Paint, Point, Scene, Stroke, TextDirection, TextLabel, Weight, text_width,
};
use crate::escape;

/// Whether a picture contains its font and styles, or uses those of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SvgUse {
    /// A file.
    Alone,
    /// Part of a page with [`font_faces`].
    InPage,
}

/// The picture. `id` must be unique on the page.
pub(crate) fn svg(scene: &Scene, id: &str, place: SvgUse) -> String {
    let mut out = String::new();
    let (width, height) = (number(scene.width), number(scene.height));
    let (title, description) = (escape::xml(&scene.title), escape::xml(&scene.description));
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-text\" font-family=\"{FAMILY}\">\n\
         <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-text\">{description}</desc>\n"
    );
    let faces = match place {
        SvgUse::Alone => font_faces(),
        SvgUse::InPage => String::new(),
    };
    let _ = writeln!(out, "<style>{faces}{}</style>", dark_rules(scene));
    if place == SvgUse::Alone {
        let ground = fill(Paint::GROUND, 1.0);
        let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\"{ground}/>");
    }
    for shape in &scene.shapes {
        draw(&mut out, shape);
    }
    out.push_str("</svg>\n");
    out
}

/// The embedded font first, then fonts of the system.
const FAMILY: &str = "aegish Inter, Inter, system-ui, Segoe UI, Helvetica, Arial, sans-serif";

/// The style rules that bring the font.
pub(crate) fn font_faces() -> String {
    let face = |weight: Weight| {
        format!(
            "@font-face{{font-family:\"aegish Inter\";font-weight:{};\
             src:url(data:font/woff2;base64,{}) format(\"woff2\")}}",
            weight.css(),
            BASE64.encode(weight.web())
        )
    };
    face(Weight::Regular) + &face(Weight::Strong)
}

/// Rules for readers who prefer dark pages.
fn dark_rules(scene: &Scene) -> String {
    let mut fills = BTreeSet::from([Paint::GROUND]);
    let mut strokes = BTreeSet::from([Paint::GROUND]);
    for shape in &scene.shapes {
        match shape {
            SceneShape::Box { fill, .. } | SceneShape::Polygon { fill, .. } => {
                fills.insert(*fill);
            }
            SceneShape::Line { stroke, .. } => {
                strokes.insert(stroke.paint);
            }
            SceneShape::Circle { fill, edge, .. } => {
                fills.insert(*fill);
                strokes.extend(edge.map(|edge| edge.paint));
            }
            SceneShape::Text(text) => {
                fills.insert(text.paint);
            }
        }
    }
    let mut rules = String::from("@media (prefers-color-scheme:dark){");
    for (letter, property, paints) in [('f', "fill", fills), ('s', "stroke", strokes)] {
        for paint in paints.iter().filter(|paint| paint.light != paint.dark) {
            let _ = write!(rules, ".{}{{{property}:#{}}}", class(letter, *paint), paint.dark.hex());
        }
    }
    rules.push('}');
    rules
}

/// Names a pair of colours, so that pictures on one page cannot disagree about it.
fn class(letter: char, paint: Paint) -> String {
    format!("{letter}{}{}", paint.light.hex(), paint.dark.hex())
}

fn fill(paint: Paint, opacity: f64) -> String {
    let mut out = format!(" fill=\"#{}\"", paint.light.hex());
    if paint.light != paint.dark {
        let _ = write!(out, " class=\"{}\"", class('f', paint));
    }
    if opacity < 1.0 {
        let _ = write!(out, " fill-opacity=\"{}\"", number(opacity));
    }
    out
}

fn edge(stroke: Stroke) -> String {
    let mut out = format!(
        " stroke=\"#{}\" stroke-width=\"{}\"",
        stroke.paint.light.hex(),
        number(stroke.width)
    );
    if let Some((on, off)) = stroke.dash {
        let _ = write!(out, " stroke-dasharray=\"{} {}\"", number(on), number(off));
    }
    out
}

fn draw(out: &mut String, shape: &SceneShape) {
    let _ = match shape {
        SceneShape::Box { area, radius, fill: paint, opacity } => {
            let round =
                if *radius > 0.0 { format!(" rx=\"{}\"", number(*radius)) } else { String::new() };
            writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{round}{}/>",
                number(area.left),
                number(area.top),
                number(area.width().max(0.0)),
                number(area.height().max(0.0)),
                fill(*paint, *opacity)
            )
        }
        SceneShape::Polygon { points, fill: paint, opacity } => {
            writeln!(out, "<polygon points=\"{}\"{}/>", list(points), fill(*paint, *opacity))
        }
        SceneShape::Line { points, stroke } => writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\"{}{}/>",
            list(points),
            edge(*stroke),
            classes(&[('s', stroke.paint)])
        ),
        SceneShape::Circle { centre, radius, fill: paint, edge: line } => {
            let mut pairs = vec![('f', *paint)];
            pairs.extend(line.map(|line| ('s', line.paint)));
            writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#{}\"{}{}/>",
                number(centre.x),
                number(centre.y),
                number(*radius),
                paint.light.hex(),
                line.map(edge).unwrap_or_default(),
                classes(&pairs)
            )
        }
        SceneShape::Text(text) => words(out, text),
    };
}

fn classes(pairs: &[(char, Paint)]) -> String {
    let names: Vec<String> = pairs
        .iter()
        .filter(|(_, paint)| paint.light != paint.dark)
        .map(|(letter, paint)| class(*letter, *paint))
        .collect();
    if names.is_empty() { String::new() } else { format!(" class=\"{}\"", names.join(" ")) }
}

fn words(out: &mut String, text: &TextLabel) -> std::fmt::Result {
    let (x, y) = (number(text.at.x), number(text.at.y));
    let weight = match text.weight {
        Weight::Regular => String::new(),
        Weight::Strong => format!(" font-weight=\"{}\"", text.weight.css()),
    };
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let turn = match text.turn {
        TextDirection::Level => String::new(),
        TextDirection::Up(degrees) => {
            format!(" transform=\"rotate({} {x} {y})\"", number(-degrees))
        }
    };
    let rim = match text.rim {
        Border::None => String::new(),
        Border::Ground => format!(
            " paint-order=\"stroke\" stroke-linejoin=\"round\"{}",
            edge(Stroke::solid(Paint::GROUND, 2.0 * Border::REACH))
        ),
    };
    let mut pairs = vec![('f', text.paint)];
    if text.rim == Border::Ground {
        pairs.push(('s', Paint::GROUND));
    }
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{weight}{anchor}{turn} textLength=\"{}\" \
         lengthAdjust=\"spacingAndGlyphs\" fill=\"#{}\"{rim}{}>{}</text>",
        number(text.size),
        number(text_width(&text.words, text.size, text.weight)),
        text.paint.light.hex(),
        classes(&pairs),
        escape::xml(&text.words)
    )
}

fn list(points: &[Point]) -> String {
    let pairs: Vec<String> =
        points.iter().map(|point| format!("{},{}", number(point.x), number(point.y))).collect();
    pairs.join(" ")
}

/// A number with at most two decimals; NaN and infinity become 0, so that the picture stays valid.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::{Anchor, Area, Paint, Point, Scene, Stroke, TextDirection, TextLabel};
    use super::{SvgUse, number, svg};

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(1.256), "1.26");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(f64::NAN), "0");
    }

    #[test]
    fn hostile_words_stay_words() {
        let mut scene = Scene::new(100.0, 50.0, "</title><script>alert(1)</script>");
        scene.description = "a & b".to_owned();
        scene.block(Area::new(0.0, 0.0, 5.0, 5.0), Paint::GOOD);
        scene.segment(Point::new(0.0, 0.0), Point::new(9.0, 9.0), Stroke::dashed(Paint::LINE, 1.0));
        let text =
            TextLabel::new(Point::new(1.0, 2.0), 12.0, "<img src=x onerror=\"alert(1)\">\u{1b}[2J")
                .anchored(Anchor::End)
                .turned(TextDirection::Up(90.0));
        scene.text(text);
        let out = svg(&scene, "plot", SvgUse::Alone);
        assert!(!out.contains("<script") && !out.contains("<img"), "{out}");
        assert!(!out.contains('\u{1b}'));
        assert!(out.contains("a &amp; b") && out.contains("&lt;img"));
        assert!(out.contains("prefers-color-scheme:dark"));
        assert!(out.contains("rotate(-90 1 2)"));
    }

    #[test]
    fn a_picture_in_a_page_brings_no_font_and_no_ground() {
        let scene = Scene::new(10.0, 10.0, "x");
        assert!(!svg(&scene, "a", SvgUse::InPage).contains("@font-face"));
        assert!(!svg(&scene, "a", SvgUse::InPage).contains("<rect"));
        assert!(svg(&scene, "a", SvgUse::Alone).contains("@font-face"));
    }
}
