//! No input makes the guard panic or hang, and every decision has a reason.
#![no_main]

use aegish_guard::{Action, Context, Request, Role, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let context = Context::bare();
    for role in Role::ALL {
        let decision = check(&Request { text, context: &context, role, user_rules: &[] });
        // After a panic the guard blocks with this rule.
        assert_ne!(decision.rule().name, "internal-error", "{}", decision.reason());
        assert!(!decision.reason().is_empty());
        assert!((0.0..=1.0).contains(&decision.confidence()));
        // A text that cannot be decided is never allowed silently.
        assert!(!(decision.is_open() && decision.action() == Action::Allow));
    }
});
