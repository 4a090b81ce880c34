use super::*;

fn marker() -> Marker {
    Marker::fixed(0x00c0_ffee)
}

/// Compares with a snapshot; `AEGISH_BLESS=1` writes it.
fn same(name: &str, message: &str, snapshot: &str) {
    if std::env::var_os("AEGISH_BLESS").is_some() {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/message/snapshots");
        let _ = std::fs::write(dir.join(format!("{name}.txt")), format!("{message}\n"));
        return;
    }
    assert_eq!(message, snapshot.trim_end());
}

#[test]
fn the_plain_message_is_the_phrase_and_the_command_as_is() {
    assert_eq!(plain("ls -la"), "Validate this command: ls -la");
    assert_eq!(plain("echo {command} {0} %s\n"), "Validate this command: echo {command} {0} %s\n");
}

#[test]
fn the_enriched_message_with_everything() {
    let effects = ["runs: /bin/sh build.sh".to_owned(), "deletes: /srv/<old>".to_owned()];
    let scripts = [
        ScriptEvidence { path: "build.sh", contents: Some("#!/bin/sh\nrm -rf \"$1\"\n") },
        ScriptEvidence { path: "gone.sh", contents: None },
    ];
    let facts = [("DIR", "/srv/old"), ("DB_PASSWORD", "correct horse")];
    let evidence = Evidence {
        command: "sh build.sh \"$DIR\" --token hunter2hunter2",
        canonical: Some("sh build.sh /srv/old --token hunter2hunter2"),
        effects: &effects,
        scripts: &scripts,
        facts: &facts,
    };
    let message = enriched(&evidence, &marker()).expect("a message").text;
    same("full", &message, include_str!("snapshots/full.txt"));
}

#[test]
fn the_enriched_message_with_a_command_alone() {
    let evidence = Evidence { command: "ls", canonical: Some("ls"), ..Evidence::default() };
    let message = enriched(&evidence, &marker()).expect("a message").text;
    same("bare", &message, include_str!("snapshots/bare.txt"));
}

#[test]
fn a_command_that_is_too_long_becomes_no_message() {
    let fits = "ä".repeat(MAX_COMMAND_LENGTH);
    let evidence = Evidence { command: &fits, ..Evidence::default() };
    assert!(enriched(&evidence, &marker()).is_ok());
    let longer = format!("{fits}a");
    let evidence = Evidence { command: &longer, ..Evidence::default() };
    assert_eq!(enriched(&evidence, &marker()), Err(NoMessage::TooLong));
}

#[test]
fn long_scripts_are_cut_and_marked() {
    let long = "echo long\n".repeat(100_000);
    let script = ScriptEvidence { path: "long.sh", contents: Some(&long) };
    let scripts = [script; 100];
    let evidence = Evidence { command: "./long.sh", scripts: &scripts, ..Evidence::default() };
    let message = enriched(&evidence, &marker()).expect("a message").text;
    assert!(message.contains("\"cut\":true"));
    assert!(message.contains("\"not_shown\":36"));
    assert!(message.len() < 100_000, "{}", message.len());
}

#[test]
fn markers_are_long_and_never_the_same() {
    let one = Marker::random().expect("random numbers");
    let two = Marker::random().expect("random numbers");
    assert_eq!(one.as_str().len(), 32);
    assert_ne!(one, two);
}
