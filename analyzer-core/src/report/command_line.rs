//! The commands that a report proposes.

/// A command: a program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    argv: Vec<String>,
    run: String,
}

impl CommandLine {
    /// Creates a command from a program and its arguments. Returns `None` if there is no program, or if a word contains
    /// NUL.
    ///
    /// ```
    /// use kwhy_core::report::CommandLine;
    /// let words = ["kubectl", "get", "pods", "-l", "a in (b)"].map(str::to_owned);
    /// let command = CommandLine::new(words.to_vec()).unwrap();
    /// assert_eq!(command.run(), "kubectl get pods -l 'a in (b)'");
    /// ```
    pub fn new(argv: Vec<String>) -> Option<CommandLine> {
        let run = shlex::try_join(argv.iter().map(String::as_str)).ok()?;
        (!argv.is_empty()).then_some(CommandLine { argv, run })
    }

    /// The program and its arguments.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The command line, with words quoted for a POSIX shell where necessary.
    pub fn run(&self) -> &str {
        &self.run
    }
}

/// The JSON representation of a command.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[allow(dead_code)]
pub(super) struct RunAndArgv {
    /// The command line, with words quoted for a POSIX shell where necessary; null if there is no command.
    run: Option<String>,
    /// The program and its arguments; null if there is no command.
    argv: Option<Vec<String>>,
}

/// The JSON representation of a command: both keys are null if there is none.
pub(super) mod run_and_argv {
    use serde::ser::SerializeMap;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::CommandLine;

    pub fn serialize<S: Serializer>(
        command: &Option<CommandLine>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(2))?;
        map.serialize_entry("run", &command.as_ref().map(CommandLine::run))?;
        map.serialize_entry("argv", &command.as_ref().map(CommandLine::argv))?;
        map.end()
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<CommandLine>, D::Error> {
        #[derive(Deserialize)]
        struct Argv {
            argv: Option<Vec<String>>,
        }
        Ok(Argv::deserialize(from)?.argv.and_then(CommandLine::new))
    }
}
