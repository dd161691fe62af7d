"""The exceptions of the package."""

from __future__ import annotations

import errno
import os
from typing import Optional, Tuple


class Error(Exception):
    """The base class of all exceptions of the package."""


class OptionError(Error, ValueError):
    """An invalid option, with the message of the command line."""


class InputError(Error, OSError):
    """A path that cannot be read. ``filename`` is the path, ``strerror`` the reason."""

    def __init__(self, number: Optional[int], why: str, path: str) -> None:
        # the system's message, without the number that Rust appends
        words = why if number is None else os.strerror(number)
        OSError.__init__(self, errno.EIO if number is None else number, words, path)
        self.has_number = number is not None

    def __str__(self) -> str:
        return f"cannot read {self.filename}: {self.strerror}"

    def __reduce__(self) -> Tuple[type, Tuple[Optional[int], str, str]]:
        number = self.errno if self.has_number else None
        return (type(self), (number, str(self.strerror), str(self.filename)))


class SignatureError(Error, ValueError):
    """An invalid signature, located by ``path``, ``line`` and ``column``, the latter two counted from 1."""

    def __init__(self, message: str, path: str, line: int, column: int) -> None:
        super().__init__(message, path, line, column)
        self.message = message
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.message}"
