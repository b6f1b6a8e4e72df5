"""The numbers of an agent that can be tuned, found by the descriptors of its options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from plyground.agents.agent import Agent
from plyground.errors import BadOption, BadSpec, UnknownName, shortened
from plyground.game import Game
from plyground.options import NESTED, Kind, Option, Options

NUMBERS = (Kind.INT, Kind.FLOAT)

T = TypeVar("T", bound=Options)


@dataclass(frozen=True)
class Dial:
    """One number of an agent, or of what its options describe, and the range of its search."""

    name: str
    """`depth`, `stages[1]`, `evaluate.offensiveness` or `then.evaluate.weights[2]`."""
    low: float
    high: float
    logarithmic: bool
    whole: bool

    def get(self, game: Game, agent: Agent) -> float | None:
        """Return the agent's number; None where the agent leaves it open."""
        owners, field, place = _parts(self.name)
        held = getattr(_owner(agent, owners, game), field)
        return held if place is None else held[place]  # type: ignore[no-any-return]

    def turn(self, game: Game, agent: Agent, value: float) -> Agent:
        """Return the agent with another number."""
        owners, field, place = _parts(self.name)
        return _changed(agent, owners, field, place, value, game)


def read_dial(text: str, game: Game, agent: Agent) -> Dial:
    """Read `NAME`, `NAME=LOW..HIGH` or `NAME=LOW..HIGH,log`; the agent must have such a number.

    A name alone takes the range that the option is declared with.
    """
    name, given, told = (part.strip() for part in text.partition("="))
    span, _, scale = (part.strip() for part in told.partition(","))
    try:
        _parts(name)
        low, high = map(float, span.split("..")) if given else (0.0, 0.0)
        logarithmic = {"": False, "log": True}[scale]
    except (ValueError, KeyError):
        wanted = "write NAME, NAME=LOW..HIGH or NAME=LOW..HIGH,log"
        raise BadSpec(f"cannot read {shortened(text)!r}; {wanted}") from None
    option = _number(name, game, agent)
    if not given:
        if option.low is None or option.high is None:
            bounds = option.range_words or "any number"
            raise BadOption(f"{name} has no range of its own ({bounds}): write {name}=LOW..HIGH")
        low, high = float(option.low), float(option.high)
    whole = option.kind is Kind.INT
    if not low < high:
        raise BadOption(f"{name}: the range goes up, from less to more, not {low:g}..{high:g}")
    if logarithmic and low <= 0:
        raise BadOption(f"{name}: by factors (log) a range begins above 0, not at {low:g}")
    if whole and not (low.is_integer() and high.is_integer()):
        raise BadOption(f"{name} is a whole number; so are the ends of its range")
    dial = Dial(name, low, high, logarithmic, whole)
    for end in (low, high):
        dial.turn(game, agent, int(end) if whole else end)  # says so where it is out of range
    return dial


def _parts(name: str) -> tuple[list[str], str, int | None]:
    """Split a dial's name: the nested options that lead to it, its option, its place in a list."""
    read = re.fullmatch(r"((?:\w+\.)*)(\w+)(?:\[(\d+)\])?", name)
    if read is None:
        raise ValueError(name)
    return read[1].split(".")[:-1], read[2], None if read[3] is None else int(read[3])


def _inner(owner: Options, name: str, game: Game) -> Options:
    """Return what a nested option of an object describes, such as an agent's evaluator."""
    nested = {each.name: each for each in owner.declared() if each.kind in NESTED}
    if name not in nested:
        raise UnknownName(f"nested option of {owner.name}", name, nested)
    inner = nested[name].nested(getattr(owner, name), game)
    assert inner is not None
    return inner


def _owner(agent: Agent, owners: Sequence[str], game: Game) -> Options:
    owner: Options = agent
    for name in owners:
        owner = _inner(owner, name, game)
    return owner


def _number(name: str, game: Game, agent: Agent) -> Option:
    """Return the descriptor of the number that a dial names."""
    owners, field, place = _parts(name)
    owner = _owner(agent, owners, game)
    numbers = {each.name: each for each in owner.declared() if each.kind in NUMBERS}
    if field not in numbers:
        raise UnknownName(f"number of {owner.name}", field, numbers)
    many, held = numbers[field].many, getattr(owner, field)
    if many != (place is not None) or (place is not None and place >= len(held)):
        size = f"a list of {len(held)}, counted from 0" if many else "one number"
        raise BadOption(f"{name}: {field} of {owner!r} is {size}")
    return numbers[field]


def _changed(
    owner: T, owners: Sequence[str], field: str, place: int | None, value: Any, game: Game
) -> T:
    if owners:
        inner = _changed(_inner(owner, owners[0], game), owners[1:], field, place, value, game)
        return replace(owner, **{owners[0]: repr(inner)})  # type: ignore[type-var]
    if place is not None:
        held = list(getattr(owner, field))
        held[place] = value
        value = tuple(held)
    return replace(owner, **{field: value})  # type: ignore[type-var]
