//! Pipelines, and the lists that they are parts of.

use super::frame::Output;
use super::{CommandResult, Interp};
use aegish_analysis::{Effect, EffectKind, Opaque, ShellEntry};
use aegish_shell_state::{Flow, Outcome, Switch};
use aegish_syntax::{AndOr, Command, List, Pipeline};
use std::sync::Arc;

impl Interp<'_> {
    pub(crate) fn run_and_or(&mut self, item: &AndOr) -> CommandResult {
        if item.background {
            let job = || List { items: vec![AndOr { background: false, ..item.clone() }] };
            let stdin = Arc::clone(&self.stdin);
            let result = self.run_job(job, stdin, item.span, |interp| interp.run_chain(item));
            self.state.outcome = Outcome::default();
            return result;
        }
        let span = self.span(item.span);
        let result = self.run_connected(|interp| interp.run_chain(item), span);
        self.run_jobs_again();
        result
    }

    pub(crate) fn run_pipeline(&mut self, pipeline: &Pipeline) -> CommandResult {
        if pipeline.timed {
            let span = self.span(pipeline.span);
            let result = self.run_negated(pipeline);
            self.print_times(span);
            return result;
        }
        self.run_negated(pipeline)
    }

    fn run_negated(&mut self, pipeline: &Pipeline) -> CommandResult {
        if !pipeline.negated {
            return self.run_stages(pipeline);
        }
        let mut result = self.tested(true, |interp| interp.run_stages(pipeline));
        result.status = result.status.map(|ok| !ok);
        self.state.outcome.negate();
        result
    }

    fn run_stages(&mut self, pipeline: &Pipeline) -> CommandResult {
        let stages = match pipeline.commands.as_slice() {
            [] => return CommandResult::status(true),
            [single] => return self.run_command(single),
            stages => stages,
        };
        let first_effect = self.out.effects.len();
        let mut result = CommandResult::default();
        let first_files = self.state.files.clone();
        let mut followed = Vec::with_capacity(stages.len());
        for (index, stage) in stages.iter().enumerate() {
            let last = index + 1 == stages.len();
            let stdin = match index {
                0 => Arc::clone(&self.stdin),
                _ => Flow::Text(result.stdout).into(),
            };
            let id = self.fresh_output();
            let enter = |output: &mut Output| {
                if !last {
                    output.id = id;
                }
                output.capture |= !last;
                // A stage writes into the pipe, independent of the pipeline's end.
                output.to_file &= last;
            };
            let looking = self.looking(Arc::clone(&stdin));
            let errors = pipeline.with_stderr.get(index) == Some(&true);
            result = self.with_stdin(stdin, |interp| {
                interp.with_output(enter, |interp| {
                    let mut result = interp.beside(|interp| interp.run_stage(stage, last, errors));
                    if !last {
                        interp.collect_output(&mut result);
                    }
                    result
                })
            });
            followed.push(self.looked(looking));
        }
        for (stage, looked) in stages.iter().zip(followed) {
            self.run_stage_again(stage, &looked, &first_files);
        }
        self.join_shell_and_network(first_effect);
        CommandResult { status: None, ..result }
    }

    /// `errors`: what it prints as messages goes into the pipe too.
    fn run_stage(&mut self, stage: &Command, last: bool, errors: bool) -> CommandResult {
        if last && self.is_on(Switch::LastPipe) {
            let before = self.state.clone();
            let result = self.run_command(stage);
            self.state.join(&before);
            return result;
        }
        self.isolated_commands(|interp| {
            if errors {
                interp.state.descriptors.insert(2, Flow::Output(interp.output.id));
            }
            interp.run_command(stage)
        })
    }

    /// Follows something that runs in parallel with the next commands.
    pub(super) fn beside<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        self.in_frame(|frame| frame.nesting.parallel += 1, run)
    }

    /// A pipeline in which one stage is a shell fed by something unknown and another holds a network
    /// connection is a shell for the other end (`sh -i <fifo | nc host port >fifo`).
    fn join_shell_and_network(&mut self, first_effect: usize) {
        let stages = self.effects_since(first_effect);
        // A remote command whose output is piped on is a download; a bare connection is a person.
        let network = stages.iter().any(|effect| {
            let program = self.out.commands.get(effect.command).and_then(|command| command.program);
            matches!(effect.kind, EffectKind::Connect { .. } | EffectKind::Listen { .. })
                && !matches!(program, Some("ssh" | "autossh" | "rsh" | "mosh" | "git"))
        });
        if !network {
            return;
        }
        let shell = stages.iter().find(|effect| {
            matches!(
                &effect.kind,
                EffectKind::Hidden { why: Opaque::Code, .. }
                    | EffectKind::Shell { entry: ShellEntry::Interactive, .. }
            )
        });
        if let Some(effect) = shell {
            let (span, command) = (effect.span, effect.command);
            let invocation = self.frame.caller.invocation;
            let kind = EffectKind::Shell { entry: ShellEntry::Networked, invocation };
            self.push_effect(Effect { kind, span, command, redirected: false });
        }
    }
}
