//! A comparison → a folder of files.

use std::path::{Path, PathBuf};
use std::{error, fmt, fs, io};

use super::board::Board;
use super::compare::Comparison;
use super::draw::{SvgUse, Theme, pdf, png, raster, svg};
use super::plot::{Form, Plot};
use super::{export, html, latex};

/// Pixels of a PNG for each pixel of a picture: sharp on paper and on screens with fine pixels.
const FINE: f64 = 2.0;

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFiles {
    /// The page.
    pub report: PathBuf,
    /// All files, the page included.
    pub files: usize,
}

/// Why a report was not written.
#[derive(Debug)]
pub struct ReportError {
    path: PathBuf,
    problem: io::Error,
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = (self.path.display(), &self.problem);
        write!(f, "{path} was not written: {problem}; choose another folder with --out")
    }
}

impl error::Error for ReportError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.problem)
    }
}

/// Writes the page, the exports and the pictures into `folder`, which is created if necessary.
///
/// Pictures are SVG, which follows the reader's setting, PNG in a light and a dark version, and PDF.
///
/// # Errors
///
/// If a file cannot be written; earlier files are complete.
pub fn write(comparison: &Comparison, folder: &Path) -> Result<WrittenFiles, ReportError> {
    let plots = folder.join("plots");
    fs::create_dir_all(&plots).map_err(|problem| ReportError { path: plots.clone(), problem })?;
    let mut files = 0;
    let mut put = |path: PathBuf, content: &[u8]| {
        files += 1;
        fs::write(&path, content).map_err(|problem| ReportError { path, problem })
    };
    let report = folder.join("report.html");
    let links = html::SampleLinks::of(comparison);
    put(report.clone(), html::page(comparison, &links).as_bytes())?;
    for (name, content) in [
        ("comparison.json", export::json(comparison)),
        ("ranking.csv", export::ranking_csv(comparison)),
        ("samples.csv", export::samples_csv(comparison)),
        ("categories.csv", export::categories_csv(comparison)),
        ("ranking.tex", Ok(latex::ranking_tex(comparison))),
        ("categories.tex", Ok(latex::categories_tex(comparison))),
    ] {
        let path = folder.join(name);
        let content = content.map_err(|problem| ReportError { path: path.clone(), problem })?;
        put(path, content.as_bytes())?;
    }
    for plot in Plot::ALL {
        let Some(scene) = plot.draw(&comparison.systems, Form::Wide) else { continue };
        let id = plot.id();
        put(plots.join(format!("{id}.svg")), svg(&scene, id, SvgUse::Alone).as_bytes())?;
        put(plots.join(format!("{id}.pdf")), &pdf(&scene))?;
        for (theme, name) in [(Theme::Light, id.to_owned()), (Theme::Dark, format!("{id}-dark"))] {
            put(plots.join(format!("{name}.png")), &png(&raster(&scene, theme, FINE)))?;
        }
    }
    let pages = html::write_samples(comparison, &links, folder);
    files += pages.map_err(|(path, problem)| ReportError { path, problem })?;
    Ok(WrittenFiles { report, files })
}

/// Writes the leaderboards of a folder as one page.
///
/// # Errors
/// If the file cannot be written.
pub fn write_board(board: &Board, path: &Path) -> Result<(), ReportError> {
    let written = fs::write(path, html::board_page(board));
    written.map_err(|problem| ReportError { path: path.to_owned(), problem })
}
