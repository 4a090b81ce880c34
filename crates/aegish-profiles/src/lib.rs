//! What programs do with their arguments.
//!
//! `programs/*.toml` → bytes, at build time. Takes a program's name as typed, gives its [`Profile`], which is
//! decoded when it is looked up for the first time. Knows nothing of Bash, values or policy.

#[allow(dead_code)] // only the build script encodes
mod codec;
mod name_hash;
mod system;
mod table;
mod vocabulary;

pub use system::{
    AccountEffect, DestroyEffect, Detail, DisarmEffect, EscapeEffect, InspectEffect, KernelEffect,
    KillEffect, PackageEffect, ReconEffect, RemoteEffect, ServiceEffect, SystemEffect, SystemWord,
};
pub use table::{
    ArgumentRole, Count, DeclaredEffect, Example, Grammar, Mode, OperandSlot, Opt, Profile,
    Special, Stdin, Style, Sub,
};
pub use vocabulary::{Behaviour, Lang, Trait};

use codec::{ByteReader, Code};
use std::sync::OnceLock;

mod generated {
    use crate::Name;
    include!(concat!(env!("OUT_DIR"), "/profiles.rs"));
    pub(crate) static PROFILES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/profiles.bin"));
    pub(crate) static NAME_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/names.txt"));
    pub(crate) static PERSONAL_INPUTS: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/personal-inputs.bin"));
}

/// A name of a program: its range in the text of all names, and the number of the program.
struct Name {
    start: u32,
    length: u8,
    program: u16,
}

impl Name {
    fn text(&self) -> &'static str {
        let start = self.start as usize;
        generated::NAME_TEXT.get(start..start + usize::from(self.length)).unwrap_or_default()
    }
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

/// Profiles that were read, by number.
static READ: [OnceLock<Option<Profile>>; generated::STARTS.len()] =
    [const { OnceLock::new() }; generated::STARTS.len()];

fn numbered(program: usize) -> Option<&'static Profile> {
    let read = || {
        let start = *generated::STARTS.get(program)? as usize;
        Profile::decode(&mut ByteReader(generated::PROFILES.get(start..)?))
    };
    READ.get(program)?.get_or_init(read).as_ref()
}

/// All profiles, sorted by name. Decodes every one of them; [`names`] decodes none.
pub fn all() -> impl Iterator<Item = &'static Profile> {
    (0..READ.len()).filter_map(numbered)
}

/// The names of each program, the usual one first, in the order of [`all`].
pub fn names() -> impl Iterator<Item = impl Iterator<Item = &'static str>> {
    generated::NAMES.chunk_by(|a, b| a.program == b.program).map(|own| own.iter().map(Name::text))
}

/// A file that a program reads at every start without being asked.
#[derive(Debug, Clone, Copy)]
pub struct PersonalInput {
    /// `~/…` is below the home directory, `**/…` is in any directory.
    pub path: &'static str,
    /// How the program uses the file.
    pub role: ArgumentRole,
    program: usize,
}

impl PersonalInput {
    /// The profile of the program.
    #[must_use]
    pub fn profile(&self) -> Option<&'static Profile> {
        numbered(self.program)
    }
}

/// The files that programs read at every start without being asked.
pub fn personal_inputs() -> impl Iterator<Item = PersonalInput> {
    type Inputs = &'static [((&'static str, ArgumentRole), usize)];
    static INPUTS: OnceLock<Inputs> = OnceLock::new();
    let read = || Inputs::decode(&mut ByteReader(generated::PERSONAL_INPUTS)).unwrap_or_default();
    let inputs = INPUTS.get_or_init(read).iter();
    inputs.map(|((path, role), program)| PersonalInput { path, role: *role, program: *program })
}

/// The language an interpreter reads.
#[must_use]
pub fn language_of(program: &str) -> Option<Lang> {
    let profile = find(program)?;
    if profile.special == Some(Special::Shell) {
        return Some(Lang::Shell);
    }
    match profile.grammar.stdin {
        Stdin::Code(lang) => Some(lang),
        _ => profile.grammar.operands.iter().find_map(|slot| match slot.role {
            ArgumentRole::Script(lang) => Some(lang),
            _ => None,
        }),
    }
}

/// The language of a script whose first line is `#!` and this.
#[must_use]
pub fn script_language(line: &str) -> Option<Lang> {
    let base_name =
        |path: &'_ str| path.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let mut words = line.split_whitespace();
    let mut name = base_name(words.next()?)?;
    if name == "env" {
        let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        name = base_name(program)?;
    }
    language_of(&name)
}

/// The profile of a program by its bare name (no directory).
///
/// If the name is unknown, it is tried without a version suffix (`python3.11`, `gcc-12`), without the `g`
/// prefix of GNU tools on other systems, and without `.exe`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Profile> {
    exact(name)
        .or_else(|| exact(name.strip_suffix(".exe")?))
        .or_else(|| {
            let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let base = base.strip_suffix('-').unwrap_or(base);
            // One or two letters and digits are a name, not a name with a version: `m4`.
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
    let slots = &generated::SLOTS;
    let first = name_hash::slot(name, slots.len());
    // The table is at most half full, so that a free slot ends every search.
    let found = (first..first + slots.len())
        .map(|slot| slots.get(slot % slots.len()).copied().unwrap_or_default())
        .map_while(|number| generated::NAMES.get(usize::from(number.checked_sub(1)?)))
        .find(|entry| entry.text() == name)?;
    numbered(usize::from(found.program))
}

#[cfg(test)]
mod tests {
    use super::{PREFIXED, READ, all, find, names, personal_inputs};

    #[test]
    fn every_profile_is_read_and_found_by_each_of_its_names() {
        assert_eq!(all().count(), READ.len());
        for (profile, names) in all().zip(names()) {
            let names: Vec<&str> = names.collect();
            assert_eq!(names.first(), Some(&profile.name));
            assert_eq!(names.get(1..), Some(profile.aliases));
            for name in names {
                assert!(find(name).is_some_and(|found| std::ptr::eq(found, profile)), "{name}");
            }
        }
    }

    #[test]
    fn every_personal_input_is_one_of_its_program() {
        assert!(personal_inputs().count() > 0);
        for input in personal_inputs() {
            let profile = input.profile().expect("a program");
            assert!(profile.inputs.contains(&(input.path, input.role)), "{}", input.path);
        }
    }

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
