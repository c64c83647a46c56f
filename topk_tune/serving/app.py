"""The HTTP interface of served models.

| request | body | answer |
|---|---|---|
| POST /rank | `features`, or `indices` and `values` | `id`, `ranking`, `labels`, `k`, `pairs` |
| POST /feedback | `id`, `bits` | `learned`, the number of the round |
| GET /metrics | | for Prometheus |
| GET /healthz | | the rounds of each model |

Each model has its own `/NAME/rank` and `/NAME/feedback`; the short paths are for a single one.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from topk_tune.serving.access import Access
from topk_tune.serving.committing import Committer
from topk_tune.serving.metrics import Metrics
from topk_tune.serving.refusals import RefusedError
from topk_tune.serving.requests import content_of, features_of, feedback_of, largest_body
from topk_tune.serving.served_model import ServedModel

logger = logging.getLogger("topk_tune.serving")

Answer = Callable[[Request], Awaitable[Response]]


class RankingApp:
    """Answers requests about models.

    Parameters
    ----------
    models
        The models by name.
    access
        Who may ask.
    """

    def __init__(self, models: Mapping[str, ServedModel], access: Access) -> None:
        self._models = {name: Committer(model) for name, model in models.items()}
        self._metrics = Metrics(self._models)
        self._access = access
        routes = [
            Route("/metrics", self._guarded("", "/metrics", self._tell_metrics)),
            Route("/healthz", self._tell_health),
        ]
        for name in self._models:
            routes += self._routes(f"/{name}", name)
            if len(self._models) == 1:
                routes += self._routes("", name)
        ways = [(route.path, (route.methods or set()) - {"HEAD"}) for route in routes]
        self._paths = ", ".join(f"{method} {path}" for path, allowed in ways for method in allowed)
        self.asgi = Starlette(routes=routes, exception_handlers={HTTPException: self._explain})
        self.asgi.router.redirect_slashes = False  # a path is right or does not exist

    def _routes(self, prefix: str, name: str) -> list[Route]:
        """The paths of a model."""
        ways = {"/rank": self._rank, "/feedback": self._feedback}
        return [
            Route(prefix + path, self._guarded(name, path, partial(way, name)), methods=["POST"])
            for path, way in ways.items()
        ]

    async def _rank(self, name: str, request: Request) -> Response:
        model = self._model(name).model
        row = features_of(await _content(request, model), model.ranker.n_features)
        try:
            id_, offer = model.show(row)
        except OSError as error:
            raise RefusedError(503, f"it cannot be stored now: {error}") from None
        if model.is_due:  # there may be many rankings without any feedback
            model.save()
        return JSONResponse(
            {
                "id": id_,
                "ranking": offer.ranking.tolist(),
                "labels": [model.labels[label] for label in offer.shown.tolist()],
                "k": model.k,
                "pairs": offer.pairs.tolist(),
            }
        )

    async def _feedback(self, name: str, request: Request) -> Response:
        committer = self._model(name)
        id_, bits = feedback_of(await _content(request, committer.model))
        learned = await committer.learned(committer.model.take(id_, bits))
        self._metrics.learned(name, bits)
        return JSONResponse({"learned": learned})

    async def _tell_metrics(self, request: Request) -> Response:
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    async def _tell_health(self, request: Request) -> Response:
        failed = [name for name, each in self._models.items() if each.model.failed is not None]
        rounds = {name: each.model.ranker.rounds for name, each in self._models.items()}
        content = {"status": "failed" if failed else "ok", "rounds": rounds}
        return JSONResponse(content, 503 if failed else 200)

    def _guarded(self, name: str, path: str, answer: Answer) -> Answer:
        """The answer for those who may ask; everything else is refused with a reason."""

        async def guarded(request: Request) -> Response:
            began = time.perf_counter()
            try:
                self._access.check(request.headers)
                response = await answer(request)
            except RefusedError as refused:
                response = _refusal(refused.status, str(refused), **refused.facts)
            took = time.perf_counter() - began
            self._metrics.answered(name, path, response.status_code, took)
            return response

        return guarded

    def _model(self, name: str) -> Committer:
        found = self._models[name]
        if found.model.failed is not None:
            raise RefusedError(503, "nothing can be learned any more: restart the server")
        return found

    async def _explain(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        asked = f"{request.method} {request.url.path}"
        response = _refusal(error.status_code, f"{asked}: there are {self._paths}")
        response.headers.update(error.headers or {})
        return response


async def _content(request: Request, model: ServedModel) -> dict[str, Any]:
    """The JSON object of a request that is not too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # a page of another site could send any form of text
        raise RefusedError(415, f"Content-Type must be application/json, but got {kind!r}")
    limit = largest_body(model.ranker.n_features)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > limit:
                raise RefusedError(413, f"the body must have at most {limit} bytes, but has more")
    except ClientDisconnect:
        raise RefusedError(400, "the body must be complete") from None
    return content_of(bytes(body))


def _refusal(status: int, reason: str, **facts: int) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if status == 413:
        headers["Connection"] = "close"  # the rest of the body is not read
    return JSONResponse({"error": reason, **facts}, status, headers)
