//! Uses of a marked name that no word of the command shows: code in subscripts, commands under other names,
//! directories that change what a name means.

use super::Generator;
use super::quoting::{is_plain, plain};
use crate::tree::Tree;

impl Generator {
    /// Text that bash evaluates although it is no code: subscripts, prompts, completions.
    pub(super) fn evaluated(&mut self, body: &mut Vec<Tree>) {
        let target = self.source();
        let (x, a, p) = (self.fresh("x"), self.fresh("a"), self.fresh("p"));
        let inner = format!("$(cat {})", plain(target));
        let subscript = format!("{a}[{inner}]");
        let text = self.word(&subscript, 1, body);
        let (start, end): (String, String) = [
            (format!("{x}="), format!("\n: $(({x}))")),
            (format!("{x}="), format!("\n(({x}))")),
            (format!("{x}="), format!("\nlet {x}")),
            (format!("{x}="), format!("\n[[ {x} -eq 0 ]]")),
            (format!("{x}="), format!("\n: ${{!{x}}}")),
            (format!("{x}="), format!("\nz{x}=abc\n: ${{z{x}:{x}:1}}")),
            (format!("{x}="), format!("\nz{x}=(1)\n: ${{z{x}[{x}]}}")),
            (format!("{x}="), format!("\ndeclare -i z{x}\nz{x}={x}")),
            (format!("{x}="), format!("\nfor (({x};0;)); do :; done")),
            ("[ -v ".to_owned(), " ]".to_owned()),
            ("[[ -v ".to_owned(), " ]]".to_owned()),
            ("test -v ".to_owned(), String::new()),
            ("printf -v ".to_owned(), " z".to_owned()),
            ("read -r ".to_owned(), " <<< 1".to_owned()),
            ("unset ".to_owned(), String::new()),
            ("declare -i z=".to_owned(), String::new()),
            ("let z=".to_owned(), String::new()),
            (format!("declare -n {x}="), format!("\n: ${x}")),
            (format!("{x}="), format!("\n: $(( 0 || {x} ))")),
            (format!("{x}="), format!("\n: ${{{x}@P}}")),
            ("PS4=".to_owned(), "\nset -x\n:\nset +x".to_owned()),
            ("compgen -W ".to_owned(), String::new()),
            ("echo ".to_owned(), format!(" > {p}\nread -r {x} < {p}\n: $(({x}))")),
        ][self.random.below(23)]
        .clone();
        body.push(Tree::Joined(vec![Tree::text(start), text, Tree::text(end)]));
    }

    /// A command that does not have the name of its program.
    pub(super) fn renamed(&mut self, body: &mut Vec<Tree>) {
        let target = self.source();
        let word = self.word(target, 1, body);
        let (n, v) = (self.fresh("n"), self.fresh("v"));
        let (start, end): (String, &str) = [
            (format!("hash -p /bin/cat {n}\n{n} "), ""),
            (format!("hash -p/bin/cat {n}\n{n} "), ""),
            (format!("BASH_CMDS[{n}]=/bin/cat\n{n} "), ""),
            (format!("ln -s /bin/cat {n}\n./{n} "), ""),
            (format!("cp /bin/cat {n}\n./{n} "), ""),
            (format!("cat /bin/cat > {n}\nchmod +x {n}\n./{n} "), ""),
            (format!("cp /bin/cat {n}\nPATH=.:$PATH\n{n} "), ""),
            (format!("cp /bin/cat {n}\nPATH=/w:$PATH {n} "), ""),
            (format!("mkdir d{n}\nln -s /bin/cat d{n}/ls\nPATH=d{n}:$PATH\nls "), ""),
            (format!("shopt -s expand_aliases\nalias {n}=cat\n{n} "), ""),
            (format!("shopt -s expand_aliases\nalias {n}='cat '\n{n} "), ""),
            (format!("{n}() {{ cat \"$@\"; }}\n{n} "), ""),
            (format!("{n}() {{ \"$1\" \"$2\"; }}\n{n} cat "), ""),
            (format!("{n}() {{ cat \"$1\"; }}\nexport -f {n}\nbash -c '{n} \"$0\"' "), ""),
            (format!("{n}() {{ cat \"${{@: -1}}\"; }}\n{n} z "), ""),
            ("exec -a cat cat ".to_owned(), ""),
            ("/proc/self/root/bin/cat ".to_owned(), ""),
            ("/bin/../bin/cat ".to_owned(), ""),
            ("/bin/c[a]t ".to_owned(), ""),
            ("/bin/ca? ".to_owned(), ""),
            ("c''at ".to_owned(), ""),
            (format!("{v}=(cat --)\n\"${{{v}[@]}}\" "), ""),
            (format!("{v}=cat\n$(echo ${v}) "), ""),
            (format!("{v}=tac\n$(echo ${v} | rev) "), ""),
            ("command -p cat ".to_owned(), ""),
            ("coproc cat ".to_owned(), "\nwait"),
            ("env cat ".to_owned(), ""),
            ("env -S 'cat -u' ".to_owned(), ""),
            ("env A=1 cat ".to_owned(), ""),
            ("timeout 5 cat ".to_owned(), ""),
            ("nice -n 1 cat ".to_owned(), ""),
            ("nohup cat ".to_owned(), ""),
            ("! cat ".to_owned(), ""),
            ("time cat ".to_owned(), ""),
            ("command_not_found_handle() { cat \"$2\"; }\nnope ".to_owned(), ""),
        ][self.random.below(35)]
        .clone();
        body.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    }

    /// Files that programs start with, functions and variables that reach another shell.
    pub(super) fn inherited(&mut self, body: &mut Vec<Tree>) {
        let target = self.source();
        let code = format!("cat {}", plain(target));
        let word = self.word(&code, 1, body);
        let (p, v) = (self.fresh("p"), self.fresh("v"));
        let (start, end): (String, String) = [
            ("echo ".to_owned(), format!(" > {p}\nBASH_ENV={p} bash -c :")),
            ("echo ".to_owned(), format!(" > {p}\nexport BASH_ENV=./{p}\nbash -c :")),
            ("echo ".to_owned(), format!(" > {p}\nbash --rcfile {p} -ic : 2>/dev/null")),
            ("echo ".to_owned(), format!(" > {p}\n. {p}")),
            ("echo ".to_owned(), format!(" > {p}\nPATH=/w:$PATH\nsource {p}")),
            ("echo ".to_owned(), format!(" > {p}\nchmod 755 {p}\nPATH=$PATH:.\n{p}")),
            ("echo ".to_owned(), format!(" > {p}\ncp {p} q{p}\nbash q{p}")),
            ("echo ".to_owned(), format!(" > {p}\nmv {p} q{p}\nbash < q{p}")),
            ("echo ".to_owned(), format!(" > {p}\neval \"$(<{p})\"")),
            ("echo ".to_owned(), format!(" > {p}\nmapfile -t {v} < {p}\neval \"${{{v}[0]}}\"")),
            ("echo ".to_owned(), format!(" >> {p}\nbash -- {p}")),
            ("echo ".to_owned(), format!(" | tee {p} | cat >/dev/null\nbash {p}")),
            ("echo ".to_owned(), " | while read -r z; do eval \"$z\"; done".to_owned()),
            ("echo ".to_owned(), " | { read -r z; bash -c \"$z\"; }".to_owned()),
            ("echo ".to_owned(), " | xargs -I@ bash -c @".to_owned()),
            ("echo ".to_owned(), " | xargs -d '\\n' bash -c".to_owned()),
            (format!("export {v}="), format!("\nbash -c 'eval \"${v}\"'")),
            (format!("{v}="), format!(" bash -c 'eval \"${v}\"'")),
            ("env -i bash -c ".to_owned(), String::new()),
            ("bash -c 'eval \"$0\"' ".to_owned(), String::new()),
            ("bash -c 'eval \"$1\"' z ".to_owned(), String::new()),
            ("bash -ec ".to_owned(), String::new()),
            ("bash -o pipefail -c ".to_owned(), String::new()),
            ("bash -O extglob -c ".to_owned(), String::new()),
            ("find ./x -exec bash -c ".to_owned(), " \\;".to_owned()),
            ("set -- ".to_owned(), "\neval \"$@\"".to_owned()),
            ("set -- ".to_owned(), "\nbash -c \"$*\"".to_owned()),
            ("mapfile -t -c 1 -C ".to_owned(), " z <<< 1".to_owned()),
            ("trap ".to_owned(), " RETURN\nf() { :; }\nf".to_owned()),
            ("trap ".to_owned(), " USR1\nkill -USR1 $BASHPID\n:".to_owned()),
            ("trap ".to_owned(), " 0".to_owned()),
            ("compgen -C ".to_owned(), String::new()),
            ("bash <(echo ".to_owned(), ")".to_owned()),
            (format!("export {v}\n{v}="), format!("\nbash -c 'eval \"${v}\"'")),
            (
                format!("{v}="),
                format!("\n{{ [ -e ./y ] && printf '# '; printf '%s\\n' \"${v}\"; }} | bash"),
            ),
            (format!("{v}="), format!("\neval \"$(trap 'printf %s \"${v}\"' EXIT)\"")),
            (format!("{v}="), format!("\nset -- \"${v}\"\ntrap 'eval \"$1\"' EXIT")),
            ("cat <<E | bash\n$(echo ".to_owned(), ")\nE".to_owned()),
            ("bash -s z <<< ".to_owned(), String::new()),
        ][self.random.below(39)]
        .clone();
        body.push(Tree::Joined(vec![Tree::text(start), word, Tree::text(end)]));
    }

    /// Directories and links that give a short name a meaning.
    pub(super) fn relative(&mut self, body: &mut Vec<Tree>) {
        let target = self.random.pick(&["/etc/shadow", "/etc/shadow", "/etc/hosts"]);
        let name = target.trim_start_matches("/etc/").to_owned();
        let directory = self.word("/etc", 1, body).render();
        let (l, v) = (self.fresh("l"), self.fresh("v"));
        let failing = self.failing(body);
        let forms: [String; 48] = [
            format!("cd {directory}\n{failing} && cd /w\ncat {name}"),
            format!("cd {directory}\nif {failing}; then cd /w; fi\ncat {name}"),
            format!("{failing} || cd {directory}\ncat {name}"),
            format!("cd {directory}\ncd none\ncat {name}"),
            format!("cd {directory}\ncd /w > none/x\ncat {name}"),
            format!("cd {directory}\ncd -Z /w\ncat {name}"),
            format!("cd {directory}\ncd /w /w\ncat {name}"),
            format!("cd {directory}\npopd\ncat {name}"),
            format!("cd {directory}\ncd none && cd /w || cat {name}"),
            format!("cd {directory}\n{v}() {{ cd none || return 0; }}\n{v} && cat {name}"),
            format!("cd {directory}\ncat {name}"),
            format!("cd {directory}; cat ./{name}"),
            format!("cd {directory} && cat \"$PWD/{name}\""),
            format!("(cd {directory}; cat {name})"),
            format!("cd {directory}\ncd /w\ncat ~-/{name}"),
            format!("cd {directory}\ncd /w\ncat \"$OLDPWD/{name}\""),
            format!("cd {directory}\ncat ~+/{name}"),
            format!("cd {directory}\ncd - >/dev/null\ncat \"$OLDPWD\"/{name}"),
            format!("pushd {directory} >/dev/null\npushd /w >/dev/null\ncat ~1/{name}"),
            format!("pushd {directory} >/dev/null\ncat \"${{DIRSTACK[0]}}/{name}\""),
            format!("pushd -n {directory} >/dev/null\ncat ~1/{name}"),
            format!("pushd -n {directory} >/dev/null\npopd >/dev/null\ncat {name}"),
            format!("{v}={directory}\nshopt -s cdable_vars\ncd {v} >/dev/null\ncat {name}"),
            format!("CDPATH=/\ncd etc >/dev/null\ncat {name}"),
            format!("cd {directory}\ncat < {name}"),
            format!("cd {directory}\ncat *a*w hosts"),
            format!("cd {directory}\nfind . -name '{name}' -exec cat {{}} \\;"),
            format!("cd {directory}\ncat /proc/self/cwd/{name}"),
            format!("ln -s {directory} {l}\ncat {l}/{name}"),
            format!("ln -s {directory} {l}\ncd {l}\ncat {name}"),
            format!("ln -s /etc/ssl {l}\ncd {l}\ncat {l}/../{name}"),
            format!("exec 7< {directory}\ncat /dev/fd/7/{name}"),
            format!("cd {directory}\ncat /proc/$$/cwd/{name}"),
            format!("ln -s {target} {l}\ncat {l}"),
            format!("ln -s {target} {l}\ncat < {l}"),
            format!("ln -s / {l}\ncat {l}/etc/{name}"),
            format!("ln -s {target}\ncat {name}"),
            format!("mkdir d{l}\nln -s {target} d{l}\ncat d{l}/{name}"),
            format!("exec 7< {target}\ncat /dev/fd/7"),
            format!("exec 7< {target}\ncat /proc/self/fd/7"),
            format!("cat /dev/stdin < {target}"),
            format!("HOME={directory}\ncat ~/{name}"),
            format!("HOME={directory}\n{v}=a:~/{name}\ncat \"${{{v}#a:}}\""),
            format!("HOME={directory}\nexport {v}=:~/{name}\ncat \"${{{v}#:}}\""),
            format!("HOME={directory}\nread -r {v} <<< a:~/{name}\ncat \"${{{v}#a:}}\""),
            format!("[ -e ./x ] && {v}={directory} || {v}=.\ncd \"${v}\"\ncat {name}"),
            format!("{v}=.\n[ -e ./x ] && {v}={directory}\ncd \"${v}\"\ncat ./{name}"),
            format!("tar cf {l} -C {directory} {name}\ntar xf {l} {name}\ncat {name}"),
        ];
        let text = self.random.choose(&forms);
        let simple = Tree::text(format!("cat {target}"));
        body.push(Tree::choice("relative", Tree::text(text), simple));
    }

    /// Commands behind a program that nobody knows.
    pub(super) fn launched(&mut self, body: &mut Vec<Tree>) {
        let (command, target) = self.random.choose(&[
            ("rm -rf", "/etc"),
            ("rm -r -f", "/etc"),
            ("cat", "/etc/shadow"),
            ("cat --", "/etc/shadow"),
            ("cat", "/etc/hosts"),
            ("tee", "/etc/passwd"),
            ("bash -c 'cat \"$0\"'", "/etc/shadow"),
            ("env cat", "/etc/shadow"),
        ]);
        let start = self.random.pick(&["", "-x ", "-- ", "user=root ", "-v -- ", "--fast "]);
        let word = self.word(target, 1, body);
        body.push(Tree::Joined(vec![
            Tree::text("launch "),
            Tree::choice("launch-options", Tree::text(start), Tree::text("")),
            Tree::text(format!("{command} ")),
            word,
        ]));
    }

    /// Programs that take arguments from their input or their operands.
    pub(super) fn distributed(&mut self, body: &mut Vec<Tree>) {
        let target = self.random.pick(&["/etc/shadow", "/etc/shadow", "/etc/hosts"]);
        let name = target.trim_start_matches("/etc/").to_owned();
        let word = self.word(target, 1, body).render();
        let p = self.fresh("p");
        let forms: [String; 24] = [
            format!("parallel cat ::: ./x {word}"),
            format!("echo {word} | parallel cat"),
            format!("parallel -j1 cat {{}} ::: {word}"),
            format!("echo {word} > {p}\nparallel -a {p} cat"),
            format!("echo {word} > {p}\nparallel cat :::: {p}"),
            format!("echo {word} > {p}\nxargs -a {p} cat"),
            format!("echo {word} > {p}\nxargs cat < {p}"),
            format!("echo {word} > {p}\ncat $(cat {p})"),
            format!("echo ./x {word} | xargs -n 1 -P 2 cat"),
            format!("echo {word} | xargs -t cat --"),
            format!("echo {word} | xargs -I{{}} sh -c 'cat {{}}'"),
            format!("echo {word} | xargs sh -c 'cat \"$1\"' z"),
            format!("echo {word} | while read -r f; do cat \"$f\"; done"),
            format!("printf '%s\\n' ./x {word} | while read -r f; do cat \"$f\"; done"),
            format!("for f in ./x {word}; do cat \"$f\"; done"),
            format!("for f in /etc/*; do case $f in *{name}) cat \"$f\";; esac; done"),
            format!("for f in /etc/*; do [ \"$f\" = {target} ] && cat \"$f\"; done"),
            "find /etc -type f -exec cat {} +".to_owned(),
            "find /etc -type f | xargs cat".to_owned(),
            "find /etc -type f -print0 | xargs -0 cat".to_owned(),
            format!("find /etc -iname {} -exec cat {{}} \\;", name.to_uppercase()),
            format!("find / -maxdepth 2 -name '{name}' -exec cat {{}} \\;"),
            "find /etc ! -name hosts -name '*w*' -execdir cat {} \\;".to_owned(),
            format!("find /etc -name '{name}' | while read -r f; do cat \"$f\"; done"),
        ];
        let text = self.random.choose(&forms);
        let simple = Tree::text(format!("cat {target}"));
        body.push(Tree::choice("distributed", Tree::text(text), simple));
    }

    /// Patterns that are written in the word itself and fit only this file.
    pub(super) fn pattern_of(&mut self, target: &str) -> &'static str {
        debug_assert!(is_plain(target));
        self.random.pick(&[
            "/etc/sh?dow",
            "/etc/s*w",
            "/etc/[s]hado[w]",
            "/e?c/shadow",
            "/etc/{sh?dow,s[h]adow}",
            "/etc/{s..s}hadow",
            "/etc/sh[[:alpha:]]dow",
            "/etc/sh[!b]dow",
            "/etc/sha[[=d=]]ow",
            "/etc/[[.s.]]hadow",
            "/*/shadow",
            "/etc/*ado*",
            "~/../etc/shadow",
            "/etc/./shadow",
            "/etc//shadow",
            "/proc/self/root/etc/shadow",
            "/etc/../etc/shadow",
            "/dev/../etc/sh*w",
            "/etc/s''hadow",
            "/etc/$'\\163'hadow",
            "/etc/${none-s}hadow",
            "/etc/[!a-rt-z]h*",
            "/etc/[^hmp]*",
            "/etc/[\"s\"]hadow",
            "/etc/['s']had*",
            "/etc/[\\s]hadow",
            "/etc/[${none-s}]hadow",
            "/etc/[\"a-s\"]hadow*",
        ])
    }
}
