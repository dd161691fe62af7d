//! Other wordings of a pattern are found; texts of another meaning are not.

use proptest::prelude::*;

use super::super::words::CLASSES;
use crate::Pattern;

fn capture(pattern: &str, text: &str) -> Option<String> {
    let pattern = Pattern::parse(pattern).unwrap();
    let found = pattern.find(text)?;
    let name = pattern.slots().next().unwrap_or_default().to_owned();
    Some(match found.slot(&name, text) {
        Some(range) => text[range].to_owned(),
        None => String::new(),
    })
}

fn is_found(pattern: &str, text: &str) -> bool {
    capture(pattern, text).is_some()
}

#[test]
fn case_and_spaces_make_no_difference() {
    let pattern = "Recipe of {name:word} Is Burnt";
    for text in ["recipe of Rye is burnt", "RECIPE  OF\tRye IS\n burnt"] {
        assert_eq!(capture(pattern, text).as_deref(), Some("Rye"), "{text}");
    }
    assert!(!is_found(pattern, "recipe of Rye isburnt"));
}

#[test]
fn case_makes_a_difference_where_an_expression_says_so() {
    assert!(is_found("regex:(?-i)the Oven is cold", "the Oven is cold"));
    assert!(!is_found("regex:(?-i)the Oven is cold", "the oven is cold"));
    let capitals = "regex:The (?P<kind>[A-Z][a-z]+) is cold";
    assert_eq!(
        capture(capitals, "the Oven IS cold").as_deref(),
        Some("Oven")
    );
    assert!(!is_found(capitals, "the oven is cold"));
}

#[test]
fn values_are_found_in_any_quotes_or_none() {
    let pattern = "the recipe \"{name}\" is burnt to ashes";
    for text in [
        "the recipe \"rye-7\" is burnt to ashes",
        "the recipe 'rye-7' is burnt to ashes",
        "the recipe `rye-7' is burnt to ashes",
        "the recipe rye-7 is burnt to ashes",
    ] {
        assert_eq!(capture(pattern, text).as_deref(), Some("rye-7"), "{text}");
    }
    assert_eq!(
        capture(pattern, "the recipe \"it's rye\" is burnt to ashes").as_deref(),
        Some("it's rye")
    );
    assert!(!is_found(
        pattern,
        "the recipe of the day is burnt to ashes"
    ));
    // punctuation at the end is not part of the value
    let last = "nobody knows the recipe \"{name}\"";
    assert_eq!(
        capture(last, "nobody knows the recipe rye.").as_deref(),
        Some("rye")
    );
    assert!(is_found("the baker's recipe", "The Baker's recipe"));
}

#[test]
fn quotes_are_needed_where_common_words_are_all_that_is_left() {
    let pattern = "oven \"{name}\"";
    assert!(is_found(pattern, "oven 'north'"));
    assert!(!is_found(pattern, "oven north"));
    let quoted = Pattern::parse(pattern).unwrap();
    assert_eq!(quoted.phrases().join("|"), "oven \"|oven '|oven `|oven \\");
}

#[test]
fn separators_articles_and_small_words_make_no_difference() {
    let pattern = "batch {batch:word} is burnt to ashes: call the baker of the day";
    for text in [
        "batch 7 is burnt to ashes, call the baker of the day",
        "batch 7 is burnt to ashes ; call the baker of the day",
        "batch 7 is burnt to ashes - call the baker of the day",
        "batch 7 is burnt to ashes: call a baker of day",
    ] {
        assert_eq!(capture(pattern, text).as_deref(), Some("7"), "{text}");
    }
    assert!(!is_found(
        pattern,
        "batch 7 is burnt to ashes call the baker of the day"
    ));
    assert!(is_found(
        "the batch is burnt to ashes",
        "batch is burnt to ashes"
    ));
    // next to a slot, outside the searched literal
    assert!(is_found(
        pattern,
        "batch 7 was is burnt to ashes: call the baker of the day"
    ));
    assert!(!is_found(
        pattern,
        "batch 7 is burnt to the ashes: call the baker of the day"
    ));
    // the literal to search for has no separator
    let phrases = Pattern::parse(pattern).unwrap().phrases().join("|");
    assert_eq!(phrases, "is burnt to ashes");
}

#[test]
fn words_of_one_class_are_each_other() {
    let pattern = "failed to bake batch {batch:word}";
    for text in [
        "unable to bake batch 7",
        "Could not bake batch 7",
        "couldn't bake  batch 7",
        "Cannot bake batch 7",
    ] {
        assert_eq!(capture(pattern, text).as_deref(), Some("7"), "{text}");
    }
    assert!(!is_found(pattern, "able to bake batch 7"));
    // classes consist of words, not of their letters
    assert!(!is_found(
        "failed together with batch 7",
        "unable together with batch 7"
    ));
    // class words are searched for only with others
    let phrases = Pattern::parse("oven \"{oven}\": failed to bake").unwrap();
    let phrases = phrases.phrases();
    assert!(
        phrases.iter().all(|phrase| phrase.ends_with(" bake")),
        "{phrases:?}"
    );
    assert!(phrases.len() >= CLASSES[0].len(), "{phrases:?}");
}

/// A part of a pattern.
#[derive(Clone, Debug)]
enum Part {
    Word(&'static str),
    /// A slot in double quotes.
    Quoted,
    Number,
    /// A word of a class.
    Member(usize, usize),
}

fn part() -> impl Strategy<Value = Part> {
    const WORDS: [&str; 11] = [
        "Oven", "recipe", "not", "to", "x", "the", "found:", "is,", "can't", "a-b", "-",
    ];
    prop_oneof![
        proptest::sample::select(&WORDS[..]).prop_map(Part::Word),
        Just(Part::Quoted),
        Just(Part::Number),
        (0..9usize, 0..9usize).prop_map(|(class, member)| Part::Member(class, member)),
    ]
}

fn member(class: usize, member: usize) -> &'static str {
    let members = CLASSES.get(class).copied().unwrap_or_default();
    members
        .get(member % members.len().max(1))
        .copied()
        .unwrap_or("burnt")
}

/// Writes a part as text; `other` selects the wording.
fn written(part: &Part, number: usize, other: usize) -> String {
    match part {
        Part::Word(word) if other.is_multiple_of(2) => (*word).to_owned(),
        Part::Word(word) => word.to_ascii_uppercase(),
        Part::Quoted => match other % 4 {
            0 => format!("\"v {number}\""),
            1 => format!("'v {number}'"),
            2 => format!("`v{number}`"),
            _ => format!("v{number}"),
        },
        Part::Number => number.to_string(),
        Part::Member(class, _) => member(*class, other).to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// All wordings of a pattern are found if one of its texts is rare enough to be searched for, and matches contain
    /// what the pattern declares.
    #[test]
    fn what_is_written_in_other_words_is_found(
        parts in proptest::collection::vec((part(), 0..16usize), 1..7),
        is_rare in prop::bool::ANY,
        spaces in proptest::sample::select(&[" ", "  ", "\t"][..]),
    ) {
        let mut pattern = Vec::new();
        let mut text = Vec::new();
        if is_rare {
            pattern.push("bakery.example/sourdough".to_owned());
            text.push("Bakery.example/SourDough".to_owned());
        }
        for (number, (part, other)) in parts.iter().enumerate() {
            pattern.push(match part {
                Part::Word(word) => (*word).to_owned(),
                Part::Quoted => format!("\"{{v{number}}}\""),
                Part::Number => format!("{{v{number}:int}}"),
                Part::Member(class, first) => member(*class, *first).to_owned(),
            });
            text.push(written(part, number, *other));
        }
        let (pattern, text) = (pattern.join(" "), text.join(spaces));
        let compiled = Pattern::parse(&pattern);
        prop_assume!(compiled.is_ok());
        let compiled = compiled.unwrap();
        let found = compiled.find(&text);
        if is_rare {
            prop_assert!(found.is_some(), "{:?} is not found in {:?}", pattern, text);
        }
        if found.is_some() {
            let single = text.to_ascii_lowercase();
            let single = single.split_whitespace().collect::<Vec<_>>().join(" ");
            let occurs = |known: &String| single.contains(known.as_str());
            let phrases = compiled.phrases();
            prop_assert!(phrases.is_empty() || phrases.iter().any(occurs), "{:?} in {:?}", phrases, text);
            for words in compiled.demanded() {
                prop_assert!(words.iter().any(occurs), "{:?} in {:?}", words, text);
            }
        }
    }
}
