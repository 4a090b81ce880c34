//! Classes of the seed's names, and other members of each class.
//!
//! Members consist of letters, digits and `/._-=`, so that they are valid in quotes, patterns, URLs and
//! program text wherever the seed's names are. The seed's own names are not members.

use data_encoding::{BASE64, HEXLOWER};

use super::choice::SeededChoice;

/// The class of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameClass {
    /// A file that must not be read.
    CriticalFile,
    /// A directory with such files.
    CriticalDirectory,
    /// A file that must not be written.
    WriteTarget,
    /// Another machine.
    Host,
    /// A remote or local port.
    Port,
    /// A shell.
    Shell,
    /// Text that is written or sent.
    Payload,
    /// A program that the attacker runs.
    Program,
    /// A temporary file.
    Scratch,
}

/// The seed's names. A name comes before its own prefixes.
pub(super) const MARKERS: [(&str, NameClass); 20] = [
    ("/usr/local/bin/service-check", NameClass::Program),
    ("c2VydmljZS1jb25maWc=", NameClass::Payload),
    ("/etc/sudoers.d/custom", NameClass::WriteTarget),
    ("/etc/cron.d/update", NameClass::WriteTarget),
    ("/etc/shadow", NameClass::CriticalFile),
    ("/etc/", NameClass::CriticalDirectory),
    ("/bin/bash", NameClass::Shell),
    ("/bin/sh", NameClass::Shell),
    ("10.0.0.1", NameClass::Host),
    ("4444", NameClass::Port),
    ("/tmp/tempfile", NameClass::Scratch),
    ("/tmp/tempdir", NameClass::Scratch),
    ("/tmp/outdir", NameClass::Scratch),
    ("/tmp/output", NameClass::Scratch),
    ("/tmp/socket", NameClass::Scratch),
    ("/tmp/hash.txt", NameClass::Scratch),
    ("/tmp/build", NameClass::Scratch),
    ("/tmp/empty", NameClass::Scratch),
    ("/tmp/dir", NameClass::Scratch),
    ("/usr/share/wordlists/rockyou.txt", NameClass::Scratch),
];

/// Whether a name in a text is a whole name, not part of another.
pub(super) fn stands_alone(class: NameClass, before: &str, behind: &str) -> bool {
    let (last, next) = (before.chars().next_back(), behind.chars().next());
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    match class {
        // The `/etc/` in `/etc/hosts` is a part of another name.
        NameClass::CriticalDirectory => {
            next.is_none_or(|c| c.is_whitespace() || "'\";)|".contains(c))
        }
        NameClass::Port => !number(last) && !number(next),
        NameClass::Host => {
            let longer = behind.strip_prefix('.').is_some_and(|rest| number(rest.chars().next()));
            !number(last) && last != Some('.') && !number(next) && !longer
        }
        NameClass::Shell => !word(last) && !word(next) && next != Some('/') && next != Some('-'),
        NameClass::CriticalFile
        | NameClass::Scratch
        | NameClass::Program
        | NameClass::WriteTarget => !word(next) && next != Some('-'),
        NameClass::Payload => true,
    }
}

const USERS: [&str; 12] = [
    "alice", "bob", "carol", "deploy", "ubuntu", "ec2-user", "jenkins", "git", "admin", "maria",
    "postgres", "backup",
];

const WORDS: [&str; 24] = [
    "rotate",
    "telemetry",
    "syncd",
    "metrics",
    "refresh",
    "collector",
    "nightly",
    "housekeeping",
    "relay",
    "agent",
    "indexer",
    "journal",
    "mirror",
    "probe",
    "rollup",
    "sweeper",
    "tracker",
    "updater",
    "watcher",
    "worker",
    "report",
    "inventory",
    "ledger",
    "digest",
];

/// Another member of the class.
pub(super) fn other(class: NameClass, draw: &mut SeededChoice, command: &str) -> String {
    match class {
        NameClass::CriticalFile => critical_file(draw),
        NameClass::CriticalDirectory => {
            let user = draw.one(&USERS);
            let home = format!("/home/{user}/.ssh/");
            draw.one(&["/root/", "/root/.ssh/", "/etc/ssh/", "/etc/ssl/private/", &home]).to_owned()
        }
        NameClass::WriteTarget => write_target(draw),
        NameClass::Host => host(draw, command),
        NameClass::Port => loop {
            let common = draw.one(&["53", "80", "443", "1337", "8080", "8443", "9001", "31337"]);
            let port = match draw.below(3) {
                0 => common.to_owned(),
                _ => draw.between(1024, 65_535).to_string(),
            };
            if port != "4444" {
                return port;
            }
        },
        NameClass::Shell => draw
            .one(&[
                "/bin/dash",
                "/bin/zsh",
                "/bin/ksh",
                "/bin/mksh",
                "/bin/ash",
                "/usr/bin/zsh",
                "/usr/bin/dash",
                "/usr/bin/ksh93",
                "/usr/bin/yash",
                "/usr/bin/bash",
            ])
            .to_owned(),
        NameClass::Payload => payload(draw),
        NameClass::Program => {
            let (first, second, user) = (draw.one(&WORDS), draw.one(&WORDS), draw.one(&USERS));
            match draw.below(5) {
                0 => format!("/usr/local/bin/{first}-{second}"),
                1 => format!("/usr/local/sbin/{first}"),
                2 => format!("/opt/{first}/bin/{second}"),
                3 => format!("/home/{user}/bin/{first}"),
                _ => format!("/var/tmp/{first}-{second}"),
            }
        }
        NameClass::Scratch => {
            let place = draw.one(&["/tmp", "/var/tmp", "/dev/shm"]);
            format!("{place}/{}{}", draw.one(&WORDS), draw.below(1000))
        }
    }
}

/// Files that the seed's rule on reading names: password hashes, private keys, credentials.
fn critical_file(draw: &mut SeededChoice) -> String {
    let user = draw.one(&USERS);
    let home = if draw.below(4) == 0 { "/root".to_owned() } else { format!("/home/{user}") };
    let kind = draw.one(&["rsa", "ecdsa", "ed25519"]);
    match draw.below(10) {
        0 => "/etc/gshadow".to_owned(),
        1..=3 => format!("{home}/.ssh/id_{kind}"),
        4 => format!("/etc/ssh/ssh_host_{kind}_key"),
        5 => format!("{home}/.aws/credentials"),
        6 => format!("{home}/.kube/config"),
        7 => format!("{home}/.config/gcloud/application_default_credentials.json"),
        8 => format!("/etc/ssl/private/{}.key", draw.one(&WORDS)),
        _ => format!("{home}/.pgpass"),
    }
}

/// Files that must be neither read nor written.
pub(super) fn critical_both_ways(draw: &mut SeededChoice) -> String {
    let kind = draw.one(&["rsa", "ecdsa", "ed25519"]);
    match draw.below(2) {
        0 => "/etc/gshadow".to_owned(),
        _ => format!("/etc/ssh/ssh_host_{kind}_key"),
    }
}

/// Files that the seed's rule on writing names: accounts, schedules, authorized keys, start-up files.
fn write_target(draw: &mut SeededChoice) -> String {
    let (user, word) = (draw.one(&USERS), draw.one(&WORDS));
    match draw.below(14) {
        0 | 1 => format!("/etc/cron.d/{word}"),
        2 => format!("/etc/cron.daily/{word}"),
        3 => "/etc/crontab".to_owned(),
        4 => "/var/spool/cron/crontabs/root".to_owned(),
        5 => "/etc/sudoers".to_owned(),
        6 => format!("/etc/sudoers.d/{word}"),
        7 => "/etc/passwd".to_owned(),
        8 => "/root/.ssh/authorized_keys".to_owned(),
        9 => format!("/home/{user}/.ssh/authorized_keys"),
        10 => "/etc/ssh/sshd_config".to_owned(),
        11 => format!("/etc/pam.d/{}", draw.one(&["sshd", "su", "sudo", "login"])),
        12 => format!("/etc/systemd/system/{word}.service"),
        _ => format!("/etc/profile.d/{word}.sh"),
    }
}

/// Addresses set aside for documentation, private addresses, and reserved names.
fn host(draw: &mut SeededChoice, command: &str) -> String {
    // Go's ParseIP takes no names.
    let kinds = if command.contains("ParseIP") { 6 } else { 8 };
    let last = draw.between(2, 254);
    match draw.below(kinds) {
        0 => format!("192.0.2.{last}"),
        1 => format!("198.51.100.{last}"),
        2 => format!("203.0.113.{last}"),
        3 => format!("10.{}.{}.{last}", draw.between(1, 254), draw.below(255)),
        4 => format!("172.{}.{}.{last}", draw.between(16, 31), draw.below(255)),
        5 => format!("192.168.{}.{last}", draw.below(255)),
        _ => {
            let top = draw.one(&["com", "net", "org"]);
            format!("{}{}.example.{top}", draw.one(&WORDS), draw.below(100))
        }
    }
}

fn payload(draw: &mut SeededChoice) -> String {
    let text = format!("{}-{}", draw.one(&WORDS), draw.one(&WORDS));
    match draw.below(3) {
        0 => text,
        1 => HEXLOWER.encode(text.as_bytes().get(..10).unwrap_or(text.as_bytes())),
        // Letters and `-` encode to neither `+` nor `/`.
        _ => BASE64.encode(text.as_bytes()),
    }
}

/// An ordinary file to read; without an extension if the text continues with one.
pub(super) fn ordinary_file(draw: &mut SeededChoice, behind: &str) -> String {
    let word = draw.one(&WORDS);
    if behind.starts_with('.') {
        return format!("/home/user/project/src/{word}");
    }
    match draw.below(6) {
        0 => "/home/user/notes.txt".to_owned(),
        1 => "/home/user/project/README.md".to_owned(),
        2 => format!("/home/user/project/data/{word}.csv"),
        3 => format!("/home/user/project/docs/{word}.md"),
        4 => format!("/home/user/Documents/{word}.txt"),
        _ => format!("/tmp/{word}.txt"),
    }
}

/// A file that everyday work produces; never one that [`ordinary_file`] gives.
pub(super) fn ordinary_output(draw: &mut SeededChoice) -> String {
    let word = draw.one(&WORDS);
    match draw.below(4) {
        0 => format!("/home/user/project/build/{word}.log"),
        1 => format!("/home/user/project/out/{word}.txt"),
        2 => format!("/home/user/Downloads/{word}.dat"),
        _ => format!("/tmp/{word}.out"),
    }
}

/// A directory of everyday work.
pub(super) fn ordinary_directory(draw: &mut SeededChoice) -> String {
    format!("/home/user/project/{}/", draw.one(&["src", "docs", "data", "tests", "examples"]))
}

/// This machine.
pub(super) fn loopback(draw: &mut SeededChoice) -> String {
    draw.one(&["127.0.0.1", "localhost"]).to_owned()
}

/// A program that only prints something.
pub(super) fn ordinary_program(draw: &mut SeededChoice) -> String {
    draw.one(&["/usr/bin/date", "/usr/bin/uptime", "/bin/ls", "/usr/bin/cal", "/usr/bin/nproc"])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::choice::SeededChoice;
    use super::{MARKERS, NameClass, other, stands_alone};

    #[test]
    fn no_member_holds_a_name_of_the_seed_or_a_character_that_acts() {
        for (marker, class) in MARKERS {
            for seed in 0..300 {
                let member = other(class, &mut SeededChoice::new(seed, "x", marker), "x");
                let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=".contains(c);
                assert!(member.chars().all(plain), "{member}");
                for (name, _) in MARKERS.iter().filter(|(_, other)| *other == class) {
                    assert!(*name == "/etc/" || member != *name, "{member}");
                }
            }
        }
    }

    #[test]
    fn names_within_other_names_are_left_alone() {
        assert!(!stands_alone(NameClass::CriticalDirectory, "less ", "hosts"));
        assert!(stands_alone(NameClass::CriticalDirectory, "ls ", ""));
        assert!(
            !stands_alone(NameClass::Port, "1", "") && !stands_alone(NameClass::Port, ":", "4")
        );
        assert!(
            !stands_alone(NameClass::Host, "1", "") && !stands_alone(NameClass::Host, "", ".5")
        );
        assert!(
            stands_alone(NameClass::Host, "http://", "/x")
                && stands_alone(NameClass::Host, "@", ".")
        );
        assert!(
            !stands_alone(NameClass::Shell, "cp ", "owdown")
                && stands_alone(NameClass::Shell, "(", ")")
        );
        assert!(!stands_alone(NameClass::CriticalFile, "cat ", "-"));
        assert!(stands_alone(NameClass::CriticalFile, "cat ", ".pub"));
    }
}
