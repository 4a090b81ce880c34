//! A comparison → one page.
//!
//! The page contains all it needs: style, script, font, pictures, samples. It loads nothing from a server,
//! which a content security policy enforces; only the embedded script may run. Commands, reasons and names
//! are untrusted and are escaped. Without the script, everything except the list of all samples is shown.

mod board;
mod calibration;
mod cards;
mod sample_pages;
mod samples;
mod sections;

use std::fmt::Write as _;

use data_encoding::BASE64;
use sha2::{Digest as _, Sha256};

use super::compare::Comparison;
use super::draw::{SvgUse, font_faces, svg};
use super::escape::xml;
use super::plot::{Form, Plot};

pub(crate) use board::board_page;
pub(crate) use sample_pages::{SampleLinks, write as write_samples};
#[cfg(test)]
pub(crate) use samples::MOST_ROWS;

const STYLE: &str = include_str!("../../assets/report/report.css");
const SCRIPT: &str = include_str!("../../assets/report/report.js");

/// The page.
pub(crate) fn page(comparison: &Comparison, links: &SampleLinks) -> String {
    let mut out = String::new();
    let menu: Vec<(String, String)> =
        LINKS.iter().map(|(id, name)| ((*id).to_owned(), (*name).to_owned())).collect();
    let lead = subtitle(comparison);
    head(&mut out, &Page { title: "Benchmark comparison", lead: &lead, links: &menu });
    sections::summary(&mut out, comparison);
    sections::ranking(&mut out, comparison);
    plots(&mut out, comparison);
    sections::categories(&mut out, comparison);
    calibration::calibration(&mut out, comparison);
    cards::disagreements(&mut out, comparison, links);
    cards::hardest(&mut out, comparison, links);
    samples::list(&mut out, comparison);
    sections::sources(&mut out, comparison);
    foot(&mut out, "the logs named above", &samples::data(comparison, links));
    out
}

/// The sections of a comparison.
const LINKS: [(&str, &str); 9] = [
    ("summary", "Summary"),
    ("ranking", "Ranking"),
    ("plots", "Plots"),
    ("categories", "Categories"),
    ("calibration", "Calibration"),
    ("disagreements", "Disagreements"),
    ("hardest", "Hardest commands"),
    ("samples", "All samples"),
    ("sources", "Sources"),
];

/// What pages differ in before their content.
pub(super) struct Page<'p> {
    pub(super) title: &'p str,
    pub(super) lead: &'p str,
    /// Ids and names of the sections.
    pub(super) links: &'p [(String, String)],
}

/// The end of a page, with the data that its script lists.
fn foot(out: &mut String, made_from: &str, data: &str) {
    let _ = write!(
        out,
        "</main>\n<footer>Made by aegish {} from {made_from}. This page needs no network.\
         </footer>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
}

fn head(out: &mut String, page: &Page<'_>) {
    let hash = BASE64.encode(&Sha256::digest(SCRIPT.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; font-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    let mut menu = String::new();
    for (id, name) in page.links {
        let _ = write!(menu, "<li><a href=\"#{id}\">{}</a></li>", xml(name));
    }
    let first = page.links.first().map_or("", |(id, _)| id.as_str());
    let title = page.title;
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} – aegish benchmark</title>\n<style>{}{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#{first}\">Skip to the content</a>\n\
         <header><h1>{title}</h1><p class=\"lead\">{}</p></header>\n\
         <nav aria-label=\"Sections\"><ul>{menu}</ul></nav>\n<main>\n",
        font_faces(),
        xml(page.lead)
    );
}

fn subtitle(comparison: &Comparison) -> String {
    let sets: Vec<String> = comparison
        .datasets
        .iter()
        .map(|set| match (set.attacks, set.harmless) {
            (attacks, 0) => format!("{} ({attacks} attacks)", set.name),
            (0, harmless) => format!("{} ({harmless} harmless)", set.name),
            (attacks, harmless) => format!("{} ({attacks} attacks, {harmless} harmless)", set.name),
        })
        .collect();
    let systems = match comparison.systems.len() {
        1 => "1 system".to_owned(),
        many => format!("{many} systems"),
    };
    let newest = comparison.sources.iter().filter_map(|source| source.created.get(..10)).max();
    let date = newest.map(|date| format!(" · newest log of {date}")).unwrap_or_default();
    format!("{systems} · {}{date}", sets.join(", "))
}

fn plots(out: &mut String, comparison: &Comparison) {
    out.push_str(
        "<section id=\"plots\"><h2>Plots</h2><p class=\"hint\">The figures behind each picture stand \
         in the tables above and below, and in its description.</p><div class=\"plots\">",
    );
    for plot in Plot::ALL {
        // The page has a real table instead, and a section for categories.
        let elsewhere =
            [Plot::RankingTable, Plot::CategoryHeatmap, Plot::MicroVsMacro, Plot::Reliability];
        if !elsewhere.contains(&plot) {
            figure(out, comparison, plot);
        }
    }
    out.push_str("</div></section>\n");
}

/// A picture in both forms; the page shows the one that fits.
fn figure(out: &mut String, comparison: &Comparison, plot: Plot) {
    let id = plot.id();
    let wide = plot.draw(&comparison.systems, Form::Wide);
    let narrow = plot.draw(&comparison.systems, Form::Narrow);
    let (Some(wide), Some(narrow)) = (wide, narrow) else { return };
    let _ = write!(
        out,
        "<figure><div class=\"wide\">{}</div><div class=\"narrow\">{}</div></figure>",
        svg(&wide, &format!("{id}-wide"), SvgUse::InPage),
        svg(&narrow, &format!("{id}-narrow"), SvgUse::InPage)
    );
}
