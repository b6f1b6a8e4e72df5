"""Games between agents: who sits where, whose time is up, who forfeits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from math import inf, isfinite
from time import perf_counter, process_time

from plyground.agents.agent import Agent, Limit, Thought
from plyground.arena.opening import RANDOM, check_rule, open_game
from plyground.arena.pairing import rank_points
from plyground.arena.record import ADJUDICATED, FINISHED, Record
from plyground.arithmetic import derive_seed
from plyground.errors import AgentFailed, IllegalAction, PlygroundError, one_line
from plyground.game import Game, Position
from plyground.search.timing import own_time

VERSION = version("plyground")
STRICT, COURSE = REFEREES = ("strict", "course")
"""A fault loses the game; or costs what it cost in the game's course, where the game says so."""

MOVES = 30
"""A bank of time is budgeted for so many moves ahead, or for fewer if the game must end sooner."""

LONGEST_REASON = 500
"""Letters of the reason that a record keeps for a forfeit."""

SHORTEST = 0.001
"""The least seconds a move is given, when the bank is empty."""


class _Clock:
    """One seat's time: seconds for each move; a bank and an overage for the whole game."""

    def __init__(self, limit: Limit, increment: float) -> None:
        self.limit, self.increment = limit, increment
        self.left = limit.bank
        self.granted = limit
        """What the move that is thought about has."""
        self.moves, self.overused = 0, 0.0

    def allow(self, agent: Agent, position: Position) -> Limit:
        """Return the limit of the next move: its share of the bank, and what the game has left."""
        granted = agent.granted(self.limit, self.moves)
        bank = None if self.left is None else max(SHORTEST, self.left)
        overage = max(0.0, granted.overage - self.overused)
        self.granted = replace(granted, bank=bank, overage=overage)
        if self.left is None:
            return self.granted
        facts = position.game.facts
        moves = max(1, min(MOVES, (facts.longest - position.ply) // facts.players))
        share = max(SHORTEST, min(self.left / (moves + 1) + self.increment, 0.9 * self.left))
        return self.granted.within(seconds=share)

    def charge(self, seconds: float, passed: float) -> None:
        """Take what a move took by its clock, while so much passed; too much of either is late."""
        self.moves += 1
        granted = self.granted
        caps = [each for each in (granted.seconds, self.left) if each is not None]
        if not caps:
            return
        own = min(caps)
        had = own + granted.overage
        if seconds > had + granted.grace:
            raise AgentFailed("late", f"took {seconds:.3f} s, had {had:.3f} s")
        if granted.cpu and passed > granted.wait:
            raise AgentFailed("late", f"{passed:.3f} s passed, {granted.wait:.3f} s may")
        self.overused += max(0.0, seconds - own)
        if self.left is not None:
            self.left = max(0.0, self.left - seconds) + self.increment


def _reader(limit: Limit) -> Callable[[], float]:
    """Return the clock by which a move is timed."""
    if not limit.timed:
        return perf_counter
    return process_time if limit.cpu else own_time


def play_game(
    game: Game,
    agents: Sequence[Agent],
    limit: Limit | Sequence[Limit] | None = None,
    *,
    increment: float = 0.0,
    max_plies: int | None = None,
    ponder: bool = False,
    referee: str = STRICT,
    entrants: Sequence[int] | None = None,
    number: int = 0,
    seed: int = 0,
    opening: int = 0,
    opening_rule: str = RANDOM,
    watch: Callable[[Position], None] = lambda position: None,
) -> Record:
    """Play one game, agents by seat; one that fails, is late or plays illegally forfeits.

    With the course's referee it goes on where the game has a penalty, and the fault is kept.
    `limit` is a move's, but for bank and overage, which are a player's for the whole game; one for
    all, or one for each seat. Other people's programs are stopped while it is not their turn,
    unless they may `ponder`. Law: agents that no clock hurries play the same game again when seed
    and number are the same.
    """
    for agent in agents:
        agent.prepare(game)
    position = open_game(game, seed, opening, opening_rule)
    limits = (
        [limit or Limit()] * len(agents) if limit is None or isinstance(limit, Limit) else limit
    )
    clocks = [_Clock(each, increment) for each in limits]
    line = position.line()
    actions = [after.action for after in line[1:] if after.action is not None]
    players = [before.player for before in line[:-1]]
    seconds, values = [0.0] * len(actions), [None] * len(actions)  # type: list[float], list[float | None]
    ending, reason, fault = FINISHED, "", None  # type: str, str, int | None
    faults: list[tuple[int, int, str, str]] = []
    seats: list[Agent] = []
    returns = (0.0,) * game.facts.players  # what a player hears whose game was broken off
    try:
        try:
            for fault, agent in enumerate(agents):
                own = derive_seed(seed, number, -1 - fault)
                seats.append(agent.sit(game, fault, own, ponder=ponder))
            while not position.is_over:
                fault = position.player
                if max_plies is not None and position.ply >= max_plies:
                    ending, reason = ADJUDICATED, f"a draw after {max_plies} plies"
                    break
                allowed = clocks[fault].allow(seats[fault], position)
                seen = position.observe(fault)
                drawn = derive_seed(seed, number, position.ply)
                value = None
                read = _reader(allowed)
                began, at = read(), perf_counter()
                try:
                    thought = seats[fault].think(seen, allowed, drawn)
                    spent, passed = read() - began, perf_counter() - at
                    if thought.seconds is not None:
                        spent = thought.seconds
                    clocks[fault].charge(spent, passed)
                    position, value = position.play(thought.action), _value(thought)
                except (Exception, SystemExit) as error:
                    spent = perf_counter() - at
                    penalty = game.penalty(position, drawn) if referee == COURSE else None
                    if penalty is None:
                        raise
                    faults.append((position.ply, fault, _fault(error), _reason(error)))
                    position = position.replay(penalty)
                actions.append(position.action)  # type: ignore[arg-type]
                players.append(fault)
                seconds.append(round(spent, 6))
                values.append(value)
                watch(position)
            fault, returns = None, position.returns
        except (Exception, SystemExit) as error:
            assert fault is not None
            ending, reason = _fault(error), _reason(error)
            returns = forfeited(position, fault)
    finally:
        for seated in seats:
            with suppress(Exception):  # the game is over: what fails now changes nothing
                seated.leave(returns)
    return Record(
        game=repr(game),
        agents=tuple(map(repr, agents)),
        entrants=tuple(entrants or range(len(agents))),
        number=number,
        seed=seed,
        start=_start_text(line[0]),
        opening=len(line) - 1,
        actions=tuple(actions),
        players=tuple(players),
        seconds=tuple(seconds),
        values=tuple(values),
        returns=returns,
        ending=ending,
        reason=reason,
        fault=fault,
        version=VERSION,
        faults=tuple(faults),
    )


@lru_cache(maxsize=16)
def _start_text(start: Position) -> str:
    return start.to_text()  # of the same start for every rotation, and often for every game


def _fault(error: BaseException) -> str:
    if isinstance(error, AgentFailed):
        return error.fault
    return "illegal" if isinstance(error, IllegalAction) else "failed"


def _reason(error: BaseException) -> str:
    """Return an error's text as one line that any terminal and any store can take."""
    return one_line(str(error), LONGEST_REASON) or type(error).__name__


def _value(thought: Thought) -> float | None:
    value = None if thought.value is None else float(thought.value)
    return round(value, 6) if value is not None and isfinite(value) else None


def forfeited(position: Position, player: int) -> tuple[float, ...]:
    """Return the returns when a player forfeits in a position.

    Where the game tells how everyone stood, the player is last and the others are placed by that.
    Elsewhere it gets -1, with its team, and the others share what they lose.
    """
    facts = position.game.facts
    side = facts.side(player)
    standing = None if facts.teams else position.game.standing(position)
    if standing is None:
        share = len(side) / max(1, facts.players - len(side))
        return tuple(-1.0 if seat in side else share for seat in range(facts.players))
    points = rank_points([-inf if seat == player else each for seat, each in enumerate(standing)])
    mean, most = sum(points) / len(points), rank_points(range(facts.players))[-1]
    return tuple((each - mean) / (most - mean) for each in points)


def play_match(
    game: Game,
    agents: Sequence[Agent],
    games: int,
    limit: Limit | None = None,
    *,
    seed: int = 0,
    opening: int = 2,
    opening_rule: str = RANDOM,
) -> Iterator[Record]:
    """Play games one after the other: each start once in every rotation of the seats.

    What is wrong with the agents is said at once; the games are played as they are asked for.
    """
    players = game.facts.players
    if len(agents) != players:
        raise PlygroundError(f"{game} is played by {players}, {len(agents)} agents were given")
    check_rule(game, opening_rule)
    for agent in agents:
        agent.prepare(game)
    return (
        play_game(
            game,
            [agents[each] for each in seats],
            limit,
            entrants=seats,
            number=number,
            seed=start_seed(seed, number // players),
            opening=opening,
            opening_rule=opening_rule,
        )
        for number in range(games)
        for seats in [rotated(range(players), number)]
    )


def rotated(table: Sequence[int], turn: int) -> tuple[int, ...]:
    """Move everyone at a table on by so many seats."""
    turn %= len(table)
    return (*table[turn:], *table[:turn])


def start_seed(*seeds: int) -> int:
    """Derive the seed of a start, small enough for a signed word."""
    return derive_seed(*seeds) >> 1
