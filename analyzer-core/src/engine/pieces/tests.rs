use super::*;

/// The pieces of a line that is fed in parts of this size.
fn cut(line: &str, size: usize, part: usize) -> Vec<(String, Piece)> {
    let mut cutter = Cutter::new(size);
    for part in line.as_bytes().chunks(part) {
        cutter.feed(part);
    }
    cutter.finish(b"\n");
    let pieces = cutter
        .ready()
        .map(|(bytes, piece)| (String::from_utf8(bytes).unwrap(), piece));
    pieces.collect()
}

fn texts(line: &str, size: usize) -> Vec<String> {
    let all = cut(line, size, 7);
    // the parts in which the line is fed do not matter
    let texts = |all: Vec<(String, Piece)>| all.into_iter().map(|(text, _)| text).collect();
    let whole: Vec<String> = texts(cut(line, size, usize::MAX));
    let parts: Vec<String> = texts(all);
    assert_eq!(whole, parts);
    parts
}

#[test]
fn lists_are_cut_between_their_items() {
    let line =
        r#"{"kind":"PodList","items":[{"a":{"items":[{},{}]}},{"b":"} ,{ \" ]"},{"c":1}],"x":{}}"#;
    let wanted = [
        r#"{"kind":"PodList","items":[{"a":{"items":[{},{}]}}"#,
        r#",{"b":"} ,{ \" ]"}"#,
        r#",{"c":1}"#,
        "],\"x\":{}}",
        "\n",
    ];
    assert_eq!(texts(line, 1), wanted);
    let all = cut(line, 1, 3);
    let flags = |of: fn(&Piece) -> bool| all.iter().map(|(_, piece)| of(piece)).collect::<Vec<_>>();
    assert_eq!(
        flags(|piece| piece.is_first),
        [true, false, false, false, false]
    );
    assert_eq!(
        flags(|piece| piece.is_last),
        [false, false, false, false, true]
    );
    assert_eq!(
        flags(|piece| piece.continues),
        [false, true, true, false, false]
    );
    assert_eq!(all[1].1.of.as_deref(), Some("Pod"));
    assert_eq!(
        all[1].1.gaps,
        [Gap {
            at: 0,
            characters: 50
        }]
    );
    // a larger size puts more items into one piece
    assert_eq!(texts(line, 60).len(), 3);
    assert_eq!(texts(line, 1000).concat(), format!("{line}\n"));
}

#[test]
fn other_values() {
    // a list without a header, nested lists, several values
    assert_eq!(
        texts(r#"[{"a":1},{"b":2}]"#, 1),
        [r#"[{"a":1}"#, r#",{"b":2}"#, "]\n"]
    );
    let nested = r#"{"items":[{"kind":"PodList","items":[{"a":1},{"b":2}]},{"c":3}]}"#;
    let wanted = [
        r#"{"items":[{"kind":"PodList","items":[{"a":1}"#,
        r#",{"b":2}"#,
        r#"]}"#,
        r#",{"c":3}"#,
        "]}",
        "\n",
    ];
    assert_eq!(texts(nested, 1), wanted);
    let all = cut(nested, 1, 5);
    let of: Vec<Option<&str>> = all.iter().map(|(_, piece)| piece.of.as_deref()).collect();
    assert_eq!(of, [None, Some("Pod"), None, None, None, None]);
    assert_eq!(
        texts(r#"{"a":1}{"b":2}"#, 1),
        [r#"{"a":1}"#, r#"{"b":2}"#, "\n"]
    );
    assert_eq!(
        texts(
            r#"{"kind":"Table","rows":[{"cells":["a"]},{"cells":["b"]}]}"#,
            1
        )[1],
        r#",{"cells":["b"]}"#
    );
}

#[test]
fn strings_and_items_are_bounded() {
    let long = "\u{e9}\\\\".repeat(MAX_STRING / 3);
    let line = format!(r#"{{"items":[{{"a":"{long}","b":1}},{{"c":2}}]}}"#);
    let all = cut(&line, 1, 1000);
    assert_eq!(all[0].1.long_strings, 1);
    assert!(all[0].0.ends_with(r#"","b":1}"#) && all[0].0.len() < MAX_STRING + 100);
    assert_eq!(all[0].1.gaps.len(), 1);
    // columns after it are still right
    let column = line[..line.find(r#",{"c""#).unwrap()].chars().count() as u64;
    assert_eq!(
        all[1].1.gaps,
        [Gap {
            at: 0,
            characters: column
        }]
    );

    let many = r#"{"x":1},"#.repeat(MAX_ITEM / 4);
    let line = format!(r#"{{"items":[{{"a":[{many}{{}}]}},{{"c":2}},{{"d":3}}]}}"#);
    for part in [777, 1 << 16] {
        let all = cut(&line, 1, part);
        assert_eq!(all[0].1.large_items, 1);
        assert!(all[0].0.len() == MAX_ITEM + 1);
        let texts: Vec<&str> = all[1..].iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, [r#",{"c":2}"#, r#",{"d":3}"#, "]}", "\n"]);
        let column = line[..line.find(r#",{"c""#).unwrap()].chars().count() as u64;
        assert_eq!(
            all[1].1.gaps[0],
            Gap {
                at: 0,
                characters: column
            }
        );
    }
}

#[test]
fn what_is_broken_ends_with_the_line() {
    for line in [
        r#"{"items":[{"a":"#,
        r#"{"items":[{"a":"b"#,
        "[[[[[[[[",
        r#"{"items":[{}"#,
    ] {
        let all = cut(line, 1, 2);
        assert!(all.last().unwrap().1.is_cut_off, "{line}");
        assert_eq!(texts(line, 1).concat(), format!("{line}\n"));
    }
    for line in ["}}}]]]", r#"{}]"#, "", "{}}{}"] {
        assert!(!cut(line, 1, 2).last().unwrap().1.is_cut_off, "{line}");
        assert_eq!(texts(line, 1).concat(), format!("{line}\n"));
    }
}
