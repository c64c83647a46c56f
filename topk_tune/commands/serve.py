"""`topk-tune serve`: rankers that go on learning."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from topk_tune.commands.signals import terminable
from topk_tune.commands.terminal import console
from topk_tune.commands.train import train_config
from topk_tune.serving.access import Access, check_token_for, read_token
from topk_tune.serving.files import ModelFiles
from topk_tune.serving.served_model import Limits, NewModel, ServedModel
from topk_tune.serving.server import address_of, listen, run
from topk_tune.serving.sources import (
    Source,
    check_config,
    check_names,
    check_servable,
    digest,
    read_booster,
    read_logged,
)
from topk_tune.tracking import read_config

FOLDER = "serving"


def serve(
    models: Sequence[str],
    host: str,
    port: int,
    folder: Path | None,
    token_file: Path | None,
    snapshot_rounds: int,
    address: str | None,
) -> None:
    """Serve models until Ctrl-C."""
    sources = [Source.of(text) for text in models]
    check_names(sources)
    token = read_token(token_file)
    check_token_for(host, token)
    if address is not None:
        from topk_tune.commands.serve_on_ray import serve_on_ray

        limits = Limits(snapshot_rounds)
        serve_on_ray(sources, host, port, folder, limits, Access(token), address)
        return
    with (
        suppress(KeyboardInterrupt),
        terminable(),
        console.following("booster", "topk_tune"),
        listen(host, port) as opened,  # before a model is trained for nothing
        open_models(sources, folder, Limits(snapshot_rounds)) as served,
    ):
        console.say(f"serving at {address_of(opened)}")
        console.say("Ctrl-C stops the server.")
        run(served, opened, token)
    console.say("stopped")


@contextmanager
def open_models(
    sources: Sequence[Source], folder: Path | None, limits: Limits
) -> Iterator[dict[str, ServedModel]]:
    """Open models by name; at the end, all are saved."""
    with ExitStack() as ending:
        yield {source.name: _open(source, folder, limits, ending) for source in sources}


def _open(source: Source, folder: Path | None, limits: Limits, ending: ExitStack) -> ServedModel:
    """Open a model where it was left; a new one is trained or read."""
    files = ModelFiles((folder or source.parent / FOLDER) / source.name)
    if source.is_config:
        check_config(Path(source.place))
        origin = digest(Path(source.place))
        model = ServedModel(files, origin, lambda: _trained(source), limits)
    else:
        made, origin = _read(source)
        model = ServedModel(files, origin, lambda: made, limits)
    ending.callback(model.close)
    again = f", {model.replayed:,} of them again from the journal" if model.replayed else ""
    console.say(f"{source.name}: {model.ranker.rounds:,} rounds{again}, kept in {files.folder}")
    return model


def _read(source: Source) -> tuple[NewModel, str]:
    if source.is_in_mlflow:
        return read_logged(source.place, read_config())
    return read_booster(Path(source.place))


def _trained(source: Source) -> NewModel:
    model, data = train_config(Path(source.place))
    return NewModel(check_servable(model, source.place), data.label_names)
