"""Finds the root cause of a Kubernetes failure in pasted output, logs and bundles, offline.

>>> import kwhy
>>> paste = 'Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume "conf" : configmap "cart" not found'
>>> kwhy.analyze(paste.encode()).causes
['storage/configmap-missing']

A source is a path (file, folder or archive), bytes, a binary file, or an iterable of (name, bytes) pairs: the members of a
bundle one by one. The options are those of the command line, with the same meaning. Other Python threads run while a source is
read.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Dict, Optional, Sequence, Tuple

from kwhy import _given, _kwhy
from kwhy._errors import Error, InputError, OptionError, SignatureError
from kwhy._given import Limits, Path, Patterns, Source, Time
from kwhy._kwhy import __version__
from kwhy._report import Report
from kwhy._stream import Object, Stream, is_object
from kwhy._types import (
    BundleSummary, Envelope, Check, CollectedAt, Event, Evidence, Finding, Fix, InputSummary, KindHealth,
    LimitMet, Record, Stats, Subject, TimelineReport, Unexplained,
)

__all__ = [
    "Analyzer", "BundleSummary", "Envelope", "Check", "CollectedAt", "Error", "Event", "Evidence",
    "Finding", "Fix", "InputError", "InputSummary", "KindHealth", "LimitMet", "Object", "OptionError",
    "Record", "Report", "SignatureError", "Stats", "Stream", "Subject", "TimelineReport", "Unexplained",
    "__version__", "analyze", "events", "objects", "records",
]


class Analyzer:
    """Diagnoses any number of inputs with the same options. Signatures are compiled only once.

    An analyzer may be used from several threads at once.
    """

    def __init__(
        self,
        *,
        signatures: Sequence[Path] = (),
        builtin: bool = True,
        limits: Optional[Limits] = None,
        include: Patterns = (),
        exclude: Patterns = (),
        namespace: Optional[str] = None,
        since: Optional[Time] = None,
        until: Optional[Time] = None,
        now: Optional[Time] = None,
        min_severity: Optional[str] = None,
        min_confidence: Optional[float] = None,
        top: Optional[int] = None,
        redact: bool = False,
        redact_key: Optional[str] = None,
        show_secrets: bool = False,
        audit: bool = False,
        timeline: bool = False,
        threads: Optional[int] = None,
    ) -> None:
        options = {
            **_reading(limits, include, exclude, now, redact, redact_key, show_secrets, threads),
            "signatures": list(_many(signatures)),
            "no_builtin": not builtin,
            "namespace": namespace,
            "since": since,
            "until": until,
            "min_severity": min_severity,
            "min_confidence": min_confidence,
            "top": top,
            "audit": audit,
            "timeline": timeline,
        }
        typed = tuple(_given.typed(None, options))
        # signature files may change, so their analyzers are not cached
        self._diagnoser = _diagnoser(typed) if not signatures else _kwhy.Diagnoser(list(typed))

    def analyze(
        self, source: Source, *, name: Optional[str] = None, context: bool = True
    ) -> Report:
        """Diagnoses a source as one incident. ``name`` is the name in the report of a source without a path.

        With ``context``, copies of small documents are kept while reading, so that the HTML page can show the lines around the
        evidence.

        Raises:
            InputError: if nothing can be read. Parts that cannot be read are listed in ``Report.limits``.
        """
        text, rendered, left_out = self._diagnoser.run(_given.given(source, name), context)
        report = Report.from_dict(json.loads(text))
        report.left_out, report._rendered = left_out, rendered
        return report


@lru_cache(maxsize=8)
def _diagnoser(typed: Tuple[str, ...]) -> _kwhy.Diagnoser:
    return _kwhy.Diagnoser(list(typed))


def _many(values: Any) -> Sequence[Any]:
    return (values,) if isinstance(values, str) or hasattr(values, "__fspath__") else values


def _reading(
    limits: Optional[Limits],
    include: Patterns,
    exclude: Patterns,
    now: Optional[Time],
    redact: bool,
    redact_key: Optional[str],
    show_secrets: bool,
    threads: Optional[int],
) -> Dict[str, Any]:
    """Returns the options common to all functions that read a source."""
    return {
        "limit": dict(limits or {}),
        "include": list(_many(include)),
        "exclude": list(_many(exclude)),
        "now": now,
        "redact": redact,
        "redact_key": redact_key,
        "show_secrets": show_secrets,
        "threads": _given.threads(threads),
    }


def analyze(source: Source, *, name: Optional[str] = None, **options: Any) -> Report:
    """Diagnoses a source as one incident, with the options of :class:`Analyzer`.

    Raises:
        OptionError: if an option is invalid.
        SignatureError: if a signature in ``signatures`` is invalid, with its file and line.
        InputError: if nothing can be read from the source.
    """
    return Analyzer(**options).analyze(source, name=name)


def events(
    source: Source,
    *,
    name: Optional[str] = None,
    order: str = "input",
    min_severity: Optional[str] = None,
    component: Optional[str] = None,
    subject: Optional[str] = None,
    reason: Optional[str] = None,
    text: Optional[str] = None,
    since: Optional[Time] = None,
    until: Optional[Time] = None,
    limits: Optional[Limits] = None,
    include: Patterns = (),
    exclude: Patterns = (),
    now: Optional[Time] = None,
    redact: bool = False,
    redact_key: Optional[str] = None,
    show_secrets: bool = False,
    threads: Optional[int] = None,
    share: Optional[Tuple[int, int]] = None,
) -> Stream[Event]:
    """Iterates over the typed events of a source, as ``kwhy events`` prints them.

    ``order`` is ``input`` or ``time``; with ``time``, no event is returned before everything was read. ``share=(k, n)`` selects
    part k, counted from 0, of n parts of a bundle, so that n machines can read it together: each document is in exactly one part.
    """
    options = {
        **_reading(limits, include, exclude, now, redact, redact_key, show_secrets, threads),
        "output": "ndjson",
        "order": order,
        "min_severity": min_severity,
        "component": component,
        "subject": subject,
        "reason": reason,
        "text": text,
        "since": since,
        "until": until,
    }
    typed = _given.typed("events", options)
    return Stream(typed, _given.given(source, name), share, Event.from_dict, "events")


def records(
    source: Source,
    *,
    name: Optional[str] = None,
    limits: Optional[Limits] = None,
    include: Patterns = (),
    exclude: Patterns = (),
    redact: bool = False,
    redact_key: Optional[str] = None,
    show_secrets: bool = False,
    threads: Optional[int] = None,
    share: Optional[Tuple[int, int]] = None,
) -> Stream[Record]:
    """Iterates over the log records of a source in a uniform format, as ``kwhy records`` prints them."""
    options = _reading(limits, include, exclude, None, redact, redact_key, show_secrets, threads)
    typed = _given.typed("records", options)
    return Stream(typed, _given.given(source, name), share, Record.from_dict, "records")


def objects(
    source: Source,
    *,
    name: Optional[str] = None,
    limits: Optional[Limits] = None,
    include: Patterns = (),
    exclude: Patterns = (),
    redact: bool = False,
    redact_key: Optional[str] = None,
    show_secrets: bool = False,
    threads: Optional[int] = None,
    share: Optional[Tuple[int, int]] = None,
) -> Stream[Object]:
    """Iterates over the objects in a source, as ``kwhy objects`` prints them.

    Events that belong to no object are not included; :func:`events` returns those.
    """
    options = _reading(limits, include, exclude, None, redact, redact_key, show_secrets, threads)
    typed = _given.typed("objects", {**options, "output": "ndjson"})
    return Stream(typed, _given.given(source, name), share, _object, "objects")


def _object(row: Dict[str, Any]) -> Optional[Object]:
    return Object.from_dict(row) if is_object(row) else None
