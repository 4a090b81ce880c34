//! A server that may be away for a while: commands are repeated until it is back.

use std::time::{Duration, Instant};
use std::{fmt, thread};

use super::address::Address;
use super::resp::{Connection, Value};
use crate::run::Stopper;

/// How long a server may be away before that is an error.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a reply may take beyond what a command waits by itself.
const REPLY: Duration = Duration::from_secs(30);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(200);

/// Errors that go away by themselves: the server starts, or hands its work over.
const PASSING: [&str; 6] = ["LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN", "READONLY"];

/// Why a command was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueError {
    /// The server is not there, or not ready; it may be later.
    Away(String),
    /// It has forgotten the stream.
    Forgotten,
    /// It refuses.
    Refused(String),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Away(why) => write!(f, "the queue cannot be reached: {why}"),
            Self::Forgotten => f.write_str("the queue has forgotten this run"),
            Self::Refused(why) => write!(f, "the queue refuses: {why}"),
        }
    }
}

impl std::error::Error for QueueError {}

/// A server, connected when it is needed.
#[derive(Debug)]
pub(super) struct Server {
    address: Address,
    connection: Option<Connection>,
}

impl Server {
    pub(super) fn new(address: &Address) -> Self {
        Self { address: address.clone(), connection: None }
    }

    /// One command.
    pub(super) fn call(&mut self, command: &[&[u8]]) -> Result<Value, QueueError> {
        self.call_waiting(command, Duration::ZERO)
    }

    /// One command that itself waits up to `wait` for something to happen.
    pub(super) fn call_waiting(
        &mut self,
        command: &[&[u8]],
        wait: Duration,
    ) -> Result<Value, QueueError> {
        let mut replies = self.exchange(&[command.to_vec()], wait)?;
        replies.pop().map_or_else(|| Err(QueueError::Away("no reply".to_owned())), judge)
    }

    /// Commands of which all are done or none.
    pub(super) fn together(&mut self, commands: &[Vec<&[u8]>]) -> Result<(), QueueError> {
        let mut all: Vec<Vec<&[u8]>> = vec![vec![b"MULTI"]];
        all.extend_from_slice(commands);
        all.push(vec![b"EXEC"]);
        let replies = self.exchange(&all, Duration::ZERO)?;
        // A command that cannot be queued says more than the EXEC that fails because of it.
        for reply in replies {
            for part in judge(reply)?.into_list() {
                judge(part)?;
            }
        }
        Ok(())
    }

    fn exchange(
        &mut self,
        commands: &[Vec<&[u8]>],
        wait: Duration,
    ) -> Result<Vec<Value>, QueueError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let replies =
            connection.exchange(commands, wait + REPLY).map_err(|error| self.away(&error))?;
        // Only a connection that answered is used again.
        self.connection = Some(connection);
        Ok(replies)
    }

    fn connect(&self) -> Result<Connection, QueueError> {
        let mut connection = Connection::open(&self.address).map_err(|error| self.away(&error))?;
        let database = self.address.database.to_string();
        let mut greetings: Vec<Vec<&[u8]>> = Vec::new();
        if let Some(password) = &self.address.password {
            let mut login: Vec<&[u8]> = vec![b"AUTH"];
            login.extend(self.address.user.iter().map(String::as_bytes));
            login.push(password.as_bytes());
            greetings.push(login);
        }
        if self.address.database > 0 {
            greetings.push(vec![b"SELECT", database.as_bytes()]);
        }
        let replies = connection.exchange(&greetings, REPLY).map_err(|error| self.away(&error))?;
        for reply in replies {
            judge(reply)?;
        }
        Ok(connection)
    }

    fn away(&self, error: &std::io::Error) -> QueueError {
        QueueError::Away(format!("{}: {error}", self.address))
    }

    /// Repeats something until the server is there, the run is over or patience ends.
    pub(super) fn insist<T>(
        &mut self,
        stop: &Stopper,
        mut what: impl FnMut(&mut Self) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let since = Instant::now();
        loop {
            match what(self) {
                Err(QueueError::Away(why)) => {
                    if since.elapsed() > PATIENCE || stop.is_abandoned(Duration::from_secs(10)) {
                        return Err(QueueError::Away(why));
                    }
                    thread::sleep(PAUSE);
                }
                outcome => return outcome,
            }
        }
    }
}

fn judge(reply: Value) -> Result<Value, QueueError> {
    let Value::Error(text) = reply else { return Ok(reply) };
    // The first word is the kind of error.
    match text.split(' ').next().unwrap_or_default() {
        // The stream went while somebody waited at it, or was gone before.
        "NOGROUP" | "UNBLOCKED" => Err(QueueError::Forgotten),
        kind if PASSING.contains(&kind) => Err(QueueError::Away(text)),
        _ => Err(QueueError::Refused(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::{QueueError, judge};
    use crate::queue::resp::Value;

    #[test]
    fn errors_are_told_apart_by_their_first_word() {
        let kind = |text: &str| judge(Value::Error(text.to_owned())).unwrap_err();
        let loading = "LOADING Redis is loading the dataset in memory";
        assert_eq!(kind(loading), QueueError::Away(loading.to_owned()));
        assert_eq!(kind("NOGROUP No such key"), QueueError::Forgotten);
        assert_eq!(kind("UNBLOCKED the stream key no longer exists"), QueueError::Forgotten);
        for refused in ["BUSYGROUP Consumer Group name already exists", "WRONGPASS no", "ERR x"] {
            assert_eq!(kind(refused), QueueError::Refused(refused.to_owned()));
        }
        assert_eq!(judge(Value::Nothing), Ok(Value::Nothing));
    }
}
