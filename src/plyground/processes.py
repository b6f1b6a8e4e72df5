"""Tasks spread over worker processes, which end with the process that started them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from plyground.errors import PlygroundError

Task = TypeVar("Task")
Result = TypeVar("Result")


def spread(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    workers: int,
    start: Callable[..., None],
    *arguments: Any,
    seconds: float | None = None,
) -> Iterator[tuple[int, Result]]:
    """Call a function for each task in worker processes; yield numbers of tasks with their results.

    They come in the order in which they are ready. Every worker first calls `start` with the
    arguments. After so many seconds, TimeoutError is raised. However the loop over the results
    ends, the workers are ended at once.
    """
    executor = new_executor(workers, start, *arguments)
    try:
        numbers = {executor.submit(function, task): at for at, task in enumerate(tasks)}
        for future in as_completed(numbers, seconds):
            yield numbers[future], future.result()
    except BrokenProcessPool:
        raise PlygroundError("a worker process ended before its work was done") from None
    finally:
        end_executor(executor)


def new_executor(
    workers: int, start: Callable[..., None] | None = None, *arguments: Any
) -> ProcessPoolExecutor:
    """Return worker processes, each of which first calls `start`; `end_executor` ends them."""
    return ProcessPoolExecutor(workers, get_context("spawn"), _begin, (start, arguments))


def end_executor(executor: ProcessPoolExecutor) -> None:
    """End worker processes at once, whatever they are doing."""
    for process in list((executor._processes or {}).values()):
        process.terminate()
    executor.shutdown(wait=True, cancel_futures=True)  # else its thread fails when Python ends


def _begin(start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """Get a worker process ready; Ctrl-C is its parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    follow_parent()
    if start is not None:
        start(*arguments)


def follow_parent() -> None:
    """Let this process end as soon as its parent has ended, however that happened."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
