//! Where bundles come from: a file, a web server, a Git repository. None of them has to be trusted.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use aegish_wire::{HttpClient, TransportOptions};
use data_encoding::HEXLOWER;

use crate::bundle::LONGEST;

/// How long a server has.
const HTTP_TIME: Duration = Duration::from_secs(30);
const GIT_TIME: Duration = Duration::from_secs(120);

/// Where a bundle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleSource {
    /// A file.
    File(PathBuf),
    /// `https://…`
    Https(String),
    /// `git+URL#REF:PATH`
    Git {
        /// The repository.
        url: String,
        /// A branch or tag.
        reference: String,
        /// The file in it.
        path: String,
    },
}

impl FromStr for BundleSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(rest) = text.strip_prefix("git+") {
            let wrong = || "a repository is written git+URL#REF:PATH".to_owned();
            let (url, place) = rest.rsplit_once('#').ok_or_else(wrong)?;
            let (reference, path) = place.split_once(':').ok_or_else(wrong)?;
            let schemes = ["https://", "ssh://", "file://"];
            if !schemes.iter().any(|scheme| url.starts_with(scheme)) {
                return Err(format!("a repository is reached by {}", schemes.join(", ")));
            }
            if path.is_empty() || reference.is_empty() || reference.starts_with('-') {
                return Err(wrong());
            }
            let [url, reference, path] = [url, reference, path].map(str::to_owned);
            return Ok(Self::Git { url, reference, path });
        }
        match text.split_once("://") {
            Some(("https", _)) => Ok(Self::Https(text.to_owned())),
            Some((scheme, _)) => Err(format!("a bundle is fetched by https, not by {scheme}")),
            None if text.is_empty() => Err("it names no bundle".to_owned()),
            None => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

impl fmt::Display for BundleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Https(url) => f.write_str(url),
            Self::Git { url, reference, path } => write!(f, "git+{url}#{reference}:{path}"),
        }
    }
}

/// The bytes of a bundle, as they are. Whether they can be trusted is another question.
///
/// # Errors
///
/// Why they could not be had.
pub fn fetch(source: &BundleSource, options: TransportOptions) -> Result<Vec<u8>, String> {
    match source {
        BundleSource::File(path) => file(path).map_err(|error| error.to_string()),
        BundleSource::Https(url) => {
            let reply = HttpClient::new(options).get(url, HTTP_TIME, LONGEST);
            let reply = reply.map_err(|failure| failure.message)?;
            match reply.status {
                200 => Ok(reply.body),
                status => Err(format!("the server answered {status}")),
            }
        }
        BundleSource::Git { url, reference, path } => {
            let dir = TemporaryDirectory::new().map_err(|error| error.to_string())?;
            git(url, reference, path, &dir.0)
        }
    }
}

fn file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Nothing is checked out, so that nothing in the repository is run or followed.
fn git(url: &str, reference: &str, path: &str, dir: &Path) -> Result<Vec<u8>, String> {
    let place = dir.to_string_lossy();
    let clone = ["clone", "--quiet", "--depth=1", "--no-checkout", "--no-tags", "--bare"];
    let branch = ["--branch", reference, "--", url, &place];
    run_git(&[&clone[..], &branch].concat())?;
    let object = format!("HEAD:{path}");
    run_git(&["-C", &place, "cat-file", "blob", &object])
}

fn run_git(arguments: &[&str]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ALLOW_PROTOCOL", "https:ssh:file");
    let mut child = command.spawn().map_err(|error| format!("git does not start: {error}"))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let read = |stream: Option<Box<dyn io::Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stream.map(|stream| stream.take(LONGEST + 1).read_to_end(&mut bytes));
            bytes
        })
    };
    let output = read(output.map(|stream| Box::new(stream) as _));
    let errors = read(errors.map(|stream| Box::new(stream) as _));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begun.elapsed() > GIT_TIME => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("git did not end in time".to_owned());
            }
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    let (output, errors) = (output.join(), errors.join());
    if status.success() {
        return output.map_err(|_| "the output of git was not read".to_owned());
    }
    let errors = String::from_utf8_lossy(&errors.unwrap_or_default()).into_owned();
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(format!("git: {last}"))
}

/// A directory that is removed when it is not needed any more.
struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    fn new() -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let name = format!("aegish-bundle-{}", HEXLOWER.encode(&random));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_apart() {
        let read = |text: &str| text.parse::<BundleSource>();
        assert_eq!(read("/srv/b.toml"), Ok(BundleSource::File("/srv/b.toml".into())));
        assert_eq!(read("https://x/b"), Ok(BundleSource::Https("https://x/b".to_owned())));
        let text = "git+https://x/policy.git#main:acme/b.toml";
        let git = read(text).expect("a repository");
        assert_eq!(git.to_string(), text);
        for wrong in [
            "",
            "http://x/b",
            "ftp://x",
            "git+https://x#main",
            "git+ext::sh#a:b",
            "git+https://x#-u:b",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
