"""Messages of Protocol Buffers, the format of ONNX files, read without the package onnx."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class RefusedFileError(Exception):
    """The file is not a network; the text says why."""


MOST_FIELDS = 2**13
"""Fields of a message, and numbers of a field, that are read."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""How a field of a message is stored."""


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the number that begins at an index, and the index after it."""
    number = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number & (2**64 - 1), at
    raise RefusedFileError("a number has too many bytes")


def fields(data: memoryview, most: int = MOST_FIELDS) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a message: number, and content (an int, or bytes of what is longer)."""
    at = count = 0
    while at < len(data):
        count += 1
        if count > most:
            raise RefusedFileError(f"a part of it has more than {most:,} fields")
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == VARINT:
            content, at = _varint(data, at)
            yield tag >> 3, content
            continue
        if kind == BYTES:
            size, at = _varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise RefusedFileError("it is not an ONNX file")
        if at + size > len(data):
            raise RefusedFileError("it ends too early")
        yield tag >> 3, data[at : at + size]
        at += size


def contents(data: memoryview, number: int) -> list[memoryview]:
    """Return the contents of all fields of a message with a number, which must be bytes."""
    found = [content for each, content in fields(data) if each == number]
    if not all(isinstance(content, memoryview) for content in found):
        raise RefusedFileError("it is not an ONNX file")
    return found


def text(data: memoryview, number: int) -> str:
    """Return a field's text: the last one of that number, or ""."""
    found = contents(data, number)
    return bytes(found[-1]).decode(errors="replace") if found else ""


def integers(data: memoryview, number: int) -> tuple[int, ...]:
    """Return a repeated field of integers, which may be packed."""
    unsigned: list[int] = []
    for each, content in fields(data):
        if each != number:
            continue
        if isinstance(content, int):
            unsigned.append(content)
            continue
        at = 0
        while at < len(content) and len(unsigned) < MOST_FIELDS:
            value, at = _varint(content, at)
            unsigned.append(value)
    return tuple(value - 2**64 if value >= 2**63 else value for value in unsigned)


def allow_only(data: memoryview, allowed: Sequence[int], what: str) -> None:
    """Refuse a message with fields that are not allowed."""
    for number, _ in fields(data):
        if number not in allowed:
            raise RefusedFileError(f"{what} has a part that is not allowed (field {number})")
