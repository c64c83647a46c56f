"""What machines lack, by what they tell, and machines that really tell it."""

import sys
import time
from pathlib import Path

import pytest
import ray
from stand_ins import put_ssh

from topk_tune.cluster.probing import _lacks, probe

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"

WELL = {
    "time": "1000",
    "disk": "50000000",
    "rsync": "/usr/bin/rsync",
    "python": f"/usr/bin/{PYTHON}",
    "venv": "yes",
    "ray": "",
}


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        ({}, None),
        ({"python": ""}, f"{PYTHON} is missing"),
        ({"venv": ""}, f"its {PYTHON} needs the modules venv and ensurepip"),
        ({"rsync": ""}, "rsync is missing"),
        ({"disk": "1000000"}, "its home needs 5 GB, but has 1.0 GB free"),
        ({"disk": ""}, "its home needs 5 GB, but has 0.0 GB free"),
        ({"disk": "1000000", "ray": ray.__version__}, None),  # it is set up already
        ({"ray": "1.0.0"}, f"its Ray must be {ray.__version__}, but is 1.0.0"),
        ({"time": "900"}, "its clock differs by 100 s"),
        ({"time": "1075"}, None),  # it took a while to answer
        ({"time": "1200"}, "its clock differs by 200 s"),
    ],
)
def test_what_a_machine_lacks(changes: dict[str, str], lacks: str | None) -> None:
    found = _lacks(WELL | changes, asked=1000.0, answered=1020.0)
    assert [each[: len(lacks or "")] for each in found] == ([lacks] if lacks else [])


def test_all_that_is_missing_is_told_at_once() -> None:
    assert len(_lacks({}, time.time(), time.time())) == 4


def test_every_machine_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """\
#!/bin/bash
case "$*" in
  *@192.0.2.3\\ *) echo no route to host >&2; exit 255;;
esac
PATH={tools} HOME={home} exec /bin/bash -c "${{@: -1}}"
"""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("date", "df", "awk"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    put_ssh(tmp_path, monkeypatch, script.format(tools=tools, home=tmp_path))
    content = {
        "provider": {"type": "local", "head_ip": "192.0.2.1", "worker_ips": ["192.0.2.3"]},
        "auth": {"ssh_user": "tuner"},
    }
    head, worker = probe(content)
    assert head.what == "192.0.2.1 can be set up"
    assert head.problem is not None
    assert head.problem.startswith(f"{PYTHON} is missing; rsync is missing")
    assert "clock" not in head.problem
    assert worker.problem == "no SSH to tuner@192.0.2.3: no route to host"
