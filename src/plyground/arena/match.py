"""Games between agents, with seats that rotate over the same start."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from plyground.agents.agent import Agent, Limit
from plyground.arithmetic import derive_seed
from plyground.errors import IllegalAction, PlygroundError
from plyground.game import Game, Position

FINISHED = "finished"


@dataclass(frozen=True)
class Record:
    """One game, whole: enough to play it again."""

    game: str
    agents: tuple[str, ...]
    """By seat."""
    entrants: tuple[int, ...]
    """By seat: which of the match's or tournament's agents sat there, from 0."""
    seed: int
    start: str
    opening: int
    """How many of the first actions were random."""
    actions: tuple[int, ...]
    players: tuple[int, ...]
    """Who played each action, by seat."""
    seconds: tuple[float, ...]
    values: tuple[float | None, ...]
    returns: tuple[float, ...]
    ending: str
    """FINISHED, or why a player forfeited."""

    def to_json(self) -> dict[str, Any]:
        """Give plain data for `json`."""
        return asdict(self)


def positions(game: Game, record: Record) -> list[Position]:
    """Play a record again; give every position from the start to the end."""
    line = [game.parse(record.start)]
    for action in record.actions:
        line.append(line[-1].play(action))
    return line


def open_game(game: Game, seed: int, plies: int) -> Position:
    """Give a start followed by random plies that do not end the game."""
    while True:
        position = game.start(seed)
        stream = random.Random(derive_seed(seed, plies))
        for _ in range(0 if position.is_over else plies):
            position = position.play(stream.choice(position.legal_actions))
            if position.is_over:
                break
        else:
            return position
        plies -= 1


def play_game(
    game: Game,
    agents: Sequence[Agent],
    limit: Limit | None = None,
    *,
    entrants: Sequence[int] | None = None,
    seed: int = 0,
    opening: int = 0,
    watch: Callable[[Position], None] = lambda position: None,
) -> Record:
    """Play one game, agents by seat; one that fails or plays illegally forfeits."""
    position = open_game(game, seed, opening)
    random_plies = position.ply
    seconds, values = [0.0] * random_plies, [None] * random_plies  # type: list[float], list[float | None]
    ending = FINISHED
    returns = position.returns
    while not position.is_over:
        began = perf_counter()
        try:
            thought = agents[position.player].think(
                position.observe(position.player), limit, derive_seed(seed, position.ply)
            )
            after = position.play(thought.action)
        except Exception as error:
            fault = "illegal action" if isinstance(error, IllegalAction) else "failed"
            ending = f"seat {position.player + 1} {fault}: {str(error) or type(error).__name__}"
            returns = forfeited(game, position.player)
            break
        seconds.append(perf_counter() - began)
        values.append(thought.value)
        position = after
        returns = position.returns
        watch(position)
    line = position.line()
    return Record(
        game=repr(game),
        agents=tuple(map(repr, agents)),
        entrants=tuple(entrants or range(len(agents))),
        seed=seed,
        start=line[0].to_text(),
        opening=random_plies,
        actions=tuple(after.action for after in line[1:] if after.action is not None),
        players=tuple(before.player for before in line[:-1]),
        seconds=tuple(round(each, 6) for each in seconds),
        values=tuple(values),
        returns=returns,
        ending=ending,
    )


def forfeited(game: Game, player: int) -> tuple[float, ...]:
    """Give -1 to the player who forfeits; the others share what it loses."""
    players = game.facts.players
    share = 1.0 / max(1, players - 1)
    return tuple(-1.0 if seat == player else share for seat in range(players))


def play_match(
    game: Game,
    agents: Sequence[Agent],
    games: int,
    limit: Limit | None = None,
    *,
    entrants: Sequence[int] | None = None,
    seed: int = 0,
    opening: int = 2,
) -> Iterator[Record]:
    """Play games one after the other: each start once in every rotation of the seats.

    A puzzle of one player has no opening: random plies would change what there is to solve.
    What is wrong with the agents is said at once; the games are played as they are asked for.
    """
    players = game.facts.players
    if len(agents) != players:
        raise PlygroundError(f"{game} is played by {players}, {len(agents)} agents were given")
    for agent in agents:
        agent.prepare(game)
    turns = ([(seat + turn) % players for seat in range(players)] for turn in range(games))
    return (
        play_game(
            game,
            [agents[each] for each in seats],
            limit,
            entrants=[entrants[each] for each in seats] if entrants else seats,
            seed=derive_seed(seed, number // players) >> 1,
            opening=opening if players > 1 else 0,
        )
        for number, seats in enumerate(turns)
    )
