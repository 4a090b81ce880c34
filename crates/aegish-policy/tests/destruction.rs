//! What is deleted, overwritten or made unusable, effect by effect.

mod common;

use aegish_effects::{EffectKind, Source, Value};
use common::*;

#[test]
fn whole_branches_are_not_deleted() {
    let rule = "destructive-file-system";
    check(vec![
        (delete_tree("/"), rule, "bbb"),
        (delete_tree("/*"), rule, "bbb"),
        (delete_tree("//"), rule, "bbb"),
        (delete_tree("/./"), rule, "bbb"),
        (delete_tree("/tmp/../"), rule, "bbb"),
        (delete_tree("/etc"), rule, "bbb"),
        (delete_tree("/usr/"), rule, "bbb"),
        (delete_tree("/home"), rule, "bbb"),
        (delete_tree("/home/*"), rule, "bbb"),
        (delete_tree("/v?r"), rule, "bbb"),
        (delete_tree("/home/kim"), rule, "bbb"),
        (delete_tree("/home/ada"), rule, "bbb"),
        (delete_tree("/home/‹x›"), rule, "bbb"),
        (delete_tree("~"), rule, "bbb"),
        (delete_tree("~/*"), rule, "bbb"),
        (delete_tree("~/.*"), rule, "bbb"),
        (delete_tree("/root"), rule, "bbb"),
        (delete_tree("."), rule, "bbb"),
        (delete_tree("./"), rule, "bbb"),
        (delete_tree(".."), rule, "bbb"),
        (delete_tree("../.."), rule, "bbb"),
        (delete_tree("/home/kim/src"), rule, "bbb"),
        (delete_tree("/home/kim/src/app"), rule, "wwb"),
        (delete_tree("*"), rule, "wwb"),
        (delete_tree("./*"), rule, "wwb"),
        (delete_tree("/home/kim/photos"), rule, "www"),
        (delete_tree("‹x›/"), rule, "wwb"),
        (delete_tree("‹x›/*"), rule, "wwb"),
        (delete_tree("‹x›/usr"), rule, "wwb"),
        (delete_tree("/‹x›"), rule, "wwb"),
        (delete_tree("‹x›"), rule, "wwb"),
        (delete("/*"), rule, "bbb"),
    ]);
    check_fine(vec![
        delete_tree("build"),
        delete_tree("./node_modules"),
        delete_tree("/home/kim/src/app/target"),
        delete_tree("dist/*"),
        delete_tree("‹x›/build"),
        delete_tree("/tmp/work"),
        delete_tree("/tmp/work/*"),
        delete_tree("/tmp/‹x›"),
        delete_tree("/home/kim/.cache"),
        delete_tree("/home/kim/.cache/pip"),
        delete_tree("/home/kim/.npm"),
        delete_tree("/home/kim/.cargo/registry"),
        delete_tree("/home/kim/src/other/target"),
        EffectKind::Delete {
            path: Value::unknown("mktemp").tainted(&from(Source::Program("mktemp".to_owned()))),
            tree: true,
        },
        delete("‹x›"),
        delete("*.o"),
        delete("/home/kim/notes.txt"),
        delete("‹x›/*.tmp"),
    ]);
}

#[test]
fn disks_and_system_trees_stay_as_they_are() {
    let rule = "destructive-file-system";
    check(vec![
        (write("/dev/sda"), rule, "bbb"),
        (write("/dev/nvme0n1p2"), rule, "bbb"),
        (system("destroy device", "/dev/sdb1"), rule, "bbb"),
        (system("destroy device", "‹x›"), rule, "bbb"),
        (system("destroy pool", "tank"), rule, "bbb"),
        (system("destroy device", "disk.img"), rule, "waw"),
        (system("destroy device", "/tmp/old.key"), rule, "waw"),
        (mode_tree("777", "/"), rule, "bbb"),
        (mode_tree("000", "/usr"), rule, "bbb"),
        (mode_tree("755", "/etc/ssh"), rule, "bbb"),
        (owner_tree("kim:kim", "/"), rule, "bbb"),
        (owner_tree("kim", "/var"), rule, "bbb"),
    ]);
    check_fine(vec![
        write("/dev/null"),
        write("/dev/stderr"),
        write("/dev/fd/3"),
        mode_tree("755", "public"),
        owner_tree("kim", "/home/kim/.npm"),
        system("destroy device", "/dev/null"),
    ]);
}
