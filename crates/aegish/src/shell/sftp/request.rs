//! Requests of version 3 of the protocol, as OpenSSH speaks it: packet → the commands that do the same.

use crate::file_commands::on_paths;

/// "Permission denied" of the protocol.
pub(super) const DENIED: u32 = 3;
/// "Operation unsupported" of the protocol.
pub(super) const UNSUPPORTED: u32 = 8;

/// Extensions that name no file, or only read.
const HARMLESS_EXTENSIONS: [&[u8]; 8] = [
    b"statvfs@openssh.com",
    b"fstatvfs@openssh.com",
    b"fsync@openssh.com",
    b"limits@openssh.com",
    b"expand-path@openssh.com",
    b"home-directory",
    b"copy-data",
    b"users-groups-by-id@openssh.com",
];

/// Flags of `open` that allow changes: write, append, create, truncate.
const CHANGES: u32 = 0x02 | 0x04 | 0x08 | 0x10;
const APPENDS: u32 = 0x04;

/// The parts of a packet that are judged.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestCommands {
    /// At most names of files.
    Harmless,
    /// Commands that do the same.
    Does { id: u32, commands: Vec<Vec<u8>> },
    /// It cannot be judged.
    Unknown { id: u32 },
}

/// The request of a packet.
pub(super) fn read(packet: &[u8]) -> RequestCommands {
    let mut fields = PacketFields(packet.get(4..).unwrap_or_default());
    let kind = fields.byte();
    if kind == Some(1) {
        return RequestCommands::Harmless;
    }
    let Some(id) = fields.number() else { return RequestCommands::Unknown { id: 0 } };
    let commands = match kind {
        // Close, read, write, lstat, fstat, readdir, realpath, stat, readlink; opendir.
        Some(4..=8 | 11 | 12 | 16 | 17 | 19) => return RequestCommands::Harmless,
        Some(3) => open(&mut fields),
        Some(9) => {
            fields.text().map(<[u8]>::to_vec).and_then(|path| attributes(&mut fields, &path))
        }
        // The file was judged when it was opened, so later requests on its handle need no check.
        Some(10) => fields.text().and_then(|_| attributes(&mut fields, b"file")),
        Some(13) => fields.command(b"rm --", 1),
        Some(14) => fields.command(b"mkdir --", 1),
        Some(15) => fields.command(b"rmdir --", 1),
        Some(18) => fields.command(b"mv --", 2),
        // OpenSSH sends the target first.
        Some(20) => fields.command(b"ln -s --", 2),
        Some(200) => match fields.text() {
            Some(name) if HARMLESS_EXTENSIONS.contains(&name) => return RequestCommands::Harmless,
            Some(b"posix-rename@openssh.com") => fields.command(b"mv --", 2),
            Some(b"hardlink@openssh.com") => fields.command(b"ln --", 2),
            Some(b"lsetstat@openssh.com") => {
                fields.text().map(<[u8]>::to_vec).and_then(|path| attributes(&mut fields, &path))
            }
            _ => None,
        },
        _ => None,
    };
    commands
        .map_or(RequestCommands::Unknown { id }, |commands| RequestCommands::Does { id, commands })
}

fn open(fields: &mut PacketFields<'_>) -> Option<Vec<Vec<u8>>> {
    let path = fields.text()?.to_vec();
    let flags = fields.number()?;
    let start: &[u8] = match (flags & CHANGES, flags & APPENDS) {
        (0, _) => b"cat --",
        (_, 0) => b"cat >",
        _ => b"cat >>",
    };
    // The mode of a new file.
    let mut commands = attributes(fields, &path)?;
    commands.push(on_paths(start, &[&path]));
    Some(commands)
}

/// Commands that change the same attributes. Times are not judged.
fn attributes(fields: &mut PacketFields<'_>, path: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut commands = Vec::new();
    let flags = fields.number()?;
    if flags & 0x01 != 0 {
        fields.number()?;
        fields.number()?;
        commands.push(on_paths(b"truncate -s 0 --", &[path]));
    }
    if flags & 0x02 != 0 {
        let (user, group) = (fields.number()?, fields.number()?);
        commands.push(on_paths(format!("chown {user}:{group} --").as_bytes(), &[path]));
    }
    if flags & 0x04 != 0 {
        let mode = fields.number()? & 0o7777;
        commands.push(on_paths(format!("chmod {mode:o} --").as_bytes(), &[path]));
    }
    Some(commands)
}

/// The server's answer to a request that is not passed on.
pub(super) fn refusal(id: u32, code: u32) -> Vec<u8> {
    let message: &[u8] = if code == DENIED { b"refused by the guard" } else { b"not supported" };
    let mut body = vec![101];
    body.extend(id.to_be_bytes());
    body.extend(code.to_be_bytes());
    body.extend(u32::try_from(message.len()).unwrap_or(0).to_be_bytes());
    body.extend(message);
    // No language.
    body.extend(0_u32.to_be_bytes());
    let mut packet = u32::try_from(body.len()).unwrap_or(0).to_be_bytes().to_vec();
    packet.extend(body);
    packet
}

/// The rest of a packet.
struct PacketFields<'a>(&'a [u8]);

impl<'a> PacketFields<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*first))
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }

    /// A command with the paths that follow as arguments.
    fn command(&mut self, start: &[u8], paths: usize) -> Option<Vec<Vec<u8>>> {
        let paths = (0..paths).map(|_| self.text()).collect::<Option<Vec<_>>>()?;
        Some(vec![on_paths(start, &paths)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Vec<u8> {
        [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat()
    }

    fn packet(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
        let body = [&[kind][..], &7_u32.to_be_bytes(), &parts.concat()].concat();
        text(&body)
    }

    fn does(kind: u8, parts: &[&[u8]]) -> Vec<String> {
        match read(&packet(kind, parts)) {
            RequestCommands::Does { id: 7, commands } => {
                commands.iter().map(|text| String::from_utf8(text.clone()).unwrap()).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    const NO_ATTRIBUTES: [u8; 4] = [0; 4];

    #[test]
    fn requests_are_read_as_the_commands_that_do_the_same() {
        let open = |flags: u32| does(3, &[&text(b"it's"), &flags.to_be_bytes(), &NO_ATTRIBUTES]);
        assert_eq!(open(1), [r"cat -- 'it'\''s'"]);
        assert_eq!(open(2 | 8 | 16), [r"cat > 'it'\''s'"]);
        assert_eq!(open(2 | 4), [r"cat >> 'it'\''s'"]);
        assert_eq!(does(13, &[&text(b"a")]), ["rm -- 'a'"]);
        assert_eq!(does(18, &[&text(b"a"), &text(b"b")]), ["mv -- 'a' 'b'"]);
        assert_eq!(does(20, &[&text(b"/etc/x"), &text(b"l")]), ["ln -s -- '/etc/x' 'l'"]);
        let mode = [4_u32.to_be_bytes(), 0o104_755_u32.to_be_bytes()].concat();
        assert_eq!(does(9, &[&text(b"a"), &mode]), ["chmod 4755 -- 'a'"]);
        assert_eq!(does(10, &[&text(b"handle"), &mode]), ["chmod 4755 -- 'file'"]);
        let renamed = [text(b"posix-rename@openssh.com"), text(b"a"), text(b".bashrc")].concat();
        assert_eq!(does(200, &[&renamed]), ["mv -- 'a' '.bashrc'"]);
        let linked = [text(b"hardlink@openssh.com"), text(b"a"), text(b"b")].concat();
        assert_eq!(does(200, &[&linked]), ["ln -- 'a' 'b'"]);
    }

    #[test]
    fn read_only_requests_pass_and_unknown_requests_do_not() {
        assert_eq!(read(&text(&[1, 0, 0, 0, 3])), RequestCommands::Harmless);
        for kind in [4, 5, 6, 7, 8, 11, 12, 16, 17, 19] {
            assert_eq!(read(&packet(kind, &[&text(b"x")])), RequestCommands::Harmless, "{kind}");
        }
        assert_eq!(read(&packet(200, &[&text(b"limits@openssh.com")])), RequestCommands::Harmless);
        assert_eq!(
            read(&packet(200, &[&text(b"run@example.org")])),
            RequestCommands::Unknown { id: 7 }
        );
        assert_eq!(read(&packet(99, &[])), RequestCommands::Unknown { id: 7 });
        // Cut off.
        assert_eq!(read(&packet(13, &[&[0, 0, 0, 9, b'a']])), RequestCommands::Unknown { id: 7 });
        assert_eq!(read(b""), RequestCommands::Unknown { id: 0 });
    }

    #[test]
    fn a_refusal_is_a_status_packet_for_the_request() {
        let bytes = refusal(7, DENIED);
        assert_eq!(bytes.len(), 4 + usize::from(bytes[3]));
        assert_eq!(bytes[4..13], [101, 0, 0, 0, 7, 0, 0, 0, 3]);
    }
}
