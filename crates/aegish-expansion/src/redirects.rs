//! Redirections as they are written: the descriptor, and whether they can fail.

use aegish_syntax::{Fd, Part, Redirect, RedirectOp};

/// The descriptor that is redirected; `None` if bash chooses one.
#[must_use]
pub fn descriptor(redirect: &Redirect) -> Option<u32> {
    match (&redirect.fd, redirect.op) {
        (Some(Fd::Number(number)), _) => Some(*number),
        (Some(Fd::Variable(_)), _) => None,
        (
            None,
            RedirectOp::Read
            | RedirectOp::ReadWrite
            | RedirectOp::DupInput
            | RedirectOp::HereDoc
            | RedirectOp::HereString,
        ) => Some(0),
        (None, _) => Some(1),
    }
}

/// Whether a redirection opens a file that may not be there, or a descriptor that may not be open.
#[must_use]
pub fn opens_file(redirect: &Redirect) -> bool {
    let name = match redirect.target.parts.as_slice() {
        [Part::Literal(text)] => text.as_str(),
        _ => "",
    };
    match redirect.op {
        RedirectOp::HereDoc | RedirectOp::HereString => false,
        RedirectOp::DupInput | RedirectOp::DupOutput => !matches!(name, "0" | "1" | "2" | "-"),
        _ => !is_always_there(name),
    }
}

/// Whether a file of this name can be opened on every machine.
#[must_use]
pub fn is_always_there(name: &str) -> bool {
    matches!(
        name,
        "/dev/null" | "/dev/zero" | "/dev/full" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr"
    )
}
