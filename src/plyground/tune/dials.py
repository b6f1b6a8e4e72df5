"""The numbers of an agent that can be tuned, and their ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from plyground.agents.agent import Agent
from plyground.errors import OptionError, SpecError, UnknownNameError
from plyground.game import Game
from plyground.options import NESTED, Kind, Option, Options
from plyground.text import shortened

NUMBERS = (Kind.INT, Kind.FLOAT)

T = TypeVar("T", bound=Options)


@dataclass(frozen=True)
class Parameter:
    """A number among an agent's options, or options nested in them, and its range."""

    name: str
    """`depth`, `stages[1]`, `evaluate.offensiveness` or `then.evaluate.weights[2]`."""
    low: float
    high: float
    logarithmic: bool
    whole: bool

    def get(self, game: Game, agent: Agent) -> float | None:
        """Return the agent's number; None if the agent does not set it."""
        path, field, index = _parts(self.name)
        value = getattr(_owner(agent, path, game), field)
        return value if index is None else value[index]  # type: ignore[no-any-return]

    def set(self, game: Game, agent: Agent, value: float) -> Agent:
        """Return the agent with another number."""
        path, field, index = _parts(self.name)
        return _changed(agent, path, field, index, value, game)


def read_parameter(text: str, game: Game, agent: Agent) -> Parameter:
    """Return the parameter of `NAME`, `NAME=LOW..HIGH` or `NAME=LOW..HIGH,log`.

    The agent must have such a number. A name alone takes the range that the option declares.
    """
    name, equals, setting = (part.strip() for part in text.partition("="))
    bounds, _, scale = (part.strip() for part in setting.partition(","))
    try:
        _parts(name)
        low, high = map(float, bounds.split("..")) if equals else (0.0, 0.0)
        logarithmic = {"": False, "log": True}[scale]
    except (ValueError, KeyError):
        allowed = "write NAME, NAME=LOW..HIGH or NAME=LOW..HIGH,log"
        raise SpecError(f"cannot read {shortened(text)!r}; {allowed}") from None
    option = _number(name, game, agent)
    if not equals:
        if option.low is None or option.high is None:
            declared = option.range_words or "any number"
            raise OptionError(
                f"{name} has no range of its own ({declared}): write {name}=LOW..HIGH"
            )
        low, high = float(option.low), float(option.high)
    whole = option.kind is Kind.INT
    if not low < high:
        raise OptionError(f"{name}: a range must go up from low to high, not {low:g}..{high:g}")
    if logarithmic and low <= 0:
        raise OptionError(f"{name}: a logarithmic range must begin above 0, not at {low:g}")
    if whole and not (low.is_integer() and high.is_integer()):
        raise OptionError(f"{name} is a whole number; the ends of its range must be, too")
    parameter = Parameter(name, low, high, logarithmic, whole)
    for end in (low, high):
        parameter.set(game, agent, int(end) if whole else end)  # raises an error out of range
    return parameter


def _parts(name: str) -> tuple[list[str], str, int | None]:
    """Split a parameter's name into the path of nested options, the option and the list index."""
    match = re.fullmatch(r"((?:\w+\.)*)(\w+)(?:\[(\d+)\])?", name)
    if match is None:
        raise ValueError(name)
    return match[1].split(".")[:-1], match[2], None if match[3] is None else int(match[3])


def _inner(owner: Options, name: str, game: Game) -> Options:
    """Return the object that a nested option describes, such as an agent's evaluator."""
    nested = {option.name: option for option in owner.declared() if option.kind in NESTED}
    if name not in nested:
        raise UnknownNameError(f"nested option of {owner.name}", name, nested)
    inner = nested[name].nested(getattr(owner, name), game)
    assert inner is not None
    return inner


def _owner(agent: Agent, path: Sequence[str], game: Game) -> Options:
    owner: Options = agent
    for name in path:
        owner = _inner(owner, name, game)
    return owner


def _number(name: str, game: Game, agent: Agent) -> Option:
    """Return the option of the parameter with this name."""
    path, field, index = _parts(name)
    owner = _owner(agent, path, game)
    numbers = {option.name: option for option in owner.declared() if option.kind in NUMBERS}
    if field not in numbers:
        raise UnknownNameError(f"number of {owner.name}", field, numbers)
    many, value = numbers[field].many, getattr(owner, field)
    if many != (index is not None) or (index is not None and index >= len(value)):
        size = f"a list of {len(value)}, counted from 0" if many else "one number"
        raise OptionError(f"{name}: {field} of {owner!r} is {size}")
    return numbers[field]


def _changed(
    owner: T, path: Sequence[str], field: str, index: int | None, value: Any, game: Game
) -> T:
    """Return the owner with another value of the option at the end of the path."""
    if path:
        inner = _changed(_inner(owner, path[0], game), path[1:], field, index, value, game)
        return replace(owner, **{path[0]: repr(inner)})  # type: ignore[type-var]
    if index is not None:
        values = list(getattr(owner, field))
        values[index] = value
        value = tuple(values)
    return replace(owner, **{field: value})  # type: ignore[type-var]
