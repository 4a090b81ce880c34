//! The report of a scan: for people, as one JSON object, as annotations of a workflow.

use super::ScanReport;
use crate::annotation::{data, property};
use crate::excerpt::excerpt;
use aegish_guard::Action;
use aegish_scan::{JudgedFile, ScanFinding, Suppression};
use aegish_terminal::{Failure, Screen, Style, visible};
use serde::Serialize;
use std::io::Write;

pub(super) fn text(report: &ScanReport, all: bool, screen: &mut Screen) {
    for file in &report.files {
        if let Some(error) = &file.error {
            screen.paint(Style::Strong, visible(&file.path)).put(": ");
            screen.paint(Style::Doubtful, "NOT JUDGED").put("  ").put(visible(error)).end();
        }
        for finding in file.findings.iter().filter(|one| all || one.suppression.is_none()) {
            one(file, finding, screen);
        }
    }
    let (blocks, warns) = (report.count(Action::Block), report.count(Action::Warn));
    screen.put(format_args!(
        "{} in {}: {blocks} blocked, {warns} to be asked about",
        counted(report.commands(), "command"),
        counted(report.files.len(), "file")
    ));
    let comments = report.suppressed(|one| matches!(one, Suppression::Comment(_)));
    let known = report.suppressed(|one| *one == Suppression::Baseline);
    if comments + known > 0 {
        screen.put(format_args!("; ignored: {comments} by comments, {known} by the baseline"));
    }
    if report.not_judged() > 0 {
        screen.put(format_args!("; not judged: {}", counted(report.not_judged(), "file")));
    }
    screen.end();
}

/// `1 file`, `2 files`
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn one(file: &JudgedFile, finding: &ScanFinding, screen: &mut Screen) {
    let place = format!("{}:{}:{}", visible(&file.path), finding.start.line, finding.start.column);
    screen.paint(Style::Strong, place).put(": ");
    screen.paint(Style::of(finding.action), finding.action.as_str().to_uppercase()).put("  ");
    screen.put(finding.rule.name).put("  ").put(visible(&finding.reason));
    match &finding.suppression {
        Some(Suppression::Comment(reason)) => {
            screen.paint(Style::Faint, format_args!("  (ignored: {})", visible(reason)));
        }
        Some(Suppression::Baseline) => {
            screen.paint(Style::Faint, "  (in the baseline)");
        }
        None => {}
    }
    screen.end();
    if let Some(found) = excerpt(&file.text, finding.span) {
        screen.put("  ").put(&found.text).end();
        let carets = "^".repeat(found.carets) + if found.more { "…" } else { "" };
        screen.put(" ".repeat(2 + found.indent)).paint(Style::of(finding.action), carets).end();
    }
    if let Some(instead) = finding.instead {
        screen.put("  ").paint(Style::Faint, "instead: ").put(instead).end();
    }
}

/// `::error file=…,line=…::…`
pub(super) fn annotations(report: &ScanReport, screen: &mut Screen) {
    for file in &report.files {
        if let Some(error) = &file.error {
            screen
                .put(format_args!(
                    "::error file={}::not judged: {}",
                    property(&file.path),
                    data(error)
                ))
                .end();
        }
        for finding in file.findings.iter().filter(|one| one.suppression.is_none()) {
            let level = if finding.action == Action::Block { "error" } else { "warning" };
            let instead =
                finding.instead.map_or(String::new(), |instead| format!("\ninstead: {instead}"));
            screen
                .put(format_args!(
                    "::{level} file={},line={},col={},endLine={},title={}::{}",
                    property(&file.path),
                    finding.start.line,
                    finding.start.column,
                    finding.end.line,
                    property(finding.rule.name),
                    data(&format!("{}{instead}", finding.reason)),
                ))
                .end();
        }
    }
}

#[derive(Serialize)]
struct JsonReport<'a> {
    files: usize,
    commands: usize,
    findings: Vec<JsonFinding<'a>>,
    not_judged: Vec<JsonNotJudged<'a>>,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    path: &'a str,
    kind: &'static str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    label: &'a str,
    action: &'static str,
    rule: &'static str,
    rule_name: &'static str,
    reason: &'a str,
    instead: Option<&'static str>,
    fingerprint: &'a str,
    ignored: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonNotJudged<'a> {
    path: &'a str,
    error: &'a str,
}

pub(super) fn json(report: &ScanReport, screen: &mut Screen) -> Result<(), Failure> {
    let mut object = JsonReport {
        files: report.files.len(),
        commands: report.commands(),
        findings: Vec::new(),
        not_judged: Vec::new(),
    };
    for file in &report.files {
        let error = file.error.as_deref();
        object.not_judged.extend(error.map(|error| JsonNotJudged { path: &file.path, error }));
        object.findings.extend(file.findings.iter().map(|finding| JsonFinding {
            path: &file.path,
            kind: file.kind.as_str(),
            line: finding.start.line,
            column: finding.start.column,
            end_line: finding.end.line,
            end_column: finding.end.column,
            label: &finding.label,
            action: finding.action.as_str(),
            rule: finding.rule.id,
            rule_name: finding.rule.name,
            reason: &finding.reason,
            instead: finding.instead,
            fingerprint: &finding.fingerprint,
            ignored: finding.suppression.as_ref().map(|suppression| match suppression {
                Suppression::Comment(reason) => reason.as_str(),
                Suppression::Baseline => "in the baseline",
            }),
        }));
    }
    write(&object, screen)
}

/// One object on one line.
pub(super) fn write(object: &impl Serialize, screen: &mut Screen) -> Result<(), Failure> {
    let json = serde_json::to_string(object)
        .map_err(|error| Failure::internal(format!("nothing was approved: {error}")))?;
    screen.put(json).end();
    Ok(())
}

/// A line on standard error that is replaced by the next.
pub(super) fn progress(done: usize, all: usize) {
    let mut errors = std::io::stderr().lock();
    let _ = write!(errors, "\r{done} of {all} files");
    let _ = errors.flush();
}

pub(super) fn end_progress() {
    let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn annotations_stay_on_one_line() {
        assert_eq!(data("50 %\nmore"), "50 %25%0Amore");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
    }
}
