//! Effects of the network words of one command line: connect, listen, fetch, send, serve.

use super::roles::Together;
use super::{FileContent, Interp};
use aegish_analysis::{Effect, EffectKind, Invocation, ShellEntry, Stream};
use aegish_expansion::Field;
use aegish_options::addresses::{
    is_remote, percent_decoded, remote_name, site, split_host, split_listen,
};
use aegish_options::{Argument, CommandLine};
use aegish_profiles::ArgumentRole;
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::{Source, Taint, Value, origin};

impl Interp<'_> {
    pub(super) fn apply_network(&mut self, together: &Together, span: Span) {
        let port = together.ports.first().cloned().unwrap_or_default();
        for (host, at) in &together.hosts {
            let (name, inline) = split_host(host);
            let port = if inline.pieces().is_empty() { port.clone() } else { inline };
            self.effect(EffectKind::Connect { host: name, port }, *at);
        }
        for (listen, at) in &together.listens {
            // If the port is a separate word, a number is an address.
            let (host, port_part) = match listen.as_known() {
                Some(_) if !together.ports.is_empty() && !listen.known_prefix().contains(':') => {
                    (listen.clone(), Value::empty())
                }
                _ => split_listen(listen),
            };
            let port = if port_part.pieces().is_empty() { port.clone() } else { port_part };
            self.effect(EffectKind::Listen { host, port }, *at);
        }
        for (root, at) in &together.serves {
            let host =
                together.listens.first().map_or_else(Value::empty, |(l, _)| split_listen(l).0);
            self.effect(EffectKind::Serve { host, root: root.clone() }, *at);
        }
        let target = together.urls.first().or(together.hosts.first());
        if let Some((to, _)) = target {
            // Only what is secret counts there, so no text is sent.
            for (beside, at) in &together.beside {
                let what = Stream::Literal(Value::empty());
                let taint = beside.taint().clone();
                self.effect(EffectKind::Send { to: to.clone(), what, taint }, *at);
            }
        }
        if !together.sends.is_empty() {
            let to = target.map_or_else(|| Value::unknown("remote host"), |(url, _)| url.clone());
            for (what, at) in &together.sends {
                let taint = match what {
                    Stream::File(path) => self.origin_of_file(path),
                    Stream::Standard => self.stdin_content().taint().clone(),
                    Stream::Literal(value) => value.taint().clone(),
                };
                self.effect(EffectKind::Send { to: to.clone(), what: what.clone(), taint }, *at);
            }
        }
        for (url, at) in &together.urls {
            if self.local_url(url, *at) {
                continue;
            }
            let to = if let Some((path, _)) = together.writes.first() {
                if matches!(path.as_known(), Some("-" | "/dev/null")) {
                    Stream::Standard
                } else {
                    Stream::File(path.clone())
                }
            } else if together.fetch && together.tree {
                // A whole site is stored in a new directory.
                let here = together.directory.clone().unwrap_or_else(|| Value::known("."));
                let site = site(url);
                if let (Some(here), Some(site)) = (here.as_known(), &site) {
                    let place = self.absolute(&format!("{here}/{site}"));
                    self.remember_unpacked(place, Source::Network(url.to_string()));
                }
                Stream::File(site.map_or(here, Value::known))
            } else if together.save_remote_name || together.fetch {
                let mut name = remote_name(url);
                if let Some(directory) = &together.directory {
                    let mut path = directory.clone();
                    path.push_str("/");
                    path.append(&name);
                    name = path;
                }
                let origin = Taint::from(Source::Network(url.to_string()));
                if let Some(known) = name.as_known() {
                    let key = self.absolute(known);
                    let content = Value::unknown("network data").tainted(&origin);
                    self.remember_file(&key, content, false);
                }
                Stream::File(name)
            } else {
                Stream::Standard
            };
            self.effect(EffectKind::Fetch { from: url.clone(), to }, *at);
        }
        self.apply_remote_copy(together, span);
    }

    /// `socat A B`: both addresses are connected with each other.
    pub(super) fn join_addresses(&mut self, parsed: &CommandLine, first_effect: usize, span: Span) {
        let effects = self.effects_since(first_effect);
        let host = effects.iter().find_map(|effect| match &effect.kind {
            EffectKind::Connect { host, .. } | EffectKind::Listen { host, .. } => {
                Some(host.clone())
            }
            _ => None,
        });
        let Some(host) = host else { return };
        let shell = effects.iter().any(|effect| {
            matches!(effect.kind, EffectKind::Shell { entry: ShellEntry::Interactive, .. })
        });
        if shell {
            // It is one shell; the networked one is reported instead.
            let networked = EffectKind::Shell {
                entry: ShellEntry::Networked,
                invocation: Invocation::Indirect,
            };
            let inner = |effect: &Effect| {
                matches!(
                    effect.kind,
                    EffectKind::Shell {
                        entry: ShellEntry::Interactive,
                        invocation: Invocation::Indirect
                    }
                )
            };
            let new = self.out.effects.split_off(first_effect.min(self.out.effects.len()));
            self.out.effects.extend(new.into_iter().filter(|effect| !inner(effect)));
            self.effect(networked, span);
        }
        let standard = |item: &Argument| {
            item.value.as_known().is_some_and(|text| {
                let name = text.split([':', ',']).next().unwrap_or("");
                matches!(name.to_ascii_uppercase().as_str(), "-" | "STDIO" | "STDIN")
            })
        };
        if parsed.arguments.iter().any(standard)
            && !matches!(**self.stdin, Flow::Terminal | Flow::Nothing)
        {
            let taint = self.stdin_content().taint().clone();
            self.effect(EffectKind::Send { to: host, what: Stream::Standard, taint }, span);
        }
    }

    /// The other end of the connection that a started program talks to.
    pub(super) fn attached_peer(parsed: &CommandLine) -> Option<String> {
        let end = |role| {
            matches!(
                role,
                ArgumentRole::Host | ArgumentRole::Listen | ArgumentRole::Port | ArgumentRole::Url
            )
        };
        let item = parsed.arguments.iter().find(|item| end(item.role))?;
        Some(item.value.to_string())
    }

    /// A command for another machine is sent there with everything that the shell inserted into it.
    pub(super) fn hand_over_words(
        &mut self,
        role: ArgumentRole,
        together: &Together,
        words: &[Field],
    ) {
        let Some((host, _)) = together.hosts.first() else { return };
        if !matches!(role, ArgumentRole::RemoteWords | ArgumentRole::RemoteArgv) {
            return;
        }
        let from_files = |word: &&Field| {
            word.value.taint().sources().any(|source| matches!(source, Source::File(_)))
        };
        for word in words.iter().filter(from_files) {
            let (to, taint) = (host.clone(), word.value.taint().clone());
            let what = Stream::Literal(word.value.clone());
            self.effect(EffectKind::Send { to, what, taint }, word.span);
        }
    }

    /// A connector sends its standard input to the other side.
    pub(super) fn send_stdin(&mut self, together: &Together, span: Span) {
        let Some((to, _)) = together.hosts.first().or(together.urls.first()) else { return };
        let content = match &**self.stdin {
            Flow::Terminal | Flow::Nothing | Flow::Network { .. } => return,
            _ => self.stdin_content(),
        };
        let what = if content.is_known() && content.taint().is_none() {
            Stream::Literal(content.clone())
        } else {
            Stream::Standard
        };
        let taint = content.taint().clone();
        self.effect(EffectKind::Send { to: to.clone(), what, taint }, span);
    }

    /// A URL that names a file of this machine.
    fn local_url(&mut self, url: &Value, span: Span) -> bool {
        // The case of a scheme does not count.
        let lower = url.known_prefix().get(..5).unwrap_or_default().to_ascii_lowercase();
        let mut url = url.clone();
        if lower == "file:" && !url.known_prefix().starts_with("file:") {
            let rest = url.tail("file:".len());
            url = Value::known(lower);
            url.append(&rest);
        }
        let url = &url;
        let text = url.known_prefix();
        let offset = if let Some(rest) = text.strip_prefix("file:") {
            let slashes = rest.len() - rest.trim_start_matches('/').len();
            "file:".len() + slashes.saturating_sub(1)
        } else if text.starts_with(['/', '~']) || text.starts_with("./") {
            0
        } else if let Some((scheme, rest)) = text.split_once(':') {
            // `man:/path`, `info:/path` and other schemes of viewers.
            let named = scheme.bytes().all(|byte| byte.is_ascii_alphabetic());
            if !named || !rest.starts_with('/') || rest.starts_with("//") {
                return false;
            }
            scheme.len() + 1
        } else {
            return false;
        };
        let path = if text.starts_with("file:") {
            percent_decoded(&url.tail(offset))
        } else {
            url.tail(offset)
        };
        self.effect(EffectKind::Read { path, tree: false }, span);
        true
    }

    /// An output that may be on another machine (`tar -f host:file`).
    fn write_output(&mut self, together: &Together, target: &Value, span: Span) {
        let mut taint = Taint::none();
        for (read, _) in &together.reads {
            taint.absorb(&self.origin_of_file(read));
        }
        if is_remote(target) {
            let (to, what) = (target.clone(), Stream::Standard);
            self.effect(EffectKind::Send { to, what, taint }, span);
        } else if !matches!(target.as_known(), Some("-" | "/dev/null")) {
            self.write_file(target, Value::unknown("output").tainted(&taint), false, span);
        }
    }

    /// `scp`, `rsync`: each side is remote if it looks like `host:path`.
    fn apply_remote_copy(&mut self, together: &Together, span: Span) {
        let sources = together.remotes.clone();
        let target = together.remote_to.clone();
        if let (Some((target, at)), true) = (&target, sources.is_empty()) {
            self.write_output(together, target, *at);
            return;
        }
        let Some((target, target_span)) = target else {
            // A viewer: it only reads.
            for (source, at) in &sources {
                if self.local_url(source, *at) {
                    continue;
                }
                if is_remote(source) {
                    let to = Stream::Standard;
                    self.effect(EffectKind::Fetch { from: source.clone(), to }, *at);
                } else {
                    let tree = together.tree;
                    self.effect(EffectKind::Read { path: source.clone(), tree }, *at);
                }
            }
            return;
        };
        for (source, at) in &sources {
            match (is_remote(source), is_remote(&target)) {
                (false, true) => {
                    let taint = self.origin_of_file(source);
                    let what = Stream::File(source.clone());
                    self.effect(
                        EffectKind::Read { path: source.clone(), tree: together.tree },
                        *at,
                    );
                    self.effect(EffectKind::Send { to: target.clone(), what, taint }, *at);
                }
                (true, false) => {
                    let to = Stream::File(target.clone());
                    self.effect(EffectKind::Fetch { from: source.clone(), to }, *at);
                    let content = Value::unknown("network data")
                        .tainted(&Taint::from(Source::Network(source.to_string())));
                    let mut place = target.clone();
                    if matches!(target.known_suffix(), "." | "./")
                        || target.known_suffix().ends_with('/')
                    {
                        let name = source.to_string();
                        let name = name.rsplit(['/', ':']).next().unwrap_or("").to_owned();
                        place.push_str("/");
                        place.push_str(&name);
                    }
                    self.write_file(&place, content, false, target_span);
                }
                (false, false) => {
                    self.effect(
                        EffectKind::Read { path: source.clone(), tree: together.tree },
                        *at,
                    );
                    let content = match self.file_content(source) {
                        FileContent::Written(value) => value,
                        _ => Value::unknown(origin::FILE_CONTENT),
                    };
                    self.copy_below(source, &target, target_span);
                    self.write_file(&target, content, false, target_span);
                }
                (true, true) => {}
            }
        }
        let _ = span;
    }
}

pub(super) fn file_or_stdin(value: &Value) -> Stream {
    if matches!(value.as_known(), Some("-" | ".")) {
        Stream::Standard
    } else {
        Stream::File(value.clone())
    }
}

/// `@file`, or text.
pub(super) fn sent_at(value: &Value) -> Stream {
    match value.known_prefix().starts_with('@') {
        true => sent_file(value.tail(1)),
        false => Stream::Literal(value.clone()),
    }
}

/// `@file`, `name@file`, or text: `text`, `=text`, `name=text`. The first sign decides.
pub(super) fn sent_encoded(value: &Value) -> Stream {
    let text = value.known_prefix();
    match text.find(['@', '=']) {
        Some(at) if text.get(at..).is_some_and(|rest| rest.starts_with('@')) => {
            sent_file(value.tail(at + 1))
        }
        _ => Stream::Literal(value.clone()),
    }
}

/// `name=@file,file;type=…`, `name=<file`, or `name=text`.
pub(super) fn sent_in_form(value: &Value) -> Vec<Stream> {
    let text = value.known_prefix();
    let Some(sign) = text.find('=').map(|equals| equals + 1) else {
        return vec![sent_at(value)];
    };
    if !text.get(sign..).is_some_and(|rest| rest.starts_with(['@', '<'])) {
        return vec![Stream::Literal(value.clone())];
    }
    let files = value.tail(sign + 1);
    match files.as_known() {
        Some(known) => {
            let known = known.split(';').next().unwrap_or_default();
            let files = known.split(',').map(|file| file.trim_matches('"'));
            files.map(|file| sent_file(Value::known(file).tainted(value.taint()))).collect()
        }
        None => vec![sent_file(files)],
    }
}

fn sent_file(path: Value) -> Stream {
    match path.as_known() {
        Some("-" | "/dev/null") => Stream::Standard,
        _ => Stream::File(path),
    }
}

/// `name@file`, `name=@file`, `name:=@file` send a file, `name=text` and `name:=json` text; `Header:value`
/// and `query==value` send nothing (HTTPie).
pub(super) fn item_stream(value: &Value) -> Option<Stream> {
    let text = value.known_prefix();
    let at = text.find(['@', '=', ':'])?;
    let sign = text.get(at..).unwrap_or_default();
    let file = |length: usize| Some(file_or_stdin(&value.tail(at + length)));
    if sign.starts_with(":=@") {
        file(3)
    } else if sign.starts_with("=@") {
        file(2)
    } else if sign.starts_with('@') {
        file(1)
    } else if sign.starts_with("==") || (sign.starts_with(':') && !sign.starts_with(":=")) {
        None
    } else {
        Some(Stream::Literal(value.clone()))
    }
}

/// The files whose content is part of a word.
pub(super) fn files_in(item: &Argument) -> Option<Taint> {
    let mut files = Taint::none();
    if item.role == ArgumentRole::ReadAt
        && let Some(path) = item.value.known_prefix().strip_prefix('@')
    {
        files.add(Source::File(path.to_owned()));
    }
    for source in item.value.taint().sources() {
        if matches!(source, Source::File(_)) {
            files.add(source.clone());
        }
    }
    (!files.is_none()).then_some(files)
}
