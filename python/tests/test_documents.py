"""Runs the documentation's examples as written: the README's Python code, and the queries of docs/scale.md with DuckDB."""

import doctest
import os
import re
import shutil

import pytest
from conftest import MOUNT, PANIC, REPOSITORY, program

import kwhy


def blocks(path, language):
    found = re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.M | re.S)
    assert found, path
    return found


def test_the_module(capsys):
    failed, tried = doctest.testmod(kwhy)
    assert tried and not failed


def test_the_readme(tar, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow"), pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    known = {}
    for block in blocks(REPOSITORY / "python" / "README.md", "python"):
        exec(block, known)  # noqa: S102
    shown = capsys.readouterr().out
    assert "container/app-panic" in shown and "index out of range" in shown


def test_the_queries(tar, zipped, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    inbox = tmp_path / "inbox" / "customer=acme" / "version=2.4"
    inbox.mkdir(parents=True)
    shutil.copy(tar, inbox)
    shutil.copy(zipped, inbox)
    (inbox / "only.txt").write_text(MOUNT)
    (inbox / "other.log").write_text(PANIC)
    monkeypatch.chdir(tmp_path)
    for name, typed in {
        "findings.ndjson": ["scan", "-o", "findings", "inbox/*/*/*"],
        "reports.ndjson": ["scan", "inbox/*/*/*"],
        "events.ndjson": ["events", "-o", "ndjson", tar],
    }.items():
        (tmp_path / name).write_bytes(program(*typed))
    database = duckdb.connect()
    answers = []
    for block in blocks(REPOSITORY / "docs" / "scale.md", "sql"):
        for query in filter(str.strip, block.split(";")):
            answers.append(database.execute(query).fetchall())
    shown = [answer for answer in answers if answer]
    assert len(shown) >= 4, answers
    causes = database.execute("select cause, count(distinct source) from findings where role = 'cause' group by all").fetchall()
    assert dict(causes) == {"container/app-panic": 3, "storage/configmap-missing": 3}
    assert os.getcwd() == str(tmp_path)


def test_a_cell_of_a_notebook(tar, monkeypatch, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.chdir(tmp_path)
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell("import kwhy\nkwhy.analyze('case.tar.gz', timeline=True)")]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    [output] = book.cells[0].outputs
    page = output["data"]["text/html"]
    assert page.startswith("<iframe ") and "container/app-panic" in page
    assert "Report(" in output["data"]["text/plain"]
