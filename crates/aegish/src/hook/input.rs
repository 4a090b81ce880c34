//! Standard input of a hook: one object. The end of the object counts, because an agent may leave its end open.

use aegish_agents::{Agent, HookInput, MAX_HOOK_BYTES};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{self, Read};
use std::os::fd::AsFd;

/// How long nothing may arrive, in milliseconds. Then the call is refused.
const PATIENCE: u16 = 10_000;
const CHUNK: usize = 64 * 1024;

/// Reads the call, or says why it cannot be judged.
pub(super) fn read(agent: Agent) -> Result<HookInput, String> {
    let stdin = io::stdin();
    let mut bytes = Vec::new();
    loop {
        let mut polled = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        match poll(&mut polled, PollTimeout::from(PATIENCE)) {
            Ok(0) => return Err("the input of the hook does not come to an end".to_owned()),
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => continue,
            Err(error) => return Err(format!("the input of the hook cannot be read: {error}")),
        }
        let before = bytes.len();
        let read = stdin.lock().take(CHUNK as u64).read(tail(&mut bytes));
        bytes.truncate(before + read.as_ref().copied().unwrap_or(0));
        match read {
            Ok(0) => return parse(agent, &bytes),
            Ok(_) if bytes.len() > MAX_HOOK_BYTES => return parse(agent, &bytes),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("the input of the hook cannot be read: {error}")),
        }
        // Only a complete object is JSON, so nothing can be missing.
        if bytes.trim_ascii_end().ends_with(b"}")
            && let Ok(input) = aegish_agents::read(agent, &bytes)
        {
            return Ok(input);
        }
    }
}

/// Room for the next bytes.
fn tail(bytes: &mut Vec<u8>) -> &mut [u8] {
    let end = bytes.len();
    bytes.resize(end + CHUNK, 0);
    bytes.get_mut(end..).unwrap_or_default()
}

fn parse(agent: Agent, bytes: &[u8]) -> Result<HookInput, String> {
    aegish_agents::read(agent, bytes).map_err(|error| error.to_string())
}
