//! What git does because of its words and of files that this session made: repositories in other places, trees of
//! files in other places.

use super::Interp;
use aegish_analysis::{EffectKind, Invocation};
use aegish_expansion::{Field, arguments};
use aegish_profiles::Lang;
use aegish_syntax::Span;
use aegish_values::{Value, origin};

/// Subcommands that put files of the tree into the repository.
const KEEPS: &[&str] = &["add", "stage", "update-index", "hash-object", "grep", "diff"];

/// Subcommands that write files of the repository into the tree.
const WRITES: &[&str] = &[
    "checkout",
    "checkout-index",
    "restore",
    "reset",
    "switch",
    "stash",
    "read-tree",
    "merge",
    "pull",
    "rebase",
    "cherry-pick",
    "revert",
    "apply",
    "am",
];

impl Interp<'_> {
    /// Settings that git takes from files and variables which its words name, files below another work tree, and hooks
    /// of a template.
    pub(super) fn obey_git_words(&mut self, fields: &[Field]) {
        let words: Vec<(String, Span)> = arguments(fields)
            .iter()
            .filter_map(|word| Some((word.value.as_known()?.to_owned(), word.span)))
            .collect();
        self.obey_git_directory(&words, fields);
        self.run_git_alias(fields);
        // An entry of the index with this mode is a link, and its text may be any path.
        let link = |field: &&Field| field.value.known_prefix().starts_with("120000");
        if let Some(span) = arguments(fields).iter().find(link).map(|field| field.span) {
            self.hidden_code(&Value::lost(), span);
        }
        for (at, (word, span)) in words.iter().enumerate() {
            let next = words.get(at + 1).map(|(word, _)| word.clone()).unwrap_or_default();
            let given = |name: &str| match word.strip_prefix(name) {
                Some("") => Some(next.clone()),
                Some(rest) => rest.strip_prefix('=').map(str::to_owned),
                None => None,
            };
            if let Some((name, variable)) =
                given("--config-env").as_deref().and_then(|text| text.rsplit_once('='))
                && let Some(value) = self.lookup_scalar(variable)
            {
                let mut setting = Value::known(format!("{name}="));
                setting.append(&value);
                self.run_language(Lang::GitConfig, &setting, &[], *span);
            }
            let included = word.strip_prefix("include.path=");
            let included = included.and_then(|path| self.written_at(path));
            if let Some(content) = included {
                self.run_language(Lang::GitConfig, &content, &[], *span);
            }
            if let Some(template) = given("--template") {
                self.follow_repository(&template, *span);
            }
        }
    }

    /// `git -c 'alias.x=!command' x words`: the words are arguments of the command.
    fn run_git_alias(&mut self, fields: &[Field]) {
        let given = arguments(fields).iter().map(|field| (&field.value, field.span));
        let made = self.state.settings.iter().filter(|one| one.program == "git");
        let all = given.clone().map(|(value, _)| value.clone());
        let definitions: Vec<String> = all
            .chain(made.map(|one| one.value.clone()))
            .filter_map(|value| Some(value.as_known()?.strip_prefix("alias.")?.to_owned()))
            .collect();
        for definition in definitions {
            let Some((name, command)) = definition.split_once("=!") else { continue };
            let Some(at) = given.clone().position(|(value, _)| value.as_known() == Some(name))
            else {
                continue;
            };
            let words: Vec<Value> =
                given.clone().skip(at + 1).map(|(value, _)| value.clone()).collect();
            let span = given.clone().nth(at).map_or_else(Span::default, |(_, span)| span);
            if words.is_empty() {
                continue;
            }
            let before = self.state.positional.replace(std::sync::Arc::new(words));
            let code = Value::known(format!("{command} \"$@\""));
            self.run_code_through(Invocation::Indirect, &code, span);
            self.state.positional = before;
        }
    }

    /// The repository and the tree that options, variables and settings name.
    fn obey_git_directory(&mut self, words: &[(String, Span)], fields: &[Field]) {
        let Some(span) = fields.first().map(|field| field.span) else { return };
        let mut trees: Vec<Value> = Vec::new();
        let mut repositories: Vec<String> = Vec::new();
        for field in arguments(fields) {
            let text = field.value.known_prefix();
            if text.starts_with("--work-tree=") {
                trees.push(field.value.tail("--work-tree=".len()));
            } else if text.starts_with("core.worktree=") {
                trees.push(field.value.tail("core.worktree=".len()));
            }
        }
        for (at, (word, _)) in words.iter().enumerate() {
            let next = words.get(at + 1).map(|(word, _)| word.as_str());
            match word.as_str() {
                "--work-tree" => trees.extend(next.map(Value::known)),
                "--git-dir" => repositories.extend(next.map(str::to_owned)),
                _ => repositories.extend(word.strip_prefix("--git-dir=").map(str::to_owned)),
            }
        }
        trees.extend(self.lookup_scalar("GIT_WORK_TREE"));
        let named = self.lookup_scalar("GIT_DIR");
        repositories.extend(named.and_then(|value| Some(value.as_known()?.to_owned())));
        let set = self.state.settings.iter().filter(|one| one.program == "git");
        let set = set.filter(|one| one.value.known_prefix().starts_with("core.worktree="));
        trees.extend(set.map(|one| one.value.tail("core.worktree=".len())));
        if !self.state.files.is_empty() {
            // The working directory may be a repository without a tree.
            repositories.push(".".to_owned());
            repositories.iter().for_each(|place| self.follow_repository(place, span));
        }
        for tree in trees.iter().filter(|tree| tree.has_text()) {
            self.touch_tree(tree, words, span);
        }
    }

    /// Settings and hooks of a repository, or of a template for one, that the session wrote.
    fn follow_repository(&mut self, place: &str, span: Span) {
        let config = self.absolute(&format!("{place}/config"));
        let content = self.written(&config).filter(|_| !self.calls.obeyed.contains(&config));
        if let Some(content) = content.filter(|content| content.to_string().contains('[')) {
            self.calls.obeyed.push(config);
            self.run_language(Lang::GitConfig, &content, &[], span);
            self.calls.obeyed.pop();
        }
        let hooks = self.absolute(&format!("{place}/hooks"));
        self.run_written_programs(&Value::known(hooks), span);
    }

    /// Files of a tree that is not the working directory.
    fn touch_tree(&mut self, tree: &Value, words: &[(String, Span)], span: Span) {
        let is_verb = |word: &str| KEEPS.contains(&word) || WRITES.contains(&word);
        let Some(at) = words.iter().position(|(word, _)| is_verb(word)) else { return };
        let keeps = words.get(at).is_some_and(|(word, _)| KEEPS.contains(&word.as_str()));
        let mut whole = !keeps;
        for (word, span) in words.iter().skip(at + 1) {
            let all = ["-A", "--all", "-u", "--update", "-a", "--stdin", "."]
                .contains(&word.as_str())
                || word.starts_with("--pathspec-from-file")
                || word.starts_with(':')
                || word.contains(['*', '?', '[']);
            whole |= all || word.starts_with('-') && !word.starts_with("--") && word.contains('A');
            if word.starts_with('-') || all {
                continue;
            }
            let mut path = tree.clone();
            path.push_str("/");
            path.push_str(word);
            if keeps {
                self.effect(EffectKind::Read { path, tree: false }, *span);
            } else {
                let content = Value::unknown(origin::FILE_CONTENT);
                self.effect(EffectKind::Write { path, content, append: true }, *span);
            }
        }
        if whole && keeps {
            self.effect(EffectKind::Read { path: tree.clone(), tree: true }, span);
        } else if whole {
            let content = Value::unknown("files");
            self.effect(EffectKind::Write { path: tree.clone(), content, append: true }, span);
        }
    }
}
