//! What awk prints is what the real one prints.

use super::found;
use crate::awk_run;
use aegish_profiles::Lang;
use std::io::Write;
use std::process::{Command, Stdio};

fn printed(words: &[&str], input: &str) -> Option<String> {
    awk_run(words, Some(input), &|_| None, &|_| None)?.printed
}

fn real(words: &[&str], input: &str) -> Option<String> {
    let mut child = Command::new("awk")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // A program that reads nothing may be gone.
    let _ = child.stdin.take()?.write_all(input.as_bytes());
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()
}

#[test]
fn output_agrees_with_the_real_one() {
    let text = "a b c\nd  e\tf g\n";
    let rows: &[(&[&str], &str)] = &[
        (&["{print $2}"], text),
        (&["{ print $1, $3 }"], text),
        (&["{print $NF}"], text),
        (&["{print $(NF-1)}"], text),
        (&["{print}"], text),
        (&["{print $0 \"!\"}"], text),
        (&["-F:", "{print $2}"], "x:y:z\n"),
        (&["-F", ",", "{print $1 $2}"], "x,y"),
        (&["NR==2"], text),
        (&["NR==2{print $1}"], text),
        (&["/e/"], text),
        (&["/a/ {print toupper($1)}"], text),
        (&["BEGIN{print \"hi\"}"], ""),
        (&["BEGIN{printf \"%c%c\", 108, 115}"], ""),
        (&["BEGIN {printf \"%s-%d\\n\", \"x\", 12}"], ""),
        (&["{print NR, NF}"], text),
        (&["{print substr($0, 2, 3)}"], text),
        (&["{print length($1)}"], text),
        (&["BEGIN{print \"\\x63\\141\"}"], ""),
        (&["{print $9}"], text),
        (&["{print $1; print $2}"], text),
        (&["-v", "x=a", "BEGIN{print x \"b\"}"], ""),
        (&["{n++; s = s $1} END{print n, s, NR}"], text),
        (&["{a[NR]=$0} END{for(i=NR;i;i--) print a[i]}"], text),
        (&["BEGIN{n=split(\"a-b-c\",a,\"-\"); for(i=n;i>0;i--) printf \"%s\",a[i]; print n}"], ""),
        (&["{sub(/b/,\"[&]\"); gsub(/e|f/,\"x\"); print}"], text),
        (&["function f(x,y){y=x \"!\"; return y} BEGIN{print f(\"a\") y}"], ""),
        (&["function f(n){return n<2?1:n*f(n-1)} BEGIN{print f(5)}"], ""),
        (&["function f(a){a[1]=7} BEGIN{f(b); print b[1]}"], ""),
        (&["BEGIN{while(i<3){i++; if(i==2)continue; print i}; do{i--}while(i>0); print i}"], ""),
        (&["BEGIN{match(\"xxabc\",/a.c/); print RSTART, RLENGTH, substr(\"xxabc\",RSTART)}"], ""),
        (&["BEGIN{print index(\"abc\",\"c\"), length(\"xy\"), 7/2, 2^10, 5%3, -3}"], ""),
        (&["BEGIN{OFS=\"/\"; $1=\"\"; $2=\"etc\"; $3=\"x\"; print $0, NF}"], ""),
        (&["{$2=\"Z\"; print; print NF}"], text),
        (&["BEGIN{printf \"%05.2f|%-5s|%5s|%x|%03d\\n\", 3.14159, \"ab\", \"cd\", 255, 7}"], ""),
        (&["{x = $1 > \"b\" ? \"big\" : \"small\"; print x}"], text),
        (&["BEGIN{print (\"a\" in x), 1==1.0, \"10\"<\"9\", !0, 1&&0||1}"], ""),
        (&["$1 ~ /^d/ && NF>2 {print $2; next} {print \"no\"}"], text),
        (&["END{print $0, NR}"], text),
        (&["{print > \"/dev/stdout\"}"], text),
        (&["BEGIN{while((getline l) > 0) n++; print n}"], text),
        (&["{print $1 > \"/dev/stderr\"}"], text),
        (&["BEGIN{\"echo a b\" | getline x; print x \"!\"}"], ""),
        (&["BEGIN { x[\"k\"]=1; delete x[\"k\"]; for (k in x) print k; print length(x) }"], ""),
        (&["BEGIN{print 1e6, 0.1+0.2, 1000000*10, 100/3}"], ""),
        (&["-F", "[:,]", "{print $2 $3}"], "a:b,c\n"),
        (&["{print $1,$2}", "OFS=-"], text),
        (&["{ if ($1 == \"a\") { print \"x\" } else print \"y\" }"], text),
        (&["BEGIN{print substr(\"hello\",-1) toupper(substr(\"x\",1))}"], ""),
        (&["BEGIN{exit} END{print \"end\"}"], ""),
        (&["BEGIN { print length() }\n# comment\n{ print length }"], text),
        (&["BEGIN{print -\"3x\" + 4, \"a\" > \"/dev/stdout\"}"], ""),
        (&["BEGIN{s=\"wodahs\";for(i=6;i;i--)printf substr(s,i,1)}"], ""),
        (&["BEGIN{print \"a\" \"b\" == \"ab\", 1 2 + 3}"], ""),
    ];
    let mut wrong = Vec::new();
    for (words, input) in rows {
        let Some(expected) = real(words, input) else { return };
        let got = printed(words, input);
        if got.as_ref() != Some(&expected) {
            wrong.push(format!("{words:?}\n  real {expected:?}\n  ours {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn output_that_depends_on_more_than_the_input_is_not_known() {
    for code in [
        "BEGIN{system(\"id\")}",
        "BEGIN{print rand()}",
        "BEGIN{\"date\" | getline d; print d}",
        "BEGIN{while(1) print \"x\"}",
        "BEGIN{getline l < \"other\"; print l}",
    ] {
        assert_eq!(printed(&[code], "x"), None, "{code}");
    }
}

#[test]
fn names_are_followed_through_functions_and_changes() {
    for (code, expected) in [
        ("function r(f){while((getline l<f)>0)print l}BEGIN{r(\"n\")}", "read n"),
        ("BEGIN{f=\"nX\";sub(/X/,\"o\",f);getline l<f}", "read no"),
        ("BEGIN{s=index(\"x\",\"x\")?\"n\":\"m\";getline y<s}", "read n"),
        ("BEGIN{match(\"xx/n\",/\\/.*/);getline y<substr(\"xx/n\",RSTART)}", "read /n"),
        ("BEGIN{OFS=\"/\";$1=\"a\";$2=\"n\";getline y<$0}", "read a/n"),
        ("BEGIN{print \"n\">\"l\";close(\"l\");getline f<\"l\";getline y<f}", "read n"),
        ("BEGIN{split(\"c n\",a,\"\");for(i=1;i in a;i++)s=s a[i];system(s)}", "shell c n"),
        ("{if($1==\"x\")f=\"n\"; else f=\"n\"; getline l<f}", "read n"),
        (
            "BEGIN{for(i in ENVIRON)if(i==\"TARGET\")system(\"cat \" ENVIRON[i])}",
            "shell cat host.example",
        ),
    ] {
        let got = found(Lang::Awk, code, &[]);
        assert!(got.iter().any(|effect| effect == expected), "{code}: {got:?}");
    }
}

#[test]
fn what_is_nested_too_deep_is_open() {
    for (open, close) in [("(", ")"), ("{", "}")] {
        let start = if open == "(" { "x=" } else { "if(1)" };
        let code = format!("BEGIN{{{start}{}system(\"id\"){}}}", open.repeat(60), close.repeat(60));
        let got = found(Lang::Awk, &code, &[]);
        assert!(got.iter().any(|effect| effect.starts_with("shell")), "{code}: {got:?}");
    }
}
