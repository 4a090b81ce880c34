//! Samples worth reading: where systems disagree, and where most are wrong.

use std::fmt::Write as _;

use super::sample_pages::SampleLinks;
use super::samples::words;
use crate::compare::{ComparedSample, Comparison};
use crate::escape::xml;
use crate::format::time;
use aegish_log::Expected;

/// Limit on the samples of each kind; the list of all samples has the others.
const SHOWN: usize = 25;

/// How often each two systems differ, and the samples that divide them most.
pub(crate) fn disagreements(out: &mut String, comparison: &Comparison, links: &SampleLinks) {
    out.push_str(
        "<section id=\"disagreements\"><h2>Disagreements</h2><p class=\"hint\">Samples that some \
         systems get right and others wrong.</p>",
    );
    matrix(out, comparison);
    tests(out, comparison);
    let mut rows: Vec<(usize, &ComparedSample)> =
        comparison.rows.iter().enumerate().filter(|(_, row)| row.disputed()).collect();
    let disputed = rows.len();
    // The nearer to half the systems, the deeper the division; more systems weigh more.
    rows.sort_by_key(|(_, row)| {
        let (wrong, asked) = row.wrong();
        (wrong.abs_diff(asked - wrong) * 100 / asked.max(1), std::cmp::Reverse(asked))
    });
    rows.truncate(SHOWN);
    let _ = write!(
        out,
        "<h3>Most divided</h3><p class=\"hint\">{} of {disputed} disputed samples; the \
         <a href=\"#samples\">list of all samples</a> has the others under “systems disagree”.</p>",
        rows.len()
    );
    for (at, row) in rows {
        card(out, comparison, row, links.get(at));
    }
    out.push_str("</section>\n");
}

/// The commands that most systems get wrong.
pub(crate) fn hardest(out: &mut String, comparison: &Comparison, links: &SampleLinks) {
    let mut rows: Vec<(usize, &ComparedSample)> =
        comparison.rows.iter().enumerate().filter(|(_, row)| row.wrong().0 > 0).collect();
    rows.sort_by_key(|(_, row)| {
        let (wrong, asked) = row.wrong();
        (std::cmp::Reverse(wrong * 100 / asked.max(1)), std::cmp::Reverse(wrong))
    });
    let wrong_somewhere = rows.len();
    rows.truncate(SHOWN);
    let _ = write!(
        out,
        "<section id=\"hardest\"><h2>Hardest commands</h2><p class=\"hint\">The {} samples that most \
         systems get wrong, of {wrong_somewhere} that at least one does. If all systems agree against \
         the data set, the label itself deserves a look.</p>",
        rows.len()
    );
    for (at, row) in rows {
        card(out, comparison, row, links.get(at));
    }
    out.push_str("</section>\n");
}

/// One sample with every system's answer.
fn card(out: &mut String, comparison: &Comparison, row: &ComparedSample, link: Option<&str>) {
    let expected = match row.expected {
        Expected::Block => "attack: BLOCK is right",
        Expected::Pass => "harmless: ALLOW or WARN is right",
    };
    let dataset = comparison.datasets.get(row.dataset).map_or("", |set| set.name.as_str());
    let _ = write!(
        out,
        "<article class=\"sample\"><p class=\"meta\"><b>{expected}</b><span>{}</span>",
        xml(dataset)
    );
    if let Some(category) = &row.category {
        let _ = write!(out, "<span>{}</span>", xml(category));
    }
    let _ = match link {
        Some(link) => write!(out, "<a href=\"{link}\">{}</a>", xml(&row.id)),
        None => write!(out, "<span>{}</span>", xml(&row.id)),
    };
    let _ = write!(out, "</p><pre>{}</pre><ul class=\"answers\">", xml(&row.command));
    let answers = || {
        let pairs = comparison.systems.iter().zip(&row.answers);
        pairs.filter_map(|(system, reply)| Some((system, reply.as_ref()?)))
    };
    for (system, reply) in answers() {
        let (class, sign) = match (&reply.answer, reply.right) {
            (None, _) => ("unscored", '–'),
            (Some(_), true) => ("yes", '✓'),
            (Some(_), false) => ("no", '✗'),
        };
        let _ = write!(
            out,
            "<li class=\"{class}\">{sign} <span class=\"who\">{}</span> {}</li>",
            xml(&system.short),
            reply.word()
        );
    }
    out.push_str("</ul><details><summary>Reasons</summary><dl class=\"reasons\">");
    for (system, reply) in answers() {
        let said = words(reply);
        let said = if said.is_empty() { "(nothing)".to_owned() } else { said };
        let _ = write!(out, "<dt>{}</dt><dd>{}", xml(&system.short), xml(&said));
        if let Some(seconds) = reply.total_seconds {
            let _ = write!(out, "<span class=\"sub\">{}</span>", time(seconds));
        }
        out.push_str("</dd>");
    }
    out.push_str("</dl></details></article>\n");
}

/// For each two systems the share of shared samples on which only one is right.
fn matrix(out: &mut String, comparison: &Comparison) {
    let count = comparison.systems.len();
    if count < 2 {
        out.push_str("<p>There is only one system.</p>");
        return;
    }
    let mut shared = vec![0_usize; count * count];
    let mut differing = vec![0_usize; count * count];
    for row in &comparison.rows {
        for (a, one) in row.answers.iter().enumerate() {
            let Some(one) = one.as_ref().filter(|one| one.answer.is_some()) else { continue };
            for (b, other) in row.answers.iter().enumerate().skip(a + 1) {
                let Some(other) = other.as_ref().filter(|other| other.answer.is_some()) else {
                    continue;
                };
                shared[a * count + b] += 1;
                differing[a * count + b] += usize::from(one.right != other.right);
            }
        }
    }
    out.push_str(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" \
         aria-label=\"Disagreements between systems\"><table class=\"matrix\"><caption>Shared samples on \
         which only one of the two is right, in percent</caption>",
    );
    cells(out, comparison, |a, b| {
        let at = a * count + b;
        if shared[at] == 0 {
            return None;
        }
        let share = differing[at] as f64 / shared[at] as f64;
        let tint = (share * 500.0).min(100.0);
        Some(format!(
            " title=\"{} of {}\" style=\"background:color-mix(in srgb, var(--bad-soft) {tint:.0}%, \
             transparent)\">{:.1}",
            differing[at],
            shared[at],
            100.0 * share
        ))
    });
}

/// The paired test of each two systems, corrected for all of them.
fn tests(out: &mut String, comparison: &Comparison) {
    if comparison.pairings.is_empty() {
        return;
    }
    out.push_str(
        "<h3>Paired tests</h3><p class=\"hint\">How likely a difference this large is if there is none, for \
         each two systems over the samples that both answered; corrected for all pairs after Holm. Shaded: below \
         0.05.</p><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Paired tests\">\
         <table class=\"matrix\"><caption class=\"skip\">p-values after Holm</caption>",
    );
    cells(out, comparison, |a, b| {
        let (_, pairing) = comparison.pairings.iter().find(|(pair, _)| *pair == (a, b))?;
        let class = if pairing.p_holm < 0.05 { " class=\"differs\"" } else { "" };
        let p = match pairing.p_holm {
            p if p < 0.001 => "&lt;.001".to_owned(),
            p => format!("{p:.3}").trim_start_matches('0').to_owned(),
        };
        Some(format!(
            "{class} title=\"p = {:.4} before the correction; {} of {} samples differ\">{p}",
            pairing.p_value,
            pairing.gained + pairing.lost,
            pairing.shared
        ))
    });
}

/// Ends a table that has been begun: a row and a column for each system. `cell` gets each two systems, the
/// earlier one first, and gives what follows `<td`.
fn cells(out: &mut String, comparison: &Comparison, cell: impl Fn(usize, usize) -> Option<String>) {
    let count = comparison.systems.len();
    out.push_str("<thead><tr><th scope=\"col\" class=\"name\">System</th>");
    for number in 1..=count {
        let _ = write!(out, "<th scope=\"col\">{number}</th>");
    }
    out.push_str("</tr></thead><tbody>");
    for (a, system) in comparison.systems.iter().enumerate() {
        let name = xml(&system.short);
        let _ = write!(out, "<tr><th scope=\"row\" class=\"name\">{}. {name}</th>", a + 1);
        for b in 0..count {
            if a == b {
                out.push_str("<td class=\"self\"></td>");
                continue;
            }
            let missing = || " class=\"missing\">–".to_owned();
            let cell = cell(a.min(b), a.max(b)).unwrap_or_else(missing);
            let _ = write!(out, "<td data-label=\"{}\"{cell}</td>", b + 1);
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}
