//! The examples of `data/calls`.

use super::effects_in;
use aegish_code_parsers::language::Language;

#[test]
fn examples_of_the_tables_give_their_effects() {
    for (language, text) in [
        (Language::Python, include_str!("../../../aegish-calls/calls/python.toml")),
        (Language::JavaScript, include_str!("../../../aegish-calls/calls/javascript.toml")),
        (Language::Ruby, include_str!("../../../aegish-calls/calls/ruby.toml")),
        (Language::Lua, include_str!("../../../aegish-calls/calls/lua.toml")),
        (Language::Php, include_str!("../../../aegish-calls/calls/php.toml")),
        (Language::Perl, include_str!("../../../aegish-calls/calls/perl.toml")),
        (Language::EmacsLisp, include_str!("../../../aegish-calls/calls/emacs-lisp.toml")),
        (Language::Scheme, include_str!("../../../aegish-calls/calls/scheme.toml")),
        (Language::Tcl, include_str!("../../../aegish-calls/calls/tcl.toml")),
        (Language::PowerShell, include_str!("../../../aegish-calls/calls/powershell.toml")),
        (Language::AppleScript, include_str!("../../../aegish-calls/calls/applescript.toml")),
    ] {
        let file: toml::Table = text.parse().expect("the table is TOML");
        let calls = file["call"].as_array().expect("calls");
        let mut wrong = Vec::new();
        let mut count = 0;
        for example in calls.iter().filter_map(|call| call.get("examples")?.as_array()).flatten() {
            let code = example["code"].as_str().expect("code");
            let gives: Vec<&str> = example["gives"]
                .as_array()
                .expect("effects")
                .iter()
                .filter_map(|e| e.as_str())
                .collect();
            count += 1;
            let got = effects_in(language, code);
            if got != gives {
                wrong.push(format!("{code}\n    expected {gives:?}\n    got      {got:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
}
