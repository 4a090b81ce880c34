//! Commands that fail: what they would change stays as it was, and what depends on them does not happen.

use super::Generator;
use crate::tree::Tree;

impl Generator {
    /// A command that fails, or whose status is not that of its last command.
    pub(in crate::generator) fn failing(&mut self, before: &mut Vec<Tree>) -> String {
        let f = self.fresh("f");
        if self.random.one_in(5) {
            let body = self.random.pick(&[
                "[ -e none ] || return 1; true",
                "[ -e none ] && return 0; return 3",
                "[ -e ./x ] && return 2; return 0",
                "if [ -e ./x ]; then return 1; fi; :",
                "for z in 1 2; do return 1; done; true",
                "eval 'return 1'; true",
                "while true; do return 1; done",
                "case $# in 0) return 1;; esac; true",
            ]);
            self.say(format!("{f}() {{ {body}; }}"), before);
            return f;
        }
        self.random
            .pick(&[
                "[ -e none ]",
                "test -d none",
                "[[ -e none ]]",
                "(( OUTSIDE ))",
                "[ \"$OUTSIDE\" ]",
                ". ./none",
                "read -r z < none",
                "(exit 3)",
                "([ -e ./x ] && exit 1; true)",
                "(: ${OUTSIDE:?}; true)",
                "bash -c 'exit 1'",
                "bash -c '[ -e ./x ] && exit 1; true'",
                "declare -Z z",
                "eval false",
                "eval '('",
                "command false",
                "builtin false",
                "wait 99999",
                "set -o none",
                "shopt -s none",
                "type none",
                "true > none/x",
                "true < none",
                "true >&77",
                "{ true; } < none",
                ": > none/x",
                "z=$(exit 1)",
                "let 0",
                "true | (exit 1)",
                "true | { [ -e none ]; }",
                "! true",
                "! { [ -e none ] || true; }",
                "umask none",
                "shift 99",
                "printf %d z",
                "env false",
                "timeout 5 false",
                "getopts z z",
                "unset -Z z",
                "hash none",
                "kill -0 99999",
                "mapfile z < none",
                "read -r z < /dev/null",
                "exec 77< none",
            ])
            .to_owned()
    }

    /// Text around a statement that keeps it from having an effect; with files, also outside of the shell.
    fn without_effect(&mut self, statement: &str, files: bool, before: &mut Vec<Tree>) -> String {
        let (f, i) = (self.fresh("f"), self.fresh("i"));
        let condition = self.failing(before);
        let forms = [
            format!("{{ {statement}; }} < none"),
            format!("{{ {statement}; }} > none/x"),
            format!("{{ {statement}; }} > ."),
            format!("{{ {statement}; }} <&77"),
            format!("{{ {statement}; }} >&77"),
            format!("{{ {statement}; }} <> none/x"),
            format!("if true; then {statement}; fi < none"),
            format!("for {i} in 1; do {statement}; done > none/x"),
            format!("while true; do {statement}; break; done < none"),
            format!("case a in a) {statement};; esac < none"),
            format!("{f}() {{ {statement}; }}\n{f} < none"),
            format!("{f}() {{ {statement}; }} < none\n{f}"),
            format!("eval {statement:?} < none"),
            format!("set -C\n: > {f}\n{{ {statement}; }} > {f}\nset +C"),
            format!("mkdir {f}\n{{ {statement}; }} > {f}"),
            format!("{condition} && {{ {statement}; }}"),
            format!("{condition} && {statement} && :"),
            format!("! {condition} || {{ {statement}; }}"),
            format!("if {condition}; then {statement}; fi"),
            format!("if ! {condition}; then :; else {statement}; fi"),
            format!("while {condition}; do {statement}; break; done"),
            format!("until ! {condition}; do {statement}; break; done"),
            format!("{condition} || true && : || {{ {statement}; }}"),
            format!("{{ {condition} && :; }} && {{ {statement}; }}"),
            format!("eval -Z {statement:?}"),
            format!("trap {statement:?} none"),
            format!("eval {statement:?}' ('"),
            format!("({statement})"),
            format!("{statement} | :"),
            format!(": $({statement})"),
        ];
        let count = if files { forms.len() - 3 } else { forms.len() };
        forms[self.random.below(count)].clone()
    }
}

/// A value that a command without effect would replace.
pub(super) fn kept(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let v = g.fresh("v");
    g.assign(&v, t, depth, before);
    let statement = [
        format!("{v}=./x"),
        format!("read -r {v} <<< ./x"),
        format!("printf -v {v} %s ./x"),
        format!("export {v}=./x"),
        format!("unset {v}"),
        format!("mapfile -t {v} <<< ./x"),
        format!("eval {v}=./x"),
    ];
    let statement = g.random.choose(&statement);
    let misused = [
        format!("declare -Z {v}=./x"),
        format!("export -Z {v}=./x"),
        format!("local {v}=./x"),
        format!("read -Z {v} <<< ./x"),
        format!("read -r -u 77 {v}"),
        format!("read -r z- {v} <<< './x ./x'"),
        format!("read -n z {v} <<< ./x"),
        format!("read -t 0 {v} <<< ./x"),
        format!("read -r {v} < none"),
        format!("mapfile {v} < none"),
        format!("unset -Z {v}"),
        format!("printf -Z {v} ./x"),
        format!("printf -v {v}- %s ./x"),
        format!("select {v} in ./x; do break; done < /dev/null"),
        format!("{v}=./x declare -Z z"),
        format!("{v}=./x true < none"),
    ];
    let text = match g.random.one_in(3) {
        true => g.random.choose(&misused),
        false => g.without_effect(&statement, false, before),
    };
    g.say(text, before);
    format!("${v}")
}

/// A value that is set because a command fails.
pub(super) fn set_by(g: &mut Generator, t: &str, depth: usize, before: &mut Vec<Tree>) -> String {
    let (v, w) = (g.fresh("v"), g.fresh("w"));
    g.assign(&w, t, depth, before);
    let condition = g.failing(before);
    let forms = [
        format!("{v}=./x\n{condition} || {v}=${w}"),
        format!("{v}=./x\nif {condition}; then :; else {v}=${w}; fi"),
        format!("{v}=./x\nif ! {condition}; then {v}=${w}; fi"),
        format!("{v}=./x\nuntil {condition}; do {v}=${w}; break; done"),
        format!("{v}=./x\n{condition} && {v}=./y || {v}=${w}"),
        format!("{v}=./x\n{condition} && : || true && {v}=${w}"),
        format!("{v}=./x\n! {condition} && {v}=${w}"),
        format!("{v}=./x\n{condition}\n[ $? = 0 ] || {v}=${w}"),
        format!("{v}=./x\ntrap '{v}=${w}' ERR\n{condition}\ntrap - ERR"),
    ];
    let form = g.random.choose(&forms);
    g.say(form, before);
    format!("${v}")
}

/// A file that a command without effect would replace.
pub(super) fn file_kept(
    g: &mut Generator,
    t: &str,
    depth: usize,
    before: &mut Vec<Tree>,
) -> String {
    let (p, v, w) = (g.fresh("p"), g.fresh("v"), g.fresh("w"));
    g.assign(&w, t, depth, before);
    g.say(format!("echo \"${w}\" > {p}"), before);
    let statement = [format!("echo ./x > {p}"), format!("mv {p} q{p}"), format!("tee {p} <<< ./x")];
    let statement = g.random.choose(&statement);
    let failed = [
        format!("set -C\necho ./x > {p}\nset +C"),
        format!("cp none {p}"),
        format!("cp -Y ./x {p}"),
        format!("mv none {p}"),
        format!("mv -Y {p} q{p}"),
        format!("ln -s ./x {p}"),
        format!("install none {p}"),
        format!("tee -Y {p} <<< ./x"),
        format!("sed -i 's/./x/;Y' {p}"),
        format!("sort -o {p} none"),
    ];
    let text = match g.random.one_in(2) {
        true => g.random.choose(&failed),
        false => g.without_effect(&statement, true, before),
    };
    g.say(text, before);
    let get = [format!("$(<{p})"), format!("$(cat {p})")];
    if g.random.one_in(2) {
        return g.random.choose(&get);
    }
    g.say(format!("read -r {v} < {p}"), before);
    format!("${v}")
}
