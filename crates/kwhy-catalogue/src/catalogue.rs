//! A set of signatures, built in or read from YAML.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::knowledge::{community_cause, topology, writers};
use kwhy_pack::{Grammar, Own, PackedText};
use kwhy_prefilter::{LiteralSet, QGramIndex, Texts};
use kwhy_signature::cre::{self, FileKind};
use kwhy_signature::{
    Causes, ConditionLists, Examples, Index, Signature, SignatureError, SourceText, Words,
    all_errors, check, needs, use_digests,
};

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// A built-in signature as laid out by the build script: the ends of its texts in [`PACKED`], which follow one another. The
/// loader has nothing to relocate.
#[derive(Debug)]
struct Builtin {
    /// The name of its file and, on the second line, the checked signature as JSON; parsed on demand.
    json_end: u32,
    /// The digests of its condition's patterns, each preceded by its length in two bytes.
    digests_end: u32,
    /// True if its condition compares objects with each other.
    is_relation: bool,
}

/// What the YAML of each file has besides its JSON, and after these the passages that it has in common with it; both in
/// the order of [`BUILTIN`].
static SOURCE_PARTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();

impl Builtin {
    fn get(number: usize) -> Option<&'static Builtin> {
        BUILTIN.get(number)
    }

    /// Returns the packed texts of a signature: its JSON, and its digests.
    fn packed(number: usize) -> Option<(&'static [u8], &'static [u8])> {
        let before = number.checked_sub(1).and_then(Builtin::get);
        let start = before.map_or(0, |before| before.digests_end as usize);
        let own = Builtin::get(number)?;
        let texts = PACKED.get(start..own.digests_end as usize)?;
        texts.split_at_checked((own.json_end as usize).checked_sub(start)?)
    }

    fn signature(number: usize) -> Option<Signature> {
        let (json, digests) = Builtin::packed(number)?;
        let text = GRAMMAR.read(json);
        let (file, json) = text.split_once('\n')?;
        let mut signature = Signature::unchecked(json).ok()?;
        signature.file = file.to_owned().into();
        signature.source = SourceText::new(Box::new(move || Builtin::yaml(number).into()));
        use_digests(&signature.condition, Builtin::digests(digests));
        Some(signature)
    }

    /// Returns the YAML of a signature's file.
    fn yaml(number: usize) -> String {
        let sources =
            SOURCE_PARTS.get_or_init(|| kwhy_pack::unpack_all(SOURCES).unwrap_or_default());
        let part = |at: usize| sources.get(at).map(Vec::as_slice).unwrap_or_default();
        let (json, _) = Builtin::packed(number).unwrap_or_default();
        let own = String::from_utf8_lossy(part(number));
        Own::whole(&own, part(BUILTIN.len() + number), &GRAMMAR.read(json))
    }

    /// Returns the product names in all signatures, sorted.
    fn product_names() -> impl Iterator<Item = String> {
        let start = BUILTIN.last().map_or(0, |last| last.digests_end as usize);
        let names = GRAMMAR.read(PACKED.get(start..).unwrap_or_default());
        let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
        names.into_iter()
    }

    fn digests(packed: &'static [u8]) -> impl Iterator<Item = PackedText<'static>> {
        let mut rest = packed;
        std::iter::from_fn(move || {
            let (length, line) = rest.split_first_chunk()?;
            let (text, others) = line.split_at_checked(u16::from_le_bytes(*length).into())?;
            rest = others;
            Some(PackedText {
                grammar: &GRAMMAR,
                text,
            })
        })
    }
}

/// A set of signatures.
///
/// The built-in signatures, included by the feature `builtin`, are checked when the crate is built and parsed one by
/// one on demand, so an empty input costs next to nothing.
///
/// ```
/// use kwhy_catalogue::Catalogue;
/// let mut catalogue = Catalogue::empty();
/// let yaml = "id: x\ncause: no/such\nseverity: error\ntitle: x\nwhy: x\nmatch: {event: {message: the shelf is empty}}\n";
/// let error = catalogue.add_str("mine.yaml", yaml).unwrap_err();
/// assert_eq!(error.line(), 2);
/// ```
#[derive(Debug)]
pub struct Catalogue {
    entries: Vec<Entry>,
    /// The ids of signatures that are not built in.
    by_id: HashMap<String, usize>,
    /// The ids of built-in signatures that another one replaces, in the order of replacement.
    replaced: Vec<String>,
    causes: Causes,
}

#[derive(Debug)]
struct Entry {
    /// The number of a built-in signature; `None` for an added one.
    builtin: Option<usize>,
    signature: OnceLock<Box<Signature>>,
}

impl Catalogue {
    /// Creates a catalogue without signatures.
    pub fn empty() -> Catalogue {
        Catalogue {
            entries: Vec::new(),
            by_id: HashMap::new(),
            replaced: Vec::new(),
            causes: Causes::new(CAUSES),
        }
    }

    /// Creates a catalogue of the built-in signatures.
    #[cfg(feature = "builtin")]
    pub fn builtin() -> Catalogue {
        let entries = (0..BUILTIN.len()).map(|number| Entry {
            builtin: Some(number),
            signature: OnceLock::new(),
        });
        Catalogue {
            entries: entries.collect(),
            ..Catalogue::empty()
        }
    }

    /// Adds the signatures of a YAML text: one, or several as documents. A signature with the id of a built-in one
    /// replaces it. Community rules ([`cre`]) are recognised by the text's content; files that belong to such rules but
    /// contain none, such as lists of tags, are skipped.
    ///
    /// # Errors
    /// The first error, with its file, line and reason; nothing of the text is added then. An id that was added before
    /// is an error.
    pub fn add_str(&mut self, file: &str, yaml: &str) -> Result<(), SignatureError> {
        match cre::file_kind(yaml) {
            FileKind::Native => {}
            FileKind::BesideRules => return Ok(()),
            FileKind::Rules => {
                let rules = cre::read(file, yaml, &self.causes, community_cause)?;
                self.add_all(file, yaml, rules.signatures)?;
                for (id, meaning) in rules.causes {
                    self.causes.add(id, meaning);
                }
                return Ok(());
            }
        }
        let documents = check::documents(yaml);
        let read = |document| check::read_document(file, yaml, document, &self.causes);
        #[cfg(feature = "parallel")]
        let parts = documents.par_iter().map(read);
        #[cfg(not(feature = "parallel"))]
        let parts = documents.iter().map(read);
        let added = check::joined(file, yaml, parts.collect())?;
        self.add_all(file, yaml, added)
    }

    /// Adds the signatures of a file, unless one of their ids was added before.
    fn add_all(
        &mut self,
        file: &str,
        yaml: &str,
        added: Vec<Signature>,
    ) -> Result<(), SignatureError> {
        let taken = |added: &&Signature| self.by_id.contains_key(&added.id);
        if let Some(taken) = added.iter().find(taken) {
            let by = self.get(&taken.id).map_or("", |other| &other.file);
            return Err(SignatureError::taken(file, yaml, &taken.id, by));
        }
        for signature in added {
            let id = signature.id.clone();
            let entry = Entry {
                builtin: None,
                signature: OnceLock::from(Box::new(signature)),
            };
            let at = match self.builtin_at(&id) {
                Some(at) => {
                    self.replaced.push(id.clone());
                    self.entries[at] = entry;
                    at
                }
                None => {
                    self.entries.push(entry);
                    self.entries.len() - 1
                }
            };
            self.by_id.insert(id, at);
        }
        Ok(())
    }

    /// Returns all errors of a YAML text of signatures; empty if it can be added, apart from ids that are already used.
    ///
    /// ```
    /// use kwhy_catalogue::Catalogue;
    /// let errors = Catalogue::empty().errors_of("mine.yaml", "id: shelf\nseverty: error\ntile: x\n");
    /// assert!(errors.iter().any(|error| error.message().ends_with("did you mean `severity`?")));
    /// assert!(errors.iter().any(|error| error.message().ends_with("did you mean `title`?")));
    /// ```
    pub fn errors_of(&self, file: &str, yaml: &str) -> Vec<SignatureError> {
        match cre::file_kind(yaml) {
            FileKind::Native => all_errors(file, yaml, &self.causes),
            // reading rules stops at the first error
            FileKind::Rules => {
                let read = cre::read(file, yaml, &self.causes, community_cause);
                read.err().into_iter().collect()
            }
            FileKind::BesideRules => Vec::new(),
        }
    }

    /// Adds causes that signatures added later may name: a YAML mapping of ids to their meanings, one entry per line,
    /// as in the built-in `causes.yaml`.
    ///
    /// ```
    /// use kwhy_catalogue::Catalogue;
    /// let mut catalogue = Catalogue::builtin();
    /// catalogue.add_causes("causes.yaml", "shop/cart-full: the cart takes no more").unwrap();
    /// assert_eq!(catalogue.cause("shop/cart-full"), Some("the cart takes no more"));
    /// ```
    ///
    /// # Errors
    /// The first line that is not an entry; nothing is added then.
    pub fn add_causes(&mut self, file: &str, text: &str) -> Result<(), SignatureError> {
        for (id, meaning) in Causes::read(file, text)? {
            self.causes.add(id, meaning);
        }
        Ok(())
    }

    /// Converts a file of community rules to native signatures.
    ///
    /// ```
    /// use kwhy_catalogue::Catalogue;
    /// let rule = "rules: [{cre: {id: CRE-2030-0001}, rule: {set: {event: {source: shop}, match: [shelf is bare]}}}]";
    /// let native = Catalogue::rules_as_native("rule.yaml", rule)?;
    /// assert!(native.starts_with("id: cre-2030-0001"));
    /// # Ok::<(), kwhy_signature::SignatureError>(())
    /// ```
    ///
    /// # Errors
    /// The first error in the file, with its line and reason.
    pub fn rules_as_native(file: &str, yaml: &str) -> Result<String, SignatureError> {
        cre::to_native(file, yaml, community_cause)
    }

    /// Replaces the examples of an added signature with ones from outside its file.
    pub fn set_examples(&mut self, id: &str, examples: Examples) {
        let entry = self.by_id.get(id).and_then(|at| self.entries.get_mut(*at));
        if let Some(signature) = entry.and_then(|entry| entry.signature.get_mut()) {
            signature.set_examples(examples);
        }
    }

    /// The number of signatures.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there is no signature.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The signatures: the built-in ones, or their replacements, sorted by cause and id, then the others in the order
    /// in which they were added.
    pub fn signatures(&self) -> impl Iterator<Item = &Signature> {
        self.entries.iter().map(Entry::signature)
    }

    /// The signatures whose conditions compare objects with each other, with their numbers.
    pub fn relations(&self) -> impl Iterator<Item = (usize, &Signature)> {
        let relations = self.entries.iter().enumerate();
        let relations = relations.filter(|(_, entry)| entry.is_relation());
        relations.map(|(number, entry)| (number, entry.signature()))
    }

    /// Returns true if the condition of the signature with this number compares objects with each other.
    pub fn is_relation(&self, number: usize) -> bool {
        self.entries.get(number).is_some_and(Entry::is_relation)
    }

    /// Returns a signature by its id.
    pub fn get(&self, id: &str) -> Option<&Signature> {
        Some(self.at(self.number(id)?))
    }

    /// Returns the number of a signature by its id, for [`Catalogue::at`].
    pub fn number(&self, id: &str) -> Option<usize> {
        let added = self.by_id.get(id).copied();
        added.or_else(|| self.builtin_at(id))
    }

    /// Returns the position of a built-in signature, unless it was replaced.
    fn builtin_at(&self, id: &str) -> Option<usize> {
        let number = IDS.iter().position(|known| known == id)?;
        let same = |entry: &&Entry| entry.builtin == Some(number);
        self.entries.get(number).filter(same).map(|_| number)
    }

    /// Returns true if a signature was added to the built-in ones or replaces one.
    pub fn is_added(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The ids of built-in signatures that an added one replaces.
    pub fn replaced(&self) -> impl Iterator<Item = &str> {
        self.replaced.iter().map(String::as_str)
    }

    /// Returns the signature with this number, in the order of [`Catalogue::signatures`].
    pub fn at(&self, number: usize) -> &Signature {
        self.entries[number].signature()
    }

    /// Returns the index of all signatures.
    pub fn index(&self) -> Cow<'static, Index> {
        if !self.replaced.is_empty() {
            let all = (0..).zip(&self.entries);
            let needs = all.flat_map(|(number, entry)| needs(number, &entry.signature().condition));
            return Cow::Owned(Index::new(needs, ""));
        }
        let is_builtin = |entry: &&Entry| entry.builtin.is_some();
        let builtin = self.entries.iter().take_while(is_builtin).count();
        let others = (0..).zip(&self.entries).skip(builtin);
        let mut needs = others
            .flat_map(|(number, entry)| needs(number, &entry.signature().condition))
            .peekable();
        match (builtin > 0, needs.peek().is_some()) {
            (true, false) => Cow::Borrowed(&INDEX),
            (true, true) => Cow::Owned(INDEX.joined(needs)),
            (false, _) => Cow::Owned(Index::new(needs, "")),
        }
    }

    /// Returns the meaning of a cause in one line; `None` for an unknown id.
    pub fn cause(&self, id: &str) -> Option<&str> {
        self.causes.meaning(id)
    }

    /// Returns the product names in the signatures and in the facts about clusters, sorted. They do not reveal whose
    /// cluster an input comes from.
    pub fn product_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let (builtin, added): (Vec<_>, Vec<_>) =
            (self.entries.iter()).partition(|entry| entry.builtin.is_some());
        if !builtin.is_empty() {
            // known without parsing the signatures
            names.extend(Builtin::product_names());
        }
        for entry in added {
            entry.signature().product_names(&mut names);
        }
        let topology = topology();
        let served = topology
            .served_by
            .iter()
            .flat_map(|(one, other)| [one, other]);
        let known = served.map(|object| object.name);
        let writers = writers().iter().flat_map(|rule| rule.writers);
        let known = known.chain(topology.static_pods.iter().copied());
        names.extend(known.chain(writers.copied()).map(str::to_owned));
        names
    }

    /// Returns the names of the control plane's static pods, without the node name that follows them.
    pub fn static_pods(&self) -> impl Iterator<Item = &'static str> {
        topology().static_pods.iter().copied()
    }

    /// All causes that a signature may name, with their meanings, sorted.
    pub fn causes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.causes.all().into_iter()
    }
}

impl Default for Catalogue {
    /// Creates a catalogue without signatures.
    fn default() -> Catalogue {
        Catalogue::empty()
    }
}

impl Entry {
    fn is_relation(&self) -> bool {
        match self.builtin.and_then(Builtin::get) {
            // known without parsing the signature
            Some(builtin) => builtin.is_relation,
            None => self.signature().condition.is_relation(),
        }
    }

    fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| {
            let read = self.builtin.and_then(Builtin::signature);
            // the build script parsed the same text with the same code
            Box::new(read.expect("a built-in signature was checked when the crate was built"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
id: config-gone
cause: storage/configmap-missing
severity: error
title: 'ConfigMap {name} is gone'
match:
  event: {reason: FailedMount, message: 'configmap \"{name}\" not found'}
why: it is mounted
";

    fn refused(yaml: &str) -> String {
        Catalogue::empty()
            .add_str("x.yaml", yaml)
            .unwrap_err()
            .to_string()
    }

    #[cfg(feature = "builtin")]
    #[test]
    fn texts_are_those_of_the_files() {
        for signature in Catalogue::builtin().signatures() {
            let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(&*signature.file);
            let text = std::fs::read_to_string(file).unwrap();
            assert!(**signature.source == *text, "{}", signature.id);
        }
    }

    #[cfg(feature = "builtin")]
    #[test]
    fn digests_are_those_of_the_patterns() {
        for number in 0..BUILTIN.len() {
            let signature = Builtin::signature(number).unwrap();
            let worked_out = kwhy_signature::digests(&signature.condition).unwrap();
            let (_, digests) = Builtin::packed(number).unwrap();
            let written: Vec<String> = Builtin::digests(digests).map(|line| line.read()).collect();
            assert_eq!(worked_out, written.join("\n"), "{}", signature.id);
        }
    }

    #[cfg(feature = "builtin")]
    #[test]
    fn product_names_are_those_of_the_signatures() {
        let mut names = BTreeSet::new();
        for signature in Catalogue::builtin().signatures() {
            signature.product_names(&mut names);
        }
        assert!(Builtin::product_names().eq(names));
    }

    #[test]
    fn good_and_bad_files() {
        let mut catalogue = Catalogue::empty();
        catalogue.add_str("x.yaml", GOOD).unwrap();
        assert!(
            catalogue
                .add_str("y.yaml", GOOD)
                .unwrap_err()
                .to_string()
                .contains("y.yaml:1:5: the id")
        );
    }

    #[test]
    fn a_built_in_one_is_replaced_once() {
        let mut catalogue = Catalogue::builtin();
        let id = "configmap-mount-missing";
        let mine = GOOD.replace("config-gone", id);
        catalogue.add_str("mine.yaml", &mine).unwrap();
        assert_eq!(catalogue.len(), Catalogue::builtin().len());
        assert_eq!(catalogue.replaced().collect::<Vec<_>>(), [id]);
        assert!(catalogue.is_added(id));
        assert_eq!(catalogue.get(id).unwrap().file, "mine.yaml");
        let again = catalogue.add_str("again.yaml", &mine).unwrap_err();
        assert!(again.is_taken_id());
        assert!(again.to_string().contains("mine.yaml"), "{again}");
    }

    #[test]
    fn causes_of_ones_own() {
        let mut catalogue = Catalogue::builtin();
        let mine = GOOD.replace("storage/configmap-missing", "shop/cart-full");
        assert!(catalogue.add_str("x.yaml", &mine).is_err());
        let wrong = catalogue
            .add_causes("causes.txt", "# all\n\nshop: x\n")
            .unwrap_err();
        assert_eq!(wrong.line(), 3);
        catalogue
            .add_causes("causes.txt", "# all\nshop/cart-full: no room\n")
            .unwrap();
        catalogue.add_str("x.yaml", &mine).unwrap();
        assert!(
            catalogue
                .causes()
                .any(|cause| cause == ("shop/cart-full", "no room"))
        );
    }

    #[test]
    fn errors_have_a_place() {
        let cases = [
            (GOOD.replace("{name} is", "{nam} is"), "x.yaml:4:", "{nam}"),
            (
                GOOD.replace("storage/configmap-missing", "image/configmap-missing"),
                "x.yaml:2:",
                "container/configmap-missing",
            ),
            (
                GOOD.replace("{name}\" not", "{name\" not"),
                "x.yaml:6:",
                "not closed",
            ),
            (GOOD.replace("reason:", "reasn:"), "x.yaml:6:", "reasn"),
            (GOOD.replace("error", "grave"), "x.yaml:3:", "grave"),
            ("[".into(), "x.yaml:", ""),
            (String::new(), "x.yaml:1:1", "id"),
        ];
        for (yaml, place, says) in cases {
            let error = refused(&yaml);
            assert!(error.starts_with(place) && error.contains(says), "{error}");
        }
    }
}
