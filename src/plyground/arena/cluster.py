"""A pool of workers on a Ray cluster; it plays the same games as a local pool."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import lru_cache
from time import perf_counter
from typing import Any

from plyground.arena.plan import Pairing, Tournament
from plyground.arena.record import Record
from plyground.arena.referee import Referee
from plyground.arena.workers import DEATHS, TICK, Deal, Pool, Processes
from plyground.errors import OptionError, PlygroundError


def connect(address: str) -> Any:
    """Connect to a cluster, or start one for the address "local"; return the module of Ray."""
    try:
        import ray
    except ImportError:
        raise OptionError("--ray needs Ray: pip install 'plyground[ray]'") from None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no statistics
    local = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **local)
    except (ConnectionError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise OptionError(f"--ray: there is no cluster at {address!r}: {reason}") from None
    return ray


class ClusterExecutor(Executor):
    """Calls functions as tasks of Ray; those of a node that died are called again on another."""

    def __init__(self, address: str) -> None:
        self._ray = connect(address)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        task = self._ray.remote(max_retries=DEATHS)(function)
        return task.remote(*arguments, **more).future()  # type: ignore[no-any-return]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ray.shutdown()


class Cluster(Pool):
    """Plays games as tasks of Ray; games of a node that died are played again on another."""

    def __init__(self, address: str) -> None:
        self._ray = connect(address)
        self._play = self._ray.remote(max_retries=DEATHS)(_play)

    def close(self) -> None:
        self._ray.shutdown()

    def play(self, plan: Tournament, pairings: Iterable[Pairing]) -> Iterator[list[Record]]:
        deal = Deal(pairings)
        tasks: dict[Any, list[Pairing]] = {}
        try:
            while deal or tasks:
                workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
                while deal and len(tasks) < 2 * workers:
                    chunk = deal.chunk(workers)
                    tasks[self._play.remote(plan, chunk)] = chunk
                ready, _ = self._ray.wait(list(tasks), num_returns=len(tasks), timeout=TICK)
                batch: list[Record] = []
                for task in ready:
                    chunk = tasks.pop(task)
                    try:
                        records, seconds = self._ray.get(task)
                    except self._ray.exceptions.RayTaskError as error:
                        raise PlygroundError(f"a task failed: {error.cause}") from error
                    except self._ray.exceptions.RayError:  # the task died in every try
                        batch += _play_locally(plan, chunk)
                    else:
                        deal.learn(len(records), seconds)
                        batch += records
                yield batch
        finally:  # after an interruption, the remaining tasks are not needed
            with suppress(self._ray.exceptions.RayError):
                for task in tasks:
                    self._ray.cancel(task)


def _play_locally(plan: Tournament, chunk: list[Pairing]) -> list[Record]:
    """Play games whose tasks died too often in a local process, which finds the seat at fault."""
    with Processes(1) as pool:
        return [record for batch in pool.play(plan, chunk) for record in batch]


def _play(tournament: Tournament, chunk: list[Pairing]) -> tuple[list[Record], float]:
    referee = _referee(tournament)
    began = perf_counter()
    return [referee.play(pairing) for pairing in chunk], perf_counter() - began


@lru_cache(maxsize=1)
def _referee(tournament: Tournament) -> Referee:
    return Referee(tournament)
