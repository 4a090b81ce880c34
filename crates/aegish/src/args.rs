//! The command line.

use crate::audit::AuditTask;
use crate::config::ConfigTask;
use crate::doctor::DoctorOptions;
use crate::hook::HookOptions;
use crate::install::{InstallOptions, UninstallOptions};
#[cfg(feature = "mcp")]
use crate::mcp::McpArgs;
use crate::run::RunOptions;
#[cfg(feature = "scan")]
use crate::scan::{FailOn, ScanFormat};
#[cfg(feature = "serve")]
use crate::serve::ServeArgs;
use crate::trust::TrustOptions;
use crate::undo::UndoOptions;
use crate::user_rules::{PolicyTask, RuleOptions};
use crate::why::WhyOptions;
#[cfg(not(feature = "bench"))]
pub(crate) use crate::without_bench as bench;
#[cfg(feature = "bench")]
pub(crate) use aegish_bench_cli as bench;
use aegish_guard::{JudgeMode, Role};
use aegish_setup::SetupTask;
use bench::BenchTask;
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// How the binary is called: as a shell first.
const USAGE: &str = "\
aegish [-l] [-i]                      a shell: each line is judged before it runs
       aegish -c COMMAND [NAME [ARGUMENT]...]
       aegish SCRIPT [ARGUMENT]...
       aegish -s [ARGUMENT]...               a script from standard input
       aegish TASK [OPTIONS]                 one of those below";

/// Says what a shell command will do before it runs
///
/// Called as bash is, it is a shell: bash runs what was judged. Bash's own options, such as -e or -o pipefail, stand
/// before -c, -s or SCRIPT.
#[derive(Parser)]
#[command(name = "aegish", version, max_term_width = 100, override_usage = USAGE)]
#[command(subcommand_value_name = "TASK", subcommand_help_heading = "Tasks")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

impl Arguments {
    /// Reads the command line. To build the definition of every task takes longer than to judge a command, so that of
    /// `check` is tried alone first; the others are needed for help and mistakes.
    pub(crate) fn read(words: &[OsString]) -> Self {
        let of_task =
            words.get(1..).filter(|rest| rest.first().is_some_and(|task| task == "check"));
        let options = of_task.and_then(|rest| {
            let matches = CheckOptions::augment_args(clap::Command::new("check"));
            CheckOptions::from_arg_matches(&matches.try_get_matches_from(rest).ok()?).ok()
        });
        options.map_or_else(Self::parse, |options| Self { task: Task::Check(options) })
    }
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Judge a command: exit status 0 allow, 10 warn, 20 block (2 usage, 3 internal error)
    Check(CheckOptions),
    /// Judge the shell commands in scripts, Dockerfiles, makefiles, workflows, package scripts, crontabs and units
    #[cfg(feature = "scan")]
    Scan(ScanOptions),
    /// Judge the commands in audit logs, process events, shell histories and sessions of agents
    #[cfg(feature = "records")]
    JudgeLog(aegish_records::JudgeLogOptions),
    /// Show the way from the text to the verdict
    Explain(ExplainOptions),
    /// List the models that are asked, in their order, and the providers: keys, prices, health
    Models(ModelsOptions),
    /// Show every setting and its origin, check the configuration, trust a project's file
    #[command(subcommand)]
    Config(ConfigTask),
    /// Look whether everything is in place: bash, kernel, configuration, models, directories, hooks, login shell
    Doctor(DoctorOptions),
    /// Make aegish somebody's login shell, or undo that
    #[command(subcommand)]
    Setup(SetupTask),
    /// Read the audit log: what was decided, whether it is whole, what it adds up to
    #[command(subcommand)]
    Audit(AuditTask),
    /// Judge a call of a coding agent's tool: reads it on standard input, answers in the agent's own contract
    Hook(HookOptions),
    /// Put the guard into the settings of coding agents: as their hook, and as the shell that they start
    Install(InstallOptions),
    /// Take the guard out of the settings of coding agents
    Uninstall(UninstallOptions),
    /// Serve the guard to clients of the Model Context Protocol
    #[cfg(feature = "mcp")]
    Mcp(McpArgs),
    /// Serve verdicts on a Unix socket, and a page on loopback if that is wanted
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Run a command as the shell does, with its changes to files held back if that is wanted
    Run(RunOptions),
    /// Bring back files as they were before a run
    Undo(UndoOptions),
    /// Explain the last verdict of this user, as it was recorded and as it would be now
    Why(WhyOptions),
    /// Stop asking about commands of some shape: add a rule that takes warnings away
    Allow(Box<RuleOptions>),
    /// Always ask about commands of some shape
    Ask(Box<RuleOptions>),
    /// Block commands of some shape
    Deny(Box<RuleOptions>),
    /// Run script files without asking about them, as long as not a byte of them changes
    Trust(TrustOptions),
    /// List, test and remove the rules that people added; sign, verify and pull those of a fleet
    #[command(subcommand)]
    Policy(PolicyTask),
    /// Look at many machines: what their audit logs add up to
    #[cfg(feature = "fleet")]
    #[command(subcommand)]
    Fleet(aegish_fleet::FleetTask),
    /// List the rules, or show one with its manual page
    Rules {
        /// Id or name of a rule, e.g. `4` or `critical-file-read`
        id: Option<String>,
    },
    /// List the programs whose effects are known, or show one
    Programs {
        /// Name of a program, e.g. `tar`
        name: Option<String>,
    },
    /// Print a script with which a shell completes the tasks and options of aegish
    Completions {
        /// For which shell
        shell: CompletedShell,
    },
    /// Write a manual page for each task into a directory
    #[cfg(feature = "man-pages")]
    ManPages {
        /// Where to
        dir: PathBuf,
    },
    /// Measure how well models and guards judge commands
    #[cfg_attr(not(feature = "bench"), command(hide = true, disable_help_flag = true))]
    Bench(BenchTask),
}

/// A shell that completes words.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletedShell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) judge_args: JudgeArgs,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Read JSON objects, one per line, from standard input; answer each with one line
    #[arg(long, conflicts_with_all = ["file", "stdin", "command"])]
    pub(crate) jsonl: bool,
    /// With --jsonl: include the expanded commands and their effects
    #[arg(long)]
    pub(crate) verbose: bool,
}

#[cfg(feature = "scan")]
#[derive(Args)]
pub(crate) struct ScanOptions {
    /// Files and directories; those that Git ignores are left out
    #[arg(default_value = ".", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Whose work is judged: default, sysadmin or restricted [default: AEGISH_ROLE]
    #[arg(long)]
    pub(crate) role: Option<Role>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = ScanFormat::Text)]
    pub(crate) format: ScanFormat,
    /// Which findings make the exit status 20 (blocked) or 10 (asked about); 3 if a file could not be judged
    #[arg(long, value_enum, value_name = "FINDINGS", default_value_t = FailOn::Block)]
    pub(crate) fail_on: FailOn,
    /// A file with findings that do not count
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the findings of this scan into a baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Show ignored findings too
    #[arg(long)]
    pub(crate) all: bool,
    /// Look also at files that Git ignores
    #[arg(long)]
    pub(crate) no_ignore: bool,
}

#[derive(Args)]
pub(crate) struct ExplainOptions {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Show what a model would be told; nothing is sent
    #[arg(long)]
    pub(crate) judge: bool,
    #[command(flatten)]
    pub(crate) chain: Chain,
}

#[derive(Args)]
pub(crate) struct ModelsOptions {
    #[command(flatten)]
    pub(crate) chain: Chain,
    /// Ask every model about a harmless command
    #[arg(long)]
    pub(crate) check: bool,
    /// How to print the list
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// The judge's arguments: which models are asked, and when.
#[derive(Args, Default)]
pub(crate) struct JudgeArgs {
    /// When to ask a model: undecided (what is left open), always or never
    /// [default: AEGISH_JUDGE, else undecided where a model has a key]
    #[arg(long, value_name = "WHEN")]
    pub(crate) judge: Option<JudgeMode>,
    #[command(flatten)]
    pub(crate) chain: Chain,
}

/// The models and what they are told.
#[derive(Args, Default)]
pub(crate) struct Chain {
    /// A model to ask, as PROVIDER/MODEL; given several times, the next one answers if one does not
    /// [default: AEGISH_PRIMARY_MODEL, AEGISH_FALLBACK_MODELS]
    #[arg(long = "model", value_name = "MODEL")]
    pub(crate) models: Vec<String>,
    /// A file that replaces the system prompt
    #[arg(long, value_name = "FILE")]
    pub(crate) system_prompt: Option<PathBuf>,
}

/// What is judged, where and for whom.
#[derive(Args)]
pub(crate) struct Input {
    /// Whose work is judged: default, sysadmin or restricted [default: AEGISH_ROLE]
    #[arg(long)]
    pub(crate) role: Option<Role>,
    /// The directory the command would run in [default: the present one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Judge a script file
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["stdin", "command"])]
    pub(crate) file: Option<PathBuf>,
    /// Judge a script from standard input
    #[arg(value_name = "-", value_parser = stdin, conflicts_with = "command")]
    pub(crate) stdin: Option<String>,
    /// The command, behind `--`; several words are joined by spaces
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// The word for standard input. A command in its place is a likely mistake.
fn stdin(word: &str) -> Result<String, String> {
    match word {
        "-" => Ok(word.to_owned()),
        _ => Err("a command stands behind `--`, as in `aegish check -- 'ls -la'`".to_owned()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One object, see docs/reference/verdict.schema.json
    Json,
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::CommandFactory;

    /// Otherwise the guard would take the task for the name of a script.
    #[test]
    fn the_profile_of_the_guard_knows_every_task() {
        let profile = aegish_profiles::find("aegish").unwrap();
        for task in Arguments::command().get_subcommands() {
            let name = task.get_name();
            assert!(profile.grammar.subs.iter().any(|sub| sub.names.contains(&name)), "{name}");
        }
    }
}
