//! Runs the real Bash.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aegish_syntax::{Script, SyntaxErrorKind, parse};

/// The snippets of a file in `oracle/`, which are separated by lines `%%`.
pub(crate) fn snippets(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../oracle").join(name);
    let text = std::fs::read_to_string(&path).expect("the snippets are part of the repository");
    text.trim_end_matches('\n').split("\n%%\n").map(str::to_owned).collect()
}

/// Whether the Bash whose grammar is implemented can be asked.
pub(crate) fn is_available() -> bool {
    let output = Command::new("bash").args(["-c", "echo $BASH_VERSION"]).output();
    let known = output.is_ok_and(|output| output.stdout.starts_with(b"5.2"));
    if !known {
        println!("no Bash 5.2: nothing compared");
    }
    known
}

/// A directory that is removed at the end of the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("aegish-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a scratch directory");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bash's answer about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opinion {
    Accepts,
    Rejects,
    /// Unclear: Bash rejects a broken `[[` or `((` silently, and a here-document hides that.
    Unclear,
}

/// One driver for all files. A broken `[[` or `((` ends the parse with status 0, sometimes silently. Such
/// texts are therefore read again with an error after them, which must then be reported.
const DRIVER: &str = r#"
for ((i = 0; i < $1; i++)); do
  said=$(bash -O extglob -n "$i" 2>&1); status=$?
  case $said in *"syntax error"*|*"unexpected "*|*"expected "*) status=1 ;; esac
  if ((status == 0)); then
    text=$(<"$i")
    if [[ $text == *'[['* || $text == *'(('* ]]; then
      if [[ $text == *'<'*'<'* ]]; then status=3
      else { printf '%s\n;;\n' "$text"; } > again; bash -O extglob -n again 2>/dev/null && status=1
      fi
    fi
  fi
  echo $status
done
"#;

/// The answers of `bash -n` with `extglob` about each text.
pub(crate) fn opinions(texts: &[String]) -> Vec<Opinion> {
    let scratch = Scratch::new(&format!("accept-{}", texts.len()));
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(scratch.0.join(number.to_string()), format!("{text}\n")).expect("written");
    }
    let output = Command::new("bash")
        .args(["-c", DRIVER, "driver", &texts.len().to_string()])
        .current_dir(&scratch.0)
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let opinions: Vec<Opinion> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| match line {
            "0" => Opinion::Accepts,
            "3" => Opinion::Unclear,
            _ => Opinion::Rejects,
        })
        .collect();
    assert_eq!(opinions.len(), texts.len(), "Bash answered for every text");
    opinions
}

/// Whether the parser accepts the text as Bash would with `-n`, and the tree.
pub(crate) fn accepted(text: &str) -> (bool, Script) {
    let script = parse(&format!("{text}\n"));
    let accepts = script.error.as_ref().is_none_or(|error| error.kind == SyntaxErrorKind::Deferred);
    (accepts, script)
}
