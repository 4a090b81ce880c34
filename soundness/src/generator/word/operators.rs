//! The operators that [`super::expansions`] leaves out, and the forms of arrays, parameters and printing.

use super::super::quoting::{is_plain, plain};
use super::Generator;
use super::expansions::variable;
use crate::tree::Tree;

type Before = Vec<Tree>;

/// The text cut into two parts, if it can be.
fn halves<'t>(g: &mut Generator, t: &'t str) -> Option<(&'t str, &'t str)> {
    if !is_plain(t) || t.len() < 3 {
        return None;
    }
    Some(t.split_at(1 + g.random.below(t.len() - 2)))
}

/// `name=(./x WORD ./y)`
fn array(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let a = g.fresh("a");
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(./x ")), word, Tree::text(" ./y)")]));
    g.variables.push(a.clone());
    g.noise(before);
    a
}

pub(super) fn toggled_case(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    if t.chars().any(|c| c.is_ascii_uppercase()) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    g.assign(&v, &t.to_uppercase(), depth, before);
    let operator = g.random.pick(&["~~", ",,[A-Z]", ",,?"]);
    format!("${{{v}{operator}}}")
}

pub(super) fn required(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let v = g.fresh("v");
    g.assign(&v, t, depth, before);
    let operator = g.random.pick(&["?", ":?unset", "-./x", ":-./x", "=./x", ":=./x"]);
    format!("${{{v}{operator}}}")
}

pub(super) fn default_nested(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let (u, v) = (g.fresh("u"), g.fresh("v"));
    g.assign(&v, t, depth, before);
    if g.random.one_in(3) {
        before.push(Tree::text(format!("{u}=")));
        return format!("${{{u}:-${v}}}");
    }
    let inner = [format!("${v}"), format!("${{{v}}}"), format!("${{z{u}:-${v}}}")];
    let inner = g.random.choose(&inner);
    let operator = g.random.pick(&["-", ":-", ":=", "="]);
    format!("${{{u}{operator}{inner}}}")
}

pub(super) fn length_index(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let s = g.fresh("s");
    let a = array(g, t, depth, before);
    before.push(Tree::text(format!("{s}=z")));
    let index = [
        format!("${{#{s}}}"),
        format!("${{#{a}[@]}}-2"),
        format!("${{#{a}[*]}}/2"),
        format!("$((${{#{s}}}))"),
    ];
    let index = g.random.choose(&index);
    format!("${{{a}[{index}]}}")
}

pub(super) fn names_by_prefix(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let (v, r) = (g.fresh("only"), g.fresh("r"));
    g.assign(&v, t, depth, before);
    let sign = g.random.pick(&["*", "@"]);
    g.say(format!("{r}=${{!{v}{sign}}}"), before);
    format!("${{!{r}}}")
}

pub(super) fn keys(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let (m, k, v) = (g.fresh("m"), g.fresh("k"), g.fresh("v"));
    let set = [
        format!("declare -A {m}=([{t}]=1)"),
        format!("declare -A {m}\n{m}[{t}]=1"),
        format!("declare -A {m}\n{k}={t}\n{m}[${k}]=1"),
        format!("declare -A {m}=({t} 1)"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    if g.random.one_in(2) {
        g.say(format!("for {k} in \"${{!{m}[@]}}\"; do {v}=${k}; done"), before);
        return format!("${v}");
    }
    format!("${{!{m}[@]}}")
}

pub(super) fn joined_by_separator(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    if !is_plain(t) || !t.contains('/') {
        return variable(g, t, depth, before);
    }
    let (v, a) = (g.fresh("v"), g.fresh("a"));
    let parts: Vec<String> = t.split('/').map(|part| format!("'{part}'")).collect();
    let parts = parts.join(" ");
    let set = [
        format!("{a}=({parts})\nIFS=/\n{v}=\"${{{a}[*]}}\"\nunset IFS"),
        format!("set -- {parts}\n{v}=$(IFS=/; echo \"$*\")"),
        format!("{a}=({parts})\n{v}=$(IFS=/; printf %s \"${{{a}[*]}}\")"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn escapes(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let v = g.fresh("v");
    let octal: String = t.bytes().map(|byte| format!("\\0{byte:o}")).collect();
    let short: String = t.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let hex: String = t.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    let wide: String = t.bytes().map(|byte| format!("\\u00{byte:02x}")).collect();
    let set = [
        format!("{v}=$(echo -e '{octal}')"),
        format!("{v}=$(printf %b '{octal}')"),
        format!("printf -v {v} '{short}'"),
        format!("printf -v {v} '{hex}'"),
        format!("{v}=$'{wide}'"),
        format!("{v}='{hex}'\n{v}=${{{v}@E}}"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn printf_parts(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let Some((first, second)) = halves(g, t) else { return variable(g, t, depth, before) };
    let v = g.fresh("v");
    let one = g.word(first, depth, before);
    let other = g.word(second, depth, before);
    let format = g.random.pick(&["%s%s ", "%s ", "%s%s%s ", "%b%s "]);
    let parts = [Tree::text(format!("printf -v {v} {format}")), one, Tree::text(" "), other];
    before.push(Tree::Joined(parts.into()));
    g.variables.push(v.clone());
    g.noise(before);
    format!("${v}")
}

pub(super) fn numbers_to_text(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let (v, i) = (g.fresh("v"), g.fresh("i"));
    let numbers: Vec<String> = t.bytes().map(|byte| byte.to_string()).collect();
    let numbers = numbers.join(" ");
    let step = [
        format!("{v}+=$(printf \"\\\\$(printf %03o \"${i}\")\")"),
        format!("printf -v {i} %03o \"${i}\"; printf -v {i} \"\\\\${i}\"; {v}+=${i}"),
        format!("printf -v {i} %x ${i}; printf -v {i} \"\\\\x${i}\"; {v}=${v}${i}"),
    ];
    let step = g.random.choose(&step);
    g.say(format!("{v}=\nfor {i} in {numbers}; do {step}; done"), before);
    format!("${v}")
}

pub(super) fn characters(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let v = g.fresh("v");
    let (w, i) = (g.fresh("w"), g.fresh("i"));
    g.assign(&w, t, depth, before);
    let set = [
        format!("{v}=\nfor (({i}=0; {i}<${{#{w}}}; {i}++)); do {v}+=${{{w}:{i}:1}}; done"),
        format!("{v}=\nfor (({i}=${{#{w}}}-1; {i}>=0; {i}--)); do {v}=${{{w}:{i}:1}}${v}; done"),
        format!(
            "{v}=\n{i}=${w}\nwhile [ -n \"${i}\" ]; do {v}=${v}${{{i}:0:1}}; {i}=${{{i}:1}}; done"
        ),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${v}")
}

pub(super) fn array_operators(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let (a, b) = (g.fresh("a"), g.fresh("b"));
    let word = g.word(&format!("{t}Q"), depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}=(")), word, Tree::text(")")]));
    let get = [
        (String::new(), format!("${{{a}[@]%Q}}")),
        (String::new(), format!("${{{a}[*]/%Q/}}")),
        (format!("{b}=(\"${{{a}[@]%Q}}\")"), format!("${{{b}[0]}}")),
        (format!("{b}=(z \"${{{a}[@]/Q}}\")\nunset '{b}[0]'"), format!("${{{b}[@]}}")),
        (format!("set -- \"${{{a}[@]%Q}}\""), "$1".to_owned()),
        (format!("{a}=(\"${{{a}[@]/%Q}}\")\n{a}=(z \"${{{a}[@]}}\")"), format!("${{{a}[1]}}")),
    ];
    let (set, get) = g.random.choose(&get);
    if !set.is_empty() {
        g.say(set, before);
    }
    get
}

pub(super) fn array_grown(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let a = g.fresh("a");
    before.push(Tree::text(format!("{a}=(./x)")));
    let word = g.word(t, depth, before);
    before.push(Tree::Joined(vec![Tree::text(format!("{a}+=(")), word, Tree::text(")")]));
    g.variables.push(a.clone());
    g.noise(before);
    let get = [
        format!("${{{a}[1]}}"),
        format!("${{{a}[-1]}}"),
        format!("${{{a}[@]:1}}"),
        format!("${{{a}[${{#{a}[@]}}-1]}}"),
        format!("${{{a}[@]: -1}}"),
    ];
    g.random.choose(&get)
}

pub(super) fn last_parameter(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let word = g.word(t, depth, before);
    let start = g.random.pick(&["set -- ./x ", "set -- ./x ./y ", "set -- ./x\nset -- \"$@\" "]);
    before.push(Tree::Joined(vec![Tree::text(start), word]));
    g.random.pick(&["${!#}", "${@: -1}", "${@:$#}", "${*: -1:1}", "${@:$#:1}"]).to_owned()
}

pub(super) fn shifted(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let (f, v) = (g.fresh("f"), g.fresh("v"));
    let word = g.word(t, depth, before);
    let (set, start) = [
        (
            format!("{f}() {{ while [ $# -gt 0 ]; do case $1 in -f) {v}=$2; shift 2;; *) shift;; esac; done; }}"),
            format!("{f} -q -f "),
        ),
        (format!("{f}() {{ shift 2; {v}=$1; }}"), format!("{f} a b ")),
        (format!("{f}() {{ while (($# > 1)); do shift; done; {v}=$1; }}"), format!("{f} a b ")),
        (format!("{f}() {{ local i; for i; do {v}=$i; done; }}"), format!("{f} a ")),
        (format!("{f}() {{ local -n z{v}=$1; z{v}=$2; }}"), format!("{f} {v} ")),
        (format!("{f}() {{ eval \"$1=\\$2\"; }}"), format!("{f} {v} ")),
        (format!("{f}() {{ printf -v \"$1\" %s \"$2\"; }}"), format!("{f} {v} ")),
        (format!("{f}() {{ declare -g \"$1=$2\"; }}"), format!("{f} {v} ")),
        (format!("{f}() {{ read -r \"$1\" <<< \"$2\"; }}"), format!("{f} {v} ")),
    ][g.random.below(9)]
    .clone();
    before.push(Tree::text(set));
    before.push(Tree::Joined(vec![Tree::text(start), word]));
    g.variables.push(v.clone());
    g.noise(before);
    format!("${v}")
}

pub(super) fn named_by_loop(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Before,
) -> String {
    let (v, r, w) = (g.fresh("v"), g.fresh("r"), g.fresh("w"));
    g.assign(&v, t, depth, before);
    let set = [
        format!("declare -n {r}\nfor {r} in {v}; do {w}=${r}; done"),
        format!("for {r} in {v}; do {w}=${{!{r}}}; done"),
        format!("declare -n {r}={v}\ndeclare -n z{r}={r}\n{w}=$z{r}"),
        format!("z{r}() {{ local -n y=$1; {w}=$y; }}\nz{r} {v}"),
        format!("declare -n {r}={v}\n{r}+=z\n{w}=${{{v}%z}}"),
        format!("declare -n {r}={v}\nunset -n {r}\n{w}=${v}"),
    ];
    let set = g.random.choose(&set);
    g.say(set, before);
    format!("${w}")
}

pub(super) fn reply(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let word = g.word(t, depth, before);
    let length = t.chars().count();
    let v = g.fresh("v");
    let (start, end, get) = [
        ("read <<< ".to_owned(), String::new(), "REPLY".to_owned()),
        ("mapfile -t <<< ".to_owned(), String::new(), "MAPFILE".to_owned()),
        (format!("read -N {length} {v} <<< "), String::new(), v.clone()),
        (format!("read -n{length} {v} <<< "), "zz".to_owned(), v.clone()),
        (format!("read -r -p z -t 1 {v} <<< "), String::new(), v.clone()),
        (format!("read -ra {v} <<< "), String::new(), v.clone()),
        (format!("while IFS= read -r {v}; do break; done <<< "), String::new(), v.clone()),
        (format!("select {v} in "), " z; do break; done <<< 1 2>/dev/null".to_owned(), v),
    ][g.random.below(8)]
    .clone();
    // `read -N` and the split of `-a` take texts without blanks only.
    let word = if is_plain(t) { word } else { Tree::text(plain("./x")) };
    before.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    let w = g.fresh("w");
    g.say(format!("{w}=${get}"), before);
    if is_plain(t) { format!("${w}") } else { variable(g, t, depth, before) }
}

pub(super) fn local_scope(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let (f, v) = (g.fresh("f"), g.fresh("v"));
    g.assign(&v, t, depth, before);
    let calls = [
        format!("{f}() {{ local {v}=./x; unset {v}; }}\n{f}"),
        format!("{f}() {{ local {v}=./x; z{f}; }}\nz{f}() {{ {v}=./y; }}\n{f}"),
        format!("{f}() {{ local -; set -f; }}\n{f}"),
        format!("{f}() {{ declare {v}; {v}=./x; }}\n{f}"),
        format!("{f}() {{ local {v}; for {v} in ./x; do :; done; }}\n{f}"),
        format!("{f}() {{ local {v}; read {v} <<< ./x; }}\n{f}"),
        format!("{f}() ( {v}=./x )\n{f}"),
        format!("{v}=./x {f}\n"),
    ];
    let at = g.random.below(calls.len() - 1);
    g.say(calls[at].clone(), before);
    format!("${v}")
}

pub(super) fn alias(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let v = g.fresh("v");
    let l = g.fresh("l");
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let set = [
        format!("shopt -s expand_aliases\nalias {l}='{v}={t}'\n{l}"),
        format!("shopt -s expand_aliases\nalias {l}='printf -v {v} %s '\n{l} {t}"),
        format!("shopt -s expand_aliases\nBASH_ALIASES[{l}]='{v}={t}'\n{l}"),
    ];
    let set = g.random.choose(&set);
    // An alias counts from the next line that is read, so a line inside of a compound knows none of it.
    g.say(set, before);
    format!("${{{v}-{t}}}")
}
