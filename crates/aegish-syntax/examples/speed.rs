//! Prints how long ordinary commands and hostile texts take. Run it with `--release`.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

const ORDINARY: &[&str] = &[
    "ls -la | grep x",
    "ls -la",
    "git commit -m \"a message\" && git push origin main",
    "find . -name '*.rs' -exec grep -n foo {} \\; 2>/dev/null | sort | uniq -c",
    "for f in *.txt; do echo \"${f%.txt}\" $(wc -l < \"$f\"); done",
    "if [[ -f \"$1\" && $2 == a* ]]; then cat <<E\n$x\nE\nfi",
];

const HOSTILE: &[(&str, &str)] = &[
    ("(", ")"),
    ("((", "))"),
    ("( ", " )"),
    ("$(", ")"),
    ("$((", "))"),
    ("${a[", "]}"),
    ("${a[", "}"),
    ("${a-", "}"),
    ("\"${a-", "}\""),
    ("`", "`"),
    ("`\\", "`"),
    ("<(", ")"),
    ("@(", ")"),
    ("!(", ")"),
    ("{ ", "; }"),
    ("{", "}"),
    ("if ", "; then a; fi;"),
    ("a=(", ")"),
    ("a[$(", ")]=1"),
    ("$[", "]"),
    ("((a);", ")"),
    ("$((a);", ")"),
    ("$((a)", " )"),
    ("<<E$[\t\t", ""),
    ("<<E\n$(", ")\nE\n"),
    ("!($(", "))"),
    ("\"${a-'", "'}\""),
    ("[[ (", ") ]]"),
    ("$(( ${a-", "} ))"),
    ("a;", ""),
    ("a\n", ""),
    ("a|", "a"),
    ("a&&", "a"),
    ("$(a) ", ""),
    ("`a` ", ""),
    ("'a' ", ""),
    ("$((a)) ", ""),
    ("((a));", ""),
    ("((a);(b));", ""),
    ("$((a);(b)) ", ""),
    ("a <<E\nb\nE\n", ""),
    ("a <<E $(b)\nc\nE\n", ""),
    ("<<E ", ""),
    ("<<E\n", ""),
    ("a=b ", ""),
    ("\\\n", ""),
    ("\\a", ""),
    ("@(a|b) ", ""),
    ("!(a);", ""),
    ("!(a;", ")"),
    ("! ", ""),
    ("$(cat <<E) ", "\nE\n"),
    ("a[1]=2 ", ""),
    ("a[1] ", ""),
    ("[[ a ]];", ""),
    ("[[ a =~ (a) ]];", ""),
    ("$(( $(", ") ))"),
    ("((a[$(", ")]))"),
    ("@(a|@(", "))"),
    ("\"$(", ")\""),
    ("x@(", ""),
    ("${a/", ""),
    ("'", ""),
    ("\"", ""),
    ("\"${a-'b'}\" ", ""),
    ("coproc ", ""),
    ("time ", ""),
    ("\t", ""),
    ("#\n", ""),
    ("case x in x) ", " esac"),
    ("f() ", "{ a; }"),
    ("<<-E\n\t$(", ")\n\tE\n"),
    ("$'\\x24' ", ""),
    ("{a[", "]}>f"),
    ("\"${a-$'\\x24(", ")'}\""),
    ("(( ${", ""),
    ("coproc a", ""),
    ("coproc a ", ""),
    ("{a", ""),
    ("1", ""),
];

fn main() {
    for text in ORDINARY {
        let rounds = 200_000;
        let start = Instant::now();
        for _ in 0..rounds {
            black_box(aegish_syntax::parse(black_box(text)));
        }
        println!("{:6} ns  {text:?}", start.elapsed().as_nanos() / rounds);
    }
    for (open, close) in HOSTILE {
        for times in [45, 1_000, (1 << 20) / (open.len() + close.len())] {
            for text in [
                open.repeat(times),
                format!("{}a{}", open.repeat(times), close.repeat(times)),
                format!(": {}a{}", open.repeat(times), close.repeat(times)),
                format!("{} {}", open.repeat(45), "a ".repeat((1 << 19) - 5_000)),
                format!(
                    "{}{}{}",
                    open.repeat(45),
                    "a ".repeat((1 << 19) - 5_000),
                    close.repeat(45)
                ),
            ] {
                let start = Instant::now();
                let script = black_box(aegish_syntax::parse(black_box(&text)));
                let time = start.elapsed();
                if time.as_millis() > 40 {
                    let error = script.error.map(|error| error.message);
                    println!("{time:?} for {open:?} × {times} ({} bytes) {error:?}", text.len());
                }
            }
        }
    }
}
