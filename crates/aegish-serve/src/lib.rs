//! The guard as a local daemon: a Unix socket, and HTTP on loopback if that is wanted.
//!
//! Takes requests for verdicts and answers with the objects of [`aegish_verdict`]; streams decisions, counts them, and
//! shows them on a small page. The socket answers processes of its own user and of root only. HTTP needs a token that
//! is made for the run. Nothing is run here and no model is asked.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

pub mod access;
mod answers;
mod assets;
mod listen;
mod metrics;
mod record;
mod requests;
mod routes;
mod sessions;
mod state;

pub use routes::ROUTES;

use aegish_verdict::Checker;
use listen::PeerListener;
use serde::Serialize;
use state::ServerState;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Room for the deepest nesting that the parser accepts.
pub const STACK: usize = 8 << 20;
/// How long requests under way may take after the signal to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// What the daemon needs from the program around it.
pub trait Backend: Send + Sync + 'static {
    /// The settings in force: at the start, on SIGHUP and after a change of grants.
    ///
    /// # Errors
    /// If they cannot be used.
    fn load(&self) -> Result<Checker, String>;

    /// Saves rules that allow commands like this one for some minutes.
    ///
    /// # Errors
    /// If no rule can do that.
    fn grant(&self, command: &str, cwd: Option<&str>, minutes: u32) -> Result<Vec<Grant>, String>;

    /// Rules with an end that count now.
    ///
    /// # Errors
    /// If they cannot be read.
    fn grants(&self) -> Result<Vec<Grant>, String>;

    /// Takes a rule away.
    ///
    /// # Errors
    /// If there is none of this name, or it cannot be removed.
    fn revoke(&self, name: &str) -> Result<(), String>;
}

/// A rule that counts for some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// Its name.
    pub name: String,
    /// The rule in words.
    pub rule: String,
    /// When it ends.
    pub until: String,
}

/// Where to listen.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The Unix socket.
    pub socket: PathBuf,
    /// A loopback address for HTTP; port 0 is any free one.
    pub http: Option<SocketAddr>,
    /// Threads that answer; all cores if none.
    pub threads: Option<usize>,
    /// Who may give grants.
    pub grants: GrantAccess,
}

/// Who may give grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantAccess {
    /// Nobody.
    None,
    /// The page, with the token of the run.
    Page,
}

/// Where the daemon listens.
#[derive(Debug, Clone)]
pub struct Ready {
    /// The Unix socket.
    pub socket: PathBuf,
    /// The page, with the token in its fragment.
    pub page: Option<String>,
}

/// Runs a future on a runtime whose threads have room for the parser.
///
/// # Errors
/// If no threads can be started, or the future fails.
pub fn on_runtime<T>(
    threads: Option<usize>,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads.max(1));
    }
    let runtime = builder.enable_all().thread_stack_size(STACK).build();
    runtime.map_err(|error| format!("no threads could be started: {error}"))?.block_on(work)
}

/// Serves until SIGTERM or SIGINT; reads the settings again on SIGHUP.
///
/// # Errors
/// If the settings cannot be read at the start, or an address cannot be used.
pub fn run(
    options: &ServeOptions,
    backend: impl Backend,
    ready: impl FnOnce(&Ready),
) -> Result<(), String> {
    on_runtime(options.threads, serve(options, Arc::new(backend), ready))
}

async fn serve(
    options: &ServeOptions,
    backend: Arc<dyn Backend>,
    ready: impl FnOnce(&Ready),
) -> Result<(), String> {
    let state = Arc::new(ServerState::new(backend)?);
    let socket = PeerListener::bind(&options.socket)?;
    let signals = Signals::new()?;
    let (stop, stopped) = watch::channel(false);
    let mut servers = tokio::task::JoinSet::new();
    let mut page = None;
    if let Some(address) = options.http {
        access::loopback_only(address)?;
        let token = access::Token::random()?;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| format!("{address} cannot be used: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        page = Some(format!("http://{address}/#token={}", token.as_str()));
        let router = access::guarded(
            routes::router(state.clone(), routes::Reach::Page(options.grants)),
            token,
        );
        let end = ended(stopped.clone());
        servers
            .spawn(async move { axum::serve(listener, router).with_graceful_shutdown(end).await });
    }
    let router = routes::router(state.clone(), routes::Reach::Socket);
    let end = ended(stopped);
    servers.spawn(async move { axum::serve(socket, router).with_graceful_shutdown(end).await });
    ready(&Ready { socket: options.socket.clone(), page });
    signals.until_stopped(&state).await;
    let _ = stop.send(true);
    state.end_streams();
    // Whoever does not finish in time is cut off.
    let all = async { while servers.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FAREWELL, all).await;
    let _ = std::fs::remove_file(&options.socket);
    Ok(())
}

async fn ended(mut stopped: watch::Receiver<bool>) {
    // An error means that the sender is gone, which is an end as well.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

struct Signals {
    end: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    reload: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> Result<Self, String> {
        let listen = |kind| signal(kind).map_err(|error| format!("no signals: {error}"));
        Ok(Self {
            end: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            reload: listen(SignalKind::hangup())?,
        })
    }

    async fn until_stopped(mut self, state: &ServerState) {
        loop {
            tokio::select! {
                _ = self.end.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.reload.recv() => state.reload(),
            }
        }
    }
}
