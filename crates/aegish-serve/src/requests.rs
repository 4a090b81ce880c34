//! The objects that clients send.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A command to be judged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequest<'a> {
    /// Is echoed.
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) command: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) role: Option<Cow<'a, str>>,
    /// Commands of one session are successive commands of one shell.
    #[serde(borrow)]
    pub(crate) session: Option<Cow<'a, str>>,
}

impl<'a> CheckRequest<'a> {
    /// A command by itself.
    pub(crate) fn of(command: &'a str, cwd: Option<&'a str>) -> Self {
        let (command, cwd) = (Cow::Borrowed(command), cwd.map(Cow::Borrowed));
        Self { id: None, command, cwd, role: None, session: None }
    }
}

/// Several commands, answered in their order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchRequest<'a> {
    #[serde(borrow)]
    pub(crate) requests: Vec<CheckRequest<'a>>,
}

/// A text to be classified, as Goose sends it. Further fields are ignored, as its contract wants.
#[derive(Deserialize)]
pub(crate) struct ClassifyRequest<'a> {
    #[serde(borrow)]
    pub(crate) inputs: Cow<'a, str>,
}

/// A decision on the page after which commands like it are to be allowed for some time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrantRequest {
    pub(crate) decision: u64,
    pub(crate) minutes: u32,
}
