//! Features of the kernel for confining processes. Nothing is confined yet; they are only reported.

use std::fs;

use nix::libc;

/// Asks for the version instead of making a set of rules.
const VERSION: libc::c_uint = 1;

/// The version of Landlock's interface; nothing if the kernel has none or it is switched off.
#[must_use]
pub fn landlock_abi() -> Option<u32> {
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag, no attributes and size 0 the call only returns a number.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0 as libc::size_t, VERSION)
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Whether the kernel supports filters for system calls.
#[must_use]
pub fn seccomp_filters() -> bool {
    let listed = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
    listed.is_ok_and(|actions| actions.split_whitespace().any(|action| action == "errno"))
}
