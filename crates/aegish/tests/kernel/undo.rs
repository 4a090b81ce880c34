//! Runs that can be undone, as root and as an ordinary user, with overlays and with copies.

use crate::machine::{Account, Machine, Namespaces};

const ALL: [(Account, Namespaces); 4] = [
    (Account::Root, Namespaces::Allowed),
    (Account::Ordinary, Namespaces::Allowed),
    (Account::Root, Namespaces::Forbidden),
    (Account::Ordinary, Namespaces::Forbidden),
];

/// A project, and what is printed of it.
const TREE: &str = "mkdir -p d/e; echo 1 >d/1; echo 2 >d/e/2; ln -s d/1 l; ln d/1 h; chmod 640 d/e/2; \
                    touch -d 2001-02-03T04:05:06.7 d/1 d; ";
const LOOK: &str =
    "find . -printf '%p %M %n %T@ %l\\n' | sort; find . -type f | sort | xargs md5sum";

/// Prints a private key.
const READER: &str = r#"
#include <stdio.h>
int main(void) {
  char text[99] = {0};
  FILE *file = fopen("/mnt/home/.ssh/id_rsa", "r");
  if (file) { fread(text, 1, 98, file); puts(text); }
  return 0;
}
"#;

fn machines(name: &str) -> Vec<(Machine, String)> {
    let made = ALL.iter().filter_map(|(account, namespaces)| {
        let name = format!("{name}-{account:?}-{namespaces:?}");
        let machine = Machine::new(&name, *account)?.with_namespaces(*namespaces)?;
        Some((machine, name))
    });
    made.collect()
}

/// Runs a script by bash in which `look` prints the project, and `undoably` runs a text.
fn told(machine: &Machine, script: &str) -> (Vec<String>, String) {
    let ran = machine.plainly(&format!(
        "look() {{ echo ==; {LOOK}; }}; undoably() {{ /mnt/bin/aegish run --undo \"$@\"; }}; {TREE}{script}"
    ));
    (ran.out.split("==\n").skip(1).map(str::to_owned).collect(), ran.err)
}

#[test]
fn what_is_kept_can_be_undone_and_what_is_thrown_away_did_not_happen() {
    for (machine, name) in machines("undo") {
        let text = "rm -r d; echo new >n; chmod 600 h; mv l m";
        let (looks, err) = told(
            &machine,
            &format!(
                "look; undoably --discard -- '{text}'; look; undoably --keep -- '{text}'; look; \
                 /mnt/bin/aegish undo >&2; look; echo later >n; undoably -- 'echo x >n'; echo other >n; \
                 /mnt/bin/aegish undo; echo $?; /mnt/bin/aegish undo --force; cat n"
            ),
        );
        assert_eq!(looks.len(), 4, "{name}: {err}");
        assert_eq!(looks[0], looks[1], "{name}: thrown away: {err}");
        assert!(looks[2].contains("./n ") && !looks[2].contains("./d "), "{name}: {err}");
        assert!(looks[3].starts_with(&looks[0]), "{name}: undone: {} {}", looks[0], looks[3]);
        assert!(looks[3].ends_with("3\nrun 1 is undone\nlater\n"), "{name}: {}", looks[3]);
        assert!(err.contains("changed since"), "{name}: {err}");
    }
}

#[test]
fn supervision_and_closed_files_hold_in_an_overlay() {
    for (machine, name) in machines("undo-limits") {
        machine.file(".ssh/id_rsa", "secret");
        if machine.program("reader", READER).is_none() {
            return;
        }
        let (looks, err) = told(
            &machine,
            "./reader; echo ==; export AEGISH_SUPERVISE=on AEGISH_FILES=home; undoably --discard -- \
             'printf \"#!/bin/sh\\necho script\\ncat /etc/shadow\\n\" >s; chmod +x s; echo made >m; cat m d/1; \
              cp reader again; ./again; ls'",
        );
        let out = looks.concat();
        assert!(out.contains("made\n1\n") && out.contains("again\n"), "{name}: {out}{err}");
        assert!(!out.contains("secret"), "{name}: {out}{err}");
    }
}

#[test]
fn what_cannot_be_undone_is_said_or_refused() {
    for (machine, name) in machines("undo-refused") {
        let (_, err) = told(
            &machine,
            "undoably --discard -- 'curl -s -m 1 http://192.0.2.1/x -o x'; \
             AEGISH_UNDO_SIZE=1 undoably --keep -- 'head -c 2000000 /dev/zero >big'; \
             AEGISH_UNDO_SIZE=1 undoably --keep -- 'rm big'; ls big >&2",
        );
        assert!(err.contains("cannot be undone: fetch"), "{name}: {err}");
        assert!(err.contains("AEGISH_UNDO_SIZE"), "{name}: {err}");
        assert!(err.ends_with("big\n"), "{name}: {err}");
    }
}

#[test]
fn the_status_and_the_output_are_those_of_the_command() {
    for (machine, name) in machines("undo-status") {
        let (looks, err) = told(
            &machine,
            "echo ==; undoably -- 'echo out; exit 7'; echo $?; \
                                            undoably -- cat 'd/1' 'no such'; echo $?; undoably -- 'cat /etc/shadow'; echo $?",
        );
        assert_eq!(looks.concat(), "out\n7\n1\n1\n1\n", "{name}: {err}");
    }
}
