//! How much of a file may be told to those who read a verdict.

use super::route::Route;
use super::table::{ReadClass, classify};
use crate::Role;
use crate::action::PolicyContext;

/// What of a file is secret. Later is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secrecy {
    /// Some values in it.
    Values,
    /// All of it.
    Whole,
}

/// The secrecy of the file at an absolute path; `home` is the home directory, empty if unknown.
#[must_use]
pub fn secrecy(path: &str, home: &str) -> Option<Secrecy> {
    let setting = PolicyContext { role: Role::Default, cwd: "", home, user_rules: &[] };
    match classify(&Route::new(path.as_bytes(), &setting)).read?.class {
        ReadClass::AccountSecret
        | ReadClass::PrivateKey
        | ReadClass::Credential
        | ReadClass::TokenFile
        | ReadClass::Memory
        | ReadClass::RawDisk
        | ReadClass::History => Some(Secrecy::Whole),
        ReadClass::ProjectSecret => Some(Secrecy::Values),
        ReadClass::AccountList
        | ReadClass::ContainerSocket
        | ReadClass::LoginRecord
        | ReadClass::Ordinary => None,
    }
}
