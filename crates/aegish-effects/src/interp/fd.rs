//! `fd`, followed as the `find` that does the same.

use super::{CommandResult, Interp};
use aegish_expansion::search::name_pattern;
use aegish_expansion::{Field, arguments};
use aegish_options::CommandPart;
use aegish_profiles::Profile;
use aegish_syntax::Span;
use aegish_values::Value;

impl Interp<'_> {
    /// `fd [options] [pattern] [paths…] [-x command]`
    pub(super) fn run_fd(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let (Some(name), Some(find)) = (fields.first(), aegish_profiles::find("find")) else {
            return CommandResult::default();
        };
        let words = arguments(fields);
        let word = |text: &str| Field { value: Value::known(text), span };
        let (mut operands, mut roots, mut commands) = (Vec::new(), Vec::new(), Vec::new());
        for part in aegish_options::parts(&profile.grammar, words) {
            match part {
                CommandPart::Operand(at) => operands.extend(words.get(at).cloned()),
                CommandPart::Command(range) => {
                    commands.push(words.get(range).unwrap_or_default().to_vec());
                }
                CommandPart::Option(option, _) => {
                    let root =
                        matches!(option.name.as_str(), "--search-path" | "-C" | "--base-directory");
                    roots.extend(option.value.filter(|_| root).map(|value| Field { value, span }));
                }
            }
        }
        let parsed = aegish_options::parse(&profile.grammar, words);
        let mut result = self.apply_roles(profile, &parsed, fields, span);
        let mut operands = operands.into_iter();
        let pattern = operands.next();
        roots.extend(operands);
        let mut argv = vec![name.clone()];
        argv.extend(roots);
        if let Some(pattern) = pattern.and_then(|field| name_pattern(&field.value)) {
            argv.extend([word("-name"), Field { value: pattern, span }]);
        }
        for mut command in commands {
            // Without a placeholder the found paths stand behind the command.
            let placed = |field: &Field| field.value.to_string().contains("{}");
            if !command.iter().any(placed) {
                command.push(word("{}"));
            }
            let mut argv = argv.clone();
            argv.push(word("-exec"));
            argv.extend(command);
            argv.push(word(";"));
            result = self.run_find(find, &argv, span);
        }
        result
    }
}
