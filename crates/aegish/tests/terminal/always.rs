//! "Always": a question that is not to come again.

use crate::harness::{Home, Terminal, in_production};

/// Warned of, and harmless: the program is on another kind of machine.
const WARNED: &str = "apk add tool";
const QUESTION: &str = "[y/N/e(xplain)/a(lways)/u(ndoable)] ";
const OFFER: &str = "(this session only)] ";

/// Answers the question with "always" and the offer with this.
fn always(terminal: &Terminal, line: &str, answer: &str) {
    terminal.line(line);
    terminal.cursor_behind(QUESTION);
    terminal.line("a");
    terminal.cursor_behind(OFFER);
    let before = terminal.ready();
    terminal.line(answer);
    if answer != "n" {
        terminal.ready_after(before);
    }
}

fn rules(home: &Home) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(home.at(".config/aegish/rules.d")) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn the_rule_is_shown_with_other_matches_and_saved() {
    let home = Home::new();
    let terminal = home.shell().open();
    always(&terminal, WARNED, "y");
    terminal.sees("allow `apk add` without options against package-install");
    terminal.sees("saved as");
    assert_eq!(rules(&home), ["apk-add.toml"]);
    let said = terminal.run("apk add other; echo and $?");
    assert!(said.ends_with("and 127") && !said.contains("WARN"), "{said}");
    // The rule does not match other options.
    terminal.line("apk add -U other");
    terminal.cursor_behind(QUESTION);
}

#[test]
fn no_comes_back_to_the_question_and_keeps_nothing() {
    let home = Home::new();
    let terminal = home.shell().open();
    always(&terminal, WARNED, "n");
    terminal.cursor_behind(QUESTION);
    let before = terminal.ready();
    terminal.line("n");
    terminal.ready_after(before);
    assert_eq!(terminal.run("echo status $?"), "status 2");
    assert_eq!(rules(&home), Vec::<String>::new());
}

#[test]
fn exactly_this_command_is_not_another_one() {
    let home = Home::new();
    let terminal = home.shell().open();
    always(&terminal, WARNED, "x");
    assert!(!terminal.run(WARNED).contains("WARN"));
    terminal.line("apk add other");
    terminal.cursor_behind(QUESTION);
}

#[test]
fn a_rule_for_the_session_ends_with_it() {
    let home = Home::new();
    let terminal = home.shell().open();
    always(&terminal, WARNED, "s");
    assert!(!terminal.run("apk add other").contains("WARN"));
    assert_eq!(rules(&home), Vec::<String>::new());
    drop(terminal);
    let terminal = home.shell().open();
    terminal.line(WARNED);
    terminal.cursor_behind(QUESTION);
}

#[test]
fn a_rule_of_another_terminal_counts_from_the_next_line_on() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert_eq!(terminal.run("echo one"), "one");
    std::fs::create_dir_all(home.at(".config/aegish/rules.d")).unwrap();
    let rule = "[[rule]]\nverdict = 'deny'\nprogram = 'echo'\nbecause = 'quiet now'\n";
    home.write(".config/aegish/rules.d/quiet.toml", rule);
    assert!(terminal.run("echo two").contains("quiet now"));
    // The mistake is reported, and the rules from before still count.
    home.write(".config/aegish/rules.d/quiet.toml", "[[rule]]\nverdict = 'dny'\n");
    let said = terminal.run("echo three");
    assert!(said.contains("the configuration stays as it was"), "{said}");
    assert!(said.contains("quiet now"), "{said}");
}

#[test]
fn in_production_nothing_is_offered() {
    let home = Home::new();
    let Some(start) = in_production(&home) else { return };
    let terminal = start.open();
    terminal.line(WARNED);
    terminal.cursor_behind("Run it anyway? [y/N/e(xplain)/u(ndoable)] ");
}

const REMEMBER: &str = "/r(emember this script)/u(ndoable)] ";

#[test]
fn a_script_is_remembered_by_its_bytes() {
    let home = Home::new();
    let script = home.at("open.sh");
    std::fs::write(&script, "eval \"$SETTINGS\"\necho ran\n").unwrap();
    let terminal = home.shell().open();
    terminal.line("sh open.sh");
    terminal.cursor_behind(REMEMBER);
    let before = terminal.ready();
    terminal.line("r");
    terminal.ready_after(before);
    let said = terminal.run("sh open.sh");
    assert!(said.ends_with("ran") && !said.contains("WARN"), "{said}");
    // Another session knows it, too.
    let other = home.shell().open();
    assert_eq!(other.run("sh open.sh"), "ran");
    std::fs::write(&script, "eval \"$SETTINGS\"\necho ran \n").unwrap();
    other.line("sh open.sh");
    other.cursor_behind(REMEMBER);
}
