//! Checks whether input can be a command: size, NUL bytes, encoding, emptiness.
//!
//! Takes bytes, gives text or a [`NotACommand`]. Also has the length beyond which an open command line cannot
//! be given to a judge.

use crate::{Action, Decision, Finding, TextForm, rules};
use aegish_syntax::Span;

// Longest command line, in characters, that may be left open: nothing longer is given to a judge. A decision
// without a judge holds at any length up to `MAX_INPUT_BYTES`.
pub use aegish_judge::MAX_COMMAND_LENGTH;

/// Longest text that is analysed.
pub const MAX_INPUT_BYTES: usize = 1 << 20;

/// Why input is not a command.
pub(crate) struct NotACommand {
    pub(crate) reason: String,
    pub(crate) span: Span,
    pub(crate) instead: Option<&'static str>,
}

impl NotACommand {
    fn new(reason: impl Into<String>, span: Span, instead: Option<&'static str>) -> Self {
        Self { reason: reason.into(), span, instead }
    }
}

/// The text, if there is one that bash could run.
pub(crate) fn readable(bytes: &[u8], form: TextForm) -> Result<&str, NotACommand> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(NotACommand::new(
            format!("the text is longer than the {MAX_INPUT_BYTES} bytes that are looked at"),
            Span::default(),
            Some("Put data into a file and name the file."),
        ));
    }
    if let Some(nul) = bytes.iter().position(|byte| *byte == 0) {
        return Err(NotACommand::new(
            "the text contains a NUL byte, which bash would drop",
            Span::new(nul, nul + 1),
            Some("Send text without NUL bytes."),
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let end = start + error.error_len().unwrap_or(bytes.len() - start);
        NotACommand::new(
            format!("the text is not UTF-8 (byte {start})"),
            Span::new(start, end),
            Some("Write other bytes as $'\\xNN'."),
        )
    })?;
    // A lone comment or an empty file does nothing; an empty command is a mistake of the caller.
    if text.trim().is_empty() && form != TextForm::ScriptFile {
        return Err(NotACommand::new("empty command", Span::new(0, text.len()), None));
    }
    Ok(text)
}

/// Blocks a command line that is open and too long for a judge. A script file stays open: a person can read
/// it before consenting, and most scripts are longer.
pub(crate) fn bound_open(mut decision: Decision, text: &str, form: TextForm) -> Decision {
    if !decision.open || form == TextForm::ScriptFile || text.len() <= MAX_COMMAND_LENGTH {
        return decision;
    }
    let length = text.chars().count();
    if length <= MAX_COMMAND_LENGTH {
        return decision;
    }
    let cause = decision.findings.iter().find(|finding| finding.open);
    let (span, command, why) = match cause {
        Some(cause) => (cause.span, cause.command, cause.reason.as_str()),
        None => (Span::new(0, text.len()), None, "it could not be decided"),
    };
    let finding = Finding {
        rule: &rules::BAD_INPUT,
        action: Action::Block,
        confidence: 0.9,
        span,
        command,
        reason: format!(
            "{why}, and with {length} characters the line is longer than the {MAX_COMMAND_LENGTH} \
             up to which such a question can be settled"
        ),
        instead: Some("Put it into a script file, or split it."),
        open: false,
    };
    decision.action = finding.action;
    decision.rule = finding.rule;
    decision.reason.clone_from(&finding.reason);
    decision.confidence = finding.confidence;
    decision.open = false;
    decision.findings.insert(0, finding);
    decision
}
