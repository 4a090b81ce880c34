//! `aegish trust`: script files that run without a question, known by the hash of their bytes.
//!
//! A trusted script lifts warnings about what the script does, never a block. The list of a user counts in development;
//! in production only root's list in `/etc/aegish` does.

use crate::args::Format;
use crate::user_rules::may_loosen;
use crate::{check, configuration, source};
use aegish_config::{Config, SystemDirectory};
use aegish_guard::{Action, Request, TextForm, check as judge};
use aegish_private_files::{Missing, Owner, read_regular, read_trusted, replace_file};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::Args;
use serde::Serialize;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf, absolute};

const NAME: &str = "trusted-scripts";
/// The longest list that is read: some 8,000 scripts.
const MAX_LIST: u64 = 1 << 20;
/// The longest script that is trusted; no longer one can be judged.
const MAX_SCRIPT: u64 = 1 << 20;

#[derive(Args)]
pub(crate) struct TrustOptions {
    /// The script files
    #[arg(value_name = "FILE", required_unless_present = "list")]
    files: Vec<PathBuf>,
    /// List the trusted scripts
    #[arg(long, conflicts_with_all = ["files", "remove"])]
    list: bool,
    /// Trust them no longer; a hash names a script whose file is gone
    #[arg(long)]
    remove: bool,
    /// For everybody on this machine, in production too: the list is root's
    #[arg(long)]
    system: bool,
    /// How to print the list
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "list")]
    format: Format,
}

/// A trusted script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct TrustedScript {
    /// Of its bytes: SHA-256, in hexadecimal.
    hash: String,
    /// Where it was when it was trusted.
    path: String,
}

/// Whose list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrustList {
    User,
    System,
}

/// The hashes of the scripts that are trusted here.
pub(crate) fn hashes(config: &Config) -> Vec<String> {
    let mut all = read(config, TrustList::System);
    if may_loosen(config) {
        all.extend(read(config, TrustList::User));
    }
    all.into_iter().map(|script| script.hash).collect()
}

pub(crate) fn run(options: &TrustOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let whose = if options.system { TrustList::System } else { TrustList::User };
    if options.list {
        return list(&config, options.format, screen);
    }
    if options.remove {
        return remove(&config, whose, &options.files, screen);
    }
    if whose == TrustList::User && !may_loosen(&config) {
        return Err(Failure::usage(
            "no script was trusted: in production only root trusts scripts: aegish trust --system …",
        ));
    }
    let mut scripts = Vec::new();
    for file in &options.files {
        scripts.extend(examined(&config, file, screen)?);
    }
    if !confirmed(screen)? {
        return Ok(ExitKind::Warn);
    }
    let mut all = read(&config, whose);
    for script in scripts {
        if !all.contains(&script) {
            all.push(script);
        }
    }
    write(&config, whose, &all)?;
    Ok(ExitKind::Allow)
}

/// The scripts that run when a file does, after their verdict was shown.
fn examined(
    config: &Config,
    file: &Path,
    screen: &mut Screen,
) -> Result<Vec<TrustedScript>, Failure> {
    let refused = |why: String| {
        Failure::usage(format!(
            "no script was trusted: {}: {why}",
            visible(&file.to_string_lossy())
        ))
    };
    let bytes = read_regular(file, None, MAX_SCRIPT)
        .map_err(|error| refused(error.problem().to_string()))?
        .ok_or_else(|| refused("there is no such file".to_owned()))?;
    let mut context = source::context(&source::surroundings(None));
    context.form = TextForm::ScriptFile;
    context.positional = None;
    let role = configuration::role(config)?;
    let decision = judge(&Request { text: &bytes, context: &context, role, user_rules: &[] });
    let path = absolute(file).unwrap_or_else(|_| file.to_owned());
    let path = path.to_string_lossy().into_owned();
    screen.paint(Style::Strong, visible(&path)).put("  ");
    check::heading(&decision, screen);
    if decision.action() == Action::Block {
        return Err(refused(format!(
            "it is blocked, and trust does not lift a block: it {}",
            decision.reason()
        )));
    }
    let hashes = decision.script_hashes(TextForm::ScriptFile).ok_or_else(|| {
        refused("it, or a file that it runs, cannot be read whole as UTF-8 text".to_owned())
    })?;
    let others = decision.analysis().scripts.iter().map(|script| script.path.clone());
    let mut scripts = Vec::new();
    for (path, hash) in std::iter::once(path).chain(others).zip(hashes) {
        if !scripts.is_empty() {
            screen.put("  it also runs ").put(visible(&path)).end();
        }
        scripts.push(TrustedScript { hash, path });
    }
    Ok(scripts)
}

/// Asks on the terminal. Without one nothing is saved, so that no program trusts a script.
fn confirmed(screen: &mut Screen) -> Result<bool, Failure> {
    let shown = std::mem::replace(screen, Screen::standard());
    shown.finish().map_err(|error| Failure::internal(format!("no script was trusted: {error}")))?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Failure::usage(
            "no script was trusted: a person has to confirm it at a terminal",
        ));
    }
    let mut output = io::stdout();
    let question = "Run it without asking, as long as not a byte changes? [y/N] ";
    let _ = write!(output, "{question}").and_then(|()| output.flush());
    let mut line = String::new();
    let _ = io::stdin().lock().read_line(&mut line);
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn list(config: &Config, format: Format, screen: &mut Screen) -> Result<ExitKind, Failure> {
    #[derive(Serialize)]
    struct Listed<'a> {
        #[serde(flatten)]
        script: &'a TrustedScript,
        whose: &'static str,
    }
    let (system, user) = (read(config, TrustList::System), read(config, TrustList::User));
    let system = system.iter().map(|script| Listed { script, whose: "system" });
    let user = user.iter().map(|script| Listed { script, whose: "user" });
    let all: Vec<Listed<'_>> = system.chain(user).collect();
    if format == Format::Json {
        let json = serde_json::to_string(&all)
            .map_err(|error| Failure::internal(format!("nothing was listed: {error}")))?;
        screen.put(json).end();
        return Ok(ExitKind::Allow);
    }
    if all.is_empty() {
        screen.put("no script is trusted; `aegish trust FILE` adds one").end();
    }
    for Listed { script, whose } in all {
        screen.put(&script.hash).put("  ").paint(Style::Strong, visible(&script.path));
        screen.paint(Style::Faint, format_args!("  {whose}")).end();
    }
    Ok(ExitKind::Allow)
}

fn remove(
    config: &Config,
    whose: TrustList,
    names: &[PathBuf],
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let mut all = read(config, whose);
    for name in names {
        let path = absolute(name).unwrap_or_else(|_| name.clone());
        let named = |script: &TrustedScript| {
            Path::new(&script.path) == path || Path::new(&script.hash) == name.as_path()
        };
        if !all.iter().any(named) {
            return Err(Failure::usage(format!(
                "nothing was removed: {} is not trusted; `aegish trust --list` shows what is",
                visible(&name.to_string_lossy())
            )));
        }
        for script in all.iter().filter(|script| named(script)) {
            screen.put("removed: ").put(visible(&script.path)).end();
        }
        all.retain(|script| !named(script));
    }
    write(config, whose, &all)?;
    Ok(ExitKind::Allow)
}

fn place(config: &Config, whose: TrustList) -> Option<PathBuf> {
    match whose {
        TrustList::System => Some(SystemDirectory::machine().dir().join(NAME)),
        TrustList::User => Some(config.state_dir()?.join(NAME)),
    }
}

/// The scripts of a list; none if others could have written it.
fn read(config: &Config, whose: TrustList) -> Vec<TrustedScript> {
    let owner = match whose {
        TrustList::System => Owner::Only(0),
        TrustList::User => Owner::user(),
    };
    let bytes = place(config, whose)
        .and_then(|path| read_trusted(&path, owner, Some(owner), MAX_LIST).ok().flatten());
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    text.lines().filter_map(script_of).collect()
}

/// `HASH  PATH`, as `sha256sum` prints it.
fn script_of(line: &str) -> Option<TrustedScript> {
    let (hash, path) = line.split_once("  ")?;
    let whole = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| TrustedScript { hash: hash.to_owned(), path: path.to_owned() })
}

fn write(config: &Config, whose: TrustList, scripts: &[TrustedScript]) -> Result<(), Failure> {
    let failed = |error: String| Failure::internal(format!("the list was not written: {error}"));
    let path = place(config, whose).ok_or_else(|| failed("there is no place; set HOME".into()))?;
    // A newline in a path would begin another entry.
    let line = |script: &TrustedScript| format!("{}  {}\n", script.hash, visible(&script.path));
    let text: String = scripts.iter().map(line).collect();
    let (mode, missing) = match whose {
        TrustList::User => (0o600, Missing::CreateAll),
        TrustList::System => {
            let dir = path.parent().unwrap_or(&path);
            std::fs::create_dir_all(dir).map_err(|error| failed(error.to_string()))?;
            (0o644, Missing::Fail)
        }
    };
    replace_file(&path, text.as_bytes(), mode, missing).map_err(|error| failed(error.to_string()))
}
