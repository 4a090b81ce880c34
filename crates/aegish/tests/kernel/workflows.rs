//! Ordinary work under the limits: the same output and status as without them.

use crate::machine::{Account, Machine};

/// Programs that each needs, and the text.
const WORK: &[(&str, &str)] = &[
    ("ls", "ls -la . .. >/dev/null && echo ok"),
    ("find", "mkdir -p a/b && touch a/b/c && find a -type f -exec wc -c {} + | sort"),
    ("xargs", "printf '%s\\n' 1 2 3 | xargs -n1 echo | sort -r"),
    ("tar", "mkdir -p t && echo x > t/f && tar czf t.tgz t && rm -r t && tar xzf t.tgz && cat t/f"),
    ("sed", "printf 'a\\nb\\n' > s && sed -i s/a/c/ s && awk '{ print NR, $0 }' s"),
    (
        "python3",
        "python3 -c 'import subprocess; print(subprocess.run([\"uname\"], capture_output=True).stdout)'",
    ),
    ("python3", "printf 'import os\\nos.system(\"echo from python\")\\n' > p.py && python3 p.py"),
    (
        "python3",
        "python3 -m venv --without-pip v && v/bin/python -c 'import sys; print(sys.prefix != sys.base_prefix)'",
    ),
    ("python3", "python3 -c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-1, -2]))'"),
    ("perl", "perl -e 'print `echo from perl`'"),
    (
        "git",
        "git init -q r && cd r && echo a > f && git add f && git -c user.name=a -c user.email=a@b commit -qm one && git log --oneline | wc -l",
    ),
    (
        "git",
        "git init -q --bare o.git && git clone -q o.git c 2>/dev/null && cd c && echo a > f && git add f && git -c user.name=a -c user.email=a@b commit -qm one && git push -q origin HEAD 2>&1 && git -C ../o.git log --oneline | wc -l",
    ),
    (
        "git",
        "git init -q h && cd h && printf '#!/bin/sh\\necho hook\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x 2>&1",
    ),
    (
        "cc",
        "printf 'int main(void) { return 0; }\\n' > m.c && cc -O1 -o m m.c && ./m && echo built",
    ),
    (
        "make",
        "printf 'int main(void) { return 0; }\\n' > n.c && printf 'all: n\\n\\t./n && echo made\\nn: n.c\\n\\tcc -o n n.c\\n' > Makefile && make -s",
    ),
    (
        "make",
        "printf 'all:\\n\\t@for i in 1 2 3; do sh -c \"echo $$i\"; done\\n' > L.mk && make -sf L.mk -j2",
    ),
    ("vim", "printf 'one\\n' > v.txt && vim -es -c '%s/one/two/' -c wq v.txt; cat v.txt"),
    ("less", "echo text | less | cat"),
    ("man", "man -w ls >/dev/null 2>&1; echo $? | grep -c ."),
    ("gzip", "echo z > z && gzip -k z && zcat z.gz"),
    ("diff", "echo a > d1; echo b > d2; diff -u d1 d2 | tail -n 2; diff d1 d1"),
    ("sqlite3", "sqlite3 db 'create table t(x); insert into t values(1); select count(*) from t'"),
    (
        "node",
        "node -e 'console.log(require(\"child_process\").execSync(\"echo from node\").toString())'",
    ),
    ("ssh-keygen", "ssh-keygen -q -t ed25519 -N '' -f k && ssh-keygen -lf k.pub | wc -l"),
    ("rsync", "mkdir -p x1 && echo a > x1/f && rsync -a x1/ x2/ && cat x2/f"),
    ("stdbuf", "stdbuf -oL echo line"),
    ("timeout", "timeout 5 sh -c 'echo in time'"),
    ("script", "script -qc 'echo in a terminal' /dev/null | tr -d '\\r'"),
    ("sort", "seq 1 100000 | sort -rn | head -n 1"),
    ("bash", "f() { for i in \"$@\"; do echo \"<$i>\"; done; }; f a 'b c'; cat <<< here; wait"),
    ("sh", "sh <<'END'\necho from input\nEND"),
    (
        "git",
        "git init -q s && cd s && git config user.name a && git config user.email a@b && echo 1 > f && git add f && git commit -qm 1 && echo 2 > f && git stash -q && cat f && git stash pop -q && cat f",
    ),
    (
        "git",
        "git init -q i && cd i && git config user.name a && git config user.email a@b && for n in 1 2 3; do echo $n > f; git add f; git commit -qm $n; done && GIT_SEQUENCE_EDITOR='sed -i s/^pick/reword/' GIT_EDITOR=true git rebase -q -i HEAD~2 >/dev/null && git log --oneline | wc -l",
    ),
    (
        "git",
        "git init -q b && cd b && git config user.name a && git config user.email a@b && for n in 1 2 3 4; do echo $n > f; git add f; git commit -qm $n; done && git bisect start -q HEAD HEAD~3 >/dev/null && git bisect run sh -c 'test $(cat f) -lt 3' | grep -c 'first bad'",
    ),
    (
        "git",
        "git init -q w && cd w && git config user.name a && git config user.email a@b && git commit -q --allow-empty -m x && git worktree add -q ../w2 && ls -a ../w2",
    ),
    (
        "npm",
        "mkdir n && cd n && printf '{\"name\":\"n\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node -p 1+1\"}}' > package.json && npm test --silent",
    ),
    (
        "npm",
        "mkdir -p p q && printf '{\"name\":\"p\",\"version\":\"1.0.0\"}' > p/package.json && printf '{\"name\":\"q\",\"version\":\"1.0.0\"}' > q/package.json && cd q && npm install --silent --no-audit --no-fund --offline ../p && ls node_modules",
    ),
    ("python3", "python3 -m venv e && e/bin/pip --version | cut -d' ' -f1"),
    (
        "python3",
        "mkdir t && printf 'import unittest\\nclass T(unittest.TestCase):\\n  def test(self): self.assertEqual(1, 1)\\n' > t/test_x.py && python3 -m unittest -q t/test_x.py 2>&1 | tail -n 1",
    ),
    (
        "python3",
        "python3 -m http.server --bind 127.0.0.1 7021 >/dev/null 2>&1 & for i in 1 2 3 4 5 6 7 8 9; do curl -s -o /dev/null http://127.0.0.1:7021/ && break; sleep 0.3; done; curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:7021/; kill %1",
    ),
    (
        "python3",
        "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); print(b.recv(1))'",
    ),
    (
        "python3",
        "python3 -c 'import asyncio\nasync def f():\n  p = await asyncio.create_subprocess_shell(\"echo loop\")\n  await p.wait()\nasyncio.run(f())'",
    ),
    (
        "node",
        "node -e 'const n = require(\"net\"); const s = n.createServer(c => c.end(\"served\")).listen(0, \"127.0.0.1\", () => n.connect(s.address().port, \"127.0.0.1\").on(\"data\", d => { console.log(String(d)); s.close(); }))'",
    ),
    (
        "gdb",
        "printf 'int main(void) { return 3; }\\n' > g.c && cc -g -o g g.c && gdb -q -batch -ex run ./g 2>&1 | grep -c 'exited with code 03'",
    ),
    (
        "strace",
        "strace -f -o trace sh -c 'true; uname >/dev/null' && grep -c execve trace | sed 's/[1-9][0-9]*/some/'",
    ),
    (
        "cc",
        "printf '#include <stdlib.h>\\nint main(void) { malloc(1); return 0; }\\n' > a.c && cc -fsanitize=address -o a a.c && ./a 2>&1 | grep -c 'detected memory leaks'",
    ),
    (
        "tmux",
        "tmux -L own -f /dev/null new-session -d 'echo in tmux > made; sleep 1'; for i in 1 2 3 4 5 6 7 8 9; do test -s made && break; sleep 0.2; done; cat made; tmux -L own kill-server 2>/dev/null; true",
    ),
    ("java", "java -version 2>&1 | wc -l | sed 's/[1-9]/some/'"),
    (
        "openssl",
        "openssl genrsa -out k.pem 2048 2>/dev/null && openssl rsa -in k.pem -noout -check 2>/dev/null",
    ),
    ("xz", "seq 1000 | xz | xz -d | tail -n 1"),
    (
        "patch",
        "printf 'a\\n' > pa; printf 'b\\n' > pb; diff -u pa pb > d.patch; patch -s pa d.patch; cat pa",
    ),
    ("mkfifo", "mkfifo pipe && (echo through > pipe &) && cat pipe"),
    ("nohup", "nohup sh -c 'echo kept' 2>/dev/null | cat"),
    ("curl", "curl -s -o /dev/null --max-time 2 http://127.0.0.1:9/; echo $?"),
    (
        "ssh",
        "ssh -V 2>&1 | cut -c1-7; ssh -o ConnectTimeout=2 -p 9 127.0.0.1 true 2>/dev/null; echo $?",
    ),
    (
        "ssh-agent",
        "eval \"$(ssh-agent -a ./agent.sock)\" >/dev/null && ssh-keygen -q -t ed25519 -N '' -f ak && ssh-add -q ak && ssh-add -l | wc -l; kill $SSH_AGENT_PID",
    ),
    ("logger", "logger -t test line 2>/dev/null; echo logged"),
    (
        "chromium",
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir=$PWD/c --dump-dom 'data:text/html,<p>shown</p>' 2>/dev/null | grep -c shown",
    ),
    ("ps", "ps -o comm= -p $$ | sed 's/.*/some/'; sleep 5 & kill $!; wait; echo killed"),
    ("bash", "bash -c 'exec -a other bash -c \"echo \\$0\"'; command -v sh; type -t cd"),
    ("env", "env -i PATH=/usr/bin:/bin sh -c 'echo $PATH'"),
];

#[test]
fn ordinary_work_is_the_same_under_all_limits() {
    for account in [Account::Root, Account::Ordinary] {
        let mut wrong = Vec::new();
        let mut done = 0;
        for (number, (program, text)) in WORK.iter().enumerate() {
            let Some(free) = Machine::new(&format!("free-{number}"), account) else { return };
            let free = free.with_services("ip link set lo up");
            if free.plainly(&format!("command -v {program}")).status != 0 {
                println!("skipped: {program} is not installed");
                continue;
            }
            let Some(held) = Machine::new(&format!("held-{number}"), account) else { return };
            let held = held.with_services("ip link set lo up");
            let (expected, settings) =
                (free.plainly(text), [("AEGISH_SUPERVISE", "on"), ("AEGISH_FILES", "project")]);
            let ran = held.guarded(&settings, text);
            done += 1;
            if (ran.status, &ran.out) != (expected.status, &expected.out) {
                wrong.push(format!(
                    "{account:?} {text}\n  expected {} {:?} {}\n  got {} {:?} {}",
                    expected.status, expected.out, expected.err, ran.status, ran.out, ran.err
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(done >= 50, "only {done} could be tried");
    }
}
