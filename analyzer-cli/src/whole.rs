//! Files and folders that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file or folder that gets its name when all of it is written. Dropped before that, it is removed; what a killed
/// program leaves is called `.partial`.
#[derive(Debug)]
pub struct Unfinished {
    to: PathBuf,
    partial: PathBuf,
}

impl Unfinished {
    /// What is to become `to`, which is beside it until then.
    pub fn new(to: &Path) -> Unfinished {
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        let partial = to.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let to = to.to_owned();
        Unfinished { to, partial }
    }

    /// Creates the file that is to take the place of another one, with its permissions. Where that is a link, it is what
    /// it leads to.
    ///
    /// # Errors
    /// There is no such file, or none can be created beside it.
    pub fn replacing(path: &Path) -> io::Result<(Unfinished, File)> {
        let path = path.canonicalize()?;
        let new = Unfinished::new(&path);
        let file = File::create_new(new.path())?;
        // before anything is in it that others may not read
        file.set_permissions(path.metadata()?.permissions())?;
        Ok((new, file))
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Gives it its name.
    ///
    /// # Errors
    /// There is something of that name, or it cannot be renamed.
    pub fn finish(self) -> io::Result<()> {
        match self.to.symlink_metadata() {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.partial, &self.to),
        }
    }

    /// Gives it its name, in place of what has it.
    ///
    /// # Errors
    /// It cannot be renamed; what has the name is then as it was.
    pub fn replace(self) -> io::Result<()> {
        fs::rename(&self.partial, &self.to)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // what was renamed is not there any more
        let _ = match self.partial.is_dir() {
            true => fs::remove_dir_all(&self.partial),
            false => fs::remove_file(&self.partial),
        };
    }
}

/// Replaces the content of a file, which keeps its permissions and, if it is a link, where it leads.
///
/// # Errors
/// The file cannot be written; it is then as it was.
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
