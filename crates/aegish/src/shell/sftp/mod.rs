//! A filter between an SFTP client and the real server: every request that names a file is judged.
//!
//! Takes the packets of the client and hands them to the server, except requests that the guard refuses: those are
//! answered with "permission denied". A request is judged as the command that does the same (`cat > FILE`, `mv A B`),
//! so that files mean the same here as at the prompt. Packets of the server are passed on unchanged.

mod request;

use super::text_guard::{Audience, TextGuard};
use super::{Failure, failed};
use aegish_guard::Analysis;
use aegish_terminal::complain;
use nix::sys::signal::{SigSet, SigmaskHow};
use nix::unistd::{dup2_stdin, dup2_stdout};
use request::RequestCommands;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The longest packet; OpenSSH takes none that is longer than 256 KiB.
const MAX_PACKET: u32 = 1024 * 1024;

/// Whether a text starts the server that sshd starts for `sftp` and `scp`.
pub(crate) fn is_served(analysis: &Analysis) -> bool {
    analysis.commands.iter().any(|command| command.program == Some("sftp-server"))
}

/// While it exists, standard input and output of this process, which the server inherits, go through the filter.
pub(crate) struct SftpFilter {
    stdin: File,
    stdout: File,
    replies: JoinHandle<()>,
}

impl SftpFilter {
    pub(crate) fn start() -> Result<Self, Failure> {
        Self::connect().map_err(|error| failed(format!("nothing was run: {error}")))
    }

    fn connect() -> io::Result<Self> {
        // Settings are only read while there is one thread.
        let guard = FileGuard::open();
        let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (server_reads, to_server) = io::pipe()?;
        let (from_server, server_writes) = io::pipe()?;
        dup2_stdin(&server_reads)?;
        dup2_stdout(&server_writes)?;
        let client = Arc::new(Mutex::new(stdout.try_clone()?));
        let requests = stdin.try_clone()?;
        // The thread that waits for the server receives the signals.
        let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        let replies = {
            let client = Arc::clone(&client);
            thread::spawn(move || pass_replies(from_server, &client))
        };
        thread::spawn(move || pass_requests(guard, requests, to_server, &client));
        mask.thread_set_mask()?;
        Ok(Self { stdin, stdout, replies })
    }

    /// Waits until the client has received everything that the server wrote.
    pub(crate) fn finish(self) {
        // All writers of the pipe have ended then.
        let _ = dup2_stdout(&self.stdout);
        let _ = dup2_stdin(&self.stdin);
        let _ = self.replies.join();
    }
}

/// The next packet, including its length; `None` at the end, and for an invalid length.
fn packet(from: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length).ok()?;
    let size = u32::from_be_bytes(length);
    if size == 0 || size > MAX_PACKET {
        return None;
    }
    let mut bytes = length.to_vec();
    from.take(u64::from(size)).read_to_end(&mut bytes).ok()?;
    (bytes.len() == size as usize + length.len()).then_some(bytes)
}

fn send(client: &Mutex<File>, bytes: &[u8]) -> io::Result<()> {
    client.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes)
}

fn pass_replies(mut from_server: PipeReader, client: &Mutex<File>) {
    while let Some(bytes) = packet(&mut from_server) {
        if send(client, &bytes).is_err() {
            return;
        }
    }
}

/// Ends when the client does. The end of its pipe then ends the server.
fn pass_requests(
    mut guard: FileGuard,
    mut from_client: File,
    mut to_server: PipeWriter,
    client: &Mutex<File>,
) {
    while let Some(bytes) = packet(&mut from_client) {
        let passed = match request::read(&bytes) {
            RequestCommands::Harmless => to_server.write_all(&bytes),
            RequestCommands::Unknown { id } => {
                send(client, &request::refusal(id, request::UNSUPPORTED))
            }
            RequestCommands::Does { id, commands }
                if commands.iter().all(|text| guard.allows(text)) =>
            {
                let _ = id;
                to_server.write_all(&bytes)
            }
            RequestCommands::Does { id, .. } => {
                send(client, &request::refusal(id, request::DENIED))
            }
        };
        if passed.is_err() {
            return;
        }
    }
}

/// Judges and records the effects of requests.
struct FileGuard {
    /// None if they cannot be judged or recorded: then every request is refused.
    guard: Option<TextGuard>,
}

impl FileGuard {
    fn open() -> Self {
        let guard = TextGuard::open().map(TextGuard::static_only);
        Self { guard: guard.inspect_err(|failure| complain(&failure.message)).ok() }
    }

    fn allows(&mut self, text: &[u8]) -> bool {
        let Some(guard) = &mut self.guard else { return false };
        match guard.judge(&[text.to_vec()], None, Audience::Terminal) {
            Ok(judged) => judged.answer.consent().is_some(),
            Err(failure) => {
                complain(&failure.message);
                false
            }
        }
    }
}
