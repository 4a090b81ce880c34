//! No text makes the parser panic, hang or return a span outside of the text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let script = aegish_syntax::parse(text);
    for command in script.commands() {
        let span = command.span;
        assert!(text.get(span.start as usize..span.end as usize).is_some());
    }
    if let Some(error) = &script.error {
        assert!(text.get(error.span.start as usize..error.span.end as usize).is_some());
    }
    let _ = aegish_syntax::parse_double_quoted(text);
});
