//! `aegish audit`: shows entries, verifies the log, and prints statistics.

mod show;
mod stats;

use crate::args::Format;
use crate::configuration;
use aegish_audit::{
    AuditLine, AuditLog, EventKind, Follow, JOURNAL_SOCKET, LogLocation, LogStart, Outlet,
    Recorder, SYSLOG_SOCKET, SYSTEM_DIR, Since, Size, Who, last_lines, lines, verify,
};
use aegish_config::{Config, Mode, SettingValue};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::{Args, Subcommand};
use nix::unistd::{User, geteuid};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(crate) use show::line as show_line;

/// Bytes of the file of accounts in which a name is looked for.
const MOST_ACCOUNTS: u64 = 1 << 20;

#[derive(Subcommand)]
pub(crate) enum AuditTask {
    /// The last entries
    Tail {
        /// How many
        #[arg(short = 'n', value_name = "N", default_value_t = 20)]
        lines: usize,
        /// Go on with those that come
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        which: Which,
        /// How to print them: json is the lines as they are
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// The verdicts that fit all that is asked for, oldest first
    Query(Box<Query>),
    /// Whether the log is what was written; names the first line that is not
    Verify {
        #[command(flatten)]
        which: Which,
    },
    /// The entries as events in a schema of others, one JSON object per line
    #[cfg(feature = "events")]
    Export {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        options: aegish_events::ExportOptions,
    },
    /// Send the entries to an OpenTelemetry collector, as logs and metrics; what it does not take waits in the log
    #[cfg(feature = "events")]
    Send {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        options: aegish_events::SendOptions,
    },
    /// What it adds up to: verdicts, rules, models, time and money
    Stats {
        #[command(flatten)]
        which: Which,
        /// Only from then on, e.g. `2h`, `7d`, `2026-02-08`
        #[arg(long, value_name = "TIME")]
        since: Option<Since>,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

/// Which log.
#[derive(Args)]
pub(crate) struct Which {
    /// Whose entries; in production whose log
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Another log than that of the configuration
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Query {
    #[command(flatten)]
    which: Which,
    /// The verdict
    #[arg(long, value_parser = ["allow", "warn", "block", "warn_overridden"])]
    action: Option<String>,
    /// Number or name of the rule
    #[arg(long)]
    rule: Option<String>,
    /// From then on, e.g. `2h`, `7d`, `2026-02-08`, `2026-02-08T12:30` (UTC)
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// The session
    #[arg(long)]
    session: Option<String>,
    /// A part of the command or the reason
    #[arg(long)]
    text: Option<String>,
    /// How to print them: json is the lines as they are
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(task: &AuditTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    match task {
        AuditTask::Tail { lines, follow, which, format } => {
            let path = which.path(&config)?;
            let log = Follow::open(&path).map_err(unread)?;
            let last = tail(&path, *lines, which, *format, screen)?;
            if *follow {
                return show::follow(log, last, which, *format, screen);
            }
            Ok(ExitKind::Allow)
        }
        AuditTask::Query(query) => query.run(&config, screen),
        AuditTask::Verify { which } => verified(&which.path(&config)?, screen),
        #[cfg(feature = "events")]
        AuditTask::Export { which, options } => {
            aegish_events::export(&which.path(&config)?, options)
        }
        #[cfg(feature = "events")]
        AuditTask::Send { which, options } => {
            let transport = configuration::transport(&config)?;
            aegish_events::send(&which.path(&config)?, options, transport, screen)
        }
        AuditTask::Stats { which, since, format } => {
            let path = which.path(&config)?;
            stats::run(&path, which, since.as_ref(), *format, screen)
        }
    }
}

fn unread(error: impl std::fmt::Display) -> Failure {
    Failure::internal(format!("the audit log was not read: {error}"))
}

impl Which {
    /// The path of the chosen log, if there is one.
    fn path(&self, config: &Config) -> Result<PathBuf, Failure> {
        let path = match &self.file {
            Some(path) => path.clone(),
            None => own_log(config, self.user.as_deref())?,
        };
        match aegish_audit::files(&path) {
            Ok(files) if files.is_empty() => Err(missing(&path)),
            Ok(_) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(&path)),
            Err(error) => Err(unread(error)),
        }
    }

    /// Whether a line matches the options. Lines that are not entries always do.
    fn wants(&self, line: &AuditLine) -> bool {
        match (&self.user, &line.entry) {
            (Some(user), Some(entry)) => entry.user == *user,
            _ => true,
        }
    }
}

fn missing(path: &Path) -> Failure {
    Failure::internal(format!("there is no audit log {}: nothing was recorded yet", path.display()))
}

/// The log of the configuration, of this user or, in production, of another one.
pub(crate) fn own_log(config: &Config, user: Option<&str>) -> Result<PathBuf, Failure> {
    let user = user.map_or_else(self::user, str::to_owned);
    let place = place(config, &user).ok_or_else(|| {
        Failure::usage("there is no place for an audit log: set HOME or AEGISH_AUDIT_DIR")
    })?;
    Ok(place.file().to_path_buf())
}

/// The path of a user's log.
pub(crate) fn place(config: &Config, user: &str) -> Option<LogLocation> {
    let set = config.get("AEGISH_AUDIT_DIR").map(PathBuf::from);
    match config.mode() {
        Mode::Development => {
            Some(LogLocation::own(set.or_else(|| Some(config.home()?.join(".aegish")))?, user))
        }
        Mode::Production => {
            Some(LogLocation::system(set.unwrap_or_else(|| PathBuf::from(SYSTEM_DIR)), user))
        }
    }
}

/// The user of this process, by name or number.
///
/// Most are in the file of accounts. The system's own search asks services before it reads that file, which takes a tenth
/// of the time in which a program starts.
pub(crate) fn user() -> String {
    let uid = geteuid();
    let elsewhere = || match User::from_uid(uid) {
        Ok(Some(user)) => user.name,
        Ok(None) | Err(_) => uid.to_string(),
    };
    listed_account(uid.as_raw()).unwrap_or_else(elsewhere)
}

/// The name of an account that the file of accounts lists.
fn listed_account(uid: u32) -> Option<String> {
    let mut text = Vec::new();
    File::open("/etc/passwd").ok()?.take(MOST_ACCOUNTS).read_to_end(&mut text).ok()?;
    // The last line may be cut off.
    let whole = text.iter().rposition(|byte| *byte == b'\n')?;
    let text = String::from_utf8_lossy(text.get(..whole)?);
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        // A sign leads to another service.
        let plain = !name.is_empty() && !name.starts_with(['+', '-']);
        (plain && number.parse() == Ok(uid)).then(|| name.to_owned())
    })
}

/// The log of a user who is about to log in to the guard, if it must exist before: in production only root can create it.
pub(crate) fn of_login(user: &str) -> Result<Option<LogLocation>, String> {
    let config = configuration::read().map_err(|problems| problems.to_string())?;
    let (file, _) = outlets(&config)?;
    let wanted = file && config.mode() == Mode::Production && config.word("AEGISH_AUDIT") != "off";
    Ok(place(&config, user).filter(|_| wanted))
}

/// Whether a file is written, and the other outlets for entries.
pub(crate) fn outlets(config: &Config) -> Result<(bool, Vec<Outlet>), String> {
    let Some(row) = config.row("AEGISH_AUDIT_OUTPUT") else { return Ok((true, Vec::new())) };
    let Some(SettingValue::List(words)) = &row.value else { return Ok((true, Vec::new())) };
    let mut file = false;
    let mut outlets = Vec::new();
    for word in words {
        match word.as_str() {
            "file" => file = true,
            "syslog" => outlets.push(Outlet::Syslog(SYSLOG_SOCKET.into())),
            "journald" => outlets.push(Outlet::Journal(JOURNAL_SOCKET.into())),
            other => {
                let name = row.setting.name;
                return Err(format!(
                    "{}: {name} has \"{other}\"; write file, syslog or journald",
                    row.place
                ));
            }
        }
    }
    Ok((file, outlets))
}

/// The recorder for the entries of a session; none if there is no path for its file.
pub(crate) fn recorder(config: &Config, who: Who) -> Result<Option<Recorder>, String> {
    let (file, outlets) = outlets(config)?;
    let size = Size {
        bytes: config.count("AEGISH_AUDIT_MAX_BYTES"),
        files: u32::try_from(config.count("AEGISH_AUDIT_FILES")).unwrap_or(u32::MAX),
    };
    let log = match place(config, &who.user) {
        Some(place) if file => Some(AuditLog::new(place, size)),
        None if file => return Ok(None),
        _ => None,
    };
    Ok(Some(Recorder::new(who, log, outlets)))
}

/// Shows the last entries, and gives the number of the last one.
fn tail(
    path: &Path,
    most: usize,
    which: &Which,
    format: Format,
    screen: &mut Screen,
) -> Result<u64, Failure> {
    let mut last = 0;
    for line in last_lines(path, most, |line| which.wants(line)).map_err(unread)? {
        show::line(&line, format, screen);
        last = line.entry.map_or(last, |entry| entry.seq);
    }
    Ok(last)
}

impl Query {
    fn run(&self, config: &Config, screen: &mut Screen) -> Result<ExitKind, Failure> {
        let path = self.which.path(config)?;
        lines(&path, |line| {
            if self.wants(&line) {
                show::line(&line, self.format, screen);
            }
            Ok(())
        })
        .map_err(unread)?;
        Ok(ExitKind::Allow)
    }

    fn wants(&self, line: &AuditLine) -> bool {
        let Some(entry) = &line.entry else { return false };
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let holds = |wanted: &str| {
            let texts = [&entry.command, &entry.reason];
            texts.into_iter().flatten().any(|text| text.contains(wanted))
        };
        entry.event == EventKind::Decision
            && self.which.wants(line)
            && is(&self.action, entry.action.map(|action| action.as_str()))
            && is(&self.session, Some(&entry.session))
            && (is(&self.rule, entry.rule.as_deref()) || is(&self.rule, entry.rule_name.as_deref()))
            && self.since.as_ref().is_none_or(|since| since.holds(&entry.timestamp))
            && self.text.as_deref().is_none_or(holds)
    }
}

fn verified(path: &Path, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let verified = match verify(path).map_err(unread)? {
        Ok(verified) => verified,
        Err(broken) => {
            screen.paint(Style::Bad, "broken").put("  ").put(visible(&broken.to_string())).end();
            return Ok(ExitKind::Failure);
        }
    };
    screen.paint(Style::Good, "whole").put(format_args!(
        "  {} entries in {} {}, the last is number {}",
        verified.entries,
        verified.files,
        if verified.files == 1 { "file" } else { "files" },
        verified.last
    ));
    screen.end();
    let place = |(file, line): &(PathBuf, u64)| visible(&format!("{}:{line}", file.display()));
    if let LogStart::Later(first) = verified.start {
        screen.put(format_args!("  begins with number {first}: what was before is gone")).end();
    }
    for torn in &verified.torn {
        screen.put(format_args!("  {}: was cut off, and closed later", place(torn))).end();
    }
    if let Some(last) = &verified.unfinished {
        screen.put(format_args!("  {}: is cut off; the next entry closes it", place(last))).end();
    }
    Ok(ExitKind::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_have_the_name_that_the_system_gives_them() {
        assert_eq!(listed_account(0).as_deref(), Some("root"));
        assert_eq!(listed_account(u32::MAX - 7), None);
        let told = User::from_uid(geteuid()).ok().flatten().map(|user| user.name);
        assert_eq!(told.unwrap_or_else(|| geteuid().to_string()), user());
    }
}
