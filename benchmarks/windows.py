"""The window heuristic in NumPy, equal to the kernel, for peers that search in Python."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from plyground import load_game
from plyground.games.connect_n.evaluate import SCALE

Cells = NDArray[np.float32]
"""One number per cell: 0, FIRST or SECOND; their sum over a window encodes both players' stones."""

GAME = load_game("connect_n")
WIDTH, HEIGHT, N = 7, 6, 4
FIRST, SECOND = 1, N + 1


def _scores() -> NDArray[np.float64]:
    """Return the score of a window for the first player, by the sum of its cells."""
    offensiveness, *weights = GAME.evaluator("windows").params(GAME)
    scores = np.zeros(N * SECOND + 1)
    for stones in range(1, N + 1):
        scores[stones * FIRST] = offensiveness * weights[stones]
        scores[stones * SECOND] = (offensiveness - 1) * weights[stones]
    return scores


SCORES = _scores()


def windows(stride: int) -> NDArray[np.float32]:
    """Return a matrix that adds up every window of a board with `stride` cells per row."""
    found = []
    for column, row in product(range(WIDTH), range(HEIGHT)):
        for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(column + across * step, row + up * step) for step in range(N)]
            if line[-1][0] < WIDTH and 0 <= line[-1][1] < HEIGHT:
                found.append([y * stride + x for x, y in line])
    matrix = np.zeros((len(found), HEIGHT * stride), np.float32)
    for number, cells in enumerate(found):
        matrix[number, cells] = 1
    return matrix


def value(cells: Cells, matrix: NDArray[np.float32]) -> float:
    """Return the first player's value, between -1 and 1."""
    score = float(SCORES.take((matrix @ cells).astype(np.intp)).sum())
    return score / (SCALE + abs(score))
