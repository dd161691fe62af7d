//! The options of the service.

use std::time::Duration;

/// The help text.
pub const USAGE: &str = "\
usage: service [OPTION VALUE]...

  --listen ADDRESS    address and port (127.0.0.1:8080); port 0 is any free one
  --max-body BYTES    bytes of a body (1073741824)
  --max-unpacked BYTES  bytes that a body unpacks to (17179869184)
  --time SECONDS      time that a request may take (300)
  --idle SECONDS      time between two pieces of a body (30)
  --at-once NUMBER    analyses at once (4)
  --queue SECONDS     time that a request waits for its turn (10)
  --grace SECONDS     time that is left to requests when the service ends (30)";

/// The maximum of any time, a year in seconds: adding it to the current time does not overflow.
const LONGEST: u64 = 366 * 24 * 3600;

/// The limits of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The address and port to listen on.
    pub listen: String,
    /// The maximum size of a body, in bytes.
    pub max_body: u64,
    /// The maximum number of bytes that a body unpacks to.
    pub max_unpacked: u64,
    /// The maximum time of a request.
    pub time: Duration,
    /// The maximum time between two pieces of a body.
    pub idle: Duration,
    /// The maximum number of analyses at once.
    pub at_once: usize,
    /// The maximum time that a request waits for its turn.
    pub queue: Duration,
    /// The time that running requests get when the service shuts down.
    pub grace: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: "127.0.0.1:8080".to_owned(),
            max_body: 1 << 30,
            max_unpacked: 16 << 30,
            time: Duration::from_secs(300),
            idle: Duration::from_secs(30),
            at_once: 4,
            queue: Duration::from_secs(10),
            grace: Duration::from_secs(30),
        }
    }
}

impl Settings {
    /// Parses options, each followed by its value.
    ///
    /// # Errors
    /// A message on the option that is wrong.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Settings, String> {
        let mut settings = Settings::default();
        while let Some(option) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("{option} has no value"))?;
            let number = || -> Result<u64, String> {
                let number = value.parse();
                number.map_err(|_| format!("{option} takes a whole number, not {value:?}"))
            };
            let seconds = || number().map(|seconds| Duration::from_secs(seconds.min(LONGEST)));
            match option.as_str() {
                "--listen" => settings.listen = value,
                "--max-body" => settings.max_body = number()?,
                "--max-unpacked" => settings.max_unpacked = number()?,
                "--time" => settings.time = seconds()?,
                "--idle" => settings.idle = seconds()?,
                "--at-once" => {
                    let at_once = usize::try_from(number()?).unwrap_or(usize::MAX);
                    settings.at_once = at_once.clamp(1, 1024);
                }
                "--queue" => settings.queue = seconds()?,
                "--grace" => settings.grace = seconds()?,
                _ => return Err(format!("there is no option {option}")),
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Settings, String> {
        Settings::parse(arguments.iter().map(|&argument| argument.to_owned()))
    }

    #[test]
    fn options_have_values() {
        let settings = parse(&["--time", "7", "--at-once", "0"]).unwrap();
        assert_eq!((settings.time.as_secs(), settings.at_once), (7, 1));
        let settings = parse(&["--idle", "18446744073709551615"]).unwrap();
        assert_eq!(settings.idle.as_secs(), LONGEST);
        for wrong in [&["--time"][..], &["--time", "long"], &["--colour", "1"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
