"""One game in progress, played by people and agents; the terminal and the site show it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Self

from plyground import __version__
from plyground.agents.agent import Agent, Limit, Player, Thought
from plyground.agents.thought import checked
from plyground.arena.faults import fault_of
from plyground.arena.match import forfeited
from plyground.arena.record import ADJUDICATED, FINISHED, PERSON, RESIGNED, Record
from plyground.arena.seat import Clock, Seat
from plyground.arithmetic import derive_seed
from plyground.errors import AgentError, CannotPlayError, IllegalActionError, OptionError
from plyground.game import Position, Solution, Stop
from plyground.text import counted

SOLVING = 1.0
"""Seconds in which a puzzle is solved, to compare a person's result with the best."""


@dataclass(frozen=True)
class Move:
    """One move: the seat that played it, the seconds it took, and the agent's thought."""

    seat: int
    action: int
    seconds: float
    thought: Thought | None = None
    """None for a person's move."""


class Session:
    """A game in progress: the people and agents in its seats, the position, clocks and moves.

    A person's move is passed to `play`; `reply` asks an agent for its move. A seat that runs out of
    time forfeits as in a match, and so does an agent that fails; a person's illegal move is only
    refused. A bank of time is not touched by a seat's first move: its clock starts after it. Not
    thread-safe.
    """

    def __init__(
        self,
        start: Position,
        seats: Sequence[Agent | None],
        limits: Limit | Sequence[Limit] | None = None,
        *,
        increment: float = 0.0,
        adviser: Agent | None = None,
        seed: int = 0,
        prepare: bool = True,
    ) -> None:
        """Start a game; None in `seats` is a person, and `adviser` is the agent that gives hints.

        `limits` is one limit for all seats, or one for each seat. With `prepare` the agents'
        searches are compiled now; they need not be where the agents think in other processes.
        """
        players = start.game.facts.players
        if len(seats) != players:
            given = counted(len(seats), "seat")
            raise OptionError(f"{start.game} has {counted(players, 'player')}, {given} given")
        limits = [limits or Limit()] * players if not isinstance(limits, Sequence) else limits
        if len(limits) != players:
            given = counted(len(limits), "limit")
            raise OptionError(f"{start.game} has {counted(players, 'player')}, {given} given")
        self.start, self.position = start, start
        self.agents, self.limits, self.adviser = tuple(seats), tuple(limits), adviser
        self.increment, self.seed = increment, seed
        self.moves: list[Move] = []
        self.ending, self.reason = FINISHED, ""
        """How the game ended, once it is over; the same values as in a record."""
        self.fault: int | None = None
        """The seat that resigned or forfeited."""
        for agent in (*seats, adviser):
            if agent is not None and prepare:
                agent.prepare(start.game)
        self._clocks = [
            Clock(limit, increment, first_is_free=limit.bank is not None) for limit in self.limits
        ]
        self._clocks_before: list[list[Clock]] = []
        """The clocks before each move, restored when the move is taken back."""
        self._players: dict[int, Seat] = {}
        self._advisers: dict[int, Player] = {}
        self._began = perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    # State ---------------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """Return the seat that is to move."""
        return self.position.player

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended: by its rules, a forfeit or a resignation."""
        return self.position.is_over or self.fault is not None

    @property
    def is_persons_turn(self) -> bool:
        """Return whether a person is to move."""
        return not self.is_over and self.agents[self.seat] is None

    @property
    def returns(self) -> tuple[float, ...]:
        """Return the result of each seat; zeros while the game goes on."""
        return self.position.returns if self.fault is None else forfeited(self.position, self.fault)

    @cached_property
    def solution(self) -> Solution | None:
        """The exact solution of a puzzle's start; None if it is no puzzle, or hard to solve."""
        game = self.start.game
        solver = game.solver(within_cap=True) if game.facts.players == 1 else None
        if solver is None or game.facts.hidden:
            return None
        return solver.solve(self.start, Stop(seconds=SOLVING))

    def view(self, seat: int) -> Position:
        """Return the position as a seat sees it; nothing is hidden once the game is over."""
        return self.position if self.is_over else self.position.observe(seat)

    def seconds_left(self, seat: int) -> float | None:
        """Return the seconds that a seat has left on its clock; None without a time limit."""
        clock = self._clocks[seat]
        left = clock.left if clock.left is not None else clock.limit.seconds
        return left if left is None or seat != self.seat_timed else left - self.seconds_used

    @property
    def seat_timed(self) -> int | None:
        """Return the seat whose clock runs, if it has one; None if no clock runs."""
        runs = not self.is_over and self._clocks[self.seat].has_started
        return self.seat if runs else None

    @property
    def seconds_used(self) -> float:
        """Return the seconds that the seat to move has used for this move so far."""
        return perf_counter() - self._began

    @property
    def overtime(self) -> float:
        """Return by how many seconds the person to move has overrun the clock; 0 if not at all."""
        left = self.seconds_left(self.seat)
        if not self.is_persons_turn or left is None or left + self.limits[self.seat].grace >= 0:
            return 0.0
        return -left

    # Actions -------------------------------------------------------------------------------------

    def begin_with(self, actions: Sequence[int]) -> None:
        """Play the moves with which the game begins, such as those of a copy; they take no time."""
        for action in actions:
            after = self.position.play(action)
            self._move(after, Move(self.seat, action, 0.0), self._copied_clocks())

    def play(self, action: int) -> Position:
        """Play a person's move; a late one is not played and forfeits the game."""
        if not self.is_persons_turn:
            raise CannotPlayError(
                "the game is over" if self.is_over else "it is not a person's turn"
            )
        return self.make(Move(self.seat, action, round(self.seconds_used, 6)))

    def make(self, move: Move) -> Position:
        """Play a move that was found elsewhere: a person's, or an agent's in another process.

        Its seconds are charged to the clock of the seat to move; a late one is not played and
        forfeits the game.
        """
        after, seat, clocks = self.position.play(move.action), self.seat, self._copied_clocks()
        try:
            self._clocks[seat].allow(self.agents[seat], self.position)
            self._clocks[seat].charge(move.seconds, move.seconds)
        except AgentError as error:
            self.fail(error)
        else:
            self._move(after, move, clocks)
        return self.position

    def allowance(self) -> Limit:
        """Return the limit of the move that the agent to move is asked for."""
        return copy(self._clocks[self.seat]).allow(self.agents[self.seat], self.position)

    def reply(self) -> Thought | None:
        """Let the agent to move think and play; return None if it forfeits instead.

        This waits for the agent's answer: at most as long as its limits allow if it is a program,
        without a time limit otherwise.
        """
        agent = None if self.is_over else self.agents[self.seat]
        if agent is None:
            raise CannotPlayError("the game is over" if self.is_over else "it is a person's turn")
        seat, seed = self.seat, derive_seed(self.seed, self.position.ply)
        view, clocks = self.position.observe(seat), self._copied_clocks()
        try:
            if seat not in self._players:
                player = agent.sit(self.position.game, seat, self._seed_of_player(seat))
                self._players[seat] = Seat(player, self._clocks[seat], self.position.ply)
            thought = self._players[seat].take_turn(self.position, view, seed)
            chosen = thought.action
        except (Exception, SystemExit) as error:
            self.fail(error)
            return None
        try:
            after = self.position.play(chosen)
        except IllegalActionError as error:
            self.fail(error)
            return None
        self._move(after, Move(seat, chosen, round(self._players[seat].spent, 6), thought), clocks)
        return thought

    def hint(self, limit: Limit | None = None) -> Thought:
        """Return the adviser's thought for the person to move; the adviser has its own players."""
        if self.is_over:
            raise CannotPlayError("the game is over")
        if self.adviser is None or not self.is_persons_turn:
            raise CannotPlayError("a hint needs an adviser, and a person to move")
        if self.seat not in self._advisers:
            seed = self._seed_of_player(self.seat)
            self._advisers[self.seat] = self.adviser.sit(self.position.game, self.seat, seed)
        seed = derive_seed(self.seed, self.position.ply)
        view = self.position.observe(self.seat)
        return checked(self._advisers[self.seat].think(view, limit, seed))

    def undo(self, seat: int | None = None) -> bool:
        """Take back a seat's last move and all moves after it; return whether there was one.

        Without a seat, it is the last move of any person. After a resignation, only that is taken
        back. The agents' players are replaced by new ones, as the old ones remember the moves that
        were taken back.
        """
        if self.ending == RESIGNED:
            self.ending, self.reason, self.fault = FINISHED, "", None
            self._began = perf_counter()
            return True
        people = [number for number, agent in enumerate(self.agents) if agent is None]
        seats = people if seat is None else [seat]
        plies = [ply for ply, move in enumerate(self.moves) if move.seat in seats]
        if not plies:
            return False
        self.close()
        while len(self.moves) > plies[-1]:
            self.moves.pop()
            self._clocks = self._clocks_before.pop()
            assert self.position.previous is not None
            self.position = self.position.previous
        self.ending, self.reason, self.fault = FINISHED, "", None
        self._began = perf_counter()
        return True

    def resign(self, seat: int) -> None:
        """End the game by a person's resignation; the result is that of a forfeit."""
        if self.is_over:
            raise CannotPlayError("the game is over")
        if self.agents[seat] is not None:
            raise CannotPlayError(f"seat {seat} is not a person's")
        self.forfeit(seat, RESIGNED, "gave up")

    def expire(self) -> bool:
        """End the game if the person to move has run out of time; return whether it ended."""
        overtime = self.overtime
        if overtime <= 0:
            return False
        self.fail(AgentError("late", f"took {overtime:.3f} s too long"))
        return True

    def fail(self, error: BaseException) -> None:
        """End the game by a fault of the seat to move, such as an agent's error."""
        self.forfeit(self.seat, *fault_of(error))

    def forfeit(self, seat: int, ending: str, reason: str) -> None:
        """End the game by the fault of a seat; `ending` and `reason` are as in a record."""
        self.ending, self.reason, self.fault = ending, reason, seat

    def resume(self, seconds_used: float) -> None:
        """Start the clock of the seat to move as if it had used so many seconds for its move."""
        self._began = perf_counter() - seconds_used

    def record(self) -> Record:
        """Return the game as a record; an unfinished game is adjudicated a draw."""
        game, seats = self.position.game, range(len(self.agents))
        broken_off = ADJUDICATED, "the game was broken off"
        ending, reason = (self.ending, self.reason) if self.is_over else broken_off
        return Record(
            game=repr(game),
            agents=tuple(PERSON if agent is None else repr(agent) for agent in self.agents),
            entrants=tuple(seats),
            number=0,
            seed=self.seed,
            start=self.start.to_text(),
            opening=0,
            actions=tuple(move.action for move in self.moves),
            players=tuple(move.seat for move in self.moves),
            seconds=tuple(move.seconds for move in self.moves),
            values=tuple(None if m.thought is None else m.thought.value for m in self.moves),
            returns=self.returns,
            ending=ending,
            reason=reason,
            fault=self.fault,
            version=__version__,
            game_identity=game.identity(),
            identities=tuple(
                PERSON if agent is None else agent.identity(game) for agent in self.agents
            ),
        )

    def close(self) -> None:
        """Close all players and advisers, and the processes that they started."""
        while self._players:
            with suppress(Exception):  # an error while closing does not change the game
                self._players.popitem()[1].player.close(self.returns)
        while self._advisers:
            with suppress(Exception):
                self._advisers.popitem()[1].close(self.returns)

    def _seed_of_player(self, seat: int) -> int:
        """Return the seed of a seat's player: none of those of moves, which are its plies'."""
        return derive_seed(self.seed, -1 - seat)

    def _copied_clocks(self) -> list[Clock]:
        return [copy(clock) for clock in self._clocks]

    def _move(self, after: Position, move: Move, clocks: list[Clock]) -> None:
        self.position = after
        self.moves.append(move)
        self._clocks_before.append(clocks)
        self._began = perf_counter()
