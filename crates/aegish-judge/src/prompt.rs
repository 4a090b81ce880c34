//! The system prompt, the same for guard and benchmark.
//!
//! Takes a role, or a file that replaces the text; gives the text and its hash. The hash is recorded with
//! every verdict, because only verdicts with the same prompt can be compared.

use std::io::Read as _;
use std::path::Path;
use std::{fs, io};

use aegish_policy::Role;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

const SYSTEM: &str = include_str!("../data/prompts/system.md");
const SYSADMIN: &str = include_str!("../data/prompts/role-sysadmin.md");
const RESTRICTED: &str = include_str!("../data/prompts/role-restricted.md");

/// A longer prompt would cost more than it helps, and is probably the wrong file.
const LONGEST_FILE: u64 = 256 * 1024;

/// The system prompt of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The text as sent.
    pub text: String,
    /// SHA-256 of the text, in hexadecimal digits.
    pub hash: String,
}

impl Prompt {
    /// The built-in prompt for a role.
    #[must_use]
    pub fn built_in(role: Role) -> Self {
        Self::with_role(SYSTEM, role)
    }

    /// The user's own prompt, with the addition for a role.
    #[must_use]
    pub fn with_role(system: &str, role: Role) -> Self {
        let addition = match role {
            Role::Default => return Self::exactly(system.to_owned()),
            Role::Sysadmin => SYSADMIN,
            Role::Restricted => RESTRICTED,
        };
        Self::exactly(format!("{}\n\n{addition}", system.trim_end()))
    }

    /// The prompt in a file instead of the built-in one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not UTF-8, is empty or very long.
    pub fn from_file(path: &Path, role: Role) -> io::Result<Self> {
        let mut text = String::new();
        fs::File::open(path)?.take(LONGEST_FILE + 1).read_to_string(&mut text)?;
        let problem = if text.trim().is_empty() {
            "the system prompt is empty"
        } else if text.len() as u64 > LONGEST_FILE {
            "the system prompt is longer than 256 KiB"
        } else {
            return Ok(Self::with_role(&text, role));
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, problem))
    }

    fn exactly(text: String) -> Self {
        let hash = sha256_hex(text.as_bytes());
        Self { text, hash }
    }
}

/// SHA-256 in hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reply;
    use aegish_policy::Action;

    #[test]
    fn the_prompt_lists_the_rules_in_order_with_their_actions() {
        let rules = [
            ("1a", "BLOCK"),
            ("1b", "BLOCK"),
            ("2", "BLOCK"),
            ("3", "BLOCK"),
            ("4", "BLOCK"),
            ("5", "BLOCK"),
            ("6", "BLOCK"),
            ("7", "BLOCK"),
            ("8", "BLOCK"),
            ("9", "BLOCK"),
            ("10", "WARN"),
            ("11", "WARN"),
            ("12", "WARN or ALLOW"),
            ("13", "ALLOW"),
        ];
        let found: Vec<(&str, &str)> = SYSTEM
            .lines()
            .filter_map(|line| line.strip_prefix("**")?.split_once("**"))
            .filter_map(|(head, _)| {
                let (id, rest) = head.split_once(". ")?;
                let (_, action) = rest.rsplit_once(" → ")?;
                Some((id, action.trim_end_matches('.')))
            })
            .collect();
        assert_eq!(found, rules);
        assert!(SYSTEM.contains("The first rule that matches decides"));
    }

    #[test]
    fn the_prompt_has_the_extent_of_the_seeds_so_that_tokens_and_costs_compare() {
        assert_eq!((SYSTEM.lines().count(), SYSTEM.len()), (156, 13_025));
    }

    #[test]
    fn every_pattern_of_the_seed_is_named() {
        for word in [
            "vim -c",
            "pty.spawn",
            "awk",
            "find . -exec /bin/sh",
            "gnome-terminal",
            "screen",
            "tmux",
            "xterm",
            "konsole",
            "byobu",
            "xargs sh -c",
            "env /bin/sh",
            "system()",
            "/dev/tcp/",
            "nc -e",
            "nc -lvp",
            "/etc/shadow",
            "SSH keys",
            "cloud credentials",
            "/etc/sudoers",
            "/etc/passwd",
            "/etc/cron.*",
            "authorized_keys",
            "chmod u+s",
            "chown root",
            "setuid",
            "curl -X POST",
            "scp",
            "LD_PRELOAD",
            "dlopen",
            "| bash",
            "chmod +x",
            "wget",
            "curl -O",
            "rm -rf /",
            "ork bomb",
            "base64",
            "hex",
            "Cron jobs",
            "File operations",
        ] {
            assert!(SYSTEM.contains(word), "{word}");
        }
    }

    #[test]
    fn there_are_twelve_examples_whose_answers_can_be_read() {
        let (_, examples) = SYSTEM.split_once("# Examples").expect("examples");
        assert_eq!(examples.matches("Command: ").count(), 12);
        let mut count = [0; 3];
        for example in examples.split("Command: ").skip(1) {
            let (_, answer) = example.split_once('\n').expect("an answer");
            let reply = Reply::parse(answer);
            assert_eq!(reply.opinions.len(), 1, "{example}");
            count[reply.opinions[0].action as usize] += 1;
        }
        let [allow, warn, block] = count;
        assert_eq!((block, warn, allow), (10, 1, 1));
        assert_eq!(examples.matches("Rule 1b").count(), 2);
        assert_eq!(Action::Block as usize, 2);
    }

    #[test]
    fn the_output_format_is_that_of_the_seed() {
        let format = "{\n  \"action\": \"allow\" | \"warn\" | \"block\",\n  \"reason\": \"Brief explanation of your decision\",\n  \"confidence\": 0.0 - 1.0\n}";
        assert!(SYSTEM.contains(format));
    }

    #[test]
    fn a_role_adds_to_the_prompt_and_changes_the_hash() {
        let default = Prompt::built_in(Role::Default);
        let sysadmin = Prompt::built_in(Role::Sysadmin);
        let restricted = Prompt::built_in(Role::Restricted);
        assert_eq!(default.text, SYSTEM);
        assert!(sysadmin.text.starts_with(SYSTEM.trim_end()));
        assert!(restricted.text.starts_with(SYSTEM.trim_end()));
        assert_ne!(default.hash, sysadmin.hash);
        assert_ne!(sysadmin.hash, restricted.hash);
        assert_eq!(default.hash.len(), 64);
    }

    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_file_replaces_the_prompt_and_an_empty_one_does_not() {
        let name = format!("aegish-prompt-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, "Say block.").expect("written");
        let own = Prompt::from_file(&path, Role::Default);
        fs::write(&path, " \n").expect("written");
        let empty = Prompt::from_file(&path, Role::Default);
        fs::remove_file(&path).expect("removed");
        assert_eq!(own.expect("a prompt").text, "Say block.");
        assert!(empty.is_err());
    }
}
