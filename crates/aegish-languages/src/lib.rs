//! Code of other languages → what it would do.
//!
//! Takes program text in one of the `Lang`uages (a `-c` argument, a script, a configuration file,
//! keystrokes), gives the [`CodeEffect`]s found in code position: calls that run, open, connect, load.
//! Strings and comments are not code. Strings assembled from known parts are followed. It never runs
//! anything, never fails: what it does not understand it leaves out, or reports as
//! [`CodeEffect::Hidden`] where something unknown is *executed*.

pub mod keys;
mod small;

pub use aegish_general_languages::{CodeEffect, Surroundings};
use aegish_profiles::Lang;

/// Finds out what the code does, in order of appearance.
#[must_use]
pub fn scan(lang: Lang, code: &str, around: &Surroundings<'_>) -> Vec<CodeEffect> {
    match lang {
        Lang::Python
        | Lang::Perl
        | Lang::Ruby
        | Lang::Node
        | Lang::Php
        | Lang::Lua
        | Lang::Emacs
        | Lang::Tcl
        | Lang::R
        | Lang::Julia
        | Lang::Groovy
        | Lang::Java
        | Lang::Go
        | Lang::Elixir
        | Lang::Erlang
        | Lang::Scheme
        | Lang::Octave
        | Lang::Expect
        | Lang::Osascript
        | Lang::Powershell
        | Lang::Csharp
        | Lang::Raku
        | Lang::Calculator
        | Lang::Hcl => aegish_general_languages::scan(lang, code, around),
        Lang::Ipython => small::ipython(code, around),
        lang if small::knows(lang) => small::scan(lang, code, around),
        _ => Vec::new(),
    }
}
