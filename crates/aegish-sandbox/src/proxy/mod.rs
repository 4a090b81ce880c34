//! A proxy for the programs of one session, which lets them reach the hosts of a list by name.
//!
//! Programs cannot connect elsewhere: the supervisor makes their connections, and makes this one. It tells the proxy which
//! connections these are; all others are closed unanswered. The proxy resolves names by itself, so that a program cannot
//! say that a name stands for another address. Over a tunnel, the host that TLS names has to be the one that was asked for.

mod hello;
mod request;

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aegish_policy::{AllowedHost, stays_inside};
use nix::unistd::Pid;

use crate::supervisor::{ExecutionJudge, in_background};
use hello::Hello;
use request::{Content, Kind, Request};

/// The most connections at once.
const MOST: usize = 512;
/// How long a client may take for its request, and a host for a connection.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a connection may be unknown: the supervisor tells of it when it has made it.
const UNKNOWN: Duration = Duration::from_secs(2);
/// The port at which TLS is spoken and nothing else.
const TLS: u16 = 443;

/// The proxy of a session.
#[derive(Debug)]
pub struct Proxy {
    hosts: Vec<AllowedHost>,
    listener: TcpListener,
    address: SocketAddr,
    /// Connections that the supervisor made and that were not answered yet, with who asked for them.
    expected: Mutex<HashMap<SocketAddr, Pid>>,
    more: Condvar,
    running: AtomicUsize,
    closed: AtomicBool,
}

/// Why a request was not fulfilled.
enum Failed {
    /// The list has no such host. What may be added to it, if something may.
    Refused(String, Option<String>),
    /// The host cannot be reached.
    Unreachable(io::Error),
    /// It is not a request to a proxy.
    Bad(io::Error),
}

impl Proxy {
    /// A proxy for these hosts.
    ///
    /// # Errors
    ///
    /// If there is no port to be had.
    pub fn new(hosts: Vec<AllowedHost>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        Ok(Self {
            hosts,
            listener,
            address,
            expected: Mutex::default(),
            more: Condvar::new(),
            running: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        })
    }

    /// Variables that tell programs of it.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let url = format!("http://{}", self.address);
        let direct = match self.hosts.iter().any(AllowedHost::is_this_machine) {
            true => "localhost,127.0.0.1,::1",
            false => "",
        };
        let names =
            ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        let mut all: Vec<_> = names.into_iter().map(|name| (name, url.clone())).collect();
        all.extend(["no_proxy", "NO_PROXY"].map(|name| (name, direct.to_owned())));
        // Node reads these variables only if it is told to.
        all.push(("NODE_USE_ENV_PROXY", "1".to_owned()));
        all
    }

    /// Whether programs may connect to this address: to the proxy, and to what the list has of this machine.
    pub(crate) fn opens(&self, address: IpAddr, port: u16) -> bool {
        let canonical = address.to_canonical();
        let here = canonical.is_loopback() || canonical.is_unspecified();
        let listed = here && self.hosts.iter().any(|host| host.opens_own_port(port));
        self.is_at(address, port) && !self.closed.load(Ordering::Relaxed) || listed
    }

    /// Whether the proxy is there.
    pub(crate) fn is_at(&self, address: IpAddr, port: u16) -> bool {
        (address.to_canonical(), port) == (self.address.ip(), self.address.port())
    }

    /// The supervisor made a connection from this address, which leads to the proxy.
    pub(crate) fn expect(&self, from: SocketAddr, caller: Pid) {
        let mut expected = self.expected();
        if expected.len() >= MOST {
            expected.clear();
        }
        expected.insert(from, caller);
        self.more.notify_all();
    }

    /// No connection may be made to it any more: the process that answers is about to end.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn expected(&self) -> MutexGuard<'_, HashMap<SocketAddr, Pid>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers until the process ends.
    pub(crate) fn serve(self: &Arc<Self>, judge: &Arc<dyn ExecutionJudge>) -> io::Result<()> {
        let (proxy, judge) = (Arc::clone(self), Arc::clone(judge));
        in_background(move || {
            for client in proxy.listener.incoming().flatten() {
                if proxy.running.fetch_add(1, Ordering::Relaxed) >= MOST {
                    proxy.running.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let (own, judge) = (Arc::clone(&proxy), Arc::clone(&judge));
                let started = in_background(move || {
                    let _ = own.answer(&client, judge.as_ref());
                    own.running.fetch_sub(1, Ordering::Relaxed);
                });
                if started.is_err() {
                    proxy.running.fetch_sub(1, Ordering::Relaxed);
                }
            }
        })
    }

    /// Who made this connection. None if it was not made by the supervisor.
    fn caller(&self, client: &TcpStream) -> Option<Pid> {
        let peer = canonical(client.peer_addr().ok()?);
        let mut expected = self.expected();
        loop {
            if let Some(caller) = expected.remove(&peer) {
                return Some(caller);
            }
            let (next, late) = self.more.wait_timeout(expected, UNKNOWN).ok()?;
            if late.timed_out() {
                return None;
            }
            expected = next;
        }
    }

    fn answer(&self, client: &TcpStream, judge: &dyn ExecutionJudge) -> io::Result<()> {
        let Some(caller) = self.caller(client) else { return Ok(()) };
        client.set_read_timeout(Some(PATIENCE))?;
        client.set_nodelay(true)?;
        let mut reader = BufReader::new(client);
        let done = match request::read(&mut reader) {
            Ok(None) => return Ok(()),
            Ok(Some(request)) => self.fulfil(&request, reader, client, (caller, judge)),
            Err(error) => Err(Failed::Bad(error)),
        };
        let (status, text) = match done {
            Ok(()) => return Ok(()),
            Err(Failed::Refused(why, missing)) => {
                judge.unconnected(caller, &why);
                if let Some(missing) = missing {
                    judge.would_connect(&missing);
                }
                ("403 Forbidden", why)
            }
            Err(Failed::Unreachable(error)) => ("502 Bad Gateway", error.to_string()),
            Err(Failed::Bad(error)) => ("400 Bad Request", error.to_string()),
        };
        let text = format!("aegish: {text}\n");
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            text.len()
        );
        let mut client = client;
        client.write_all((head + &text).as_bytes())?;
        client.shutdown(Shutdown::Write)
    }

    fn fulfil(
        &self,
        request: &Request,
        reader: BufReader<&TcpStream>,
        client: &TcpStream,
        (caller, judge): (Pid, &dyn ExecutionJudge),
    ) -> Result<(), Failed> {
        let Request { host, port, kind } = request;
        if !self.hosts.iter().any(|one| one.fits(host, *port)) {
            let missing = AllowedHost::at(host, *port).map(|host| host.to_string()).ok();
            return Err(Failed::Refused(
                format!("{host} port {port} is not among the hosts of AEGISH_NET"),
                missing,
            ));
        }
        let server = self.reach(host, *port)?;
        judge.connects(&format!("{host} port {port}"));
        match kind {
            Kind::Forward(head, content) => forward(&server, head, *content, reader, client),
            Kind::Tunnel => {
                let refused = |why: &str| judge.unconnected(caller, why);
                tunnel(&server, (host, *port), reader, client, &refused)
            }
        }
    }

    /// Connects to a host of the list.
    fn reach(&self, host: &str, port: u16) -> Result<TcpStream, Failed> {
        let addresses = (host, port).to_socket_addrs().map_err(Failed::Unreachable)?;
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            let ip = address.ip().to_canonical();
            let here = ip.is_loopback() && self.hosts.iter().any(|one| one.opens_own_port(port));
            let named = self.hosts.iter().any(|one| one.is_address(ip));
            if stays_inside(ip) && !here && !named {
                let why = format!("{host} stands for {ip}, which is no host elsewhere");
                return Err(Failed::Refused(why, None));
            }
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(server) => {
                    server.set_nodelay(true).map_err(Failed::Unreachable)?;
                    return Ok(server);
                }
                Err(error) => last = error,
            }
        }
        Err(Failed::Unreachable(last))
    }
}

/// One request, and what the host says to it.
fn forward(
    server: &TcpStream,
    head: &[u8],
    content: Content,
    mut reader: BufReader<&TcpStream>,
    client: &TcpStream,
) -> Result<(), Failed> {
    let (mut to_server, mut to_client) = (server, client);
    let _ = client.set_read_timeout(None);
    // The host may answer and close before it has read everything.
    let sent = to_server
        .write_all(head)
        .and_then(|()| request::send(content, &mut reader, &mut to_server));
    if let Err(error) = sent
        && error.kind() == io::ErrorKind::InvalidData
    {
        return Err(Failed::Bad(error));
    }
    let _ = io::copy(&mut { server }, &mut to_client);
    let _ = client.shutdown(Shutdown::Both);
    Ok(())
}

/// Everything in both directions, once the client has said that it means this host.
///
/// `refused` is told before the client sees the end of the connection: the session may end with the client.
fn tunnel(
    server: &TcpStream,
    (host, port): (&str, u16),
    mut reader: BufReader<&TcpStream>,
    client: &TcpStream,
    refused: &dyn Fn(&str),
) -> Result<(), Failed> {
    let mut to_client = client;
    to_client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").map_err(Failed::Bad)?;
    let back = (server.try_clone(), client.try_clone());
    let (Ok(from_server), Ok(back)) = back else { return Ok(()) };
    // At other ports the host may speak first.
    let _ = in_background(move || {
        let _ = io::copy(&mut &from_server, &mut &back);
        let _ = back.shutdown(Shutdown::Write);
    });
    if port != TLS {
        let _ = client.set_read_timeout(None);
    }
    let first = first_message(&mut reader);
    let may = match hello::read(&first) {
        Hello::Host(name) => name.trim_end_matches('.') == host,
        // An address is no name that TLS would carry.
        Hello::NoHost => host.parse::<IpAddr>().is_ok(),
        Hello::NotTls => port != TLS,
        Hello::Incomplete => false,
    };
    let mut to_server = server;
    if may && to_server.write_all(&first).is_ok() {
        let _ = client.set_read_timeout(None);
        let _ = io::copy(&mut reader, &mut to_server);
        let _ = server.shutdown(Shutdown::Write);
        return Ok(());
    }
    if !first.is_empty() {
        refused(&format!("a connection to {host} port {port} was used for another host"));
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = client.shutdown(Shutdown::Both);
    Ok(())
}

/// What the client sends until it is clear whether it means the host.
fn first_message(reader: &mut BufReader<&TcpStream>) -> Vec<u8> {
    let mut first = Vec::new();
    while first.len() <= hello::LONGEST {
        let arrived = match reader.fill_buf() {
            Ok([]) | Err(_) => break,
            Ok(arrived) => arrived.to_vec(),
        };
        reader.consume(arrived.len());
        first.extend(arrived);
        if hello::read(&first) != Hello::Incomplete {
            break;
        }
    }
    first
}

/// An IPv4 address that is written as one of IPv6 is the same address.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
