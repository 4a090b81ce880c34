//! A real OpenSSH server on the loopback, with its own `/etc`: two users whose login shell is aegish, a key
//! for them, and a client. Nothing remains after the tests.

use crate::run::{self, Seen, TIMEOUT};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

const SFTP: [&str; 3] = [
    "/usr/lib/openssh/sftp-server",
    "/usr/libexec/openssh/sftp-server",
    "/usr/lib/ssh/sftp-server",
];

/// Ends with its standard input, even if the tests crash.
const MACHINE: &str = r#"
set -e
mount --make-rprivate /
cp -a /etc "$1/etc"
rm -rf "$1/etc/aegish"
mount --bind "$1/etc" /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 755 /run/sshd
for user in kim forced; do
    useradd -m -p '*' -d "$1/home/$user" -s "$1/bin/aegish" "$user"
done
useradd -m -p '*' -d "$1/home/plain" -s /bin/bash plain
if [ -e "$1/config" ]; then
    mkdir -m 755 /etc/aegish
    install -m 644 "$1/config" /etc/aegish/config
    for user in kim forced; do
        install -m 600 -o "$user" /dev/null "$1/log/$user.log"
    done
fi
ssh-keygen -q -t ed25519 -N '' -f "$1/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$1/key"
chmod 644 "$1/key.pub"
"$2" -D -e -f "$1/sshd_config" 2> "$1/sshd.log" &
echo ready
read -r _ || true
kill "$!"
wait
rm -rf "$1"
"#;

/// A server that runs.
pub(crate) struct Server {
    pub(crate) dir: PathBuf,
    port: u16,
    /// As long as this is open, it runs.
    _alive: ChildStdin,
}

/// A server in development mode; `None` if this machine cannot run one.
pub(crate) fn development() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| Server::start("development", None)).as_ref()
}

/// A server in production mode.
pub(crate) fn production() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| Server::start("production", Some("AEGISH_MODE=production\n"))).as_ref()
}

impl Server {
    fn start(name: &str, config: Option<&str>) -> Option<Self> {
        let sshd = ["/usr/sbin/sshd", "/usr/bin/sshd"].into_iter().find(|p| Path::new(p).exists());
        let sftp = SFTP.into_iter().find(|path| Path::new(path).exists());
        let (Some(sshd), Some(sftp)) = (sshd, sftp) else {
            println!("skipped: there is no sshd");
            return None;
        };
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("aegish-ssh-{}-{name}", std::process::id()));
        for part in ["", "bin", "home", "log"] {
            fs::create_dir_all(dir.join(part)).unwrap();
            fs::set_permissions(dir.join(part), fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::copy(env!("CARGO_BIN_EXE_aegish"), dir.join("bin/aegish")).unwrap();
        fs::set_permissions(dir.join("bin/aegish"), fs::Permissions::from_mode(0o755)).unwrap();
        let port = free_port();
        let shown = dir.display();
        let settings = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {shown}/host_key\n\
             AuthorizedKeysFile {shown}/key.pub\nPidFile none\nUsePAM no\nStrictModes no\n\
             PasswordAuthentication no\nMaxStartups 100\nMaxSessions 100\nAcceptEnv GREETING\n\
             Subsystem sftp {sftp}\n\
             Match User forced\n  ForceCommand echo \"forced, asked for <$SSH_ORIGINAL_COMMAND>\"\n"
        );
        fs::write(dir.join("sshd_config"), settings).unwrap();
        if let Some(config) = config {
            fs::write(dir.join("config"), format!("{config}AEGISH_AUDIT_DIR={shown}/log\n"))
                .unwrap();
        }
        let mut command = Command::new("unshare");
        command.args(["-m", "bash", "-c", MACHINE, "machine"]).arg(&dir).arg(sshd);
        command
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let mut first = String::new();
        let _ = BufReader::new(child.stdout.take().unwrap()).read_line(&mut first);
        let server = Self { dir, port, _alive: child.stdin.take().unwrap() };
        if first != "ready\n" {
            let mut errors = String::new();
            let _ = child.stderr.take().unwrap().read_to_string(&mut errors);
            println!("skipped: no machine of our own: {errors}");
            let _ = fs::remove_dir_all(&server.dir);
            return None;
        }
        run::until("the server answers", || server.answers());
        Some(server)
    }

    fn answers(&self) -> bool {
        let mut greeting = [0; 4];
        let stream = TcpStream::connect(("127.0.0.1", self.port));
        stream.and_then(|mut stream| stream.read_exact(&mut greeting)).is_ok()
            && &greeting == b"SSH-"
    }

    /// The options with which a client connects to it; `port` is the program's option for the port.
    pub(crate) fn options(&self, port: &str) -> Vec<String> {
        let mut words: Vec<String> = ["-F", "none", "-i"].map(str::to_owned).to_vec();
        words.push(self.dir.join("key").to_string_lossy().into_owned());
        words.extend([port.to_owned(), self.port.to_string()]);
        for option in [
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "LogLevel=ERROR",
            "BatchMode=yes",
        ] {
            words.extend(["-o".to_owned(), option.to_owned()]);
        }
        words
    }

    /// The same as one text, for programs that start ssh.
    pub(crate) fn transport(&self) -> String {
        format!("ssh {}", self.options("-p").join(" "))
    }

    /// A client program with these words before its own.
    pub(crate) fn client(&self, program: &str, port: &str) -> Command {
        let mut command = Command::new(program);
        command.args(self.options(port)).current_dir(&self.dir).env_remove("SSH_AUTH_SOCK");
        command
    }

    /// `ssh USER@here WORDS`
    pub(crate) fn ssh(&self, user: &str, words: &[&str], input: Option<&[u8]>) -> Seen {
        let mut command = self.client("ssh", "-p");
        command.arg(format!("{user}@127.0.0.1")).args(words);
        run::finish(command, input)
    }

    pub(crate) fn home(&self, user: &str) -> PathBuf {
        self.dir.join("home").join(user)
    }
}

fn free_port() -> u16 {
    let began = Instant::now();
    loop {
        if let Ok(listener) = TcpListener::bind("127.0.0.1:0") {
            return listener.local_addr().unwrap().port();
        }
        assert!(began.elapsed() < TIMEOUT, "no free port");
    }
}
