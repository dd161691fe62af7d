"""Checked by mypy and run, so that the type stubs match the package."""

from typing import List, Optional

import kwhy

report: kwhy.Report = kwhy.analyze(b"panic: no\n", name="app.log", threads=1)
first: kwhy.Finding = report.findings[0]
name: Optional[str] = first.subject.name
causes: List[str] = report.causes
page: str = report.render("html")
for event in kwhy.events(b"panic: no\n"):
    message: str = event.message
for record in kwhy.records([("a.log", b"panic: no\n")]):
    line: int = record.line
for made in kwhy.objects("absent"):
    kind: Optional[str] = made.kind
analyzer = kwhy.Analyzer(limits={"ratio": 10}, include="*.log")
again: kwhy.Report = analyzer.analyze(["a", "b"])
