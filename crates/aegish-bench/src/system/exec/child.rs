//! One child process: a line in, a line out, and certain termination.
//!
//! A thread writes and reads, because a program may stop doing either. The caller waits for the thread with a
//! time limit.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Maximum length of an answer: a verdict and a sentence.
const LONGEST_LINE: u64 = 1 << 20;
/// Bytes of standard error that are kept.
const KEPT_STDERR: usize = 2048;
/// How long a process may take to exit after its input is closed.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum ChildError {
    OutOfTime,
    Ended {
        status: Option<i32>,
        /// The last line of its standard error.
        said: String,
    },
    TooLong,
    NotText,
}

/// The result of the thread.
type ChildLine = Result<String, LineError>;

#[derive(Debug)]
enum LineError {
    Ended,
    TooLong,
    NotText,
}

/// A running program.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    questions: Option<SyncSender<String>>,
    answers: Receiver<ChildLine>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: Option<JoinHandle<()>>,
}

impl Child {
    pub(super) fn start(command: &str) -> io::Result<Self> {
        let mut process = Command::new("/bin/sh")
            .arg("-c")
            .arg(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: it can be killed with its children, and Ctrl-C does not reach it.
            .process_group(0)
            .spawn()?;
        let (questions, to_ask) = sync_channel::<String>(1);
        let (answered, answers) = sync_channel::<ChildLine>(1);
        let stderr = Arc::new(Mutex::new(Vec::new()));
        if let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) {
            drop(spawn(move || exchange_lines(input, output, &to_ask, &answered))?);
        }
        let mut stderr_reader = None;
        if let Some(errors) = process.stderr.take() {
            let kept = Arc::clone(&stderr);
            stderr_reader = Some(spawn(move || read_stderr(errors, &kept))?);
        }
        Ok(Self { process, questions: Some(questions), answers, stderr, stderr_reader })
    }

    /// Asks one question. After an error the process must not be used again.
    pub(super) fn ask(&mut self, question: String, time: Duration) -> Result<String, ChildError> {
        let sent = self.questions.as_ref().is_some_and(|ask| ask.send(question).is_ok());
        if !sent {
            return Err(self.ended());
        }
        match self.answers.recv_timeout(time) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(LineError::Ended)) | Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Ok(Err(LineError::TooLong)) => Err(ChildError::TooLong),
            Ok(Err(LineError::NotText)) => Err(ChildError::NotText),
            Err(RecvTimeoutError::Timeout) => Err(ChildError::OutOfTime),
        }
    }

    fn ended(&mut self) -> ChildError {
        self.questions = None;
        let status = wait(&mut self.process, EXIT_TIMEOUT);
        until(EXIT_TIMEOUT, || {
            self.stderr_reader.as_ref().is_none_or(JoinHandle::is_finished).then_some(())
        });
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&stderr);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let said = last.chars().filter(|c| !c.is_control()).take(300).collect();
        ChildError::Ended { status: status.map(code), said }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A well-behaved program exits when its input is closed.
        let busy = self.questions.take().is_none();
        if busy || wait(&mut self.process, EXIT_TIMEOUT).is_none() {
            end(&mut self.process);
        }
    }
}

/// The exit status as a shell counts it.
fn code(status: process::ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn wait(process: &mut process::Child, time: Duration) -> Option<process::ExitStatus> {
    until(time, || process.try_wait().ok().flatten())
}

/// Polls until there is a result or the time is up.
fn until<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    loop {
        let found = look();
        if found.is_some() || started.elapsed() >= time {
            return found;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Kills a process and its group.
fn end(process: &mut process::Child) {
    if let Ok(id) = i32::try_from(process.id()) {
        // The group id is the process id.
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
    let _ = process.kill();
    let _ = process.wait();
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().stack_size(128 << 10).spawn(work)
}

/// Passes questions and answers until one side ends.
fn exchange_lines(
    mut input: ChildStdin,
    output: ChildStdout,
    questions: &Receiver<String>,
    answers: &SyncSender<ChildLine>,
) {
    let mut output = BufReader::new(output);
    for mut question in questions {
        question.push('\n');
        let written = input.write_all(question.as_bytes()).and_then(|()| input.flush());
        // A program that has exited may have answered before.
        let answer = next_line(&mut output);
        let over = written.is_err() || answer.is_err();
        if answers.send(answer).is_err() || over {
            return;
        }
    }
}

/// The next line with something in it.
fn next_line(output: &mut impl BufRead) -> ChildLine {
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if !read.is_ok_and(|bytes| bytes > 0) {
            return Err(LineError::Ended);
        }
        if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST_LINE {
            return Err(LineError::TooLong);
        }
        let Ok(text) = String::from_utf8(line) else { return Err(LineError::NotText) };
        let text = text.trim();
        if !text.is_empty() {
            return Ok(text.to_owned());
        }
    }
}

/// Keeps the end of standard error.
fn read_stderr(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(read) = errors.read(&mut buffer) {
        if read == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let surplus = kept.len().saturating_sub(KEPT_STDERR);
        kept.drain(..surplus);
    }
}
