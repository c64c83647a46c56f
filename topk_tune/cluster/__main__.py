"""Commands that run on machines of a cluster and are called from elsewhere.

`command ...` runs a command of topk-tune in the folder of the cluster; a job has a parcel of files.
`files NAME ...` does too, and returns its files as an archive. `nodes` prints the state of nodes
repeatedly. `renew` tells the autoscaler about new machines. `end` ends all processes that this
environment has started on a machine.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path


def _command(*arguments: str) -> None:
    from topk_tune.cli import main
    from topk_tune.cluster import head_folder, parcel

    home = head_folder.home()
    home.mkdir(parents=True, exist_ok=True)
    parcel.unpack(Path.cwd(), home)
    os.chdir(home)
    main(arguments)


def _files(name: str, *arguments: str) -> None:
    """Write the files that a command writes below a name to standard output, as an archive."""
    import tarfile
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        try:
            _command("--quiet", *arguments, "--output", str(Path(folder, name)))
        except SystemExit as end:
            if end.code:
                raise
        with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as archive:
            for path in Path(folder).iterdir():
                archive.add(path, arcname=path.name)


def _nodes() -> None:
    from topk_tune.cluster.nodes import tell

    tell()


def _renew() -> None:
    """Tell the autoscaler on this machine about machines that are new in its file.

    It rereads the file by itself, but reads the list of machines only when it starts.
    """
    import yaml

    from topk_tune.backends.ray_parts import write_machines

    content = yaml.safe_load(Path("~/ray_bootstrap_config.yaml").expanduser().read_text())
    write_machines(content["provider"], content["cluster_name"])


def _end() -> None:
    from topk_tune.cluster.leftovers import end_all

    end_all()


VERBS: dict[str, Callable[..., None]] = {
    "command": _command,
    "files": _files,
    "nodes": _nodes,
    "renew": _renew,
    "end": _end,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
