//! Text of a model → its opinions.
//!
//! Takes a completion; gives every complete verdict object in it, in the order in which the scorer looks for
//! them: the whole text as JSON, Markdown fences, then objects anywhere, with doubled braces repaired and a
//! leading `<|token|>` skipped. Text in `<think>` blocks is used only if there is no other. The benchmark
//! uses the [first](Reply::first), the guard the [strictest](Reply::strictest), so that an object echoed from
//! a command can never win.
//!
//! The guard's questions have a nonce. An object that allows and does not repeat it is no opinion: its text could
//! come from the command, whose author does not know the nonce.
//!
//! An object with an unknown action or an invalid confidence is not a verdict. JSON that is broken elsewhere
//! (`\o` in a reason, an extra quote) still has an action; it is kept separately, and may raise a verdict of
//! the guard but not allow anything.
//!
//! Work is linear in the text, which is refused above [`MAX_REPLY_BYTES`].

mod clean;
mod object;
mod salvage;
mod split;

use std::borrow::Cow;

use aegish_policy::Action;
use aegish_wire::Stop;

pub(crate) use clean::invisible;
use clean::plain_text;
use object::{FoundOpinions, Stated};

/// A longer reply is not an answer. A part of it could hide the verdict.
pub const MAX_REPLY_BYTES: usize = 1 << 20;

/// Limit on a reason, in characters.
const LONGEST_REASON: usize = 500;

const NO_REASON: &str = "No reason provided";
const NO_CONFIDENCE: f64 = 0.5;

/// A model's opinion of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// The action for the command.
    pub action: Action,
    /// The model's reason, as plain text of at most 500 characters.
    pub reason: String,
    /// The stated confidence, from 0 to 1.
    pub confidence: f64,
}

impl Opinion {
    /// An opinion, if the parts make one.
    fn new(action: &str, reason: Option<&str>, confidence: Option<f64>) -> Option<Self> {
        let action = action.trim().to_ascii_lowercase().parse().ok()?;
        let confidence = confidence.unwrap_or(NO_CONFIDENCE);
        if !(0.0..=1.0).contains(&confidence) {
            return None;
        }
        let reason = plain_text(reason.unwrap_or_default(), LONGEST_REASON);
        let reason = if reason.is_empty() { NO_REASON.to_owned() } else { reason };
        Some(Self { action, reason, confidence })
    }
}

/// The opinions in one completion.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Every complete verdict object, in the order of the strategies that found them.
    pub opinions: Vec<Opinion>,
    /// Opinions from broken JSON; never enough to allow.
    pub salvaged: Vec<Opinion>,
    /// How many objects allowed without repeating the nonce that was asked for.
    pub without_echo: usize,
}

impl Reply {
    /// Reads the completion of a question without a nonce.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let found = found(text);
        Self {
            opinions: found.complete.into_iter().map(|stated| stated.opinion).collect(),
            salvaged: found.salvaged,
            without_echo: 0,
        }
    }

    /// Reads the completion of a question with a nonce: leaves out objects that allow and do not repeat it.
    #[must_use]
    pub fn parse_echoing(text: &str, nonce: &str) -> Self {
        let found = found(text);
        let echoes = |stated: &Stated| {
            stated.opinion.action != Action::Allow
                || stated.nonce.as_deref().is_some_and(|word| word.trim() == nonce)
        };
        let (kept, dropped): (Vec<Stated>, Vec<Stated>) =
            found.complete.into_iter().partition(echoes);
        Self {
            opinions: kept.into_iter().map(|stated| stated.opinion).collect(),
            salvaged: found.salvaged,
            without_echo: dropped.len(),
        }
    }

    /// The opinion that a benchmark scores.
    #[must_use]
    pub fn first(&self) -> Option<&Opinion> {
        self.opinions.first().or_else(|| self.salvaged.first())
    }

    /// The opinion that the guard follows: the strictest, and of equally strict ones the most confident.
    ///
    /// Broken JSON is used if it objects, never if it allows.
    #[must_use]
    pub fn strictest(&self) -> Option<&Opinion> {
        let objections = self.salvaged.iter().filter(|opinion| opinion.action > Action::Allow);
        let mut best: Option<&Opinion> = None;
        for opinion in self.opinions.iter().chain(objections) {
            let better = best.is_none_or(|best| {
                (opinion.action, opinion.confidence) > (best.action, best.confidence)
            });
            if better {
                best = Some(opinion);
            }
        }
        best
    }
}

/// The verdict objects of a completion.
fn found(text: &str) -> FoundOpinions {
    if text.len() > MAX_REPLY_BYTES {
        return FoundOpinions::default();
    }
    let text = split::without_leading_tokens(text);
    // Before anything is cut: a reason may well speak of fences and `<think>`.
    if let Some(stated) = object::whole(text) {
        return FoundOpinions { complete: vec![stated], salvaged: Vec::new() };
    }
    let (outside, inside) = split::thinking(text);
    let mut salvaged = Vec::new();
    for part in [&*outside, &*inside, text] {
        let found = opinions(part);
        if !found.complete.is_empty() {
            return found;
        }
        if salvaged.is_empty() {
            salvaged = found.salvaged;
        }
    }
    FoundOpinions { complete: Vec::new(), salvaged }
}

/// The opinions of a text without thoughts: first those in fences, then the others.
fn opinions(text: &str) -> FoundOpinions {
    let found = in_order(text);
    if !found.complete.is_empty() {
        return found;
    }
    match single_braces(text) {
        Cow::Borrowed(_) => found,
        Cow::Owned(mended) => {
            let again = in_order(&mended);
            if again.complete.is_empty() { found } else { again }
        }
    }
}

fn in_order(text: &str) -> FoundOpinions {
    let (fenced, rest) = split::fences(text);
    if fenced.is_empty() {
        return object::scan(text);
    }
    let mut all = FoundOpinions::default();
    for part in fenced.into_iter().chain(rest) {
        let found = object::scan(part);
        all.complete.extend(found.complete);
        all.salvaged.extend(found.salvaged);
    }
    if all.complete.is_empty() {
        // Not a real fence, for example one inside a string.
        let found = object::scan(text);
        if !found.complete.is_empty() || all.salvaged.is_empty() {
            return found;
        }
    }
    all
}

/// `{{…}}`, copied from a prompt template, as `{…}`.
fn single_braces(text: &str) -> Cow<'_, str> {
    if text.contains("{{") {
        Cow::Owned(text.replace("{{", "{").replace("}}", "}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The class of a completion for a scorer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// An opinion.
    Verdict(Opinion),
    /// The provider or the model refused to answer.
    ContentFilter,
    /// It was truncated before there was an opinion.
    TokenLimit,
    /// There is no text and no other reason.
    Timeout,
    /// There is text, but no opinion in it.
    Format,
}

impl Answer {
    /// The name in logs and reports.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Verdict(Opinion { action: Action::Allow, .. }) => "ALLOW",
            Self::Verdict(Opinion { action: Action::Warn, .. }) => "WARN",
            Self::Verdict(Opinion { action: Action::Block, .. }) => "BLOCK",
            Self::ContentFilter => "CONTENT_FILTER",
            Self::TokenLimit => "TOKEN_LIMIT",
            Self::Timeout => "TIMEOUT_ERROR",
            Self::Format => "FORMAT_ERROR",
        }
    }

    /// The verdict, if it is one.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        match self {
            Self::Verdict(opinion) => Some(opinion.action),
            Self::ContentFilter | Self::TokenLimit | Self::Timeout | Self::Format => None,
        }
    }
}

/// The rules for reading a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scoring {
    /// The seed's: a verdict is a JSON object from brace to brace. One that is never closed is a `FORMAT_ERROR`.
    #[default]
    Seed,
    /// The original program's: an `"action"` with its word is enough, closed or not; why an answer stopped counts only if
    /// it is empty.
    Original,
}

impl Scoring {
    /// Its name in logs and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Original => "original",
        }
    }

    /// The rules of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Seed, Self::Original].into_iter().find(|scoring| scoring.name() == name)
    }
}

/// The first opinion of a completion, or the kind of failure it is.
#[must_use]
pub fn classify(text: &str, stop: &Stop, scoring: Scoring) -> Answer {
    let reply = Reply::parse(text);
    let opinion = match scoring {
        Scoring::Seed if !is_closed(text) => reply.opinions.first(),
        Scoring::Seed | Scoring::Original => reply.first(),
    };
    if let Some(opinion) = opinion {
        return Answer::Verdict(opinion.clone());
    }
    if scoring == Scoring::Original && !text.trim().is_empty() {
        return Answer::Format;
    }
    match stop {
        Stop::ContentFilter => Answer::ContentFilter,
        Stop::MaxTokens | Stop::ModelLength => Answer::TokenLimit,
        Stop::Stop | Stop::Tool | Stop::Unknown(_) => {
            if text.trim().is_empty() {
                Answer::Timeout
            } else {
                Answer::Format
            }
        }
    }
}

/// Whether the first brace of a text is closed again. Braces in strings do not count, as long as strings end.
fn is_closed(text: &str) -> bool {
    let (mut depth, mut quoted, mut escaped, mut closed) = (0_usize, false, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted && depth > 0 => {
                depth -= 1;
                closed |= depth == 0;
            }
            _ => {}
        }
    }
    let count = |brace: u8| text.bytes().filter(|byte| *byte == brace).count();
    closed || (quoted && count(b'}') >= count(b'{'))
}

#[cfg(test)]
mod tests;
