//! `allow` or `deny` for single kinds of things, and for all others.
//!
//! Written as `package-install=allow,work-loss=deny`. A word without a kind is the answer for all kinds that
//! are not named; the default is deny.

use std::collections::BTreeMap;
use std::fmt;

use crate::keys::{nearest, shown};
use crate::table::{ANYBODY, Preset, Setting, Tighter, ValueType};

/// The rules that can warn; kept by `cargo xtask gen`.
pub(crate) const WARNINGS: &[&str] = &[
    "account-change",
    "arbitrary-command-execution",
    "command-shadowing",
    "container-escape",
    "critical-file-read",
    "critical-file-write",
    "data-exfiltration",
    "destructive-file-system",
    "direct-shell-spawner",
    "disguised-code",
    "download-and-execute",
    "download-only",
    "enumeration",
    "environment-injection",
    "kernel-interface",
    "library-loading",
    "misleading-text",
    "model-opinion",
    "network-change",
    "non-critical-write",
    "package-install",
    "path-change",
    "persistence",
    "power-change",
    "privilege-escalation",
    "process-inspection",
    "process-kill",
    "prompt-injection",
    "remote-destruction",
    "reverse-or-bind-shell",
    "scheduled-content",
    "secret-shown",
    "security-tool-disabled",
    "service-change",
    "unparsable-command",
    "unread-code",
    "unresolved-command",
    "user-rule",
    "work-loss",
];

pub(crate) const ON_WARN: Setting = Setting {
    name: "AEGISH_ON_WARN",
    kind: ValueType::Answers(WARNINGS),
    default: Preset::Always("deny"),
    by: ANYBODY,
    tighter: Tighter::Fewer,
    doc: "what becomes of a warning when nobody sits at the terminal: `allow`, `deny`, or an answer per rule such as `package-install=allow,work-loss=deny`; what is not named is denied",
};

pub(crate) const SHOWN_SECRETS: Setting = Setting {
    name: "AEGISH_SHOWN_SECRETS",
    kind: ValueType::Word(&["nobody", "agents", "everybody"]),
    default: Preset::Always("agents"),
    by: ANYBODY,
    tighter: Tighter::LaterWord,
    doc: "whose commands are asked about before they print a secret of the project or the environment (`cat .env`, `echo $TOKEN`): those of `agents` (hooks, shells that agents call, the servers), of `nobody`, or of `everybody`",
};

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Go on.
    Allow,
    /// Do not.
    Deny,
}

impl Answer {
    fn read(word: &str) -> Option<Self> {
        [Self::Allow, Self::Deny]
            .into_iter()
            .find(|answer| word.eq_ignore_ascii_case(answer.word()))
    }

    fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// An answer for each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    named: BTreeMap<&'static str, Answer>,
    others: Answer,
}

impl Default for Answers {
    fn default() -> Self {
        Self { named: BTreeMap::new(), others: Answer::Deny }
    }
}

impl Answers {
    /// Whether things of this kind are allowed.
    #[must_use]
    pub fn allows(&self, kind: &str) -> bool {
        *self.named.get(kind).unwrap_or(&self.others) == Answer::Allow
    }

    /// Reads answers; the error says what to write instead.
    pub(crate) fn read(kinds: &'static [&'static str], text: &str) -> Result<Self, String> {
        let mut answers = Self::default();
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let mut said = false;
        for word in words {
            said = true;
            match word.split_once('=') {
                Some((kind, answer)) => {
                    let kind = known(kinds, kind.trim())?;
                    let answer = Answer::read(answer.trim())
                        .ok_or_else(|| format!("write {kind}=allow or {kind}=deny"))?;
                    answers.named.insert(kind, answer);
                }
                None => {
                    answers.others =
                        Answer::read(word).ok_or_else(|| match known(kinds, word) {
                            Ok(kind) => format!("write {kind}=allow or {kind}=deny"),
                            Err(_) => "write allow, deny, or answers such as package-install=allow"
                                .to_owned(),
                        })?;
                }
            }
        }
        if said {
            Ok(answers)
        } else {
            Err("write allow, deny, or answers such as package-install=allow".to_owned())
        }
    }
}

/// The kind of this name, or which one may be meant.
fn known(kinds: &'static [&'static str], name: &str) -> Result<&'static str, String> {
    if let Some(kind) = kinds.iter().find(|kind| **kind == name) {
        return Ok(kind);
    }
    Err(match nearest(name, kinds.iter().map(|kind| (*kind).to_owned())) {
        Some(kind) => {
            format!("no rule that warns is called {}; did you mean {kind}?", shown(name))
        }
        None => format!("no rule that warns is called {}; `aegish rules` lists them", shown(name)),
    })
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.named.iter().map(|(kind, answer)| format!("{kind}={}", answer.word()));
        let mut words: Vec<String> = named.collect();
        // The default is deny, so it is written only if nothing is named.
        if self.others == Answer::Allow || words.is_empty() {
            words.insert(0, self.others.word().to_owned());
        }
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::Answers;

    const KINDS: &[&str] = &["package-install", "work-loss"];

    fn read(text: &str) -> Result<String, String> {
        Answers::read(KINDS, text).map(|answers| answers.to_string())
    }

    #[test]
    fn kinds_that_are_not_named_are_denied() {
        let answers = Answers::read(KINDS, "package-install=allow");
        assert!(answers.as_ref().is_ok_and(|answers| answers.allows("package-install")));
        assert!(answers.is_ok_and(|answers| !answers.allows("work-loss")));
        let answers = Answers::read(KINDS, "work-loss=DENY, allow");
        assert!(answers.as_ref().is_ok_and(|answers| answers.allows("package-install")));
        assert!(answers.is_ok_and(|answers| !answers.allows("work-loss")));
    }

    #[test]
    fn answers_are_printed_as_they_are_parsed() {
        for text in
            ["allow", "deny", "package-install=allow,work-loss=deny", "allow,work-loss=deny"]
        {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_right_one() {
        for (text, advice) in [
            (
                "pakage-install=allow",
                "no rule that warns is called pakage-install; did you mean package-install?",
            ),
            (
                "fork-bomb=allow",
                "no rule that warns is called fork-bomb; `aegish rules` lists them",
            ),
            ("work-loss=maybe", "write work-loss=allow or work-loss=deny"),
            ("work-loss", "write work-loss=allow or work-loss=deny"),
            ("perhaps", "write allow, deny, or answers such as package-install=allow"),
            (",", "write allow, deny, or answers such as package-install=allow"),
        ] {
            assert_eq!(read(text), Err(advice.to_owned()), "{text}");
        }
    }
}
