"""Kernels run as plain Python: every index is checked, and an error names the line at fault.

Compiled kernels do not check that an index is within its array: a wrong one reads or overwrites
other memory. Without the compiler, kernels are called through `call_plainly`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plyground.errors import KernelError, place_of


class GuardedArray:
    """An array that allows only what a kernel may do: index it, from 0 to its size - 1."""

    __slots__ = ("array", "name")

    def __init__(self, array: Any, name: str) -> None:
        self.array = array
        self.name = name

    def __getitem__(self, index: Any) -> Any:
        return self.array[self._checked(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        index = self._checked(index)
        if not self.array.flags.writeable:
            raise KernelError(f"{self.name}[{index}] is set, but this kernel may only read it")
        self.array[index] = value

    def __len__(self) -> int:
        raise KernelError(f"len({self.name}): kernels do not know lengths; put sizes into setup")

    def __iter__(self) -> Any:
        raise KernelError(f"kernels cannot iterate over {self.name}: loop over range(...)")

    def __array__(self, *arguments: Any, **keywords: Any) -> Any:
        raise KernelError(f"NumPy functions do not accept the array {self.name}: write a loop")

    def after(self, count: int) -> GuardedArray:
        """Return the part that begins `count` items further on."""
        return GuardedArray(self.array[count:], self.name)

    def _checked(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise KernelError(f"kernels cannot slice {self.name}: write a loop")
        if not isinstance(index, int | np.integer):
            raise KernelError(f"{self.name}[{index!r}]: an index must be an integer")
        if not 0 <= index < len(self.array):
            allowed = f"allowed: 0 to {len(self.array) - 1}"
            raise KernelError(f"{self.name}[{index}] is out of range; {allowed}")
        return index


def call_plainly(
    kernel: Callable[..., Any], names: Sequence[str], arguments: Sequence[Any], returns: bool
) -> Any:
    """Call a kernel with guarded arrays and return its result.

    `returns` states whether the kernel must return a number. Any error is raised as KernelError
    with the kernel's line.
    """
    guarded = [
        GuardedArray(value, name)
        if isinstance(value, np.ndarray)
        else np.int64(value)  # so that shifts and products overflow as in compiled code
        for name, value in zip(names, arguments, strict=True)
    ]
    try:
        result = kernel(*guarded)
        if returns and not isinstance(result, int | float | np.number | np.bool):
            raise KernelError(f"it returns {result!r}; it must return a number on every path")
        if not returns and result is not None:
            raise KernelError(f"it returns {result!r}; it must return nothing")
    except Exception as error:
        raise KernelError(f"{_place(kernel, error)}: {_reason(error)}") from error
    return result


def _place(kernel: Any, error: Exception) -> str:
    own = Path(kernel.__code__.co_filename)
    file, line = place_of(error, own.parent) or (own, kernel.__code__.co_firstlineno)
    return f"{file.name}:{line}, in the kernel {kernel.__name__!r}"


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, KernelError) else f"{type(error).__name__}: {error}"
