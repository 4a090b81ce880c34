//! Patterns of file names.

use crate::interp::Interp;
use aegish_expansion::{Field, fields};
use aegish_shell_state::{LookedAt, Switch, small};
use aegish_syntax::Span;
use aegish_values::pattern::{self, Node};
use aegish_values::{Taint, Value};

/// What listing a directory costs, in bytes of text.
const LISTING: usize = 4096;

impl Interp<'_> {
    /// Matches file names in the directories of the context. A pattern without a match, or in a directory
    /// that cannot be listed, stays a pattern: the policy asks what it *may* match.
    pub(super) fn expand_glob(&mut self, value: Value, span: Span, fields: &mut Vec<Field>) {
        if value.has_glob() && self.is_on(Switch::NoCaseGlob) {
            let small = small(&value);
            if small != value {
                self.expand_glob(small, span, fields);
            }
        }
        if value.has_glob() && !value.has_unknown() {
            let mut names = self.written_names(&value);
            let list = |path: &str, limit: usize| {
                let names = self.names_in(path, limit);
                self.worked_on(LISTING + 32 * names.as_ref().map_or(0, Vec::len));
                names
            };
            let there = fields::glob_names(&value, &self.state.cwd, &list);
            let sure = there.is_some() && !self.may_have_others(&value);
            names.extend(there.unwrap_or_default());
            names.sort();
            names.dedup();
            if !names.is_empty() {
                let taint: Taint = value.taint().clone();
                let several = value.is_several() || !sure;
                let known = |name| {
                    let value = Value::known(name).tainted(&taint);
                    Field { value: value.with_several(several), span }
                };
                fields.extend(names.into_iter().map(known));
                // Other names may match as well.
                if !sure {
                    fields.push(Field { value: value.with_several(true), span });
                }
                return;
            }
        }
        let several = value.is_several() || value.has_glob();
        fields.push(Field { value: value.with_several(several), span });
    }

    /// Whether a program of the script may have put other files there that the pattern matches.
    fn may_have_others(&self, pattern: &Value) -> bool {
        // A file in a directory that is not known may lie there, too.
        let mut unplaced = self.state.files.iter().filter(|(path, _)| !path.starts_with('/'));
        let name = fields::nodes(pattern).unwrap_or_default();
        let name = name.rsplit(|node| matches!(node, Node::Char('/'))).next().unwrap_or_default();
        let fits = |path: &str| {
            let last: Vec<char> = path.rsplit('/').next().unwrap_or(path).chars().collect();
            pattern::matches(name, &last) != Some(false)
        };
        if unplaced.any(|(path, _)| fits(path)) {
            return true;
        }
        if self.state.filled.is_empty() {
            return false;
        }
        let start = self.absolute(pattern.known_prefix());
        self.state
            .filled
            .iter()
            .any(|(place, ())| place.starts_with(&start) || start.starts_with(place))
    }

    /// The names in a directory, with the links that this session made there.
    fn names_in(&self, path: &str, limit: usize) -> Option<Vec<String>> {
        let place = self.absolute(path);
        // In a directory that the script makes, there is what it writes there.
        let made = || self.state.made.contains_key(&place).then(Vec::new);
        if self.state.links.is_empty() {
            return self.machine.list(path, limit).or_else(made);
        }
        let mut names = self.machine.list(&self.resolved(path), limit).or_else(made)?;
        let start = format!("{}/", place.trim_end_matches('/'));
        let links = self.state.links.starting_with(&start);
        let here = links.filter_map(|(link, _)| link.strip_prefix(&start));
        names.extend(here.filter(|name| !name.contains('/')).map(str::to_owned));
        Some(names)
    }

    /// Files written by the script itself that a pattern matches, sorted.
    fn written_names(&self, value: &Value) -> Vec<String> {
        if self.state.files.is_empty() && self.frame.nesting.parallel == 0 {
            return Vec::new();
        }
        let Some(nodes) = fields::nodes(value) else { return Vec::new() };
        let slashes = |text: &str| text.matches('/').count();
        let pattern = value.to_string();
        let depth = slashes(&pattern);
        // Names are stored from the root on; a pattern may start at the working directory.
        let here = match (pattern.starts_with('/'), self.state.cwd.as_known()) {
            (true, _) => String::new(),
            (false, Some(cwd)) => format!("{}/", cwd.trim_end_matches('/')),
            (false, None) => return Vec::new(),
        };
        let start = if pattern.starts_with("./") { "./" } else { "" };
        let hidden =
            value.known_prefix().rsplit('/').next().is_some_and(|last| last.starts_with('.'));
        let first = value.known_prefix();
        let place = format!("{here}{}", first.strip_prefix(start).unwrap_or(first));
        self.look_at(|| LookedAt::Start(place.clone()));
        let files = self.state.files.starting_with(&place);
        files
            .filter_map(|(path, _)| Some(format!("{start}{}", path.strip_prefix(here.as_str())?)))
            .filter(|name| {
                let chars: Vec<char> = name.chars().collect();
                let last = name.rsplit('/').next().unwrap_or(name);
                slashes(name) == depth
                    && (hidden || !last.starts_with('.'))
                    && pattern::matches(&nodes, &chars) == Some(true)
            })
            .collect()
    }
}
