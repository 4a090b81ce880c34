//! Options have the same meaning in every spelling.
#![allow(clippy::expect_used)] // in tests

use aegish_options::{CommandPart, Field, parse, parts, sort};
use aegish_profiles::{ArgumentRole, Grammar};
use aegish_syntax::Span;
use aegish_values::{Piece, Value};

fn grammar(program: &str) -> &'static Grammar {
    let known = aegish_profiles::all().find(|profile| profile.name == program);
    &known.expect("a profile").grammar
}

fn fields(line: &str) -> Vec<Field> {
    let field = |word: &str| Field { value: Value::known(word), span: Span::default() };
    line.split(' ').map(field).collect()
}

/// The values of all options that are this one.
fn values(program: &str, line: &str, option: &str) -> Vec<Option<String>> {
    let options = sort(Some(grammar(program)), &fields(line)).options;
    let given = options.iter().filter(|given| given.is(option));
    given.map(|given| given.value.as_ref().map(ToString::to_string)).collect()
}

#[test]
fn a_value_is_glued_to_a_letter_or_is_the_next_word() {
    for line in ["-I% sh", "-I % sh", "-rI% sh", "-rtI % sh", "-P2 -I% sh"] {
        assert_eq!(values("xargs", line, "-I"), [Some("%".to_owned())], "{line}");
    }
    for line in ["--replace=% sh", "--repl=% sh", "-i% sh", "-ri% sh"] {
        assert_eq!(values("xargs", line, "--replace"), [Some("%".to_owned())], "{line}");
    }
}

#[test]
fn an_optional_value_is_never_the_next_word() {
    for line in ["-i sh", "--replace sh", "-ri sh"] {
        assert_eq!(values("xargs", line, "-i"), [None], "{line}");
        assert_eq!(
            parse(grammar("xargs"), &fields(line)).rest,
            Some((ArgumentRole::Argv, 1)),
            "{line}"
        );
    }
}

#[test]
fn to_getopt_the_equals_sign_after_a_letter_is_part_of_the_value() {
    assert_eq!(values("xargs", "-I= sh", "-I"), [Some("=".to_owned())]);
    assert_eq!(values("xargs", "-rI=% sh", "-I"), [Some("=%".to_owned())]);
    assert_eq!(values("xargs", "--max-args=3 sh", "-n"), [Some("3".to_owned())]);
}

#[test]
fn options_end_at_the_command_that_is_run() {
    assert_eq!(values("xargs", "-n1 sh -n2", "-n"), [Some("1".to_owned())]);
    assert_eq!(values("xargs", "-n1 -- sh -n2", "-n"), [Some("1".to_owned())]);
}

#[test]
fn every_command_of_an_expression_has_its_words() {
    let line = fields("/etc -name x -exec cat {} ; -fprintf out %p -exec rm {} + -delete");
    let parts = parts(grammar("find"), &line);
    let commands: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            CommandPart::Command(range) => Some(range.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(commands, [4..6, 11..13]);
    let last = parts.last();
    assert!(
        matches!(last, Some(CommandPart::Option(option, _)) if option.name == "-delete"),
        "{last:?}"
    );
}

#[test]
fn an_unknown_word_keeps_its_known_option() {
    let mut value = Value::known("-I");
    value.push(Piece::Unknown("variable"));
    let words = [Field { value, span: Span::default() }];
    let options = sort(Some(grammar("xargs")), &words).options;
    assert_eq!(options.len(), 1);
    assert!(options[0].is("-I") && options[0].known_value().is_none());
}
