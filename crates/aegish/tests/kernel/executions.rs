//! Programs that are started by programs that nobody can read.

use crate::machine::{Account, Machine, Namespaces};

const ESCAPE: &str = include_str!("escape.c");
const HOOK: &str = r#"
#include <stdio.h>
unsigned la_version(unsigned version) { return version; }
__attribute__((constructor)) static void begin(void) {
  char line[256]; FILE *file = fopen("/etc/shadow", "r");
  if (file && fgets(line, sizeof line, file)) fputs(line, stdout);
  fflush(stdout);
}
"#;

/// Every way to the goal. Those that need a program which is not installed have no control and are said.
const WAYS: &[&str] = &[
    "execve",
    "sh",
    "system",
    "popen",
    "shell-on-input",
    "execveat",
    "by-descriptor",
    "proc-self-fd",
    "dev-fd",
    "memfd",
    "memfd-descriptor",
    "copied",
    "copied-shell",
    "symlink",
    "other-name",
    "shell-as-ls",
    "loader",
    "loader-shell",
    "vfork",
    "posix-spawn",
    "thread",
    "daemon",
    "script",
    "script-env",
    "script-cat",
    "script-without-line",
    "no-words",
    "path",
    "env",
    "nice",
    "xargs",
    "find",
    "variable",
    "base64",
    "awk",
    "python",
    "python-system",
    "python-file",
    "perl",
    "make",
    "git-alias",
    "vim",
    "tar",
    "preload",
    "audit-library",
    "bash-env",
    "user-namespace",
    "chroot",
    "32-bit",
    "traced",
];

fn machine(name: &str) -> Option<Machine> {
    let machine = Machine::new(name, Account::Root)?;
    machine.program("escape", ESCAPE)?;
    machine.library("hook.so", HOOK)?;
    Some(machine)
}

fn reached(machine: &Machine, supervision: &str, way: &str) -> (bool, String) {
    let settings = [("AEGISH_SUPERVISE", supervision)];
    let ran = machine.guarded(&settings, &format!("./escape {way}"));
    (ran.out.contains("root:"), format!("{way}: {} {}{}", ran.status, ran.out, ran.err))
}

#[test]
fn no_way_to_start_a_blocked_program_works_under_supervision() {
    for namespaces in [Namespaces::Allowed, Namespaces::Forbidden] {
        let made = machine("ways").and_then(|machine| machine.with_namespaces(namespaces));
        let Some(machine) = made else { return };
        let mut wrong = Vec::new();
        let mut tried = 0;
        for way in WAYS {
            let (free, told) = reached(&machine, "off", way);
            if !free {
                println!("skipped: without supervision this does not work here either: {told}");
                continue;
            }
            tried += 1;
            let (escaped, told) = reached(&machine, "on", way);
            if escaped {
                wrong.push(told);
            }
        }
        assert!(wrong.is_empty(), "{namespaces:?} {}", wrong.join("\n"));
        assert!(tried > 30, "{namespaces:?}: only {tried} ways could be tried");
    }
}

#[test]
fn a_refusal_is_an_error_of_the_call_and_is_told() {
    let Some(machine) = machine("told") else { return };
    let ran = machine.guarded(&[("AEGISH_SUPERVISE", "on")], "./escape execve; echo status $?");
    assert_eq!(ran.out, "status 1\n", "{}", ran.err);
    assert!(ran.err.contains("BLOCK critical-file-read"), "{}", ran.err);
    assert!(ran.err.contains("/bin/cat was not started by escape"), "{}", ran.err);
}

#[test]
fn arguments_that_change_meanwhile_never_reach_the_goal() {
    let Some(machine) = machine("race") else { return };
    /// Tries without supervision, which shows that it can be done.
    const CONTROL: u32 = 1000;
    let tries = crate::machine::races();
    let (free, told) = reached(&machine, "off", &format!("race {}", tries.min(CONTROL)));
    assert!(free, "{told}");
    let (escaped, told) = reached(&machine, "on", &format!("race {tries}"));
    assert!(!escaped, "{told}");
}

#[test]
fn rings_and_typing_for_others_are_refused() {
    let Some(machine) = machine("calls") else { return };
    for way in ["ring", "typing"] {
        let (free, told) = reached(&machine, "off", way);
        if !free {
            println!("skipped: {told}");
        }
        let (escaped, told) = reached(&machine, "on", way);
        assert!(!escaped, "{told}");
    }
}

#[test]
fn an_ordinary_user_is_supervised_too() {
    let Some(machine) = Machine::new("ordinary-user", Account::Ordinary) else { return };
    if machine.program("escape", ESCAPE).is_none() {
        return;
    }
    for way in ["execve", "sh", "memfd", "loader", "thread", "daemon"] {
        let ran = machine.guarded(&[("AEGISH_SUPERVISE", "on")], &format!("./escape {way}"));
        assert!(ran.err.contains("BLOCK"), "{way}: {}", ran.err);
    }
    let ran = machine.guarded(&[("AEGISH_SUPERVISE", "on")], "date +%Y && sh -c 'echo $((1+1))'");
    assert_eq!(ran.status, 0, "{}", ran.err);
}

#[test]
fn a_guard_within_the_session_works() {
    let Some(machine) = Machine::new("nested", Account::Root) else { return };
    let settings = [("AEGISH_SUPERVISE", "on"), ("AEGISH_FILES", "open")];
    let ran = machine.guarded(&settings, "/mnt/bin/aegish -c 'date +%Y'");
    assert_eq!(ran.status, 0, "{}", ran.err);
}

#[test]
fn what_stays_in_the_background_is_supervised_still() {
    let Some(machine) = machine("background") else { return };
    // The shell ends before the program in the background starts others.
    let late = "(sleep 1; date +late-%Y; ./escape execve) > out 2>&1 & true";
    let settings = [("AEGISH_SUPERVISE", "on")];
    let ran = machine.guarded_and(&settings, late, "sleep 3; cat out");
    assert!(ran.out.contains("late-20"), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("root:"), "{}{}", ran.out, ran.err);
}
