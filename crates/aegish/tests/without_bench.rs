//! The guard alone: built without the feature `bench`.
#![cfg(not(feature = "bench"))]

mod common;

use common::aegish;

#[test]
fn a_build_without_the_benchmark_says_how_to_get_it() {
    for arguments in [&["bench"][..], &["bench", "run", "--model", "x/y"], &["bench", "--help"]] {
        let run = aegish(arguments, b"");
        assert_eq!(run.status, 2, "{arguments:?}");
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(run.stderr.contains("this build has no benchmark"), "{}", run.stderr);
        assert!(run.stderr.contains("cargo build --release -p aegish"), "{}", run.stderr);
    }
}

#[test]
fn help_of_the_guard_alone_does_not_list_the_benchmark() {
    let run = aegish(&["--help"], b"");
    assert_eq!(run.status, 0);
    assert!(!run.stdout.contains("bench"), "{}", run.stdout);
}
