//! What a file is, told from its name and its first line.

use std::path::Path;

/// A kind of file that holds shell commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A shell script.
    Shell,
    /// A Dockerfile or Containerfile: `RUN`, `CMD`, `ENTRYPOINT`, `HEALTHCHECK`.
    Dockerfile,
    /// A makefile: recipes and `$(shell …)`.
    Makefile,
    /// A workflow of GitHub: `run` of its steps.
    GithubWorkflow,
    /// A composite action of GitHub.
    GithubAction,
    /// The pipelines of GitLab: `script`, `before_script`, `after_script`.
    GitlabCi,
    /// The scripts of a `package.json`.
    PackageJson,
    /// A table of cron.
    Crontab(CrontabFields),
    /// A unit of systemd: `Exec…=` lines.
    SystemdUnit,
}

/// What stands before the command in a line of a crontab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrontabFields {
    /// The time alone: a user's table.
    Time,
    /// The time and the user: `/etc/crontab`, `/etc/cron.d`.
    TimeAndUser,
}

/// Shells whose language is that of bash, or close enough.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];

/// Start files of shells, which have no ending.
const START_FILES: [&str; 12] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".envrc",
    "bashrc",
    "PKGBUILD",
];

impl FileKind {
    /// The kind of a file; `beginning` is its first bytes, as far as they are at hand.
    #[must_use]
    pub fn of(path: &Path, beginning: &[u8]) -> Option<Self> {
        Self::by_name(path).or_else(|| is_shell_script(beginning).then_some(Self::Shell))
    }

    /// The kind that the name alone tells.
    #[must_use]
    pub fn by_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let folder = |depth: usize| {
            path.ancestors().nth(depth).and_then(Path::file_name).and_then(|name| name.to_str())
        };
        let ending = name
            .rsplit_once('.')
            .map_or("", |(stem, ending)| if stem.is_empty() { "" } else { ending });
        let yaml = matches!(ending, "yml" | "yaml");
        Some(match name {
            "Dockerfile" | "Containerfile" => Self::Dockerfile,
            "Makefile" | "makefile" | "GNUmakefile" => Self::Makefile,
            "package.json" => Self::PackageJson,
            "action.yml" | "action.yaml" => Self::GithubAction,
            ".gitlab-ci.yml" | ".gitlab-ci.yaml" => Self::GitlabCi,
            "crontab" if folder(1) == Some("etc") => Self::Crontab(CrontabFields::TimeAndUser),
            "crontab" => Self::Crontab(CrontabFields::Time),
            _ if START_FILES.contains(&name) => Self::Shell,
            _ if name.starts_with("Dockerfile.") || name.starts_with("Containerfile.") => {
                Self::Dockerfile
            }
            _ if yaml
                && folder(1) == Some("workflows")
                && matches!(folder(2), Some(".github" | ".gitea" | ".forgejo")) =>
            {
                Self::GithubWorkflow
            }
            _ if yaml && name.ends_with(&format!(".gitlab-ci.{ending}")) => Self::GitlabCi,
            _ if folder(1) == Some("cron.d") => Self::Crontab(CrontabFields::TimeAndUser),
            _ => match ending {
                "sh" | "bash" | "ksh" | "zsh" | "dash" | "bats" | "ebuild" => Self::Shell,
                "dockerfile" | "containerfile" | "Dockerfile" => Self::Dockerfile,
                "mk" | "mak" => Self::Makefile,
                "cron" | "crontab" => Self::Crontab(CrontabFields::Time),
                "service" | "socket" | "mount" | "swap" => Self::SystemdUnit,
                _ => return None,
            },
        })
    }

    /// Whether a file without a telling name may be a script: it has no ending.
    #[must_use]
    pub fn may_be_script(path: &Path) -> bool {
        path.extension().is_none()
    }

    /// The name of the kind, for people and programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Dockerfile => "dockerfile",
            Self::Makefile => "makefile",
            Self::GithubWorkflow => "github-workflow",
            Self::GithubAction => "github-action",
            Self::GitlabCi => "gitlab-ci",
            Self::PackageJson => "package.json",
            Self::Crontab(_) => "crontab",
            Self::SystemdUnit => "systemd-unit",
        }
    }
}

/// Whether the first line names a shell.
fn is_shell_script(beginning: &[u8]) -> bool {
    let Some(line) = beginning.strip_prefix(b"#!") else { return false };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    interpreter(&String::from_utf8_lossy(line)).is_some_and(|name| SHELLS.contains(&name.as_str()))
}

/// The program that a line behind `#!` names, without its directory.
pub(crate) fn interpreter(line: &str) -> Option<String> {
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut names = line.split_whitespace().map(base);
    match names.next() {
        Some(name) if name == "env" => {
            names.find(|word| !word.starts_with('-') && !word.contains('='))
        }
        name => name,
    }
}

/// Whether a program is a shell of bash's language.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{CrontabFields, FileKind};
    use std::path::Path;

    fn kind(path: &str) -> Option<FileKind> {
        FileKind::by_name(Path::new(path))
    }

    #[test]
    fn names_tell_what_files_are() {
        assert_eq!(kind("a/Dockerfile"), Some(FileKind::Dockerfile));
        assert_eq!(kind("Dockerfile.dev"), Some(FileKind::Dockerfile));
        assert_eq!(kind("build/app.dockerfile"), Some(FileKind::Dockerfile));
        assert_eq!(kind(".github/workflows/ci.yml"), Some(FileKind::GithubWorkflow));
        assert_eq!(kind("docs/workflows/ci.yml"), None);
        assert_eq!(kind("tools/setup/action.yml"), Some(FileKind::GithubAction));
        assert_eq!(kind("etc/cron.d/backup"), Some(FileKind::Crontab(CrontabFields::TimeAndUser)));
        assert_eq!(kind("notes.md"), None);
        assert_eq!(kind(".sh"), None);
    }

    #[test]
    fn a_first_line_tells_a_script() {
        let of = |text: &str| FileKind::of(Path::new("bin/tool"), text.as_bytes());
        assert_eq!(of("#!/usr/bin/env -S bash -e\n"), Some(FileKind::Shell));
        assert_eq!(of("#!/bin/sh"), Some(FileKind::Shell));
        assert_eq!(of("#!/usr/bin/python3\n"), None);
        assert_eq!(of("echo hello\n"), None);
    }
}
