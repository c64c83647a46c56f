"""Checks by SSH what machines need before Ray's launcher sets them up."""

import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from topk_tune.cluster.finding import Finding
from topk_tune.cluster.head_folder import HOME
from topk_tune.cluster.launcher import ClusterError, Launcher, is_local
from topk_tune.cluster.shell import Shell, ShellError, every_shell

_PATIENCE = 30.0
_CLOCK = 60.0
"""Seconds that clocks may differ; beyond, logs and times of trials are misleading."""
_DISK = 5_000_000_000
"""Bytes for the environment with Ray and MLflow, and for some studies."""

_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"

_RAY = 'from importlib.metadata import version; print(version("ray"))'
"""To import Ray would take a second."""

_ASK = f"""\
echo "time $(date +%s)"
echo "disk $(df -Pk ~ | awk 'NR == 2 {{print $4}}')"
echo "rsync $(command -v rsync)"
echo "python $(command -v {_PYTHON})"
echo "venv $({_PYTHON} -c 'import ensurepip, venv; print("yes")' 2> /dev/null)"
echo "ray $({HOME}/venv/bin/python -c '{_RAY}' 2> /dev/null)"
"""


def probe(content: Launcher) -> list[Finding]:
    """Check every machine of a `local` provider; returns a finding for each."""
    if not is_local(content):
        raise ClusterError("--probe needs a `local` provider")
    with ThreadPoolExecutor(max_workers=16) as pool:
        return list(pool.map(_probe, every_shell(content)))


def _probe(machine: Shell) -> Finding:
    what = f"{machine.host} can be set up"
    try:
        asked = time.time()
        lines = machine.run(_ASK, _PATIENCE).splitlines()
        told = {name: value for name, _, value in (line.partition(" ") for line in lines)}
        return Finding(what, "; ".join(_lacks(told, asked, time.time())) or None)
    except (ShellError, ValueError) as error:
        return Finding(what, str(error))


def _lacks(told: Mapping[str, str], asked: float, answered: float) -> list[str]:
    import ray

    lacks = []
    if not told.get("python"):
        lacks.append(f"{_PYTHON} is missing")
    elif not told.get("venv"):
        lacks.append(f"its {_PYTHON} needs the modules venv and ensurepip ({_PYTHON}-venv)")
    if not told.get("rsync"):
        lacks.append("rsync is missing")
    if (free := 1024 * int(told.get("disk") or 0)) < _DISK and not told.get("ray"):
        lacks.append(f"its home needs {_DISK / 1e9:.0f} GB, but has {free / 1e9:.1f} GB free")
    if told.get("ray") not in ("", None, ray.__version__):
        lacks.append(f"its Ray must be {ray.__version__}, but is {told['ray']} until it is set up")
    there = float(told.get("time") or 0)
    if not asked - _CLOCK < there < answered + _CLOCK:
        lacks.append(f"its clock differs by {abs(there - asked):.0f} s")
    return lacks
