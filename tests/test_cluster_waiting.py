"""What a study says while it waits for a machine that Ray's autoscaler sets up, over SSH."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from clusters import FRIGHTENING, HANG, QUICK, drivers_in, ended, running_cluster, until
from ray.autoscaler._private.util import prepare_config

MACHINE = "127.0.0.2"

SSH = """\
#!/bin/sh
# In the place of ssh: the machine answers once there is a file, and then its setup fails.
[ -e {answers} ] || exit 255
case "$*" in *uptime*) exit 0 ;; esac
exit 1
"""


def launcher_file(folder: Path) -> Path:
    """As `ray up` leaves it on the head of a cluster of machines."""
    content: dict[str, Any] = {
        "cluster_name": "waiting",
        "provider": {"type": "local", "head_ip": "127.0.0.1", "worker_ips": [MACHINE]},
        "auth": {"ssh_user": "nobody"},
        "min_workers": 1,
        "max_workers": 1,
        "setup_commands": ["true"],
    }
    path = folder / "ray_bootstrap_config.yaml"
    path.write_text(yaml.safe_dump(prepare_config(content)), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_study_says_what_becomes_of_the_machines_that_it_waits_for(tmp_path: Path) -> None:
    answers, programs = tmp_path / "answers", tmp_path / "programs"
    programs.mkdir()
    (programs / "ssh").write_text(SSH.format(answers=answers), encoding="utf-8")
    (programs / "ssh").chmod(0o755)
    variables = {
        "RAY_enable_autoscaler_v2": "0",
        "RAY_TMPDIR": str(tmp_path),
        "AUTOSCALER_UPDATE_INTERVAL_S": "1",
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
    }
    config = f"--autoscaling-config={launcher_file(tmp_path)}"
    log = tmp_path / "studies" / "study" / "log.txt"

    def logged(words: str) -> bool:
        return log.exists() and words in log.read_text(encoding="utf-8")

    with (
        running_cluster(variables=variables, options=[config]) as cluster,
        drivers_in(tmp_path) as drivers,
    ):
        driver = drivers.on(cluster, *QUICK, "--trials", "2", "--name", "study")
        until(lambda: logged(f"({MACHINE} waiting-for-ssh)"), driver, cluster.last_words)
        answers.touch()
        failed = f"1 node failed to start: {MACHINE} (its setup failed"
        until(lambda: logged(failed), driver, cluster.last_words)
        cluster.add_node()
        output = ended(driver, cluster.last_words)
    assert driver.returncode == 0, output
    waited = [line for line in output.splitlines() if line.startswith("waiting for ")]
    without = "waiting for a worker: 1 node is there without room for a trial (1 CPU, 0."
    assert waited[0].startswith(without)
    assert any(line.startswith(without) and line.count(failed) == 1 for line in waited)
    assert all(one != other for one, other in pairwise(waited)), waited
    assert not [word for word in FRIGHTENING if word in output], output
