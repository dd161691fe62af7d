"""Events, records and objects: the same as the program prints, and streamed."""

import subprocess
import sys
import time

import pytest
from conftest import all_fixtures, lines, members, program

import kwhy

READ = {"events": kwhy.events, "records": kwhy.records, "objects": kwhy.objects}


def printed(what, *typed):
    form = [] if what == "records" else ["-o", "ndjson"]
    order = ["--order", "input"] if what == "events" else []
    return lines(program(what, *form, *order, *typed))


@pytest.mark.parametrize("what", READ)
def test_what_the_program_prints(what, tar, zipped, folder):
    for path in (tar, zipped, folder, *all_fixtures()[::40]):
        rows = list(READ[what](path).dicts())
        if what == "records":
            assert all(row.pop("source") for row in rows)
        assert rows == printed(what, path), path


def test_classes_say_the_same(tar):
    for what in ("events", "records"):
        assert [it.to_dict() for it in READ[what](tar)] == list(READ[what](tar).dicts())
    first = next(kwhy.events(tar, text="bread-1"))
    assert first.fields["pod"] == "oven/bread-1" and first.severity == "error"
    pod = "Name:         bread-0\nNamespace:    oven\nStatus:       Running\n"
    [made] = kwhy.objects(pod.encode())
    assert (made.namespace, made.name, made.values["status"]) == ("oven", "bread-0", "Running")
    assert [made.to_dict()] == list(kwhy.objects(pod.encode()).dicts())
    [made] = kwhy.objects(b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: bread-0\n  namespace: oven\n")
    assert (made.kind, made.namespace, made.name) == ("Pod", "oven", "bread-0")


def test_options(tar):
    assert {e.severity for e in kwhy.events(tar, min_severity="error")} <= {"error", "fatal"}
    times = [e.time for e in kwhy.events(tar, order="time") if e.time]
    assert times == sorted(times) and len(times) == 600
    assert not any("bread" in e.to_json() for e in kwhy.events(tar, redact=True))
    with pytest.raises(kwhy.OptionError):
        kwhy.events(tar, order="size")
    with pytest.raises(kwhy.InputError):
        list(kwhy.records("absent"))
    with pytest.raises(kwhy.InputError, match="no file"):
        list(kwhy.records([]))


def test_limits_and_failures_are_known_at_the_end(tar):
    stream = kwhy.events(tar, limits={"members": 1})
    assert stream.limits == []
    list(stream)
    assert [met.limit for met in stream.limits] == ["members"]


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_are_the_whole(parts, tar, zipped, folder):
    twice = [*members(), ("case/again/kubelet.log", members()[2][1])]
    for source in (tar, zipped, folder, twice):
        for read in READ.values():
            whole = sorted(map(str, read(source).dicts()))
            shares = [list(read(source, share=(k, parts)).dicts()) for k in range(parts)]
            assert sorted(map(str, sum(shares, []))) == whole
    with pytest.raises(ValueError):
        kwhy.events(tar, share=(2, 2))


def test_to_arrow_and_on(tar, tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = kwhy.events(tar).to_arrow()
    assert table.num_rows == len(list(kwhy.events(tar)))
    assert table.schema.field("time").type == pa.timestamp("us", tz="UTC")
    assert dict(table.column("fields")[table.num_rows - 1].as_py())["attempt"] == "599"
    assert kwhy.records(tar).to_arrow().column("source").null_count == 0
    assert kwhy.objects(tar).to_arrow().schema.names[0] == "kind"
    findings = kwhy.analyze(tar).to_arrow()
    frame = findings.to_pandas()
    assert list(frame["cause"]) == [it.cause for it in kwhy.analyze(tar).findings]
    polars = pytest.importorskip("polars")
    assert polars.from_arrow(findings)["cause"].to_list() == list(frame["cause"])
    duckdb = pytest.importorskip("duckdb")
    events = kwhy.events(tar).to_batches(rows=50)
    query = "select subject.name, count(*) from events where message = 'Sync failed' group by all order by 1"
    rows = duckdb.sql(query).fetchall()
    assert rows == [("bread-0", 200), ("bread-1", 200), ("bread-2", 200)], events


ENDLESS = """
import sys, resource, kwhy
class Log:
    n = 0
    def read(self, size):
        self.n += 1
        if self.n > int(sys.argv[1]):
            return b""
        return b'E0304 05:06:07.000100 1 sync.go:88] "Sync failed" pod="oven/bread-0" err="timeout"\\n' * 12000
stream = kwhy.records(Log(), threads=2)
count = sum(1 for _ in stream.dicts())
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_memory_does_not_grow_with_the_input():
    def run(pieces):
        done = subprocess.run([sys.executable, "-c", ENDLESS, str(pieces)], capture_output=True, check=True)
        return [int(word) for word in done.stdout.split()]

    small, large = run(10), run(120)
    assert (small[0], large[0]) == (120_000, 1_440_000)
    # the larger run reads 110 MB more
    assert large[1] < small[1] + 40, (small, large)


def test_who_stops_early_ends_the_reading():
    class Log:
        asked = 0

        def read(self, size):
            self.asked += 1
            return b"E0304 05:06:07.000100 1 sync.go:88] \"Sync failed\"\n" * 10_000

    log = Log()
    with kwhy.records(log) as stream:
        for record, _ in zip(stream, range(10)):
            assert record.message == "Sync failed"
    assert list(stream) == []
    asked = log.asked
    time.sleep(1)
    assert log.asked <= asked + 2
