//! Ways to leave a session, and obstacles.

use crate::harness::{Home, eventually};
use std::path::Path;

#[test]
fn exit_gives_its_number() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.line("exit 41");
    assert_eq!(terminal.status(), 41);
}

#[test]
fn exit_without_a_number_gives_the_last_status() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("(exit 8)");
    terminal.line("exit");
    assert_eq!(terminal.status(), 8);
}

#[test]
fn the_end_of_input_at_an_empty_prompt_leaves() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.control('d');
    assert_eq!(terminal.status(), 0);
    terminal.sees_before_the_end("exit\r\n");
}

#[test]
fn the_end_of_input_in_a_line_deletes_and_stays() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.keys("echo xy");
    terminal.keys("\x1b[D");
    terminal.control('d');
    terminal.wait_for("one letter less", |screen| {
        screen.contents().contains("echo x\n") || screen.contents().trim_end().ends_with("echo x")
    });
    let before = terminal.ready();
    terminal.keys("\r");
    terminal.ready_after(before);
    terminal.sees_row("x");
}

#[test]
fn stopped_jobs_are_reported_first_and_the_second_try_leaves() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("sh -c 'echo begun; exec sleep 100'");
    terminal.sees_row("begun");
    terminal.control('z');
    terminal.ready_after(before);
    let before = terminal.ready();
    terminal.control('d');
    terminal.ready_after(before);
    terminal.sees("There are stopped jobs.");
    // Another command in between makes it the first try again.
    terminal.run("echo between");
    let said = terminal.run("exit 3");
    assert!(said.contains("There are stopped jobs."), "{said}");
    terminal.line("exit 3");
    assert_eq!(terminal.status(), 3);
}

#[test]
fn looking_at_the_stopped_jobs_is_enough_to_leave() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    let before = terminal.ready();
    terminal.line("sh -c 'echo begun; exec sleep 100'");
    terminal.sees_row("begun");
    terminal.control('z');
    terminal.ready_after(before);
    terminal.run("jobs");
    terminal.control('d');
    assert_eq!(terminal.status(), 0);
}

#[test]
fn logout_is_refused_outside_of_a_login_shell() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert!(terminal.run("logout").contains("not login shell"));
}

#[test]
fn logout_leaves_a_login_shell() {
    let home = Home::new();
    let mut terminal = home.shell().name("-aegish").open();
    terminal.line("logout 4");
    assert_eq!(terminal.status(), 4);
    let mut terminal = home.shell().arguments(&["-l"]).open();
    terminal.line("logout");
    assert_eq!(terminal.status(), 0);
}

#[test]
fn ignoreeof_asks_for_exit() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run("IGNOREEOF=1");
    let before = terminal.ready();
    terminal.control('d');
    terminal.ready_after(before);
    terminal.sees("use `exit` to leave");
    terminal.control('d');
    assert_eq!(terminal.status(), 0);
}

#[test]
fn exec_ends_the_session_with_the_program() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.line("exec printf 'instead of bash\\n'");
    assert_eq!(terminal.status(), 0);
    terminal.sees_before_the_end("instead of bash\r\n");
}

#[test]
fn a_program_started_by_exec_cannot_be_stopped() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.line("exec sh -c 'echo begun; exec cat'");
    terminal.sees_row("begun");
    terminal.control('z');
    // Woken at once: it still reads.
    terminal.keys("alive\r");
    terminal.wait_for("alive twice", |screen| screen.contents().matches("alive").count() == 2);
    terminal.control('d');
    assert_eq!(terminal.status(), 0);
}

#[test]
fn jobs_in_the_background_outlive_exit_as_in_bash() {
    let home = Home::new();
    let mut terminal = home.shell().open();
    terminal.run(
        "nohup sh -c 'until [ -e go ]; do sleep 0.05; done; touch outlived' >/dev/null 2>&1 &",
    );
    terminal.line("exit");
    terminal.status();
    home.write("go", "");
    eventually("the job's last act", || Path::new(&home.at("outlived")).exists());
}

#[test]
fn leaving_a_session_reports_that_the_outer_shell_is_not_guarded() {
    let home = Home::new();
    let mut terminal = home.shell().set("AEGISH_BANNER", "on").open();
    terminal.line("exit");
    assert_eq!(terminal.status(), 0);
    terminal.sees_before_the_end("what you are back in is not guarded");
}
