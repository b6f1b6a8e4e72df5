"""Files of arrays, NumPy's npz: read without trusting what they say of themselves."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from plyground.errors import PlygroundError
from plyground.text import one_line

HEADER = re.compile(
    rb"\{'descr': '([<|][a-z]\d{1,2})', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,12}, ?)*\d{0,12})\), \}"
)
"""What NumPy writes before an array's numbers, of plain numbers in C order."""

PREFIX = struct.Struct("<8sH")
"""NumPy's mark with the format's version 1.0, and the header's length."""
MARK = b"\x93NUMPY\x01\x00"

HEADER_SIZE = 1024
"""More bytes than what comes before an array's numbers."""


class ArraysError(PlygroundError):
    """A file does not hold the arrays that it should."""


def read_arrays(
    path: Path, kinds: Mapping[str, DTypeLike], most: int | None = None
) -> dict[str, NDArray[Any]]:
    """Return arrays of a file by their names, which must have these types.

    All of them together have at most so many bytes, by default as many as the file: then it is not
    compressed.
    """
    try:
        most = path.stat().st_size if most is None else most
        arrays = {}
        with zipfile.ZipFile(path) as file:
            for name, kind in kinds.items():
                part = file.getinfo(f"{name}.npy")
                most -= part.file_size
                if most < 0:
                    raise ValueError("it is larger than it may be")
                arrays[name] = _array(file.read(part), name, np.dtype(kind))
        return arrays
    except Exception as error:  # what reads archives has many kinds of them
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ArraysError(one_line(reason or type(error).__name__, 200)) from None


def _array(data: bytes, name: str, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the array that a part of a file holds."""
    mark, length = PREFIX.unpack_from(data)
    at = PREFIX.size + length
    header = HEADER.fullmatch(data[PREFIX.size : at].rstrip())
    if mark != MARK or header is None:
        raise ValueError(f"{name} is not an array of plain numbers")
    if np.dtype(header[1].decode()) != kind:
        raise ValueError(f"{name} must be of the type {kind}, not {header[1].decode()}")
    shape = tuple(int(size) for size in header[2].replace(b",", b" ").split())
    if prod(shape) * kind.itemsize != len(data) - at:
        raise ValueError(f"{name} has not as many numbers as it says")
    return np.frombuffer(data, kind, offset=at).reshape(shape).copy()
