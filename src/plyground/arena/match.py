"""Games between agents: seats, clocks, forfeits, and records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from math import inf

from plyground import __version__
from plyground.agents import load_agent
from plyground.agents.agent import Agent, Limit, Thought
from plyground.arena.faults import cleaned_lines, fault_of
from plyground.arena.opening import RANDOM, check_rule, open_game
from plyground.arena.record import ADJUDICATED, FINISHED, Policy, Record
from plyground.arena.scores import rank_points
from plyground.arena.seat import Clock, Seat
from plyground.arithmetic import derive_seed, seed_deriver
from plyground.errors import IllegalActionError, PlygroundError
from plyground.game import Game, Position
from plyground.games import load_game
from plyground.text import counted

FAULTY = (Exception, SystemExit)
"""What a player may raise by its own fault; Ctrl-C is not one."""

STRICT, COURSE = REFEREES = ("strict", "course")
"""A fault loses the game; or it costs the penalty of the game's course, if the game has one."""


def play_game(
    game: Game | str,
    agents: Sequence[Agent | str],
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
    policies: bool = False,
    watch: Callable[[Position], None] = lambda position: None,
) -> Record:
    """Play one game and return its record; `agents` are by seat.

    An agent that fails, is late or plays an illegal move forfeits the game; errors of the rules or
    of `watch`, which is called after every move, are raised. With the referee "course", the game
    goes on after a fault if the game has a penalty for it, and the fault is recorded.

    Game and agents may be texts, such as "connect_n" and "mcts(simulations=100)". `limit` is one
    for all seats or one for each; it is per move, except that bank and overage are per game. Other
    people's programs are stopped while it is not their turn, unless they may `ponder`. With
    `policies`, each move's policy is recorded.

    Law: without clocks, the same seed and number give the same game.
    """
    game, seated = _load(game, agents)
    for agent in seated:
        agent.prepare(game)
    identities = game.identity(), *(agent.identity(game) for agent in seated)
    position = open_game(game, seed, opening, opening_rule)
    limits = (
        [limit or Limit()] * len(seated) if limit is None or isinstance(limit, Limit) else limit
    )
    log = _Log(position)
    seed_of = seed_deriver(seed, number)
    seats: list[Seat] = []
    returns = game.no_returns  # for players whose game is interrupted
    try:
        for seat, agent in enumerate(seated):
            try:
                player = agent.sit(game, seat, seed_of(-1 - seat), ponder=ponder)
                seats.append(Seat(player, Clock(limits[seat], increment), position.ply))
            except FAULTY as error:
                log.blame(seat, error)
                log.written[seat] = "\n".join(getattr(error, "__notes__", ()))
                break
        while not position.is_over and not log.is_forfeit():
            if max_plies is not None and position.ply >= max_plies:
                log.ending, log.reason = (
                    ADJUDICATED,
                    f"a draw after {counted(max_plies, 'ply', 'plies')}",
                )
                break
            seat = position.player
            move_seed = seed_of(position.ply)
            view = position.observe(seat)
            thought = None
            try:
                thought = seats[seat].take_turn(position, view, move_seed)
                chosen = thought.action
            except FAULTY as error:
                log.blame(seat, error)
            else:
                try:
                    position = position.play(chosen)
                except IllegalActionError as error:  # any other error is the rules' fault
                    log.blame(seat, error)
            if log.fault is not None:
                thought, penalty = None, None
                if referee == COURSE:
                    penalty = game.penalty(position, log.ending, move_seed)
                if penalty is None:
                    break
                log.forgive(position.ply)
                position = position.replay(penalty)
            log.add(position, seat, seats[seat].spent, thought, policies)
            watch(position)
        returns = position.returns if log.fault is None else forfeited(position, log.fault)
    finally:
        for seat, occupied in enumerate(seats):
            with suppress(Exception):  # the game is over: failures no longer matter
                occupied.player.close(returns)
            log.written[seat] = occupied.player.log
    return Record(
        game=repr(game),
        agents=tuple(map(repr, seated)),
        entrants=tuple(entrants or range(len(seated))),
        number=number,
        seed=seed,
        start=_start_text(log.line[0], None if game.has_text else seed),
        opening=len(log.line) - 1,
        actions=tuple(log.actions),
        players=tuple(log.players),
        seconds=tuple(log.seconds),
        values=tuple(log.values),
        returns=returns,
        ending=log.ending,
        reason=log.reason,
        fault=log.fault,
        version=__version__,
        faults=tuple(log.faults),
        policies=tuple(log.policies),
        game_identity=identities[0],
        identities=identities[1:],
        logs=tuple(map(cleaned_lines, log.written)) if any(log.written) else (),
    )


class _Log:
    """The moves of a game so far, its faults, and the seat that forfeited."""

    def __init__(self, position: Position) -> None:
        self.line = position.line()
        self.actions = [after.action for after in self.line[1:] if after.action is not None]
        self.players = [before.player for before in self.line[:-1]]
        self.seconds = [0.0] * len(self.actions)
        self.values: list[float | None] = [None] * len(self.actions)
        self.policies: list[Policy] = []
        self.ending, self.reason = FINISHED, ""
        self.fault: int | None = None
        self.faults: list[tuple[int, int, str, str]] = []
        self.written = [""] * position.game.facts.players
        """By seat: what the player's program wrote to standard error."""

    def is_forfeit(self) -> bool:
        """Return whether a seat has forfeited the game."""
        return self.fault is not None

    def blame(self, seat: int, error: BaseException) -> None:
        """Record that a seat forfeits, and the error that caused it."""
        self.ending, self.reason = fault_of(error)
        self.fault = seat

    def forgive(self, ply: int) -> None:
        """Record a fault that does not end the game."""
        assert self.fault is not None
        self.faults.append((ply, self.fault, self.ending, self.reason))
        self.ending, self.reason, self.fault = FINISHED, "", None

    def add(
        self, after: Position, seat: int, spent: float, thought: Thought | None, policies: bool
    ) -> None:
        """Record a move and the player's thought, which is None if the referee made the move."""
        assert after.action is not None
        self.actions.append(after.action)
        self.players.append(seat)
        self.seconds.append(_microseconds(spent))
        value = None if thought is None else thought.value
        self.values.append(None if value is None else round(value, 6))
        if policies:
            self.policies += [()] * (len(self.actions) - 1 - len(self.policies))  # the opening's
            self.policies.append(() if thought is None else _policy(thought))


@lru_cache(maxsize=16)
def _start_text(start: Position, seed: int | None) -> str:
    """Return a start's text; cached, as every rotation of the seats has the same start.

    The text of a game that has none of its own holds the seed.
    """
    return start.to_text()


def _microseconds(seconds: float) -> float:
    """Return `round(seconds, 6)`, in a quarter of its time."""
    return round(1e6 * seconds) / 1e6


def _policy(thought: Thought) -> Policy:
    return tuple((action, round(share, 6)) for action, share in thought.policy.items())


def forfeited(position: Position, player: int) -> tuple[float, ...]:
    """Return the result by seat when a player forfeits in a position.

    If the game knows the players' standing, the player is last and the others are ranked by it.
    Otherwise the player and its team get -1 each, and the others share what they lose.
    """
    facts = position.game.facts
    side = facts.side(player)
    standing = None if facts.teams else position.game.standing(position)
    if standing is None:
        share = len(side) / max(1, facts.players - len(side))
        return tuple(-1.0 if seat in side else share for seat in range(facts.players))
    ranked = [-inf if seat == player else score for seat, score in enumerate(standing)]
    points = rank_points(ranked, facts.places)
    alone, mean = rank_points(range(facts.players), facts.places), sum(points) / len(points)
    most = max(alone[-1] - mean, mean - alone[0])
    return tuple((point - mean) / most for point in points)


def play_match(
    game: Game | str,
    agents: Sequence[Agent | str],
    games: int,
    limit: Limit | None = None,
    *,
    seed: int = 0,
    opening: int = 2,
    opening_rule: str = RANDOM,
    max_plies: int | None = None,
) -> Iterator[Record]:
    """Yield records of games played one after the other, each start in every rotation of seats.

    Game and agents may be texts. Errors in them are raised at once; a game is played when its
    record is requested.
    """
    game, entrants = _load(game, agents)
    players = game.facts.players
    check_rule(game, opening_rule)
    for agent in entrants:
        agent.prepare(game)
    return (
        play_game(
            game,
            [entrants[entrant] for entrant in seats],
            limit,
            entrants=seats,
            number=number,
            seed=start_seed(seed, number // players),
            opening=opening,
            opening_rule=opening_rule,
            max_plies=max_plies,
        )
        for number in range(games)
        for seats in [rotated(range(players), number)]
    )


def _load(game: Game | str, agents: Sequence[Agent | str]) -> tuple[Game, list[Agent]]:
    """Return the game and the agents, loaded from their texts; there must be one per seat."""
    loaded, seated = load_game(game), [load_agent(agent) for agent in agents]
    players = loaded.facts.players
    if len(seated) != players:
        raise PlygroundError(
            f"{loaded} has {counted(players, 'player')}, {counted(len(seated), 'agent')} given"
        )
    return loaded, seated


def rotated(table: Sequence[int], turn: int) -> tuple[int, ...]:
    """Return a table with its players rotated by `turn` seats."""
    turn %= len(table)
    return (*table[turn:], *table[:turn])


def start_seed(*seeds: int) -> int:
    """Return the seed of a start position, derived from others; it fits a signed 64-bit word."""
    return derive_seed(*seeds) >> 1
