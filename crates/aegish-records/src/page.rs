//! The summary as one HTML page without scripts.

use crate::summary::{SortedSummary, Tally};
use aegish_terminal::grouped;
use std::fmt::Write as _;

/// Findings on the page.
const LISTED: usize = 500;
/// Bars of the timeline.
const BARS: usize = 240;

const STYLE: &str = "\
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}\
body{max-width:75rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;width:100%;margin:1rem 0}\
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884;vertical-align:top}\
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}\
code{font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}\
.block{color:#c22}.warn{color:#a60}.faint{opacity:.7}svg{width:100%;height:6rem}";

/// Writes the page.
pub(crate) fn page(summary: &SortedSummary) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>aegish judge-log</title>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>{STYLE}</style></head>\n\
         <body><h1>Judged commands</h1>\n<p>{}</p>\n",
        escaped(&summary.headline())
    );
    for note in summary.notes() {
        let _ = writeln!(page, "<p class=\"faint\">{}</p>", escaped(&note));
    }
    timeline(summary, &mut page);
    let rules: Vec<(String, Tally)> = {
        let rules = summary.counters.rules.iter();
        let mut rules: Vec<_> = rules.map(|(name, tally)| ((*name).to_owned(), *tally)).collect();
        rules.sort_by_key(|(_, tally)| std::cmp::Reverse((tally.block, tally.warn)));
        rules
    };
    table("Rules", &rules, &mut page);
    findings(summary, &mut page);
    table("Hosts", &summary.hosts, &mut page);
    table("Users", &summary.users, &mut page);
    page.push_str("</body></html>\n");
    page
}

/// Blocked and asked about over time, in at most [`BARS`] bars of equal length.
fn timeline(summary: &SortedSummary, page: &mut String) {
    let hours = &summary.counters.hours;
    let (Some((first, _)), Some((last, _))) = (hours.first_key_value(), hours.last_key_value())
    else {
        return;
    };
    let span = usize::try_from(last - first).unwrap_or_default() + 1;
    let step = span.div_ceil(BARS).max(1);
    let mut bars = vec![Tally::default(); span.div_ceil(step)];
    for (hour, tally) in hours {
        let at = usize::try_from(hour - first).unwrap_or_default() / step;
        if let Some(bar) = bars.get_mut(at) {
            bar.block += tally.block;
            bar.warn += tally.warn;
            bar.allow += tally.allow;
        }
    }
    let most = bars.iter().map(|bar| bar.block + bar.warn).max().unwrap_or_default().max(1);
    let _ = write!(
        page,
        "<h2>Timeline</h2>\n<svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"blocked and asked about per {step} h\">",
        bars.len()
    );
    for (at, bar) in bars.iter().enumerate() {
        let height = |count: u64| count as f64 * 100.0 / most as f64;
        let (block, warn) = (height(bar.block), height(bar.warn));
        let title = format!(
            "{} blocked, {} asked about of {}",
            bar.block,
            bar.warn,
            bar.block + bar.warn + bar.allow
        );
        let _ = write!(
            page,
            "<g><title>{title}</title><rect x=\"{at}\" y=\"{:.1}\" width=\".8\" height=\"{block:.1}\" fill=\"#c22\"/>\
             <rect x=\"{at}\" y=\"{:.1}\" width=\".8\" height=\"{warn:.1}\" fill=\"#e90\"/></g>",
            100.0 - block,
            100.0 - block - warn
        );
    }
    let _ = writeln!(page, "</svg>\n<p class=\"faint\">{step} h per bar, UTC</p>");
}

fn table(name: &str, rows: &[(String, Tally)], page: &mut String) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<h2>{name}</h2>\n<table><tr><th></th><th class=\"number\">blocked</th>\
         <th class=\"number\">asked about</th><th class=\"number\">allowed</th></tr>\n"
    );
    for (name, tally) in rows {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            escaped(name),
            grouped(tally.block),
            grouped(tally.warn),
            grouped(tally.allow)
        );
    }
    page.push_str("</table>\n");
}

fn findings(summary: &SortedSummary, page: &mut String) {
    if summary.findings.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Findings</h2>\n<table><tr><th></th><th>rule</th><th>command and reason</th>\
         <th class=\"number\">times</th><th>first</th></tr>\n",
    );
    for finding in summary.findings.iter().take(LISTED) {
        let action = finding.action.as_str();
        let _ = writeln!(
            page,
            "<tr><td class=\"{action}\">{action}</td><td>{}</td><td><code>{}</code><br>{}</td>\
             <td class=\"number\">{}</td><td class=\"faint\">{}<br>{}</td></tr>",
            finding.rule,
            escaped(&finding.command),
            escaped(&finding.reason),
            grouped(finding.count),
            escaped(&finding.first),
            escaped(&finding.place)
        );
    }
    page.push_str("</table>\n");
    let more = summary.findings.len().saturating_sub(LISTED);
    if more > 0 {
        let _ = writeln!(page, "<p class=\"faint\">and {} more</p>", grouped(more as u64));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
