//! How findings become a judgement, and what ordinary work looks like.

mod common;

use aegish_effects::{Analysis, EffectKind, FileKind, Opaque, Taint, Value, VariableCode};
use aegish_policy::{Action, PolicyContext, Role, judge};
use common::*;

const DEFAULT: PolicyContext<'static> =
    PolicyContext { role: Role::Default, cwd: CWD, home: HOME, user_rules: &[] };

#[test]
fn ordinary_work_is_not_asked_about() {
    check_fine(vec![
        read("README.md"),
        read("/home/kim/.ssh/config"),
        read("/home/kim/.ssh/known_hosts"),
        read("/home/kim/.ssh/id_rsa.pub"),
        read("/home/kim/.ssh/*.pub"),
        read("/home/kim/.bashrc"),
        read("/home/kim/.gitconfig"),
        read("/etc/hosts"),
        read("/etc/os-release"),
        read("/etc/*release"),
        read("/etc/nginx/*.conf"),
        read("/etc/‹x›"),
        read("‹x›"),
        read("‹x›/config"),
        read("*"),
        read("src/**/*.rs"),
        read(".env"),
        read("server.pem"),
        read("/proc/cpuinfo"),
        read("/proc/self/status"),
        read("/var/log/nginx/error.log"),
        read("/usr/share/dict/words"),
        read("tests/shadow"),
        list("/etc/shadow"),
        list("/root"),
        list("/"),
        write("notes.md"),
        write("/tmp/x"),
        write("/home/kim/notes"),
        write("‹x›"),
        write("‹x›/etc/app.conf"),
        write("‹x›/usr/bin/tool"),
        write("/dev/null"),
        write("/home/kim/.vimrc"),
        write("/home/kim/.ssh/id_ed25519"),
        write("/home/kim/.kube/config"),
        write("/srv/www/index.html"),
        append("CHANGELOG.md", Value::known("curl x | sh")),
        EffectKind::Interactive { keys: "pager" },
        EffectKind::Connect { host: v("example.net"), port: v("443") },
    ]);
}

#[test]
fn nothing_found_is_rule_13() {
    let judgement = judge(&analysis(Some("ls"), vec![list(".")]), &DEFAULT);
    assert_eq!(judgement.action, Action::Allow);
    assert_eq!(judgement.rule().id, "13");
    assert!(judgement.findings.is_empty() && !judgement.open);
    assert!((judgement.confidence - 0.95).abs() < 1e-6);
}

#[test]
fn an_unknown_program_lowers_the_confidence_only() {
    let judgement = judge(&analysis(None, Vec::new()), &DEFAULT);
    assert_eq!(judgement.action, Action::Allow);
    assert!((judgement.confidence - 0.7).abs() < 1e-6);
    let empty = judge(&Analysis::default(), &DEFAULT);
    assert_eq!(empty.action, Action::Allow);
}

#[test]
fn the_strictest_finding_comes_first_then_the_order_of_the_seed() {
    let judgement = judge(
        &analysis(
            Some("tool"),
            vec![
                fetch_to("https://dl.example.net/x", "x"),
                system("discard", ""),
                write("/etc/passwd"),
                read("/etc/shadow"),
                read("/etc/passwd"),
            ],
        ),
        &DEFAULT,
    );
    let ids: Vec<&str> = judgement.findings.iter().map(|finding| finding.rule.id).collect();
    assert_eq!(ids, ["4", "5", "10", "11", "work-loss"]);
    assert_eq!(judgement.action, Action::Block);
}

#[test]
fn a_block_is_never_open_and_an_open_finding_without_a_judge_is_a_warning() {
    let open = hidden(Opaque::Code, Taint::none());
    let judgement = judge(&analysis(Some("eval"), vec![open.clone()]), &DEFAULT);
    assert_eq!((judgement.action, judgement.open), (Action::Warn, true));
    let judgement = judge(&analysis(Some("eval"), vec![open, read("/etc/shadow")]), &DEFAULT);
    assert_eq!((judgement.action, judgement.open), (Action::Block, false));
}

#[test]
fn equal_findings_are_reported_once() {
    let judgement =
        judge(&analysis(Some("cat"), vec![read("/etc/shadow"), read("/etc/shadow")]), &DEFAULT);
    assert_eq!(judgement.findings.len(), 1);
}

#[test]
fn reasons_name_the_thing_and_offer_something_else() {
    let judgement = judge(&analysis(Some("cat"), vec![read("/etc/shadow")]), &DEFAULT);
    let finding = &judgement.findings[0];
    assert_eq!(finding.reason, "reads /etc/shadow, which holds password hashes");
    assert!(finding.instead.is_some());
    assert_eq!((finding.span.start, finding.span.end, finding.command), (2, 7, 0));
}

#[test]
fn reasons_are_short_and_printable_for_any_path() {
    let path = format!("/etc/ssl/private/\u{1b}[31m\n{}", "é".repeat(5000));
    let judgement = judge(
        &analysis(Some("cat"), vec![EffectKind::Read { path: Value::known(path), tree: false }]),
        &DEFAULT,
    );
    let reason = &judgement.findings[0].reason;
    assert!(reason.len() < 400 && !reason.contains(char::is_control), "{reason}");
}

#[test]
fn sudo_is_only_stopped_in_the_restricted_role() {
    let sudo = analysis(Some("sudo"), Vec::new());
    for (role, expected) in [
        (Role::Default, Action::Allow),
        (Role::Sysadmin, Action::Allow),
        (Role::Restricted, Action::Block),
    ] {
        assert_eq!(judge(&sudo, &PolicyContext { role, ..DEFAULT }).action, expected, "{role}");
    }
}

#[test]
fn without_directories_relative_paths_are_still_understood() {
    let bare = PolicyContext { role: Role::Default, cwd: "", home: "", user_rules: &[] };
    let action = |kind: EffectKind| judge(&analysis(Some("tool"), vec![kind]), &bare).action;
    assert_eq!(action(read("~/.ssh/id_rsa")), Action::Block);
    assert_eq!(action(read(".ssh/id_rsa")), Action::Block);
    assert_eq!(action(read("../../../etc/shadow")), Action::Block);
    assert_eq!(action(write("../../etc/passwd")), Action::Block);
    assert_eq!(action(delete_tree("~")), Action::Block);
    assert_eq!(action(delete_tree(".")), Action::Block);
    assert_eq!(action(delete_tree("*")), Action::Warn);
    assert_eq!(action(delete_tree("build")), Action::Allow);
    assert_eq!(action(delete_tree("../build")), Action::Allow);
    assert_eq!(action(read("notes")), Action::Allow);
    assert_eq!(action(write("notes")), Action::Allow);
    assert_eq!(action(read_tree(".")), Action::Allow);
    assert_eq!(action(read_tree("/root")), Action::Block);
}

#[test]
fn work_as_root_below_its_home_is_ordinary() {
    let root =
        PolicyContext { role: Role::Default, cwd: "/root/app", home: "/root", user_rules: &[] };
    let action = |kind: EffectKind| judge(&analysis(Some("tool"), vec![kind]), &root).action;
    assert_eq!(action(read_tree("/root/app")), Action::Allow);
    assert_eq!(action(delete_tree("/root/app/build")), Action::Allow);
    assert_eq!(action(write("/root/app/x")), Action::Allow);
    assert_eq!(action(read_tree("/root")), Action::Warn);
    assert_eq!(action(read("/root/.ssh/id_rsa")), Action::Block);
    assert_eq!(action(delete_tree("/root")), Action::Block);
}

#[test]
fn garbage_is_judged_without_trouble() {
    let long = "/..".repeat(200_000) + &"/a*".repeat(100_000);
    for path in [
        &*long,
        "\u{10ffff}",
        "////",
        "~~~",
        "[",
        "/proc/self/root/proc/self/root/proc/self/root",
        "~/../..",
        ":",
        "@",
    ] {
        let known = Value::known(path);
        for effect in [
            EffectKind::Read { path: known.clone(), tree: true },
            EffectKind::Write { path: known.clone(), content: known.clone(), append: false },
            EffectKind::Delete { path: known.clone(), tree: true },
            EffectKind::Mode {
                path: known.clone(),
                mode: known.clone(),
                tree: true,
                kind: FileKind::Any,
            },
            EffectKind::Fetch {
                from: known.clone(),
                to: aegish_effects::Stream::File(known.clone()),
            },
            EffectKind::Setenv {
                name: "PATH".to_owned(),
                value: known.clone(),
                code: VariableCode::Unread,
            },
            EffectKind::Setenv {
                name: "PAGER".to_owned(),
                value: known.clone(),
                code: VariableCode::Unread,
            },
            EffectKind::Shadow {
                name: "ls".to_owned(),
                meaning: known.clone(),
                scope: aegish_effects::ShadowScope::Session,
            },
        ] {
            let _ = judge(&analysis(Some("x"), vec![effect]), &DEFAULT);
        }
    }
    let pieces = v(&"?*[a-z]‹x›".repeat(2000));
    let _ =
        judge(&analysis(Some("x"), vec![EffectKind::Read { path: pieces, tree: true }]), &DEFAULT);
}
