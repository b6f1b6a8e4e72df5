"""Tron, Figures 2 to 4: wins of 100 against each bot of the course, on each map and larger ones."""

from __future__ import annotations

from plyground.arena.plan import Tournament
from plyground.arena.tournament import wilson
from plyground.experiments._tron import (
    BOTS,
    COUNTBOTULA,
    DESCRIBED,
    MAPS,
    searching,
)
from plyground.experiments.experiment import Experiment, Findings, Laboratory
from plyground.report import Cell, Table

REPORTED = {
    "empty_room": (100, 100, 96, 87),
    "center_block": (98, 94, 83, 75),
    "diagonal_blocks": (98, 97, 85, 74),
}
"""The seed's wins of 100 against each of BOTS."""

PLAYERS = {
    "free cells (warm-up)": searching("free_cells"),
    "Manhattan Voronoi": searching("manhattan_voronoi"),
    "Voronoi": searching("voronoi"),
    "Voronoi and learned": searching("'learned(hug=0)'"),
    "Voronoi, learned, hugging": DESCRIBED,
    "chambers": searching("chambers"),
    "chambers and learned": searching("'learned_chambers(hug=0)'"),
    "our CountBOTula: chambers, learned, hugging": COUNTBOTULA,
    "chambers, 8 plies": searching("chambers", depth=8),
}
"""By name; all but the last look four plies ahead, as the seed's CountBOTula does."""

LARGER = {"21 x 21": 21, "31 x 31": 31}
LARGER_PLAYERS = ("Voronoi, learned, hugging", "our CountBOTula: chambers, learned, hugging")


class TronFigures(Experiment):
    """Wins of 100 with their intervals, beside the seed's."""

    name = "tron_figures"
    title = "Tron: CountBOTula against the course's bots"
    about = (
        "The seed's Figures 2 to 4 count what CountBOTula (alpha-beta, four plies, Voronoi by "
        "Dijkstra and a learned term) won of 100 games against each bot of the course, from random "
        "starts; who moves first alternates. It says that larger maps went worse."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        tables = [
            self._table(
                laboratory, name, f"tron(map={name})", tuple(PLAYERS), 4 if self.quick else 400
            )
            for name in (MAPS[:1] if self.quick else MAPS)
        ]
        for name, side in ({} if self.quick else LARGER).items():
            room = f"tron(map=room, width={side}, height={side})"
            tables.append(self._table(laboratory, f"room of {name}", room, LARGER_PLAYERS, 100))
        return Findings(
            tables=tuple(tables),
            remarks=(
                "Every start is played twice, sides swapped; in brackets is Wilson's interval of "
                "95%. The bots are built from their description: the course's own, and its seconds "
                "a move, are not here.",
                "At the seed's cutoff of four plies our CountBOTula meets or passes all twelve "
                "figures. Its search and its learned weights are those that the seed describes; "
                "its territory is counted by chambers: rooms behind different doors are not added "
                "up, a cell that both reach at once is the mover's, and a lead counts in full only "
                "once the riders are cut off from each other. Word by word, with Voronoi, it wins "
                "60 to 62 of 100 against TA2, whom the course's bots may have found easier: there "
                "TA2 won 34, 22 and 24 of 40 against TA1, here 92%, 71% and 78%.",
                "What the regression learned shows on center_block, against TA1; elsewhere it and "
                "hugging make no difference that 400 games can tell. Larger maps, where the seed "
                "did worse, are no harder that 100 games can tell.",
            ),
        )

    def _table(
        self, laboratory: Laboratory, name: str, game: str, players: tuple[str, ...], games: int
    ) -> Table:
        seed = REPORTED.get(name)
        rows: list[tuple[Cell, ...]] = []
        if seed is not None:
            rows.append(("the seed's CountBOTula", *(f"{won}" for won in seed)))
        for player in players:
            plan = {
                "game": game, "agents": [PLAYERS[player], *BOTS.values()], "format": "gauntlet",
                "games": games, "opening": 0, "seed": self.seed,
            }  # fmt: skip
            wins = dict.fromkeys(range(1, 1 + len(BOTS)), 0)
            for record in laboratory.play(Tournament.make(plan)):
                seat = record.entrants.index(0)
                wins[record.entrants[1 - seat]] += record.returns[seat] > 0
            rows.append((player, *(_won(each, games) for each in wins.values())))
        headings = ("player", *BOTS)
        return Table(f"{name}: won, of 100 ({games} games)", headings, tuple(rows))


def _won(wins: int, games: int) -> str:
    low, high = wilson(wins / games, games)
    return f"{100 * wins / games:.1f} ({low:.0%} to {high:.0%})"
