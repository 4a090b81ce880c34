//! One run on many machines, through the streams of Redis or Valkey.
//!
//! The machine that was asked to run ([`Coordinator`]) puts questions into a stream and writes the log; workers
//! ([`Worker`]) take questions as a consumer group, ask, and put results into a second stream. The result is
//! added and the question removed in one transaction, so each is in exactly one of the two. A question whose
//! worker sends no heartbeat goes to another worker; a second result for a question is dropped. If the server
//! loses its data, the missing questions are queued again.

mod coordinator;
mod message;
mod worker;

pub use aegish_redis::{Address, BadAddress, Certificates, ServerError as QueueError};
pub use coordinator::{Coordinator, RunEnd, WINDOW};
pub use message::RunRequest;
pub use worker::{Build, Worker, WorkerEvent};

use std::thread;
use std::time::{Duration, Instant};

use aegish_redis::{RedisServer, Timeouts};

use crate::run::{Stopper, ids};
use crate::system::SystemInfo;

/// The runs that wait for workers: a hash from run to request.
const RUNS: &str = "aegish:bench:runs";
/// The consumer group of all workers of a run.
const GROUP: &str = "workers";
/// The only field of an entry.
const FIELD: &str = "json";

/// A wrong address is noticed within two seconds.
const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_millis(1800), reply: Duration::from_secs(30) };
/// How long a server may be unavailable before it is an error.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(600);
/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// A connection to the queue.
fn connection(address: &Address) -> RedisServer {
    RedisServer::new(address, TIMEOUTS)
}

/// Retries until the server answers, the run is abandoned, or the timeout is reached.
fn retry<T>(
    server: &mut RedisServer,
    stop: &Stopper,
    mut what: impl FnMut(&mut RedisServer) -> Result<T, QueueError>,
) -> Result<T, QueueError> {
    let since = Instant::now();
    loop {
        match what(server) {
            Err(QueueError::Unavailable(why)) => {
                if since.elapsed() > RECONNECT_TIMEOUT || stop.is_abandoned(Duration::from_secs(10))
                {
                    return Err(QueueError::Unavailable(why));
                }
                thread::sleep(RETRY_INTERVAL);
            }
            outcome => return outcome,
        }
    }
}

/// The streams of a run. The braces keep them on one node of a cluster.
#[derive(Debug, Clone)]
struct Keys {
    jobs: String,
    results: String,
}

impl Keys {
    fn new(run: &str) -> Self {
        let stream = |what: &str| format!("aegish:bench:{{{run}}}:{what}");
        Self { jobs: stream("jobs"), results: stream("results") }
    }
}

/// A hash of everything that determines a system's answers. A worker with another hash must not take part.
#[must_use]
pub fn fingerprint(info: &SystemInfo) -> String {
    let prompt = info.prompt.as_ref().map_or("", |prompt| prompt.sha256.as_str());
    ids::of(&[
        env!("CARGO_PKG_VERSION"),
        &info.model,
        info.base_url.as_deref().unwrap_or_default(),
        prompt,
        &info.solvers.join(","),
        &serde_json::Value::Object(info.generate.clone()).to_string(),
        &serde_json::Value::Object(info.metadata.clone()).to_string(),
    ])
}

/// An entry of a stream: its id and its text.
type Entry = (String, String);

/// A reply to XREAD or XREADGROUP: streams with their entries, or nothing.
type Streams = Option<Vec<(String, Vec<aegish_redis::Value>)>>;

/// The entries in a reply to XRANGE, or in one stream's part of a reply to XREAD.
fn entries(list: Vec<aegish_redis::Value>) -> Vec<Entry> {
    let entry = |value: aegish_redis::Value| -> Option<Entry> {
        // An entry that was removed while it was read has no fields.
        let (id, fields): (String, Option<Vec<String>>) =
            aegish_redis::from_redis_value(value).ok()?;
        Some((id, fields?.into_iter().nth(1)?))
    };
    list.into_iter().filter_map(entry).collect()
}

/// The entries in a reply to XREAD or XREADGROUP of one stream.
fn first_stream(reply: Streams) -> Vec<Entry> {
    let first = reply.into_iter().flatten().next();
    first.map(|(_, list)| entries(list)).unwrap_or_default()
}
