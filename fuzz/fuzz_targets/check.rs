//! No input makes the guard panic or run away, and every answer explains itself.
#![no_main]

use aegish_guard::{Action, Context, Request, Role, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let context = Context::bare();
    for role in Role::ALL {
        let decision = check(&Request { text, context: &context, role, user_rules: &[] });
        // The guard answers for a panic of its own with this rule.
        assert_ne!(decision.rule().name, "internal-error", "{}", decision.reason());
        assert!(!decision.reason().is_empty());
        assert!((0.0..=1.0).contains(&decision.confidence()));
        // What cannot be decided is never let through without a word.
        assert!(!(decision.is_open() && decision.action() == Action::Allow));
    }
});
