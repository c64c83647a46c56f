"""Machines on one: namespaces with a network, processes, a home and an sshd of their own.

They reach each other and nothing else, so there is no package index: what this Python has
installed is mounted into each, as if it had been there before.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import FileLock

from topk_tune.processes.keeper import KeptProcess

ROOT = Path(__file__).parent.parent

NEEDED = ("ip", "unshare", "nsenter", "ssh", "ssh-keygen", "rsync", "/usr/sbin/sshd")

_NETWORK = "10.231.0"
_SWITCH = "topk-switch"
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_UID = 4000
_BOOTED = 30.0
"""Seconds in which the sshd of a machine must answer."""

_INIT = """\
set -e
mount --make-rprivate /
hostname {name}
mount -t overlay etc -o lowerdir={folder}/etc:/etc /etc
mount -t tmpfs -o size=4g,mode=1777 shm /dev/shm
mount -t tmpfs run /run
mkdir /run/sshd
cp {folder}/etc/hostkey /run/hostkey
mount -t overlay bin -o lowerdir={folder}/bin:/usr/local/bin /usr/local/bin
mount --bind {folder}/home /home
mount -t overlay environment -o \
lowerdir={folder}/changed:{environment},upperdir={folder}/upper,workdir={folder}/work {prefix}
# This Python may lie in the home of root, which is closed to others.
mount --bind {python} /mnt
mount -t tmpfs -o mode=755 root /root
mkdir -p {python}
mount --bind /mnt {python}
mount --rbind {folder}/tmp /tmp
exec /usr/sbin/sshd -D -e -h /run/hostkey -o UsePAM=no -o PasswordAuthentication=no -o PidFile=none
"""


def missing() -> list[str]:
    """What this computer lacks for machines, in words."""
    lacks = [program for program in NEEDED if shutil.which(program) is None]
    return lacks if os.geteuid() == 0 else ["root", *lacks]


@dataclass(frozen=True)
class Command:
    """A command that runs on a machine, and the file that it prints to."""

    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def is_over(self) -> bool:
        return self.process.poll() is not None

    @property
    def said(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(errors="replace")

    def code(self, patience: float) -> int:
        """Its exit code, once it has ended."""
        return self.process.wait(patience)


class Machine:
    """One of them, which can lose its power and be switched on again.

    Parameters
    ----------
    name
        Its host name.
    ip
        Its address.
    user
        Who logs in by SSH.
    prefix
        The folder of the environment with the installed packages.
    folder
        Where its files are.
    key
        The private key whose owner may log in.
    editable
        The sources that the environment uses as they are; None for one without this project.
    """

    def __init__(
        self,
        name: str,
        ip: str,
        user: str,
        prefix: str,
        folder: Path,
        key: Path,
        editable: str | None = None,
    ) -> None:
        self.name = name
        self.ip = ip
        self.user = user
        self.folder = folder
        self.home = folder / "home" / user
        self._prefix = prefix
        self._process: KeptProcess | None = None
        self._started: list[Command] = []
        for part in ("tmp", "etc", "upper", "work", f"home/{user}/.ssh", "changed"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self._write_accounts()
        self._write_environment(editable)
        self._write_home(key)

    @property
    def namespace(self) -> str:
        return f"topk-{self.name}"

    @property
    def is_on(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def switch_on(self) -> None:
        """Boot it; what lay in /tmp is gone, as it is after a real boot."""
        shutil.rmtree(self.folder / "tmp")
        (self.folder / "tmp").mkdir()
        (self.folder / "tmp").chmod(0o1777)
        init = self.folder / "init.sh"
        init.write_text(
            _INIT.format(
                name=self.name,
                folder=self.folder,
                python=sys.base_prefix,
                environment=sys.prefix,
                prefix=self._prefix,
            )
        )
        own = ("--pid", "--fork", "--mount", "--uts", "--ipc", "--mount-proc", "--kill-child")
        with (self.folder / "init.log").open("w") as log:
            self._process = KeptProcess(
                ["ip", "netns", "exec", self.namespace, "unshare", *own, "bash", str(init)],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait_for_sshd()

    def lose_power(self) -> None:
        """End all of its processes at once."""
        if self._process is not None:
            # With `unshare` all that runs below it is killed at once.
            psutil.Process(self._process.pid).children()[0].kill()
            self._process.stop()
            self._process = None
        for command in self._started:
            command.process.wait()

    @contextmanager
    def deaf(self) -> Iterator[None]:
        """A while in which it lets nobody in, and lets them wait, as if it had much to do."""
        sshd = psutil.Process(self._init())
        sshd.suspend()
        try:
            yield
        finally:
            sshd.resume()

    def run(self, command: str, folder: str = "~", timeout: float = 300) -> str:
        """What a command prints in a login shell of its user; it must end well."""
        done = subprocess.run(
            self._entered(f"cd {folder} && {command}"),
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
        )
        assert done.returncode == 0, f"{self.name}$ {command}\n{done.stdout}"
        return done.stdout

    def start(self, command: str, folder: str = "~") -> "Command":
        """Start a command in a login shell of its user."""
        log = self.folder / f"command-{len(self._started)}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                self._entered(f"cd {folder} && exec {command}"),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._started.append(Command(process, log))
        return self._started[-1]

    def signal(self, command: "Command", number: int) -> None:
        """Send a signal to a command that was started here, past the programs that lead to it."""
        family = psutil.Process(command.process.pid).children(recursive=True)
        next(each for each in family if _user_of(each) == _UID).send_signal(number)

    def processes(self) -> list[psutil.Process]:
        """What its user runs, apart from sshd and shells that wait for a command to end."""
        here = _pid_namespace(self._init())
        everything = [each for each in psutil.process_iter() if _pid_namespace(each.pid) == here]
        return [each for each in everything if _user_of(each) == _UID and not _is_login(each)]

    def _entered(self, command: str) -> list[str]:
        where = ["nsenter", "-t", str(self._init()), "-a", "--", "env", "-i", "TERM=dumb"]
        return [*where, "su", "-", self.user, "-c", command]

    def _init(self) -> int:
        assert self._process is not None, f"{self.name} is off"
        unshared = psutil.Process(self._process.pid).children()[0]
        return int(unshared.children()[0].pid)

    def _wait_for_sshd(self) -> None:
        deadline = time.monotonic() + _BOOTED
        log = self.folder / "init.log"
        while "Server listening" not in log.read_text():
            assert self.is_on and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)

    def _write_accounts(self) -> None:
        etc = self.folder / "etc"
        lines = {
            "passwd": f"{self.user}:x:{_UID}:{_UID}::/home/{self.user}:/bin/bash\n",
            "group": f"{self.user}:x:{_UID}:\n",
            "shadow": f"{self.user}:*:19000:0:99999:7:::\n",
        }
        for file, line in lines.items():
            (etc / file).write_text(Path("/etc", file).read_text() + line)
        (etc / "shadow").chmod(0o640)
        (etc / "hosts").write_text(f"127.0.0.1 localhost\n{self.ip} {self.name}\n")
        _new_key(etc / "hostkey")

    def _write_environment(self, editable: str | None) -> None:
        """What differs from the environment of this Python: its place, and this project."""
        packages = Path("lib", _PYTHON, "site-packages")
        (self.folder / "changed" / "bin").mkdir()
        (self.folder / "changed" / packages).mkdir(parents=True)
        for script in Path(sys.prefix, "bin").iterdir():
            if script.is_symlink() or script.read_bytes().startswith(b"\x7fELF"):
                continue  # those would only be copies of what lies below
            copy = self.folder / "changed" / "bin" / script.name
            text = script.read_text(encoding="utf-8", errors="surrogateescape")
            copy.write_text(text.replace(sys.prefix, self._prefix), errors="surrogateescape")
            shutil.copymode(script, copy)
        home = Path(sys.base_prefix, "bin")
        for name in ("python", "python3", _PYTHON):
            (self.folder / "changed" / "bin" / name).symlink_to(home / _PYTHON)
        (self.folder / "changed" / "pyvenv.cfg").write_text(f"home = {home}\n")
        (self.folder / "bin").mkdir()
        # No link: Python would look for its library beside that.
        python = self.folder / "bin" / _PYTHON
        python.write_text(f'#!/bin/sh\nexec {home / _PYTHON} "$@"\n')
        python.chmod(0o755)
        if editable is None:
            (self.folder / "changed" / "bin" / "topk-tune").unlink()
            os.mknod(self.folder / "changed" / "bin" / "topk-tune", 0o020000)
        for file in Path(sys.prefix, packages).glob("*topk_tune*"):
            changed = self.folder / "changed" / packages / file.name
            if editable is None:
                os.mknod(changed, 0o020000)  # to an overlay, that it is not there
            elif file.suffix == ".pth":
                changed.write_text(f"{editable}\n")
        # The environment is its user's own, who may install into it.
        for top in ("upper", "changed"):
            _give(self.folder / top)
        shutil.copystat(self.folder / "changed", self.folder / "upper")

    def _write_home(self, key: Path) -> None:
        for file in (".bashrc", ".profile"):
            shutil.copy(Path("/etc/skel", file), self.home)
        shutil.copy(key.with_suffix(".pub"), self.home / ".ssh" / "authorized_keys")
        kernels = Path.home() / ".cache" / "topk-tune" / "kernels"
        shutil.copytree(kernels, self.home / ".cache" / "topk-tune" / "kernels")
        where = self.folder / "home" / Path(self._prefix).relative_to("/home")
        where.mkdir(parents=True, exist_ok=True)
        _give(self.folder / "home" / self.user)
        (self.home / ".ssh").chmod(0o700)


class Machines:
    """A laptop with a checkout of this project and a key, and machines that it may log in to.

    Parameters
    ----------
    folder
        Where their files are.
    workers
        How many machines beside the head.
    """

    def __init__(self, folder: Path, workers: int) -> None:
        key = folder / "key"
        _new_key(key)
        names = ["head", *(f"n{number}" for number in range(1, workers + 1))]
        self.nodes = {
            name: Machine(
                name,
                f"{_NETWORK}.{10 + place}",
                "tuner",
                "/home/tuner/topk-tune/venv",
                folder / name,
                key,
            )
            for place, name in enumerate(names)
        }
        self.laptop = Machine(
            "laptop",
            f"{_NETWORK}.2",
            "lap",
            "/home/lap/topk-tune/.venv",
            folder / "laptop",
            key,
            editable="/home/lap/topk-tune",
        )
        _check_out(self.laptop.home / "topk-tune")
        shutil.copy(key, self.laptop.home / ".ssh" / "id_ed25519")
        _give(self.laptop.home)
        self.all = [*self.nodes.values(), self.laptop]

    @property
    def file(self) -> Path:
        """The laptop's cluster.yaml."""
        return self.laptop.home / "topk-tune" / "cluster.yaml"

    def name(self, *workers: str) -> None:
        """Name machines in cluster.yaml, as its reader is told to do, and change nothing else."""
        text = self.file.read_text()
        addresses = ", ".join(self.nodes[worker].ip for worker in workers)
        text = re.sub(r"head_ip: \S+", f"head_ip: {self.nodes['head'].ip}", text)
        self.file.write_text(re.sub(r"worker_ips: \[.*\]", f"worker_ips: [{addresses}]", text))

    def switch_on(self) -> None:
        """Wire them up and boot them."""
        _ip("netns", "add", _SWITCH)
        _ip("-n", _SWITCH, "link", "add", "bridge", "type", "bridge")
        _ip("-n", _SWITCH, "link", "set", "bridge", "up")
        for machine in self.all:
            self._wire(machine)
            machine.switch_on()

    def close(self) -> None:
        """End them, and remove their network."""
        for machine in self.all:
            machine.lose_power()
        remove_network()

    def _wire(self, machine: Machine) -> None:
        own = machine.namespace
        _ip("netns", "add", own)
        _ip(
            *("link", "add", "eth0", "netns", own, "type", "veth"),
            *("peer", "name", machine.name, "netns", _SWITCH),
        )
        _ip("-n", _SWITCH, "link", "set", machine.name, "master", "bridge", "up")
        _ip("-n", own, "addr", "add", f"{machine.ip}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            _ip("-n", own, "link", "set", device, "up")


@contextmanager
def machines_in(folder: Path, workers: int = 2) -> Iterator[Machines]:
    """Machines that do not outlive a test; a second set waits until the first is gone."""
    with FileLock("/tmp/topk-tune-machines.lock"):
        remove_network()  # of a test that was killed
        made = Machines(folder, workers)
        try:
            made.switch_on()
            yield made
        finally:
            made.close()


def remove_network() -> None:
    """Remove the namespaces of machines, with all that is between them."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        name = line.split()[0]
        if name.startswith("topk-"):
            _ip("netns", "delete", name)


def _check_out(folder: Path) -> None:
    """The project as it stands here, what is not committed yet included."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def _new_key(path: Path) -> None:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _give(folder: Path) -> None:
    """Let the user of a machine own a folder and what is in it."""
    os.chown(folder, _UID, _UID)
    for top, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            os.chown(Path(top, name), _UID, _UID, follow_symlinks=False)


def _pid_namespace(pid: int) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return None


def _user_of(process: psutil.Process) -> int | None:
    try:
        return int(process.uids().real)
    except psutil.NoSuchProcess:
        return None


def _is_login(process: psutil.Process) -> bool:
    try:
        return process.name() in ("sshd", "su") or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def _main(arguments: Sequence[str]) -> None:
    """Keep machines up to try things by hand: `python tests/machines.py FOLDER [WORKERS]`."""
    with machines_in(Path(arguments[0]), int((arguments[1:] or ["2"])[0])) as made:
        for machine in made.all:
            enter = f"nsenter -t {machine._init()} -a su - {machine.user}"
            print(f"{machine.name} {machine.ip}: {enter}")
        sys.stdin.read()


if __name__ == "__main__":
    _main(sys.argv[1:])
