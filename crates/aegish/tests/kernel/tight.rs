//! Runs within a plan, and what is proposed for one.

use crate::machine::{Account, Machine};

/// Reads a file that nobody mentions.
const READER: &str = r#"
#include <stdio.h>
int main(void) {
  char text[99] = {0};
  FILE *file = fopen("/mnt/home/project/other", "r");
  if (file) { fread(text, 1, 98, file); puts(text); } else { puts("closed"); }
  return 0;
}
"#;

/// Starts a program that nobody mentions.
const STARTER: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) {
  execl("/usr/bin/uname", "uname", NULL);
  puts("refused");
  return 0;
}
"#;

fn machines(name: &str) -> Vec<Machine> {
    let accounts = [Account::Root, Account::Ordinary];
    let made = accounts.iter().filter_map(|account| {
        let machine = Machine::new(&format!("{name}-{account:?}"), *account)?;
        machine.program("reader", READER)?;
        machine.file("project/data", "c\na\nb\n");
        machine.file("project/other", "secret\n");
        Some(machine)
    });
    made.collect()
}

/// Runs `aegish run` with these arguments.
fn run(machine: &Machine, arguments: &str) -> (String, String) {
    let ran = machine.plainly(&format!("/mnt/bin/aegish run {arguments}; echo status $?"));
    (ran.out, ran.err)
}

#[test]
fn what_the_text_names_works_and_nothing_else() {
    for machine in machines("tight") {
        let (out, err) = run(&machine, "--tight -- 'sort data >sorted; cat sorted'");
        assert_eq!(out, "a\nb\nc\nstatus 0\n", "{err}");
        assert!(err.contains("plan: reads") && err.contains("plan: network none"), "{err}");
        let (out, err) = run(&machine, "--tight -- ./reader");
        assert_eq!(out, "closed\nstatus 0\n", "{err}");
        assert!(err.contains("--also-read /mnt/home/project/other"), "{err}");
        let (out, err) = run(&machine, "--tight --also-read other -- ./reader");
        assert_eq!(out, "secret\n\nstatus 0\n", "{err}");
    }
}

#[test]
fn programs_that_the_text_does_not_start_are_refused() {
    for machine in machines("tight-programs") {
        if machine.program("starter", STARTER).is_none() {
            return;
        }
        let (out, err) = run(&machine, "--tight -- ./starter");
        assert_eq!(out, "refused\nstatus 0\n", "{err}");
        assert!(err.contains("--also-run /usr/bin/uname"), "{err}");
        let (out, err) = run(&machine, "--tight --also-run uname -- ./starter");
        assert_eq!(out, "Linux\nstatus 0\n", "{err}");
    }
}

#[test]
fn a_plan_is_proposed_by_what_was_used() {
    for machine in machines("learn") {
        let (out, err) = run(&machine, "--learn -- './reader; echo x >made'");
        assert!(out.starts_with("secret"), "{out}{err}");
        assert!(err.contains("--also-read /mnt/home/project/other"), "{err}");
        assert!(err.contains("--also-write /mnt/home/project/made"), "{err}");
        assert!(err.contains("--also-run"), "{err}");
    }
}
