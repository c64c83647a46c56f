"""Addresses at which no study can run: no Ray, no token, or a machine that is no node.

What Ray takes for this machine are the processes that it sees. So a process that sees none but its
own is on another machine for Ray, though it has the same network.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from clusters import HANG, QUICK, Cluster, drivers_in, ended, free_port, running_cluster
from messages import says

from topk_tune.backends.base import BackendError
from topk_tune.backends.ray_address import check_address

ELSEWHERE = ("unshare", "--user", "--map-root-user", "--pid", "--mount-proc", "--kill-child")
"""What a command begins with that is to see no process but its own."""

slow = [pytest.mark.slow, pytest.mark.timeout(4 * HANG)]


def _can_be_elsewhere() -> bool:
    if shutil.which(ELSEWHERE[0]) is None:
        return False
    return subprocess.run([*ELSEWHERE, "true"], capture_output=True, check=False).returncode == 0


elsewhere = pytest.mark.skipif(
    not _can_be_elsewhere(), reason="this machine has no namespaces of processes (unshare)"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as made:
        yield made


@pytest.fixture
def without_ray(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder in which Ray notes which of its clusters is the latest; none is."""
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return tmp_path / "ray"


def of(cluster: Cluster, **changes: str | None) -> dict[str, str]:
    """The environment of a driver on a cluster, with variables changed or (None) left out."""
    kept = {name: value for name, value in cluster.environment.items() if name not in changes}
    return kept | {name: value for name, value in changes.items() if value is not None}


def run(
    folder: Path, address: str, environment: dict[str, str], before: Sequence[str] = ()
) -> tuple[int, str]:
    """The exit code of a study at an address, and all that it says."""
    with drivers_in(folder) as drivers:
        command = (*QUICK, "--trials", "1", "--name", "study", "--address", address)
        driver = drivers.start(*command, environment=environment, before=before)
        said = ended(driver)
    return driver.returncode, said


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no-such-host.invalid:6379", "127.0.0.1:x"])
def test_an_address_without_a_cluster_is_refused_at_once(address: str) -> None:
    with pytest.raises(BackendError, match=f"no Ray at {address}"):
        check_address(address)


@pytest.mark.parametrize("variable", [None, "ray://127.0.0.1:10001"])
def test_a_ray_client_is_refused_with_the_reason(
    variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv("RAY_ADDRESS", variable)
    with pytest.raises(BackendError, match="cannot stream reports"):
        check_address("auto" if variable else "ray://127.0.0.1:10001")


def test_a_job_need_not_ask_about_the_cluster_that_has_started_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: pytest.fail("it asks"))
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        monkeypatch.setenv("RAY_JOB_CONFIG_JSON_ENV_VAR", "{}")
        monkeypatch.setenv("RAY_ADDRESS", address)
        check_address(address)
        check_address("auto")
    with pytest.raises(BackendError, match=f"no Ray at {address}"):
        check_address(address)  # it has ended since


@pytest.mark.slow
def test_an_address_without_a_port_is_refused() -> None:
    with pytest.raises(BackendError, match="no Ray at localhost: Invalid address format"):
        check_address("localhost")


@pytest.mark.slow
@elsewhere
def test_auto_is_refused_where_no_ray_runs(without_ray: Path, tmp_path: Path) -> None:
    code, said = run(tmp_path, "auto", dict(os.environ), ELSEWHERE)
    assert code == 1, said
    says(said, "no Ray runs on this machine", "auto", "--cluster FILE")
    assert len(said.splitlines()) == 1


@pytest.mark.slow
@elsewhere
def test_auto_is_refused_where_ray_has_ended(without_ray: Path, tmp_path: Path) -> None:
    without_ray.mkdir()
    port = free_port()
    (without_ray / "ray_current_cluster").write_text(f"127.0.0.1:{port}", encoding="utf-8")
    code, said = run(tmp_path, "auto", dict(os.environ), ELSEWHERE)
    assert code == 1, said
    assert f":{port}: [Errno 111] Connection refused" in said


class TestOfACluster:
    pytestmark = slow

    @elsewhere
    def test_a_machine_that_is_no_node_is_refused(self, cluster: Cluster, tmp_path: Path) -> None:
        code, said = run(tmp_path, cluster.address, of(cluster), ELSEWHERE)
        assert code == 1, said
        says(said, "node of the cluster", "--cluster FILE", "--address auto")
        assert len(said.splitlines()) == 1
        assert not (tmp_path / "studies").exists()  # refused before anything is made

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"RAY_AUTH_TOKEN": "0" * 32}, "does not accept this machine's token"),
            ({"RAY_AUTH_MODE": None}, "a token: set RAY_AUTH_MODE=token"),
            ({"RAY_AUTH_TOKEN": None}, "RAY_AUTH_MODE is token, but there is none in"),
        ],
    )
    def test_no_token_and_a_wrong_one_are_refused(
        self, cluster: Cluster, tmp_path: Path, changes: dict[str, str | None], reason: str
    ) -> None:
        home = {"HOME": str(tmp_path), **changes}
        code, said = run(tmp_path, cluster.address, of(cluster, **home))
        assert code == 1, said
        assert reason in said
        assert cluster.environment["RAY_AUTH_TOKEN"] not in said
        assert len(said.splitlines()) == 1

    def test_a_node_is_not_refused(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)
        check_address(cluster.address)
