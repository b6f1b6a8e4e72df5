"""Finds random streams in the state of a game: words that change by themselves, in no simple way.

A search reads such a word, and so it knows each roll before it is made. A word that `observe` hides
from the player to move is no such stream.
"""

from __future__ import annotations

import numpy as np

from plyground.compile import Words
from plyground.game import Position

TRIED = 4
"""Actions of a position that are compared at most."""

FORCED = 2
"""Forced actions that are played after each of them at most, such as a roll of dice."""

MANY, FAR = 12, 2**32
"""A stream has many values, with many different changes between them or with far ones; a turn has
few values, and a counter has few and small changes."""


class Streams:
    """The words of the state that changed in the same way whatever was played."""

    def __init__(self) -> None:
        self._values: dict[int, set[int]] = {}
        self._changes: dict[int, set[int]] = {}
        self._determined: set[int] = set()
        """Words that depend on the action, or take over another word."""

    def watch(self, position: Position) -> None:
        """Compare what the actions of a position do to each word."""
        actions = position.legal_actions
        if len(actions) < 2:
            return
        before, visible = position.state, position.observe(position.player).state
        chosen = actions[:: max(1, len(actions) // TRIED)]
        after = np.stack([_after(position, action) for action in chosen])
        words = set(before.tolist())
        for word in np.flatnonzero((after != before).any(axis=0)).tolist():
            new = {*after[:, word].tolist()} - {int(before[word])}
            if len(new) > 1 or new & words:
                self._determined.add(word)
            elif visible[word] == before[word]:
                changes = self._changes.setdefault(word, set())
                changes.update(value - int(before[word]) for value in new)
                self._values.setdefault(word, set()).update(new)

    def words(self) -> list[int]:
        """Return the words that are random streams, as far as can be seen."""
        return sorted(
            word
            for word, changes in self._changes.items()
            if word not in self._determined
            and len(self._values[word]) >= MANY
            and (len(changes) >= MANY or max(map(abs, changes)) >= FAR)
        )


def _after(position: Position, action: int) -> Words:
    """Return the state after an action and the forced actions that follow it."""
    position = position.play(action)
    for _ in range(FORCED):
        if len(position.legal_actions) == 1:
            position = position.play(position.legal_actions[0])
    return position.state
