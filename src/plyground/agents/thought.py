"""Thoughts: a player's choice, and the one place where what a player answers is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from math import isfinite
from operator import index
from typing import Any

import numpy as np

from plyground.errors import AgentError
from plyground.game import Solution
from plyground.text import shortened


@dataclass(frozen=True)
class Proof:
    """A proved result of a position, whatever the others play."""

    value: float
    """Result for the player to move, from -1 to 1."""
    plies: int | None = None
    """Plies until the game ends with best play, where known."""


@dataclass(slots=True)  # not frozen: making a frozen one takes three times as long
class Thought:
    """A player's choice in a position, and the figures of the search behind it."""

    action: int
    value: float | None = None
    """Expected return of the player to move, from -1 to 1."""
    policy: Mapping[int, float] = field(default_factory=dict)
    """Share of each action, such as its part of all visits; the shares add up to 1."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """Further figures of the agent, by name."""
    _: KW_ONLY
    proof: Proof | None = None
    depth: int | None = None
    """Depth of the last complete iteration, in plies."""
    nodes: int | None = None
    """Positions visited; for MCTS, nodes in the tree."""
    simulations: int | None = None
    line: tuple[int, ...] = ()
    """Principal variation: the chosen action and the best replies found."""
    values: Mapping[int, Solution] = field(default_factory=dict)
    """What is proved of every legal action; empty if that is not known."""
    seconds: float | None = None
    """Seconds used, where the player measures them better than its caller can."""


def checked(answer: object) -> Thought:
    """Return a player's answer as a thought whose numbers are all Python's own.

    Numbers of NumPy and the like are converted, values are cut to -1 to 1, and numbers that are not
    finite are left out. An answer of another type is the player's fault: AgentError.
    """
    if not isinstance(answer, Thought):
        raise AgentError("failed", f"its answer is {_shown(answer)}, not a Thought")
    if type(answer.action) is not int or answer.action.bit_length() > 63:
        answer.action = _whole("action", answer.action)
    if answer.value is not None:
        answer.value = _value("value", answer.value)
    if answer.policy or type(answer.policy) is not dict:
        answer.policy = _policy(answer.policy)
    if answer.info or type(answer.info) is not dict:
        answer.info = _plain(_mapping("info", answer.info))
    if answer.proof is not None:
        answer.proof = _proof(answer.proof)
    if answer.depth is not None:
        answer.depth = _whole("depth", answer.depth)
    if answer.nodes is not None:
        answer.nodes = _whole("nodes", answer.nodes)
    if answer.simulations is not None:
        answer.simulations = _whole("simulations", answer.simulations)
    if answer.line or type(answer.line) is not tuple:
        answer.line = _line(answer.line)
    if answer.values or type(answer.values) is not dict:
        values = _mapping("values", answer.values).items()
        answer.values = {_whole("action", action): _solution(solved) for action, solved in values}
    if answer.seconds is not None:
        answer.seconds = _real("seconds", answer.seconds)
        if answer.seconds is None or answer.seconds < 0:
            raise AgentError("failed", f"its seconds are {answer.seconds}, not 0 or more")
    return answer


def _wrong(name: str, value: object, wanted: str) -> AgentError:
    shown = f"{_shown(value)} ({type(value).__name__})"
    return AgentError("failed", f"its {name} is {shown}, not {wanted}")


def _shown(value: object) -> str:
    """Return the beginning of a value's text, which its own class may refuse to write."""
    try:
        return shortened(repr(value))
    except Exception:
        return "what cannot be written"


def _whole(name: str, value: Any) -> int:
    """Return a whole number of any type as Python's."""
    try:
        number = index(value)
    except TypeError:
        raise _wrong(name, value, "a whole number") from None
    if isinstance(value, bool) or not -(2**63) <= number < 2**63:
        raise _wrong(name, value, "a whole number of 64 bits")
    return number


def _real(name: str, value: Any) -> float | None:
    """Return a number of any type as Python's; None if it is not finite."""
    if type(value) is not float:
        is_array = getattr(value, "ndim", 0) > 0
        if isinstance(value, bool | np.bool_ | str | bytes) or is_array:
            raise _wrong(name, value, "a number")
        try:
            value = float(value)
        except OverflowError:
            return None
        except (TypeError, ValueError):
            raise _wrong(name, value, "a number") from None
    return value if isfinite(value) else None


def _value(name: str, value: Any) -> float | None:
    """Return an expected return, from -1 to 1; None if it is not finite."""
    number = _real(name, value)
    return None if number is None else max(-1.0, min(1.0, number))


def _mapping(name: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(name, value, "a mapping")
    return value


def _policy(policy: Any) -> dict[int, float]:
    """Return the shares of actions; empty if one of them is not finite."""
    shares = {
        _whole("policy's action", action): _real("policy's share", share)
        for action, share in _mapping("policy", policy).items()
    }
    finite = {action: share for action, share in shares.items() if share is not None}
    return finite if len(finite) == len(shares) else {}


def _line(line: Any) -> tuple[int, ...]:
    if not isinstance(line, Sequence | np.ndarray) or isinstance(line, str | bytes):
        raise _wrong("line", line, "a sequence of actions")
    return tuple(_whole("line's action", action) for action in line)


def _proof(proof: Any) -> Proof | None:
    if not isinstance(proof, Proof):
        raise _wrong("proof", proof, "a Proof")
    value = _value("proof's value", proof.value)
    plies = None if proof.plies is None else _whole("proof's plies", proof.plies)
    return None if value is None else Proof(value, plies)


def _solution(solved: Any) -> Solution:
    if not isinstance(solved, Solution):
        raise _wrong("values' entry", solved, "a Solution")
    return Solution(
        _value("solution's value", solved.value) or 0.0,
        None if solved.score is None else _whole("solution's score", solved.score),
        None if solved.plies is None else _whole("solution's plies", solved.plies),
        _line(solved.line),
        _whole("solution's nodes", solved.nodes),
        _real("solution's seconds", solved.seconds) or 0.0,
    )


def _plain(value: Any) -> Any:
    """Return data that JSON can hold: numbers, texts, lists and dictionaries; others as text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, int) and value.bit_length() <= 63:
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    return _shown(value)
