"""The manifests of docs/cluster, read as the engines that run them would, which are not here."""

import re
from pathlib import Path
from typing import Any

import pytest
import ray
import yaml

LOOPBACK = "127.0.0.1"
SECRETS = re.compile(r"(?i)pass|secret|token|storage|store_uri")
MANIFESTS = ["kuberay.yaml", "services.yaml"]


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
