"""Arrow tables: the schema of each kind of row, and the conversion from JSON."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

import pyarrow as pa

from kwhy._stream import is_object

TIME = pa.timestamp("us", tz="UTC")
TEXTS = pa.map_(pa.string(), pa.string())
SUBJECT = pa.struct(
    [(name, pa.string()) for name in ("kind", "namespace", "name", "container", "node")]
)
ENVELOPE = pa.struct(
    [("time", TIME)]
    + [(n, pa.string()) for n in ("stream", "namespace", "pod", "container", "node", "program", "pid")]
)
EVIDENCE = pa.list_(
    pa.struct(
        [("source", pa.string()), ("line", pa.int64()), ("column", pa.int64()), ("text", pa.string())]
    )
)


def columns(**kinds: Any) -> pa.Schema:
    return pa.schema(list(kinds.items()))


SCHEMAS: Dict[str, pa.Schema] = {
    "events": columns(
        source=pa.string(), line=pa.int64(), format=pa.string(), time=TIME, year_stated=pa.bool_(),
        zone_stated=pa.bool_(), age_s=pa.int64(), first_age_s=pa.int64(), count=pa.int64(),
        type=pa.string(), severity=pa.string(), **{"from": pa.string()}, subject=SUBJECT,
        reason=pa.string(), message=pa.string(), caller=pa.string(), fields=TEXTS, envelope=ENVELOPE,
        cut=pa.bool_(),
    ),
    "records": columns(
        source=pa.string(), line=pa.int64(), lines=pa.int64(), level=pa.string(), time=TIME,
        year_stated=pa.bool_(), zone_stated=pa.bool_(), message=pa.string(), logger=pa.string(),
        caller=pa.string(), error=pa.string(), fields=TEXTS, envelope=ENVELOPE, cleaned=pa.bool_(),
        cut=pa.bool_(),
    ),
    "objects": columns(
        kind=pa.string(), namespace=pa.string(), name=pa.string(), values=TEXTS,
        events=pa.int64(),
    ),
    "findings": columns(
        rank=pa.int32(), cause=pa.string(), signature=pa.string(), role=pa.string(),
        severity=pa.string(), state=pa.string(), confidence=pa.float64(), title=pa.string(),
        subject=SUBJECT, captures=TEXTS, count=pa.int64(), first=TIME, last=TIME,
        explained_by=pa.int32(), why=pa.string(), evidence=EVIDENCE,
    ),
}


def time(text: Optional[str]) -> Optional[datetime]:
    """Parses an RFC 3339 time in UTC, truncated to microseconds. Returns None if there is none."""
    if not text:
        return None
    whole, _, fraction = text.rstrip("Z").partition(".")
    try:
        made = datetime.strptime(whole[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        # a year that Python cannot represent
        return None
    return made.replace(microsecond=int((fraction + "000000")[:6]), tzinfo=timezone.utc)


def texts(values: Optional[Dict[str, Any]]) -> List[Any]:
    """Converts named values to (name, text) pairs. Values that are not strings become JSON."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in (values or {}).items()
    ]


def _envelope(envelope: Optional[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
    return envelope and {**envelope, "time": time(envelope.get("time"))}


def _record(row: Dict[str, Any]) -> Dict[str, Any]:
    made = {"year_stated": True, "zone_stated": True, "cut": False, "cleaned": False, **row}
    made["time"] = time(row.get("time"))
    made["fields"] = texts(row.get("fields"))
    made["envelope"] = _envelope(row.get("envelope"))
    return made


def _object(row: Dict[str, Any]) -> Dict[str, Any]:
    own = ("kind", "namespace", "name", "events")
    made = {name: row.get(name) for name in own[:3]}
    values = {name: value for name, value in row.items() if name not in own}
    return {**made, "values": texts(values), "events": len(row.get("events", []))}


def finding(row: Dict[str, Any]) -> Dict[str, Any]:
    """Converts a finding of a report to a row."""
    made = {name: row.get(name) for name in SCHEMAS["findings"].names}
    made["captures"] = texts(row.get("captures"))
    made["first"] = time(row.get("first"))
    made["last"] = time(row.get("last"))
    return made


ROWS: Dict[str, Callable[[Dict[str, Any]], Dict[str, Any]]] = {
    "events": _record,
    "records": _record,
    "objects": _object,
    "findings": finding,
}


def batches(kind: str, rows: Iterable[Dict[str, Any]], size: int) -> pa.RecordBatchReader:
    """Converts rows of JSON to record batches of at most ``size`` rows."""
    schema, make = SCHEMAS[kind], ROWS[kind]
    if kind == "objects":
        rows = (row for row in rows if is_object(row))

    def read() -> Iterator[pa.RecordBatch]:
        left = iter(rows)
        while True:
            some = [make(row) for row in islice(left, size)]
            if not some:
                return
            yield pa.RecordBatch.from_pylist(some, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, read())


def findings(reports: Iterable[Any]) -> pa.Table:
    """Returns the findings of all reports as one table."""
    rows = (each.to_dict() for report in reports for each in report.findings)
    return batches("findings", rows, 8192).read_all()
