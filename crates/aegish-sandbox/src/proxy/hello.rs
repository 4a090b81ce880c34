//! The first message of a TLS connection: which host the client says that it means.

/// The longest first message that is waited for.
pub(super) const LONGEST: usize = 1 << 16;

const HANDSHAKE: u8 = 0x16;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const HOST_NAME: u8 = 0;

/// What a client said first.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hello {
    /// It is not there as a whole.
    Incomplete,
    /// TLS, for this host, in small letters.
    Host(String),
    /// TLS, for no host or for several.
    NoHost,
    /// Something else.
    NotTls,
}

/// Reads what has arrived so far.
pub(super) fn read(bytes: &[u8]) -> Hello {
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        match rest {
            [] => return Hello::Incomplete,
            [first, ..] if *first != HANDSHAKE => return Hello::NotTls,
            [_, 3, ..] | [_] => {}
            _ => return Hello::NotTls,
        }
        let Some((head, behind)) = rest.split_at_checked(5) else { return Hello::Incomplete };
        let [.., high, low] = head else { return Hello::NotTls };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if length == 0 {
            return Hello::NotTls;
        }
        // A part of a record is as good as the whole: the message in it may be complete.
        let part = behind.get(..length).unwrap_or(behind);
        message.extend_from_slice(part);
        match whole(&message) {
            Some(Ok(body)) => return host(body).map_or(Hello::NoHost, Hello::Host),
            Some(Err(())) => return Hello::NotTls,
            None if message.len() > LONGEST => return Hello::NotTls,
            None => {}
        }
        let Some(next) = behind.get(length..) else { return Hello::Incomplete };
        rest = next;
    }
}

/// The body of the first message once it is there.
fn whole(message: &[u8]) -> Option<Result<&[u8], ()>> {
    let (head, body) = message.split_first_chunk::<4>()?;
    let [kind, high, middle, low] = *head;
    if kind != CLIENT_HELLO {
        return Some(Err(()));
    }
    let length = u32::from_be_bytes([0, high, middle, low]) as usize;
    body.get(..length).map(Ok)
}

/// The one host that is named.
fn host(body: &[u8]) -> Option<String> {
    let mut body = Bytes(body);
    // Version and random.
    body.take(2 + 32)?;
    body.counted(1)?;
    body.counted(2)?;
    body.counted(1)?;
    let mut extensions = Bytes(body.counted(2)?);
    let mut found = None;
    while !extensions.0.is_empty() {
        let kind = extensions.number(2)?;
        let content = extensions.counted(2)?;
        if kind == usize::from(SERVER_NAME) {
            let name = server_name(content)?;
            if found.replace(name).is_some() {
                return None;
            }
        }
    }
    found
}

fn server_name(content: &[u8]) -> Option<String> {
    let mut list = Bytes(Bytes(content).counted(2)?);
    let kind = list.number(1)?;
    let name = list.counted(2)?;
    let only = list.0.is_empty() && kind == usize::from(HOST_NAME);
    let name = std::str::from_utf8(name).ok().filter(|name| name.is_ascii())?;
    only.then(|| name.to_ascii_lowercase())
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, size: usize) -> Option<usize> {
        Some(self.take(size)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// What a number of this size counts.
    fn counted(&mut self, size: usize) -> Option<&'a [u8]> {
        let count = self.number(size)?;
        self.take(count)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn counted(size: usize, content: &[u8]) -> Vec<u8> {
        let count = (content.len() as u32).to_be_bytes();
        [&count[4 - size..], content].concat()
    }

    /// A first message for these names.
    pub(in crate::proxy) fn message(names: &[&str]) -> Vec<u8> {
        let mut extensions = [&[0, 23][..], &counted(2, &[])].concat();
        for name in names {
            let list = counted(2, &[&[HOST_NAME][..], &counted(2, name.as_bytes())].concat());
            extensions.extend([&[0, 0][..], &counted(2, &list)].concat());
        }
        let parts =
            [&[3, 3][..], &[7; 32], &counted(1, &[]), &counted(2, &[19, 1]), &counted(1, &[0])];
        let body = [parts.concat(), counted(2, &extensions)].concat();
        [&[CLIENT_HELLO][..], &counted(3, &body)].concat()
    }

    /// The message in records of at most this size.
    pub(in crate::proxy) fn records(message: &[u8], size: usize) -> Vec<u8> {
        message
            .chunks(size)
            .flat_map(|part| [&[HANDSHAKE, 3, 1][..], &counted(2, part)].concat())
            .collect()
    }

    #[test]
    fn the_host_is_found_however_the_message_is_cut() {
        for size in [1, 7, 50, 1000] {
            let all = records(&message(&["Example.org"]), size);
            assert_eq!(read(&all), Hello::Host("example.org".to_owned()));
            for end in 0..all.len() {
                assert_eq!(read(&all[..end]), Hello::Incomplete, "{size} {end}");
            }
        }
    }

    #[test]
    fn none_and_several_hosts_are_no_host() {
        assert_eq!(read(&records(&message(&[]), 1000)), Hello::NoHost);
        assert_eq!(read(&records(&message(&["a", "b"]), 1000)), Hello::NoHost);
    }

    #[test]
    fn other_protocols_are_not_tls() {
        for other in [
            &b"GET / HTTP/1.1"[..],
            b"SSH-2.0-x",
            b"\x16\x02\x01",
            b"\x16\x03\x01\x00\x01\x02\x00\x00\x00",
        ] {
            assert_eq!(read(other), Hello::NotTls, "{other:?}");
        }
        assert_eq!(read(&[HANDSHAKE, 3, 1, 0, 0]), Hello::NotTls);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let good = records(&message(&["example.org"]), 1000);
        for at in 0..good.len() {
            for byte in [0, 1, 0x16, 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = byte;
                read(&bad);
            }
        }
    }
}
