//! Effects that a profile declares outright: flags, subcommands and words → effects.

use super::Interp;

use super::roles::{Together, executes};
use aegish_analysis::{EffectKind, Invocation, Opaque, ShellEntry, VariableCode};
use aegish_options::CommandLine;
use aegish_options::addresses::split_listen;
use aegish_profiles::{
    AccountEffect, ArgumentRole, Behaviour, DeclaredEffect, Detail, DisarmEffect, Profile,
    ReconEffect, SystemEffect,
};
use aegish_shell_state::FileView;
use aegish_syntax::Span;
use aegish_values::{Taint, Value};

/// Limit on the bytes of the list of accounts that are read.
const MAX_ACCOUNTS: usize = 1024 * 1024;
/// Limit on the packages of one command that are reported one by one.
const MOST_PACKAGES: usize = 100;

impl Interp<'_> {
    /// Applies the effects of flags, of subcommands and of the program itself.
    pub(super) fn apply_declared_effects(
        &mut self,
        profile: &'static Profile,
        parsed: &CommandLine,
        together: &Together,
        span: Span,
    ) {
        let executing =
            parsed.rest.is_some() || parsed.arguments.iter().any(|item| executes(item.role));
        for effect in &parsed.declared {
            let (behaviour, argument) = match *effect {
                DeclaredEffect::Behaviour(behaviour, argument) => (behaviour, argument),
                DeclaredEffect::System(what, detail) => {
                    self.apply_system_effect(what, detail, parsed, together, span);
                    continue;
                }
            };
            match behaviour {
                Behaviour::Shell => {
                    let launcher = profile.grammar.operands.iter().any(|slot| {
                        matches!(slot.role, ArgumentRole::Argv | ArgumentRole::EnvArgv)
                    });
                    let invocation = if launcher {
                        self.frame.caller.invocation.max(Invocation::Launched)
                    } else {
                        self.frame.caller.invocation
                    };
                    if self.frame.conditions.remote || executing {
                        continue;
                    }
                    let input = self.input_content().filter(|input| input.has_text());
                    if let Some(code) = input.filter(|input| input.is_known() && !launcher) {
                        self.run_code_through(Invocation::Launched, &code, span);
                    } else {
                        self.effect(
                            EffectKind::Shell { entry: ShellEntry::Interactive, invocation },
                            span,
                        );
                    }
                }
                // Detached: no person types there, and the command it runs is followed.
                Behaviour::Terminal
                    if parsed.rest.is_some()
                        && parsed.declared.iter().any(|effect| effect.is(Behaviour::Detached)) => {}
                Behaviour::Obey => {
                    let kind = EffectKind::Shell {
                        entry: ShellEntry::Networked,
                        invocation: self.frame.caller.invocation,
                    };
                    self.effect(kind, span);
                }
                // With input from a pipe, another program of that name reads the data.
                Behaviour::Terminal if parsed.arguments.is_empty() && self.reads_data() => {}
                Behaviour::Terminal => {
                    let invocation = self.frame.caller.invocation;
                    self.effect(
                        EffectKind::Shell { entry: ShellEntry::Terminal, invocation },
                        span,
                    );
                }
                // The operand in the profile says more precisely what is served.
                Behaviour::Serve if !together.serves.is_empty() => {}
                Behaviour::Serve => {
                    let host = together
                        .listens
                        .first()
                        .map_or_else(Value::empty, |(listen, _)| split_listen(listen).0);
                    let root = Value::known(".");
                    self.effect(EffectKind::Serve { host, root }, span);
                }
                // No name stands for all of them.
                Behaviour::ClearEnvironment => {
                    self.effect(EffectKind::Unset { name: String::new() }, span);
                }
                // The variables of another user name other settings.
                Behaviour::Elevate | Behaviour::OtherUser if executing => {
                    let (name, value) = ("HOME".to_owned(), Value::unknown("home of another user"));
                    let code = VariableCode::RunsNothing;
                    self.effect(EffectKind::Setenv { name, value, code }, span);
                }
                Behaviour::SendStdin => self.send_stdin(together, span),
                Behaviour::Hidden => {
                    let what = Value::known(argument);
                    let taint = Taint::none();
                    self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
                }
                _ => {}
            }
        }
    }

    fn apply_system_effect(
        &mut self,
        what: SystemEffect,
        detail: Detail,
        parsed: &CommandLine,
        together: &Together,
        span: Span,
    ) {
        // A list that goes into a filter is a search for one entry.
        let is_list =
            matches!(what, SystemEffect::Recon(ReconEffect::Processes | ReconEffect::Users));
        if is_list && self.output.capture && !self.output.to_file {
            return;
        }
        if what == SystemEffect::Account(AccountEffect::Shell) && self.leaves_the_guard(parsed) {
            self.disarm(
                DisarmEffect::Login,
                "gives the account another login shell than the guard",
                span,
            );
        }
        let mut objects: Vec<&Value> = together.packages.iter().collect();
        if objects.is_empty() {
            let items =
                parsed.arguments.iter().filter(|item| item.role != ArgumentRole::PackageSource);
            objects.extend(items.map(|item| &item.value));
        }
        // Every package is reported. For other objects the first one is enough.
        if !matches!(what, SystemEffect::Package(_)) {
            objects.truncate(1);
        }
        let first = objects.first().map(|value| self.with_origin(value)).unwrap_or_default();
        self.effect(EffectKind::System { what, detail, object: first }, span);
        // Bounded: the effect itself is reported; only names that are shown are left out.
        for other in objects.into_iter().skip(1).take(MOST_PACKAGES) {
            let object = self.with_origin(other);
            self.effect(EffectKind::System { what, detail, object }, span);
        }
    }

    /// Whether this gives another login shell to the account that is judged, and the account now logs in to
    /// the guard, as far as that is known.
    fn leaves_the_guard(&self, parsed: &CommandLine) -> bool {
        let is_guard = |shell: &str| shell.rsplit('/').next() == Some("aegish");
        let own = |name: &str| {
            let user = self.ctx.variables.get("USER").and_then(Value::as_known);
            let home = self.ctx.home.rsplit('/').next();
            user.or(home) == Some(name)
        };
        let mut values = parsed.arguments.iter().filter_map(|item| item.value.as_known());
        if values.any(is_guard) {
            return false;
        }
        let command = self.frame.caller.parent.and_then(|at| self.out.commands.get(at));
        let operands = command.map(|command| command.words().operands).unwrap_or_default();
        // Without an account, or with one that is not known, it may be the own one.
        if operands.last().and_then(Value::as_known).is_some_and(|name| !own(name)) {
            return false;
        }
        let FileView::Text(accounts) = self.machine.read("/etc/passwd", MAX_ACCOUNTS) else {
            return true;
        };
        let mut shells = accounts.lines().filter_map(|line| {
            let mut fields = line.split(':');
            let (name, home, shell) = (fields.next()?, fields.nth(4)?, fields.next()?);
            (own(name) || home == self.ctx.home).then_some(shell)
        });
        shells.next().is_none_or(is_guard)
    }
}
