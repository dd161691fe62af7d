//! `kwhy signatures convert`: community rules (CRE) as native signatures, and native signatures as rules.

use std::io::Write;
use std::path::PathBuf;

use kwhy_core::Catalogue;
use kwhy_core::signature::cre::{self, FileKind};

use crate::catalogue;
use crate::diagnostics::BadFile;
use crate::failure::Failure;
use crate::plan::CataloguePlan;
use crate::run::Status;
use kwhy_render::escape::visible;

/// Writes files of rules as native signatures, and files of native signatures as rules. A signature that a rule cannot
/// express becomes a comment in its place, and makes the exit status 1.
pub fn convert(
    paths: &[PathBuf],
    plan: &CataloguePlan,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let mut status = Status::Ran;
    let mut is_first = true;
    for file in catalogue::signature_files(paths)? {
        let name = file.display().to_string();
        let text = catalogue::read(&file)?;
        let texts = match cre::file_kind(&text) {
            FileKind::BesideRules => continue,
            FileKind::Rules => {
                vec![Catalogue::rules_as_native(&name, &text).map_err(BadFile::from)?]
            }
            FileKind::Native => {
                // the file may use causes that are defined beside it
                let folder = file.parent().map(|folder| folder.join("causes.yaml"));
                let causes = folder.filter(|causes| causes.exists());
                let mut own = CataloguePlan {
                    builtin: false,
                    paths: plan.paths.clone(),
                };
                own.paths.extend(causes);
                let before = catalogue::load(&own)?;
                let known = before.len();
                let mut catalogue = before;
                catalogue.add_str(&name, &text).map_err(BadFile::from)?;
                let mut texts = Vec::new();
                for signature in catalogue.signatures().skip(known) {
                    texts.push(cre::to_cre(signature).unwrap_or_else(|reason| {
                        status = Status::Found;
                        format!("# {}: {reason}\n", signature.id)
                    }));
                }
                texts
            }
        };
        for text in texts {
            if !std::mem::take(&mut is_first) {
                writeln!(out, "---")?;
            }
            for line in text.lines() {
                writeln!(out, "{}", visible(line))?;
            }
        }
    }
    Ok(status)
}
