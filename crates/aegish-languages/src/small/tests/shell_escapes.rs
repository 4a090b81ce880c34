//! Lines that run a command, names that become paths, actions bound to keys, juxtaposed calls.

use super::{check, found};
use aegish_profiles::Lang;

#[test]
fn lines_that_run_are_found_among_lines_that_do_not() {
    check(
        Lang::Runscript,
        &[
            ("! id -u\nsend hello", &["shell id -u"]),
            ("again: !< date", &["shell date"]),
            ("send \"! id\"\nexpect { \"x\" }", &[]),
        ],
    );
    check(
        Lang::Procmail,
        &[
            (":0\n* ^To: a\n| id", &["shell id"]),
            (":0\n* ? test -f x\nlists/a", &["shell test -f x", "append lists/a"]),
            ("DAY=`date`", &["shell date"]),
            ("# | id\nMAILDIR=x", &[]),
        ],
    );
    check(
        Lang::Rsyslog,
        &[
            ("*.* ^/opt/x;fmt", &["argv /opt/x"]),
            (":msg, contains, \"^/opt/y\" /var/log/a", &["append /var/log/a"]),
            ("action(type=\"omprog\" binary=\"/opt/x -v\")", &["shell /opt/x -v"]),
            ("module(load=\"imuxsock\")\n# *.* ^/opt/x", &[]),
        ],
    );
    check(
        Lang::Toprc,
        &[
            ("pipe\tname\tid -u", &["shell id -u"]),
            ("file\tname\t/srv/k", &["read /srv/k"]),
            ("Id:i, Mode_altscr=0\npipe name id", &[]),
        ],
    );
    check(
        Lang::Roff,
        &[
            (".sy id", &["shell id"]),
            (".PS\nsh X id X\n.PE\nsh X ls X", &["shell id"]),
            (".so /srv/k", &["read /srv/k"]),
            (".SH NAME\nrun .sy id at once", &[]),
        ],
    );
    check(
        Lang::Logrotate,
        &[
            ("/a {\n postrotate\n id\n endscript\n}", &["eval shell  id\n"]),
            ("/a {\n rotate 4\n}", &[]),
        ],
    );
    check(
        Lang::Fail2ban,
        &[
            ("actionban = id\n  ls", &["shell id", "shell ls"]),
            ("[Definition]\naction = x\nfailregex = a", &[]),
        ],
    );
    check(
        Lang::Cobol,
        &[
            ("CALL \"SYSTEM\" USING \"id\".", &["shell id"]),
            ("call 'system' using WS-X", &["shell ?"]),
            ("DISPLAY \"CALL SYSTEM\".\nCALL \"SUB1\" USING \"id\"", &[]),
        ],
    );
    check(
        Lang::Debugfs,
        &[("!id", &["shell id"]), ("dump /a /srv/k", &["write /srv/k"]), ("stat <8>", &[])],
    );
    check(
        Lang::FfmpegFilter,
        &[
            ("scale=1:2,drawtext=textfile=/srv/k:x=1", &["read /srv/k"]),
            ("[0:v]subtitles=/srv/k[v]", &["read /srv/k"]),
            ("drawtext=text=/srv/k,overlay=1:2", &[]),
        ],
    );
    check(
        Lang::Lessopen,
        &[
            ("|lesspipe %s", &["shell lesspipe %s"]),
            ("echo /srv/k", &["shell echo /srv/k", "read /srv/k"]),
            ("|echo /srv/k", &["shell echo /srv/k"]),
        ],
    );
}

#[test]
fn names_that_leave_their_directory_are_paths() {
    check(Lang::InitScript, &[("../../srv/x", &["argv /srv/x"]), ("nginx", &[]), ("", &[])]);
    check(
        Lang::SysctlName,
        &[
            ("/../../srv/k", &["read /srv/k"]),
            ("../../srv/k=1", &["write /srv/k"]),
            ("net.ipv4.ip_forward=1", &[]),
            ("net/ipv4/conf/all", &[]),
        ],
    );
    check(Lang::VariableName, &[("}; id #", &["shell id #"]), ("DOWNLOAD", &[]), ("A}", &[])]);
    check(
        Lang::NmapArgs,
        &[
            ("http-put.url=/,http-put.file=/srv/k", &["read /srv/k", "send ? /srv/k"]),
            ("http.useragent=x,smbuser=a", &[]),
        ],
    );
    check(
        Lang::TarTransform,
        &[
            ("s,.*,/srv/k,", &["write /srv/k"]),
            ("s|^a|b|;s@.*@/srv/&@g", &["write /srv/?"]),
            ("s,^old/,new/,", &[]),
        ],
    );
    check(Lang::ProgramDir, &[("/usr/bin/", &["argv /usr/bin/sh"]), ("/etc/cron.daily", &[])]);
}

#[test]
fn actions_and_juxtaposed_calls_are_found() {
    check(
        Lang::FzfBind,
        &[
            ("a:execute(id)+abort,b:become:ls -l", &["eval shell id", "eval shell ls -l"]),
            ("a:reload{ls (x)},b:down", &["eval shell ls (x)"]),
            ("a:toggle-all,b:change-prompt(execute(id))", &[]),
        ],
    );
    check(
        Lang::Haskell,
        &[
            ("System.Process.callCommand \"id\"", &["shell id"]),
            ("callProcess \"id\" [\"-u\", \"-n\"]", &["argv id|-u|-n"]),
            ("readFile $ \"/srv/\" ++ \"k\"", &["read /srv/k"]),
            ("-- callCommand \"id\"\nputStrLn \"system\"", &[]),
        ],
    );
    check(
        Lang::Ocaml,
        &[
            ("let _ = Sys.command \"id\";;", &["shell id"]),
            ("Unix.execvp \"id\" [|\"id\"; \"-u\"|]", &["argv id|-u"]),
            ("(* Sys.command \"id\" *) print_endline \"x\"", &[]),
        ],
    );
    check(
        Lang::Elvish,
        &[
            ("echo (slurp <$E:K)", &["eval shell echo $(cat <${K})"]),
            ("e:ls '('", &["eval shell ls '('"]),
        ],
    );
}

#[test]
fn no_input_makes_a_line_reader_panic() {
    let pieces = [
        "\"", "(", "[", "{", "é", "\\", ":", "!", "execute", "$E:", "s,", "sh ", "\n", "CALL", "=",
    ];
    let mut text = String::new();
    for index in 0..600usize {
        text.push_str(pieces.get(index * index % pieces.len()).copied().unwrap_or(""));
        if index % 50 == 0 {
            for lang in Lang::ALL {
                found(*lang, &text, &[]);
            }
        }
    }
}
