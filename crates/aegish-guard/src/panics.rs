//! A panic while a text is judged → a block, and the process continues.
//!
//! A panic is a defect of the guard. It must neither approve a command nor end a person's session, so all
//! judging runs in [`catch_panic`], and a text whose judging panics is blocked. A process with its own panic
//! hook calls [`note_panic`] in it, which tells whether the panic is caught.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

thread_local! {
    /// How many calls of [`catch_panic`] this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The message of the last panic that is caught.
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Work that panicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked {
    message: String,
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error: {}", self.message)
    }
}

impl std::error::Error for Panicked {}

/// Whether a panic is caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicFate {
    /// [`catch_panic`] returns it as an error.
    Caught,
    /// Nothing catches it.
    Uncaught,
}

/// Does the work, and returns a panic as an error. After a panic, data that the work was changing must not be
/// used.
///
/// # Errors
///
/// If the work panics.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|payload| {
        let noted = NOTED.take();
        Panicked { message: noted.unwrap_or_else(|| said(&*payload).to_owned()) }
    })
}

/// For the panic hook of a process: stores the message for [`catch_panic`] if that is active in this thread.
pub fn note_panic(info: &PanicHookInfo<'_>) -> PanicFate {
    if DEPTH.get() == 0 {
        return PanicFate::Uncaught;
    }
    let said = said(info.payload());
    NOTED.set(Some(match info.location() {
        Some(place) => format!("{said} ({place})"),
        None => said.to_owned(),
    }));
    PanicFate::Caught
}

/// The message of a panic.
fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason is known")
}

/// Panics if the text asks for it, so that tests can show that nothing gets past a panic.
#[cfg(feature = "deliberate-panic")]
pub(crate) fn panic_on_request(text: &[u8]) {
    const REQUEST: &[u8] = b"the guard panics here";
    #[allow(clippy::panic)] // what the feature is for
    if text.windows(REQUEST.len()).any(|part| part == REQUEST) {
        panic!("deliberate panic");
    }
}

#[cfg(test)]
mod tests {
    use super::{PanicFate, catch_panic, note_panic};

    #[test]
    fn a_panic_is_an_error_that_says_why() {
        assert_eq!(catch_panic(|| 1), Ok(1));
        let number = "x".parse::<u8>();
        let failed = catch_panic(|| number.map_err(|_| ()).expect("a number"));
        let message = failed.expect_err("it panicked").to_string();
        assert!(message.starts_with("internal error: a number"), "{message}");
    }

    #[test]
    fn the_hook_knows_which_panics_are_caught() {
        use std::sync::Mutex;
        static FATES: Mutex<Vec<PanicFate>> = Mutex::new(Vec::new());
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(|info| {
            if std::thread::current().name() == Some("hooked") {
                FATES.lock().expect("no panic in here").push(note_panic(info));
            }
        }));
        let hooked = std::thread::Builder::new().name("hooked".to_owned()).spawn(|| {
            let caught = catch_panic(|| catch_panic(|| assert_eq!(1, 2, "one")));
            let text = caught.expect("the inner one caught it").expect_err("it panicked");
            assert!(text.to_string().contains("panics.rs"), "the place is named: {text}");
            assert_eq!(1, 2, "two");
        });
        assert!(hooked.expect("a thread").join().is_err());
        std::panic::set_hook(before);
        assert_eq!(*FATES.lock().expect("whole"), [PanicFate::Caught, PanicFate::Uncaught]);
    }
}
