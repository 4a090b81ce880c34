//! Requests to a proxy: `CONNECT host:port`, and requests for a whole `http` address.
//!
//! What is sent on is written anew: one request, for the host that was looked at, with as many bytes of content as it says.

use std::io::{self, BufRead, Read, Write};

/// The longest head of a request.
const LONGEST_HEAD: u64 = 1 << 16;
/// The longest line that says how large a piece of content is.
const LONGEST_LINE: u64 = 1 << 12;
/// Headers that are about the connection to the proxy.
const OF_CONNECTION: [&str; 9] = [
    "connection",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) kind: Kind,
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A connection, whatever is sent over it.
    Tunnel,
    /// One request to the host, with this head and this content.
    Forward(Vec<u8>, Content),
}

/// How much content follows a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Bytes(u64),
    /// Pieces that say their size.
    Chunks,
}

/// Reads a request. None if the connection ended before one began.
pub(super) fn read(client: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut client = client.take(LONGEST_HEAD);
    let first = line(&mut client)?;
    if first.is_empty() {
        return Ok(None);
    }
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(bad("it is no request"));
    };
    if !method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-') {
        return Err(bad("it has no method"));
    }
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(bad("it is in another version"));
    }
    let mut headers = Vec::new();
    loop {
        let header = line(&mut client)?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(|| bad("a header has no colon"))?;
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(bad("a header has no name"));
        }
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    if method == "CONNECT" {
        let (host, port) = authority(target, None)?;
        return Ok(Some(Request { host, port, kind: Kind::Tunnel }));
    }
    let rest = match target.split_at_checked("http://".len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http://") => rest,
        _ => return Err(bad("it is for no http address")),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (place, path) = rest.split_at(end);
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let (host, port) = authority(place, Some(80))?;
    let content = content(&headers)?;
    let mut head = format!(
        "{method} {}{path} HTTP/1.1\r\nHost: {place}\r\n",
        if path.starts_with('/') { "" } else { "/" }
    );
    for (name, value) in headers.iter().filter(|(name, _)| !OF_CONNECTION.contains(&name.as_str()))
    {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("Connection: close\r\n\r\n");
    Ok(Some(Request { host, port, kind: Kind::Forward(head.into_bytes(), content) }))
}

/// One line, without its end. Empty at the end of the head, or of the connection.
fn line(client: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    client.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(String::new());
    }
    let Some(rest) = line.strip_suffix(b"\n") else { return Err(bad("its head has no end")) };
    let text = rest.strip_suffix(b"\r").unwrap_or(rest);
    let plain = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    match std::str::from_utf8(text) {
        Ok(text) if text.bytes().all(|byte| plain(&byte)) => Ok(text.to_owned()),
        _ => Err(bad("it has control characters")),
    }
}

fn authority(text: &str, usual: Option<u16>) -> io::Result<(String, u16)> {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, "")) => (address, None),
        Some((address, behind)) => (address, Some(behind.strip_prefix(':').unwrap_or("-"))),
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let port = match port {
        None => usual,
        Some(port) => port.parse().ok().filter(|port| *port > 0),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    match port {
        Some(port) if !host.is_empty() && host.bytes().all(known) => Ok((host, port)),
        _ => Err(bad("it names no host and port")),
    }
}

fn content(headers: &[(String, String)]) -> io::Result<Content> {
    let all = |wanted: &str| -> Vec<&str> {
        headers.iter().filter(|(name, _)| name == wanted).map(|(_, value)| value.as_str()).collect()
    };
    match (all("content-length").as_slice(), all("transfer-encoding").as_slice()) {
        ([], []) => Ok(Content::Bytes(0)),
        ([length], []) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            length.parse().map(Content::Bytes).map_err(|_| bad("its length is no number"))
        }
        ([], [encoding]) if encoding.eq_ignore_ascii_case("chunked") => Ok(Content::Chunks),
        // Two readers could take it for two different requests.
        _ => Err(bad("the length of its content is ambiguous")),
    }
}

/// Sends the content on, and not a byte more.
pub(super) fn send(
    content: Content,
    client: &mut impl BufRead,
    host: &mut impl Write,
) -> io::Result<()> {
    match content {
        Content::Bytes(count) => copy(client, host, count),
        Content::Chunks => loop {
            let size = line(&mut client.take(LONGEST_LINE))?;
            let digits = size.split(';').next().unwrap_or_default().trim();
            let count = u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
            let count = count.ok_or_else(|| bad("a piece has no size"))?;
            write!(host, "{count:x}\r\n")?;
            copy(client, host, count)?;
            // Behind the last piece may be headers; they are left out.
            while !line(&mut client.take(LONGEST_LINE))?.is_empty() {
                if count > 0 {
                    return Err(bad("a piece is longer than it says"));
                }
            }
            host.write_all(b"\r\n")?;
            if count == 0 {
                return Ok(());
            }
        },
    }
}

fn copy(client: &mut impl BufRead, host: &mut impl Write, count: u64) -> io::Result<()> {
    match io::copy(&mut client.take(count), host)? == count {
        true => Ok(()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Option<Request> {
        read(&mut text.as_bytes()).ok().flatten()
    }

    fn forwarded(text: &str) -> Option<(String, u16, String, Content)> {
        match request(text)? {
            Request { host, port, kind: Kind::Forward(head, content) } => {
                Some((host, port, String::from_utf8(head).ok()?, content))
            }
            _ => None,
        }
    }

    #[test]
    fn a_tunnel_names_host_and_port() {
        let tunnel =
            |host: &str, port| Some(Request { host: host.to_owned(), port, kind: Kind::Tunnel });
        assert_eq!(
            request("CONNECT Example.org:443 HTTP/1.1\r\nHost: other\r\n\r\n"),
            tunnel("example.org", 443)
        );
        assert_eq!(request("CONNECT [::1]:22 HTTP/1.0\r\n\r\n"), tunnel("::1", 22));
        for wrong in [
            "CONNECT example.org HTTP/1.1\r\n\r\n",
            "CONNECT a@b:1 HTTP/1.1\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\n",
        ] {
            // The head of the last one does not end, and the end of the connection ends it.
            assert_eq!(request(wrong).is_some(), wrong.ends_with("a:1 HTTP/1.1\r\n"), "{wrong}");
        }
    }

    #[test]
    fn the_host_that_was_looked_at_is_the_one_that_is_asked() {
        let text = "GET http://u:p@a.test:81?q=1 HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: x\r\n\
                    Connection: keep-alive\r\nUpgrade: websocket\r\nAccept: */*\r\n\r\n";
        let (host, port, head, content) = forwarded(text).unwrap();
        assert_eq!((host.as_str(), port, content), ("a.test", 81, Content::Bytes(0)));
        assert_eq!(
            head,
            "GET /?q=1 HTTP/1.1\r\nHost: a.test:81\r\naccept: */*\r\nConnection: close\r\n\r\n"
        );
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        let start = "POST http://a.test/ HTTP/1.1\r\n";
        for headers in [
            "Content-Length: 1\r\nContent-Length: 2\r\n",
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Content-Length: +1\r\n",
            "Content-Length : 1\r\n",
            " folded: 1\r\n",
            "x\u{b}: 1\r\n",
        ] {
            assert_eq!(request(&format!("{start}{headers}\r\n")), None, "{headers}");
        }
        assert_eq!(request("GET /only-a-path HTTP/1.1\r\nHost: a.test\r\n\r\n"), None);
        assert_eq!(request("GET https://a.test/ HTTP/1.1\r\n\r\n"), None);
    }

    #[test]
    fn content_is_sent_to_its_end_and_no_further() {
        let sent = |content, text: &str| {
            let mut out = Vec::new();
            send(content, &mut text.as_bytes(), &mut out)
                .ok()
                .map(|()| String::from_utf8_lossy(&out).into_owned())
        };
        assert_eq!(sent(Content::Bytes(3), "abcGET /"), Some("abc".to_owned()));
        assert_eq!(sent(Content::Bytes(9), "abc"), None);
        let pieces = "3;x=y\r\nabc\r\n0\r\ntrailer: 1\r\n\r\nGET / HTTP/1.1";
        assert_eq!(sent(Content::Chunks, pieces), Some("3\r\nabc\r\n0\r\n\r\n".to_owned()));
        assert_eq!(sent(Content::Chunks, "3\r\nabcd\r\n0\r\n\r\n"), None);
        assert_eq!(sent(Content::Chunks, "-1\r\n"), None);
    }
}
