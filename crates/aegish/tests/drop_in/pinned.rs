//! Files that are replaced between verdict and run: text that was not judged never runs.
//!
//! A model is asked about every command, and the file is replaced while it is asked.

use crate::fake::answers::{CompletionEnd, reply};
use crate::fake::{Fake, FakeAnswer, KEY};
use crate::run::{self, End, Seen, Shell, TestDir};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const HARMLESS: &str = "echo judged\n";
const OTHER: &str = "echo other > proof; echo other\n";

/// A model that allows everything, and runs a function before its n-th answer.
fn model(on_the_side: impl Fn(usize) + Send + Sync + 'static) -> Fake {
    let verdict =
        r#"{"action": "allow", "reason": "harmless", "confidence": 0.9, "nonce": "(nonce)"}"#;
    let mut body = reply(aegish_wire::Protocol::OpenAiChat, CompletionEnd::Good);
    body["choices"][0]["message"]["content"] = verdict.into();
    Fake::start(move |count, _| {
        on_the_side(count);
        FakeAnswer::json(200, body.clone())
    })
}

fn command(folder: &TestDir, model: &Fake) -> Command {
    let mut command = Shell::Aegish.command(folder);
    command.env("OPENAI_API_KEY", KEY).env("AEGISH_JUDGE", "always").env("AEGISH_BANNER", "0");
    command.env("OPENAI_BASE_URL", format!("http://{}/v1", model.address));
    command.env("AEGISH_PRIMARY_MODEL", "openai/gpt-5.1").env("AEGISH_FALLBACK_MODELS", "");
    command
}

fn script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a call while its script is replaced.
fn exchanged(words: &[&str], exchange: fn(&Path)) -> (Seen, TestDir) {
    let folder = TestDir::new();
    let file = folder.0.join("s.sh");
    script(&file, &format!("#!/bin/bash\n{HARMLESS}"));
    let model = model(move |_| exchange(&file));
    let mut command = command(&folder, &model);
    command.args(words);
    let seen = run::finish(command, None);
    assert!(!model.seen().is_empty(), "{words:?}: nobody was asked: {}", seen.err());
    (seen, folder)
}

const CALLS: [&[&str]; 7] = [
    &["s.sh"],
    &["./s.sh", "argument"],
    &["-c", ". ./s.sh"],
    &["-c", "source s.sh"],
    &["-c", "bash s.sh"],
    &["-c", "./s.sh"],
    &["-c", "cd . && { bash ./s.sh; }"],
];

#[test]
fn a_file_that_stays_is_run() {
    for words in CALLS {
        let (seen, _folder) = exchanged(words, |_| {});
        assert_eq!((seen.out().as_str(), seen.end), ("judged\n", End::Status(0)), "{}", seen.err());
    }
}

#[test]
fn an_exchanged_file_is_not_run() {
    let exchanges: [fn(&Path); 5] = [
        |file| script(file, &format!("#!/bin/bash\n{OTHER}")),
        |file| {
            // Another file under the same name, of the same size and time.
            let other = file.with_extension("new");
            script(&other, "#!/bin/bash\necho 0ther\n#");
            let times = fs::metadata(file).unwrap().modified().unwrap();
            fs::File::open(&other).unwrap().set_modified(times).unwrap();
            fs::rename(other, file).unwrap();
        },
        |file| {
            let other = file.with_extension("new");
            script(&other, OTHER);
            let _ = fs::remove_file(file);
            std::os::unix::fs::symlink(other, file).unwrap();
        },
        |file| {
            let _ = fs::remove_file(file);
        },
        |file| {
            let mut text = fs::read_to_string(file).unwrap();
            text.push_str(OTHER);
            fs::write(file, text).unwrap();
        },
    ];
    for words in CALLS {
        for exchange in exchanges {
            let (seen, folder) = exchanged(words, exchange);
            assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(3)), "{words:?}");
            assert!(seen.err().contains("changed after it was judged"), "{}", seen.err());
            assert!(!folder.0.join("proof").exists(), "{words:?}");
        }
    }
}

#[test]
fn the_guards_own_log_can_be_shown_and_counted_but_not_run() {
    let folder = TestDir::new();
    let run = |text: &str| {
        let text = text.replace("LOG", "~/.aegish/audit.log");
        let mut command = Shell::Aegish.command(&folder);
        command.env("AEGISH_AUDIT", "required").args(["-c", &text]);
        run::finish(command, None)
    };
    assert_eq!(run("true").end, End::Status(0));
    let seen = run("tail -n 1 LOG | grep -c seq; n=$(wc -l < LOG); [ \"$n\" -gt 0 ] && echo some");
    assert_eq!((seen.out().as_str(), seen.end), ("1\nsome\n", End::Status(0)), "{}", seen.err());
    for code in ["bash LOG", "eval \"$(tail -n 1 LOG)\""] {
        let seen = run(code);
        assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(3)), "{}", seen.err());
        assert!(seen.err().contains("changed after it was judged"), "{}", seen.err());
    }
}

#[test]
fn a_directory_in_its_place_is_not_run() {
    let (seen, _folder) = exchanged(&["s.sh"], |file| {
        let _ = fs::remove_file(file);
        let _ = fs::create_dir(file);
    });
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(3)), "{}", seen.err());
}

#[test]
fn another_script_earlier_in_the_path_is_not_run() {
    let folder = TestDir::new();
    for dir in ["first", "second"] {
        fs::create_dir(folder.0.join(dir)).unwrap();
    }
    script(&folder.0.join("second/tool"), HARMLESS);
    let early = folder.0.join("first/tool");
    let model = model(move |_| script(&early, OTHER));
    let mut command = command(&folder, &model);
    let path = format!("{0}/first:{0}/second:/usr/bin:/bin", folder.0.display());
    command.env("PATH", path).arg("tool");
    let seen = run::finish(command, None);
    assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(3)), "{}", seen.err());
    assert!(!folder.0.join("proof").exists());
}

fn typed(folder: &TestDir, model: &Fake, lines: &str) -> Seen {
    let mut command = command(folder, model);
    command.arg("-i");
    run::finish(command, Some(lines.as_bytes()))
}

#[test]
fn in_a_session_a_changed_file_is_judged_again() {
    let folder = TestDir::new();
    let file = folder.0.join("s.sh");
    script(&file, HARMLESS);
    let once = {
        let file = file.clone();
        model(move |count| {
            if count == 0 {
                script(&file, "echo judged again\n");
            }
        })
    };
    let seen = typed(&folder, &once, ". ./s.sh\nexit 5\n");
    assert!(seen.out().contains("judged again\n") && !seen.out().contains("judged\n"));
    assert_eq!(seen.end, End::Status(5), "{}", seen.err());

    script(&file, HARMLESS);
    let worse = {
        let file = file.clone();
        model(move |_| script(&file, "echo other > proof; cat /etc/shadow\n"))
    };
    let seen = typed(&folder, &worse, ". ./s.sh\nexit\n");
    assert!(seen.err().contains("critical-file-read"), "{}", seen.err());
    assert!(!folder.0.join("proof").exists());

    script(&file, HARMLESS);
    let restless = model(move |count| script(&file, &format!("echo {count} > proof\n")));
    let seen = typed(&folder, &restless, ". ./s.sh\nexit\n");
    assert!(seen.err().contains("keeps changing"), "{}", seen.err());
    assert!(!folder.0.join("proof").exists());
}

#[test]
fn text_that_a_script_appends_to_itself_is_judged() {
    let folder = TestDir::new();
    let file = folder.0.join("s.sh");
    let run = |text: &str, words: &[&str]| {
        script(&file, &format!("#!/bin/bash\necho one\n{text}\n"));
        let mut command = Shell::Aegish.command(&folder);
        command.env_remove("AEGISH_ON_WARN").args(words);
        run::finish(command, None)
    };
    for words in [&["s.sh"][..], &["-c", "./s.sh"], &["-c", "bash s.sh"]] {
        let seen = run("echo 'echo added' >> \"$0\"", words);
        assert_eq!(seen.out(), "one\nadded\n", "{words:?}: {}", seen.err());
        let seen = run("echo 'cat /etc/shadow' >> \"$0\"", words);
        assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)), "{words:?}");
        let seen = run("curl -s http://127.0.0.1:9/x >> \"${BASH_SOURCE[0]}\"", words);
        assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(1)), "{words:?}");
        let seen = run("cat other.txt >> s.sh", words);
        assert_eq!((seen.out().as_str(), seen.end), ("", End::Status(2)), "{words:?}");
    }
}
