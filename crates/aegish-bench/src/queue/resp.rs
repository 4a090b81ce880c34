//! The protocol of Redis and Valkey, as far as streams need it.
//!
//! A command is a list of byte strings; a reply is one of five kinds of value. The usual client has about
//! forty dependencies, for clusters, scripts and asynchronous use.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use super::address::Address;

/// Longest text of a reply. Far more than a sample with the bodies of its exchange.
const LONGEST_TEXT: usize = 64 << 20;
/// Maximum number of members of a list.
const LONGEST_LIST: usize = 1 << 20;
/// Maximum nesting of lists; streams need four levels.
const DEEPEST: usize = 8;
/// Timeout of connecting.
const CONNECT: Duration = Duration::from_secs(5);

/// A reply of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RespValue {
    Nothing,
    Number(i64),
    Text(Vec<u8>),
    List(Vec<RespValue>),
    Error(String),
}

impl RespValue {
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    pub(super) fn into_list(self) -> Vec<RespValue> {
        match self {
            Self::List(members) => members,
            _ => Vec::new(),
        }
    }
}

/// An authenticated connection.
#[derive(Debug)]
pub(super) struct Connection {
    input: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn open(address: &Address) -> io::Result<Self> {
        let mut last = None;
        let places = (address.host.as_str(), address.port).to_socket_addrs()?;
        let stream = places
            .into_iter()
            .find_map(|place| match TcpStream::connect_timeout(&place, CONNECT) {
                Ok(stream) => Some(stream),
                Err(error) => {
                    last = Some(error);
                    None
                }
            })
            .ok_or_else(|| last.unwrap_or_else(|| io::Error::other("the host has no address")))?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(Duration::from_secs(30)))?;
        Ok(Self { input: BufReader::new(stream) })
    }

    /// Sends several commands at once and reads one reply for each, within `wait`.
    pub(super) fn exchange(
        &mut self,
        commands: &[Vec<&[u8]>],
        wait: Duration,
    ) -> io::Result<Vec<RespValue>> {
        let stream = self.input.get_mut();
        stream.set_read_timeout(Some(wait))?;
        let mut bytes = Vec::new();
        for command in commands {
            encode(command, &mut bytes);
        }
        stream.write_all(&bytes)?;
        commands.iter().map(|_| decode(&mut self.input, 0)).collect()
    }
}

fn encode(command: &[&[u8]], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
    for part in command {
        bytes.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        bytes.extend_from_slice(part);
        bytes.extend_from_slice(b"\r\n");
    }
}

fn decode(input: &mut impl BufRead, depth: usize) -> io::Result<RespValue> {
    let line = line(input)?;
    let (kind, rest) = line.split_at_checked(1).ok_or_else(|| broken("an empty line"))?;
    let number = || rest.parse::<i64>().map_err(|_| broken("no number"));
    match kind {
        "+" => Ok(RespValue::Text(rest.as_bytes().to_vec())),
        "-" => Ok(RespValue::Error(rest.to_owned())),
        ":" => Ok(RespValue::Number(number()?)),
        "$" => match length(number()?, LONGEST_TEXT)? {
            None => Ok(RespValue::Nothing),
            Some(length) => {
                let mut bytes = vec![0; length + 2];
                input.read_exact(&mut bytes)?;
                if !bytes.ends_with(b"\r\n") {
                    return Err(broken("a text without its end"));
                }
                bytes.truncate(length);
                Ok(RespValue::Text(bytes))
            }
        },
        "*" => match length(number()?, LONGEST_LIST)? {
            None => Ok(RespValue::Nothing),
            Some(_) if depth == DEEPEST => Err(broken("lists within lists without end")),
            // Not reserved in advance: the length is a claim of the other side.
            Some(length) => (0..length)
                .map(|_| decode(input, depth + 1))
                .collect::<Result<_, _>>()
                .map(RespValue::List),
        },
        _ => Err(broken("not the protocol of Redis")),
    }
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    let read = input.by_ref().take(64 << 10).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "the server closed the connection",
        ));
    }
    let line = bytes.strip_suffix(b"\r\n").ok_or_else(|| broken("a line without its end"))?;
    String::from_utf8(line.to_vec()).map_err(|_| broken("not UTF-8"))
}

/// -1 means null.
fn length(number: i64, most: usize) -> io::Result<Option<usize>> {
    match usize::try_from(number) {
        Ok(length) if length <= most => Ok(Some(length)),
        Err(_) if number == -1 => Ok(None),
        _ => Err(broken("a length out of bounds")),
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the server's reply is {what}"))
}

#[cfg(test)]
mod tests {
    use super::{RespValue, decode, encode};

    fn read(bytes: &[u8]) -> Result<RespValue, String> {
        decode(&mut &*bytes, 0).map_err(|error| error.to_string())
    }

    #[test]
    fn a_command_is_encoded_as_the_protocol_requires() {
        let mut bytes = Vec::new();
        encode(&[b"SET", b"a\r\nb", b""], &mut bytes);
        assert_eq!(bytes, b"*3\r\n$3\r\nSET\r\n$4\r\na\r\nb\r\n$0\r\n\r\n");
    }

    #[test]
    fn all_kinds_of_replies_are_decoded() {
        let text = |text: &str| RespValue::Text(text.as_bytes().to_vec());
        assert_eq!(read(b"+OK\r\n"), Ok(text("OK")));
        assert_eq!(read(b"-ERR no\r\n"), Ok(RespValue::Error("ERR no".to_owned())));
        assert_eq!(read(b":-7\r\n"), Ok(RespValue::Number(-7)));
        assert_eq!(read(b"$4\r\na\r\nb\r\n"), Ok(text("a\r\nb")));
        assert_eq!(
            (read(b"$-1\r\n"), read(b"*-1\r\n")),
            (Ok(RespValue::Nothing), Ok(RespValue::Nothing))
        );
        let list = RespValue::List(vec![RespValue::Number(1), RespValue::List(vec![text("x")])]);
        assert_eq!(read(b"*2\r\n:1\r\n*1\r\n$1\r\nx\r\n"), Ok(list));
    }

    #[test]
    fn an_invalid_reply_is_refused_without_reserving_memory() {
        let deep = "*1\r\n".repeat(100);
        for bytes in [
            &b""[..],
            b"hello\r\n",
            b":x\r\n",
            b"$5\r\nab\r\n",
            b"$2\r\nabcd",
            b"$99999999999\r\n",
            b"*99999999999\r\n",
            b"$-2\r\n",
            b"\xff\r\n",
            b"+OK\n",
            deep.as_bytes(),
            b"*1000000\r\n:1\r\n",
        ] {
            assert!(read(bytes).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
