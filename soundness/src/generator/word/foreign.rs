//! Text beside and through variables that come from outside and are not set in the run: the guard may know that, or not.

use super::super::quoting::{is_plain, plain};
use super::Generator;
use super::expansions::variable;
use crate::tree::Tree;

/// A variable that no program sets.
const OUTSIDE: &str = "OUTSIDE";

/// A word that is empty in the run.
fn nothing(g: &mut Generator) -> String {
    g.random
        .pick(&[
            "$OUTSIDE",
            "${OUTSIDE}",
            "\"$OUTSIDE\"",
            "${OUTSIDE%/}",
            "${OUTSIDE-}",
            "${OUTSIDE:+x}",
            "$(echo $OUTSIDE)",
        ])
        .to_owned()
}

/// A variable with text before or behind such a word.
fn beside(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    let word = g.word(t, depth, before);
    let word = match &word {
        Tree::Choice { label: "glob", .. } => Tree::text(plain(t)),
        _ => word,
    };
    let nothing = nothing(g);
    // With something before it, `/etc` is a part of another tree: a value from outside counts as an ordinary one.
    let behind = t.contains('/') || g.random.one_in(2);
    let mut parts = match behind {
        true => vec![word, Tree::text(nothing)],
        false => vec![Tree::text(nothing.replace("$OUTSIDE", "${OUTSIDE}")), word],
    };
    parts.insert(0, Tree::text(format!("{v}=")));
    before.push(Tree::Joined(parts));
    g.variables.push(v.clone());
    g.noise(before);
    v
}

pub(super) fn joined(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = beside(g, t, depth, before);
    let operator = g.random.pick(&["", "%Z", "#Z", "//Z/x", ":0", "@Q", "^^Z", "%%Z*", "/#Z/x"]);
    match operator {
        "@Q" => {
            let w = g.fresh("w");
            g.say(format!("eval {w}=${{{v}@Q}}"), before);
            format!("${w}")
        }
        operator => format!("${{{v}{operator}}}"),
    }
}

pub(super) fn operand(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) || t.len() < 3 {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    let at = 1 + g.random.below(t.len() - 2);
    let (form, text) = match g.random.below(9) {
        0 => (format!("${{{v}%Z${OUTSIDE}}}"), format!("{t}Z")),
        1 => (format!("${{{v}#\"${OUTSIDE}\"Z}}"), format!("Z{t}")),
        2 => (format!("${{{v}/Z/${OUTSIDE}}}"), format!("{}Z{}", &t[..at], &t[at..])),
        3 => (format!("${{{v}//Z/${OUTSIDE}}}"), format!("{}Z{}Z", &t[..at], &t[at..])),
        4 => (format!("${{{v}:{OUTSIDE}}}"), t.to_owned()),
        5 => (format!("${{{v}:{OUTSIDE}+2}}"), format!("zz{t}")),
        6 => (format!("${{{v}:0:${{#{v}}}-{OUTSIDE}-1}}"), format!("{t}z")),
        7 => (format!("${{{v}%%\"${OUTSIDE}\"Z*}}"), format!("{t}Zz")),
        _ => (format!("${{{v}%${OUTSIDE}}}"), t.to_owned()),
    };
    g.assign(&v, &text, depth, before);
    form
}

/// The text is set on one of several ways, the one that is taken if the variable is not set.
pub(super) fn branch(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, w) = (g.fresh("v"), beside(g, t, depth, before));
    let (set, other) = (format!("{v}=${w}"), format!("{v}=./x{}", nothing(g)));
    let forms = [
        format!("if [ \"${OUTSIDE}\" ]; then {other}; else {set}; fi"),
        format!("if [ -z \"${OUTSIDE}\" ]; then {set}; else {other}; fi"),
        format!("{set}\n[ \"${OUTSIDE}\" ] && {other}"),
        format!("{other}\n[[ -n ${OUTSIDE} ]] || {set}"),
        format!("case \"${OUTSIDE}\" in a) {other};; b*) {v}=./y;; *) {set};; esac"),
        format!("for {v} in ${OUTSIDE} ./x \"${w}\"; do :; done"),
        format!("while [ \"${{{v}:-x}}\" = x ]; do {set}; done"),
        format!("{other}\nwhile read -r l; do {set}; done <<< \"${OUTSIDE}\""),
        format!("{v}=${{{OUTSIDE}:-${w}}}"),
        format!("{v}=${{{OUTSIDE}:+./x}}; {v}=${{{v}:-${w}}}"),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    let operator = g.random.pick(&["", "", "%Z", "#Z", "//Z/x", ":0"]);
    format!("${{{v}{operator}}}")
}

/// An element or a parameter with a number from outside.
pub(super) fn place(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (a, w) = (g.fresh("a"), beside(g, t, depth, before));
    match g.random.below(6) {
        0 => {
            g.say(format!("{a}=(\"${w}\" ./x)"), before);
            format!("${{{a}[{OUTSIDE}]}}")
        }
        1 => {
            g.say(format!("{a}=(./x \"${w}\" ./y)"), before);
            format!("${{{a}[{OUTSIDE}+1]}}")
        }
        2 => {
            g.say(format!("declare -A {a}; {a}[k${OUTSIDE}]=${w}"), before);
            format!("${{{a}[k]}}")
        }
        3 => {
            g.say(format!("set -- ${OUTSIDE} ./x \"${w}\""), before);
            "$2".to_owned()
        }
        4 => {
            g.say(format!("{a}=(${OUTSIDE} \"${w}\" ./x)"), before);
            format!("${{{a}[0]}}")
        }
        _ => {
            g.say(format!("printf -v {a} '%s%s' \"${w}\" \"${OUTSIDE}\""), before);
            format!("${a}")
        }
    }
}

/// An element behind words whose number only a run knows.
pub(super) fn behind(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let (v, w, a) = (g.fresh("v"), g.fresh("w"), g.fresh("a"));
    g.assign(&w, t, depth, before);
    let count = g.random.below(4);
    let words = format!("$(seq $((RANDOM*0+{count})))");
    let (place, next) = (count, count + 1);
    let forms = [
        format!("set -- {words} \"${w}\" ./x\n{v}=${{{next}}}"),
        format!("set -- {words} ./x \"${w}\"\nshift\n{v}=${{{next}}}"),
        format!("set -- {words} \"${w}\"\nshift {count}\n{v}=$1"),
        format!("set -- {words} \"${w}\"\nshift $(($#-1))\n{v}=$1"),
        format!("set -- {words} \"${w}\"\n{v}=${{!#}}"),
        format!("set -- {words} \"${w}\"\n{v}=${{@:{next}:1}}"),
        format!("set -- {words} \"${w}\"\nset -- z \"$@\"\nshift\n{v}=${{{next}}}"),
        format!("set -- {words} \"${w}\"\nfor {a}; do {v}=${a}; done"),
        format!("set -- {words} \"${w}\"\nwhile [ $# -gt 1 ]; do shift; done\n{v}=$1"),
        format!("{a}() {{ {v}=${{{next}}}; }}\n{a} {words} \"${w}\" ./x"),
        format!("{a}() {{ set -- ./y \"$@\"; {v}=${{@: -1}}; }}\n{a} {words} \"${w}\""),
        format!("{a}=({words} \"${w}\" ./x)\n{v}=${{{a}[{place}]}}"),
        format!("{a}=({words} \"${w}\")\n{v}=${{{a}[-1]}}"),
        format!("{a}=({words} ./x \"${w}\" ./y)\n{v}=${{{a}[@]: -2:1}}"),
        format!("{a}=({words})\n{a}+=(\"${w}\")\n{v}=${{{a}[{place}]}}"),
        format!("{a}=({words} \"${w}\")\n{a}[9]=./x\n{v}=${{{a}[{place}]}}"),
        format!("{a}=({words} z \"${w}\")\nunset '{a}[{place}]'\n{v}=${{{a}[{next}]}}"),
        format!("{a}=({words} \"${w}\")\n{v}=${{{a}[${{#{a}[@]}}-1]}}"),
        format!("{a}=({words} \"${w}Q\")\n{a}=(\"${{{a}[@]%Q}}\")\n{v}=${{{a}[{place}]}}"),
        format!("mapfile -t {a} < <(seq $((RANDOM*0+{count})); echo ${w})\n{v}=${{{a}[{place}]}}"),
        format!("mapfile -t -s {count} {a} < <(seq $((RANDOM*0+{count})); echo ${w})\n{v}=${a}"),
        format!(
            "mapfile -t {a} < <(echo; echo; echo ${w}; seq $((RANDOM*0+{count})))\n{v}=${{{a}[2]}}"
        ),
        format!("read -ra {a} <<< \"$(echo {words}) ${w}\"\n{v}=${{{a}[{place}]}}"),
        format!("{a}[$((RANDOM*0+{count}))]=${w}\n{v}=${{{a}[{place}]}}"),
        format!("{a}[$((RANDOM*0+{count}))]=${w}\n{a}[8]=./x\n{v}=${{{a}[@]:0:1}}"),
        format!(
            "{v}=$({{ seq $((RANDOM*0+{count})); echo ${w}; }} | xargs sh -c 'echo \"${{{next}}}\"' z)"
        ),
        format!("{v}=$({{ seq $((RANDOM*0+{count})); echo ${w}; }} | tail -n 1)"),
        format!("{v}=$(bash -c 'echo \"${{{next}}}\"' z {words} ${w})"),
        format!(
            "{{ for {a} in {words}; do read -r z; done; read -r {v}; }} < <(seq $((RANDOM*0+{count})); echo ${w})"
        ),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    format!("${{{v}}}")
}
