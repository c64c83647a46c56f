"""Runs commands on the machines of a cluster: by SSH, or directly on this machine."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from topk_tune.cluster.launcher import HERE, ClusterError, Launcher, is_local, workers

_OPTIONS = {
    "BatchMode": "yes",  # there is nobody to type a password
    "ConnectTimeout": "10",
    "StrictHostKeyChecking": "accept-new",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ExitOnForwardFailure": "yes",
    # A shared connection of the user's settings would outlive this process.
    "ControlMaster": "no",
    "ControlPath": "none",
    "LogLevel": "ERROR",
}

_NO_CONNECTION = 255
"""The exit code of `ssh` for its own errors."""


class ShellError(OSError):
    """A machine does not answer, or a command on it fails."""


@dataclass(frozen=True)
class Shell:
    """Runs commands on a machine.

    Parameters
    ----------
    host
        The address of the machine.
    user
        The user name; None for the local one.
    key
        The file of the private key; None for the default of SSH.
    proxy
        The proxy command of SSH, if any.
    """

    host: str
    user: str | None = None
    key: str | None = None
    proxy: str | None = None

    @property
    def is_here(self) -> bool:
        """Whether it is this machine, so that no SSH is needed."""
        return self.host in HERE

    def command(self, script: str, *options: str) -> list[str]:
        """The command that runs a shell script there; `options` are for SSH."""
        if self.is_here:
            return ["bash", "-c", script]
        return [*self._ssh(), *options, self._target, script]

    def forwarding(self, here: int, there: int) -> list[str]:
        """The command that forwards a local port to a loopback port of the machine."""
        return [*self._ssh(), "-N", "-L", f"127.0.0.1:{here}:127.0.0.1:{there}", self._target]

    def run(self, script: str, timeout: float | None = None) -> str:
        """The output of a script; a ShellError if the machine or the script fails."""
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
            raise ClusterError("a cluster needs ssh, which is not installed on this computer")
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
    """A shell on the head of a cluster of any provider."""
    if is_local(content):
        provider = content["provider"]
        head = provider.get("external_head_ip") or provider.get("head_ip")
        if not head:
            raise ClusterError("provider.head_ip must be the address of the head")
        return shell_to(str(head), content)
    from ray.autoscaler.sdk import bootstrap_config, get_head_node_ip

    complete = bootstrap_config(content)  # providers of clouds create their own keys
    try:
        return shell_to(get_head_node_ip(complete), complete)
    except RuntimeError as error:
        raise ShellError(str(error)) from None


def every_shell(content: Launcher) -> list[Shell]:
    """Shells on all machines of a `local` provider, the head first."""
    return [head_shell(content), *(shell_to(address, content) for address in workers(content))]


def shell_to(host: str, content: Launcher) -> Shell:
    """A shell on a machine of a cluster."""
    auth = content.get("auth") or {}
    user, key, proxy = (f"ssh_{part}" for part in ("user", "private_key", "proxy_command"))
    return Shell(host, auth.get(user), auth.get(key), auth.get(proxy))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
