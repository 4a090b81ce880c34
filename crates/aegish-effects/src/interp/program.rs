//! Programs: from a name and words to a profile, and from the profile's roles to effects.

use super::simple::base_name;
use super::{Content, Interp, Ran, options};
use crate::context::FileView;
use crate::effect::{Act, Door, Opaque, Stream};
use crate::emulate;
use crate::expand::{Field, joined};
use crate::state::Flow;
use crate::value::{Source, Taint, Value};
use aegish_profiles::{Lang, Profile, Special};
use aegish_syntax::Span;
use std::cell::{Cell, RefCell};

/// Directories whose programs are what their names say.
const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/games",
    "/snap/bin",
    "/opt/homebrew/bin",
    "/run/current-system/sw/bin",
    "/usr/libexec",
    "/lib64",
    "/lib",
];

/// Programs that print nothing when all goes well, unless asked to.
const SILENT: &[&str] = &[
    "mkdir", "rmdir", "rm", "touch", "cp", "mv", "ln", "chmod", "chown", "chgrp", "mkfifo",
    "mknod", "sleep", "true", "false", "truncate", "sync", "test", "[",
];

/// Programs that never look at standard input.
const WITHOUT_INPUT: &[&str] = &["echo", "printf", "basename", "dirname", "seq", "expr"];

impl Interp<'_> {
    /// Follows the program `name` (as typed, maybe with a directory) with all its words.
    pub(crate) fn run_program(&mut self, name: &str, fields: &[Field], span: Span) -> Ran {
        // `npx https://…`: what runs is fetched first.
        if name.contains("://") {
            let from = Value::known(name);
            self.report(fields, None, span);
            self.effect(Act::Fetch { from, to: Stream::Standard }, span);
            self.effect(Act::RunFetched { origin: name.to_owned() }, span);
            return Ran::default();
        }
        let base = base_name(name);
        let profile = aegish_profiles::find(base);
        let elevates = |profile: &'static Profile| {
            profile.grammar.does.iter().any(|deed| deed.tag == "elevate")
        };
        if profile.is_some_and(elevates) && !self.remote {
            self.check_elevation(name, span);
        }
        if name.contains('/') && !self.remote {
            let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
            if !SYSTEM_DIRECTORIES.contains(&directory) {
                if self.door == Door::Side {
                    self.check_side_door(None, fields, span);
                }
                if let Some(ran) = self.run_file(name, fields, span) {
                    return ran;
                }
            }
        }
        if !name.contains('/')
            && !self.state.files.is_empty()
            && let Some(path) = self.written_program(name)
            && let Some(ran) = self.run_file(&path, fields, span)
            // Whose search path counts is not known: the system's program may run all the same.
            && !(self.elevated && profile.is_some())
        {
            return ran;
        }
        if !name.contains('/')
            && !self.remote
            && let Some(path) = self.added_program(name)
            && let Some(ran) = self.run_file(&path, fields, span)
            // A wrapper of the same name has its own effects and those of the program behind it.
            && profile.is_none()
        {
            return ran;
        }
        let command = self.report(fields, profile.map(|profile| profile.name), span);
        let parent = self.parent.replace(command);
        let first_effect = self.out.effects.len();
        if self.door == Door::Side {
            self.check_side_door(profile, fields, span);
        }
        let ran = match profile {
            Some(profile) => self.run_profile(profile, fields, span),
            None => {
                self.mention_arguments(command, &fields[1..]);
                Ran::default()
            }
        };
        self.parent = parent;
        if !self.capture {
            return ran;
        }
        self.output(base, fields, ran, first_effect)
    }

    /// A program of that name that the script itself put on its search path.
    fn written_program(&self, name: &str) -> Option<String> {
        let path = self.lookup_scalar("PATH")?;
        let written = |directories: &str| {
            directories
                .split(':')
                .map(|directory| self.absolute(&format!("{directory}/{name}")))
                .find(|candidate| self.written(candidate).is_some())
        };
        // Behind the directories that were there before, only a name of one's own is found.
        written(path.known_prefix()).or_else(|| {
            let own = aegish_profiles::find(name).is_none();
            own.then(|| written(path.known_suffix())).flatten()
        })
    }

    /// A script of that name in a directory that this session put on its search path.
    fn added_program(&self, name: &str) -> Option<String> {
        let path = self.state.variables.get("PATH")?.content.scalar()?;
        let before = self.ctx.variables.get("PATH").map(Value::known_prefix).unwrap_or_default();
        path.known_prefix()
            .split(':')
            .take_while(|directory| !SYSTEM_DIRECTORIES.contains(directory))
            .filter(|directory| !before.split(':').any(|known| known == *directory))
            .map(|directory| self.absolute(&format!("{directory}/{name}")))
            .find(|candidate| {
                let view = self.ctx.machine.read(candidate, super::MAX_SCRIPT);
                candidate.starts_with('/') && matches!(view, FileView::Text(_) | FileView::Long(_))
            })
    }

    /// A program that is trusted with rights has to be the system's own: not one of that name that
    /// lies before it on the search path, or anywhere else.
    fn check_elevation(&mut self, name: &str, span: Span) {
        if !self.out.elevations.iter().any(|known| known == name) {
            self.out.elevations.push(name.to_owned());
        }
        let other = match name.rsplit_once('/') {
            Some((directory, _)) if SYSTEM_DIRECTORIES.contains(&directory) => None,
            Some(_) => Some(name.to_owned()),
            None => self.program_before_the_system(name),
        };
        if let Some(other) = other {
            let name = base_name(name).to_owned();
            self.effect_shadow(&name, Value::known(other), span);
        }
    }

    /// A file of that name in a directory that is searched before those of the system.
    fn program_before_the_system(&self, name: &str) -> Option<String> {
        let path = self.lookup_scalar("PATH")?;
        path.known_prefix()
            .split(':')
            .take_while(|directory| !SYSTEM_DIRECTORIES.contains(directory))
            .map(|directory| self.absolute(&format!("{directory}/{name}")))
            .find(|candidate| {
                let view = self.ctx.machine.read(candidate, 0);
                candidate.starts_with('/') && !matches!(view, FileView::Missing | FileView::Unknown)
            })
    }

    /// `git x` runs `git-x` from the search path if git has no `x` of its own.
    pub(super) fn run_external(
        &mut self,
        profile: &'static Profile,
        words: &[Field],
        span: Span,
    ) -> Option<Ran> {
        let word = words.first()?.value.as_known().filter(|_| profile.external)?;
        let name = format!("{}-{word}", profile.name);
        self.written_program(&name)?;
        let mut argv = vec![Field { value: Value::known(name), span }];
        argv.extend(words[1..].iter().cloned());
        Some(self.run_argv_through(Door::Launcher, argv, span))
    }

    /// A side door may lead to an ordinary helper; anything else is worth a word.
    fn check_side_door(&mut self, profile: Option<&'static Profile>, fields: &[Field], span: Span) {
        let ordinary = match profile {
            Some(profile) => profile.helper || self.in_language || is_shell(profile),
            // Scripts of the project and tools on the search path are what programs call.
            None => {
                self.in_language && fields.first().is_some_and(|name| self.is_near(&name.value))
            }
        };
        if ordinary {
            return;
        }
        let command = joined(fields);
        self.effect(Act::SideRun { command }, span);
    }

    /// Whether a program is named without its place on the machine, or lies in the project.
    pub(super) fn is_near(&self, name: &Value) -> bool {
        let text = name.known_prefix();
        let below = |directory: &str| {
            directory.len() > 1
                && text.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
        };
        // What people keep in their homes they built or installed themselves.
        !text.starts_with(['/', '~'])
            || text.starts_with("/home/")
            || text.starts_with("/Users/")
            || self.state.cwd.as_known().is_some_and(below)
    }

    /// A program given by a path outside the system's directories: if its text is known it is judged
    /// as a script. `None` means that it is treated by its name.
    fn run_file(&mut self, name: &str, fields: &[Field], span: Span) -> Option<Ran> {
        let path = Value::known(name);
        match self.file_content(&path) {
            // A copy of (or a link to) a program of the system is that program.
            Content::Written(value) if copied_program(&value).is_some() => {
                let original = copied_program(&value)?;
                Some(self.run_program(&original, fields, span))
            }
            // Made by a program of this script (a compiler, say), and not from the network.
            Content::Written(value)
                if !value.is_known()
                    && value.taint().network().is_none()
                    && value.pieces().len() == 1 =>
            {
                None
            }
            Content::Written(value) => {
                self.note_script(&path, &value);
                let command = self.report(fields, None, span);
                let parent = self.parent.replace(command);
                let arguments: Vec<Value> =
                    fields.iter().skip(1).map(|field| field.value.clone()).collect();
                let ran = self.run_script_value(&value, None, arguments, span);
                self.parent = parent;
                Some(ran)
            }
            Content::Unknown if !self.absolute(name).starts_with('/') => None,
            Content::Unknown => {
                // Without a view of the machine a known name is taken at its word.
                if aegish_profiles::find(base_name(name)).is_some() {
                    return None;
                }
                self.note_hidden_script(&path);
                let command = self.report(fields, None, span);
                let taint = Taint::from(Source::File(name.to_owned()));
                self.effect_of(
                    command,
                    Act::Hidden { why: Opaque::Script, what: path, taint },
                    span,
                );
                // The arguments still tell something.
                self.mention_arguments(command, &fields[1..]);
                Some(Ran::default())
            }
            // A program nobody looked at is one that nobody knows.
            Content::Unseen | Content::Binary | Content::Missing => {
                self.run_unpacked(&path, span);
                None
            }
        }
    }

    /// Follows the content of a script file: by its `#!` line, else as `lang`, else as shell code.
    pub(crate) fn run_script_value(
        &mut self,
        content: &Value,
        lang: Option<Lang>,
        arguments: Vec<Value>,
        span: Span,
    ) -> Ran {
        self.run_fetched(content, span);
        let lang = match content.known_prefix().strip_prefix("#!") {
            Some(rest) if lang.is_none() => {
                let line = rest.lines().next().unwrap_or("");
                script_language(line)
            }
            _ => lang.or(Some(Lang::Shell)),
        };
        match lang {
            Some(Lang::Shell) => {
                let positional = self.state.positional.replace(std::rc::Rc::new(arguments));
                let mut ran = Ran::default();
                let door = std::mem::replace(&mut self.door, Door::Typed);
                self.isolated(|interp| {
                    interp.enter_child_shell();
                    ran = interp.run_code_value(content, span);
                });
                self.door = door;
                self.state.positional = positional;
                ran
            }
            Some(lang) => self.run_language(lang, content, &arguments, span),
            None => Ran::default(),
        }
    }

    /// Files the program reads by itself, if the script wrote them.
    fn apply_inputs(&mut self, profile: &'static Profile, fields: &[Field], span: Span) {
        if self.state.files.is_empty() && self.state.unpacked.is_empty() {
            return;
        }
        for (path, role) in profile.inputs {
            // By default in the working directory; operands may name another one.
            let mut places = match path.strip_prefix('~') {
                Some(rest) => vec![format!("{}{rest}", self.home())],
                None => vec![self.absolute(path.trim_start_matches("**/"))],
            };
            let path = path.trim_start_matches("**/");
            for operand in fields[1..].iter().filter_map(|field| field.value.as_known()) {
                places.push(self.absolute(&format!("{operand}/{path}")));
            }
            for place in &places {
                let seen = self.unpacked_origin(place).is_some()
                    && !matches!(
                        self.ctx.machine.read(place, 0),
                        FileView::Missing | FileView::Unknown
                    );
                if seen && self.written(place).is_none() {
                    self.run_unpacked(&Value::known(place.as_str()), span);
                }
            }
            let fits =
                |name: &String| places.iter().any(|place| super::settings::fits(place, name));
            let written: Vec<String> =
                self.state.files.keys().filter(|name| fits(name)).cloned().collect();
            for name in written {
                let Some(content) = self.written(&name) else { continue };
                self.run_fetched(&content, span);
                self.follow_settings(*role, &content, span);
            }
        }
    }

    fn run_profile(&mut self, profile: &'static Profile, fields: &[Field], span: Span) -> Ran {
        self.apply_environment(profile, span);
        self.apply_inputs(profile, fields, span);
        self.obey_settings(profile, fields, span);
        match profile.special {
            Some(Special::Shell) => self.run_shell(profile, fields, span),
            Some(Special::Find) => self.run_find(fields, span),
            Some(Special::Xargs) => self.run_xargs(profile, fields, span),
            Some(Special::Parallel) => self.run_parallel(profile, fields, span),
            Some(Special::Test) => {
                for pair in fields.windows(2) {
                    if matches!(pair[0].value.as_known(), Some("-v" | "-R")) {
                        self.evaluate_subscript(&pair[1].value);
                    }
                }
                Ran { stdout: Value::empty(), status: test_status(fields) }
            }
            None => {
                let parsed = options::parse(&profile.grammar, &fields[1..]);
                self.apply_roles(profile, &parsed, fields, span)
            }
        }
    }

    /// Variables that this program runs or loads.
    fn apply_environment(&mut self, profile: &'static Profile, span: Span) {
        for (name, role) in profile.env {
            let exported =
                self.state.variables.get(*name).is_some_and(|variable| variable.exported);
            if !exported {
                continue;
            }
            if let Some(value) = self.lookup_scalar(name) {
                let item = options::Item { role: *role, value, span };
                self.apply_item(&item, span);
            }
        }
    }

    /// What the program prints, as far as that can be told.
    fn output(&mut self, base: &str, fields: &[Field], ran: Ran, first_effect: usize) -> Ran {
        if !ran.stdout.pieces().is_empty() {
            // What another machine prints came over the network.
            let origin =
                self.out.effects[first_effect..].iter().find_map(|effect| match &effect.act {
                    Act::Connect { host, .. } => Some(host.to_string()),
                    _ => None,
                });
            return match origin {
                Some(origin) if matches!(base, "ssh" | "rsh" | "autossh") => {
                    let taint = Taint::from(Source::Network(origin));
                    Ran { stdout: ran.stdout.tainted(&taint), status: ran.status }
                }
                _ => ran,
            };
        }
        if let Some((bytes, mut taint)) = self.emulated(base, fields) {
            for field in fields {
                taint.absorb(field.value.taint());
            }
            if !WITHOUT_INPUT.contains(&base) {
                taint.absorb(self.stdin_content().taint());
            }
            // A chain of programs is told whole, so that a filter in it can be seen.
            if !taint.is_none() || decodes(base, fields) {
                taint.add(Source::Program(base.to_owned()));
            }
            return Ran { stdout: Value::known(bytes).tainted(&taint), status: ran.status };
        }
        let mut taint = Taint::from(Source::Program(base.to_owned()));
        for field in &fields[1..] {
            taint.absorb(field.value.taint());
        }
        if !matches!(self.stdin, Flow::Terminal) && !WITHOUT_INPUT.contains(&base) {
            taint.absorb(self.stdin.content().taint());
        }
        for effect in &self.out.effects[first_effect..] {
            match &effect.act {
                Act::Read { path, .. } => taint.absorb(&self.origin_of_file(path)),
                Act::Fetch { from, .. } => taint.add(Source::Network(from.to_string())),
                Act::Connect { host, .. } => taint.add(Source::Network(host.to_string())),
                _ => {}
            }
        }
        // The numbers of a process stand for it.
        if matches!(base, "pgrep" | "pidof") {
            let named = fields[1..].iter().filter_map(|field| field.value.as_known());
            for name in named.filter(|name| !name.starts_with('-')) {
                taint.add(Source::Program(base_name(name).to_owned()));
            }
        }
        if SILENT.contains(&base) && !fields.iter().any(|field| is_verbose(&field.value)) {
            return Ran { stdout: Value::empty(), status: ran.status };
        }
        let value = if base == "tee" {
            self.stdin_content()
        } else if base == "yes" {
            repeated(fields)
        } else if base == "pwd" || is_project_root(fields) {
            // Known, so where it came from says nothing more.
            let mut directory = self.state.cwd.clone();
            directory.push_str("\n");
            return Ran { stdout: directory, status: ran.status };
        } else if base == "tty" {
            Value::known("/dev/tty\n")
        } else if base == "which" {
            super::builtins::located(&fields[1..])
        } else if base == "mktemp" {
            self.made_up_temporary(fields)
        } else {
            Value::unknown("output of a program")
        };
        Ran { stdout: value.tainted(&taint), status: ran.status }
    }

    /// `mktemp`: a fresh name in a temporary directory.
    fn made_up_temporary(&mut self, fields: &[Field]) -> Value {
        let template = fields[1..]
            .iter()
            .rev()
            .filter_map(|field| field.value.as_known())
            .find(|text| text.contains("XXX") && !text.starts_with('-'));
        let name = match template {
            Some(text) if text.contains('/') => text.replace('X', "x"),
            Some(text) => format!("/tmp/{}", text.replace('X', "x")),
            None => format!("/tmp/tmp.{:06}", self.out.commands.len()),
        };
        Value::known(name)
    }

    /// What a pure program prints, and where the files came from that it read for it.
    fn emulated(&self, base: &str, fields: &[Field]) -> Option<(String, Taint)> {
        let mut argv: Vec<&str> = Vec::with_capacity(fields.len());
        argv.push(base);
        for field in &fields[1..] {
            argv.push(field.value.as_known()?);
        }
        let stdin = self.stdin_content();
        let known = stdin.as_known();
        let files_read = Cell::new(0usize);
        let origin = RefCell::new(Taint::none());
        let read = |path: &str| match self.file_content(&Value::known(path)) {
            Content::Written(value) => {
                files_read.set(files_read.get() + 1);
                origin.borrow_mut().absorb(value.taint());
                value.as_known().map(bytes_of)
            }
            _ => None,
        };
        let input = bytes_of(known.unwrap_or(""));
        let output = emulate::run(&argv, &input, &read)?;
        let independent = WITHOUT_INPUT.contains(&base)
            || known.is_some()
            || (files_read.get() > 0 && !argv.contains(&"-"));
        if !independent {
            return None;
        }
        Some((text_of(output), origin.into_inner()))
    }
}

/// First of 256 private characters that stand for bytes which are not valid text.
const RAW_BYTES: u32 = 0xF700;

/// Output as text. Bytes that are not text travel as one private character each, so that a later
/// decoder (gzip, xz) sees them unchanged.
fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => error
            .into_bytes()
            .iter()
            .map(|byte| match byte {
                0..=0x7f => char::from(*byte),
                _ => char::from_u32(RAW_BYTES + u32::from(*byte)).unwrap_or('?'),
            })
            .collect(),
    }
}

/// The bytes behind a text made by [`text_of`].
fn bytes_of(text: &str) -> Vec<u8> {
    if !text.contains(|c: char| (RAW_BYTES..RAW_BYTES + 256).contains(&u32::from(c))) {
        return text.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(RAW_BYTES).and_then(|raw| u8::try_from(raw).ok()) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// Whether a profile is that of a shell.
pub(crate) fn is_shell(profile: &Profile) -> bool {
    profile.special == Some(Special::Shell)
}

/// The language of a `#!` line.
fn script_language(line: &str) -> Option<Lang> {
    let mut words = line.split_whitespace();
    let mut name = base_name(words.next()?);
    if name == "env" {
        name = words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base_name)?;
    }
    language_of(name)
}

/// The language an interpreter reads.
pub(crate) fn language_of(program: &str) -> Option<Lang> {
    let profile = aegish_profiles::find(program)?;
    if is_shell(profile) {
        return Some(Lang::Shell);
    }
    match profile.grammar.stdin {
        aegish_profiles::Stdin::Code(lang) => Some(lang),
        _ => profile.grammar.operands.iter().find_map(|slot| match slot.role {
            aegish_profiles::Role::Script(lang) => Some(lang),
            _ => None,
        }),
    }
}

/// The answer of `test` and `[` where it depends on known text alone.
fn test_status(fields: &[Field]) -> Option<bool> {
    let words: Option<Vec<&str>> = fields[1..].iter().map(|field| field.value.as_known()).collect();
    let mut words = words?;
    if words.last() == Some(&"]") {
        words.pop();
    }
    match words.as_slice() {
        [] => Some(false),
        [word] => Some(!word.is_empty()),
        ["-z", word] => Some(word.is_empty()),
        ["-n", word] => Some(!word.is_empty()),
        [left, "=" | "==", right] => Some(left == right),
        [left, "!=", right] => Some(left != right),
        [left, operator, right] => {
            let (left, right): (i64, i64) = (left.parse().ok()?, right.parse().ok()?);
            match *operator {
                "-eq" => Some(left == right),
                "-ne" => Some(left != right),
                "-lt" => Some(left < right),
                "-le" => Some(left <= right),
                "-gt" => Some(left > right),
                "-ge" => Some(left >= right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The program of the system whose content this is.
fn copied_program(content: &Value) -> Option<String> {
    if content.is_known() {
        return None;
    }
    let mut sources = content.taint().sources();
    match (sources.next(), sources.next()) {
        (Some(Source::File(path)), None) => {
            let (directory, _) = path.rsplit_once('/')?;
            SYSTEM_DIRECTORIES.contains(&directory).then(|| path.clone())
        }
        _ => None,
    }
}

/// The first lines that `yes` prints.
fn repeated(fields: &[Field]) -> Value {
    let words: Option<Vec<&str>> = fields[1..].iter().map(|field| field.value.as_known()).collect();
    match words {
        Some(words) if words.is_empty() => Value::known("y\n".repeat(16)),
        Some(words) => Value::known(format!("{}\n", words.join(" ")).repeat(16)),
        None => Value::unknown("repeated text"),
    }
}

/// Whether the program turns an encoding into text.
fn decodes(base: &str, fields: &[Field]) -> bool {
    let words = || fields[1..].iter().filter_map(|field| field.value.as_known());
    match base {
        "rev" | "gunzip" | "zcat" | "unxz" | "xzcat" | "bunzip2" | "bzcat" => true,
        "base64" | "base32" | "basenc" | "gzip" | "xz" | "bzip2" | "openssl" => words()
            .any(|word| word.starts_with("-d") || word == "--decode" || word == "--decompress"),
        "xxd" => words().any(|word| word.starts_with("-r") || word == "-p"),
        "printf" | "echo" => words().any(|word| word.contains("\\x") || word.contains("\\0")),
        _ => false,
    }
}

/// An option that makes a silent program talk.
fn is_verbose(value: &Value) -> bool {
    let text = value.known_prefix();
    text.starts_with("--verbose")
        || text.starts_with('-') && !text.starts_with("--") && text.contains('v')
}

/// `git rev-parse --show-toplevel`: the project's own directory.
fn is_project_root(fields: &[Field]) -> bool {
    let words: Vec<&str> = fields.iter().filter_map(|field| field.value.as_known()).collect();
    matches!(words.as_slice(), ["git", "rev-parse", "--show-toplevel"])
}
