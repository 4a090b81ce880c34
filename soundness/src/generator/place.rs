//! Constructs around statements in which the statements run.

use super::Generator;
use crate::tree::Tree;

impl Generator {
    /// A construct in which the body runs at least once.
    pub(super) fn place(&mut self, body: Vec<Tree>) -> Tree {
        let (f, i) = (self.fresh("f"), self.fresh("i"));
        let forms: [(&'static str, String, String); 57] = [
            ("if", "if true; then".into(), "fi".into()),
            ("if-else", "if false; then :; else".into(), "fi".into()),
            ("elif", "if false; then :; elif [ 1 = 1 ]; then".into(), "fi".into()),
            ("if-not", "if ! false; then".into(), "fi".into()),
            ("if-cond", "if [[ ab == a* ]]; then".into(), "fi".into()),
            ("if-arith", "if (( 1 < 2 )); then".into(), "fi".into()),
            ("if-condition", "if".into(), "then :; fi".into()),
            ("for", format!("for {i} in 1 2; do"), "done".into()),
            ("for-break", format!("for {i} in 1 2; do"), "break\ndone".into()),
            ("for-arith", format!("for (({i}=0; {i}<2; {i}++)); do"), "done".into()),
            ("while", format!("{i}=0\nwhile [ ${i} -lt 2 ]; do {i}=$(({i}+1))"), "done".into()),
            ("while-break", "while true; do".into(), "break\ndone".into()),
            ("until", format!("{i}=\nuntil [ \"${i}\" ]; do {i}=1"), "done".into()),
            ("while-condition", "while".into(), "false; do :; done".into()),
            ("case", "case ab in z) ;; a*)".into(), ";;\nesac".into()),
            ("case-fall", "case a in a) : ;& b)".into(), ";;\nesac".into()),
            ("case-next", "case a in a) : ;;& ?)".into(), ";;\nesac".into()),
            ("case-star", "case $$ in z) :;; *)".into(), ";;\nesac".into()),
            ("group", "{".into(), "}".into()),
            ("subshell-place", "(".into(), ")".into()),
            ("function", format!("{f}() {{"), format!("}}\n{f}")),
            ("function-word", format!("function {f} {{"), format!("}}\n{f} a b")),
            ("function-subshell", format!("{f}() ("), format!(")\n{f}")),
            (
                "recursion",
                format!("{f}() {{ [ \"$1\" = 3 ] || {{ {f} $(($1+1)); return; }}"),
                format!("}}\n{f} 0"),
            ),
            (
                "deep-recursion",
                format!("{f}() {{ [ \"$1\" = 8 ] || {{ {f} $(($1+1)); return; }}"),
                format!("}}\n{f} 0"),
            ),
            ("and", "true && {".into(), "}".into()),
            ("or", "false || {".into(), "}".into()),
            ("and-or", "false && : || {".into(), "}".into()),
            ("pipe-last", "echo | {".into(), "}".into()),
            ("pipe-first", "{".into(), "} | :".into()),
            ("background-place", "{".into(), "} &\nwait".into()),
            ("substitution-place", ": $(".into(), ")".into()),
            ("trap-exit", format!("{f}() {{"), format!("}}\ntrap {f} EXIT")),
            // Its input is a pipe that stays open: `tee` would wait for its end.
            ("coproc-place", "coproc {".into(), "} < /dev/null\nwait".into()),
            ("coproc-named", format!("coproc {f} {{"), "} < /dev/null\nwait".into()),
            ("time", "time {".into(), "}".into()),
            ("not", "! {".into(), "}".into()),
            ("pipe-errors", "{".into(), "} |& :".into()),
            ("process-substitution-place", ": <(".into(), ")\nwait".into()),
            ("output-substitution", "echo > >(".into(), ")\nwait".into()),
            ("select", format!("select {i} in a b; do"), "break\ndone <<< 1 2>/dev/null".into()),
            ("here-document-bash", format!("bash <<'E{f}'"), format!("E{f}")),
            ("here-document-source", format!("source /dev/stdin <<'E{f}'"), format!("E{f}")),
            ("here-document-eval", format!("eval \"$(cat <<'E{f}'"), format!("E{f}\n)\"")),
            ("here-document-file", format!("cat > {f} <<'E{f}'"), format!("E{f}\nbash {f}")),
            ("here-document-sourced", format!("cat > {f} <<'E{f}'"), format!("E{f}\n. ./{f}")),
            ("function-if", format!("{f}() if true; then"), format!("fi\n{f}")),
            ("function-input", format!("{f}() {{"), format!("}} <<< z\n{f}")),
            ("function-nested", format!("{f}() {{ g{f}() {{"), format!("}}; g{f}; }}\n{f}")),
            ("function-exported", format!("{f}() {{"), format!("}}\nexport -f {f}\nbash -c {f}")),
            ("function-local", format!("{f}() {{ local {i}=1"), format!("}}\n{f}")),
            ("function-redefined", format!("{f}() {{ :; }}\n{f}() {{"), format!("}}\n{f}")),
            ("for-parameters", format!("set -- 1\nfor {i} do"), "done".into()),
            ("while-read", format!("while read -r {i}; do"), "done <<< z".into()),
            ("case-quoted", "case 'a b' in a\\ *)".into(), ";;\nesac".into()),
            (
                "loop-continue",
                format!("for {i} in 1 2; do [ ${i} = 1 ] && continue"),
                "done".into(),
            ),
            ("errexit", "set -e\n{".into(), "}".into()),
        ];
        let at = self.random.below(forms.len());
        let (label, start, end) = forms[at].clone();
        let inner = Tree::List(body);
        let full = Tree::Joined(vec![
            Tree::text(format!("{start}\n")),
            inner.clone(),
            Tree::text(format!("\n{end}")),
        ]);
        Tree::choice(label, full, inner)
    }
}
