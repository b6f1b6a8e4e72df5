"""The law of mutated texts: a text that a game reads, changed a little, is refused or harmless.

It runs where kernels are plain Python, in which every index is checked. The child process of
`check` announces each text before it is tried, so that an endless loop can be told too.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from plyground.errors import GameError, PlygroundError
from plyground.game import Game, Position

MUTANTS = "a changed text or changed words are refused, or the rules can bear them"

REFUSE = "refuse it in `read` or `check_words`"

MOST_PLIES = 10
"""Plies that are played from an accepted position at most."""

EXTREMES = (0, 1, -1, 2, 63, 64, 255, 2**31, 2**62, 2**63 - 1, -(2**63))
LETTERS = " -/|:.,*?0123456789abcxyzABXS\t\u00e9\u0663"


def mutant(game: Game, position: Position, other: Position, random: Random) -> Callable[[], Any]:
    """Return a call that reads a changed text, or takes changed words, of a position."""
    if game.checks_words and random.random() < 0.5:
        words = position.setup.tolist(), position.state.tolist()
        part = random.choice([each for each in words if each])
        for _ in range(random.choice((1, 1, 2))):
            at = random.randrange(len(part))
            part[at] = random.choice((*EXTREMES, part[at] + 1, part[at] - 1, ~part[at]))
            part[at] = min(max(part[at], -(2**63)), 2**63 - 1)
        return _Words(game, *words)
    return _Text(game, mutated(position.to_text(), other.to_text(), random))


class _Words:
    """Takes words, and shows them."""

    def __init__(self, game: Game, setup: list[int], state: list[int]) -> None:
        self.game, self.setup, self.state = game, setup, state

    def __call__(self) -> Position:
        return self.game.position(self.setup, self.state)

    def __str__(self) -> str:
        return f"the setup {self.setup} with the state {self.state}"


class _Text:
    """Reads a text, and shows it."""

    def __init__(self, game: Game, text: str) -> None:
        self.game, self.text = game, text

    def __call__(self) -> Position:
        return self.game.parse(self.text)

    def __str__(self) -> str:
        return f"the text {self.text!r}"


def mutated(text: str, other: str, random: Random) -> str:
    """Return a text with one or a few changes; parts of another may come in."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        at, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + 3)
        new = random.choice(
            (
                "",
                random.choice(LETTERS),
                str(random.choice(EXTREMES)),
                str(random.randrange(-4, 100)),
                text[at:end] * 2,
                other[at : at + random.randrange(8)],
            )
        )
        text = text[:at] + new + text[end:]
    return text


def problem(read: Callable[[], Position], use: Callable[[Position], Any], random: Random) -> str:
    """Return what an accepted position of a mutant makes go wrong, "" if it is refused or fine.

    `use` calls all that a game offers for a position.
    """
    try:
        position = read()
    except GameError as error:  # the rules could not bear what had been accepted
        return f"{read} is accepted: {error}; {REFUSE}"
    except PlygroundError:
        return ""
    except Exception as error:  # a game's own `read` may fail in any way
        return f"{read} must be refused by TextError, but gives {type(error).__name__}: {error}"
    try:
        for _ in range(MOST_PLIES):
            use(position)
            if not position.legal_actions:
                return ""
            position = position.play(random.choice(position.legal_actions))
    except Exception as error:
        name = "" if isinstance(error, PlygroundError) else f"{type(error).__name__}: "
        return f"{read} is accepted: {name}{error}; {REFUSE}"
    return ""
