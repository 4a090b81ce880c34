//! Programs: `exec`, pipelines, and what Expect types into them.

use super::texts::TclTexts;
use super::variables::TclVariables;
use super::{TclNames, known};
use crate::effect::CodeEffect;
use crate::value::{Interprets, Val};
use aegish_code_interpreter::{Interpreter, interprets};
use aegish_profiles::Lang;
use aegish_values::{Source, Value};
use easy_ext::ext;

/// Redirections; longer ones come before those that they start with.
const REDIRECTIONS: &[&str] =
    &["2>@1", "2>@", "2>>", "2>", ">>&", ">&@", ">>@", ">&", ">@", ">>", ">", "<<", "<@", "<"];

/// The variable with what was typed since the last end of a line.
const TYPED: &str = "::<typed>";

#[ext(TclProcesses)]
pub(super) impl Interpreter<'_> {
    fn tcl_process_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        Some(match path {
            "exec" => self.tcl_exec(words),
            "spawn" | "exp_spawn" => {
                let options = self.tcl_options(words, &["-open", "-leaveopen", "-trap"]);
                let behind: Vec<Val> = words.iter().skip(options).cloned().collect();
                let argv: Vec<Value> = behind.iter().map(|word| self.tcl_text(word)).collect();
                let opened = options > 0 && argv.is_empty();
                let process = if opened {
                    words.last().cloned().unwrap_or_else(Val::unknown)
                } else {
                    self.tcl_started(&argv)
                };
                self.tcl_put("::spawn_id", process.clone());
                self.tcl_put("spawn_id", process);
                self.tcl_put(TYPED, Val::text(""));
                Val::unknown()
            }
            "send" | "exp_send" => {
                let mut at = 0;
                let mut target = None;
                while let Some(option) = words.get(at).and_then(known)
                    && option.starts_with('-')
                    && words.len() > at + 1
                {
                    at += 1;
                    match option.as_str() {
                        "-i" => {
                            target = words.get(at).cloned();
                            at += 1;
                        }
                        "--" => break,
                        _ => {}
                    }
                }
                let target = target.unwrap_or_else(|| self.tcl_get("spawn_id"));
                let text = self.tcl_text(words.get(at)?);
                self.tcl_typed(&target, &text);
                Val::None
            }
            "system" => {
                let mut line = Value::empty();
                for (place, word) in words.iter().enumerate() {
                    if place > 0 {
                        line.push_str(" ");
                    }
                    let word = self.tcl_text(word);
                    line.append(&word);
                }
                self.run_text(Lang::Shell, &line);
                Val::unknown()
            }
            "overlay" | "execl" => {
                let options = self.tcl_options(words, &["-argv0"]);
                let mut argv = Vec::new();
                for word in words.iter().skip(options) {
                    if path == "execl" && !argv.is_empty() {
                        let items = self.tcl_items(word);
                        for item in items.list.iter().chain(&items.rest) {
                            argv.push(self.tcl_text(item));
                        }
                    } else {
                        argv.push(self.tcl_text(word));
                    }
                }
                self.start(argv);
                Val::unknown()
            }
            "interact" => {
                // A person types, or a peer.
                if let Val::Process(Interprets::Input) = self.tcl_get("spawn_id")
                    && self.attached
                {
                    self.record(CodeEffect::RunReceived);
                }
                Val::None
            }
            "send_user" | "send_tty" => {
                let text = self.tcl_text(words.last()?);
                self.print(text.as_known());
                Val::None
            }
            _ => return None,
        })
    }

    fn tcl_exec(&mut self, words: &[Val]) -> Val {
        let options = self.tcl_options(words, &["-encoding"]);
        self.tcl_pipeline(words.get(options..).unwrap_or(&[])).0
    }

    fn tcl_started(&mut self, argv: &[Value]) -> Val {
        let reads = argv.first().map_or(Interprets::Nothing, interprets);
        self.start(argv.to_vec());
        // `sudo ls` reads no commands, `sudo -i` does.
        let last = argv.last().cloned().unwrap_or_default();
        let wrapped = argv.first().and_then(Value::as_known).is_some_and(|program| {
            matches!(program.rsplit('/').next(), Some("sudo" | "env" | "doas"))
        });
        let own = argv.len() > 1
            && wrapped
            && interprets(&last) == Interprets::Nothing
            && !matches!(last.as_known(), Some("-i" | "-s"));
        Val::Process(if own { Interprets::Nothing } else { reads })
    }

    /// Runs the programs of a pipeline. Returns what it prints, and the process.
    fn tcl_pipeline(&mut self, words: &[Val]) -> (Val, Val) {
        let mut stages: Vec<Vec<Value>> = vec![Vec::new()];
        let mut input: Option<Value> = None;
        let mut script: Option<Value> = None;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = self.tcl_text(word);
            match text.as_known() {
                Some("|" | "|&") => {
                    stages.push(Vec::new());
                    continue;
                }
                Some("&") => continue,
                _ => {}
            }
            let sign = REDIRECTIONS.iter().find(|sign| text.known_prefix().starts_with(**sign));
            let Some(sign) = sign else {
                if let Some(stage) = stages.last_mut() {
                    stage.push(text);
                }
                continue;
            };
            if *sign == "2>@1" {
                continue;
            }
            let attached = text.tail(sign.len());
            let target = if attached.pieces().is_empty() || attached.as_known() == Some("") {
                rest.next().cloned().unwrap_or(Val::None)
            } else {
                Val::Text(attached)
            };
            let path = self.tcl_text(&target);
            if sign.contains('@') {
                if matches!(target, Val::Connection) || path.taint().network().is_some() {
                    self.attach();
                }
                if let Val::File(_) = target {
                    self.write_to(&target, &[Val::Text(Value::unknown("output"))]);
                }
            } else if *sign == "<<" {
                input = Some(path);
            } else if *sign == "<" {
                let path = self.resolved(&path);
                script = Some(path);
            } else if path.as_known() != Some("/dev/null") {
                let path = self.resolved(&path);
                self.write_file(&path, Value::unknown("output"), sign.contains(">>"));
            }
        }
        stages.retain(|stage| !stage.is_empty());
        let mut kind = Interprets::Nothing;
        let reads: Vec<bool> = stages.iter().map(|stage| reads_code(stage)).collect();
        if reads.iter().skip(1).any(|reads| *reads) {
            // What a program prints is run: only the shell's rules follow that.
            let line = shell_line(&stages);
            self.run_text(Lang::Shell, &line);
        } else {
            for stage in &stages {
                self.start(stage.clone());
            }
        }
        let any = reads.iter().any(|reads| *reads);
        match (&script, reads.first()) {
            (Some(path), Some(true)) => self.record(CodeEffect::Script(Lang::Shell, path.clone())),
            (Some(path), _) => {
                self.read_file(path);
            }
            _ => {}
        }
        if let (Some(input), true) = (&input, any) {
            self.run_text(Lang::Shell, input);
        }
        if let (None, None, Some(first)) = (&input, &script, stages.first()) {
            kind = if any {
                Interprets::Input
            } else {
                first.first().map_or(kind, |_| Interprets::Nothing)
            };
        }
        let name = stages.first().and_then(|stage| stage.first()).map(ToString::to_string);
        let output = Val::from_source("output", Source::Program(name.unwrap_or_default()));
        (output, Val::Process(kind))
    }

    /// Text that is typed into a program. A shell runs it at the end of each line.
    fn tcl_typed(&mut self, target: &Val, text: &Value) {
        match target {
            Val::OneOf(values) => {
                for value in values.clone().iter() {
                    self.maybe(|this| this.tcl_typed(value, text));
                }
                return;
            }
            Val::Process(Interprets::Input) => {}
            Val::Process(Interprets::Nothing) => return,
            Val::Connection => return self.write_to(target, &[Val::Text(text.clone())]),
            // A program that is not known, or one that is open under another name.
            Val::Text(value) if value.known_prefix().is_empty() && !self.uncalled => {}
            _ => return,
        }
        if text.taint().network().is_some() && text.has_unknown() {
            self.attach();
            return;
        }
        let before = self.tcl_get(TYPED);
        let mut line = match before {
            Val::Text(before) if before.as_known().is_some() => before,
            _ => Value::empty(),
        };
        line.append(text);
        let typed = line.clone();
        let ends = line.known_suffix().ends_with(['\r', '\n']);
        let trimmed = match line.as_known() {
            Some(known) => Value::known(known.replace('\r', "\n").trim()).tainted(line.taint()),
            None => line,
        };
        self.run_text(Lang::Shell, &trimmed);
        self.tcl_put(TYPED, if ends { Val::text("") } else { Val::Text(typed) });
    }
}

/// Whether a program runs what it reads: a shell without a script.
fn reads_code(stage: &[Value]) -> bool {
    let Some((program, rest)) = stage.split_first() else { return false };
    program.is_known()
        && interprets(program) == Interprets::Input
        && rest.iter().all(|word| {
            word.as_known().is_some_and(|word| {
                (word.starts_with('-') && word != "-c")
                    || interprets(&Value::known(word)) == Interprets::Input
            })
        })
}

/// A pipeline as a shell reads it.
fn shell_line(stages: &[Vec<Value>]) -> Value {
    let mut line = Value::empty();
    for (place, stage) in stages.iter().enumerate() {
        if place > 0 {
            line.push_str(" | ");
        }
        for (place, word) in stage.iter().enumerate() {
            if place > 0 {
                line.push_str(" ");
            }
            match word.as_known() {
                Some(known)
                    if !known.is_empty()
                        && known
                            .bytes()
                            .all(|b| b.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&b)) =>
                {
                    line.push_str(known);
                }
                Some(known) => line.push_str(&format!("'{}'", known.replace('\'', "'\\''"))),
                None => {
                    line.push_str("\"");
                    line.append(word);
                    line.push_str("\"");
                }
            }
        }
    }
    line
}
