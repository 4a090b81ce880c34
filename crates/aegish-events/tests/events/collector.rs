//! A collector on the loopback that takes, refuses or is gone.

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use prost::Message as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The status of a collector that takes requests and answers none.
const HANGS: u16 = 0;

/// How it answers requests for logs.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

#[derive(Default)]
struct Received {
    lines: Vec<String>,
    metrics: Vec<ExportMetricsServiceRequest>,
    authorization: Vec<String>,
    /// Requests that got no answer.
    held: usize,
}

#[derive(Clone)]
pub(crate) struct Collector {
    pub(crate) address: SocketAddr,
    answer: Arc<Mutex<Answer>>,
    received: Arc<Mutex<Received>>,
}

impl Collector {
    pub(crate) fn new() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap())
    }

    pub(crate) fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let collector = Self {
            address: listener.local_addr().unwrap(),
            answer: Arc::new(Mutex::new(Answer { status: 200, body: Vec::new() })),
            received: Arc::default(),
        };
        let own = collector.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                thread::spawn(move || while own.exchange(&stream).is_some() {});
            }
        });
        collector
    }

    pub(crate) fn answer(&self, status: u16, body: Vec<u8>) {
        *self.answer.lock().unwrap() = Answer { status, body };
    }

    pub(crate) fn hang(&self) {
        self.answer(HANGS, Vec::new());
    }

    /// How many requests were held so far.
    pub(crate) fn held(&self) -> usize {
        self.received.lock().unwrap().held
    }

    fn hangs(&self) -> bool {
        self.answer.lock().unwrap().status == HANGS
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The lines that were taken, in their order.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.received.lock().unwrap().lines.clone()
    }

    pub(crate) fn metrics(&self) -> Vec<ExportMetricsServiceRequest> {
        self.received.lock().unwrap().metrics.clone()
    }

    pub(crate) fn authorization(&self) -> Vec<String> {
        self.received.lock().unwrap().authorization.clone()
    }

    fn exchange(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_owned());
        }
        let header = |name: &str| {
            head.iter().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        assert_eq!(header("content-type").as_deref(), Some("application/x-protobuf"));
        let mut body = vec![0; header("content-length")?.parse().ok()?];
        reader.read_exact(&mut body).ok()?;
        if self.hangs() {
            self.received.lock().unwrap().held += 1;
            while self.hangs() {
                thread::sleep(Duration::from_millis(10));
            }
            return None;
        }
        let answer = if head[0].starts_with("POST /v1/logs ") {
            let answer = self.answer.lock().unwrap().clone();
            if answer.status == 200 {
                let mut received = self.received.lock().unwrap();
                received.authorization.extend(header("authorization"));
                received.lines.extend(bodies(&body));
            }
            answer
        } else {
            assert!(head[0].starts_with("POST /v1/metrics "), "{}", head[0]);
            let request = ExportMetricsServiceRequest::decode(body.as_slice()).unwrap();
            self.received.lock().unwrap().metrics.push(request);
            Answer { status: 200, body: Vec::new() }
        };
        let mut stream = stream;
        let length = answer.body.len();
        write!(stream, "HTTP/1.1 {} x\r\ncontent-length: {length}\r\n\r\n", answer.status).ok()?;
        stream.write_all(&answer.body).ok()
    }
}

fn bodies(request: &[u8]) -> Vec<String> {
    let request = ExportLogsServiceRequest::decode(request).unwrap();
    let records = request.resource_logs.into_iter().flat_map(|resource| resource.scope_logs);
    records
        .flat_map(|scope| scope.log_records)
        .map(|record| match record.body.unwrap().value.unwrap() {
            Value::StringValue(text) => text,
            other => panic!("{other:?}"),
        })
        .collect()
}
