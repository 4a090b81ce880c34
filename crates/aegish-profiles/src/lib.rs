//! What programs do with their arguments.
//!
//! `data/programs/*.toml` → static tables, at build time. Takes a program's name as typed, gives its
//! [`Profile`]. Knows nothing of Bash, values or policy.

mod table;

pub use table::{
    Count, Deed, Example, Grammar, Lang, Mode, Opt, Profile, Role, Slot, Special, Stdin, Style, Sub,
};

mod generated {
    use crate::table::{
        Count, Deed, Example, Grammar, Lang, Mode, Opt, Profile, Role, Slot, Special, Stdin, Style,
        Sub,
    };
    include!(concat!(env!("OUT_DIR"), "/profiles.rs"));
}

/// All profiles, sorted by name.
#[must_use]
pub fn all() -> &'static [Profile] {
    generated::PROFILES
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
            if base.len() == name.len() { None } else { exact(base) }
        })
        .or_else(|| exact(name.strip_prefix('g')?))
        // `ld-linux-riscv64-lp64d.so.1`, `ld-2.31.so`: the loader has a name per machine.
        .or_else(|| exact((name.starts_with("ld-") && name.contains(".so")).then_some("ld.so")?))
}

fn exact(name: &str) -> Option<&'static Profile> {
    let index = generated::NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    generated::PROFILES.get(generated::NAMES[index].1 as usize)
}
