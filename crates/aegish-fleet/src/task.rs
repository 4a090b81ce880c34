//! `aegish policy keygen`, `sign`, `verify` and `pull`.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use aegish_config::{BundleHead, Config, SystemDirectory};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use aegish_wire::TransportOptions;
use clap::Subcommand;

use crate::bundle::{SignedBundle, sign};
use crate::key::{PublicKey, SigningKey};
use crate::source::{BundleSource, fetch};
use crate::store::{BundleStore, Installed};

const KEYS: &str = "AEGISH_FLEET_KEYS";
const SOURCE: &str = "AEGISH_FLEET_SOURCE";

/// What is done with bundles.
#[derive(Debug, Subcommand)]
pub enum BundleTask {
    /// Make a key that signs bundles, and print the public one that machines trust
    Keygen {
        /// The file for the private key
        #[arg(value_name = "KEYFILE")]
        key: PathBuf,
    },
    /// Sign settings, roles and rules for a fleet
    Sign {
        /// The policy: TOML as in /etc/aegish/config.toml; one that is signed gets another signature
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// The file with the private key
        #[arg(long, value_name = "KEYFILE")]
        key: PathBuf,
        /// The fleet, if the file has no [bundle]
        #[arg(long, requires = "version", requires = "expires")]
        fleet: Option<String>,
        /// The number of the bundle, higher than all before
        #[arg(long, requires = "fleet")]
        version: Option<u64>,
        /// How long it is good: `30d`, `12h`
        #[arg(long, value_name = "TIME", requires = "fleet")]
        expires: Option<String>,
        /// Where to [default: FILE]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Whether a bundle is signed, whole and in its time
    Verify {
        /// The bundle [default: the one in force]
        #[arg(value_name = "BUNDLE")]
        bundle: Option<PathBuf>,
        /// A public key to trust [default: AEGISH_FLEET_KEYS]
        #[arg(long = "key", value_name = "KEY")]
        keys: Vec<PublicKey>,
    },
    /// Fetch the fleet's bundle, verify it, and put it into force
    Pull {
        /// A path, https://…, or git+URL#REF:PATH [default: AEGISH_FLEET_SOURCE]
        #[arg(long, value_name = "SOURCE")]
        source: Option<BundleSource>,
        /// Only say what would happen
        #[arg(long)]
        dry_run: bool,
    },
}

/// Does it.
///
/// # Errors
///
/// If a bundle is refused, or a file cannot be read or written.
pub fn run(
    task: &BundleTask,
    config: &Config,
    transport: TransportOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    match task {
        BundleTask::Keygen { key } => keygen(key, screen),
        BundleTask::Sign { policy, key, fleet, version, expires, out } => {
            let head = match (fleet, version, expires) {
                (Some(fleet), Some(version), Some(expires)) => Some(BundleHead {
                    fleet: fleet.clone(),
                    version: *version,
                    expires: aegish_audit::after(expires).map_err(unsigned)?,
                }),
                _ => None,
            };
            signed(policy, key, head, out.as_deref().unwrap_or(policy), screen)
        }
        BundleTask::Verify { bundle, keys } => {
            let keys = if keys.is_empty() { trusted(config)? } else { keys.clone() };
            verified(bundle.as_deref(), &keys, screen)
        }
        BundleTask::Pull { source, dry_run } => {
            pull(source.as_ref(), *dry_run, config, transport, screen)
        }
    }
}

fn keygen(path: &Path, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::internal(format!("no key was made: {}: {error}", path.display()))
    };
    let pem = SigningKey::generate().map_err(|error| failed(&error))?;
    let key = SigningKey::read(&pem).map_err(|error| failed(&error))?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(pem.as_bytes())).map_err(|error| failed(&error))?;
    screen.put(key.public()).end();
    Ok(ExitKind::Allow)
}

fn unsigned(why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("nothing was signed: {why}"))
}

fn signed(
    policy: &Path,
    key: &Path,
    head: Option<BundleHead>,
    out: &Path,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| unsigned(format!("{}: {error}", path.display())))
    };
    let mut text = read(policy)?;
    let key = SigningKey::read(&read(key)?).map_err(unsigned)?;
    if let Some(BundleHead { fleet, version, expires }) = head {
        let table = "\n[bundle]\n";
        text += &format!("{table}fleet = \"{fleet}\"\nversion = {version}\nexpires = {expires}\n");
    }
    let text = sign(&text, &key).map_err(unsigned)?;
    fs::write(out, &text).map_err(|error| unsigned(format!("{}: {error}", out.display())))?;
    let bundle =
        SignedBundle::verify(text.as_bytes(), &[key.public().clone()]).map_err(unsigned)?;
    screen.put("signed  ");
    described(&bundle, screen);
    Ok(ExitKind::Allow)
}

fn described(bundle: &SignedBundle, screen: &mut Screen) {
    let BundleHead { fleet, version, expires } = &bundle.head;
    screen.put(format_args!("{} version {version}, good until {expires}", visible(fleet)));
    screen.put(format_args!(", signed by {}", bundle.key)).end();
}

/// The public keys that this machine trusts.
fn trusted(config: &Config) -> Result<Vec<PublicKey>, Failure> {
    let words = config.list(KEYS);
    if words.is_empty() {
        return Err(Failure::usage(format!(
            "no bundle was verified: no key is trusted; set {KEYS} in /etc/aegish/config"
        )));
    }
    let read = |word: &String| word.parse::<PublicKey>();
    words.iter().map(read).collect::<Result<_, _>>().map_err(|error| {
        let place = config.row(KEYS).map(|row| row.place.to_string()).unwrap_or_default();
        Failure::usage(format!("no bundle was verified: {place}: {error}"))
    })
}

fn verified(
    path: Option<&Path>,
    keys: &[PublicKey],
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let bundle = match path {
        Some(path) => fs::read(path)
            .map_err(|error| error.to_string())
            .and_then(|bytes| SignedBundle::verify(&bytes, keys).map_err(|why| why.to_string())),
        None => BundleStore::new(&SystemDirectory::machine())
            .current(keys)
            .and_then(|found| found.ok_or_else(|| "no bundle is in force".to_owned())),
    };
    match bundle.and_then(|bundle| bundle.fresh().map_err(|why| why.to_string())) {
        Ok(bundle) => {
            screen.paint(Style::Good, "good").put("  ");
            described(&bundle, screen);
            Ok(ExitKind::Allow)
        }
        Err(why) => {
            screen.paint(Style::Bad, "refused").put("  ").put(visible(&why)).end();
            Ok(ExitKind::Failure)
        }
    }
}

fn pull(
    source: Option<&BundleSource>,
    dry_run: bool,
    config: &Config,
    transport: TransportOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let keys = trusted(config)?;
    let set = config.get(SOURCE);
    let source = match (source, set) {
        (Some(source), _) => source.clone(),
        (None, Some(set)) => set
            .parse()
            .map_err(|why| Failure::usage(format!("nothing was pulled: {SOURCE}: {why}")))?,
        (None, None) => {
            return Err(Failure::usage(format!(
                "nothing was pulled: set {SOURCE} in /etc/aegish/config, or name one with --source"
            )));
        }
    };
    let store = BundleStore::new(&SystemDirectory::machine());
    let outcome = fetch(&source, transport).and_then(|bytes| {
        let checked = SignedBundle::verify(&bytes, &keys).and_then(SignedBundle::fresh);
        let bundle = checked.map_err(|why| why.to_string())?;
        let installed = if dry_run { store.follows(&bundle) } else { store.install(&bundle) }?;
        Ok((bundle, installed))
    });
    match outcome {
        Ok((bundle, installed)) => {
            let word = match (installed, dry_run) {
                (Installed::Same, _) => "unchanged",
                (Installed::New, true) => "would be taken",
                (Installed::New, false) => "taken",
            };
            screen.paint(Style::Good, word).put("  ");
            described(&bundle, screen);
            Ok(ExitKind::Allow)
        }
        Err(why) => {
            let stays = match store.current(&keys) {
                Ok(Some(last)) => {
                    format!("version {} of {} stays in force", last.head.version, last.head.fleet)
                }
                Ok(None) => "no bundle is in force".to_owned(),
                Err(error) => format!("the bundle in force is not good either: {error}"),
            };
            Err(Failure::internal(format!("{source} was not taken: {why}; {stays}")))
        }
    }
}
