//! SARIF 2.1.0, the format of code scanning services.

use crate::judged::{JudgedFile, ScanFinding, Suppression};
use aegish_guard::{Action, Decision, Rule};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const HOMEPAGE: &str = "https://github.com/aegish/aegish";

/// The report as a SARIF document; `version` is that of the program.
#[must_use]
pub fn document(files: &[JudgedFile], version: &str) -> Value {
    let rules: Vec<&'static Rule> = aegish_guard::rules().collect();
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for file in files {
        results.extend(file.findings.iter().map(|finding| result(file, finding, &rules)));
        notifications.extend(file.error.as_ref().map(|error| {
            json!({
                "level": "error",
                "message": { "text": format!("{} was not judged: {error}", file.path) },
                "locations": [{ "physicalLocation": { "artifactLocation": artifact(file) } }],
            })
        }));
    }
    run(&rules, &results, &notifications, version)
}

/// One decision about a command that is in no file; `version` is that of the program.
#[must_use]
pub fn of_decision(decision: &Decision, text: &str, version: &str) -> Value {
    let rules: Vec<&'static Rule> = aegish_guard::rules().collect();
    let findings = decision.findings().iter().filter(|finding| finding.action != Action::Allow);
    let results: Vec<Value> = findings
        .map(|finding| {
            let result = json!({
                "ruleId": finding.rule.name,
                "level": level(finding.action),
                "message": { "text": message(&finding.reason, finding.instead) },
                "locations": [{ "logicalLocations": [{ "fullyQualifiedName": text }] }],
            });
            with_index(result, finding.rule, &rules)
        })
        .collect();
    run(&rules, &results, &[], version)
}

fn run(
    rules: &[&'static Rule],
    results: &[Value],
    notifications: &[Value],
    version: &str,
) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "aegish",
                "informationUri": HOMEPAGE,
                "semanticVersion": version,
                "rules": rules.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    })
}

fn message(reason: &str, instead: Option<&str>) -> String {
    let instead = instead.map_or(String::new(), |instead| format!(" Instead: {instead}"));
    format!("{reason}.{instead}")
}

/// Adds the place of the rule in the list of rules.
fn with_index(mut result: Value, rule: &Rule, rules: &[&'static Rule]) -> Value {
    let index = rules.iter().position(|known| known.name == rule.name);
    if let (Some(index), Some(object)) = (index, result.as_object_mut()) {
        object.insert("ruleIndex".to_owned(), json!(index));
    }
    result
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "name": rule.title,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.manual.trim(), "markdown": rule.manual.trim() },
        "defaultConfiguration": { "level": level(rule.action) },
    })
}

fn result(file: &JudgedFile, finding: &ScanFinding, rules: &[&'static Rule]) -> Value {
    let suppressions: Vec<Value> = match &finding.suppression {
        Some(Suppression::Comment(reason)) => {
            vec![json!({ "kind": "inSource", "justification": reason })]
        }
        Some(Suppression::Baseline) => vec![json!({ "kind": "external" })],
        None => Vec::new(),
    };
    let result = json!({
        "ruleId": finding.rule.name,
        "level": level(finding.action),
        "message": { "text": message(&finding.reason, finding.instead) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(file),
                "region": {
                    "startLine": finding.start.line,
                    "startColumn": finding.start.column,
                    "endLine": finding.end.line,
                    "endColumn": finding.end.column,
                },
            },
        }],
        "partialFingerprints": { "aegish/v1": finding.fingerprint },
        "suppressions": suppressions,
    });
    with_index(result, finding.rule, rules)
}

/// The file, as a relative reference.
fn artifact(file: &JudgedFile) -> Value {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    let uri: String = file
        .path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    json!({ "uri": uri })
}

fn level(action: Action) -> &'static str {
    match action {
        Action::Allow => "note",
        Action::Warn => "warning",
        Action::Block => "error",
    }
}
