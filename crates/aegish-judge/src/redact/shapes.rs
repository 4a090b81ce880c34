//! Values that show by their shape that they are a secret.

use super::Secret;

/// Prefix, least number of characters after it, kind.
const PREFIXES: &[(&str, usize, &str)] = &[
    ("ghp_", 30, "github-token"),
    ("gho_", 30, "github-token"),
    ("ghu_", 30, "github-token"),
    ("ghs_", 30, "github-token"),
    ("ghr_", 30, "github-token"),
    ("github_pat_", 22, "github-token"),
    ("glpat-", 16, "gitlab-token"),
    ("gldt-", 16, "gitlab-token"),
    ("glrt-", 16, "gitlab-token"),
    ("glptt-", 16, "gitlab-token"),
    ("glcbt-", 16, "gitlab-token"),
    ("gloas-", 16, "gitlab-token"),
    ("glsoat-", 16, "gitlab-token"),
    ("xoxb-", 16, "slack-token"),
    ("xoxa-", 16, "slack-token"),
    ("xoxp-", 16, "slack-token"),
    ("xoxr-", 16, "slack-token"),
    ("xoxs-", 16, "slack-token"),
    ("xoxe.", 16, "slack-token"),
    ("xoxe-", 16, "slack-token"),
    ("xapp-", 16, "slack-token"),
    ("sk_live_", 16, "stripe-key"),
    ("sk_test_", 16, "stripe-key"),
    ("rk_live_", 16, "stripe-key"),
    ("rk_test_", 16, "stripe-key"),
    ("whsec_", 16, "stripe-key"),
    ("sk-ant-", 16, "anthropic-key"),
    ("sk-or-", 16, "openrouter-key"),
    ("sk-proj-", 16, "openai-key"),
    ("sk-svcacct-", 16, "openai-key"),
    ("sk-", 32, "openai-key"),
    ("AIza", 35, "google-key"),
    ("ya29.", 20, "google-token"),
    ("GOCSPX-", 20, "google-secret"),
    ("npm_", 30, "npm-token"),
    ("pypi-", 40, "pypi-token"),
    ("hf_", 30, "huggingface-token"),
    ("gsk_", 30, "groq-key"),
    ("r8_", 30, "replicate-token"),
    ("xai-", 40, "xai-key"),
    ("dop_v1_", 40, "digitalocean-token"),
    ("doo_v1_", 40, "digitalocean-token"),
    ("dor_v1_", 40, "digitalocean-token"),
    ("shpat_", 30, "shopify-token"),
    ("shpss_", 30, "shopify-token"),
    ("shpca_", 30, "shopify-token"),
    ("shppa_", 30, "shopify-token"),
    ("SG.", 40, "sendgrid-key"),
    ("sq0atp-", 20, "square-token"),
    ("sq0csp-", 20, "square-token"),
    ("lin_api_", 30, "linear-key"),
    ("ntn_", 40, "notion-token"),
    ("PMAK-", 30, "postman-key"),
    ("dapi", 32, "databricks-token"),
    ("hvs.", 20, "vault-token"),
    ("hvb.", 20, "vault-token"),
    ("ATATT3", 40, "atlassian-token"),
    ("ATBB", 28, "bitbucket-token"),
    ("NRAK-", 25, "newrelic-key"),
    ("glc_", 30, "grafana-token"),
    ("glsa_", 30, "grafana-token"),
    ("sntrys_", 30, "sentry-token"),
    ("sntryu_", 30, "sentry-token"),
    ("dckr_pat_", 20, "docker-token"),
    ("rubygems_", 40, "rubygems-key"),
    ("figd_", 30, "figma-token"),
    ("CFPAT-", 30, "contentful-token"),
    ("pscale_tkn_", 30, "planetscale-token"),
    ("pscale_pw_", 30, "planetscale-token"),
    ("dp.pt.", 30, "doppler-token"),
    ("dp.st.", 30, "doppler-token"),
    ("tskey-", 20, "tailscale-key"),
    ("AGE-SECRET-KEY-1", 40, "age-key"),
    ("EAAC", 60, "facebook-token"),
    ("EAAG", 60, "facebook-token"),
    ("fo1_", 30, "fly-token"),
    ("fm2_", 30, "fly-token"),
    ("phc_", 30, "posthog-key"),
    ("phx_", 30, "posthog-key"),
    ("cio", 100, "crates-token"),
    ("pat-na1-", 30, "hubspot-token"),
    ("nvapi-", 40, "nvidia-key"),
    ("pplx-", 40, "perplexity-key"),
    ("tfp_", 30, "typeform-token"),
    ("sbp_", 36, "supabase-token"),
    ("vercel_", 20, "vercel-token"),
];

/// Starts of hashed passwords.
const HASHES: &[&str] = &[
    "$1$",
    "$5$",
    "$6$",
    "$y$",
    "$7$",
    "$2a$",
    "$2b$",
    "$2y$",
    "$argon2i$",
    "$argon2id$",
    "$apr1$",
];

/// Adds what shows by its shape.
pub(super) fn find(text: &str, into: &mut Vec<Secret>) {
    private_keys(text, into);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !in_token(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && in_token(bytes[at]) {
            at += 1;
        }
        let run = text.get(start..at).unwrap_or_default();
        if let Some(kind) = kind_of(run) {
            // A telegram token goes on behind a colon, the padding of others behind an equals sign.
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
    let parts: Vec<&str> = run.split('.').take(6).collect();
    match parts.as_slice() {
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

/// `123456789:` and 35 characters: how much of it stands behind the digits.
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

/// Words do not mix like this: some digit, or capitals among small letters.
fn mixed(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    has(u8::is_ascii_digit) || (has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

/// Long, of one piece, letters and digits well mixed.
pub(super) fn looks_random(value: &str) -> bool {
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

fn private_keys(text: &str, into: &mut Vec<Secret>) {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("-----BEGIN ")) {
        let start = from + at;
        let rest = text.get(start..).unwrap_or_default();
        from = start + "-----BEGIN ".len();
        let head = rest.get("-----BEGIN ".len()..).unwrap_or_default();
        let Some((title, _)) = head.split_once("-----") else { return };
        if title.len() > 60 || !(title.contains("PRIVATE KEY")) {
            continue;
        }
        let body = "-----BEGIN ".len() + title.len() + 5;
        let body_end = body + key_length(rest.get(body..).unwrap_or_default());
        let tail = rest.get(body_end..).unwrap_or_default();
        let close = tail.strip_prefix("-----END ").and_then(|tail| tail.find("-----"));
        let end = body_end + close.map_or(0, |close| "-----END ".len() + close + 5);
        into.push(Secret { start, end: start + end, kind: "private-key" });
        from = start + end;
    }
}

/// How far the inside of a key goes. Only what keys are made of, so that nobody hides commands there:
/// letters, digits, line breaks, and spaces where its headers have them.
fn key_length(text: &str) -> usize {
    let mut before = '\n';
    for (at, c) in text.char_indices() {
        let fits = match c {
            'A'..='Z'
            | 'a'..='z'
            | '0'..='9'
            | '+'
            | '/'
            | '='
            | '\\'
            | '\n'
            | '\r'
            | ':'
            | ',' => true,
            ' ' | '\t' => matches!(before, ':' | ',' | '\n' | ' ' | '\t'),
            '-' => !text.get(at..).unwrap_or_default().starts_with("-----"),
            _ => false,
        };
        if !fits {
            return at;
        }
        before = c;
    }
    text.len()
}
