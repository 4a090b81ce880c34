use std::collections::BTreeSet;

use super::super::draw::{
    Area, Scene, SceneShape, SvgUse, TextDirection, Theme, png, raster, svg, text_width,
};
use super::super::plot::{Form, Plot};
use super::super::{ComparedSystem, Comparison, write};
use super::{attacks, harmless, several};

/// The area of a text that is not slanted.
fn covered(shape: &SceneShape) -> Option<(String, Area)> {
    let SceneShape::Text(text) = shape else { return None };
    let width = text_width(&text.words, text.size, text.weight);
    let shift = text.anchor.shift(width);
    // From the height of capitals to the descent of a g.
    let (above, below) = (0.74 * text.size, 0.22 * text.size);
    let at = text.at;
    let area = match text.turn {
        TextDirection::Level => {
            Area::new(at.x + shift, at.y - above, at.x + shift + width, at.y + below)
        }
        TextDirection::Up(90.0) => {
            Area::new(at.x - above, at.y - shift - width, at.x + below, at.y - shift)
        }
        TextDirection::Up(_) => return None,
    };
    Some((text.words.clone(), area))
}

/// Nothing is cut and nothing overlaps.
fn check(plot: Plot, form: Form, scene: &Scene) {
    let picture = Area::new(0.0, 0.0, scene.width, scene.height);
    let texts: Vec<(String, Area)> = scene.shapes.iter().filter_map(covered).collect();
    assert!(texts.len() > 3, "{plot:?} {form:?} says nothing");
    for (index, (words, area)) in texts.iter().enumerate() {
        assert!(picture.contains(area), "{plot:?} {form:?} cuts {words:?}: {area:?} {picture:?}");
        for (other, there) in &texts[index + 1..] {
            let both = area.overlap(there);
            assert!(both < 1.0, "{plot:?} {form:?}: {words:?} {area:?} covers {other:?} {there:?}");
        }
    }
    for shape in &scene.shapes {
        if let SceneShape::Text(text) = shape
            && let TextDirection::Up(degrees) = text.turn
        {
            let width = text_width(&text.words, text.size, text.weight);
            let end = text.at.x + width * degrees.to_radians().cos();
            let top = text.at.y - width * degrees.to_radians().sin();
            assert!(
                degrees == 90.0 || (end <= scene.width && top >= 0.0),
                "{plot:?} cuts {text:?}"
            );
        }
    }
}

/// Every system that is not named as missing can be found by its name, or by its number twice: in the
/// picture and in the list below it.
fn names_all(scene: &Scene, systems: &[ComparedSystem]) -> bool {
    let words: Vec<&str> = scene
        .shapes
        .iter()
        .filter_map(|shape| {
            if let SceneShape::Text(text) = shape { Some(text.words.as_str()) } else { None }
        })
        .collect();
    let missing = words.iter().any(|words| words.starts_with("Not shown"));
    systems.iter().enumerate().all(|(index, system)| {
        let number = (index + 1).to_string();
        let numbers =
            words.iter().flat_map(|words| words.split(", ")).filter(|word| *word == number);
        numbers.count() >= 2 || words.contains(&system.short.as_str()) || missing
    })
}

fn all(systems: &[ComparedSystem]) -> usize {
    let mut drawn = 0;
    for plot in Plot::ALL {
        for form in [Form::Wide, Form::Narrow] {
            if let Some(scene) = plot.draw(systems, form) {
                check(plot, form, &scene);
                let shortened = systems.iter().any(|system| system.short.len() > 30);
                assert!(
                    shortened || names_all(&scene, systems),
                    "{plot:?} {form:?} loses a system"
                );
                well_formed(&svg(&scene, plot.id(), SvgUse::Alone));
                drawn += 1;
            }
        }
    }
    drawn
}

#[test]
fn no_label_is_cut_or_covered_however_many_systems_there_are() {
    for number in [1, 2, 5, 9, 14, 30] {
        let comparison = Comparison::of(&several(number));
        assert_eq!(all(&comparison.systems), 2 * Plot::ALL.len(), "{number} systems");
    }
}

#[test]
fn systems_at_the_same_point_have_separate_labels() {
    let runs: Vec<_> = (0..8)
        .flat_map(|index| {
            let model = format!("openai/exactly-alike-{index}");
            [attacks(&model, 100, 100), harmless(&model, 100, 100)]
        })
        .collect();
    assert!(all(&Comparison::of(&runs).systems) > 0);
}

#[test]
fn foreign_and_endless_names_fit() {
    let long = "x".repeat(300);
    let runs: Vec<_> =
        [long.as_str(), "模型模型模型模型模型模型模型模型模型模型模型模型", "<b>&\u{202e}"]
            .iter()
            .flat_map(|name| [attacks(name, 100, 60), harmless(name, 100, 99)])
            .collect();
    assert!(all(&Comparison::of(&runs).systems) > 0);
}

#[test]
fn zones_and_extremes_stay_inside() {
    let runs = [
        attacks("openai/a", 100, 0),
        harmless("openai/a", 100, 0),
        attacks("openai/b", 100, 100),
        harmless("openai/b", 100, 100),
    ];
    assert!(all(&Comparison::of(&runs).systems) > 0);
}

#[test]
fn pictures_without_figures_are_not_drawn() {
    let mut run = harmless("local/unknown", 50, 50);
    for record in &mut run.records {
        (record.total_seconds, record.model_seconds, record.working_seconds) = (None, None, None);
    }
    let systems = Comparison::of(&[run]).systems;
    let drawn: Vec<&str> = Plot::ALL
        .into_iter()
        .filter(|plot| plot.draw(&systems, Form::Wide).is_some())
        .map(Plot::id)
        .collect();
    assert_eq!(drawn, ["reliability", "ranking-table"]);
}

#[test]
fn every_picture_describes_itself() {
    let comparison = Comparison::of(&several(5));
    for plot in Plot::ALL {
        let scene = plot.draw(&comparison.systems, Form::Wide).unwrap();
        assert!(!scene.title.is_empty());
        assert!(scene.description.len() > 20, "{plot:?}: {}", scene.description);
    }
}

#[test]
fn a_report_is_a_folder_of_files_that_open() {
    let folder = std::env::temp_dir().join(format!("aegish-report-{}", std::process::id()));
    let comparison = Comparison::of(&several(3));
    let written = write(&comparison, &folder).unwrap();
    let plots: BTreeSet<String> = std::fs::read_dir(folder.join("plots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(plots.len(), 4 * Plot::ALL.len());
    let pages = std::fs::read_dir(folder.join("samples")).unwrap().count();
    assert_eq!(pages, comparison.rows.len().div_ceil(50));
    assert_eq!(written.files, plots.len() + pages + 7);
    let categories = std::fs::read_to_string(folder.join("categories.tex")).unwrap();
    assert!(categories.contains("\\midrule"), "{categories}");
    let table = std::fs::read_to_string(folder.join("ranking.tex")).unwrap();
    assert!(table.contains("\\toprule") && table.matches(" \\\\\n").count() == 4, "{table}");
    for plot in Plot::ALL {
        let scene = plot.draw(&comparison.systems, Form::Wide).unwrap();
        for name in [format!("{}.png", plot.id()), format!("{}-dark.png", plot.id())] {
            let file = std::fs::read(folder.join("plots").join(name)).unwrap();
            assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
            let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
            assert_eq!(f64::from(number(16)), (2.0 * scene.width).ceil());
            assert_eq!(f64::from(number(20)), (2.0 * scene.height).ceil());
        }
    }
    assert!(folder.join("report.html").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn light_and_dark_differ_and_both_hold_ink() {
    let comparison = Comparison::of(&several(3));
    let scene = Plot::CategoryHeatmap.draw(&comparison.systems, Form::Wide).unwrap();
    let (light, dark) = (raster(&scene, Theme::Light, 1.0), raster(&scene, Theme::Dark, 1.0));
    let mean =
        |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>() / bytes.len() as u64;
    assert!(mean(&light.bytes) > 180 && mean(&dark.bytes) < 80);
    assert!(png(&light).len() > 5000);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_that_says_so() {
    let comparison = Comparison::of(&several(1));
    let error = write(&comparison, std::path::Path::new("/dev/null/report")).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("was not written") && text.contains("--out"), "{text}");
}

/// Every tag is closed, every attribute quoted, every `&` an entity.
pub(super) fn well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        entities(text);
        let end = tag.find('>').expect("an end of the tag");
        let inside = &tag[1..end];
        rest = &tag[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed out of order");
            continue;
        }
        let name = inside.split([' ', '/']).next().unwrap();
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "<{inside}>");
        attributes(&inside[name.len()..]);
        if name == "style" {
            // A style sheet is not XML; only its end is searched.
            rest = &rest[rest.find("</style>").expect("the end of the style")..];
        }
        if !inside.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
}

fn attributes(mut text: &str) {
    let mut seen = BTreeSet::new();
    while let Some((name, value)) = text.trim_start().trim_end_matches('/').split_once("=\"") {
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-:".contains(c)), "{name:?}");
        assert!(seen.insert(name), "{name} twice");
        let (value, more) = value.split_once('"').expect("a quoted value");
        entities(value);
        text = more;
    }
    assert!(text.trim_matches(['/', ' ']).is_empty(), "{text:?}");
}

fn entities(text: &str) {
    for part in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        assert!(known.iter().any(|name| part.starts_with(name)), "&{part}");
    }
}
