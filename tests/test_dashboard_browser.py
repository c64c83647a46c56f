"""The live page in a browser: it follows a study that runs, and says when nobody answers."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from tuning import FakeBackend, study, tune

from topk_tune.dashboard import DashboardServer
from topk_tune.dashboard.watching import Watch
from topk_tune.engine.stopping import StopOptions
from topk_tune.storage import Location

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

_COUNT = "document.getElementById('count')?.textContent"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """A browser with an empty profile."""
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.close()


def test_a_new_trial_appears_and_what_is_chosen_stays(browser: Browser, tmp_path: Path) -> None:
    location = Location.of(str(tmp_path / "studies"))
    with DashboardServer(Watch(location, pause=0)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        browser.open(server.address, 1280)
        assert "No study yet" in browser.value("document.body.textContent")
        made = study(tmp_path / "studies")
        tune(made.store, StopOptions(trials=3), FakeBackend())
        browser.until(f"{_COUNT} === 'all 3 trials'")
        browser.box("#trials")
        browser.until("document.querySelector('[data-n]')")
        browser.click('[data-n="1"] .pin')
        browser.click("#history .tick input")
        tune(made.store, StopOptions(trials=5), FakeBackend())
        browser.until(f"{_COUNT} === 'all 5 trials'")
        browser.box("#trials")
        browser.until("document.querySelectorAll('[data-n]').length === 5")
        pinned = "[...document.querySelectorAll('.pin[aria-pressed=true]')].length"
        assert browser.value(pinned) == 1
        assert browser.value("document.querySelector('#history .tick input').checked")
        assert browser.complaints() == []
        assert all(each.startswith(server.address) for each in browser.requests())
        server.shutdown()
        thread.join()
    browser.until("document.getElementById('live').textContent.includes('does not answer')")
    assert browser.value(_COUNT) == "all 5 trials"


def test_a_browser_without_the_token_sees_nothing(browser: Browser, tmp_path: Path) -> None:
    tune(study(tmp_path / "studies").store, StopOptions(trials=1), FakeBackend())
    with DashboardServer(Watch(Location.of(str(tmp_path / "studies")))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        for path in ("", "news", "wrong/", "wrong/news"):
            browser.open(f"http://127.0.0.1:{server.server_port}/{path}", 1280)
            assert "no valid token" in browser.value("document.body.textContent")
        server.shutdown()
        thread.join()
