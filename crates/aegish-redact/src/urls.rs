//! Addresses that carry a secret.

use crate::{Secret, named};

/// Addresses of webhooks: anyone who knows one can write to it.
const WEBHOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
];

/// How many characters are searched for the end of a password that is not encoded.
const LONGEST: usize = 256;

/// Adds passwords in addresses, and addresses of webhooks.
pub(crate) fn find(text: &str, into: &mut Vec<Secret>) {
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '`' | ';' | '|' | ')')
    };
    for (at, _) in text.match_indices("://") {
        let from = at + 3;
        let rest = text.get(from..).unwrap_or_default();
        let authority = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        let user = match authority.rsplit_once('@') {
            Some((user, _)) => user,
            None => match careless(rest, authority) {
                Some(user) => user,
                None => continue,
            },
        };
        let (start, secret) = match user.split_once(':') {
            Some((name, password)) => (from + name.len() + 1, password),
            // The user is a token.
            None if user.len() >= 20 => (from, user),
            None => continue,
        };
        if named::hides(secret) {
            into.push(Secret { start, end: start + secret.len(), kind: "url-password" });
        }
    }
    for hook in WEBHOOKS {
        for (at, _) in text.match_indices(hook) {
            let start = at + hook.len();
            let rest = text.get(start..).unwrap_or_default();
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '@')));
            let length = end.unwrap_or(rest.len());
            if length >= 16 {
                into.push(Secret { start, end: start + length, kind: "webhook" });
            }
        }
    }
}

/// User and password of an address whose password contains `/`, `#` or `?`, which should be encoded:
/// `u:a/b@host`.
fn careless<'a>(rest: &'a str, authority: &str) -> Option<&'a str> {
    let (name, start) = authority.split_once(':')?;
    // Digits alone are a port.
    let port = !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_digit());
    let outside = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>');
    let (end, _) = rest
        .char_indices()
        .take(LONGEST)
        .find(|(_, c)| outside(*c))
        .or_else(|| rest.char_indices().nth(LONGEST))
        .unwrap_or((rest.len(), ' '));
    let word = rest.get(..end)?;
    let (user, host) = word.rsplit_once('@')?;
    let named = !name.is_empty() && !name.contains('.') && !host.is_empty();
    (named && !port).then_some(user)
}
