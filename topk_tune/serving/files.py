"""The files of a served model: what is where in its folder.

| file | |
|---|---|
| `model.json` | the labels, and from which file the model came |
| `booster-N.npz` | the booster after N rounds |
| `journal-N.jsonl` | what was shown and learned after these N rounds |
| `log/rounds-N.parquet` | the rounds of an earlier journal |
| `serve.lock` | held by the process that serves it |
"""

from dataclasses import dataclass
from pathlib import Path

from topk_tune.serving.durable import PARTIAL

_JOURNAL, _BOOSTER = ("journal-", ".jsonl"), ("booster-", ".npz")


@dataclass(frozen=True)
class ModelFiles:
    """The files in a folder."""

    folder: Path

    @property
    def about(self) -> Path:
        """What the model is."""
        return self.folder / "model.json"

    @property
    def lock(self) -> Path:
        """The lock of the process that serves it."""
        return self.folder / "serve.lock"

    @property
    def log(self) -> Path:
        """The folder of the log."""
        return self.folder / "log"

    def journal(self, rounds: int) -> Path:
        """The journal that begins after a number of rounds."""
        return self.folder / f"{rounds:012}".join(_JOURNAL)

    def booster(self, rounds: int) -> Path:
        """The booster after a number of rounds."""
        return self.folder / f"{rounds:012}".join(_BOOSTER)

    def journals(self) -> list[int]:
        """After how many rounds each journal begins, in order."""
        return self._numbers(*_JOURNAL)

    def boosters(self) -> list[int]:
        """After how many rounds each booster was saved, in order."""
        return self._numbers(*_BOOSTER)

    def remove_partial(self) -> None:
        """Remove what a process was writing when it was killed."""
        for folder in (self.folder, self.log):
            for path in folder.glob(f"*{PARTIAL}"):
                path.unlink()

    def _numbers(self, start: str, end: str) -> list[int]:
        names = (path.name for path in self.folder.glob(f"{start}*{end}"))
        numbers = (name.removeprefix(start).removesuffix(end) for name in names)
        return sorted(int(number) for number in numbers if number.isdecimal())
