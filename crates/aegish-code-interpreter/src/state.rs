//! What a language keeps while a program is followed.

use std::any::Any;

/// The state of the language of a program, whatever its type is.
pub struct State(Box<dyn Any>);

impl Default for State {
    fn default() -> Self {
        // A box of nothing does not allocate.
        Self(Box::new(()))
    }
}

impl State {
    /// The state, which begins with its default.
    pub fn of<T: Default + 'static>(&mut self) -> &mut T {
        if !self.0.is::<T>() {
            self.0 = Box::<T>::default();
        }
        // The type is the one that was just looked for; anything else would be kept apart.
        self.0.downcast_mut().unwrap_or_else(|| Box::leak(Box::default()))
    }

    /// The state, if something was kept.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}
