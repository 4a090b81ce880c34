//! Each kind of change comes back.

use super::ground::{BOTH, Ground, How, same};
use aegish_undo::{Changed, Conflicts, Error, Store};
use std::fs;
use std::process::Command;

const TREE: &str = "mkdir -p a/b c; echo 1 >a/1; echo 2 >a/b/2; echo 3 >c/3; touch -d 2001-02-03T04:05:06.789 a/1 c; \
                    ln -s a/1 link; chmod 640 c/3; mkfifo pipe";

#[test]
fn deleted_trees_come_back() {
    Ground::comes_back("delete", TREE, "rm -r a; rm link pipe c/3");
}

#[test]
fn overwritten_files_come_back() {
    Ground::comes_back("overwrite", TREE, "echo new >a/1; echo more >>c/3; : >a/b/2");
}

#[test]
fn a_file_that_looks_the_same_and_is_not_comes_back() {
    let script =
        "touch -r a/1 /tmp/.stamp-$$; echo 9 >a/1; touch -r /tmp/.stamp-$$ a/1; rm /tmp/.stamp-$$";
    Ground::comes_back("stealth", TREE, script);
}

#[test]
fn moved_files_and_directories_come_back() {
    Ground::comes_back("move", TREE, "mv a/1 moved; mv a z; mv c/3 z/; rmdir c; mv link c");
}

#[test]
fn rights_times_and_attributes_come_back() {
    Ground::comes_back(
        "chmod",
        TREE,
        "chmod 600 a/1; chmod 700 a; touch -d 2020-01-01 c/3; chmod 555 c",
    );
    Ground::comes_back(
        "closed",
        "mkdir d; echo x >d/x; chmod 555 d",
        "chmod 755 d; rm d/x; chmod 555 d",
    );
}

#[test]
fn attributes_come_back() {
    let set = |path: &std::path::Path, value: &[u8]| {
        rustix::fs::lsetxattr(path, "user.test", value, rustix::fs::XattrFlags::empty())
    };
    for how in BOTH {
        let ground = Ground::new(&format!("attributes-{how:?}"));
        ground.prepare("echo x >f; mkdir d");
        if set(&ground.tree.join("f"), b"old").and(set(&ground.tree.join("d"), b"dir")).is_err() {
            println!("skipped: no attributes here");
            return;
        }
        let before = ground.picture();
        let Some(run) = ground.run(how, "echo y >f; rm -r d") else { continue };
        let id = run.keep(u64::MAX).unwrap();
        assert_ne!(ground.picture(), before);
        ground.undo(id);
        same(&ground.picture(), &before, &format!("{how:?}"));
    }
}

#[test]
fn a_path_can_become_something_else() {
    Ground::comes_back(
        "kind",
        TREE,
        "rm -r a; echo file >a; rm c/3; mkdir c/3; echo x >c/3/x; rm link; mkdir link; rm pipe; ln -s c pipe",
    );
    Ground::comes_back("again", TREE, "rm -r a; mkdir a; echo other >a/2");
}

#[test]
fn names_of_one_file_stay_names_of_one_file() {
    let tree = "echo x >a; ln a b; mkdir d; ln a d/c; echo y >e; ln e f";
    Ground::comes_back("links-deleted", tree, "rm a; rm e f");
    Ground::comes_back("links-replaced", tree, "rm b; echo z >b");
    Ground::comes_back("links-added", tree, "ln e g; echo n >h; ln h i");
}

#[test]
fn a_file_that_was_written_by_one_of_its_names_comes_back_with_all() {
    for how in BOTH {
        let ground = Ground::new(&format!("links-{how:?}"));
        ground.prepare("echo x >a; ln a b; mkdir d; ln a d/c");
        let before = ground.picture();
        let Some(run) = ground.run(how, "echo more >>b; chmod 600 d/c") else { continue };
        let id = run.keep(u64::MAX).unwrap();
        assert_eq!(fs::read(ground.tree.join("b")).unwrap(), b"x\nmore\n");
        ground.undo(id);
        same(&ground.picture(), &before, &format!("{how:?}"));
    }
}

#[test]
fn odd_names_come_back() {
    let tree = "mkdir $'new\\nline' 'a,b:c\\d' -- -dash; echo 1 >$'new\\nline/\\xff\\xfe'; echo 2 >'a,b:c\\d/ '; \
                echo 3 >'*'; echo 4 >$'\\e[31m'";
    Ground::comes_back("names", tree, "rm -r ./*; echo 5 >$'\\xfa'");
}

#[test]
fn a_hard_reset_of_git_comes_back() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: no git");
        return;
    }
    let id = "-c user.name=k -c user.email=k@k";
    let tree = format!(
        "git init -q .; for i in 1 2 3; do echo $i >f$i; done; git add .; git {id} commit -qm one; echo lost >f1; rm f2; echo new >n"
    );
    for how in BOTH {
        let ground = Ground::new(&format!("git-{how:?}"));
        ground.prepare(&tree);
        let before = ground.picture();
        let Some(run) = ground.run(how, "git reset -q --hard") else { continue };
        let id = run.keep(u64::MAX).unwrap();
        assert_eq!(fs::read_to_string(ground.tree.join("f1")).unwrap(), "1\n");
        ground.undo(id);
        same(&ground.picture(), &before, &format!("{how:?}"));
    }
}

#[test]
fn a_database_comes_back() {
    if Command::new("python3").args(["-c", "import sqlite3"]).output().is_err() {
        println!("skipped: no Python with SQLite");
        return;
    }
    let fill = "python3 -c \"import sqlite3; c=sqlite3.connect('d.db'); c.execute('create table t(x)'); \
                c.executemany('insert into t values(?)', [(i,) for i in range(5000)]); c.commit()\"";
    let drop = "python3 -c \"import sqlite3; c=sqlite3.connect('d.db'); c.execute('delete from t where x > 3'); \
                c.commit(); c.execute('vacuum')\"";
    Ground::comes_back("database", fill, drop);
}

#[test]
fn ten_thousand_files_come_back() {
    let ground = Ground::new("many");
    ground.prepare(
        "for d in {0..99}; do mkdir $d; for f in {0..99}; do echo $d $f >$d/$f; done; done",
    );
    let before = ground.picture();
    for how in BOTH {
        let Some(run) = ground.run(how, "rm -rf [0-8]*; echo x >9/0") else { continue };
        let deleted = |run: &aegish_undo::Run| {
            run.changes().iter().filter(|one| one.changed() == Some(Changed::Deleted)).count()
        };
        assert_eq!(deleted(&run), 89 * 101, "{how:?}");
        let id = run.keep(u64::MAX).unwrap();
        ground.undo(id);
        same(&ground.picture(), &before, &format!("{how:?}"));
    }
}

#[test]
fn the_changes_are_told() {
    for how in BOTH {
        let ground = Ground::new(&format!("told-{how:?}"));
        ground.prepare(TREE);
        let Some(run) = ground.run(how, "rm a/b/2; echo 10 >a/1; echo n >new; chmod 600 c/3")
        else {
            continue;
        };
        let told: Vec<(String, Changed)> = run
            .changes()
            .iter()
            .filter_map(|one| {
                let inner = one.path.strip_prefix(&ground.tree).ok()?;
                Some((inner.display().to_string(), one.changed()?))
            })
            .collect();
        let expected = [
            ("a/1", Changed::Content),
            ("a/b/2", Changed::Deleted),
            ("c/3", Changed::Metadata),
            ("new", Changed::Added),
        ];
        assert_eq!(told, expected.map(|(path, changed)| (path.to_owned(), changed)), "{how:?}");
        let change = run.changes().iter().find(|one| one.path.ends_with("1")).unwrap();
        let (before, after) = run.contents(change);
        assert_eq!(fs::read(before.unwrap()).unwrap(), b"1\n");
        assert_eq!(fs::read(after.unwrap()).unwrap(), b"10\n");
    }
}

#[test]
fn files_that_changed_since_are_not_replaced_unasked() {
    for how in BOTH {
        let ground = Ground::new(&format!("conflict-{how:?}"));
        ground.prepare(TREE);
        let before = ground.picture();
        let Some(run) = ground.run(how, "echo run >a/1") else { continue };
        let id = run.keep(u64::MAX).unwrap();
        ground.prepare("echo later >a/1");
        let refused = ground.store.undo(id, Conflicts::Refuse);
        assert!(
            matches!(refused, Err(Error::Conflicts(paths)) if paths == [ground.tree.join("a/1")])
        );
        assert_eq!(fs::read(ground.tree.join("a/1")).unwrap(), b"later\n");
        ground.store.undo(id, Conflicts::Override).unwrap();
        same(&ground.picture(), &before, &format!("{how:?}"));
    }
}

#[test]
fn runs_are_forgotten_when_they_are_old_or_too_large() {
    let ground = Ground::new("forgotten");
    ground.prepare(TREE);
    for text in ["one", "two"] {
        let run = ground.run(How::Copies, &format!("echo {text} >a/1")).unwrap();
        run.keep(u64::MAX).unwrap();
    }
    ground.store.recover();
    assert_eq!(ground.store.list().len(), 2);
    Store { most: 10, ..ground.store.clone() }.recover();
    assert_eq!(ground.store.list().iter().map(|run| run.id).collect::<Vec<_>>(), [2]);
    Store { kept_for: std::time::Duration::ZERO, ..ground.store.clone() }.recover();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    Store { kept_for: std::time::Duration::ZERO, ..ground.store.clone() }.recover();
    assert!(ground.store.list().is_empty());
}

#[test]
fn what_is_too_large_is_refused_before_anything_runs() {
    let ground = Ground::new("large");
    ground.prepare("head -c 5000 /dev/zero >f");
    let store = Store { most: 4000, ..ground.store.clone() };
    let subject = aegish_undo::Subject { command: String::new(), cwd: ground.tree.clone() };
    let paths = [(ground.tree.clone(), aegish_undo::Scope::Tree)];
    let refused = store.begin_copies(subject, &paths);
    assert!(refused.is_err_and(|error| error.to_string().contains("AEGISH_UNDO_SIZE")));
    assert!(store.list().is_empty());
    let Some(run) = ground.run(How::Overlay, "rm f") else { return };
    let before = ground.picture();
    let id = run.id();
    assert!(run.keep(4000).is_err());
    same(&ground.picture(), &before, "unchanged");
    assert_eq!(ground.store.run(id).unwrap().keep(5000).unwrap(), id);
    assert!(!ground.tree.join("f").exists());
}
