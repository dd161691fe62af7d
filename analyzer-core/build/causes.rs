static CAUSES: std::sync::LazyLock<Vec<(&str, &str)>> = std::sync::LazyLock::new(|| {
    let lines = include_str!("../../crates/kwhy-catalogue/signatures/causes.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect()
});

pub(crate) fn description(id: &str) -> Option<&'static str> {
    all().find(|(known, _)| *known == id).map(|(_, meaning)| meaning)
}

pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    CAUSES.iter().copied()
}
