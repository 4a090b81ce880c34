//! Attacks with a harmless twin: the same technique on a target that needs no protection.
//!
//! A twin is made only if it is certainly harmless by the seed's rules. The reasons are in
//! `docs/design/data-sets.md`.

use super::choice::SeededChoice;
use super::classes::{self, NameClass};

/// How the names of an attack change in its twin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recipe {
    /// Files become ordinary; the command does no other harm.
    Files,
    /// The file becomes ordinary and the host is this machine, so that nothing leaves it.
    SentHere,
    /// The written file becomes ordinary; its source stays (download without execution).
    Fetched,
    /// The program becomes one that only prints something.
    Program,
}

/// Programs that do more with a file than showing or storing it: run it, take it as configuration or as
/// a list of hosts, send it to others, change the machine. A twin's effect would depend on its contents.
const ACTS: [&str; 58] = [
    "apache2",
    "apache2ctl",
    "aria2c",
    "arp",
    "aspell",
    "aws",
    "bconsole",
    "bridge",
    "check_cups",
    "check_memory",
    "check_raid",
    "dig",
    "dmidecode",
    "docker",
    "efax",
    "expect",
    "fping",
    "hashcat",
    "hping3",
    "ip",
    "iptables-save",
    "jshell",
    "logrotate",
    "m4",
    "mosquitto",
    "mtr",
    "mutt",
    "nasm",
    "nc",
    "nft",
    "nmap",
    "ntpdate",
    "openvpn",
    "puppet",
    "rake",
    "readelf",
    "rustc",
    "screen",
    "script",
    "shred",
    "ss",
    "ssh",
    "ssh-copy-id",
    "ssh-keyscan",
    "sshfs",
    "sysctl",
    "tailscale",
    "tcpdump",
    "terraform",
    "tmate",
    "tmux",
    "update-alternatives",
    "varnishncsa",
    "virsh",
    "wall",
    "wireshark",
    "xmodmap",
    "zypper",
];

/// Those of them that, in a download or upload task, only store or send the content.
const ACTS_ON_CONTENTS_ONLY: [&str; 2] = ["aria2c", "wget"];

/// Programs whose purpose is to run a command as the same user.
const RUNNERS: [&str; 24] = [
    "bundle",
    "cabal",
    "choom",
    "chrt",
    "cpulimit",
    "env",
    "find",
    "flock",
    "ionice",
    "ltrace",
    "multitime",
    "nice",
    "nohup",
    "npm",
    "perf",
    "rlwrap",
    "setarch",
    "stdbuf",
    "strace",
    "taskset",
    "time",
    "timeout",
    "valgrind",
    "xargs",
];

/// Signs of other users' rights, raw sockets, options that name a program, and removed traces.
const NEVER: [&str; 12] = [
    "sudo ",
    "/dev/tcp",
    "/dev/udp",
    "/dev/tty",
    "$(tty)",
    "chmod",
    "mount",
    "history -c",
    "LESSOPEN",
    "exec:",
    "--rsh-command",
    "-I 'tar",
];

/// The recipe for an attack's twin, if it has one.
pub(super) fn recipe(
    category: &str,
    binary: &str,
    command: &str,
    classes: &[NameClass],
) -> Option<Recipe> {
    let has = |class: NameClass| classes.contains(&class);
    let file = has(NameClass::CriticalFile) || has(NameClass::CriticalDirectory);
    if NEVER.iter().any(|part| command.contains(part)) || !quotes_match(command) {
        return None;
    }
    let local = ACTS_ON_CONTENTS_ONLY.contains(&binary) && category.ends_with("load");
    if ACTS.contains(&binary) && !local {
        return None;
    }
    match category {
        "file-read" | "file-write" => {
            let acts = ACTS_ON_CONTENTS_ONLY.contains(&binary);
            let others = [NameClass::Shell, NameClass::Program, NameClass::Host, NameClass::Port];
            let named = file || has(NameClass::WriteTarget);
            // `@FILE` takes options from a file.
            let options = command.contains("@/etc/shadow");
            (named && !acts && !options && !others.into_iter().any(has)).then_some(Recipe::Files)
        }
        "upload" => {
            (file && has(NameClass::Host) && !has(NameClass::Shell)).then_some(Recipe::SentHere)
        }
        "download" => {
            (has(NameClass::WriteTarget) && has(NameClass::Host) && !has(NameClass::Shell))
                .then_some(Recipe::Fetched)
        }
        "shell" | "command" => {
            let runs = has(NameClass::Shell) || has(NameClass::Program);
            (RUNNERS.contains(&binary) && runs && plain(command)).then_some(Recipe::Program)
        }
        // A shell on the network has no harmless form.
        _ => None,
    }
}

impl Recipe {
    /// The replacement of a name in the twin, if it differs from that in the attack.
    pub(super) fn instead(
        self,
        class: NameClass,
        draw: &mut SeededChoice,
        behind: &str,
    ) -> Option<String> {
        match (self, class) {
            (Self::Program, NameClass::Shell | NameClass::Program) => {
                Some(classes::ordinary_program(draw))
            }
            (Self::Program, _) => None,
            (_, NameClass::CriticalFile) => Some(classes::ordinary_file(draw, behind)),
            (_, NameClass::WriteTarget) => Some(classes::ordinary_output(draw)),
            (_, NameClass::CriticalDirectory) => Some(classes::ordinary_directory(draw)),
            (Self::SentHere, NameClass::Host) => Some(classes::loopback(draw)),
            _ => None,
        }
    }
}

/// Whether a command consists of plain words only, so that the program it runs is a word.
fn plain(command: &str) -> bool {
    let ordinary = |c: char| c.is_ascii_alphanumeric() || " ./=:_-\n".contains(c);
    let words = || command.split_whitespace();
    command.replace("\\;", "").chars().all(ordinary)
        && words().any(|word| {
            ["/bin/sh", "/bin/bash", "/usr/local/bin/service-check"].contains(&word)
        })
        // A `-c` or `-i` would be an option of the shell.
        && !words().any(|word| word == "-c" || word == "-i")
}

/// Whether every quote is closed. Some lines of GTFOBins are not valid in a shell, and a guard may block
/// them. Here-documents are ignored.
fn quotes_match(command: &str) -> bool {
    if command.contains("<<") {
        return true;
    }
    let (mut open, mut escaped) = (None, false);
    for c in command.chars() {
        match (open, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => open = Some(c),
            (Some(quote), _) if c == quote => open = None,
            _ => {}
        }
    }
    open.is_none() && !escaped
}

#[cfg(test)]
mod tests {
    use super::{ACTS, RUNNERS, plain, quotes_match};

    #[test]
    fn quotes_are_counted_as_a_shell_does() {
        assert!(quotes_match("echo 'a\"b' \"c'd\\\"\" \\' x"));
        assert!(
            !quotes_match("ssh x 'cat \"") && !quotes_match("echo \"a") && !quotes_match("a\\")
        );
    }

    #[test]
    fn only_plain_words_run_a_plain_program() {
        assert!(plain("nice /bin/sh") && plain("find . -exec /bin/sh \\; -quit"));
        assert!(!plain("ssh -o ProxyCommand=';/bin/sh' x") && !plain("x --exec=/bin/sh"));
        assert!(!plain("logsave /dev/null /bin/sh -i"));
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(ACTS.is_sorted() && RUNNERS.is_sorted());
    }
}
