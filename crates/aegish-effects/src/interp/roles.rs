//! Roles → effects: the words of one command line together.

use super::frame::{Frame, Output};
use super::given_code::{code_pieces, is_piece};
use super::network::{file_or_stdin, item_stream, sent_at, sent_encoded, sent_in_form};
use super::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Invocation, ShellEntry, Stream};
use aegish_expansion::Field;
use aegish_options::{Argument, CommandLine};
use aegish_profiles::{ArgumentRole, Behaviour, DeclaredEffect, Lang, Profile, Stdin, Trait};
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::Value;
use std::sync::Arc;

/// The words of one command whose meaning depends on each other.
#[derive(Default)]
pub(super) struct Together {
    pub(super) urls: Vec<(Value, Span)>,
    pub(super) hosts: Vec<(Value, Span)>,
    pub(super) ports: Vec<Value>,
    pub(super) listens: Vec<(Value, Span)>,
    pub(super) reads: Vec<(Value, Span)>,
    /// Files with checksums and names.
    pub(super) checklists: Vec<Value>,
    pub(super) writes: Vec<(Value, Span)>,
    pub(super) directory: Option<Value>,
    pub(super) sends: Vec<(Stream, Span)>,
    /// The files in words that go along with a request: headers, names, keys.
    pub(super) beside: Vec<(Value, Span)>,
    pub(super) serves: Vec<(Value, Span)>,
    pub(super) sources: Vec<(Value, Span, bool)>,
    pub(super) destination: Option<(Value, Span)>,
    pub(super) mode: Option<Value>,
    pub(super) mode_paths: Vec<(Value, Span)>,
    pub(super) owner: Option<Value>,
    pub(super) owner_paths: Vec<(Value, Span)>,
    pub(super) link_targets: Vec<(Value, Span)>,
    pub(super) link_name: Option<(Value, Span)>,
    pub(super) remotes: Vec<(Value, Span)>,
    pub(super) remote_to: Option<(Value, Span)>,
    pub(super) packages: Vec<Value>,
    pub(super) deletes: Vec<(Value, Span, bool)>,
    pub(super) runs_code: bool,
    /// The code that runs is an operand, so that the input is data.
    pub(super) runs_operand: bool,
    pub(super) tree: bool,
    pub(super) in_place: bool,
    pub(super) pipe: bool,
    /// What is added to the name of a file for the copy that is kept of it.
    pub(super) backup: Option<Value>,
    /// The destination is the name of the copy, even if there is a directory of that name.
    pub(super) exact: bool,
    /// The destination is a directory, even if its name does not look like one.
    pub(super) into_directory: bool,
    /// The command that changes files in place, in the form that prints the result instead.
    pub(super) editing: Option<Vec<String>>,
    pub(super) save_remote_name: bool,
    pub(super) fetch: bool,
    /// What the program writes into the files for its output, as far as that is made of known text.
    pub(super) output: Option<Value>,
    /// Passes on its input unchanged.
    pub(super) copies: bool,
}

impl Interp<'_> {
    /// Follows something whose input and output are a connection, if there is one.
    fn attached<R>(&mut self, peer: Option<&str>, run: impl FnOnce(&mut Self) -> R) -> R {
        let stdin = match peer {
            Some(peer) => Flow::Network { peer: peer.to_owned() }.into(),
            None => Arc::clone(&self.stdin),
        };
        let enter = |output: &mut Output| {
            if let Some(peer) = peer {
                output.peer = Some(peer.to_owned());
            }
        };
        self.with_stdin(stdin, |interp| interp.with_output(enter, run))
    }

    /// Effects of a command line whose words have roles.
    pub(crate) fn apply_roles(
        &mut self,
        profile: &'static Profile,
        parsed: &CommandLine,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        // `--version` does not prevent code in another argument from running.
        let executes = parsed.arguments.iter().any(|item| {
            executes(item.role)
                && !matches!(item.role, ArgumentRole::Script(_) | ArgumentRole::Module(_))
                || item.role == ArgumentRole::Library
        }) || parsed.rest.is_some_and(|(role, _)| role != ArgumentRole::Args);
        if !executes && parsed.declared.iter().any(|effect| effect.is(Behaviour::Inert)) {
            return CommandResult::default();
        }
        if let Some(word) = parsed.lost.and_then(|at| fields.get(at + 1)) {
            self.hide_lost_option(profile, word);
        }
        let has = |behaviour| parsed.declared.iter().any(|effect| effect.is(behaviour));
        let mut together = Together {
            tree: has(Behaviour::Tree),
            in_place: has(Behaviour::InPlace),
            pipe: has(Behaviour::Pipe),
            editing: editing(profile, parsed, fields),
            save_remote_name: has(Behaviour::SaveRemoteName),
            fetch: has(Behaviour::Fetch),
            copies: profile.has(Trait::Copier),
            exact: has(Behaviour::NamesTarget),
            ..Together::default()
        };
        let first_effect = self.out.effects.len();
        let cwd = self.state.cwd.clone();
        if profile.has(Trait::Unpacker) && !has(Behaviour::Look) || has(Behaviour::Unpack) {
            self.note_unpacked(parsed, span);
        }
        if has(Behaviour::Checkout) {
            self.note_checkout(parsed);
        }
        let moved = self.enter_directories(profile, parsed);
        let parsed = moved.as_ref().unwrap_or(parsed);
        let attached = has(Behaviour::Attach).then(|| Self::attached_peer(parsed)).flatten();
        let incoming = parsed.arguments.iter().find(|item| {
            item.role == ArgumentRole::RemoteFrom
                && aegish_options::addresses::is_remote(&item.value)
        });
        let incoming = incoming.map(|item| item.value.to_string().into());
        let from_file = parsed.arguments.iter().any(|item| item.role == ArgumentRole::Read);
        let typed = matches!(**self.stdin, Flow::Terminal) && !from_file;
        let typed = typed && attached.is_none();
        let mut result = CommandResult::default();
        let arguments: Vec<Value> = match parsed.rest {
            Some((ArgumentRole::Args, at)) => fields
                .get(at + 1..)
                .unwrap_or_default()
                .iter()
                .map(|field| field.value.clone())
                .collect(),
            // Variables handed to the code (`awk -v name=value`), goals of make, directories that are searched.
            _ => parsed
                .arguments
                .iter()
                .filter(|item| match item.role {
                    ArgumentRole::Assign | ArgumentRole::IncludeDir => true,
                    ArgumentRole::Code(Lang::MakeWord) => !item.option,
                    // Commands in options of ssh name it by a token.
                    ArgumentRole::Host => profile.name == "ssh" && !item.option,
                    // Files whose lines the code gets.
                    ArgumentRole::Read => !item.option && gets_lines(parsed),
                    _ => false,
                })
                .map(|item| item.value.clone())
                .collect(),
        };
        let enter = |frame: &mut Frame| {
            frame.conditions.reads_terminal = typed;
            frame.conditions.incoming = incoming;
        };
        self.in_frame(enter, |interp| {
            interp.attached(attached.as_deref(), |interp| {
                let mut pieces = code_pieces(&parsed.arguments, fields);
                for item in &parsed.arguments {
                    interp.collect(item, &mut together);
                    together.runs_operand |= self::executes(item.role) && !item.option;
                    match item.role {
                        ArgumentRole::Code(lang) if is_piece(item, fields) => {
                            together.runs_code = true;
                            if let Some(code) = pieces.take() {
                                result = interp.run_language(lang, &code, &arguments, item.span);
                            }
                        }
                        ArgumentRole::Code(lang) => {
                            together.runs_code = true;
                            result = interp.run_language(lang, &item.value, &arguments, item.span);
                        }
                        ArgumentRole::OptionFile => interp.apply_option_file(fields, item, span),
                        ArgumentRole::Module(_) => {
                            together.runs_code = true;
                            let words = match parsed.rest {
                                Some((_, at)) => fields.get(at + 1..).unwrap_or_default(),
                                None => &[],
                            };
                            result = interp.run_module(&item.value, words, item.span);
                        }
                        // `start-stop-daemon --startas /bin/sh -- -c CODE`
                        ArgumentRole::ArgvString
                            if matches!(parsed.rest, Some((ArgumentRole::Args, _))) =>
                        {
                            together.runs_code = true;
                            let at = parsed.rest.map_or(0, |(_, at)| at);
                            let words = fields.get(at + 1..).unwrap_or_default();
                            result = interp.run_with_arguments(item, words);
                        }
                        ArgumentRole::Script(lang) => {
                            together.runs_code = true;
                            result =
                                interp.run_script_path(lang, &item.value, &arguments, item.span);
                        }
                        // A program that reads nothing adds nothing.
                        ArgumentRole::Append if parsed.stdin == Stdin::None => {
                            interp.make_file(&item.value, item.span);
                        }
                        _ => {
                            if let Some(other) = interp.apply_argument(item, span) {
                                result = other;
                            }
                        }
                    }
                }
            });
        });
        if matches!(profile.name, "socat" | "websocat") {
            self.join_addresses(parsed, first_effect, span);
        }
        self.apply_declared_effects(profile, parsed, &together, span);
        self.apply_network(&together, span);
        if !together.writes.is_empty() {
            together.output = self.output_for_file(profile, parsed, fields, first_effect);
        }
        self.apply_files(&together, span);
        self.note_packed(profile, parsed);
        self.apply_diff(profile, parsed, fields, span);
        if profile.name == "mount" {
            self.note_mount(fields);
        }
        if has(Behaviour::Here) && together.reads.is_empty() {
            self.effect(EffectKind::Read { path: Value::known("."), tree: true }, span);
        }
        for effect in &parsed.declared {
            match effect {
                DeclaredEffect::Behaviour(Behaviour::Pieces, start) => {
                    self.write_pieces(&together, fields, start);
                }
                DeclaredEffect::Behaviour(Behaviour::Makes, name)
                    if together.writes.is_empty() && !self.state.files.is_empty() =>
                {
                    self.note_made(parsed, name);
                }
                _ => {}
            }
        }
        if let Some((role, at)) = parsed.rest {
            // `at` counts from the word after the program's name.
            let words = fields.get(at + 1..).unwrap_or_default();
            self.hand_over_words(role, &together, words);
            let elevates = has(Behaviour::Elevate) && !self.frame.conditions.remote;
            let role = self.place_of_rest(role, &together);
            let run = |interp: &mut Self| {
                if profile.has(Trait::Multicall) {
                    Some(interp.dispatch(words, span))
                } else {
                    interp.apply_rest(role, words, span)
                }
            };
            let launched = self.in_frame(
                |frame| frame.conditions.elevated |= elevates,
                |interp| {
                    interp.attached(attached.as_deref(), |interp| match parsed.stdin {
                        // The names have been read, so the command reads the terminal.
                        Stdin::Paths => interp.with_stdin(Flow::Terminal, run),
                        _ => run(interp),
                    })
                },
            );
            result = launched.unwrap_or(result);
        }
        if let Some(at) = parsed.unknown_sub
            && let Some(other) =
                self.run_external(profile, fields.get(at + 1..).unwrap_or_default(), span)
        {
            result = other;
        }
        // Options that run something first (`-r LIBRARY`) leave the input what it is.
        let fed = matches!(parsed.stdin, Stdin::Code(_))
            && !together.runs_operand
            && !matches!(**self.stdin, Flow::Terminal);
        if ((!together.runs_code || fed) && parsed.rest.is_none() || has(Behaviour::Commands))
            && let Some(other) = self.apply_stdin(profile, parsed, &arguments, span)
        {
            result = other;
        }
        if let Some(command) = self.frame.caller.parent {
            for field in parsed.strays.iter().filter_map(|stray| fields.get(*stray + 1)) {
                self.mention(command, &field.value, field.span);
            }
        }
        if has(Behaviour::Verify) {
            self.note_verification(&together);
        } else if parsed.keys.is_some() {
            let shown =
                |item: &&Argument| matches!(item.role, ArgumentRole::Read | ArgumentRole::Edit);
            let files: Vec<Value> =
                parsed.arguments.iter().filter(shown).map(|item| item.value.clone()).collect();
            self.note_reading(&files);
        }
        self.state.cwd = cwd;
        result
    }

    fn collect(&mut self, item: &Argument, together: &mut Together) {
        let pair = (item.value.clone(), item.span);
        match item.role {
            ArgumentRole::Url => together.urls.push(pair),
            ArgumentRole::Host => together.hosts.push(pair),
            ArgumentRole::Port => together.ports.push(item.value.clone()),
            ArgumentRole::Listen => together.listens.push(pair),
            ArgumentRole::Read | ArgumentRole::ReadTree => {
                together.tree |= item.role == ArgumentRole::ReadTree;
                together.reads.push(pair);
            }
            ArgumentRole::Checklist => together.checklists.push(item.value.clone()),
            ArgumentRole::Write => together.writes.push(pair),
            ArgumentRole::WriteDir => together.directory = Some(item.value.clone()),
            ArgumentRole::Text | ArgumentRole::ReadAt => {
                if let Some(files) = super::network::files_in(item) {
                    together.beside.push((Value::empty().tainted(&files), item.span));
                }
            }
            ArgumentRole::Send => {
                together.sends.push((Stream::Literal(item.value.clone()), item.span));
            }
            ArgumentRole::SendFile => together.sends.push((file_or_stdin(&item.value), item.span)),
            ArgumentRole::SendAt => together.sends.push((sent_at(&item.value), item.span)),
            ArgumentRole::SendEncoded => {
                together.sends.push((sent_encoded(&item.value), item.span));
            }
            ArgumentRole::SendForm => {
                let streams = sent_in_form(&item.value).into_iter();
                together.sends.extend(streams.map(|stream| (stream, item.span)));
            }
            ArgumentRole::SendItem => {
                if let Some(stream) = item_stream(&item.value) {
                    together.sends.push((stream, item.span));
                }
            }
            ArgumentRole::Serve => {
                // A number or an address is passed on, not read.
                let text = item.value.known_prefix();
                if text.starts_with("file://") {
                    let path = item.value.tail("file://".len());
                    together.serves.push((path, item.span));
                } else if !text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains("://") {
                    together.serves.push(pair);
                }
            }
            ArgumentRole::CopyFrom => together.sources.push((item.value.clone(), item.span, false)),
            ArgumentRole::MoveFrom => together.sources.push((item.value.clone(), item.span, true)),
            ArgumentRole::BackupSuffix => together.backup = Some(item.value.clone()),
            ArgumentRole::CopyTo => together.destination = Some(pair),
            ArgumentRole::CopyInto => {
                together.into_directory = true;
                together.destination = Some(pair);
            }
            ArgumentRole::Mode => together.mode = Some(item.value.clone()),
            ArgumentRole::ModePath => together.mode_paths.push(pair),
            ArgumentRole::Owner => together.owner = Some(item.value.clone()),
            ArgumentRole::Group => {
                let mut owner = Value::known(":");
                owner.append(&item.value);
                together.owner = Some(owner);
            }
            ArgumentRole::OwnerPath => together.owner_paths.push(pair),
            ArgumentRole::LinkTarget => together.link_targets.push(pair),
            ArgumentRole::LinkName => together.link_name = Some(pair),
            ArgumentRole::RemoteFrom => {
                let text = item.value.known_prefix();
                if text.contains("::") {
                    self.run_language(Lang::GitUrl, &item.value, &[], item.span);
                } else if text.starts_with("movie=") || text.starts_with("amovie=") {
                    self.run_language(Lang::FfmpegInput, &item.value, &[], item.span);
                }
                together.remotes.push(pair);
            }
            ArgumentRole::RemoteTo => together.remote_to = Some(pair),
            ArgumentRole::Delete => together.deletes.push((item.value.clone(), item.span, false)),
            ArgumentRole::DeleteTree => {
                together.deletes.push((item.value.clone(), item.span, true));
            }
            ArgumentRole::Package => {
                let package = self.with_origin(&item.value);
                together.packages.push(package);
            }
            _ => {}
        }
    }

    fn apply_stdin(
        &mut self,
        profile: &'static Profile,
        parsed: &CommandLine,
        arguments: &[Value],
        span: Span,
    ) -> Option<CommandResult> {
        match parsed.stdin {
            Stdin::Code(lang) => {
                if matches!(**self.stdin, Flow::Terminal) {
                    if let Some(keys) = parsed.keys {
                        self.effect(EffectKind::Interactive { keys }, span);
                        // Names of programs typed there run them.
                        if keys.starts_with("shell:") && !self.frame.conditions.remote {
                            let kind = EffectKind::Shell {
                                entry: ShellEntry::Interactive,
                                invocation: self.frame.caller.invocation,
                            };
                            self.effect(kind, span);
                        }
                    }
                    return None;
                }
                let content = self.stdin_content();
                Some(self.run_language(lang, &content, arguments, span))
            }
            Stdin::RemoteCode => {
                let content = self.input_content().filter(|content| content.has_text())?;
                Some(self.run_remote(|interp| interp.run_code_value(&content, span)))
            }
            Stdin::ArgvLines => {
                if matches!(**self.stdin, Flow::Terminal) {
                    return None;
                }
                let content = self.stdin_content();
                let _ = profile;
                Some(self.run_code_through(Invocation::Launched, &content, span))
            }
            Stdin::Paths => {
                if let Some(text) = self.stdin_content().as_known() {
                    let paths: Vec<String> = text.lines().map(str::to_owned).collect();
                    for path in paths {
                        self.effect(
                            EffectKind::Read { path: Value::known(path), tree: false },
                            span,
                        );
                    }
                }
                None
            }
            Stdin::Data | Stdin::None => {
                // A pager reads its commands from the terminal, not from its input. Without a terminal
                // to show text on, it only copies.
                let reads_keys = |keys| match keys {
                    "pager" => !self.output.capture,
                    _ => matches!(**self.stdin, Flow::Terminal),
                };
                if let Some(keys) = parsed.keys.filter(|keys| reads_keys(keys)) {
                    self.effect(EffectKind::Interactive { keys }, span);
                }
                None
            }
        }
    }
}

/// `sed -i …` as a filter without the files, if all of its words are known.
fn editing(profile: &Profile, parsed: &CommandLine, fields: &[Field]) -> Option<Vec<String>> {
    if profile.name != "sed" || !parsed.declared.iter().any(|effect| effect.is(Behaviour::InPlace))
    {
        return None;
    }
    let is_file = |word: usize| {
        let mut files = parsed.arguments.iter().filter(|item| item.role == ArgumentRole::Read);
        files.any(|item| item.word == Some(word))
    };
    let in_place =
        |text: &str| text.starts_with("--in-place") || text.starts_with("-i") || text == "-s";
    let mut words = vec!["sed".to_owned()];
    for (_, field) in fields.get(1..)?.iter().enumerate().filter(|(at, _)| !is_file(*at)) {
        let text = field.value.as_known()?;
        if !in_place(text) {
            words.push(text.to_owned());
        }
    }
    Some(words)
}

/// Whether words of this role are run.
pub(super) fn executes(role: ArgumentRole) -> bool {
    matches!(
        role,
        ArgumentRole::Shell
            | ArgumentRole::IndirectShell
            | ArgumentRole::RemoteShell
            | ArgumentRole::ArgvString
            | ArgumentRole::IndirectArgvString
            | ArgumentRole::Program
            | ArgumentRole::IndirectProgram
            | ArgumentRole::Code(_)
            | ArgumentRole::Script(_)
            | ArgumentRole::Module(_)
    )
}

/// Whether the files that a command names are read line by line by its code (`perl -n`).
fn gets_lines(parsed: &CommandLine) -> bool {
    let code = |item: &Argument| matches!(item.role, ArgumentRole::Code(Lang::Perl | Lang::Ruby));
    parsed.arguments.iter().any(code)
}
