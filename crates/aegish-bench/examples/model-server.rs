//! The loopback model server as a program, for `bench/speed`.
//!
//! `model-server [ADDRESS [DELAY_MS]]` prints its address and serves until it is killed. The reply to a
//! request without a body is the server's counters.
#![allow(clippy::print_stdout)] // a program for the terminal

use aegish_test_support::model_server;

use std::time::Duration;
use std::{env, io, thread};

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let delay = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let server = model_server::ModelServer::at(&address, Duration::from_millis(delay), None)?;
    println!("{}", server.base_url());
    loop {
        thread::park();
    }
}
