"""A small stand-in for the release of scikit-multilearn, and an index on loopback that has it."""

from __future__ import annotations

import bz2
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from topk_tune.data import cache, mulan, sparse_rows
from topk_tune.data.dataset import ARRAYS, Dataset

ARCHIVE = "scikit-multilearn-0.0.1.tar.gz"


def python2_dump(X: np.ndarray, Y: np.ndarray) -> bytes:
    """Write what Python 2 wrote: text opcodes, the bytes of an array as an escaped string."""

    def array(key: str, values: np.ndarray) -> str:
        rows, columns = values.shape
        kind = f"(S'{values.dtype.str[1:]}'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
        return (
            f"S'{key}'\ncnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
            f"(I1\n(I{rows}\nI{columns}\ntcnumpy\ndtype\n{kind}I00\nS{repr(values.tobytes())[1:]}\ntbs"
        )

    text = "(d" + array("y", Y.astype("<i8")) + array("X", X.astype("<f8")) + "."
    return bz2.compress(text.encode("latin1"))


@dataclass
class Release:
    """The archive, the data sets in it, and the constants that describe both."""

    archive: bytes
    data: dict[str, Dataset]
    constants: dict[str, Any]


def make_release() -> Release:
    """Make an archive with five small data sets, two of which are sparse."""
    random = np.random.default_rng(0)
    data: dict[str, Dataset] = {}
    dumps: dict[str, bytes] = {}
    for name in mulan.FINGERPRINTS:
        X = random.standard_normal((9, 4)).astype(np.float32)
        Y = random.integers(0, 2, size=(9, 3), dtype=np.uint8)
        if name in mulan.SPARSE:
            X[random.random(X.shape) < 0.8] = 0
        dumps[f"{name}-train"] = python2_dump(X[:6], Y[:6])
        dumps[f"{name}-test"] = python2_dump(X[6:], Y[6:])
        kept: Any = sparse_rows if name in mulan.SPARSE else np.ascontiguousarray
        arrays = dict(zip(ARRAYS, (kept(X[:6]), Y[:6], kept(X[6:]), Y[6:]), strict=True))
        data[name] = cache.numbered(name, arrays)
    archive = _tar(dumps)
    constants = {
        "_ARCHIVE_SHA256": hashlib.sha256(archive).hexdigest(),
        "_DUMP_SHA256": {name: hashlib.sha256(dump).hexdigest() for name, dump in dumps.items()},
        "FINGERPRINTS": {name: each.fingerprint for name, each in data.items()},
    }
    return Release(archive, data, constants)


def _tar(dumps: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as members:
        for name, dump in dumps.items():
            path = f"scikit-multilearn-0.0.1/skmultilearn/data/{name}.dump.bz2"
            member = tarfile.TarInfo(path)
            member.size = len(dump)
            members.addfile(member, io.BytesIO(dump))
    return packed.getvalue()


@dataclass
class Index:
    """A package index: what it serves, how much of it before it hangs up, what was asked for."""

    archive: bytes
    url: str = ""
    cut_at: int | None = None
    downloads: list[str] = field(default_factory=list)


@contextmanager
def serving(archive: bytes) -> Iterator[Index]:
    """Serve an archive on loopback, in the way of a package index."""
    index = Index(archive)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith(ARCHIVE):
                index.downloads.append(self.path)
                self._answer("application/gzip", index.archive, index.cut_at)
            else:
                page = f'<a href="/{ARCHIVE}">{ARCHIVE}</a>'.encode()
                self._answer("text/html", page, None)

        def _answer(self, kind: str, content: bytes, cut_at: int | None) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:cut_at])

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        index.url = f"http://127.0.0.1:{server.server_port}/simple"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield index
        finally:
            server.shutdown()
            thread.join()


_LOADS = """
import json, sys
from topk_tune.data import load, mulan
for name, value in json.loads(sys.argv[1]).items():
    setattr(mulan, name, value)
print(load("mediamill").fingerprint)
"""


def loading_process(release: Release, index: Index, home: Path) -> subprocess.Popen[str]:
    """Start a process that loads Mediamill from an index into the cache in `home`."""
    environment = os.environ | {
        "XDG_CACHE_HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": index.url,
        "PIP_FIND_LINKS": "",
    }
    return subprocess.Popen(
        [sys.executable, "-c", _LOADS, json.dumps(release.constants)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
