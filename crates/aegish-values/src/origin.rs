//! Names of unknown pieces that code compares. A piece that is only shown may have any name.

/// Content of a file that a program edited.
pub const EDITED_CONTENT: &str = "edited content";
/// The value of an expansion that could not be carried out.
pub const EXPANSION: &str = "expansion";
/// Content of a file.
pub const FILE_CONTENT: &str = "file content";
/// A field of a line of input.
pub const INPUT_FIELD: &str = "input field";
/// A line of input.
pub const INPUT_LINE: &str = "input line";
/// A number that is only known at run time.
pub const NUMBER: &str = "arithmetic";
/// A number that the script computes and that is one of several: a counter, what branches leave.
pub const COUNTER: &str = "counter";
/// How an earlier command ended.
pub const EXIT_STATUS: &str = "exit status";
/// The length of a text or list.
pub const LENGTH: &str = "length";
/// What is one word, however a shell splits it.
pub const NUMBERS: [&str; 5] = [NUMBER, COUNTER, PROCESS_ID, EXIT_STATUS, LENGTH];
/// Text that the rounds of a loop add to a value.
pub const GROWN: &str = "what a loop adds";
/// The number of the shell or of a job of it: `$$`, `$!`.
pub const PROCESS_ID: &str = "process id";
/// Output of a program.
pub const PROGRAM_OUTPUT: &str = "output of a program";
/// The value of a variable that must be set: `${name:?}`.
pub const REQUIRED_VARIABLE: &str = "required variable";
/// What programs print as messages.
pub const MESSAGES: &str = "messages";
/// Text that a person types.
pub const TYPED_TEXT: &str = "typed text";
/// The line that sed works on, after it was edited.
pub const PATTERN_SPACE: &str = "pattern space";
/// The value of a variable.
pub const VARIABLE: &str = "variable";
/// Part of a text that a regular expression matched.
pub const MATCHED_TEXT: &str = "matched text";
/// The arguments that a script gets.
pub const ARGUMENTS: &str = "script arguments";
/// One argument that a script gets.
pub const ARGUMENT: &str = "script argument";
/// Every file below a directory, one after the other.
pub const EVERY_FILE: &str = "every file below";
/// Stands for those files below a directory that meet some condition.
pub const SOME_FILES: &str = "files below";
