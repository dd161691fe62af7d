//! Regular expressions whose search memory is shared by all expressions of a thread.
//!
//! There are thousands of expressions and texts are short, so each is a backtracker without automata. The memory of a
//! search (which states were visited where) is as large as the expression times the text; one per expression would take
//! more memory than everything else.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::nfa::thompson::backtrack::{self, BoundedBacktracker};
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};
use regex_automata::nfa::thompson::{Compiler, Config, NFA};
use regex_automata::util::captures::Captures;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Input, MatchKind, Span};
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::Extractor;

/// The maximum number of bytes of a compiled expression.
pub(crate) const MAX_SIZE: usize = 1 << 20;

thread_local! {
    /// The memory of a search.
    static MEMORY: RefCell<Option<backtrack::Cache>> = const { RefCell::new(None) };
}

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) enum Expression {
    /// An expression that matches exactly one of some texts.
    Texts(Prefilter),
    /// Any other expression.
    Compiled {
        backtracker: BoundedBacktracker,
        /// For texts that are too long to backtrack in.
        simulation: OnceLock<Option<PikeVM>>,
    },
}

impl Expression {
    /// Compiles an expression; `None` if it is too large.
    pub fn new(hir: &Hir) -> Option<Expression> {
        if let Some(texts) = texts(hir) {
            return Some(Expression::Texts(texts));
        }
        let config = Config::new()
            .utf8(false)
            .shrink(false)
            .nfa_size_limit(Some(MAX_SIZE));
        let nfa = Compiler::new().configure(config).build_from_hir(hir).ok()?;
        let starts = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, hir);
        let config = BoundedBacktracker::config().prefilter(starts);
        let built = BoundedBacktracker::builder()
            .configure(config)
            .build_from_nfa(nfa);
        Some(Expression::Compiled {
            backtracker: built.ok()?,
            simulation: OnceLock::new(),
        })
    }

    /// Returns true if there is a match.
    pub fn is_match(&self, input: &Input<'_>) -> bool {
        match self {
            Expression::Texts(texts) => find(texts, input).is_some(),
            Expression::Compiled { backtracker, .. } => {
                let input = input.clone().earliest(true);
                let found = shared(backtracker, |cache| {
                    backtracker.try_is_match(cache, input.clone())
                });
                found.unwrap_or_else(|_| {
                    self.simulated(|engine, cache| engine.is_match(cache, input))
                })
            }
        }
    }

    /// Returns the byte range of the first match.
    pub fn find(&self, input: &Input<'_>) -> Option<Range<usize>> {
        match self {
            Expression::Texts(texts) => find(texts, input).map(|span| span.range()),
            Expression::Compiled { backtracker, .. } => {
                let found = shared(backtracker, |cache| {
                    backtracker.try_find(cache, input.clone())
                });
                let found = found.unwrap_or_else(|_| {
                    self.simulated(|engine, cache| engine.find(cache, input.clone()))
                });
                found.map(|found| found.range())
            }
        }
    }

    /// Returns the first match with its groups.
    pub fn captures(&self, input: &Input<'_>) -> Option<Captures> {
        let Expression::Compiled { backtracker, .. } = self else {
            return None;
        };
        let mut captures = backtracker.create_captures();
        let found = shared(backtracker, |cache| {
            backtracker.try_captures(cache, input.clone(), &mut captures)
        });
        if found.is_err() {
            self.simulated(|engine, cache| engine.captures(cache, input.clone(), &mut captures));
        }
        captures.is_match().then_some(captures)
    }

    /// Searches texts of any length; rare, so with memory of its own.
    fn simulated<T: Default>(&self, search: impl FnOnce(&PikeVM, &mut pikevm::Cache) -> T) -> T {
        let Expression::Compiled {
            backtracker,
            simulation,
        } = self
        else {
            return T::default();
        };
        let built = || {
            let config =
                PikeVM::config().prefilter(backtracker.get_config().get_prefilter().cloned());
            let nfa: NFA = backtracker.get_nfa().clone();
            PikeVM::builder().configure(config).build_from_nfa(nfa).ok()
        };
        match simulation.get_or_init(built) {
            Some(engine) => search(engine, &mut engine.create_cache()),
            None => T::default(),
        }
    }
}

/// Calls a search with the thread's memory.
fn shared<T>(
    backtracker: &BoundedBacktracker,
    search: impl FnOnce(&mut backtrack::Cache) -> T,
) -> T {
    MEMORY.with_borrow_mut(|memory| {
        let cache = memory.get_or_insert_with(|| backtracker.create_cache());
        // clears the state of other expressions
        cache.reset(backtracker);
        search(cache)
    })
}

/// Returns the first occurrence of one of the texts.
fn find(texts: &Prefilter, input: &Input<'_>) -> Option<Span> {
    match input.get_anchored().is_anchored() {
        true => texts.prefix(input.haystack(), input.get_span()),
        false => texts.find(input.haystack(), input.get_span()),
    }
}

/// Returns a search for the texts that an expression matches, if it matches nothing else.
fn texts(hir: &Hir) -> Option<Prefilter> {
    let properties = hir.properties();
    if properties.explicit_captures_len() > 0 || !properties.look_set().is_empty() {
        return None;
    }
    let mut texts = Extractor::new().extract(hir);
    texts.optimize_for_prefix_by_preference();
    let literals = texts.literals().filter(|_| texts.is_exact())?;
    Prefilter::new(MatchKind::LeftmostFirst, literals)
}

#[cfg(test)]
mod tests {
    use super::super::parsed::parse;
    use super::*;

    fn expression(source: &str) -> Expression {
        Expression::new(&parse(source).unwrap()).unwrap()
    }

    #[test]
    fn short_and_long_texts_are_searched_alike() {
        let expression = expression(r"(?P<a>[0-9]+) (?:crates?|boxes) (?P<b>\w+)$");
        for padding in [0, 100, 1 << 20] {
            let text = format!("{}7 crates\n12 boxes lifted", "x".repeat(padding));
            let input = Input::new(&text);
            assert!(expression.is_match(&input));
            let whole = expression.find(&input).unwrap();
            assert_eq!(&text[whole.clone()], "12 boxes lifted");
            let captures = expression.captures(&input).unwrap();
            assert_eq!(captures.get_match().unwrap().range(), whole);
            let group = captures.get_group_by_name("b").unwrap();
            assert_eq!(&text[group.range()], "lifted");
            let before = Input::new(&text).range(..text.len() - 7);
            assert!(expression.find(&before).is_none());
        }
    }

    #[test]
    fn texts_need_no_backtracking() {
        let texts = expression("crate|box(?:es)?");
        assert!(matches!(texts, Expression::Texts(_)));
        assert!(texts.captures(&Input::new("a crate")).is_none());
        assert_eq!(texts.find(&Input::new("two boxes")), Some(4..9));
        let anchored = Input::new("two boxes").anchored(regex_automata::Anchored::Yes);
        assert_eq!(texts.find(&anchored), None);
        assert!(texts.is_match(&anchored.range(4..)));
        for other in ["^crate", "(?P<a>crate)", "crates?[0-9]+"] {
            assert!(
                matches!(expression(other), Expression::Compiled { .. }),
                "{other}"
            );
        }
    }
}
