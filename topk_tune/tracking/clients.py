"""The clients of MLflow that records are sent by."""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mlflow import MlflowClient

    from topk_tune.tracking.server_client import ServerClient
    from topk_tune.tracking.sqlite_client import SqliteClient

Client: TypeAlias = "MlflowClient | ServerClient | SqliteClient"
"""MLflow's own client, or one of ours that does the same with less work."""
