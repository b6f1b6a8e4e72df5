"""Boards of 64 and 128 bits: compiled and plain code agree with Python's integers."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from plyground.arithmetic import split
from plyground.bitboard import (
    count,
    empty_64,
    empty_128,
    load_board,
    low_word,
    store_board,
    widen,
)
from plyground.compile import helper, loop, pointer


@helper
def compute(words, by, like):
    """Write the results of all operators on the first two boards; return those that are words."""
    left, right = load_board(words, 0, like), load_board(words, 1, like)
    both = left
    both &= right
    store_board(words, 2, both | (left ^ right))
    store_board(words, 3, left + right)
    store_board(words, 4, left - right)
    store_board(words, 5, left * right)
    store_board(words, 6, ~left)
    store_board(words, 7, -left)
    store_board(words, 8, left << by)
    store_board(words, 9, left >> by)
    store_board(words, 10, widen(by, like))
    truths = 8 * (left == right) + 4 * (left < right) + 2 * (not both) + (1 if both else 0)
    return count(left) + 1000 * truths, low_word(left)


@loop("i8(words, i8, words)")
def compute_64(words, by, out):
    out[0], out[1] = compute(pointer(words), by, empty_64())
    return 0


@loop("i8(words, i8, words)")
def compute_128(words, by, out):
    out[0], out[1] = compute(pointer(words), by, empty_128())
    return 0


@pytest.mark.parametrize(("bits", "compiled"), [(64, compute_64), (128, compute_128)])
def test_operators_are_those_of_unsigned_integers(bits, compiled):
    random, size, every = Random(bits), bits // 64, (1 << bits) - 1
    for number in range(200):
        left, right = (random.getrandbits(bits) & random.choice([every, 3]) for _ in range(2))
        if number == 0:
            left = right = 1 << (bits - 1)
        by = random.randrange(bits)
        words = np.array(split(left, size) + split(right, size) + [0] * 9 * size, np.int64)
        out = np.zeros(2, np.int64)
        compiled(words, by, out)
        wanted = [
            left | right, left + right, left - right, left * right, ~left, -left,
            left << by, left >> by, by,
        ]  # fmt: skip
        assert words[2 * size :].tolist() == [
            word for value in wanted for word in split(value & every, size)
        ]
        both = left & right
        truths = 8 * (left == right) + 4 * (left < right) + 2 * (not both) + bool(both)
        assert out.tolist() == [left.bit_count() + 1000 * truths, split(left, 1)[0]]


PLAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from test_bitboard import *
test_operators_are_those_of_unsigned_integers(64, compute_64)
test_operators_are_those_of_unsigned_integers(128, compute_128)
"""


def test_operators_are_the_same_without_the_compiler(fresh_python):
    done = fresh_python(PLAIN, Path(__file__).parent, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
