//! Jobs: stopped, continued, in the background, and their messages.

use crate::harness::{Home, Terminal, eventually, gone, have};

/// A program that reports when it has the terminal, and when it has it again, because keys that are pressed
/// earlier may reach bash instead. It then waits for a file `go` and creates a file `gone`. It starts no
/// other program, because a process that is stopped while it starts one may hang.
const SAYS: &str = "perl says.pl";
const SCRIPT: &str = "$| = 1; $SIG{CONT} = sub { print \"woken\\n\" }; print \"begun\\n\";\n\
                      select(undef, undef, undef, 0.02) until -e 'go';\n\
                      open my $gone, '>', 'gone';\n";

fn home() -> Home {
    let home = Home::new();
    home.write("says.pl", SCRIPT);
    home
}

/// Brings a job back and interrupts it.
fn end(terminal: &Terminal, line: &str) {
    let before = terminal.ready();
    terminal.line(line);
    terminal.wait_for("it goes on", |screen| screen.contents().trim_end().ends_with("\nwoken"));
    terminal.control('c');
    terminal.ready_after(before);
}

/// Starts a program and stops it.
fn stop(terminal: &Terminal, line: &str) {
    let before = terminal.ready();
    terminal.line(line);
    terminal.wait_for("it has begun", |screen| screen.contents().trim_end().ends_with("\nbegun"));
    terminal.control('z');
    terminal.ready_after(before);
}

#[test]
fn a_stopped_program_is_reported_and_continues_in_the_foreground() {
    let home = home();
    let terminal = home.shell().open();
    stop(&terminal, SAYS);
    terminal.sees("Stopped");
    assert_eq!(terminal.run("echo $?"), "148");
    assert!(terminal.run("jobs").contains("[1]+  Stopped"));
    end(&terminal, "fg");
    assert_eq!(terminal.run("jobs"), "");
}

#[test]
fn a_stopped_program_continues_in_the_background() {
    let home = home();
    let terminal = home.shell().open();
    home.write("says.pl", &SCRIPT.replace("print \"woken\\n\"", "1"));
    stop(&terminal, SAYS);
    assert!(terminal.run("bg").contains("[1]+ perl says.pl"));
    assert!(terminal.run("jobs").contains("Running"));
    home.write("go", "");
    terminal.run("wait");
    assert!(home.at("gone").exists());
}

#[test]
fn a_job_is_killed_by_its_number() {
    let home = Home::new();
    let terminal = home.shell().open();
    assert!(terminal.run("sleep 100 &").starts_with("[1] "));
    terminal.run("kill %1");
    while terminal.run("jobs").contains("Running") {}
    terminal.sees("Terminated");
    assert_eq!(terminal.run("jobs"), "");
}

#[test]
fn wait_gives_the_status_of_a_job() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("(exit 6) & job=$!");
    terminal.run("wait $job");
    assert_eq!(terminal.run("echo $?"), "6");
}

#[test]
fn the_end_of_a_job_is_reported_before_the_next_prompt() {
    let home = Home::new();
    let terminal = home.shell().open();
    let number = terminal.run("sleep 0.01 &");
    let process = number.trim_start_matches("[1] ");
    eventually("the job has ended", || gone(process));
    // Enter alone is enough, as in bash.
    let before = terminal.ready();
    terminal.keys("\r");
    terminal.ready_after(before);
    terminal.sees("[1]+  Done");
    let last = terminal.rows().into_iter().rfind(|row| !row.is_empty()).unwrap();
    assert!(last.starts_with("aegish:~"), "the notice stands behind the prompt: {last}");
}

#[test]
fn several_jobs_are_listed_and_chosen_by_number() {
    let home = home();
    let terminal = home.shell().open();
    stop(&terminal, &format!("{SAYS} # one"));
    stop(&terminal, &format!("{SAYS} # two"));
    let listed = terminal.run("jobs");
    assert!(listed.contains("[1]-  Stopped") && listed.contains("[2]+  Stopped"), "{listed}");
    end(&terminal, "fg %1");
    let listed = terminal.run("jobs");
    assert!(listed.starts_with("[2]+") && listed.lines().count() == 1, "{listed}");
    end(&terminal, "fg %2");
    assert_eq!(terminal.run("jobs"), "");
}

#[test]
fn a_stopped_pipeline_is_one_job() {
    let home = home();
    let terminal = home.shell().open();
    // Both are there when the second has read something from the first.
    home.write("says.pl", &format!("scalar <STDIN>; {SCRIPT}"));
    stop(&terminal, &format!("yes | {SAYS}"));
    assert!(terminal.run("jobs").contains("Stopped                 yes | perl"));
    end(&terminal, "fg");
    assert_eq!(terminal.run("jobs"), "");
}

#[test]
fn a_background_program_that_wants_the_keyboard_is_stopped() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("cat &");
    loop {
        if terminal.run("jobs").contains("Stopped") {
            break;
        }
    }
    let before = terminal.ready();
    terminal.line("fg");
    terminal.sees_row("cat");
    terminal.keys("typed\r");
    terminal.wait_for("typed twice", |screen| screen.contents().matches("typed").count() == 2);
    terminal.control('d');
    terminal.ready_after(before);
}

#[test]
fn suspend_does_not_leave_the_terminal_without_a_reader() {
    let home = Home::new();
    let terminal = home.shell().open();
    terminal.run("suspend -f");
    assert_eq!(terminal.run("echo awake"), "awake");
}

#[test]
fn an_editor_can_be_stopped_and_brought_back() {
    if !have("vi") {
        return;
    }
    let home = Home::new();
    home.write("notes", "first line\n");
    let terminal = home.shell().open();
    terminal.line("vi notes");
    terminal.wait_for("the editor", |screen| {
        screen.alternate_screen() && screen.contents().contains("first line")
    });
    terminal.control('z');
    terminal.at_prompt();
    terminal.sees("Stopped");
    terminal.line("fg");
    terminal.wait_for("the editor", |screen| {
        screen.alternate_screen() && screen.contents().contains("first line")
    });
    terminal.keys(":q!\r");
    terminal.at_prompt();
    assert_eq!(terminal.run("echo back"), "back");
}
