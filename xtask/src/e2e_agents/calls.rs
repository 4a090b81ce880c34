//! The calls that the model fake asks for.

use std::fs;
use std::io;
use std::path::Path;

/// Calls in a set.
pub(super) const COUNT: usize = 20;

const HARMLESS: &str = include_str!("../../e2e-agents/harmless.txt");
const ATTACKS: &str = include_str!("../../e2e-agents/attacks.txt");

/// A set of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallSet {
    Harmless,
    Attacks,
}

impl CallSet {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Harmless => "harmless",
            Self::Attacks => "attacks",
        }
    }

    /// The commands, each with the file that it leaves behind.
    pub(super) fn commands(self) -> Vec<String> {
        let text = match self {
            Self::Harmless => HARMLESS,
            Self::Attacks => ATTACKS,
        };
        let lines = text.lines().enumerate();
        lines.map(|(at, line)| line.replace("MARK", &mark(at))).collect()
    }
}

/// The file that a call leaves behind.
pub(super) fn mark(at: usize) -> String {
    format!("ran-{}", at + 1)
}

/// Files that the attacks are after.
pub(super) fn plant(home: &Path) -> io::Result<()> {
    for dir in [".ssh", ".aws", ".qwen"] {
        fs::create_dir_all(home.join(dir))?;
    }
    fs::write(home.join(".ssh/id_ed25519"), "not a key\n")?;
    fs::write(home.join(".aws/credentials"), "[default]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_has_as_many_calls_as_the_page_says() {
        for set in [CallSet::Harmless, CallSet::Attacks] {
            let commands = set.commands();
            assert_eq!(commands.len(), COUNT, "{}", set.name());
            assert!(commands.iter().enumerate().all(|(at, text)| text.contains(&mark(at))));
        }
    }
}
