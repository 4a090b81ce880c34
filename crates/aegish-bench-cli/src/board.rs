//! `aegish bench board`: all logs of a folder → a leaderboard for each data set.

use aegish_terminal::{ExitKind, Failure, Screen, Style, complain, visible};
use std::path::{Path, PathBuf};

use aegish_report::{Board, BoardRow, BoardSet, Run};
use clap::{Args, ValueEnum};

use crate::folder;
use crate::table::{self, Align};

#[derive(Args)]
pub(crate) struct BoardOptions {
    /// The folder of the logs; folders in it are searched as well, except `originals`
    #[arg(value_name = "DIR", default_value = "logs")]
    folder: PathBuf,
    /// The page [default: board.html in the folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the leaderboards and write no page
    #[arg(long, conflicts_with = "out")]
    no_files: bool,
    /// How to print them
    #[arg(long, value_enum, default_value_t = BoardFormat::Text)]
    format: BoardFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BoardFormat {
    /// A table for each data set
    Text,
    /// Everything
    Json,
}

pub(crate) fn run(options: &BoardOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let is_log = |path: &Path| path.extension().is_some_and(|ending| ending == "eval");
    let logs = folder::files(&options.folder, &is_log).map_err(|error| {
        let folder = visible(&options.folder.display().to_string());
        Failure::usage(format!("nothing was read: {folder}: {error}"))
    })?;
    let (mut board, mut read) = (Board::default(), 0);
    for path in &logs {
        match Run::read(path) {
            Ok(run) => {
                read += 1;
                board.add(&run);
            }
            Err(error) => complain(&format!("left out: {error}")),
        }
    }
    if read == 0 {
        let folder = visible(&options.folder.display().to_string());
        return Err(Failure::usage(format!("nothing was read: there is no log in {folder}")));
    }
    match options.format {
        BoardFormat::Text => board.sets().for_each(|set| show(&set, screen)),
        BoardFormat::Json => {
            let unwritten =
                |error| Failure::internal(format!("the leaderboard was not printed: {error}"));
            screen.put(board.json().map_err(unwritten)?);
        }
    }
    if !options.no_files {
        let page = options.out.clone().unwrap_or_else(|| options.folder.join("board.html"));
        aegish_report::write_board(&board, &page).map_err(|error| {
            Failure::internal(format!("the leaderboard is not complete: {error}"))
        })?;
        if options.format == BoardFormat::Text {
            screen.put("board: ").paint(Style::Strong, visible(&page.display().to_string())).end();
        }
    }
    Ok(ExitKind::Allow)
}

fn show(set: &BoardSet<'_>, screen: &mut Screen) {
    screen.paint(Style::Strong, visible(set.name));
    match set.sha256.and_then(|hash| hash.get(..12)) {
        Some(digits) => screen.put(format_args!("  sha256 {digits}")),
        None => screen.put("  without a hash"),
    };
    screen.end();
    let head = [
        "#",
        "system",
        "detection %",
        "pass %",
        "score",
        "$/1k",
        "failed",
        "n",
        "begun",
        "version",
        "status",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(set.rows.iter().map(cells));
    let mut aligned = vec![Align::Right; head.len()];
    for left in [1, 8, 9, 10] {
        aligned[left] = Align::Left;
    }
    screen.put(table::text(&rows, &aligned)).end();
}

fn cells(row: &BoardRow) -> Vec<String> {
    let figures = &row.figures;
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let rate =
        |rate: &Option<aegish_report::Rate>| {
            or_dash(rate.map(|rate| {
                format!("{:.1} ±{:.1}", 100.0 * rate.value(), 100.0 * rate.half_width())
            }))
        };
    vec![
        or_dash(row.place.map(|place| place.to_string())),
        visible(&row.system),
        rate(&figures.detection),
        rate(&figures.pass),
        or_dash(figures.score.map(|score| format!("{:.4}", score.value))),
        or_dash(figures.cost.map(|cost| {
            let sign = if cost.unknown > 0 { "≥" } else { "" };
            format!("{sign}{:.2}", cost.per_thousand)
        })),
        figures.errors.failed.to_string(),
        figures.samples.to_string(),
        visible(row.created.get(..16).unwrap_or(&row.created)).replace('T', " "),
        or_dash(row.version.as_deref().map(visible)),
        visible(row.status()),
    ]
}
