"""Bit operations, hashing and random numbers for kernels, on words: 64-bit integers.

A random stream is an array of one `uint64`; every draw advances it.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from math import cos, log, pi, sqrt
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from plyground.compile import JIT, helper

FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
LOW = np.uint64(0xFFFFFFFF)
STRIDE = np.int64(-7046029254386353131)
S22, S30, S31, S32, S61 = (np.uint64(shift) for shift in (22, 30, 31, 32, 61))


if JIT:

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(typing: Any, word: Any) -> Any:
        """Return how many bits are set in a word."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.ctpop(values[0])

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def highest(typing: Any, word: Any) -> Any:
        """Return the number of the highest bit that is set in a word that is not 0."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            zeros = builder.ctlz(values[0], ir.IntType(1)(1))
            return builder.sub(ir.IntType(64)(63), zeros)

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def has_run(typing: Any, word: Any, stride: Any, second: Any, third: Any) -> Any:
        """Return whether bits of a word are set in a row, in one of four directions.

        Neighbours are 1, `stride` - 1, `stride` or `stride` + 1 bits apart. Runs of 2 are joined to
        runs of 2 + `second`, and these to runs of 2 + `second` + `third`. The four directions are
        one vector.
        """

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = ir.VectorType(ir.IntType(64), 4)
            one, whole = ir.IntType(64)(1), ir.IntType(256)

            def vector(*items: Any) -> Any:
                made = ir.Constant(kind, ir.Undefined)
                for index, item in enumerate(items):
                    made = builder.insert_element(made, item, ir.IntType(32)(index))
                return made

            bits, across, *joined = values
            steps = vector(one, builder.sub(across, one), across, builder.add(across, one))
            runs = vector(*[bits] * 4)
            for length in (one, *joined):
                distances = builder.mul(steps, vector(*[length] * 4))
                runs = builder.and_(runs, builder.lshr(runs, distances))
            return builder.icmp_unsigned("!=", builder.bitcast(runs, whole), whole(0))

        return types.boolean(*[types.int64] * 4), generate

else:

    def has_run(word: Any, stride: Any, second: Any, third: Any) -> bool:
        """Return whether bits of a word are set in a row, in one of four directions."""
        found = 0
        for step in (1, stride - 1, stride, stride + 1):
            runs = int(word)
            for length in (1, second, third):
                runs &= runs >> int(step * length)
            found |= runs
        return found != 0

    def popcount(word: Any) -> int:
        """Return how many bits are set in a word."""
        return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()

    def highest(word: Any) -> int:
        """Return the number of the highest bit that is set in a word that is not 0."""
        return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_length() - 1


@helper
def lowest(word: Any) -> Any:
    """Return the number of the lowest bit that is set in a word that is not 0."""
    return popcount((word & -word) - 1)


@helper
def write_bits(word: Any, out: Any) -> Any:
    """Write the numbers of the bits that are set in a word to `out`, ascending; return how many."""
    count = 0
    while word != 0:
        out[count] = lowest(word)
        word &= word - 1
        count += 1
    return count


def split(bits: int, words: int) -> list[int]:
    """Return a number of any size as signed words of 64 bits, the lowest first."""
    unsigned = (bits >> 64 * index & (1 << 64) - 1 for index in range(words))
    return [word - (word >> 63 << 64) for word in unsigned]


@helper
def mix(seed: Any, word: Any) -> Any:
    """Return the `uint64` hash of a word combined with an earlier hash, or with any seed."""
    mixed = (np.uint64(seed) ^ np.uint64(word)) * FIRST
    mixed = (mixed ^ (mixed >> S30)) * SECOND
    return mixed ^ (mixed >> S31)


@helper
def random_below(random: Any, bound: Any) -> Any:
    """Return a random `int64` from 0 to bound - 1, for bounds below 2**32 (PCG XSH-RS 64/32)."""
    word = random[0]
    random[0] = word * MULTIPLIER + INCREMENT
    drawn = ((word ^ (word >> S22)) >> (S22 + (word >> S61))) & LOW
    return np.int64((drawn * np.uint64(bound)) >> S32)


@helper
def random_real(random: Any) -> Any:
    """Return a random number between 0 and 1, neither of which it can be."""
    return (random_below(random, 1 << 31) + 0.5) * 2.0**-31


@helper
def random_gamma(random: Any, shape: Any) -> Any:
    """Return a random number of the gamma distribution of scale 1 (Marsaglia and Tsang, 2000)."""
    factor = 1.0
    if shape < 1.0:
        factor = random_real(random) ** (1.0 / shape)
        shape += 1.0
    centre = shape - 1.0 / 3.0
    spread = 1.0 / sqrt(9.0 * centre)
    while True:
        angle = 2.0 * pi * random_real(random)
        normal = sqrt(-2.0 * log(random_real(random))) * cos(angle)
        cube = (1.0 + spread * normal) ** 3
        if cube > 0.0:
            kept = 0.5 * normal * normal + centre * (1.0 - cube + log(cube))
            if log(random_real(random)) < kept:
                return factor * centre * cube


@helper
def draw_below(words: Any, at: Any, bound: Any) -> Any:
    """Return a random number from 0 to bound - 1, below 2**32, from the stream in words[at].

    For rules with chance, whose random stream is one word of the state.
    """
    words[at] += STRIDE
    return np.int64(((mix(0, words[at]) >> S32) * np.uint64(bound)) >> S32)


@helper
def random_bit(random: Any, word: Any) -> Any:
    """Return the number of a random bit that is set in a word that is not 0."""
    for _ in range(random_below(random, popcount(word))):
        word &= word - 1
    return lowest(word)


def derive_seed(*seeds: int) -> int:
    """Return one 64-bit seed that depends on all the given integers."""
    return int.from_bytes(blake2b(repr(seeds).encode(), digest_size=8).digest())


def seed_deriver(first: int, *more: int) -> Callable[[int], int]:
    """Return the function of `last` that gives `derive_seed(first, *more, last)`.

    It takes half the time, as it hashes the text of the other seeds once.
    """
    common = blake2b(repr((first, *more, 0)).removesuffix("0)").encode(), digest_size=8)

    def derive(last: int) -> int:
        whole = common.copy()
        whole.update(b"%d)" % last)
        return int.from_bytes(whole.digest())

    return derive


def random_stream(*seeds: int) -> Any:
    """Return the random stream of a seed."""
    return np.array([derive_seed(*seeds)], np.uint64)
