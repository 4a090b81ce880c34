//! Encrypted connections, with certificates made for each test: trusted only through the certificate file,
//! and through a proxy.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;
use std::{env, fs, process};

use aegish_wire::{Client, Endpoint, EndpointSettings, FailureKind, Protocol, TransportOptions};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::fake::answers::{CompletionEnd, reply};
use crate::fake::{full, quick};

/// A server for `name` with a fresh certificate; `tunnel` makes it answer as a proxy first.
struct Secure {
    address: SocketAddr,
    pem: String,
    lines: Receiver<String>,
}

fn secure(name: &str, tunnel: bool) -> Secure {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .expect("a usable certificate");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let (told, lines) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
            if tunnel {
                let Some(line) = head(&mut BufReader::new(&stream)) else { continue };
                let _ = told.send(line);
                let _ = (&stream).write_all(b"HTTP/1.1 200 Connected\r\n\r\n");
            }
            if let Some(line) = exchange(stream, &config) {
                let _ = told.send(line);
            }
        }
    });
    Secure { address, pem: made.cert.pem(), lines }
}

/// Reads the head of a request; returns its first line.
fn head(reader: &mut impl BufRead) -> Option<String> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|n| *n > 0)?;
    let mut line = String::new();
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    Some(first.trim_end().to_owned())
}

fn exchange(stream: TcpStream, config: &Arc<ServerConfig>) -> Option<String> {
    let session = ServerConnection::new(Arc::clone(config)).ok()?;
    let mut reader = BufReader::new(StreamOwned::new(session, stream));
    let first = head(&mut reader)?;
    let body = reply(Protocol::OpenAiChat, CompletionEnd::Good).to_string();
    let stream = reader.get_mut();
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length";
    write!(stream, "{head}: {}\r\n\r\n{body}", body.len()).ok()?;
    let _ = stream.read(&mut [0; 4096]);
    Some(first)
}

fn endpoint(base: String) -> Endpoint {
    let settings = EndpointSettings { base_url: Some(base), ..EndpointSettings::default() };
    Endpoint::resolve("openai/m", &|_| Some("k-0123456789".to_owned()), &settings)
        .expect("an endpoint")
}

fn ca_file(test: &str, pem: &str) -> PathBuf {
    let path = env::temp_dir().join(format!("aegish-wire-{test}-{}.pem", process::id()));
    fs::write(&path, pem).expect("a file");
    path
}

#[test]
fn a_certificate_in_the_file_is_trusted() {
    let server = secure("localhost", false);
    let path = ca_file("trusted", &server.pem);
    let client = Client::new(TransportOptions::default().with_ca_file(path.clone()), quick(0));
    let place = endpoint(format!("https://localhost:{}/v1", server.address.port()));
    let done = client.complete(&place, &full());
    fs::remove_file(path).expect("removed");
    done.expect("an answer");
    assert_eq!(server.lines.recv().expect("a line"), "POST /v1/chat/completions HTTP/1.1");
}

#[test]
fn an_unknown_certificate_is_refused_at_once() {
    let (server, other) = (secure("localhost", false), secure("localhost", false));
    let path = ca_file("unknown", &other.pem);
    let client = Client::new(TransportOptions::default().with_ca_file(path.clone()), quick(3));
    let place = endpoint(format!("https://localhost:{}/v1", server.address.port()));
    let failure = client.complete(&place, &full()).expect_err("untrusted");
    fs::remove_file(path).expect("removed");
    assert_eq!(
        (failure.kind, failure.attempts, failure.retryable),
        (FailureKind::Tls, 1, false),
        "{failure}"
    );
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let server = secure("elsewhere.example", false);
    let path = ca_file("name", &server.pem);
    let client = Client::new(TransportOptions::default().with_ca_file(path.clone()), quick(0));
    let place = endpoint(format!("https://localhost:{}/v1", server.address.port()));
    let failure = client.complete(&place, &full()).expect_err("another name");
    fs::remove_file(path).expect("removed");
    assert_eq!(failure.kind, FailureKind::Tls, "{failure}");
}

#[test]
fn a_proxy_is_asked_for_a_tunnel_and_sees_no_key() {
    let server = secure("models.example", true);
    let address = server.address.to_string();
    let env = move |name: &str| (name == "HTTPS_PROXY").then(|| format!("http://{address}"));
    let path = ca_file("proxy", &server.pem);
    let options = TransportOptions::from_env(&env).expect("a proxy").with_ca_file(path.clone());
    let done = Client::new(options, quick(0))
        .complete(&endpoint("https://models.example/v1".to_owned()), &full());
    fs::remove_file(path).expect("removed");
    done.expect("an answer through the proxy");
    assert_eq!(server.lines.recv().expect("a line"), "CONNECT models.example:443 HTTP/1.1");
    assert_eq!(server.lines.recv().expect("a line"), "POST /v1/chat/completions HTTP/1.1");
}
