//! Sentences that somebody broke by hand.

use super::*;

#[test]
fn a_sentence_continues_after_a_line_that_was_broken_by_hand() {
    let row = "  Warning  FailedMount  8s  kubelet  ";
    for (one, two) in [
        (
            "MountVolume.SetUp failed for volume \"papers\" :",
            "secret \"quay\" not found",
        ),
        ("Error: the papers of", "\"quay\" are missing"),
        (
            "Error creating: crane \"north\" is forbidden, as it",
            "has no papers",
        ),
        ("the lift failed,", "Berth 7 is full"),
    ] {
        let text = format!("{row}{one}\n  {two}\n");
        let events = events(&text);
        assert_eq!(events.len(), 1, "{text}");
        assert_eq!(events[0].message.as_str(), format!("{one} {two}"));
    }
    for (one, two) in [
        ("the lift failed", "Berth 7 is full"),
        ("the lift failed.", "berth 7 is full"),
        ("the lift failed", "crane: no papers"),
        ("the lift failed", "at lift (/app/crane.js:7)"),
        ("the lift failed", "level=info msg=\"no berth\""),
        ("the lift failed", "north"),
    ] {
        let text = format!("{row}{one}\n  {two}\n");
        assert_eq!(events(&text)[0].message.as_str(), format!("{one}\n{two}"));
    }
}
