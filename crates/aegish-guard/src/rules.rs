//! All rules that a decision can name: those of the policy, user rules, the three rules about the text itself,
//! the rule for opinions of a model, and the rule for defects of the guard.

use aegish_policy::{Action, Rule, USER_RULE};
use std::sync::OnceLock;

/// Input that is not a command, or that is open and too long.
pub(crate) static BAD_INPUT: Rule = Rule {
    id: "bad-input",
    name: "bad-input",
    title: "Not a readable command",
    summary: "Empty, not UTF-8, with NUL bytes, or too long to be settled.",
    action: Action::Block,
    manual: include_str!("rules/bad-input.md"),
    kinds: &[],
};

/// Text that looks different from what bash reads.
pub(crate) static MISLEADING_TEXT: Rule = Rule {
    id: "misleading-text",
    name: "misleading-text",
    title: "Text that looks different from what bash reads",
    summary: "Invisible, direction-changing or look-alike characters disguise the command.",
    action: Action::Block,
    manual: include_str!("rules/misleading-text.md"),
    kinds: &[],
};

/// Text that addresses the model that judges the command.
pub(crate) static PROMPT_INJECTION: Rule = Rule {
    id: "prompt-injection",
    name: "prompt-injection",
    title: "Text that addresses its judge",
    summary: "A comment or another text in the command tells the model that judges it what to answer.",
    action: Action::Warn,
    manual: include_str!("rules/prompt-injection.md"),
    kinds: &[],
};

/// A model's opinion of a command.
pub(crate) static MODEL_OPINION: Rule = Rule {
    id: "model-opinion",
    name: "model-opinion",
    title: "A model's opinion",
    summary: "A language model objected, or settled what the static side left open.",
    action: Action::Block,
    manual: include_str!("rules/model-opinion.md"),
    kinds: &[],
};

/// The guard failed while it judged.
pub(crate) static INTERNAL_ERROR: Rule = Rule {
    id: "internal-error",
    name: "internal-error",
    title: "Internal error",
    summary: "The guard failed while it judged the text, so nothing was approved.",
    action: Action::Block,
    manual: include_str!("rules/internal-error.md"),
    kinds: &[],
};

/// Every rule, in the order of the policy, the guard's own last.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let own = [
        &USER_RULE,
        &BAD_INPUT,
        &MISLEADING_TEXT,
        &PROMPT_INJECTION,
        &MODEL_OPINION,
        &INTERNAL_ERROR,
    ];
    aegish_policy::rules().iter().chain(own)
}

/// A rule by its id or name.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id || rule.name == id)
}

/// The rule of a verdict without findings.
pub(crate) fn normal_operation() -> &'static Rule {
    static RULE: OnceLock<&Rule> = OnceLock::new();
    // The last of the seed's rules; the fallback cannot happen, and blocks by its name.
    RULE.get_or_init(|| aegish_policy::rule("13").unwrap_or(&BAD_INPUT))
}
