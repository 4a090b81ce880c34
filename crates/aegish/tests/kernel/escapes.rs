//! Programs that start nothing and reach for closed files and for processes outside.

use crate::machine::{Account, Machine, Namespaces};

const REACH: &str = include_str!("reach.c");

/// Ways to a closed file.
const TO_FILES: &[&str] = &[
    "open",
    "openat2",
    "dots",
    "relative",
    "directory",
    "symlink",
    "hard-link",
    "link-by-descriptor",
    "reopen",
    "proc-root",
    "proc-cwd",
    "proc-of-other",
    "map",
    "sendfile",
    "copy-range",
    "handle",
    "chroot",
    "user-namespace-mount",
    "mount",
    "tree",
    "child",
    "write",
    "create-beside",
    "elsewhere",
    "device",
    // These change what the others need.
    "exchange",
    "rename",
    "rename-directory",
    "truncate",
    "replace",
    "unlink",
];

/// Ways to a process outside. Process 1 is one of the same user there.
const TO_PROCESSES: &[&str] = &[
    "signal",
    "ptrace",
    "memory-of-other",
    "variables-of-other",
    "descriptors-of-other",
    "read-other",
];

fn machine(name: &str, account: Account, namespaces: Namespaces) -> Option<Machine> {
    let machine = Machine::new(name, account)?.with_namespaces(namespaces)?;
    machine.program("reach", REACH)?;
    for secret in [".ssh/id_rsa", ".ssh/authorized_keys"] {
        machine.file(secret, "secret\n");
    }
    machine.file("other/notes", "ordinary\n");
    Some(machine)
}

fn reached(machine: &Machine, settings: &[(&str, &str)], way: &str) -> bool {
    machine.guarded(settings, &format!("./reach {way}")).out.contains("reached")
}

#[test]
fn no_way_to_a_closed_file_or_to_a_process_outside_works() {
    for namespaces in [Namespaces::Allowed, Namespaces::Forbidden] {
        for account in [Account::Root, Account::Ordinary] {
            let (mut tried, mut escaped) = (0, Vec::new());
            for way in TO_FILES.iter().chain(TO_PROCESSES) {
                // Each on a machine of its own: some leave nothing to reach for the next.
                let name = format!("reach-{way}");
                let Some(machine) = machine(&name, account, namespaces) else { return };
                let held = reached(&machine, &[("AEGISH_FILES", "project")], way);
                if !reached(&machine, &[], way) {
                    println!(
                        "skipped: {namespaces:?} {account:?} {way} does not work without limits"
                    );
                    continue;
                }
                tried += 1;
                // Linux lets an administrator look at memory who may measure the machine's performance.
                let exempt = account == Account::Root && *way == "variables-of-other";
                if held && !exempt {
                    escaped.push(*way);
                }
            }
            assert!(escaped.is_empty(), "{namespaces:?} {account:?} {escaped:?}");
            assert!(tried > 20, "{namespaces:?} {account:?}: only {tried} could be tried");
        }
    }
}

#[test]
fn under_supervision_alone_processes_outside_are_closed() {
    let Some(machine) = machine("outside", Account::Ordinary, Namespaces::Allowed) else { return };
    for way in &TO_PROCESSES[1..] {
        assert!(reached(&machine, &[], way), "{way} without limits");
        assert!(!reached(&machine, &[("AEGISH_SUPERVISE", "on")], way), "{way}");
    }
}

#[test]
fn a_session_whose_guard_was_killed_starts_nothing_more() {
    let Some(machine) = machine("killed", Account::Ordinary, Namespaces::Allowed) else { return };
    let text = "(sleep 1; date +late-%Y) > out 2>&1 & kill -9 $PPID; sleep 2";
    let ran = machine.guarded_and(&[("AEGISH_SUPERVISE", "on")], text, "sleep 3; cat out");
    assert!(!ran.out.contains("late-20"), "{}{}", ran.out, ran.err);
}
