//! Lints of the advice in a signature: commands that could do harm or cannot be run, and
//! destructive fixes.

use super::command::CommandTemplate;
use super::command::effect::{self, Effect};
use super::schema::{FixTemplate, Signature};

/// Words that stand for a value which the reader must fill in.
const PLACEHOLDERS: &[&str] = &[
    "ADDRESS",
    "BUCKET",
    "CHART",
    "CLAIM",
    "CLASS",
    "CLUSTER",
    "CONFIGMAP",
    "CONTAINER",
    "CONTAINER_ID",
    "DEPLOYMENT",
    "DEVICE",
    "DIR",
    "FILE",
    "GROUP",
    "HOST",
    "ID",
    "IMAGE",
    "IP",
    "JOB",
    "KEY",
    "KIND",
    "LABEL",
    "MEMBER",
    "MEMBER_ID",
    "NAME",
    "NAMESPACE",
    "NODE",
    "NODE_NAME",
    "NS",
    "OBJECT",
    "OSD",
    "PATH",
    "PID",
    "POD",
    "POD_ID",
    "PORT",
    "PROGRAM",
    "PV",
    "PVC",
    "REGION",
    "REGISTRY",
    "RELEASE",
    "REPO",
    "RESOURCE",
    "ROLE",
    "SECRET",
    "SELECTOR",
    "SERVICE",
    "SIZE",
    "TAG",
    "TOKEN",
    "TYPE",
    "UID",
    "UNIT",
    "URL",
    "USER",
    "VALUE",
    "VERSION",
    "VM",
    "VOLUME",
    "WORKLOAD",
    "XXX",
];

/// A problem in a check or fix.
#[derive(Debug)]
pub struct AdviceError {
    /// The kebab-case code of the problem.
    pub code: &'static str,
    /// The field concerned.
    pub field: &'static str,
    /// The text concerned, as in the file.
    pub piece: String,
    /// A description of the problem and how to fix it.
    pub message: String,
}

/// Returns the problems of a signature's checks and fixes, in order.
pub fn errors(signature: &Signature) -> Vec<AdviceError> {
    let mut found = Vec::new();
    for (field, run) in signature.commands() {
        let mut add = |code, message: String| {
            found.push(AdviceError {
                code,
                field,
                piece: run.as_str().to_owned(),
                message,
            });
        };
        for message in placeholders(run) {
            add("stand-in", message);
        }
        for (slot, otherwise) in run.slots() {
            let form = signature.form(slot, |_| None);
            if let Some(words) = otherwise.filter(|words| !form.admits(words)) {
                let message = format!(
                    "{words:?} is the default for {{{slot}}}, but not a real value; use a real one, or remove it so that the command is omitted"
                );
                add("stand-in", message);
            }
        }
        let words = run.words_with(|slot| slot.to_owned());
        let is_all = words.iter().any(|word| word == "--all");
        if is_all && effect::of_command(run) > Effect::Looks {
            add(
                "changes-all",
                "`--all` changes every object; name the one that is meant".into(),
            );
        }
        if field != "fix" && effect::of_command(run) != Effect::Looks {
            let message = "it changes something, but a check must be read-only; move it to `fix`";
            add("changing-check", message.to_owned());
        }
    }
    for (number, fix) in signature.fix.iter().enumerate() {
        let wrong = repair(fix, number == 0).into_iter();
        found.extend(wrong.map(|message| AdviceError {
            code: "destructive",
            field: "fix",
            piece: fix.text.as_str().to_owned(),
            message: message.to_owned(),
        }));
    }
    found
}

/// The placeholders in a command.
fn placeholders(run: &CommandTemplate) -> Vec<String> {
    let words = run.words_with(|_| String::new());
    let mut found = Vec::new();
    let mut before = "";
    for word in &words {
        // column names of an output are upper-case
        let is_columns = matches!(before, "-o" | "--output") || word.contains("columns=");
        let parts = word.split(['/', '=', ':', ',', '@', '.']);
        let mut parts = parts.filter(|part| !is_columns && PLACEHOLDERS.contains(part));
        if let Some(part) = parts.next() {
            found.push(format!(
                "`{part}` is a placeholder that the reader would have to fill in; use a slot, or `look`"
            ));
        }
        if word.contains(['<', '>']) {
            found.push("`<` and `>` stand for a value that the reader would have to know; use a slot, or `look`".into());
        }
        before = word;
    }
    found
}

/// Returns the requirements that a destructive fix does not meet.
fn repair(fix: &FixTemplate, is_first: bool) -> Vec<&'static str> {
    let of_run = fix.run.as_ref().map(effect::of_command);
    let of_text = effect::of_prose(fix.text.as_str());
    let destroys = of_run.max(Some(of_text)) == Some(Effect::Destroys);
    let mut wrong = Vec::new();
    if !destroys && !fix.destructive {
        if fix.precondition.is_some() || !fix.written_by.is_empty() {
            wrong.push("`precondition` and `written_by` belong to a destructive repair");
        }
        return wrong;
    }
    if !fix.destructive {
        wrong.push("it deletes, empties, forces or drains: say `destructive: true`");
    }
    if fix.precondition.is_none() {
        wrong.push("say with `precondition` what must hold before it is done");
    }
    if fix.written_by.is_empty() {
        wrong.push("say with `written_by` whose record proves its object");
    }
    if is_first {
        wrong.push("what destroys something is never the first repair");
    }
    if fix.run.as_ref().is_some_and(|run| !names_object(run)) {
        wrong.push("its command names no object: use a slot or a fixed path");
    }
    wrong
}

/// Returns true if a command refers to one object, by a value or a path.
fn names_object(run: &CommandTemplate) -> bool {
    let words = run.words_with(|slot| slot.to_owned());
    run.slots().next().is_some() || words.iter().any(|word| word.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Causes, check};

    fn codes(parts: &str) -> Vec<&'static str> {
        let yaml = format!(
            "id: x\ncause: node/not-ready\nseverity: error\ntitle: x\nwhy: x\nmatch: {{event: {{message: 'the shelf {{shelf}} is empty'}}}}\n{parts}"
        );
        let causes = Causes::new(&[("node/not-ready", "the kubelet does not answer")]);
        let document = check::documents(&yaml)[0];
        let signature = check::read_document("x.yaml", &yaml, &document, &causes).unwrap();
        errors(&signature).iter().map(|it| it.code).collect()
    }

    #[test]
    fn checks_look_and_name_all() {
        for (run, expected) in [
            ("kubectl get node {shelf}", &[][..]),
            ("kubectl get node NAME", &["stand-in"]),
            (
                "kubectl get nodes -o custom-columns=NAME:.metadata.name",
                &[],
            ),
            ("findmnt -o TARGET,SIZE", &[]),
            ("kubectl get pods -n '<namespace>'", &["stand-in"]),
            ("kubectl get node {shelf|the shelf}", &["stand-in"]),
            ("kubectl get node {shelf|}", &["stand-in"]),
            ("kubectl delete node {shelf}", &["changing-check"]),
            (
                "kubectl label nodes --all a=b",
                &["changes-all", "changing-check"],
            ),
        ] {
            let check = format!("check: [{{run: \"{run}\", why: x}}]\n");
            assert_eq!(codes(&check), expected, "{run}");
        }
    }

    #[test]
    fn what_destroys_says_when_and_comes_later() {
        let first = "fix:\n  - text: look at it\n";
        let keys =
            "    destructive: true\n    precondition: it is spare\n    written_by: [kubelet]\n";
        let run = "    run: kubectl delete node {shelf}\n";
        let text = "  - text: delete the node\n";
        assert!(codes(&format!("{first}{text}{run}{keys}")).is_empty());
        assert!(codes(&format!("{first}{text}{keys}")).is_empty());
        assert_eq!(codes(&format!("fix:\n{text}{run}{keys}")).len(), 1);
        assert_eq!(codes(&format!("{first}{text}{run}")).len(), 3);
        assert_eq!(
            codes(&format!("{first}{text}    run: rm -rf x\n{keys}")).len(),
            1
        );
        assert_eq!(
            codes(&format!("{first}  - text: look\n    precondition: x\n")).len(),
            1
        );
    }
}
