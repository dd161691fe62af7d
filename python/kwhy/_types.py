"""What kwhy finds, as classes. Written by ``generate.py`` from ``analyzer-cli/schema``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, FrozenSet, List, Literal, Mapping, Optional

from kwhy._struct import Struct


EventType = Literal[
    "Normal", "Warning"
]


Format = Literal[
    "describe", "describe-events", "events-table", "table", "logrus", "zap-console", "json-log", "klog",
    "capnslog", "postgresql", "redis", "ceph", "ruby-logger", "monolog", "bitnami", "go-log", "hclog",
    "zerolog-console", "logr-funcr", "coredns", "nginx-access", "nginx-error", "envoy", "envoy-access",
    "logback", "spring-boot", "java-util-logging", "jvm-unified", "pino-pretty", "python-logging",
    "text-log", "kernel", "kube-audit", "leveled", "object-yaml", "object-json", "unit-status",
    "command", "plain", "prose"
]


Level = Literal[
    "info", "warning", "error"
]


RecordLevel = Literal[
    "trace", "debug", "info", "warning", "error", "fatal", "panic"
]


Role = Literal[
    "cause", "symptom", "benign"
]


Severity = Literal[
    "debug", "info", "warning", "error", "fatal"
]


State = Literal[
    "now", "over", "unknown"
]


Stream = Literal[
    "stdout", "stderr"
]


Verdict = Literal[
    "healthy", "faults", "over", "unknown"
]


@dataclass
class Application(Struct):
    """A program that a rule is about."""

    #: The name of the container.
    container_name: Optional[str] = None
    #: The image.
    image_url: Optional[str] = None
    #: The name.
    name: Optional[str] = None
    #: The name of the process.
    process_name: Optional[str] = None
    #: The path of the process.
    process_path: Optional[str] = None
    #: The repository of its source.
    repo_url: Optional[str] = None
    #: The versions concerned.
    version: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        []
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Application":
        """Makes it of JSON."""
        get = json.get
        return cls(
            container_name=get("container_name"),
            image_url=get("image_url"),
            name=get("name"),
            process_name=get("process_name"),
            process_path=get("process_path"),
            repo_url=get("repo_url"),
            version=get("version"),
        )


@dataclass
class BundleSummary(Struct):
    """An archive or folder whose members were read."""

    #: The ids of the layouts that its members' names match.
    layouts: List[str]
    #: The number of files in it.
    members: int
    #: The files that such a bundle usually contains and this one does not.
    missing: List[str]
    #: The name.
    source: str
    #: The titles of these layouts.
    titles: List[str]

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['layouts', 'members', 'missing', 'source', 'titles']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "BundleSummary":
        """Makes it of JSON."""
        get = json.get
        return cls(
            layouts=json["layouts"],
            members=json["members"],
            missing=json["missing"],
            source=json["source"],
            titles=json["titles"],
        )


@dataclass
class Check(Struct):
    """A read-only check."""

    #: The program and its arguments; null if there is no command.
    argv: Optional[List[str]]
    #: The command line, with words quoted for a POSIX shell where necessary; null if there is no command.
    run: Optional[str]
    #: The meaning of its result.
    why: str
    #: A description of where to look, if there is no command.
    text: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['argv', 'run', 'why']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Check":
        """Makes it of JSON."""
        get = json.get
        return cls(
            argv=get("argv"),
            run=get("run"),
            why=json["why"],
            text=get("text"),
        )


@dataclass
class CollectedAt(Struct):
    """The time at which an input was collected."""

    #: True if it was given with the input; otherwise it is the last heartbeat of a node in the input, some
    #: seconds earlier.
    given: bool
    #: The time.
    time: str

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['given', 'time']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "CollectedAt":
        """Makes it of JSON."""
        get = json.get
        return cls(
            given=json["given"],
            time=json["time"],
        )


@dataclass
class CommunityRule(Struct):
    """The description of a problem in a community rule."""

    #: The id: `CRE-2024-0007`.
    id: str
    #: The severity: 0 critical, 1 high, 2 medium, 3 low, 4 information.
    severity: int
    #: The problem in one line.
    title: str
    #: The programs concerned.
    applications: List[Application] = field(default_factory=list)
    #: The author.
    author: Optional[str] = None
    #: The category.
    category: Optional[str] = None
    #: The cause, as Markdown.
    cause: Optional[str] = None
    #: The problem, as Markdown.
    description: Optional[str] = None
    #: The consequences, as Markdown.
    impact: Optional[str] = None
    #: The score of the impact, from 0 to 10.
    impact_score: Optional[int] = None
    #: The repair, as Markdown.
    mitigation: Optional[str] = None
    #: The effort of the mitigation, from 0 to 10.
    mitigation_score: Optional[int] = None
    #: Links for further reading.
    references: List[str] = field(default_factory=list)
    #: The id of the rule, which stays the same when its text changes.
    rule_id: Optional[str] = None
    #: The source that it is written for, such as `cre.log.nginx`.
    source: Optional[str] = None
    #: Tags.
    tags: List[str] = field(default_factory=list)
    #: The version of the text.
    version: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['id', 'severity', 'title']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "CommunityRule":
        """Makes it of JSON."""
        get = json.get
        return cls(
            id=json["id"],
            severity=json["severity"],
            title=json["title"],
            applications=[Application.from_dict(each) for each in (get("applications") or [])],
            author=get("author"),
            category=get("category"),
            cause=get("cause"),
            description=get("description"),
            impact=get("impact"),
            impact_score=get("impact_score"),
            mitigation=get("mitigation"),
            mitigation_score=get("mitigation_score"),
            references=get("references") or [],
            rule_id=get("rule_id"),
            source=get("source"),
            tags=get("tags") or [],
            version=get("version"),
        )


@dataclass
class Counts(Struct):
    """The number of records of each severity."""

    #: Errors.
    error: int
    #: Fatal ones.
    fatal: int
    #: Information.
    info: int
    #: Debugging, and records without a severity.
    other: int
    #: Warnings.
    warning: int

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['error', 'fatal', 'info', 'other', 'warning']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Counts":
        """Makes it of JSON."""
        get = json.get
        return cls(
            error=json["error"],
            fatal=json["fatal"],
            info=json["info"],
            other=json["other"],
            warning=json["warning"],
        )


@dataclass
class Envelope(Struct):
    """The envelope that brought a record: a container runtime's file, `kubectl logs`, the journal, syslog."""

    #: The container that wrote it.
    container: Optional[str] = None
    #: The pod's namespace.
    namespace: Optional[str] = None
    #: The machine on which it was written.
    node: Optional[str] = None
    #: The program's process.
    pid: Optional[str] = None
    #: The pod whose container wrote it.
    pod: Optional[str] = None
    #: The program that wrote it.
    program: Optional[str] = None
    #: The stream that it was written to.
    stream: Optional[Stream] = None
    #: The time in RFC 3339.
    time: Optional[str] = None
    #: False if no year is known: 1970, or 1972 for a leap day, is written then.
    year_stated: bool = True
    #: False if the time zone was not stated: UTC is taken then.
    zone_stated: bool = True

    _required: ClassVar[FrozenSet[str]] = frozenset(
        []
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Envelope":
        """Makes it of JSON."""
        get = json.get
        return cls(
            container=get("container"),
            namespace=get("namespace"),
            node=get("node"),
            pid=get("pid"),
            pod=get("pod"),
            program=get("program"),
            stream=get("stream"),
            time=get("time"),
            year_stated=get("year_stated", True),
            zone_stated=get("zone_stated", True),
        )


@dataclass
class Event(Struct):
    """A line of `kwhy events -o ndjson`"""

    #: The number of times it was seen.
    count: int
    #: The format it was read from.
    format: Format
    #: The message.
    message: str
    #: The last unit of that age that was printed, in seconds: it may be older by less than this.
    age_resolution_s: Optional[int] = None
    #: The age at which it was last seen, in seconds back from the output.
    age_s: Optional[int] = None
    #: The place in the writer's source.
    caller: Optional[str] = None
    #: True if its end is missing.
    cut: bool = False
    #: What brought it here.
    envelope: Optional[Envelope] = None
    #: All other named values.
    fields: Dict[str, Any] = field(default_factory=dict)
    #: The age at which it was first seen, in seconds back from the output.
    first_age_s: Optional[int] = None
    #: The writer: the From column, a logger's name.
    from_: Optional[str] = None
    #: The line, counted from 1; absent in an event of an object.
    line: Optional[int] = None
    #: The reason, such as `FailedMount`.
    reason: Optional[str] = None
    #: The severity according to its writer.
    severity: Optional[Severity] = None
    #: The document's name; absent in an event of an object.
    source: Optional[str] = None
    #: The object that it is about.
    subject: Optional[Subject] = None
    #: The time in RFC 3339.
    time: Optional[str] = None
    #: The number of seconds by which its time precedes that of its writer's record before it.
    time_back_s: Optional[float] = None
    #: The type of an event of Kubernetes.
    type: Optional[EventType] = None
    #: False if no year is known: 1970, or 1972 for a leap day, is written then.
    year_stated: bool = True
    #: False if the time zone was not stated: UTC is taken then.
    zone_stated: bool = True

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['count', 'format', 'message']
    )
    _renamed: ClassVar[Mapping[str, str]] = {'from_': 'from'}

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Event":
        """Makes it of JSON."""
        get = json.get
        return cls(
            count=json["count"],
            format=json["format"],
            message=json["message"],
            age_resolution_s=get("age_resolution_s"),
            age_s=get("age_s"),
            caller=get("caller"),
            cut=get("cut", False),
            envelope=Envelope.from_dict(json["envelope"]) if get("envelope") is not None else None,
            fields=get("fields") or {},
            first_age_s=get("first_age_s"),
            from_=get("from"),
            line=get("line"),
            reason=get("reason"),
            severity=get("severity"),
            source=get("source"),
            subject=Subject.from_dict(json["subject"]) if get("subject") is not None else None,
            time=get("time"),
            time_back_s=get("time_back_s"),
            type=get("type"),
            year_stated=get("year_stated", True),
            zone_stated=get("zone_stated", True),
        )


@dataclass
class Evidence(Struct):
    """A line that proves a finding."""

    #: The column of the evidence's first character, counted from 1.
    column: int
    #: The line, counted from 1.
    line: int
    #: The document's name.
    source: str
    #: The line as it appears in the input; if it exceeds 4 KiB, the part around the evidence.
    text: str
    #: A short annotation of the evidence, for renderers that point at it.
    label: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['column', 'line', 'source', 'text']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Evidence":
        """Makes it of JSON."""
        get = json.get
        return cls(
            column=json["column"],
            line=json["line"],
            source=json["source"],
            text=json["text"],
            label=get("label"),
        )


@dataclass
class Explained(Struct):
    """A finding that another one explains."""

    #: The explained finding's rank.
    rank: int
    #: The reason why the one explains the other.
    why: str

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['rank', 'why']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Explained":
        """Makes it of JSON."""
        get = json.get
        return cls(
            rank=json["rank"],
            why=json["why"],
        )


@dataclass
class Finding(Struct):
    """A signature that matched, with its evidence."""

    #: The captured values by name.
    captures: Dict[str, str]
    #: The root cause's id, such as `storage/configmap-missing`.
    cause: str
    #: Read-only checks.
    check: List[Check]
    #: The confidence, from 0 to 1.
    confidence: float
    #: The number of occurrences.
    count: int
    #: The lines that prove it, the most informative first.
    evidence: List[Evidence]
    #: The rank of the finding that explains this one.
    explained_by: Optional[int]
    #: The findings that this one explains.
    explains: List[Explained]
    #: The time of the first occurrence.
    first: Optional[str]
    #: Fixes.
    fix: List[Fix]
    #: The time of the last occurrence.
    last: Optional[str]
    #: The position in the report, counted from 1.
    rank: int
    #: Links for further reading.
    references: List[str]
    #: Cause, symptom or benign.
    role: Role
    #: The severity.
    severity: Level
    #: The signature's id.
    signature: str
    #: Its state at the end of the input.
    state: State
    #: The object at fault.
    subject: Subject
    #: The fault in one line, with the captured values.
    title: str
    #: An explanation of the mechanism.
    why: str
    #: The differing values of further faults of the object, of the same kind.
    also: List[Dict[str, str]] = field(default_factory=list)
    #: True if `count` is a lower bound and `last` may be later, because a limit was reached.
    at_least: bool = False
    #: Further objects with the same fault, such as the other replicas.
    others: List[Subject] = field(default_factory=list)
    #: True if there may be more than `others`: its signature matched more objects than are distinguished.
    others_at_least: bool = False
    #: The line that shows that the fault is resolved.
    recovered: Optional[Evidence] = None
    #: The community rules that found it, with their own texts.
    rules: List[CommunityRule] = field(default_factory=list)

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['captures', 'cause', 'check', 'confidence', 'count', 'evidence', 'explained_by', 'explains', 'first', 'fix', 'last', 'rank', 'references', 'role', 'severity', 'signature', 'state', 'subject', 'title', 'why']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Finding":
        """Makes it of JSON."""
        get = json.get
        return cls(
            captures=json["captures"],
            cause=json["cause"],
            check=[Check.from_dict(each) for each in json["check"]],
            confidence=json["confidence"],
            count=json["count"],
            evidence=[Evidence.from_dict(each) for each in json["evidence"]],
            explained_by=get("explained_by"),
            explains=[Explained.from_dict(each) for each in json["explains"]],
            first=get("first"),
            fix=[Fix.from_dict(each) for each in json["fix"]],
            last=get("last"),
            rank=json["rank"],
            references=json["references"],
            role=json["role"],
            severity=json["severity"],
            signature=json["signature"],
            state=json["state"],
            subject=Subject.from_dict(json["subject"]),
            title=json["title"],
            why=json["why"],
            also=get("also") or [],
            at_least=get("at_least", False),
            others=[Subject.from_dict(each) for each in (get("others") or [])],
            others_at_least=get("others_at_least", False),
            recovered=Evidence.from_dict(json["recovered"]) if get("recovered") is not None else None,
            rules=[CommunityRule.from_dict(each) for each in (get("rules") or [])],
        )


@dataclass
class Fix(Struct):
    """A fix."""

    #: The program and its arguments; null if there is no command.
    argv: Optional[List[str]]
    #: The command line, with words quoted for a POSIX shell where necessary; null if there is no command.
    run: Optional[str]
    #: The action.
    text: str
    #: True if it deletes, empties, forces or drains something.
    destructive: bool = False
    #: The condition under which it is safe, worded to follow "only if".
    precondition: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['argv', 'run', 'text']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Fix":
        """Makes it of JSON."""
        get = json.get
        return cls(
            argv=get("argv"),
            run=get("run"),
            text=json["text"],
            destructive=get("destructive", False),
            precondition=get("precondition"),
        )


@dataclass
class InputSummary(Struct):
    """A summary of one document."""

    #: The formats found, the most frequent first; empty for plain text and empty inputs.
    formats: List[Format]
    #: The number of lines.
    lines: int
    #: The number of lines that no parser understood.
    not_understood: int
    #: The first of these lines, counted from 1.
    not_understood_lines: List[int]
    #: The segments, in order; for a large document only those that are not logs, up to 1000.
    segments: List[SegmentSummary]
    #: The document's name.
    source: str

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['formats', 'lines', 'not_understood', 'not_understood_lines', 'segments', 'source']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "InputSummary":
        """Makes it of JSON."""
        get = json.get
        return cls(
            formats=json["formats"],
            lines=json["lines"],
            not_understood=json["not_understood"],
            not_understood_lines=json["not_understood_lines"],
            segments=[SegmentSummary.from_dict(each) for each in json["segments"]],
            source=json["source"],
        )


@dataclass
class KindHealth(Struct):
    """The number of objects of one kind by their health, according to the last output of each."""

    #: The kind.
    kind: str
    #: The number of unhealthy objects.
    unwell: int
    #: The number of healthy objects.
    well: int
    #: True if the numbers are lower bounds, because the input has more objects than are kept.
    at_least: bool = False
    #: The number of healthy objects whose containers were restarted so recently that it may happen again.
    restarted: Optional[int] = None
    #: The first unhealthy objects, up to `KindHealth::NAMED`.
    unwell_objects: List[Subject] = field(default_factory=list)

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['kind', 'unwell', 'well']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "KindHealth":
        """Makes it of JSON."""
        get = json.get
        return cls(
            kind=json["kind"],
            unwell=json["unwell"],
            well=json["well"],
            at_least=get("at_least", False),
            restarted=get("restarted"),
            unwell_objects=[Subject.from_dict(each) for each in (get("unwell_objects") or [])],
        )


@dataclass
class LimitMet(Struct):
    """A limit that was reached or damage that was found; the rest was analyzed."""

    #: The kind.
    limit: str
    #: A description of what was omitted or done.
    message: str
    #: The document's name.
    source: str

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['limit', 'message', 'source']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "LimitMet":
        """Makes it of JSON."""
        get = json.get
        return cls(
            limit=json["limit"],
            message=json["message"],
            source=json["source"],
        )


@dataclass
class Record(Struct):
    """A line of `kwhy records`"""

    #: All other named values.
    fields: Dict[str, Any]
    #: The first line, counted from 1.
    line: int
    #: The number of lines.
    lines: int
    #: The message.
    message: str
    #: The place in the writer's source.
    caller: Optional[str] = None
    #: True if escapes or invisible characters were taken out of it.
    cleaned: bool = False
    #: True if its end is missing.
    cut: bool = False
    #: What brought it here.
    envelope: Optional[Envelope] = None
    #: The field that states the error.
    error: Optional[str] = None
    #: The level.
    level: Optional[RecordLevel] = None
    #: The logger's name.
    logger: Optional[str] = None
    #: The time in RFC 3339.
    time: Optional[str] = None
    #: The number of seconds by which its time precedes that of its writer's record before it.
    time_back_s: Optional[float] = None
    #: False if no year is known: 1970, or 1972 for a leap day, is written then.
    year_stated: bool = True
    #: False if the time zone was not stated: UTC is taken then.
    zone_stated: bool = True
    #: The document's name.
    source: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['fields', 'line', 'lines', 'message']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Record":
        """Makes it of JSON."""
        get = json.get
        return cls(
            fields=json["fields"],
            line=json["line"],
            lines=json["lines"],
            message=json["message"],
            caller=get("caller"),
            cleaned=get("cleaned", False),
            cut=get("cut", False),
            envelope=Envelope.from_dict(json["envelope"]) if get("envelope") is not None else None,
            error=get("error"),
            level=get("level"),
            logger=get("logger"),
            time=get("time"),
            time_back_s=get("time_back_s"),
            year_stated=get("year_stated", True),
            zone_stated=get("zone_stated", True),
            source=get("source"),
        )


@dataclass
class Report(Struct):
    """A report: `kwhy -o json`"""

    #: The findings, the most probable root cause first; a symptom follows its cause.
    findings: List[Finding]
    #: The documents that were read.
    inputs: List[InputSummary]
    #: Limits and damage that were encountered.
    limits: List[LimitMet]
    #: The number of matches of each signature, by id, including matches superseded by a more specific
    #: signature.
    matched: Dict[str, int]
    #: The schema, `SCHEMA`.
    schema: str
    #: Sizes and counts.
    stats: Stats
    #: The most relevant events that no finding covers.
    unexplained: List[Unexplained]
    #: The answer to "is something wrong?".
    verdict: Verdict
    #: The bundles among the inputs. Filled in by the caller that opens archives.
    bundles: List[BundleSummary] = field(default_factory=list)
    #: The time at which the input was collected: ages count back from then.
    collected_at: Optional[CollectedAt] = None
    #: The health of the objects in the input, by kind.
    health: List[KindHealth] = field(default_factory=list)
    #: Commands to run next if no cause is certain.
    next: List[Check] = field(default_factory=list)
    #: Node restarts, rollouts and the start of the cluster.
    situations: List[Situation] = field(default_factory=list)
    #: The number of log records by time and severity, if requested.
    timeline: Optional[TimelineReport] = None
    #: The latest time found in the input: its end, or somewhat before that.
    until: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['findings', 'inputs', 'limits', 'matched', 'schema', 'stats', 'unexplained', 'verdict']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Report":
        """Makes it of JSON."""
        get = json.get
        return cls(
            findings=[Finding.from_dict(each) for each in json["findings"]],
            inputs=[InputSummary.from_dict(each) for each in json["inputs"]],
            limits=[LimitMet.from_dict(each) for each in json["limits"]],
            matched=json["matched"],
            schema=json["schema"],
            stats=Stats.from_dict(json["stats"]),
            unexplained=[Unexplained.from_dict(each) for each in json["unexplained"]],
            verdict=json["verdict"],
            bundles=[BundleSummary.from_dict(each) for each in (get("bundles") or [])],
            collected_at=CollectedAt.from_dict(json["collected_at"]) if get("collected_at") is not None else None,
            health=[KindHealth.from_dict(each) for each in (get("health") or [])],
            next=[Check.from_dict(each) for each in (get("next") or [])],
            situations=[Situation.from_dict(each) for each in (get("situations") or [])],
            timeline=TimelineReport.from_dict(json["timeline"]) if get("timeline") is not None else None,
            until=get("until"),
        )


@dataclass
class SegmentSummary(Struct):
    """A run of lines in one format."""

    #: The first line, counted from 1.
    first_line: int
    #: The format.
    format: Format
    #: The last line.
    last_line: int

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['first_line', 'format', 'last_line']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "SegmentSummary":
        """Makes it of JSON."""
        get = json.get
        return cls(
            first_line=json["first_line"],
            format=json["format"],
            last_line=json["last_line"],
        )


@dataclass
class Situation(Struct):
    """A state that a cluster is going through, besides its faults."""

    situation: Literal["starting", "node_restarted", "rollout"]
    #: The time at which the first node was created.
    since: Optional[str] = None
    #: The time at which they ended.
    at: Optional[str] = None
    #: The node's name.
    node: Optional[str] = None
    #: The workload.
    object: Optional[Subject] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['situation']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Situation":
        """Makes it of JSON."""
        get = json.get
        return cls(
            situation=json["situation"],
            since=get("since"),
            at=get("at"),
            node=get("node"),
            object=Subject.from_dict(json["object"]) if get("object") is not None else None,
        )


@dataclass
class Stats(Struct):
    """Sizes and counts of an analysis."""

    #: Bytes read.
    bytes: int
    #: Events.
    events: int
    #: Lines read.
    lines: int
    #: Records: events and objects.
    records: int

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['bytes', 'events', 'lines', 'records']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Stats":
        """Makes it of JSON."""
        get = json.get
        return cls(
            bytes=json["bytes"],
            events=json["events"],
            lines=json["lines"],
            records=json["records"],
        )


@dataclass
class Subject(Struct):
    """The object that an event is about: kind, namespace and name, and where known the container in it and the node it runs on. What the input does not say is absent."""

    #: The container inside the pod.
    container: Optional[str] = None
    #: The kind in its API spelling, such as `Pod`.
    kind: Optional[str] = None
    #: The object's name.
    name: Optional[str] = None
    #: The namespace.
    namespace: Optional[str] = None
    #: The node that it runs on.
    node: Optional[str] = None

    _required: ClassVar[FrozenSet[str]] = frozenset(
        []
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Subject":
        """Makes it of JSON."""
        get = json.get
        return cls(
            container=get("container"),
            kind=get("kind"),
            name=get("name"),
            namespace=get("namespace"),
            node=get("node"),
        )


@dataclass
class TimelineBucket(Struct):
    """A time span that contains records."""

    #: Errors.
    error: int
    #: Fatal ones.
    fatal: int
    #: Information.
    info: int
    #: Debugging, and records without a severity.
    other: int
    #: The start.
    start: str
    #: Warnings.
    warning: int

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['error', 'fatal', 'info', 'other', 'start', 'warning']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "TimelineBucket":
        """Makes it of JSON."""
        get = json.get
        return cls(
            error=json["error"],
            fatal=json["fatal"],
            info=json["info"],
            other=json["other"],
            start=json["start"],
            warning=json["warning"],
        )


@dataclass
class TimelineReport(Struct):
    """Records over time by severity."""

    #: The width of a bucket in seconds.
    bucket_seconds: int
    #: The non-empty buckets, in chronological order.
    buckets: List[TimelineBucket]
    #: Records without a time.
    without_time: Counts

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['bucket_seconds', 'buckets', 'without_time']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "TimelineReport":
        """Makes it of JSON."""
        get = json.get
        return cls(
            bucket_seconds=json["bucket_seconds"],
            buckets=[TimelineBucket.from_dict(each) for each in json["buckets"]],
            without_time=Counts.from_dict(json["without_time"]),
        )


@dataclass
class Unexplained(Struct):
    """Events that no finding covers, grouped."""

    #: The number of occurrences.
    count: int
    #: An example.
    evidence: List[Evidence]
    #: The event's reason, or its message if it has none.
    reason: str
    #: The severity stated by the writer.
    severity: Optional[Severity]
    #: `over` if its log continued without it, or its object has been healthy since.
    state: State
    #: True if `count` is a lower bound: some records that report errors were skipped or not kept apart.
    at_least: bool = False

    _required: ClassVar[FrozenSet[str]] = frozenset(
        ['count', 'evidence', 'reason', 'severity', 'state']
    )

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Unexplained":
        """Makes it of JSON."""
        get = json.get
        return cls(
            count=json["count"],
            evidence=[Evidence.from_dict(each) for each in json["evidence"]],
            reason=json["reason"],
            severity=get("severity"),
            state=json["state"],
            at_least=get("at_least", False),
        )
