//! Encodings, dumps, archives.

use super::{agree, emulated, real, unknown};

#[test]
fn missing_padding_is_supplied_as_in_new_versions() {
    assert_eq!(emulated(&["base32", "-d"], b"NBSWY3DPEE"), Some(b"hello!".to_vec()));
}

#[test]
fn bases_agree_with_the_real_ones() {
    agree(&[
        (&["base64"], "hello world"),
        (&["base64"], ""),
        (&["base64", "-w", "0"], "hello world"),
        (&["base64", "-w10"], "hello wide world"),
        (&["base64"], "0123456789012345678901234567890123456789012345678901234567890123456789"),
        (&["base64", "-d"], "Y2F0IC9ldGMvcGFzc3dk\n"),
        (&["base64", "--decode"], "aGVs\nbG8="),
        (&["base64", "-d"], "aGVsbG8"),
        (&["base64", "-d"], "YQ==Yg=="),
        (&["base64", "-d"], "aGVs!bG8="),
        (&["base64", "-di"], "aG Vs!b-G8="),
        (&["base64", "-d"], "aGVsbG8=garbage"),
        (&["base64", "-d"], "a"),
        (&["base64", "-d"], ""),
        (&["base32"], "hello"),
        (&["base32", "-d"], "NBSWY3DP\n"),
        (&["base32", "-d"], "NBSWY3DPEE======"),
        (&["base32", "--decode"], "MNQXI==="),
        (&["basenc", "--base64url", "-d"], "_-8="),
        (&["basenc", "--base64url"], "~~~???"),
        (&["basenc", "--base16"], "cat"),
        (&["basenc", "--base16", "-d"], "636174"),
        (&["basenc", "--base32hex"], "cat"),
        (&["basenc", "--base2msbf"], "c"),
        (&["basenc", "--base2msbf", "-d"], "01100011"),
        (&["openssl", "base64", "-d"], "aGVsbG8=\n"),
        (&["openssl", "base64"], "hello"),
        (&["openssl", "enc", "-base64", "-d", "-A"], "aGVsbG8="),
        (&["openssl", "enc", "-d", "-a"], "aGVsbG8gd29ybGQ=\n"),
        (&["openssl", "enc", "-a", "-A"], "hello"),
    ]);
    unknown(&[
        (&["openssl", "enc", "-aes-256-cbc", "-d", "-a"], "x"),
        (&["openssl", "genrsa"], ""),
        (&["base64", "-d", "file"], ""),
    ]);
}

#[test]
fn dumps_agree_with_the_real_ones() {
    agree(&[
        (&["xxd", "-p"], "hello"),
        (&["xxd", "-p"], "a long line of text that is more than thirty bytes"),
        (&["xxd"], "hello world, this is a dump\n"),
        (&["xxd", "-c", "8"], "hello world\n"),
        (&["xxd", "-u", "-p"], "\u{7f}é"),
        (&["xxd", "-l", "3"], "hello"),
        (&["xxd", "-r", "-p"], "636174"),
        (&["xxd", "-r", "-p"], "63 61\n74 0a"),
        (&["xxd", "-p", "-r"], "6361740"),
        (&["xxd", "-r", "-p"], "0x63"),
        (&["xxd", "-r", "-ps"], "6c73"),
        (&["xxd", "-r"], "00000000: 6361 740a                                cat.\n"),
        (&["xxd", "-r"], "0: 63 61 74\n"),
        (
            &["xxd", "-r"],
            "00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi\n00000010: 7321 0a                                  s!.\n",
        ),
        (&["od"], "hello world"),
        (&["od", "-An", "-tx1"], "hello world, this is long"),
        (&["od", "-A", "n", "-t", "x1", "-v"], "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        (&["od", "-tx1"], "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        (&["od", "-c"], "a\tb\n\u{1}é\0"),
        (&["od", "-b"], "abc"),
        (&["od", "-x"], "abc"),
        (&["od", "-An", "-td1"], "aé"),
        (&["od", "-An", "-tu1", "-w4"], "abcdef"),
        (&["od", "-Ax", "-tx4"], "abcdefghij"),
        (&["od", "-N2", "-An", "-tu2"], "abcdef"),
        (&["od", "-j2", "-c"], "abcdef"),
        (&["od", "-tx8"], "abcdefgh"),
        (&["od", "-to1", "-An"], "abc"),
    ]);
    unknown(&[(&["xxd", "-i"], "a"), (&["od", "-tf4"], "abcd"), (&["od", "-tx1z"], "abcd")]);
}

#[test]
fn output_of_the_real_compressors_is_unpacked() {
    let text = "echo packed and unpacked again, again, again\n".repeat(50);
    let pairs: [(&[&str], &[&str]); 10] = [
        (&["gzip", "-c"], &["gzip", "-d"]),
        (&["gzip", "-c"], &["gunzip"]),
        (&["gzip", "-9c"], &["zcat"]),
        (&["gzip", "-c"], &["gzip", "-dc", "-"]),
        (&["xz", "-c"], &["xz", "-d"]),
        (&["xz", "-9ec"], &["xzcat"]),
        (&["xz", "-c"], &["unxz", "-c"]),
        (&["bzip2", "-c"], &["bzip2", "-d"]),
        (&["bzip2", "-1c"], &["bunzip2"]),
        (&["bzip2", "-c"], &["bzcat"]),
    ];
    for (pack, unpack) in pairs {
        for content in [text.as_str(), "x", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
            let Some(packed) = real(pack, content.as_bytes()) else {
                continue;
            };
            let got = emulated(unpack, &packed);
            assert_eq!(
                got.as_deref(),
                Some(content.as_bytes()),
                "{pack:?} {unpack:?} {content:.20}"
            );
            let twice = [packed.clone(), packed].concat();
            if pack[0] != "xz" {
                assert_eq!(
                    emulated(unpack, &twice),
                    Some(content.repeat(2).into_bytes()),
                    "{unpack:?}"
                );
            }
        }
    }
}

#[test]
fn damaged_archives_and_decompression_bombs_are_refused() {
    let bomb = vec![b'0'; 8 << 20];
    for name in ["gzip", "xz", "bzip2"] {
        let Some(packed) = real(&[name, "-c"], &bomb) else {
            continue;
        };
        assert_eq!(emulated(&[name, "-d"], &packed), None, "{name}");
        let Some(packed) = real(&[name, "-c"], &b"some text, some more text".repeat(20)) else {
            continue;
        };
        for at in 0..packed.len() {
            for change in [1, 0x80, 0xff] {
                let mut broken = packed.clone();
                broken[at] ^= change;
                let _ = emulated(&[name, "-d"], &broken);
            }
            let _ = emulated(&[name, "-d"], &packed[..at]);
        }
    }
}
