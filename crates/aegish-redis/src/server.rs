//! A connection to a server, made when it is needed and again after it was lost.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use redis::{
    Client, ClientTlsConfig, Cmd, Connection, ConnectionAddr, ConnectionInfo, ErrorKind,
    FromRedisValue, Pipeline, RedisError, RedisResult, TlsCertificates,
};

use crate::address::Address;

/// How long a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For connecting, with TLS and login; it holds for each reply.
    pub connect: Duration,
    /// For a reply, in addition to the command's own wait.
    pub reply: Duration,
}

/// Temporary errors: the server is starting or failing over.
const TRANSIENT_ERRORS: [&str; 6] =
    ["LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN", "READONLY"];

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerError {
    /// The server cannot be reached or is not ready; a retry may help.
    Unavailable(String),
    /// The server has lost the stream.
    StreamLost,
    /// The server refused the command, or is not the one that was meant.
    Refused(String),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "the server cannot be reached: {why}"),
            Self::StreamLost => f.write_str("the server has forgotten the stream"),
            Self::Refused(why) => write!(f, "the server refuses: {why}"),
        }
    }
}

impl std::error::Error for ServerError {}

/// A server, connected when it is needed.
pub struct RedisServer {
    address: Address,
    timeouts: Timeouts,
    connection: Option<Connection>,
}

impl fmt::Debug for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl RedisServer {
    /// A server. Nothing is sent yet.
    #[must_use]
    pub fn new(address: &Address, timeouts: Timeouts) -> Self {
        Self { address: address.clone(), timeouts, connection: None }
    }

    /// One command.
    ///
    /// # Errors
    ///
    /// If the server did not do it.
    pub fn call<T: FromRedisValue>(&mut self, command: &[&[u8]]) -> Result<T, ServerError> {
        self.call_waiting(command, Duration::ZERO)
    }

    /// One command that itself waits up to `wait` for something to happen.
    ///
    /// # Errors
    ///
    /// If the server did not do it.
    pub fn call_waiting<T: FromRedisValue>(
        &mut self,
        command: &[&[u8]],
        wait: Duration,
    ) -> Result<T, ServerError> {
        self.exchange(wait, |connection| words(command).query(connection))
    }

    /// Commands that are executed all or not at all.
    ///
    /// # Errors
    ///
    /// If the server did not do them.
    pub fn transaction(&mut self, commands: &[Vec<&[u8]>]) -> Result<(), ServerError> {
        let mut all = Pipeline::new();
        all.atomic();
        for command in commands {
            all.add_command(words(command)).ignore();
        }
        self.exchange(Duration::ZERO, |connection| all.exec(connection))
    }

    fn exchange<T>(
        &mut self,
        wait: Duration,
        what: impl FnOnce(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, ServerError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let timed = connection.set_read_timeout(Some(wait + self.timeouts.reply));
        let outcome = timed.and_then(|()| what(&mut connection));
        let outcome = outcome.map_err(|error| self.classify(&error));
        // Only a connection that answered is used again, and not that to a server that is no longer the master.
        if !matches!(outcome, Err(ServerError::Unavailable(_))) {
            self.connection = Some(connection);
        }
        outcome
    }

    fn connect(&self) -> Result<Connection, ServerError> {
        let login = self.address.login();
        if login.username().is_some() && login.password().is_none() {
            let why = "the address has a user without a password; write USER:PASSWORD@HOST or give \
                       the password apart";
            return Err(ServerError::Refused(why.to_owned()));
        }
        let mut connection = match (&self.address.service, self.address.servers.first()) {
            (Some(service), _) => self.find_master(service)?,
            (None, Some(server)) => {
                self.open(server.clone()).map_err(|error| self.classify(&error))?
            }
            (None, None) => return Err(ServerError::Refused("no server is named".to_owned())),
        };
        self.begin(&mut connection, login.db()).map_err(|error| self.classify(&error))?;
        Ok(connection)
    }

    /// Selects the database, or finds out whether the server answers at all.
    fn begin(&self, connection: &mut Connection, database: i64) -> RedisResult<()> {
        connection.set_read_timeout(Some(self.timeouts.connect))?;
        connection.set_write_timeout(Some(self.timeouts.reply))?;
        let number = database.to_string();
        match database {
            0 => match words(&[b"PING"]).exec(connection) {
                // A user need not be allowed to do this.
                Err(error) if error.code() == Some("NOPERM") => Ok(()),
                other => other,
            },
            _ => words(&[b"SELECT", number.as_bytes()]).exec(connection),
        }
    }

    /// A connection with login, within the time limit, which holds for each reply. So nothing else is asked yet.
    fn open(&self, server: ConnectionInfo) -> RedisResult<Connection> {
        let login = server.redis_settings().clone().set_db(0).set_skip_set_lib_name();
        let server = server.set_redis_settings(login);
        let client = match server.addr() {
            ConnectionAddr::TcpTls { .. } => {
                let own = &self.address.certificates;
                let client_tls = own.client.clone();
                let certificates = TlsCertificates {
                    client_tls: client_tls.map(|(client_cert, client_key)| ClientTlsConfig {
                        client_cert,
                        client_key,
                    }),
                    root_cert: own.trusted.clone(),
                };
                Client::build_with_tls(server, certificates)?
            }
            _ => Client::open(server)?,
        };
        client.get_connection_with_timeout(self.timeouts.connect)
    }

    /// Asks the Sentinels for the server that is the master now, and connects to it.
    ///
    /// This is one command, asked here so that a Sentinel that hangs is left for the next one.
    fn find_master(&self, service: &str) -> Result<Connection, ServerError> {
        let mut last = ServerError::Unavailable("no Sentinel is named".to_owned());
        for sentinel in &self.address.servers {
            match self.ask_sentinel(sentinel, service) {
                Ok(Some((host, port))) => {
                    let addr = match sentinel.addr() {
                        ConnectionAddr::TcpTls { tls_params, .. } => ConnectionAddr::TcpTls {
                            host,
                            port,
                            insecure: false,
                            tls_params: tls_params.clone(),
                        },
                        _ => ConnectionAddr::Tcp(host, port),
                    };
                    let master = sentinel.clone().set_addr(addr);
                    return self.open(master).map_err(|error| self.classify(&error));
                }
                Ok(None) => {
                    last = ServerError::Refused(format!(
                        "{}: the Sentinels know no service {service}",
                        self.address
                    ));
                }
                Err(error) => last = self.classify(&error),
            }
        }
        Err(last)
    }

    fn ask_sentinel(
        &self,
        sentinel: &ConnectionInfo,
        service: &str,
    ) -> RedisResult<Option<(String, u16)>> {
        let mut connection = match self.open(sentinel.clone()) {
            // Most Sentinels have no login of their own.
            Err(error) if error.kind() == ErrorKind::AuthenticationFailed => {
                self.open(sentinel.clone().set_redis_settings(Default::default()))?
            }
            other => other?,
        };
        connection.set_read_timeout(Some(self.timeouts.connect))?;
        let question: [&[u8]; 3] = [b"SENTINEL", b"GET-MASTER-ADDR-BY-NAME", service.as_bytes()];
        words(&question).query(&mut connection)
    }

    fn classify(&self, error: &RedisError) -> ServerError {
        let whole = |what: &dyn fmt::Display| format!("{}: {what}", self.address);
        if let Some(errors) = error.clone().into_server_errors() {
            // The first one is the cause of the others.
            let Some((_, first)) = errors.first() else { return ServerError::StreamLost };
            return check_reply(first.code(), &whole(first));
        }
        match error.kind() {
            ErrorKind::AuthenticationFailed => ServerError::Refused(format!(
                "{}; is the user or password wrong?",
                whole(&error.detail().unwrap_or("the login was not accepted"))
            )),
            ErrorKind::InvalidClientConfig => ServerError::Refused(whole(error)),
            ErrorKind::Io if is_about_tls(error) => ServerError::Refused(whole(error)),
            ErrorKind::Io if error.is_timeout() => {
                ServerError::Unavailable(whole(&format!("no answer in time ({error})")))
            }
            _ => ServerError::Unavailable(whole(error)),
        }
    }
}

fn words(command: &[&[u8]]) -> Cmd {
    let mut all = Cmd::new();
    for word in command {
        all.arg(*word);
    }
    all
}

/// What an error of the server means, by its first word.
fn check_reply(code: &str, whole: &str) -> ServerError {
    match code {
        // The stream was deleted, before or during the wait.
        "NOGROUP" | "UNBLOCKED" => ServerError::StreamLost,
        _ if TRANSIENT_ERRORS.contains(&code) => ServerError::Unavailable(whole.to_owned()),
        _ => ServerError::Refused(format!("{code} at {whole}")),
    }
}

/// Whether one side does not accept the certificate of the other, or does not speak TLS.
fn is_about_tls(error: &RedisError) -> bool {
    let cause = std::error::Error::source(error)
        .and_then(|cause| cause.downcast_ref::<Arc<dyn std::error::Error + Send + Sync>>())
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::InvalidData)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_classified_by_their_first_word() {
        let lost = ServerError::StreamLost;
        assert_eq!(check_reply("NOGROUP", "no such key"), lost);
        assert_eq!(check_reply("UNBLOCKED", "the stream key no longer exists"), lost);
        for code in TRANSIENT_ERRORS {
            assert_eq!(check_reply(code, "x"), ServerError::Unavailable("x".to_owned()));
        }
        for code in ["BUSYGROUP", "WRONGPASS", "NOPERM", "ERR"] {
            assert_eq!(check_reply(code, "x"), ServerError::Refused(format!("{code} at x")));
        }
    }
}
