//! Names → do they name a secret?

/// Ends of names that speak about a secret without being one.
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

/// What kind of secret something of that name is.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    if name.len() > 100 {
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
    // `NOPASSWD: ALL` of sudo says that there is none.
    if joined.starts_with("nopass") {
        return None;
    }
    if within("password") || within("passwd") || within("passphrase") || within("passwort") {
        return Some("password");
    }
    // `PWD` alone is the working directory.
    let pass = last.ends_with("pass") && !matches!(last, "compass" | "bypass" | "trespass");
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

/// May a value of that name be a secret?
pub(super) fn is_weak(name: &str) -> bool {
    words(name).last().is_some_and(|last| WEAK.contains(&last.as_str()))
}

/// The words of a name in lower case: `dbPassword`, `DB_PASSWORD` and `db-password` alike.
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
