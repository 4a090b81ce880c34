//! Secrets that are found by the shape of their value.

use crate::prefixes::{HASHES, PREFIXES, WITHIN};
use crate::{Secret, private_keys};

/// Adds secrets that have the shape of a known key or token.
pub(crate) fn find(text: &str, into: &mut Vec<Secret>) {
    private_keys::find(text, into);
    within(text, into);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !in_token(*byte) {
            at += 1;
            continue;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| in_token(*byte)) {
            at += 1;
        }
        let run = text.get(start..at).unwrap_or_default();
        if let Some(kind) = kind_of(run) {
            into.push(Secret { start, end: at, kind });
        } else if let Some(length) = telegram(run, text.get(at..).unwrap_or_default()) {
            into.push(Secret { start, end: at + length, kind: "telegram-token" });
        }
    }
    for hash in HASHES {
        let mut done = 0;
        for (start, _) in text.match_indices(hash) {
            if start < done {
                continue;
            }
            let rest = text.get(start..).unwrap_or_default();
            let inside = |c: char| {
                c.is_ascii_alphanumeric() || matches!(c, '$' | '.' | '/' | ',' | '=' | '+')
            };
            let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            done = start + length;
            if length >= 30 {
                into.push(Secret { start, end: start + length, kind: "password-hash" });
            }
        }
    }
}

fn in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn kind_of(run: &str) -> Option<&'static str> {
    if run.len() < 20 {
        return None;
    }
    let known = PREFIXES.iter().find(|(prefix, least, _)| {
        run.strip_prefix(prefix).is_some_and(|rest| rest.len() >= *least && mixed(rest))
    });
    if let Some((_, _, kind)) = known {
        return Some(kind);
    }
    let upper = |text: &str| text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let aws = ["AKIA", "ASIA", "ABIA", "ACCA"].iter().any(|prefix| run.starts_with(prefix));
    if aws && run.len() == 20 && upper(run) {
        return Some("aws-key");
    }
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if run.len() == 34 && run.get(..2) == Some("SK") && hex(run.get(2..)?) {
        return Some("twilio-key");
    }
    if run.len() == 36 && run.strip_prefix("key-").is_some_and(hex) {
        return Some("mailgun-key");
    }
    if run.contains(".atlasv1.") && run.len() > 60 {
        return Some("terraform-token");
    }
    let mailchimp = run.split_once("-us").is_some_and(|(key, place)| {
        key.len() == 32
            && hex(key)
            && !place.is_empty()
            && place.bytes().all(|b| b.is_ascii_digit())
    });
    if mailchimp {
        return Some("mailchimp-key");
    }
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // `s.SimpleHTTPRequestHandler` has the same length.
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    if run.len() == 26 && digits > 2 && run.strip_prefix("s.").is_some_and(plain) {
        return Some("vault-token");
    }
    if is_wallet_key(run) {
        return Some("wallet-key");
    }
    let parts: Vec<&str> = run.split('.').take(6).collect();
    match parts.as_slice() {
        [id, key] if id.len() == 17 && id.starts_with("pat") && key.len() == 64 && hex(key) => {
            Some("airtable-token")
        }
        [head, body, ..] if head.starts_with("eyJ") && head.len() > 10 && body.len() > 10 => {
            Some("jwt")
        }
        [id, time, code]
            if (23..=28).contains(&id.len())
                && time.len() == 6
                && (27..=40).contains(&code.len())
                && mixed(id) =>
        {
            Some("discord-token")
        }
        _ => None,
    }
}

/// Whether this is a bitcoin key in the import format of wallets: 51 or 52 characters of base 58.
fn is_wallet_key(run: &str) -> bool {
    let start = run.as_bytes().first();
    let fits = matches!((start, run.len()), (Some(b'5'), 51) | (Some(b'K' | b'L'), 52));
    let base58 = |b: u8| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l');
    let has = |test: fn(&u8) -> bool| run.as_bytes().iter().filter(|byte| test(byte)).count() >= 4;
    fits && run.bytes().all(base58)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
}

/// Adds tokens that are found by a part in the middle.
fn within(text: &str, into: &mut Vec<Secret>) {
    for (sign, least, before, kind) in WITHIN {
        for (at, _) in text.match_indices(sign) {
            let after = at + sign.len();
            let inside = |byte: &u8| in_token(*byte) || matches!(byte, b'~' | b'$');
            let length = text
                .as_bytes()
                .get(after..)
                .unwrap_or_default()
                .iter()
                .take(300)
                .take_while(|b| inside(b))
                .count();
            let start = at.saturating_sub(*before);
            let head = text
                .as_bytes()
                .get(start..at)
                .unwrap_or_default()
                .iter()
                .all(|byte| in_token(*byte));
            if length >= *least && head {
                into.push(Secret { start, end: after + length, kind });
            }
        }
    }
}

/// Length of a Telegram token (`123456789:` and 35 characters) behind its digits.
fn telegram(run: &str, rest: &str) -> Option<usize> {
    if !(8..=10).contains(&run.len()) || !run.bytes().all(|byte| byte.is_ascii_digit()) {
        // `bot123456789:…` in an address.
        let digits = run.strip_prefix("bot")?;
        if !(8..=10).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
    }
    let code = rest.strip_prefix(':')?;
    let length = code
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count();
    (length == 35).then_some(length + 1)
}

/// Whether a text has a digit, or both upper and lower case. Ordinary words do not.
fn mixed(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    has(u8::is_ascii_digit) || (has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

/// Whether a value is long, without blanks, and mixes letters and digits.
pub(crate) fn looks_random(value: &str) -> bool {
    if value.len() > 512 {
        return false;
    }
    let value = value.trim_end_matches('=');
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let marks = value.len() - letters - digits;
    let fits = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'.' | b'~' | b'%')
    };
    value.len() >= 12
        && value.bytes().all(fits)
        && mixed(value)
        && letters >= 4
        && marks * 4 <= value.len()
        && !value.starts_with(['/', '.', '~'])
}
