//! Replaces names in events and objects by tokens, if that is asked for.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kwhy_core::events::{Event, Object};
use kwhy_core::report::Identities;

/// The names that become tokens; `None` if names stay.
#[derive(Clone, Copy)]
pub struct Tokens<'n>(pub Option<&'n Mutex<Identities>>);

impl<'n> Tokens<'n> {
    fn names(self) -> Option<MutexGuard<'n, Identities>> {
        let names = self.0?.lock();
        Some(names.unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns an event with tokens in place of names.
    pub fn event<'e, 'a>(self, event: &'e Event<'a>) -> Cow<'e, Event<'a>> {
        match self.names() {
            Some(mut names) => Cow::Owned(names.event(event)),
            None => Cow::Borrowed(event),
        }
    }

    /// Returns an object with tokens in place of names.
    pub fn object<'o, 'a>(self, object: &'o Object<'a>) -> Cow<'o, Object<'a>> {
        match self.names() {
            Some(mut names) => Cow::Owned(names.object(object)),
            None => Cow::Borrowed(object),
        }
    }

    /// Returns a text with tokens in place of names.
    pub fn text(self, text: &str) -> Cow<'_, str> {
        match self.names() {
            Some(mut names) => Cow::Owned(names.redact(text).into_owned()),
            None => Cow::Borrowed(text),
        }
    }
}
