//! Every program profile's examples hold, except for the known gaps, which only get fewer.

use aegish_test_support::examples;

use std::collections::BTreeSet;

#[test]
fn every_profile_meets_its_examples() {
    let gaps: BTreeSet<&str> = include_str!("example-gaps.txt").lines().collect();
    let failures = examples::failures();
    let failing: BTreeSet<String> = failures.iter().map(|failure| failure.key()).collect();
    let new: Vec<String> = failures
        .iter()
        .filter(|failure| !gaps.contains(failure.key().as_str()))
        .map(ToString::to_string)
        .collect();
    let closed: Vec<&&str> = gaps.iter().filter(|gap| !failing.contains(**gap)).collect();
    assert!(new.is_empty(), "{} examples fail:\n{}", new.len(), new.join("\n"));
    assert!(
        closed.is_empty(),
        "these hold now, remove them from example-gaps.txt (or `cargo xtask examples --bless`): {closed:#?}"
    );
}
