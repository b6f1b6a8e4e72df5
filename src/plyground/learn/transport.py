"""Planes on their way to an accelerator, packed: the copy takes longer than the network otherwise.

Most planes have one value where they are set and 0 elsewhere. Such a plane is sent as one bit per
cell and its value: a sixteenth of its bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from plyground.compile import Bytes, loop
from plyground.workspace import Halves, Workspace

LEAST = 1024
"""Bytes of a position's planes from which on packing is worth its time."""


class Packed(NamedTuple):
    """Planes of one value each."""

    bits: NDArray[np.uint8]
    """(batch, planes, bytes): one bit per cell, the first cell in the lowest bit."""
    levels: NDArray[np.uint16]
    """(batch, planes): the value where a plane is set, as the bits of a bfloat16 number."""


class PackWorkspace(Workspace):
    """Some planes, and their packed form."""

    planes: Halves
    bits: Bytes
    levels: Halves
    count: int
    cells: int


@loop("i8(work)", work=PackWorkspace)
def pack_planes(work):
    """Pack planes; return 0 if one of them has several values."""
    planes, bits, levels, cells = work.planes, work.bits, work.levels, work.cells
    size, whole = (cells + 7) // 8, cells // 8
    for plane in range(work.count):
        at, level, several = plane * cells, np.uint16(0), False
        for cell in range(at, at + cells):
            level = max(level, planes[cell])
        for cell in range(at, at + cells):
            several |= (planes[cell] != 0) & (planes[cell] != level)
        if several:
            return 0
        levels[plane] = level
        for first in range(whole):
            byte, cell = 0, at + 8 * first
            for bit in range(8):
                byte |= np.int64(planes[cell + bit] != 0) << bit
            bits[plane * size + first] = byte
        if whole < size:
            byte = 0
            for cell in range(8 * whole, cells):
                byte |= np.int64(planes[at + cell] != 0) << (cell - 8 * whole)
            bits[plane * size + whole] = byte
    return 1


def pack(planes: Halves) -> Packed | None:
    """Pack planes (batch, planes, rows, columns).

    None: one of them has several values, or they are small.
    """
    batch, count, rows, columns = planes.shape
    if planes[0].nbytes < LEAST:
        return None
    packed = Packed(
        np.empty((batch, count, -(-rows * columns // 8)), np.uint8),
        np.empty((batch, count), np.uint16),
    )
    work = PackWorkspace(
        planes=planes.reshape(-1), bits=packed.bits.view(np.int8).reshape(-1),
        levels=packed.levels.reshape(-1), count=batch * count, cells=rows * columns,
    )  # fmt: skip
    return packed if pack_planes(work) else None


def unpack(packed: Any, shape: tuple[int, ...]) -> jax.Array:
    """Return the planes of this shape as the bits of bfloat16 numbers, on the accelerator."""
    cells = shape[-1] * shape[-2]
    places = jnp.arange(8, dtype=jnp.uint8)
    bits = (packed.bits[..., None] >> places) & 1
    flat = bits.reshape(*packed.levels.shape, -1)[:, :, :cells]
    return jnp.reshape((flat * packed.levels[..., None]).astype(jnp.uint16), (-1, *shape))
