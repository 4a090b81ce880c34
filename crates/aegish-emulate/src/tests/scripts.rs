//! Programs with a language of their own.

use super::{agree, emulated, unknown};

#[test]
fn sed_agrees_with_the_real_one() {
    let poem = "one two\nthree four\nfive six\nseven\n";
    agree(&[
        (&["sed", "s/o/0/"], poem),
        (&["sed", "s/o/0/g"], poem),
        (&["sed", "s/o/0/2"], "foo boo\n"),
        (&["sed", "s/o/0/2g"], "foo boo\n"),
        (&["sed", "-n", "s/t/T/p"], poem),
        (&["sed", "s/T/x/I"], poem),
        (&["sed", "s|/bin|/usr/bin|"], "/bin/sh"),
        (&["sed", "s,x,,g"], "cxaxt"),
        (&["sed", r"s/\(a\)\(b\)/\2\1/"], "ab"),
        (&["sed", "-E", r"s/(a+)(b?)/[\1|\2]/g"], "aab a"),
        (&["sed", "-r", "s/a{2,3}/X/g"], "a aa aaa aaaa"),
        (&["sed", r"s/a\{2\}/X/"], "aaa"),
        (&["sed", "s/./&&/g"], "abc"),
        (&["sed", "s/^/> /"], poem),
        (&["sed", "s/$/!/"], poem),
        (&["sed", "s/x*/-/g"], "abc"),
        (&["sed", "s/b*/-/g"], "abbc"),
        (&["sed", r"s/\./,/g"], "a.b.c"),
        (&["sed", "s/[^a-z]//g"], "a1b2 c"),
        (&["sed", "s/[[:space:]]\\+/ /g"], "a  b\t c"),
        (&["sed", "-E", "s/a|b/X/g"], "abc"),
        (&["sed", r"s/a\|b/X/g"], "abc"),
        (&["sed", "y/abc/xyz/"], "aabbcc"),
        (&["sed", "-n", "2p"], poem),
        (&["sed", "-n", "$p"], poem),
        (&["sed", "-n", "2,3p"], poem),
        (&["sed", "-n", "/three/,/seven/p"], poem),
        (&["sed", "-n", "/two/,+1p"], poem),
        (&["sed", "2d"], poem),
        (&["sed", "$d"], poem),
        (&["sed", "/o/d"], poem),
        (&["sed", "/o/!d"], poem),
        (&["sed", "2q"], poem),
        (&["sed", "1!G;h;$!d"], poem),
        (&["sed", "-e", "s/a/b/", "-e", "s/b/c/"], "a"),
        (&["sed", "s/a/b/;s/b/c/"], "a"),
        (&["sed", "/one/{s/t/T/;p}"], poem),
        (&["sed", ":a;s/xx/x/;ta"], "axxxxb"),
        (&["sed", ":a;N;$!ba;s/\\n/,/g"], poem),
        (&["sed", "N;s/\\n/+/"], poem),
        (&["sed", "="], "a\nb\n"),
        (&["sed", "1i\\top"], "a\nb"),
        (&["sed", "$a end"], "a\nb"),
        (&["sed", "2c changed"], "a\nb\nc\n"),
        (&["sed", r"s/\w\+/\U&/"], "hello world"),
        (&["sed", r"s/\(.\)\(.*\)/\u\1\L\2/"], "hELLO"),
        (&["sed", "s/é/e/g"], "café é"),
        (&["sed", "-n", "1~2p"], poem),
        (&["sed", "0,/o/s/o/0/"], poem),
        (&["sed", r"s/\t/ /"], "a\tb"),
        (&["sed", "s/a/\\n/"], "bab"),
        (&["sed", r"s/\(.*\)@\(.*\)/\2 \1/"], "user@host"),
        (&["sed", "s/a.*b/X/"], "1a2b3b4"),
        (&["sed", "-E", r"s/(.)\1/<\1>/g"], "aabbc"),
        (&["sed", "-E", "s/^(ab|a)(bc)?/[\\1][\\2]/"], "abc"),
        (&["sed", r"s/\bcat\b/dog/g"], "cat concat cat"),
        (&["sed", r"s/\<./X/g"], "ab cd"),
        (&["sed", "p"], "x"),
        (&["sed", ""], "x\ny"),
        (&["sed", "s/*/x/"], "a*b"),
        (&["sed", "s/a^b$c/x/"], "a^b$c"),
        (&["sed", "n;d"], poem),
        (&["sed", "$!N;P;D"], poem),
        (&["sed", r"s:\:: :g"], "a:b"),
        (&["sed", "# note\ns/a/b/ # more"], "a"),
        (&["sed", "s/[]x]/_/g"], "a]x"),
        (&["sed", "s/[/]/_/"], "a/b"),
        (&["sed", "s/[^/]*$//"], "a/b/c"),
        (&["sed", "s/[^[:alnum:]/]/_/g"], "a/b-c"),
        (&["sed", "s/[]/]x/_/g"], "a]x/x"),
        (&["sed", "2,1p"], "a\nb\nc\n"),
    ]);
    unknown(&[
        (&["sed", "w out"], "x"),
        (&["sed", "s/x/id/e"], "x"),
        (&["sed", "e id"], "x"),
        (&["sed", "r file"], "x"),
        (&["sed", "-i", "s/a/b/"], "x"),
        (&["sed", "s/a"], "x"),
        (&["sed", ":a;ba"], "x"),
        (&["sed", "s/a/b/w out"], "x"),
    ]);
}

#[test]
fn grep_agrees_with_the_real_one() {
    let text = "apple 1\nbanana 22\nApple 333\n\ncherry\n";
    agree(&[
        (&["grep", "an"], text),
        (&["grep", "-v", "an"], text),
        (&["grep", "-i", "apple"], text),
        (&["grep", "-c", "p"], text),
        (&["grep", "-n", "r"], text),
        (&["grep", "-o", "[0-9]\\+"], text),
        (&["grep", "-oE", "[0-9]+"], text),
        (&["grep", "-oE", "an|na"], text),
        (&["grep", "-o", "."], "abc"),
        (&["grep", "-F", "."], "a.b\nab\n"),
        (&["grep", "-x", "cherry"], text),
        (&["grep", "-e", "app", "-e", "che"], text),
        (&["grep", "-m1", "a"], text),
        (&["egrep", "^(a|c)"], text),
        (&["grep", "^$"], text),
        (&["grep", "-E", "p{2}"], text),
        (&["grep", "-q", "a"], text),
        (&["grep", "-on", "a"], "banana\n"),
    ]);
    unknown(&[
        (&["grep", "-P", "a"], text),
        (&["grep", "-r", "x"], ""),
        (&["grep", "x", "file"], ""),
    ]);
}

#[test]
fn hostile_patterns_are_bounded() {
    let text = "a".repeat(30_000);
    for pattern in
        ["s/\\(a*\\)*b/x/", "s/\\(a*\\)\\1b/x/", "s/a*a*a*a*a*b/x/g", "s/\\(a\\|aa\\)*b//"]
    {
        let _ = emulated(&["sed", pattern], text.as_bytes());
    }
    assert_eq!(emulated(&["grep", "-E", "((a{200}){200}){200}"], b"a"), None);
}
