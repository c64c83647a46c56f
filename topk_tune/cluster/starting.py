"""`topk-tune cluster up`: runs Ray's launcher and reports the progress of each machine."""

import os
import re
import socket
import subprocess
from collections import deque
from collections.abc import Callable
from pathlib import Path

from topk_tune.backends.ray_parts import machines_file
from topk_tune.cluster import head_folder
from topk_tune.cluster.launcher import (
    RAY,
    Launcher,
    demands_token,
    is_local,
    read_launcher,
    workers,
)
from topk_tune.cluster.nodes import Standing, heard
from topk_tune.cluster.probing import probe
from topk_tune.cluster.shell import Shell, ShellError, head_shell
from topk_tune.cluster.steps import Steps
from topk_tune.cluster.token import make_token
from topk_tune.processes.keeper import KeptProcess

_STEP = re.compile(r" updater\.py:\d+ -- (\[\d/\d\]|\(\d+/\d+\)) (.*)")
_LABEL = re.compile(r": ([^;]+);")
"""A command may begin with a no-op that describes it."""
_LOGGED = re.compile(r"^\d{4}-\d\d-\d\d .* -- ")
_NOISE = re.compile(r"^(Warning: Permanently|Shared connection|sending incremental|sent \d)")
_LAST_WORDS = 5
_WIDTH = 100
_IS_RUNNING = """\
pgrep -U "$(id -u)" -f 'topk-tune/venv.*[g]cs_server' > /dev/null
case $? in 0) echo yes;; 1) echo no;; *) exit 1;; esac
"""
_ANSWER = 30.0
"""Seconds that the head has to answer."""
_ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONUNBUFFERED": "1"}

Say = Callable[[str], None]


class StartError(RuntimeError):
    """A machine of a cluster was not set up."""


def start_cluster(path: Path, say: Say, restart: bool = False) -> None:
    """Start a cluster, or update a running one, and wait for its machines.

    Parameters
    ----------
    path
        The launcher file.
    say
        Called with a line for each step.
    restart
        Whether to end a running Ray on the head first, with its jobs.
    """
    content = read_launcher(path)
    if demands_token(content):
        make_token(say)
    awaited = _able(content, say) if is_local(content) else []
    going_on = not restart and _runs(content)
    if going_on:
        say("Ray is running on the head and is not restarted; --restart would do so")
    elif is_local(content):
        _forget(str(content.get("cluster_name")))
    with Steps(say) as steps:
        _launch(path, is_local(content), going_on, steps.at)
        if awaited:
            head = head_shell(content)
            if going_on:
                head.run(head_folder.script(head, "topk_tune.cluster", "renew"), _ANSWER)
            least = min(len(awaited), content.get("min_workers", len(awaited)))
            _await_workers(head, [_address(each) for each in awaited], least, steps.at)


def _able(content: Launcher, say: Say) -> list[str]:
    """The workers that can be set up; the head keeps trying to reach the others for a while."""
    head, *others = probe(content)
    if head.problem:
        raise StartError(f"the head cannot be set up: {head.problem}")
    for finding in others:
        if finding.problem:
            say(f"not yet: {finding.what}: {finding.problem}")
    able = [ip for ip, found in zip(workers(content), others, strict=True) if not found.problem]
    if others and not able:
        raise StartError("no worker can be set up")
    return able


def _forget(name: str) -> None:
    """Have Ray's launcher set up the head in full, with the key that `cluster down` removes.

    It leaves that out on a head that it has set up before, by what it has noted on this computer.
    """
    machines_file(name).unlink(missing_ok=True)


def _launch(path: Path, own_machines: bool, going_on: bool, say: Say) -> None:
    """Run `ray up`, which sets up the head, which then sets up the others."""
    command = [str(RAY), "up", "--yes", "--no-config-cache", "--log-style=record"]
    command += ["--log-color=false", str(path)]
    command += ["--no-restart"] if going_on else []
    # The second autoscaler never sees a `local` head as running, so it starts no workers.
    first = {"RAY_UP_enable_autoscaler_v2": "0"} if own_machines else {}
    said: deque[str] = deque(maxlen=_LAST_WORDS)
    with KeptProcess(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **_ENVIRONMENT, **first},
    ) as ray:
        for line in ray.output:
            if step := _STEP.search(line):
                said_of_it = _LABEL.match(step[2])
                say(f"head: {step[1]} {said_of_it[1] if said_of_it else step[2][:_WIDTH]}")
            elif line.strip() and not _LOGGED.match(line) and not _NOISE.match(line):
                said.append(line.strip())
        code = ray.wait()
    if code:
        raise StartError(f"the head was not set up; its last lines: {' / '.join(said)}")


def _runs(content: Launcher) -> bool:
    """Whether Ray runs on the head; an error if unknown, so that a running one is not ended."""
    try:
        head = head_shell(content)
    except ShellError:
        return False  # the cloud has not created the machine yet
    return head.run(_IS_RUNNING, _ANSWER).strip() == "yes"


def _await_workers(head: Shell, expected: list[str], least: int, say: Say) -> None:
    """Report the progress of the other machines until enough are ready, or have failed."""
    told = ""
    with heard(head) as standings:
        for now in standings:
            words = _in_words(now, expected)
            if words != told:
                say(f"workers: {words}")
                told = words
            if now["trouble"]:
                raise StartError(f"the autoscaler on the head has ended: {now['trouble']}")
            failed = {node["ip"]: node["reason"] for node in now["failed"]}
            there = {node["ip"] for node in now["there"]}
            missing = [ip for ip in expected if ip not in there]
            if len(expected) - len(missing) >= least:
                return
            if all(ip in failed for ip in missing):
                reasons = "; ".join(f"{ip}: {failed[ip]}" for ip in missing)
                raise StartError(
                    f"{len(missing)} of {len(expected)} did not start: {reasons}; Ray tries them "
                    "again after `cluster up --restart`"
                )


def _address(machine: str) -> str:
    """The IP address of a machine, which Ray uses even if the file has a host name."""
    try:
        return socket.gethostbyname(machine)
    except OSError:
        return machine


def _in_words(now: Standing, expected: list[str]) -> str:
    there = [node["ip"] for node in now["there"] if node["ip"] in expected]
    words = [f"{len(there)} of {len(expected)} ready"]
    words += [f"{node['ip']} {node['status']}" for node in now["pending"] if node["ip"]]
    words += [f"{node['ip']} failed ({node['reason']})" for node in now["failed"]]
    return ", ".join(words)
