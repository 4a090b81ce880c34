//! The verdict on a line of a session.

use super::cancellable_judge::CancellableJudge;
use super::interactive::InteractiveSession;
use aegish_guard::{ConfiguredJudge, Decision, Session, StaticCheck};

/// A verdict, and what goes with it.
pub(super) struct LineVerdict {
    pub(super) decision: Decision,
    pub(super) after: Session,
    pub(super) judge_answer: JudgeAnswer,
}

/// Whether the decision is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JudgeAnswer {
    Complete,
    /// `^C` was pressed while a model was asked.
    Cancelled,
}

impl InteractiveSession {
    /// The verdict on a line under which a file changed.
    pub(super) fn decide_without_file(
        &self,
        line: &str,
        path: &str,
        before: &Decision,
    ) -> LineVerdict {
        let without = self.line_context.borrow().decide_without_file(line, path, before);
        match without {
            Some((decision, after)) => {
                LineVerdict { decision, after, judge_answer: JudgeAnswer::Complete }
            }
            None => self.decide(line),
        }
    }

    /// The verdict on a line, with a model's opinion if the mode asks for one.
    pub(super) fn decide(&self, line: &str) -> LineVerdict {
        let line_context = self.line_context.borrow();
        let context = line_context.context(&line_context.machine);
        let request = line_context.request(line, &context);
        let checked = StaticCheck::new(&line_context.session, &request);
        let Some((judge, mode)) = &self.judge else {
            let (decision, after) = checked.finish();
            let decision = decision.settled_by(self.settings.fail_mode);
            return LineVerdict { decision, after, judge_answer: JudgeAnswer::Complete };
        };
        let judge = CancellableJudge::new(judge);
        let (decision, after) = checked.ask(ConfiguredJudge { judge: &judge, mode: *mode });
        let judge_answer =
            if judge.was_cancelled() { JudgeAnswer::Cancelled } else { JudgeAnswer::Complete };
        let decision = decision.settled_by(self.settings.fail_mode);
        LineVerdict { decision, after, judge_answer }
    }
}
