"""Bitboards of 64, 128 or 320 bits for kernels, used with Python's operators.

Numba has no integers beyond 64 bits, and its right shift of a signed integer copies the sign bit.
A board is an unsigned integer of its width. A helper that uses `& | ^ ~ + - * << >>`, `==` and `if`
on boards is compiled for the width of the boards it is called with; a shift must be by fewer bits
than the width. Boards start as `empty_64()`, `empty_128()` or `empty_320()`; those of 64 and 128
bits are stored as one or two int64 words.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

from plyground.compile import JIT, fetch_soon

Generate = Callable[..., Any]
"""Emits an LLVM instruction; takes the builder, then the operands."""


class BoardType(types.Type):  # type: ignore[misc]
    """Numba's type of a board."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"board{bits}")


@register_model(BoardType)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: BoardType) -> None:
        super().__init__(manager, kind, ir.IntType(kind.bits))


def _define(operation: Any, operands: tuple[Any, ...], result: Any, generate: Generate) -> None:
    """Define an operator for boards; every BoardType among operands and result has one width."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, _: Any) -> Any:
            if len(arguments) != len(operands) or not isinstance(arguments[0], BoardType):
                return None
            board = arguments[0]
            parameters = [board if kind is BoardType else kind for kind in operands]
            return signature(board if result is BoardType else result, *parameters)

    @lower_builtin(operation, *operands)  # type: ignore[untyped-decorator]
    def _lower(context: Any, builder: Any, called: Any, values: Any) -> Any:
        return generate(builder, *values)


def _plain(name: str) -> Generate:
    return lambda builder, *values: getattr(builder, name)(*values)


def _shift(name: str) -> Generate:
    def generate(builder: Any, board: Any, by: Any) -> Any:
        count = by if by.type == board.type else builder.zext(by, board.type)
        return getattr(builder, name)(board, count)

    return generate


def _compare(sign: str) -> Generate:
    return lambda builder, board, *other: builder.icmp_unsigned(
        sign, board, *(other or [board.type(0)])
    )


if JIT:
    one, two, shift = (BoardType,), (BoardType, BoardType), (BoardType, types.int64)
    for name, instruction in {"and": "and_", "or": "or_", "xor": "xor"}.items():
        for form in (f"__{name}__", f"__i{name}__"):
            _define(getattr(operator, form), two, BoardType, _plain(instruction))
    for name in ("add", "sub", "mul"):
        _define(getattr(operator, name), two, BoardType, _plain(name))
    _define(operator.invert, one, BoardType, _plain("not_"))
    _define(operator.neg, one, BoardType, _plain("neg"))
    _define(operator.lshift, shift, BoardType, _shift("shl"))
    _define(operator.rshift, shift, BoardType, _shift("lshr"))
    _define(operator.eq, two, types.boolean, _compare("=="))
    _define(operator.lt, two, types.boolean, _compare("<"))
    _define(operator.not_, one, types.boolean, _compare("=="))
    _define(bool, one, types.boolean, _compare("!="))

    def _empty(bits: int) -> Any:
        kind = BoardType(bits)

        def empty(typing: Any) -> Any:
            """Return the empty board of this width."""
            return kind(), lambda context, builder, signature, values: ir.IntType(bits)(0)

        return intrinsic(empty)

    empty_64, empty_128, empty_320 = _empty(64), _empty(128), _empty(320)

    def _place(builder: Any, values: Any) -> Any:
        words, index, board = values
        return builder.gep(builder.bitcast(words, board.type.as_pointer()), [index])

    @intrinsic  # type: ignore[untyped-decorator]
    def load_board(typing: Any, words: Any, index: Any, like: Any) -> Any:
        """Return item `index` of the boards at a pointer; boards have the width of `like`."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.load(_place(builder, values), align=8)

        return like(words, types.int64, like), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def store_board(typing: Any, words: Any, index: Any, board: Any) -> Any:
        """Write a board as item `index` of the boards at a pointer."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            builder.store(values[2], _place(builder, values), align=8)
            return context.get_dummy_value()

        return types.void(words, types.int64, board), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch_board(typing: Any, words: Any, index: Any, like: Any) -> Any:
        """Start loading a board into the processor's cache."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            fetch_soon(builder, _place(builder, values))
            return context.get_dummy_value()

        return types.void(words, types.int64, like), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def widen(typing: Any, word: Any, like: Any) -> Any:
        """Return the bits of a word as a board of the width of `like`."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            word, like = values
            return word if word.type == like.type else builder.zext(word, like.type)

        return like(types.int64, like), generate

    def _word_of(board: Any, generate: Generate) -> Any:
        def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            word = generate(builder, *values)
            return word if word.type.width == 64 else builder.trunc(word, ir.IntType(64))

        return types.int64(board), lower

    @intrinsic  # type: ignore[untyped-decorator]
    def low_word(typing: Any, board: Any) -> Any:
        """Return the lowest 64 bits of a board."""
        return _word_of(board, lambda builder, value: value)

    @intrinsic  # type: ignore[untyped-decorator]
    def count(typing: Any, board: Any) -> Any:
        """Return how many bits of a board are set."""
        return _word_of(board, lambda builder, value: builder.ctpop(value))

else:

    class _Board:
        """A board in plain Python, for runs without the compiler."""

        def __init__(self, value: int, bits: int) -> None:
            self.value, self.bits = value & ((1 << bits) - 1), bits

        def __bool__(self) -> bool:
            return self.value != 0

    def _operator(name: str) -> Any:
        operation = getattr(operator, name)

        def method(self: _Board, *others: Any) -> Any:
            values = (other.value if isinstance(other, _Board) else int(other) for other in others)
            result = operation(self.value, *values)
            return result if isinstance(result, bool) else _Board(result, self.bits)

        return method

    for name in ("and", "or", "xor", "add", "sub", "mul", "invert", "neg", "lshift", "rshift"):
        setattr(_Board, f"__{name}__", _operator(f"__{name}__"))
    for name in ("eq", "lt"):
        setattr(_Board, f"__{name}__", _operator(name))

    def empty_64() -> Any:
        """Return the empty board of 64 bits."""
        return _Board(0, 64)

    def empty_128() -> Any:
        """Return the empty board of 128 bits."""
        return _Board(0, 128)

    def empty_320() -> Any:
        """Return the empty board of 320 bits."""
        return _Board(0, 320)

    def load_board(words: Any, index: int, like: Any) -> Any:
        """Return item `index` of the boards in an array; boards have the width of `like`."""
        size = like.bits // 64
        parts = (int(words[index * size + part]) % 2**64 << 64 * part for part in range(size))
        return _Board(sum(parts), like.bits)

    def store_board(words: Any, index: int, board: Any) -> None:
        """Write a board as item `index` of the boards in an array."""
        size = board.bits // 64
        for part in range(size):
            word = board.value >> 64 * part & (2**64 - 1)
            words[index * size + part] = word - (word >> 63 << 64)

    def prefetch_board(words: Any, index: int, like: Any) -> None:
        """Do nothing: only compiled code gains from a prefetch."""

    def widen(word: int, like: Any) -> Any:
        """Return the bits of a word as a board of the width of `like`."""
        return _Board(int(word) % 2**64, like.bits)

    def low_word(board: Any) -> int:
        """Return the lowest 64 bits of a board, as a signed word."""
        word: int = board.value & (2**64 - 1)
        return word - (word >> 63 << 64)

    def count(board: Any) -> int:
        """Return how many bits of a board are set."""
        return int(board.value).bit_count()
