//! Names of ex commands: languages, modifiers, abbreviations.

use super::text_to;
use super::vim_expr::after_range;
use aegish_profiles::Lang;

/// Commands that run code of another language, with the shortest spelling of each.
pub(super) const LANGUAGES: &[(&str, usize, Lang)] = &[
    ("python3", 7, Lang::Python),
    ("py3", 3, Lang::Python),
    ("pythonx", 7, Lang::Python),
    ("pyx", 3, Lang::Python),
    ("python", 2, Lang::Python),
    ("py3do", 5, Lang::Python),
    ("pydo", 3, Lang::Python),
    ("pyxdo", 5, Lang::Python),
    ("perl", 2, Lang::Perl),
    ("perldo", 5, Lang::Perl),
    ("ruby", 3, Lang::Ruby),
    ("rubydo", 5, Lang::Ruby),
    ("lua", 3, Lang::Lua),
    ("luado", 4, Lang::Lua),
    ("tcl", 2, Lang::Tcl),
    ("tcldo", 4, Lang::Tcl),
    ("mzscheme", 2, Lang::Scheme),
];

pub(super) const LANGUAGE_FILES: &[(&str, usize, Lang)] = &[
    ("pyfile", 3, Lang::Python),
    ("py3file", 4, Lang::Python),
    ("pyxfile", 4, Lang::Python),
    ("rubyfile", 5, Lang::Ruby),
    ("luafile", 4, Lang::Lua),
    ("tclfile", 4, Lang::Tcl),
    ("mzfile", 3, Lang::Scheme),
];

/// Words that only modify the command after them.
const MODIFIERS: &[(&str, usize)] = &[
    ("silent", 3),
    ("unsilent", 3),
    ("verbose", 4),
    ("noautocmd", 3),
    ("keepjumps", 5),
    ("keepalt", 5),
    ("keeppatterns", 5),
    ("keepmarks", 3),
    ("lockmarks", 3),
    ("noswapfile", 3),
    ("aboveleft", 3),
    ("belowright", 3),
    ("botright", 2),
    ("topleft", 2),
    ("leftabove", 5),
    ("rightbelow", 6),
    ("vertical", 4),
    ("tab", 3),
    ("browse", 3),
    ("confirm", 4),
    ("hide", 3),
    ("sandbox", 3),
    ("argdo", 5),
    ("bufdo", 5),
    ("windo", 5),
    ("tabdo", 4),
    ("cdo", 3),
    ("cfdo", 4),
    ("legacy", 3),
    ("vim9cmd", 4),
];

pub(super) fn fits(name: &str, full: &str, least: usize) -> bool {
    name.len() >= least && full.starts_with(name)
}

/// Splits a command, without range, modifiers and colons, into name and rest. The rest may start with `!`.
pub(super) fn command(line: &str) -> (&str, &str) {
    let mut rest = line.trim_start_matches([' ', '\t', ':']);
    for _ in 0..16 {
        rest = after_range(rest).trim_start_matches([' ', '\t', ':']);
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        // `py3` and similar names contain a digit.
        let end = if matches!(text_to(rest, end), "py" | "python") {
            rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())
        } else {
            end
        };
        let (name, tail) = rest.split_at(end);
        if !MODIFIERS.iter().any(|(full, least)| fits(name, full, *least)) {
            return (name, tail);
        }
        let tail = tail.strip_prefix('!').unwrap_or(tail);
        rest = tail.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    }
    ("", rest)
}

pub(super) fn foreign(line: &str) -> Option<(Lang, &str)> {
    let (name, rest) = command(line);
    let (_, _, lang) = LANGUAGES.iter().find(|(full, least, _)| fits(name, full, *least))?;
    Some((*lang, rest.strip_prefix('!').unwrap_or(rest).trim_start()))
}
