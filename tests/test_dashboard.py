"""The live page's server: who gets anything, and what is new since a moment."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from messages import says
from tuning import FakeBackend, study, tune

from topk_tune.dashboard import DashboardServer
from topk_tune.dashboard.following import Follower
from topk_tune.dashboard.watching import Watch
from topk_tune.engine.stopping import StopOptions
from topk_tune.report.payload import FIELDS
from topk_tune.storage import Location
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DashboardServer]:
    """A server of one study of three trials."""
    tune(study(tmp_path).store, StopOptions(trials=3), FakeBackend())
    with DashboardServer(Watch(Location.of(str(tmp_path)))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: DashboardServer, path: str, host: str = "", method: str = "GET"
) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=300)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{server.server_port}")
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


@pytest.mark.parametrize("path", ["/", "/{}/", "/news", "/{}/news", "//news", "/%2e%2e/", ""])
def test_nobody_without_the_token_gets_anything(server: DashboardServer, path: str) -> None:
    for wrong in (
        "",
        "x",
        "%C3%BC",
        server.token[:-1],
        f"{server.token}x",
        server.token.swapcase(),
    ):
        given = path.format(wrong) or "/"
        status, _, body = ask(server, given)
        assert status == 403 and server.token.encode() not in body and b"trial" not in body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "[::1]:80"])
def test_another_name_that_leads_here_gets_nothing(server: DashboardServer, host: str) -> None:
    for path in ("", "news"):
        assert ask(server, f"/{server.token}/{path}", host)[0] == 403
    assert ask(server, f"/{server.token}/", f"localhost:{server.server_port}")[0] == 200


def test_the_page_may_ask_its_own_server_only(server: DashboardServer) -> None:
    status, headers, body = ask(server, f"/{server.token}/")
    policy = headers["Content-Security-Policy"]
    assert status == 200 and "unsafe" not in policy and "http" not in policy
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "connect-src 'self'" in policy and policy.endswith("frame-ancestors 'none'")
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    assert server.token.encode() not in body


def test_it_listens_on_this_machine_only_and_answers_questions_only(
    server: DashboardServer,
) -> None:
    assert server.server_address[0] == "127.0.0.1"
    with DashboardServer(server.watch) as other:
        assert other.token != server.token and len(server.token) >= 32
    assert ask(server, f"/{server.token}/news", method="POST")[0] == 501
    assert ask(server, f"/{server.token}/other")[0] == 404
    for since in ("[]", "no", "%00"):
        assert ask(server, f"/{server.token}/news?since={since}")[0] == 400


def test_news_of_all_studies(server: DashboardServer) -> None:
    status, _, body = ask(server, f"/{server.token}/news")
    (found,) = json.loads(body)["studies"].values()
    assert status == 200 and len(found["trials"]) == 3 and found["facts"]["name"] == "s"
    since = json.dumps({"s": found["moment"]}).replace('"', "%22").replace(" ", "")
    (later,) = json.loads(ask(server, f"/{server.token}/news?since={since}")[2])["studies"].values()
    assert later["trials"] == [] and later["facts"] is None and not later["all"]


# Following


def numbers(news: dict[str, Any]) -> list[int]:
    return [row[FIELDS.index("number")] for row in news["trials"]]


def test_only_what_is_new_is_told(tmp_path: Path) -> None:
    made = study(tmp_path)
    follower = Follower(Location.of(str(tmp_path)), "s", pause=0)
    empty = follower.since("")
    assert empty["all"] and empty["trials"] == [] and empty["facts"]["name"] == "s"
    tune(made.store, StopOptions(trials=2), FakeBackend())
    first = follower.since(empty["moment"])
    assert numbers(first) == [0, 1] and not first["all"]
    tune(made.store, StopOptions(trials=5), FakeBackend())
    assert numbers(follower.since(first["moment"])) == [2, 3, 4]
    assert sorted(numbers(follower.since(empty["moment"]))) == [0, 1, 2, 3, 4]


def test_a_running_trial_is_told_again_when_it_ends(tmp_path: Path) -> None:
    store = study(tmp_path).store
    follower = Follower(Location.of(str(tmp_path)), "s", pause=0)
    number = store.begin({"algorithm": "topada", "loops": 6}, {}, {})
    running = follower.since("")
    assert running["trials"][0][:2] == [number, "running"]
    assert follower.since(running["moment"])["trials"] == []
    assert number is not None
    store.give_back(number)
    assert follower.since(running["moment"])["trials"][0][:2] == [number, "waiting"]


def test_notes_are_news_but_heartbeats_are_not(tmp_path: Path) -> None:
    made = study(tmp_path)
    follower = Follower(Location.of(str(tmp_path)), "s", pause=0)
    before = follower.since("")["moment"]
    made.store.note("driver:x", 1.0)
    assert follower.since(before)["facts"] is None
    made.store.note("budget", {"trials": 70})
    assert follower.since(before)["facts"]["budget"] == 70


@pytest.mark.parametrize("moment", ["", "other:1", "x", ":", "1", "é:9"])
def test_an_unknown_moment_gets_everything(tmp_path: Path, moment: str) -> None:
    tune(study(tmp_path).store, StopOptions(trials=2), FakeBackend())
    found = Follower(Location.of(str(tmp_path)), "s").since(moment)
    assert found["all"] and numbers(found) == [0, 1] and found["facts"]


def test_a_study_in_a_database_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = Study.create(location := Location.of("sqlite:///s.db"), _plan(tmp_path))
    watch = Watch(location, ["s"], pause=0)
    before = watch.news({})["studies"]["s"]["moment"]
    tune(made.store, StopOptions(trials=2), FakeBackend())
    assert numbers(watch.news({"s": before})["studies"]["s"]) == [0, 1]


def _plan(folder: Path) -> Plan:
    made = study(folder / "other")
    return Plan.checked(made.settings, made.data())


def test_new_studies_appear_and_those_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    location = Location.of(str(tmp_path))
    watch = Watch(location)
    assert watch.news({}) == {"studies": {}}
    study(tmp_path)
    study(tmp_path, name="t")
    assert set(watch.news({})["studies"]) == {"s", "t"}
    journal = location.journal("t")
    journal.write_bytes(journal.read_bytes() + b"no JSON\n{}\n")
    news = Watch(location).news({})["studies"]
    assert set(news["t"]) == {"problem"} and news["s"]["facts"]


def test_a_study_must_exist(tmp_path: Path) -> None:
    study(tmp_path)
    with pytest.raises(ValueError) as raised:
        Watch(Location.of(str(tmp_path)), ["s", "other"])
    says(str(raised.value), "other", "s")


def test_a_busy_port_is_named(server: DashboardServer, tmp_path: Path) -> None:
    with pytest.raises(OSError) as raised:
        DashboardServer(Watch(Location.of(str(tmp_path))), server.server_port)
    says(str(raised.value), str(server.server_port), "--port")


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_the_address_and_ends_cleanly(
    tmp_path: Path, ending: signal.Signals
) -> None:
    study(tmp_path)
    program = "from topk_tune.cli import main; main()"
    command = [sys.executable, "-c", program, "dashboard", "s", "--storage", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        port, token = address.removeprefix("http://127.0.0.1:").strip("/").split("/")
        connection = HTTPConnection("127.0.0.1", int(port), timeout=300)
        connection.request("GET", f"/{token}/")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(ending)
        rest = process.stdout.read()
    assert process.returncode == 0 and rest.endswith("stopped\n") and "Traceback" not in rest
