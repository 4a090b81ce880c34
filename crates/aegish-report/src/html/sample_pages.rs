//! Every sample with everything a log has of it: fifty to a page, each with an address of its own.
//!
//! The comparison keeps no completions, so the logs are read again. What they say of a sample is appended to a
//! file beside its page, which is made of that file at the end: memory does not grow with the logs.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use aegish_judge::{Answer, sha256_hex};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::STYLE;
use super::samples::kept;
use crate::compare::{ComparedSample, Comparison, SystemAnswer};
use crate::escape::xml;
use crate::format::time;
use aegish_log::{Expected, Log, LoggedSample, QUESTION};

/// Samples on one page.
const ON_A_PAGE: usize = 50;
/// The folder of the pages, beside the report.
pub(crate) const FOLDER: &str = "samples";

/// Where the samples of a comparison are found.
pub(crate) struct SampleLinks {
    /// Places in `comparison.rows`, in the order of the pages.
    order: Vec<usize>,
    /// The address of each, by its place in `comparison.rows`.
    links: HashMap<usize, String>,
}

impl SampleLinks {
    /// The addresses of the samples that have one: as many as the report lists.
    pub(crate) fn of(comparison: &Comparison) -> Self {
        let order = kept(comparison);
        let link = |(number, at): (usize, &usize)| {
            let row = comparison.rows.get(*at)?;
            Some((
                *at,
                format!("{FOLDER}/{}#{}", file_name(number / ON_A_PAGE), anchor(comparison, row)),
            ))
        };
        let links = order.iter().enumerate().filter_map(link).collect();
        Self { order, links }
    }

    /// The address of the sample at this place in `comparison.rows`.
    pub(crate) fn get(&self, at: usize) -> Option<&str> {
        self.links.get(&at).map(String::as_str)
    }

    /// The same for all samples that the report lists, in its order.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (usize, &str)> {
        self.order.iter().map(|at| (*at, self.get(*at).unwrap_or_default()))
    }
}

fn file_name(page: usize) -> String {
    format!("{:04}.html", page + 1)
}

/// A name for a sample that is the same in every report.
fn anchor(comparison: &Comparison, row: &ComparedSample) -> String {
    let set = comparison.datasets.get(row.dataset);
    let set = set.map_or("", |set| set.sha256.as_deref().unwrap_or(&set.name));
    let hash = Sha256::digest(format!("{set}\0{}\0{}", row.id, row.epoch).as_bytes());
    let digits = hash.iter().take(8).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    format!("s{digits}")
}

/// Writes the pages into a folder of their own below `folder`; gives their number.
///
/// # Errors
/// The file that could not be written, and why.
pub(crate) fn write(
    comparison: &Comparison,
    links: &SampleLinks,
    folder: &Path,
) -> Result<usize, (PathBuf, io::Error)> {
    let folder = folder.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| (folder.clone(), error))?;
    let pages = links.order.len().div_ceil(ON_A_PAGE);
    for page in 0..pages {
        let _ = fs::remove_file(spool(&folder, page));
    }
    let prompts = collect(comparison, links, &folder)?;
    for page in 0..pages {
        let path = folder.join(file_name(page));
        let parts = spool(&folder, page);
        let fragments = read(&parts).map_err(|error| (parts.clone(), error))?;
        let html = html(comparison, links, (page, pages), &fragments, &prompts);
        fs::write(&path, html).map_err(|error| (path, error))?;
        let _ = fs::remove_file(parts);
    }
    Ok(pages)
}

fn spool(folder: &Path, page: usize) -> PathBuf {
    folder.join(format!("{}.part", file_name(page)))
}

/// The system prompts of the logs, by their hash.
type Prompts = BTreeMap<String, String>;
/// What logs say of samples: by the sample's place and the system's.
type Fragments = BTreeMap<(usize, usize), String>;

/// Reads the logs again and appends what they say of each sample to the file of its page.
fn collect(
    comparison: &Comparison,
    links: &SampleLinks,
    folder: &Path,
) -> Result<Prompts, (PathBuf, io::Error)> {
    let mut places: HashMap<(&str, &str, u32), (usize, usize)> = HashMap::new();
    for (number, at) in links.order.iter().enumerate() {
        let Some(row) = comparison.rows.get(*at) else { continue };
        let set = comparison.datasets.get(row.dataset).map_or("", |set| set.name.as_str());
        places.insert((set, &row.id, row.epoch), (number / ON_A_PAGE, *at));
    }
    let mut prompts = Prompts::new();
    for source in &comparison.sources {
        // A log that is gone since is not shown; its answers are, from the comparison.
        let Ok(log) = Log::open(Path::new(&source.path)) else { continue };
        let prompt = log.header().prompt.clone();
        let hash = prompt.as_ref().map(|text| sha256_hex(text.as_bytes()));
        if let (Some(hash), Some(text)) = (&hash, prompt) {
            prompts.entry(hash.clone()).or_insert(text);
        }
        let Ok(entries) = log.entries() else { continue };
        for entry in entries.flatten() {
            let key = (source.dataset.as_str(), entry.record.id.as_str(), entry.record.epoch);
            let Some((page, at)) = places.get(&key) else { continue };
            let html = exchange(&entry, hash.as_deref());
            let path = spool(folder, *page);
            let line = json!([at, source.system, html]).to_string();
            append(&path, &line).map_err(|error| (path, error))?;
        }
    }
    Ok(prompts)
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{line}")
}

fn read(path: &Path) -> io::Result<Fragments> {
    let mut fragments = Fragments::new();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(fragments),
        Err(error) => return Err(error),
    };
    for line in BufReader::new(file).lines() {
        let value: Value = serde_json::from_str(&line?)?;
        let place = |index: usize| usize::try_from(value.get(index)?.as_u64()?).ok();
        if let (Some(at), Some(system), Some(html)) =
            (place(0), place(1), value.get(2).and_then(Value::as_str))
        {
            fragments.insert((at, system), html.to_owned());
        }
    }
    Ok(fragments)
}

/// What a log has of a sample beside the verdict.
fn exchange(entry: &LoggedSample, prompt: Option<&str>) -> String {
    let record = &entry.record;
    let mut out = String::new();
    let mut facts = Vec::new();
    if let Some(hash) = prompt.and_then(|hash| hash.get(..12)) {
        facts.push(format!("<a href=\"#p{hash}\">system prompt {hash}</a>"));
    }
    let usage = &record.usage;
    if let (Some(input), Some(output)) = (usage.input, usage.output) {
        let cached = usage.cached.filter(|cached| *cached > 0);
        let cached = cached.map(|cached| format!(" ({cached} cached)")).unwrap_or_default();
        facts.push(format!("{input} tokens in{cached}, {output} out"));
    }
    if let Some(seconds) = record.model_seconds {
        facts.push(format!("model {}", time(seconds)));
    }
    if let Some(seconds) = record.total_seconds {
        facts.push(format!("total {}", time(seconds)));
    }
    facts.push(format!("stop reason {}", record.stop.as_str()));
    if record.retries > 0 {
        facts.push(format!("{} retries", record.retries));
    }
    if let Some(started) = &entry.started_at {
        facts.push(xml(started.get(..19).unwrap_or(started)));
    }
    let _ = write!(out, "<p class=\"meta\">");
    for fact in facts {
        let _ = write!(out, "<span>{fact}</span>");
    }
    out.push_str("</p>");
    if let Some(error) = &record.error {
        let _ = write!(out, "<h4>Error</h4><pre>{}</pre>", xml(error));
    }
    if let Some(reasoning) = entry.reasoning.as_deref().filter(|text| !text.is_empty()) {
        let _ = write!(out, "<h4>Reasoning</h4><pre>{}</pre>", xml(reasoning));
    }
    let _ = match record.completion.as_str() {
        "" => write!(out, "<h4>Completion</h4><p class=\"hint\">empty</p>"),
        text => write!(out, "<h4>Completion</h4><pre>{}</pre>", xml(text)),
    };
    out
}

fn html(
    comparison: &Comparison,
    links: &SampleLinks,
    (page, pages): (usize, usize),
    fragments: &Fragments,
    prompts: &Prompts,
) -> String {
    let mut out = String::new();
    let first = page * ON_A_PAGE;
    let rows: Vec<usize> = links.order.iter().skip(first).take(ON_A_PAGE).copied().collect();
    let turn =
        |page: usize, name: &str| format!("<li><a href=\"{}\">{name}</a></li>", file_name(page));
    let before = page.checked_sub(1).map(|page| turn(page, "Previous page")).unwrap_or_default();
    let after = if page + 1 < pages { turn(page + 1, "Next page") } else { String::new() };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Samples {} to {} – aegish benchmark</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>Samples {} to {}</h1><p class=\"lead\">of {} in the report. The number of a sample is a \
         link to it.</p></header>\n<nav aria-label=\"Pages\"><ul>\
         <li><a href=\"../report.html#samples\">Report</a></li>{before}{after}</ul></nav>\n<main>\n",
        first + 1,
        first + rows.len(),
        first + 1,
        first + rows.len(),
        links.order.len()
    );
    for (number, at) in rows.iter().enumerate() {
        if let Some(row) = comparison.rows.get(*at) {
            article(&mut out, comparison, (*at, first + number + 1), row, fragments);
        }
    }
    if !prompts.is_empty() {
        out.push_str("<section><h2>System prompts</h2>");
    }
    for (hash, text) in prompts {
        let digits = hash.get(..12).unwrap_or(hash);
        let _ = write!(
            out,
            "<details id=\"p{digits}\" open><summary>{digits}</summary><pre>{}</pre></details>",
            xml(text)
        );
    }
    if !prompts.is_empty() {
        out.push_str("</section>");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn article(
    out: &mut String,
    comparison: &Comparison,
    (at, number): (usize, usize),
    row: &ComparedSample,
    fragments: &Fragments,
) {
    let anchor = anchor(comparison, row);
    let expected = match row.expected {
        Expected::Block => "attack: BLOCK is right",
        Expected::Pass => "harmless: ALLOW or WARN is right",
    };
    let set = comparison.datasets.get(row.dataset).map_or("", |set| set.name.as_str());
    let _ = write!(
        out,
        "<article class=\"sample full\" id=\"{anchor}\"><h2><a href=\"#{anchor}\">{number}</a> {}</h2>\
         <p class=\"meta\"><b>{expected}</b><span>{}</span>",
        xml(&row.id),
        xml(set)
    );
    if let Some(category) = &row.category {
        let _ = write!(out, "<span>{}</span>", xml(category));
    }
    if row.epoch > 1 {
        let _ = write!(out, "<span>epoch {}</span>", row.epoch);
    }
    let _ = write!(
        out,
        "</p><h4>Command</h4><pre>{}</pre><h4>Question</h4><pre>{}{}</pre>",
        xml(&row.command),
        QUESTION,
        xml(&row.command)
    );
    for (place, (system, reply)) in comparison.systems.iter().zip(&row.answers).enumerate() {
        let Some(reply) = reply else { continue };
        let _ = write!(out, "<h3>{}</h3><p>{}</p>", xml(&system.name), score(reply));
        match fragments.get(&(at, place)) {
            Some(html) => out.push_str(html),
            None => out.push_str("<p class=\"hint\">Its log could not be read again.</p>"),
        }
    }
    out.push_str("</article>\n");
}

/// The answer and what it is worth.
fn score(reply: &SystemAnswer) -> String {
    let (class, words) = match (&reply.answer, reply.right) {
        (None, _) => ("missing", "no score"),
        (Some(_), true) => ("met", "✓ right"),
        (Some(_), false) => ("unmet", "✗ wrong"),
    };
    let mut out = format!("<b>{}</b> <span class=\"{class}\">{words}</span>", reply.word());
    if let Some(Answer::Verdict(opinion)) = &reply.answer {
        let _ = write!(out, ", confidence {:.2}: {}", opinion.confidence, xml(&opinion.reason));
    }
    out
}
