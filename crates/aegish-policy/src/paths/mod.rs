//! Paths of effects, normalised and classified.

pub(crate) mod closed;
pub(crate) mod glob;
pub(crate) mod route;
pub(crate) mod secrecy;
pub(crate) mod table;

use crate::action::PolicyContext;
use aegish_effects::{Piece, Source, Value};
use glob::{ANY, Match, OPEN, has_unknown, is_special};
use route::{Base, Route};
pub(crate) use table::{Classes, ReadClass, TreeClass, WriteClass};

/// Facts about the path of an effect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClassifiedPath {
    pub(crate) classes: Classes,
    /// The part of the file tree it covers; of several possible values, the worst.
    pub(crate) extent: Extent,
    /// Every reading lies below the working directory (and is not that directory).
    pub(crate) in_cwd: bool,
    /// Every reading lies below the home directory of the setting.
    pub(crate) in_home: bool,
    /// Every reading is an absolute path.
    pub(crate) absolute: bool,
    /// Made by `mktemp`.
    pub(crate) fresh: bool,
}

/// The part of the machine that a path covers. Later is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// Somewhere further down.
    Inner,
    /// Directly below a home directory.
    HomeChild,
    /// Everything in the working directory.
    AllHere,
    /// Nothing is known about it.
    Unknown,
    /// The root or a directory of the system, if an unknown part is empty.
    PerhapsRoot,
    /// The working directory itself, by its name.
    OwnDirectory,
    /// The working directory as `.`, or a directory above it.
    AboveCwd,
    /// A home directory, or everything in it.
    Home,
    /// A directory directly below the root.
    TopLevel,
    /// The root, or everything in it.
    Root,
}

/// Directories directly below the root that belong to the system or hold data of all users.
const TOP_LEVEL: [&[u8]; 25] = [
    b"bin",
    b"boot",
    b"dev",
    b"efi",
    b"etc",
    b"home",
    b"lib",
    b"lib32",
    b"lib64",
    b"libx32",
    b"media",
    b"mnt",
    b"nix",
    b"opt",
    b"proc",
    b"run",
    b"sbin",
    b"srv",
    b"sys",
    b"usr",
    b"var",
    b"Users",
    b"System",
    b"Library",
    b"Applications",
];

/// Directories of a project that hold data for tests and examples.
const TESTS: [&[u8]; 10] = [
    b"example",
    b"examples",
    b"fixture",
    b"fixtures",
    b"mocks",
    b"samples",
    b"spec",
    b"test",
    b"testdata",
    b"tests",
];

impl ClassifiedPath {
    /// Looks at every reading of the value.
    pub(crate) fn of(value: &Value, setting: &PolicyContext<'_>) -> Option<Self> {
        if value.pieces().is_empty() {
            return None;
        }
        let fresh = value
            .taint()
            .sources()
            .any(|source| matches!(source, Source::Program(name) if name.split_whitespace().next() == Some("mktemp")));
        // `${X:?}` stops the shell if it is empty.
        let required = value.pieces().first()
            == Some(&Piece::Unknown(aegish_effects::origin::REQUIRED_VARIABLE));
        let mut place: Option<Self> = None;
        for number in 0..glob::readings(value) {
            let text = glob::encode(value, number);
            let mut one = Self::read(&text, setting, fresh);
            if required && one.extent == Extent::PerhapsRoot {
                one.extent = Extent::Inner;
            }
            match &mut place {
                None => place = Some(one),
                Some(all) => all.join(one),
            }
        }
        place
    }

    fn read(text: &[u8], setting: &PolicyContext<'_>, fresh: bool) -> Self {
        // `$(…)` loses the end of a line behind which nothing comes.
        let text = text.strip_suffix(&[b'\n', glob::UNKNOWN]).unwrap_or(text);
        let route = Route::new(text, setting);
        // `"$x".*`: no letter of the name is known, so it is not a particular file.
        let anything = text.first() == Some(&glob::UNKNOWN)
            && !text.iter().any(|byte| byte.is_ascii_alphanumeric());
        let mut classes = if anything { Classes::default() } else { table::classify(&route) };
        let extent = extent(text, &route, &classes, setting);
        let in_cwd =
            !setting.cwd.is_empty() && below(&route, setting.cwd) || route.base == Base::Relative;
        let in_home = route.own_home
            || (setting.home.is_empty() && route.home.is_some_and(|depth| depth != 1));
        let among_tests = || route.parts().iter().any(|part| TESTS.contains(part));
        if in_cwd && (in_home || among_tests()) {
            classes.within_a_project();
        }
        Self { classes, extent, in_cwd, in_home, absolute: route.base == Base::Absolute, fresh }
    }

    fn join(&mut self, other: Self) {
        self.classes.join(other.classes);
        self.extent = self.extent.max(other.extent);
        self.in_cwd &= other.in_cwd;
        self.in_home &= other.in_home;
        self.absolute &= other.absolute;
    }

    pub(crate) fn write_class(&self) -> Option<WriteClass> {
        self.classes.write.map(|hit| hit.class)
    }

    pub(crate) fn read_class(&self) -> Option<ReadClass> {
        self.classes.read.map(|hit| hit.class)
    }
}

fn components(path: &str) -> impl Iterator<Item = &[u8]> {
    path.as_bytes().split(|byte| *byte == b'/').filter(|part| !part.is_empty())
}

/// Whether the route is strictly below the directory.
fn below(route: &Route<'_>, directory: &str) -> bool {
    let mut depth = 0;
    for part in components(directory) {
        if route.parts().get(depth) != Some(&part) {
            return false;
        }
        depth += 1;
    }
    depth > 0 && route.base == Base::Absolute && route.parts().len() > depth
}

/// A component that covers everything.
fn everything(part: &[u8]) -> bool {
    matches!(part, [ANY] | [b'.', ANY] | [ANY, ANY] | [b'.', OPEN, .., ANY])
}

fn extent(
    text: &[u8],
    route: &Route<'_>,
    classes: &Classes,
    setting: &PolicyContext<'_>,
) -> Extent {
    // `DIR/*` counts as `DIR`.
    let mut parts = route.parts();
    let mut starred = false;
    while let Some((last, rest)) = parts.split_last()
        && everything(last)
    {
        parts = rest;
        starred = true;
    }
    match route.base {
        Base::Unknown => {
            // The text after the unknown part is the path if that part is empty.
            let after = text.get(1..).unwrap_or_default();
            let rooted = after.starts_with(b"/");
            return match parts {
                [] if rooted => Extent::PerhapsRoot,
                [] => Extent::Unknown,
                [first] if rooted && TOP_LEVEL.contains(first) => Extent::PerhapsRoot,
                _ => Extent::Inner,
            };
        }
        Base::Tilde => {
            return match parts.len() {
                0 => Extent::Home,
                1 if cache(classes) => Extent::Inner,
                1 => Extent::HomeChild,
                _ => Extent::Inner,
            };
        }
        Base::Relative | Base::Climbed => {
            return match parts {
                [] if starred && route.base == Base::Relative => Extent::AllHere,
                [] => Extent::AboveCwd,
                _ => Extent::Inner,
            };
        }
        Base::Absolute => {}
    }
    match parts {
        [] => return Extent::Root,
        [part] if has_unknown(part) => return Extent::PerhapsRoot,
        [part] if TOP_LEVEL.iter().any(|top| glob::component(top, part) != Match::No) => {
            return Extent::TopLevel;
        }
        _ => {}
    }
    if route.home == Some(parts.len()) {
        // `/home/*` and `/home/$x` are home directories for every value.
        return Extent::Home;
    }
    let typed_relative = !matches!(text.first(), Some(b'/' | b'~'));
    if !setting.cwd.is_empty()
        && !route.parts().iter().any(|part| is_special(part) && !everything(part))
        && let Some(how) = above_parts(parts, setting.cwd)
    {
        return match how {
            Match::Must if starred => Extent::AllHere,
            Match::Must if typed_relative => Extent::AboveCwd,
            Match::Must => Extent::OwnDirectory,
            _ => Extent::AboveCwd,
        };
    }
    if route.home.is_some_and(|home| parts.len() == home + 1) && !cache(classes) {
        let beside_the_user = typed_relative && setting.cwd == setting.home;
        return if beside_the_user { Extent::Inner } else { Extent::HomeChild };
    }
    Extent::Inner
}

fn cache(classes: &Classes) -> bool {
    classes.write.is_some_and(|hit| matches!(hit.class, WriteClass::Cache | WriteClass::Temporary))
}

/// `Must` if the parts are the directory, `May` if they lie above it.
fn above_parts(parts: &[&[u8]], directory: &str) -> Option<Match> {
    let mut own = components(directory);
    for part in parts {
        if own.next() != Some(part) {
            return None;
        }
    }
    Some(if own.next().is_some() { Match::May } else { Match::Must })
}
