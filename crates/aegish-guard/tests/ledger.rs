//! Every entry of the ledger of bypasses points to a case that is really there.

use aegish_test_support::cases;

use std::fs;

#[test]
fn every_entry_names_a_case_of_the_bypasses() {
    let path = cases::cases_dir().join("../docs/reference/bypasses.md");
    let ledger = fs::read_to_string(&path).expect("the ledger can be read");
    let cases = cases::all().expect("the cases can be read");
    let commands: Vec<String> =
        cases.iter().map(|case| case.command.replace('\n', " ⏎ ")).collect();
    let judging = ledger.split("## ").find(|part| part.starts_with("Judging")).expect("the table");
    let mut entries = 0;
    let mut missing = Vec::new();
    for row in judging.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        // The command is the only cell that is all code; bars in it are escaped.
        let escaped = row.replace("\\|", "\u{1}");
        let Some(cell) = escaped
            .split(" | ")
            .map(str::trim)
            .find(|cell| cell.starts_with('`') && cell.ends_with('`') && cell.len() > 2)
        else {
            continue;
        };
        entries += 1;
        let command = cell.trim_matches('`').replace('\u{1}', "|");
        // Long commands are shown with a gap.
        let mut parts = command.split('…');
        let head = parts.next().unwrap_or("").trim();
        let tail = parts.next_back().unwrap_or("").trim();
        let found =
            commands.iter().any(|known| known.trim().starts_with(head) && known.contains(tail));
        if !found {
            missing.push(command);
        }
    }
    assert!(entries >= 60, "only {entries} entries were found");
    assert!(missing.is_empty(), "no case has these commands of the ledger: {missing:#?}");
}
