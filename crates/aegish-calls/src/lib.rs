//! The table of calls, compiled from `data/calls`: what a function of a library does with its arguments.
//!
//! The table is one text of sorted lines, so that it holds no pointers that the loader would have to relocate. A
//! line is parsed when its call is looked up.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod constants;
mod vocabulary;

pub use constants::constant;
pub use vocabulary::{Effect, Role};

use aegish_code_parsers::language::Language;

/// The tables of a language.
struct Tables {
    /// Lines `name TAB effect TAB parameter:role,…`, sorted by name.
    calls: &'static str,
    /// Lines `name TAB other name`, sorted by name.
    aliases: &'static str,
}

static PYTHON: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/python.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/python-aliases.txt")),
};

static JAVASCRIPT: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/javascript.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/javascript-aliases.txt")),
};

static RUBY: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/ruby.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/ruby-aliases.txt")),
};

static LUA: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/lua.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/lua-aliases.txt")),
};

static PHP: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/php.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/php-aliases.txt")),
};

static PERL: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/perl.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/perl-aliases.txt")),
};

/// Lines `name TAB name with its module`, sorted by name.
static PERL_MEMBERS: &str = include_str!(concat!(env!("OUT_DIR"), "/perl-members.txt"));

static EMACS_LISP: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/emacs-lisp.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/emacs-lisp-aliases.txt")),
};

static SCHEME: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/scheme.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/scheme-aliases.txt")),
};

static TCL: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/tcl.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/tcl-aliases.txt")),
};

static POWERSHELL: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/powershell.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/powershell-aliases.txt")),
};

static APPLESCRIPT: Tables = Tables {
    calls: include_str!(concat!(env!("OUT_DIR"), "/applescript.txt")),
    aliases: include_str!(concat!(env!("OUT_DIR"), "/applescript-aliases.txt")),
};

fn tables(language: Language) -> &'static Tables {
    match language {
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Ruby => &RUBY,
        Language::Lua => &LUA,
        Language::Php => &PHP,
        Language::Perl => &PERL,
        Language::EmacsLisp => &EMACS_LISP,
        Language::Scheme => &SCHEME,
        Language::Tcl => &TCL,
        Language::PowerShell => &POWERSHELL,
        Language::AppleScript => &APPLESCRIPT,
    }
}

/// A call of a library.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What it does.
    pub effect: Effect,
    /// Parameters in order, with the role of each.
    pub parameters: Vec<(&'static str, Option<Role>)>,
    /// Whether only the name of a method said so, of an object that is not known.
    pub guessed: bool,
}

/// Finds the line of a name in a text of sorted lines.
fn line(table: &'static str, name: &str) -> Option<&'static str> {
    let bytes = table.as_bytes();
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = bytes.get(..middle)?;
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let start = start.max(low);
        let rest = table.get(start..)?;
        let end = rest.find('\n').map_or(table.len(), |at| start + at);
        let found = table.get(start..end)?;
        let known = found.split('\t').next()?;
        match known.cmp(name) {
            std::cmp::Ordering::Equal => return found.get(known.len() + 1..),
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

/// The entry of a function by its full path.
#[must_use]
pub fn find(language: Language, path: &str) -> Option<Entry> {
    let mut fields = line(tables(language).calls, path)?.split('\t');
    let effect = Effect::from_word(fields.next()?)?;
    let parameters = fields
        .next()
        .unwrap_or("")
        .split(',')
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| match parameter.split_once(':') {
            Some((name, role)) => (name, Role::from_word(role)),
            None => (parameter, None),
        })
        .collect();
    Some(Entry { effect, parameters, guessed: path.starts_with("?.") })
}

/// Another name of a module or function.
#[must_use]
pub fn alias(language: Language, name: &str) -> Option<&'static str> {
    line(tables(language).aliases, name)
}

/// The functions of a module that the table knows.
pub fn members(language: Language, module: &str) -> impl Iterator<Item = &'static str> {
    let prefix = format!("{module}.");
    tables(language).calls.lines().filter_map(move |line| {
        let name = line.split('\t').next()?.strip_prefix(prefix.as_str())?;
        (!name.contains('.')).then_some(name)
    })
}

/// The function of any module of Perl that has this name.
#[must_use]
pub fn perl_function(name: &str) -> Option<&'static str> {
    line(PERL_MEMBERS, name)
}

/// Whether the table knows a function of this module.
#[must_use]
pub fn has_members(language: Language, module: &str) -> bool {
    members(language, module).next().is_some()
}
