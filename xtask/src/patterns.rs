//! Generates signatures for benchmarks from two files, line by line: literals and regular expressions.

use std::io::Write as _;

use benches::signature;

/// Writes the signatures to standard output.
pub fn main(arguments: &[String]) -> Result<(), String> {
    let [literals, regexes] = arguments else {
        return Err("patterns: wrong arguments".to_owned());
    };
    let read = |path: &String| std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"));
    let yaml = all(&read(literals)?, &read(regexes)?)?;
    let mut out = std::io::stdout();
    out.write_all(yaml.as_bytes()).map_err(|e| e.to_string())
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
