//! Decides from a name whether its value is a secret.

/// Longer names are not names of secrets.
const LONGEST_NAME: usize = 100;

/// Last words of names that describe a secret but do not hold it.
const ABOUT: &[&str] = &[
    "file",
    "path",
    "dir",
    "name",
    "names",
    "id",
    "ids",
    "url",
    "uri",
    "type",
    "length",
    "len",
    "count",
    "size",
    "expiry",
    "expires",
    "ttl",
    "policy",
    "manager",
    "env",
    "field",
    "header",
    "limit",
    "max",
    "min",
    "prompt",
    "store",
    "helper",
    "version",
    "ref",
    "endpoint",
    "provider",
    "algorithm",
    "arn",
    "enabled",
    "required",
    "rotation",
    "stdin",
    "from",
    "timeout",
    "mode",
    "format",
    "prefix",
    "fd",
    "command",
    "cmd",
    "program",
    "script",
    "hook",
];

/// Names whose values are hidden only if they look random.
const WEAK: &[&str] = &[
    "key",
    "auth",
    "sig",
    "signature",
    "session",
    "sid",
    "sessionid",
    "salt",
    "nonce",
    "pat",
    "cert",
    "pin",
    "code",
    "seed",
    "hash",
];

/// Every name of a secret contains one of these.
const TELLING: &[&str] = &[
    "pass",
    "pw",
    "key",
    "token",
    "secret",
    "cred",
    "auth",
    "cookie",
    "mnemonic",
    "phrase",
    "bearer",
    "sharedaccess",
    "shared-access",
    "shared_access",
];

/// Whether a name may be that of a secret. Must be cheap: it is called for every word of every text.
fn may_tell(name: &str) -> bool {
    let mut lower = [0; LONGEST_NAME];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let has = |part: &&str| lower.windows(part.len()).any(|window| window == part.as_bytes());
    TELLING.iter().any(has)
}

/// The kind of secret that has this name, if the name is that of a secret.
pub(crate) fn kind_of(name: &str) -> Option<&'static str> {
    if !may_tell(name) {
        return None;
    }
    let words = words(name);
    let last = words.last()?.as_str();
    if ABOUT.contains(&last) {
        return None;
    }
    let has = |word: &str| words.iter().any(|own| own == word);
    let joined = words.concat();
    let within = |part: &str| joined.contains(part);
    // sudo's `NOPASSWD: ALL` holds no password.
    if joined.starts_with("nopass") {
        return None;
    }
    if within("password") || within("passwd") || within("passphrase") || within("passwort") {
        return Some("password");
    }
    // `PWD` alone is the working directory.
    let pass =
        last.ends_with("pass") && !matches!(last, "askpass" | "compass" | "bypass" | "trespass");
    if pass || (last == "pwd" && words.len() > 1 && !has("old")) || last == "pw" {
        return Some("password");
    }
    if within("apikey") || within("apptoken") {
        return Some("api-key");
    }
    let keys = [
        "accesskey",
        "privatekey",
        "secretkey",
        "encryptionkey",
        "signingkey",
        "authkey",
        "accountkey",
        "masterkey",
        "sharedkey",
        "licensekey",
        "deploykey",
        "servicekey",
        "storagekey",
        "hostkey",
        "ecryptkey",
        "appkey",
        "consumerkey",
        "subscriptionkey",
        "clientkeydata",
        "sharedaccesssignature",
    ];
    if keys.iter().any(|key| within(key)) {
        return Some("key");
    }
    if has("token") || within("authtoken") || within("accesstoken") || last.ends_with("token") {
        return Some("token");
    }
    if has("secret") || has("secrets") || within("clientsecret") || last.ends_with("secret") {
        return Some("secret");
    }
    if has("credential") || has("credentials") || has("creds") {
        return Some("credentials");
    }
    if within("mnemonic") || within("seedphrase") || within("recoveryphrase") {
        return Some("seed");
    }
    if last == "bearer" && words.len() > 1 {
        return Some("token");
    }
    match joined.as_str() {
        "authorization" | "proxyauthorization" => Some("authorization"),
        "cookie" | "setcookie" => Some("cookie"),
        _ => None,
    }
}

/// Whether a name is ambiguous, so that its value is hidden only if it looks random.
pub(crate) fn is_weak(name: &str) -> bool {
    // Compares the end of the name first: splitting it into words is more expensive.
    let ends = |weak: &&str| {
        let tail = name.len().checked_sub(weak.len()).and_then(|at| name.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(weak))
    };
    let trimmed = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    (trimmed.len() != name.len() || WEAK.iter().any(ends))
        && words(name).last().is_some_and(|last| WEAK.contains(&last.as_str()))
}

/// The words of a name in lower case: the same for `dbPassword`, `DB_PASSWORD` and `db-password`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut lower_before = false;
    for c in name.chars() {
        let ends = !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && lower_before);
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        lower_before = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
