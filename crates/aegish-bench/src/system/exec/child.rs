//! One running program: a line in, a line out, and an end that is certain.
//!
//! A thread does the writing and reading, because a program may stop doing either; whoever asks waits for
//! that thread and no longer than it is allowed to.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// An answer is a verdict and a sentence.
const LONGEST_LINE: u64 = 1 << 20;
/// How much of what a program complains about is kept.
const KEPT_COMPLAINT: usize = 2048;
/// How long a program that has lost its input may take to end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Why there is no line.
#[derive(Debug)]
pub(super) enum Trouble {
    OutOfTime,
    Ended {
        status: Option<i32>,
        /// The last line of its standard error.
        said: String,
    },
    TooLong,
    NotText,
}

/// What the thread gives back.
type Line = Result<String, Broken>;

#[derive(Debug)]
enum Broken {
    Ended,
    TooLong,
    NotText,
}

/// A running program.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    questions: Option<SyncSender<String>>,
    answers: Receiver<Line>,
    complaint: Arc<Mutex<Vec<u8>>>,
    listener: Option<JoinHandle<()>>,
}

impl Child {
    pub(super) fn start(command: &str) -> io::Result<Self> {
        let mut process = Command::new("/bin/sh")
            .arg("-c")
            .arg(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its own group: it can be ended with all it has started, and Ctrl-C is for us alone.
            .process_group(0)
            .spawn()?;
        let (questions, to_ask) = sync_channel::<String>(1);
        let (answered, answers) = sync_channel::<Line>(1);
        let complaint = Arc::new(Mutex::new(Vec::new()));
        if let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) {
            drop(spawn(move || converse(input, output, &to_ask, &answered))?);
        }
        let mut listener = None;
        if let Some(errors) = process.stderr.take() {
            let kept = Arc::clone(&complaint);
            listener = Some(spawn(move || listen(errors, &kept))?);
        }
        Ok(Self { process, questions: Some(questions), answers, complaint, listener })
    }

    /// Asks one question. After any trouble the program is of no further use.
    pub(super) fn ask(&mut self, question: String, time: Duration) -> Result<String, Trouble> {
        let sent = self.questions.as_ref().is_some_and(|ask| ask.send(question).is_ok());
        if !sent {
            return Err(self.ended());
        }
        match self.answers.recv_timeout(time) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(Broken::Ended)) | Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Ok(Err(Broken::TooLong)) => Err(Trouble::TooLong),
            Ok(Err(Broken::NotText)) => Err(Trouble::NotText),
            Err(RecvTimeoutError::Timeout) => Err(Trouble::OutOfTime),
        }
    }

    fn ended(&mut self) -> Trouble {
        self.questions = None;
        let status = wait(&mut self.process, LAST_WORDS);
        until(LAST_WORDS, || {
            self.listener.as_ref().is_none_or(JoinHandle::is_finished).then_some(())
        });
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&complaint);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let said = last.chars().filter(|c| !c.is_control()).take(300).collect();
        Trouble::Ended { status: status.map(code), said }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Without input a well-behaved program ends by itself.
        let busy = self.questions.take().is_none();
        if busy || wait(&mut self.process, LAST_WORDS).is_none() {
            end(&mut self.process);
        }
    }
}

/// The status as a shell counts it.
fn code(status: process::ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn wait(process: &mut process::Child, time: Duration) -> Option<process::ExitStatus> {
    until(time, || process.try_wait().ok().flatten())
}

/// Looks again and again, for a short time.
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

/// Ends a program and all it has started.
fn end(process: &mut process::Child) {
    if let Ok(id) = i32::try_from(process.id()) {
        // Its group bears its id.
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
    let _ = process.kill();
    let _ = process.wait();
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().stack_size(128 << 10).spawn(work)
}

/// Until one side ends.
fn converse(
    mut input: ChildStdin,
    output: ChildStdout,
    questions: &Receiver<String>,
    answers: &SyncSender<Line>,
) {
    let mut output = BufReader::new(output);
    for mut question in questions {
        question.push('\n');
        let written = input.write_all(question.as_bytes()).and_then(|()| input.flush());
        // A program that has ended may have answered before.
        let answer = next_line(&mut output);
        let over = written.is_err() || answer.is_err();
        if answers.send(answer).is_err() || over {
            return;
        }
    }
}

/// The next line with something in it.
fn next_line(output: &mut impl BufRead) -> Line {
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if !read.is_ok_and(|bytes| bytes > 0) {
            return Err(Broken::Ended);
        }
        if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST_LINE {
            return Err(Broken::TooLong);
        }
        let Ok(text) = String::from_utf8(line) else { return Err(Broken::NotText) };
        let text = text.trim();
        if !text.is_empty() {
            return Ok(text.to_owned());
        }
    }
}

/// Keeps the end of what a program complains about.
fn listen(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(read) = errors.read(&mut buffer) {
        if read == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        let surplus = kept.len().saturating_sub(KEPT_COMPLAINT);
        kept.drain(..surplus);
    }
}
