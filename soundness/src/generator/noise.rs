//! Statements between the computation of a name and its use that do not change it.

use super::Generator;
use crate::tree::Tree;

impl Generator {
    /// Sometimes adds a statement that seems to change a variable but does not.
    pub(super) fn noise(&mut self, before: &mut Vec<Tree>) {
        if !self.random.one_in(4) {
            return;
        }
        let Some(v) = self.variables.last().cloned() else { return };
        let (f, i) = (self.fresh("f"), self.fresh("i"));
        let bad = format!("{v}=./x");
        let forms: [(&'static str, String); 24] = [
            ("not-taken-if", format!("if false; then {bad}; fi")),
            ("not-taken-else", format!("if true; then :; else {bad}; fi")),
            ("not-taken-and", format!("false && {bad}")),
            ("not-taken-or", format!("true || {bad}")),
            ("not-taken-test", format!("[ a = b ] && {bad}")),
            ("not-taken-cond", format!("[[ a == b ]] && {bad}")),
            ("not-taken-arith", format!("(( 0 )) && {bad}")),
            ("not-taken-case", format!("case z in q) {bad};; esac")),
            ("not-taken-while", format!("while false; do {bad}; done")),
            ("not-taken-until", format!("until true; do {bad}; done")),
            ("not-taken-for", format!("for {i} in; do {bad}; done")),
            ("after-break", format!("for {i} in 1; do break; {bad}; done")),
            ("after-continue", format!("for {i} in 1 2; do continue; {bad}; done")),
            ("after-return", format!("{f}() {{ return; {bad}; }}; {f}")),
            ("after-exit", format!("(exit; {bad})")),
            ("subshell", format!("( {bad} )")),
            ("pipe", format!("{bad} | :")),
            ("substitution-noise", format!(": $({bad})")),
            ("background", format!("{{ {bad}; }} & wait")),
            ("local", format!("{f}() {{ local {v}; {bad}; }}; {f}")),
            ("temporary", format!("{bad} :")),
            ("function-unused", format!("{f}() {{ {bad}; }}")),
            ("nested-break", format!("for {i} in 1; do while :; do break 2; done; {bad}; done")),
            ("not-taken-c-for", format!("for (({i}=0; {i}<0; {i}++)); do {bad}; done")),
        ];
        let (label, text) = forms[self.random.below(forms.len())].clone();
        before.push(Tree::choice(label, Tree::text(text), Tree::text(":")));
    }
}
