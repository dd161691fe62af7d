//! `kwhy signatures fmt`: writes the keys of signatures in one order.

use std::io::Write;
use std::path::PathBuf;

use crate::catalogue;
use crate::diagnostics::BadFile;
use crate::failure::Failure;
use crate::run::Status;
use crate::whole;
use kwhy_render::escape::visible;

/// Formats files in place, or with `check` only lists those that are not formatted.
pub fn format(paths: &[PathBuf], check: bool, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut changed = false;
    for file in catalogue::signature_files(paths)? {
        let name = file.display().to_string();
        let text = catalogue::read(&file)?;
        let formatted =
            kwhy_core::signature::format_signatures(&name, &text).map_err(BadFile::from)?;
        if formatted == text {
            continue;
        }
        changed = true;
        if !check {
            whole::replace(&file, formatted.as_bytes()).map_err(|source| Failure::Write {
                path: file.clone(),
                source,
            })?;
        }
        writeln!(out, "{}", visible(&name))?;
    }
    Ok(if changed && check {
        Status::Found
    } else {
        Status::Ran
    })
}
