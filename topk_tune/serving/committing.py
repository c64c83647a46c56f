"""Feedback that comes together shares one write to the disk."""

import asyncio

from topk_tune.serving.refusals import RefusedError
from topk_tune.serving.served_model import ServedModel, Taken


class Committer:
    """Writes, syncs and learns feedback in the order in which it was taken.

    While one batch is written to the disk, the next one gathers.

    Parameters
    ----------
    model
        The model that learns.
    """

    def __init__(self, model: ServedModel) -> None:
        self.model = model
        self.syncs = 0
        self._waiting: list[tuple[Taken, asyncio.Future[int]]] = []
        self._task: asyncio.Task[None] | None = None

    async def learned(self, taken: Taken) -> int:
        """Return the round in which feedback was learned, once it cannot be lost any more."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((taken, future))
        if self._task is None:
            self._task = asyncio.create_task(self._commit())
        return await future

    async def _commit(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._commit_together(batch)
                if self.model.is_due:
                    self.model.save()
        finally:
            self._task = None

    async def _commit_together(self, batch: list[tuple[Taken, asyncio.Future[int]]]) -> None:
        futures = [future for _, future in batch]
        try:
            self.model.write([taken for taken, _ in batch])
            await asyncio.to_thread(self.model.sync)
            self.syncs += 1
            rounds = self.model.learn_written()
        except Exception as error:  # each who asked must get an answer
            refused = RefusedError(503, f"it cannot be learned now: {error}")
            for future in futures:
                if not future.done():
                    future.set_exception(refused)
            return
        for future, number in zip(futures, rounds, strict=True):
            if not future.done():  # who asked may have left
                future.set_result(number)
