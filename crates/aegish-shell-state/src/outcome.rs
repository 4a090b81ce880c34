//! Downloaded files that the end of a command verifies.

/// Files that are vouched for if the last command succeeded, or failed.
#[derive(Debug, Clone, Default)]
pub struct VerifiedFiles {
    success: Vec<String>,
    failure: Vec<String>,
}

impl VerifiedFiles {
    /// `! command`
    pub fn negate(&mut self) {
        std::mem::swap(&mut self.success, &mut self.failure);
    }

    /// Adds files that are verified if the command ends in this way.
    pub fn add(&mut self, success: bool, paths: Vec<String>) {
        if success { self.success.extend(paths) } else { self.failure.extend(paths) }
    }

    /// The files that are verified if the command ended in this way.
    pub fn of(&self, success: bool) -> &[String] {
        if success { &self.success } else { &self.failure }
    }

    /// `a && b`: success means that both succeeded; a failure says nothing. `b` may have changed a file that
    /// `a` verified.
    pub fn and(&mut self, first: Self, unchanged: impl Fn(&String) -> bool) {
        self.success.extend(first.success.into_iter().filter(unchanged));
        self.failure.clear();
    }

    /// `a || b`: if `b` ends the shell, the outcome is that of `a`; otherwise nothing is known.
    pub fn or(&mut self, first: Self, ends: bool) {
        *self = if ends { Self { failure: Vec::new(), ..first } } else { Self::default() };
    }
}
