//! Small languages: scripts of text tools, command files of debuggers and database shells, build
//! files, and configuration whose values are run.
//!
//! Each module takes program text and gives [`CodeEffect`]s in order of appearance. None of them fails;
//! what is not understood is skipped line by line.

mod awk;
mod c_source;
mod cmake;
mod config;
mod cron;
mod dc;
mod elvish;
mod ftp;
mod fzf;
mod gdb;
mod git_config;
mod gnuplot;
mod haskell;
mod jq;
mod json;
mod just;
mod m4;
mod make;
mod name_arguments;
mod quoted_words;
mod rpm_macro;
mod sed;
mod settings;
mod shell_escapes;
mod socat;
mod sql;
mod sql_shell;
mod sql_values;
mod tar;
mod targets;
mod tex;
mod vim;
mod vim_expr;
mod vim_names;

#[cfg(test)]
mod tests;

use super::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{EcoString, Value};

pub use awk::{AwkRun, awk_run};
pub(super) use ftp::mail;
pub(super) use gdb::gdb;
pub(super) use vim::ex;

/// Longer text is cut off, and the rest is reported as hidden.
const MAX_CODE: usize = 1 << 20;

/// Most effects of a text; more are reported as hidden.
const MAX_EFFECTS: usize = 4096;

/// Takes program text and adds its effects.
type Reader = fn(&str, &CodeContext<'_>, &mut Vec<CodeEffect>);

/// Whether a language is read by this module.
pub(super) fn knows(lang: Lang) -> bool {
    reader(lang).is_some()
}

/// Reads code of one of the small languages.
pub(super) fn scan(lang: Lang, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let mut end = code.len().min(MAX_CODE);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let mut effects = Vec::new();
    if let Some(read) = reader(lang) {
        read(text_to(code, end), around, &mut effects);
    }
    let cut = effects.len() > MAX_EFFECTS;
    effects.truncate(MAX_EFFECTS);
    if cut || end < code.len() {
        effects.push(CodeEffect::Hidden);
    }
    effects
}

/// Python with the syntax of IPython: lines that start with `!` go to the shell, lines that start with `%`
/// are commands of IPython.
pub(super) fn ipython(code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let mut effects = Vec::new();
    let mut python = String::new();
    for line in code.lines() {
        let plain = line.trim_start();
        let command = plain
            .strip_prefix("!!")
            .or_else(|| plain.strip_prefix('!'))
            .or_else(|| plain.strip_prefix("%sx "))
            .or_else(|| plain.strip_prefix("%system "));
        match command {
            Some(command) => shell(command, &mut effects),
            None if plain.starts_with("%%bash") || plain.starts_with("%%sh") => {
                let (_, cell) = code.split_once('\n').unwrap_or(("", ""));
                shell(cell, &mut effects);
                return effects;
            }
            None if plain.starts_with('%') => {}
            None => {
                python.push_str(line);
                python.push('\n');
            }
        }
    }
    effects.extend(super::scan(Lang::Python, &python, around));
    effects
}

/// A file that code includes: itself, or one of this name in the directories that are searched.
fn included(name: &str, directories: &[Value], effects: &mut Vec<CodeEffect>) {
    effects.push(CodeEffect::Read(known(name)));
    if name.starts_with('/') {
        return;
    }
    for directory in directories {
        let mut path = directory.clone();
        path.push_str("/");
        path.push_str(name);
        effects.push(CodeEffect::Read(path));
    }
}

/// The reader of a language.
fn reader(lang: Lang) -> Option<Reader> {
    Some(match lang {
        Lang::Awk => awk::awk,
        Lang::Sed | Lang::SedScript => |code, _, effects| sed::sed(code, effects),
        Lang::Vim => vim::ex,
        Lang::Sqlite => |code, _, effects| sql_shell::sqlite(code, effects),
        Lang::Mysql => |code, _, effects| sql_shell::mysql(code, effects),
        Lang::Psql => |code, _, effects| sql_shell::psql(code, effects),
        Lang::Gdb => |code, _, effects| gdb::gdb(code, effects),
        Lang::Make => make::make,
        Lang::Cmake => cmake::cmake,
        Lang::Tex => |code, _, effects| tex::tex(code, effects),
        Lang::Jq => |code, _, effects| jq::jq(code, effects),
        Lang::Gnuplot => |code, _, effects| gnuplot::gnuplot(code, effects),
        Lang::Dc => |code, _, effects| dc::dc(code, effects),
        // It only computes.
        Lang::Bc => |_, _, _| {},
        Lang::M4 => |code, around, effects| m4::m4(code, around.args, effects),
        Lang::Mongo => |code, around, effects| {
            sql_shell::mongo(code, effects);
            effects.extend(super::scan(Lang::Node, code, around));
        },
        Lang::C => |code, around, effects| {
            c_source::c(code, around.args, effects);
            super::mentioned::add_mentions(code, effects);
        },
        Lang::RpmMacro => |code, _, effects| rpm_macro::rpm_macro(code, effects),
        Lang::Socat => |code, _, effects| socat::socat(code, effects),
        Lang::TarAction => |code, _, effects| tar::checkpoint_action(code, effects),
        Lang::GitConfig => |code, _, effects| git_config::git(code, effects),
        Lang::SshOption => |code, around, effects| config::ssh(code, around.args, effects),
        Lang::Ftp => |code, _, effects| ftp::ftp(code, effects),
        Lang::Mail => |code, _, effects| ftp::mail(code, effects),
        Lang::Cron => |code, _, effects| cron::cron(code, effects),
        Lang::Systemd => |code, _, effects| cron::systemd(code, effects),
        Lang::Nginx => |code, _, effects| config::nginx(code, effects),
        Lang::Json => json::json,
        Lang::Just => just::just,
        Lang::Runscript => |code, _, effects| shell_escapes::runscript(code, effects),
        Lang::Procmail => |code, _, effects| shell_escapes::procmail(code, effects),
        Lang::Rsyslog => |code, _, effects| shell_escapes::rsyslog(code, effects),
        Lang::Toprc => |code, _, effects| shell_escapes::toprc(code, effects),
        Lang::Roff => |code, around, effects| shell_escapes::roff(code, around.args, effects),
        Lang::Cobol => |code, _, effects| shell_escapes::cobol(code, effects),
        Lang::InitScript => |code, _, effects| name_arguments::init_script(code, effects),
        Lang::SysctlName => |code, _, effects| name_arguments::sysctl_name(code, effects),
        Lang::VariableName => |code, _, effects| name_arguments::variable_name(code, effects),
        Lang::NmapArgs => |code, _, effects| name_arguments::nmap_args(code, effects),
        Lang::TarTransform => |code, _, effects| tar::transform(code, effects),
        Lang::Elvish => |code, _, effects| elvish::elvish(code, effects),
        Lang::FzfBind => |code, _, effects| fzf::bind(code, effects),
        Lang::Haskell | Lang::Ocaml => |code, _, effects| haskell::haskell(code, effects),
        Lang::Logrotate => |code, _, effects| shell_escapes::logrotate(code, effects),
        Lang::Fastfetch => |code, _, effects| shell_escapes::fastfetch(code, effects),
        Lang::Fail2ban => |code, _, effects| shell_escapes::fail2ban(code, effects),
        Lang::Lessopen => |code, _, effects| shell_escapes::lessopen(code, effects),
        Lang::FfmpegFilter => |code, _, effects| shell_escapes::ffmpeg_filter(code, effects),
        Lang::Debugfs => |code, _, effects| shell_escapes::debugfs(code, effects),
        Lang::PerlDebugger => |code, around, effects| {
            let perl = shell_escapes::perl_debugger(code, effects);
            effects.extend(super::scan(Lang::Perl, &perl, around));
        },
        Lang::ProgramDir => |code, _, effects| name_arguments::program_dir(code, effects),
        Lang::PhpSetting => |code, _, effects| settings::php(code, effects),
        Lang::WiresharkExtension => |code, _, effects| settings::wireshark(code, effects),
        Lang::EngineControl => |code, _, effects| settings::engine_control(code, effects),
        Lang::NpmSetting => |code, _, effects| settings::npm(code, effects),
        Lang::PackageSetting => |code, _, effects| settings::packages(code, effects),
        Lang::CargoSetting => |code, _, effects| settings::cargo(code, effects),
        Lang::DnfSetting => |code, _, effects| settings::dnf(code, effects),
        Lang::DesktopSetting => |code, _, effects| settings::desktop(code, effects),
        Lang::Inputrc => |code, _, effects| settings::inputrc(code, effects),
        Lang::OutputTarget => |code, _, effects| targets::output_target(code, effects),
        Lang::Wgetrc => |code, _, effects| targets::wgetrc(code, effects),
        Lang::CompilerPass => |code, _, effects| targets::compiler_pass(code, effects),
        Lang::CurlFormat => |code, _, effects| targets::curl_format(code, effects),
        Lang::JavaLog => |code, _, effects| targets::java_log(code, effects),
        Lang::VimVerbose => |code, _, effects| targets::vim_verbose(code, effects),
        Lang::Tmpfiles => |code, _, effects| targets::tmpfiles(code, effects),
        Lang::GitRemote => |code, _, effects| git_config::remote(code, effects),
        Lang::Redis => |code, _, effects| settings::redis(code, effects),
        Lang::Tmux => |code, _, effects| settings::tmux(code, effects),
        Lang::Forward => |code, _, effects| settings::forward(code, effects),
        Lang::Manifest => |code, _, effects| settings::manifest(code, effects),
        Lang::Accounts => |code, _, effects| settings::accounts(code, effects),
        Lang::GitUrl => |code, _, effects| settings::git_url(code, effects),
        Lang::Ninja => |code, _, effects| settings::ninja(code, effects),
        Lang::Rust => |code, _, effects| settings::rust(code, effects),
        Lang::Inetd => |code, _, effects| settings::inetd(code, effects),
        Lang::Augeas => |code, _, effects| settings::augeas(code, effects),
        Lang::MakeWord => |code, _, effects| settings::make_word(code, effects),
        Lang::FfmpegInput => |code, _, effects| shell_escapes::ffmpeg_input(code, effects),
        Lang::SshdOption => |code, _, effects| settings::sshd(code, effects),
        _ => return None,
    })
}

/// Returns the text from byte `at` on, or nothing if no character starts there.
fn text_from(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// Returns the text before byte `at`, or nothing if no character starts there.
fn text_to(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

/// A fully known text as a value.
fn known(text: impl Into<EcoString>) -> Value {
    Value::known(text)
}

/// Adds a shell command, unless it is empty.
fn shell(text: &str, effects: &mut Vec<CodeEffect>) {
    let text = text.trim();
    if !text.is_empty() {
        effects.push(CodeEffect::Shell(known(text)));
    }
}

/// Adds a write of unknown content.
fn write(path: Value, append: bool, effects: &mut Vec<CodeEffect>) {
    effects.push(CodeEffect::Write {
        path,
        content: Value::unknown("written by the program"),
        append,
    });
}

/// Whether a path is a stream of the process or `/dev/null`.
fn is_stream(path: &str) -> bool {
    matches!(
        path,
        "" | "-" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/null" | "/dev/tty"
    )
}
