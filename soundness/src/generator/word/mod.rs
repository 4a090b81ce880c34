//! Words that expand to a given text. Statements that have to run first go into `before`.

mod expansions;
mod failures;
mod foreign;
mod inputs;
mod operators;
mod patterns;
mod programs;
mod states;

use super::Generator;
use super::quoting::{is_plain, plain};
use crate::tree::Tree;

type Form = fn(&mut Generator, &str, usize, &mut Vec<Tree>) -> String;

/// Every way to compute a text, with its name.
const FORMS: &[(&str, Form)] = &[
    ("variable", expansions::variable),
    ("variable", expansions::variable),
    ("remove-prefix", expansions::remove_prefix),
    ("remove-suffix", expansions::remove_suffix),
    ("replace", expansions::replace),
    ("substring", expansions::substring),
    ("case", expansions::case),
    ("case-attribute", expansions::case_attribute),
    ("default", expansions::default),
    ("assign-default", expansions::assign_default),
    ("alternative", expansions::alternative),
    ("element", expansions::element),
    ("element-arithmetic", expansions::element_arithmetic),
    ("element-assigned", expansions::element_assigned),
    ("slice", expansions::slice),
    ("keyed", expansions::keyed),
    ("indirect", expansions::indirect),
    ("indirect-element", expansions::indirect_element),
    ("nameref", expansions::nameref),
    ("nameref-element", expansions::nameref_element),
    ("positional", expansions::positional),
    ("positional-slice", expansions::positional_slice),
    ("positional-join", expansions::positional_join),
    ("substitution", inputs::substitution),
    ("substitution-function", inputs::substitution_function),
    ("file", inputs::file),
    ("read", inputs::read),
    ("read-array", inputs::read_array),
    ("read-loop", inputs::read_loop),
    ("mapfile", inputs::mapfile),
    ("printf-v", inputs::printf_v),
    ("printf-v-element", inputs::printf_v_element),
    ("getopts", inputs::getopts),
    ("rematch", inputs::rematch),
    ("here-document", inputs::here_document),
    ("process-substitution", inputs::process_substitution),
    ("coproc", inputs::coproc),
    ("split", inputs::split),
    ("eval", states::eval),
    ("source", states::source),
    ("readonly", states::readonly),
    ("append", states::append),
    ("function-global", states::function_global),
    ("dynamic-scope", states::dynamic_scope),
    ("transform", states::transform),
    ("prompt-transform", states::prompt_transform),
    ("arithmetic-choice", states::arithmetic_choice),
    ("for-items", states::for_items),
    ("descriptor", states::descriptor),
    ("last-argument", states::last_argument),
    ("tr", states::translate),
    ("base64", states::base64),
    ("trap-return", states::trap_return),
    ("debug-trap", states::debug_trap),
    ("declare", states::declare),
    ("exported", states::exported),
    ("sparse", states::sparse),
    ("unknown-index", states::unknown_index),
    ("toggled-case", operators::toggled_case),
    ("required", operators::required),
    ("default-nested", operators::default_nested),
    ("length-index", operators::length_index),
    ("names-by-prefix", operators::names_by_prefix),
    ("keys", operators::keys),
    ("joined-by-separator", operators::joined_by_separator),
    ("escapes", operators::escapes),
    ("printf-parts", operators::printf_parts),
    ("numbers-to-text", operators::numbers_to_text),
    ("characters", operators::characters),
    ("array-operators", operators::array_operators),
    ("array-grown", operators::array_grown),
    ("last-parameter", operators::last_parameter),
    ("shifted", operators::shifted),
    ("named-by-loop", operators::named_by_loop),
    ("reply", operators::reply),
    ("local-scope", operators::local_scope),
    ("alias", operators::alias),
    ("filter", programs::filter),
    ("carried-file", programs::carried_file),
    ("extended-pattern", patterns::extended),
    ("matched", patterns::matched),
    ("found", patterns::found),
    ("split-words", patterns::split_words),
    ("counted", patterns::counted),
    ("capitals", patterns::capitals),
    ("left-by-jump", patterns::left),
    ("outside-joined", foreign::joined),
    ("outside-operand", foreign::operand),
    ("outside-branch", foreign::branch),
    ("outside-branch", foreign::branch),
    ("outside-place", foreign::place),
    ("outside-behind", foreign::behind),
    ("outside-behind", foreign::behind),
    ("kept", failures::kept),
    ("kept", failures::kept),
    ("kept", failures::kept),
    ("set-by-failure", failures::set_by),
    ("set-by-failure", failures::set_by),
    ("file-kept", failures::file_kept),
    ("file-kept", failures::file_kept),
];

impl Generator {
    /// A word that expands to the target as one field.
    pub(super) fn word(&mut self, target: &str, depth: usize, before: &mut Vec<Tree>) -> Tree {
        let literal = |text: &str| Tree::text(plain(text));
        match self.random.below(8) {
            0 => return self.quoted(target),
            1 if depth > 0 && is_plain(target) && target.len() > 3 => {
                let at = 1 + self.random.below(target.len() - 2);
                let first = self.word(&target[..at], depth - 1, before);
                let second = self.word(&target[at..], depth - 1, before);
                return Tree::choice("joined", Tree::Joined(vec![first, second]), literal(target));
            }
            2 if target == "/etc/shadow" => return self.glob(target),
            _ if depth == 0 => return self.quoted(target),
            _ => {}
        }
        let Some((label, form)) = FORMS.get(self.random.below(FORMS.len())) else {
            return literal(target);
        };
        let expansion = form(self, target, depth - 1, before);
        let bare = is_plain(target) && self.random.one_in(2);
        let text = if bare { expansion } else { format!("\"{expansion}\"") };
        Tree::choice(label, Tree::text(text), literal(target))
    }

    /// A pattern that only this file matches.
    fn glob(&mut self, target: &str) -> Tree {
        let form = self.pattern_of(target);
        Tree::choice("glob", Tree::text(form), Tree::text(target))
    }

    /// `name=word`
    fn assign(&mut self, name: &str, target: &str, depth: usize, before: &mut Vec<Tree>) {
        let word = self.word(target, depth, before);
        // An assignment performs no word splitting and no pathname expansion.
        let word = match &word {
            Tree::Choice { label: "glob", .. } => Tree::text(plain(target)),
            _ => word,
        };
        before.push(Tree::Joined(vec![Tree::text(format!("{name}=")), word]));
        self.variables.push(name.to_owned());
        self.noise(before);
    }

    fn say(&mut self, text: String, before: &mut Vec<Tree>) {
        before.push(Tree::text(text));
        self.noise(before);
    }
}
