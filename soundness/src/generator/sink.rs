//! Uses of a marked name.

use super::Generator;
use super::quoting::plain;
use crate::tree::Tree;

/// Maximum nesting of the computation of a name.
const DEPTH: usize = 2;

impl Generator {
    /// Statements that compute a name and use it.
    pub(super) fn sink(&mut self, body: &mut Vec<Tree>) {
        match self.random.below(17) {
            0..=3 => self.reads(body),
            4 => self.redirected_read(body),
            5 => self.writes(body),
            6 => self.removes(body),
            7 => self.command_in_variable(body),
            8 => self.code(body),
            9 => self.evaluated(body),
            10 => self.renamed(body),
            11 | 12 => self.inherited(body),
            13 => self.relative(body),
            14 => self.distributed(body),
            15 => self.launched(body),
            _ => self.argument_maker(body),
        }
    }

    pub(super) fn source(&mut self) -> &'static str {
        self.random.pick(&["/etc/shadow", "/etc/shadow", "/etc/hosts", "./x", "q w"])
    }

    fn reads(&mut self, body: &mut Vec<Tree>) {
        let target = self.source();
        let word = self.word(target, DEPTH, body);
        let start = [
            "cat ",
            "use ",
            "/bin/cat ",
            "command cat ",
            "use -a ",
            "exec cat ",
            "cat -- ",
            "builtin command cat ",
        ];
        let start = start[self.random.below(start.len())];
        body.push(Tree::Joined(vec![Tree::text(start), word]));
    }

    fn redirected_read(&mut self, body: &mut Vec<Tree>) {
        let target = self.random.pick(&["/etc/shadow", "/etc/hosts", "./x"]);
        let word = self.word(target, DEPTH, body);
        let (start, end) = [
            ("cat < ", ""),
            ("mapfile z < ", ""),
            ("while read -r z; do :; done < ", ""),
            (": \"$(< ", ")\""),
            ("exec 5< ", "\ncat <&5"),
            ("{ cat; } < ", ""),
            ("cat <> ", ""),
            ("cat 0< ", ""),
            ("exec < ", "\ncat"),
            ("exec {d}< ", "\ncat <&$d"),
            ("exec 5< ", "\ncat 0<&5-"),
            ("f() { cat; } < ", "\nf"),
            ("for z in 1; do cat; done < ", ""),
            ("if cat; then :; fi < ", ""),
            ("(cat) < ", ""),
            ("read -r z < ", ""),
            ("cat - < ", ""),
            ("[[ -n $(cat) ]] < ", ""),
        ][self.random.below(18)];
        body.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    }

    fn writes(&mut self, body: &mut Vec<Tree>) {
        let target = self.random.pick(&["/etc/passwd", "/etc/passwd", "./out"]);
        let word = self.word(target, DEPTH, body);
        let (start, end) = [
            ("echo r > ", ""),
            ("echo r >> ", ""),
            ("echo r &> ", ""),
            ("echo r >| ", ""),
            ("echo r | tee ", ""),
            ("exec 6> ", "\necho r >&6"),
            ("{ echo r; } > ", ""),
            ("echo r >& ", ""),
            ("echo r 1<> ", ""),
            ("echo r &>> ", ""),
            (": > ", ""),
            ("> ", ""),
            ("exec {d}> ", "\necho r >&$d"),
            ("exec 6>> ", "\necho r 1>&6-"),
            ("(echo r) > ", ""),
            ("f() { echo r; } > ", "\nf"),
            ("echo r 2> ", ""),
            ("echo r | cat > ", ""),
            ("tee -a ", " <<< r"),
            ("echo r > >(tee ", ")"),
            ("for z in 1; do echo r; done > ", ""),
            ("printf r > ", ""),
            ("set -C\necho r >| ", ""),
            ("cp ./x ", ""),
            ("mv ./x ", ""),
            ("sed -n p ./x > ", ""),
            ("dd if=./x status=none of=", ""),
        ][self.random.below(27)];
        body.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    }

    fn removes(&mut self, body: &mut Vec<Tree>) {
        let target = self.random.pick(&["/etc", "/etc", "./d"]);
        let word = self.word(target, DEPTH, body);
        let options = self.word("-rf", 1, body);
        body.push(Tree::Joined(vec![Tree::text("rm "), options, Tree::text(" "), word]));
    }

    /// `c="rm -rf"; $c /etc`
    fn command_in_variable(&mut self, body: &mut Vec<Tree>) {
        let c = self.fresh("c");
        let (command, other) =
            [("rm -rf", "rm -f"), ("cat --", "cat"), ("cat", "use"), ("command cat", "echo")]
                [self.random.below(4)];
        let target = if command.starts_with("rm") { "/etc" } else { self.source() };
        let set = [
            format!("{c}={}", plain(command)),
            format!("if [ -e ./x ]; then {c}={}; else {c}={}; fi", plain(command), plain(other)),
            format!("{c}={}; [ -e ./x ] && {c}={}", plain(other), plain(command)),
            format!("{c}={}; [ -e ./y ] && {c}={}", plain(command), plain(other)),
            format!(
                "case $(( RANDOM * 0 )) in 0) {c}={};; *) {c}={};; esac",
                plain(command),
                plain(other)
            ),
        ];
        let set = set[self.random.below(set.len())].clone();
        body.push(Tree::choice(
            "command-in-variable",
            Tree::text(set),
            Tree::text(format!("{c}={}", plain(command))),
        ));
        let word = self.word(target, DEPTH, body);
        body.push(Tree::Joined(vec![Tree::text(format!("${c} ")), word]));
    }

    /// Code in a word that is executed.
    fn code(&mut self, body: &mut Vec<Tree>) {
        let target = self.source();
        let code = format!("cat {}", plain(target));
        let word = self.word(&code, DEPTH, body);
        let p = self.fresh("p");
        let (start, end): (&str, String) = [
            ("eval ", String::new()),
            ("bash -c ", String::new()),
            ("sh -c ", String::new()),
            ("trap ", " EXIT".to_owned()),
            ("trap ", " exit".to_owned()),
            ("trap ", " DEBUG\n:".to_owned()),
            ("trap ", " ERR\nfalse".to_owned()),
            ("bash <<< ", String::new()),
            (". /dev/stdin <<< ", String::new()),
            ("echo ", " | bash".to_owned()),
            ("echo ", format!(" > {p}\nbash {p}")),
            ("echo ", format!(" > {p}\nchmod +x {p}\n./{p}")),
            ("source <(echo ", ")".to_owned()),
            ("command eval ", String::new()),
            ("bash -s <<< ", String::new()),
            ("exec bash -c ", String::new()),
        ][self.random.below(16)]
        .clone();
        body.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    }

    fn argument_maker(&mut self, body: &mut Vec<Tree>) {
        let target = self.random.pick(&["/etc/shadow", "/etc/shadow", "/etc/hosts"]);
        let name = target.trim_start_matches("/etc/").to_owned();
        let word = self.word(target, 1, body);
        let (label, text): (&'static str, String) = match self.random.below(20) {
            0 => ("xargs", format!("echo {} | xargs cat", word.render())),
            1 => ("xargs-replace", format!("echo {} | xargs -I@ cat @", word.render())),
            2 => ("xargs-many", format!("{{ seq 70; echo {target}; }} | xargs cat")),
            3 => ("xargs-one", format!("{{ seq 20; echo {target}; }} | xargs -n1 cat")),
            4 => ("xargs-quotes", format!("echo \"'{target}'\" | xargs cat")),
            5 => ("xargs-null", format!("printf '%s\\0' ./x {target} | xargs -0 cat")),
            6 => ("find-name", format!("find /etc -name {name} -exec cat {{}} \\;")),
            7 => ("find-pattern", format!("find /etc -name '{}*' -exec cat {{}} +", &name[..2])),
            8 => ("find-path", format!("find /etc -path '*{name}' -exec cat {{}} \\;")),
            9 => ("find-regex", format!("find /etc -regex '.*/{name}' -exec cat {{}} \\;")),
            10 => ("find-xargs", format!("find /etc -name {name} | xargs cat")),
            11 => ("find-newer", format!("cat $(find /etc -type f -name {name} -print)")),
            12 => (
                "find-or",
                format!("find /etc \\( -name zz -o -name {name} \\) -exec cat {{}} \\;"),
            ),
            13 => ("cd", format!("cd /etc\ncat {name}")),
            14 => ("cd-up", format!("cd /etc/..\ncat etc/{name}")),
            15 => ("pushd", format!("pushd /etc >/dev/null\ncat {name}")),
            16 => ("cd-condition", format!("cd /etc && cat {name}")),
            // A process for each round takes a hundred times as long as the other programs.
            17 if self.random.one_in(12) => {
                ("loop-many", format!("for i in {{1..300}} {target}; do cat $i; done"))
            }
            17 => (
                "loop-many",
                format!("for i in {{1..300}} {target}; do case $i in /*) cat $i;; esac; done"),
            ),
            18 => ("brace", format!("cat {{./x,{target}}}")),
            _ => ("braces-many", format!("use {{1..300}} {target}")),
        };
        body.push(Tree::choice(label, Tree::text(text), Tree::text(format!("cat {target}"))));
    }
}
