//! Cached opinions: when they are used, when not, and what their files contain.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::fake::Fake;
use crate::support::{Home, ask, judge, says, server, told, verdict};
use aegish_judge::{
    CacheSettings, Evidence, Judge, JudgeSettings, Note, OpinionSource, Prompt, Ruling,
    ScriptEvidence,
};
use aegish_policy::{Action, Role};
use aegish_wire::Protocol;

const CHAT: Protocol = Protocol::OpenAiChat;

/// All files of a cache that are finished.
pub(crate) fn entries(cache: &Path) -> Vec<PathBuf> {
    let Ok(folders) = fs::read_dir(cache.join("verdicts-1")) else { return Vec::new() };
    let files = folders.flatten().filter_map(|folder| fs::read_dir(folder.path()).ok());
    files.flat_map(|files| files.flatten().map(|file| file.path())).collect()
}

fn only_entry(home: &Home) -> PathBuf {
    let mut all = entries(&home.cache());
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn a_cached_verdict_makes_no_call_and_costs_nothing() {
    let home = Home::new();
    let primary = server(&verdict("warn", "odd"));
    let settings = home.settings(CHAT, &primary, None);
    let first = ask(&judge(settings.clone()), "ls");
    // Acts as another process: only the files are shared.
    let second = ask(&judge(settings), "ls");
    assert_eq!(primary.seen().len(), 1);
    assert_eq!((first.source, second.source), (OpinionSource::Model, OpinionSource::Cache));
    assert_eq!((first.opinion, first.model), (second.opinion, second.model));
    assert_eq!((second.cost, second.usage.input, second.notes), (Some(0.0), None, vec![]));
    assert_eq!(second.prompt_hash, Prompt::built_in(Role::Default).hash);
}

#[test]
fn a_cached_verdict_needs_no_server_at_all() {
    let home = Home::new();
    let primary = server(&verdict("block", "bad"));
    let mut settings = home.settings(CHAT, &primary, None);
    let first = ask(&judge(settings.clone()), "ls");
    // The proxy is invalid and the budget is spent; neither is needed.
    settings.budget_per_day = Some(0.0);
    settings.ca_file = Some("/nowhere".into());
    let proxy = |name: &str| match name {
        "HTTP_PROXY" => Some("no proxy at all".to_owned()),
        name => name.ends_with("_KEY").then(|| crate::fake::KEY.to_owned()),
    };
    let second = ask(&Judge::new(settings, &proxy), "ls");
    assert_eq!((second.source, second.opinion), (OpinionSource::Cache, first.opinion));
}

#[test]
fn a_change_of_anything_that_affects_the_answer_is_asked_again() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let settings = home.settings(CHAT, &primary, None);
    let effects = ["reads: a".to_owned()];
    let other_effects = ["reads: b".to_owned()];
    let script = |contents| [ScriptEvidence { path: "x.sh", contents }];
    let (one, two, none) = (script(Some("ls\n")), script(Some("ls -l\n")), script(None));
    let moved = [ScriptEvidence { path: "y.sh", contents: Some("ls\n") }];
    let base = Evidence { command: "sh x.sh", scripts: &one, ..Evidence::default() };
    let all = [
        base,
        Evidence { command: "sh  x.sh", ..base },
        Evidence { canonical: Some("sh ./x.sh"), ..base },
        Evidence { effects: &effects, ..base },
        Evidence { effects: &other_effects, ..base },
        Evidence { scripts: &two, ..base },
        Evidence { scripts: &none, ..base },
        Evidence { scripts: &moved, ..base },
        Evidence { scripts: &[], ..base },
        Evidence { facts: &[("A", "1")], ..base },
        Evidence { facts: &[("A", "2")], ..base },
    ];
    let mut wanted = 0;
    let mut check = |judge: &Judge, evidence: &Evidence<'_>, role| {
        for _ in 0..2 {
            assert!(judge.ask(evidence, role).opinion.is_some());
        }
        wanted += 1;
        assert_eq!(primary.seen().len(), wanted, "{evidence:?} {role:?}");
    };
    for evidence in &all {
        check(&judge(settings.clone()), evidence, Role::Default);
    }
    check(&judge(settings.clone()), &base, Role::Sysadmin);
    check(&judge(settings.clone()), &base, Role::Restricted);
    let own = JudgeSettings {
        prompt: Prompt::with_role("Be strict.", Role::Default),
        ..settings.clone()
    };
    check(&judge(own), &base, Role::Default);
    let mut model = settings.clone();
    model.models = vec!["openai/gpt-5-mini".to_owned()];
    check(&judge(model), &base, Role::Default);
    let mut elsewhere = settings;
    let endpoint = elsewhere.endpoints.get_mut("openai").expect("an address");
    endpoint.base_url = endpoint.base_url.as_ref().map(|url| url.replace("127.0.0.1", "localhost"));
    check(&judge(elsewhere), &base, Role::Default);
}

#[test]
fn a_script_edited_beyond_the_shown_part_is_asked_about_again() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let judge = judge(home.settings(CHAT, &primary, None));
    let long = "echo line\n".repeat(10_000);
    let edited = format!("{}rm -rf /\n", &long[..long.len() - 9]);
    assert_eq!(long.len(), edited.len());
    for (contents, calls) in [(&long, 1), (&long, 1), (&edited, 2), (&edited, 2)] {
        let scripts = [ScriptEvidence { path: "x.sh", contents: Some(contents) }];
        let evidence = Evidence { command: "sh x.sh", scripts: &scripts, ..Evidence::default() };
        assert!(judge.ask(&evidence, Role::Default).opinion.is_some());
        assert_eq!(primary.seen().len(), calls);
    }
    // The hundredth effect is not shown either.
    let many: Vec<String> = (0..100).map(|n| format!("reads: {n}")).collect();
    let mut others = many.clone();
    others[99] = "deletes: /".to_owned();
    for (effects, calls) in [(&many, 3), (&others, 4), (&many, 4)] {
        let evidence = Evidence { command: "x", effects, ..Evidence::default() };
        assert!(judge.ask(&evidence, Role::Default).opinion.is_some());
        assert_eq!(primary.seen().len(), calls);
    }
}

#[test]
fn failures_are_never_kept() {
    let home = Home::new();
    let primary = Fake::start(|n, _| match n {
        0 => says("no verdict"),
        1 => says(""),
        2 => says(r#"{"action": "perhaps"}"#),
        _ => says(&verdict("allow", "at last")),
    });
    let judge = judge(home.settings(CHAT, &primary, None));
    for wanted in [None, None, None, Some(OpinionSource::Model), Some(OpinionSource::Cache)] {
        let ruling = ask(&judge, "ls");
        assert_eq!(ruling.opinion.map(|_| ruling.source), wanted);
    }
    assert_eq!(entries(&home.cache()).len(), 1);
}

#[test]
fn an_opinion_grows_old() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let settings = home.settings(CHAT, &primary, None);
    let ttl = Duration::from_secs(1);
    let cache = CacheSettings { ttl, ..settings.cache.clone() };
    let judge = judge(JudgeSettings { cache, ..settings });
    assert_eq!(ask(&judge, "ls").source, OpinionSource::Model);
    std::thread::sleep(Duration::from_millis(2100));
    assert_eq!(ask(&judge, "ls").source, OpinionSource::Model);
}

#[test]
fn switched_off_nothing_is_kept() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let mut settings = home.settings(CHAT, &primary, None);
    settings.cache.dir = None;
    let judge = judge(settings);
    assert_eq!(
        (ask(&judge, "ls").source, ask(&judge, "ls").source),
        (OpinionSource::Model, OpinionSource::Model)
    );
    assert!(!home.cache().exists());
}

#[test]
fn a_file_with_one_wrong_byte_is_as_if_it_were_not_there() {
    let home = Home::new();
    let primary = server(&verdict("block", "dangerous"));
    let settings = home.settings(CHAT, &primary, None);
    let good = ask(&judge(settings.clone()), "ls").opinion.expect("an opinion");
    let path = only_entry(&home);
    let whole = fs::read(&path).expect("a file");
    // A budget of zero: only the cache can answer.
    let reader = judge(JudgeSettings { budget_per_day: Some(0.0), ..settings });
    let kept = |judge: &Judge| -> Ruling { ask(judge, "ls") };
    assert_eq!(kept(&reader).opinion.as_ref(), Some(&good));
    for at in 0..whole.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            fs::write(&path, &bytes).expect("written");
            assert_eq!(kept(&reader).opinion, None, "byte {at} ^ {flip:#x}");
        }
        fs::write(&path, &whole[..at]).expect("written");
        assert_eq!(kept(&reader).opinion, None, "cut at {at}");
    }
    for junk in [&b""[..], b"\n", b"\n\n\n\n", &[0xff; 64], &[b'a'; 100_000]] {
        fs::write(&path, junk).expect("written");
        assert_eq!(kept(&reader).opinion, None);
    }
    let mut longer = whole.clone();
    longer.push(b'\n');
    fs::write(&path, longer).expect("written");
    assert_eq!(kept(&reader).opinion, None);
    fs::write(&path, whole).expect("written");
    assert_eq!(kept(&reader).opinion.as_ref(), Some(&good));
}

#[test]
fn an_entry_under_another_name_is_not_believed() {
    let home = Home::new();
    let primary = Fake::start(|n, _| match n {
        0 => says(&verdict("allow", "harmless")),
        _ => says(&verdict("block", "dangerous")),
    });
    let settings = home.settings(CHAT, &primary, None);
    let judge = judge(settings);
    assert_eq!(ask(&judge, "ls").opinion.map(|o| o.action), Some(Action::Allow));
    let harmless = only_entry(&home);
    assert_eq!(ask(&judge, "rm -rf /").opinion.map(|o| o.action), Some(Action::Block));
    let other = entries(&home.cache()).into_iter().find(|path| *path != harmless).expect("two");
    fs::copy(&harmless, &other).expect("copied");
    let ruling = ask(&judge, "rm -rf /");
    assert_eq!(ruling.opinion.map(|o| o.action), Some(Action::Block));
    assert_eq!(ruling.source, OpinionSource::Model);
}

#[test]
fn files_of_others_links_and_pipes_are_not_read() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let mut settings = home.settings(CHAT, &primary, None);
    assert!(ask(&judge(settings.clone()), "ls").opinion.is_some());
    let path = only_entry(&home);
    settings.budget_per_day = Some(0.0);
    let reader = judge(settings);
    let kept = || ask(&reader, "ls").opinion.is_some();
    assert!(kept());
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    for writable in [0o620, 0o602, 0o666] {
        mode(writable);
        assert!(!kept(), "{writable:o}");
    }
    mode(0o600);
    assert!(kept());
    let aside = home.cache().join("aside");
    fs::rename(&path, &aside).expect("moved");
    symlink(&aside, &path).expect("a link");
    assert!(!kept(), "a link is not followed");
    fs::remove_file(&path).expect("removed");
    let status = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(status.success());
    assert!(!kept(), "a pipe is not waited for");
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a directory");
    assert!(!kept());
    // A file of another user; only root can create one.
    fs::remove_dir(&path).expect("removed");
    fs::rename(&aside, &path).expect("moved back");
    assert!(kept());
    if std::os::unix::fs::chown(&path, Some(12_345), None).is_ok() {
        assert!(!kept(), "a file of somebody else");
    } else {
        println!("skipped: only root can give files away");
    }
}

#[test]
fn a_directory_that_others_can_write_is_not_used_and_reported() {
    let primary = server(&verdict("allow", "x"));
    let spoil: [fn(&Path); 3] = [
        |dir| {
            fs::create_dir_all(dir).expect("a directory");
            fs::set_permissions(dir, fs::Permissions::from_mode(0o777)).expect("a mode");
        },
        |dir| {
            let target = dir.with_file_name("target");
            fs::create_dir_all(&target).expect("a directory");
            fs::create_dir_all(dir.parent().expect("a parent")).expect("a directory");
            symlink(target, dir).expect("a link");
        },
        |dir| {
            fs::create_dir_all(dir.parent().expect("a parent")).expect("a directory");
            fs::write(dir, "a file").expect("a file");
        },
    ];
    for spoil in spoil {
        let home = Home::new();
        spoil(&home.cache().join("verdicts-1"));
        let judge = judge(home.settings(CHAT, &primary, None));
        let ruling = ask(&judge, "ls");
        assert!(ruling.opinion.is_some(), "a model was there to ask");
        assert!(matches!(ruling.notes.as_slice(), [Note::NotKept { .. }]), "{:?}", ruling.notes);
        assert_eq!(ask(&judge, "ls").source, OpinionSource::Model, "nothing was kept");
        assert!(entries(&home.cache()).is_empty());
    }
}

#[test]
fn files_are_for_this_user_alone() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    assert!(ask(&judge(home.settings(CHAT, &primary, None)), "ls").opinion.is_some());
    let entry = only_entry(&home);
    let folder = entry.parent().expect("a folder");
    let root = folder.parent().expect("a root");
    for (path, mode) in [(entry.as_path(), 0o600), (folder, 0o700), (root, 0o700)] {
        let found = fs::metadata(path).expect("there");
        assert_eq!(found.mode() & 0o777, mode, "{}", path.display());
    }
    for name in ["judge.json", "judge.lock"] {
        let found = fs::metadata(home.state().join(name)).expect("there");
        assert_eq!(found.mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn no_command_script_or_secret_is_in_a_file() {
    let home = Home::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let primary = server(&verdict("warn", &format!("it shows {secret} and sk-proj-{secret}")));
    let scripts =
        [ScriptEvidence { path: "very-private.sh", contents: Some("echo innermost thoughts") }];
    let facts = [("DB_PASSWORD", "correct horse battery")];
    let command = format!("deploy-the-thing --token {secret}");
    let evidence =
        Evidence { command: &command, scripts: &scripts, facts: &facts, ..Evidence::default() };
    let judge = judge(home.settings(CHAT, &primary, None));
    let ruling = judge.ask(&evidence, Role::Default);
    let reason = ruling.opinion.expect("an opinion").reason;
    assert!(!reason.contains(secret) && reason.contains("redacted"), "{reason}");
    assert!(!told(&ruling.notes).join("").contains(secret));
    let state = home.state().join("judge.json");
    for path in entries(&home.cache()).into_iter().chain([state]) {
        let text = fs::read_to_string(&path).expect("text");
        for word in [secret, "horse", "innermost", "very-private", "deploy-the", crate::fake::KEY] {
            assert!(!text.contains(word), "{}: {text}", path.display());
        }
    }
}

#[test]
fn the_number_of_files_is_bounded_and_the_oldest_go_first() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let mut settings = home.settings(CHAT, &primary, None);
    settings.queries_per_minute = 100_000;
    settings.cache.max_entries = 512;
    // Two files per directory. A dead process left an unfinished file in each, and another process is still
    // writing.
    let root = home.cache().join("verdicts-1");
    let old = SystemTime::now() - Duration::from_secs(3600);
    for folder in 0..256 {
        let folder = root.join(format!("{folder:02x}"));
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
        builder.create(&folder).expect("a folder");
        for (name, time) in [("0".repeat(62), old), (".new-1-1-1".to_owned(), old)] {
            let file = fs::File::create(folder.join(name)).expect("a file");
            file.set_modified(time).expect("a time");
        }
        fs::File::create(folder.join(".new-2-2-2")).expect("a file");
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o700)).expect("a mode");
    let judge = judge(settings);
    for n in 0..1200 {
        assert!(ask(&judge, &format!("echo {n}")).opinion.is_some());
    }
    for folder in fs::read_dir(&root).expect("folders").flatten() {
        let files = fs::read_dir(folder.path()).expect("files").flatten();
        let names: Vec<_> =
            files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        let finished = names.iter().filter(|name| !name.starts_with(".new-")).count();
        assert!(finished <= 2, "{names:?}");
        if finished == 2 {
            assert!(!names.contains(&".new-1-1-1".to_owned()), "what a dead process left");
            assert!(names.contains(&".new-2-2-2".to_owned()), "what a live one writes");
        }
    }
    let before = primary.seen().len();
    assert_eq!(
        ask(&judge, "echo 1199").source,
        OpinionSource::Cache,
        "the last one is still there"
    );
    assert_eq!(primary.seen().len(), before);
}
