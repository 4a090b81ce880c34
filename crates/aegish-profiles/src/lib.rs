//! What programs do with their arguments.
//!
//! `data/programs/*.toml` → static tables, at build time. Takes a program's name as typed, gives its
//! [`Profile`]. Knows nothing of Bash, values or policy.

mod system;
mod table;
mod vocabulary;

pub use system::{
    AccountEffect, DestroyEffect, Detail, DisarmEffect, EscapeEffect, InspectEffect, KernelEffect,
    KillEffect, PackageEffect, ReconEffect, RemoteEffect, ServiceEffect, SystemEffect, SystemWord,
};
pub use table::{
    Count, DeclaredEffect, Example, Grammar, Mode, Opt, Profile, Role, Slot, Special, Stdin, Style,
    Sub,
};
pub use vocabulary::{Behaviour, Lang, Trait};

#[allow(clippy::wildcard_imports)] // what the tables name is decided by the profiles
mod generated {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/profiles.rs"));
}

/// Tools of GNU that other systems install with a `g` before the name. Sorted.
#[rustfmt::skip]
const PREFIXED: &[&str] = &[
    "[", "arch", "awk", "b2sum", "base32", "base64", "basename", "basenc", "bison", "cat",
    "chcon", "chgrp", "chmod", "chown", "chroot", "cksum", "comm", "cp", "csplit", "cut", "date",
    "dd", "df", "dir", "dircolors", "dirname", "dnsdomainname", "du", "echo", "ed", "egrep",
    "env", "expand", "expr", "factor", "false", "fgrep", "find", "fmt", "fold", "ftp", "grep",
    "groups", "head", "hostid", "hostname", "id", "ifconfig", "indent", "install", "join",
    "kill", "libtool", "libtoolize", "link", "ln", "locate", "logger", "logname", "ls", "m4",
    "make", "md5sum", "mkdir", "mkfifo", "mknod", "mktemp", "mv", "nice", "nl", "nohup", "nproc",
    "numfmt", "od", "paste", "patch", "pathchk", "pinky", "pr", "printenv", "printf", "ptx",
    "pwd", "rcp", "readlink", "realpath", "rexec", "rlogin", "rm", "rmdir", "rsh", "runcon",
    "sed", "seq", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shred", "shuf",
    "sleep", "sort", "split", "stat", "stdbuf", "stty", "sum", "sync", "tac", "tail", "tar",
    "tee", "telnet", "test", "tftp", "time", "timeout", "touch", "tr", "true", "truncate",
    "tsort", "tty", "uname", "unexpand", "uniq", "units", "unlink", "updatedb", "uptime",
    "users", "vdir", "wc", "which", "who", "whoami", "xargs", "yes",
];

/// All profiles, sorted by name.
#[must_use]
pub fn all() -> &'static [Profile] {
    generated::PROFILES
}

/// Files that programs read by themselves at every start: pattern (`~/…` below the home directory, `**/…`
/// anywhere), role, program.
pub fn personal_inputs() -> impl Iterator<Item = (&'static str, Role, &'static Profile)> {
    generated::PERSONAL_INPUTS.iter().filter_map(|(path, role, index)| {
        generated::PROFILES.get(usize::from(*index)).map(|profile| (*path, *role, profile))
    })
}

/// The profile of a program by its bare name (no directory).
///
/// Version suffixes (`python3.11`, `gcc-12`), the `g` prefix of GNU tools on other systems and `.exe`
/// are tried when the name itself is not known.
#[must_use]
pub fn find(name: &str) -> Option<&'static Profile> {
    exact(name)
        .or_else(|| exact(name.strip_suffix(".exe")?))
        .or_else(|| {
            let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let base = base.strip_suffix('-').unwrap_or(base);
            // Two letters and a digit are a name of their own.
            let glued = !name.contains(['-', '.']) && base.len() < 3;
            if base.len() == name.len() || glued { None } else { exact(base) }
        })
        .or_else(|| {
            let base = name.strip_prefix('g')?;
            PREFIXED.binary_search(&base).ok().and_then(|_| exact(base))
        })
        // `ld-linux-riscv64-lp64d.so.1`, `ld-2.31.so`: the loader has a name per machine.
        .or_else(|| exact((name.starts_with("ld-") && name.contains(".so")).then_some("ld.so")?))
}

fn exact(name: &str) -> Option<&'static Profile> {
    let index = generated::NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    generated::PROFILES.get(generated::NAMES[index].1 as usize)
}

#[cfg(test)]
mod tests {
    use super::{PREFIXED, find};

    #[test]
    fn the_prefixed_names_are_sorted() {
        assert!(PREFIXED.is_sorted());
    }

    #[test]
    fn only_tools_of_gnu_are_known_with_a_g_before_the_name() {
        assert_eq!(find("gsed").map(|profile| profile.name), Some("sed"));
        assert_eq!(find("gtar").map(|profile| profile.name), Some("tar"));
        // `gtop` is another program than `top`, `gping` another than `ping`.
        assert!(find("gtop").is_none());
        assert!(find("gping").is_none());
    }
}
