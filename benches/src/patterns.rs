//! Writes signatures to standard output, one for each line of two files: `patterns LITERALS REGEXES`.

use std::io::Write as _;
use std::process::ExitCode;

use benches::signature;

fn main() -> ExitCode {
    let mut err = std::io::stderr();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [literals, regexes] = arguments.as_slice() else {
        let _ = writeln!(err, "usage: patterns LITERALS REGEXES");
        return ExitCode::from(2);
    };
    let yaml = match (
        std::fs::read_to_string(literals),
        std::fs::read_to_string(regexes),
    ) {
        (Ok(literals), Ok(regexes)) => all(&literals, &regexes),
        (Err(error), _) => Err(format!("{literals}: {error}")),
        (_, Err(error)) => Err(format!("{regexes}: {error}")),
    };
    match yaml {
        Ok(yaml) if std::io::stdout().write_all(yaml.as_bytes()).is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            let _ = writeln!(err, "{message}");
            ExitCode::FAILURE
        }
    }
}

fn all(literals: &str, regexes: &str) -> Result<String, String> {
    let (literal_lines, regex_lines) = (literals.lines().count(), regexes.lines().count());
    if literal_lines != regex_lines {
        return Err(format!("{literal_lines} literals, {regex_lines} regexes"));
    }
    let pairs = literals.lines().zip(regexes.lines()).enumerate();
    let all = pairs.map(|(number, (literal, regex))| signature(number, literal, regex));
    Ok(all.collect::<Vec<_>>().join("---\n"))
}
