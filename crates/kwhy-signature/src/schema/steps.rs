//! Checks and fixes.

use serde::Deserialize;

use crate::command::CommandTemplate;
use crate::template::Template;

/// A read-only check.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawCheck")]
#[non_exhaustive]
pub struct CheckTemplate {
    /// The step: a command or a description.
    pub step: StepTemplate,
    /// A note on the result.
    pub why: Option<Template>,
    /// The result that confirms the cause.
    pub confirms: Option<Template>,
    /// The result that rules the cause out.
    pub rules_out: Option<Template>,
}

/// A step of a check.
#[derive(Debug)]
pub enum StepTemplate {
    /// A command to run.
    Run(CommandTemplate),
    /// A description of where to look, if no single command shows it.
    Look(Template),
}

/// A read-only check: `run` or `look`, and at least one of `why`, `confirms` and `rules_out`.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Check", extend("oneOf" = [{"required": ["run"]}, {"required": ["look"]}])))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCheck {
    /// A command that only reads.
    #[serde(default)]
    run: Option<CommandTemplate>,
    /// A description of where to look, if no single command shows it.
    #[serde(default)]
    look: Option<Template>,
    /// The meaning of the result.
    #[serde(default)]
    why: Option<Template>,
    /// The result that confirms the cause.
    #[serde(default)]
    confirms: Option<Template>,
    /// The result that rules the cause out.
    #[serde(default)]
    rules_out: Option<Template>,
}

impl TryFrom<RawCheck> for CheckTemplate {
    type Error = &'static str;

    fn try_from(raw: RawCheck) -> Result<CheckTemplate, Self::Error> {
        let step = match (raw.run, raw.look) {
            (Some(run), None) => StepTemplate::Run(run),
            (None, Some(look)) => StepTemplate::Look(look),
            _ => return Err("a check has either a command, `run`, or words, `look`"),
        };
        let check = CheckTemplate {
            step,
            why: raw.why,
            confirms: raw.confirms,
            rules_out: raw.rules_out,
        };
        if check.prose().next().is_none() {
            return Err("a check says what its result means: `confirms`, `rules_out` or `why`");
        }
        Ok(check)
    }
}

impl CheckTemplate {
    /// The command, if there is one.
    pub fn run(&self) -> Option<&CommandTemplate> {
        match &self.step {
            StepTemplate::Run(run) => Some(run),
            StepTemplate::Look(_) => None,
        }
    }

    /// The description of where to look, if there is no command.
    pub fn look(&self) -> Option<&Template> {
        match &self.step {
            StepTemplate::Run(_) => None,
            StepTemplate::Look(look) => Some(look),
        }
    }

    /// The interpretations of its result, each with the words that are appended to it.
    pub(super) fn prose(&self) -> impl Iterator<Item = (&Template, &'static str)> {
        let why = self.why.iter().map(|why| (why, ""));
        let confirms = self.confirms.iter().map(|it| (it, " confirms it"));
        let rules_out = self.rules_out.iter().map(|it| (it, " rules it out"));
        why.chain(confirms).chain(rules_out)
    }

    /// Renders the interpretation of the result: `why`, then the results that confirm and rule out.
    /// Parts with an unknown value are omitted.
    pub fn meaning(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let parts = self.prose().filter_map(|(template, then)| {
            let text = template.sentences(&value);
            (!text.is_empty()).then(|| text + then)
        });
        parts.collect::<Vec<_>>().join("; ")
    }
}

/// A fix.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Fix"))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FixTemplate {
    /// The action.
    pub text: Template,
    /// The command that performs it.
    #[serde(default)]
    pub run: Option<CommandTemplate>,
    /// True if it deletes, empties, forces or drains something: it is shown only after another fix,
    /// and only if the input proves its object.
    #[serde(default)]
    pub destructive: bool,
    /// The condition under which a destructive fix is safe, worded to follow "only if".
    #[serde(default)]
    pub precondition: Option<Template>,
    /// The accepted writers of the evidence for a destructive fix: programs, units, containers;
    /// `kubernetes` for what the API server returns.
    #[serde(default)]
    pub written_by: Vec<String>,
}
