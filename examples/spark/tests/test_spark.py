"""The data source and the job on a cluster: the findings of ``kwhy scan``, whatever goes wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import HERE, tar_of, log, write_poison, write_store
from job import ask, run
from kwhy_spark import Bundle, grouped

import kwhy


def scan(*paths):
    """Findings by bundle, as the program says; none where it could not read one."""
    program = shutil.which("kwhy", path=str(Path(sys.executable).parent))
    done = subprocess.run([program, "scan", *map(str, paths)], capture_output=True, timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    return {line["source"]: line.get("report") for line in lines}


def folders(store):
    """The folders of bundles in a store."""
    return sorted(path for path in store.glob("customer=*/version=*/day=*"))


def key(finding):
    get = finding.get if isinstance(finding, dict) else finding.asDict(recursive=True).get
    subject = {name: value for name, value in (get("subject") or {}).items() if value is not None}
    evidence = [(it["source"], it["line"], it["column"], it["text"]) for it in get("evidence")]
    plain = [get(name) for name in ("rank", "cause", "signature", "role", "severity", "state", "title")]
    rest = [get(name) for name in ("confidence", "count", "first", "last", "explained_by", "why")]
    return json.dumps([plain, rest, subject, dict(get("captures")), evidence], sort_keys=True)


def loaded(spark, path, what="findings", **options):
    return spark.read.format("kwhy").options(what=what, **options).load(f"file://{path}")


def same_as_scan(rows, wanted):
    found = {}
    for row in rows:
        found.setdefault(row.bundle, []).extend([key(row)] if row.cause else [])
    assert set(found) == set(wanted)
    for bundle, report in wanted.items():
        expected = [key(finding) for finding in report["findings"]] if report else []
        assert sorted(found[bundle]) == sorted(expected), bundle


def test_findings_of_scan(spark, store):
    wanted = scan(*folders(store))
    assert len(wanted) == 24 and sum(len(it["findings"]) for it in wanted.values()) > 24
    for options, tasks in (({"bundlesPerTask": 1}, 24), ({"bundlesPerTask": 5}, 5), ({}, 1)):
        table = loaded(spark, store, **options)
        assert table.rdd.getNumPartitions() == tasks
        rows = table.collect()
        same_as_scan(rows, wanted)
    assert {row.tags["customer"] for row in rows} == {"c0", "c1", "c2"}
    assert {str(row.day) for row in rows} == {f"2024-03-{day:02}" for day in range(4, 8)}
    one = loaded(spark, f"{store}/customer=c0/*/day=2024-03-04/*").collect()
    same_as_scan(one, scan(*store.glob("customer=c0/*/day=2024-03-04/*")))
    for glob in ("*/*/*/*.zip", "**/*.zip", "customer=c0/**/day=*/*"):
        same_as_scan(loaded(spark, f"{store}/{glob}").collect(), scan(f"{store}/{glob}"))


def test_workers_keep_their_modules_out_of_garbage_collection(spark, store):
    loaded(spark, store, bundlesPerTask=1).collect()

    def frozen(batches):
        import gc

        import pyarrow

        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"objects": [gc.get_freeze_count()]})

    # the processes that read go on to do this
    rows = spark.range(0, 8, 1, 8).mapInArrow(frozen, "objects long").collect()
    assert max(row.objects for row in rows) > 10_000


def test_bundles_of_a_task():
    def sizes(given, **options):
        bundles = [Bundle(str(n), str(n), False, size) for n, size in enumerate(given)]
        return [[it.size for it in group] for group in grouped(bundles, **{"together": 0, "task_bytes": 8 << 20, **options})]

    assert sizes([]) == []
    assert sizes([9 << 20, 1, 2, 9 << 20, 3]) == [[9 << 20], [1, 2], [9 << 20], [3]]
    # each counts, however small
    assert [len(group) for group in sizes([0] * 70)] == [32, 32, 6]
    assert [len(group) for group in sizes([7 << 20] * 5, together=2)] == [2, 2, 1]
    assert [len(group) for group in sizes([1] * 3, task_bytes=0)] == [1, 1, 1]


def test_poisoned_bundles_are_rows(spark, tmp_path):
    folder = write_poison(tmp_path / "poison")
    locked = folder / "locked.log"
    locked.write_text("panic: no\n")
    locked.chmod(0)
    rows = loaded(spark, folder).collect()
    same_as_scan(rows, scan(folder))
    said = {Path(row.bundle).name: row for row in rows}
    assert set(said) == {it.name for it in folder.iterdir()}
    limits = {name: {met.limit for met in row.limits or []} for name, row in said.items()}
    assert "ratio" in limits["bomb.gz"]
    assert "damaged" in limits["cut.tar.gz"]
    assert limits["claims-10g.tar"] & {"damaged", "member-size", "total-size"}
    assert "no file" in said["nothing"].error
    if os.geteuid() != 0:
        assert "ermission" in said["locked.log"].error
    for what in ("inputs", "bundles", "events"):
        found = loaded(spark, folder, what).collect()
        assert {Path(row.bundle).name for row in found if row.error} == {
            name for name, row in said.items() if row.error
        }
    for wrong in ({"min_severity": "loud"}, {"signatures": "/absent"}):
        rows = loaded(spark, folder, **wrong).collect()
        assert all("Error" in row.error for row in rows)


def test_events_are_those_of_the_program(spark, store):
    rows = loaded(spark, store, "events").where("error is null").collect()
    wanted = Counter()
    for bundle in {row.bundle for row in rows}:
        for event in kwhy.events(bundle):
            wanted[bundle, event.source, event.line, event.message, event.severity] += 1
    found = Counter((it.bundle, it.source, it.line, it.message, it.severity) for it in rows)
    assert found == wanted and sum(found.values()) > 1000
    first = next(row for row in rows if row.message == "Sync failed")
    assert first.fields["err"] == "timeout" and first.year_stated is False


def test_a_huge_bundle_is_read_in_parts(spark, tmp_path):
    parts = [(f"big/logs/{n:02}.log", log(2000, n)) for n in range(12)]
    (tmp_path / "big.tar").write_bytes(tar_of(parts, "w"))
    whole = loaded(spark, tmp_path / "big.tar", "events")
    split = loaded(spark, tmp_path / "big.tar", "events", splitBytes=400_000)
    assert split.rdd.getNumPartitions() > 4 > whole.rdd.getNumPartitions()
    key = ("source", "line", "message")
    rows = [sorted(tuple(row) for row in each.select(*key).collect()) for each in (whole, split)]
    assert rows[0] == rows[1] and len(rows[0]) == 24_000
    # findings are those of the whole
    assert loaded(spark, tmp_path / "big.tar", splitBytes=1000).rdd.getNumPartitions() == 1


def test_options_are_those_of_the_program(spark, tmp_path):
    (tmp_path / "login.log").write_text(
        'E0304 05:06:07.000008       1 login.go:9] "Login failed" password="hunter22"\npanic: no\n' * 3
    )
    shown = loaded(spark, tmp_path, "events", show_secrets="true").first()
    hidden = loaded(spark, tmp_path, "events").first()
    assert (shown.fields["password"], hidden.fields["password"]) == ("hunter22", "***")
    limited = loaded(spark, tmp_path, "bundles", **{"limit.members": 0}).first()
    assert "members" in {met.limit for met in limited.limits}
    with pytest.raises(Exception, match="what is one of"):
        loaded(spark, tmp_path, "colours").collect()
    with pytest.raises(Exception, match="events have no option namespace"):
        loaded(spark, tmp_path, "events", namespace="oven").collect()
    with pytest.raises(Exception, match="nothing at"):
        loaded(spark, tmp_path / "absent").collect()


def table(spark, output):
    rows = spark.read.parquet(str(output)).collect()
    return Counter((str(row.day), row.bundle, key(row) if row.cause else None) for row in rows)


def test_an_executor_is_killed(spark, cluster, store, tmp_path):
    source = f"file://{store}"
    # so many tasks that both executors have some
    options = {"bundlesPerTask": "1"}
    run(spark, source, str(tmp_path / "calm"), options)
    killed = []

    def kill():
        time.sleep(1.5)
        for pid in cluster.executors()[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    beside = threading.Thread(target=kill)
    beside.start()
    # several readings of the store, so that the end comes in the middle
    deadline = time.time() + 60
    while not killed and time.time() < deadline:
        run(spark, source, str(tmp_path / "hit"), options, again=True)
    beside.join()
    run(spark, source, str(tmp_path / "hit"), options, again=True)
    assert killed
    assert table(spark, tmp_path / "hit") == table(spark, tmp_path / "calm")


def test_a_run_that_failed_is_run_again(spark, store, tmp_path):
    mine = tmp_path / "store"
    shutil.copytree(store, mine)
    source, output = f"file://{mine}", tmp_path / "out"
    assert run(spark, source, str(output), {}) == 4
    calm = table(spark, output)
    assert run(spark, source, str(output), {}) == 0
    # the driver is gone in the middle of a run that writes two days again
    write_store(mine, 26)
    (mine / "customer=c0/version=2.0/day=2024-03-04" / "late.log").write_text("panic: no\n")
    half = subprocess.Popen(
        [sys.executable, str(HERE / "job.py"), source, str(output)],
        env={**os.environ, "SPARK_MASTER": "local[1]"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    deadline = time.time() + 120
    while time.time() < deadline and half.poll() is None and not list(output.glob(".spark-staging-*/*")):
        time.sleep(0.05)
    assert half.poll() is None, "it was over before it could be ended"
    half.send_signal(signal.SIGKILL)
    half.wait()
    # what was there still is
    assert table(spark, output) == calm
    assert run(spark, source, str(output), {}) >= 2
    assert run(spark, source, str(tmp_path / "fresh"), {}) == 4
    whole = table(spark, output)
    assert whole == table(spark, tmp_path / "fresh") and len(whole) > len(calm)
    assert max(whole.values()) == 1


def test_questions(spark, store, tmp_path):
    run(spark, f"file://{store}", str(tmp_path / "out"), {})
    like = next(row.bundle for row in spark.read.parquet(str(tmp_path / "out")).collect())
    answers = ask(spark, str(tmp_path / "out"), "2024-03-07", like)
    rows = {name: answer.collect() for name, answer in answers.items()}
    first = rows["causes by version and customer"][0]
    assert first.bundles == 4 and first.cause == "container/app-panic"
    assert sum(row.bundles for row in rows["causes by version and customer"]) == 24 + 12
    assert {row.cause: row.bundles for row in rows["new causes this week"]} == {
        "container/app-panic": 24, "storage/configmap-missing": 12,
    }
    assert rows["bundles like this one"][0].likeness == 1.0
    assert like not in [row.bundle for row in rows["bundles like this one"]]
    assert rows["bundles that were not read whole"] == []


def test_objects_of_a_store(spark, store, tmp_path):
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_EC2_METADATA_DISABLED="true")
        import pyarrow.fs as pafs

        s3 = pafs.S3FileSystem(
            endpoint_override=f"127.0.0.1:{port}", scheme="http", access_key="x", secret_key="x", region="us-east-1",
            allow_bucket_creation=True,
        )
        s3.create_dir("inbox")
        for path in sorted(store.rglob("*")):
            if path.is_file():
                with s3.open_output_stream(f"inbox/{path.relative_to(store)}", compression=None) as out:
                    out.write(path.read_bytes())
        reader = spark.read.format("kwhy").options(
            what="findings", endpoint=f"http://127.0.0.1:{port}", region="us-east-1", anonymous="true"
        )
        rows = reader.load("s3a://inbox").collect()
        wanted = Counter(
            (str(Path(source).relative_to(store)), finding["cause"])
            for source, report in scan(*folders(store)).items() for finding in report["findings"]
        )
        assert Counter((row.bundle[len("s3a://inbox/"):], row.cause) for row in rows) == wanted
        # hostile objects meet the limits that files meet
        s3.create_dir("poison")
        for path in write_poison(tmp_path / "poison").iterdir():
            if path.is_file():
                with s3.open_output_stream(f"poison/{path.name}", compression=None) as out:
                    out.write(path.read_bytes())
        said = {row.bundle: {met.limit for met in row.limits or []} for row in reader.load("s3a://poison").collect()}
        assert "ratio" in said["s3a://poison/bomb.gz"]
        assert "damaged" in said["s3a://poison/cut.tar.gz"]
        with pytest.raises(Exception, match="nothing at"):
            reader.load("s3a://inbox/absent").collect()
    finally:
        server.stop()
