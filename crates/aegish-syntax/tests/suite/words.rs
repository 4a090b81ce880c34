//! The parts of words.

use aegish_syntax::{CommandKind, Param, ParamOp, Part, ReplaceScope, parse};

use crate::constructs::{argument, literal, names, only, parts, simple, whole};

fn param(text: &str) -> Param {
    match argument(&format!(": {text}")).remove(0) {
        Part::Param(param) => *param,
        Part::DoubleQuoted(mut parts) => match parts.remove(0) {
            Part::Param(param) => *param,
            other => panic!("{text}: {other:?}"),
        },
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn quotes_become_parts() {
    assert_eq!(
        argument("a b\\ c'd'\"e\\\"\\x$f\"$'\\x41\\n'"),
        [
            literal("b"),
            Part::Escaped(' '),
            literal("c"),
            Part::SingleQuoted("d".to_owned()),
            Part::DoubleQuoted(vec![
                literal("e"),
                Part::Escaped('"'),
                literal("\\x"),
                Part::Param(Box::new(Param {
                    name: "f".to_owned(),
                    index: None,
                    indirect: false,
                    op: ParamOp::Plain,
                    span: aegish_syntax::Span::new(15, 17),
                })),
            ]),
            Part::AnsiC("A\n".to_owned()),
        ]
    );
}

#[test]
fn ansi_c_quotes_are_decoded_as_bash_does() {
    for (text, wanted) in [
        (r"\a\b\e\E\f\n\r\t\v\\\'\?", "\u{7}\u{8}\u{1b}\u{1b}\u{c}\n\r\t\u{b}\\'?"),
        (r"\x72\155", "rm"),
        (r"\x{72}", "r"),
        (r"\xzz", "\\xzz"),
        (r"\u00e9\U0001F600", "é😀"),
        (r"\303\251", "é"),
        (r"\xc3\xa9", "é"),
        (r"\xff", "\u{fffd}"),
        (r"a\0b", "a"),
        (r"a\x00b", "a"),
        (r"\cA\c?", "\u{1}\u{7f}"),
        (r"\q", "\\q"),
        (r"\u", "\\u"),
        (r"\1234", "S4"),
    ] {
        assert_eq!(argument(&format!("a $'{text}'")), [Part::AnsiC(wanted.to_owned())], "{text}");
    }
}

#[test]
fn only_blanks_and_newlines_separate_words() {
    assert_eq!(simple("a\u{a0}b\rc\u{2003}d e").words.len(), 2);
    assert_eq!(names("a # b; c"), ["a"]);
    assert_eq!(names("a b#c; d"), ["a", "d"]);
}

#[test]
fn parameters_are_told_apart() {
    use ParamOp as Op;
    assert_eq!(param("${#}").name, "#");
    assert_eq!((param("${##}").name.as_str(), param("${##}").op), ("#", Op::Length));
    assert_eq!(param("${#x}").op, Op::Length);
    assert!(matches!(param("${#-x}").op, Op::Default { colon: false, .. }));
    assert!(matches!(param("${x:-y}").op, Op::Default { colon: true, .. }));
    assert!(matches!(param("${x: -1}").op, Op::Substring { length: None, .. }));
    assert!(matches!(param("${x:1?2:3:4}").op, Op::Substring { length: Some(_), .. }));
    assert!(matches!(param("${x##*/}").op, Op::RemovePrefix { longest: true, .. }));
    assert!(matches!(
        param("${x/%a/b}").op,
        Op::Replace { scope: ReplaceScope::Suffix, with: Some(_), .. }
    ));
    assert!(matches!(
        param("${x//a}").op,
        Op::Replace { scope: ReplaceScope::All, with: None, .. }
    ));
    assert!(matches!(param("${x^^}").op, Op::Case { change: '^', all: true, pattern: None }));
    assert_eq!(param("${x@Q}").op, Op::Transform('Q'));
    assert_eq!(param("${!x@}").op, Op::Names(true));
    assert_eq!(param("${!x*}").op, Op::Names(false));
    assert!(param("${!x}").indirect && param("${!x[@]}").indirect);
    assert_eq!(parts(param("${x[@]}").index.as_ref().unwrap()), [literal("@")]);
    assert_eq!(param("${10}").name, "10");
    assert_eq!(argument("a $10")[1], literal("0"));
}

#[test]
fn single_quotes_in_a_double_quoted_fallback_protect_nothing() {
    assert_eq!(names(": \"${a-'$(rm x)'}\""), [":", "rm"]);
    assert_eq!(names(": \"${a#'$(rm x)'}\""), [":"]);
    assert_eq!(names(": ${a-'$(rm x)'}"), [":"]);
    assert_eq!(names("cat <<E\n${a-'$(rm x)'}\nE"), ["cat", "rm"]);
}

#[test]
fn decoded_quotes_in_a_double_quoted_fallback_are_expanded() {
    let script = parse(r#": "${a-$'\x24(rm x)'}""#);
    assert_eq!(script.simple_commands().len(), 2);
}

#[test]
fn backticks_nest_by_backslashes_and_carry_the_outer_span() {
    let text = r"a `b \`c\` '\$(d)'`";
    let script = whole(text);
    assert_eq!(script.simple_commands().len(), 3);
    assert_eq!(script.commands()[2].span.text(text), r"`b \`c\` '\$(d)'`");
}

#[test]
fn extended_globs_have_alternatives() {
    let Part::ExtGlob(kind, words) = argument("a @(b|c d|$(e))").remove(0) else { panic!() };
    assert_eq!((kind, words.len()), ('@', 3));
    assert_eq!(names("!(rm x)"), ["rm"]);
}

#[test]
fn escaped_newlines_vanish_everywhere() {
    assert_eq!(names("a &\\\n& b"), ["a", "b"]);
    assert_eq!(argument("a b\\\nc"), [literal("bc")]);
    assert!(matches!(only("i\\\nf a; then b; fi").kind, CommandKind::If { .. }));
    assert_eq!(argument("a 'b\\\nc'"), [Part::SingleQuoted("b\\\nc".to_owned())]);
}
