//! Hosts, ports and addresses in arguments.

use aegish_values::{Piece, Value};

/// Schemes before a colon that are not hosts.
const LOCAL_SCHEMES: &[&str] =
    &["cache", "concat", "crypto", "data", "fd", "file", "pipe", "subfile", "tee"];

/// The host of a URL, as `wget -r` names its directory.
pub fn site(url: &Value) -> Option<String> {
    let text = url.as_known()?;
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_owned())
}

/// `user@host:port` → host and port.
pub fn split_host(value: &Value) -> (Value, Value) {
    let Some(text) = value.as_known() else {
        return (value.clone(), Value::empty());
    };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = text.rsplit_once('@').map_or(text, |(_, host)| host);
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && port.bytes().all(|b| b.is_ascii_digit()) => {
            (Value::known(host).tainted(value.taint()), Value::known(port))
        }
        _ => (Value::known(text).tainted(value.taint()), Value::empty()),
    }
}

/// `addr:port` or a port alone → address and port.
pub fn split_listen(value: &Value) -> (Value, Value) {
    match value.as_known() {
        Some(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
            (Value::empty(), Value::known(text))
        }
        Some(text) => match text.rsplit_once(':') {
            Some((host, port)) => (Value::known(host), Value::known(port)),
            None => (Value::known(text), Value::empty()),
        },
        None => (Value::empty(), value.clone()),
    }
}

/// The file name a downloaded URL is saved under.
pub fn remote_name(url: &Value) -> Value {
    match url.as_known() {
        Some(text) => {
            let path = text.split(['?', '#']).next().unwrap_or(text);
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("index.html");
            Value::known(if name.is_empty() { "index.html" } else { name })
        }
        None => Value::unknown("name of the download"),
    }
}

/// `host:path`, `user@host:path`, `scheme://…`, but not `./a:b` or `/a:b`.
pub fn is_remote(value: &Value) -> bool {
    let text = value.to_string();
    if text.contains("://") {
        return true;
    }
    match text.split_once(':') {
        Some((host, _)) => {
            !host.is_empty()
                && !host.contains(['/', '=', ',', '|'])
                && !LOCAL_SCHEMES.contains(&host)
        }
        None => false,
    }
}

/// An address in which `%61` stands for `a`.
pub fn percent_decoded(address: &Value) -> Value {
    let mut decoded = Value::empty().tainted(address.taint());
    for piece in address.pieces() {
        let Piece::Text(text) = piece else {
            decoded.push(piece.clone());
            continue;
        };
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, tail @ ..] = rest {
            let code = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) if *first == b'%' => {
                    bytes.push(byte);
                    rest = tail.get(2..).unwrap_or_default();
                }
                _ => {
                    bytes.push(*first);
                    rest = tail;
                }
            }
        }
        decoded.push_str(&String::from_utf8_lossy(&bytes));
    }
    decoded
}
