//! The commands that neither diagnose nor convert.

pub mod bundle_ls;
pub mod demo;
pub mod redact;
pub mod shell;
