//! The shape of the tree, construct by construct.

use aegish_syntax::{
    AssignmentValue, CaseEnd, Command, CommandKind, Cond, Connector, Fd, Part, RedirectOp, Script,
    SimpleCommand, SyntaxErrorKind, Word, parse, parse_double_quoted,
};

pub(crate) fn whole(text: &str) -> Script {
    let script = parse(text);
    assert_eq!(script.error, None, "{text}");
    script
}

pub(crate) fn only(text: &str) -> Command {
    let mut script = whole(text);
    assert_eq!(script.body.items.len(), 1, "{text}");
    script.body.items.remove(0).first.commands.remove(0)
}

pub(crate) fn simple(text: &str) -> SimpleCommand {
    match only(text).kind {
        CommandKind::Simple(simple) => simple,
        other => panic!("{text}: {other:?}"),
    }
}

/// The parts of the second word.
pub(crate) fn argument(text: &str) -> Vec<Part> {
    simple(text).words.remove(1).parts
}

pub(crate) fn literal(text: &str) -> Part {
    Part::Literal(text.to_owned())
}

pub(crate) fn parts(word: &Word) -> &[Part] {
    &word.parts
}

fn kind_of_error(text: &str) -> Option<SyntaxErrorKind> {
    parse(text).error.map(|error| error.kind)
}

pub(crate) fn names(text: &str) -> Vec<String> {
    let script = parse(text);
    let words = script.simple_commands().into_iter().filter_map(|simple| simple.words.first());
    words.map(|word| word.span.text(text).to_owned()).collect()
}

#[test]
fn lists_keep_connectors_and_background() {
    let script = whole("a && b || c & d");
    let first = &script.body.items[0];
    assert!(first.background);
    assert_eq!(
        first.rest.iter().map(|(how, _)| *how).collect::<Vec<_>>(),
        [Connector::And, Connector::Or]
    );
    assert_eq!(first.span.text("a && b || c & d"), "a && b || c");
    assert!(!script.body.items[1].background);
}

#[test]
fn pipelines_know_negation_time_and_stderr() {
    let script = whole("! time -p -- a |& b | c");
    let pipeline = &script.body.items[0].first;
    assert!(pipeline.negated && pipeline.timed);
    assert_eq!(pipeline.with_stderr, [true, false]);
    assert_eq!(pipeline.commands.len(), 3);
    assert!(!whole("! ! a").body.items[0].first.negated);
    assert!(whole("!").body.items[0].first.commands.is_empty());
}

#[test]
fn spans_cover_commands_with_redirections_but_not_blanks() {
    let text = "  a >f b  ; ( c )  >g  ";
    let script = whole(text);
    let spans: Vec<&str> =
        script.commands().iter().map(|command| command.span.text(text)).collect();
    assert_eq!(spans, ["a >f b", "( c )  >g", "c"]);
}

#[test]
fn braces_are_reserved_only_as_words_of_their_own() {
    assert_eq!(names("echo {; rm x"), ["echo", "rm"]);
    assert_eq!(names("{a; b"), ["{a", "b"]);
    assert_eq!(argument("echo {a,b}"), [literal("{a,b}")]);
}

#[test]
fn double_parentheses_are_arithmetic_only_if_they_close_together() {
    assert!(matches!(only("((a))").kind, CommandKind::Arith(_)));
    assert!(matches!(only("((a);(b))").kind, CommandKind::Subshell(_)));
    assert!(matches!(only("( (a))").kind, CommandKind::Subshell(_)));
    assert!(matches!(argument(": $((a))")[0], Part::Arith(_)));
    assert!(matches!(argument(": $((a); b)")[0], Part::Command(_)));
    assert!(matches!(argument(": $((a) )")[0], Part::Command(_)));
    assert_eq!(names(": $((a); b)"), [":", "a", "b"]);
}

#[test]
fn functions_have_odd_names_and_any_compound_body() {
    for (text, wanted) in [
        (": () { a; }", ":"),
        ("a-b() (a)", "a-b"),
        ("function a.b { a; }", "a.b"),
        ("function if() { a; }", "if"),
        ("f()\n\n{ a; }", "f"),
        ("f() if a; then b; fi", "f"),
    ] {
        let CommandKind::Function { name, .. } = only(text).kind else { panic!("{text}") };
        assert_eq!(name, wanted);
    }
    let CommandKind::Function { body, .. } = only("f() { a; } >x 2>&1").kind else { panic!() };
    assert_eq!(body.redirects.len(), 2);
}

#[test]
fn loops_keep_their_words() {
    let CommandKind::For { name, words, body } = only("for x in a b; do c; done").kind else {
        panic!()
    };
    assert_eq!(
        (name.as_str(), words.map(|words| words.len()), body.items.len()),
        ("x", Some(2), 1)
    );
    let CommandKind::For { words, .. } = only("for x do c; done").kind else { panic!() };
    assert_eq!(words, None);
    let CommandKind::For { words, .. } = only("for x in; do c; done").kind else { panic!() };
    assert_eq!(words, Some(Vec::new()));
    let CommandKind::ForArith { init, condition, step, .. } = only("for ((;a<1;)) { b; }").kind
    else {
        panic!()
    };
    assert!(init.parts.is_empty() && step.parts.is_empty());
    assert_eq!(parts(&condition), [literal("a<1")]);
    assert!(matches!(only("until a; do b; done").kind, CommandKind::While { until: true, .. }));
}

#[test]
fn case_arms_know_how_they_end() {
    let CommandKind::Case { arms, .. } = only("case x in a|b) c;; (d) ;& e) f;;& g) h; esac").kind
    else {
        panic!()
    };
    let ends: Vec<CaseEnd> = arms.iter().map(|arm| arm.end).collect();
    assert_eq!(ends, [CaseEnd::Break, CaseEnd::FallThrough, CaseEnd::TryNext, CaseEnd::Break]);
    assert_eq!(arms[0].patterns.len(), 2);
}

#[test]
fn coprocesses_have_names_only_before_compound_commands() {
    let CommandKind::Coproc { name, .. } = only("coproc N { a; }").kind else { panic!() };
    assert_eq!(name.as_deref(), Some("N"));
    let CommandKind::Coproc { name, body } = only("coproc a b").kind else { panic!() };
    assert_eq!(name, None);
    assert!(matches!(body.kind, CommandKind::Simple(_)));
}

#[test]
fn conditional_expressions_follow_precedence() {
    let CommandKind::Cond(cond) = only("[[ ! -f a && b < c || d =~ (x|y z) ]]").kind else {
        panic!()
    };
    let Cond::Or(left, right) = cond else { panic!("{cond:?}") };
    let Cond::And(not, less) = *left else { panic!() };
    assert!(matches!(*not, Cond::Not(_)));
    assert!(matches!(*less, Cond::Binary(_, ref op, _) if op == "<"));
    let Cond::Binary(_, op, regex) = *right else { panic!() };
    assert_eq!((op.as_str(), parts(&regex)), ("=~", &[literal("(x|y z)")][..]));
}

#[test]
fn assignments_stand_only_before_the_first_word() {
    let command = simple("a=1 b+=2 c[x y]=3 d=(1 [2]=3) e f=4 \"g\"=5");
    let names: Vec<&str> = command.assignments.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert!(command.assignments[1].append);
    assert_eq!(parts(command.assignments[2].index.as_ref().unwrap()), [literal("x y")]);
    let AssignmentValue::Array(elements) = &command.assignments[3].value else { panic!() };
    assert!(elements[0].index.is_none() && elements[1].index.is_some());
    assert_eq!(command.words.len(), 3);
    assert!(simple("\"a\"=b").assignments.is_empty());
    assert!(simple("1a=b").assignments.is_empty());
}

#[test]
fn declarations_take_arrays_as_arguments() {
    let command = simple("declare -a x=(1 $(b)) y");
    assert_eq!(command.words[2].parts[0], literal("x="));
    assert!(matches!(&command.words[2].parts[1], Part::Array(elements) if elements.len() == 2));
    assert_eq!(kind_of_error("echo x=(1)"), Some(SyntaxErrorKind::Invalid));
}

#[test]
fn redirections_are_told_apart() {
    let command = only("a 2>b {fd}<c &>d &>>e >&f <&3 <>g >|h >>i <<<j");
    use RedirectOp as Op;
    let ops: Vec<Op> = command.redirects.iter().map(|redirect| redirect.op).collect();
    assert_eq!(
        ops,
        [
            Op::Write,
            Op::Read,
            Op::WriteBoth,
            Op::AppendBoth,
            Op::DupOutput,
            Op::DupInput,
            Op::ReadWrite,
            Op::Clobber,
            Op::Append,
            Op::HereString,
        ]
    );
    assert_eq!(command.redirects[0].fd, Some(Fd::Number(2)));
    assert_eq!(command.redirects[1].fd, Some(Fd::Variable("fd".to_owned())));
    assert_eq!(names("{fd}>f rm x"), ["rm"]);
    assert_eq!(simple("a 2 >b 3").words.len(), 3);
}

#[test]
fn here_documents_are_expanded_unless_quoted() {
    let text = "cat <<A <<'B' <<-C\n$(a)\nA\n$(b)\nB\n\t`c`\n\tC\n";
    let command = only(text);
    let bodies: Vec<&Word> =
        command.redirects.iter().filter_map(|found| found.here_doc.as_ref()).collect();
    assert!(matches!(bodies[0].parts[0], Part::Command(_)));
    assert_eq!(parts(bodies[1]), [Part::SingleQuoted("$(b)\n".to_owned())]);
    assert!(matches!(bodies[2].parts[0], Part::Command(_)));
    assert_eq!(bodies[0].span.text(text), "$(a)\n");
    assert_eq!(whole(text).simple_commands().len(), 3);
}

#[test]
fn here_documents_end_at_the_end_of_the_text() {
    let command = only("cat <<E\na\nb");
    assert_eq!(parts(command.redirects[0].here_doc.as_ref().unwrap()), [literal("a\nb")]);
    assert_eq!(parts(only("cat <<E").redirects[0].here_doc.as_ref().unwrap()), []);
}

#[test]
fn here_documents_inside_substitutions_may_end_on_the_closing_line() {
    assert_eq!(names("a $(cat <<E\nx\nE\nb)\nc"), ["a", "cat", "b", "c"]);
    assert_eq!(names("a $(cat <<E\nx\nE b)\nc"), ["a", "cat", "b", "c"]);
    assert_eq!(names("a $(cat <<E); b\n$(c)\nE\nd"), ["a", "cat", "c", "b", "d"]);
}

#[test]
fn lines_before_an_error_stay() {
    let script = parse("a\nb; c\nd; (e\n");
    assert_eq!(script.simple_commands().len(), 3);
    assert_eq!(script.error.map(|error| error.kind), Some(SyntaxErrorKind::Incomplete));
    assert_eq!(names("a; b )\nc"), Vec::<String>::new());
}

#[test]
fn errors_say_whether_more_text_could_help() {
    use SyntaxErrorKind::{Deferred, Incomplete, Invalid};
    for text in [
        "a &&",
        "a |",
        "(a",
        "\"a",
        "'a",
        "$(a",
        "${a",
        "if a",
        "for x in a; do b",
        "`a",
        "{ a",
        "case x in",
        "[[ a",
        "((a",
        "f()",
    ] {
        assert_eq!(kind_of_error(text), Some(Incomplete), "{text}");
    }
    for text in [
        "a )",
        ";",
        "a;;b",
        "fi",
        "a (b",
        "{ }",
        "()",
        "a | | b",
        "a\0b",
        "a=(1;2)",
        "[[ a b ]]",
        "& a",
    ] {
        assert_eq!(kind_of_error(text), Some(Invalid), "{text}");
    }
    for text in ["${a b}", "`(`", "cat <<E\n${\nE\n", "$((a); ()"] {
        let kind = kind_of_error(text);
        assert!(kind == Some(Deferred) || kind == Some(Incomplete), "{text} {kind:?}");
    }
}

#[test]
fn a_bad_substitution_fails_when_expanded() {
    let script = parse("a; b ${c d $(e)}");
    assert_eq!(script.error.as_ref().map(|error| error.kind), Some(SyntaxErrorKind::Deferred));
    assert_eq!(script.simple_commands().len(), 3);
}

#[test]
fn what_the_tree_cannot_hold_is_refused() {
    assert_eq!(kind_of_error("{a[$(rm x)]}>f b"), Some(SyntaxErrorKind::Invalid));
    assert_eq!(kind_of_error("\"${a-'}$(rm x)'}\""), Some(SyntaxErrorKind::Invalid));
    assert_eq!(kind_of_error("(: $(cat <<E)\na\nE; rm x )\nE\n)"), Some(SyntaxErrorKind::Invalid));
}

#[test]
fn text_of_other_origin_is_read_like_double_quotes() {
    let word = parse_double_quoted("a $b \"c\" `d` '$(e)'").unwrap();
    assert_eq!(word.commands().len(), 2);
    assert!(parse_double_quoted("${").is_err());
    assert!(parse_double_quoted("$(a").is_err());
}

#[test]
fn a_shell_asks_for_more_where_the_text_is_not_complete() {
    let open = [
        "cat <<EOF",
        "cat <<EOF\nabc\n",
        "cat <<-'A B' && ls\n\tx",
        "echo \"a",
        "echo 'a\n",
        "for i in 1",
        "if true; then\n  ls",
        "echo $(",
        "echo `ls",
        "a &&",
        "a |",
        "f() {",
        "x=(1 2",
        "case x in",
        "echo a \\",
        "((1 +",
        "[[ -e x",
    ];
    for text in open {
        assert!(aegish_syntax::wants_more(text), "{text:?}");
    }
    let complete =
        ["", "ls", "cat <<EOF\nabc\nEOF", "echo \\\\", "if then", "echo )", "# comment", "a &"];
    for text in complete {
        assert!(!aegish_syntax::wants_more(text), "{text:?}");
    }
}

#[test]
fn comments_are_kept_with_their_places_once_each() {
    for (text, comments) in [
        ("ls # a", vec!["# a"]),
        ("# a\n# b\nls #c", vec!["# a", "# b", "#c"]),
        ("if x # a\nthen # b\ny; fi", vec!["# a", "# b"]),
        ("x=$(ls # a\n) # b", vec!["# a", "# b"]),
        ("echo `ls # a` # b", vec!["# a", "# b"]),
        ("a=( x # a\n)", vec!["# a"]),
        ("!(ls # a\n)", vec!["# a"]),
        ("cat <<E # a\n# text\nE", vec!["# a"]),
        ("echo a#b '# c' \"# d\" ${#x} $# \\# e", vec![]),
        ("(( 16#ff )); echo $(( 2#1 ))", vec![]),
    ] {
        let script = whole(text);
        let found: Vec<&str> = script.comments.iter().map(|own| own.text.as_str()).collect();
        assert_eq!(found, comments, "{text}");
        for comment in script.comments.iter().filter(|_| !text.contains('`')) {
            assert_eq!(comment.span.text(text), comment.text, "{text}");
        }
    }
}
