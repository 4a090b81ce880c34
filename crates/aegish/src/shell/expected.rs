//! Commands that a judged text starts: what was judged with it is not judged again on its own.

use aegish_guard::Analysis;
use std::collections::HashMap;
use std::sync::Arc;

/// Arguments as a program gets them, with the name.
type Words = Vec<Vec<u8>>;

/// The commands of a judged text whose words are all known.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// Numbers of the commands with these words.
    numbers: HashMap<Words, Vec<usize>>,
    /// Which command runs each command.
    parents: Vec<Option<usize>>,
}

/// The part of a text that a process runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    of: Arc<Expected>,
    /// The command that the process is; the text itself if there is none.
    command: Option<usize>,
}

impl Part {
    /// The whole text.
    pub(super) fn whole(analysis: &Analysis) -> Self {
        let mut expected = Expected::default();
        for (number, command) in analysis.commands.iter().enumerate() {
            expected.parents.push(command.parent);
            let words: Option<Words> = command
                .argv
                .iter()
                .map(|word| Some(word.as_known()?.as_bytes().to_vec()))
                .collect();
            if let Some(words) = words {
                expected.numbers.entry(words).or_default().push(number);
            }
        }
        Self { of: Arc::new(expected), command: None }
    }

    /// The part of the text that a program with these words is, if this part starts it.
    pub(super) fn starting(&self, words: &[Vec<u8>]) -> Option<Self> {
        let numbers = self.of.numbers.get(words)?;
        let number = numbers.iter().find(|number| self.includes(**number))?;
        Some(Self { of: Arc::clone(&self.of), command: Some(*number) })
    }

    fn includes(&self, command: usize) -> bool {
        let Some(own) = self.command else { return true };
        let mut at = self.of.parents.get(command).copied().flatten();
        // Each step leads to an earlier command.
        while let Some(number) = at {
            if number == own {
                return true;
            }
            at = self.of.parents.get(number).copied().flatten().filter(|next| *next < number);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_guard::{Context, Request, Role, check};

    fn part(text: &str) -> Part {
        let mut context = Context::bare();
        context.positional = Some(Vec::new());
        let text = text.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        Part::whole(check(&request).analysis())
    }

    fn words(text: &str) -> Words {
        text.split(' ').map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn what_stands_in_the_text_is_expected() {
        let part = part("x=b; ls -l a\"$x\"; cat $(date)");
        assert!(part.starting(&words("ls -l ab")).is_some());
        assert!(part.starting(&words("date")).is_some());
        assert!(part.starting(&words("ls -l")).is_none());
        assert!(part.starting(&words("cat now")).is_none());
    }

    #[test]
    fn a_program_starts_only_what_the_text_has_it_start() {
        let whole = part("vim notes; env -i sh -c 'sort a'; rm b");
        let vim = whole.starting(&words("vim notes"));
        assert!(vim.is_some_and(|vim| vim.starting(&words("rm b")).is_none()));
        let env = whole.starting(&words("env -i sh -c")).or_else(|| {
            let call = ["env", "-i", "sh", "-c", "sort a"].map(|word| word.as_bytes().to_vec());
            whole.starting(&call)
        });
        assert!(env.is_some_and(|env| env.starting(&words("sort a")).is_some()));
    }
}
