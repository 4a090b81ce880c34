//! Effects by hand: short ways to write values and kinds, and a table check.
#![allow(dead_code)] // each test file uses some of it
#![allow(clippy::unwrap_used)] // helpers of tests are not in a test themselves

use aegish_effects::{
    Analysis, CommandReport, Effect, EffectKind, FileKind, Invocation, Opaque, Piece, Source,
    Stream, Taint, Value, VariableCode,
};
use aegish_policy::{Action, Judgement, PolicyContext, Role, judge};
use aegish_profiles::{Detail, SystemEffect};
use aegish_syntax::Span;

pub(crate) const HOME: &str = "/home/kim";
pub(crate) const CWD: &str = "/home/kim/src/app";

/// A value in which `*`, `?`, `[…]` are globs, `‹…›` is unknown and `{a|b}` is one of two texts.
pub(crate) fn v(text: &str) -> Value {
    let mut value = Value::empty();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let (piece, next) = match first {
            '*' => (Piece::AnyString, after),
            '?' => (Piece::AnyChar, after),
            '[' => {
                let (inside, next) = after.split_once(']').unwrap();
                (Piece::AnyOf(format!("[{inside}]")), next)
            }
            '‹' => (Piece::Unknown("variable"), after.split_once('›').unwrap().1),
            '{' => {
                let (inside, next) = after.split_once('}').unwrap();
                (Piece::OneOf(inside.split('|').map(str::to_owned).collect()), next)
            }
            letter => (Piece::Text(letter.to_string().into()), after),
        };
        value.push(piece);
        rest = next;
    }
    value
}

pub(crate) fn from(source: Source) -> Taint {
    Taint::from(source)
}

pub(crate) fn net() -> Taint {
    from(Source::Network("https://dl.example.net/x".to_owned()))
}

pub(crate) fn read(path: &str) -> EffectKind {
    EffectKind::Read { path: v(path), tree: false }
}

pub(crate) fn read_tree(path: &str) -> EffectKind {
    EffectKind::Read { path: v(path), tree: true }
}

pub(crate) fn list(path: &str) -> EffectKind {
    EffectKind::List { path: v(path) }
}

pub(crate) fn write(path: &str) -> EffectKind {
    EffectKind::Write { path: v(path), content: Value::known("text"), append: false }
}

pub(crate) fn append(path: &str, content: Value) -> EffectKind {
    EffectKind::Write { path: v(path), content, append: true }
}

pub(crate) fn delete(path: &str) -> EffectKind {
    EffectKind::Delete { path: v(path), tree: false }
}

pub(crate) fn delete_tree(path: &str) -> EffectKind {
    EffectKind::Delete { path: v(path), tree: true }
}

pub(crate) fn mode(mode: &str, path: &str) -> EffectKind {
    EffectKind::Mode { path: v(path), mode: v(mode), tree: false, kind: FileKind::Any }
}

pub(crate) fn mode_tree(mode: &str, path: &str) -> EffectKind {
    EffectKind::Mode { path: v(path), mode: v(mode), tree: true, kind: FileKind::Any }
}

pub(crate) fn owner(owner: &str, path: &str) -> EffectKind {
    EffectKind::Owner { path: v(path), owner: v(owner), tree: false, kind: FileKind::Any }
}

pub(crate) fn owner_tree(owner: &str, path: &str) -> EffectKind {
    EffectKind::Owner { path: v(path), owner: v(owner), tree: true, kind: FileKind::Any }
}

pub(crate) fn link(name: &str, target: &str) -> EffectKind {
    EffectKind::Link { target: v(target), name: v(name) }
}

pub(crate) fn setenv(name: &str, value: &str) -> EffectKind {
    EffectKind::Setenv {
        name: name.to_owned(),
        value: Value::known(value),
        code: VariableCode::Unread,
    }
}

/// As [`setenv`], with the notation of [`v`].
pub(crate) fn setenv_v(name: &str, value: &str) -> EffectKind {
    EffectKind::Setenv { name: name.to_owned(), value: v(value), code: VariableCode::Unread }
}

pub(crate) fn shadow(name: &str, meaning: &str) -> EffectKind {
    let (meaning, scope) = (Value::known(meaning), aegish_effects::ShadowScope::Session);
    EffectKind::Shadow { name: name.to_owned(), meaning, scope }
}

/// An effect by its words in the vocabulary of profiles.
pub(crate) fn system(words: &str, object: &str) -> EffectKind {
    let what = SystemEffect::of_words(words).unwrap();
    EffectKind::System { what, detail: Detail::new("does it"), object: v(object) }
}

pub(crate) fn hidden(why: Opaque, taint: Taint) -> EffectKind {
    EffectKind::Hidden { why, what: v("‹x›"), taint }
}

pub(crate) fn send_file(path: &str, to: &str) -> EffectKind {
    EffectKind::Send { to: v(to), what: Stream::File(v(path)), taint: Taint::none() }
}

pub(crate) fn send_output(taint: Taint, to: &str) -> EffectKind {
    EffectKind::Send { to: v(to), what: Stream::Standard, taint }
}

pub(crate) fn send_text(taint: Taint, to: &str) -> EffectKind {
    EffectKind::Send { to: v(to), what: Stream::Literal(v("a=b")), taint }
}

pub(crate) fn fetch(url: &str) -> EffectKind {
    EffectKind::Fetch { from: v(url), to: Stream::Standard }
}

pub(crate) fn fetch_to(url: &str, path: &str) -> EffectKind {
    EffectKind::Fetch { from: v(url), to: Stream::File(v(path)) }
}

/// One command of this program with these effects.
pub(crate) fn analysis(program: Option<&'static str>, kinds: Vec<EffectKind>) -> Analysis {
    let name = program.unwrap_or("thing");
    Analysis {
        commands: vec![CommandReport {
            argv: vec![Value::known(name)],
            program,
            span: Span::new(0, 9),
            parent: None,
            invocation: Invocation::Direct,
        }],
        effects: kinds
            .into_iter()
            .map(|kind| Effect { kind, span: Span::new(2, 7), command: 0, redirected: false })
            .collect(),
        scripts: Vec::new(),
        elevations: Vec::new(),
    }
}

pub(crate) fn judged(program: &'static str, kind: EffectKind, role: Role) -> Judgement {
    judge(
        &analysis(Some(program), vec![kind]),
        &PolicyContext { role, cwd: CWD, home: HOME, user_rules: &[] },
    )
}

/// An effect, the rule that must name it, and the answers for default, sysadmin, restricted
/// (`a`llow, `w`arn, `b`lock; an upper-case letter stands for an open finding).
pub(crate) type Row = (EffectKind, &'static str, &'static str);

pub(crate) fn check(rows: Vec<Row>) {
    check_with("tool", rows);
}

pub(crate) fn check_with(program: &'static str, rows: Vec<Row>) {
    let mut wrong = String::new();
    for (effect, rule, answers) in rows {
        for (role, expected) in Role::ALL.into_iter().zip(answers.chars()) {
            let found = judged(program, effect.clone(), role);
            let letter = match found.action {
                Action::Allow => 'a',
                Action::Warn if found.open => 'W',
                Action::Warn => 'w',
                Action::Block => 'b',
            };
            let named = found.action == Action::Allow || found.rule().id == rule;
            if letter != expected || !named {
                wrong += &format!(
                    "\n{effect} as {role}: expected {expected} by {rule}, found {letter} by {}: {:?}",
                    found.rule().id,
                    found.findings.first().map(|finding| &finding.reason)
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Effects that must not be asked about, in the default and the sysadmin role.
pub(crate) fn check_fine(kinds: Vec<EffectKind>) {
    check_fine_with("tool", kinds);
}

pub(crate) fn check_fine_with(program: &'static str, kinds: Vec<EffectKind>) {
    let mut wrong = String::new();
    for effect in kinds {
        for role in [Role::Default, Role::Sysadmin] {
            let found = judged(program, effect.clone(), role);
            if found.action != Action::Allow {
                wrong += &format!("\n{effect} as {role}: {} by {}", found.action, found.rule().id);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
