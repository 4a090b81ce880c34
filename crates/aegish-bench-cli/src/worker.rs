//! `aegish bench worker`: asks for runs that were begun with `--queue` on other machines.

use crate::run::variable;
use aegish_bench::queue::{Address, Certificates, RunRequest, Worker, WorkerEvent};
use aegish_bench::run::stop_on_signals;
use aegish_bench::system::SystemName;
use aegish_terminal::{ExitKind, Failure, complain, visible};
use aegish_wire::{Client, Limits, TransportOptions};
use clap::Args;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, process};

#[derive(Args)]
pub(crate) struct WorkerOptions {
    /// Redis or Valkey: redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// with TLS,
    /// redis[s]+sentinel://HOST:PORT,…/SERVICE; a password may also stand in AEGISH_QUEUE_PASSWORD, files with
    /// certificates in AEGISH_QUEUE_CA, AEGISH_QUEUE_CERT and AEGISH_QUEUE_KEY
    #[arg(long, value_name = "URL")]
    queue: Address,
    /// Only runs of this system; may be repeated. `exec:` and `replay/` are served only if named here
    /// [default: models, static, guard]
    #[arg(long = "system", short, value_name = "SYSTEM")]
    systems: Vec<String>,
    /// Requests at once per run [default: found out, up to 100; programs: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    max_connections: Option<u32>,
    /// Seconds without a sign of life after which others take over
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    lease: u32,
    /// End when the last run has ended, instead of waiting for the next
    #[arg(long)]
    until_done: bool,
}

/// The address with the password and the certificates of the environment.
pub(crate) fn with_credentials(address: &Address) -> Result<Address, Failure> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let address = match set("AEGISH_QUEUE_PASSWORD") {
        Some(password) => address.clone().with_password(&password),
        None => address.clone(),
    };
    let read = |name: &str| {
        let Some(path) = set(name) else { return Ok(None) };
        let wrong = |error| Failure::usage(format!("{name}: {path} cannot be read: {error}"));
        fs::read(&path).map(Some).map_err(wrong)
    };
    let client = match (read("AEGISH_QUEUE_CERT")?, read("AEGISH_QUEUE_KEY")?) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => {
            let both = "AEGISH_QUEUE_CERT and AEGISH_QUEUE_KEY belong together; set both or none";
            return Err(Failure::usage(both.to_owned()));
        }
    };
    let certificates = Certificates { trusted: read("AEGISH_QUEUE_CA")?, client };
    address.with_certificates(certificates).map_err(|error| Failure::usage(error.to_string()))
}

pub(crate) fn run(options: &WorkerOptions) -> Result<ExitKind, Failure> {
    let allowed: Vec<SystemName> = options
        .systems
        .iter()
        .map(|word| word.parse().map_err(|error| Failure::usage(format!("{error}"))))
        .collect::<Result<_, _>>()?;
    let transport = TransportOptions::from_env(&variable)
        .map_err(|error| Failure::internal(format!("nothing was asked: {error}")))?;
    let client = Client::new(transport, Limits::default());
    let worker = Worker {
        address: with_credentials(&options.queue)?,
        name: name(),
        lease: Duration::from_secs(options.lease.into()),
        connections: options.max_connections,
        until_done: options.until_done,
    };
    let stop = Arc::default();
    if let Err(error) = stop_on_signals(&stop) {
        complain(&format!("Ctrl-C will end this worker without a last word: {error}"));
    }
    let build = |request: &RunRequest| {
        admit(request, &allowed)?;
        request.build(&variable, &client)
    };
    worker
        .serve(&stop, &build, &report)
        .map_err(|error| Failure::internal(format!("nothing more is asked: {error}")))?;
    Ok(ExitKind::Allow)
}

/// The queue is not trusted: it must not start programs or read files on this machine.
fn admit(request: &RunRequest, allowed: &[SystemName]) -> Result<(), String> {
    let name: SystemName = request.system.parse().map_err(|error| format!("{error}"))?;
    let risky = matches!(name, SystemName::Exec(_) | SystemName::Replay(_));
    if allowed.contains(&name) || (allowed.is_empty() && !risky) {
        return Ok(());
    }
    Err(format!("this worker does not serve it; start it with --system '{name}' if it should"))
}

/// A unique name, also among workers with the same process id on other machines.
fn name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}-{}-{:x}", host.trim(), process::id(), now.as_nanos())
}

fn report(event: WorkerEvent) {
    let line = match event {
        WorkerEvent::Began { run, system } => format!("asks {system} for run {run}"),
        WorkerEvent::Ended { run, answered, why } => {
            let why = why.map_or_else(String::new, |why| format!("; gave up: {why}"));
            format!("run {run}: {answered} answered{why}")
        }
        WorkerEvent::Refused { run, why } => format!("takes no part in run {run}: {why}"),
        WorkerEvent::Unavailable(why) => format!("waits for the queue: {why}"),
    };
    complain(&visible(&line));
}

#[cfg(test)]
mod tests {
    use super::admit;
    use aegish_bench::queue::RunRequest;

    fn request(system: &str) -> RunRequest {
        RunRequest {
            asks_as: None,
            system: system.to_owned(),
            prompt: None,
            step_by_step: false,
            bodies: false,
            seed: None,
            max_tokens: None,
            role: "default".to_owned(),
            time_limit: 1.0,
            max_retries: 0,
            retry_on_error: 0,
            fingerprint: String::new(),
        }
    }

    #[test]
    fn programs_and_files_are_served_only_if_the_command_line_names_them() {
        let allowed =
            |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<_>>();
        for system in ["static", "openai/gpt-5-mini", "guard"] {
            assert!(admit(&request(system), &[]).is_ok(), "{system}");
            assert!(admit(&request(system), &allowed(&["exec:true"])).is_err(), "{system}");
        }
        for system in ["exec:rm -r x", "replay//etc/passwd"] {
            assert!(admit(&request(system), &[]).is_err(), "{system}");
            assert!(admit(&request(system), &allowed(&["exec:other"])).is_err(), "{system}");
            assert!(admit(&request(system), &allowed(&[system])).is_ok(), "{system}");
        }
        assert!(admit(&request("nonsense"), &[]).is_err());
    }
}
