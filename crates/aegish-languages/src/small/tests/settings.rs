//! Settings of single programs.

use super::check;
use aegish_profiles::Lang;

#[test]
fn settings_of_php_that_load_or_run_are_found() {
    check(
        Lang::PhpSetting,
        &[
            ("extension=/srv/x.so", &["load /srv/x.so"]),
            ("extension=curl", &[]),
            ("auto_prepend_file=/srv/a.php", &["script php /srv/a.php"]),
            ("sendmail_path=\"id -u\"", &["shell id -u"]),
            ("memory_limit=1G", &[]),
        ],
    );
}

#[test]
fn settings_of_package_managers_that_run_or_fetch_are_found() {
    check(
        Lang::NpmSetting,
        &[
            ("script-shell=/srv/sh", &["argv /srv/sh|-c|:"]),
            ("node-options=--require /srv/a.js", &["argv node|--require|/srv/a.js"]),
            ("registry=http://h.example", &["package http://h.example"]),
            ("@team:registry=http://h.example", &["package http://h.example"]),
            ("scripts.test=jest", &["shell jest"]),
            ("fund=false", &[]),
        ],
    );
    check(
        Lang::PackageSetting,
        &[
            ("global.index-url=http://h.example/simple", &["package http://h.example/simple"]),
            ("repositories.x=vcs http://h.example/x", &["package http://h.example/x"]),
            ("global.timeout=60", &[]),
            ("homepage=http://h.example", &[]),
        ],
    );
    check(
        Lang::CargoSetting,
        &[
            ("target.x86_64-unknown-linux-gnu.runner=\"id -u\"", &["shell id -u"]),
            ("build.rustc-wrapper='sccache'", &["shell sccache"]),
            ("net.git-fetch-with-cli=true", &[]),
        ],
    );
    check(
        Lang::DnfSetting,
        &[("pluginpath=/srv/p", &["directory /srv/p"]), ("install_weak_deps=False", &[])],
    );
}

#[test]
fn commands_of_servers_that_write_or_load_are_found() {
    check(
        Lang::Redis,
        &[
            (
                "CONFIG SET dir /srv/d\nconfig set dbfilename k",
                &["append /srv/d", "write /srv/d/k"],
            ),
            ("module load /srv/m.so", &["load /srv/m.so"]),
            ("set greeting hello", &[]),
        ],
    );
    check(
        Lang::Inetd,
        &[
            (
                "70 stream tcp nowait nobody /bin/cat cat -u",
                &["listen  70", "AttachStdio", "argv /bin/cat|-u"],
            ),
            ("# 70 stream tcp nowait nobody /bin/cat cat", &[]),
            ("nothing to see", &[]),
        ],
    );
    check(
        Lang::Augeas,
        &[
            ("/files/srv/a.conf/port", &["append /srv/a.conf", "append /srv/a.conf/port"]),
            ("/augeas", &[]),
        ],
    );
}

#[test]
fn files_that_programs_obey_are_read() {
    check(
        Lang::Tmux,
        &[
            ("run-shell id", &["argv tmux|run-shell|id"]),
            ("# run-shell id\nset -g mouse on", &[]),
            ("set -g status-right '#(id -u)'", &["shell id -u"]),
        ],
    );
    check(
        Lang::Forward,
        &[
            ("\"|id -u\"", &["shell id -u"]),
            ("/srv/box", &["append /srv/box"]),
            ("ann@h.example", &[]),
        ],
    );
    check(
        Lang::DesktopSetting,
        &[
            ("command=id", &["shell id"]),
            ("gtk-theme=id", &[]),
            ("/org/k/command='id'", &["shell id"]),
        ],
    );
    check(Lang::Ninja, &[("rule r\n  command = id -u\n  description = id", &["shell id -u"])]);
    check(
        Lang::Rust,
        &[
            ("Command::new(\"sh\").arg(\"-c\").arg(\"id\").status();", &["argv sh|-c|id"]),
            ("println!(\"id\");", &[]),
        ],
    );
}

#[test]
fn objects_that_reach_the_node_are_found() {
    check(
        Lang::Manifest,
        &[
            ("spec:\n  hostPID: true", &["escape "]),
            ("{\"privileged\": true}", &["escape "]),
            ("hostPath:\n  path: /", &["escape "]),
            ("hostPath:\n  path: /srv/data", &[]),
            ("readinessProbe:\n  path: /", &[]),
            ("roleRef:\n  name: cluster-admin", &["privilege "]),
        ],
    );
}

#[test]
fn accounts_with_all_rights_are_found() {
    check(
        Lang::Accounts,
        &[
            ("root:x", &["privilege root"]),
            ("ann:x:0:0::/root:/bin/sh", &["privilege ann"]),
            ("ann:x\nben:y", &[]),
            ("ann:x:1000:1000::/home/ann:/bin/sh", &[]),
        ],
    );
}

#[test]
fn words_that_name_a_program_or_file_are_found() {
    check(
        Lang::GitUrl,
        &[
            ("ext::id -u", &["shell id -u"]),
            ("ssh://-oProxyCommand=id/x", &["shell ssh -oProxyCommand=id/x"]),
            ("https://h.example/x.git", &[]),
        ],
    );
    check(
        Lang::MakeWord,
        &[("SHELL=/srv/sh", &["argv /srv/sh|-c|:"]), ("CC=clang", &[]), ("all", &[])],
    );
    check(
        Lang::WiresharkExtension,
        &[("lua_script:/srv/a.lua", &["load /srv/a.lua"]), ("read_format:x", &[])],
    );
    check(Lang::EngineControl, &[("SO_PATH:/srv/e.so", &["load /srv/e.so"]), ("LOAD", &[])]);
    check(
        Lang::FfmpegInput,
        &[
            ("movie=/srv/k:loop=0", &["read /srv/k"]),
            ("concat:/srv/a|/srv/b", &["read /srv/a", "read /srv/b"]),
            ("clip.mp4", &["read clip.mp4"]),
        ],
    );
}

#[test]
fn settings_that_let_people_in_are_found() {
    check(
        Lang::SshdOption,
        &[
            ("PermitEmptyPasswords=yes", &["disarm yes"]),
            ("AuthorizedKeysFile /srv/k", &["disarm /srv/k"]),
            ("ForceCommand=id", &["shell id"]),
            ("AuthorizedKeysFile=.ssh/authorized_keys", &[]),
            ("LogLevel=DEBUG", &[]),
        ],
    );
}

#[test]
fn lines_of_ipython_for_the_shell_are_found() {
    check(Lang::Ipython, &[("!id -u", &["shell id -u"]), ("%timeit x", &[]), ("x = 1", &[])]);
}
