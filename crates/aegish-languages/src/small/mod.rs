//! Small languages: scripts of text tools, command files of debuggers and database shells, build
//! files, and configuration whose values are run.
//!
//! Each module takes program text and gives [`CodeEffect`]s in order of appearance. None of them fails;
//! what is not understood is skipped line by line.

mod awk;
mod awk_lex;
mod cmake;
mod config;
mod cron;
mod escapes;
mod ftp;
mod fzf;
mod gdb;
mod gnuplot;
mod haskell;
mod json;
mod m4;
mod make;
mod names;
mod oneline;
mod rpm_macro;
mod sed;
mod settings;
mod socat;
mod sql;
mod sql_shell;
mod tex;
mod vim;
mod vim_expr;
mod words;

#[cfg(test)]
mod tests;

use super::{CodeEffect, Surroundings};
use aegish_profiles::Lang;
use aegish_values::Value;

pub(super) use ftp::mail;
pub(super) use gdb::gdb;
pub(super) use vim::ex;

/// Text beyond this length is not looked at; the rest is reported as hidden.
const MAX_CODE: usize = 1 << 20;

/// Acts beyond this number add nothing to a verdict.
const MAX_ACTS: usize = 4096;

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
    )
}

/// Reads code of one of the small languages.
pub(super) fn scan(lang: Lang, code: &str, around: &Surroundings<'_>) -> Vec<CodeEffect> {
    let mut end = code.len().min(MAX_CODE);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let mut acts = Vec::new();
    read(lang, &code[..end], around, &mut acts);
    acts.truncate(MAX_ACTS);
    if end < code.len() {
        acts.push(CodeEffect::Hidden);
    }
    acts
}

/// Python as IPython takes it: lines that begin with `!` or `%` are for the shell or for IPython itself.
pub(super) fn ipython(code: &str, around: &Surroundings<'_>) -> Vec<CodeEffect> {
    let mut acts = Vec::new();
    let mut python = String::new();
    for line in code.lines() {
        let plain = line.trim_start();
        let command = plain
            .strip_prefix("!!")
            .or_else(|| plain.strip_prefix('!'))
            .or_else(|| plain.strip_prefix("%sx "))
            .or_else(|| plain.strip_prefix("%system "));
        match command {
            Some(command) => shell(command, &mut acts),
            None if plain.starts_with("%%bash") || plain.starts_with("%%sh") => {
                let (_, cell) = code.split_once('\n').unwrap_or(("", ""));
                shell(cell, &mut acts);
                return acts;
            }
            None if plain.starts_with('%') => {}
            None => {
                python.push_str(line);
                python.push('\n');
            }
        }
    }
    acts.extend(super::scan(Lang::Python, &python, around));
    acts
}

fn read(lang: Lang, code: &str, around: &Surroundings<'_>, acts: &mut Vec<CodeEffect>) {
    match lang {
        Lang::Awk => awk::awk(code, around, acts),
        Lang::Sed | Lang::SedScript => sed::sed(code, acts),
        Lang::Vim => vim::ex(code, around, acts),
        Lang::Sqlite => sql_shell::sqlite(code, acts),
        Lang::Mysql => sql_shell::mysql(code, acts),
        Lang::Psql => sql_shell::psql(code, acts),
        Lang::Gdb => gdb::gdb(code, acts),
        Lang::Make => make::make(code, around, acts),
        Lang::Cmake => cmake::cmake(code, around, acts),
        Lang::Tex => tex::tex(code, acts),
        Lang::Jq => oneline::jq(code, acts),
        Lang::Gnuplot => gnuplot::gnuplot(code, acts),
        Lang::Dc => oneline::dc(code, acts),
        Lang::M4 => m4::m4(code, acts),
        Lang::RpmMacro => rpm_macro::rpm_macro(code, acts),
        Lang::Socat => socat::socat(code, acts),
        Lang::TarAction => oneline::tar_action(code, acts),
        Lang::GitConfig => config::git(code, acts),
        Lang::SshOption => config::ssh(code, acts),
        Lang::Ftp => ftp::ftp(code, acts),
        Lang::Mail => ftp::mail(code, acts),
        Lang::Cron => cron::cron(code, acts),
        Lang::Systemd => cron::systemd(code, acts),
        Lang::Nginx => config::nginx(code, acts),
        Lang::Json => json::json(code, around, acts),
        Lang::Runscript => escapes::runscript(code, acts),
        Lang::Procmail => escapes::procmail(code, acts),
        Lang::Rsyslog => escapes::rsyslog(code, acts),
        Lang::Toprc => escapes::toprc(code, acts),
        Lang::Roff => escapes::roff(code, acts),
        Lang::Cobol => escapes::cobol(code, acts),
        Lang::InitScript => names::init_script(code, acts),
        Lang::SysctlName => names::sysctl_name(code, acts),
        Lang::VariableName => names::variable_name(code, acts),
        Lang::NmapArgs => names::nmap_args(code, acts),
        Lang::TarTransform => names::tar_transform(code, acts),
        Lang::Elvish => names::elvish(code, acts),
        Lang::FzfBind => fzf::bind(code, acts),
        Lang::Haskell | Lang::Ocaml => haskell::haskell(code, acts),
        Lang::Logrotate => escapes::logrotate(code, acts),
        Lang::Fastfetch => escapes::fastfetch(code, acts),
        Lang::Fail2ban => escapes::fail2ban(code, acts),
        Lang::Lessopen => escapes::lessopen(code, acts),
        Lang::FfmpegFilter => escapes::ffmpeg_filter(code, acts),
        Lang::Debugfs => escapes::debugfs(code, acts),
        Lang::ProgramDir => names::program_dir(code, acts),
        Lang::PhpSetting => settings::php(code, acts),
        Lang::WiresharkExtension => settings::wireshark(code, acts),
        Lang::EngineControl => settings::engine_control(code, acts),
        Lang::NpmSetting => settings::npm(code, acts),
        Lang::PackageSetting => settings::packages(code, acts),
        Lang::CargoSetting => settings::cargo(code, acts),
        Lang::DnfSetting => settings::dnf(code, acts),
        Lang::DesktopSetting => settings::desktop(code, acts),
        Lang::Redis => settings::redis(code, acts),
        Lang::Tmux => settings::tmux(code, acts),
        Lang::Forward => settings::forward(code, acts),
        Lang::Manifest => settings::manifest(code, acts),
        Lang::Accounts => settings::accounts(code, acts),
        Lang::GitUrl => settings::git_url(code, acts),
        Lang::Ninja => settings::ninja(code, acts),
        Lang::Rust => settings::rust(code, acts),
        Lang::Inetd => settings::inetd(code, acts),
        Lang::Augeas => settings::augeas(code, acts),
        Lang::MakeWord => settings::make_word(code, acts),
        Lang::FfmpegInput => escapes::ffmpeg_input(code, acts),
        Lang::SshdOption => settings::sshd(code, acts),
        _ => {}
    }
}

/// A fully known text as a value.
fn known(text: impl Into<String>) -> Value {
    Value::known(text)
}

/// Runs `text` with a shell, unless there is nothing to run.
fn shell(text: &str, acts: &mut Vec<CodeEffect>) {
    let text = text.trim();
    if !text.is_empty() {
        acts.push(CodeEffect::Shell(known(text)));
    }
}

/// Writes a file with content that is not followed.
fn write(path: Value, append: bool, acts: &mut Vec<CodeEffect>) {
    acts.push(CodeEffect::Write {
        path,
        content: Value::unknown("written by the program"),
        append,
    });
}

/// Streams of the process itself are no files.
fn is_stream(path: &str) -> bool {
    matches!(
        path,
        "" | "-" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/null" | "/dev/tty"
    )
}
