//! Files that are closed to every program, and those that are not.

use crate::machine::{Account, HOME, Machine};

/// Tries what `list` says, one `r` (read), `w` (write), `n` (new), `d` (delete), `m` (move to x), `l` (link as x) per line.
const TRY: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char line[4096], byte[1];
  FILE *list = fopen("list", "r");
  while (list && fgets(line, sizeof line, list)) {
    line[strcspn(line, "\n")] = 0;
    const char *path = line + 2;
    int got = -1;
    switch (line[0]) {
      case 'r': got = open(path, O_RDONLY); if (got >= 0 && read(got, byte, 1) < 0 && errno != EISDIR) got = -1; break;
      case 'w': got = open(path, O_WRONLY | O_APPEND); break;
      case 'n': got = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600); break;
      case 'd': got = unlink(path); break;
      case 'm': got = rename(path, "x"); break;
      case 'l': got = link(path, "x"); break;
    }
    printf("%c %s %s\n", line[0], strrchr(path, '/') + 1, got >= 0 ? "works" : "fails");
  }
  return 0;
}
"#;

fn machine(name: &str, account: Account) -> Option<Machine> {
    let machine = Machine::new(name, account)?;
    machine.program("try", TRY)?;
    for secret in [".ssh/id_rsa", ".ssh/authorized_keys", ".netrc", ".aws/credentials"] {
        machine.file(secret, "secret\n");
    }
    for ordinary in
        [".ssh/id_rsa.pub", ".ssh/known_hosts", ".bashrc", "project/notes", "other/notes"]
    {
        machine.file(ordinary, "ordinary\n");
    }
    Some(machine)
}

/// What fails of these attempts with this profile; each path is below the home directory.
fn failing(machine: &Machine, profile: &str, attempts: &[&str]) -> Vec<String> {
    let line = |attempt: &&str| {
        let (what, path) = attempt.split_once(' ').unwrap();
        if path.starts_with('/') {
            format!("{what} {path}\n")
        } else {
            format!("{what} {HOME}/{path}\n")
        }
    };
    machine.file("project/list", &attempts.iter().map(line).collect::<String>());
    let ran = machine.guarded(&[("AEGISH_FILES", profile)], "./try; rm -f x");
    let lines = ran.out.lines().filter_map(|line| line.strip_suffix(" fails"));
    let failed: Vec<String> = lines.map(str::to_owned).collect();
    assert_eq!(ran.out.lines().count(), attempts.len(), "{}{}", ran.out, ran.err);
    failed
}

const SECRETS: [&str; 6] = [
    "r .ssh/id_rsa",
    "r .netrc",
    "r .aws/credentials",
    "w .ssh/authorized_keys",
    "d .ssh/authorized_keys",
    "l .ssh/id_rsa",
];

#[test]
fn own_secrets_are_closed_to_every_program_in_a_project() {
    for account in [Account::Root, Account::Ordinary] {
        let Some(machine) = machine("secrets", account) else { return };
        // What is read and linked first; what is deleted is not there any more for the next control.
        let control = failing(&machine, "off", &SECRETS[..4]);
        assert!(control.is_empty(), "{control:?}");
        for profile in ["home", "project", "readonly"] {
            assert_eq!(
                failing(&machine, profile, &SECRETS).len(),
                SECRETS.len(),
                "{profile} {account:?}"
            );
        }
        assert!(failing(&machine, "off", &SECRETS[4..]).is_empty());
    }
}

#[test]
fn a_link_in_place_of_a_cache_opens_nothing() {
    let Some(machine) = machine("cache", Account::Ordinary) else { return };
    let attempts = ["w .ssh/authorized_keys", "w .ssh/known_hosts"];
    let made = machine.guarded(&[("AEGISH_FILES", "off")], "ln -s .ssh ../.cache; ls ../.cache");
    assert!(made.out.contains("authorized_keys"), "{}{}", made.out, made.err);
    assert!(failing(&machine, "off", &attempts).is_empty());
    let failed = failing(&machine, "project", &attempts);
    assert!(failed.contains(&"w authorized_keys".to_owned()), "{failed:?}");
}

#[test]
fn secrets_of_the_system_are_closed_to_root_too() {
    let Some(machine) = machine("system", Account::Root) else { return };
    let attempts = ["r /etc/shadow", "r /etc/passwd", "r /etc/hostname"];
    assert!(failing(&machine, "off", &attempts).is_empty());
    for profile in ["open", "project"] {
        assert_eq!(failing(&machine, profile, &attempts), ["r shadow"], "{profile}");
    }
}

#[test]
fn ordinary_work_goes_on_beside_the_secrets() {
    for account in [Account::Root, Account::Ordinary] {
        let Some(machine) = machine("ordinary", account) else { return };
        let attempts = [
            "r .ssh/id_rsa.pub",
            "r .ssh/known_hosts",
            "r .bashrc",
            "r other/notes",
            "r .ssh",
            "r ../home",
            "w project/notes",
            "n project/new",
            "d project/new",
            "n /var/tmp/new",
            "d /var/tmp/new",
            "w /dev/null",
        ];
        for profile in ["open", "home", "project"] {
            let failed = failing(&machine, profile, &attempts);
            assert!(failed.is_empty(), "{profile} {account:?}: {failed:?}");
        }
    }
}

#[test]
fn each_profile_writes_where_it_says() {
    let Some(machine) = machine("profiles", Account::Ordinary) else { return };
    let attempts =
        ["w project/notes", "w other/notes", "n /var/tmp/a", "d /var/tmp/a", "n new", "d new"];
    assert!(failing(&machine, "open", &attempts).is_empty());
    // The home directory holds secrets, so that nothing can be added to it.
    assert_eq!(failing(&machine, "home", &attempts), ["n new", "d new"]);
    assert_eq!(failing(&machine, "project", &attempts), ["w notes", "n new", "d new"]);
    assert_eq!(failing(&machine, "readonly", &attempts).len(), attempts.len());
}

#[test]
fn a_secret_that_is_listed_stays_open() {
    let Some(machine) = machine("listed", Account::Ordinary) else { return };
    machine.file("project/list", &format!("r {HOME}/.ssh/id_rsa\nr {HOME}/.netrc\n"));
    let settings = [("AEGISH_FILES", "project"), ("AEGISH_READABLE", "~/.ssh/id_rsa")];
    let ran = machine.guarded(&settings, "./try");
    assert_eq!(ran.out, "r id_rsa works\nr .netrc fails\n", "{}", ran.err);
}

#[test]
fn homes_of_others_and_the_guards_memory_are_closed() {
    let Some(machine) = machine("others", Account::Ordinary) else { return };
    let attempts = ["r /proc/1/environ"];
    assert_eq!(failing(&machine, "project", &attempts).len(), 1);
    let ran =
        machine.guarded(&[("AEGISH_FILES", "project")], "kill -0 1 2>/dev/null && echo reached");
    assert_eq!(ran.out, "");
}

#[test]
fn sudo_is_refused_with_the_reason_where_it_could_not_work() {
    let Some(machine) = machine("sudo", Account::Ordinary) else { return };
    if machine.plainly("command -v sudo").status != 0 {
        println!("skipped: sudo is not installed");
        return;
    }
    let ran = machine.guarded(&[("AEGISH_FILES", "open")], "sudo true");
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.err.contains("AEGISH_FILES"), "{}", ran.err);
}
