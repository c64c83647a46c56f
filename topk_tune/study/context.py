"""The context of a study's results: baselines on its rows, and warnings."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from topk_tune.data import Dataset
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import Confirmation, TrialRecord
from topk_tune.spaces import Space
from topk_tune.study.caveats import Shape, above_label_frequency, edges
from topk_tune.study.data_note import note_data
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study
from topk_tune.training.baselines import LABEL_FREQUENCY, Baseline, baselines
from topk_tune.training.metrics import LOGGED
from topk_tune.training.trial import test_rows

logger = logging.getLogger("topk_tune")

_NOTE = "context"

_COMPARED = ("shown_loss", "greedy_loss", LOGGED, f"frozen/{LOGGED}")
"""The losses that are compared with label frequency: the first that was measured."""


@dataclass(frozen=True)
class Context:
    """The baselines of a study, and the shape of its data.

    Parameters
    ----------
    shape
        The shape of the data, which limits the legal parameter values.
    tuning, test
        The baselines on the trials' measuring rows, and on the test rows.
    """

    shape: Shape | None = None
    tuning: Sequence[Baseline] = ()
    test: Sequence[Baseline] = ()

    def caveats(
        self, space: Space, best: TrialRecord | None, confirmed: Sequence[Confirmation] = ()
    ) -> list[str]:
        """Return the warnings about the confirmed best or, if there is none, the best trial."""
        first = confirmed[0] if confirmed else None
        if first is not None:
            config = first.config
            tested = bool(first.runs)
            metrics = first.metrics if tested else first.held.metrics
            others = self.test if tested else self.tuning
        elif best is not None:
            config, metrics, others = best.best_config, best.metrics, self.tuning
        else:
            return []
        loss = next((metrics[name] for name in _COMPARED if name in metrics), None)
        frequency = next((each.loss for each in others if each.name == LABEL_FREQUENCY), None)
        said = None
        if loss is not None and frequency is not None:
            said = above_label_frequency(loss, frequency)
        return [*([said] if said else []), *map(str, edges(config, space, self.shape))]


def make_context(
    settings: StudySettings,
    data: Dataset,
    *,
    test: bool = False,
    more: bool = False,
    known: Context | None = None,
) -> Context:
    """Compute the baselines of a study; those of the test rows only if something was tested.

    Known baselines are not computed again, because fitting models takes time.
    """
    known = known or Context()
    tuning, tested = known.tuning, known.test
    if not _enough(tuning, more):
        seeds = range(settings.seed, settings.seed + settings.seeds)
        tuning = baselines(tuning_rows(data, settings), seeds, more)
    if test and not _enough(tested, more):
        tested = baselines(test_rows(data), more=more)
    return Context(Shape(data.n_features, data.n_labels), tuning, tested)


def kept(study: Study) -> Context:
    """Return the stored context of a study, without loading its data; empty for old studies."""
    text = study.store.notes().get(_NOTE)
    if text is None:
        return Context()
    shape, tuning, test = codec.read_context(text, f"context of study {study.settings.name!r}")
    return Context(Shape(*shape), tuning, test)


def provide(study: Study, data: Dataset, *, test: bool = False, more: bool = False) -> Context:
    """Return the context of a running study, and store what is new in it."""
    note_data(study, data)
    known = kept(study)
    made = make_context(study.settings, data, test=test, more=more, known=known)
    if made != known:
        study.store.note(_NOTE, codec.context_text(made.shape or (), made.tuning, made.test))
    return made


def context_of(study: Study, *, test: bool = False, more: bool = False) -> Context:
    """Return the context of a study, as stored or computed now; nothing is written.

    A study may be read on a machine without its data. Then unknown baselines are omitted.
    """
    known = kept(study)
    if _enough(known.tuning, more) and (not test or _enough(known.test, more)):
        return known
    try:
        data = study.data()
    except (ValueError, OSError) as error:
        logger.warning("no baselines, because the data cannot be loaded: %s", error)
        return known
    return make_context(study.settings, data, test=test, more=more, known=known)


def _enough(known: Sequence[Baseline], more: bool) -> bool:
    return len(known) > (1 if more else 0)
