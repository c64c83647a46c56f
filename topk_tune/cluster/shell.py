"""Commands on the machines of a cluster: by SSH, or here if a machine is this one."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from topk_tune.cluster.launcher import HERE, ClusterError, Launcher, is_local, workers

_OPTIONS = {
    "BatchMode": "yes",  # nobody is there to type a password
    "ConnectTimeout": "10",
    "StrictHostKeyChecking": "accept-new",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ExitOnForwardFailure": "yes",
    # A shared connection of the user's own settings would stay when we are gone.
    "ControlMaster": "no",
    "ControlPath": "none",
    "LogLevel": "ERROR",
}

_NO_CONNECTION = 255
"""With which `ssh` ends if it is to blame itself."""


class ShellError(OSError):
    """A machine does not answer, or not well."""


@dataclass(frozen=True)
class Shell:
    """A way to run commands on a machine.

    Parameters
    ----------
    host
        Its address.
    user
        Who logs in; None for the one of this computer.
    key
        The file of the private key; None for what SSH finds by itself.
    proxy
        The command through which SSH reaches it, if not directly.
    """

    host: str
    user: str | None = None
    key: str | None = None
    proxy: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether the machine is this one, so that no SSH is needed."""
        return self.host in HERE

    def command(self, script: str, *options: str) -> list[str]:
        """What runs a script of the shell there; `options` are for SSH."""
        if self.is_here:
            return ["bash", "-c", script]
        return [*self._ssh(), *options, self._target, script]

    def forwarding(self, here: int, there: int) -> list[str]:
        """What makes a port of the machine's loopback answer on loopback here, until it ends."""
        return [*self._ssh(), "-N", "-L", f"127.0.0.1:{here}:127.0.0.1:{there}", self._target]

    def run(self, script: str, timeout: float | None = None) -> str:
        """What a script prints; a ShellError if the machine does not answer or the script fails."""
        try:
            done = subprocess.run(
                self.command(script),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            raise ShellError(f"{self.host} does not answer within {timeout:g} s") from None
        if done.returncode == _NO_CONNECTION and not self.is_here:
            raise ShellError(f"no SSH to {self._target}: {_last_line(done.stderr)}")
        if done.returncode:
            reason = _last_line(done.stderr) or _last_line(done.stdout)
            raise ShellError(f"{self.host}: {reason or f'exit code {done.returncode}'}")
        return done.stdout

    @property
    def _target(self) -> str:
        return f"{self.user}@{self.host}" if self.user else self.host

    def _ssh(self) -> list[str]:
        if shutil.which("ssh") is None:
            raise ClusterError("a cluster needs ssh, but this computer has none")
        options = dict(_OPTIONS)
        if self.proxy:
            options["ProxyCommand"] = self.proxy
        words = ["ssh", "-T"]
        if self.key:
            options["IdentitiesOnly"] = "yes"
            words += ["-i", str(Path(self.key).expanduser())]
        for name, value in options.items():
            words += ["-o", f"{name}={value}"]
        return words


def head_shell(content: Launcher) -> Shell:
    """The way to the head of a cluster, wherever its provider has put it."""
    if is_local(content):
        provider = content["provider"]
        head = provider.get("external_head_ip") or provider.get("head_ip")
        if not head:
            raise ClusterError("provider.head_ip must name the head")
        return shell_to(str(head), content)
    from ray.autoscaler.sdk import bootstrap_config, get_head_node_ip

    complete = bootstrap_config(content)  # the providers of clouds make keys of their own
    try:
        return shell_to(get_head_node_ip(complete), complete)
    except RuntimeError as error:
        raise ShellError(str(error)) from None


def every_shell(content: Launcher) -> list[Shell]:
    """The ways to all machines of the user's own, the head's first."""
    return [head_shell(content), *(shell_to(address, content) for address in workers(content))]


def shell_to(host: str, content: Launcher) -> Shell:
    """The way to a machine of a cluster."""
    auth = content.get("auth") or {}
    user, key, proxy = (f"ssh_{part}" for part in ("user", "private_key", "proxy_command"))
    return Shell(host, auth.get(user), auth.get(key), auth.get(proxy))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
