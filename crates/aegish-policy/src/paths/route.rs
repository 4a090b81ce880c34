//! A path as the kernel would walk it: components, with `.`, `..`, `//` and detours through `/proc`
//! taken out, as far as that can be known.

use super::glob::{Match, UNKNOWN, component};
use crate::action::PolicyContext;

/// Number of components that need no heap.
const ROOM: usize = 24;

/// The start of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// The root.
    Absolute,
    /// A home directory that is not known.
    Tilde,
    /// A working directory that is not known.
    Relative,
    /// As `Relative`, after more `..` than the known components.
    Climbed,
    /// An unknown piece.
    Unknown,
}

/// A normalised path.
#[derive(Debug)]
pub(crate) struct Route<'a> {
    pub(crate) base: Base,
    /// How many components make up a home directory, if the path may be in one.
    pub(crate) home: Option<usize>,
    /// Whether `home` is the home directory of the setting itself.
    pub(crate) own_home: bool,
    short: [&'a [u8]; ROOM],
    count: usize,
    long: Vec<&'a [u8]>,
}

impl<'a> Route<'a> {
    /// Normalises; `setting` supplies the working and home directory.
    pub(crate) fn new(text: &'a [u8], setting: &PolicyContext<'a>) -> Self {
        let mut route = Self {
            base: Base::Absolute,
            home: None,
            own_home: false,
            short: [b""; ROOM],
            count: 0,
            long: Vec::new(),
        };
        let mut rest = text;
        match text.first() {
            Some(b'/') => {}
            Some(b'~') => {
                let end = text.iter().position(|byte| *byte == b'/').unwrap_or(text.len());
                let (user, after) = text.split_at(end);
                rest = after;
                match user.get(1..).unwrap_or_default() {
                    b"" if !setting.home.is_empty() => route.walk(setting.home.as_bytes()),
                    b"" | b"+" | b"-" => route.base = Base::Tilde,
                    b"root" => route.push(b"root"),
                    user => {
                        route.push(b"home");
                        route.push(user);
                    }
                }
            }
            Some(&UNKNOWN) => {
                route.base = Base::Unknown;
                if let Some(after) = text.get(1..)
                    && (after.is_empty() || after.starts_with(b"/"))
                {
                    rest = after;
                }
            }
            _ if setting.cwd.is_empty() => route.base = Base::Relative,
            _ => route.walk(setting.cwd.as_bytes()),
        }
        route.walk(rest);
        route.leave_detours(setting);
        route.find_home(setting);
        route
    }

    pub(crate) fn parts(&self) -> &[&'a [u8]] {
        if self.long.is_empty() {
            self.short.get(..self.count).unwrap_or_default()
        } else {
            &self.long
        }
    }

    fn push(&mut self, part: &'a [u8]) {
        if self.long.is_empty() {
            if let Some(slot) = self.short.get_mut(self.count) {
                *slot = part;
                self.count += 1;
                return;
            }
            self.long = self.short.to_vec();
        }
        self.long.push(part);
    }

    fn pop(&mut self) -> bool {
        if self.long.is_empty() {
            if self.count == 0 {
                return false;
            }
            self.count -= 1;
            return true;
        }
        self.long.pop();
        if self.long.len() <= ROOM {
            // Uses the inline form again, so that an empty list is never mistaken for it.
            let long = std::mem::take(&mut self.long);
            self.count = long.len();
            for (slot, part) in self.short.iter_mut().zip(long) {
                *slot = part;
            }
        }
        true
    }

    fn walk(&mut self, text: &'a [u8]) {
        for part in text.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    if !self.pop() && self.base == Base::Relative {
                        self.base = Base::Climbed;
                    }
                }
                _ => self.push(part),
            }
        }
    }

    fn drop_front(&mut self, number: usize) {
        let kept = self.parts().get(number..).unwrap_or_default().to_vec();
        self.long = Vec::new();
        self.count = 0;
        kept.into_iter().for_each(|part| self.push(part));
    }

    /// `/proc/PID/root/…` is `/…`, `/proc/self/cwd/…` is the working directory, and so on.
    fn leave_detours(&mut self, setting: &PolicyContext<'a>) {
        for _ in 0..8 {
            if self.base != Base::Absolute {
                return;
            }
            match *self.parts() {
                [b"proc", _, b"root", ..] => self.drop_front(3),
                [b"proc", b"self" | b"thread-self", b"cwd", ..] => {
                    let rest = self.parts().get(3..).unwrap_or_default().to_vec();
                    self.long = Vec::new();
                    self.count = 0;
                    if setting.cwd.is_empty() {
                        self.base = Base::Relative;
                    } else {
                        self.walk(setting.cwd.as_bytes());
                    }
                    rest.into_iter().for_each(|part| self.push(part));
                }
                [b"private", b"etc" | b"tmp" | b"var", ..] => self.drop_front(1),
                _ => return,
            }
        }
    }

    fn find_home(&mut self, setting: &PolicyContext<'a>) {
        if self.base != Base::Absolute {
            self.home = Some(0);
            self.own_home = self.base == Base::Tilde;
            return;
        }
        let own =
            setting.home.as_bytes().split(|byte| *byte == b'/').filter(|part| !part.is_empty());
        let parts = self.parts();
        let mut depth = 0;
        let mut inside = true;
        for part in own {
            inside &= parts.get(depth).is_some_and(|found| component(part, found) != Match::No);
            depth += 1;
        }
        if inside && depth > 0 {
            self.home = Some(depth);
            self.own_home = true;
            return;
        }
        self.home = match parts {
            [b"root", ..] => Some(1),
            [b"var", b"root", ..] => Some(2),
            [first, _, ..]
                if component(b"home", first) != Match::No
                    || component(b"Users", first) != Match::No =>
            {
                Some(2)
            }
            _ => None,
        };
    }
}
