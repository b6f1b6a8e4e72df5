"""Plays a tournament's games: its game and agents are loaded and compiled once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from traceback import extract_tb
from typing import Any

from plyground.agents import load_agent
from plyground.arena.match import LONGEST_REASON, forfeited, play_game
from plyground.arena.plan import Pairing, Tournament
from plyground.arena.record import Record, positions
from plyground.errors import BadGame, PlygroundError, one_line
from plyground.game import Position
from plyground.games import load_game


class Referee:
    """Plays any of a tournament's games in this process."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.game = load_game(tournament.game)
        self.agents = [load_agent(spec) for spec in tournament.agents]
        for agent in self.agents:
            agent.prepare(self.game)

    def play(self, pairing: Pairing, turn: Any = None) -> Record:
        """Play one game; `turn.value` is kept at the seat that is to move.

        What the rules do wrong is raised in one line: whoever reads it may be another process.
        """

        def watch(position: Position) -> None:
            if turn is not None:
                turn.value = position.player

        try:
            return play_game(
                self.game,
                [self.agents[entrant] for entrant in pairing.entrants],
                [self.tournament.limits[entrant] for entrant in pairing.entrants],
                increment=self.tournament.increment,
                max_plies=self.tournament.max_plies,
                ponder=self.tournament.ponder,
                policies=self.tournament.policies,
                referee=self.tournament.referee,
                entrants=pairing.entrants,
                number=pairing.number,
                seed=pairing.seed,
                opening=self.tournament.opening,
                opening_rule=self.tournament.opening_rule,
                watch=watch,
            )
        except PlygroundError:
            raise
        except Exception as error:
            *_, last = extract_tb(error.__traceback__)
            where = f"{Path(last.filename).name}, line {last.lineno}"
            failed = one_line(f"{type(error).__name__}: {error}", LONGEST_REASON)
            raise BadGame(
                f"{self.game} failed in game {pairing.number} ({where}): {failed}"
            ) from error

    def forfeit(self, pairing: Pairing, seat: int, reason: str) -> Record:
        """Record a game that could not be played, and who is to blame."""
        record = play_game(
            self.game,
            [],
            max_plies=0,  # the start and the opening, and nobody is asked
            entrants=pairing.entrants,
            number=pairing.number,
            seed=pairing.seed,
            opening=self.tournament.opening,
            opening_rule=self.tournament.opening_rule,
        )
        return replace(
            record,
            agents=tuple(self.tournament.agents[entrant] for entrant in pairing.entrants),
            identities=tuple(
                self.agents[entrant].identity(self.game) for entrant in pairing.entrants
            ),
            returns=forfeited(positions(self.game, record)[-1], seat),
            ending="failed",
            reason=reason,
            fault=seat,
        )
