"""The wire protocol of docs/bot-protocol.md: lines of JSON to a program, and its answers."""

from __future__ import annotations

import json
from math import inf
from time import monotonic
from typing import Any

from plyground import __version__
from plyground.errors import FAULTS, AgentFailed, one_line, shortened
from plyground.programs.sandbox.process import LONGEST_SAYING, Process
from plyground.search.timing import own_time

PROTOCOL = 1
LOOK = 0.02
"""Seconds between two looks at a program's CPU time, once it should be used up."""


class Conversation:
    """What is said to one program in one game; it computes only in its turns, unless it ponders."""

    def __init__(self, process: Process, ponder: bool) -> None:
        self.process = process
        self.ponder = ponder
        """Whether the program may go on computing when it is not its turn."""
        self.turn = 0
        self._allowed = ""
        """How long the answer may take that is waited for, in words."""
        self._owed = False
        """Whether an answer to an earlier turn may still come: it was late."""

    def begin(self, game: str, seat: int, players: int, seconds: float, seed: int) -> None:
        """Greet the program and announce the game; it has so many seconds to be ready."""
        until = monotonic() + seconds
        self._allowed = f"{seconds:.3g} s"
        program = f"plyground {__version__}"
        self._send(until, type="hello", protocol=PROTOCOL, program=program)
        answer = self._receive("hello", until)
        if answer.get("protocol") != PROTOCOL:
            spoken = shortened(repr(answer.get("protocol")))
            raise AgentFailed("failed", f"it speaks protocol {spoken}, not {PROTOCOL}")
        self._send(until, type="new_game", game=game, seat=seat, players=players, seed=seed % 2**31)
        self._receive("ready", until)
        self._rest()

    def ask(
        self, turn: dict[str, Any], seconds: float, wait: float, computing: float | None
    ) -> tuple[dict[str, Any], float]:
        """Send a turn; return the answer, and the seconds that it took.

        It may take `seconds`, in words of the error, and is waited for so long. Where its CPU time
        counts, `computing` is the most of it.
        """
        self._allowed = f"{seconds:.3g} s"
        if computing is not None:
            self._allowed += f" of CPU time, or {wait:.3g} s in all"
        unasked = self.process.unasked()
        if unasked and not self._owed:
            raise AgentFailed("failed", f"it spoke when it was not its turn: {unasked!r}")
        self.turn += 1
        message = _line(type="turn", turn=self.turn, **turn)
        until, began = monotonic() + wait, self._clock(computing)
        computed = inf if computing is None else began + computing
        self.process.thaw()
        try:
            self.process.send(message, until)
            line = self._await("move", until, computed)
            while self._owed and _read("move", line).get("turn") != self.turn:
                line = self._await("move", until, computed)
            self._owed = False
            passed = self._clock(computing) - began
        finally:
            self._rest()
        answer = _read("move", line)
        if answer.get("turn") != self.turn:
            answered = shortened(repr(answer.get("turn")))
            raise AgentFailed("failed", f"it answers turn {answered}, this is turn {self.turn}")
        return answer, passed

    def end(self, returns: tuple[float, ...]) -> None:
        """Tell the result, and end the program."""
        try:
            until = monotonic()  # who does not read has had its chance
            self.process.thaw()
            self._send(until, type="result", returns=returns)
            self._send(until, type="bye")
        except (AgentFailed, OSError):
            pass  # the game is over: nothing counts any more
        finally:
            self.process.end()

    def _rest(self) -> None:
        """Stop the program until its next turn."""
        if not self.ponder:
            self.process.freeze()

    def _clock(self, computing: float | None) -> float:
        """Read the clock that counts: the program's CPU time, or the time that passes."""
        return own_time() if computing is None else self.process.cpu_seconds()

    def _send(self, until: float, **message: Any) -> None:
        self.process.send(_line(**message), until)

    def _receive(self, wanted: str, until: float) -> dict[str, Any]:
        return _read(wanted, self._await(wanted, until))

    def _await(self, wanted: str, until: float, computed: float = inf) -> str:
        """Wait for a line until a moment, or until the program has computed for so long in all."""
        while True:
            left = inf if computed == inf else computed - self.process.cpu_seconds()
            try:
                return self.process.receive(min(until, monotonic() + max(LOOK, left)))
            except AgentFailed as failure:
                if failure.fault != "late":
                    raise
                if left <= 0 or monotonic() >= until:
                    self._owed = True
                    raise AgentFailed("late", f"no {wanted} within {self._allowed}") from None


def _read(wanted: str, line: str) -> dict[str, Any]:
    """Read an answer of the type that is wanted."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise AgentFailed("failed", f"its answer is no JSON object: {shortened(repr(line))}")
    if answer.get("type") == "failed":
        fault = answer.get("fault")
        reason = one_line(str(answer.get("reason")), LONGEST_SAYING)
        raise AgentFailed(str(fault) if fault in FAULTS else "failed", reason)
    if answer.get("type") != wanted:
        got = shortened(repr(answer.get("type")))
        raise AgentFailed("failed", f"its answer is a {got}, not a {wanted!r}")
    return answer


def _line(**message: Any) -> str:
    return json.dumps(message, separators=(",", ":"))
