//! The commands `bundle ls`, `demo`, `redact`, `completions` and `man`.

pub mod bundle_ls;
pub mod demo;
pub mod redact;
pub mod shell;
