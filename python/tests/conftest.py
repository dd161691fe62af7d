"""Inputs of the tests: the repository's fixtures, and small bundles."""

import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CASES = REPOSITORY / "fixtures" / "cases"
INCIDENTS = REPOSITORY / "fixtures" / "incidents"

PANIC = "panic: runtime error: index out of range [3] with length 3\n"
MOUNT = (
    'Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume "conf" : '
    'configmap "cart" not found\n'
)


def members():
    """Returns the members of a small bundle."""
    return [
        ("case/namespaces/oven/pods/bread-0/bread/bread/logs/current.log", PANIC.encode()),
        ("case/namespaces/oven/events.txt", MOUNT.encode()),
        ("case/node/kubelet.log", KLOG.encode()),
    ]


KLOG = "".join(
    f'E0304 05:{n // 60:02}:{n % 60:02}.000100       1 sync.go:88] "Sync failed" '
    f'pod="oven/bread-{n % 3}" attempt={n} err="timeout"\n'
    for n in range(600)
)


@pytest.fixture
def tar(tmp_path):
    path = tmp_path / "case.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.fixture
def zipped(tmp_path):
    path = tmp_path / "case.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members():
            archive.writestr(name, data)
    return path


@pytest.fixture
def folder(tmp_path):
    for name, data in members():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "in"


def script():
    """Returns the path of the program ``kwhy`` in the environment of the tests."""
    found = shutil.which("kwhy", path=str(Path(sys.executable).parent))
    assert found, "the wheel brings no script"
    return found


def program(*typed, stdin=b"", status=0):
    """Returns what the program prints, after checking its exit status."""
    done = subprocess.run([script(), *map(str, typed)], input=stdin, capture_output=True, timeout=300)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def all_fixtures():
    found = sorted(path for path in CASES.rglob("*") if path.is_file() and path.suffix == ".txt")
    assert len(found) > 50
    return found
