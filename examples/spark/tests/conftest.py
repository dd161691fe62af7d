"""A cluster, and bundles: good ones of two customers, and hostile and broken ones."""

import gzip
import io
import os
import struct
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

from cluster import Cluster  # noqa: E402
from job import session  # noqa: E402

PANIC = "panic: runtime error: index out of range [3] with length 3\n"
MOUNT = (
    'Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume "conf" : '
    'configmap "cart" not found\n'
)


def tar_of(members, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def log(lines, seed):
    return "".join(
        f'E0304 05:{n // 60 % 60:02}:{n % 60:02}.{n % 1000:03}100       1 sync.go:88] "Sync failed" '
        f'pod="oven-{seed}/bread-{n % 3}" attempt={n} err="timeout"\n'
        for n in range(lines)
    ).encode()


def members(seed):
    yield f"case-{seed}/namespaces/oven/pods/bread-0/bread/bread/logs/current.log", PANIC.encode()
    if seed % 2:
        yield f"case-{seed}/namespaces/oven/events.txt", MOUNT.encode()
    yield f"case-{seed}/node/kubelet.log", log(50 + seed, seed)


def write_store(root, count=24):
    """Bundles below ``customer=/version=/day=``."""
    for seed in range(count):
        folder = root / f"customer=c{seed % 3}" / f"version=2.{seed % 2}" / f"day=2024-03-{4 + seed % 4:02}"
        folder.mkdir(parents=True, exist_ok=True)
        if seed % 5 == 4:
            for name, data in members(seed):
                path = folder / f"case-{seed}" / name.split("/", 1)[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        elif seed % 5 == 3:
            with zipfile.ZipFile(folder / f"case-{seed}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in members(seed):
                    archive.writestr(name, data)
        else:
            (folder / f"case-{seed}.tar.gz").write_bytes(tar_of(members(seed)))
    return root


def write_poison(folder):
    """A bomb, a cut archive, a member that claims 10 GB, noise, an empty file and folder, no permission."""
    folder.mkdir(parents=True, exist_ok=True)
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb", compresslevel=9) as out:
        for _ in range(512):
            out.write(b"a" * (1 << 20))
    (folder / "bomb.gz").write_bytes(bomb.getvalue())
    whole = tar_of(members(1))
    (folder / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    claims = bytearray(tar_of([("a.log", PANIC.encode())], "w"))
    claims[124:136] = b"%011o\0" % (10 << 30)
    claims[148:156] = b" " * 8
    claims[148:156] = b"%06o\0 " % sum(claims[:512])
    (folder / "claims-10g.tar").write_bytes(bytes(claims))
    (folder / "noise.bin").write_bytes(struct.pack("<4096Q", *(n * 0x9E3779B97F4A7C15 % 2**64 for n in range(4096))))
    (folder / "empty.tar.gz").write_bytes(b"")
    (folder / "nothing").mkdir(exist_ok=True)
    (folder / "loop" / "logs").mkdir(parents=True, exist_ok=True)
    (folder / "loop" / "logs" / "a.log").write_text(PANIC)
    (folder / "loop" / "logs" / "again").symlink_to(folder / "loop")
    return folder


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    return write_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def cluster():
    with Cluster(2) as cluster:
        os.environ.update(cluster.environment())
        yield cluster


@pytest.fixture(scope="session")
def spark(cluster):
    spark = session(cluster.url, spark__executor__memory="512m", spark__executor__cores="1")
    yield spark
    spark.stop()
