//! What a program writes into the file that it was given for its output.

use super::Interp;
use super::simple::base_name;
use aegish_analysis::EffectKind;
use aegish_expansion::{Field, arguments};
use aegish_options::{Argument, CommandLine};
use aegish_profiles::{ArgumentRole, Profile, Style, Trait};
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::{Value, join_values, origin};

/// The name that the origin of output has which is not known.
const OUTPUT: &str = "output";

impl Interp<'_> {
    /// `touch`: a file that is made if there is none, with nothing in it.
    pub(crate) fn make_file(&mut self, path: &Value, span: Span) {
        let content = Value::unknown(origin::FILE_CONTENT);
        self.effect(EffectKind::Write { path: path.clone(), content, append: true }, span);
        if let Some(known) = path.as_known() {
            let key = self.resolved(known);
            self.remember_file(&key, Value::empty(), true);
        }
    }

    /// The content of the output file, where it is made of what the text says: it is what the same command prints without
    /// the file.
    pub(super) fn output_for_file(
        &self,
        profile: &Profile,
        parsed: &CommandLine,
        fields: &[Field],
        first_effect: usize,
    ) -> Option<Value> {
        if profile.has(Trait::Copier) || !parsed.arguments.iter().any(is_output) {
            return None;
        }
        let words = without_output(profile, parsed, fields)?;
        let base = base_name(words.first()?.value.as_known()?);
        if let Some((printed, taint)) = self.emulated(base, &words) {
            return Some(printed.tainted(&taint).tainted(self.stdin_content().taint()));
        }
        if let Some(printed) = self.printed_without_outside(base, &words) {
            return Some(printed);
        }
        self.prints_own_text(base, &words, first_effect).then(Value::one_of_many_values)
    }

    /// Whether all that a program prints goes into a file that it was given.
    pub(super) fn prints_into_file(&self, base: &str, fields: &[Field]) -> bool {
        let Some(profile) = aegish_profiles::find(base) else { return false };
        let parsed = aegish_options::parse(&profile.grammar, arguments(fields));
        let words = || without_output(profile, &parsed, fields);
        !profile.has(Trait::Copier)
            && parsed.arguments.iter().any(is_output)
            && words().is_some_and(|words| self.emulated(base, &words).is_some())
    }

    /// The content of a file that a program writes which reads nothing but its input.
    pub(super) fn written_from_input(&self, copies: bool) -> Option<Value> {
        let input = match **self.stdin {
            Flow::Terminal => return None,
            _ => self.stdin_content(),
        };
        if copies || input.has_unknown() {
            return Some(input);
        }
        let changed = Value::unknown(OUTPUT).tainted(input.taint());
        Some(join_values(&input, &changed))
    }
}

fn is_output(item: &Argument) -> bool {
    matches!(item.role, ArgumentRole::Write | ArgumentRole::Append)
}

/// The words of a command line without those that name the files for its output; `None` if it is not clear which they are.
fn without_output(profile: &Profile, parsed: &CommandLine, fields: &[Field]) -> Option<Vec<Field>> {
    let mut words: Vec<Option<Field>> = fields.iter().cloned().map(Some).collect();
    for item in parsed.arguments.iter().filter(|item| is_output(item)) {
        let at = item.word? + 1;
        let field = fields.get(at)?;
        let option = field.value.as_known()?.strip_suffix(item.value.as_known()?)?;
        let rest = |field: &Field, option: &str| {
            without_last_letter(option, profile).map(|text| replaced(field, text))
        };
        *words.get_mut(at)? = rest(field, option);
        if option.is_empty() && item.option {
            let before = at.checked_sub(1)?;
            let field = fields.get(before)?;
            *words.get_mut(before)? = rest(field, field.value.as_known()?);
        }
    }
    Some(words.into_iter().flatten().collect())
}

/// What is left of a word without its last option: `-ro` → `-r`.
fn without_last_letter<'w>(word: &'w str, profile: &Profile) -> Option<&'w str> {
    let bundles = !matches!(profile.grammar.style, Style::Long | Style::Keys);
    let letters = word.strip_prefix('-').filter(|letters| bundles && !letters.starts_with('-'))?;
    word.get(..word.len() - 1).filter(|_| letters.len() > 1 && letters.is_ascii())
}

fn replaced(field: &Field, text: &str) -> Field {
    Field { value: Value::known(text), ..field.clone() }
}
