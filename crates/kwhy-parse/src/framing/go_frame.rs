//! Recognises frames of Go stack traces by their bytes: a function on one line, its location on the next.
//!
//! Source: Go runtime, `runtime/traceback.go` (1.4 and later); zap's console encoder prints the same two lines.

/// The maximum length of a function's line, in bytes.
const MAX_FUNCTION: usize = 512;

/// The bytes allowed in a function's path and name without arguments.
const FUNCTION: [bool; 256] = {
    let mut function = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let is_mark = matches!(
            byte as u8,
            b'.' | b'/' | b'_' | b'-' | b'*' | b'(' | b')' | b'[' | b']'
        );
        function[byte] = (byte as u8).is_ascii_alphanumeric() || is_mark;
        byte += 1;
    }
    function
};

/// Returns true if a line is certainly part of a frame, so that it starts neither a record nor structured output.
/// `next` is the following line.
pub fn is_go_frame(line: &[u8], next: &[u8]) -> bool {
    is_location(line) || (is_location(next) && is_function(line))
}

fn is_location(line: &[u8]) -> bool {
    line.starts_with(b"\t/")
}

fn is_function(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_lowercase)
        && line.len() <= MAX_FUNCTION
        && line.contains(&b'.')
        && line.iter().all(|byte| FUNCTION[usize::from(*byte)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::begins_record;
    use crate::input::{ends_log, is_structural};

    #[test]
    fn functions_are_known_by_their_locations() {
        let location = b"\t/src/crane/lift.go:12 +0x1d";
        let functions = [
            "main.run",
            "main.(*Crane).Lift",
            "sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Start.func2.2",
            "main.main()",
        ];
        for function in functions {
            assert!(is_go_frame(function.as_bytes(), location), "{function}");
            assert!(
                !is_go_frame(function.as_bytes(), b"main.main"),
                "{function}"
            );
            assert!(
                !ends_log(function) && !is_structural(function),
                "{function}"
            );
            assert!(!begins_record(function.as_bytes(), 0), "{function}");
        }
        for other in [
            "Name: web.example",
            "goroutine 1 [running]:",
            "main",
            "",
            "4.5",
        ] {
            assert!(!is_go_frame(other.as_bytes(), location), "{other}");
        }
        assert!(is_go_frame(location, b""));
        let location = "\t/src/crane/lift.go:12 +0x1d";
        assert!(!ends_log(location) && !is_structural(location));
    }
}
