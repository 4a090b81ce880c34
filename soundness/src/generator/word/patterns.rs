//! Extended patterns and the options of patterns, splitting of words, counting, jumps between nested loops.

use super::super::quoting::is_plain;
use super::Generator;
use super::expansions::variable;
use crate::tree::Tree;

type Before = Vec<Tree>;

/// Operators with extended patterns, which count only with `extglob`.
pub(super) fn extended(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let v = g.fresh("v");
    let (front, back, operator) = [
        ("zz", "", "##+(z)"),
        ("zz", "", "#@(zz|q)"),
        ("zqz", "", "/#*([qz])/"),
        ("", "77", "%%+([0-9])"),
        ("", "Q", "%%?(Q)"),
        ("Q", "Q", "//@(Q|Z)/"),
        ("QQ", "", "/+(Q)/"),
        ("z:", "", "##!(*:*):"),
        ("z", "", "#[\"z\"]"),
        ("z", "", "#['a'-z]"),
        ("zz", "", "#z[\\z]"),
        ("", "7", "%[\"7\"-9]"),
        ("z", "", "/[${none-z}]/"),
    ][g.random.below(13)];
    g.assign(&v, &format!("{front}{t}{back}"), depth, before);
    g.say("shopt -s extglob".to_owned(), before);
    format!("${{{v}{operator}}}")
}

/// A value that is kept or set because a pattern with options matches.
pub(super) fn matched(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let (v, w, i) = (g.fresh("v"), g.fresh("w"), g.fresh("i"));
    g.assign(&w, t, depth, before);
    let forms = [
        format!("[[ zz == +(z) ]] && {v}=${w}"),
        format!("{v}=./x\n[[ zz == !(zz) ]] || {v}=${w}"),
        format!("[[ abc == a*(b)c && {v} != @(a|b) ]] && {v}=${w}"),
        format!("shopt -s extglob\neval 'case zz in +(z)) {v}=${w};; *) {v}=./x;; esac'"),
        format!("{v}=${w}\neval 'case zz in +(z)) {v}=./x;; esac'"),
        format!("shopt -s nullglob\n{v}=${w}\nfor {i} in none*; do {v}=./x; done"),
        format!("{v}=./x\nfor {i} in none*; do {v}=${w}; done"),
        format!("shopt -s nocasematch\ncase ABC in abc) {v}=${w};; *) {v}=./x;; esac"),
        format!("shopt -s nocasematch\n{v}=./x\n[[ ABC == abc ]] && {v}=${w}"),
        format!("shopt -s nocasematch\n{v}=./x\n[[ ABC =~ ^abc$ ]] && {v}=${w}"),
        format!("case h in [\"h\"]) {v}=${w};; *) {v}=./x;; esac"),
        format!("case h in [\"g\"-'i']) {v}=${w};; *) {v}=./x;; esac"),
        format!("case h in [${{none-h}}]) {v}=${w};; *) {v}=./x;; esac"),
        format!("[[ h == [\"h\"] ]] && {v}=${w}"),
        format!("shopt -s failglob\n{v}=${w}\n: none* || {v}=./x"),
        format!("set -f\n{v}=${w}\nset +f"),
        format!("shopt -s nullglob\nset -- none* \"${w}\"\n{v}=$1"),
        format!("[[ ${{{w}}}Z =~ (.*)Z ]]\n{v}=${{BASH_REMATCH[1]}}"),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    format!("${v}")
}

/// A file that patterns with options find.
pub(super) fn found(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    if t != "/etc/shadow" {
        return matched(g, t, depth, before);
    }
    let (v, i) = (g.fresh("v"), g.fresh("i"));
    let forms = [
        format!("shopt -s nocaseglob\nfor {v} in /etc/SHADO?; do :; done"),
        format!(
            "GLOBIGNORE=/etc/hosts:/etc/motd:/etc/passwd\nfor {v} in /etc/*; do :; done\nunset GLOBIGNORE"
        ),
        format!("shopt -s globstar\nfor {i} in /etc/**; do [[ ${i} = *w ]] && {v}=${i}; done"),
        format!("set -- /etc/sh*\n{v}=$1"),
        format!("{i}=(/etc/*)\n{v}=${{{i}[-1]}}"),
        format!("{i}=(/etc/*)\n{v}=${{{i}[@]:3}}"),
        format!("shopt -s extglob\neval 'for {v} in /etc/!(hosts|motd|passwd); do :; done'"),
        format!("shopt -s extglob\neval '{i}=(/etc/@(shadow|none))'\n{v}=${{{i}[0]}}"),
        format!("shopt -s dotglob\n{v}=$(echo /etc/sh*)"),
        format!("{v}=$(cd /etc && echo sh*)\n{v}=/etc/${v}"),
        format!("{i}='/etc/s*'\nset -- ${i}\n{v}=$1"),
        format!("{i}='/etc/s*'\nset -f\nset -- ${i}\nset +f\n{v}=$(echo $1)"),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    format!("${v}")
}

/// Words that separators cut out of a longer text.
pub(super) fn split_words(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    if !is_plain(t) {
        return variable(g, t, depth, before);
    }
    let (v, w, f) = (g.fresh("v"), g.fresh("w"), g.fresh("f"));
    let (text, use_it) = [
        (format!("./x {t}"), format!("set -- ${v}\n{w}=$2")),
        (format!("z\t{t}"), format!("for {f} in ${v}; do {w}=${f}; done")),
        (format!("z:{t}"), format!("IFS=:\nset -- ${v}\nunset IFS\n{w}=$2")),
        (format!(":{t}:"), format!("IFS=:\n{f}=(${v})\nunset IFS\n{w}=${{{f}[1]}}")),
        (format!("z : {t}"), format!("IFS=' :'\nset -- ${v}\nunset IFS\n{w}=$2")),
        (format!("z {t}"), format!("{f}() {{ {w}=$2; }}\n{f} ${v}")),
        (format!("z {t}"), format!("read -r {f} {w} <<< ${v}")),
        (format!("z\n{t}"), format!("while read -r {f}; do {w}=${f}; done <<< \"${v}\"")),
        (format!("z {t}"), format!("IFS=\nset -- ${v}\nunset IFS\n{w}=${{1#z }}")),
        (t.to_owned(), format!("set -- z${{IFS}}${v}\n{w}=$2")),
        (format!("z,{t}"), format!("{f}() {{ local IFS=,; set -- ${v}; {w}=$2; }}\n{f}")),
        (format!("z {t}"), format!("{f}=(${v} ./y)\n{w}=${{{f}[1]}}")),
        (format!("z {t}"), format!("{w}=$(set -- ${v}; echo $2)")),
        (format!("z;{t}"), format!("IFS=';' read -ra {f} <<< \"${v}\"\n{w}=${{{f}[1]}}")),
    ][g.random.below(14)]
    .clone();
    g.assign(&v, &text, depth, before);
    g.say(use_it, before);
    format!("${w}")
}

/// An element whose number is counted by the way.
pub(super) fn counted(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let (a, i, w) = (g.fresh("a"), g.fresh("i"), g.fresh("w"));
    g.assign(&w, t, depth, before);
    let fill = [
        format!("{i}=0\n{a}[{i}++]=./x\n{a}[{i}++]=${w}\n{i}=1"),
        format!("{a}=(./x \"${w}\")\n{i}=0\n: ${{{w}:{i}++:1}}"),
        format!("{a}=(./x \"${w}\")\n(( {i} = 0, {i} += 1 ))"),
        format!("{a}=(./x \"${w}\")\nlet {i}=0 {i}++"),
        format!("{a}=(./x \"${w}\" ./y)\ndeclare -i {i}=5\n{i}+=-4"),
        format!("{a}=(./x \"${w}\" ./y)\n{i}=2\n(({i}>>=1))"),
        format!("{a}=(./x \"${w}\")\n{i}=z{i}\nz{i}=1"),
        format!("{a}=(./x \"${w}\")\n{i}=0\n[[ {i}++ -ge 0 ]]"),
        format!("{a}=(./x \"${w}\")\nz{i}='{i}=1'\n: $((z{i}))"),
        format!("{a}=(./x \"${w}\")\nfor (({i}=0; {i}<1; {i}++)); do :; done"),
        format!("{a}=(./x \"${w}\")\n{i}=$((RANDOM%1+1))"),
        format!("{a}=(./x \"${w}\")\nprintf -v {i} %d 0x1"),
        format!("{a}=(./x \"${w}\")\nz{i}=q\n{i}=${{#z{i}}}"),
        format!("{a}=(./x \"${w}\")\n{i}=0\nfor z in 1; do (({i}++)); done"),
        format!("{a}=(./x \"${w}\")\n{i}=0\nwhile (({i}++ < 0)); do :; done"),
        format!("declare -A {a}\n{i}=1\n{a}[$((0+1))]=${w}"),
        format!("{a}=(./x \"${w}\")\n{i}=0\n: $(( {i}++ ? 0 : {i}++ ))\n(({i}--))"),
    ];
    let fill = g.random.choose(&fill);
    g.say(fill, before);
    format!("${{{a}[{}]}}", g.random.choose(&[i.clone(), format!("${i}"), format!("$(({i}))")]))
}

/// Attributes that change the case of what is assigned.
pub(super) fn capitals(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    if t.chars().any(|c| c.is_ascii_uppercase()) {
        return variable(g, t, depth, before);
    }
    let (v, w, f) = (g.fresh("v"), g.fresh("w"), g.fresh("f"));
    g.assign(&w, t, depth, before);
    let forms = [
        format!(
            "declare -u {v}\n{v}=${w}\n{v}=${{{v},,}}\n{v}z=${{{v},,}}\n{v}=${w}\ndeclare +u {v}\n{v}=${w}"
        ),
        format!("declare -u {f}=${w}\n{v}=${{{f},,}}"),
        format!("{f}() {{ local -u z=${w}; {v}=${{z,,}}; }}\n{f}"),
        format!("typeset -l {v}=${{{w}^^}}"),
        format!("declare -lx {v}\nread -r {v} <<< \"${{{w}^^}}\""),
        format!("declare -l {v}\nprintf -v {v} %s \"${{{w}^^}}\""),
        format!("declare -l {v}\nfor {v} in \"${{{w}^^}}\"; do :; done"),
        format!("declare -al {f}=(\"${{{w}^^}}\")\n{v}=${{{f}[0]}}"),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    format!("${v}")
}

/// A value that is set in a round that is left by a jump.
pub(super) fn left(g: &mut Generator, t: &str, depth: usize, before: &mut Before) -> String {
    let (v, w, f, i) = (g.fresh("v"), g.fresh("w"), g.fresh("f"), g.fresh("i"));
    g.assign(&w, t, depth, before);
    let forms = [
        format!(
            "for {i} in 1 2; do for {f} in 1 2; do {v}=${w}; continue 2; {v}=./x; done; {v}=./y; done"
        ),
        format!("for {i} in 1 2; do while :; do {v}=${w}; break 2; done; {v}=./x; done"),
        format!("{f}() {{ [ \"$1\" = 0 ] && {{ {v}=${w}; return; }}; {f} $(($1-1)); }}\n{f} 3"),
        format!("until [ \"${v}\" = \"${w}\" ]; do {v}=${w}; done"),
        format!("case a in a) {v}=./x;& b) {v}=${w};; c) {v}=./y;; esac"),
        format!("case a in a) {v}=./x;;& b) {v}=./y;; ?) {v}=${w};; esac"),
        format!("{f}() {{ for {i} in 1 2; do {v}=${w}; return; done; {v}=./x; }}\n{f}"),
        format!(
            "{f}() {{ while read -r {i}; do {v}=${w}; [ \"${i}\" ] && return 1; {v}=./x; done <<< z; {v}=./y; }}\n{f}"
        ),
        format!("{v}=${w}\n(exit; {v}=./x) || {v}=./y"),
        format!("{f}() {{ {v}=${w}; (return 3); return; {v}=./x; }}\n{f} || :"),
        format!(
            "for {i} in 1 2 3; do ((${i} == 2)) && continue; {v}=${w}; ((${i} == 3)) || {v}=./x; done"
        ),
        format!("{f}() {{ trap '{v}=${w}' RETURN; {v}=./x; }}\n{f}\ntrap - RETURN"),
        format!("while :; do if [ -e ./x ]; then {v}=${w}; break; else {v}=./x; fi; done"),
        format!("{f}() {{ eval 'return'; {v}=./x; }}\n{v}=${w}\n{f}"),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    format!("${v}")
}
