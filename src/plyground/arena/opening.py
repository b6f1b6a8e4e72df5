"""Openings of random plies; the rule `even` redraws them until the position is about even."""

from __future__ import annotations

import random
from functools import cache, lru_cache
from itertools import islice
from math import inf
from statistics import median_low

from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit
from plyground.arithmetic import derive_seed
from plyground.errors import OptionError
from plyground.game import Game, Position
from plyground.text import counted

RANDOM, EVEN = RULES = ("random", "even")

JUDGE = "alphabeta(depth=2, quiet=4, table_bits=12)"
"""The agent that evaluates openings, with the game's own heuristic."""

NODES = 10_000
"""Nodes searched per opening at most."""

SAMPLE = 64
"""Random openings from which the distribution of a game's values is estimated."""

SHARE = 4
"""An opening is about even if it is as close to the median as the nearest 1/SHARE of the sample."""

TRIES = 64
"""Openings drawn at most; if none of them is about even, the most even one is used."""


def default_rule(game: Game) -> str:
    """Return the rule for a new plan: `even` for two players and a game with a heuristic."""
    return EVEN if _can_be_judged(game) else RANDOM


def check_rule(game: Game, rule: str) -> None:
    """Raise OptionError for the rule `even` if the game's openings cannot be evaluated."""
    if rule == EVEN and not _can_be_judged(game):
        players = game.facts.players
        reason = "has no heuristic" if players == 2 else f"has {counted(players, 'player')}"
        raise OptionError(f"opening_rule={EVEN} needs two players and a heuristic; {game} {reason}")


def _can_be_judged(game: Game) -> bool:
    return game.facts.players == 2 and bool(game.evaluators)


def open_game(game: Game, seed: int, plies: int, rule: str = RANDOM) -> Position:
    """Return a start followed by random plies; fewer if these would end the game.

    A one-player puzzle has no opening: random plies would change the puzzle.
    """
    position = game.start(seed)
    if game.facts.players == 1 or position.is_over:
        return position
    plies = min(plies, game.facts.longest)
    if rule == RANDOM or plies == 0:
        return _random_opening(position, seed, plies)
    for action in _even_actions(game, seed, plies):
        position = position.play(action)
    return position


def _random_opening(start: Position, seed: int, plies: int) -> Position:
    """Return the position after random plies, or after as many as do not end the game."""
    while True:
        position = _drawn(start, plies, seed)
        if position is not None:
            return position
        plies -= 1


def _drawn(start: Position, plies: int, *seeds: int) -> Position | None:
    """Return the position after random plies; None if they end the game."""
    stream = random.Random(derive_seed(*seeds, plies))
    position = start
    for _ in range(plies):
        position = position.play(stream.choice(position.legal_actions))
        if position.is_over:
            return None
    return position


@lru_cache(maxsize=16)  # every rotation and every pair of agents has the same opening
def _even_actions(game: Game, seed: int, plies: int) -> tuple[int, ...]:
    """Return the actions of an opening that is about even.

    Actions, not the position: games must not share positions, as players may remember them.
    """
    start, (middle, allowed) = game.start(seed), _even_range(game, plies)
    best, least = None, inf
    for number in range(TRIES):
        position = _drawn(start, plies, seed, number)
        distance = inf if position is None else abs(judged(position) - middle)
        if distance < least:
            best, least = position, distance
        if least <= allowed:
            break
    line = (best or _random_opening(start, seed, plies)).line()
    return tuple(after.action for after in line if after.action is not None)


@lru_cache(maxsize=16)
def _even_range(game: Game, plies: int) -> tuple[float, float]:
    """Return the median value of openings, and how far from it an even opening may be.

    Even is not 0, as the player to move is better off in most games, and most heuristics favour the
    player who moved last. Random plies harm both sides equally often, so that the median of a
    sample is harmed least.
    """
    drawn = (_drawn(game.start(seed), plies, seed) for seed in range(SAMPLE * SHARE))
    sample = islice((position for position in drawn if position is not None), SAMPLE)
    values = list(map(judged, sample)) or [0.0]
    middle = median_low(values)
    return middle, sorted(abs(value - middle) for value in values)[len(values) // SHARE]


def judged(position: Position) -> float:
    """Return a shallow search's value for the player to move, from -1 to 1.

    The search does not see the moves before, or it could claim a draw by repetition.
    """
    value = _judge().think(position.without_line(), Limit(nodes=NODES)).value
    return round(value or 0.0, 9)  # the last bits may differ from machine to machine


@cache
def _judge() -> Agent:
    return load_agent(JUDGE)
