//! Container escape.
//!
//! # What
//!
//! Containers with access to the host (`--privileged`, `-v /:/host`, host namespaces), `nsenter`
//! and `chroot` into the host, and the control socket of the container service.
//!
//! # Why
//!
//! Control over the container service is control over the host.
//!
//! # Example
//!
//! ```text
//! docker run -v /:/host -it alpine chroot /host
//! curl --unix-socket /var/run/docker.sock http://x/containers/json
//! ```
//!
//! # Instead
//!
//! Mount only the project directory; use the docker command instead of its socket.
//!
//! # Answers
//!
//! ```toml
//! [escaped]
//! all = "block"
//! confidence = 0.93
//! core = true
//! instead = "Run the container without host access; mount only the project directory."
//!
//! [own-program]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! core = true
//! instead = "Fine if you know what the image does with all rights of the host."
//!
//! [credential]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! core = true
//! instead = "Fine if the image is that of the tool whose credentials they are."
//!
//! [socket]
//! all = "block"
//! confidence = 0.93
//! core = true
//! instead = "Use the docker command itself."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::mode::Granted;
use crate::paths::glob::Match;
use crate::paths::{Extent, ReadClass, TreeClass, WriteClass};
use crate::table::kinds::container_escape as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Value};
use aegish_profiles::{EscapeEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "container-escape",
    name: "container-escape",
    title: "Container escape",
    summary: "Leaves or pierces a container or namespace.",
    action: Action::Block,
    manual: manuals::CONTAINER_ESCAPE,
    kinds: kind::ALL,
};

/// Directories directly below the root that containers ordinarily share.
const HARMLESS_TOPS: &[&str] = &["/tmp", "/srv", "/data", "/mnt", "/media", "/opt"];

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::System {
            what: SystemEffect::Escape(EscapeEffect::PodSpecification),
            ..
        }) if !view.arguments().any(reaches_the_node) => {}
        // In a container it has the rights of the container; on a node it has those of the node.
        Some(EffectKind::System {
            what: SystemEffect::Escape(EscapeEffect::DebugContainer),
            ..
        }) if !view.arguments().any(names_a_node) => {}
        Some(EffectKind::System { what: SystemEffect::Escape(effect), detail, object }) => {
            let own = *effect == EscapeEffect::Privileged && runs_its_own_program(view, object);
            let kind = if own { &kind::OWN_PROGRAM } else { &kind::ESCAPED };
            out.add(&RULE, kind, Match::Must, || {
                Reason::new("reaches out of the container: ").detail(*detail).object(object)
            });
        }
        Some(EffectKind::Mount { source }) => {
            let Some(place) = view.place else { return };
            let host =
                place.extent >= Extent::TopLevel && !HARMLESS_TOPS.contains(&show(source).as_str());
            let socket = place.write_class() == Some(WriteClass::ContainerSocket);
            let secret = place.classes.tree.is_some()
                || place.classes.read.is_some_and(|hit| {
                    !matches!(hit.class, ReadClass::Ordinary | ReadClass::ProjectSecret)
                });
            let guard = matches!(
                place.write_class(),
                Some(
                    WriteClass::Protection
                        | WriteClass::GuardProgram
                        | WriteClass::GuardProject
                        | WriteClass::GuardFolder
                )
            );
            // A tool in a container needs its own credentials; what is read there by name is judged by itself.
            let own = place.in_home
                && (place.classes.tree.is_some_and(|hit| hit.class == TreeClass::Credential)
                    || place.classes.read.is_some_and(|hit| hit.class == ReadClass::Credential));
            if own && !(host || socket || guard) {
                out.add(&RULE, &kind::CREDENTIAL, Match::Must, || {
                    format!("hands {} of this machine to a container", show(source))
                });
            } else if host || socket || secret || guard {
                out.add(&RULE, &kind::ESCAPED, Match::Must, || {
                    format!("hands {} of this machine to a container", show(source))
                });
            }
        }
        Some(EffectKind::Mode { path, mode, .. })
            if view.classes().write.is_some_and(|hit| hit.class == WriteClass::ContainerSocket)
                && Granted::of(mode).world_write =>
        {
            out.add(&RULE, &kind::SOCKET, Match::Must, || {
                format!("gives {}, which holds control over the host, to everybody", show(path))
            });
        }
        Some(
            EffectKind::Read { path, .. }
            | EffectKind::Write { path, .. }
            | EffectKind::Link { target: path, .. },
        ) => {
            let classes = view.classes();
            let socket = classes.read.is_some_and(|hit| hit.class == ReadClass::ContainerSocket)
                || classes.write.is_some_and(|hit| hit.class == WriteClass::ContainerSocket);
            if socket {
                out.add(&RULE, &kind::SOCKET, Match::Must, || {
                    format!("talks to {}, which holds control over the host", show(path))
                });
            }
        }
        _ => {}
    }
}

/// `docker run --privileged tonistiigi/binfmt --install all`: nothing of the text runs in the container, only
/// the program of the image, with options at most.
fn runs_its_own_program(view: &View<'_>, image: &Value) -> bool {
    let mut words = view.words().iter().skip_while(|word| *word != image).skip(1);
    let options = words.next().and_then(Value::as_known).is_some_and(|word| word.starts_with("--"));
    let entered = |word: &str| {
        let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
        word.starts_with("--entrypoint")
            || word == "--interactive"
            || flags.is_some_and(|flags| flags.contains('i') && flags.len() <= 3)
    };
    options && !view.arguments().any(entered)
}

/// `node/worker-1`, `--profile=sysadmin`
fn names_a_node(word: &str) -> bool {
    word.starts_with("node/")
        || word.starts_with("nodes/")
        || word.starts_with("no/")
        || matches!(word.trim_start_matches("--profile="), "sysadmin" | "netadmin" | "legacy")
}

/// A pod specification that asks for the node's namespaces, files or rights.
fn reaches_the_node(word: &str) -> bool {
    ["privileged", "hostPID", "hostIPC", "hostNetwork", "hostPath", "SYS_ADMIN"]
        .iter()
        .any(|part| word.contains(part))
}
