//! A scene → PDF, in the light version.
//!
//! Shapes stay shapes and words stay words: the font is embedded, so that text can be searched and copied, and a
//! picture fits into a paper at any size. The file is the same for the same scene.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use miniz_oxide::deflate::compress_to_vec_zlib;
use ttf_parser::GlyphId;

use super::scene::SceneShape;
use super::{
    Border, Paint, Point, Scene, Stroke, TextDirection, TextLabel, Theme, Weight, text_width,
};

/// Points of a page for each pixel of a picture.
const POINTS: f64 = 0.75;
/// The length of a control line of a quarter circle with radius 1.
const ROUND: f64 = 0.552_284_75;
/// Characters in one block of a table of characters; the format allows 100.
const BLOCK: usize = 100;

/// The file.
pub(crate) fn pdf(scene: &Scene) -> Vec<u8> {
    let mut content = Content::default();
    let (width, height) = (scene.width * POINTS, scene.height * POINTS);
    // The picture counts from its upper left corner, a page from its lower left.
    let scale = number(POINTS);
    let _ = writeln!(content.out, "{scale} 0 0 -{scale} 0 {} cm", number(height));
    for shape in &scene.shapes {
        content.draw(shape);
    }
    let Content { out, opacities, used } = content;
    let mut file = File::default();
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << /Font << {} >> \
         /ExtGState << {} >> >> >>",
        number(width),
        number(height),
        ["/F0 6 0 R", "/F1 11 0 R"].join(" "),
        opacities
            .iter()
            .map(|(name, value)| format!("/{name} << /ca {value} >>"))
            .collect::<String>()
    );
    file.object(b"<< /Type /Catalog /Pages 2 0 R >>");
    file.object(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    file.object(page.as_bytes());
    file.stream("", out.as_bytes());
    let title = format!(
        "<< /Title {} /Producer (aegish {}) >>",
        utf16(&scene.title),
        env!("CARGO_PKG_VERSION")
    );
    file.object(title.as_bytes());
    for (weight, glyphs) in [Weight::Regular, Weight::Strong].into_iter().zip(&used) {
        font(&mut file, weight, glyphs);
    }
    file.end()
}

/// Glyphs that were drawn, with their characters.
type Glyphs = BTreeMap<u16, char>;

/// What is drawn on the page.
#[derive(Default)]
struct Content {
    out: String,
    /// Names of opacities, by their value as it is written.
    opacities: BTreeMap<String, String>,
    /// By weight.
    used: [Glyphs; 2],
}

impl Content {
    fn draw(&mut self, shape: &SceneShape) {
        match shape {
            SceneShape::Box { area, radius, fill, opacity } => {
                let (left, top) = (area.left, area.top);
                let (width, height) = (area.width().max(0.0), area.height().max(0.0));
                let radius = radius.min(width / 2.0).min(height / 2.0);
                self.filled(*fill, *opacity, |out| {
                    if radius > 0.0 {
                        rounded(out, (left, top), (width, height), radius);
                    } else {
                        let parts = [left, top, width, height].map(number).join(" ");
                        let _ = writeln!(out, "{parts} re");
                    }
                });
            }
            SceneShape::Polygon { points, fill, opacity } => {
                self.filled(*fill, *opacity, |out| {
                    path(out, points);
                    out.push_str("h\n");
                });
            }
            SceneShape::Line { points, stroke } => {
                self.out.push_str("q 1 j\n");
                self.stroke(*stroke);
                path(&mut self.out, points);
                self.out.push_str("S Q\n");
            }
            SceneShape::Circle { centre, radius, fill, edge } => {
                let corner = (centre.x - radius, centre.y - radius);
                self.out.push_str("q\n");
                self.colour(*fill, "rg");
                if let Some(edge) = edge {
                    self.stroke(*edge);
                }
                rounded(&mut self.out, corner, (2.0 * radius, 2.0 * radius), *radius);
                self.out.push_str(if edge.is_some() { "B Q\n" } else { "f Q\n" });
            }
            SceneShape::Text(text) => self.words(text),
        }
    }

    fn filled(&mut self, fill: Paint, opacity: f64, shape: impl FnOnce(&mut String)) {
        self.out.push_str("q\n");
        self.colour(fill, "rg");
        if opacity < 1.0 {
            let value = number(opacity);
            let name = format!("G{}", value.replace('.', "_"));
            let _ = writeln!(self.out, "/{name} gs");
            self.opacities.insert(name, value);
        }
        shape(&mut self.out);
        self.out.push_str("f Q\n");
    }

    fn colour(&mut self, paint: Paint, operator: &str) {
        let colour = paint.of(Theme::Light);
        let parts =
            [colour.0, colour.1, colour.2].map(|part| format!("{:.3}", f64::from(part) / 255.0));
        let _ = writeln!(self.out, "{} {operator}", parts.join(" "));
    }

    fn stroke(&mut self, stroke: Stroke) {
        self.colour(stroke.paint, "RG");
        let _ = writeln!(self.out, "{} w", number(stroke.width));
        if let Some((on, off)) = stroke.dash {
            let _ = writeln!(self.out, "[{} {}] 0 d", number(on), number(off));
        }
    }

    fn words(&mut self, text: &TextLabel) {
        let degrees = match text.turn {
            TextDirection::Level => 0.0,
            TextDirection::Up(degrees) => degrees,
        };
        let (sin, cos) = degrees.to_radians().sin_cos();
        let shift = text.anchor.shift(text_width(&text.words, text.size, text.weight));
        let at = Point::new(text.at.x + shift * cos, text.at.y - shift * sin);
        let glyphs = self.glyphs(&text.words, text.weight);
        let place = [cos, -sin, -sin, -cos, at.x, at.y].map(number).join(" ");
        let name = if text.weight == Weight::Regular { "F0" } else { "F1" };
        let size = number(text.size);
        self.out.push_str("q BT\n");
        if text.rim == Border::Ground {
            self.out.push_str("1 j 1 Tr\n");
            self.stroke(Stroke::solid(Paint::GROUND, 2.0 * Border::REACH));
            let _ = writeln!(self.out, "/{name} {size} Tf {place} Tm <{glyphs}> Tj 0 Tr");
        }
        self.colour(text.paint, "rg");
        let _ = writeln!(self.out, "/{name} {size} Tf {place} Tm <{glyphs}> Tj ET Q");
    }

    /// Words as numbers of glyphs, which are noted.
    fn glyphs(&mut self, words: &str, weight: Weight) -> String {
        let Some(face) = weight.face() else { return String::new() };
        let [regular, strong] = &mut self.used;
        let used = if weight == Weight::Regular { regular } else { strong };
        let mut out = String::new();
        for c in words.chars() {
            let GlyphId(glyph) = face.glyph_index(c).unwrap_or(GlyphId(0));
            used.insert(glyph, c);
            let _ = write!(out, "{glyph:04X}");
        }
        out
    }
}

fn path(out: &mut String, points: &[Point]) {
    for (index, point) in points.iter().enumerate() {
        let operator = if index == 0 { "m" } else { "l" };
        let _ = writeln!(out, "{} {} {operator}", number(point.x), number(point.y));
    }
}

/// A rectangle with round corners; a circle if the radius is half of both sides.
fn rounded(out: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), radius: f64) {
    let (right, bottom) = (x + width, y + height);
    let bend = radius * (1.0 - ROUND);
    let mut put = |numbers: &[f64], operator: &str| {
        let parts: Vec<String> = numbers.iter().map(|value| number(*value)).collect();
        let _ = writeln!(out, "{} {operator}", parts.join(" "));
    };
    put(&[x + radius, y], "m");
    put(&[right - radius, y], "l");
    put(&[right - bend, y, right, y + bend, right, y + radius], "c");
    put(&[right, bottom - radius], "l");
    put(&[right, bottom - bend, right - bend, bottom, right - radius, bottom], "c");
    put(&[x + radius, bottom], "l");
    put(&[x + bend, bottom, x, bottom - bend, x, bottom - radius], "c");
    put(&[x, y + radius], "l");
    put(&[x, y + bend, x + bend, y, x + radius, y], "c");
    put(&[], "h");
}

/// The five objects of a font: itself, its glyphs, its measures, its file, its characters.
fn font(file: &mut File, weight: Weight, glyphs: &Glyphs) {
    let first = file.next();
    let name = weight.name();
    let face = weight.face();
    let em = face.as_ref().map_or(1000.0, |face| f64::from(face.units_per_em()));
    let units = |value: i16| number(f64::from(value) * 1000.0 / em);
    let mut widths = String::new();
    for glyph in glyphs.keys() {
        let advance = face.as_ref().and_then(|face| face.glyph_hor_advance(GlyphId(*glyph)));
        let advance = f64::from(advance.unwrap_or(0)) * 1000.0 / em;
        let _ = write!(widths, "{glyph} [{}] ", number(advance));
    }
    let (bounds, ascent, descent) = face.as_ref().map_or_else(
        || ("0 0 0 0".to_owned(), "0".to_owned(), "0".to_owned()),
        |face| {
            let area = face.global_bounding_box();
            let bounds = [area.x_min, area.y_min, area.x_max, area.y_max].map(units).join(" ");
            (bounds, units(face.ascender()), units(face.descender()))
        },
    );
    file.object(
        format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H \
             /DescendantFonts [{} 0 R] /ToUnicode {} 0 R >>",
            first + 1,
            first + 4
        )
        .as_bytes(),
    );
    file.object(
        format!(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDToGIDMap /Identity /DW 1000 \
             /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> \
             /FontDescriptor {} 0 R /W [{widths}] >>",
            first + 2
        )
        .as_bytes(),
    );
    file.object(
        format!(
            "<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [{bounds}] /ItalicAngle 0 \
             /Ascent {ascent} /Descent {descent} /CapHeight {ascent} /StemV 80 /FontFile2 {} 0 R >>",
            first + 3
        )
        .as_bytes(),
    );
    file.stream(&format!("/Length1 {}", weight.file().len()), weight.file());
    file.stream("", characters(glyphs).as_bytes());
}

/// The table by which readers find the characters of glyphs.
fn characters(glyphs: &Glyphs) -> String {
    let mut out = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) \
         /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    let all: Vec<(&u16, &char)> = glyphs.iter().collect();
    for block in all.chunks(BLOCK) {
        let _ = writeln!(out, "{} beginbfchar", block.len());
        for (glyph, c) in block {
            let mut units = [0; 2];
            let code: String =
                c.encode_utf16(&mut units).iter().map(|unit| format!("{unit:04X}")).collect();
            let _ = writeln!(out, "<{glyph:04X}> <{code}>");
        }
        out.push_str("endbfchar\n");
    }
    out.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    out
}

/// A text in which no character has a meaning for the format.
fn utf16(text: &str) -> String {
    let digits: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    format!("<FEFF{digits}>")
}

/// A number with at most three decimals; NaN and infinity become 0.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The objects of a file, and where they begin.
struct File {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Default for File {
    fn default() -> Self {
        // Bytes above 127 tell programs that the file is not text.
        Self { bytes: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), starts: Vec::new() }
    }
}

impl File {
    /// The number of the next object.
    fn next(&self) -> usize {
        self.starts.len() + 1
    }

    fn object(&mut self, content: &[u8]) {
        let number = self.next();
        self.starts.push(self.bytes.len());
        self.bytes.extend(format!("{number} 0 obj\n").bytes());
        self.bytes.extend_from_slice(content);
        self.bytes.extend(b"\nendobj\n");
    }

    fn stream(&mut self, entries: &str, content: &[u8]) {
        let packed = compress_to_vec_zlib(content, 7);
        let mut object =
            format!("<< {entries} /Filter /FlateDecode /Length {} >>\nstream\n", packed.len())
                .into_bytes();
        object.extend(packed);
        object.extend(b"\nendstream");
        self.object(&object);
    }

    fn end(mut self) -> Vec<u8> {
        let table = self.bytes.len();
        let mut tail = format!("xref\n0 {}\n0000000000 65535 f \n", self.next());
        for start in &self.starts {
            let _ = writeln!(tail, "{start:010} 00000 n ");
        }
        let _ = write!(
            tail,
            "trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{table}\n%%EOF\n",
            self.next()
        );
        self.bytes.extend(tail.bytes());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Area, Paint, Point, Scene, Stroke, TextLabel};
    use super::pdf;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    fn scene() -> Scene {
        let mut scene = Scene::new(200.0, 100.0, "a) /JS (app.alert\u{f6}");
        scene.rounded(Area::new(0.0, 0.0, 50.0, 20.0), 4.0, Paint::GOOD);
        scene.veil(Area::new(0.0, 0.0, 50.0, 20.0), Paint::GOOD, 0.25);
        scene.segment(Point::new(0.0, 0.0), Point::new(9.0, 9.0), Stroke::dashed(Paint::LINE, 1.0));
        scene.text(TextLabel::new(Point::new(1.0, 50.0), 12.0, "Grün (95 %)").strong().rimmed());
        scene
    }

    /// Each object, by the table at the end.
    fn objects(file: &[u8]) -> Vec<&[u8]> {
        let text = String::from_utf8_lossy(file);
        let table = text.rsplit("startxref\n").next().and_then(|end| end.lines().next());
        let table: usize = table.and_then(|at| at.parse().ok()).expect("a place");
        let lines = std::str::from_utf8(&file[table..]).expect("a table").lines();
        let starts: Vec<usize> = lines
            .filter(|line| line.ends_with(" 00000 n "))
            .map(|line| line[..10].parse().expect("a place"))
            .collect();
        starts.iter().map(|start| &file[*start..table]).collect()
    }

    #[test]
    fn every_object_is_where_the_table_says_and_nothing_depends_on_time() {
        let file = pdf(&scene());
        assert!(file.starts_with(b"%PDF-1.7\n"));
        let objects = objects(&file);
        assert_eq!(objects.len(), 15);
        for (index, object) in objects.iter().enumerate() {
            assert!(object.starts_with(format!("{} 0 obj\n", index + 1).as_bytes()), "{index}");
        }
        assert_eq!(file, pdf(&scene()));
    }

    #[test]
    fn words_stay_words_and_a_hostile_title_stays_a_title() {
        let file = pdf(&scene());
        let all = String::from_utf8_lossy(&file).into_owned();
        assert!(!all.contains("/JS"));
        let unpacked = |number: usize| {
            let object = objects(&file)[number - 1];
            let at = object.windows(7).position(|part| part == b"stream\n").expect("a stream") + 7;
            String::from_utf8(decompress_to_vec_zlib(&object[at..]).expect("zlib")).expect("text")
        };
        let content = unpacked(4);
        assert!(
            content.contains("1 Tr") && content.contains("0 Tr") && content.contains("/G0_25 gs")
        );
        // The table of characters of the strong font.
        let table = unpacked(15);
        for c in "Grün95%".chars() {
            assert!(table.contains(&format!("<{:04X}>\n", c as u32)), "{c}: {table}");
        }
    }
}
