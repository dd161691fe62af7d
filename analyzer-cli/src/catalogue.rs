//! The signatures in use: the built-in ones and those of files and folders.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kwhy_core::Catalogue;
use kwhy_core::signature::{Examples, SignatureError};

use crate::diagnostics::BadFile;
use crate::failure::Failure;
use crate::plan::CataloguePlan;
use kwhy_bundle::sources::{self, Below};
use kwhy_render::counted;
use kwhy_render::escape::visible;

/// The files in a folder of signatures that define causes.
const CAUSES: &[&str] = &["causes.yaml", "causes.txt"];

/// The maximum number of ids that a message lists.
const MAX_LISTED: usize = 3;

/// Loads the catalogue of a plan.
///
/// # Errors
/// A file cannot be read or is invalid; the error is that of the first one.
pub fn load(plan: &CataloguePlan) -> Result<Catalogue, Failure> {
    let (catalogue, errors) = load_what_can_be(plan)?;
    let more = errors.len().saturating_sub(1) as u64;
    match errors.into_iter().next() {
        Some(error) => Err(BadFile::from(error).with_more(more).into()),
        None => Ok(catalogue),
    }
}

/// Loads the valid signatures of a plan, and returns the errors of the other files beside them.
///
/// # Errors
/// A file cannot be read.
pub fn load_what_can_be(plan: &CataloguePlan) -> Result<(Catalogue, Vec<SignatureError>), Failure> {
    let mut catalogue = if plan.builtin {
        Catalogue::builtin()
    } else {
        Catalogue::empty()
    };
    let mut files = Vec::new();
    for path in &plan.paths {
        files.extend(files_of(path)?);
    }
    // causes come first, as a signature may name a cause of any of the folders
    files.sort_by_key(|file| !is_causes(file));
    let mut errors = Vec::new();
    for file in files {
        let text = read(&file)?;
        let name = file.display().to_string();
        let added = if is_causes(&file) {
            catalogue.add_causes(&name, &text)
        } else {
            catalogue.add_str(&name, &text)
        };
        if let Err(first) = added {
            let all = match is_causes(&file) {
                true => Vec::new(),
                false => catalogue.errors_of(&name, &text),
            };
            match all.is_empty() {
                true => errors.push(first),
                false => errors.extend(all),
            }
        }
    }
    Ok((catalogue, errors))
}

/// The logs beside the file of a community rule: the rule must match the first and must not match the second.
const LOGS: [&str; 2] = ["test.log", "test-fp.log"];

/// Sets the logs beside the files of community rules as the examples of these rules.
///
/// # Errors
/// A log cannot be read.
pub fn take_logs(catalogue: &mut Catalogue) -> Result<(), Failure> {
    let mut rules: Vec<(String, String)> = Vec::new();
    for signature in catalogue.signatures().filter(|s| s.community.is_some()) {
        rules.push((signature.file.to_string(), signature.id.clone()));
    }
    rules.sort();
    for of_file in rules.chunk_by(|(file, _), (next, _)| file == next) {
        // logs belong to a rule only if it is alone in its file
        let [(file, id)] = of_file else { continue };
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let mut texts: [Vec<String>; 2] = Default::default();
        for (log, texts) in LOGS.iter().zip(&mut texts) {
            let path = folder.join(log);
            if path.is_file() {
                let bytes = fs::read(&path).map_err(|error| unreadable(&path, error))?;
                texts.push(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        let [matching, no_match] = texts;
        catalogue.set_examples(id, Examples::of_texts(matching, no_match));
    }
    Ok(())
}

/// Returns a note that names the replaced built-in signatures; `None` if there are none.
pub fn replaced(catalogue: &Catalogue) -> Option<String> {
    let ids: Vec<&str> = catalogue.replaced().collect();
    let (first, more) = ids.split_at(ids.len().min(MAX_LISTED));
    let by = catalogue.get(first.first()?)?.file.as_ref();
    let mut note = counted(ids.len() as u64, "built-in signature");
    note.push_str(match ids.len() {
        1 => " is replaced: ",
        _ => " are replaced: ",
    });
    note.push_str(&first.join(", "));
    if more.is_empty() {
        note.push_str(&format!(" (by {by})"));
    } else {
        note.push_str(&format!(" (by {by}) and {} more", more.len()));
    }
    Some(visible(&note).into_owned())
}

/// Returns the signature files in the paths and below their folders, without files of causes.
///
/// # Errors
/// A folder cannot be read.
pub fn signature_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        files.extend(files_of(path)?);
    }
    files.retain(|file| !is_causes(file));
    Ok(files)
}

/// The maximum size of a signature file, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// Returns the text of a signature file.
///
/// # Errors
/// The file cannot be read or is too large.
pub fn read(file: &Path) -> Result<String, Failure> {
    let read = fs::File::open(file).and_then(|opened| {
        let mut text = String::new();
        let length = opened.take(MAX_FILE + 1).read_to_string(&mut text)?;
        let message = format!("it is larger than {} MiB", MAX_FILE >> 20);
        let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, message);
        (length as u64 <= MAX_FILE)
            .then_some(text)
            .ok_or_else(too_large)
    });
    read.map_err(|error| unreadable(file, error))
}

fn is_causes(file: &Path) -> bool {
    let name = file.file_name();
    name.is_some_and(|name| CAUSES.iter().any(|known| name == *known))
}

fn unreadable(path: &Path, source: io::Error) -> Failure {
    Failure::Signatures {
        path: path.to_owned(),
        source,
    }
}

/// Returns the path itself if it is a file, and the YAML files and files of causes below it if it is a folder.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let Below {
        mut files,
        failures,
        ..
    } = sources::below(path);
    if let Some(failure) = failures.into_iter().next() {
        let (path, source) = failure.into();
        return Err(unreadable(&path, source));
    }
    files.retain(|file| {
        let extension = file.extension();
        is_causes(file) || extension.is_some_and(|is| is == "yaml" || is == "yml")
    });
    Ok(files)
}
