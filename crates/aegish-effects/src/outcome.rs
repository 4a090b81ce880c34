//! What the end of a command shows about files that were downloaded.

/// Files that are vouched for if the last command succeeded, or failed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    success: Vec<String>,
    failure: Vec<String>,
}

impl Outcome {
    /// `! command`
    pub(crate) fn negate(&mut self) {
        std::mem::swap(&mut self.success, &mut self.failure);
    }

    /// Adds what the command shows if it ends in this way.
    pub(crate) fn add(&mut self, success: bool, paths: Vec<String>) {
        if success { self.success.extend(paths) } else { self.failure.extend(paths) }
    }

    /// What is known if the command ended in this way.
    pub(crate) fn of(&self, success: bool) -> &[String] {
        if success { &self.success } else { &self.failure }
    }

    /// `a && b` succeeds if both did; a failure says nothing. `b` may have changed a file that `a` verified.
    pub(crate) fn and(&mut self, first: Self, unchanged: impl Fn(&String) -> bool) {
        self.success.extend(first.success.into_iter().filter(unchanged));
        self.failure.clear();
    }

    /// `a || b` says nothing but what `a` says, if `b` ends the shell.
    pub(crate) fn or(&mut self, first: Self, ends: bool) {
        *self = if ends { Self { failure: Vec::new(), ..first } } else { Self::default() };
    }
}
