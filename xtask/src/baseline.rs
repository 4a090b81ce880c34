//! The committed verdicts on the own data sets: one line per command, compared in every run.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// The path of the baseline, relative to the workspace.
pub(crate) const PLACE: &str = "bench/baselines/static.jsonl";

/// The result for one command.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) id: &'a str,
    pub(crate) action: String,
    pub(crate) rule: &'a str,
    #[serde(skip)]
    pub(crate) command: &'a str,
}

/// A line of the committed baseline.
#[derive(Deserialize)]
struct CommittedLine {
    id: String,
    action: String,
    rule: String,
}

/// Writes the baseline anew.
pub(crate) fn bless(lines: &[Line<'_>]) -> Result<(), String> {
    let mut text = String::new();
    for line in lines {
        let line = serde_json::to_string(line).map_err(|error| error.to_string())?;
        let _ = writeln!(text, "{line}");
    }
    let path = crate::root().join(PLACE);
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Descriptions of all differences.
pub(crate) fn changes(lines: &[Line<'_>]) -> Result<Vec<String>, String> {
    let path = crate::root().join(PLACE);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    compare(lines, &text)
}

fn compare(lines: &[Line<'_>], text: &str) -> Result<Vec<String>, String> {
    let mut known = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let row: CommittedLine = serde_json::from_str(line)
            .map_err(|error| format!("{PLACE}:{}: {error}", index + 1))?;
        known.insert(row.id.clone(), row);
    }
    let mut changes = Vec::new();
    for line in lines {
        let now = format!("{} {}", line.action, line.rule);
        let was = known.remove(line.id).map(|row| format!("{} {}", row.action, row.rule));
        if was.as_deref() != Some(now.as_str()) {
            let was = was.as_deref().unwrap_or("not there");
            changes.push(format!("{}: {now} (was: {was})\n  {}", line.id, line.command));
        }
    }
    changes.extend(known.into_keys().map(|id| format!("{id}: in the baseline only")));
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::{Line, compare};

    fn line(id: &'static str, action: &str) -> Line<'static> {
        Line { id, action: action.to_owned(), rule: "4", command: "x" }
    }

    #[test]
    fn changed_new_and_gone_commands_are_named() {
        let text = concat!(
            "{\"id\":\"a\",\"action\":\"block\",\"rule\":\"4\"}\n",
            "{\"id\":\"b\",\"action\":\"block\",\"rule\":\"4\"}\n",
            "{\"id\":\"gone\",\"action\":\"allow\",\"rule\":\"13\"}\n",
        );
        let now = [line("a", "block"), line("b", "warn"), line("new", "block")];
        let changes = compare(&now, text).unwrap_or_default();
        let ids: Vec<&str> = changes.iter().filter_map(|change| change.split(':').next()).collect();
        assert_eq!(ids, ["b", "new", "gone"]);
    }

    #[test]
    fn a_broken_line_is_named() {
        let error = compare(&[], "{\"id\":1}\n").err().unwrap_or_default();
        assert!(error.contains("static.jsonl:1"), "{error}");
    }
}
