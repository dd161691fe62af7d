//! Short names of a bundle's members: the archive and the folders that all members are in are named only once.

use kwhy_core::Report;
use kwhy_core::report::Evidence;

/// Returns a copy of the report with shortened sources; `None` unless it is about a single bundle.
pub fn shortened(report: &Report) -> Option<Report> {
    let [bundle] = report.bundles.as_slice() else {
        return None;
    };
    let of_bundle = |source: &str| {
        let member = source.strip_prefix(bundle.source.as_str())?;
        member
            .strip_prefix(['!', '/'])
            .map(|member| source.len() - member.len())
    };
    let starts = report.inputs.iter().map(|input| of_bundle(&input.source));
    let start = starts.collect::<Option<Vec<usize>>>()?.first().copied()?;
    let members = || {
        report
            .inputs
            .iter()
            .filter_map(|input| input.source.get(start..))
    };
    let cut = start + common_folders(members());
    let mut report = report.clone();
    let short = |source: &mut String| {
        if of_bundle(source).is_some()
            && let Some(rest) = source.get(cut..)
        {
            *source = rest.to_owned();
        }
    };
    let shorten = |evidence: &mut [Evidence]| {
        evidence.iter_mut().for_each(|line| short(&mut line.source));
    };
    for finding in &mut report.findings {
        shorten(&mut finding.evidence);
        shorten(finding.recovered.as_mut_slice());
    }
    report
        .unexplained
        .iter_mut()
        .for_each(|event| shorten(&mut event.evidence));
    report
        .inputs
        .iter_mut()
        .for_each(|input| short(&mut input.source));
    report
        .limits
        .iter_mut()
        .for_each(|limit| short(&mut limit.source));
    Some(report)
}

/// Returns the length of the path of folders that all paths start with, including the last slash.
fn common_folders<'p>(mut paths: impl Iterator<Item = &'p str>) -> usize {
    let Some(first) = paths.next() else {
        return 0;
    };
    let mut common = first.rfind('/').map_or(0, |end| end + 1);
    for path in paths {
        let same = first.bytes().zip(path.bytes()).take(common);
        let same = same.take_while(|(a, b)| a == b).count();
        let folders = first.get(..same).unwrap_or_default();
        common = folders.rfind('/').map_or(0, |end| end + 1);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_all_paths_are_cut() {
        let common = |paths: &[&str]| common_folders(paths.iter().copied());
        assert_eq!(common(&["dump/a/pods.yaml", "dump/a/nodes.yaml"]), 7);
        assert_eq!(common(&["dump/ab/pods.yaml", "dump/ac/nodes.yaml"]), 5);
        assert_eq!(common(&["pods.yaml", "dump/nodes.yaml"]), 0);
        assert_eq!(common(&["dump/pods.yaml"]), 5);
        assert_eq!(common(&[]), 0);
    }
}
