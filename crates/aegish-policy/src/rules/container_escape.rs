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

use aegish_effects::{Act, System};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::paths::{ReadClass, WriteClass};
use crate::table::kinds::container_escape as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "container-escape",
    name: "container-escape",
    title: "Container escape",
    summary: "Leaves or pierces a container or namespace.",
    action: Action::Block,
    manual: manuals::CONTAINER_ESCAPE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    match view.act() {
        Some(Act::System { what: System::Escape, detail, object }) => {
            out.add(&RULE, &kind::ESCAPED, Match::Must, || {
                if object.pieces().is_empty() {
                    format!("reaches out of the container: {detail}")
                } else {
                    format!("reaches out of the container: {detail} ({})", show(object))
                }
            });
        }
        Some(Act::Read { path, .. } | Act::Write { path, .. } | Act::Link { target: path, .. }) => {
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
