"""Tasks spread over processes: results, failures, and no process that stays."""

import os
import time
from multiprocessing import active_children

import pytest

from plyground.errors import OptionError, PlygroundError
from plyground.processes import spread

_added = 0


def begin(added):
    global _added
    _added = added


def add(number):
    return number + _added


def fail(number):
    raise OptionError(f"number {number}")


def die(number):
    os._exit(3)


def sleep(number):
    time.sleep(600 if number else 0)


def test_every_task_has_its_result():
    assert dict(spread(add, [5, 6, 7], 2, begin, 10)) == {0: 15, 1: 16, 2: 17}
    assert list(spread(add, [], 2, begin, 10)) == []


def test_an_error_comes_back():
    with pytest.raises(OptionError, match="number 4"):
        list(spread(fail, [4], 1, begin, 0))


def test_a_worker_that_dies_is_an_error():
    with pytest.raises(PlygroundError, match="a worker process ended before its work was done"):
        list(spread(die, [1], 1, begin, 0))


def test_workers_end_with_the_loop_and_with_the_time():
    others = set(active_children())
    results = spread(sleep, [0, 1, 1], 2, begin, 0)
    assert next(results) == (0, None)
    children = set(active_children()) - others
    assert children
    results.close()
    for child in children:
        child.join(60)
        assert not child.is_alive()
    with pytest.raises(TimeoutError):
        list(spread(sleep, [1], 1, begin, 0, seconds=0.1))
