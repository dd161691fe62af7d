"""The base class of all results."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, ClassVar, Dict, FrozenSet, Mapping


class Struct:
    """A part of a result. ``to_dict`` returns the JSON that ``kwhy`` writes for it."""

    _required: ClassVar[FrozenSet[str]] = frozenset()
    _renamed: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> Dict[str, Any]:
        """Returns the JSON, without members that the input does not state."""
        out: Dict[str, Any] = {}
        for member in fields(self):  # type: ignore[arg-type]
            value = getattr(self, member.name)
            name = self._renamed.get(member.name, member.name)
            if name not in self._required and _is_unsaid(name, value):
                continue
            out[name] = _plain(value)
        return out

    def to_json(self) -> str:
        """Returns the JSON as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


def _is_unsaid(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value == name.endswith("_stated")
    return value is None or (isinstance(value, (list, dict)) and not value)


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value
