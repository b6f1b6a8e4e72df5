"""Declared options: frozen dataclasses whose fields are typed, checked and written as text.

A game, an agent and an evaluator are each one: `alphabeta(depth=6, evaluate='windows')` is both
the text that makes the agent and its identity afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Self,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from plyground.errors import BadOption, BadSpec, UnknownName, shortened


def option(
    default: Any = MISSING,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    help: str = "",
) -> Any:
    """Declare a field: its default, its range or choices, and a word of help."""
    metadata = {"low": low, "high": high, "choices": choices, "help": help}
    return field(default=default, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(option,))
class Options:
    """A frozen dataclass that checks its fields and whose `repr` is the text that makes it."""

    name: ClassVar[str]
    _file: ClassVar[str]
    """The path by which it was loaded, if it was: what is written must load again."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._file = ""
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            value = _checked(self, declared, getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    def __repr__(self) -> str:
        changed = ", ".join(f"{name}={value!r}" for name, value in self.changed().items())
        loads = self._file or self.name
        return f"{loads}({changed})" if changed else loads

    def __reduce__(self) -> Any:
        return type(self).make, (self.changed(),)  # never what it remembers

    def changed(self) -> dict[str, Any]:
        """Give the options that differ from their defaults."""
        return {
            declared.name: getattr(self, declared.name)
            for declared in fields(self)  # type: ignore[arg-type]
            if getattr(self, declared.name) != declared.default
        }

    @classmethod
    def declared(cls) -> Iterator[tuple[str, str, Any, str]]:
        """List each option as (name, type, default, help)."""
        hints = _hints(cls)  # type: ignore[arg-type]
        for each in fields(cls):  # type: ignore[arg-type]
            yield each.name, _spoken(hints[each.name]), each.default, _help(each.metadata)

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> Self:
        """Build from a mapping of options; an unknown one is an error that names the known."""
        known = [name for name, _, _, _ in cls.declared()]
        for name in values:
            if name not in known:
                raise UnknownName(f"option of {cls.name}", name, known)
        return cls(**values)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _spoken(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _help(metadata: Mapping[str, Any]) -> str:
    low, high, choices = metadata.get("low"), metadata.get("high"), metadata.get("choices")
    parts = [metadata.get("help", "")]
    if choices:
        parts.append(f"one of {', '.join(choices)}")
    elif low is not None and high is not None:
        parts.append(f"{low} to {high}")
    elif low is not None:
        parts.append(f"at least {low}")
    return "; ".join(part for part in parts if part)


def _checked(owner: Options, declared: Any, value: Any) -> Any:
    """Return the value in its declared type, or say what is wrong with it."""
    hint = _hints(type(owner))[declared.name]  # type: ignore[arg-type]
    where = f"{owner.name}: {declared.name}"
    value = converted(hint, value, where)
    low, high = declared.metadata.get("low"), declared.metadata.get("high")
    for number in value if isinstance(value, tuple) else (value,):
        small = low is not None and number is not None and number < low
        large = high is not None and number is not None and number > high
        if small or large:
            allowed = _help(declared.metadata)
            raise BadOption(f"{where}={shortened(repr(value))} is out of range; allowed: {allowed}")
    choices = declared.metadata.get("choices")
    if choices and value not in choices:
        raise UnknownName(f"value of {where}", str(value), choices)
    return value


def converted(hint: Any, value: Any, where: str) -> Any:
    """Return the value in the hinted type, or say that it does not fit, and where."""
    if isinstance(hint, UnionType):
        if value is None and NoneType in get_args(hint):
            return None
        return converted(get_args(hint)[0], value, where)
    if get_origin(hint) is tuple:
        if not isinstance(value, tuple | list):
            raise BadOption(f"{where} must be a list, got {shortened(repr(value))}")
        kinds = get_args(hint)
        if kinds[-1] is Ellipsis:
            return tuple(converted(kinds[0], each, where) for each in value)
        if len(value) != len(kinds):
            raise BadOption(f"{where} must have {len(kinds)} entries, got {len(value)}")
        return tuple(converted(kind, each, where) for kind, each in zip(kinds, value, strict=True))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            got = shortened(repr(value))
            raise BadOption(f"{where} must be a finite number, got {got}") from None
    if not isinstance(value, hint) or (hint is not bool and isinstance(value, bool)):
        raise BadOption(f"{where} must be {_spoken(hint)}, got {shortened(repr(value))}")
    if isinstance(value, float) and not isfinite(value):
        raise BadOption(f"{where} must be a finite number, got {value!r}")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise BadOption(f"{where} must fit 64 bits, got {shortened(repr(value))}")
    return value


# Texts ------------------------------------------------------------------------------------------

WRITTEN = {"true": True, "false": False, "none": None}
"""How a shell's users write what Python writes with a capital."""

PLAIN = (bool, int, float, str, tuple, list, NoneType)
"""What an option's value may be."""


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """Split `name(key=value, ...)` into its name and options, without evaluating anything."""
    whole = text.strip()
    name, bracket, inside = whole.partition("(")
    name = name.strip()
    if not name or ")" in name or bool(bracket) != whole.endswith(")"):
        raise BadSpec(f"cannot read {shortened(text)!r}; write name or name(option=value, ...)")
    # Bytes of a file's name that are no UTF-8 come as surrogates: in quotes they are written so.
    inside = inside[:-1].encode(errors="backslashreplace").decode()
    try:
        call = ast.parse(f"_({inside})", mode="eval").body
        return name, _keywords(call, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadSpec(f"cannot read {shortened(text)!r}; write name(option=value, ...)") from None


def _keywords(call: ast.expr, text: str) -> dict[str, Any]:
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
    if not isinstance(call, ast.Call) or not plain or any(not each.arg for each in call.keywords):
        raise BadSpec(f"cannot read {shortened(text)!r}; every option is written option=value")
    values: dict[str, Any] = {}
    for each in call.keywords:
        if each.arg in values:
            raise BadSpec(f"{each.arg!r} is given twice in {shortened(text)!r}")
        values[str(each.arg)] = _literal(each.value, text)
    return values


def parse_setting(text: str) -> tuple[str, Any]:
    """Split `key=value` into the option and its value, a text unless it is written as another."""
    name, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier():
        raise BadSpec(f"cannot read {shortened(text)!r}; write option=value")
    if written in WRITTEN:
        return name, WRITTEN[written]
    try:
        value = ast.literal_eval(written)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return name, written
    return name, value if isinstance(value, PLAIN) else written


def _literal(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Name) and node.id in WRITTEN:
        return WRITTEN[node.id]
    if isinstance(node, ast.Name | ast.Call):  # evaluate=windows means evaluate='windows'
        return ast.unparse(node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        wrong, where = shortened(ast.unparse(node)), shortened(text)
        raise BadSpec(f"cannot read {wrong!r} in {where!r}; give a plain value") from None
