//! The Unix socket. Connections of other users are closed before a byte is read.

use axum::serve::Listener;
use nix::unistd::geteuid;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::time::Duration;
use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixStream};

/// How long to wait when the machine has no room for another connection.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct PeerListener {
    inner: UnixListener,
    own: u32,
}

impl PeerListener {
    /// Takes the path. A socket that nobody answers at is replaced; anything else there is left alone.
    pub(crate) fn bind(path: &Path) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{} cannot be used: {error}", path.display());
        if let Ok(found) = fs::symlink_metadata(path) {
            if !found.file_type().is_socket() {
                return Err(format!("{} is not a socket", path.display()));
            }
            if StdUnixStream::connect(path).is_ok() {
                return Err(format!("another daemon answers at {}", path.display()));
            }
            fs::remove_file(path).map_err(failed)?;
        }
        if let Some(dir) = path.parent().filter(|dir| !dir.exists()) {
            fs::create_dir_all(dir).map_err(failed)?;
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        }
        let inner = UnixListener::bind(path).map_err(failed)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(Self { inner, own: geteuid().as_raw() })
    }

    fn is_known(&self, stream: &UnixStream) -> bool {
        may_speak(self.own, stream.peer_cred().ok().map(|peer| peer.uid()))
    }
}

/// The user itself and root.
fn may_speak(own: u32, peer: Option<u32>) -> bool {
    peer.is_some_and(|uid| uid == own || uid == 0)
}

impl Listener for PeerListener {
    type Io = UnixStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (UnixStream, SocketAddr) {
        loop {
            match self.inner.accept().await {
                Ok((stream, address)) if self.is_known(&stream) => return (stream, address),
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}

#[cfg(test)]
mod tests {
    use super::may_speak;

    #[test]
    fn only_the_own_user_and_root_are_answered() {
        assert!(may_speak(1000, Some(1000)) && may_speak(1000, Some(0)));
        assert!(!may_speak(1000, Some(1001)) && !may_speak(0, Some(1000)));
        assert!(!may_speak(1000, None));
    }
}
