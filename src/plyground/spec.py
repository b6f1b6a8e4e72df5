"""The spec language: parse and write texts such as `mcts(simulations=1000)`, executing nothing."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import NoneType
from typing import Any

from plyground.errors import SpecError
from plyground.text import shortened

WRITTEN = {"true": True, "false": False, "none": None}
"""Lower-case spellings of True, False and None."""

PLAIN = (bool, int, float, str, tuple, list, NoneType)
"""The types that an option's value may have."""


def write_spec(name: str, values: Mapping[str, Any]) -> str:
    """Return a name and options as text that `parse_spec` reads."""
    written = ", ".join(f"{option}={value!r}" for option, value in values.items())
    return f"{name}({written})" if written else name


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """Split `name(key=value, ...)` into its name and options, without evaluating anything."""
    whole = text.strip()
    name, bracket, inside = whole.partition("(")
    name = name.strip()
    if not name or ")" in name or bool(bracket) != whole.endswith(")"):
        raise SpecError(f"cannot read {shortened(text)!r}; write name or name(option=value, ...)")
    # Bytes of a file name that are not UTF-8 arrive as surrogates, which `ast` does not accept;
    # inside quotes they can be written as escapes.
    inside = inside[:-1].encode(errors="backslashreplace").decode()
    try:
        call = ast.parse(f"_({inside})", mode="eval").body
        return name, _keywords(call, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(f"cannot read {shortened(text)!r}; write name(option=value, ...)") from None


def _keywords(call: ast.expr, text: str) -> dict[str, Any]:
    plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
    if (
        not isinstance(call, ast.Call)
        or not plain
        or any(not keyword.arg for keyword in call.keywords)
    ):
        raise SpecError(f"cannot read {shortened(text)!r}; every option is written option=value")
    values: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg in values:
            raise SpecError(f"{keyword.arg!r} is given twice in {shortened(text)!r}")
        values[str(keyword.arg)] = _literal(keyword.value, text)
    return values


def parse_setting(text: str) -> tuple[str, Any]:
    """Split `option=value` into name and value; what is no literal is taken as text."""
    name, equals, written = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier():
        raise SpecError(f"cannot read {shortened(text)!r}; write option=value")
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
        raise SpecError(f"cannot read {wrong!r} in {where!r}; give a literal value") from None
