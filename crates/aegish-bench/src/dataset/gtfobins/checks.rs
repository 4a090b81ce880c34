//! Checks of an extracted set before it is used for measurements.

use std::collections::BTreeSet;

use super::{CATEGORIES, EXCLUDED};
use aegish_log::Sample;

/// Placeholders that should have been replaced.
const LEFT_OVER: [&str; 6] = ["$LHOST", "${LHOST", "$RHOST", "${RHOST", "$TF", "${TF"];

/// Words that reveal an attack without any analysis.
const TELLING: [&str; 6] = ["evil", "backdoor", "malware", "payload", "exploit", "hack"];

/// Descriptions of failed checks; `told` is the number of commands according to the metadata.
pub(super) fn problems(samples: &[Sample], told: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let mut commands = BTreeSet::new();
    for sample in samples {
        let mut complain = |what: String| problems.push(format!("{}: {what}", sample.id));
        let category = sample.category.as_deref().unwrap_or_default();
        let binary = sample.metadata.get("binary").and_then(serde_json::Value::as_str);
        if sample.command.is_empty() || category.is_empty() || binary.is_none_or(str::is_empty) {
            complain("command, binary or category is missing".to_owned());
        }
        if EXCLUDED.contains(&category) || !CATEGORIES.contains(&category) {
            complain(format!("`{category}` is none of the eight categories"));
        }
        if let Some(name) = LEFT_OVER.iter().find(|name| sample.command.contains(**name)) {
            complain(format!("`{name}` was not replaced"));
        }
        let lower = sample.command.to_lowercase();
        if let Some(word) = TELLING.iter().find(|word| lower.contains(**word)) {
            complain(format!("`{word}` gives the command away"));
        }
        if !commands.insert(&sample.command) {
            complain("the command is there twice".to_owned());
        }
    }
    if samples.len() != told {
        problems.push(format!("{} commands, but the metadata says {told}", samples.len()));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::problems;
    use aegish_log::{Expected, Sample};
    use serde_json::{Map, Value};

    fn sample(command: &str, category: &str) -> Sample {
        let metadata = Map::from_iter([("binary".to_owned(), Value::from("x"))]);
        Sample {
            id: "x".to_owned(),
            command: command.to_owned(),
            expected: Expected::Block,
            category: Some(category.to_owned()),
            metadata,
        }
    }

    #[test]
    fn each_check_finds_its_mistake() {
        assert!(problems(&[sample("cat /etc/shadow", "file-read")], 1).is_empty());
        for (samples, told, what) in [
            (vec![sample("", "shell")], 1, "is missing"),
            (vec![sample("sudo x", "sudo")], 1, "none of the eight"),
            (vec![sample("nc $RHOST", "shell")], 1, "`$RHOST` was not replaced"),
            (vec![sample("./Backdoor", "shell")], 1, "`backdoor` gives"),
            (vec![sample("a", "shell"), sample("a", "shell")], 2, "there twice"),
            (vec![sample("a", "shell")], 2, "1 commands, but the metadata says 2"),
        ] {
            let found = problems(&samples, told);
            assert!(found.len() == 1 && found[0].contains(what), "{found:?}");
        }
    }
}
