//! Code of any language except Bash → what it would do. This crate is the entry point.
//!
//! Takes program text in one of the languages of [`Lang`] (a `-c` argument, a script, a configuration
//! file, typed lines), gives the [`CodeEffect`]s found in code position: calls that run, open, connect,
//! load. Languages with a parser are followed by `aegish-code`; the other general-purpose languages are read by
//! `aegish-general-purpose-languages`; this crate holds the readers of small languages (`small`) and of lines typed at a
//! program ([`keys`]).
//!
//! Strings and comments are not code. Strings assembled from known parts are followed. Nothing is run,
//! and no text is an error: what is not understood is left out, or reported as
//! [`CodeEffect::Hidden`] where something unknown is executed.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod directives;
mod fed_code;
pub mod keys;
mod mentioned;
mod small;

use aegish_code::Language;
use aegish_code::template::{self, PercentLines};
pub use aegish_code::{ANY_INPUT, CodeContext, CodeEffect, SessionFiles};
use aegish_profiles::Lang;
pub use directives::commands as named_commands;
pub use fed_code::fed;
pub use mentioned::{names_file, quoted_texts};
pub use small::{AwkRun, awk_run};

/// Returns the effects of the code, in order of appearance.
#[must_use]
pub fn scan(lang: Lang, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    match lang {
        Lang::Python => aegish_code::follow(Language::Python, code, around),
        Lang::Node => aegish_code::follow(Language::JavaScript, code, around),
        Lang::Ruby => aegish_code::follow(Language::Ruby, code, around),
        Lang::Erb => {
            let code = template::ruby_in(code, PercentLines::Code);
            aegish_code::follow(Language::Ruby, &code, around)
        }
        Lang::Lua => aegish_code::follow(Language::Lua, code, around),
        Lang::Php => aegish_code::follow(Language::Php, code, around),
        Lang::Perl => aegish_code::follow(Language::Perl, code, around),
        Lang::Emacs => aegish_code::follow(Language::EmacsLisp, code, around),
        Lang::Scheme => aegish_code::follow(Language::Scheme, code, around),
        Lang::Tcl | Lang::Expect => aegish_code::follow(Language::Tcl, code, around),
        Lang::Powershell => aegish_code::follow(Language::PowerShell, code, around),
        Lang::Osascript => automation(code, around),
        Lang::R
        | Lang::Julia
        | Lang::Groovy
        | Lang::Java
        | Lang::Go
        | Lang::Elixir
        | Lang::Erlang
        | Lang::Octave
        | Lang::Csharp
        | Lang::Raku
        | Lang::Calculator
        | Lang::Hcl => {
            let mut effects = aegish_general_purpose_languages::scan(lang, code, around);
            mentioned::add_mentions(code, &mut effects);
            effects
        }
        Lang::Ocaml | Lang::Haskell | Lang::Rust => {
            let mut effects = small::scan(lang, code, around);
            mentioned::add_mentions(code, &mut effects);
            effects
        }
        Lang::Ipython => small::ipython(code, around),
        lang if small::knows(lang) => small::scan(lang, code, around),
        _ => Vec::new(),
    }
}

/// `osascript` runs AppleScript, or JavaScript if it is told so. The text shows which: what is one is a mistake in the
/// other.
fn automation(code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let script = aegish_code::follow(Language::AppleScript, code, around);
    if !script.contains(&CodeEffect::Hidden) {
        return script;
    }
    let mut effects = aegish_code::follow(Language::JavaScript, code, around);
    if effects.contains(&CodeEffect::Hidden) {
        effects.extend(script);
    }
    effects
}
