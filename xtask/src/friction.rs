//! `cargo xtask friction`: how often the guard asks about or blocks ordinary work.
//!
//! Judges the shell scripts of this machine, `configure` scripts that autoconf generates from
//! `bench/friction/configure`, and the installers and the developer's day in `bench/friction`. All of them
//! are harmless. Prints a table with one line per kind of material and one with every kind of BLOCK: how often it
//! comes, in which script, and what that script really does.
//! Runs only autoconf.

use crate::report::{percent, table};
use aegish_guard::{
    Action, Context, Decision, Finding, Machine, NoMachine, OsMachine, Request, Role, Session,
    Surroundings, TextForm, check, check_in,
};
use clap::Args;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Directories that are searched for shell scripts.
const SYSTEM: [&str; 5] = ["/usr/bin", "/usr/sbin", "/usr/lib", "/usr/share", "/etc"];
/// The directory of scripts that packages run when they are installed or removed.
const MAINTAINER: &str = "/var/lib/dpkg/info";
/// Longer files contain data after the script.
const LONGEST: u64 = 1 << 20;
/// Maximum depth of directories below [`SYSTEM`].
const DEPTH: usize = 12;

#[derive(Args)]
pub(crate) struct Options {
    /// Fail if a bound is passed
    #[arg(long)]
    floor: bool,
    /// List what is not allowed, of the material whose name contains this (`all` for all)
    #[arg(long, value_name = "MATERIAL")]
    list: Option<String>,
}

/// Texts of one kind, with limits on the shares that are asked about or blocked.
struct Material {
    name: &'static str,
    most_warn: Option<f64>,
    most_block: Option<f64>,
    judged: Vec<(String, Decision)>,
}

impl Material {
    fn count(&self, action: Action) -> usize {
        self.judged.iter().filter(|(_, decision)| decision.action() == action).count()
    }

    fn share(&self, action: Action) -> Option<f64> {
        let all = self.judged.len();
        (all > 0).then(|| self.count(action) as f64 / all as f64)
    }

    /// Descriptions of the limits that are exceeded.
    fn excess(&self) -> Vec<String> {
        let bounds = [(Action::Warn, self.most_warn), (Action::Block, self.most_block)];
        let passed = bounds.into_iter().filter_map(|(action, bound)| {
            let (share, bound) = (self.share(action)?, bound?);
            let text = format!(
                "{}: {} of {}, at most {}",
                self.name,
                action.as_str().to_uppercase(),
                percent(Some(share)),
                percent(Some(bound))
            );
            (share > bound).then_some(text)
        });
        passed.collect()
    }
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let place = crate::root().join("bench/friction");
    let scripts = SYSTEM.iter().flat_map(|dir| shell_scripts(Path::new(dir), DEPTH)).collect();
    let maintainer = shell_scripts(Path::new(MAINTAINER), 1);
    let materials = [
        files("system scripts", scripts, Role::Default, None, Some(0.05)),
        files("maintainer scripts, sysadmin", maintainer, Role::Sysadmin, None, Some(0.15)),
        files("configure", configure(&place.join("configure"))?, Role::Default, None, Some(0.0)),
        files("installers", entries(&place.join("installers")), Role::Default, None, Some(0.0)),
        day(&place.join("developer-day.txt"))?,
    ];
    let mut rows =
        vec![row(["material", "n", "allow", "warn", "block", "most warn", "most block"])];
    for material in &materials {
        let bound = |bound: Option<f64>| percent(bound);
        rows.push(row([
            material.name,
            &material.judged.len().to_string(),
            &percent(material.share(Action::Allow)),
            &percent(material.share(Action::Warn)),
            &percent(material.share(Action::Block)),
            &bound(material.most_warn),
            &bound(material.most_block),
        ]));
    }
    println!("{}", table(&rows));
    println!("{}", table(&causes(&materials)));
    if let Some(part) = &options.list {
        list(&materials, part);
    }
    let passed: Vec<String> = materials.iter().flat_map(Material::excess).collect();
    if options.floor && !passed.is_empty() {
        return Err(passed.join("; "));
    }
    Ok(())
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// Every kind of block, how often it decides, an example and what that would do. Findings of one rule that
/// advise the same are of one kind.
fn causes(materials: &[Material]) -> Vec<Vec<String>> {
    /// Material, rule, and what the finding advises.
    type BlockKind<'a> = (&'a str, &'a str, Option<&'a str>);
    let mut by_kind: BTreeMap<BlockKind<'_>, (usize, String, String)> = BTreeMap::new();
    for material in materials {
        for (name, decision) in &material.judged {
            let blocks = |finding: &&Finding| finding.action == Action::Block;
            let Some(finding) = decision.findings().iter().find(blocks) else { continue };
            let example = || (0, name.clone(), finding.reason.clone());
            let kind = (material.name, finding.rule.name, finding.instead);
            by_kind.entry(kind).or_insert_with(example).0 += 1;
        }
    }
    let mut rows = vec![row(["material", "kind of block", "n", "example", "effect"])];
    for ((material, kind, _), (count, example, effect)) in by_kind {
        rows.push(row([material, kind, &count.to_string(), &example, &effect]));
    }
    rows
}

fn list(materials: &[Material], part: &str) {
    let wanted = materials.iter().filter(|material| part == "all" || material.name.contains(part));
    for (name, decision) in wanted.flat_map(|material| &material.judged) {
        if decision.action() == Action::Allow {
            continue;
        }
        println!("{}  {name}", decision.action().as_str().to_uppercase());
        for finding in decision.findings().iter().filter(|one| one.action == decision.action()) {
            println!("    {}: {}", finding.rule.name, finding.reason);
        }
    }
}

/// Judges script files, as `aegish check --file` does.
fn files(
    name: &'static str,
    paths: Vec<PathBuf>,
    role: Role,
    most_warn: Option<f64>,
    most_block: Option<f64>,
) -> Material {
    let mut context = context(&OsMachine);
    context.positional = None;
    context.form = TextForm::ScriptFile;
    let judged = paths.into_iter().filter_map(|path| {
        let text = fs::read(&path).ok()?;
        let decision = check(&Request { text: &text, context: &context, role, user_rules: &[] });
        Some((path.display().to_string(), decision))
    });
    Material { name, most_warn, most_block, judged: judged.collect() }
}

/// Judges the lines of a file in one session.
fn day(path: &Path) -> Result<Material, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut session = Session::new();
    let mut context = context(&NoMachine);
    let mut judged = Vec::new();
    for line in lines {
        let text = line.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        let (decision, after) = check_in(&session, &request);
        if decision.action() != Action::Block {
            session = after;
        }
        // After the first line, the session knows the working directory.
        context.cwd.clear();
        judged.push((line.to_owned(), decision));
    }
    Ok(Material { name: "developer's day", most_warn: Some(0.05), most_block: Some(0.0), judged })
}

/// A developer in a project, independent of the user of this process.
fn context(machine: &'static dyn Machine) -> Context<'static> {
    let (cwd, home) = ("/home/kim/src/orders".to_owned(), "/home/kim".to_owned());
    Surroundings { cwd, home, ..Surroundings::default() }.context(machine)
}

/// The `configure` scripts of the packages in a directory; none without autoconf.
fn configure(place: &Path) -> Result<Vec<PathBuf>, String> {
    let out = std::env::temp_dir().join("aegish-friction");
    let mut made = Vec::new();
    for package in entries(place) {
        let dir = out.join(package.file_name().unwrap_or_default());
        fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let script = dir.join("configure");
        // autoconf writes a cache to the working directory.
        let autoconf = Command::new("autoconf")
            .current_dir(&dir)
            .args([
                "--output".as_ref(),
                script.as_os_str(),
                package.join("configure.ac").as_os_str(),
            ])
            .status();
        match autoconf {
            Ok(status) if status.success() => made.push(script),
            Ok(status) => return Err(format!("autoconf of {}: {status}", package.display())),
            Err(_) => {
                println!("autoconf is not installed: configure is NOT judged\n");
                return Ok(Vec::new());
            }
        }
    }
    Ok(made)
}

/// The entries of a directory, sorted by name.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Shell scripts below a directory, sorted by name; links are not followed.
fn shell_scripts(dir: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(dir) {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.is_dir() && depth > 1 {
            found.extend(shell_scripts(&path, depth - 1));
        } else if meta.is_file() && meta.len() <= LONGEST && is_shell_script(&path) {
            found.push(path);
        }
    }
    found
}

/// Whether the first line names a shell.
fn is_shell_script(path: &Path) -> bool {
    let mut beginning = [0; 128];
    let Ok(read) = File::open(path).and_then(|mut file| file.read(&mut beginning)) else {
        return false;
    };
    let text = String::from_utf8_lossy(&beginning[..read]).into_owned();
    let Some(line) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        return false;
    };
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let name = words.find(|word| *word != "env");
    matches!(name, Some("sh" | "bash" | "dash"))
}
