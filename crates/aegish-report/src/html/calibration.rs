//! Whether stated confidences can be trusted.

use std::fmt::Write as _;

use super::figure;
use super::sections::{cell, missing};
use crate::compare::Comparison;
use crate::escape::xml;
use crate::plot::Plot;

/// The reliability plot, and a table with the errors.
pub(crate) fn calibration(out: &mut String, comparison: &Comparison) {
    out.push_str(
        "<section id=\"calibration\"><h2>Calibration</h2><p class=\"hint\">The confidence that systems \
         state, against how often they are right. ECE: expected calibration error over ten ranges, 0 is best. \
         AUROC: how often a right verdict is stated with more confidence than a wrong one, 0.5 is chance.</p>\
         <div class=\"plots\">",
    );
    figure(out, comparison, Plot::Reliability);
    out.push_str(
        "</div><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Calibration\">\
         <table class=\"stack sortable\"><thead><tr><th scope=\"col\" class=\"name\">System</th>\
         <th scope=\"col\">Verdicts</th><th scope=\"col\">Mean confidence</th><th scope=\"col\">Right</th>\
         <th scope=\"col\">ECE</th><th scope=\"col\">AUROC</th></tr></thead><tbody>",
    );
    for system in &comparison.systems {
        let Some(found) = &system.calibration else { continue };
        let _ = write!(out, "<tr><th scope=\"row\" class=\"name\">{}</th>", xml(&system.short));
        let count = found.samples as f64;
        cell(out, "Verdicts", Some(count), &found.samples.to_string());
        cell(out, "Mean confidence", Some(found.confidence), &format!("{:.3}", found.confidence));
        cell(out, "Right", Some(found.accuracy), &format!("{:.3}", found.accuracy));
        cell(out, "ECE", Some(found.ece), &format!("{:.3}", found.ece));
        let area = found.auroc.map_or_else(missing, |area| format!("{area:.3}"));
        cell(out, "AUROC", found.auroc, &area);
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div></section>\n");
}
