//! Bundles over HTTPS and out of Git repositories.

use crate::{bundle, key};
use aegish_fleet::{BundleSource, fetch};
use aegish_test_support::folder::Folder;
use aegish_wire::TransportOptions;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::thread;

fn got(source: &str, options: TransportOptions) -> Result<String, String> {
    let source: BundleSource = source.parse().unwrap();
    fetch(&source, options).map(|bytes| String::from_utf8(bytes).unwrap())
}

/// A web server with a fresh certificate: gives the text, or 404.
fn server(text: String) -> (u16, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut reader = BufReader::new(StreamOwned::new(session, stream));
            let mut first = String::new();
            if reader.read_line(&mut first).is_err() {
                continue;
            }
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            let (status, body) =
                if first.contains("/bundle.toml ") { (200, text.as_str()) } else { (404, "") };
            let stream = reader.get_mut();
            let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n");
            let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
            let _ = stream.flush();
        }
    });
    (port, made.cert.pem())
}

#[test]
fn a_bundle_comes_over_https_from_a_server_that_is_trusted() {
    let folder = Folder::new("fleet-https");
    let text = bundle(&key(), 1, "");
    let (port, pem) = server(text.clone());
    let trusted = TransportOptions::default().with_ca_file(folder.write("ca.pem", &pem));
    let url = format!("https://localhost:{port}");
    assert_eq!(got(&format!("{url}/bundle.toml"), trusted.clone()), Ok(text));
    assert_eq!(got(&format!("{url}/other"), trusted), Err("the server answered 404".to_owned()));
    let (_, other) = server(String::new());
    let wrong = TransportOptions::default().with_ca_file(folder.write("other.pem", &other));
    let error = got(&format!("{url}/bundle.toml"), wrong).unwrap_err();
    assert!(error.contains("not to be trusted"), "{error}");
}

#[test]
fn a_bundle_comes_out_of_a_repository() {
    let folder = Folder::new("fleet-git");
    let repository = folder.0.join("policy");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&repository).args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    std::fs::create_dir_all(repository.join("acme")).unwrap();
    git(&["init", "--quiet", "--initial-branch=main"]);
    let text = bundle(&key(), 1, "");
    std::fs::write(repository.join("acme/bundle.toml"), &text).unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "policy"]);
    let url = format!("git+file://{}", repository.display());
    let options = TransportOptions::default;
    assert_eq!(got(&format!("{url}#main:acme/bundle.toml"), options()), Ok(text));
    for (wrong, what) in [("#main:none", "none"), ("#other:acme/bundle.toml", "other")] {
        let error = got(&format!("{url}{wrong}"), options()).unwrap_err();
        assert!(error.starts_with("git: ") && error.contains(what), "{error}");
    }
}

#[test]
fn a_file_that_is_not_there_is_told() {
    assert!(got("/nonexistent/bundle.toml", TransportOptions::default()).is_err());
}
