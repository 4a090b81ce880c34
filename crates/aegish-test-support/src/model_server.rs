//! A model server on the loopback: implements chat completions, answers at once or after a fixed delay, and
//! can fail in every configured way. One thread per connection, no dependency.
//!
//! The answer depends on the command alone, so that two runs of the same data set must agree. Used by the
//! tests, and as a program (`aegish-bench/examples/model-server.rs`) by `bench/speed`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerResponse {
    /// The answer, after the server's delay.
    Answer,
    /// `429`, with `Retry-After` in milliseconds if there is one.
    TooMany(Option<u64>),
    /// Another status with an error body.
    Status(u16),
    /// Nothing, for as long as the client waits.
    Hang,
    /// Half of the announced body, then the end.
    Truncate,
    /// The end, at once.
    Close,
    /// A reply that is no JSON.
    Garbage,
    /// A good reply without any text.
    Empty,
    /// A good reply without a verdict in it.
    Prose,
    /// The model's own filter.
    Filtered,
    /// The provider's filter: an error that says so.
    Refused,
}

/// The data of one request.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// Counted from 0 over the server's life.
    pub number: u64,
    /// How often this command was asked about before.
    pub before: u32,
    /// The command, as written in the JSON body.
    pub command: &'a str,
    /// The whole body.
    pub body: &'a [u8],
    /// Requests that are being answered now, this one included.
    pub in_flight: usize,
}

type Script = dyn Fn(ModelRequest<'_>) -> ServerResponse + Send + Sync;

/// Totals of a server's life.
#[derive(Debug, Default)]
pub struct ServerCounts {
    pub requests: AtomicU64,
    pub answers: AtomicU64,
    pub in_flight: AtomicUsize,
    pub most_in_flight: AtomicUsize,
    pub connections: AtomicU64,
}

struct ServerState {
    delay: Duration,
    script: Option<Box<Script>>,
    counts: ServerCounts,
    /// Empty without a script: a million commands need not be remembered for nothing.
    asked: Mutex<HashMap<String, u32>>,
    first: Mutex<Option<Instant>>,
    streams: Mutex<Vec<TcpStream>>,
    stopped: AtomicBool,
}

/// A running server; stops when dropped.
pub struct ModelServer {
    pub address: SocketAddr,
    shared: Arc<ServerState>,
}

impl ModelServer {
    /// Answers every request after `delay`.
    pub fn start(delay: Duration) -> io::Result<Self> {
        Self::at("127.0.0.1:0", delay, None)
    }

    /// Lets `script` decide about every request.
    pub fn scripted(
        script: impl Fn(ModelRequest<'_>) -> ServerResponse + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::at("127.0.0.1:0", Duration::ZERO, Some(Box::new(script)))
    }

    /// At a given address, for instance one that was in use before.
    pub fn at(address: &str, delay: Duration, script: Option<Box<Script>>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ServerState {
            delay,
            script,
            counts: ServerCounts::default(),
            asked: Mutex::default(),
            first: Mutex::default(),
            streams: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Ok(Self { address, shared })
    }

    pub fn counts(&self) -> &ServerCounts {
        &self.shared.counts
    }

    /// How often each command was asked about, if there is a script.
    pub fn asked(&self) -> HashMap<String, u32> {
        lock(&self.shared.asked).clone()
    }

    /// When the first request had arrived.
    pub fn first_request(&self) -> Option<Instant> {
        *lock(&self.shared.first)
    }

    /// The address for a compatible client.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Breaks every connection and frees the port.
    pub fn stop(&self) {
        if self.shared.stopped.swap(true, Ordering::SeqCst) {
            return;
        }
        for stream in lock(&self.shared.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the listener, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<ServerState>) {
    for stream in listener.incoming().flatten() {
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let _ = stream.set_nodelay(true);
        if let Ok(copy) = stream.try_clone() {
            lock(&shared.streams).push(copy);
        }
        shared.counts.connections.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(shared);
        let serving = thread::Builder::new().stack_size(128 << 10);
        let _ = serving.spawn(move || {
            let _ = Connection::new(stream, &shared).serve();
        });
    }
}

struct Connection<'s> {
    stream: TcpStream,
    shared: &'s ServerState,
    buffer: Vec<u8>,
    filled: usize,
    reply: Vec<u8>,
}

impl<'s> Connection<'s> {
    fn new(stream: TcpStream, shared: &'s ServerState) -> Self {
        Self { stream, shared, buffer: vec![0; 32 << 10], filled: 0, reply: Vec::new() }
    }

    fn serve(&mut self) -> io::Result<()> {
        while let Some((body, end)) = self.receive()? {
            if body.is_empty() {
                self.statistics()?;
            } else if !self.answer(body)? {
                return self.stream.shutdown(Shutdown::Both);
            }
            self.buffer.copy_within(end..self.filled, 0);
            self.filled -= end;
        }
        Ok(())
    }

    /// Reads one request; returns the range of its body and the start of the next request.
    fn receive(&mut self) -> io::Result<Option<(std::ops::Range<usize>, usize)>> {
        let mut head_end = None;
        loop {
            let seen = self.buffer.get(..self.filled).unwrap_or_default();
            if head_end.is_none() {
                head_end = find(seen, b"\r\n\r\n").map(|at| at + 4);
            }
            if let Some(start) = head_end {
                let length = content_length(seen.get(..start).unwrap_or_default());
                if self.filled >= start + length {
                    return Ok(Some((start..start + length, start + length)));
                }
            }
            if self.filled == self.buffer.len() {
                self.buffer.resize(self.filled * 2, 0);
            }
            let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
            match self.stream.read(room)? {
                0 => return Ok(None),
                more => self.filled += more,
            }
        }
    }

    /// Whether the connection stays open.
    fn answer(&mut self, body: std::ops::Range<usize>) -> io::Result<bool> {
        let shared = self.shared;
        let counts = &shared.counts;
        let number = counts.requests.fetch_add(1, Ordering::SeqCst);
        let in_flight = counts.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        counts.most_in_flight.fetch_max(in_flight, Ordering::SeqCst);
        if number == 0 {
            *lock(&shared.first) = Some(Instant::now());
        }
        let body = self.buffer.get(body).unwrap_or_default();
        let command = command(body);
        let verdict = verdict(command);
        let fate = match &shared.script {
            None => ServerResponse::Answer,
            Some(script) => {
                let command = std::str::from_utf8(command).unwrap_or_default();
                let before = {
                    let mut asked = lock(&shared.asked);
                    let times = asked.entry(command.to_owned()).or_default();
                    *times += 1;
                    *times - 1
                };
                script(ModelRequest { number, before, command, body, in_flight })
            }
        };
        if !shared.delay.is_zero() {
            thread::sleep(shared.delay);
        }
        let result = self.carry_out(fate, verdict);
        counts.in_flight.fetch_sub(1, Ordering::SeqCst);
        result
    }

    fn carry_out(&mut self, fate: ServerResponse, verdict: &str) -> io::Result<bool> {
        let error = r#"{"error":{"message":"as told","type":"test"}}"#;
        match fate {
            ServerResponse::Answer => {
                self.shared.counts.answers.fetch_add(1, Ordering::SeqCst);
                self.send(200, "", &completion(verdict, "stop"))?;
            }
            ServerResponse::TooMany(wait) => {
                let header = wait.map(|ms| format!("retry-after-ms: {ms}\r\n")).unwrap_or_default();
                self.send(429, &header, error)?;
            }
            ServerResponse::Status(status) => self.send(status, "", error)?,
            ServerResponse::Garbage => self.send(200, "", "this is no JSON")?,
            ServerResponse::Empty => self.send(200, "", &completion("", "stop"))?,
            ServerResponse::Prose => {
                self.send(200, "", &completion("I would rather not say.", "stop"))?;
            }
            ServerResponse::Filtered => self.send(200, "", &completion("", "content_filter"))?,
            ServerResponse::Refused => {
                let body = r#"{"error":{"message":"no","code":"content_filter"}}"#;
                self.send(400, "", body)?;
            }
            ServerResponse::Hang => {
                let _ = self.stream.set_read_timeout(Some(Duration::from_secs(30)));
                let _ = self.stream.read(&mut [0]);
                return Ok(false);
            }
            ServerResponse::Truncate => {
                let body = completion(verdict, "stop");
                let head = head(200, "", body.len());
                let half = body.get(..body.len() / 2).unwrap_or_default();
                self.stream.write_all(format!("{head}{half}").as_bytes())?;
                return Ok(false);
            }
            ServerResponse::Close => return Ok(false),
        }
        Ok(true)
    }

    fn send(&mut self, status: u16, header: &str, body: &str) -> io::Result<()> {
        self.reply.clear();
        self.reply.extend_from_slice(head(status, header, body.len()).as_bytes());
        self.reply.extend_from_slice(body.as_bytes());
        self.stream.write_all(&self.reply)
    }

    /// For scripts that start the server as a program: any request without a body.
    fn statistics(&mut self) -> io::Result<()> {
        let counts = &self.shared.counts;
        let of = |number: &AtomicU64| number.load(Ordering::SeqCst);
        let first = lock(&self.shared.first).map(|at| at.elapsed().as_secs_f64());
        let body = format!(
            r#"{{"requests":{},"answers":{},"connections":{},"most_in_flight":{},"first_seconds_ago":{}}}"#,
            of(&counts.requests),
            of(&counts.answers),
            of(&counts.connections),
            counts.most_in_flight.load(Ordering::SeqCst),
            first.map_or_else(|| "null".to_owned(), |seconds| seconds.to_string()),
        );
        self.send(200, "", &body)
    }
}

fn head(status: u16, header: &str, length: usize) -> String {
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n{header}content-length: {length}\r\n\r\n"
    )
}

fn completion(text: &str, finish: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        concat!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1770000000,"model":"loopback","#,
            r#""choices":[{{"index":0,"message":{{"role":"assistant","content":"{}"}},"finish_reason":"{}"}}],"#,
            r#""usage":{{"prompt_tokens":3300,"completion_tokens":30,"total_tokens":3330}}}}"#
        ),
        text, finish
    )
}

/// The verdict on a command: spread over the three actions, the same every time.
pub fn verdict(command: &[u8]) -> &'static str {
    let mut hasher = DefaultHasher::new();
    command.hash(&mut hasher);
    match hasher.finish() % 10 {
        0..=5 => r#"{"action":"block","reason":"as the hash says","confidence":0.9}"#,
        6..=7 => r#"{"action":"warn","reason":"as the hash says","confidence":0.6}"#,
        _ => r#"{"action":"allow","reason":"as the hash says","confidence":0.8}"#,
    }
}

const PHRASE: &[u8] = b"Validate this command: ";

/// The text after the phrase, up to the end of the JSON string that contains it.
fn command(body: &[u8]) -> &[u8] {
    let Some(at) = rfind(body, PHRASE) else { return &[] };
    let rest = body.get(at + PHRASE.len()..).unwrap_or_default();
    let mut escaped = false;
    let end = rest.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}

fn content_length(head: &[u8]) -> usize {
    let text = std::str::from_utf8(head).unwrap_or_default();
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    value.unwrap_or(0)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn rfind(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|window| window == part)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
