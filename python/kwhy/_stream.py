"""Events, objects and records that are read while one iterates."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, Iterator, List, Optional, Tuple
from typing import TypeVar

from kwhy import _kwhy
from kwhy._types import Event, LimitMet

if TYPE_CHECKING:
    import pyarrow

T = TypeVar("T")


def is_object(row: Dict[str, Any]) -> bool:
    """An event that belongs to no object has a message, which no object has beside a count and a subject."""
    return not ("message" in row and "count" in row and "subject" in row)


@dataclass
class Object:
    """An object as the input shows it: a description, an API object, a row of a table."""

    kind: Optional[str] = None
    namespace: Optional[str] = None
    name: Optional[str] = None
    #: What was printed of it, by its names in snake case; ages in seconds.
    values: Dict[str, Any] = field(default_factory=dict)
    events: List[Event] = field(default_factory=list)

    @classmethod
    def from_dict(cls, json: Dict[str, Any]) -> "Object":
        """Makes it of a line of ``kwhy objects -o ndjson``."""
        values = dict(json)
        made = cls(values.pop("kind", None), values.pop("namespace", None), values.pop("name", None))
        made.events = [Event.from_dict(event) for event in values.pop("events", [])]
        made.values = values
        return made

    def to_dict(self) -> Dict[str, Any]:
        """As JSON."""
        out: Dict[str, Any] = {"kind": self.kind, "namespace": self.namespace, "name": self.name}
        out = {name: value for name, value in out.items() if value is not None}
        out.update(self.values)
        if self.events:
            out["events"] = [event.to_dict() for event in self.events]
        return out


class Stream(Generic[T]):
    """An iterator that reads its input as it goes: it never holds all of it.

    It ends the reading when it is closed, or left as a context. What ``limits`` has is complete at the end.
    """

    def __init__(
        self,
        typed: List[str],
        given: Tuple[Any, ...],
        share: Optional[Tuple[int, int]],
        make: Callable[[Dict[str, Any]], Optional[T]],
        kind: str,
    ) -> None:
        self._lines = _kwhy.Lines(typed, given, share)
        self._make = make
        self._kind = kind
        self._rows = self._read()

    def _read(self) -> Iterator[Dict[str, Any]]:
        for piece in self._lines:
            for line in piece.splitlines():
                yield json.loads(line)

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        while True:
            made = self._make(next(self._rows))
            if made is not None:
                return made

    def __enter__(self) -> "Stream[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the reading."""
        self._lines.close()
        self._rows = iter(())

    def dicts(self) -> Iterator[Dict[str, Any]]:
        """The rest as JSON, which is faster than as objects."""
        return self._rows

    @property
    def limits(self) -> List[LimitMet]:
        """Limits that were met and damage, once all was read."""
        return [LimitMet(limit, message, source) for source, limit, message in self._lines.limits]

    @property
    def failures(self) -> Dict[str, str]:
        """Paths that could not be read, and why, once all was read."""
        return {str(path): why for path, why in self._lines.failures}

    def to_batches(self, rows: int = 8192) -> "pyarrow.RecordBatchReader":
        """The rest as batches of Arrow, read as they are asked for; needs ``kwhy[arrow]``."""
        from kwhy._arrow import batches

        return batches(self._kind, self._rows, rows)

    def to_arrow(self) -> "pyarrow.Table":
        """The rest as a table of Arrow; needs ``kwhy[arrow]``."""
        return self.to_batches().read_all()
