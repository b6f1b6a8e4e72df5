"""The spec language: `mcts(simulations=1000)` as a name and options; nothing in it is executed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import NoneType
from typing import Any

from plyground.errors import BadSpec, shortened

WRITTEN = {"true": True, "false": False, "none": None}
"""Words for True, False and None as one writes them in a shell."""

PLAIN = (bool, int, float, str, tuple, list, NoneType)
"""What an option's value may be."""


def write_spec(name: str, values: Mapping[str, Any]) -> str:
    """Return a name and options as text that `parse_spec` reads."""
    written = ", ".join(f"{each}={value!r}" for each, value in values.items())
    return f"{name}({written})" if written else name


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
