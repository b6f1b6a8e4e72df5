"""The window heuristic: n cells in a row count for a player who alone has stones in them."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.arithmetic import popcount
from plyground.compile import Reals, Words, kernel
from plyground.errors import OptionError
from plyground.game import Evaluator, Game
from plyground.games.connect_n.rules import MASKS, ROWS, STONES, WINDOWS, WORDS
from plyground.options import option

SCALE = 1000.0


@kernel("evaluate")
def windows(setup: Words, state: Words, params: Reals, out: Reals) -> None:
    """`params`: offensiveness, then the score of a window with 0, 1, 2, ... stones."""
    words = setup[WORDS]
    first = second = 0.0
    mask = MASKS + ROWS * words
    for _ in range(setup[WINDOWS]):
        first_stones = second_stones = 0
        for word in range(words):
            cells = setup[mask + word]
            first_stones += popcount(state[STONES + word] & cells)
            second_stones += popcount(state[STONES + words + word] & cells)
        mask += words
        if second_stones == 0:
            first += params[1 + first_stones]
        if first_stones == 0:
            second += params[1 + second_stones]
    own, other = params[0], 1.0 - params[0]
    score = own * first - other * second
    out[0] = score / (SCALE + abs(score))
    score = own * second - other * first
    out[1] = score / (SCALE + abs(score))


class Windows(Evaluator):
    """Score windows by their stones: offensiveness x own - (1 - offensiveness) x the other's."""

    name = "windows"
    kernel = windows

    weights: tuple[float, ...] = option(
        (0.0, 10.0, 50.0, 5000.0, 1000000.0),
        low=0,
        high=1e9,
        help="scores of a window with 0, 1, 2, ... stones; the last is also for more stones",
    )
    offensiveness: float = option(0.35, low=0, high=1, help="weight of the player's own windows")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.weights:
            raise OptionError("windows: weights must not be empty")

    def params(self, game: Game) -> Sequence[float]:
        n = game.n  # type: ignore[attr-defined]
        weights = [self.weights[min(stones, len(self.weights) - 1)] for stones in range(n + 1)]
        return [self.offensiveness, *weights]
