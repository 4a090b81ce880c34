//! Prints, for each NUL-separated text on standard input, the kind of error and all command names.
#![allow(clippy::print_stdout)]

use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    for text in input.split(|&byte| byte == 0) {
        let text = String::from_utf8_lossy(text);
        let script = aegish_syntax::parse(&text);
        let error = script.error.as_ref().map_or("ok".to_owned(), |error| {
            format!("{:?}@{}..{} {}", error.kind, error.span.start, error.span.end, error.message)
        });
        let names: Vec<&str> = script
            .simple_commands()
            .iter()
            .filter_map(|simple| simple.words.first().map(|word| word.span.text(&text)))
            .collect();
        println!("{error}\t{names:?}");
    }
    Ok(())
}
