"""Commands that are given by the words of their command line, on a cluster instead of here."""

import shlex
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from topk_tune.cluster import Jobs, head_folder
from topk_tune.cluster.jobs import JobError, check_passwords
from topk_tune.cluster.launcher import HERE, read_launcher
from topk_tune.cluster.server import free_port
from topk_tune.cluster.shell import Shell, head_shell
from topk_tune.commands.jobs import jobs_of
from topk_tune.commands.outputs import check_file, check_place
from topk_tune.commands.signals import INTERRUPTED
from topk_tune.commands.terminal import console
from topk_tune.storage.location import SENDER
from topk_tune.tracking.config import read_config
from topk_tune.tracking.uris import is_http


def send(given: list[str], cluster: Path) -> None:
    """Run the command on a cluster as a job, follow it and end as it ends."""
    if "--address" in given or "--backend" in given:
        raise ValueError("--cluster FILE says where to run: leave out --address and --backend")
    with jobs_of(None, cluster) as jobs:
        job = jobs.submit(given, _option(cluster))
        console.say(f"job {job}; Ctrl-C leaves it alone")
        try:
            code = _follow(jobs, job)
        except KeyboardInterrupt:
            code = INTERRUPTED
            _take_leave(cluster, job)
        except JobError as error:
            code = 1
            console.error(f"the line to the cluster is broken: {error}")
            _take_leave(cluster, job)
    raise SystemExit(code)


def _take_leave(cluster: Path, job: str) -> None:
    console.say("\nthe study continues without this terminal")
    console.say(f"next: topk-tune job logs -f {_option(cluster)} {job}")
    console.say(f"      topk-tune job stop {_option(cluster)} {job}")


def look(given: list[str], cluster: Path, output: Path | None) -> None:
    """Run the command on the head of a cluster; what it prints is written here."""
    check_file("--output", output)
    stdout = None if output is None else subprocess.PIPE
    with _on_head(given, cluster, "command", stdout=stdout) as process:
        text, _ = process.communicate()
    if output is not None and process.returncode == 0:
        output.write_bytes(text)
        console.say(f"written to {output}")
    raise SystemExit(process.returncode)


def fetch(given: list[str], cluster: Path, output: Path) -> None:
    """Run the command on the head of a cluster; what it writes comes here."""
    check_place("--output", output)
    files = ["files", output.resolve().name]
    with _on_head(given, cluster, *files, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as written:
                written.extractall(output.parent, filter="data")
        except tarfile.ReadError:
            process.stdout.close()  # or it may wait for somebody who reads
            raise SystemExit(process.wait() or 1) from None
    console.say(f"written to {output}")
    raise SystemExit(process.returncode)


def serve(given: list[str], cluster: Path, port: int | None) -> None:
    """Run the command on the head of a cluster; the port it serves leads there."""
    head = head_shell(read_launcher(cluster))
    tracked = read_config(environment={}).tracking_uri  # jobs get this file, and no variables
    if is_http(tracked) and urlsplit(tracked).hostname in HERE:
        there = urlsplit(tracked).port
        raise ValueError(
            f"studies are tracked by a server of the head itself, at port {there} of its loopback: "
            f"`ssh -N -L {there}:127.0.0.1:{there} {head.host}` forwards it here"
        )
    if is_http(tracked):
        look(given, cluster, None)  # which prints its address
    # The same on both sides, so that addresses that are printed there lead there from here.
    port = port or free_port()
    given = [*given, "--port", str(port)]
    check_passwords(given)
    words = [*_python(head), "-m", "topk_tune.cluster", "command", *given]
    # The end of its input tells the keeper there that nobody is here any more.
    script = head_folder.script(head, "topk_tune.processes.keeper", *words)
    forward = ("-L", f"127.0.0.1:{port}:127.0.0.1:{port}")
    process = subprocess.Popen(
        head.command(script, *forward), stdin=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.stdin.close()
        process.wait()
        console.say("stopped")
        code = 0
    raise SystemExit(code)


@contextmanager
def _on_head(
    given: list[str], cluster: Path, *verb: str, stdout: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The command as it runs on the head; what goes wrong there is said here."""
    check_passwords(given)
    head = head_shell(read_launcher(cluster))
    variables = {SENDER: _option(cluster), "COLUMNS": str(console.width)}
    script = head_folder.script(head, "topk_tune.cluster", *verb, *given, **variables)
    with subprocess.Popen(head.command(script), stdin=subprocess.DEVNULL, stdout=stdout) as process:
        yield process


def _python(head: Shell) -> list[str]:
    return [sys.executable] if head.is_here else ["venv/bin/python"]


def _option(cluster: Path) -> str:
    return f"--cluster {shlex.quote(str(cluster))}"


def _follow(jobs: Jobs, job: str) -> int:
    """Print what a job prints until it ends; returns its exit code."""
    for piece in jobs.follow(job):
        sys.stdout.write(piece)
        sys.stdout.flush()
    ended = jobs.ended(job)
    if ended.state == "stopped":
        return INTERRUPTED
    if ended.state == "failed" and ended.exit_code is None:  # it never came to run
        console.error(ended.message)
        return 1
    code = ended.exit_code or 0
    return code if code >= 0 else 128 - code  # of a signal, as shells have it
