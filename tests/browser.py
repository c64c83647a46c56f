"""A headless Chromium for the tests of pages, without a library or a port."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-dev-shm-usage "
    "--hide-scrollbars --remote-debugging-pipe"
)

# A browser looks for updates and accounts of its own accord; here it finds no other host.
_NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


class Browser:
    """A headless Chromium, spoken to in its DevTools protocol through a pipe."""

    def __init__(self, folder: Path) -> None:
        # The protocol uses the descriptors 3 and 4, which only a shell can make of 0 and 1.
        moved = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
        flags = [*_FLAGS.split(), _NOWHERE, f"--user-data-dir={folder}", "about:blank"]
        command = ["sh", "-c", moved, str(CHROMIUM), *flags]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._ids = itertools.count(1)
        self._session: str | None = None
        self._unread = bytearray()
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method and wait for its answer; events that come before it are kept."""
        number = next(self._ids)
        message = {"id": number, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\0")
        self._process.stdin.flush()
        while (answer := self._next()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        while b"\0" not in self._unread:
            more = os.read(self._process.stdout.fileno(), 2**20)
            assert more, "the browser has gone"
            self._unread += more
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def open(
        self, page: Path | str, width: int, dark: bool = False, media: str = "", height: int = 900
    ) -> None:
        """Open a file or an address on a screen of some size, or as on paper."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.events.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._next())
        self._reach()

    def _reach(self) -> None:
        """Wait until the page gets input: what comes before its first frame is dropped."""
        self.value("addEventListener('pointermove', () => { globalThis.isReached = true; })")
        for step in range(600):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1 + step % 2)
            if self.value("globalThis.isReached === true"):
                return
            time.sleep(0.05)
        raise AssertionError("the page gets no input")

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true in the page, up to half a minute."""
        look = f"const look = () => ({expression}) ? done() : setTimeout(look, 20); look();"
        waiting = f"new Promise((done, fail) => {{ setTimeout(fail, 30000); {look} }})"
        answer = self.call("Runtime.evaluate", expression=waiting, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"never true: {expression}"

    def click(self, selector: str) -> None:
        """Press and release the button of the mouse over an element."""
        at = self._middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def drag(self, points: Sequence[tuple[float, float]]) -> None:
        """Press the button of the mouse at the first point, move, and release it at the last."""
        kinds = ["mousePressed", *["mouseMoved"] * (len(points) - 1), "mouseReleased"]
        for kind, (x, y) in zip(kinds, [*points, points[-1]], strict=True):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, x=x, y=y)

    def hover(self, selector: str) -> None:
        """Move the mouse over an element."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **self._middle(selector))

    def _middle(self, selector: str) -> dict[str, float]:
        """Where an element is on the screen, onto which it is scrolled."""
        box = self.box(selector)
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def box(self, selector: str) -> dict[str, float]:
        """The edges and size of an element, which is scrolled onto the screen."""
        # Two frames later, what scrolling has set off has moved, or has been made anew.
        answer = self.call(
            "Runtime.evaluate",
            expression=f"""new Promise(done => {{
                const find = () => document.querySelector({json.dumps(selector)});
                const answer = () => done(find().getBoundingClientRect().toJSON());
                find().scrollIntoView({{block: 'center', inline: 'center'}});
                requestAnimationFrame(() => requestAnimationFrame(answer));
            }})""",
            returnByValue=True,
            awaitPromise=True,
        )
        assert "exceptionDetails" not in answer, answer
        found: dict[str, float] = answer["result"]["value"]
        return found

    def screenshot(self) -> bytes:
        """The whole page as a PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(answer["data"])

    def complaints(self) -> list[Any]:
        """What the console has been told: errors, warnings, refused loads."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event["params"] for event in self.events if event.get("method") in kinds]

    def requests(self) -> list[str]:
        """What has been asked for."""
        sent = [e["params"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent]

    def close(self) -> None:
        """End it."""
        self.call("Browser.close")
        self._process.wait(30)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
