"""The wheel of the project, and an environment that has it instead of the checkout."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder; returns its file."""
    command = "pip wheel --quiet --no-deps --no-build-isolation --wheel-dir"
    subprocess.run([sys.executable, "-m", *command.split(), str(folder), str(root)], check=True)
    (path,) = folder.glob("*.whl")
    return path


def clean_environment(wheel: Path, folder: Path, *others: Path) -> Path:
    """An environment with a wheel or several and the dependencies of this one; returns its Python.

    The dependencies come through a path file. Path files in the folder that it names, such as
    the one of an editable install, do not count: the checkout is not there.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    # Before the path file: pip must not take the project of this environment for installed.
    install = "install --quiet --no-deps --no-index --disable-pip-version-check"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, *install.split(), *map(str, (wheel, *others))], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python
