//! One answer of a model serves all machines; a server that is gone holds nothing up.

use aegish_fleet::{OpinionServer, SharedOpinions};
use aegish_judge::{CacheSettings, Evidence, Judge, JudgeSettings, OpinionSource, Ruling};
use aegish_policy::Role;
use aegish_redis::{Address, Certificates};
use aegish_test_support::fake::answers::{CompletionEnd, reply};
use aegish_test_support::fake::{Fake, FakeAnswer, KEY};
use aegish_test_support::folder::Folder;
use aegish_wire::{EndpointSettings, Protocol};
use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// A Redis that takes TLS only and wants a password.
struct Redis {
    child: Child,
    address: Address,
}

impl Redis {
    fn start(folder: &Folder) -> Option<Self> {
        let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        if found.is_err() {
            println!("skipped: redis-server is not installed");
            return None;
        }
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let pem = folder.write("server.pem", &made.cert.pem());
        let key = folder.write("server.key", &made.signing_key.serialize_pem());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("redis-server")
            .args(["--port", "0", "--tls-port", &port.to_string(), "--bind", "127.0.0.1"])
            .arg("--tls-cert-file")
            .arg(&pem)
            .arg("--tls-key-file")
            .arg(key)
            .arg("--tls-ca-cert-file")
            .arg(&pem)
            .args(["--tls-auth-clients", "no", "--save", "", "--requirepass", "s@cret"])
            .arg("--dir")
            .arg(&folder.0)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        let address: Address = format!("rediss://localhost:{port}").parse().unwrap();
        let trusted = Some(made.cert.pem().into_bytes());
        let address = address.with_password("s@cret");
        let certificates = Certificates { trusted, client: None };
        Some(Self { child, address: address.with_certificates(certificates).unwrap() })
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}

fn provider() -> Fake {
    let mut body = reply(Protocol::OpenAiChat, CompletionEnd::Good);
    let verdict = r#"{"action": "warn", "reason": "odd", "confidence": 0.9, "nonce": "(nonce)"}"#;
    body["choices"][0]["message"]["content"] = verdict.into();
    Fake::always(FakeAnswer::json(200, body))
}

/// A machine with files of its own.
fn machine(folder: &Folder, name: &str, provider: &Fake, server: &Address) -> Judge {
    let default = JudgeSettings::default();
    let address = EndpointSettings {
        base_url: Some(format!("http://{}/v1", provider.address)),
        ..EndpointSettings::default()
    };
    let settings = JudgeSettings {
        models: vec!["openai/gpt-5.1".to_owned()],
        endpoints: BTreeMap::from([("openai".to_owned(), address)]),
        timeout: Duration::from_secs(10),
        cache: CacheSettings { dir: Some(folder.0.join(name).join("cache")), ..default.cache },
        state_dir: Some(folder.0.join(name).join("state")),
        ..default
    };
    let keys = |name: &str| name.ends_with("_KEY").then(|| KEY.to_owned());
    let store = SharedOpinions::new(&OpinionServer::at(server.clone()));
    Judge::new(settings, &keys).with_store(Arc::new(store))
}

fn ask(judge: &Judge, command: &str) -> Ruling {
    judge.ask(&Evidence { command, ..Evidence::default() }, Role::Default)
}

#[test]
fn an_answer_on_one_machine_serves_the_others() {
    let folder = Folder::new("fleet-opinions");
    let Some(mut redis) = Redis::start(&folder) else { return };
    let provider = provider();
    let first = ask(&machine(&folder, "a", &provider, &redis.address), "eval \"$x\"");
    assert_eq!((first.source, first.notes), (OpinionSource::Model, vec![]));
    assert!(first.opinion.is_some());
    let other = machine(&folder, "b", &provider, &redis.address);
    let second = ask(&other, "eval \"$x\"");
    assert_eq!((second.source, provider.seen().len()), (OpinionSource::Cache, 1));
    assert_eq!(first.opinion, second.opinion);
    // Another command is another question.
    assert_eq!(ask(&other, "eval \"$y\"").source, OpinionSource::Model);
    // What it got is kept on the machine: the server is not needed any more.
    redis.stop();
    assert_eq!(ask(&other, "eval \"$x\"").source, OpinionSource::Cache);
    assert_eq!(provider.seen().len(), 2);
}

#[test]
fn a_server_that_is_gone_is_told_and_the_model_is_asked() {
    let folder = Folder::new("fleet-opinions-gone");
    let Some(mut redis) = Redis::start(&folder) else { return };
    let provider = provider();
    let judge = machine(&folder, "a", &provider, &redis.address);
    redis.stop();
    let ruling = ask(&judge, "eval \"$x\"");
    assert_eq!(ruling.source, OpinionSource::Model);
    assert!(ruling.opinion.is_some());
    let notes: Vec<String> = ruling.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("opinions are not shared")), "{notes:?}");
    // It is left alone for a while: the next question does not wait for it.
    let ruling = ask(&judge, "eval \"$y\"");
    assert_eq!((ruling.opinion.is_some(), ruling.notes), (true, vec![]));
}

#[test]
fn a_server_that_takes_connections_and_says_nothing_costs_less_than_two_seconds() {
    let folder = Folder::new("fleet-opinions-hangs");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("redis://{}", listener.local_addr().unwrap()).parse().unwrap();
    let provider = provider();
    let judge = machine(&folder, "a", &provider, &address);
    let ruling = ask(&judge, "eval \"$x\"");
    assert!(ruling.opinion.is_some());
    assert!(ruling.latency < Duration::from_secs(2), "{:?}", ruling.latency);
    assert_eq!(ruling.notes.len(), 1, "{:?}", ruling.notes);
    // The next question does not wait for it: nobody connects.
    listener.set_nonblocking(true).unwrap();
    while listener.accept().is_ok() {}
    assert!(ask(&judge, "eval \"$y\"").opinion.is_some());
    assert!(listener.accept().is_err(), "the server was asked again");
}

#[test]
fn what_somebody_else_put_there_is_no_opinion() {
    use aegish_judge::OpinionStore as _;
    let folder = Folder::new("fleet-opinions-forged");
    let Some(redis) = Redis::start(&folder) else { return };
    let provider = provider();
    let judge = machine(&folder, "a", &provider, &redis.address);
    ask(&judge, "eval \"$x\"");
    // The key is the name of the file of the local cache.
    let key = only_key(&folder);
    let store = SharedOpinions::new(&OpinionServer::at(redis.address.clone()));
    let entry = String::from_utf8(store.get(&key).unwrap().expect("it is shared")).unwrap();
    for forged in
        [entry.replace("0.", "1."), entry.replacen(&key, &"0".repeat(64), 1), String::new()]
    {
        store.put(&key, forged.as_bytes(), Duration::from_secs(60)).unwrap();
        let seen = provider.seen().len();
        let name = format!("m{seen}");
        let ruling = ask(&machine(&folder, &name, &provider, &redis.address), "eval \"$x\"");
        assert_eq!((ruling.source, provider.seen().len()), (OpinionSource::Model, seen + 1));
    }
}

fn only_key(folder: &Folder) -> String {
    let cache = folder.0.join("a/cache/verdicts-1");
    let dir = std::fs::read_dir(cache).unwrap().flatten().next().unwrap();
    let file = std::fs::read_dir(dir.path()).unwrap().flatten().next().unwrap();
    let text = |name: std::ffi::OsString| name.into_string().unwrap();
    text(dir.file_name()) + &text(file.file_name())
}
