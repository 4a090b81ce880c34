//! Text from substitutions, files, descriptors and builtins that read.

use super::super::quoting::{is_plain, plain};
use super::Generator;
use super::expansions::variable;
use crate::tree::Tree;

pub(super) fn substitution(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let word = g.word(t, depth, before).render();
    let word = if word.contains(['*', '?', '[', '`']) { plain(t) } else { word };
    match g.random.below(12) {
        4 => format!("$([ -e ./y ] && echo z || echo {word})"),
        5 => format!("$([ -e ./x ] || printf z; printf %s {word})"),
        6 if is_plain(t) => format!("$(trap 'echo {t}' EXIT)"),
        7 => format!("$(set -e; echo {word}; false; echo z)"),
        8 => format!("$(echo {word}; exit; echo z)"),
        9 if is_plain(t) => format!("$(printf '{}\\0{}')", &t[..1], &t[1..]),
        10 if is_plain(t) => format!("$(trap 'echo {t}' ERR; false)"),
        0 => format!("$(echo {word})"),
        1 => format!("$(printf %s {word})"),
        2 => format!("$( {{ echo {word}; exit 0; echo z; }} )"),
        _ if is_plain(t) => format!("`echo {t}`"),
        _ => format!("$(echo {word} | cat)"),
    }
}

pub(super) fn substitution_function(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let f = g.fresh("f");
    let word = g.word(t, depth, before);
    let (start, end) = [
        ("echo ", "; return; echo z"),
        ("printf '%s\\n' ", ""),
        ("local z=1; echo ", ""),
        ("if [ 1 = 1 ]; then echo ", "; return 0; fi; echo z"),
    ][g.random.below(4)];
    before.push(Tree::Joined(vec![
        Tree::text(format!("{f}() {{ {start}")),
        word,
        Tree::text(format!("{end}; }}")),
    ]));
    format!("$({f})")
}

pub(super) fn file(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let p = g.fresh("p");
    let word = g.word(t, depth, before);
    let to = g.random.pick(&["> ", ">> ", "| cat > ", "| tee "]);
    before.push(Tree::Joined(vec![Tree::text("echo "), word, Tree::text(format!(" {to}{p}"))]));
    if g.random.one_in(2) { format!("$(cat {p})") } else { format!("$(<{p})") }
}

pub(super) fn read(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    let word = g.word(t, depth, before);
    let (start, end) = [
        (format!("read -r {v} <<< "), ""),
        (format!("IFS= read -r {v} <<< "), ""),
        (format!("read -r z {v} <<< \"z \""), ""),
        (format!("IFS=: read -r z {v} <<< z:"), ""),
        (format!("read -d, {v} <<< "), ","),
        (format!("read -rd '' {v} <<< "), ""),
        (format!("read -r {v} < <(echo "), ")"),
        (format!("IFS=: read -r z {v} <<< z:"), ":"),
        (format!("IFS=: read -r z {v} y <<< z:"), ":y"),
        (format!("IFS=, read -r {v} z <<< "), ",z,"),
    ][g.random.below(10)]
    .clone();
    before.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    g.variables.push(v.clone());
    g.noise(before);
    // With `-d ''` the newline of the here-string is kept.
    format!("${{{v}%$'\\n'}}")
}

pub(super) fn read_array(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let a = g.fresh("a");
    let set = [format!("read -ra {a} <<< 'z {t}'"), format!("IFS=, read -r -a {a} <<< 'z,{t}'")];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${{{a}[1]}}")
}

pub(super) fn read_loop(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let (v, l) = (g.fresh("v"), g.fresh("l"));
    let end = g.random.pick(&["", "; break", "; continue; false"]);
    let set = format!("while read -r {l}; do {v}=${l}{end}; done <<< {t}");
    g.say(set, before);
    format!("${v}")
}

pub(super) fn mapfile(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let a = g.fresh("a");
    let (set, index) = [
        (format!("mapfile -t {a} <<< {t}"), 0),
        (format!("mapfile -t -s 1 {a} <<< $'z\\n{t}'"), 0),
        (format!("readarray -t -O 2 {a} <<< {t}"), 2),
        (format!("mapfile -t -u 3 {a} 3<<< {t}"), 0),
        (format!("mapfile -t -d , {a} < <(echo -n 'z,{t}')"), 1),
        (format!("mapfile -tn1 {a} <<< $'{t}\\nz'"), 0),
    ][g.random.below(6)]
    .clone();
    g.say(set, before);
    format!("${{{a}[{index}]}}")
}

pub(super) fn printf_v(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("printf -v {v} %s ")), word]));
    g.variables.push(v.clone());
    g.noise(before);
    format!("${v}")
}

pub(super) fn printf_v_element(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let a = g.fresh("a");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("printf -v '{a}[1]' %s ")), word]));
    format!("${{{a}[1]}}")
}

pub(super) fn getopts(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (f, v) = (g.fresh("f"), g.fresh("v"));
    let word = g.word(t, depth, before);
    let set = format!(
        "{f}() {{ local OPTIND=1 z; while getopts 'ab:' z; do case $z in b) {v}=$OPTARG;; esac; done; }}"
    );
    before.push(Tree::text(set));
    before.push(Tree::Joined(vec![Tree::text(format!("{f} -a -b ")), word]));
    format!("${v}")
}

pub(super) fn rematch(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let (set, get) = [
        (format!("[[ {t} =~ .* ]]"), "${BASH_REMATCH[0]}"),
        (format!("[[ z:{t}:z =~ :(.*): ]]"), "${BASH_REMATCH[1]}"),
        (format!("[[ {t} =~ ^/?[a-z/._-]+$ ]]"), "$BASH_REMATCH"),
    ][g.random.below(3)]
    .clone();
    before.push(Tree::text(set));
    let v = g.fresh("v");
    g.say(format!("{v}={get}"), before);
    format!("${v}")
}

pub(super) fn here_document(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let v = g.fresh("v");
    if g.random.one_in(2) {
        g.say(format!("{v}=$(cat <<'E'\n{t}\nE\n)"), before);
    } else {
        let w = g.fresh("w");
        g.assign(&w, t, depth, before);
        g.say(format!("IFS= read -r {v} <<E\n${w}\nE"), before);
    }
    format!("${v}")
}

pub(super) fn process_substitution(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let word = g.word(t, depth, before).render();
    let word = if word.contains(['*', '?', '[']) { plain(t) } else { word };
    format!("$(cat <(echo {word}))")
}

pub(super) fn coproc(g: &mut Generator, t: &str, _depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    g.say(
        format!("coproc {{ echo {}; read -t 1 z; }}\nread -r {v} <&\"${{COPROC[0]}}\"\neval \"exec ${{COPROC[1]}}>&-\"\nwait", plain(t)),
        before,
    );
    format!("${v}")
}

pub(super) fn split(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    if !is_plain(t) || t.contains('_') {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    g.assign(&v, &format!("z_{t}"), depth, before);
    let a = g.fresh("a");
    g.say(format!("IFS=_\n{a}=(${v})\nunset IFS"), before);
    format!("${{{a}[1]}}")
}
