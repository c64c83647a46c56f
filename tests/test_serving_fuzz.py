"""Anything may be sent to the application: it is answered, and only feedback teaches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving_cases import bits_of, open_model, rows

from topk_tune.serving.access import Access
from topk_tune.serving.app import RankingApp
from topk_tune.serving.served_model import ServedModel

X, _ = rows(1)
ID = "the id of an open ranking"
"""Stands for one in the bodies that are sent."""

numbers = st.one_of(
    st.integers(-2, 7), st.sampled_from([2**63, 10**400]), st.floats(width=32), st.floats()
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8), st.just(ID)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=7), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=12,
)
near_rows = st.one_of(
    st.fixed_dictionaries({"features": st.lists(numbers, min_size=6, max_size=6)}),
    st.fixed_dictionaries(
        {
            "indices": st.lists(st.integers(-1, 6), max_size=2),
            "values": st.lists(numbers, max_size=2),
        }
    ),
    st.dictionaries(st.sampled_from(["features", "indices", "values"]), json_values),
)
near_feedback = st.one_of(
    st.fixed_dictionaries(
        {"id": st.just(ID), "bits": st.lists(st.integers(0, 2), min_size=3, max_size=3)}
    ),
    st.fixed_dictionaries({"id": st.just(ID), "bits": json_values}),
    st.dictionaries(st.sampled_from(["id", "bits", "more"]), json_values),
)


def in_json(values: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    return values.map(lambda value: json.dumps(value).encode())


requests = st.one_of(
    st.tuples(st.sampled_from(["/rank", "/m/rank"]), in_json(near_rows)),
    st.tuples(st.sampled_from(["/feedback", "/m/feedback"]), in_json(near_feedback)),
    st.tuples(
        st.sampled_from(["/rank", "/feedback"]), st.binary(max_size=60) | in_json(json_values)
    ),
)


class Case:
    """A model and its application, asked in this process."""

    def __init__(self, model: ServedModel) -> None:
        self.model = model
        self.asgi: Any = RankingApp({"m": model}, Access(None)).asgi

    def post(self, path: str, parts: list[bytes], kind: bytes = b"application/json") -> Any:
        """The status and the content of the answer to a body that comes in parts."""
        return asyncio.run(self._post(path, parts, kind))

    async def _post(self, path: str, parts: list[bytes], kind: bytes) -> Any:
        left = [
            {"type": "http.request", "body": part, "more_body": place < len(parts) - 1}
            for place, part in enumerate(parts)
        ]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return left.pop(0) if left else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", kind)],
        }
        await self.asgi(scope, receive, send)
        return sent[0]["status"], json.loads(b"".join(each.get("body", b"") for each in sent))


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    model = open_model(tmp_path_factory.mktemp("fuzzed"))
    yield Case(model)
    model.close()


@pytest.mark.slow
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(request=requests, cut=st.integers(0, 60))
def test_any_body_is_answered_and_a_refused_one_changes_nothing(
    case: Case, request: tuple[str, bytes], cut: int
) -> None:
    model, (path, body) = case.model, request
    id_, _ = model.show(X[0])
    before = bits_of(model.ranker), model.ranker.rounds, len(model.rankings)
    body = body.replace(json.dumps(ID).encode(), json.dumps(id_).encode())
    status, answer = case.post(path, [body[:cut], body[cut:]])
    after = bits_of(model.ranker), model.ranker.rounds, len(model.rankings)
    if status == 200 and path.endswith("/feedback"):
        assert answer == {"learned": before[1] + 1} and after[1:] == (before[1] + 1, before[2] - 1)
    elif status == 200:
        assert len(answer["ranking"]) == 5
        assert after == (before[0], before[1], before[2] + 1)
    else:
        assert 400 <= status < 500 and answer["error"]
        assert after == before
    assert model.failed is None


def test_what_is_sent_can_be_right(case: Case) -> None:
    """Otherwise the test above would see refusals only."""
    id_, _ = case.model.show(X[0])
    body = json.dumps({"id": id_, "bits": [1, 0, 1]}).encode()
    assert case.post("/m/feedback", [body])[0] == 200
    assert case.post("/m/feedback", [body])[0] == 409
    assert case.post("/rank", [b'{"indices": [], "values": []}'])[0] == 200
    assert case.post("/rank", [b"{}"], b"text/plain")[0] == 415
