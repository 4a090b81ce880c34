//! Addresses of socat, `TYPE:parameters,option,option=value`, and of websocat, whose syntax is similar.

use super::quoted_words::words;
use super::{is_stream, known, write};
use crate::CodeEffect;
use aegish_values::Value;

pub(super) fn socat(code: &str, effects: &mut Vec<CodeEffect>) {
    // `READ!!WRITE` joins one address for reading and one for writing.
    for address in code.split("!!") {
        one(address.trim(), effects);
    }
}

fn one(address: &str, effects: &mut Vec<CodeEffect>) {
    let mut parts = split(address, ',').into_iter();
    let Some(main) = parts.next() else { return };
    let options: Vec<String> = parts.map(|option| option.to_ascii_lowercase()).collect();
    let option = |name: &str| {
        options.iter().find_map(|option| match option.split_once('=') {
            Some((own, value)) => (own.trim() == name).then(|| value.to_owned()),
            None => (option.trim() == name).then(String::new),
        })
    };
    let Some((kind, parameters)) = main.split_once(':') else {
        // A bare path is opened; `-`, `STDIO`, `PTY` and numbers are streams.
        if main.contains('/') {
            file(&main, &option, effects);
        }
        return;
    };
    let kind = kind.to_ascii_uppercase();
    let fields = split(parameters, ':');
    let field = |index: usize| {
        fields.get(index).map(|text| known(text.trim_matches(['"', '\'']))).unwrap_or_default()
    };
    let listens = kind.contains("-LISTEN")
        || kind.ends_with("-L")
        || kind.starts_with("L-")
        || kind.starts_with("LISTEN-")
        || kind.ends_with("-RECVFROM")
        || kind.ends_with("-RECV")
        || kind == "UDP-DATAGRAM";
    let protocol = kind.trim_start_matches("LISTEN-").trim_start_matches("L-");
    let network = ["TCP", "UDP", "SCTP", "DCCP", "OPENSSL", "SSL", "VSOCK", "WS"]
        .iter()
        .any(|name| protocol.starts_with(name));
    match kind.as_str() {
        "EXEC" | "E" => {
            // Quotes protect the separators of an address. The words inside are split nevertheless.
            let command = super::quoted_words::unquoted(parameters);
            let argv: Vec<Value> = words(command).into_iter().map(known).collect();
            if !argv.is_empty() {
                effects.push(CodeEffect::Argv(argv));
            }
        }
        "SYSTEM" | "SHELL" | "SH-C" | "CMD" => {
            let command = super::quoted_words::unquoted(parameters);
            effects.push(CodeEffect::Shell(known(if command.is_empty() { "sh" } else { command })));
        }
        _ if network && listens => {
            // websocat writes the address before the port.
            let (host, port) = match fields.as_slice() {
                [_, _] => (field(0), field(1)),
                _ => (
                    known(option("bind").or_else(|| option("range")).unwrap_or_default()),
                    field(0),
                ),
            };
            effects.push(CodeEffect::Listen { host, port });
        }
        "WS" | "WSS" => {
            let place = parameters.trim_start_matches('/').split('/').next().unwrap_or("");
            let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
            effects.push(CodeEffect::Connect { host: known(host), port: known(port) });
        }
        _ if network => effects.push(CodeEffect::Connect { host: field(0), port: field(1) }),
        "PROXY" | "PROXY-CONNECT" | "SOCKS4" | "SOCKS4A" | "SOCKS" | "SOCKS5"
        | "SOCKS5-CONNECT" => {
            effects.push(CodeEffect::Connect { host: field(1), port: field(2) });
        }
        // A socket in the file system. Its permissions decide who may connect.
        "UNIX" | "UNIX-CONNECT" | "UNIX-CLIENT" | "LOCAL" => {
            effects.push(CodeEffect::Read(known(parameters.trim_matches(['"', '\'']))));
        }
        "READFILE" => effects.push(CodeEffect::Read(known(parameters))),
        "WRITEFILE" | "APPENDFILE" => {
            write(known(parameters), kind == "APPENDFILE", effects);
        }
        "FILE" | "OPEN" | "GOPEN" => file(parameters, &option, effects),
        "CREATE" | "CREAT" => write(known(parameters.trim_matches(['"', '\''])), false, effects),
        _ => {}
    }
}

fn file(path: &str, option: &dyn Fn(&str) -> Option<String>, effects: &mut Vec<CodeEffect>) {
    let path = path.trim_matches(['"', '\'']);
    if is_stream(path) {
        return;
    }
    let writing = [
        "creat", "create", "wronly", "o-wronly", "o-creat", "append", "o-append", "trunc",
        "o-trunc",
    ];
    if writing.iter().any(|name| option(name).is_some()) {
        write(known(path), option("append").is_some() || option("o-append").is_some(), effects);
    } else {
        effects.push(CodeEffect::Read(known(path)));
    }
}

/// Splits outside of quotes and brackets; quotes are kept.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quote = None;
    let mut depth = 0usize;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        let current = match out.last_mut() {
            Some(current) => current,
            None => break,
        };
        match c {
            '\\' => {
                current.push(c);
                current.extend(letters.next());
                continue;
            }
            c if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            '[' | '(' if quote.is_none() => depth += 1,
            ']' | ')' if quote.is_none() => depth = depth.saturating_sub(1),
            c if c == separator && quote.is_none() && depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    out
}
