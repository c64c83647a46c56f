"""The manifests of docs/cluster, read as the engines that run them would, which are not here."""

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest
import ray
import yaml
from clusters import until
from typer.main import get_command

from topk_tune.cli.app import app
from topk_tune.cluster import jobs

LOOPBACK = "127.0.0.1"
SECRETS = re.compile(r"(?i)pass|secret|token|storage|store_uri")
MANIFESTS = ["kuberay.yaml", "rayjob.yaml", "services.yaml"]
SKYPILOT_PORTS = {6380, 8266, 52365, 10001}
"""Of the Ray that SkyPilot starts on each machine for itself."""


@pytest.fixture
def folder(root: Path) -> Path:
    return root / "docs" / "cluster"


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def pods(thing: Any) -> list[dict[str, Any]]:
    """Every description of a pod in a document."""
    if isinstance(thing, list):
        return [pod for each in thing for pod in pods(each)]
    if not isinstance(thing, dict):
        return []
    here = [thing] if "containers" in thing else []
    return here + [pod for each in thing.values() for pod in pods(each)]


def containers(path: Path) -> list[dict[str, Any]]:
    return [each for pod in pods(documents(path)) for each in pod["containers"]]


def run_options(command: str) -> dict[str, Any]:
    """What our own command line makes of a command that starts a study."""
    program, name, *arguments = shlex.split(command)
    assert (program, name) == ("topk-tune", "run")
    commands: Any = get_command(app)
    options: dict[str, Any] = commands.commands[name].make_context(name, arguments).params
    return options


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_document_says_what_it_is(folder: Path, name: str) -> None:
    named = [(each["kind"], each["metadata"]["name"]) for each in documents(folder / name)]
    assert all("apiVersion" in each for each in documents(folder / name))
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("name", MANIFESTS)
def test_containers_are_bounded_and_unprivileged(folder: Path, name: str) -> None:
    found = containers(folder / name)
    assert found
    for container in found:
        assert not container["image"].endswith(":latest")
        assert ":" in container["image"]
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("name", MANIFESTS)
def test_secrets_are_only_referred_to(folder: Path, name: str) -> None:
    for container in containers(folder / name):
        for variable in container.get("env", []):
            if SECRETS.search(variable["name"]):
                assert set(variable["valueFrom"]) == {"secretKeyRef"}, variable["name"]
    assert not [each for each in documents(folder / name) if each["kind"] == "Secret"]


@pytest.mark.parametrize("name", MANIFESTS)
def test_volumes_and_selectors_meet(folder: Path, name: str) -> None:
    for document in documents(folder / name):
        spec = document.get("spec", {})
        claimed = {each["metadata"]["name"] for each in spec.get("volumeClaimTemplates", [])}
        for pod in pods(spec):
            volumes = claimed | {volume["name"] for volume in pod.get("volumes", [])}
            for container in pod["containers"]:
                assert {m["name"] for m in container.get("volumeMounts", [])} <= volumes
        if "matchLabels" in spec.get("selector", {}):
            labels = spec["template"]["metadata"]["labels"]
            assert spec["selector"]["matchLabels"].items() <= labels.items()


def test_services_lead_to_pods(folder: Path) -> None:
    found = documents(folder / "services.yaml")
    labels = [d["spec"]["template"]["metadata"]["labels"] for d in found if "template" in str(d)]
    for service in (each for each in found if each["kind"] == "Service"):
        assert service["spec"]["selector"] in labels


def test_the_cluster_on_kubernetes_is_ours(folder: Path) -> None:
    (cluster,) = documents(folder / "kuberay.yaml")
    spec = cluster["spec"]
    assert spec["rayVersion"] == ray.__version__
    head, (workers,) = spec["headGroupSpec"], spec["workerGroupSpecs"]
    assert head["rayStartParams"]["dashboard-host"] == LOOPBACK
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
    for container in containers(folder / "kuberay.yaml"):
        assert {"name": "RAY_AUTH_MODE", "value": "token"} in container["env"]


def test_a_job_runs_one_study_again_until_it_is_done(folder: Path) -> None:
    (job,) = documents(folder / "rayjob.yaml")
    spec = job["spec"]
    options = run_options(spec["entrypoint"])
    assert options["address"] == "auto"
    assert options["name"] == job["metadata"]["name"]
    # What is restarted is the same command, on a new cluster.
    assert options["resume"] and spec["backoffLimit"] > 0
    assert spec["shutdownAfterJobFinishes"] and spec["ttlSecondsAfterFinished"] > 0
    environment = yaml.safe_load(spec["runtimeEnvYAML"])["env_vars"]
    assert environment == {"RAY_JOB_STOP_WAIT_TIME_S": jobs._LAST_WORDS}


def test_a_job_has_the_nodes_of_the_cluster(folder: Path) -> None:
    (cluster,), (job,) = documents(folder / "kuberay.yaml"), documents(folder / "rayjob.yaml")
    ours = job["spec"]["rayClusterSpec"]
    token = ours.pop("authOptions")
    variables = {each["name"]: each for each in ours["autoscalerOptions"]["env"]}
    secret = variables["RAY_AUTH_TOKEN"]["valueFrom"]["secretKeyRef"]
    # The operator reads the token from the same secret, always under this key.
    assert token == {"mode": "token", "secretName": secret["name"]}
    assert secret["key"] == "auth_token"
    # The operator is no program of the head's pod; the label is for the services.
    assert ours["headGroupSpec"]["rayStartParams"].pop("dashboard-host") == "0.0.0.0"
    cluster["spec"]["headGroupSpec"]["rayStartParams"].pop("dashboard-host")
    ours["headGroupSpec"]["template"].pop("metadata")
    assert ours == cluster["spec"]


def test_heads_reach_the_services(folder: Path) -> None:
    (cluster,), (job,) = documents(folder / "kuberay.yaml"), documents(folder / "rayjob.yaml")
    (policy,) = (d for d in documents(folder / "services.yaml") if d["kind"] == "NetworkPolicy")
    (rule,) = policy["spec"]["ingress"]
    let_in = [each["podSelector"]["matchLabels"] for each in rule["from"]]
    # The operator labels the pods of a cluster by its name, which is made up for that of a job.
    assert {"ray.io/cluster": cluster["metadata"]["name"]} in let_in
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]
    assert any(labels.items() <= head["metadata"]["labels"].items() for labels in let_in)


@pytest.fixture
def task(folder: Path) -> dict[str, Any]:
    """The task of SkyPilot."""
    (found,) = documents(folder / "skypilot.yaml")
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("part", ["setup", "run"])
def test_the_scripts_for_skypilot_are_bash(task: dict[str, Any], part: str) -> None:
    subprocess.run(["bash", "-n"], input=task[part], text=True, check=True)
    assert task[part].startswith("set -euo pipefail\n")
    assert "ray stop" not in task[part]  # it would end SkyPilot's own Ray


def test_skypilot_gets_the_wheel_and_no_secret(root: Path, task: dict[str, Any]) -> None:
    assert set(task["secrets"].values()) == {None}
    assert {"RAY_AUTH_TOKEN", "TOPK_TUNE_STORAGE"} <= set(task["secrets"])
    assert not [name for name in task["envs"] if SECRETS.search(name)]
    assert "--constraints constraints.txt" in task["setup"]
    assert "booster.warm_up()" in task["setup"]
    assert (root / task["file_mounts"]["~/topk-tune/constraints.txt"]).is_file()
    port = int(task["envs"]["PORT"])
    assert not SKYPILOT_PORTS & {port, port + 1, int(task["envs"]["AGENT_PORT"])}


def skypilot_run(task: dict[str, Any], home: Path, rank: int) -> tuple[int, list[str]]:
    """Run the task on a node without Ray; returns its exit code and what it called."""
    stubs = {
        # A node of Ray leaves its process id, and stays until it is ended. The head is well when
        # it has started; for the others it always is.
        "ray": """
            echo "ray $*" >> $CALLS
            if [ $1 = start ]; then echo $$ > $NODE; exec sleep 60; fi
            [ $SKYPILOT_NODE_RANK != 0 ] || [ -s $NODE ]
        """,
        "topk-tune": 'echo "topk-tune $*" >> $CALLS; exit 3',
    }
    place = home / "topk-tune" / "venv" / "bin"
    place.mkdir(parents=True)
    (place / "activate").write_text(f"PATH={shlex.quote(str(place))}:$PATH", encoding="utf-8")
    for name, script in stubs.items():
        (place / name).write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
        (place / name).chmod(0o755)
    calls, node = home / "calls", home / "node"
    variables = {
        "SKYPILOT_NODE_IPS": "10.0.0.1\n10.0.0.2\n10.0.0.3",
        "SKYPILOT_NODE_RANK": str(rank),
        "HOME": str(home),
        "CALLS": str(calls),
        "NODE": str(node),
    }
    environment = os.environ | task["envs"] | variables
    started = subprocess.Popen(["bash", "-c", task["run"]], env=environment)
    if rank > 0:
        until(lambda: node.exists() and node.read_text("utf-8").strip())
        psutil.Process(int(node.read_text("utf-8"))).terminate()  # as when the head is gone
    code = started.wait(300)
    assert not psutil.pid_exists(int(node.read_text("utf-8")))
    return code, [line for line in calls.read_text("utf-8").splitlines() if "health" not in line]


def test_the_first_machine_of_skypilot_is_the_head(task: dict[str, Any], tmp_path: Path) -> None:
    code, (head, study) = skypilot_run(task, tmp_path, 0)
    assert code == 3  # the study's own
    address = f"10.0.0.1:{task['envs']['PORT']}"
    assert f"--head --port={task['envs']['PORT']} " in head
    assert "--node-ip-address=10.0.0.1 " in head
    options = run_options(study)
    assert (options["address"], options["resume"]) == (address, True)
    assert options["name"] == task["envs"]["STUDY"]


def test_the_others_of_skypilot_join_it(task: dict[str, Any], tmp_path: Path) -> None:
    code, (node,) = skypilot_run(task, tmp_path, 2)
    assert code == 0
    assert "--head" not in node and node.startswith("ray start --block ")
    assert "--node-ip-address=10.0.0.3 " in node
    assert node.endswith(f"--address=10.0.0.1:{task['envs']['PORT']}")


def test_compose_opens_ports_on_loopback_and_takes_passwords_from_outside(folder: Path) -> None:
    (composed,) = documents(folder / "compose.yaml")
    for service in composed["services"].values():
        assert all(port.startswith(f"{LOOPBACK}:") for port in service["ports"])
        for name, value in service["environment"].items():
            if SECRETS.search(name):
                assert "${POSTGRES_PASSWORD:?" in value
        for volume in service["volumes"]:
            assert volume.split(":")[0] in composed["volumes"]
    build = composed["services"]["mlflow"]["build"]
    assert (folder / build["context"] / build["dockerfile"]).is_file()


def test_the_image_gets_the_wheel_with_the_constraints(folder: Path) -> None:
    text = (folder / "Dockerfile").read_text(encoding="utf-8")
    assert "--constraint /install/constraints.txt" in text
    assert text.index("USER 1000") < text.index("booster.warm_up()")
