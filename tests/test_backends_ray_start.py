"""A Ray that does not start at once, which is a busy machine's fault."""

from collections.abc import Callable

import pytest

from topk_tune.backends import ray_cluster
from topk_tune.backends.base import BackendError
from topk_tune.backends.ray_cluster import connect

Failing = Callable[[int], list[str]]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Has so many starts of Ray fail, and gives the list of all that is done."""

    def make(failures: int) -> list[str]:
        done: list[str] = []

        def start(**options: object) -> None:
            done.append("start")
            if done.count("start") <= failures:
                raise Exception("The current node timed out during startup.\nAnd more.")

        monkeypatch.setattr(ray_cluster.ray, "is_initialized", lambda: False)
        monkeypatch.setattr(ray_cluster.ray, "init", start)
        monkeypatch.setattr(ray_cluster.ray, "shutdown", lambda: done.append("clear away"))
        return done

    return make


def test_a_ray_of_our_own_is_started_again(failing: Failing) -> None:
    done = failing(2)
    assert connect(None, 1, 0)
    assert done == ["start", "clear away", "start", "clear away", "start"]


def test_but_not_for_ever(failing: Failing) -> None:
    failing(3)
    with pytest.raises(BackendError, match="no Ray on this machine: The current node timed out"):
        connect(None, 1, 0)


def test_a_cluster_is_asked_once(failing: Failing) -> None:
    done = failing(1)
    with pytest.raises(BackendError, match=r"no Ray at 127\.0\.0\.1:1: "):
        connect("127.0.0.1:1", None, 0)
    assert done.count("start") == 1
