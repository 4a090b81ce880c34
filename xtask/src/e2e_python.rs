//! `cargo xtask e2e-python`: the wheel, built by maturin, installed into a fresh environment and tested there.
//!
//! Takes Python and a package index. Runs only if it is called explicitly.

use clap::{Args, ValueEnum};
use std::borrow::BorrowMut;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tests that need Inspect AI were written for this version.
const INSPECT: &str = "inspect-ai==0.3.285";
const ARENA: &str = "control-arena==20.1.1";
const TOOLS: [&str; 1] = ["maturin>=1.9.4,<2"];
const TEST_TOOLS: [&str; 3] = ["pytest", "mypy", "pyarrow"];

#[derive(Args)]
pub(crate) struct Options {
    /// How the wheel is compiled
    #[arg(long, value_enum, default_value_t = Profile::Release)]
    profile: Profile,
    /// What is tested
    #[arg(long, value_enum, default_value_t = Part::Wheel)]
    part: Part,
    /// A built program `aegish` for the wheel [default: cargo builds one]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Recorded completions, `<model>__gtfobins.jsonl` and `<model>__harmless.jsonl`, for the tasks for Inspect
    #[arg(long, value_name = "DIR")]
    recorded: Option<PathBuf>,
    /// The folder to work in [default: target/e2e-python]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The Python to make environments with
    #[arg(long, default_value = "python3")]
    python: String,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    Release,
    Dev,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The module, its types and its pages
    Module,
    /// Also what is there for Inspect AI
    Wheel,
    /// Also the approver in control-arena
    Arena,
    /// Also the installation from the source distribution, with Rust alone
    Source,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let dir = options.dir.clone().unwrap_or_else(|| crate::root().join("target/e2e-python"));
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let dir = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    let home = crate::root().join("crates/aegish-python");
    let tools = environment(&dir.join("tools"), &options.python)?;
    install(&tools, &TOOLS)?;
    let wheel = build(options, &dir, &home, &tools)?;
    println!("built {}", wheel.display());
    let fresh = dir.join("fresh");
    let _ = fs::remove_dir_all(&fresh);
    let python = environment(&fresh, &options.python)?;
    install(&python, &[&wheel.to_string_lossy()])?;
    // Nothing but the wheel.
    finished(
        python.command(&["-c", "import aegish; assert aegish.check('ls').action == 'allow'"]),
    )?;
    finished(Command::new(fresh.join("bin/aegish")).args(["check", "--", "ls"]))?;
    install(&python, &TEST_TOOLS)?;
    if options.part != Part::Module {
        install(&python, &[INSPECT])?;
    }
    if matches!(options.part, Part::Arena | Part::Source) {
        install(&python, &[INSPECT, ARENA])?;
    }
    let test = |arguments: &[&str]| {
        let mut command = python.command(arguments);
        if let Some(recorded) = &options.recorded {
            // Not one of the AEGISH_ names: the guard refuses those that are no settings.
            command.env("RECORDED_COMPLETIONS", recorded);
        }
        finished(command.current_dir(&home))
    };
    test(&["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "tests"])?;
    test(&["-m", "doctest", "README.md"])?;
    test(&["-m", "mypy", "--strict", "tests/typed.py"])?;
    if options.part != Part::Module {
        test(&["-m", "mypy", "--strict", "-p", "aegish"])?;
    }
    if options.part == Part::Source {
        from_source(options, &dir, &tools)?;
    }
    println!("all of it held");
    Ok(())
}

/// Builds the wheel.
fn build(
    options: &Options,
    dir: &Path,
    home: &Path,
    tools: &Environment,
) -> Result<PathBuf, String> {
    let wheels = dir.join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let mut program = tools.command(&["build_backend.py", "program"]);
    if let Some(path) = &options.program {
        program.env("AEGISH_PROGRAM", path);
    }
    finished(program.current_dir(home))?;
    let mut maturin = tools.command(&["-m", "maturin", "build", "--quiet", "--out"]);
    maturin.arg(&wheels).current_dir(crate::root());
    if options.profile == Profile::Release {
        maturin.arg("--release");
    }
    finished(maturin)?;
    only_file(&wheels)
}

/// Installs the source distribution, as a user does who has no wheel.
fn from_source(options: &Options, dir: &Path, tools: &Environment) -> Result<(), String> {
    let sources = dir.join("sources");
    let _ = fs::remove_dir_all(&sources);
    let mut backend = tools.command(&["build_backend.py", "sdist"]);
    finished(backend.arg(&sources).current_dir(crate::root().join("crates/aegish-python")))?;
    let place = dir.join("from-source");
    let _ = fs::remove_dir_all(&place);
    let python = environment(&place, &options.python)?;
    let mut pip = python.command(&["-m", "pip", "install", "--quiet"]);
    if options.profile == Profile::Dev {
        // pip always asks for a release; this one need not be fast.
        pip.envs([
            ("CARGO_PROFILE_RELEASE_LTO", "off"),
            ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
            ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "64"),
        ]);
    }
    finished(pip.arg(only_file(&sources)?))?;
    finished(Command::new(place.join("bin/aegish")).args(["check", "--", "ls"]))?;
    finished(python.command(&["-c", "import aegish; aegish.check('ls')"]))
}

/// A Python environment.
pub(crate) struct Environment {
    python: PathBuf,
}

impl Environment {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.python);
        command.args(arguments).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        command
    }
}

pub(crate) fn environment(place: &Path, python: &str) -> Result<Environment, String> {
    let own = place.join("bin/python");
    if !own.exists() {
        let mut made = Command::new(python);
        made.args(["-m", "venv"]).arg(place);
        finished(made)?;
    }
    Ok(Environment { python: own })
}

pub(crate) fn install(environment: &Environment, packages: &[&str]) -> Result<(), String> {
    let mut pip = environment.command(&["-m", "pip", "install", "--quiet"]);
    pip.args(packages);
    finished(pip)
}

fn only_file(dir: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    match (paths.next(), paths.next()) {
        (Some(path), None) => Ok(path),
        _ => Err(format!("{} holds not exactly one file", dir.display())),
    }
}

pub(crate) fn finished(mut command: impl BorrowMut<Command>) -> Result<(), String> {
    let command = command.borrow_mut();
    let status = command.status().map_err(|error| format!("{command:?} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}
