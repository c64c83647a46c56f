"""The rows of a data set that a study tunes with."""

from topk_tune.data import Dataset, hold_out
from topk_tune.data.split import fold_rows, in_folds
from topk_tune.records.settings import StudySettings
from topk_tune.training.trial import FoldedRows, SplitRows, TrialRows, test_rows


def tuning_rows(data: Dataset, settings: StudySettings) -> TrialRows:
    """Return the rows that trials train on and are measured with."""
    if settings.protocol == "paper":
        return test_rows(data)
    if in_folds(settings.holdout):
        if data.is_log:
            fold = fold_rows(int(data.groups.max()) + 1, settings.holdout)[data.groups]
        else:
            fold = fold_rows(len(data.Y_train), settings.holdout)
        return FoldedRows(data.X_train, data.Y_train, fold)
    held = hold_out(data, settings.holdout)
    return SplitRows(held.X_train, held.Y_train, held.X_validation, held.Y_validation)
