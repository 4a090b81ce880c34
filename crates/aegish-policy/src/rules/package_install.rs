//! Package install.
//!
//! # What
//!
//! Packages named on the command line. Installing what the project's own manifest lists is ordinary
//! work.
//!
//! # Why
//!
//! Packages run code when they are installed, and a misspelt name may be somebody's trap.
//!
//! # Example
//!
//! ```text
//! apt-get install nginx
//! pip install requestz
//! ```
//!
//! # Instead
//!
//! Fine if you know the package; list it in the project's manifest.

use aegish_effects::{Act, System};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::package_install as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "package-install",
    name: "package-install",
    title: "Package install",
    summary: "Installs or removes software by name.",
    action: Action::Warn,
    manual: manuals::PACKAGE_INSTALL,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    if let Some(Act::System { what: System::Install, detail, object }) = view.act() {
        if object.pieces().is_empty() {
            out.add(&RULE, &kind::FROM_MANIFEST, Match::Must, || format!("installs software: {detail}"));
        } else {
            out.add(&RULE, &kind::NAMED, Match::Must, || format!("installs software: {detail} ({})", show(object)));
        }
    }
}
