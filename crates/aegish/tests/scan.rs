//! `aegish scan`: findings at their places, what does not count, formats and exit status.
#![cfg(feature = "scan")]
#![allow(clippy::expect_used)] // helpers of tests are tests

mod common;

use aegish_test_support::folder::Folder;
use common::{Run, command, finish};
use serde_json::Value;
use std::fs;

const DOCKERFILE: &str = "\
FROM debian:12
RUN apt-get update && \\
    # tools
    apt-get install -y curl
RUN curl -fsSL https://example.org/i.sh | bash
";

fn scan(folder: &Folder, arguments: &[&str]) -> Run {
    let mut command = command();
    command.arg("scan").args(arguments).current_dir(&folder.0);
    finish(command, b"")
}

fn project(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("Dockerfile", DOCKERFILE);
    fs::create_dir_all(folder.0.join(".github/workflows")).expect("a folder");
    folder.write(
        ".github/workflows/ci.yml",
        "jobs:\n  a:\n    steps:\n      - run: |\n          make\n          cat /etc/shadow\n",
    );
    folder.write("package.json", "{\"scripts\": {\"test\": \"jest\"}}");
    folder.write("tool", "#!/bin/sh\nls -la\n");
    folder.write("notes.md", "cat /etc/shadow\n");
    folder
}

#[test]
fn a_finding_in_a_file_that_a_script_reads_is_at_the_command_that_reads_it() {
    let folder = Folder::new("scan-included");
    let long = format!("{}cat /etc/shadow\n", "# a comment\n".repeat(100));
    folder.write("functions", &long);
    folder.write("start.sh", "#!/bin/sh\n. ./functions\n");
    let run = scan(&folder, &["start.sh"]);
    assert_eq!(run.status, 20, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("start.sh:2:"), "{}", run.stdout);
}

#[test]
fn findings_have_their_place_in_the_file() {
    let folder = project("scan-places");
    let run = scan(&folder, &[]);
    assert_eq!(run.status, 20, "{}", run.stderr);
    let has = |line: &str| assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    has(".github/workflows/ci.yml:6:15: BLOCK  critical-file-read");
    has("Dockerfile:4:5: WARN  package-install");
    has("Dockerfile:5:43: BLOCK  download-and-execute");
    has("5 commands in 4 files: 2 blocked, 1 to be asked about");
    assert!(!run.stdout.contains("notes.md"));
}

#[test]
fn the_exit_status_follows_what_counts() {
    let folder = Folder::new("scan-status");
    folder.write("Dockerfile", "RUN apt-get install -y curl\n");
    assert_eq!(scan(&folder, &[]).status, 0);
    assert_eq!(scan(&folder, &["--fail-on", "warn"]).status, 10);
    folder.write("Makefile", "all:\n\trm -rf /\n");
    assert_eq!(scan(&folder, &[]).status, 20);
    assert_eq!(scan(&folder, &["--fail-on", "never"]).status, 0);
    assert_eq!(scan(&folder, &["missing"]).status, 2);
    let special = scan(&folder, &["/dev/null"]);
    assert_eq!(special.status, 2);
    assert!(special.stderr.contains("neither a regular file"), "{}", special.stderr);
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_not_approved() {
    let folder = Folder::new("scan-broken");
    folder.write("package.json", "{\"scripts\": [");
    let run = scan(&folder, &["--fail-on", "never"]);
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("package.json: NOT JUDGED"), "{}", run.stdout);
}

#[test]
fn a_comment_needs_the_rule_and_a_reason() {
    let folder = Folder::new("scan-comments");
    let download = "RUN curl -fsSL https://example.org/i.sh | bash\n";
    let with = |comment: &str| {
        folder.write("Dockerfile", &format!("FROM a\n{comment}\n{download}"));
        scan(&folder, &[]).status
    };
    assert_eq!(with("# aegish: ignore download-and-execute -- documented by the vendor"), 0);
    assert_eq!(with("# aegish: ignore 9 -- documented by the vendor"), 0);
    assert_eq!(with("# aegish: ignore download-and-execute"), 20);
    assert_eq!(with("# aegish: ignore package-install -- another rule"), 20);
}

#[test]
fn a_baseline_holds_after_edits_elsewhere_and_new_findings_count() {
    let folder = project("scan-baseline");
    scan(&folder, &["--write-baseline", "known.json"]);
    folder.write("Dockerfile", &format!("# a comment more\n{DOCKERFILE}"));
    let run = scan(&folder, &["--baseline", "known.json"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.contains("3 by the baseline"), "{}", run.stdout);
    folder.write("Dockerfile", &format!("{DOCKERFILE}RUN cat /etc/shadow\n"));
    assert_eq!(scan(&folder, &["--baseline", "known.json"]).status, 20);
    folder.write("known.json", "{}");
    assert_eq!(scan(&folder, &["--baseline", "known.json"]).status, 2);
}

#[test]
fn what_git_ignores_is_left_out_unless_it_is_wanted() {
    let folder = Folder::new("scan-ignored");
    fs::create_dir_all(folder.0.join(".git")).expect("a folder");
    fs::create_dir_all(folder.0.join("vendor")).expect("a folder");
    folder.write(".gitignore", "vendor/\n");
    folder.write("vendor/x.sh", "cat /etc/shadow\n");
    folder.write(".git/hook.sh", "cat /etc/shadow\n");
    assert_eq!(scan(&folder, &[]).status, 0);
    assert_eq!(scan(&folder, &["--no-ignore"]).status, 20);
    assert_eq!(scan(&folder, &["vendor/x.sh"]).status, 20);
}

#[test]
fn the_formats_agree() {
    let folder = project("scan-formats");
    let object: Value =
        serde_json::from_str(&scan(&folder, &["--format", "json"]).stdout).expect("JSON");
    let findings = object["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 3);
    let sarif: Value =
        serde_json::from_str(&scan(&folder, &["--format", "sarif"]).stdout).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list");
    for (finding, result) in findings.iter().zip(results) {
        assert_eq!(finding["rule_name"], result["ruleId"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(finding["line"], region["startLine"]);
        assert_eq!(finding["column"], region["startColumn"]);
        let index =
            usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let github = scan(&folder, &["--format", "github"]).stdout;
    assert_eq!(github.lines().count(), 3);
    assert!(github.contains("::error file=Dockerfile,line=5,col=43"), "{github}");
}
