//! Properties of every text.

use aegish_syntax::{Command, Script, Span, SyntaxErrorKind, parse, parse_double_quoted};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, proptest};

use crate::bash;
use crate::mutants::{Random, mutant};

fn fits(span: Span, text: &str) -> bool {
    span.start <= span.end && text.get(span.start as usize..span.end as usize).is_some()
}

fn spans_fit(script: &Script, text: &str) -> bool {
    let inside = |command: &&Command| {
        fits(command.span, text)
            && command.redirects.iter().all(|redirect| {
                fits(redirect.span, text)
                    && fits(redirect.target.span, text)
                    && redirect.here_doc.as_ref().is_none_or(|body| fits(body.span, text))
            })
    };
    script.commands().iter().all(inside)
        && script.simple_commands().iter().all(|simple| {
            simple.words.iter().all(|word| fits(word.span, text))
                && simple.assignments.iter().all(|assignment| fits(assignment.span, text))
        })
        && script.error.as_ref().is_none_or(|error| fits(error.span, text))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_and_all_spans_fit(text in any::<String>()) {
        prop_assert!(spans_fit(&parse(&text), &text));
    }

    #[test]
    fn no_shell_like_text_panics(pieces in prop::collection::vec("[ \t\na-c$(){}\\[\\]<>|&;`'\"\\\\#=!@*?/:%é-]{1,6}|if |then |fi|do |done|case |esac|in |for |<<E\n|\nE\n|\\$\\(\\(|\\$\\{a|\\[\\[ | \\]\\]", 0..24)) {
        let text = pieces.concat();
        prop_assert!(spans_fit(&parse(&text), &text));
        let _ = parse_double_quoted(&text);
    }

    #[test]
    fn no_mutant_panics(seed in 1u64..) {
        let pool = bash::snippets("syntax.txt");
        let text = mutant(&pool, &mut Random(seed));
        let script = parse(&text);
        prop_assert!(spans_fit(&script, &text), "{text:?}");
        if let Some(error) = &script.error {
            // Lines before a broken one are kept.
            let lines = text[..error.span.start as usize].matches('\n').count();
            prop_assert!(error.kind == SyntaxErrorKind::Deferred || script.body.items.len() <= text.len().max(lines));
        }
    }
}
