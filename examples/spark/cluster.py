"""A standalone cluster of Spark on the loopback address of this machine: a master and workers of one core each."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List

import pyspark

HERE = Path(__file__).resolve().parent
HOME = Path(pyspark.__file__).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """Starts when it is entered, and ends what it started when it is left."""

    def __init__(self, workers: int = 2, memory: str = "1g") -> None:
        self.workers, self.memory = workers, memory
        self.url = ""
        self._processes: List[subprocess.Popen] = []
        self._folder = tempfile.TemporaryDirectory(prefix="kwhy-spark-")

    def environment(self) -> Dict[str, str]:
        return {
            **os.environ,
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_WORKER_DIR": os.path.join(self._folder.name, "work"),
            # what a cluster ships with --py-files
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        }

    def _start(self, name: str, *arguments: str) -> None:
        run = [str(HOME / "bin" / "spark-class"), *arguments]
        with open(os.path.join(self._folder.name, f"{name}.log"), "wb") as log:
            started = subprocess.Popen(run, env=self.environment(), stdout=log, stderr=log)
        self._processes.append(started)

    def __enter__(self) -> "Cluster":
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self) -> None:
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        deploy = "org.apache.spark.deploy"
        host = ("--host", "127.0.0.1", "--webui-port", "0")
        self._start("master", f"{deploy}.master.Master", *host, "--port", str(port))
        wait_for(port)
        for number in range(self.workers):
            worker = (f"{deploy}.worker.Worker", *host, "--cores", "1", "--memory", self.memory)
            self._start(f"worker-{number}", *worker, self.url)

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait(timeout=60)
        self._folder.cleanup()

    def executors(self) -> List[int]:
        """The processes of executors of this cluster's workers."""
        own = {process.pid for process in self._processes}
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                typed = (folder / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue
            if parent in own and b"CoarseGrainedExecutorBackend" in typed:
                found.append(int(folder.name))
        return found


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the master does not answer")
