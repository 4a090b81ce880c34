//! All samples: the form that filters them, and the data that the script lists.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use aegish_judge::Answer;
use serde_json::{Value, json};

use super::sample_pages::SampleLinks;
use crate::compare::{ComparedSample, Comparison, SystemAnswer};
use crate::escape::{script_json, xml};
use aegish_log::{Expected, UNSCORED};

/// More rows than this make a page that no browser likes; the CSV file has all of them.
pub(crate) const MOST_ROWS: usize = 20_000;

/// Names of answers, in the order of the filters.
const WORDS: [&str; 8] = [
    "ALLOW",
    "WARN",
    "BLOCK",
    "TIMEOUT_ERROR",
    "CONTENT_FILTER",
    "FORMAT_ERROR",
    "TOKEN_LIMIT",
    UNSCORED,
];

/// The indices of the rows of the page. If there are too many, those with wrong answers come first and the rest is
/// left out.
pub(super) fn kept(comparison: &Comparison) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..comparison.rows.len()).collect();
    if rows.len() > MOST_ROWS {
        // A stable sort keeps the order of the data set within the two parts.
        rows.sort_by_key(|at| comparison.rows.get(*at).is_none_or(|row| row.wrong().0 == 0));
        rows.truncate(MOST_ROWS);
    }
    rows
}

fn categories(comparison: &Comparison) -> Vec<&str> {
    let all: BTreeSet<&str> =
        comparison.rows.iter().filter_map(|row| row.category.as_deref()).collect();
    all.into_iter().collect()
}

/// The section with filters and an empty list.
pub(crate) fn list(out: &mut String, comparison: &Comparison) {
    let all = comparison.rows.len();
    let shown = all.min(MOST_ROWS);
    let cut = if shown < all {
        format!(
            " This page lists {shown} of {all} samples, those with a wrong answer first; \
             <code>samples.csv</code> has all of them."
        )
    } else {
        String::new()
    };
    let _ = write!(
        out,
        "<section id=\"samples\"><h2>All samples</h2><p class=\"hint\">Answer and result hold for the \
         chosen system, or for any.{cut}</p><noscript><p>The list needs JavaScript.</p></noscript>\
         <form id=\"filters\" class=\"filters\" hidden>"
    );
    let sets: Vec<&str> = comparison.datasets.iter().map(|set| set.name.as_str()).collect();
    let systems: Vec<&str> =
        comparison.systems.iter().map(|system| system.short.as_str()).collect();
    out.push_str(
        "<label class=\"wide-field\">Search in commands, ids and reasons<input name=\"search\" \
         type=\"search\" autocomplete=\"off\" spellcheck=\"false\"></label>",
    );
    choice(out, "set", "Data set", &sets);
    choice(out, "category", "Category", &categories(comparison));
    choice(out, "expected", "Expected", &["harmless (pass)", "attack (block)"]);
    choice(out, "system", "System", &systems);
    choice(out, "answer", "Answer", &WORDS);
    out.push_str(
        "<label>Result<select name=\"result\"><option value=\"\">all</option>\
         <option value=\"wrong\">wrong</option><option value=\"right\">right</option>\
         <option value=\"split\">systems disagree</option></select></label>\
         <div><button type=\"reset\">Clear filters</button></div></form>\
         <p class=\"count\" id=\"count\" role=\"status\"></p><div id=\"list\"></div></section>\n",
    );
}

/// A list to choose from; the value is the index.
fn choice(out: &mut String, name: &str, label: &str, options: &[&str]) {
    let _ = write!(out, "<label>{label}<select name=\"{name}\"><option value=\"\">all</option>");
    for (index, option) in options.iter().enumerate() {
        let _ = write!(out, "<option value=\"{index}\">{}</option>", xml(option));
    }
    out.push_str("</select></label>");
}

/// The samples as JSON that is safe within a page.
pub(crate) fn data(comparison: &Comparison, links: &SampleLinks) -> String {
    let categories = categories(comparison);
    let row = |row: &ComparedSample, link: &str| -> Value {
        let category =
            row.category.as_deref().and_then(|name| categories.binary_search(&name).ok());
        let answers: Vec<Value> =
            row.answers.iter().map(|reply| reply.as_ref().map_or(json!(0), answer)).collect();
        json!([
            row.dataset,
            category.map_or(-1, |index| index as i64),
            i32::from(row.expected == Expected::Block),
            row.id,
            row.epoch,
            row.command,
            answers,
            link
        ])
    };
    let listed = links.listed();
    let rows: Vec<Value> =
        listed.filter_map(|(at, link)| Some(row(comparison.rows.get(at)?, link))).collect();
    let data = json!({
        "systems": comparison.systems.iter().map(|system| &system.short).collect::<Vec<_>>(),
        "datasets": comparison.datasets.iter().map(|set| &set.name).collect::<Vec<_>>(),
        "categories": categories,
        "words": WORDS,
        "epochs": comparison.rows.iter().any(|row| row.epoch > 1),
        "rows": rows,
    });
    script_json(&data.to_string())
}

fn answer(reply: &SystemAnswer) -> Value {
    let word = WORDS.iter().position(|word| *word == reply.word()).unwrap_or_default();
    let time = reply.total_seconds.map(|time| (time * 1000.0).round() / 1000.0);
    json!([word, i32::from(reply.right), words(reply), time])
}

/// The reason of a system's answer, or its text.
pub(crate) fn words(reply: &SystemAnswer) -> String {
    match (&reply.answer, &reply.error) {
        (Some(Answer::Verdict(opinion)), _) => {
            format!("{} (confidence {:.2})", opinion.reason, opinion.confidence)
        }
        (_, Some(error)) => error.clone(),
        (_, None) => reply.completion.clone(),
    }
}
