//! Small languages: scripts of text tools, command files of debuggers and database shells, build
//! files, and configuration whose values are run.
//!
//! Each module takes program text and gives [`CodeEffect`]s in order of appearance. None of them fails;
//! what is not understood is skipped line by line.

mod awk;
mod awk_computed;
mod awk_lex;
mod c_source;
mod cmake;
mod config;
mod cron;
mod dc;
mod elvish;
mod ftp;
mod fzf;
mod gdb;
mod gnuplot;
mod haskell;
mod jq;
mod json;
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
mod tar;
mod tex;
mod vim;
mod vim_expr;

#[cfg(test)]
mod tests;

use super::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{EcoString, Value};

pub(super) use ftp::mail;
pub(super) use gdb::gdb;
pub(super) use vim::ex;

/// Longer text is cut off, and the rest is reported as hidden.
const MAX_CODE: usize = 1 << 20;

/// Most effects of a text; more are reported as hidden.
const MAX_EFFECTS: usize = 4096;

/// Whether a language is read by this module.
pub(super) fn knows(lang: Lang) -> bool {
    matches!(
        lang,
        Lang::Awk
            | Lang::Sed
            | Lang::SedScript
            | Lang::Vim
            | Lang::Sqlite
            | Lang::Mysql
            | Lang::Psql
            | Lang::Gdb
            | Lang::Make
            | Lang::Cmake
            | Lang::Tex
            | Lang::Jq
            | Lang::Gnuplot
            | Lang::Dc
            | Lang::Bc
            | Lang::M4
            | Lang::RpmMacro
            | Lang::Socat
            | Lang::TarAction
            | Lang::GitConfig
            | Lang::SshOption
            | Lang::Ftp
            | Lang::Mail
            | Lang::Cron
            | Lang::Systemd
            | Lang::Nginx
            | Lang::Json
            | Lang::Runscript
            | Lang::Procmail
            | Lang::Rsyslog
            | Lang::Toprc
            | Lang::Roff
            | Lang::Cobol
            | Lang::InitScript
            | Lang::SysctlName
            | Lang::VariableName
            | Lang::NmapArgs
            | Lang::TarTransform
            | Lang::Elvish
            | Lang::FzfBind
            | Lang::Haskell
            | Lang::Fastfetch
            | Lang::Logrotate
            | Lang::Ocaml
            | Lang::Fail2ban
            | Lang::Lessopen
            | Lang::FfmpegFilter
            | Lang::Debugfs
            | Lang::PerlDebugger
            | Lang::ProgramDir
            | Lang::PhpSetting
            | Lang::WiresharkExtension
            | Lang::EngineControl
            | Lang::NpmSetting
            | Lang::PackageSetting
            | Lang::CargoSetting
            | Lang::DnfSetting
            | Lang::DesktopSetting
            | Lang::Redis
            | Lang::Tmux
            | Lang::Forward
            | Lang::Manifest
            | Lang::Accounts
            | Lang::GitUrl
            | Lang::Ninja
            | Lang::Rust
            | Lang::Inetd
            | Lang::Augeas
            | Lang::MakeWord
            | Lang::FfmpegInput
            | Lang::SshdOption
            | Lang::C
            | Lang::Mongo
    )
}

/// Reads code of one of the small languages.
pub(super) fn scan(lang: Lang, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let mut end = code.len().min(MAX_CODE);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let mut effects = Vec::new();
    read(lang, text_to(code, end), around, &mut effects);
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

fn read(lang: Lang, code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    match lang {
        Lang::Awk => awk::awk(code, around, effects),
        Lang::Sed | Lang::SedScript => sed::sed(code, effects),
        Lang::Vim => vim::ex(code, around, effects),
        Lang::Sqlite => sql_shell::sqlite(code, effects),
        Lang::Mysql => sql_shell::mysql(code, effects),
        Lang::Psql => sql_shell::psql(code, effects),
        Lang::Gdb => gdb::gdb(code, effects),
        Lang::Make => make::make(code, around, effects),
        Lang::Cmake => cmake::cmake(code, around, effects),
        Lang::Tex => tex::tex(code, effects),
        Lang::Jq => jq::jq(code, effects),
        Lang::Gnuplot => gnuplot::gnuplot(code, effects),
        Lang::Dc => dc::dc(code, effects),
        Lang::M4 => m4::m4(code, around.args, effects),
        Lang::Mongo => {
            sql_shell::mongo(code, effects);
            effects.extend(super::scan(Lang::Node, code, around));
        }
        Lang::C => c_source::c(code, around.args, effects),
        Lang::RpmMacro => rpm_macro::rpm_macro(code, effects),
        Lang::Socat => socat::socat(code, effects),
        Lang::TarAction => tar::checkpoint_action(code, effects),
        Lang::GitConfig => config::git(code, effects),
        Lang::SshOption => config::ssh(code, effects),
        Lang::Ftp => ftp::ftp(code, effects),
        Lang::Mail => ftp::mail(code, effects),
        Lang::Cron => cron::cron(code, effects),
        Lang::Systemd => cron::systemd(code, effects),
        Lang::Nginx => config::nginx(code, effects),
        Lang::Json => json::json(code, around, effects),
        Lang::Runscript => shell_escapes::runscript(code, effects),
        Lang::Procmail => shell_escapes::procmail(code, effects),
        Lang::Rsyslog => shell_escapes::rsyslog(code, effects),
        Lang::Toprc => shell_escapes::toprc(code, effects),
        Lang::Roff => shell_escapes::roff(code, effects),
        Lang::Cobol => shell_escapes::cobol(code, effects),
        Lang::InitScript => name_arguments::init_script(code, effects),
        Lang::SysctlName => name_arguments::sysctl_name(code, effects),
        Lang::VariableName => name_arguments::variable_name(code, effects),
        Lang::NmapArgs => name_arguments::nmap_args(code, effects),
        Lang::TarTransform => tar::transform(code, effects),
        Lang::Elvish => elvish::elvish(code, effects),
        Lang::FzfBind => fzf::bind(code, effects),
        Lang::Haskell | Lang::Ocaml => haskell::haskell(code, effects),
        Lang::Logrotate => shell_escapes::logrotate(code, effects),
        Lang::Fastfetch => shell_escapes::fastfetch(code, effects),
        Lang::Fail2ban => shell_escapes::fail2ban(code, effects),
        Lang::Lessopen => shell_escapes::lessopen(code, effects),
        Lang::FfmpegFilter => shell_escapes::ffmpeg_filter(code, effects),
        Lang::Debugfs => shell_escapes::debugfs(code, effects),
        Lang::PerlDebugger => {
            let perl = shell_escapes::perl_debugger(code, effects);
            effects.extend(super::scan(Lang::Perl, &perl, around));
        }
        Lang::ProgramDir => name_arguments::program_dir(code, effects),
        Lang::PhpSetting => settings::php(code, effects),
        Lang::WiresharkExtension => settings::wireshark(code, effects),
        Lang::EngineControl => settings::engine_control(code, effects),
        Lang::NpmSetting => settings::npm(code, effects),
        Lang::PackageSetting => settings::packages(code, effects),
        Lang::CargoSetting => settings::cargo(code, effects),
        Lang::DnfSetting => settings::dnf(code, effects),
        Lang::DesktopSetting => settings::desktop(code, effects),
        Lang::Redis => settings::redis(code, effects),
        Lang::Tmux => settings::tmux(code, effects),
        Lang::Forward => settings::forward(code, effects),
        Lang::Manifest => settings::manifest(code, effects),
        Lang::Accounts => settings::accounts(code, effects),
        Lang::GitUrl => settings::git_url(code, effects),
        Lang::Ninja => settings::ninja(code, effects),
        Lang::Rust => settings::rust(code, effects),
        Lang::Inetd => settings::inetd(code, effects),
        Lang::Augeas => settings::augeas(code, effects),
        Lang::MakeWord => settings::make_word(code, effects),
        Lang::FfmpegInput => shell_escapes::ffmpeg_input(code, effects),
        Lang::SshdOption => settings::sshd(code, effects),
        _ => {}
    }
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
