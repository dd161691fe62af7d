//! Stands in for `analyzer_core`'s analyzer and catalogue, with the same shape.

use std::collections::BTreeMap;

use analyzer_core::{
    Document, Evidence, Finding, Fix, InputSummary, Level, Report, Role, SCHEMA, Stats, Subject,
};

#[derive(Default)]
pub struct Analyzer {
    catalogue: Catalogue,
}

impl Analyzer {
    pub fn new() -> Analyzer {
        Analyzer {
            catalogue: Catalogue::builtin().unwrap_or_default(),
        }
    }

    pub fn with_catalogue(catalogue: Catalogue) -> Analyzer {
        Analyzer { catalogue }
    }

    pub fn analyze(&self, documents: &[Document]) -> Report {
        let mut findings = Vec::new();
        if !self.catalogue.signatures.is_empty() {
            findings.extend(documents.iter().find_map(missing));
        }
        Report {
            schema: SCHEMA,
            findings,
            unexplained: Vec::new(),
            inputs: documents
                .iter()
                .map(|document| InputSummary {
                    source: document.name().to_owned(),
                    format: "plain".into(),
                    lines: document.line_count(),
                    not_understood: 0,
                    not_understood_lines: Vec::new(),
                    segments: Vec::new(),
                })
                .collect(),
            limits: Vec::new(),
            stats: Stats {
                bytes: documents.iter().map(Document::byte_count).sum(),
                lines: documents.iter().map(Document::line_count).sum(),
                records: 0,
                events: 0,
            },
        }
    }
}

fn missing(document: &Document) -> Option<Finding> {
    let start = document.text().find("configmap \"")?;
    let name = document.text().get(start + 11..)?.split('"').next()?;
    let place = document.place(&(start..start + name.len() + 22));
    Some(Finding {
        rank: 1,
        cause: "storage/configmap-missing".into(),
        signature: "configmap-mount-missing".into(),
        role: Role::Cause,
        severity: Level::Error,
        confidence: 0.97,
        title: format!("ConfigMap \"{name}\" does not exist"),
        subject: Subject::new("ConfigMap", None, name),
        captures: BTreeMap::from([("configmap".into(), name.into())]),
        count: 1,
        first: None,
        last: None,
        evidence: vec![Evidence {
            source: document.name().into(),
            line: place.line,
            column: place.column,
            text: place.text,
            mark: place.mark,
            label: None,
        }],
        explains: Vec::new(),
        explained_by: None,
        why: "the kubelet mounts a pod's volumes before it starts any container".into(),
        check: Vec::new(),
        fix: vec![Fix {
            text: "create the ConfigMap, or correct its name in the pod template".into(),
            run: None,
        }],
        references: Vec::new(),
    })
}

#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    signatures: Vec<Signature>,
}

const BUILTIN: &str = "id: configmap-mount-missing
cause: storage/configmap-missing
";

impl Catalogue {
    pub fn builtin() -> Result<Catalogue, SignatureError> {
        let mut catalogue = Catalogue::empty();
        catalogue.add_str("storage/configmap-mount-missing.yaml", BUILTIN)?;
        Ok(catalogue)
    }

    pub fn empty() -> Catalogue {
        Catalogue::default()
    }

    pub fn add_str(&mut self, file: &str, yaml: &str) -> Result<(), SignatureError> {
        let value = |key: &str| {
            yaml.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
                .map(str::to_owned)
        };
        let Some(id) = value("id") else {
            return Err(SignatureError {
                file: file.into(),
                line: 1,
                column: 1,
                message: "a signature needs an id".into(),
                source: yaml.into(),
            });
        };
        self.signatures.push(Signature {
            id,
            family: "storage".into(),
            cause: value("cause").unwrap_or_default(),
            role: Role::Cause,
            severity: Level::Error,
            title: "ConfigMap \"{configmap}\" does not exist".into(),
            why: "the kubelet mounts a pod's volumes before it starts any container".into(),
            check: Vec::new(),
            fix: Vec::new(),
            references: Vec::new(),
            file: file.into(),
            source: yaml.into(),
        });
        Ok(())
    }

    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    pub fn get(&self, id: &str) -> Option<&Signature> {
        self.signatures.iter().find(|signature| signature.id == id)
    }

    pub fn cause(id: &str) -> Option<&'static str> {
        Catalogue::causes().find_map(|(known, text)| (known == id).then_some(text))
    }

    pub fn causes() -> impl Iterator<Item = (&'static str, &'static str)> {
        [(
            "storage/configmap-missing",
            "a volume names a ConfigMap that does not exist",
        )]
        .into_iter()
    }

    pub fn lint(&self) -> Vec<Lint> {
        Vec::new()
    }

    pub fn test(&self) -> Vec<ExampleOutcome> {
        Vec::new()
    }
}

#[derive(Clone, Debug)]
pub struct Signature {
    pub id: String,
    pub family: String,
    pub cause: String,
    pub role: Role,
    pub severity: Level,
    pub title: String,
    pub why: String,
    pub check: Vec<(String, String)>,
    pub fix: Vec<(String, Option<String>)>,
    pub references: Vec<String>,
    pub file: String,
    pub source: String,
}

#[derive(Clone, Debug)]
pub struct SignatureError {
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub source: String,
}

impl std::fmt::Display for SignatureError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

#[derive(Clone, Debug)]
pub struct Lint {
    pub file: String,
    pub line: usize,
    pub message: String,
}

#[derive(Clone, Debug)]
pub struct ExampleOutcome {
    pub signature: String,
    pub example: String,
    /// `None` if it passed.
    pub failure: Option<String>,
}
