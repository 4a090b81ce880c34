//! Text that other code leaves in variables: functions, traps, `eval`, loops.

use super::super::quoting::{is_plain, plain};
use super::Generator;
use super::expansions::variable;
use crate::tree::Tree;

pub(super) fn eval(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, w) = (g.fresh("v"), g.fresh("w"));
    g.assign(&w, t, depth, before);
    let set = [
        format!("eval \"{v}=\\$${w}\"",).replace("$$", "$"),
        format!("eval {v}='${w}'"),
        format!("eval \"{v}=\\\"\\${w}\\\"\""),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn source(g: &mut Generator, t: &str, _depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, p) = (g.fresh("v"), g.fresh("p"));
    let text = plain(&format!("{v}={}", plain(t)));
    let set = [
        format!("echo {text} > {p}\n. ./{p}"),
        format!("source <(echo {text})"),
        format!("source /dev/stdin <<< {text}"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn readonly(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    g.assign(&v, t, depth, before);
    before.push(Tree::text(format!("readonly {v}")));
    let tries = [
        format!("read {v} <<< ./x"),
        format!("printf -v {v} ./x"),
        format!("unset {v}"),
        format!("declare {v}=./x"),
        format!("export {v}=./x"),
        format!("eval '{v}=./x' 2>/dev/null || :"),
    ];
    // A plain assignment to it ends `bash -c`, so only failing builtins are tried.
    let at = g.random.below(tries.len() - 1);
    before.push(Tree::text(tries[at].clone()));
    format!("${v}")
}

pub(super) fn append(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) || t.len() < 3 {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    let at = 1 + g.random.below(t.len() - 2);
    g.assign(&v, &t[..at], depth, before);
    let word = g.word(&t[at..], depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{v}+=")), word]));
    format!("${v}")
}

pub(super) fn function_global(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (f, v) = (g.fresh("f"), g.fresh("v"));
    let word = g.word(t, depth, before);
    let (start, end) = [
        (format!("{v}="), format!("; return; {v}=./x")),
        (format!("local z=1; {v}="), String::new()),
        (format!("declare -g {v}="), String::new()),
        (format!("[ $# = 0 ] || return; {v}="), String::new()),
        (format!("if [ \"$1\" ]; then {v}=./x; return; fi; {v}="), String::new()),
    ][g.random.below(5)]
    .clone();
    before.push(Tree::Joined(vec![
        Tree::text(format!("{f}() {{ {start}")),
        word,
        Tree::text(format!("{end}; }}")),
    ]));
    g.say(f, before);
    g.variables.push(v.clone());
    format!("${v}")
}

pub(super) fn dynamic_scope(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (f, h, v, w) = (g.fresh("f"), g.fresh("h"), g.fresh("v"), g.fresh("w"));
    let word = g.word(t, depth, before);
    before.push(Tree::text(format!("{h}() {{ {w}=${v}; }}")));
    before.push(Tree::text(format!("{v}=./x")));
    before.push(Tree::Joined(vec![
        Tree::text(format!("{f}() {{ local {v}=")),
        word,
        Tree::text(format!("; {h}; }}")),
    ]));
    g.say(f, before);
    format!("${w}")
}

pub(super) fn transform(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (v, w) = (g.fresh("v"), g.fresh("w"));
    g.assign(&v, t, depth, before);
    let set = [
        format!("eval {w}=${{{v}@Q}}"),
        format!("{w}=${{{v}@E}}"),
        format!("eval \"${{{v}@A}}\"; {w}=${v}"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${w}")
}

pub(super) fn prompt_transform(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (v, w) = (g.fresh("v"), g.fresh("w"));
    g.assign(&v, t, depth, before);
    let text = match t.strip_prefix('/') {
        Some(rest) if is_plain(rest) && g.random.one_in(2) => format!("\\057{rest}"),
        _ => format!("${v}"),
    };
    g.say(format!("{w}='{text}'"), before);
    format!("${{{w}@P}}")
}

pub(super) fn arithmetic_choice(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let a = g.fresh("a");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(./x ")), word, Tree::text(" ./y)")]));
    let index = g.random.pick(&[
        "1?1:0", "2>1", "!0", "1<<0", "5%2", "(3,1)", "1|1", "~-2", "36#1", "1&&1", "0||1", "2**0",
    ]);
    format!("${{{a}[{index}]}}")
}

pub(super) fn for_items(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (v, i) = (g.fresh("v"), g.fresh("i"));
    let word = g.word(t, depth, before);
    let (start, end) = [
        (format!("for {i} in ./x "), format!("; do {v}=${i}; done")),
        (format!("for {i} in "), format!(" ./y; do {v}=${i}; break; done")),
        (format!("for {v} in ./x "), "; do :; done".to_owned()),
        (format!("for {v} in "), " ./y ./z; do break; done".to_owned()),
        (
            format!("for {i} in "),
            format!(" ./y; do [ \"$z{i}\" ] && continue; z{i}=1; {v}=${i}; done"),
        ),
    ][g.random.below(5)]
    .clone();
    before.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    g.noise(before);
    format!("${v}")
}

pub(super) fn descriptor(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let word = g.word(t, depth, before).render();
    let word = if word.contains(['*', '?', '[']) { plain(t) } else { word };
    let set = [
        format!("exec 4<<< {word}\nread -r {v} <&4"),
        format!("exec {{fd}}< <(echo {word})\nread -r -u $fd {v}"),
        format!("read -r -u4 {v} 4<<< {word}"),
        format!("{{ read -r {v}; }} <<< {word}"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn last_argument(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(": "), word]));
    g.say(format!("{v}=$_"), before);
    format!("${v}")
}

pub(super) fn translate(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let word = g.word(&t.replace('a', "@"), depth, before).render();
    if t.contains('@') || word.contains(['*', '?', '[']) {
        return format!("$(echo {})", plain(t));
    }
    format!("$(echo {word} | tr @ a)")
}

pub(super) fn base64(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    g.assign(&v, t, depth, before);
    format!("$(echo ${v} | base64 | base64 -d)")
}

pub(super) fn trap_return(
    g: &mut Generator,
    t: &str,
    _depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let code = plain(&format!("{v}={}", plain(t)));
    let f = g.fresh("f");
    let set = [
        format!("{v}=./x\ntrap {code} ERR\nfalse\ntrap - ERR"),
        format!("{f}() {{ trap {code} RETURN; }}\n{f}\ntrap - RETURN"),
        format!("trap {code} USR1\nkill -USR1 $BASHPID\n:"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn debug_trap(
    g: &mut Generator,
    t: &str,
    _depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    let code = plain(&format!("{v}={}", plain(t)));
    let event = g.random.pick(&["DEBUG", "debug"]);
    g.say(format!("trap {code} {event}\n:\ntrap - DEBUG"), before);
    format!("${v}")
}

pub(super) fn declare(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, n) = (g.fresh("v"), g.fresh("n"));
    let word = g.word(t, depth, before);
    let start = [
        format!("declare {v}="),
        format!("typeset {v}="),
        format!("{n}={v}\ndeclare \"${n}\"="),
        format!("export {v}="),
    ];
    let start = g.random.choose(&start);
    before.push(Tree::Joined(vec![Tree::text(start), word]));
    g.noise(before);
    format!("${v}")
}

pub(super) fn exported(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    g.assign(&v, t, depth, before);
    before.push(Tree::text(format!("export {v}")));
    format!("$(bash -c 'echo ${v}')")
}

pub(super) fn sparse(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let a = g.fresh("a");
    let word = match g.word(t, depth, before) {
        // After `[7]=` there is no brace expansion.
        Tree::Choice { label: "glob", simple, .. } => *simple,
        word => word,
    };
    before.push(Tree::Joined(vec![
        Tree::text(format!("{a}=([5]=./x [7]=")),
        word,
        Tree::text(" [9]=./y)"),
    ]));
    g.noise(before);
    let get = [format!("${{{a}[@]:6:1}}"), format!("${{{a}[7]}}"), format!("${{{a}[-3]}}")];
    g.random.choose(&get)
}

pub(super) fn unknown_index(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let a = g.fresh("a");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(")), word, Tree::text(")")]));
    let index = g.random.pick(&["RANDOM*0", "$$*0", "SECONDS*0", "$?*0"]);
    format!("${{{a}[{index}]}}")
}
