"""Emotions, Scene, Mediamill, bibtex and enron in the published splits of Mulan.

They are dumps in the source archive of an old release of scikit-multilearn. One download has all
of them. Those of the paper are stored together, and so are the two others: to unpack the words of
bibtex takes as long as all of the paper's.
"""

import hashlib
import logging
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data import cache
from topk_tune.data.dataset import ARRAYS, Dataset
from topk_tune.data.dumps import read_dump
from topk_tune.data.errors import DataError
from topk_tune.data.index import Progress, download
from topk_tune.data.rows import sparse_rows

_log = logging.getLogger(__name__)

_RELEASE = "scikit-multilearn==0.0.1"
_FOLDER = "scikit-multilearn-0.0.1/skmultilearn/data"
_ARCHIVE_SHA256 = "ac30a342595481f46db77f5334c3a1e2d8261f4adbd104e3444f801c3c89b6a0"
_DUMP_SHA256 = {
    "emotions-train": "5aeead98f63825074021883dcb4a16d6d96e3f13e535448323a09bf76bc77e89",
    "emotions-test": "d84af74a2dbd457e0249d91828da017af6bc83cef1d0e9080b99e8b9384dd2ca",
    "scene-train": "0374d88da2625fdae0a233cfd734762950f87c89cdcf982d364caf47c18ffdcd",
    "scene-test": "741914af229dc2378e1d5f57442b50862d52469cee57efb7308e7576ab57c7f9",
    "yeast-train": "1a448f0cf72a01c8173c004f088c5a768af2ae5ba92497846df34ff6490f4f13",
    "yeast-test": "71b014c4095714af833ca6c70b76a6ec0cdd3182931a206e84e1d0ebb133e84f",
    "bibtex-train": "d9d6cc9755ec6cab851df0c3d71058603bc146f8aaecee6e1a6af3319dd3a172",
    "bibtex-test": "1aa9347b8ffbe0b37461654c750191b50ed3466407d53cfb1e9736734bc019f4",
    "enron-train": "7ebcaeffefab9f9a168922fe1be9c63456cd8a878e3c137a38ef14f1fb533d48",
    "enron-test": "6924e3c9e1513e6e00960717b49d08e53b79ce8d758e8402e8bfabc1d268013e",
    "mediamill-train": "a8cecbf5b6c3cf2de9b12524939e966d07ae320ce849e935c4ed9b970c57a49a",
    "mediamill-test": "651668b891dc5c7e42b1e9a1db28a04011a88414c1c6e91a6b01c343a8a2d5c3",
}

# The fingerprints of the data sets, which reveal a damaged file in the cache.
FINGERPRINTS = {
    "emotions": "9b10e80a0287275e7ee277f42fca3891d28417e4f2e978bf21f2eac8d5099e1c",
    "scene": "9fe9e76f8ed2eb019f0d27897ee8492d6989d721f45999e689194aee9bef8a81",
    "mediamill": "41507277e4bea6f3236981f32746bedc81dfa46b6290eecb2c363c91d511c867",
    "bibtex": "a6f63a9feb6e9bedb4d0a86de44b39495ceb41b88dca1b8a55ec5f629b053cab",
    "enron": "e2746d8dbe1ddba88c27de3bb5c7eede0f518bbd37e5d789ca51e67cae4764f2",
}

# Their features are the words of documents. Mulan's own files have sparse rows.
SPARSE = ("bibtex", "enron")


def load_mulan(name: str, progress: Progress | None = None) -> Dataset:
    """Load a data set from the cache, or fetch it first."""
    return cache.read(name, FINGERPRINTS[name]) or _fetch(name, progress)


def _fetch(name: str, progress: Progress | None) -> Dataset:
    with cache.filling() as scratch:
        # Another process may have filled the cache while this one waited.
        data = cache.read(name, FINGERPRINTS[name])
        if data is not None:
            return data
        if cache.file_of(name).exists():
            _log.warning("%s is damaged and will be replaced", cache.file_of(name))
        together = [each for each in FINGERPRINTS if (each in SPARSE) == (name in SPARSE)]
        _log.info("Fetching %s, 32.5 MB, into %s", _listed(together), cache.folder())
        archive = download(_RELEASE, _ARCHIVE_SHA256, scratch, progress)
        _log.info("Unpacking")
        fetched = {each: read_archive(archive, each) for each in together}
        for unpacked in fetched.values():
            cache.write(unpacked, scratch)
        return fetched[name]


def read_archive(archive: Path, name: str) -> Dataset:
    """Read a data set out of the archive."""
    with tarfile.open(archive) as members:
        arrays: list[Any] = []
        for part in ("train", "test"):
            X, Y = _read_member(members, f"{name}-{part}")
            arrays += [sparse_rows(X) if name in SPARSE else X, Y]
    return cache.numbered(name, dict(zip(ARRAYS, arrays, strict=True)))


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _read_member(
    members: tarfile.TarFile, dump: str
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    member = members.extractfile(f"{_FOLDER}/{dump}.dump.bz2")
    content = member.read() if member else b""
    found = hashlib.sha256(content).hexdigest()
    if found != _DUMP_SHA256[dump]:
        raise DataError(f"{dump} must have the sha256 {_DUMP_SHA256[dump]}, but got {found}")
    return read_dump(content)
