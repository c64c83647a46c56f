"""The server of the live page. Only who knows its address, token included, gets anything."""

from __future__ import annotations

import errno
import hmac
import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from topk_tune.dashboard.watching import Watch
from topk_tune.report.html import render

HOST = "127.0.0.1"

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class DashboardServer(ThreadingHTTPServer):
    """Serves the page at `address`.

    Parameters
    ----------
    watch
        The studies.
    port
        The port to listen at; 0 for a free one.
    """

    daemon_threads = True

    def __init__(self, watch: Watch, port: int = 0) -> None:
        self.watch = watch
        self.token = secrets.token_urlsafe(24)
        self.page = render("topk-tune", [], live=True)
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise OSError(
                f"the port {port} must be free, but something listens at {HOST}:{port}: leave out "
                "--port to get a free one"
            ) from None

    @property
    def hosts(self) -> tuple[str, str]:
        """The names by which the server may be called."""
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    @property
    def address(self) -> str:
        """The address of the page, which is a secret."""
        return f"http://{self.hosts[0]}/{self.token}/"

    def __enter__(self) -> DashboardServer:
        """Return the server; it is closed at the end of the block."""
        return self


class _Handler(BaseHTTPRequestHandler):
    """Answers GET requests."""

    server: DashboardServer
    server_version = "topk-tune"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer with the page or with news, to those who know the token."""
        address = urlsplit(self.path)
        _, given, *rest = [*address.path.split("/", 2), ""]
        if not self._is_called_by_name() or not self._is_token(given):
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", b"the address has no valid token\n")
        elif rest[0] == "":
            page = self.server.page
            self._answer(HTTPStatus.OK, "text/html", page.text.encode(), page.policy)
        elif rest[0] == "news":
            self._news(parse_qs(address.query).get("since", ["{}"])[0])
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"there is no such page\n")

    def _news(self, since: str) -> None:
        try:
            moments = json.loads(since)
            if not isinstance(moments, dict):
                raise ValueError("not an object")
        except ValueError:
            message = b"`since` must be a JSON object of moments by name\n"
            self._answer(HTTPStatus.BAD_REQUEST, "text/plain", message)
            return
        known = {name: str(moment) for name, moment in moments.items()}
        body = json.dumps(self.server.watch.news(known), separators=(",", ":")).encode()
        self._answer(HTTPStatus.OK, "application/json", body)

    def _is_called_by_name(self) -> bool:
        """Whether the request is for this host, not for one whose name was made to lead here."""
        return self.headers.get("Host", "") in self.server.hosts

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.server.token.encode())

    def _answer(
        self,
        status: HTTPStatus,
        kind: str,
        body: bytes,
        policy: str = "default-src 'none'",
    ) -> None:
        self.send_response(status)
        headers = {
            **_HEADERS,
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: addresses hold the token."""
