//! Questions of the line editor that bash answers between lines: completions, prompts, keys.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{getpgid, getpgrp};

use crate::ended::Ended;
use crate::report;
use crate::shell::Shell;
use crate::text::single_quoted;

/// How long bash may take to answer.
const TIMEOUT: Duration = Duration::from_secs(3);

const FUNCTIONS: [&str; 2] = [include_str!("complete.bash"), include_str!("ask.bash")];

impl Shell {
    /// Calls one of the driver's functions and returns the fields of its answer; nothing if it takes too long.
    pub(crate) fn ask(
        &mut self,
        function: &str,
        arguments: &[&str],
    ) -> Result<Option<Vec<String>>, Ended> {
        if !self.answers {
            for code in FUNCTIONS {
                self.define(code)?;
            }
            self.answers = true;
        }
        self.sequence += 1;
        let mut text = format!("{{ {function} {} {} ", self.mark, self.sequence).into_bytes();
        for argument in arguments {
            text.extend(single_quoted(argument.as_bytes()));
            text.push(b' ');
        }
        text.extend(b"; } 0</dev/null >/dev/null 2>&1; ");
        text.extend(self.wait_request(self.sequence).as_bytes());
        self.send(&text)?;
        self.waits = Some(self.sequence);
        let start = format!("{}{}\0", self.mark, self.sequence);
        let frame = move |bytes: &[u8]| answer(bytes, start.as_bytes()).map(Some);
        let found = self.receive(frame, Some(Instant::now() + TIMEOUT));
        if matches!(found, Ok(None)) {
            // Bash waits for the programs that it started for the answer.
            if let Ok(group) = getpgid(Some(self.pid))
                && group != getpgrp()
            {
                let _ = killpg(group, Signal::SIGINT);
            }
            // Bash starts a new line on the terminal when it is interrupted. A report shows that it has done so.
            self.look()?;
        }
        // A function that starts a program leaves the terminal with bash.
        if let Some(terminal) = &self.terminal {
            terminal.take_back()?;
        }
        found
    }
}

/// The fields of an answer that begins and ends as it should.
fn answer(bytes: &[u8], start: &[u8]) -> Option<Vec<String>> {
    let at = report::position(bytes, start)? + start.len();
    let body = bytes.get(at..)?.strip_suffix(b"\x01END\0")?;
    let fields =
        body.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    Some(fields.collect())
}
