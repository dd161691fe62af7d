//! Recognises sentences that report a fault: `our pod was OOMKilled`, `it fails with connection refused`; but not `no
//! pod was OOMKilled`, `OOMKilled means that ...`, `what to do about OOMKilled`, or a heading.
//!
//! In a report a reporting verb is near the phrase, or the phrase is the last link of an error, and nothing denies it,
//! asks for it, or explains it in general.

use std::ops::Range;

/// The number of words before a phrase that may deny it or be its verb.
const BESIDE: usize = 3;

/// The number of words after a phrase that may be its verb.
const AFTER: usize = 4;

/// The minimum length in bytes of a phrase that is a report by itself: nobody refers to a fault by so long a name.
const LONG: usize = 24;

/// The marks that end a sentence.
const SENTENCES: [&str; 8] = [". ", "? ", "! ", "; ", "\n", "。", "？", "；"];

/// The marks that end a clause.
const CLAUSES: [&str; 2] = [", ", "，"];

/// Words before a phrase that deny it, question it, or warn of it.
const NOT_STATED: [&str; 33] = [
    "about",
    "any",
    "avoid",
    "avoiding",
    "avoids",
    "can",
    "could",
    "don't",
    "fix",
    "fixed",
    "fixes",
    "isn't",
    "like",
    "may",
    "might",
    "never",
    "no",
    "nor",
    "not",
    "prevent",
    "preventing",
    "prevents",
    "should",
    "solve",
    "solved",
    "stop",
    "stopping",
    "wasn't",
    "whether",
    "will",
    "without",
    "would",
    "zero",
];

/// Words that make the verb after them in a phrase a possibility: `nodes will fail to join`.
const MODALS: [&str; 5] = ["may", "might", "should", "will", "would"];

/// Words after a phrase that say it is over or absent.
const OVER: [&str; 10] = [
    "0", "closed", "false", "fixed", "gone", "no", "none", "null", "resolved", "solved",
];

/// Words that mark a sentence as a general explanation.
const EXPLAINS: [&str; 14] = [
    "always",
    "chapter",
    "exam",
    "example",
    "explains",
    "handbook",
    "mean",
    "meaning",
    "means",
    "reasons",
    "runbook",
    "typical",
    "typically",
    "words",
];

/// Stems of verbs that report.
const VERBS: [&str; 46] = [
    "appear",
    "block",
    "caus",
    "complain",
    "crash",
    "die",
    "drop",
    "encounter",
    "end",
    "enter",
    "error",
    "evict",
    "exit",
    "experienc",
    "fac",
    "fail",
    "found",
    "get",
    "give",
    "go",
    "got",
    "hang",
    "happen",
    "hit",
    "kept",
    "keep",
    "kill",
    "led",
    "logg",
    "notic",
    "observ",
    "occur",
    "prevent",
    "receiv",
    "remain",
    "report",
    "restart",
    "result",
    "return",
    "said",
    "saw",
    "say",
    "see",
    "show",
    "stopp",
    "stuck",
];

/// Words of somebody who asks about a fault of their own.
const ASKER: [&str; 6] = ["i", "me", "my", "our", "us", "we"];

/// The endings that make a stem a form of its verb.
const ENDINGS: [&str; 12] = [
    "", "d", "e", "ed", "es", "ing", "n", "ne", "red", "ring", "s", "ting",
];

/// Further reporting words, in full.
const OTHER_VERBS: [&str; 18] = [
    "because",
    "broke",
    "broken",
    "due",
    "indicated",
    "indicates",
    "lost",
    "loses",
    "stay",
    "stays",
    "stayed",
    "stop",
    "stops",
    "threw",
    "throw",
    "throws",
    "unable",
    "went",
];

/// Verbs that report only right before a phrase: `are OOMKilled`.
const AUXILIARIES: [&str; 10] = [
    "are", "be", "been", "being", "has", "have", "is", "ran", "was", "were",
];

/// Words that report within a phrase that something does not work: `it cannot start`.
const NEGATIONS: [&str; 9] = [
    "cannot", "can't", "couldn't", "didn't", "doesn't", "don't", "never", "not", "won't",
];

/// Parts of words in other languages that report.
const REPORTS: [&str; 26] = [
    "报",
    "提示",
    "出现",
    "发现",
    "显示",
    "导致",
    "失败",
    "卡在",
    "一直",
    "处于",
    "看到",
    "遇到",
    "无法",
    "不能",
    "异常",
    "エラー",
    "発生",
    "失敗",
    "なる",
    "오류",
    "실패",
    "ошибк",
    "пада",
    "не запуска",
    "erreur",
    "fehler",
];

/// Parts of words in other languages that deny what follows, or make it a condition.
const DENIALS: [&str; 8] = [
    "没有",
    "不是",
    "避免",
    "如果",
    "防止",
    "可能",
    "なければ",
    "если",
];

/// Returns true if the sentence around a range of a text reports what the range names.
pub(super) fn is_stated(text: &str, range: Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or("");
    let phrase = text.get(range.clone()).unwrap_or("");
    let after = text.get(range.end..).unwrap_or("");
    let before = after_last(before, &SENTENCES);
    let (after, is_question) = sentence_end(after);
    let clause = after_last(before, &CLAUSES);
    if before.trim_start().starts_with('|')
        || is_denied(clause, after)
        || is_possible(phrase)
        || is_general(before, phrase, after)
    {
        return false;
    }
    if is_question && !words(before).any(|word| is_one_of(&ASKER, word)) {
        return false;
    }
    if !phrase.is_ascii() || phrase.len() >= LONG {
        return true;
    }
    let has_verb = words(before).any(is_verb)
        || words(phrase).any(|word| {
            [&AUXILIARIES[..], &NEGATIONS]
                .iter()
                .any(|known| is_one_of(known, word))
                || is_verb(word)
        })
        || words(after).take(AFTER).any(is_verb)
        || words(before)
            .rev()
            .take(BESIDE)
            .any(|word| is_one_of(&AUXILIARIES, word));
    let is_last_link = before.ends_with(": ") && !before.contains(['$', '|', '=', '#', '<']);
    let sentence = [before, after];
    has_verb
        || is_last_link
        || REPORTS
            .iter()
            .any(|part| sentence.iter().any(|text| text.contains(part)))
}

/// Returns true if words near a phrase deny it, ask for it, or make its clause a condition.
fn is_denied(clause: &str, after: &str) -> bool {
    let near = |word| is_one_of(&NOT_STATED, word);
    let starts_condition = words(clause)
        .next()
        .is_some_and(|first| is_one_of(&["if", "unless", "when", "whenever"], first));
    // `when the pod was OOMKilled` says when it happened
    let is_past = words(clause)
        .rev()
        .take(2)
        .any(|word| is_one_of(&["been", "got", "was", "were"], word))
        && words(clause).all(|word| !is_one_of(&["a", "an", "any", "every"], word));
    let starts_condition = starts_condition
        && !(is_past
            && words(clause)
                .next()
                .is_some_and(|first| is_one_of(&["when"], first)));
    // `even if`, `in case`: `when` inside a clause says when something happened
    let in_case = words(clause)
        .zip(words(clause).skip(1))
        .any(|(first, second)| is_one_of(&["in"], first) && is_one_of(&["case"], second));
    let contains_condition =
        in_case || words(clause).any(|word| is_one_of(&["if", "unless"], word));
    let is_condition = (starts_condition || contains_condition)
        && words(clause).all(|word| !is_one_of(&["i", "my", "our", "we"], word));
    words(clause).rev().take(BESIDE).any(near)
        || is_condition
        || words(after).take(BESIDE).any(|word| is_one_of(&OVER, word))
        || DENIALS.iter().any(|denial| clause.contains(denial))
}

/// Returns true if a phrase says what may fail.
fn is_possible(phrase: &str) -> bool {
    let mut pairs = words(phrase).zip(words(phrase).skip(1));
    pairs.any(|(modal, verb)| is_one_of(&MODALS, modal) && is_one_of(&["fail"], verb))
}

/// Returns true if a sentence is about such faults or terms in general.
fn is_general(before: &str, phrase: &str, after: &str) -> bool {
    let all = || words(before).chain(words(phrase)).chain(words(after));
    let is_any = || {
        let near: Vec<&str> = words(before).rev().take(2).collect();
        let first = words(phrase)
            .next()
            .is_some_and(|first| is_one_of(&["node", "pod", "container"], first));
        first
            && near
                .first()
                .is_some_and(|word| is_one_of(&["a", "an", "each", "every"], word))
    };
    all().any(|word| is_one_of(&EXPLAINS, word)) || is_any()
}

/// Returns the rest of a sentence, and true if it is a question.
fn sentence_end(after: &str) -> (&str, bool) {
    let end = SENTENCES.iter().filter_map(|end| after.find(end)).min();
    let rest = after.get(..end.unwrap_or(after.len())).unwrap_or("");
    let mark = after.get(rest.len()..).unwrap_or("");
    let asks = |text: &str| text.trim_start().starts_with(['?', '？']);
    (rest, asks(mark) || rest.trim_end().ends_with(['?', '？']))
}

/// Returns the text after the last of these marks.
fn after_last<'t>(text: &'t str, marks: &[&str]) -> &'t str {
    let starts = marks
        .iter()
        .filter_map(|mark| Some(text.rfind(mark)? + mark.len()));
    text.get(starts.max().unwrap_or(0)..).unwrap_or("")
}

/// Returns true if a word is a form of a reporting verb.
fn is_verb(word: &str) -> bool {
    let ending = |verb: &str| {
        let (start, ending) = word.split_at_checked(verb.len())?;
        start.eq_ignore_ascii_case(verb).then_some(ending)
    };
    let is_form = |verb: &&str| ending(verb).is_some_and(|ending| is_one_of(&ENDINGS, ending));
    VERBS.iter().any(is_form) || is_one_of(&OTHER_VERBS, word)
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The words of a text, without the marks around them.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\'';
    text.split_whitespace()
        .map(move |word| word.trim_matches(is_mark))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{is_stated, is_verb};

    fn states(text: &str) -> bool {
        let phrase = "OOMKilled";
        let start = text.find(phrase).expect("the phrase");
        is_stated(text, start..start + phrase.len())
    }

    #[test]
    fn reports() {
        for text in [
            "the crane was OOMKilled",
            "When we lift boxes, the crane is `OOMKilled` again.",
            "It does not start. The crane shows OOMKilled",
            "no box is lifted, crane ends OOMKilled with exit code 137",
            "If we lift boxes, the crane gets OOMKilled",
            "Why is our crane OOMKilled?",
            "Can you help us to see why the crane ends with OOMKilled?",
            "in this case the crane was OOMKilled",
            "crane: lift: OOMKilled",
            "OOMKilled occurs every night",
            "When the second crane is built the first has been OOMKilled",
            "the crane stops working after some time (CrashLoopBackOff OOMKilled)",
            "起重机出现OOMKilled",
        ] {
            assert!(states(text), "{text}");
        }
    }

    #[test]
    fn other_sentences() {
        for text in [
            "OOMKilled",
            "## OOMKilled",
            "| OOMKilled | the crane is too heavy |",
            "no crane was OOMKilled",
            "the crane was not OOMKilled",
            "the crane may be OOMKilled",
            "give it more memory to avoid OOMKilled cranes",
            "if the crane is OOMKilled",
            "when a crane was OOMKilled",
            "how to stop OOMKilled cranes",
            "it lifts boxes even if the crane is OOMKilled",
            "a second one is there in case the crane is OOMKilled",
            "it says OOMKilled: 0",
            "OOMKilled is fixed",
            "OOMKilled means that the crane is too heavy",
            "Was the crane OOMKilled?",
            "what to do about OOMKilled",
            "STATES='Evicted|OOMKilled'",
            "如果起重机出现 OOMKilled",
            "good facts on OOMKilled cranes at each login",
        ] {
            assert!(!states(text), "{text}");
        }
    }

    #[test]
    fn possibilities() {
        for (text, phrase, is_stated) in [
            ("new cranes will fail to lift", "will fail to lift", false),
            ("new cranes fail to lift", "fail to lift", true),
            ("the crane cannot start.", "cannot start", true),
            ("two cranes do not start.", "do not start", true),
            ("if the crane cannot start, call us", "cannot start", false),
            ("what to do about a crane start", "crane start", false),
        ] {
            let start = text.find(phrase).unwrap();
            assert_eq!(
                super::is_stated(text, start..start + phrase.len()),
                is_stated,
                "{text}"
            );
        }
    }

    #[test]
    fn forms_of_verbs() {
        for verb in [
            "goes", "going", "seen", "hitting", "occurred", "faced", "causing", "exits", "died",
        ] {
            assert!(is_verb(verb), "{verb}");
        }
        for word in ["good", "fact", "login", "logs", "shower", "goal"] {
            assert!(!is_verb(word), "{word}");
        }
    }
}
