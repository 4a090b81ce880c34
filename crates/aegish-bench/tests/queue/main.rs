//! Runs on many machines: real processes with a real Redis, killed at any time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod secured;
mod server;

use aegish_bench::dataset::{Dataset, ReadOptions};
use aegish_bench::queue::{
    Address, Coordinator, RunEnd, RunRequest, WINDOW, Worker, WorkerEvent, fingerprint,
};
use aegish_bench::run::{
    Budget, OpenTask, Opened, Resume, RunSession, RunSettings, StopReason, Stopper, Task,
};
use aegish_bench::system::{Concurrency, Fault, System, SystemInfo, SystemReply};
use aegish_log::{Log, LogStatus};
use aegish_log::{Record, Sample};
use aegish_test_support::folder::Folder;
use server::RedisServer;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, thread};

/// Long enough to be killed during the run, short enough for a test.
const LEASE: Duration = Duration::from_millis(900);

/// Blocks every third command, after some milliseconds.
struct Slow {
    info: SystemInfo,
}

impl Slow {
    fn system() -> Arc<dyn System> {
        Arc::new(Self {
            info: SystemInfo::plain("slow/one", "slow", "generate", Concurrency::Adaptive),
        })
    }
}

impl System for Slow {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn ask(&self, sample: &Sample, epoch: u32, _time: Duration) -> Result<SystemReply, Fault> {
        let number: u64 = sample.id.parse().unwrap_or(0);
        thread::sleep(Duration::from_millis(3 + number % 11));
        let action = if (number + u64::from(epoch)).is_multiple_of(3) { "block" } else { "allow" };
        let text = format!("{{\"action\":\"{action}\",\"reason\":\"{number}\",\"confidence\":1}}");
        Ok(SystemReply::new(text, Duration::from_millis(5)))
    }
}

fn request() -> RunRequest {
    RunRequest {
        asks_as: None,
        system: "slow/one".to_owned(),
        prompt: None,
        step_by_step: false,
        bodies: false,
        seed: None,
        max_tokens: None,
        role: "default".to_owned(),
        time_limit: 180.0,
        max_retries: 3,
        retry_on_error: 5,
        fingerprint: fingerprint(Slow::system().info()),
    }
}

/// A set with this many commands.
fn dataset(folder: &Folder, count: u32) -> Dataset {
    let mut text = String::new();
    for number in 1..=count {
        let expect = if number.is_multiple_of(3) { "block" } else { "pass" };
        let _ = writeln!(
            text,
            "{{\"command\":\"echo {number}\",\"expect\":\"{expect}\",\"category\":\"c{}\"}}",
            number % 4
        );
    }
    let path = folder.write("set.jsonl", &text);
    Dataset::open(&path, ReadOptions::default()).unwrap()
}

fn task(set: &Dataset) -> Task {
    let settings = RunSettings { epochs: 2, max_connections: Some(4), ..RunSettings::default() };
    Task { system: Slow::system(), dataset: set.clone(), settings, expected_cost: 0.0 }
}

/// The log of the task: a new one, or that of an interrupted run.
fn open(logs: &Path, set: &Dataset) -> OpenTask {
    let mut session = RunSession::new(logs, Budget::default(), None);
    session.plan([&task(set)], &Resume::Interrupted).unwrap();
    match session.open(task(set)).unwrap() {
        Opened::Open(opened) => *opened,
        Opened::Finished(outcome) => panic!("{} is finished", outcome.path.display()),
    }
}

/// Runs a task through the queue in this process.
fn coordinate(address: &Address, logs: &Path, set: &Dataset, stop_after: Option<u64>) -> PathBuf {
    let opened = open(logs, set);
    let remote =
        Coordinator::open(address, opened.eval_id(), &request(), opened.stopper()).unwrap();
    let remote = Arc::new(remote);
    if let Some(answers) = stop_after {
        let (stop, progress) = (opened.stopper(), opened.progress());
        thread::spawn(move || {
            while progress.snapshot().done < answers {
                thread::sleep(Duration::from_millis(2));
            }
            stop.stop(StopReason::Cancelled);
        });
    }
    let outcome = opened.solved_by(remote.clone(), WINDOW).run().unwrap();
    remote.close(if outcome.reason.is_none() { RunEnd::Complete } else { RunEnd::Early });
    outcome.path
}

/// The records of a log by id and epoch; a repeated one is an error.
fn records(path: &Path) -> BTreeMap<(String, u32), Record> {
    let mut all = BTreeMap::new();
    for record in Log::open(path).unwrap().records().unwrap() {
        let record = record.unwrap();
        let key = (record.id.clone(), record.epoch);
        assert!(all.insert(key, record).is_none(), "a sample is there twice");
    }
    all
}

/// The parts of a record that must not depend on the machine.
fn essence(records: &BTreeMap<(String, u32), Record>) -> Vec<String> {
    let one = |record: &Record| {
        let Record { id, epoch, command, completion, answer, .. } = record;
        format!(
            "{id} {epoch} {command} {completion} {answer:?} {:?} {:?}",
            record.expected, record.category
        )
    };
    records.values().map(one).collect()
}

fn assert_complete(path: &Path, count: u32) -> BTreeMap<(String, u32), Record> {
    let header = Log::open(path).unwrap();
    assert_eq!(header.header().status, LogStatus::Success);
    let records = records(path);
    assert_eq!(records.len(), count as usize * 2, "a sample is missing");
    assert!(records.values().all(|record| record.error.is_none()));
    records
}

/// A worker in its own process: this test program, configured by the environment.
struct Process(Child);

impl Process {
    fn start(role: &str, address: &Address, more: &[(&str, &str)]) -> Self {
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "as_another_process", "--nocapture"])
            .env("AEGISH_TEST_ROLE", role)
            .env("AEGISH_TEST_QUEUE", address.to_string())
            .envs(more.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    fn worker(address: &Address) -> Self {
        Self::start("worker", address, &[])
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Does nothing unless another test starts it.
#[test]
fn as_another_process() {
    let Ok(role) = env::var("AEGISH_TEST_ROLE") else { return };
    let address: Address = env::var("AEGISH_TEST_QUEUE").unwrap().parse().unwrap();
    if role == "coordinator" {
        let logs = PathBuf::from(env::var_os("AEGISH_TEST_LOGS").unwrap());
        let set = PathBuf::from(env::var_os("AEGISH_TEST_SET").unwrap());
        let set = Dataset::open(&set, ReadOptions::default()).unwrap();
        coordinate(&address, &logs, &set, None);
        return;
    }
    let worker = Worker {
        address,
        name: format!("worker-{}", std::process::id()),
        lease: LEASE,
        connections: Some(4),
        until_done: false,
    };
    worker.serve(&Arc::default(), &|_| Ok(Slow::system()), &|_| {}).unwrap();
}

/// A Redis and a folder, or nothing if Redis is not installed.
fn stage(name: &str) -> Option<(Folder, RedisServer)> {
    let folder = Folder::new(&format!("queue-{name}"));
    let server = RedisServer::start(folder.0.join("redis"))?;
    Some((folder, server))
}

#[test]
fn many_machines_write_the_same_log_as_one() {
    let Some((folder, server)) = stage("same") else { return };
    let set = dataset(&folder, 150);
    let alone = open(&folder.0.join("one"), &set).run().unwrap();
    let _workers = [Process::worker(&server.address()), Process::worker(&server.address())];
    let path = coordinate(&server.address(), &folder.0.join("many"), &set, None);
    let many = assert_complete(&path, 150);
    assert_eq!(essence(&many), essence(&assert_complete(&alone.path, 150)));
    let (one, other) = (Log::open(&alone.path).unwrap(), Log::open(&path).unwrap());
    assert_eq!(one.header().eval.task_id, other.header().eval.task_id);
    assert_eq!(one.header().eval.dataset.samples, other.header().eval.dataset.samples);
    // Times are measured by the worker.
    assert!(many.values().all(|record| record.model_seconds == Some(0.005)));
    assert!(many.values().all(|record| record.working_seconds.is_some_and(|s| s < 1.0)));
    // The queue is empty afterwards.
    assert_eq!(server.keys(), "");
}

#[test]
fn a_worker_that_is_killed_loses_nothing() {
    let Some((folder, server)) = stage("workers") else { return };
    let set = dataset(&folder, 600);
    let address = server.address();
    let over = Arc::new(Stopper::default());
    let killer = thread::spawn({
        let (over, address) = (Arc::clone(&over), address.clone());
        move || {
            let mut workers = vec![Process::worker(&address), Process::worker(&address)];
            let mut kills = 0;
            while !over.is_over() {
                thread::sleep(Duration::from_millis(150 + kills * 37 % 200));
                if kills < 8 {
                    workers.remove(0).kill();
                    workers.push(Process::worker(&address));
                    kills += 1;
                }
            }
            kills
        }
    });
    let path = coordinate(&address, &folder.0.join("logs"), &set, None);
    over.cancel();
    assert!(killer.join().unwrap() >= 3, "nobody was killed");
    assert_complete(&path, 600);
}

#[test]
fn a_server_that_is_killed_and_comes_back_loses_nothing() {
    let Some((folder, mut server)) = stage("restart") else { return };
    let set = dataset(&folder, 600);
    let address = server.address();
    let _workers = [Process::worker(&address), Process::worker(&address)];
    let logs = folder.0.join("logs");
    let run = thread::spawn(move || coordinate(&address, &logs, &set, None));
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(400));
        server.kill();
        thread::sleep(Duration::from_millis(600));
        server.begin();
    }
    assert_complete(&run.join().unwrap(), 600);
}

#[test]
fn a_server_that_loses_its_data_costs_only_time() {
    let Some((folder, mut server)) = stage("forgets") else { return };
    let set = dataset(&folder, 200);
    let address = server.address();
    let _workers = [Process::worker(&address), Process::worker(&address)];
    let logs = folder.0.join("logs");
    let run = thread::spawn(move || coordinate(&address, &logs, &set, None));
    thread::sleep(Duration::from_millis(500));
    server.forget();
    assert_complete(&run.join().unwrap(), 200);
}

#[test]
fn a_killed_coordinator_is_resumed() {
    /// More samples than four short runs can finish, so that the last one resumes a log.
    const MANY: u32 = 1500;
    let Some((folder, server)) = stage("coordinator") else { return };
    let set = dataset(&folder, MANY);
    let address = server.address();
    let _workers = [Process::worker(&address), Process::worker(&address)];
    let logs = folder.0.join("logs");
    let (place, file) = (logs.display().to_string(), set.location.clone());
    for _ in 0..4 {
        let more = [("AEGISH_TEST_LOGS", place.as_str()), ("AEGISH_TEST_SET", file.as_str())];
        let mut first = Process::start("coordinator", &address, &more);
        thread::sleep(Duration::from_millis(300));
        first.kill();
    }
    let path = coordinate(&address, &logs, &set, None);
    assert_complete(&path, MANY);
    let logs = std::fs::read_dir(logs).unwrap().filter_map(Result::ok);
    let logs = logs.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "eval"));
    assert_eq!(logs.count(), 1, "one run, one log");
}

#[test]
fn a_stopped_run_is_resumed_without_asking_again() {
    let Some((folder, server)) = stage("stopped") else { return };
    let set = dataset(&folder, 200);
    let address = server.address();
    let _workers = [Process::worker(&address), Process::worker(&address)];
    let logs = folder.0.join("logs");
    let path = coordinate(&address, &logs, &set, Some(60));
    assert_eq!(Log::open(&path).unwrap().header().status, LogStatus::Cancelled);
    let before = records(&path).len();
    assert!((60..400).contains(&before), "{before}");
    assert_eq!(coordinate(&address, &logs, &set, None), path);
    assert_complete(&path, 200);
}

#[test]
fn a_worker_with_another_system_takes_no_part() {
    let Some((folder, server)) = stage("other") else { return };
    let set = dataset(&folder, 20);
    let address = server.address();
    let stop = Arc::new(Stopper::default());
    let (sender, events) = std::sync::mpsc::channel();
    let other = thread::spawn({
        let (address, stop) = (address.clone(), Arc::clone(&stop));
        move || {
            let worker = Worker {
                address,
                name: "other".to_owned(),
                lease: LEASE,
                connections: None,
                until_done: false,
            };
            let build = |_: &RunRequest| {
                let info =
                    SystemInfo::plain("slow/other", "slow", "generate", Concurrency::Adaptive);
                Ok(Arc::new(Slow { info }) as Arc<dyn System>)
            };
            worker.serve(&stop, &build, &|event| drop(sender.send(event)))
        }
    });
    let run = thread::spawn({
        let (address, logs) = (address.clone(), folder.0.join("logs"));
        move || coordinate(&address, &logs, &set, None)
    });
    let event = events.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(
        matches!(&event, WorkerEvent::Refused { why, .. } if why.contains("would not ask the same")),
        "{event:?}"
    );
    let _worker = Process::worker(&address);
    assert_complete(&run.join().unwrap(), 20);
    stop.cancel();
    other.join().unwrap().unwrap();
}

#[test]
fn a_worker_exits_with_the_last_run_if_asked_to() {
    let Some((folder, server)) = stage("until-done") else { return };
    let set = dataset(&folder, 30);
    let address = server.address();
    let worker = thread::spawn({
        let address = address.clone();
        move || {
            let name = "last".to_owned();
            let worker =
                Worker { address, name, lease: LEASE, connections: Some(2), until_done: true };
            worker.serve(&Arc::default(), &|_| Ok(Slow::system()), &|_| {})
        }
    });
    assert_complete(&coordinate(&address, &folder.0.join("logs"), &set, None), 30);
    let until = Instant::now() + Duration::from_secs(20);
    while !worker.is_finished() {
        assert!(Instant::now() < until, "the worker goes on");
        thread::sleep(Duration::from_millis(20));
    }
    worker.join().unwrap().unwrap();
}

#[test]
fn an_unreachable_queue_is_reported() {
    let address: Address = "redis://127.0.0.1:1".parse().unwrap();
    let error =
        Coordinator::open(&address, "x", &request(), Arc::default()).err().expect("an error");
    assert!(
        error.to_string().starts_with("the server cannot be reached: redis://127.0.0.1:1"),
        "{error}"
    );
}
