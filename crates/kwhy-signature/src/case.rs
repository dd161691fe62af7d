//! Case-insensitivity of expressions, for ASCII letters.

use regex_syntax::hir::{Capture, Class, ClassBytes, ClassBytesRange, Hir, HirKind, Repetition};

/// Returns an expression that matches a lower-case text if and only if this one matches some casing of it.
pub(super) fn folded(hir: &Hir) -> Hir {
    mapped(hir, &|hir| match hir.kind() {
        HirKind::Literal(literal) => Hir::literal(literal.0.to_ascii_lowercase()),
        HirKind::Class(Class::Bytes(class)) => {
            let mut all = class.clone();
            all.difference(&capitals());
            all.union(&small_of(class));
            Hir::class(Class::Bytes(all))
        }
        _ => hir.clone(),
    })
}

/// Returns true if a class of the expression contains a capital without its lower-case letter, such as `[A-Z]`.
pub(super) fn matters(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Bytes(class)) => {
            let mut alone = small_of(class);
            alone.difference(class);
            !alone.ranges().is_empty()
        }
        HirKind::Repetition(repeated) => matters(&repeated.sub),
        HirKind::Capture(group) => matters(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(matters),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

/// Returns the expression with its literal text in lower case.
pub(super) fn with_small_literals(hir: &Hir) -> Hir {
    mapped(hir, &|hir| match hir.kind() {
        HirKind::Literal(literal) => Hir::literal(literal.0.to_ascii_lowercase()),
        _ => hir.clone(),
    })
}

/// Returns the expression with its literal text made case-insensitive.
pub(super) fn in_any(hir: &Hir) -> Hir {
    let byte = |byte: &u8| {
        let both = [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
        let both = both.map(|byte| ClassBytesRange::new(byte, byte));
        Hir::class(Class::Bytes(ClassBytes::new(both)))
    };
    mapped(hir, &|hir| match hir.kind() {
        HirKind::Literal(literal) => Hir::concat(literal.0.iter().map(byte).collect()),
        _ => hir.clone(),
    })
}

fn capitals() -> ClassBytes {
    ClassBytes::new([ClassBytesRange::new(b'A', b'Z')])
}

/// Returns the lower-case letters of a class's capitals.
fn small_of(class: &ClassBytes) -> ClassBytes {
    let mut found = class.clone();
    found.intersect(&capitals());
    let small = |range: &ClassBytesRange| {
        let [start, end] = [range.start(), range.end()].map(|byte| byte.to_ascii_lowercase());
        ClassBytesRange::new(start, end)
    };
    ClassBytes::new(found.ranges().iter().map(small))
}

/// Returns the expression with its literals and classes replaced by `leaf`.
pub(super) fn mapped(hir: &Hir, leaf: &impl Fn(&Hir) -> Hir) -> Hir {
    match hir.kind() {
        HirKind::Repetition(repeated) => Hir::repetition(Repetition {
            sub: Box::new(mapped(&repeated.sub, leaf)),
            ..repeated.clone()
        }),
        HirKind::Capture(Capture { index, name, sub }) => Hir::capture(Capture {
            index: *index,
            name: name.clone(),
            sub: Box::new(mapped(sub, leaf)),
        }),
        HirKind::Concat(parts) => {
            Hir::concat(parts.iter().map(|part| mapped(part, leaf)).collect())
        }
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(|part| mapped(part, leaf)).collect())
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => leaf(hir),
    }
}
