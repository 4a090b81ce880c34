//! Package install.
//!
//! # What
//!
//! Packages named on the command line. Installing what the project's own manifest lists is ordinary
//! work, and so are upgrades: what is there already comes again from where it came from.
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
//!
//! # Answers
//!
//! ```toml
//! [named]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Fine if you know the package."
//!
//! [from-manifest]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Ask for the package to be installed."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::package_install as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::{EffectKind, Value};
use aegish_profiles::{PackageEffect, SystemEffect, Trait};

pub(crate) const RULE: Rule = Rule {
    id: "package-install",
    name: "package-install",
    title: "Package install",
    summary: "Installs or removes software by name.",
    action: Action::Warn,
    manual: manuals::PACKAGE_INSTALL,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Package(what), detail, object }) =
        view.effect()
    {
        let together: Vec<&Value> = packages(view, *what).collect();
        // All packages are reported once, with the first one.
        if !together.first().is_some_and(|first| std::ptr::eq(*first, object)) {
            return;
        }
        let of_the_system = view.program_is(Trait::SystemPackageManager);
        let named = !object.pieces().is_empty();
        // An upgrade comes from the source of the installed package.
        let renews = view.arguments().any(|word| word == "--only-upgrade")
            || of_the_system
                && (*what == PackageEffect::Upgrade || *what == PackageEffect::Install && !named);
        let installs = || Reason::new("installs software: ").detail(*detail);
        if *what == PackageEffect::OtherSource {
            out.add(&RULE, &kind::FROM_MANIFEST, Match::Must, || {
                Reason::new("").detail(*detail).object(object)
            });
        } else if renews {
            out.add(&RULE, &kind::FROM_MANIFEST, Match::Must, || {
                Reason::new("upgrades software: ").detail(*detail)
            });
        } else if !named && of_the_system {
            out.add(&RULE, &kind::NAMED, Match::Must, installs);
        } else if !named || (!of_the_system && is_own(object)) {
            out.add(&RULE, &kind::FROM_MANIFEST, Match::Must, installs);
        } else {
            out.add(&RULE, &kind::NAMED, Match::Must, || installs().objects(&together));
        }
    }
}

/// All packages that the command treats in the same way.
fn packages<'a>(view: &View<'a>, wanted: PackageEffect) -> impl Iterator<Item = &'a Value> {
    view.own_effects().filter_map(move |effect| match effect {
        EffectKind::System { what: SystemEffect::Package(what), object, .. } if *what == wanted => {
            Some(object)
        }
        _ => None,
    })
}

/// The project itself, a list of its dependencies, or a number that belongs to an option.
fn is_own(object: &Value) -> bool {
    let Some(text) = object.as_known() else { return false };
    let directory = text.split('[').next().unwrap_or(text);
    let archive = [".whl", ".gz", ".tgz", ".zip", ".bz2", ".xz", ".deb", ".rpm"]
        .iter()
        .any(|end| text.ends_with(end));
    matches!(directory, "." | "..")
        || (!archive && (directory.starts_with("./") || directory.starts_with("../")))
        || [".txt", ".lock", ".toml", ".yml", ".yaml"].iter().any(|end| text.ends_with(end))
        || text.bytes().all(|byte| byte.is_ascii_digit())
}
