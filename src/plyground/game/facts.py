"""The facts of a game: what is true of every position, whatever is played."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """What is true of every position of a game; `check` tests it."""

    players: int
    actions: int
    """Actions are the integers from 0 to `actions` - 1."""
    branching: int
    """No position has more legal actions than this."""
    longest: int
    """No game has more plies than this."""
    zero_sum: bool = True
    """The players' returns add up to 0."""
    teams: tuple[int, ...] = ()
    """The team of each seat; its members have the same returns. Empty: there are no teams."""
    symmetries: int = 1
    """How many images a position has under `image`, counting the position itself (number 0)."""
    hidden: bool = False
    """Players do not see all of the state: `observe` hides a part, `determinize` guesses it."""
    simultaneous: bool = False
    """Two players choose at once: the second moves without knowing the first one's action."""
    planes: tuple[int, int, int] = (0, 0, 0)
    """The shape of what `encode` fills: planes, rows, columns."""
    policy: tuple[int, int, int] = (0, 0, 0)
    """The shape of a network's policy head: planes, rows, columns. The kernel `policy` returns the
    entries of an action; without it there is one entry per action: (actions, 1, 1)."""
    policy_parts: int = 1
    """How many entries of the policy head add up to an action's logit."""
    repetition: int = 0
    """A position (a key) that occurs so many times ends the game without a winner; 0: never."""
    places: tuple[float, ...] = ()
    """Tournament points of the first place, the second, and so on; empty: evenly from 1 to 0."""
    clock: int | None = None
    """Index of the state's word that counts towards the end of the game and is not in the key."""

    def __post_init__(self) -> None:
        if not any(self.policy):
            object.__setattr__(self, "policy", (self.actions, 1, 1))

    def side(self, player: int) -> tuple[int, ...]:
        """Return the seats that win when a player does: its team, or itself alone."""
        if not self.teams:
            return (player,)
        return tuple(seat for seat in range(self.players) if self.teams[seat] == self.teams[player])
