"""Warnings are errors in every test, but for those of others that pyproject.toml lists."""

import warnings

import pytest

LISTED = [
    ("The ``noload`` loader strategy is deprecated and will be removed.", DeprecationWarning),
    ("Any type hint is inferred as AnyType.", UserWarning),
]
KINDS = [DeprecationWarning, FutureWarning, ResourceWarning, RuntimeWarning, UserWarning]


def warn(text: str, kind: type[Warning], module: str) -> None:
    warnings.warn_explicit(text, kind, "somewhere.py", 1, module)


@pytest.mark.parametrize("module", ["booster.tables", "topk_tune.tracking", "search_spaces"])
@pytest.mark.parametrize(("text", "kind"), [*LISTED, *(("something", kind) for kind in KINDS)])
def test_a_warning_of_ours_is_an_error(text: str, kind: type[Warning], module: str) -> None:
    with pytest.raises(kind, match=text):
        warn(text, kind, module)


@pytest.mark.parametrize("kind", KINDS)
def test_so_is_one_of_mlflow_that_is_not_listed(kind: type[Warning]) -> None:
    with pytest.raises(kind, match="something"):
        warn("something", kind, "mlflow.store.tracking.sqlalchemy_store")


@pytest.mark.parametrize(("text", "kind"), LISTED)
def test_one_that_is_listed_is_ignored(text: str, kind: type[Warning]) -> None:
    warn(text, kind, "mlflow.store.tracking.sqlalchemy_store")
