//! `aegish mcp`: the guard for clients of the Model Context Protocol.

use crate::{configuration, serve};
use aegish_mcp::McpOptions;
use aegish_private_files::read_regular;
use aegish_serve::access::Token;
use aegish_terminal::{ExitKind, Failure};
use clap::Args;
use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A longer token is not read.
const LONGEST_TOKEN: u64 = 4096;

#[derive(Args)]
pub(crate) struct McpArgs {
    /// Serve streamable HTTP at this loopback address instead of standard input and output; port 0 is any free one
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    /// With --http: a file with the token, readable for this user only [default: a new token, which is printed]
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
}

pub(crate) fn run(arguments: &McpArgs) -> Result<ExitKind, Failure> {
    let failed = |error: String| Failure::internal(format!("nothing was served: {error}"));
    let config = configuration::load()?;
    let program = aegish_setup::program().map_err(failed)?;
    let options = McpOptions { checker: serve::checker(&config)?, program };
    let Some(address) = arguments.http else {
        return aegish_mcp::serve_stdio(options).map(|()| ExitKind::Allow).map_err(failed);
    };
    let token = match &arguments.token_file {
        Some(file) => token_in(file),
        None => Token::random(),
    }
    .map_err(failed)?;
    let shown = match arguments.token_file {
        Some(_) => String::new(),
        None => format!("token: {}\n", token.as_str()),
    };
    let served = aegish_mcp::serve_http(options, address, token, |address| {
        let _ = write!(io::stderr(), "http://{address}/mcp\n{shown}");
    });
    served.map(|()| ExitKind::Allow).map_err(failed)
}

fn token_in(file: &Path) -> Result<Token, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let bytes = read_regular(file, None, LONGEST_TOKEN).map_err(|error| named(&error))?;
    let bytes = bytes.ok_or_else(|| named(&"there is no such file"))?;
    let mode = fs::metadata(file).map_err(|error| named(&error))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(named(&"others can read it; chmod 600 it"));
    }
    Token::given(&String::from_utf8_lossy(&bytes)).map_err(|error| named(&error))
}
