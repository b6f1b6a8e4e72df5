"""Openings: random plies, which by the rule `even` are drawn until they are about even."""

from __future__ import annotations

import random
from functools import cache, lru_cache
from itertools import islice
from math import inf
from statistics import median_low

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.arithmetic import derive_seed
from plyground.errors import BadOption
from plyground.game import Game, Position

RANDOM, EVEN = RULES = ("random", "even")

JUDGE = "alphabeta(depth=2, quiet=4, table_bits=12)"
"""The agent that values openings, with the game's own heuristic."""

NODES = 10_000
"""Nodes that valuing one opening may take at most."""

SAMPLE = 64
"""Number of random openings from which a game's usual values are estimated."""

SHARE = 4
"""Openings are about even if they are as close to the median as the nearest 1/SHARE of a sample."""

TRIES = 64
"""Openings to draw at most; if none of them is about even, the most even one is used."""


def default_rule(game: Game) -> str:
    """Return the rule for a new plan: `even` where two play and the game has a heuristic."""
    return EVEN if _can_be_judged(game) else RANDOM


def check_rule(game: Game, rule: str) -> None:
    """Refuse the rule `even` for a game whose openings cannot be judged."""
    if rule == EVEN and not _can_be_judged(game):
        players = game.facts.players
        lacking = "has no heuristic" if players == 2 else f"is played by {players}"
        raise BadOption(f"opening_rule={EVEN} is for two players and a heuristic; {game} {lacking}")


def _can_be_judged(game: Game) -> bool:
    return game.facts.players == 2 and bool(game.evaluators)


def open_game(game: Game, seed: int, plies: int, rule: str = RANDOM) -> Position:
    """Return a start followed by random plies; fewer, where so many would end the game.

    A puzzle of one player has no opening: random plies would change what there is to solve.
    """
    position = game.start(seed)
    if game.facts.players == 1 or position.is_over:
        return position
    plies = min(plies, game.facts.longest)
    if rule == RANDOM or plies == 0:
        return _opened(position, seed, plies)
    for action in _even_actions(game, seed, plies):
        position = position.play(action)
    return position


def _opened(start: Position, seed: int, plies: int) -> Position:
    """Play random plies; where they end the game, one ply fewer, and so on."""
    while True:
        position = _drawn(start, plies, seed)
        if position is not None:
            return position
        plies -= 1


def _drawn(start: Position, plies: int, *seeds: int) -> Position | None:
    """Play random plies; None where they end the game."""
    stream = random.Random(derive_seed(*seeds, plies))
    position = start
    for _ in range(plies):
        position = position.play(stream.choice(position.legal_actions))
        if position.is_over:
            return None
    return position


@lru_cache(maxsize=16)  # the same for every rotation, and for all who meet
def _even_actions(game: Game, seed: int, plies: int) -> tuple[int, ...]:
    """Draw openings until one is about even; return its actions.

    Not its position: players that remember positions must not meet those of another game.
    """
    start, (middle, allowed) = game.start(seed), _usual(game, plies)
    best, least = None, inf
    for number in range(TRIES):
        position = _drawn(start, plies, seed, number)
        apart = inf if position is None else abs(judged(position) - middle)
        if apart < least:
            best, least = position, apart
        if least <= allowed:
            break
    line = (best or _opened(start, seed, plies)).line()
    return tuple(each.action for each in line if each.action is not None)


@lru_cache(maxsize=16)
def _usual(game: Game, plies: int) -> tuple[float, float]:
    """Return the median value of openings, and how far from it an even opening may be.

    Not 0: who moves next is better off in most games, and in the eyes of most heuristics who moved
    last. Random plies harm either side as often, so that the middle of the sample is harmed least.
    """
    drawn = (_drawn(game.start(seed), plies, seed) for seed in range(SAMPLE * SHARE))
    sample = islice((each for each in drawn if each is not None), SAMPLE)
    values = list(map(judged, sample)) or [0.0]
    middle = median_low(values)
    return middle, sorted(abs(value - middle) for value in values)[len(values) // SHARE]


def judged(position: Position) -> float:
    """Return what a shallow search expects for the player to move, from -1 to 1.

    The search does not see the moves that led here, or else it could claim a draw by repetition.
    """
    value = _judge().think(position.without_line(), Limit(nodes=NODES)).value
    return round(value or 0.0, 9)  # the last bits may differ from machine to machine


@cache
def _judge() -> Agent:
    return load_agent(JUDGE)
