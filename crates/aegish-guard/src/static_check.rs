//! The static part of a check, done once, before a judge is asked or not.

use crate::merge::{self, Advisor, ConfiguredJudge, JudgeMode};
use crate::pins::PinningMachine;
use crate::{
    Decision, Request, Session, catch_panic, combine, failed, injection, input, misleading,
    refused, user_rules,
};
use std::convert::Infallible;

/// A text that was judged statically. [`finish`](Self::finish) returns that decision; [`ask`](Self::ask) and
/// [`ask_lazily`](Self::ask_lazily) ask a judge if the mode says so.
#[must_use]
pub struct StaticCheck<'a> {
    session: &'a Session,
    request: &'a Request<'a>,
    /// None: not a command, so there is nothing to ask.
    text: Option<&'a str>,
    decision: Decision,
    after: Session,
}

impl<'a> StaticCheck<'a> {
    /// Judges a line of a session. A panic meanwhile blocks it.
    pub fn new(session: &'a Session, request: &'a Request<'a>) -> Self {
        catch_panic(|| Self::judge(session, request)).unwrap_or_else(|panicked| {
            let decision = failed(&panicked, request.text);
            Self { session, request, text: None, decision, after: session.clone() }
        })
    }

    fn judge(session: &'a Session, request: &'a Request<'a>) -> Self {
        #[cfg(feature = "deliberate-panic")]
        crate::panics::panic_on_request(request.text);
        let text = match input::readable(request.text, request.context.form) {
            Ok(text) => text,
            Err(refusal) => {
                let mut decision = refused(&refusal);
                decision.text = request.text.into();
                return Self { session, request, text: None, decision, after: session.clone() };
            }
        };
        let machine = PinningMachine::new(request.context.machine, &request.context.home);
        let script = aegish_syntax::parse(text);
        let (analysis, after) =
            aegish_effects::analyze_in(session, text, &script, request.context, &machine);
        let judgement = aegish_policy::judge(&analysis, &user_rules::setting(request));
        let mut own = misleading::findings(text, &script, &analysis);
        if judgement.open {
            own.extend(injection::findings(text, &script, &analysis));
        }
        let mut decision =
            input::bound_open(combine(judgement, own, analysis), text, request.context.form);
        decision.static_action = decision.action;
        decision.text = request.text.into();
        decision.pins = machine.into_pins();
        // Only beside a shell that goes on somebody asks for it.
        if request.context.interactive {
            decision.assigned = crate::assigned::assigned(&script, session);
        }
        Self { session, request, text: Some(text), decision, after }
    }

    /// The static decision, and the session after the line.
    pub fn finish(self) -> (Decision, Session) {
        (self.decision, self.after)
    }

    /// Asks a judge if its mode says so.
    pub fn ask(self, asked: ConfiguredJudge<'_>) -> (Decision, Session) {
        let judge = || Ok::<_, Infallible>(Some(asked.judge));
        match self.ask_lazily(asked.mode, judge) {
            Ok(done) => done,
            Err(never) => match never {},
        }
    }

    /// Asks a judge if the mode says so. Only then `judge` is called; it returns none if there is no
    /// model.
    ///
    /// # Errors
    ///
    /// If `judge` fails.
    pub fn ask_lazily<J: Advisor, E>(
        self,
        mode: JudgeMode,
        judge: impl FnOnce() -> Result<Option<J>, E>,
    ) -> Result<(Decision, Session), E> {
        let Self { session, request, text, decision, after } = self;
        let decision = match text {
            Some(text) if mode.asks_about(&decision) => match judge()? {
                Some(judge) => {
                    let asked = ConfiguredJudge { judge: &judge, mode };
                    catch_panic(|| merge::consult(decision, text, session, request, asked))
                        .unwrap_or_else(|panicked| failed(&panicked, request.text))
                }
                None => decision,
            },
            _ => decision,
        };
        Ok((decision, after))
    }
}
