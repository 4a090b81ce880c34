//! Which bundles a machine takes, and what the guard makes of them.

use crate::{bundle, key, system, unsigned};
use aegish_config::{Config, Person, Sources, SystemDirectory};
use aegish_fleet::{BundleStore, Installed, PublicKey, SignedBundle, SigningKey};
use aegish_test_support::folder::Folder;
use std::fs;

/// What a pull does with bytes.
fn take(store: &BundleStore, text: &str, keys: &[PublicKey]) -> Result<Installed, String> {
    let bundle = SignedBundle::verify(text.as_bytes(), keys)
        .and_then(SignedBundle::fresh)
        .map_err(|refused| refused.to_string())?;
    store.install(&bundle)
}

fn config(system: &SystemDirectory, groups: &[&str]) -> Config {
    let person = Person {
        name: "kim".to_owned(),
        groups: groups.iter().map(|name| (*name).to_owned()).collect(),
    };
    let sources = Sources {
        system: system.clone(),
        uid: nix::unistd::geteuid().as_raw(),
        person: &|| Ok(person.clone()),
        policy: None,
        cwd: None,
        environment: Vec::new(),
        foreign: &|_| false,
    };
    sources.load().unwrap()
}

/// A bundle that was signed while it was good, and whose time is over now.
fn expired(key: &SigningKey, version: u64, rest: &str) -> String {
    let soon = in_seconds(1);
    let text = unsigned(version, rest).replace("2999-01-01T00:00:00Z", &soon);
    let signed = aegish_fleet::sign(&text, key).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2100));
    signed
}

fn in_seconds(seconds: u64) -> String {
    aegish_audit::after(&format!("{seconds}s")).unwrap()
}

#[test]
fn what_is_not_good_is_refused_with_the_reason_and_the_last_good_one_stays() {
    let folder = Folder::new("fleet-refused");
    let (own, other) = (key(), key());
    let keys = [own.public().clone()];
    let system = system(&folder);
    let store = BundleStore::new(&system);
    assert_eq!(store.current(&keys).unwrap(), None);
    let good = bundle(&own, 5, "fail_mode = \"safe\"");
    assert_eq!(take(&store, &good, &keys), Ok(Installed::New));
    assert_eq!(take(&store, &good, &keys), Ok(Installed::Same));
    let later = bundle(&own, 6, "fail_mode = \"open\"");
    let cases = [
        (later.replace("open", "safe"), "it was changed after it was signed"),
        (later.replace("version = 6", "version = 9"), "it was changed after it was signed"),
        (unsigned(6, ""), "it is not signed"),
        (bundle(&other, 6, ""), "no trusted key signed it"),
        (expired(&own, 6, ""), "it expired at"),
        (bundle(&own, 4, ""), "it is version 4, and version 5 was taken before: a rollback"),
        (
            bundle(&own, 5, "fail_mode = \"open\""),
            "version 5 was taken before, with another content",
        ),
        (
            aegish_fleet::sign(&unsigned(6, "").replace("acme", "other"), &own).unwrap(),
            "it is for the fleet other, and this machine belongs to acme",
        ),
        (String::new(), "it is not signed"),
    ];
    for (text, why) in cases {
        let refused = take(&store, &text, &keys).expect_err(why);
        assert!(refused.contains(why), "{refused}");
        assert_eq!(store.current(&keys).unwrap().unwrap().text, good);
        assert_eq!(config(&system, &[]).get("AEGISH_FAIL_MODE").as_deref(), Some("safe"));
    }
    assert_eq!(take(&store, &later, &keys), Ok(Installed::New));
    assert_eq!(config(&system, &[]).get("AEGISH_FAIL_MODE").as_deref(), Some("open"));
}

#[test]
fn every_byte_of_a_bundle_is_signed() {
    let own = key();
    let keys = [own.public().clone()];
    let good = bundle(&own, 5, "fail_mode = \"safe\"\n# words\n");
    let payload = good.find("# aegish-signature").unwrap();
    for at in 0..good.len() {
        for other in [b'x', b' ', b'\n', b'7'] {
            let mut bytes = good.clone().into_bytes();
            if std::mem::replace(&mut bytes[at], other) == other {
                continue;
            }
            let found = SignedBundle::verify(&bytes, &keys);
            assert!(found.is_err(), "{at} of {payload}: {:?}", String::from_utf8_lossy(&bytes));
        }
        assert!(SignedBundle::verify(&good.as_bytes()[..at], &keys).is_err(), "cut at {at}");
    }
    for more in ["on_warn = \"allow\"\n", "# words\n", "\n"] {
        for text in [format!("{more}{good}"), format!("{good}{more}")] {
            assert!(SignedBundle::verify(text.as_bytes(), &keys).is_err(), "{text}");
        }
    }
}

#[test]
fn an_older_bundle_does_not_come_back_when_the_last_one_was_removed() {
    let folder = Folder::new("fleet-removed");
    let own = key();
    let keys = [own.public().clone()];
    let system = system(&folder);
    let store = BundleStore::new(&system);
    let last = bundle(&own, 8, "");
    take(&store, &last, &keys).unwrap();
    fs::remove_file(system.bundle()).unwrap();
    assert!(take(&store, &bundle(&own, 7, ""), &keys).unwrap_err().contains("a rollback"));
    // As after a machine that died between the two writes.
    assert_eq!(take(&store, &last, &keys), Ok(Installed::New));
    // A record that cannot be read is no reason to forget it.
    fs::write(system.fleet().join("highest"), "damaged\n").unwrap();
    assert!(take(&store, &bundle(&own, 9, ""), &keys).unwrap_err().contains("cannot be read"));
}

const POLICY: &str = r#"
on_warn = "allow"
min_confidence = 0.9
[roles.groups]
ops = "sysadmin"
guests = "restricted"
[[rule]]
name = "no-apply"
verdict = "deny"
program = "terraform"
subcommand = ["apply"]
[[rule]]
name = "may-install"
verdict = "allow"
program = "npm"
"#;

#[test]
fn rules_roles_and_grants_of_a_bundle_count_and_files_of_the_machine_count_over_it() {
    let folder = Folder::new("fleet-counts");
    let own = key();
    let system = system(&folder);
    take(&BundleStore::new(&system), &bundle(&own, 1, POLICY), &[own.public().clone()]).unwrap();
    let found = config(&system, &["ops"]);
    assert_eq!(found.get("AEGISH_ROLE").as_deref(), Some("sysadmin"));
    assert_eq!(found.get("AEGISH_ON_WARN").as_deref(), Some("allow"));
    let names: Vec<&str> = found.rules().iter().map(|held| held.rule.name.as_str()).collect();
    assert_eq!(names, ["no-apply", "may-install"]);
    assert_eq!(found.bundle().unwrap().version, 1);
    assert_eq!(found.row("AEGISH_ON_WARN").unwrap().source.as_str(), "fleet");
    assert_eq!(config(&system, &["guests"]).get("AEGISH_ROLE").as_deref(), Some("restricted"));
    fs::write(system.tables(), "on_warn = \"deny\"\n[roles.users]\nkim = \"default\"\n").unwrap();
    let found = config(&system, &["ops"]);
    assert_eq!(found.get("AEGISH_ROLE").as_deref(), Some("default"));
    assert_eq!(found.get("AEGISH_ON_WARN").as_deref(), Some("deny"));
}

#[test]
fn a_bundle_that_expires_on_the_machine_only_tightens_from_then_on() {
    let folder = Folder::new("fleet-expires");
    let own = key();
    let system = system(&folder);
    let text = expired(&own, 1, POLICY);
    fs::create_dir_all(system.fleet()).unwrap();
    fs::write(system.bundle(), text).unwrap();
    let found = config(&system, &["ops"]);
    assert_eq!(found.get("AEGISH_ROLE").as_deref(), Some("default"));
    assert_eq!(found.get("AEGISH_ON_WARN").as_deref(), Some("deny"));
    assert_eq!(found.get("AEGISH_MIN_CONFIDENCE").as_deref(), Some("0.9"));
    let names: Vec<&str> = found.rules().iter().map(|held| held.rule.name.as_str()).collect();
    assert_eq!(names, ["no-apply"]);
    let notes: Vec<String> = found.notes().iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("bundle 1 of acme expired")), "{notes:?}");
    assert_eq!(config(&system, &["guests"]).get("AEGISH_ROLE").as_deref(), Some("restricted"));
}
