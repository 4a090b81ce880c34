//! No input makes the guard panic or run away, and every answer explains itself.
#![no_main]

use aegish_guard::{Action, Context, Request, Role, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let context = Context::bare();
    for role in Role::ALL {
        let decision = check(&Request { text, context: &context, role, user_rules: &[]});
        assert!(!decision.reason.is_empty());
        assert!((0.0..=1.0).contains(&decision.confidence));
        // What cannot be decided is never let through without a word.
        assert!(!(decision.open && decision.action == Action::Allow));
    }
});
