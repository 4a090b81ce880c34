//! Download without execution.
//!
//! # What
//!
//! A file is fetched from another machine and kept. Reading an API to the screen, keeping fields of its
//! answer, checking out sources and fetching from this machine are not asked about; nor is an address
//! that the environment gives, because whoever wrote the text did not choose it.
//!
//! # Why
//!
//! Downloaded files are what later gets run.
//!
//! # Example
//!
//! ```text
//! wget https://example.net/tool.tar.gz
//! curl -O https://example.net/x.sh
//! ```
//!
//! # Instead
//!
//! Fine if you know the source. Look at the file before you use it.
//!
//! # Answers
//!
//! ```toml
//! [saved]
//! all = "warn"
//! confidence = 0.8
//! instead = "Fine if you know the source; look at the file before you use it."
//!
//! [configured]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Fine if you know the source."
//!
//! [copied]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Fine if you know the machine."
//!
//! [checkout]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Fine if you know the source."
//!
//! [network-use]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Work on local files."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::hosts::HostClass;
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, WriteClass};
use crate::table::kinds::download_only as kind;
use crate::table::manuals;
use crate::view::{View, has_trait, show, show_text};
use aegish_effects::{EffectKind, Piece, Source, Stream, Value, origin};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "11",
    name: "download-only",
    title: "Download without execution",
    summary: "Saves something from the network.",
    action: Action::Warn,
    manual: manuals::DOWNLOAD_ONLY,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if view.host == Some(HostClass::Loopback) {
        return;
    }
    match view.effect() {
        Some(EffectKind::Fetch { from, to: Stream::File(path) }) if !is_thrown_away(view, path) => {
            let near = !matches!(view.host, Some(HostClass::Public | HostClass::Metadata));
            let kind = if view.program_is(Trait::Checkout) {
                &kind::CHECKOUT
            } else if view.program_is(Trait::RemoteCopy) && near {
                &kind::COPIED
            } else if is_configured(from) {
                &kind::CONFIGURED
            } else {
                &kind::SAVED
            };
            out.add(&RULE, kind, Match::Must, || {
                format!("downloads {} to {}", show(from), show(path))
            });
        }
        Some(EffectKind::Write { path, content, .. }) => kept(view, path, content, out),
        Some(EffectKind::Fetch { from: host, .. } | EffectKind::Connect { host, .. }) => {
            out.add(&RULE, &kind::NETWORK_USE, Match::Must, || {
                format!("connects to {}", show(host))
            });
        }
        _ => {}
    }
}

/// `curl "$MIRROR/x.jar" -o x.jar`: the host is the value of a variable that the text did not set.
fn is_configured(address: &Value) -> bool {
    let first = address.pieces().first();
    let variable = matches!(first, Some(Piece::Unknown(origin::VARIABLE)));
    let mut sources = address.taint().sources();
    variable && sources.all(|source| matches!(source, Source::Environment(_)))
        || address.as_known().is_some_and(is_configured_origin)
}

/// The same for the origin of content, which is an address as it is shown.
fn is_configured_origin(origin: &str) -> bool {
    origin.starts_with(&Value::unknown(origin::VARIABLE).to_string())
}

/// `-o /dev/null`
fn is_thrown_away(view: &View<'_>, path: &Value) -> bool {
    ClassifiedPath::of(path, view.setting)
        .is_some_and(|place| place.write_class() == Some(WriteClass::Harmless))
}

/// `curl URL > file`, `curl URL | tee file`: the download is stored too.
fn kept(view: &View<'_>, path: &Value, content: &Value, out: &mut Findings<'_>) {
    let Some(origin) = content.taint().network() else { return };
    if HostClass::of(&Value::known(origin)) == HostClass::Loopback || is_thrown_away(view, path) {
        return;
    }
    // A checkout is not a file that somebody may run by mistake.
    if view.program_is(Trait::Checkout) {
        return;
    }
    // A file that an earlier line saved is copied to another name: that line was asked about.
    if view.only_copies() || is_field(content) {
        return;
    }
    let fetched = view
        .own_effects()
        .any(|effect| matches!(effect, EffectKind::Fetch { to: Stream::File(_), .. }));
    if !fetched {
        let kind = if is_configured_origin(origin) { &kind::CONFIGURED } else { &kind::SAVED };
        out.add(&RULE, kind, Match::Must, || {
            format!("keeps what came from {} in {}", show_text(origin), show(path))
        });
    }
}

/// `curl API | jq -r .tag_name > version`: a part of an answer, not a file.
fn is_field(content: &Value) -> bool {
    content.taint().sources().any(
        |source| matches!(source, Source::Program(name) if has_trait(name, Trait::FieldSelector)),
    )
}
