//! Lines, columns, words.

use super::{agree, unknown};

#[test]
fn echo_prints_what_bash_prints() {
    agree(&[
        (&["echo"], ""),
        (&["echo", "a", "b"], ""),
        (&["echo", "-n", "a"], ""),
        (&["echo", "-ne", r"a\tb\n"], ""),
        (&["echo", "-e", r"\x63\x61\x74 \0143 \101 \u00e9\U0001F600"], ""),
        (&["echo", "-e", r"stop\chere", "more"], ""),
        (&["echo", "-E", r"\x41"], ""),
        (&["echo", "-nE", "-x", "-n"], ""),
        (&["echo", "-", "-e"], ""),
        (&["echo", "-en", r"\a\b\e\E\f\v\\\q\x\u\0"], ""),
        (&["echo", "--", "x"], ""),
        (&["echo", "-e", "trailing\\"], ""),
        (&["echo", "-e", r"\xfg\x4\x414\04567"], ""),
        (&["echo", r"\n"], ""),
    ]);
}

#[test]
fn printf_prints_what_bash_prints() {
    agree(&[
        (&["printf", "plain"], ""),
        (&["printf", "%s\\n", "a", "b", "c"], ""),
        (&["printf", "%s-%s.", "a", "b", "c"], ""),
        (&["printf", r"\x72\x6d \162\155 \u0072\n"], ""),
        (&["printf", "%b", r"a\x41\101\0101\n"], ""),
        (&["printf", "%b%s", r"a\cb", "z"], ""),
        (&["printf", "%d %i %u", "12", "-7", "0x1f"], ""),
        (&["printf", "%d %d", "'A", "\"b"], ""),
        (&["printf", "%d", "017"], ""),
        (&["printf", "%d", "12abc"], ""),
        (&["printf", "%x %X %o", "255", "255", "8"], ""),
        (&["printf", "%#x %#o %#X", "255", "8", "255"], ""),
        (&["printf", "%c%c%c", "cat", "abc", "t"], ""),
        (&["printf", "%5s|%-5s|%05d|%+d|% d", "ab", "cd", "42", "5", "6"], ""),
        (&["printf", "%.2s", "abcdef"], ""),
        (&["printf", "%*s|%-*s|", "6", "x", "4", "y"], ""),
        (&["printf", "%.*s", "3", "abcdef"], ""),
        (&["printf", "%*d", "-5", "3"], ""),
        (&["printf", "%5.3d|%-8.4x|", "7", "10"], ""),
        (&["printf", "%%"], ""),
        (&["printf", "%s"], ""),
        (&["printf", "%d"], ""),
        (&["printf", "%q", "a b"], ""),
        (
            &[
                "printf", "%q ", "", "it's", "a\nb", "~x", "x~", "#c", "c#", "$HOME", "a,b", "é",
                "a=b", "{x}", "[y]", "a\tb", "\u{1b}[",
            ],
            "",
        ),
        (&["printf", "%q", "!#%&()*+-./:;<=>?@\\^_`|"], ""),
        (&["printf", "%f %.2f %.0f", "3.14159", "2.5", "2.5"], ""),
        (&["printf", "%e %E", "12345.678", "0.00012"], ""),
        (&["printf", "%g %g %g %G", "100000", "1000000", "0.0001", "1e-10"], ""),
        (&["printf", "%8.3f|%-8.1f|%08.2f", "3.14159", "2.55", "-1.5"], ""),
        (&["printf", "--", "%s", "x"], ""),
        (&["printf", r"\1012\x411"], ""),
        (&["printf", r#"\"\'\?\\"#], ""),
        (&["printf", "%ld %lld", "5", "6"], ""),
        (&["printf", "%s %s\\n", "only"], ""),
        (&["printf", "no conversions", "x", "y"], ""),
        (&["printf", "%d", "99999999999999999999"], ""),
        (&["printf", "%u", "-1"], ""),
        (&["printf", "é%s", "ü"], ""),
        (&["printf", "%6s|", "ü"], ""),
        (&["printf", "%02x", "'é"], ""),
        (&["printf", r"a\cb%s", "x"], ""),
    ]);
    unknown(&[
        (&["printf", "-v", "x", "%s", "a"], ""),
        (&["printf", "%(%Y)T", "0"], ""),
        (&["printf", "%999999999s", "x"], ""),
        (&["printf"], ""),
    ]);
}

#[test]
fn line_programs_agree_with_the_real_ones() {
    let ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
    agree(&[
        (&["cat"], "a\nb"),
        (&["cat", "-"], "a\nb"),
        (&["cat", "-n"], "a\n\nb"),
        (&["cat", "-b"], "a\n\nb\n"),
        (&["cat", "-s"], "a\n\n\n\nb\n"),
        (&["cat", "-A"], "a\tb\u{1}é\u{7f}\n"),
        (&["cat", "-E"], "a\n\nb"),
        (&["cat", "-T"], "\ta\n"),
        (&["cat", "-vet"], "\u{0}\tx\n"),
        (&["tac"], "a\nb\nc\n"),
        (&["tac"], "a\nb\nc"),
        (&["tac", "-s", " "], "x y z"),
        (&["rev"], "hs/nib/\nabc"),
        (&["rev"], "héllo wörld\n\nx"),
        (&["head"], ten),
        (&["head", "-n", "2"], ten),
        (&["head", "-n2"], ten),
        (&["head", "-3"], ten),
        (&["head", "-n", "-10"], ten),
        (&["head", "-c", "5"], ten),
        (&["head", "-c5"], ten),
        (&["head", "-c", "-5"], ten),
        (&["head", "--lines=1"], ten),
        (&["head", "-n", "1", "-"], ten),
        (&["head", "-v", "-n1"], ten),
        (&["head", "-n0"], ten),
        (&["head", "-c", "1K"], ten),
        (&["tail"], ten),
        (&["tail", "-n", "2"], ten),
        (&["tail", "-2"], ten),
        (&["tail", "-n", "+11"], ten),
        (&["tail", "+11"], ten),
        (&["tail", "-c", "4"], ten),
        (&["tail", "-c", "+20"], ten),
        (&["tail", "-c3"], "abcdef"),
        (&["tail", "-n1"], "a\nb"),
        (&["tail", "-n", "+1"], "a\nb"),
        (&["tail", "-n", "+0"], "a\nb"),
        (&["tail", "-n", "-1"], "a\nb"),
    ]);
    unknown(&[(&["tail", "-f"], "x"), (&["cat", "elsewhere"], ""), (&["head", "-z"], "x")]);
}

#[test]
fn column_programs_agree_with_the_real_ones() {
    agree(&[
        (&["cut", "-c", "1-3"], "abcdef\nxy\n"),
        (&["cut", "-c2"], "abc\nd\n"),
        (&["cut", "-b", "1,3,5-"], "abcdefg"),
        (&["cut", "-c", "-2"], "abc"),
        (&["cut", "-c", "3-,1"], "abcde"),
        (&["cut", "-d", ":", "-f", "1,3"], "a:b:c\nnone\n"),
        (&["cut", "-d:", "-f2-"], "a:b:c\n"),
        (&["cut", "-d", ":", "-f1", "-s"], "a:b\nnone\n"),
        (&["cut", "-f2"], "a\tb\tc\n"),
        (&["cut", "-d", " ", "-f", "2", "--output-delimiter=+"], "a b c"),
        (&["cut", "-d", " ", "-f", "1,3", "--output-delimiter", "+"], "a b c"),
        (&["cut", "--complement", "-d:", "-f2"], "a:b:c"),
        (&["cut", "--complement", "-c", "1-2"], "abcdef"),
        (&["cut", "-c", "1,2,5", "--output-delimiter=-"], "abcdef"),
        (&["cut", "-c", "1-2,2-4", "--output-delimiter=-"], "abcdef"),
        (&["cut", "-c1-2"], "é\n"),
        (&["cut", "-d:", "-f5"], "a:b\n"),
        (&["cut", "-c9"], "abc\n\n"),
        (&["paste", "-s"], "a\nb\nc\n"),
        (&["paste", "-sd", ","], "a\nb\nc\n"),
        (&["paste", "-sd", ""], "a\nb\nc\n"),
        (&["paste", "-s", "-d", ",;"], "1\n2\n3\n4"),
        (&["paste", "-d", "-", "-", "-"], "1\n2\n3\n"),
        (&["paste", "-"], "1\n2"),
        (&["paste", "-s", "-d", "\\n"], "a\nb\n"),
        (&["fold", "-w", "2"], "abcdef\ngh\n"),
        (&["fold", "-w3"], "abcdefgh"),
        (&["fold", "-1"], "abc\n"),
        (&["fold", "-b", "-w2"], "abc\n\n"),
    ]);
    unknown(&[(&["cut", "-c", "0"], "a"), (&["cut", "-d", "ab", "-f1"], "a"), (&["cut"], "a")]);
}

#[test]
fn tr_agrees_with_the_real_one() {
    agree(&[
        (&["tr", "a-z", "A-Z"], "hello World"),
        (&["tr", "A-Za-z", "N-ZA-Mn-za-m"], "png /rgp/cnffjq"),
        (&["tr", "a-zA-Z", "n-za-mN-ZA-M"], "Uryyb"),
        (&["tr", "-d", "x"], "xrxm"),
        (&["tr", "-d", "[:space:]"], "a b\tc\nd"),
        (&["tr", "-d", "\\n\\r"], "a\r\nb\n"),
        (&["tr", "-s", " "], "a   b  c"),
        (&["tr", "-s", "a-c"], "aabbccdd"),
        (&["tr", "-s", "[:upper:]", "[:lower:]"], "AABbcD"),
        (&["tr", "[:lower:]", "[:upper:]"], "abc"),
        (&["tr", "[:upper:]", "[:lower:]"], "ABC"),
        (&["tr", "-cd", "a-z"], "a1b2c3"),
        (&["tr", "-c", "a-z\\n", "-"], "a1b2\n"),
        (&["tr", "-C", "[:alnum:]", "_"], "a.b c"),
        (&["tr", "\\141", "\\142"], "abc"),
        (&["tr", "abc", "x"], "aabbcc"),
        (&["tr", "abc", "[x*]"], "abcd"),
        (&["tr", "abc", "[x*2]y"], "abcd"),
        (&["tr", "-t", "abc", "x"], "abc"),
        (&["tr", "-ds", "a", "b"], "abbab"),
        (&["tr", "\\n", " "], "a\nb\n"),
        (&["tr", "'", "\""], "it's"),
        (&["tr", "a\\-z", "123"], "a-z"),
        (&["tr", "-", "_"], "a-b"),
        (&["tr", "[a-c]", "[x-z]"], "[abc]"),
        (&["tr", "!-~", "P-~!-O"], "42E ^6E4^D925@H"),
        (&["tr", "0-9", "a-j"], "0123456789"),
        (&["tr", "[=a=]", "b"], "cat"),
    ]);
    unknown(&[(&["tr", "a"], "x"), (&["tr", "z-a", "b"], "x"), (&["tr", "[:nope:]", "b"], "x")]);
}

#[test]
fn order_and_counts_agree_with_the_real_ones() {
    let text = "b 2\na 10\nc 1\na 10\nB 3\n";
    agree(&[
        (&["sort"], text),
        (&["sort", "-r"], text),
        (&["sort", "-u"], text),
        (&["sort", "-n"], "10\n9\n-1\n2.5\nx\n"),
        (&["sort", "-nr"], "10\n9\n2\n"),
        (&["sort", "-f"], text),
        (&["sort", "-k2n"], text),
        (&["sort", "-k2,2n", "-k1,1r"], text),
        (&["sort", "-k", "2"], text),
        (&["sort", "-t:", "-k2"], "a:z\nb:y\n"),
        (&["sort", "-t", ":", "-k2,2nr"], "a:1\nb:20\nc:3"),
        (&["sort", "-un"], "1\n01\n2\n"),
        (&["sort"], "é\nz\na"),
        (&["sort", "-s", "-k1,1"], text),
        (&["sort", "-k1.2,1.3"], "xba\nxab\nxaa\n"),
        (&["uniq"], "a\na\nb\na\n"),
        (&["uniq", "-c"], "a\na\nb\n"),
        (&["uniq", "-d"], "a\na\nb\n"),
        (&["uniq", "-u"], "a\na\nb\n"),
        (&["uniq", "-i"], "a\nA\nb\n"),
        (&["wc"], "one two\nthree\n"),
        (&["wc", "-l"], "a\nb"),
        (&["wc", "-c"], "héllo"),
        (&["wc", "-m"], "héllo"),
        (&["wc", "-w"], "a  b\tc\nd"),
        (&["wc", "-lw"], "a b\n"),
        (&["nl"], "a\n\nb\n"),
        (&["nl", "-ba"], "a\n\nb"),
        (&["nl", "-w2", "-s:"], "a\nb"),
    ]);
    unknown(&[(&["sort", "-R"], text), (&["sort", "-V"], text), (&["wc", "file"], "")]);
}

#[test]
fn word_programs_agree_with_the_real_ones() {
    agree(&[
        (&["seq", "3"], ""),
        (&["seq", "2", "5"], ""),
        (&["seq", "10", "-3", "1"], ""),
        (&["seq", "-s", ",", "1", "4"], ""),
        (&["seq", "-s,", "3"], ""),
        (&["seq", "-w", "8", "11"], ""),
        (&["seq", "-2", "1"], ""),
        (&["seq", "5", "1"], ""),
        (&["basename", "/usr/bin/env"], ""),
        (&["basename", "/usr/lib/x.so", ".so"], ""),
        (&["basename", "/"], ""),
        (&["basename", "a/b/"], ""),
        (&["basename", "-a", "x/y", "z"], ""),
        (&["basename", "-s", ".c", "a.c", "b.c"], ""),
        (&["basename", ".c", ".c"], ""),
        (&["dirname", "/usr/bin/env"], ""),
        (&["dirname", "file"], ""),
        (&["dirname", "/file"], ""),
        (&["dirname", "a//b/"], ""),
        (&["dirname", "/", "a/b"], ""),
        (&["expr", "3", "+", "4"], ""),
        (&["expr", "7", "/", "2"], ""),
        (&["expr", "length", "abc"], ""),
        (&["expr", "substr", "abcdef", "2", "3"], ""),
        (&["expr", "index", "abc", "c"], ""),
        (&["expr", "abc", ":", "a\\(.\\)"], ""),
        (&["expr", "abc", ":", ".b"], ""),
        (&["expr", "abc", ":", "b"], ""),
        (&["expr", "2", "<", "10"], ""),
        (&["md5sum"], "hello"),
        (&["md5sum"], ""),
        (&["md5sum"], "0123456789012345678901234567890123456789012345678901234567890123456789"),
        (&["sha1sum"], "hello"),
        (&["sha256sum"], "hello"),
        (&["sha256sum", "-"], ""),
        (&["md5sum", "-b"], "x"),
    ]);
    unknown(&[
        (&["seq", "1", "9999999"], ""),
        (&["expr", "1", "/", "0"], ""),
        (&["seq", "0.5"], ""),
    ]);
}
