//! One file for each sub-command.

pub mod bundle_ls;
