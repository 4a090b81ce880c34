//! The seed's rules, effect by effect.

mod common;

use aegish_effects::{EffectKind, Invocation, Opaque, ShellEntry, Source, Taint, Value};
use common::*;

#[test]
fn shells_are_named_by_the_door_they_come_through() {
    let shell = |entry, invocation| EffectKind::Shell { entry, invocation };
    check(vec![
        (shell(ShellEntry::Interactive, Invocation::Indirect), "1a", "bbb"),
        (shell(ShellEntry::Interactive, Invocation::Direct), "1b", "bbb"),
        (shell(ShellEntry::Interactive, Invocation::Launched), "2", "bwb"),
        (shell(ShellEntry::Terminal, Invocation::Direct), "1b", "bbb"),
        (shell(ShellEntry::Terminal, Invocation::Indirect), "1b", "bbb"),
        (shell(ShellEntry::Networked, Invocation::Direct), "3", "bbb"),
        (shell(ShellEntry::Networked, Invocation::Indirect), "3", "bbb"),
        (EffectKind::IndirectRun { command: v("id") }, "2", "bbb"),
    ]);
}

#[test]
fn listeners_are_asked_about_unless_they_stay_on_this_machine() {
    let listen = |host: &str| EffectKind::Listen { host: v(host), port: v("4455") };
    check(vec![
        (listen(""), "3", "wwb"),
        (listen("0.0.0.0"), "3", "wwb"),
        (listen("10.1.1.1"), "3", "wwb"),
    ]);
    check_fine(vec![
        listen("127.0.0.1"),
        listen("localhost"),
        listen("::1"),
        listen("/run/user/1000/x.sock"),
    ]);
}

#[test]
fn secrets_are_not_read() {
    check(vec![
        (read("/etc/shadow"), "4", "bwb"),
        (read("/etc/shadow-"), "4", "bwb"),
        (read("/etc/gshadow"), "4", "bwb"),
        (read("/etc/sudoers"), "4", "bwb"),
        (read("/etc/sudoers.d/ops"), "4", "bwb"),
        (read("/var/backups/shadow.bak"), "4", "bwb"),
        (read("/etc/ssh/ssh_host_rsa_key"), "4", "bbb"),
        (read("/etc/ssl/private/site.key"), "4", "bbb"),
        (read("/etc/ssl/private/‹x›"), "4", "bbb"),
        (read("/home/kim/.ssh/id_ed25519"), "4", "bbb"),
        (read("/home/ada/.ssh/id_rsa"), "4", "bbb"),
        (read("/root/.ssh/id_rsa"), "4", "bbb"),
        (read("/home/kim/.ssh/work.pem"), "4", "bbb"),
        (read("/home/kim/.aws/credentials"), "4", "bbb"),
        (read("/home/kim/.config/gcloud/application_default_credentials.json"), "4", "bbb"),
        (read("/home/kim/.kube/config"), "4", "bbb"),
        (read("/home/kim/.docker/config.json"), "4", "bbb"),
        (read("/home/kim/.netrc"), "4", "bbb"),
        (read("/home/kim/.pgpass"), "4", "bbb"),
        (read("/home/kim/.my.cnf"), "4", "bbb"),
        (read("/home/kim/.git-credentials"), "4", "bbb"),
        (read("/home/kim/.gnupg/private-keys-v1.d/A.key"), "4", "bbb"),
        (read("/home/kim/.password-store/bank.gpg"), "4", "bbb"),
        (read("/home/kim/.config/gh/hosts.yml"), "4", "bbb"),
        (read("/home/kim/.vault-token"), "4", "bbb"),
        (read("/home/kim/.mozilla/firefox/ab.default/logins.json"), "4", "bbb"),
        (read("/home/kim/.config/google-chrome/Default/Login Data"), "4", "bbb"),
        (read("/home/kim/.bitcoin/wallet.dat"), "4", "bbb"),
        (read("/run/secrets/db_password"), "4", "bbb"),
        (read("/var/run/secrets/kubernetes.io/serviceaccount/token"), "4", "bbb"),
        (read("/etc/kubernetes/admin.conf"), "4", "bbb"),
        (read("/etc/krb5.keytab"), "4", "bbb"),
        (read("/etc/wireguard/wg0.conf"), "4", "bbb"),
        (read("/proc/1/environ"), "4", "bbb"),
        (read("/proc/4242/mem"), "4", "bbb"),
        (read("/proc/kcore"), "4", "bbb"),
        (read("/dev/mem"), "4", "bbb"),
        (read("/dev/sda1"), "4", "bwb"),
        (read("/home/kim/.npmrc"), "4", "www"),
    ]);
}

#[test]
fn paths_are_recognised_in_every_spelling() {
    check(vec![
        (read("//etc///shadow"), "4", "bwb"),
        (read("/etc/./ssh/../shadow"), "4", "bwb"),
        (read("/etc/shadow/"), "4", "bwb"),
        (read("/proc/self/root/etc/shadow"), "4", "bwb"),
        (read("/proc/1/root/etc/shadow"), "4", "bwb"),
        (read("/proc/self/cwd/../../../../etc/shadow"), "4", "bwb"),
        (read("../../../../etc/shadow"), "4", "bwb"),
        (read("../../../../../../../../etc/shadow"), "4", "bwb"),
        (read("../../.ssh/id_rsa"), "4", "bbb"),
        (read("~/.ssh/id_rsa"), "4", "bbb"),
        (read("~root/.ssh/id_rsa"), "4", "bbb"),
        (read("/mnt/disk/etc/shadow"), "4", "bwb"),
        (read("/private/etc/master.passwd"), "4", "bwb"),
        (read("/etc/sha*"), "4", "bwb"),
        (read("/???/sh?dow"), "4", "bwb"),
        (read("/etc/[r-t]hadow"), "4", "bwb"),
        (read("/*/shadow"), "4", "bwb"),
        (read("/e*/s*w"), "4", "bwb"),
        (read("/etc/sha‹x›dow"), "4", "bwb"),
        (read("/{etc|var}/shadow"), "4", "bwb"),
        (read("‹x›/.ssh/id_rsa"), "4", "bbb"),
        (read("‹x›/.aws/credentials"), "4", "bbb"),
        (read("/home/‹x›/.ssh/id_rsa"), "4", "bbb"),
        (read("/home/*/.ssh/id_*"), "4", "bbb"),
        (read("/home/kim/.ssh/*"), "4", "bbb"),
        (read("‹x›/etc/shadow"), "4", "bwb"),
    ]);
}

#[test]
fn trees_that_hold_secrets_are_not_read_and_wide_ones_are_asked_about() {
    check(vec![
        (read_tree("/home/kim/.ssh"), "4", "bbb"),
        (read_tree("~/.ssh/"), "4", "bbb"),
        (read_tree("/root"), "4", "bbb"),
        (read_tree("/etc/ssl/private"), "4", "bbb"),
        (read_tree("/home/kim/.aws"), "4", "bbb"),
        (read_tree("/home/kim/.gnupg"), "4", "bbb"),
        (read_tree("/etc"), "4", "bbb"),
        (read_tree("/"), "10", "www"),
        (read_tree("/home/kim"), "10", "www"),
        (read_tree("/home"), "10", "www"),
    ]);
    check_with("grep", vec![(read_tree("/etc"), "10", "www")]);
    check_fine(vec![
        read_tree("/etc/nginx"),
        read_tree("."),
        read_tree("src"),
        read_tree("/home/kim/src/app"),
        read_tree("/usr/include"),
        read_tree("/var/www"),
    ]);
}

#[test]
fn links_to_secrets_count_as_reads() {
    check(vec![
        (link("/home/kim/src/app/x", "/etc/shadow"), "4", "bwb"),
        (link("x", "/root/.ssh/id_rsa"), "4", "bbb"),
    ]);
    check_fine(vec![
        link("latest", "build/out"),
        link("/home/kim/bin/tool", "/home/kim/src/app/tool"),
    ]);
}

#[test]
fn the_metadata_service_is_not_asked() {
    check(vec![
        (fetch("http://169.254.169.254/latest/meta-data/"), "4", "bbb"),
        (fetch("http://2852039166/"), "4", "bbb"),
        (fetch_to("http://metadata.google.internal/v1/", "x"), "4", "bbb"),
        (EffectKind::Connect { host: v("169.254.169.254"), port: v("80") }, "4", "bbb"),
    ]);
}

#[test]
fn critical_files_are_not_written() {
    check(vec![
        (write("/etc/passwd"), "5", "bbb"),
        (append("/etc/shadow", Value::known("x")), "5", "bbb"),
        (write("/etc/sudoers.d/x"), "5", "bbb"),
        (write("/etc/pam.d/sshd"), "5", "bbb"),
        (write("/etc/ssh/sshd_config"), "5", "bbb"),
        (append("/home/kim/.ssh/authorized_keys", Value::known("ssh-ed25519 A")), "5", "bbb"),
        (append("‹x›/.ssh/authorized_keys", Value::known("k")), "5", "bbb"),
        (write("/root/.ssh/authorized_keys"), "5", "bbb"),
        (write("/etc/ld.so.preload"), "5", "bbb"),
        (write("/etc/cron.d/job"), "5", "bwb"),
        (write("/etc/cron.daily/‹x›"), "5", "bwb"),
        (write("/etc/crontab"), "5", "bwb"),
        (write("/var/spool/cron/crontabs/root"), "5", "bwb"),
        (write("/etc/profile.d/x.sh"), "5", "bwb"),
        (write("/etc/systemd/system/x.service"), "5", "bwb"),
        (write("/etc/rc.local"), "5", "bwb"),
        (write("/etc/udev/rules.d/9.rules"), "5", "bwb"),
        (write("/etc/hosts"), "5", "bwb"),
        (write("/usr/bin/ls"), "5", "bwb"),
        (write("/bin/tool"), "5", "bwb"),
        (write("/boot/grub/grub.cfg"), "5", "bwb"),
        (write("/lib/x86_64-linux-gnu/libc.so.6"), "5", "bwb"),
        (write("../../../../etc/passwd"), "5", "bbb"),
        (delete("/etc/passwd"), "5", "bbb"),
        (delete("/usr/bin/sudo"), "5", "bwb"),
        (delete_tree("/etc/nginx"), "5", "bwb"),
        (delete("/etc/*"), "5", "bbb"),
        (delete_tree("/home/kim/.ssh"), "5", "bbb"),
        (link("/usr/bin/python", "/home/kim/py"), "5", "bwb"),
        (link("/etc/cron.d/x", "/tmp/x"), "5", "bwb"),
    ]);
}

#[test]
fn critical_files_are_not_opened_to_others() {
    check(vec![
        (mode("644", "/etc/shadow"), "5", "bbb"),
        (mode("o+r", "/etc/shadow"), "5", "bbb"),
        (mode("666", "/etc/passwd"), "5", "bbb"),
        (mode("644", "/home/kim/.ssh/id_rsa"), "5", "bbb"),
        (mode("644", "/etc/nginx/nginx.conf"), "5", "wab"),
        (mode("777", "/usr/bin/tool"), "5", "bbb"),
    ]);
    check_fine(vec![
        mode("600", "/home/kim/.ssh/id_rsa"),
        mode("600", "/home/kim/.ssh/authorized_keys"),
        mode("644", "/home/kim/.ssh/id_rsa.pub"),
        mode("700", "/home/kim/.ssh"),
        mode_tree("go-rwx", "/home/kim/.gnupg"),
    ]);
}

#[test]
fn rights_are_not_gained_or_granted() {
    check(vec![
        (mode("4755", "x"), "6", "bbb"),
        (mode("02755", "x"), "6", "bbb"),
        (mode("u+s", "/home/kim/x"), "6", "bbb"),
        (mode("+s", "‹x›"), "6", "bbb"),
        (mode("g+s", "shared"), "6", "bbb"),
        (owner("root", "tool"), "6", "bwb"),
        (owner("root:root", "tool"), "6", "bwb"),
        (owner("0:0", "tool"), "6", "bwb"),
        (owner("kim", "/etc/shadow"), "6", "bwb"),
        (owner("‹x›", "/usr/bin/tool"), "6", "bwb"),
        (system("privilege", "./tool"), "6", "bbb"),
        (system("privilege", "kim"), "6", "bbb"),
    ]);
    check_fine(vec![
        owner("kim", "file"),
        owner_tree("kim:kim", "/home/kim/src/app"),
        owner("www-data:www-data", "/var/www/site"),
        owner("git:git", "/var/opt/forge/data"),
        mode("755", "run.sh"),
        mode("+x", "run.sh"),
        mode("u-s", "tool"),
        mode_tree("u+rwX", "build"),
    ]);
}

#[test]
fn files_and_output_do_not_leave_the_machine() {
    let url = "https://files.example.net/up";
    let file = |path: &str| from(Source::File(path.to_owned()));
    let program = |name: &str| from(Source::Program(name.to_owned()));
    check(vec![
        (send_file("/etc/shadow", url), "7", "bbb"),
        (send_file("/home/kim/.ssh/id_rsa", "10.0.0.7"), "7", "bbb"),
        (send_file(".env", url), "7", "bbb"),
        (send_file("/etc/passwd", url), "7", "bbb"),
        (send_file("/etc/hostname", url), "7", "bbb"),
        (send_file("/var/log/app.log", url), "7", "bbb"),
        (send_file("report.pdf", url), "7", "bbb"),
        (send_file("‹x›", url), "7", "bbb"),
        (send_output(file("/etc/shadow"), "203.0.113.5"), "7", "bbb"),
        (send_output(file("notes.txt"), "203.0.113.5"), "7", "bbb"),
        (send_output(program("ps"), "203.0.113.5"), "7", "bbb"),
        (send_text(program("whoami"), url), "7", "bbb"),
        (send_text(file("/etc/hosts"), url), "7", "bbb"),
        (send_text(from(Source::Environment("API_TOKEN".to_owned())), url), "7", "bbb"),
        (send_text(Taint::none(), url), "7", "wwb"),
        (send_text(program("date"), url), "7", "wwb"),
        (send_text(from(Source::Environment("USER".to_owned())), url), "7", "wwb"),
        (EffectKind::Serve { host: v(""), root: v(".") }, "7", "bwb"),
        (EffectKind::Serve { host: v("0.0.0.0"), root: v(".") }, "7", "bwb"),
    ]);
    check_with(
        "scp",
        vec![
            (send_file("/etc/shadow", "ada@files.example.net:x"), "7", "bbb"),
            (send_file("/etc/nginx/nginx.conf", "ada@files.example.net:x"), "7", "bbb"),
            (send_file("/home/kim", "ada@files.example.net:x"), "7", "bbb"),
            (send_file("build.tgz", "ada@files.example.net:x"), "7", "wab"),
            (send_file("/home/kim/docs/a.pdf", "nas.local:x"), "7", "wab"),
        ],
    );
    check_fine(vec![
        send_file("report.pdf", "http://localhost:8080/up"),
        send_file("/etc/hosts", "127.0.0.1"),
        send_file("letter.pdf", ""),
        send_text(Taint::none(), "http://localhost:3000/api"),
        send_text(Taint::none(), "http://192.168.1.20/api"),
        EffectKind::Serve { host: v("127.0.0.1"), root: v(".") },
        EffectKind::Serve { host: v("localhost"), root: v("public") },
    ]);
}

#[test]
fn foreign_libraries_are_not_loaded() {
    check(vec![
        (EffectKind::Load { library: v("/usr/lib/libx.so") }, "8", "bbb"),
        (EffectKind::Load { library: v("./x.so") }, "8", "bbb"),
        (setenv("LD_PRELOAD", "./x.so"), "8", "bbb"),
        (setenv("LD_AUDIT", "/tmp/x.so"), "8", "bbb"),
        (setenv_v("LD_PRELOAD", "‹x›"), "8", "bbb"),
        (setenv("DYLD_INSERT_LIBRARIES", "x.dylib"), "8", "bbb"),
        (setenv_v("LD_LIBRARY_PATH", "/tmp/lib:‹x›"), "8", "bbb"),
        (setenv("LD_LIBRARY_PATH", "."), "8", "wwb"),
        (setenv("LD_LIBRARY_PATH", "../lib"), "8", "wwb"),
    ]);
    check_fine(vec![
        setenv("LD_PRELOAD", ""),
        setenv("LD_LIBRARY_PATH", "./lib"),
        setenv_v("LD_LIBRARY_PATH", "/usr/local/cuda/lib64:‹x›"),
        setenv_v("LD_LIBRARY_PATH", "/home/kim/.local/lib:‹x›"),
        setenv_v("LD_LIBRARY_PATH", "‹x›/lib:‹y›"),
    ]);
}

#[test]
fn downloads_are_not_run_and_saving_them_is_asked_about() {
    check(vec![
        (EffectKind::RunFetched { origin: "https://get.example.net/i.sh".to_owned() }, "9", "bbb"),
        (hidden(Opaque::Code, net()), "9", "bbb"),
        (hidden(Opaque::Script, net()), "9", "bbb"),
        (hidden(Opaque::CommandName, net()), "9", "bbb"),
        (fetch_to("https://dl.example.net/x.tgz", "x.tgz"), "11", "www"),
        (fetch_to("http://10.2.3.4/x.tgz", "/tmp/x.tgz"), "11", "www"),
        (fetch("https://api.example.net/v1"), "11", "aaw"),
        (EffectKind::Connect { host: v("db.example.net"), port: v("5432") }, "11", "aaw"),
    ]);
    check_with("git", vec![(fetch_to("https://git.example.net/a.git", "a"), "11", "aaw")]);
    check_fine(vec![fetch_to("http://localhost:9000/x", "x"), fetch("https://api.example.net/v1")]);
}

#[test]
fn looking_around_is_asked_about() {
    check(vec![
        (system("recon processes", ""), "10", "www"),
        (system("recon privileged-files", "/"), "10", "www"),
        (read("/etc/passwd"), "10", "waw"),
        (read("/etc/group"), "10", "waw"),
        (read("/home/kim/.bash_history"), "10", "www"),
        (read("/var/log/auth.log"), "10", "waw"),
    ]);
}

#[test]
fn doubtful_places_are_asked_about_and_others_are_not() {
    check(vec![
        (write("/usr/local/bin/tool"), "12", "wab"),
        (write("/opt/app/bin/run"), "12", "wab"),
        (link("/usr/local/bin/tool", "/home/kim/tool"), "12", "wab"),
        (delete_tree("/opt/app"), "12", "wab"),
        (write("/var/lib/app/data"), "12", "wab"),
        (mode("777", "shared"), "12", "wwb"),
        (mode("a+w", "notes"), "12", "wwb"),
        (write("/srv/data/x"), "12", "aaw"),
        (write("/mnt/usb/x"), "12", "aaw"),
    ]);
}
