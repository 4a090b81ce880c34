//! `aegish bench compare`: logs → ranking table, report, plots and exports.

use aegish_terminal::{ExitKind, Failure, Screen, Style};
use std::path::{Path, PathBuf};

use crate::folder;
use aegish_report::{Comparison, Run};
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct CompareOptions {
    /// Logs: .eval or .json of aegish or Inspect, recorded completions in .jsonl, or folders of .eval and .jsonl
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// The folder for report.html, plots/ and the exports
    #[arg(long, value_name = "DIR", default_value = "bench-report")]
    out: PathBuf,
    /// Print the comparison and write no files
    #[arg(long, conflicts_with = "out")]
    no_files: bool,
    /// How to print the comparison
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    format: CompareFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// A table for people
    Text,
    /// Everything but the samples
    Json,
    /// A line for each system
    Csv,
}

/// The logs that are named, and those in folders that are named.
fn logs(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let ends = |path: &Path, ending: &str| path.extension().is_some_and(|found| found == ending);
    let recorded = |path: &Path| {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        ends(path, "jsonl") && name.is_some_and(|name| name.contains("__"))
    };
    let mut logs = Vec::new();
    for path in named {
        if !path.is_dir() {
            logs.push(path.clone());
            continue;
        }
        let folder = aegish_terminal::visible(&path.display().to_string()).to_string();
        let found = folder::files(path, &|path| ends(path, "eval") || recorded(path))
            .map_err(|error| Failure::usage(format!("nothing was compared: {folder}: {error}")))?;
        if found.is_empty() {
            return Err(Failure::usage(format!(
                "nothing was compared: there is no log in {folder}"
            )));
        }
        logs.extend(found);
    }
    Ok(logs)
}

pub(crate) fn run(options: &CompareOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let mut runs = Vec::with_capacity(options.logs.len());
    for path in logs(&options.logs)? {
        let run = Run::read(&path)
            .map_err(|error| Failure::internal(format!("nothing was compared: {error}")))?;
        runs.push(run);
    }
    let comparison = Comparison::of(&runs);
    // The comparison has copied the samples, so the runs are no longer needed.
    drop(runs);
    let unwritten = |error| Failure::internal(format!("the comparison was not printed: {error}"));
    let text = match options.format {
        CompareFormat::Text => aegish_report::table(&comparison),
        CompareFormat::Json => aegish_report::json(&comparison).map_err(unwritten)?,
        CompareFormat::Csv => aegish_report::ranking_csv(&comparison).map_err(unwritten)?,
    };
    screen.put(text);
    if options.no_files {
        return Ok(ExitKind::Allow);
    }
    let written = aegish_report::write(&comparison, &options.out)
        .map_err(|error| Failure::internal(format!("the report is not complete: {error}")))?;
    if options.format == CompareFormat::Text {
        let page = aegish_terminal::visible(&written.report.display().to_string());
        screen.end();
        screen.put("report: ").paint(Style::Strong, page);
        screen.put(format_args!(" ({} files, plots in plots/)", written.files)).end();
    }
    Ok(ExitKind::Allow)
}
