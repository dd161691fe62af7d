"""Bundles as rows of Spark: ``spark.read.format("kwhy").option("what", "findings").load("s3a://bundles/inbox")``.

A task reads one bundle, or several small ones. One that is broken is a row with its error, never a failed task. Register it first::

    from kwhy_spark import KwhyDataSource
    spark.dataSource.register(KwhyDataSource)
"""

from __future__ import annotations

import fnmatch
import gc
import os
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from functools import cached_property, lru_cache
from typing import Any, Dict, Iterator, List, Optional, Tuple
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.fs as pafs
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

SUBJECT = "struct<kind:string,namespace:string,name:string,container:string,node:string>"
LIMIT = "struct<limit:string,source:string,message:string>"
BUNDLE = "bundle string, day date, tags map<string,string>, bytes bigint"
FINDING = f"""
    rank int, cause string, signature string, role string, severity string, state string, confidence double,
    title string, subject {SUBJECT}, captures map<string,string>, count bigint, first string, last string,
    explained_by int, why string, evidence array<struct<source:string,line:bigint,column:bigint,text:string>>
"""
EVENT = f"""
    source string, line bigint, format string, time timestamp, year_stated boolean, zone_stated boolean,
    age_s bigint, first_age_s bigint, count bigint, type string, severity string, `from` string,
    subject {SUBJECT}, reason string, message string, caller string, fields map<string,string>,
    envelope struct<time:timestamp,stream:string,namespace:string,pod:string,container:string,node:string,
                   program:string,pid:string>,
    cut boolean
"""
#: The columns of each ``what``. Every bundle has at least one row of findings, inputs and bundles.
SCHEMAS = {
    "findings": f"{BUNDLE}, verdict string, {FINDING}, limits array<{LIMIT}>, error string",
    "inputs": f"""{BUNDLE}, verdict string, source string, lines bigint, formats array<string>,
        not_understood bigint, error string""",
    "bundles": f"""{BUNDLE}, verdict string, lines bigint, records bigint, members bigint,
        layouts array<string>, missing array<string>, causes array<string>, limits array<{LIMIT}>, error string""",
    "events": f"{BUNDLE}, {EVENT}, error string",
}
#: Options that have the name and meaning of those of the command line.
TEXTS = ("namespace", "since", "until", "now", "min_severity", "min_confidence", "redact_key", "signatures")
FLAGS = ("redact", "show_secrets", "audit")
#: Those of them that events do not have.
OF_FINDINGS = ("namespace", "min_confidence", "signatures", "audit")
#: The day of a bundle of which none is known, where days are chosen: ``days=2024-03-04,2024-03-05``.
NO_DAY = "unknown"
#: A bundle that can be read in parts is, if it is larger: ``splitBytes``.
SPLIT_BYTES = 256 << 20
#: Bundles go to one task up to these bytes together, which a core reads in a fifth of a second: ``taskBytes``.
TASK_BYTES = 8 << 20
#: What a bundle counts for beside its bytes: as much is read in the time that it takes whatever its size.
BUNDLE_BYTES = 256 << 10


@dataclass
class Bundle:
    """A file or folder that is one incident."""

    #: As ``kwhy scan`` names it, or its URI.
    name: str
    path: str
    is_folder: bool
    size: int
    day: Optional[date] = None
    tags: Dict[str, str] = field(default_factory=dict)


@dataclass
class Task(InputPartition):
    """Bundles that are read one after the other; a share of a single one is its ``part`` of ``parts``."""

    bundles: List[Bundle]
    part: int = 0
    parts: int = 1


def filesystem(uri: str, options: Dict[str, str]) -> Tuple[pafs.FileSystem, str, str]:
    """The file system of a URI, the path in it, and what comes before a path in the name of a bundle.

    Credentials are those of the environment of a task (a role, variables, a profile): options are shown in plans.
    """
    parts = urlsplit(uri)
    if parts.scheme in ("", "file"):
        return pafs.LocalFileSystem(), parts.path if parts.scheme else uri, ""
    before = f"{parts.scheme}://"
    path = parts.netloc + parts.path
    if parts.scheme in ("s3", "s3a", "s3n"):
        known = {"endpoint_override": options.get("endpoint"), "region": options.get("region")}
        known = {name: value for name, value in known.items() if value}
        if str(options.get("anonymous", "")).lower() == "true":
            known["anonymous"] = True
        if str(options.get("endpoint", "")).startswith("http://"):
            known["scheme"] = "http"
            known["endpoint_override"] = options["endpoint"][len("http://"):]
        return pafs.S3FileSystem(**known), path, before
    return (*pafs.FileSystem.from_uri(uri), before)


def bundles(uri: str, options: Dict[str, str]) -> List[Bundle]:
    """The bundles at a URI, as ``kwhy scan`` finds them: of a folder its files and folders, of a glob what fits it.

    Folders such as ``customer=acme`` and ``day=2024-03-04`` are no bundles: they say something of those in them.
    """
    system, path, before = filesystem(uri, options)
    path = path.rstrip("/") or "/"
    fixed = path.split("/")
    globs = next((i for i, part in enumerate(fixed) if any(c in part for c in "*?[")), len(fixed))
    root = "/".join(fixed[:globs]) or ("/" if path.startswith("/") else ".")
    if globs < len(fixed):
        open_ = [root]
        for pattern in fixed[globs:]:
            if pattern == "**":
                open_ = [each for folder in open_ for each in folders(system, folder)]
                kept = [system.get_file_info(each) for each in open_]
                continue
            inside = [each for folder in open_ for each in listed(system, folder)]
            kept = [it for it in inside if fnmatch.fnmatchcase(os.path.basename(it.path), pattern)]
            open_ = [it.path for it in kept if it.type == pafs.FileType.Directory]
        infos = kept
    else:
        info = system.get_file_info(root)
        if info.type == pafs.FileType.NotFound:
            raise FileNotFoundError(f"there is nothing at {uri}")
        infos = [info] if info.type == pafs.FileType.File else listed(system, root)
    made: Dict[str, Bundle] = {}
    while infos:
        info = infos.pop()
        is_folder = info.type == pafs.FileType.Directory
        if is_folder and "=" in os.path.basename(info.path):
            infos += listed(system, info.path)
            continue
        tags = dict(part.split("=", 1) for part in info.path.split("/")[:-1] if "=" in part)
        size, changed = info.size or 0, info.mtime
        if is_folder:
            size, changed = measured(system, info.path, changed)
        day = arrival(tags.get("day"), changed)
        name = before + info.path
        # a glob may name a folder and what is in it
        made[name] = Bundle(name, info.path, is_folder, size, day, tags)
    return [made[name] for name in sorted(made)]


def measured(
    system: pafs.FileSystem, folder: str, changed: Optional[datetime]
) -> Tuple[int, Optional[datetime]]:
    """The bytes below a folder, and the time of the last change; what cannot be listed is told when it is read."""
    if not isinstance(system, pafs.LocalFileSystem):
        files = system.get_file_info(pafs.FileSelector(folder, recursive=True))
        newest = max((each.mtime for each in files if each.mtime), default=changed)
        return sum(each.size or 0 for each in files), newest
    size, newest_ns = 0, 0
    # links are not followed: they may lead back
    for here, _, names in os.walk(folder):
        for name in names:
            try:
                found = os.lstat(os.path.join(here, name))
            except OSError:
                continue
            size += found.st_size
            newest_ns = max(newest_ns, found.st_mtime_ns)
    return size, datetime.fromtimestamp(newest_ns / 1e9, timezone.utc) if newest_ns else changed


def listed(system: pafs.FileSystem, folder: str) -> List[pafs.FileInfo]:
    found = system.get_file_info(pafs.FileSelector(folder, allow_not_found=True))
    if isinstance(system, pafs.LocalFileSystem):
        # a link may lead anywhere
        found = [each for each in found if not os.path.islink(each.path)]
    kinds = (pafs.FileType.File, pafs.FileType.Directory)
    return [each for each in found if each.type in kinds and each.path.rstrip("/") != folder]


def folders(system: pafs.FileSystem, folder: str) -> Iterator[str]:
    """A folder and all folders below it."""
    yield folder
    for each in listed(system, folder):
        if each.type == pafs.FileType.Directory:
            yield from folders(system, each.path)


def arrival(tag: Optional[str], changed: Optional[datetime]) -> Optional[date]:
    """The day at which a bundle came in: that of its folder, or that of its last change."""
    try:
        return date.fromisoformat(tag) if tag else changed.astimezone(timezone.utc).date()
    except (ValueError, AttributeError):
        return None


def opened(system: pafs.FileSystem, path: str) -> pa.NativeFile:
    """An object as it is: Arrow would unpack what is called ``.gz``, past the limits of kwhy."""
    return system.open_input_stream(path, compression=None)


def parts_of(bundle: Bundle, what: str, is_local: bool, split: int) -> int:
    """The number of parts that a bundle is read in: more than one if its members can be passed over without unpacking them.

    Findings are those of a whole: what explains what is seen in no part alone.
    """
    if what != "events" or not is_local or bundle.size <= split:
        return 1
    if not bundle.is_folder:
        with open(bundle.path, "rb") as file:
            head = file.read(512)
        if not head.startswith(b"PK") and head[257:262] != b"ustar":
            return 1
    return -(-bundle.size // split)


def grouped(bundles: List[Bundle], together: int, task_bytes: int) -> Iterator[List[Bundle]]:
    """The bundles of each task, in their order: so many, or as many as are small enough."""
    group: List[Bundle] = []
    total = 0
    for bundle in bundles:
        size = bundle.size + BUNDLE_BYTES
        if group and (len(group) >= together if together else total + size > task_bytes):
            yield group
            group, total = [], 0
        group.append(bundle)
        total += size
    if group:
        yield group


@lru_cache(maxsize=1)
def keep_modules() -> None:
    """Takes what a worker of Spark has imported out of the garbage collector's sight.

    Spark's daemon collects all garbage after each task, and to pass over the objects of Arrow, pandas and Spark took 33 ms each time:
    more than to read a bundle.
    """
    gc.freeze()


class KwhyDataSource(DataSource):
    """The data source ``kwhy``."""

    @classmethod
    def name(cls) -> str:
        return "kwhy"

    def _what(self) -> str:
        what = self.options.get("what", "findings")
        if what not in SCHEMAS:
            raise ValueError(f"what is one of {', '.join(SCHEMAS)}, not {what!r}")
        return what

    def schema(self) -> str:
        return SCHEMAS[self._what()]

    def reader(self, schema: Any) -> "KwhyReader":
        return KwhyReader(self._what(), dict(self.options), schema)


class KwhyReader(DataSourceReader):
    """Divides bundles into tasks, and reads those of one."""

    def __init__(self, what: str, options: Dict[str, str], schema: Any) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        self.what = what
        # names of options come in small letters, whatever was typed
        self.options = {name.lower(): value for name, value in options.items()}
        self.arrow = to_arrow_schema(schema, timezone="UTC")
        self.reading = self._options()

    def _options(self) -> Dict[str, Any]:
        """The options of the package ``kwhy``."""
        given = {name.replace("_", ""): value for name, value in self.options.items()}
        if self.what == "events" and (wrong := [it for it in OF_FINDINGS if it.replace("_", "") in given]):
            raise ValueError(f"events have no option {', '.join(wrong)}")
        reading: Dict[str, Any] = {"threads": int(given.get("threads", 1))}
        for name in TEXTS:
            if (value := given.get(name.replace("_", ""))) is not None:
                reading[name] = [value] if name == "signatures" else value
        for name in FLAGS:
            reading[name] = given.get(name.replace("_", ""), "false").lower() == "true"
        limits = {k[len("limit."):]: v for k, v in self.options.items() if k.startswith("limit.")}
        for name in ("include", "exclude"):
            if name in given:
                reading[name] = given[name].split(",")
        return {**reading, "limits": limits}

    def partitions(self) -> List[InputPartition]:
        uri = self.options.get("path")
        if not uri:
            raise ValueError("load() is given a path: file:///bundles, s3a://bucket/folder")
        system, _, _ = filesystem(uri, self.options)
        is_local = isinstance(system, pafs.LocalFileSystem)
        split = int(self.options.get("splitbytes", SPLIT_BYTES))
        together = max(int(self.options.get("bundlespertask", 0)), 0)
        task_bytes = int(self.options.get("taskbytes", TASK_BYTES))
        tasks: List[InputPartition] = []
        small: List[Bundle] = []
        days = set(filter(None, self.options.get("days", "").split(",")))
        for bundle in bundles(uri, self.options):
            if days and str(bundle.day or NO_DAY) not in days:
                continue
            parts = parts_of(bundle, self.what, is_local, split)
            if parts > 1:
                tasks += [Task([bundle], part, parts) for part in range(parts)]
                continue
            small.append(bundle)
        tasks += [Task(group) for group in grouped(small, together, task_bytes)]
        # Spark asks for one partition at least
        return tasks or [Task([])]

    def read(self, partition: Task) -> Iterator[pa.RecordBatch]:
        for bundle in partition.bundles:
            share = (partition.part, partition.parts) if partition.parts > 1 else None
            own = {"bundle": bundle.name, "day": bundle.day, "bytes": bundle.size}
            own["tags"] = list(bundle.tags.items())
            try:
                if self.what == "events":
                    yield from self._events(bundle, own, share)
                else:
                    yield self._batch([{**own, **row} for row in self._rows(bundle)])
            except Exception as error:  # noqa: BLE001 - a bundle never fails the job
                yield self._batch([{**own, "error": f"{type(error).__name__}: {error}"}])
        # now all is imported that a task needs
        keep_modules()

    def _batch(self, rows: List[Dict[str, Any]]) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist(rows, schema=self.arrow)

    def _given(self, bundle: Bundle) -> Tuple[Any, Optional[str]]:
        """What kwhy reads: a path, a stream of an object, or the objects below a folder one by one."""
        system, _, before = filesystem(self.options["path"], self.options)
        if isinstance(system, pafs.LocalFileSystem):
            return bundle.path, None
        if not bundle.is_folder:
            return opened(system, bundle.path), bundle.name
        files = system.get_file_info(pafs.FileSelector(bundle.path, recursive=True))
        files = sorted((it for it in files if it.type == pafs.FileType.File), key=lambda it: it.path)
        start = len(bundle.path) - len(os.path.basename(bundle.path))
        members = ((it.path[start:], opened(system, it.path)) for it in files)
        return members, bundle.name

    @cached_property
    def _analyzer(self) -> Any:
        import kwhy

        return kwhy.Analyzer(**self.reading)

    def _rows(self, bundle: Bundle) -> Iterator[Dict[str, Any]]:
        source, name = self._given(bundle)
        report = self._analyzer.analyze(source, name=name, context=False)
        limits = [each.to_dict() for each in report.limits]
        of_bundle: Dict[str, Any] = {"verdict": report.verdict}
        if self.what == "bundles":
            yield {
                **of_bundle, "lines": report.stats.lines, "records": report.stats.records,
                "members": sum(it.members for it in report.bundles),
                "layouts": sorted({layout for it in report.bundles for layout in it.layouts}),
                "missing": sorted({what for it in report.bundles for what in it.missing}),
                "causes": report.causes, "limits": limits,
            }
        elif self.what == "inputs":
            made = [
                {**of_bundle, "source": it.source, "lines": it.lines, "formats": it.formats,
                 "not_understood": it.not_understood}
                for it in report.inputs
            ]
            yield from made or [of_bundle]
        else:
            made = []
            for finding in report.findings:
                row = finding.to_dict()
                row["captures"] = list(row["captures"].items())
                made.append({**of_bundle, **row, "limits": limits})
            yield from made or [{**of_bundle, "limits": limits}]

    def _events(self, bundle: Bundle, own: Dict[str, Any], share: Any) -> Iterator[pa.RecordBatch]:
        import kwhy

        source, name = self._given(bundle)
        options = {name: value for name, value in self.reading.items() if name not in OF_FINDINGS}
        with kwhy.events(source, name=name, share=share, **options) as stream:
            for batch in stream.to_batches():
                columns = []
                for column in self.arrow:
                    if column.name in own:
                        value = pa.array([own[column.name]], column.type)
                        columns.append(value.take(pa.array([0] * len(batch), pa.int32())))
                    elif column.name in batch.schema.names:
                        columns.append(batch.column(column.name).cast(column.type))
                    else:
                        columns.append(pa.nulls(len(batch), column.type))
                yield pa.RecordBatch.from_arrays(columns, schema=self.arrow)
