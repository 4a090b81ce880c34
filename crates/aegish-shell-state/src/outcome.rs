//! What the end of a command tells: files that it verifies, variables that have the text they are compared with, and
//! the working directory.

use aegish_values::Value;

/// Files that are vouched for if the last command succeeded, or failed, and what else that tells.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    success: Vec<String>,
    failure: Vec<String>,
    equal: Vec<Equality>,
    moved: Option<Moved>,
    /// Links that are not there if the command failed.
    linked: Vec<String>,
    /// Links that are not there if the command succeeded.
    unlinked: Vec<String>,
}

/// `cd` to a directory that may not be there.
#[derive(Debug, Clone)]
struct Moved {
    /// The working directory, if the end of the command is not known.
    either: Value,
    success: Option<Value>,
    failure: Option<Value>,
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

impl Outcome {
    /// `! command`
    pub fn negate(&mut self) {
        std::mem::swap(&mut self.success, &mut self.failure);
        std::mem::swap(&mut self.linked, &mut self.unlinked);
        self.equal.iter_mut().for_each(|equality| equality.on_success ^= true);
        if let Some(moved) = &mut self.moved {
            std::mem::swap(&mut moved.success, &mut moved.failure);
        }
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

    /// The command makes a link where there was nothing, or fails.
    pub fn links(&mut self, name: String) {
        self.linked.push(name);
    }

    /// The links that are not there if the command ended in this way.
    pub fn missing_links(&self, success: bool) -> &[String] {
        if success { &self.unlinked } else { &self.linked }
    }

    /// The command goes to another directory, or fails and stays; `either` is what the working directory is then.
    pub fn moves(&mut self, either: Value, there: Value, here: Value) {
        self.moved = Some(Moved { either, success: Some(there), failure: Some(here) });
    }

    /// The working directory if the command ended in this way, unless it is another one than the command left.
    pub fn directory(&self, success: bool, now: &Value) -> Option<&Value> {
        let moved = self.moved.as_ref().filter(|moved| moved.either == *now)?;
        if success { moved.success.as_ref() } else { moved.failure.as_ref() }
    }

    /// Whether the command changed to a directory that may not be there.
    pub(crate) fn may_stay(&self) -> bool {
        self.moved.is_some()
    }

    /// `a && b`: success means that both succeeded; a failure says nothing. `b` may have changed a file that
    /// `a` verified.
    pub fn and(&mut self, first: Self, unchanged: impl Fn(&String) -> bool) {
        self.success.extend(first.success.into_iter().filter(unchanged));
        self.failure.clear();
        self.equal.retain(|equality| equality.on_success);
        self.forget_failure();
    }

    /// `a || b`: if `b` ends the shell, the outcome is that of `a`; otherwise nothing is known.
    pub fn or(&mut self, first: Self, ends: bool) {
        *self = if ends {
            Self { failure: Vec::new(), equal: Vec::new(), ..first }
        } else {
            Self::default()
        };
        self.forget_failure();
    }

    fn forget_failure(&mut self) {
        self.linked.clear();
        if let Some(moved) = &mut self.moved {
            moved.failure = None;
        }
    }
}
