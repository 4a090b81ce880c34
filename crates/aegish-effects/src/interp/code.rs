//! Code of other languages inside a command: effects that the scanner found become effects of the command.

use super::frame::Frame;
use super::{CommandResult, Interp, UNKNOWN_PART};
use aegish_analysis::{EffectKind, FileKind, Invocation, Opaque, ShellEntry, Stream};
use aegish_expansion::Field;
use aegish_languages::fed;
use aegish_languages::{CodeContext, CodeEffect};
use aegish_profiles::{Detail, Lang, SystemEffect};
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Taint, Value, origin};

/// Languages made for programming, in which running another program is ordinary.
const GENERAL: &[Lang] = &[
    Lang::Python,
    Lang::Perl,
    Lang::PerlDebugger,
    Lang::Ruby,
    Lang::Erb,
    Lang::Node,
    Lang::Mongo,
    Lang::Php,
    Lang::Lua,
    Lang::Tcl,
    Lang::R,
    Lang::Julia,
    Lang::Go,
    Lang::Java,
    Lang::Groovy,
    Lang::Elixir,
    Lang::Erlang,
    Lang::Scheme,
    Lang::Make,
    Lang::Cmake,
    Lang::Expect,
    Lang::Powershell,
    Lang::Shell,
    Lang::Haskell,
    Lang::Ocaml,
    Lang::Raku,
    Lang::Csharp,
    Lang::Awk,
    Lang::Json,
    Lang::Ninja,
    Lang::Just,
    Lang::Rust,
    Lang::Ipython,
];

/// How code was read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// By a parser, which tells code that was received from other code that is not known.
    Parsed,
    /// By a reader without a grammar.
    Scanned,
}

impl Interp<'_> {
    /// Follows code of another language.
    pub(crate) fn run_language(
        &mut self,
        lang: Lang,
        code: &Value,
        arguments: &[Value],
        span: Span,
    ) -> CommandResult {
        if lang == Lang::Shell {
            return self.run_code_through(Invocation::Direct, code, span);
        }
        if lang == Lang::ProgramDir
            && let Some(result) = self.run_written_programs(code, span)
        {
            return result;
        }
        self.run_fetched(code, span);
        if let Some(texts) = code.readings(MAX_ALTERNATIVES).filter(|texts| texts.len() > 1) {
            return self.run_each_reading(lang, &texts, code, arguments, span);
        }
        if lang == Lang::Cron {
            let detail = Detail::new("schedules commands");
            // Lines that are added to an unknown crontab are judged alone.
            let known: String = code
                .pieces()
                .iter()
                .filter_map(|piece| match piece {
                    Piece::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            let object =
                if known.trim().is_empty() { code.clone() } else { Value::known(known.trim()) };
            let what = SystemEffect::Persist;
            self.effect(EffectKind::System { what, detail, object }, span);
        }
        let text = match code.as_known() {
            Some(text) => text.to_owned(),
            None => {
                let known: usize = code
                    .pieces()
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => text.trim().len(),
                        _ => 0,
                    })
                    .sum();
                if known == 0 {
                    // Languages that only compute or describe have no effects.
                    if !GENERAL.contains(&lang) && !matches!(lang, Lang::Sed | Lang::Vim) {
                        return CommandResult::default();
                    }
                    let taint = code.taint().clone();
                    self.effect(
                        EffectKind::Hidden { why: Opaque::Code, what: code.clone(), taint },
                        span,
                    );
                    return CommandResult::default();
                }
                // Text that the shell inserts into the code is usually data there.
                let mut text = String::new();
                for piece in code.pieces() {
                    match piece {
                        Piece::Text(part) => text.push_str(part),
                        Piece::OneOf(texts) => {
                            text.push_str(texts.first().map_or("", String::as_str));
                        }
                        // Unknown lines are separate from known ones.
                        _ if lang == Lang::Cron => text.push('\n'),
                        // Probably a variable of that language which the shell
                        // expanded.
                        _ if matches!(lang, Lang::Powershell | Lang::Perl | Lang::Php) => {
                            text.push('$');
                            text.push_str(UNKNOWN_PART);
                        }
                        _ => text.push_str(UNKNOWN_PART),
                    }
                }
                text
            }
        };
        self.run_language_text(lang, &text, arguments, span)
    }

    fn run_language_text(
        &mut self,
        lang: Lang,
        text: &str,
        arguments: &[Value],
        span: Span,
    ) -> CommandResult {
        if self.frame.nesting.depth >= super::MAX_DEPTH || !self.step(span) {
            self.hidden_limit(span, "nesting");
            return CommandResult::default();
        }
        if matches!(lang, Lang::Sqlite | Lang::Mysql | Lang::Psql) {
            self.check_statements(lang, text, span);
        }
        if matches!(lang, Lang::Ini | Lang::Yaml | Lang::Xml) {
            for command in aegish_languages::named_commands(text) {
                let command = Value::known(command);
                self.run_code_through(Invocation::Indirect, &command, span);
            }
            return CommandResult::default();
        }
        let effects = self.scanned(lang, text, arguments);
        let enter = |frame: &mut Frame| {
            let caller = &mut frame.caller;
            caller.in_language = caller.later || GENERAL.contains(&lang);
            // Jobs and units are made for running commands.
            let made_for_it = caller.later || matches!(lang, Lang::Cron | Lang::Systemd);
            caller.code_invocation =
                if made_for_it { Invocation::Direct } else { Invocation::Indirect };
        };
        let reading = if lang == Lang::Python { Reading::Parsed } else { Reading::Scanned };
        self.in_frame(enter, |interp| interp.apply_code_effects(effects, reading, span))
    }

    /// Follows the effects of code, in order.
    pub(crate) fn apply_code_effects(
        &mut self,
        effects: Vec<CodeEffect>,
        reading: Reading,
        span: Span,
    ) -> CommandResult {
        let connects = effects
            .iter()
            .any(|kind| matches!(kind, CodeEffect::Connect { .. } | CodeEffect::Listen { .. }));
        let networked = connects
            && effects.iter().any(|kind| match kind {
                // It runs something unknown, or something attached to the connection.
                CodeEffect::AttachStdio | CodeEffect::RunReceived => true,
                CodeEffect::Hidden => reading == Reading::Scanned,
                CodeEffect::Shell(code) => {
                    code.known_prefix().is_empty() && !code.is_known()
                        || is_bare_shell(code.known_prefix())
                }
                CodeEffect::Argv(words) => {
                    words.len() <= 2
                        && words.first().is_some_and(|name| is_bare_shell(name.known_prefix()))
                }
                _ => false,
            });
        let effects: Vec<CodeEffect> = match self.input_content() {
            Some(input) => effects.into_iter().map(|kind| fed(kind, &input)).collect(),
            None => effects,
        };
        let received = effects.iter().any(|kind| matches!(kind, CodeEffect::RunReceived));
        let origin = effects.iter().find_map(|kind| match kind {
            CodeEffect::Fetch { url, .. } => Some(url.to_string()),
            _ => None,
        });
        // The interpreter read its code from standard input; the programs that it starts read the
        // terminal.
        let mut stdin = match **self.stdin {
            Flow::Network { .. } => Flow::clone(&self.stdin),
            _ => Flow::Terminal,
        };
        match origin {
            // It runs its download.
            Some(origin) if received && !connects => {
                self.effect(EffectKind::RunFetched { origin }, span);
            }
            _ if networked || received => {
                self.effect(
                    EffectKind::Shell {
                        entry: ShellEntry::Networked,
                        invocation: Invocation::Indirect,
                    },
                    span,
                );
                // A shell it starts is that shell, not another one at the terminal.
                stdin = Flow::Network { peer: "the connection".to_owned() };
            }
            _ => {}
        }
        self.with_stdin(stdin, |interp| {
            interp.deeper(|interp| {
                let mut stdout = Value::empty();
                // Paths of the code's own effects are seen from where it started; only what it runs is elsewhere.
                let here = interp.state.cwd.clone();
                let mut directory = Value::empty();
                let sets = |kind: &CodeEffect| {
                    matches!(kind, CodeEffect::Setenv { .. } | CodeEffect::Environment(_))
                };
                // What the code puts into its environment, the programs that it starts see, and nobody else.
                let outer = effects.iter().any(sets).then(|| interp.state.variables.clone());
                let mut environment = Vec::new();
                for kind in effects {
                    if let CodeEffect::Environment(variables) = kind {
                        environment = variables;
                        continue;
                    }
                    if let CodeEffect::Chdir(path) = kind {
                        directory = path;
                        continue;
                    }
                    let moved = !directory.pieces().is_empty()
                        && matches!(
                            kind,
                            CodeEffect::Shell(_) | CodeEffect::Argv(_) | CodeEffect::Eval(..)
                        );
                    if moved {
                        interp.change_directory(&directory);
                    }
                    let starts = matches!(kind, CodeEffect::Shell(_) | CodeEffect::Argv(_));
                    let given =
                        (starts && !environment.is_empty()).then(|| interp.state.variables.clone());
                    if given.is_some() {
                        for (name, value) in &environment {
                            interp.put_into_environment(name, value.clone(), span);
                        }
                    }
                    if let Some(text) = interp.apply_code_act(kind, span) {
                        stdout.append(&text);
                    }
                    if let Some(given) = given {
                        interp.state.variables = given;
                    }
                    if moved {
                        interp.state.cwd = here.clone();
                    }
                }
                if let Some(outer) = outer {
                    interp.state.variables = outer;
                }
                CommandResult::output(stdout)
            })
        })
    }

    fn apply_code_act(&mut self, kind: CodeEffect, span: Span) -> Option<Value> {
        match kind {
            CodeEffect::Shell(code) => {
                if code.pieces().iter().all(|piece| matches!(piece, Piece::Unknown(_)))
                    && !code.pieces().is_empty()
                {
                    self.hidden_code(&code, span);
                } else {
                    let invocation = self.frame.caller.code_invocation;
                    self.run_code_through(invocation, &code, span);
                }
            }
            CodeEffect::Argv(words) => {
                let fields: Vec<Field> =
                    words.into_iter().map(|value| Field { value, span }).collect();
                self.run_argv_through(self.invocation_of_code(), &fields, span);
            }
            CodeEffect::Eval(lang, code) => {
                if code.is_known() {
                    return Some(self.run_language(lang, &code, &[], span).stdout);
                }
                self.hidden_code(&code, span);
            }
            CodeEffect::Script(Lang::Make, path) if self.run_own_makefiles(&path, span) => {}
            CodeEffect::Script(lang, path) => {
                if let super::FileContent::Written(content) = self.file_content(&path) {
                    self.note_script(&path, &content, lang);
                    self.run_language(lang, &content, &[], span);
                }
                // PHP prints a file that is no code; others show its first line as an error.
                self.effect(EffectKind::Read { path, tree: false }, span);
            }
            CodeEffect::Import(name) => self.import_own_module(&name, span),
            CodeEffect::Directory(path) => self.run_directory(&path, span),
            CodeEffect::Hidden => self.hidden_code(&Value::unknown("computed code"), span),
            // Reported once for the code as a whole.
            CodeEffect::RunReceived | CodeEffect::Chdir(_) | CodeEffect::Environment(_) => {}
            CodeEffect::AttachStdio => {}
            CodeEffect::Read(path) => self.effect(EffectKind::Read { path, tree: false }, span),
            CodeEffect::Mention(path) => self.effect(EffectKind::Mention { path }, span),
            CodeEffect::List(path) => self.effect(EffectKind::List { path }, span),
            CodeEffect::Write { path, content, append } => {
                self.write_file(&path, content, append, span);
            }
            CodeEffect::Delete { path, tree } => {
                self.effect(EffectKind::Delete { path, tree }, span);
            }
            CodeEffect::Mode { path, mode } => {
                self.effect(
                    EffectKind::Mode { path, mode, tree: false, kind: FileKind::Any },
                    span,
                );
            }
            CodeEffect::Owner { path, owner } => {
                self.effect(
                    EffectKind::Owner { path, owner, tree: false, kind: FileKind::Any },
                    span,
                );
            }
            CodeEffect::Link { target, name } => {
                self.effect(EffectKind::Read { path: target.clone(), tree: false }, span);
                if let Some(known) = name.as_known() {
                    self.remember_link(&target, known);
                }
                self.effect(EffectKind::Link { target, name }, span);
            }
            CodeEffect::Copy { from, to } => {
                self.effect(EffectKind::Read { path: from.clone(), tree: false }, span);
                let content = match self.file_content(&from) {
                    super::FileContent::Written(value) => value,
                    _ => Value::unknown(origin::FILE_CONTENT)
                        .tainted(&Taint::from(Source::File(from.to_string()))),
                };
                self.write_file(&to, content, false, span);
            }
            CodeEffect::Connect { host, port } => {
                self.effect(EffectKind::Connect { host, port }, span);
            }
            CodeEffect::Listen { host, port } => {
                self.effect(EffectKind::Listen { host, port }, span);
            }
            CodeEffect::Fetch { url, to } => {
                let stream = to.clone().map_or(Stream::Standard, Stream::File);
                if let Some(path) = to {
                    let content = Value::unknown("network data")
                        .tainted(&Taint::from(Source::Network(url.to_string())));
                    self.write_file(&path, content, false, span);
                }
                self.effect(EffectKind::Fetch { from: url, to: stream }, span);
            }
            CodeEffect::Send { to, file } => {
                let taint = file
                    .as_ref()
                    .map_or_else(Taint::none, |path| Taint::from(Source::File(path.to_string())));
                let what = file.map_or(Stream::Standard, Stream::File);
                self.effect(EffectKind::Send { to, what, taint }, span);
            }
            CodeEffect::Serve { host, root } => self.effect(EffectKind::Serve { host, root }, span),
            CodeEffect::Load(library) => self.effect(EffectKind::Load { library }, span),
            CodeEffect::Setenv { name, value } => {
                self.put_into_environment(&name, value, span);
            }
            CodeEffect::SetUser(user) => {
                let what = SystemEffect::Privilege;
                let detail = Detail::new("becomes another user");
                self.effect(EffectKind::System { what, detail, object: user }, span);
            }
            CodeEffect::Exhaust => {
                let what = SystemEffect::Exhaust;
                let detail = Detail::new("starts processes without end");
                let object = Value::empty();
                self.effect(EffectKind::System { what, detail, object }, span);
            }
            CodeEffect::System { what, detail, object } => {
                let detail = Detail::new(detail);
                self.effect(EffectKind::System { what, detail, object }, span);
            }
            CodeEffect::Print(text) => return Some(Value::known(text)),
        }
        None
    }

    /// A page for a web server that runs code taken from requests.
    pub(crate) fn check_web_script(&mut self, path: &Value, content: &Value, span: Span) {
        const PAGES: [&str; 4] = [".php", ".phtml", ".phar", ".php5"];
        let Some(text) = content.as_known() else { return };
        if !PAGES.iter().any(|ending| path.known_suffix().ends_with(ending)) {
            return;
        }
        let effects = aegish_languages::scan(Lang::Php, text, &CodeContext::alone(&|_| None, &[]));
        let asked_for = |value: &Value| value.taint().network() == Some("request");
        let obeys = effects.iter().any(|kind| match kind {
            CodeEffect::Shell(value) | CodeEffect::Eval(_, value) => asked_for(value),
            CodeEffect::Argv(words) => words.first().is_some_and(asked_for),
            CodeEffect::RunReceived => true,
            _ => false,
        });
        if obeys {
            self.effect(
                EffectKind::Shell {
                    entry: ShellEntry::Networked,
                    invocation: Invocation::Indirect,
                },
                span,
            );
        }
    }

    pub(super) fn hidden_code(&mut self, code: &Value, span: Span) {
        // A program that runs every line that is typed is a shell.
        let line = |piece: &Piece| {
            matches!(piece, Piece::Unknown(origin::INPUT_LINE | origin::INPUT_FIELD))
        };
        if self.frame.conditions.reads_terminal && code.pieces().iter().all(line) {
            self.effect(
                EffectKind::Shell {
                    entry: ShellEntry::Interactive,
                    invocation: self.frame.caller.code_invocation,
                },
                span,
            );
            return;
        }
        self.run_fetched(code, span);
        let taint = code.taint().clone();
        self.effect(EffectKind::Hidden { why: Opaque::Code, what: code.clone(), taint }, span);
    }

    /// A configuration file written by the script itself, in a language that its form suggests.
    pub(crate) fn scan_config(&mut self, text: &str, span: Span) {
        let lang = if text.contains("ExecStart=") {
            Lang::Systemd
        } else if text.lines().any(|line| line.trim_end() == "users:") {
            // Clusters and who may use them, with programs that log in.
            Lang::Ini
        } else if text.contains("kind:") || text.contains("apiVersion") || is_compose(text) {
            Lang::Manifest
        } else if text.trim_start().starts_with('{') {
            Lang::Json
        } else if text.contains("server {") || text.contains("http {") {
            Lang::Nginx
        } else {
            Lang::Ini
        };
        self.run_language_text(lang, text, &[], span);
    }
}

/// A file of `docker compose`.
fn is_compose(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == "services:")
}

/// A shell without code: it reads its commands from standard input.
fn is_bare_shell(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let name = words.next().map(super::simple::base_name).unwrap_or("");
    aegish_profiles::find(name).is_some_and(super::program::is_shell)
        && words.all(|word| word == "-i" || word == "-l")
}
