"""Workspaces: Python and compiled code share typed fields; wrong values are refused."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from plyground.compile import Reals, Words, helper, loop
from plyground.errors import GameError
from plyground.workspace import Records, Workspace, opener

PAIR = np.dtype([("key", np.int64), ("weight", np.float64)])


class Counted(Workspace):
    items: Words
    size: int
    total: int = 0


class Weighted(Counted):
    scale: float
    pairs: Annotated[Records, PAIR]
    weights: Reals
    sum: float = 0.0


@helper
def add_from(work, place):
    """Return the sum of the items from an index on, by recursion."""
    if place < work.size:
        work.total += work.items[place]
        work.sum += work.scale * work.weights[place]
        work.pairs[place]["key"] = work.items[place]
        work.pairs[place]["weight"] = work.weights[place]
        add_from(work, place + 1)


@loop("i8(workspace)", workspace=Weighted)
def add_up(work):
    add_from(work, np.int64(0))
    return len(work.pairs)


def weighted(**changed):
    fields = {
        "items": np.arange(4),
        "size": 4,
        "scale": 0.5,
        "pairs": np.zeros(6, PAIR),
        "weights": np.array([1.0, 2.0, 3.0, 4.0]),
    }
    return Weighted(**fields | changed)


def test_compiled_code_reads_and_sets_the_fields_that_python_does():
    work = weighted()
    assert add_up(work) == 6
    assert (work.total, work.sum) == (6, 5.0)
    assert work.pairs["key"].tolist() == [0, 1, 2, 3, 0, 0]
    assert work.pairs["weight"].tolist() == [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]
    work.total, work.scale, work.items = 10, 2.0, np.full(4, -1)
    work.pairs = np.zeros(9, PAIR)
    assert add_up(work) == 9
    assert (work.total, work.sum) == (6, 25.0)
    assert work.pairs["key"].tolist()[:4] == [-1] * 4


def test_two_workspaces_share_nothing_but_the_arrays_they_are_given():
    first, second = weighted(), weighted(scale=1.0)
    add_up(first)
    assert (second.total, second.sum, second.scale) == (0, 0.0, 1.0)
    assert second.pairs["key"].sum() == 0


open_weighted = opener(Weighted)


@loop("none(words)")
def double_all(addresses):
    for index in range(len(addresses)):
        work = open_weighted(addresses[index])
        work.total *= 2
        work.items[0] = index


def test_a_loop_reaches_many_workspaces_by_their_addresses():
    works = [weighted(items=np.arange(4), total=number) for number in range(5)]
    double_all(np.array([work.address for work in works[::-1]]))
    assert [work.total for work in works] == [0, 2, 4, 6, 8]
    assert [work.items[0] for work in works] == [4, 3, 2, 1, 0]


def test_a_field_is_missing_or_unknown():
    with pytest.raises(TypeError, match="Counted: missing or unknown fields: items, sise"):
        Counted(sise=3, size=3)


@pytest.mark.parametrize(
    "items",
    [np.zeros(4), np.zeros(4, np.int32), np.zeros((2, 2), np.int64), np.zeros(8, np.int64)[::2]],
    ids=["reals", "half words", "two rows", "every other"],
)
def test_an_array_that_compiled_code_would_misread_is_refused(items):
    with pytest.raises(TypeError, match="items: a contiguous array of int64 is needed"):
        weighted(items=items)


def test_a_loop_takes_no_workspace_of_another_class():
    with pytest.raises(TypeError, match="No matching definition"):
        add_up(Counted(items=np.arange(3), size=3))


def test_an_array_that_is_refused_leaves_the_one_before():
    work = weighted()
    with pytest.raises(TypeError):
        work.items = np.zeros(2)
    assert work.items.tolist() == [0, 1, 2, 3]
    add_up(work)
    assert work.total == 6


def test_compiled_code_cannot_put_another_array_in_a_field():
    @loop("none(workspace)", workspace=Weighted)
    def exchange(work):
        work.items = work.items

    with pytest.raises(GameError, match="exchange"):
        exchange(weighted())
