//! Bounds on the work. Reaching one is reported as [`crate::CodeEffect::Hidden`].

/// Most effects of a text.
pub const MAX_EFFECTS: usize = 4096;

/// Most items of a list that is made by a comprehension, a range or a repetition.
pub const MAX_ITEMS: usize = 4096;

/// Most values that a value without a cell of its own holds.
pub const MAX_SIZE: usize = 4096;

/// Most values of which a value is one.
pub const MAX_ALTERNATIVES: usize = 8;

/// Most iterations of a loop that are followed one by one.
pub const MAX_ITERATIONS: usize = 1024;

/// Steps that may be spent on loops that are followed one by one. Later loops are followed to a fixed point.
pub const UNROLL_STEPS: u64 = 30_000;

/// Passes over the body of a loop until what still changes is unknown.
pub const MAX_PASSES: u32 = 4;

/// Deepest nesting of calls of functions of the program.
pub const MAX_CALLS: usize = 24;

/// Deepest nesting of code evaluated by code.
pub const MAX_EVALS: u32 = 8;
