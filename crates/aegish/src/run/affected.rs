//! What a judged text may change: the paths for copies, the directories for overlays, and what no undo covers.

use aegish_guard::{Analysis, EffectKind, Value};
use aegish_undo::Scope;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Commands that change no file by themselves; what the shell redirects is an effect of its own.
const CHANGING_NOTHING: [&str; 24] = [
    ":", "[", "[[", "basename", "cat", "cd", "date", "dirname", "echo", "exit", "export", "false",
    "grep", "head", "ls", "printf", "pwd", "seq", "set", "stat", "tail", "test", "true", "wc",
];
/// Directories of the kernel.
const OF_KERNEL: [&str; 3] = ["/dev", "/proc", "/sys"];
/// The most effects that are named.
const MOST_NAMED: usize = 5;

/// What a text may change.
#[derive(Debug)]
pub(crate) struct Affected {
    /// Paths that the effects name, without links on the way.
    pub(crate) paths: Vec<(PathBuf, Scope)>,
    /// Directories that hold everything that may change, none within another.
    pub(crate) roots: Vec<PathBuf>,
    /// Effects that no undo takes back, in words.
    pub(crate) lasting: Vec<String>,
}

impl Affected {
    pub(crate) fn of(analysis: &Analysis, cwd: &Path) -> Self {
        let mut found =
            Finder { cwd, paths: BTreeMap::new(), named: BTreeSet::new(), vague: false };
        let mut lasting = Vec::new();
        for effect in &analysis.effects {
            found.effect(&effect.kind, effect.command);
            if let Some(text) = lasting_effect(&effect.kind)
                && !lasting.contains(&text)
            {
                lasting.push(text);
            }
        }
        for (number, command) in analysis.commands.iter().enumerate() {
            let name = command.argv.first().and_then(Value::as_known).unwrap_or_default();
            let harmless = CHANGING_NOTHING.contains(&name);
            found.vague |= !harmless && !found.named.contains(&number);
        }
        let tree = project(cwd);
        if found.vague {
            found.add(&tree, Scope::Tree);
        }
        lasting.truncate(MOST_NAMED);
        let paths: Vec<(PathBuf, Scope)> = found.paths.into_iter().collect();
        Self { roots: roots(&paths, &tree), paths: without_inner(paths), lasting }
    }
}

/// Collects paths.
struct Finder<'a> {
    cwd: &'a Path,
    paths: BTreeMap<PathBuf, Scope>,
    /// Commands whose changes are known.
    named: BTreeSet<usize>,
    /// Whether a command may change files that no effect names.
    vague: bool,
}

impl Finder<'_> {
    fn effect(&mut self, kind: &EffectKind, command: usize) {
        let scope = |tree: &bool| if *tree { Scope::Tree } else { Scope::Path };
        let (path, scope) = match kind {
            EffectKind::Write { path, .. } => (path, Scope::Tree),
            EffectKind::Link { name, .. } => (name, Scope::Path),
            EffectKind::Delete { path, tree }
            | EffectKind::Mode { path, tree, .. }
            | EffectKind::Owner { path, tree, .. } => (path, scope(tree)),
            EffectKind::Hidden { .. } | EffectKind::IndirectRun { .. } => {
                self.vague = true;
                return;
            }
            _ => return,
        };
        self.named.insert(command);
        match path.as_known() {
            Some(path) => {
                let path = self.cwd.join(path);
                self.add(&path, scope);
                // A link leads to what is changed.
                if let Ok(real) = fs::canonicalize(&path) {
                    self.add(&real, scope);
                }
            }
            None => self.vague = true,
        }
    }

    fn add(&mut self, path: &Path, scope: Scope) {
        let Some(path) = without_links(path) else { return };
        if OF_KERNEL.iter().any(|own| path.starts_with(own)) {
            return;
        }
        let slot = self.paths.entry(path).or_insert(scope);
        *slot = (*slot).max(scope);
    }
}

/// The path with the links of its directories resolved, as far as they exist.
pub(super) fn without_links(path: &Path) -> Option<PathBuf> {
    let Some(name) = path.file_name() else { return fs::canonicalize(path).ok() };
    let parent = path.parent()?;
    match fs::canonicalize(parent) {
        Ok(parent) => Some(parent.join(name)),
        Err(_) => Some(without_links(parent)?.join(name)),
    }
}

/// The project that a directory belongs to, as far as Git knows one; otherwise the directory.
fn project(cwd: &Path) -> PathBuf {
    let found = cwd.ancestors().find(|dir| dir.join(".git").exists());
    found.filter(|dir| dir.parent().is_some()).unwrap_or(cwd).to_owned()
}

/// Trees hold what is inside them.
fn without_inner(paths: Vec<(PathBuf, Scope)>) -> Vec<(PathBuf, Scope)> {
    let trees: Vec<PathBuf> = paths
        .iter()
        .filter(|(_, scope)| *scope == Scope::Tree)
        .map(|(path, _)| path.clone())
        .collect();
    let inner = |path: &Path| trees.iter().any(|tree| path != tree && path.starts_with(tree));
    paths.into_iter().filter(|(path, _)| !inner(path)).collect()
}

/// Directories in which the paths are names, and the project.
fn roots(paths: &[(PathBuf, Scope)], project: &Path) -> Vec<PathBuf> {
    let mut roots: BTreeSet<PathBuf> = BTreeSet::new();
    if project.parent().is_some() {
        roots.extend(fs::canonicalize(project).ok());
    }
    for (path, _) in paths {
        if roots.iter().any(|root| path != root && path.starts_with(root)) || path == project {
            continue;
        }
        let is_dir = |dir: &&Path| fs::metadata(dir).is_ok_and(|meta| meta.is_dir());
        roots.extend(path.ancestors().skip(1).find(is_dir).map(Path::to_owned));
    }
    let inner = |root: &Path| roots.iter().any(|other| other != root && root.starts_with(other));
    roots.iter().filter(|root| !inner(root)).cloned().collect()
}

/// An effect that stays whatever is done to files.
fn lasting_effect(kind: &EffectKind) -> Option<String> {
    match kind {
        EffectKind::Connect { .. }
        | EffectKind::Fetch { .. }
        | EffectKind::Send { .. }
        | EffectKind::Listen { .. }
        | EffectKind::Serve { .. }
        | EffectKind::RunFetched { .. } => Some(kind.to_string()),
        EffectKind::System { what, .. } if what.group() != "discard" => Some(kind.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_guard::{Context, Request, Role, check};

    fn of(text: &str, cwd: &Path) -> Affected {
        let mut context = Context::bare();
        context.positional = Some(Vec::new());
        let text = text.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        Affected::of(check(&request).analysis(), cwd)
    }

    #[test]
    fn paths_come_from_the_effects_and_the_project_from_what_is_not_known() {
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("aegish-affected-{}", std::process::id()));
        fs::create_dir_all(dir.join("a/b")).unwrap();
        let inner = dir.join("a");
        let one = of("rm -rf b; echo x >new", &inner);
        assert_eq!(one.paths, [(inner.join("b"), Scope::Tree), (inner.join("new"), Scope::Tree)]);
        assert_eq!(one.roots, std::slice::from_ref(&inner));
        let other = of("make; rm ../c", &inner);
        assert_eq!(other.paths, [(inner.clone(), Scope::Tree), (dir.join("c"), Scope::Path)]);
        assert_eq!(other.roots, std::slice::from_ref(&dir));
        assert!(of("curl -o x https://example.org/x", &inner).lasting[0].contains("example.org"));
        assert!(of("echo x >/dev/null", &inner).paths.is_empty());
        fs::remove_dir_all(&dir).unwrap();
    }
}
