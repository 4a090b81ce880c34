//! Configuration, addresses, schedules, transfers.

use super::{check, found};
use aegish_profiles::Lang;
use aegish_values::Value;

#[test]
fn socat_addresses_are_found() {
    check(
        Lang::Socat,
        &[
            ("EXEC:sh", &["argv sh"]),
            ("EXEC:'bash -li',pty,stderr", &["argv bash|-li"]),
            ("exec:id -u,pty", &["argv id|-u"]),
            ("SYSTEM:id; ls,nofork", &["shell id; ls"]),
            ("TCP:h.example:81", &["connect h.example 81"]),
            ("tcp4-connect:h.example:81,crlf", &["connect h.example 81"]),
            ("OPENSSL:h.example:443,verify=0", &["connect h.example 443"]),
            ("UDP:h.example:53", &["connect h.example 53"]),
            ("TCP-LISTEN:81,reuseaddr,fork", &["listen  81"]),
            ("TCP4-LISTEN:81,bind=127.0.0.1", &["listen 127.0.0.1 81"]),
            ("FILE:/srv/k", &["read /srv/k"]),
            ("OPEN:/srv/k,creat,append", &["append /srv/k"]),
            ("CREATE:/srv/k", &["write /srv/k"]),
            ("/srv/k", &["read /srv/k"]),
            ("-", &[]),
            ("STDIO", &[]),
            ("PTY,link=x,raw", &[]),
            ("UNIX-CONNECT:/run/x.sock", &["read /run/x.sock"]),
        ],
    );
}

#[test]
fn git_settings_that_run_are_found() {
    check(
        Lang::GitConfig,
        &[
            ("core.pager=id", &["shell id"]),
            ("core.editor=id", &["shell id"]),
            ("core.sshCommand=id x", &["shell id x"]),
            ("core.fsmonitor=id", &["shell id"]),
            ("alias.x=!id", &["shell id"]),
            ("diff.external=id", &["shell id"]),
            ("diff.pdf.textconv=id", &["shell id"]),
            ("filter.f.smudge=id", &["shell id"]),
            ("credential.helper=!id", &["shell id"]),
            ("gpg.program=id", &["shell id"]),
            ("sequence.editor=id", &["shell id"]),
            ("core.hooksPath=/srv/h", &["directory /srv/h"]),
            ("core.fsmonitor=true", &[]),
            ("user.name=!id", &[]),
            ("core.autocrlf=input", &[]),
            ("pager.log=false", &[]),
            ("ssh.variant=simple", &[]),
            ("http.proxy=http://h.example", &[]),
        ],
    );
}

#[test]
fn ssh_options_that_run_are_found() {
    check(
        Lang::SshOption,
        &[
            ("ProxyCommand=id", &["shell exec id"]),
            ("ProxyCommand id -u", &["shell exec id -u"]),
            ("proxycommand = \"id\"", &["shell exec id"]),
            ("LocalCommand=id", &["shell id"]),
            ("KnownHostsCommand /bin/x", &["shell /bin/x"]),
            ("PKCS11Provider=/srv/x.so", &["load /srv/x.so"]),
            ("Match host x exec \"id -u\"", &["shell id -u"]),
            ("ProxyCommand none", &[]),
            ("StrictHostKeyChecking=no", &[]),
            ("PermitLocalCommand=yes", &[]),
            ("User ProxyCommand", &[]),
        ],
    );
}

#[test]
fn schedules_and_services_are_found() {
    check(
        Lang::Cron,
        &[
            ("*/5 * * * * id", &["shell id"]),
            ("@reboot id", &["shell id"]),
            ("0 3 * * 1-5 root id -u", &["shell id -u"]),
            ("PATH=/srv/bin\n0 0 1 jan * x", &["setenv PATH /srv/bin", "shell x"]),
            ("0 0 * * * date +\\%F%input", &["shell date +%F"]),
            ("0 0 * * * carol /usr/bin/x", &["shell carol /usr/bin/x", "shell /usr/bin/x"]),
            ("# 0 0 * * * id", &[]),
            ("", &[]),
        ],
    );
    check(
        Lang::Systemd,
        &[
            ("[Service]\nExecStart=/bin/sh -c 'id -u'", &["argv /bin/sh|-c|id -u"]),
            ("ExecStartPre=-+/bin/x", &["argv /bin/x"]),
            ("ExecStart=@/bin/x name arg", &["argv /bin/x|arg"]),
            ("Environment=A=b \"C=d e\"", &["setenv A b", "setenv C d e"]),
            ("ListenStream=0.0.0.0:81", &["listen 0.0.0.0 81"]),
            ("[Unit]\nDescription=ExecStart\nAfter=x", &[]),
            ("#ExecStart=/bin/x", &[]),
        ],
    );
}

#[test]
fn servers_and_manifests_are_found() {
    check(
        Lang::Nginx,
        &[
            ("http { server { listen 81; root /; } }", &["serve  /"]),
            ("server { listen 127.0.0.1:81; root /srv/www; }", &["serve 127.0.0.1 /srv/www"]),
            ("server { listen 8080; location / { proxy_pass http://a; } }", &["listen  8080"]),
            ("load_module /srv/x.so;", &["load /srv/x.so"]),
            ("# load_module x;\nuser www;", &[]),
        ],
    );
    let manifest = "{\"name\":\"scripts\",\"scripts\":{\"build\":\"one\",\"test\":\"two\",\"pretest\":\"three\"}}";
    assert_eq!(found(Lang::Json, manifest, &[]).len(), 3);
    assert_eq!(found(Lang::Json, manifest, &[Value::known("build")]), ["shell one"]);
    assert_eq!(found(Lang::Json, manifest, &[Value::known("test")]), ["shell two", "shell three"]);
    check(
        Lang::Json,
        &[
            ("{\"dependencies\":{\"x\":\"rm\"}}", &[]),
            ("[1, {\"scripts\": {\"a\": \"b\"}}]", &["shell b"]),
            ("{\"a\":{\"scripts\":{\"b\":\"c\"}}}", &[]),
        ],
    );
}

#[test]
fn transfers_and_mail_escapes_are_found() {
    check(
        Lang::Ftp,
        &[
            ("!id", &["shell id"]),
            (
                "open h.example 2121\nput /srv/k",
                &["connect h.example 2121", "send h.example /srv/k"],
            ),
            ("get x /srv/y", &["fetch ftp://?/x /srv/y"]),
            ("user a b; get d/x", &["fetch ftp://?/d/x x"]),
            ("lcd /srv\nbinary\nls", &[]),
            ("quit", &[]),
        ],
    );
    check(
        Lang::Mail,
        &[
            ("~!id", &["shell id"]),
            ("!id", &["shell id"]),
            ("~r /srv/k", &["read /srv/k"]),
            ("~<!id", &["shell id"]),
            ("~w /srv/o", &["append /srv/o"]),
            ("Dear x,\nhello ~!id\n~.", &[]),
        ],
    );
}
