"""The report of an incident."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from kwhy import _kwhy, _types

if TYPE_CHECKING:
    import pyarrow

#: The height of a report in a notebook, in pixels.
HEIGHT = 720


@dataclass
class Report(_types.Report):
    """What is wrong in an input, and why. ``findings`` lists the most probable root cause first.

    In a notebook it is displayed as the page that ``kwhy -o html`` writes. ``str()`` returns the human-readable report.
    """

    #: The number of findings omitted because of options.
    left_out: int = field(default=0, compare=False, repr=False)
    _rendered: Optional[_kwhy.Rendered] = field(default=None, compare=False, repr=False)

    def to_dict(self) -> Dict[str, Any]:
        out = super().to_dict()
        for name in ("left_out", "_rendered"):
            out.pop(name, None)
        return out

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_rendered": None}

    @property
    def causes(self) -> List[str]:
        """The distinct ids of the root causes, in the order of the report."""
        causes = (it.cause for it in self.findings if it.role == "cause")
        return list(dict.fromkeys(causes))

    def render(self, form: str, width: int = 100) -> str:
        """Renders the report like ``kwhy -o``, as ``html``, ``human``, ``json``, ``markdown``, ``ndjson``, ``sarif``
        or ``junit``.

        A report that was unpickled or created from JSON lacks the lines around the evidence.
        """
        rendered = self._rendered or _kwhy.read(json.dumps(self.to_dict()).encode())
        return rendered.render(form, width)

    def __str__(self) -> str:
        return self.render("human")

    def _repr_html_(self) -> str:
        # in a frame, so that its style and script do not mix with those of the notebook
        page = html.escape(self.render("html"), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="kwhy report" '
            f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
        )

    def to_arrow(self) -> "pyarrow.Table":
        """Returns the findings as an Arrow table. Needs ``kwhy[arrow]``."""
        from kwhy._arrow import findings

        return findings([self])

    @classmethod
    def from_dict(cls, json: Mapping[str, Any]) -> "Report":
        """Creates a report from the JSON that ``kwhy -o json`` writes."""
        made = super().from_dict(json)
        assert isinstance(made, Report)
        return made
