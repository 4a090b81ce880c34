//! What the end of a command tells: files that it verifies, and variables that have the text they are compared with.

/// Files that are vouched for if the last command succeeded, or failed.
#[derive(Debug, Clone, Default)]
pub struct VerifiedFiles {
    success: Vec<String>,
    failure: Vec<String>,
    equal: Vec<Equality>,
}

/// A variable has this text if the command succeeded, or if it failed.
#[derive(Debug, Clone)]
pub struct Equality {
    /// The variable.
    pub name: String,
    /// Its text then.
    pub text: String,
    /// Whether that is so on success.
    pub on_success: bool,
}

impl VerifiedFiles {
    /// `! command`
    pub fn negate(&mut self) {
        std::mem::swap(&mut self.success, &mut self.failure);
        self.equal.iter_mut().for_each(|equality| equality.on_success ^= true);
    }

    /// Adds files that are verified if the command ends in this way.
    pub fn add(&mut self, success: bool, paths: Vec<String>) {
        if success { self.success.extend(paths) } else { self.failure.extend(paths) }
    }

    /// The files that are verified if the command ended in this way.
    pub fn of(&self, success: bool) -> &[String] {
        if success { &self.success } else { &self.failure }
    }

    /// Adds a comparison of a variable with a text.
    pub fn compare(&mut self, name: &str, text: &str, on_success: bool) {
        self.equal.push(Equality { name: name.to_owned(), text: text.to_owned(), on_success });
    }

    /// The variables of which the text is known if the command ended in this way.
    pub fn equal(&self, success: bool) -> impl Iterator<Item = &Equality> {
        self.equal.iter().filter(move |equality| equality.on_success == success)
    }

    /// `a && b`: success means that both succeeded; a failure says nothing. `b` may have changed a file that
    /// `a` verified.
    pub fn and(&mut self, first: Self, unchanged: impl Fn(&String) -> bool) {
        self.success.extend(first.success.into_iter().filter(unchanged));
        self.failure.clear();
        self.equal.retain(|equality| equality.on_success);
    }

    /// `a || b`: if `b` ends the shell, the outcome is that of `a`; otherwise nothing is known.
    pub fn or(&mut self, first: Self, ends: bool) {
        *self = if ends {
            Self { failure: Vec::new(), equal: Vec::new(), ..first }
        } else {
            Self::default()
        };
    }
}
