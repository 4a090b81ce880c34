//! `find`, whose command line is a small language.

use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation};
use aegish_expansion::found_lines::{formatted_path, lines_of};
use aegish_expansion::items::path_pattern;
use aegish_expansion::search::{
    HiddenDirectories, Search, found, is_leading, is_setuid_search, is_wide, named, printed,
    without_end_of_options,
};
use aegish_expansion::{Field, arguments};
use aegish_options::CommandPart;
use aegish_profiles::{Detail, Profile, ReconEffect, SystemEffect};
use aegish_shell_state::small;
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Taint, Value, join_values, origin, pattern};

/// Places in which `find` starts; more are a limit of the analysis.
const MAX_ROOTS: usize = 64;
/// Entries of such a place that are looked at.
const MAX_LISTED: usize = 256;

/// What is known of the lines that are printed.
struct Found {
    format: Option<Value>,
    /// There is a condition that not every file fulfils.
    narrowed: bool,
    typed: bool,
    /// Something else than the paths is printed.
    formatted: bool,
    end: &'static str,
}

/// What is done with the files that are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Delete,
    Any,
}

impl Interp<'_> {
    /// `find [options] paths… expression`
    pub(crate) fn run_find(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let words = &without_end_of_options(arguments(fields));
        let parts = aegish_options::parts(&profile.grammar, words);
        let is_root = |part: &&CommandPart| match part {
            CommandPart::Option(option, _) => is_leading(&option.name),
            CommandPart::Operand(at) => {
                let text = words.get(*at).and_then(|word| word.value.as_known());
                !matches!(text, Some("(" | "!" | ","))
            }
            CommandPart::Command(_) => false,
        };
        let roots = parts.iter().take_while(is_root);
        let expression = parts.get(roots.clone().count()..).unwrap_or_default();
        let mut roots: Vec<(Value, Span)> = roots
            .filter_map(|part| match part {
                CommandPart::Operand(at) => {
                    words.get(*at).map(|word| (word.value.clone(), word.span))
                }
                _ => None,
            })
            .collect();
        if roots.is_empty() {
            roots = self.roots_of_file(expression, words, span);
        }
        let follows =
            words.iter().any(|word| matches!(word.value.as_known(), Some("-L" | "-H" | "-follow")));
        for (root, _) in roots.iter_mut().filter(|_| follows) {
            let is_link = |root: &str| self.state.links.contains_key(&self.absolute(root));
            if root.as_known().is_some_and(is_link) {
                root.push_str("/");
            }
        }
        let mut search = Search::default();
        let mut narrowed = false;
        let mut typed = false;
        // Something else than the paths is printed.
        let mut formatted = false;
        let mut format: Option<Value> = None;
        // Files in which the paths are written, with the format of `-fprintf`.
        let mut files: Vec<(Value, Option<Value>, Span)> = Vec::new();
        let mut end = "\n";
        // `! -name x` finds everything else.
        let mut negated = false;
        if roots.len() > MAX_ROOTS {
            self.hidden_limit(span, "places of find");
            roots.truncate(MAX_ROOTS);
        }
        for part in expression {
            let (option, range) = match part {
                CommandPart::Operand(at) => {
                    let text = words.get(*at).and_then(|word| word.value.as_known());
                    negated |= text == Some("!");
                    search.either |= text == Some(",");
                    continue;
                }
                CommandPart::Command(range) => {
                    let span = words.get(range.start - 1).map_or(span, |word| word.span);
                    let command = words.get(range.clone()).unwrap_or_default();
                    search.everything = search.names.is_empty() && search.paths.is_empty();
                    self.find_exec(command, &roots, &search, span);
                    formatted = true;
                    continue;
                }
                CommandPart::Option(option, range) => (option, range),
            };
            let [field, ..] = words.get(range.clone()).unwrap_or_default() else { continue };
            let span = words.get(range.end - 1).map_or(field.span, |word| word.span);
            if matches!(option.name.as_str(), "-o" | "-or") {
                search.either = true;
                continue;
            }
            if option.name == "-not" {
                negated = true;
                continue;
            }
            if std::mem::take(&mut negated) && option.value.is_some() {
                narrowed = true;
                continue;
            }
            match (option.name.as_str(), option.value.as_ref()) {
                ("-delete", _) => {
                    for (root, _) in &roots {
                        // A file by its name is found wherever it is, in hidden directories too.
                        for path in self.found_hidden(root, &search, Use::Delete) {
                            self.effect(EffectKind::Delete { path, tree: false }, field.span);
                        }
                        let mut path = root.clone();
                        // Without a condition other than depth or type, everything
                        // below is meant.
                        if narrowed || typed {
                            path.push_str("/");
                            path.push(if narrowed {
                                Piece::Unknown("found file")
                            } else {
                                Piece::AnyString
                            });
                        }
                        self.effect(EffectKind::Delete { path, tree: !narrowed }, field.span);
                    }
                }
                ("-fprint" | "-fprint0" | "-fls", Some(path)) => {
                    let line = match option.name.as_str() {
                        "-fprint" => "%p\\n",
                        "-fprint0" => "%p\\0",
                        _ => "%i %p\\n",
                    };
                    files.push((path.clone(), Some(Value::known(line)), span));
                }
                ("-fprintf", Some(path)) => {
                    let format = words.get(range.end).map(|word| word.value.clone());
                    files.push((path.clone(), format, span));
                }
                ("-files0-from", _) => {}
                ("-newer" | "-anewer" | "-cnewer" | "-samefile", Some(path)) => {
                    if option.name == "-samefile" {
                        search.same = Some(path.clone());
                    }
                    self.effect(EffectKind::List { path: path.clone() }, span);
                }
                ("-name" | "-iname" | "-path" | "-wholename" | "-ipath", Some(pattern)) => {
                    // `-name '*'` matches everything.
                    narrowed |= pattern.as_known() != Some("*");
                    let by_name = matches!(option.name.as_str(), "-name" | "-iname");
                    let found = if by_name { &mut search.names } else { &mut search.paths };
                    // Names of important files are written in small letters.
                    found.push(match option.name.as_str() {
                        "-iname" | "-ipath" => small(pattern),
                        _ => pattern.clone(),
                    });
                }
                ("-regex" | "-iregex", Some(expression)) => {
                    narrowed = true;
                    search.paths.push(match expression.as_known() {
                        Some(text) => Value::known(path_pattern(text)),
                        None => Value::known("*"),
                    });
                }
                ("-perm", Some(mode)) => {
                    if is_setuid_search(&mode.to_string()) {
                        self.effect(
                            EffectKind::System {
                                what: SystemEffect::Recon(ReconEffect::PrivilegedFiles),
                                detail: Detail::new("searches for setuid or setgid programs"),
                                object: mode.clone(),
                            },
                            span,
                        );
                    }
                }
                ("-print0", _) => end = "\0",
                ("-printf", Some(text)) => {
                    format = Some(text.clone());
                    formatted = true;
                }
                ("-ls", _) => {
                    narrowed = true;
                    formatted = true;
                }
                ("-maxdepth", _) => {}
                ("-type" | "-mindepth", _) => typed = true,
                ("-empty" | "-executable" | "-readable" | "-nouser" | "-nogroup", _) => {
                    narrowed = true;
                }
                ("-writable", _) => {
                    narrowed = true;
                    if roots.iter().any(|(root, _)| root.as_known() == Some("/")) {
                        let detail = Detail::new("searches for places it may write to");
                        let object = Value::known("/");
                        let what = SystemEffect::Recon(ReconEffect::PrivilegedFiles);
                        self.effect(EffectKind::System { what, detail, object }, field.span);
                    }
                }
                // Every other option with a value is a condition.
                (_, Some(_)) => narrowed = true,
                (_, None) => {}
            }
        }
        for (root, at) in &roots {
            self.effect(EffectKind::List { path: root.clone() }, *at);
        }
        let places = || roots.iter().map(|(root, _)| root);
        let written: Vec<Value> = files
            .iter()
            .map(|(_, format, _)| lines_of(places(), &search, format.as_ref(), narrowed))
            .collect();
        for ((path, _, at), content) in files.iter().zip(written) {
            self.write_file(path, content, false, *at);
        }
        let result = self.lines_found(
            &roots,
            &search,
            &Found { format: format.clone(), narrowed, typed, formatted, end },
        );
        // Files of the session that are found stand among the others.
        let own: Vec<String> = self
            .own_found(&roots, &search)
            .iter()
            .filter_map(|path| match &format {
                Some(_) => {
                    let line = formatted_path(&Value::known(path.as_str()), format.as_ref());
                    line.as_known().map(str::to_owned)
                }
                None => Some(format!("{path}{end}")),
            })
            .collect();
        if own.is_empty() {
            return result;
        }
        let all = (own.len() > 1).then(|| own.concat());
        let own = Value::one_of(own.into_iter().chain(all));
        CommandResult { stdout: join_values(&result.stdout, &own), status: result.status }
    }

    /// The files of the session that a search finds.
    fn own_found(&self, roots: &[(Value, Span)], search: &Search) -> Vec<String> {
        if self.state.files.is_empty() && self.state.made.is_empty() {
            return Vec::new();
        }
        let fits = |pattern: &Value, text: &str| {
            let Some(pattern) = pattern.as_known() else { return true };
            let letters: Vec<char> = text.chars().collect();
            pattern::matches(&pattern::compile(pattern), &letters).unwrap_or(true)
        };
        let mut found = Vec::new();
        let matched = roots.iter().flat_map(|(root, _)| self.own_matches(root));
        let known = roots.iter().filter_map(|(root, _)| root.as_known().map(str::to_owned));
        for root in known.chain(matched) {
            let place = self.resolved(&root);
            if search.names.is_empty()
                && search.paths.is_empty()
                && self.state.files.contains_key(&place)
            {
                found.push(root.clone());
            }
            let start = format!("{}/", place.trim_end_matches('/'));
            let files = self.state.files.starting_with(&start).map(|(path, _)| path);
            let made = self.state.made.starting_with(&start).map(|(path, ())| path);
            for path in files.chain(made).filter(|path| !path.contains('\u{1}')) {
                let rest = path.get(start.len()..).unwrap_or_default();
                let shown = format!("{}/{rest}", root.trim_end_matches('/'));
                let named = search.names.is_empty()
                    || search.names.iter().any(|name| fits(name, super::simple::base_name(rest)));
                let placed =
                    search.paths.is_empty() || search.paths.iter().any(|path| fits(path, &shown));
                if named && placed && found.len() < MAX_ALTERNATIVES / 2 && !found.contains(&shown)
                {
                    found.push(shown);
                }
            }
        }
        found
    }

    /// What is printed for the files that are found.
    fn lines_found(&self, roots: &[(Value, Span)], search: &Search, how: &Found) -> CommandResult {
        let Found { format, narrowed, typed, formatted, end } = how;
        let (narrowed, typed, formatted) = (*narrowed, *typed, *formatted);
        let places = || roots.iter().map(|(root, _)| root);
        if format.is_some() {
            let output = lines_of(places(), search, format.as_ref(), narrowed);
            let origin = Taint::from(Source::Program("find".to_owned()));
            return CommandResult::output(output.tainted(&origin));
        }
        match (roots, search.names.as_slice()) {
            ([(root, _)], _) if !narrowed && !typed => {
                let mut output = root.clone();
                output.push_str(end);
                // A name that is told apart later may be any below it.
                if self.is_told(root) && !root.has_glob() {
                    output.append(root);
                    output.push_str(if root.known_suffix().ends_with('/') { "" } else { "/" });
                    output.push(Piece::AnyString);
                    output.push_str(end);
                }
                output.push(Piece::Unknown("found file"));
                let origin = Taint::from(Source::Program("find".to_owned()));
                CommandResult::output(output.tainted(&origin))
            }
            ([(root, _)], [name])
                if name.as_known().is_some_and(|n| !n.contains(['*', '?', '['])) =>
            {
                let mut output = root.clone();
                // Below the root directory, the name can be anywhere.
                if root.as_known() == Some("/") {
                    output.push(Piece::AnyString);
                }
                output.push_str("/");
                output.append(name);
                output.push_str(end);
                CommandResult::output(output)
            }
            // The start and the end of the found names are known.
            _ if !search.names.is_empty() || !search.paths.is_empty() => {
                let mut output = Value::empty();
                let patterns: Vec<Value> =
                    search.names.iter().chain(&search.paths).cloned().collect();
                for (root, _) in roots {
                    // A name that is nearly known is a pattern; of others the end is known.
                    let near = self.is_told(root)
                        && patterns.iter().filter_map(Value::as_known).any(|name| {
                            name.contains(['*', '?', '['])
                                && (!name.starts_with('*') || is_wide(root, name))
                        });
                    let paths = if near { found(root, search) } else { printed(root, &patterns) };
                    for path in paths.into_iter().chain(self.found_hidden(root, search, Use::Any)) {
                        output.append(&path);
                        output.push_str(end);
                    }
                }
                let origin = Taint::from(Source::Program("find".to_owned()));
                CommandResult::output(output.tainted(&origin))
            }
            // The paths begin with the starting points, unless a format leaves that out.
            _ if !formatted && roots.iter().all(|(root, _)| self.is_told(root)) => {
                let mut output = Value::empty();
                for (root, _) in roots {
                    output.append(root);
                    output.push_str("/");
                    // Without a condition other than the type, everything on the machine is found.
                    output.push(match root.as_known() {
                        Some("/") if !narrowed => Piece::AnyString,
                        _ if narrowed => Piece::Unknown(origin::SOME_FILES),
                        _ => Piece::Unknown(origin::EVERY_FILE),
                    });
                    output.push_str(end);
                }
                let origin = Taint::from(Source::Program("find".to_owned()));
                CommandResult::output(output.tainted(&origin))
            }
            _ => CommandResult::default(),
        }
    }

    /// The places in which `find` starts if no word names them.
    fn roots_of_file(
        &mut self,
        expression: &[CommandPart],
        words: &[Field],
        span: Span,
    ) -> Vec<(Value, Span)> {
        let here = vec![(Value::known("."), span)];
        let list = expression.iter().find_map(|part| match part {
            CommandPart::Option(option, range) if option.name == "-files0-from" => {
                let at = words.get(range.end - 1).map_or(span, |word| word.span);
                Some((option.value.clone()?, at))
            }
            _ => None,
        });
        let Some((list, at)) = list else { return here };
        let content = if list.as_known() == Some("-") {
            self.stdin_content()
        } else {
            self.effect(EffectKind::Read { path: list.clone(), tree: false }, at);
            match self.file_content(&list) {
                FileContent::Written(content) => content,
                _ => return here,
            }
        };
        match content.as_known() {
            Some(text) => {
                let names = text.split('\0').filter(|name| !name.is_empty());
                names.map(|name| (Value::known(name).tainted(content.taint()), at)).collect()
            }
            None => vec![(content, at)],
        }
    }

    /// Files in hidden directories that the search finds.
    fn found_hidden(&self, root: &Value, search: &Search, used: Use) -> Vec<Value> {
        // Who looks for a kind of file means those of that kind, not settings of programs that end alike; who deletes
        // them deletes these too.
        let by_ending = |name: &Value| {
            let text = name.known_prefix();
            text.starts_with('*') && text.contains('.')
        };
        if used == Use::Any && search.paths.is_empty() && search.names.iter().any(by_ending) {
            return Vec::new();
        }
        let place = root.as_known().map(|root| self.absolute(root));
        let home = self.ctx.home.as_str();
        let directories = match &place {
            // Below a home directory are those of every program.
            Some(place) if !home.is_empty() && home.starts_with(place.trim_end_matches('/')) => {
                HiddenDirectories::Any
            }
            Some(place) => match self.machine.list(place, MAX_LISTED) {
                Some(names) => HiddenDirectories::These(
                    names.into_iter().filter(|name| name.starts_with('.')).collect(),
                ),
                None => HiddenDirectories::Unknown,
            },
            None => HiddenDirectories::Unknown,
        };
        // In directories of which nothing is known, a pattern of names is not one of settings.
        if used == Use::Any && matches!(directories, HiddenDirectories::Unknown) {
            let paths = Search { paths: search.paths.clone(), ..Search::default() };
            return named(root, &paths, &directories);
        }
        named(root, search, &directories)
    }

    /// Follows the command of `-exec` with the files that may be found.
    fn find_exec(&mut self, words: &[Field], roots: &[(Value, Span)], search: &Search, span: Span) {
        let own: Vec<Value> = self.own_found(roots, search).into_iter().map(Value::known).collect();
        for (at, (root, _)) in roots.iter().enumerate() {
            let hidden = self.found_hidden(root, search, Use::Any);
            let own = own.iter().filter(|_| at == 0).cloned();
            for file in found(root, search).into_iter().chain(hidden).chain(own) {
                let put = |word: &Field| Field {
                    value: word.value.replace("{}", &file),
                    span: word.span,
                };
                let command: Vec<Field> = words.iter().map(put).collect();
                self.run_argv_through(Invocation::Launched, &command, span);
            }
        }
    }
}
