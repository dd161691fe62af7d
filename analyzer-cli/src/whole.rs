//! Files and folders that are written completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The paths being written, for [`remove_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn all_unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder that gets its name when it is complete. If it is dropped before, or SIGTERM ends the program, it
/// is removed; a killed program leaves it with the extension `.partial`.
#[derive(Debug)]
pub struct Unfinished {
    to: PathBuf,
    partial: PathBuf,
}

impl Unfinished {
    /// Returns a file or folder to write, beside `to` until it is finished.
    pub fn new(to: &Path) -> Unfinished {
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        let partial = to.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let to = to.to_owned();
        all_unfinished().push(partial.clone());
        #[cfg(unix)]
        remove_on_sigterm();
        Unfinished { to, partial }
    }

    /// Creates the file that will replace another one, with the same permissions. If `path` is a link, the file that
    /// it leads to is replaced.
    ///
    /// # Errors
    /// There is no such file, or none can be created beside it.
    pub fn replacing(path: &Path) -> io::Result<(Unfinished, File)> {
        let path = path.canonicalize()?;
        let new = Unfinished::new(&path);
        let file = File::create_new(new.path())?;
        // before it contains anything that others may not read
        file.set_permissions(path.metadata()?.permissions())?;
        Ok((new, file))
    }

    /// Returns the path to write to.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Renames it to its final name.
    ///
    /// # Errors
    /// Something of that name exists, or it cannot be renamed.
    pub fn finish(self) -> io::Result<()> {
        match self.to.symlink_metadata() {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.partial, &self.to),
        }
    }

    /// Renames it to its final name, replacing what has that name.
    ///
    /// # Errors
    /// It cannot be renamed; what has the name is then unchanged.
    pub fn replace(self) -> io::Result<()> {
        fs::rename(&self.partial, &self.to)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // does nothing if it was renamed
        remove(&self.partial);
        all_unfinished().retain(|path| *path != self.partial);
    }
}

/// Removes a file or folder, if it exists.
fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Removes what is unfinished, before the program exits.
pub fn remove_unfinished() {
    let all = all_unfinished();
    for path in all.iter() {
        // another thread may still write into a folder; it cannot once the folder is gone
        for _ in 0..100 {
            remove(path);
            if path.symlink_metadata().is_err() {
                break;
            }
        }
    }
}

/// Makes SIGTERM remove what is unfinished before it ends the program as usual.
#[cfg(unix)]
fn remove_on_sigterm() {
    use signal_hook::consts::SIGTERM;
    static WATCH: std::sync::Once = std::sync::Once::new();
    WATCH.call_once(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTERM]) else {
            return;
        };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                remove_unfinished();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// Replaces the content of a file and keeps its permissions. If it is a link, the file that it leads to is replaced.
///
/// # Errors
/// The file cannot be written; it is then unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let (new, mut file) = Unfinished::replacing(path)?;
    file.write_all(content)?;
    file.sync_all()?;
    new.replace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn unfinished_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let file = Unfinished::new(&to);
        fs::write(file.path(), "half").unwrap();
        drop(file);
        let tree = Unfinished::new(&to);
        fs::create_dir_all(tree.path().join("dock")).unwrap();
        drop(tree);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn finished_has_its_name_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let finish = |text: &str| {
            let file = Unfinished::new(&to);
            fs::write(file.path(), text).unwrap();
            file.finish()
        };
        finish("whole").unwrap();
        let error = finish("another").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&to).unwrap(), "whole");
        replace(&to, b"new").unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "new");
        assert_eq!(names(folder.path()), ["copy"]);
    }
}
