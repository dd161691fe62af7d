"""Converts inputs and options for the extension module."""

from __future__ import annotations

import os
from datetime import datetime
from typing import IO, Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

Path = Union[str, "os.PathLike[str]"]
Data = Union[bytes, bytearray, memoryview, IO[bytes], IO[str]]
Source = Union[Path, Data, Sequence[Path], Iterable[Tuple[str, Data]]]
Time = Union[str, datetime]
Patterns = Union[str, Sequence[str]]
Limits = Mapping[str, Union[int, str]]


def given(source: Source, name: Optional[str]) -> Tuple[Any, ...]:
    """Classifies a source, and returns it in the form that the extension module takes."""
    if isinstance(source, (str, os.PathLike)):
        return ("paths", [os.fspath(source)])
    if isinstance(source, (bytes, bytearray, memoryview)):
        return ("stream", name or "stdin", _data(source))
    if hasattr(source, "read"):
        own = getattr(source, "name", None)
        return ("stream", name or (own if isinstance(own, str) else "stdin"), source)
    if isinstance(source, (list, tuple)):
        paths = [isinstance(item, (str, os.PathLike)) for item in source]
        if paths and all(paths):
            return ("paths", [os.fspath(item) for item in source])
    if isinstance(source, Iterable):
        return ("members", name or "bundle", (_member(item) for item in source))
    raise TypeError(
        "a path, bytes, a binary file or (name, bytes) pairs are wanted, "
        f"not {type(source).__name__}"
    )


def _data(data: Any) -> Any:
    return bytes(data) if isinstance(data, (bytearray, memoryview)) else data


def _member(item: Any) -> Tuple[str, Any]:
    try:
        name, data = item
    except (TypeError, ValueError):
        kind = type(item).__name__
        raise TypeError(f"a member is a pair of a name and bytes, not {kind}") from None
    return (name, _data(data))


def typed(command: Optional[str], options: Mapping[str, Any]) -> List[str]:
    """Converts options to command-line arguments."""
    words = [] if command is None else [command]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            words.extend(f"{option}={key}={each}" for key, each in value.items())
        elif isinstance(value, (list, tuple)):
            words.extend(f"{option}={_word(each)}" for each in value)
        else:
            words.append(f"{option}={_word(value)}")
    return words


def _word(value: Any) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    return str(value)


def threads(number: Optional[int]) -> int:
    """Returns the number of threads asked for, or else the number of processors available to this process.

    The number is always given explicitly, as a thread pool shared by all calls would not survive a fork.
    """
    if number is not None:
        return number
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
