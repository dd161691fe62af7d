"""Iterators over events, objects and records that read their input on demand."""

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
    """Returns True for an object and False for an event that belongs to no object.

    Only such an event has a message, a count and a subject.
    """
    return not ("message" in row and "count" in row and "subject" in row)


@dataclass
class Object:
    """An object in the input: a description, an API object, or a row of a table."""

    kind: Optional[str] = None
    namespace: Optional[str] = None
    name: Optional[str] = None
    #: The values shown for the object, by their names in snake case. Ages are in seconds.
    values: Dict[str, Any] = field(default_factory=dict)
    events: List[Event] = field(default_factory=list)

    @classmethod
    def from_dict(cls, json: Dict[str, Any]) -> "Object":
        """Creates an object from a line of ``kwhy objects -o ndjson``."""
        values = dict(json)
        made = cls(values.pop("kind", None), values.pop("namespace", None), values.pop("name", None))
        made.events = [Event.from_dict(event) for event in values.pop("events", [])]
        made.values = values
        return made

    def to_dict(self) -> Dict[str, Any]:
        """Returns the object as JSON."""
        out: Dict[str, Any] = {"kind": self.kind, "namespace": self.namespace, "name": self.name}
        out = {name: value for name, value in out.items() if value is not None}
        out.update(self.values)
        if self.events:
            out["events"] = [event.to_dict() for event in self.events]
        return out


class Stream(Generic[T]):
    """An iterator that reads its input on demand, without keeping all of it in memory.

    Reading stops when the iterator is closed, or at the end of a ``with`` block. ``limits`` is complete once the iterator is
    exhausted.
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
        """Stops reading."""
        self._lines.close()
        self._rows = iter(())

    def dicts(self) -> Iterator[Dict[str, Any]]:
        """Returns the remaining rows as JSON, which is faster than as classes."""
        return self._rows

    @property
    def limits(self) -> List[LimitMet]:
        """The limits that were reached, and damage. Empty until everything was read."""
        return [LimitMet(limit, message, source) for source, limit, message in self._lines.limits]

    @property
    def failures(self) -> Dict[str, str]:
        """The paths that could not be read, with the reasons. Empty until everything was read."""
        return {str(path): why for path, why in self._lines.failures}

    def to_batches(self, rows: int = 8192) -> "pyarrow.RecordBatchReader":
        """Returns the remaining rows as Arrow record batches, read on demand. Needs ``kwhy[arrow]``."""
        from kwhy._arrow import batches

        return batches(self._kind, self._rows, rows)

    def to_arrow(self) -> "pyarrow.Table":
        """Returns the remaining rows as an Arrow table. Needs ``kwhy[arrow]``."""
        return self.to_batches().read_all()
