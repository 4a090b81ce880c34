//! A connection to a server that may be unavailable for a while: commands are retried until it is back.

use std::time::{Duration, Instant};
use std::{fmt, thread};

use super::address::Address;
use super::resp::{Connection, RespValue};
use crate::run::Stopper;

/// How long a server may be unavailable before it is an error.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(600);
/// How long a reply may take in addition to the command's own wait.
const REPLY_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Temporary errors: the server is starting or failing over.
const TRANSIENT_ERRORS: [&str; 6] =
    ["LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN", "READONLY"];

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueError {
    /// The server cannot be reached or is not ready; a retry may help.
    Unavailable(String),
    /// The server has lost the stream.
    StreamLost,
    /// The server refused the command.
    Refused(String),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "the queue cannot be reached: {why}"),
            Self::StreamLost => f.write_str("the queue has forgotten this run"),
            Self::Refused(why) => write!(f, "the queue refuses: {why}"),
        }
    }
}

impl std::error::Error for QueueError {}

/// A server, connected when it is needed.
#[derive(Debug)]
pub(super) struct RedisServer {
    address: Address,
    connection: Option<Connection>,
}

impl RedisServer {
    pub(super) fn new(address: &Address) -> Self {
        Self { address: address.clone(), connection: None }
    }

    /// One command.
    pub(super) fn call(&mut self, command: &[&[u8]]) -> Result<RespValue, QueueError> {
        self.call_waiting(command, Duration::ZERO)
    }

    /// One command that itself waits up to `wait` for something to happen.
    pub(super) fn call_waiting(
        &mut self,
        command: &[&[u8]],
        wait: Duration,
    ) -> Result<RespValue, QueueError> {
        let mut replies = self.exchange(&[command.to_vec()], wait)?;
        replies
            .pop()
            .map_or_else(|| Err(QueueError::Unavailable("no reply".to_owned())), check_reply)
    }

    /// Commands that are executed all or not at all.
    pub(super) fn transaction(&mut self, commands: &[Vec<&[u8]>]) -> Result<(), QueueError> {
        let mut all: Vec<Vec<&[u8]>> = vec![vec![b"MULTI"]];
        all.extend_from_slice(commands);
        all.push(vec![b"EXEC"]);
        let replies = self.exchange(&all, Duration::ZERO)?;
        // The error of a command that cannot be queued is clearer than the error of EXEC that it causes.
        for reply in replies {
            for part in check_reply(reply)?.into_list() {
                check_reply(part)?;
            }
        }
        Ok(())
    }

    fn exchange(
        &mut self,
        commands: &[Vec<&[u8]>],
        wait: Duration,
    ) -> Result<Vec<RespValue>, QueueError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let replies = connection
            .exchange(commands, wait + REPLY_TIMEOUT)
            .map_err(|error| self.unavailable(&error))?;
        // Only a connection that answered is used again.
        self.connection = Some(connection);
        Ok(replies)
    }

    fn connect(&self) -> Result<Connection, QueueError> {
        let mut connection =
            Connection::open(&self.address).map_err(|error| self.unavailable(&error))?;
        let database = self.address.database.to_string();
        let mut setup: Vec<Vec<&[u8]>> = Vec::new();
        if let Some(password) = &self.address.password {
            let mut login: Vec<&[u8]> = vec![b"AUTH"];
            login.extend(self.address.user.iter().map(String::as_bytes));
            login.push(password.as_bytes());
            setup.push(login);
        }
        if self.address.database > 0 {
            setup.push(vec![b"SELECT", database.as_bytes()]);
        }
        let replies =
            connection.exchange(&setup, REPLY_TIMEOUT).map_err(|error| self.unavailable(&error))?;
        for reply in replies {
            check_reply(reply)?;
        }
        Ok(connection)
    }

    fn unavailable(&self, error: &std::io::Error) -> QueueError {
        QueueError::Unavailable(format!("{}: {error}", self.address))
    }

    /// Retries until the server answers, the run is abandoned, or the timeout is reached.
    pub(super) fn retry<T>(
        &mut self,
        stop: &Stopper,
        mut what: impl FnMut(&mut Self) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let since = Instant::now();
        loop {
            match what(self) {
                Err(QueueError::Unavailable(why)) => {
                    if since.elapsed() > RECONNECT_TIMEOUT
                        || stop.is_abandoned(Duration::from_secs(10))
                    {
                        return Err(QueueError::Unavailable(why));
                    }
                    thread::sleep(RETRY_INTERVAL);
                }
                outcome => return outcome,
            }
        }
    }
}

fn check_reply(reply: RespValue) -> Result<RespValue, QueueError> {
    let RespValue::Error(text) = reply else { return Ok(reply) };
    // The first word is the kind of error.
    match text.split(' ').next().unwrap_or_default() {
        // The stream was deleted, before or during the wait.
        "NOGROUP" | "UNBLOCKED" => Err(QueueError::StreamLost),
        kind if TRANSIENT_ERRORS.contains(&kind) => Err(QueueError::Unavailable(text)),
        _ => Err(QueueError::Refused(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::{QueueError, check_reply};
    use crate::queue::resp::RespValue;

    #[test]
    fn errors_are_classified_by_their_first_word() {
        let kind = |text: &str| check_reply(RespValue::Error(text.to_owned())).unwrap_err();
        let loading = "LOADING Redis is loading the dataset in memory";
        assert_eq!(kind(loading), QueueError::Unavailable(loading.to_owned()));
        assert_eq!(kind("NOGROUP No such key"), QueueError::StreamLost);
        assert_eq!(kind("UNBLOCKED the stream key no longer exists"), QueueError::StreamLost);
        for refused in ["BUSYGROUP Consumer Group name already exists", "WRONGPASS no", "ERR x"] {
            assert_eq!(kind(refused), QueueError::Refused(refused.to_owned()));
        }
        assert_eq!(check_reply(RespValue::Nothing), Ok(RespValue::Nothing));
    }
}
