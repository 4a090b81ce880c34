//! The stack of a child that shares this process' memory: a mapping with a guard page below it.
//!
//! The stack grows downwards. Without the page an overflow would write into other memory of this process;
//! with it the kernel ends the child.

use std::io;
use std::ptr;

use nix::libc;

/// Enough for the few calls before `execve`.
const SIZE: usize = 64 * 1024;

/// A private mapping: a page that cannot be accessed, and [`SIZE`] bytes above it.
pub(crate) struct ChildStack {
    mapping: *mut libc::c_void,
    guard: usize,
}

impl ChildStack {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: the call returns a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let guard = usize::try_from(page).map_err(|_| io::Error::last_os_error())?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        // SAFETY: a new anonymous mapping at an address that the kernel chooses overlaps no other memory.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), guard + SIZE, access, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { mapping, guard };
        // SAFETY: the page is the first one of the mapping above, and nothing refers to it.
        if unsafe { libc::mprotect(mapping, guard, libc::PROT_NONE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    /// The part above the guard page.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the `SIZE` bytes above the guard page are mapped, readable, writable and zero until `self`
        // is dropped, and borrowed from it mutably.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.cast::<u8>().add(self.guard), SIZE) }
    }
}

impl Drop for ChildStack {
    fn drop(&mut self) {
        // SAFETY: `self` owns the mapping, and no borrow of it is left.
        unsafe { libc::munmap(self.mapping, self.guard + SIZE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sched::{CloneFlags, clone};
    use nix::sys::signal::Signal;
    use nix::sys::wait::{WaitStatus, waitpid};

    /// The access rights of the mapping that holds an address, as `/proc/self/maps` shows them.
    fn access(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the mappings");
        let line = maps.lines().find(|line| {
            let (start, rest) = line.split_once('-').expect("a range");
            let (end, _) = rest.split_once(' ').expect("a range");
            let number = |hex| usize::from_str_radix(hex, 16).expect("an address");
            (number(start)..number(end)).contains(&address)
        });
        line.and_then(|line| line.split(' ').nth(1)).expect("a mapping").to_owned()
    }

    #[test]
    fn below_the_stack_is_a_page_that_cannot_be_accessed() {
        let mut stack = ChildStack::new().expect("a stack");
        let bottom = stack.as_mut_slice().as_ptr() as usize;
        assert_eq!(access(bottom), "rw-p");
        assert_eq!(access(bottom + SIZE - 1), "rw-p");
        assert_eq!(access(bottom - 1), "---p");
    }

    #[test]
    fn a_child_that_overflows_its_stack_is_ended() {
        fn recurse(depth: u64) -> u64 {
            let block = std::hint::black_box([depth; 64]);
            if depth == u64::MAX { 0 } else { recurse(depth + 1) + block[0] }
        }
        let mut stack = ChildStack::new().expect("a stack");
        let child = Box::new(|| {
            crate::signals::reset_handlers();
            isize::from(recurse(0) == 1)
        });
        let flags = CloneFlags::CLONE_VM | CloneFlags::CLONE_VFORK;
        // SAFETY: this thread waits for the child, which makes system calls and uses its own stack only.
        let pid = unsafe { clone(child, stack.as_mut_slice(), flags, Some(nix::libc::SIGCHLD)) }
            .expect("a child");
        let status = waitpid(pid, None).expect("its end");
        assert!(matches!(status, WaitStatus::Signaled(_, Signal::SIGSEGV, _)), "{status:?}");
    }
}
