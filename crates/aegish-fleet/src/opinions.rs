//! Opinions of models on a Redis server, for all machines that use it.
//!
//! The server may be gone: a question waits for it less than a second, and after that it is left alone for a while. The model is
//! asked instead, as without a server.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aegish_config::Config;
use aegish_judge::OpinionStore;
use aegish_redis::{Address, Certificates, RedisServer, ServerError, Timeouts};

const PREFIX: &str = "aegish:opinion:";
const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_millis(400), reply: Duration::from_millis(400) };
/// How long a server that failed is left alone.
const PAUSE: Duration = Duration::from_secs(30);

/// Where the server is.
#[derive(Debug, Clone)]
pub struct OpinionServer {
    address: Address,
}

impl OpinionServer {
    /// The server of the configuration, if there is one.
    ///
    /// # Errors
    ///
    /// If its address, password or certificates cannot be used.
    pub fn of(config: &Config) -> Result<Option<Self>, String> {
        let Some(text) = config.get("AEGISH_CACHE_SERVER") else { return Ok(None) };
        let mut address: Address =
            text.parse().map_err(|error| format!("AEGISH_CACHE_SERVER: {error}"))?;
        if let Some(path) = config.get("AEGISH_CACHE_PASSWORD_FILE") {
            let password = fs::read_to_string(&path)
                .map_err(|error| format!("AEGISH_CACHE_PASSWORD_FILE: {path}: {error}"))?;
            address = address.with_password(password.trim_end_matches(['\n', '\r']));
        }
        if let Some(path) = config.get("AEGISH_CA_FILE").map(PathBuf::from)
            && text.starts_with("rediss")
        {
            let trusted = fs::read(&path)
                .map_err(|error| format!("AEGISH_CA_FILE: {}: {error}", path.display()))?;
            let certificates = Certificates { trusted: Some(trusted), client: None };
            address = address.with_certificates(certificates).map_err(|error| error.to_string())?;
        }
        Ok(Some(Self { address }))
    }

    /// A server at an address.
    #[must_use]
    pub fn at(address: Address) -> Self {
        Self { address }
    }
}

/// The opinions on a server.
pub struct SharedOpinions {
    state: Mutex<ServerState>,
}

struct ServerState {
    server: RedisServer,
    /// No request before this moment.
    paused: Option<Instant>,
}

impl SharedOpinions {
    /// The opinions on a server. Nothing is sent before the first question.
    #[must_use]
    pub fn new(server: &OpinionServer) -> Self {
        let server = RedisServer::new(&server.address, TIMEOUTS);
        Self { state: Mutex::new(ServerState { server, paused: None }) }
    }

    /// One command. A server that is left alone answers nothing.
    fn call<T: aegish_redis::FromRedisValue>(&self, words: &[&[u8]]) -> Result<Option<T>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.paused.is_some_and(|until| Instant::now() < until) {
            return Ok(None);
        }
        match state.server.call(words) {
            Ok(reply) => {
                state.paused = None;
                Ok(Some(reply))
            }
            Err(error) => {
                if !matches!(error, ServerError::StreamLost) {
                    state.paused = Some(Instant::now() + PAUSE);
                }
                Err(format!("opinions are not shared: {error}"))
            }
        }
    }
}

impl OpinionStore for SharedOpinions {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let key = format!("{PREFIX}{key}");
        Ok(self.call::<Option<Vec<u8>>>(&[b"GET", key.as_bytes()])?.flatten())
    }

    fn put(&self, key: &str, entry: &[u8], time: Duration) -> Result<(), String> {
        let key = format!("{PREFIX}{key}");
        let seconds = time.as_secs().max(1).to_string();
        let command: [&[u8]; 5] = [b"SET", key.as_bytes(), entry, b"EX", seconds.as_bytes()];
        self.call::<()>(&command).map(drop)
    }
}
