use super::*;
use crate::{Context, FileView, Machine, Role, TextForm, check_in};
use std::collections::HashMap;

struct Files(HashMap<&'static str, FileView>);

impl Machine for Files {
    fn read(&self, path: &str, _limit: usize) -> FileView {
        self.0.get(path).cloned().unwrap_or(FileView::Missing)
    }

    fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
        None
    }
}

fn gathered<T>(text: &str, files: &Files, see: impl FnOnce(&Evidence<'_>) -> T) -> T {
    let variables = [("TARGET", "/srv/old"), ("SPARE", "unused"), ("HOME", "/home/joe")];
    let context = Context {
        cwd: "/work".to_owned(),
        home: "/home/joe".to_owned(),
        variables: variables
            .map(|(name, value)| (name.to_owned(), Value::known(value)))
            .into_iter()
            .collect(),
        aliases: HashMap::from([
            ("go".to_owned(), "sh ./go.sh".to_owned()),
            ("ll".to_owned(), "ls -l".to_owned()),
        ]),
        complete: false,
        positional: Some(Vec::new()),
        zero: None,
        interactive: true,
        stdin: aegish_effects::StandardInput::Terminal,
        reader: aegish_effects::OutputReader::Trusted,
        form: TextForm::CommandLine,
        machine: files,
    };
    let typed = |text: &str, session: &Session| {
        let text = text.as_bytes();
        check_in(
            session,
            &Request { text, context: &context, role: Role::Default, user_rules: &[] },
        )
    };
    let mut session = Session::new();
    for line in [
        "later=/srv/new; away() { rm -rf \"$1\"; }",
        "eval 'outer() { inner \"$TARGET\"; }'",
        "inner() ( rm -r \"$1\" )",
        "alias out=outer",
        "unused() { date; }",
    ] {
        session = typed(line, &session).1;
    }
    let (decision, _) = typed(text, &session);
    let request =
        Request { text: text.as_bytes(), context: &context, role: Role::Default, user_rules: &[] };
    Gathered::new(text, &decision, &session, &request).give(see)
}

#[test]
fn evidence_contains_only_what_the_text_mentions() {
    let files =
        Files(HashMap::from([("/work/go.sh", FileView::Text("rm -rf \"$TARGET\"\n".to_owned()))]));
    gathered("go now", &files, |evidence| {
        assert_eq!(evidence.command, "go now");
        let names: Vec<&str> = evidence.facts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["role", "working directory", "alias go", "TARGET"]);
        assert_eq!(evidence.scripts.len(), 1);
        assert_eq!(evidence.scripts[0].path, "/work/go.sh");
        assert_eq!(evidence.scripts[0].contents, Some("rm -rf \"$TARGET\"\n"));
        assert_eq!(
            evidence.canonical,
            Some("sh ./go.sh now\n  rm -rf /srv/old"),
            "inner commands stand below the outer"
        );
        assert!(evidence.effects.iter().any(|line| line == "rm: delete-tree /srv/old"));
        assert!(evidence.is_whole());
    });
}

#[test]
fn evidence_contains_state_of_earlier_lines() {
    gathered("away $later", &Files(HashMap::new()), |evidence| {
        assert!(evidence.facts.contains(&("later", "/srv/new")));
        let scripts: Vec<_> = evidence.scripts.iter().map(|s| (s.path, s.contents)).collect();
        assert_eq!(scripts, [("function away", Some("{ rm -rf \"$1\"; }"))]);
        assert!(evidence.effects.iter().any(|line| line == "rm: delete-tree /srv/new"));
    });
}

#[test]
fn evidence_contains_functions_that_are_called_indirectly() {
    for text in ["outer", "out now", "sh -c x; outer"] {
        gathered(text, &Files(HashMap::new()), |evidence| {
            let scripts: Vec<_> = evidence.scripts.iter().map(|s| (s.path, s.contents)).collect();
            let bodies = [
                ("function inner", Some("( rm -r \"$1\" )")),
                ("function outer", Some("{ inner \"$TARGET\"; }")),
            ];
            assert_eq!(scripts, bodies, "{text}");
            assert!(evidence.facts.contains(&("TARGET", "/srv/old")), "{text}");
        });
    }
}

#[test]
fn a_function_that_is_too_long_to_be_shown_leaves_the_evidence_incomplete() {
    let long = format!("f() {{\n{}}}", "echo padding\n".repeat(3000));
    let context = Context::bare();
    let request = |text| Request { text, context: &context, role: Role::Default, user_rules: &[] };
    let (_, session) = check_in(&Session::new(), &request(long.as_bytes()));
    let (decision, _) = check_in(&session, &request(b"f"));
    let gathered = Gathered::new("f", &decision, &session, &request(b"f"));
    assert!(!gathered.give(|evidence| evidence.is_whole()));
    let message = gathered.message(&Marker::fixed(7));
    assert!(message.is_ok_and(|text| text.len() < 64 * 1024));
}

#[test]
fn a_script_that_is_too_long_shows_its_beginning_and_one_that_cannot_be_read_is_named() {
    let long = "# padding\n".repeat(30_000);
    let files = Files(HashMap::from([
        ("/work/long.sh", FileView::Long(long)),
        ("/work/closed.sh", FileView::Unreadable),
    ]));
    gathered("sh long.sh; sh closed.sh", &files, |evidence| {
        assert!(!evidence.is_whole());
        let known: Vec<(&str, bool)> =
            evidence.scripts.iter().map(|s| (s.path, s.contents.is_some())).collect();
        assert_eq!(known, [("/work/long.sh", true), ("/work/closed.sh", false)]);
        assert!(evidence.effects[0].starts_with("not settled by static analysis: "));
    });
}

#[test]
fn words_are_quoted_so_that_each_command_is_one_line() {
    let files = Files(HashMap::new());
    gathered("echo \"a b\" $'x\\ny' '' it\\'s $NOBODY", &files, |evidence| {
        assert_eq!(evidence.canonical, Some("echo 'a b' $'x\\ny' '' 'it'\\''s' ‹variable›"));
    });
}
