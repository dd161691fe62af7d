//! Secrets are masked in the result of `extract`.

use kwhy_core::events::{Event, extract};

#[test]
fn parsed_values_and_their_lines_are_masked() {
    let text = "NAME   TYPE     DATA   AGE\nledger   Opaque   2      40d\n\n\
        {\"level\":\"error\",\"ts\":\"2031-03-04T05:06:07Z\",\"msg\":\"got \\\"q\\\" https://crane:aB3xY9@quay/x no\"}\n";
    let mut parts = Vec::new();
    extract(
        "x",
        text.as_bytes(),
        |part| {
            let message = |event: &Event<'_>| {
                let place = part.place(&event.message.span());
                (event.message.to_string(), place.text[place.mark].to_owned())
            };
            let data = part
                .parsed
                .objects
                .iter()
                .filter_map(|object| Some(object.fields.text("data")?.into_owned()));
            (
                part.parsed.events.iter().map(message).collect::<Vec<_>>(),
                data.collect::<Vec<_>>(),
            )
        },
        |more| parts.push(more),
    )
    .unwrap();
    let [(events, data)] = parts.as_slice() else {
        panic!("{parts:?}")
    };
    let wanted = (
        "got \"q\" https://crane:***@quay/x no",
        "got \\\"q\\\" https://crane:***@quay/x no",
    );
    assert_eq!(*events, [(wanted.0.to_owned(), wanted.1.to_owned())]);
    // the size is not secret
    assert_eq!(*data, ["2"]);
}
