//! The text to be judged: words of the command line, a file, or standard input.

use crate::args::{Input, JudgeArgs};
use crate::configuration;
use crate::user_rules::UserRules;
use aegish_config::Config;
use aegish_guard::{
    Context, Decision, FailMode, MAX_INPUT_BYTES, OsMachine, Request, Role, Session, StaticCheck,
    Surroundings, TextForm, check,
};
use aegish_terminal::Failure;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

static MACHINE: OsMachine = OsMachine;

/// Shells whose language is that of bash, or close enough.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"];

/// A text, where it would run and for whom.
pub(crate) struct Question {
    pub(crate) text: Vec<u8>,
    context: Context<'static>,
    pub(crate) role: Role,
    user_rules: UserRules,
    fail_mode: FailMode,
}

impl Question {
    /// The question as the guard takes it.
    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            text: &self.text,
            context: &self.context,
            role: self.role,
            user_rules: self.user_rules.rules(),
        }
    }

    /// The verdict of the static side.
    pub(crate) fn decide(&self) -> Decision {
        check(&self.request()).settled_by(self.fail_mode)
    }

    /// The verdict, with a model's opinion if the mode asks for one. The judge is built only if it is
    /// asked.
    pub(crate) fn decide_with(
        &self,
        arguments: &JudgeArgs,
        config: &Config,
    ) -> Result<Decision, Failure> {
        let mode = arguments.mode(config)?;
        let named = arguments.named(mode, config)?;
        let judge = || match named {
            Some(judge) => Ok(Some(judge)),
            None => arguments.chain.judge(config).map(Some),
        };
        let (session, request) = (Session::new(), self.request());
        let (decision, _) = StaticCheck::new(&session, &request).ask_lazily(mode, judge)?;
        Ok(decision.settled_by(self.fail_mode))
    }
}

/// The working directory and variables that rows and commands start from.
pub(crate) fn surroundings(cwd: Option<&Path>) -> Surroundings {
    Surroundings::of_process(cwd)
}

/// A context on the real machine.
pub(crate) fn context(surroundings: &Surroundings) -> Context<'static> {
    surroundings.context(&MACHINE)
}

/// Reads the text that the arguments name.
pub(crate) fn read(input: &Input, config: &Config) -> Result<Question, Failure> {
    let mut context = context(&surroundings(input.cwd.as_deref()));
    let text = if let Some(path) = &input.file {
        let text = read_file(path)?;
        // The parameters of a script are not known.
        context.positional = None;
        if foreign(&text) {
            run_of(path)?
        } else {
            context.form = TextForm::ScriptFile;
            text
        }
    } else if input.stdin.is_some() {
        context.positional = None;
        let text = bounded(io::stdin().lock()).map_err(|error| {
            Failure::internal(format!("standard input was not judged: {error}"))
        })?;
        // Nothing at all is a mistake of the caller, unlike an empty file.
        if !text.trim_ascii().is_empty() {
            context.form = TextForm::ScriptFile;
        }
        text
    } else if input.command.is_empty() {
        return Err(Failure::usage("no command: put it behind `--`, or use --file or -"));
    } else {
        joined(input)
    };
    let (role, user_rules) = (role(input, config)?, UserRules::of(config));
    Ok(Question { text, context, role, user_rules, fail_mode: configuration::fail_mode(config) })
}

/// A text that was judged before, in its directory if that still exists.
pub(crate) fn again(text: &str, cwd: Option<&Path>, role: Role, config: &Config) -> Question {
    let context = context(&surroundings(cwd));
    let (user_rules, fail_mode) = (UserRules::of(config), configuration::fail_mode(config));
    Question { text: text.as_bytes().to_vec(), context, role, user_rules, fail_mode }
}

/// The role: the one that is named, else that of the configuration.
pub(crate) fn role(input: &Input, config: &Config) -> Result<Role, Failure> {
    match input.role {
        Some(role) => Ok(role),
        None => configuration::role(config),
    }
}

/// Words joined by spaces, like `ssh` does.
fn joined(input: &Input) -> Vec<u8> {
    let words: Vec<&[u8]> = input.command.iter().map(|word| word.as_encoded_bytes()).collect();
    words.join(&b' ')
}

fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = File::open(path).and_then(bounded);
    read.map_err(|error| Failure::internal(format!("{} was not judged: {error}", path.display())))
}

/// One byte more than the guard accepts is enough to be refused.
fn bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(MAX_INPUT_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// Whether the first line names an interpreter that is not a shell.
fn foreign(text: &[u8]) -> bool {
    let Some(line) = text.strip_prefix(b"#!") else { return false };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let base = |word: &str| word.rsplit('/').next().unwrap_or("").to_owned();
    let mut names = line.split_whitespace().map(base);
    let name = match names.next() {
        Some(name) if name == "env" => {
            names.find(|word| !word.starts_with('-') && !word.contains('='))
        }
        name => name,
    };
    name.is_some_and(|name| !name.is_empty() && !SHELLS.contains(&name.as_str()))
}

/// The command that runs a script of another language: its path, quoted.
fn run_of(path: &Path) -> Result<Vec<u8>, Failure> {
    let path = std::path::absolute(path).map_err(|error| {
        Failure::internal(format!("{} was not judged: {error}", path.display()))
    })?;
    let quoted = path.as_os_str().to_string_lossy().replace('\'', "'\\''");
    Ok(format!("'{quoted}'").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn the_first_line_decides_the_language() {
        assert!(!foreign(b"echo"));
        assert!(!foreign(b"#!/bin/sh\n"));
        assert!(!foreign(b"#! /usr/bin/env -S bash -e\n"));
        assert!(foreign(b"#!/usr/bin/env python3\n"));
        assert!(foreign(b"#!/usr/bin/perl -w"));
    }
}
