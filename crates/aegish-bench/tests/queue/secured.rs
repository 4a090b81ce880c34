//! A Redis with TLS, client certificates and ACL users, and one behind Sentinels.

use crate::server::{RedisServer, free_port, wait_for};
use crate::{LEASE, Slow, assert_complete, coordinate, dataset, request};
use aegish_bench::queue::{Address, Certificates, Coordinator, QueueError, RunEnd, Worker};
use aegish_bench::run::Stopper;
use aegish_test_support::folder::Folder;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// An authority, and what it signed, as PEM.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        params.distinguished_name.push(DnType::CommonName, "authority");
        let key = KeyPair::generate().unwrap();
        Self { issuer: CertifiedIssuer::self_signed(params, key).unwrap() }
    }

    fn pem(&self) -> Vec<u8> {
        self.issuer.pem().into_bytes()
    }

    /// A certificate for this machine and its key.
    fn sign(&self) -> (Vec<u8>, Vec<u8>) {
        let key = KeyPair::generate().unwrap();
        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, "machine");
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.pem().into_bytes(), key.serialize_pem().into_bytes())
    }

    fn trusted_with(&self, client: Option<(Vec<u8>, Vec<u8>)>) -> Certificates {
        Certificates { trusted: Some(self.pem()), client }
    }
}

fn write(folder: &Folder, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.0.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// A Redis that takes only TLS with a client certificate, and a user `bench` with the password `s@cret`.
fn secured(folder: &Folder, authority: &Authority) -> Option<(RedisServer, u16)> {
    let (certificate, key) = authority.sign();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let port = free_port();
    let users = "--user default off --user bench on >s@cret ~aegish:bench:* +@all -@dangerous";
    let arguments = [
        "--port".to_owned(),
        "0".to_owned(),
        "--tls-port".to_owned(),
        port.to_string(),
        "--tls-cert-file".to_owned(),
        text(&write(folder, "server.pem", &certificate)),
        "--tls-key-file".to_owned(),
        text(&write(folder, "server.key", &key)),
        "--tls-ca-cert-file".to_owned(),
        text(&write(folder, "ca.pem", &authority.pem())),
        "--tls-auth-clients".to_owned(),
        "yes".to_owned(),
    ];
    let arguments: Vec<String> =
        arguments.into_iter().chain(users.split(' ').map(str::to_owned)).collect();
    let server = RedisServer::start_with(folder.0.join("redis"), port, &arguments)?;
    Some((server, port))
}

fn address(url: &str, certificates: Certificates) -> Address {
    url.parse::<Address>().unwrap().with_certificates(certificates).unwrap()
}

/// Announces a run, and takes it back.
fn try_out(address: &Address) -> (Result<(), QueueError>, Duration) {
    let start = Instant::now();
    let opened = Coordinator::open(address, "run", &request(), Arc::new(Stopper::default()));
    let took = start.elapsed();
    (opened.map(|opened| opened.close(RunEnd::Complete)), took)
}

/// Runs a set through the queue, with a worker in this process.
fn runs(folder: &Folder, address: &Address) {
    let set = dataset(folder, 30);
    let worker = Worker {
        address: address.clone(),
        name: "worker".to_owned(),
        lease: LEASE,
        connections: Some(4),
        until_done: true,
    };
    let serving =
        thread::spawn(move || worker.serve(&Arc::default(), &|_| Ok(Slow::system()), &|_| {}));
    let path = coordinate(address, &folder.0.join("logs"), &set, None);
    assert_complete(&path, 30);
    serving.join().unwrap().unwrap();
}

#[test]
fn a_run_goes_through_tls_with_a_client_certificate_and_an_acl_user() {
    let (folder, authority) = (Folder::new("queue-tls"), Authority::new());
    let Some((_server, port)) = secured(&folder, &authority) else { return };
    let own = authority.trusted_with(Some(authority.sign()));
    runs(&folder, &address(&format!("rediss://bench:s%40cret@127.0.0.1:{port}"), own));
}

#[test]
fn what_is_wrong_is_said_within_two_seconds() {
    let (folder, authority) = (Folder::new("queue-wrong"), Authority::new());
    let Some((mut server, port)) = secured(&folder, &authority) else { return };
    let own = || Some(authority.sign());
    let good = authority.trusted_with(own());
    let stranger = Authority::new();
    let secure = format!("rediss://bench:s%40cret@127.0.0.1:{port}");
    let refused = [
        ("an unknown server", secure.clone(), stranger.trusted_with(own()), "certificate"),
        ("no client certificate", secure.clone(), authority.trusted_with(None), "ertificate"),
        (
            "a client certificate of somebody else",
            secure.clone(),
            authority.trusted_with(Some(stranger.sign())),
            "alert",
        ),
        (
            "a wrong password",
            format!("rediss://bench:other@127.0.0.1:{port}"),
            good.clone(),
            "is the user or password wrong?",
        ),
        (
            "a user without a password",
            format!("rediss://bench@127.0.0.1:{port}"),
            good.clone(),
            "the password apart",
        ),
        (
            "another name",
            format!("rediss://bench:s%40cret@[::1]:{port}").replace("[::1]", "127.0.0.2"),
            good.clone(),
            "not valid for name",
        ),
        (
            "no certificate at all",
            secure.clone(),
            Certificates { trusted: Some(b"nothing".to_vec()), client: None },
            "certificate",
        ),
    ];
    for (what, url, certificates, said) in refused {
        let (outcome, took) = try_out(&address(&url, certificates));
        match outcome {
            Err(QueueError::Refused(why)) => {
                assert!(why.contains(said), "{what}: {why}");
                assert!(!why.contains("s@cret") && !why.contains("s%40cret"), "{what}: {why}");
            }
            // A server that listens on one address only.
            Err(QueueError::Unavailable(why)) if what == "another name" => {
                assert!(why.contains("refused"), "{why}");
            }
            other => panic!("{what}: {other:?}"),
        }
        assert!(took < Duration::from_secs(2), "{what}: {took:?}");
    }
    let plain = format!("redis://127.0.0.1:{port}");
    let (outcome, took) = try_out(&address(&plain, Certificates::default()));
    assert!(matches!(outcome, Err(QueueError::Unavailable(_))), "{outcome:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    server.kill();
    let (outcome, took) = try_out(&address(&secure, good));
    assert!(matches!(&outcome, Err(QueueError::Unavailable(why)) if why.contains("refused")));
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_server_that_never_answers_is_given_up_within_two_seconds() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    for scheme in ["redis", "rediss"] {
        let url = format!("{scheme}://:x@127.0.0.1:{port}");
        let (outcome, took) = try_out(&address(&url, Certificates::default()));
        assert!(
            matches!(&outcome, Err(QueueError::Unavailable(why)) if why.contains("in time")),
            "{outcome:?}"
        );
        assert!(took < Duration::from_millis(2500), "{took:?}");
    }
}

/// A Sentinel that is gone when its test is over.
struct Sentinel(Child);

impl Sentinel {
    fn start(folder: &Folder, port: u16, master: u16) -> Self {
        let text = format!(
            "port {port}\nbind 127.0.0.1\ndir {}\nsentinel monitor main 127.0.0.1 {master} 1\n\
             sentinel auth-pass main open\n",
            folder.0.display()
        );
        let file = write(folder, "sentinel.conf", text.as_bytes());
        let child = Command::new("redis-server")
            .arg(file)
            .arg("--sentinel")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(port);
        Self(child)
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn sentinels_say_where_the_server_is() {
    let folder = Folder::new("queue-sentinel");
    let master = free_port();
    let arguments =
        ["--port".to_owned(), master.to_string(), "--requirepass".to_owned(), "open".to_owned()];
    let Some(_server) = RedisServer::start_with(folder.0.join("redis"), master, &arguments) else {
        return;
    };
    let port = free_port();
    let _sentinel = Sentinel::start(&folder, port, master);
    // The first one is gone; the second one knows, and has no password of its own.
    let gone = free_port();
    let url = format!("redis+sentinel://:open@127.0.0.1:{gone},127.0.0.1:{port}/main");
    runs(&folder, &address(&url, Certificates::default()));
    let (outcome, _) = try_out(&address(&url.replace("/main", "/other"), Certificates::default()));
    assert!(
        matches!(&outcome, Err(QueueError::Refused(why)) if why.contains("no service other")),
        "{outcome:?}"
    );
}
