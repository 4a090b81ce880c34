//! What a program that is started means as text: its names, and the libraries that it loads.

use aegish_guard::{Action, Decision, EffectKind};
use aegish_sandbox::Execution;
use std::path::Path;

/// Directories of the system: a name that is found there is the program that the name means.
pub(super) const SYSTEM: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap"];

/// Whether all libraries or directories of a list belong to the system, as `stdbuf` and `fakeroot` set them.
pub(super) fn only_of_system(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| matches!(byte, b':' | b' ')).filter(|part| !part.is_empty());
    parts.all(|part| {
        let text = String::from_utf8_lossy(part);
        let path = Path::new(text.as_ref());
        // A bare name is looked for among the system's libraries.
        let bare = !text.contains('/');
        let inside = SYSTEM.iter().any(|dir| path.starts_with(dir)) && !text.contains("..");
        bare || inside
    })
}

/// Whether nothing is objected to but libraries of the system: the linker's plugins, for example. A person who loads
/// one has something in mind; a program that does it is made so.
pub(super) fn loads_of_system_only(decision: &Decision) -> bool {
    let mut blocks = decision.findings().iter().filter(|one| one.action == Action::Block);
    let mut effects = decision.analysis().effects.iter();
    blocks.all(|one| one.rule.name == "library-loading")
        && effects.all(|effect| match &effect.kind {
            EffectKind::Load { library } => {
                library.as_known().is_some_and(|path| only_of_system(path.as_bytes()))
            }
            // Variables load libraries too.
            EffectKind::Setenv { .. } => false,
            _ => true,
        })
}

/// The names under which the program is judged: its path, where a link of somebody's leads, and the name that it
/// is told, which decides what a program of several names does.
pub(super) fn names(execution: &Execution) -> Vec<Vec<u8>> {
    let last = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().unwrap_or(path).to_vec();
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let program = bytes(&execution.program);
    let mut names = vec![program.clone()];
    if let Some((file, _)) = &execution.file {
        let trusted = SYSTEM.iter().any(|dir| execution.program.starts_with(dir));
        if !trusted && last(&bytes(file)) != last(&program) {
            names.push(bytes(file));
        }
    }
    if let Some(told) = execution.arguments.first() {
        let told = last(told.strip_prefix(b"-").unwrap_or(told));
        if !told.is_empty() && names.iter().all(|name| last(name) != told) {
            names.push(told);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_the_system_are_no_injection() {
        assert!(only_of_system(b"/usr/libexec/coreutils/libstdbuf.so"));
        assert!(only_of_system(b"libfakeroot-sysv.so"));
        assert!(!only_of_system(b"/tmp/x.so"));
        assert!(!only_of_system(b"/usr/lib/../../tmp/x.so"));
        assert!(!only_of_system(b"/usr/lib/a.so:./x.so"));
    }
}
