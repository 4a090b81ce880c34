//! A Redis for one test, which can be killed and started again.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) struct RedisServer {
    pub(crate) port: u16,
    dir: PathBuf,
    arguments: Vec<String>,
    child: Option<Child>,
}

impl RedisServer {
    /// Starts Redis on a free port with persistence; returns nothing if it is not installed.
    pub(crate) fn start(dir: PathBuf) -> Option<Self> {
        let port = free_port();
        Self::start_with(dir, port, &["--port".to_owned(), port.to_string()])
    }

    /// Starts Redis with these arguments, which say how it listens on this port.
    pub(crate) fn start_with(dir: PathBuf, port: u16, arguments: &[String]) -> Option<Self> {
        let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        if found.is_err() {
            println!("skipped: redis-server is not installed");
            return None;
        }
        fs::create_dir_all(&dir).expect("a folder");
        let mut server = Self { port, dir, arguments: arguments.to_vec(), child: None };
        server.begin();
        Some(server)
    }

    pub(crate) fn address(&self) -> aegish_bench::queue::Address {
        format!("redis://127.0.0.1:{}", self.port).parse().expect("an address")
    }

    pub(crate) fn begin(&mut self) {
        let child = Command::new("redis-server")
            .args(&self.arguments)
            .args(["--bind", "127.0.0.1", "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "everysec", "--daemonize", "no"])
            .arg("--dir")
            .arg(&self.dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        self.child = Some(child);
        wait_for(self.port);
    }

    /// Kills it, as a power failure would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Removes all its data.
    pub(crate) fn forget(&mut self) {
        self.kill();
        fs::remove_dir_all(&self.dir).expect("its files");
        fs::create_dir_all(&self.dir).expect("a folder");
        self.begin();
    }

    /// The names of all keys.
    pub(crate) fn keys(&self) -> String {
        let port = self.port.to_string();
        let output = Command::new("redis-cli").args(["-p", &port, "KEYS", "*"]).output();
        output.map_or_else(
            |_| String::new(),
            |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        )
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one").port()
}

/// Waits until something listens.
pub(crate) fn wait_for(port: u16) {
    let until = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "the server does not answer");
        thread::sleep(Duration::from_millis(20));
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.dir);
    }
}
