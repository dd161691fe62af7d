//! Information that envelopes cannot preserve, as data.

/// The parts of a format that an envelope cannot preserve, with the reason. A `*` matches all.
const EXCEPTIONS: &[(&str, &str, Part, &str)] = &[
    (
        "*",
        "docker json-file in parts",
        Part::RawLines,
        "each line is split, so nothing shows that it was written with the previous one",
    ),
    ("*", "CRI in parts", Part::RawLines, "the same"),
    (
        "*",
        "CRI two streams",
        Part::RawLines,
        "lines of the other stream are interleaved",
    ),
    (
        "*",
        "journald export",
        Part::RawLines,
        "the journal keeps a message in one piece: a separate entry was written on its own",
    ),
    ("*", "journald export binary", Part::RawLines, "the same"),
    ("*", "journald verbose", Part::RawLines, "the same"),
    (
        "zap-console",
        "journald short",
        Part::Text,
        "tabs between elements become spaces, indistinguishable from those of the message",
    ),
    (
        "controller-runtime",
        "journald short",
        Part::Text,
        "as zap-console",
    ),
    (
        "klog-text",
        "CRI in parts",
        Part::Text,
        "the runtime drops a carriage return at the end of a part",
    ),
    (
        "logrus-terminal",
        "docker json-file in parts",
        Part::Text,
        "a colour sequence cut in two is not recognised",
    ),
    ("logrus-terminal", "CRI in parts", Part::Text, "the same"),
    ("logrus-terminal", "CRI two streams", Part::Text, "the same"),
    ("istio", "journald short", Part::Text, "as zap-console"),
    (
        "java-util-logging",
        "docker json-file in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "java-util-logging",
        "CRI in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "log4j2",
        "docker json-file in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "log4j2",
        "CRI in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "logback",
        "docker json-file in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "logback",
        "CRI in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "spring-boot",
        "docker json-file in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "spring-boot",
        "CRI in parts",
        Part::Text,
        "the first line of an error is recognised by the next one, and both are split here",
    ),
    (
        "java-util-logging",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "log4j2",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "logback",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "spring-boot",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "spring-boot3",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "node",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "collected-json",
        "CRI two streams",
        Part::Text,
        "the records name streams of their own, by which the test knows the other one",
    ),
    (
        "python-asctime",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "python-basic",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
    (
        "python-bracketed",
        "CRI two streams",
        Part::Text,
        "a trace directly follows its record, but here the other stream is interleaved",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Part of the text of some records.
    Text,
    /// Records with continuation lines that are not indented.
    RawLines,
}

/// Returns true if an envelope cannot preserve a part of a format.
pub fn excepted(format: &str, envelope: &str, part: Part) -> bool {
    EXCEPTIONS.iter().any(|(formats, envelopes, parts, _)| {
        *parts == part
            && (*formats == "*" || *formats == format)
            && (*envelopes == "*" || *envelopes == envelope)
    })
}
