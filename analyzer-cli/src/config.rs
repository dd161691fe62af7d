//! The configuration file `kwhy.toml`, and environment variables in place of options.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::args::{ReportOutput, When};
use crate::diagnostics::BadFile;
use crate::failure::Failure;

/// The variable that lists files and folders of signatures, separated as in `PATH`.
const SIGNATURES: &str = "KWHY_SIGNATURES";
/// The variable that contains the key of redaction tokens.
const KEY: &str = "KWHY_REDACT_KEY";

/// Settings that apply unless an option overrides them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// Files and folders of signatures; relative ones are below the file's folder.
    pub signatures: Vec<PathBuf>,
    /// The output format of reports.
    pub output: Option<ReportOutput>,
    /// When to use colour.
    pub color: Option<When>,
    /// True if names are replaced by tokens.
    pub redact: bool,
    /// The key that tokens are derived from; only the environment can set it.
    #[serde(skip)]
    pub redact_key: Option<String>,
}

impl Config {
    /// Reads the file, if there is one, and the environment.
    ///
    /// # Errors
    /// The file cannot be read or is invalid.
    pub fn load(
        read_file: bool,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Config, Failure> {
        let mut config = match place(&variable).filter(|_| read_file) {
            Some(place) => read(&place)?,
            None => Config::default(),
        };
        if let Some(paths) = variable(SIGNATURES) {
            let paths = std::env::split_paths(&paths);
            let paths = paths.filter(|path| !path.as_os_str().is_empty());
            config.signatures.extend(paths);
        }
        config.redact_key = variable(KEY).and_then(|key| key.into_string().ok());
        Ok(config)
    }
}

/// Returns the path of the file: `kwhy/kwhy.toml` in the user's configuration folder. `None` if that is unknown.
fn place(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| {
        let folder = PathBuf::from(variable(name)?);
        folder.is_absolute().then_some(folder)
    };
    let folder = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("APPDATA").filter(|_| cfg!(windows)))
        .or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("kwhy").join("kwhy.toml"))
}

fn read(place: &Path) -> Result<Config, Failure> {
    let text = match std::fs::read_to_string(place) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(source) => {
            let path = place.to_owned();
            return Err(Failure::Config { path, source });
        }
    };
    let mut config = parse(&text).map_err(|(at, message)| {
        let before = text.get(..at).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or("");
        let column = last.chars().count() + 1;
        let name = place.display().to_string();
        let advice =
            "the keys are signatures, output, color and redact; --no-config omits the file";
        BadFile::new(&name, &text, (line, column), &message, advice)
    })?;
    let folder = place.parent().unwrap_or(Path::new(""));
    for path in &mut config.signatures {
        *path = folder.join(&*path);
    }
    Ok(config)
}

/// Parses the text of the file. An error is a byte offset and a message.
fn parse(text: &str) -> Result<Config, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, error.message().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says() {
        let config = parse("signatures = ['own']\noutput = 'json'\ncolor = \"never\"\n").unwrap();
        assert_eq!(config.signatures, [PathBuf::from("own")]);
        assert_eq!(config.output, Some(ReportOutput::Json));
        assert_eq!(config.color, Some(When::Never));
        assert_eq!(parse("").unwrap(), Config::default());
        let (at, message) = parse("color = 'never'\ncolour = 1\n").unwrap_err();
        assert_eq!(at, 16);
        assert!(message.contains("colour"), "{message}");
        assert!(parse("output = 'xml'").is_err());
    }

    #[test]
    fn where_it_is() {
        let place = |variables: &'static [(&str, &str)]| {
            place(&move |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.into())
            })
        };
        let xdg = place(&[("XDG_CONFIG_HOME", "/etc/mine"), ("HOME", "/home/ann")]);
        assert_eq!(xdg, Some("/etc/mine/kwhy/kwhy.toml".into()));
        let home = place(&[("XDG_CONFIG_HOME", "mine"), ("HOME", "/home/ann")]);
        assert_eq!(home, Some("/home/ann/.config/kwhy/kwhy.toml".into()));
        assert_eq!(place(&[]), None);
    }

    #[test]
    fn signatures_of_the_environment() {
        let paths = std::env::join_paths(["own", "/theirs"]).unwrap();
        let variable = |name: &str| (name == SIGNATURES).then(|| paths.clone());
        let config = Config::load(true, variable).unwrap();
        let expected: [PathBuf; 2] = ["own".into(), "/theirs".into()];
        assert_eq!(config.signatures, expected);
    }
}
