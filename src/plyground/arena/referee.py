"""The referee of a tournament: loads and compiles its game and agents once, plays any game."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plyground.agents import load_agent
from plyground.arena.faults import located
from plyground.arena.match import forfeited, play_game
from plyground.arena.plan import Pairing, Tournament
from plyground.arena.record import Record, positions
from plyground.errors import GameError, PlygroundError
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
        """Play one game and return its record; `turn.value` is set to the seat to move.

        An error in the rules is raised as GameError with a text of one line, which can be sent to
        another process.
        """

        def watch(position: Position) -> None:
            if turn is not None:
                turn.value = position.player

        try:
            record = play_game(
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
            failed = f"{self.game} failed in game {pairing.number + 1}"
            raise GameError(f"{failed}: {located(error)}") from error
        return self._named(record, pairing)

    def forfeit(self, pairing: Pairing, seat: int, reason: str) -> Record:
        """Return the record of a game that could not be played, lost by the player in a seat."""
        record = play_game(
            self.game,
            ["random"] * len(pairing.entrants),
            max_plies=0,  # only the start and the opening are played
            entrants=pairing.entrants,
            number=pairing.number,
            seed=pairing.seed,
            opening=self.tournament.opening,
            opening_rule=self.tournament.opening_rule,
        )
        forfeit = replace(
            record,
            agents=tuple(self.tournament.agents[entrant] for entrant in pairing.entrants),
            identities=tuple(
                self.agents[entrant].identity(self.game) for entrant in pairing.entrants
            ),
            returns=forfeited(positions(self.game, record)[-1], seat),
            ending="failed",
            reason=reason,
            fault=seat,
            names=(),
        )
        return self._named(forfeit, pairing)

    def _named(self, record: Record, pairing: Pairing) -> Record:
        """Return the record with the plan's labels."""
        if not self.tournament.names:
            return record
        labels = self.tournament.labels
        return replace(record, names=tuple(labels[entrant] for entrant in pairing.entrants))
