//! Lines of Go stack traces and goroutine dumps (runtime/debug, zap's `stacktrace`, panics).

/// Returns true if a line is a part of a stack trace.
pub(crate) fn is_frame(line: &str) -> bool {
    is_location(line) || is_function(line) || is_dump_head(line)
}

/// `goroutine 1 [running]:`, `created by x.y`, `[signal SIGSEGV: ...]`.
pub(super) fn is_dump_head(line: &str) -> bool {
    // a panic while panicking is printed after a tab, which journald writes as eight spaces
    if line.starts_with("\tpanic: ") || line.starts_with("        panic: ") {
        return true;
    }
    let line = line.trim();
    line.strip_prefix("goroutine ").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('[') && rest.ends_with(':')
    }) || line.starts_with("created by ")
        || (line.starts_with("[signal ") && line.contains("pc="))
}

/// The second line of a frame: spaces, then `/src/file.go:12`, maybe ` +0x1d` or another frame
/// glued after it.
pub(super) fn is_location(line: &str) -> bool {
    let path = line.trim_start();
    if path.len() == line.len()
        || !path.starts_with(|c: char| c == '/' || c.is_ascii_alphanumeric() || c == '_')
    {
        return false;
    }
    let token = path.split([' ', '\t']).next().unwrap_or(path);
    // a caller before a message ends with a colon
    if token.ends_with(':') {
        return false;
    }
    [".go:", ".s:"].iter().any(|suffix| {
        token
            .match_indices(suffix)
            .take(4)
            .any(|(at, _)| token[at + suffix.len()..].starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// The first line of a frame: `example.io/app/sync.(*Loop).Run.func1`, maybe with arguments.
///
/// A name without a path needs a package that is known to occur without one: `example.com` is not a function.
pub(super) fn is_function(line: &str) -> bool {
    const ALONE: [&str; 12] = [
        "main", "runtime", "reflect", "testing", "syscall", "os", "net", "time", "sync", "context",
        "panic", "log",
    ];
    let line = without_location(line.trim());
    if !line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return false;
    }
    // arguments occur in the last brackets and may contain spaces
    let name = match line.strip_suffix(')').and_then(|rest| rest.rfind('(')) {
        Some(open) => &line[..open],
        None => line,
    };
    let accepted =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_./()*-[]@%~$".contains(&byte) || byte >= 0x80;
    if name.is_empty() || !name.bytes().all(accepted) {
        return false;
    }
    if name == "panic" && name.len() < line.len() {
        return true;
    }
    let (path, last) = match name.rfind('/') {
        Some(slash) => (true, &name[slash + 1..]),
        None => (false, name),
    };
    let Some((package, function)) = last.split_once('.') else {
        return false;
    };
    !function.is_empty()
        && (path || line.contains("(*") || ALONE.contains(&package) || name.len() < line.len())
}

/// Removes the second line of a frame, which a fixed-width terminal appended to the first after spaces.
fn without_location(line: &str) -> &str {
    let ends = |at: &usize| {
        let after = line.get(at + 1..).unwrap_or("");
        after.starts_with("  ") || after.starts_with('\t')
    };
    let end = memchr::memchr_iter(b')', line.as_bytes()).find(ends);
    match end.map(|at| line.split_at(at + 1)) {
        Some((function, rest)) if is_location(rest) => function,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        for line in [
            "example.io/harbour/sync.(*Loop).Run.func1",
            "main.run",
            "main.(*tree).depth(0x0?, 0x36?)",
            "\t/src/example.io/harbour/run.go:13 +0x16",
            "        /src/run.go:273example.io/harbour/sync.Start",
            "goroutine 12 [chan receive, 5 minutes]:",
            "created by main.start in goroutine 1",
            "panic({0x4a8f60?, 0x5591c0?})",
            "example.io/harbour/sync.(*Loop).Run(0xc42000aa60, 0x5d, 0xc42211a360)      /src/sync.go:75 +0x162",
        ] {
            assert!(is_frame(line), "{line}");
        }
        for line in [
            "example.com",
            "The end.",
            "",
            "kubectl get pods (all)",
            "  - image: nginx",
            "see https://example.io/a.html",
            "spec.go:12 is wrong",
        ] {
            assert!(!is_frame(line), "{line}");
        }
    }
}
