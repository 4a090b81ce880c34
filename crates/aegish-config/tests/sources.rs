//! Which source counts, and when.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use aegish_config::{
    Config, ConfigSource, Mode, Person, Problems, SourceAuthority, Sources, SystemDirectory,
    Trusted, hash,
};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary machine: `etc` is the system's directory, `home` the user's, `home/work` the project.
struct Scene {
    root: PathBuf,
    environment: Vec<(OsString, OsString)>,
    person: Result<Person, String>,
    policy: Option<PathBuf>,
}

impl Scene {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("aegish-config-{}-{number}", std::process::id());
        let root = std::env::temp_dir().canonicalize().unwrap().join(name);
        let _ = fs::remove_dir_all(&root);
        for dir in ["etc", "home/.config/aegish", "home/.local/state/aegish", "home/work/deep"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        for dir in ["etc", "home/.config/aegish", "home/.local/state/aegish"] {
            mode(&root.join(dir), 0o755);
        }
        let home = root.join("home").into_os_string();
        let person = Ok(Person {
            name: "kim".to_owned(),
            groups: vec!["kim".to_owned(), "staff".to_owned()],
        });
        Self { root, environment: vec![("HOME".into(), home)], person, policy: None }
    }

    fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        mode(&path, 0o644);
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(match name {
            "keys" => "etc/config",
            "system" => "etc/config.toml",
            "user" => "home/.config/aegish/config.toml",
            "project" => "home/work/.aegish.toml",
            "trusted" => "home/.local/state/aegish/trusted-projects",
            other => other,
        })
    }

    fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    fn trust(&self) -> &Self {
        let path = self.path("project");
        let content = fs::read(&path).unwrap();
        let list = Trusted::default().with(&path, &hash(&content)).unwrap();
        self.file("trusted", &list.text())
    }

    fn load(&self) -> Result<Config, Problems> {
        let uid = nix::unistd::geteuid().as_raw();
        let sources = Sources {
            system: SystemDirectory::at(self.root.join("etc"), uid),
            uid,
            person: &|| self.person.clone(),
            policy: self.policy.clone(),
            cwd: Some(self.root.join("home/work/deep")),
            environment: self.environment.clone(),
            foreign: &|name| matches!(name, "OPENAI_API_KEY" | "OPENAI_BASE_URL"),
        };
        sources.load()
    }

    fn config(&self) -> Config {
        self.load().expect("a configuration")
    }

    fn problems(&self) -> Vec<String> {
        let root = self.root.to_string_lossy().into_owned() + "/";
        let Err(problems) = self.load() else { return Vec::new() };
        problems.0.iter().map(|problem| problem.to_string().replace(&root, "")).collect()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Value and source of a setting.
fn said(config: &Config, name: &str) -> (String, ConfigSource) {
    let row = config.row(name).expect("a setting");
    (config.get(name).unwrap_or_default(), row.source)
}

fn notes(config: &Config) -> Vec<String> {
    config.notes().iter().map(ToString::to_string).collect()
}

#[test]
fn without_any_source_the_built_in_values_hold() {
    let config = Scene::new().config();
    assert_eq!(config.mode(), Mode::Development);
    assert_eq!(said(&config, "AEGISH_FAIL_MODE"), ("open".to_owned(), ConfigSource::BuiltIn));
    assert_eq!(said(&config, "AEGISH_ON_WARN").0, "deny");
    assert_eq!(config.get("AEGISH_BASH_HASH"), None);
    assert_eq!((config.notes(), config.files()), (&[][..], &[][..]));
}

#[test]
fn the_later_source_counts_over_the_earlier() {
    let mut scene = Scene::new();
    scene.file("keys", "AEGISH_LLM_TIMEOUT=1\n");
    assert_eq!(
        said(&scene.config(), "AEGISH_LLM_TIMEOUT"),
        ("1".to_owned(), ConfigSource::SystemKeys)
    );
    scene.file("user", "\nllm_timeout = 2\n");
    let config = scene.config();
    assert_eq!(said(&config, "AEGISH_LLM_TIMEOUT"), ("2".to_owned(), ConfigSource::User));
    let place = config.row("AEGISH_LLM_TIMEOUT").unwrap().place.to_string();
    assert!(place.ends_with("home/.config/aegish/config.toml:2"), "{place}");
    scene.set("AEGISH_LLM_TIMEOUT", "3");
    assert_eq!(
        said(&scene.config(), "AEGISH_LLM_TIMEOUT"),
        ("3".to_owned(), ConfigSource::Environment)
    );
}

#[test]
fn the_users_file_follows_the_xdg_specification() {
    let mut scene = Scene::new();
    scene.file("user", "history_size = 5\n");
    fs::create_dir_all(scene.root.join("xdg/aegish")).unwrap();
    fs::write(scene.root.join("xdg/aegish/config.toml"), "history_size = 6\n").unwrap();
    mode(&scene.root.join("xdg/aegish/config.toml"), 0o600);
    assert_eq!(scene.config().count("AEGISH_HISTORY_SIZE"), 5);
    let xdg = scene.root.join("xdg");
    scene.set("XDG_CONFIG_HOME", &xdg.to_string_lossy());
    assert_eq!(scene.config().count("AEGISH_HISTORY_SIZE"), 6);
    scene.set("XDG_CONFIG_HOME", "relative");
    assert_eq!(scene.config().count("AEGISH_HISTORY_SIZE"), 5);
}

#[test]
fn a_project_can_only_tighten_until_it_is_trusted() {
    let scene = Scene::new();
    scene.file("user", "role = 'default'\n");
    scene.file("project", "role = 'sysadmin'\nfail_mode = 'safe'\nprimary_model = 'ollama/x'\n");
    let config = scene.config();
    assert_eq!(said(&config, "AEGISH_ROLE"), ("default".to_owned(), ConfigSource::User));
    assert_eq!(said(&config, "AEGISH_FAIL_MODE"), ("safe".to_owned(), ConfigSource::Project));
    assert_eq!(said(&config, "AEGISH_PRIMARY_MODEL").1, ConfigSource::BuiltIn);
    assert_eq!(config.project().unwrap().authority, SourceAuthority::TightenOnly);
    let notes = notes(&config);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes.iter().any(|note| note.contains("work/.aegish.toml:1: role = sysadmin is not used"))
    );
    assert!(notes.iter().all(|note| note.contains("aegish config trust")));

    let config = scene.trust().config();
    assert_eq!(said(&config, "AEGISH_ROLE"), ("sysadmin".to_owned(), ConfigSource::Project));
    assert_eq!(said(&config, "AEGISH_PRIMARY_MODEL").0, "ollama/x");
    assert_eq!(
        (config.notes().len(), config.project().unwrap().authority),
        (0, SourceAuthority::Full)
    );

    scene.file("project", "role = 'sysadmin' # and a little more\n");
    assert_eq!(said(&scene.config(), "AEGISH_ROLE").0, "default", "it is another file now");
}

#[test]
fn trust_does_not_count_in_production() {
    let mut scene = Scene::new();
    scene.file("project", "role = 'sysadmin'\n").trust();
    scene.set("AEGISH_MODE", "production");
    let config = scene.config();
    assert_eq!(said(&config, "AEGISH_ROLE").0, "default");
    assert_eq!(config.project().unwrap().authority, SourceAuthority::TightenOnly);
}

#[test]
fn a_policy_that_is_named_replaces_the_files_of_the_user_and_the_project() {
    let mut scene = Scene::new();
    scene.file("user", "role = \"sysadmin\"\n").file("project", "role = \"restricted\"\n");
    scene.file("ci.toml", "on_warn = \"package-install=allow\"\n");
    mode(&scene.path("ci.toml"), 0o666);
    scene.policy = Some(scene.path("ci.toml"));
    let config = scene.config();
    assert_eq!(config.word("AEGISH_ROLE"), "default");
    assert!(config.answers("AEGISH_ON_WARN").allows("package-install"));
    assert!(!config.answers("AEGISH_ON_WARN").allows("work-loss"));
    scene.policy = Some(scene.path("none.toml"));
    assert_eq!(scene.problems(), ["none.toml: there is no such file"]);
    // In production it can only tighten.
    scene.policy = Some(scene.path("ci.toml"));
    scene.set("AEGISH_MODE", "production");
    assert!(!scene.config().answers("AEGISH_ON_WARN").allows("package-install"));
}

#[test]
fn the_nearest_project_file_is_the_one() {
    let scene = Scene::new();
    scene.file("home/.aegish.toml", "role = 'restricted'\n");
    assert_eq!(said(&scene.config(), "AEGISH_ROLE").0, "restricted");
    scene.file("project", "fail_mode = 'safe'\n");
    let config = scene.config();
    assert_eq!((config.word("AEGISH_ROLE"), config.word("AEGISH_FAIL_MODE")), ("default", "safe"));
}

#[test]
fn in_production_only_the_system_counts_and_the_others_tighten() {
    let mut scene = Scene::new();
    scene.file("keys", "AEGISH_MODE=production\nAEGISH_MIN_CONFIDENCE=0.7\n");
    scene.file("system", "allowed_providers = ['ollama', 'openai']\nrole = 'sysadmin'\n");
    scene.file("user", "fail_mode = 'open'\nrole = 'default'\nprompt = '$ '\n");
    scene.file("project", "min_confidence = 0.9\n");
    scene.set("AEGISH_MODE", "development").set("AEGISH_ON_WARN", "allow");
    scene.set("AEGISH_JUDGE", "never").set("AEGISH_ALLOWED_PROVIDERS", "ollama");
    scene.set("AEGISH_CACHE", "on").set("AEGISH_FORMAT", "json");
    let config = scene.config();
    assert_eq!(config.mode(), Mode::Production);
    for (name, value) in [
        ("AEGISH_MODE", "production"),
        ("AEGISH_FAIL_MODE", "safe"),
        ("AEGISH_ON_WARN", "deny"),
        ("AEGISH_JUDGE", "undecided"),
        ("AEGISH_CACHE", "off"),
        ("AEGISH_ROLE", "default"),
        ("AEGISH_MIN_CONFIDENCE", "0.9"),
        ("AEGISH_ALLOWED_PROVIDERS", "ollama"),
        ("AEGISH_PROMPT", "$ "),
        ("AEGISH_FORMAT", "json"),
    ] {
        assert_eq!(said(&config, name).0, value, "{name}");
    }
    let notes = notes(&config);
    for name in [
        "fail_mode = open",
        "AEGISH_MODE = development",
        "AEGISH_ON_WARN = allow",
        "AEGISH_JUDGE = never",
        "AEGISH_CACHE = on",
    ] {
        assert!(notes.iter().any(|note| note.contains(name)), "{name}: {notes:?}");
    }
    assert_eq!(notes.len(), 5, "{notes:?}");
}

#[test]
fn the_environment_can_ask_for_production_but_not_leave_it() {
    let mut scene = Scene::new();
    scene.set("AEGISH_MODE", "production").set("AEGISH_FAIL_MODE", "open");
    let config = scene.config();
    assert_eq!((config.mode(), config.word("AEGISH_FAIL_MODE")), (Mode::Production, "safe"));
    scene.file("keys", "AEGISH_MODE=development\n");
    assert_eq!(scene.config().mode(), Mode::Production, "it tightens");
    let scene = Scene::new();
    scene.file("system", "mode = 'production'\n");
    assert_eq!(scene.config().mode(), Mode::Production);
}

#[test]
fn keys_and_addresses_come_from_the_system_in_production() {
    let mut scene = Scene::new();
    scene.file("keys", "OPENAI_API_KEY='of-the-system'\n");
    assert_eq!(scene.config().get("OPENAI_API_KEY").as_deref(), Some("of-the-system"));
    scene.set("OPENAI_API_KEY", "of-the-user").set("OPENAI_BASE_URL", "http://evil");
    scene.set("HTTPS_PROXY", "http://evil");
    let config = scene.config();
    assert_eq!(config.get("OPENAI_API_KEY").as_deref(), Some("of-the-user"));
    assert_eq!(config.get("OPENAI_BASE_URL").as_deref(), Some("http://evil"));
    scene.set("AEGISH_MODE", "production");
    let config = scene.config();
    assert_eq!(config.get("OPENAI_API_KEY").as_deref(), Some("of-the-system"));
    assert_eq!((config.get("OPENAI_BASE_URL"), config.get("HTTPS_PROXY")), (None, None));
    assert!(config.get("HOME").is_some());
    let notes = notes(&config);
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes[0].contains("it is not used in production; set it in"), "{notes:?}");
    assert!(!notes.concat().contains("of-the-user"), "values are not repeated");
}

#[test]
fn a_key_for_a_named_server_needs_a_model_there() {
    let mut scene = Scene::new();
    scene.file("keys", "OUR_BOX_API_KEY=x\n");
    assert_eq!(
        scene.problems(),
        ["etc/config:1: OUR_BOX_API_KEY is for no provider, and no model is openai-api/our_box/…"]
    );
    scene.set("AEGISH_PRIMARY_MODEL", "openai-api/our-box/m");
    assert_eq!(scene.config().get("OUR_BOX_API_KEY").as_deref(), Some("x"));
}

#[test]
fn roles_go_by_user_then_by_the_tightest_group() {
    let mut scene = Scene::new();
    scene.file(
        "system",
        "role = 'sysadmin'\n[roles]\nusers = { lee = 'sysadmin' }\n\
         groups = { staff = 'restricted', kim = 'sysadmin', wheel = 'sysadmin' }\n",
    );
    let config = scene.config();
    assert_eq!(said(&config, "AEGISH_ROLE"), ("restricted".to_owned(), ConfigSource::SystemTables));
    assert!(config.row("AEGISH_ROLE").unwrap().place.to_string().ends_with("etc/config.toml:4"));
    assert_eq!(config.people().len(), 4);
    scene.person = Ok(Person { name: "lee".to_owned(), groups: vec!["staff".to_owned()] });
    assert_eq!(scene.config().word("AEGISH_ROLE"), "sysadmin");
    scene.person = Ok(Person { name: "sam".to_owned(), groups: vec![] });
    assert_eq!(scene.config().word("AEGISH_ROLE"), "sysadmin", "what the file says for all");
    scene.person = Err("user 7 has no name".to_owned());
    assert_eq!(scene.problems(), ["etc/config.toml:3: no role could be found: user 7 has no name"]);
}

#[test]
fn the_systems_files_must_be_its_own() {
    let uid = nix::unistd::geteuid().as_raw();
    for name in ["keys", "system"] {
        let scene = Scene::new();
        scene.file(name, "# nothing\n");
        let path = scene.path(name);
        let short = path.strip_prefix(&scene.root).unwrap().display().to_string();
        for (bits, text) in [(0o664, "0664"), (0o646, "0646")] {
            mode(&path, bits);
            let problems = scene.problems();
            assert_eq!(
                problems,
                [format!(
                    "{short}: it is not used: others can write {short} (mode {text}); if its content is \
                     right: chmod go-w {short}"
                )]
            );
        }
        mode(&path, 0o644);
        assert_eq!(scene.problems(), Vec::<String>::new());
        let other = SystemDirectory::at(scene.root.join("etc"), uid + 1);
        let sources = Sources {
            system: other,
            uid,
            person: &|| scene.person.clone(),
            policy: None,
            cwd: None,
            environment: scene.environment.clone(),
            foreign: &|_| false,
        };
        let problems = sources.load().unwrap_err().to_string();
        assert!(problems.contains(&format!("belongs to user {uid} and not to user {}", uid + 1)));
        mode(&scene.root.join("etc"), 0o775);
        assert!(scene.problems()[0].contains("others can write etc (mode 0775)"));
    }
}

#[test]
fn a_users_file_that_others_can_write_is_a_problem() {
    let scene = Scene::new();
    scene.file("user", "role = 'sysadmin'\n");
    mode(&scene.path("user"), 0o664);
    assert!(scene.problems()[0].contains("others can write"), "{:?}", scene.problems());
    mode(&scene.path("user"), 0o600);
    scene.file("project", "").trust();
    mode(&scene.path("trusted"), 0o666);
    assert!(scene.problems()[0].contains("trusted-projects"), "{:?}", scene.problems());
    scene.file("trusted", "nonsense\n");
    assert_eq!(
        scene.problems(),
        [
            "home/.local/state/aegish/trusted-projects:1: this is no trusted file; remove the line, or the list"
        ]
    );
}

#[test]
fn a_special_file_is_a_problem_and_does_not_block() {
    let scene = Scene::new();
    fs::create_dir(scene.path("project")).unwrap();
    assert_eq!(scene.problems(), ["home/work/.aegish.toml: it is not a regular file"]);
    fs::remove_dir(scene.path("project")).unwrap();
    symlink("/nonexistent", scene.path("project")).unwrap();
    assert_eq!(scene.problems(), Vec::<String>::new());
    let fifo = scene.path("user");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    assert_eq!(scene.problems(), ["home/.config/aegish/config.toml: it is not a regular file"]);
}

#[test]
fn a_project_file_of_another_user_is_noted_and_not_read() {
    let scene = Scene::new();
    scene.file("project", "this is not TOML");
    if std::os::unix::fs::chown(scene.path("project"), Some(54_321), None).is_err() {
        println!("skipped: only root can give files away");
        return;
    }
    let config = scene.config();
    assert_eq!(notes(&config).len(), 1);
    assert!(notes(&config)[0].ends_with("it is not used: it belongs to somebody else"));
    assert!(config.project().is_none());
}

#[test]
fn every_problem_of_every_source_is_reported() {
    let mut scene = Scene::new();
    scene.file("keys", "AEGISH_MODE=prod\nAEGISH_FORMAT=json\n");
    scene.file("system", "format = 'text'\nrolle = 'default'\n");
    scene.file("user", "mode = 'production'\n");
    scene.file("project", "role = \n");
    scene.set("AEGISH_LIVE", "perhaps").set("AEGISH_NONSENSE_AT_ALL", "1");
    let problems = scene.problems();
    assert_eq!(problems.len(), 7, "{problems:#?}");
    for start in [
        "etc/config:1: AEGISH_MODE is \"prod\"",
        "etc/config.toml:1: format is also set in etc/config:2; keep one of them",
        "etc/config.toml:2: there is no setting rolle",
        "home/.config/aegish/config.toml:1: mode cannot be set in a user file",
        "home/work/.aegish.toml:1: this is not TOML",
        "environment variable AEGISH_LIVE: AEGISH_LIVE is \"perhaps\"; write on or off",
        "environment variable AEGISH_NONSENSE_AT_ALL: there is no setting",
    ] {
        assert!(
            problems.iter().any(|problem| problem.starts_with(start)),
            "{start}: {problems:#?}"
        );
    }
}
