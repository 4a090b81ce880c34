//! Archives beyond 65,535 members and 4 GiB, without writing 4 GiB.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use super::{Archive, Member, Method, Scan, Sizes, directory_entry, end_records, local_header};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> (Self, File) {
        let path = std::env::temp_dir().join(format!("aegish-zip-{name}-{}", std::process::id()));
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        (Self(path), file.unwrap_or_else(|error| unreachable!("{error}")))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn stored(name: String, content: &[u8], offset: u64) -> Member {
    let size = content.len() as u64;
    let crc = crc32fast::hash(content);
    Member { name, method: Method::Stored, crc, compressed: size, size, offset }
}

fn archive_of(file: &File, members: &[Member], end: u64) -> Option<Archive> {
    let mut tail = Vec::new();
    members.iter().for_each(|member| directory_entry(&mut tail, member));
    let size = tail.len() as u64;
    end_records(&mut tail, members.len() as u64, size, end);
    file.write_all_at(&tail, end).ok()?;
    Archive::open(file.try_clone().ok()?).ok()
}

#[test]
fn members_beyond_four_gibibytes_are_found() {
    let (_scratch, file) = Scratch::new("far");
    let far = 5 << 30;
    let members = [stored("near".to_owned(), b"here", 0), stored("far".to_owned(), b"there", far)];
    let mut end = 0;
    for (member, content) in members.iter().zip([&b"here"[..], b"there"]) {
        let mut bytes = Vec::new();
        local_header(&mut bytes, member, Sizes::Wide);
        bytes.extend_from_slice(content);
        assert!(file.write_all_at(&bytes, member.offset).is_ok());
        end = member.offset + bytes.len() as u64;
    }
    let archive = archive_of(&file, &members, end);
    let archive = archive.unwrap_or_else(|| unreachable!("the archive can be opened"));
    let found: Vec<Member> = archive.directory().filter_map(Result::ok).collect();
    assert_eq!(found, members);
    assert_eq!(archive.read(&found[1]).ok(), Some(b"there".to_vec()));
    assert_eq!(archive.read(&found[0]).ok(), Some(b"here".to_vec()));
}

#[test]
fn more_members_than_the_old_format_counts_are_found() {
    let (_scratch, file) = Scratch::new("many");
    let (mut bytes, mut members) = (Vec::new(), Vec::new());
    for number in 0..70_000 {
        let member = stored(format!("m{number}"), b"x", bytes.len() as u64);
        local_header(&mut bytes, &member, Sizes::Narrow);
        bytes.push(b'x');
        members.push(member);
    }
    assert!(file.write_all_at(&bytes, 0).is_ok());
    let archive = archive_of(&file, &members, bytes.len() as u64);
    let archive = archive.unwrap_or_else(|| unreachable!("the archive can be opened"));
    assert_eq!(archive.entries(), 70_000);
    assert!(archive.directory().map(Result::ok).eq(members.iter().cloned().map(Some)));
    let mut scan = Scan::new(archive.file());
    assert!(
        (&mut scan).map(Result::ok).eq(members.into_iter().map(Some)),
        "also without a directory"
    );
    assert_eq!(scan.end(), bytes.len() as u64);
}

#[test]
fn a_member_of_several_zstandard_frames_is_read_whole() {
    // Two frames, each a raw block: magic, header (single segment, one-byte size), block header, content.
    let frame = |content: &[u8]| {
        let length = content.len() as u8;
        let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, length];
        let block = u32::from(length) << 3 | 1;
        bytes.extend_from_slice(&block.to_le_bytes()[..3]);
        bytes.extend_from_slice(content);
        bytes
    };
    let (_scratch, file) = Scratch::new("zstd");
    let packed = [frame(b"first "), frame(b"second")].concat();
    let member = Member {
        name: "z".to_owned(),
        method: Method::Zstd,
        crc: crc32fast::hash(b"first second"),
        compressed: packed.len() as u64,
        size: 12,
        offset: 0,
    };
    let mut bytes = Vec::new();
    local_header(&mut bytes, &member, Sizes::Narrow);
    bytes.extend_from_slice(&packed);
    assert!(file.write_all_at(&bytes, 0).is_ok());
    let archive = Archive::without_directory(file);
    assert_eq!(archive.read(&member).ok(), Some(b"first second".to_vec()));
}
