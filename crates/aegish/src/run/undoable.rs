//! A run that can be undone: prepared before it, shown and decided about after it.

use super::affected::Affected;
use crate::shell::ask_line;
use aegish_config::Config;
use aegish_guard::Analysis;
use aegish_terminal::{Failure, Screen, Style, complain, visible};
use aegish_undo::{
    Change, Changed, DiffLine, Error, Method, Recovered, Run, Store, Subject, line_diff,
};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MEBIBYTE: u64 = 1 << 20;
/// The most changed paths that are listed.
const MOST_LISTED: usize = 40;
/// The longest file whose difference is shown.
const LONGEST_TEXT: u64 = 1 << 20;
/// The most lines of differences that are shown.
const MOST_LINES: usize = 60;

/// What happens to the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Afterwards {
    /// A person decides; without one they are kept.
    Ask,
    Keep,
    Discard,
}

/// How changes can be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// The bash of this run starts now.
    OverlayOrCopies,
    /// The bash of the session runs already, and sees the real files.
    Copies,
}

/// The store of this user.
pub(crate) fn store(config: &Config) -> Store {
    let own = config.state_dir().map(|dir| dir.join("undo"));
    let other = elsewhere(own.as_deref());
    Store {
        places: own.into_iter().chain([other]).collect(),
        kept_for: Duration::from_secs(config.limit("AEGISH_UNDO_TIME").unwrap_or_default()),
        most: config.count("AEGISH_UNDO_SIZE").saturating_mul(MEBIBYTE),
    }
}

/// A place outside the home directory, which may be covered itself. Each home directory of a user has its own.
fn elsewhere(own: Option<&Path>) -> PathBuf {
    let name = own.map(|own| own.as_os_str().as_bytes()).unwrap_or_default();
    // FNV-1a: the same in every version of the guard.
    let number = name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    PathBuf::from(format!("/var/tmp/aegish-undo-{}-{number:016x}", nix::unistd::geteuid()))
}

/// Finishes what a crash cut off, and says so.
pub(crate) fn recover(config: &Config) {
    for done in store(config).recover() {
        match done {
            Recovered::Applied(id) => complain(&format!("the changes of run {id} are finished")),
            Recovered::Reverted(id) => complain(&format!("run {id} is undone")),
            Recovered::Failed(id, error) => {
                complain(&format!(
                    "run {id} is half kept or undone, and cannot be finished: {error}"
                ));
            }
        }
    }
}

/// Prepares a run. Says what is covered.
pub(crate) fn begin(
    analysis: &Analysis,
    text: &[u8],
    cwd: &Path,
    config: &Config,
    means: Means,
) -> Result<Run, Failure> {
    recover(config);
    let affected = Affected::of(analysis, cwd);
    let subject =
        Subject { command: String::from_utf8_lossy(text).into_owned(), cwd: cwd.to_owned() };
    let store = store(config);
    let run = match means {
        Means::Copies => store.begin_copies(subject, &affected.paths),
        Means::OverlayOrCopies => match store.begin_overlay(subject.clone(), &affected.roots) {
            Err(Error::Overlay(obstacle)) => {
                complain(&format!("copies are made, as {obstacle}"));
                store.begin_copies(subject, &affected.paths)
            }
            begun => begun,
        },
    };
    let run = run.map_err(|error| {
        Failure::internal(format!("nothing was run: it could not be undone, as {error}"))
    })?;
    tell(&affected, run.method());
    Ok(run)
}

fn tell(affected: &Affected, method: Method) {
    let mut screen = Screen::errors();
    let covered: Vec<String> = match method {
        Method::Overlay => affected.roots.iter().map(|path| path.display().to_string()).collect(),
        Method::Copies => {
            affected.paths.iter().map(|(path, _)| path.display().to_string()).collect()
        }
    };
    let covered = match covered.is_empty() {
        true => "no file".to_owned(),
        false => visible(&covered.join(", ")),
    };
    screen.paint(Style::Faint, format!("undo covers {covered}; nothing else")).end();
    if !affected.lasting.is_empty() {
        let lasting = visible(&affected.lasting.join("; "));
        screen.paint(Style::Doubtful, format!("cannot be undone: {lasting}")).end();
    }
    let _ = screen.finish();
}

/// Shows what a run changed, and keeps it or throws it away.
pub(crate) fn finish(mut run: Run, afterwards: Afterwards, config: &Config) -> Result<(), Failure> {
    let id = run.id();
    let kept = |error: std::io::Error| {
        let error = Error::from(error);
        Failure::internal(format!(
            "the changes are not kept: {error}; see `aegish undo --list` about run {id}"
        ))
    };
    run.ended().map_err(kept)?;
    let changes = run.changes().iter().filter(|change| change.changed().is_some()).count();
    if changes == 0 {
        complain("it changed no file");
        return run.discard().map_err(kept);
    }
    show(&run);
    let keep = match afterwards {
        Afterwards::Keep => true,
        Afterwards::Discard => false,
        Afterwards::Ask => decide(&run),
    };
    if !keep {
        run.discard().map_err(|error| {
            Failure::internal(format!("the changes are not thrown away: {error}"))
        })?;
        complain("the changes are thrown away");
        return Ok(());
    }
    run.keep(store(config).most).map_err(kept)?;
    complain(&format!("the changes are kept; `aegish undo {id}` takes them back"));
    Ok(())
}

/// Asks a person. Without one the changes are kept, as they can be undone.
fn decide(run: &Run) -> bool {
    loop {
        match ask_line("Keep the changes? [Y/n/d(iff)] ").as_deref().map(str::trim) {
            None => return true,
            Some("" | "y" | "Y" | "yes") => return true,
            Some("d" | "diff") => show_differences(run),
            Some(_) => return false,
        }
    }
}

/// Lists the changes.
pub(crate) fn show(run: &Run) {
    let mut screen = Screen::errors();
    let changes = || run.changes().iter().filter_map(|change| Some((change, change.changed()?)));
    for (change, changed) in changes().take(MOST_LISTED) {
        let (sign, style) = match changed {
            Changed::Added => ('+', Style::Good),
            Changed::Deleted => ('-', Style::Bad),
            Changed::Content | Changed::Metadata => ('~', Style::Doubtful),
        };
        let path = visible(&change.path.display().to_string());
        screen.paint(style, format!("{sign} {path}")).put(format!("  {}", sizes(change, changed)));
        screen.end();
    }
    let count = |wanted: fn(Changed) -> bool| changes().filter(|(_, one)| wanted(*one)).count();
    let added = count(|one| one == Changed::Added);
    let deleted = count(|one| one == Changed::Deleted);
    let changed = count(|one| matches!(one, Changed::Content | Changed::Metadata));
    if added + deleted + changed > MOST_LISTED {
        screen.put(format!("… and {} more", added + deleted + changed - MOST_LISTED)).end();
    }
    let summary = format!("{added} added, {changed} changed, {deleted} deleted");
    screen.paint(Style::Strong, summary).end();
    let _ = screen.finish();
}

fn sizes(change: &Change, changed: Changed) -> String {
    let (before, after) = (&change.before, &change.after);
    match changed {
        Changed::Added => size(after.size()),
        Changed::Deleted => size(before.size()),
        Changed::Content => format!("{} → {}", size(before.size()), size(after.size())),
        Changed::Metadata if before.mode != after.mode => {
            format!("mode {:04o} → {:04o}", before.mode, after.mode)
        }
        Changed::Metadata => "owner, time or attributes".to_owned(),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..MEBIBYTE => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / MEBIBYTE),
    }
}

/// Shows the lines in which text files differ.
pub(crate) fn show_differences(run: &Run) {
    let mut screen = Screen::errors();
    let mut left = MOST_LINES;
    for change in run.changes().iter().filter(|change| change.changed().is_some()) {
        let (before, after) = run.contents(change);
        if before.is_none() && after.is_none() {
            continue;
        }
        let text = |path: Option<PathBuf>| path.map_or(Some(String::new()), |path| read(&path));
        let path = visible(&change.path.display().to_string());
        match (text(before), text(after)) {
            (Some(before), Some(after)) => {
                screen.paint(Style::Strong, path).end();
                put_difference(&line_diff(&before, &after), &mut left, &mut screen);
            }
            _ => screen.paint(Style::Strong, path).put(": no text, or too long").end(),
        }
        if left == 0 {
            screen.put("… the rest is not shown").end();
            break;
        }
    }
    let _ = screen.finish();
}

fn put_difference(lines: &[DiffLine<'_>], left: &mut usize, screen: &mut Screen) {
    for line in lines.iter().take(*left) {
        match line {
            DiffLine::Removed(line) => {
                screen.paint(Style::Bad, format!("-{}", visible(line))).end();
            }
            DiffLine::Added(line) => screen.paint(Style::Good, format!("+{}", visible(line))).end(),
            DiffLine::Same(count) => {
                screen.paint(Style::Faint, format!(" {count} lines are the same")).end();
            }
        }
    }
    *left = left.saturating_sub(lines.len());
}

fn read(path: &Path) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    if file.metadata().ok()?.len() > LONGEST_TEXT {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST_TEXT).read_to_string(&mut text).ok()?;
    (!text.contains('\0')).then_some(text)
}
