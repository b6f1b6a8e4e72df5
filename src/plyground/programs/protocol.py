"""The wire protocol of docs/bot-protocol.md: lines of JSON to a program, and its answers."""

from __future__ import annotations

import json
from math import inf
from time import monotonic
from typing import Any

from plyground import __version__
from plyground.errors import FAULTS, AgentError
from plyground.programs.sandbox.process import LONGEST_REASON, Process
from plyground.search.timing import kept_waiting, own_time
from plyground.text import one_line, shortened

PROTOCOL = 1
LOOK = 0.02
"""Seconds between two readings of a program's CPU time, once it should be used up."""


class Conversation:
    """The exchange of messages with one program in one game.

    Unless it ponders, the program is stopped when it is not its turn.
    """

    def __init__(self, process: Process, ponder: bool, budget: float) -> None:
        self.process = process
        self.ponder = ponder
        """Whether the program may go on computing when it is not its turn."""
        self.budget = budget
        """The CPU seconds that the program may use in the game, from its greeting on."""
        self._used_before = 0.0
        self.turn = 0
        self._allowed = ""
        """The time limit of the current answer, in words for errors."""
        self._answer_pending = False
        """Whether a late answer to an earlier turn may still come."""
        self._waited = 0.0
        """How long this thread had waited for a processor when it last read less than an answer."""

    def begin(self, game: str, seat: int, players: int, seconds: float, seed: int) -> None:
        """Send the greeting and the game; the program has so many seconds to be ready."""
        until = monotonic() + seconds
        self._allowed = f"{seconds:.3g} s"
        program = f"plyground {__version__}"
        self._send(until, type="hello", protocol=PROTOCOL, program=program)
        answer = self._receive("hello", until)
        if self.budget < inf:
            self._used_before = self.process.cpu_seconds()
        if answer.get("protocol") != PROTOCOL:
            version = shortened(repr(answer.get("protocol")))
            raise AgentError("failed", f"it speaks protocol {version}, not {PROTOCOL}")
        self._send(until, type="new_game", game=game, seat=seat, players=players, seed=seed % 2**31)
        _read("ready", self._await("ready", until, self._used_before + self.budget))
        self._check_budget()
        self._rest()

    def ask(
        self, turn: dict[str, Any], seconds: float, wait: float, computing: float | None
    ) -> tuple[dict[str, Any], float]:
        """Send a turn; return the answer and the seconds that it took.

        Errors quote the limit `seconds`; the answer is waited for `wait` seconds. If CPU time is
        what counts, `computing` is the most of it.
        """
        self._allowed = f"{seconds:.3g} s"
        if computing is not None:
            self._allowed += f" of CPU time, or {wait:.3g} s in all"
        unexpected = self.process.unexpected_output()
        if unexpected and not self._answer_pending:
            raise AgentError("failed", f"it wrote when it was not its turn: {unexpected!r}")
        self.turn += 1
        message = _line(type="turn", turn=self.turn, **turn)
        until, began = monotonic() + wait, self._clock(computing)
        computed = self._used_before + self.budget
        if computing is not None:
            computed = min(computed, began + computing)
        self.process.thaw()
        try:
            self.process.send(message, until)
            self._heard()
            sent = self._waited
            line = self._await("move", until, computed)
            while self._answer_pending and _read("move", line).get("turn") != self.turn:
                self._heard()
                line = self._await("move", until, computed)
            self._answer_pending = False
            passed = self._clock(computing) - began
            if computing is None:  # it could keep this thread waiting by many parts of an answer
                passed += self._waited - sent
            self._check_budget()
        finally:
            self._rest()
        answer = _read("move", line)
        if answer.get("turn") != self.turn:
            answered = shortened(repr(answer.get("turn")))
            raise AgentError("failed", f"it answers turn {answered}; this is turn {self.turn}")
        return answer, passed

    def end(self, returns: tuple[float, ...]) -> None:
        """Send the result, and end the program."""
        try:
            until = monotonic()  # a program that does not read is not waited for
            self.process.thaw()
            self._send(until, type="result", returns=returns)
            self._send(until, type="bye")
        except (AgentError, OSError):
            pass  # the game is over: failures no longer matter
        finally:
            self.process.end()

    def _check_budget(self) -> None:
        """Raise AgentError if the program has used more CPU time than it has for the game."""
        if self.budget < inf:
            used = self.process.cpu_seconds() - self._used_before
            if used > self.budget:
                raise AgentError("late", f"computed for {used:.2f} s, had {self.budget:g} s")

    def _heard(self) -> None:
        self._waited = kept_waiting()

    def _rest(self) -> None:
        """Stop the program until its next turn."""
        if not self.ponder:
            self.process.freeze()

    def _clock(self, computing: float | None) -> float:
        """Return the time that counts: the program's CPU time, or wall-clock time."""
        return own_time() if computing is None else self.process.cpu_seconds()

    def _send(self, until: float, **message: Any) -> None:
        self.process.send(_line(**message), until)

    def _receive(self, kind: str, until: float) -> dict[str, Any]:
        return _read(kind, self._await(kind, until))

    def _await(self, kind: str, until: float, computed: float = inf) -> str:
        """Return the next line; raise AgentError at the time `until`, or when the program's CPU
        time reaches `computed`."""
        while True:
            left = inf if computed == inf else computed - self.process.cpu_seconds()
            try:
                return self.process.receive(min(until, monotonic() + max(LOOK, left)), self._heard)
            except AgentError as failure:
                if failure.fault != "late":
                    raise
                if left <= 0 or monotonic() >= until:
                    self._answer_pending = True
                    self._check_budget()
                    raise AgentError("late", f"no {kind} within {self._allowed}") from None


def _read(kind: str, line: str) -> dict[str, Any]:
    """Return an answer that must be of a given type, or raise AgentError."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise AgentError("failed", f"its answer is not a JSON object: {shortened(repr(line))}")
    if answer.get("type") == "failed":
        fault = answer.get("fault")
        reason = one_line(str(answer.get("reason")), LONGEST_REASON)
        raise AgentError(str(fault) if fault in FAULTS else "failed", reason)
    if answer.get("type") != kind:
        got = shortened(repr(answer.get("type")))
        raise AgentError("failed", f"its answer is of type {got}, not {kind!r}")
    return answer


def _line(**message: Any) -> str:
    return json.dumps(message, separators=(",", ":"))
