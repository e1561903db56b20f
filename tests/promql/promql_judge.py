"""A real Prometheus over drawn samples, with a folder of its own, on loopback."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

from promql_samples import Samples, write_openmetrics


@contextlib.contextmanager
def start(samples: Samples, folder: Path) -> Iterator[str]:
    """Its address, until it is ended."""
    (folder / "samples.txt").write_text(write_openmetrics(samples))
    (folder / "prometheus.yml").write_text("global: {}\n")
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", folder / "samples.txt", folder / "data"]
    subprocess.run(blocks, check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{probe.getsockname()[1]}"
    options = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}"]
    options += [f"--web.listen-address={where}", "--storage.tsdb.retention.time=100y", "--log.level=error"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(["prometheus", *options], stderr=log, stdout=log) as server,
    ):
        try:
            _wait(f"http://{where}", server, folder / "log")
            yield f"http://{where}"
        finally:
            server.terminate()
            server.wait(30)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise RuntimeError(f"prometheus ended: {log.read_text()}")
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/-/ready") as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    raise RuntimeError("prometheus does not become ready")


def ask(address: str, path: str, parameters: dict[str, object]) -> tuple[int, object]:
    """Status and parsed answer."""
    try:
        with urllib.request.urlopen(f"{address}{path}?{urlencode(parameters, doseq=True)}") as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            text = error.read().decode()
        return error.code, json.loads(text) if text.startswith("{") else text
