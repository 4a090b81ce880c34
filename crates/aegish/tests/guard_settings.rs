//! The settings of the guard and the policy that protects them know the same names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use aegish_agents::{Agent, SettingsScope};
use aegish_config::{Tighter, ValueType, table};
use aegish_guard::{Action, Context, Request, Role, check};

fn action(text: &str) -> Action {
    let context = Context::bare();
    let text = text.as_bytes();
    check(&Request { text, context: &context, role: Role::Default, user_rules: &[] }).action()
}

#[test]
fn changes_of_settings_that_affect_decisions_are_asked_about_and_display_settings_are_not() {
    for setting in table() {
        let name = setting.name;
        let expected = match setting.tighter {
            Tighter::Harmless => Action::Allow,
            _ => Action::Warn,
        };
        assert_eq!(action(&format!("export {name}=some-value")), expected, "{name}");
        assert_eq!(action(&format!("unset {name}")), expected, "{name}");
    }
}

#[test]
fn the_tightest_word_of_a_setting_needs_no_question() {
    for setting in table().iter().filter(|setting| setting.tighter == Tighter::LaterWord) {
        let ValueType::Word(words) = setting.kind else { panic!("{} has no words", setting.name) };
        let (last, looser) = words.split_last().unwrap();
        assert_eq!(action(&format!("export {}={last}", setting.name)), Action::Allow, "{last}");
        for word in looser {
            let text = format!("export {}={word}", setting.name);
            assert_eq!(action(&text), Action::Warn, "{text}");
        }
    }
}

#[test]
fn the_file_that_names_the_hook_of_an_agent_is_not_changed_without_a_question() {
    for place in Agent::ALL.into_iter().filter_map(Agent::hook_place) {
        for file in [
            format!("$HOME/{}", place.file(SettingsScope::Home)),
            format!("/srv/project/{}", place.file(SettingsScope::Project)),
        ] {
            for text in [format!("echo {{}} > \"{file}\""), format!("rm \"{file}\"")] {
                assert_ne!(action(&text), Action::Allow, "{text}");
            }
        }
    }
}

#[test]
fn every_rule_that_can_warn_can_be_answered_for() {
    let setting = table().iter().find(|setting| setting.name == "AEGISH_ON_WARN").unwrap();
    let ValueType::Answers(named) = setting.kind else { panic!("no answers") };
    let warns = |rule: &&aegish_guard::Rule| {
        // Rules of the guard itself have no variants.
        let own = ["user-rule", "misleading-text", "prompt-injection", "model-opinion"]
            .contains(&rule.name);
        let warns = |role| rule.kinds.iter().any(|kind| kind.action(role) == Action::Warn);
        own || Role::ALL.into_iter().any(warns)
    };
    let mut known: Vec<&str> = aegish_guard::rules().filter(warns).map(|rule| rule.name).collect();
    known.sort_unstable();
    assert_eq!(named, known);
}
