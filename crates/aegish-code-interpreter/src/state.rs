//! What a language keeps while a program is followed.

use std::any::Any;

/// The state of the language of a program, whatever its type is.
#[derive(Default)]
pub struct State(Option<Box<dyn Any>>);

impl State {
    /// Works with the state, which begins with its default.
    pub fn with<T: Default + 'static, R>(&mut self, work: impl FnOnce(&mut T) -> R) -> R {
        // Taken out and put back, its type is known in between.
        let kept = self.0.take().and_then(|kept| kept.downcast::<T>().ok());
        let mut state = kept.unwrap_or_default();
        let result = work(&mut state);
        self.0 = Some(state);
        result
    }

    /// The state, if something was kept.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}
