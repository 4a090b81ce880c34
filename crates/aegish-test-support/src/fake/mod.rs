//! A provider on the loopback: checks every request against the protocol's public description, then gives the
//! configured answer or failure. One thread per connection, no dependency.

pub mod answers;
pub mod batches;
pub mod shape;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use aegish_wire::{
    Client, Endpoint, EndpointSettings, Limits, Protocol, Request, Schema, TransportOptions,
};
use serde_json::{Value, json};

/// What arrived.
#[derive(Debug, Clone)]
pub struct FakeRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub text: String,
    pub body: Value,
}

impl FakeRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// How to answer.
#[derive(Debug, Clone)]
pub enum FakeAnswer {
    Reply {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// Nothing, for as long as the client waits.
    Hang,
    /// Half of the announced bytes, then the end.
    Half(String),
    /// Half of a chunked body, then the end.
    HalfChunk(String),
    /// A byte now and then.
    Drip(String),
    /// The end, at once.
    Close,
    /// Not HTTP.
    Noise,
}

impl FakeAnswer {
    pub fn json(status: u16, body: impl ToString) -> Self {
        Self::Reply {
            status,
            headers: vec![("content-type", "application/json".into())],
            body: body.to_string(),
        }
    }

    /// With the nonce of the request in place of [`NONCE`](answers::NONCE), if there is one.
    fn echoing(self, request: &FakeRequest) -> Self {
        let fill = |text: String| match nonce_of(&request.text) {
            Some(nonce) => text.replace(answers::NONCE, nonce),
            None => text,
        };
        match self {
            Self::Reply { status, headers, body } => {
                Self::Reply { status, headers, body: fill(body) }
            }
            Self::Half(body) => Self::Half(fill(body)),
            Self::HalfChunk(body) => Self::HalfChunk(fill(body)),
            Self::Drip(body) => Self::Drip(fill(body)),
            other @ (Self::Hang | Self::Close | Self::Noise) => other,
        }
    }

    pub fn with(self, name: &'static str, value: impl Into<String>) -> Self {
        match self {
            Self::Reply { status, mut headers, body } => {
                headers.push((name, value.into()));
                Self::Reply { status, headers, body }
            }
            other => other,
        }
    }
}

pub struct Fake {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<FakeRequest>>>,
}

type Script = dyn Fn(usize, &FakeRequest) -> FakeAnswer + Send + Sync;

impl Fake {
    /// Answers the n-th request with `script(n)`.
    pub fn start(
        script: impl Fn(usize, &FakeRequest) -> FakeAnswer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (shared, script): (_, Arc<Script>) = (Arc::clone(&seen), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, script) = (Arc::clone(&shared), Arc::clone(&script));
                thread::spawn(move || serve(&stream, &seen, &script));
            }
        });
        Self { address, seen }
    }

    pub fn always(answer: FakeAnswer) -> Self {
        Self::start(move |_, _| answer.clone())
    }

    pub fn seen(&self) -> Vec<FakeRequest> {
        self.seen.lock().expect("no panic").clone()
    }

    /// What arrived since the last call.
    pub fn take(&self) -> Vec<FakeRequest> {
        std::mem::take(&mut self.seen.lock().expect("no panic"))
    }

    /// An endpoint of a provider here.
    pub fn endpoint(&self, id: &str, path: &str) -> Endpoint {
        let settings = EndpointSettings {
            base_url: Some(format!("http://{}{path}", self.address)),
            ..EndpointSettings::default()
        };
        let keys =
            |name: &str| (name.contains("KEY") || name.contains("TOKEN")).then(|| KEY.to_owned());
        Endpoint::resolve(id, &keys, &settings).expect("an endpoint")
    }

    pub fn of(&self, protocol: Protocol) -> Endpoint {
        match protocol {
            Protocol::OpenAiChat => self.endpoint("openai/gpt-5.1", "/v1"),
            Protocol::OpenAiResponses => self.endpoint("openai/gpt-5.1-codex", "/v1"),
            Protocol::AnthropicMessages => self.endpoint("anthropic/claude-opus-4-6", ""),
            Protocol::Gemini => self.endpoint("google/gemini-3-flash-preview", ""),
            Protocol::BedrockConverse => self.endpoint("bedrock/amazon.nova-lite-v1:0", ""),
        }
    }
}

pub const KEY: &str = "sk-test-0123456789-abcdefghij";
pub const PROTOCOLS: [Protocol; 4] = [
    Protocol::OpenAiChat,
    Protocol::OpenAiResponses,
    Protocol::AnthropicMessages,
    Protocol::Gemini,
];

fn serve(stream: &TcpStream, seen: &Mutex<Vec<FakeRequest>>, script: &Arc<Script>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Some(request) = receive(&mut reader) {
        let number = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(request.clone());
            seen.len() - 1
        };
        let answer = match shape::check(&request) {
            Ok(()) => script(number, &request).echoing(&request),
            Err(why) => {
                FakeAnswer::json(418, json!({"error": {"message": format!("SHAPE: {why}")}}))
            }
        };
        if !send(stream, answer) {
            return;
        }
    }
}

/// The nonce that a message of the guard asks to be repeated.
pub fn nonce_of(request: &str) -> Option<&str> {
    let (before, _) = request.split_once(" begin ")?;
    let start = before.len().checked_sub(32)?;
    before.get(start..).filter(|nonce| nonce.chars().all(|digit| digit.is_ascii_hexdigit()))
}

fn receive(reader: &mut BufReader<&TcpStream>) -> Option<FakeRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(Some(0), |(_, value)| value.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let text = String::from_utf8(body).ok()?;
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Some(FakeRequest { method, path, headers, text, body })
}

/// Whether the connection stays open.
fn send(mut stream: &TcpStream, answer: FakeAnswer) -> bool {
    let head = |length: usize| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        )
    };
    match answer {
        FakeAnswer::Reply { status, headers, body } => {
            let mut text =
                format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                text.push_str(&format!("{name}: {value}\r\n"));
            }
            text.push_str("\r\n");
            text.push_str(&body);
            stream.write_all(text.as_bytes()).is_ok()
        }
        FakeAnswer::Hang => {
            let _ = stream.read(&mut [0]);
            false
        }
        FakeAnswer::Half(body) => {
            let _ = stream.write_all(head(body.len()).as_bytes());
            let _ = stream.write_all(&body.as_bytes()[..body.len() / 2]);
            false
        }
        FakeAnswer::HalfChunk(body) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
            let half = &body[..body.len() / 2];
            let _ = stream.write_all(format!("{head}{:x}\r\n{half}\r\n", half.len()).as_bytes());
            false
        }
        FakeAnswer::Drip(body) => {
            let _ = stream.write_all(head(body.len()).as_bytes());
            for byte in body.as_bytes() {
                thread::sleep(Duration::from_millis(25));
                if stream.write_all(&[*byte]).is_err() {
                    break;
                }
            }
            false
        }
        FakeAnswer::Close => false,
        FakeAnswer::Noise => {
            let _ = stream.write_all(b"\x00\x01 hello\r\n\r\n");
            false
        }
    }
}

/// Its properties are not in the order of the alphabet, on purpose.
pub const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"reason":{"type":"string"},"action":{"type":"string"}},"#,
    r#""required":["reason","action"],"additionalProperties":false}"#
);

/// A request that uses everything there is.
pub fn full() -> Request {
    let schema = Schema::parse("verdict", SCHEMA).expect("a schema");
    Request {
        seed: Some(42),
        temperature: Some(0.0),
        max_tokens: Some(300),
        effort: Some(aegish_wire::Effort::Low),
        schema: Some(schema),
        timeout: Duration::from_secs(10),
        ..Request::new("You judge.", "Validate this command: ls \"ä\"\n")
    }
}

/// Bounds that make a test fast.
pub fn quick(max_retries: u32) -> Limits {
    Limits {
        max_retries,
        base_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(4),
        deadline: Duration::from_secs(20),
        ..Limits::default()
    }
}

pub fn client(max_retries: u32) -> Client {
    Client::new(TransportOptions::default(), quick(max_retries))
}
