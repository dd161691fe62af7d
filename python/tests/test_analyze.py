"""Reports: for each kind of source, with each option, and in each output format."""

import io
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone

import pytest
from conftest import MOUNT, PANIC, all_fixtures, lines, members, program

import kwhy


def of_program(*typed, stdin=b""):
    return json.loads(program("-o", "json", *typed, stdin=stdin))


def test_all_kinds_of_sources_give_the_report_of_the_program(tar, zipped, folder):
    for path in (tar, zipped, folder):
        assert kwhy.analyze(path).to_dict() == of_program(path)
        assert kwhy.analyze(str(path)).to_dict() == of_program(path)
    wanted = of_program(tar)
    with open(tar, "rb") as file:
        assert kwhy.analyze(file).to_dict() == wanted
    data = tar.read_bytes()
    for each in (data, bytearray(data), memoryview(data), io.BytesIO(data)):
        assert kwhy.analyze(each, name=str(tar)).to_dict() == wanted
    text = kwhy.analyze(MOUNT.encode())
    assert text.to_dict() == of_program(stdin=MOUNT.encode())
    assert kwhy.analyze(io.StringIO(MOUNT)).to_dict() == text.to_dict()
    assert kwhy.analyze([tar, zipped]).to_dict() == of_program(tar, zipped)


def test_members_one_by_one(tar):
    whole = kwhy.analyze(tar)
    taken = []

    def each():
        for name, data in members():
            taken.append(name)
            yield name, io.BytesIO(data) if name.endswith(".log") else data

    report = kwhy.analyze(each())
    assert taken == [name for name, _ in members()]
    assert report.causes == whole.causes != []
    assert sorted(it.source for it in report.inputs) == sorted(taken)


def test_every_fixture_goes_to_classes_and_back():
    # one call of the program for all inputs, as starting it for each one would be slow
    paths = all_fixtures()
    told = lines(program("scan", *paths))
    assert len(told) == len(paths) + 1
    for line in told[:-1]:
        report = kwhy.Report.from_dict(line["report"])
        assert report.to_dict() == line["report"], line["source"]
        assert kwhy.analyze(line["source"]).to_dict() == line["report"]


def test_types():
    report = kwhy.analyze(MOUNT.encode())
    finding = report.findings[0]
    assert isinstance(finding, kwhy.Finding)
    assert finding.subject == kwhy.Subject() or isinstance(finding.subject, kwhy.Subject)
    assert finding.cause == "storage/configmap-missing"
    assert isinstance(finding.evidence[0], kwhy.Evidence) and finding.evidence[0].line == 1
    assert report.verdict == "faults" and report.stats.lines == 1
    again = pickle.loads(pickle.dumps(report))
    assert again == report and again.render("ndjson") == report.render("ndjson")


def test_forms(tar):
    report = kwhy.analyze(tar)
    for form in ("markdown", "sarif", "junit", "ndjson"):
        assert report.render(form).encode() == program("-o", form, tar), form
    assert str(report).encode() == program("-o", "human", tar)
    page = kwhy.analyze(tar, timeline=True).render("html")
    assert page.encode() == program("-o", "html", tar)
    # the JSON of a report is enough to render the page
    assert "configmap" in kwhy.Report.from_dict(json.loads(report.to_json())).render("html")
    shown = report._repr_html_()
    assert shown.startswith("<iframe ") and "<script" not in shown and "sandbox=" in shown
    with pytest.raises(kwhy.OptionError, match="xml"):
        report.render("xml")


def test_options(tmp_path, tar):
    secret = b'E0304 05:06:07.000008       1 login.go:9] "Login failed" password="hunter22"\npanic: no\n'
    show = kwhy.analyze(secret, show_secrets=True)
    assert "hunter22" not in kwhy.analyze(secret).to_json()
    assert show.to_dict() == of_program("--show-secrets", stdin=secret)
    for source in (tar, tar.read_bytes(), list(members())):
        hidden = kwhy.analyze(source, redact_key="k", audit=True).to_json()
        assert "bread-0" not in hidden
    assert kwhy.analyze(tar, redact=True).to_dict() == of_program("--redact", tar)
    limited = kwhy.analyze(tar, limits={"members": 1})
    assert "members" in [met.limit for met in limited.limits]
    assert limited.to_dict() == of_program("--limit", "members=1", tar)
    first = kwhy.analyze(tar, top=1)
    assert len(first.findings) == 1 and first.left_out == len(kwhy.analyze(tar).findings) - 1
    now = datetime(2024, 3, 4, 6, tzinfo=timezone.utc)
    dated = kwhy.analyze(MOUNT.encode(), now=now)
    assert dated.to_dict() == of_program("--now", "2024-03-04T06:00:00Z", stdin=MOUNT.encode())
    assert kwhy.analyze(tar, include="**/kubelet.log").stats.lines == 600
    assert kwhy.analyze(tar, exclude=["**/kubelet.log"]).stats.lines == 2
    assert kwhy.analyze(tar, timeline=True).timeline.buckets


def test_own_signatures(tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("id: cart-full\ntitle: [\n")
    with pytest.raises(kwhy.SignatureError) as error:
        kwhy.analyze(b"x", signatures=[wrong])
    assert (error.value.path, error.value.line) == (str(wrong), 2)
    assert str(error.value).startswith(f"{wrong}:2:")
    assert kwhy.analyze(MOUNT.encode(), builtin=False).findings == []
    with pytest.raises(kwhy.InputError):
        kwhy.analyze(b"x", signatures=tmp_path / "absent")


def test_errors(tmp_path):
    with pytest.raises(kwhy.InputError) as error:
        kwhy.analyze(tmp_path / "absent")
    assert error.value.filename == str(tmp_path / "absent")
    assert isinstance(error.value, OSError) and error.value.errno == 2
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    with pytest.raises(kwhy.InputError, match="no file"):
        (tmp_path / "empty").mkdir()
        kwhy.analyze(tmp_path / "empty")
    for wrong in ({"min_severity": "loud"}, {"limits": {"colour": 1}}, {"since": "90m"}, {"top": 0}):
        with pytest.raises(kwhy.OptionError):
            kwhy.analyze(b"x", **wrong)
    with pytest.raises(ValueError, match="time zone"):
        kwhy.analyze(b"x", now=datetime(2024, 3, 4))
    for source in (7, [7], [("a", 7)], None):
        with pytest.raises(TypeError):
            kwhy.analyze(source)
    with pytest.raises(TypeError):
        kwhy.analyze(b"x", colour="red")


def test_an_exception_of_a_source_is_raised():
    class Broken:
        def read(self, size):
            raise RuntimeError("the disk is gone")

    def broken():
        yield "a.log", PANIC.encode()
        raise KeyError("the store is gone")

    with pytest.raises(RuntimeError, match="disk"):
        kwhy.analyze(Broken())
    with pytest.raises(KeyError, match="store"):
        kwhy.analyze(broken())
    with pytest.raises(KeyError, match="store"):
        list(kwhy.events(broken()))


class Slow:
    """A file that takes 20 seconds to read."""

    def __init__(self):
        self.asked = 0

    def read(self, size):
        self.asked += 1
        time.sleep(0.01)
        return b"panic: no\n" * 100 if self.asked < 2000 else b""


def test_an_interrupt_ends_the_reading():
    # shells start background jobs with SIGINT ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    slow = Slow()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kwhy.analyze(slow)
    assert slow.asked < 2000


def test_other_threads_run_meanwhile():
    data = "".join(f"E0304 05:06:07.{n:06} 1 a.go:8] \"No {n}\"\n" for n in range(400_000)).encode()
    count, done = [0], threading.Event()

    def beside():
        while not done.is_set():
            count[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=beside)
    thread.start()
    start = time.monotonic()
    kwhy.analyze(data)
    took = time.monotonic() - start
    done.set()
    thread.join()
    # if the GIL were held, the count would increase every 5 ms at best, and hardly at all in practice
    assert took < 0.05 or count[0] > took * 50


def test_one_analyzer_for_many_threads():
    analyzer = kwhy.Analyzer(threads=1)
    found = []
    run = lambda: found.append(analyzer.analyze(MOUNT.encode()).to_dict())  # noqa: E731
    threads = [threading.Thread(target=run) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 8 and all(each == found[0] for each in found)


def _child(queue):
    queue.put(kwhy.analyze(MOUNT.encode()).causes)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_reads_too():
    wanted = kwhy.analyze(MOUNT.encode()).causes
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == wanted
    child.join()


def test_the_program(tar):
    assert kwhy.__version__ in program("--version").decode()
    run = [sys.executable, "-m", "kwhy", "--fail-on", "warning", "-"]
    done = subprocess.run(run, input=MOUNT.encode(), capture_output=True)
    assert done.returncode == 1 and b"cart" in done.stdout
    program("absent.txt", status=2)
    program("--nothing-like-it", status=2)
