//! The font: widths and outlines.
//!
//! A subset of Inter (SIL Open Font License, see `assets/fonts/LICENSE.txt`) in two weights: Latin-1 and a
//! few symbols. It has no kerning, so that a browser gives words exactly the width that is measured here.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// How heavy letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Strong,
}

impl Weight {
    /// The weight in CSS.
    pub(crate) fn css(self) -> u16 {
        match self {
            Self::Regular => 400,
            Self::Strong => 600,
        }
    }

    /// The name of the font.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Regular => "Inter-Regular",
            Self::Strong => "Inter-SemiBold",
        }
    }

    /// The font as browsers load it.
    pub(crate) fn web(self) -> &'static [u8] {
        match self {
            Self::Regular => include_bytes!("../../assets/fonts/Inter-Regular.woff2"),
            Self::Strong => include_bytes!("../../assets/fonts/Inter-SemiBold.woff2"),
        }
    }

    /// The font as it is embedded and measured.
    pub(super) fn file(self) -> &'static [u8] {
        match self {
            Self::Regular => include_bytes!("../../assets/fonts/Inter-Regular.ttf"),
            Self::Strong => include_bytes!("../../assets/fonts/Inter-SemiBold.ttf"),
        }
    }

    pub(super) fn face(self) -> Option<Face<'static>> {
        Face::parse(self.file(), 0).ok()
    }
}

/// Width of letters that the font does not have, in ems: as wide as the widest scripts need.
const FOREIGN: f64 = 1.0;

/// The width of a line of words, in pixels.
pub(crate) fn text_width(words: &str, size: f64, weight: Weight) -> f64 {
    let Some(face) = weight.face() else { return words.chars().count() as f64 * FOREIGN * size };
    words.chars().map(|c| advance(&face, c)).sum::<f64>() * size
}

/// The words; if they are wider than `room` pixels, their beginning and end around a `…`.
pub(crate) fn shortened(words: &str, size: f64, weight: Weight, room: f64) -> String {
    if text_width(words, size, weight) <= room {
        return words.to_owned();
    }
    let letters: Vec<char> = words.chars().collect();
    for kept in (0..letters.len()).rev() {
        let (front, back) = (kept.div_ceil(2), kept / 2);
        let mut short: String = letters.iter().take(front).collect();
        short.push('…');
        short.extend(letters.iter().skip(letters.len() - back));
        if text_width(&short, size, weight) <= room {
            return short;
        }
    }
    String::new()
}

fn advance(face: &Face<'_>, c: char) -> f64 {
    let em = f64::from(face.units_per_em());
    face.glyph_index(c)
        .and_then(|glyph| face.glyph_hor_advance(glyph))
        .map_or(FOREIGN, |units| f64::from(units) / em)
}

/// Draws a line of words into `sink`, in ems, from the origin, with negative y upwards.
///
/// Characters that the font lacks are drawn as its box.
pub(crate) fn outlines(words: &str, weight: Weight, sink: &mut impl OutlineSink) {
    let Some(face) = weight.face() else { return };
    let scale = 1.0 / f32::from(face.units_per_em());
    let mut x = 0.0;
    for c in words.chars() {
        let glyph = face.glyph_index(c).unwrap_or(GlyphId(0));
        let mut pen = Pen { sink, scale, x: x as f32, start: (0.0, 0.0), last: (0.0, 0.0) };
        face.outline_glyph(glyph, &mut pen);
        x += advance(&face, c);
    }
}

/// A sink for outlines.
pub(crate) trait OutlineSink {
    fn line(&mut self, from: (f32, f32), to: (f32, f32));
    fn curve(&mut self, from: (f32, f32), control: (f32, f32), to: (f32, f32));
}

struct Pen<'s, S: OutlineSink> {
    sink: &'s mut S,
    scale: f32,
    x: f32,
    start: (f32, f32),
    last: (f32, f32),
}

impl<S: OutlineSink> Pen<'_, S> {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl<S: OutlineSink> OutlineBuilder for Pen<'_, S> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = self.place(x, y);
        self.last = self.start;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.place(x, y);
        self.sink.line(self.last, to);
        self.last = to;
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, to) = (self.place(x1, y1), self.place(x, y));
        self.sink.curve(self.last, control, to);
        self.last = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        // TrueType has no cubic curves; straight lines through the control points keep the outline
        // closed.
        let (a, b, to) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.sink.line(self.last, a);
        self.sink.line(a, b);
        self.sink.line(b, to);
        self.last = to;
    }

    fn close(&mut self) {
        self.sink.line(self.last, self.start);
        self.last = self.start;
    }
}

#[cfg(test)]
mod tests {
    use super::{Weight, shortened, text_width};

    #[test]
    fn both_fonts_can_be_read_and_have_the_signs_that_are_used() {
        for weight in [Weight::Regular, Weight::Strong] {
            let face = weight.face().expect("a font");
            for c in "AZaz09 .,:;%$±–—…·×≤≥≈−→←✓✗µ".chars() {
                assert!(face.glyph_index(c).is_some(), "{weight:?} has no {c}");
            }
        }
    }

    #[test]
    fn width_grows_with_size_and_weight() {
        let small = text_width("detection", 10.0, Weight::Regular);
        assert!((text_width("detection", 20.0, Weight::Regular) - 2.0 * small).abs() < 1e-9);
        assert!(text_width("detection", 10.0, Weight::Strong) > small);
    }

    #[test]
    fn long_words_keep_their_beginning_and_end() {
        assert_eq!(shortened("short", 10.0, Weight::Regular, 100.0), "short");
        let cut = shortened("a-very-long-model-name-v2", 10.0, Weight::Regular, 70.0);
        assert!(cut.starts_with("a-v") && cut.ends_with("v2") && cut.contains('…'), "{cut}");
        assert!(text_width(&cut, 10.0, Weight::Regular) <= 70.0);
        assert_eq!(shortened("x", 10.0, Weight::Regular, 1.0), "");
    }
}
