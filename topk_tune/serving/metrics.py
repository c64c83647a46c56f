"""What Prometheus is told."""

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from topk_tune.serving.committing import Committer

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0)


class Metrics:
    """Counts requests, their time and what was clicked, and looks at the models when asked.

    Parameters
    ----------
    models
        The models by name.
    """

    def __init__(self, models: Mapping[str, Committer]) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Models(models))
        self._requests = Counter(
            "topk_tune_requests", "Requests.", ["model", "path", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "topk_tune_request_seconds",
            "Time until the answer.",
            ["model", "path"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._shown = Counter(
            "topk_tune_shown_labels", "Labels with feedback.", ["model"], registry=self._registry
        )
        self._relevant = Counter(
            "topk_tune_relevant_labels",
            "Labels whose feedback was 1.",
            ["model"],
            registry=self._registry,
        )

    def answered(self, model: str, path: str, status: int, seconds: float) -> None:
        """Count a request; `model` is empty for those about all models."""
        self._requests.labels(model, path, str(status)).inc()
        self._seconds.labels(model, path).observe(seconds)

    def learned(self, model: str, bits: Iterable[int]) -> None:
        """Count feedback."""
        told = list(bits)
        self._shown.labels(model).inc(len(told))
        self._relevant.labels(model).inc(sum(told))

    def text(self) -> bytes:
        """Everything in the format of Prometheus."""
        return generate_latest(self._registry)


class _Models(Collector):
    """Looks at the models."""

    def __init__(self, models: Mapping[str, Committer]) -> None:
        self._models = models

    def collect(self) -> Iterator[Metric]:
        """Yield what they have now."""
        rounds = GaugeMetricFamily("topk_tune_rounds", "Rounds learned.", labels=["model"])
        waiting = GaugeMetricFamily(
            "topk_tune_open_rankings", "Rankings that wait for feedback.", labels=["model"]
        )
        dropped = CounterMetricFamily(
            "topk_tune_dropped_rankings", "Rankings dropped without feedback.", labels=["model"]
        )
        syncs = CounterMetricFamily(
            "topk_tune_journal_syncs", "Writes of feedback to the disk.", labels=["model"]
        )
        for name, each in self._models.items():
            rounds.add_metric([name], each.model.ranker.rounds)
            waiting.add_metric([name], len(each.model.rankings))
            dropped.add_metric([name], each.model.rankings.dropped)
            syncs.add_metric([name], each.syncs)
        yield from (rounds, waiting, dropped, syncs)
