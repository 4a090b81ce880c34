//! The leaderboards of a folder → one page.

use std::fmt::Write as _;

use super::sections::{BetterWhen, begun, cell, hash, missing, rate, times};
use super::{Page, foot, head};
use crate::board::{Board, BoardRow, BoardSet};
use crate::escape::xml;
use crate::format::half_width;
use crate::run::RunEnding;

/// The page.
pub(crate) fn board_page(board: &Board) -> String {
    let sets: Vec<BoardSet<'_>> = board.sets().collect();
    let links: Vec<(String, String)> =
        sets.iter().enumerate().map(|(index, set)| (id(index), title(set))).collect();
    let logs: usize = sets.iter().map(|set| set.rows.len()).sum();
    let mut out = String::new();
    let lead = format!("{logs} logs on {} data sets", sets.len());
    head(&mut out, &Page { title: "Leaderboard", lead: &lead, links: &links });
    for (index, set) in sets.iter().enumerate() {
        section(&mut out, &id(index), set);
    }
    foot(&mut out, "the logs of a folder", "null");
    out
}

fn id(index: usize) -> String {
    format!("set-{}", index + 1)
}

fn title(set: &BoardSet<'_>) -> String {
    match set.sha256.and_then(|hash| hash.get(..8)) {
        Some(digits) => format!("{} ({digits})", set.name),
        None => format!("{} (no hash)", set.name),
    }
}

fn section(out: &mut String, id: &str, set: &BoardSet<'_>) {
    let _ = write!(out, "<section id=\"{id}\"><h2>{}</h2>", xml(set.name));
    let data = match set.sha256 {
        Some(hash) => format!("SHA-256 <code>{}</code>. ", xml(hash)),
        None => "Its logs do not say its hash. ".to_owned(),
    };
    let _ = write!(
        out,
        "<p class=\"hint\">{data}Ranked is the newest complete log of each system, by score or by the part of it \
         that the data set allows. ± is half of a 95\u{a0}% interval.</p>\
         <div class=\"scroll wide-table\" role=\"region\" tabindex=\"0\" aria-label=\"Leaderboard of {}\">\
         <table class=\"ranking stack sortable\"><caption class=\"skip\">Leaderboard</caption><thead><tr>",
        xml(set.name)
    );
    for column in [
        "#",
        "System",
        "Detection",
        "Pass",
        "Asks",
        "Score",
        "$ / 1,000",
        "Total time",
        "Failed",
        "Samples",
        "Begun",
        "Version",
        "Prompt",
        "Log",
    ] {
        let class = if column == "System" { " class=\"name\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{column}</th>");
    }
    out.push_str("</tr></thead><tbody>");
    for line in set.rows {
        row(out, line);
    }
    out.push_str("</tbody></table></div></section>\n");
}

fn row(out: &mut String, row: &BoardRow) {
    let figures = &row.figures;
    let place = row.place.map_or_else(missing, |place| place.to_string());
    let front = row.place.map(|place| format!("{place}. ")).unwrap_or_default();
    let state = match (&row.ending, row.place) {
        (RunEnding::Partial(status), _) => {
            format!("<span class=\"sub\">incomplete: {}</span>", xml(status))
        }
        (RunEnding::Complete, None) => "<span class=\"sub\">an older log</span>".to_owned(),
        (RunEnding::Complete, Some(_)) => String::new(),
    };
    let _ = write!(
        out,
        "<tr><td class=\"rank\" data-label=\"Rank\">{place}</td><th scope=\"row\" class=\"name\">\
         <span class=\"place\">{front}</span>{}{state}</th>",
        xml(&row.system)
    );
    let value = |rate: &Option<crate::system::Rate>| rate.map(|rate| rate.value());
    let detection = rate(figures.detection.as_ref(), BetterWhen::Target);
    cell(out, "Detection", value(&figures.detection), &detection);
    cell(out, "Pass", value(&figures.pass), &rate(figures.pass.as_ref(), BetterWhen::Target));
    cell(out, "Asks", value(&figures.friction), &rate(figures.friction.as_ref(), BetterWhen::None));
    let score = figures.score.map_or_else(missing, |score| {
        let half = half_width(score.half_width(), 4);
        format!("<b>{:.4}</b><span class=\"sub\">{}</span>", score.value, xml(&half))
    });
    cell(out, "Score", figures.score.map(|score| score.value), &score);
    let cost = figures.cost.map_or_else(missing, |cost| cost.label());
    cell(out, "$ / 1,000", figures.cost.map(|cost| cost.per_thousand), &cost);
    let time = figures.total_time.as_ref().map_or_else(missing, times);
    cell(out, "Total time", figures.total_time.map(|times| times.p50), &time);
    cell(out, "Failed", Some(figures.errors.failed as f64), &figures.errors.failed.to_string());
    cell(out, "Samples", Some(figures.samples as f64), &figures.samples.to_string());
    let version = row.version.as_deref().map_or_else(missing, xml);
    let file = row.path.rsplit('/').next().unwrap_or(&row.path);
    for (label, html) in [
        ("Begun", begun(&row.created)),
        ("Version", version),
        ("Prompt", hash(row.prompt_sha256.as_deref())),
        ("Log", format!("<span class=\"file\" title=\"{}\">{}</span>", xml(&row.path), xml(file))),
    ] {
        let _ = write!(out, "<td data-label=\"{label}\"><span>{html}</span></td>");
    }
    out.push_str("</tr>");
}
