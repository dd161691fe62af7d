//! The bundles that paths name.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;

use kwhy_bundle::sources::InputError;

/// Returns the bundles that paths name, in order and each once: the files and folders in a folder, the matches of a
/// glob, otherwise the path itself. Also returns the errors of paths that cannot be read.
pub fn bundles(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<InputError>) {
    let mut all = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        let found = if path.is_dir() {
            entries(path)
        } else if !path.exists() && is_glob(path) {
            fitting(path)
        } else {
            Ok(vec![path.clone()])
        };
        match found {
            Ok(mut found) => {
                found.sort();
                all.append(&mut found);
            }
            Err(source) => failures.push(InputError::new(path, source)),
        }
    }
    let mut seen = HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    (all, failures)
}

/// Returns the files and folders in a folder; links, devices, pipes and sockets are omitted.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_file() || kind.is_dir() {
            all.push(entry.path());
        }
    }
    Ok(all)
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// Returns the paths that match a glob, matched component by component; `**` matches any number of folders.
fn fitting(glob: &Path) -> io::Result<Vec<PathBuf>> {
    let mut open = vec![PathBuf::new()];
    for part in glob.components() {
        let part = Path::new(part.as_os_str());
        let mut next = Vec::new();
        for start in open {
            let here = if start.as_os_str().is_empty() {
                Path::new(".")
            } else {
                &start
            };
            if part == Path::new("**") {
                let mut folders = vec![start.clone()];
                while let Some(folder) = folders.pop() {
                    let here = if folder.as_os_str().is_empty() {
                        Path::new(".")
                    } else {
                        &folder
                    };
                    for entry in entries(here).unwrap_or_default() {
                        if entry.is_dir() {
                            folders.push(entry);
                        }
                    }
                    next.push(folder);
                }
            } else if is_glob(part) {
                let glob = GlobBuilder::new(&part.to_string_lossy())
                    .literal_separator(true)
                    .build()
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?
                    .compile_matcher();
                for entry in entries(here).unwrap_or_default() {
                    if let Some(name) = entry.file_name().filter(|name| glob.is_match(name)) {
                        next.push(start.join(name));
                    }
                }
            } else {
                let path = start.join(part);
                if path.exists() {
                    next.push(path);
                }
            }
        }
        open = next;
    }
    if open.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(open)
}
