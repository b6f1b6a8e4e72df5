"""Tron, Figures 2 to 4: wins against the course's bots, on the original maps and larger ones."""

from __future__ import annotations

from collections.abc import Sequence

from plyground.arena.plan import Tournament
from plyground.export.report import Cell, Curve, Plot, Table
from plyground.studies._findings import NO_DIFFERENCE, Figure, figure, leader, sentence
from plyground.studies._share import Share
from plyground.studies._tron import (
    BOTS,
    COUNTBOTULA,
    DESCRIBED,
    MAPS,
    searching,
)
from plyground.studies.study import Findings, Laboratory, Study

REPORTED = {
    "empty_room": (100, 100, 96, 87),
    "center_block": (98, 94, 83, 75),
    "diagonal_blocks": (98, 97, 85, 74),
}
"""The original wins of 100 games against each of BOTS."""

ORIGINAL, OURS = "original CountBOTula", "our CountBOTula: chambers, learned, hugging"

PLAYERS = {
    "free cells (warm-up)": searching("free_cells"),
    "Manhattan Voronoi": searching("manhattan_voronoi"),
    "Voronoi": searching("voronoi"),
    "Voronoi and learned": searching("'learned(hug=0)'"),
    "Voronoi, learned, hugging": DESCRIBED,
    "chambers": searching("chambers"),
    "chambers and learned": searching("'learned_chambers(hug=0)'"),
    OURS: COUNTBOTULA,
    "chambers, 8 plies": searching("chambers", depth=8),
}
"""By name; all but the last search four plies deep, as the original CountBOTula does."""

LARGER = {"21 x 21": 21, "31 x 31": 31}
LARGER_PLAYERS = ("Voronoi, learned, hugging", OURS)


class TronFigures(Study):
    """Wins per 100 games with their intervals, beside the original ones."""

    name = "tron_figures"
    title = "Tron: CountBOTula against the course's bots"
    about = (
        "The original study's Figures 2 to 4 show how many of 100 games CountBOTula (alpha-beta, "
        "four plies, Voronoi by Dijkstra and a learned term) won against each bot of the course, "
        "from random starts; who moves first alternates. It says that it did worse on larger maps."
    )

    def measure(self, laboratory: Laboratory) -> Findings:
        results = [
            self._wins(
                laboratory, name, f"tron(map={name})", tuple(PLAYERS), 4 if self.quick else 400
            )
            for name in (MAPS[:1] if self.quick else MAPS)
        ]
        plots = tuple(plot for _, plot in results)
        for name, side in ({} if self.quick else LARGER).items():
            room = f"tron(map=room, width={side}, height={side})"
            results.append(self._wins(laboratory, f"room of {name}", room, LARGER_PLAYERS, 100))
        return Findings(
            tables=tuple(table for table, _ in results),
            plots=plots,
        )

    @staticmethod
    def conclude(tables: Sequence[Table]) -> tuple[str, ...]:
        remarks = []
        for table in tables:
            rows = {str(row[0]): row for row in table.rows}
            if ORIGINAL not in rows or OURS not in rows:
                continue
            pairs = [
                (_figure(OURS, ours), _figure(ORIGINAL, original))
                for ours, original in zip(rows[OURS][1:], rows[ORIGINAL][1:], strict=True)
            ]
            met = sum(float(ours.text) >= float(original.text) for ours, original in pairs)
            above = sum(ours.low > original.high for ours, original in pairs)
            below = sum(ours.high < original.low for ours, original in pairs)
            remarks.append(
                f"{table.title}: our CountBOTula wins at least as often as the original against "
                f"{met} of {len(pairs)} bots; by the intervals it is above against {above} and "
                f"below against {below}, else {NO_DIFFERENCE}."
            )
        for table in tables:
            for bot, column in zip(BOTS, range(1, 1 + len(BOTS)), strict=True):
                if bot != "RandBot" and len(table.rows) > 2:
                    shares = [_figure(row[0], row[column]) for row in table.rows]
                    ours = [share for share in shares if share.name != ORIGINAL]
                    remarks.append(sentence(leader(ours, f"{table.title.split(':')[0]}, {bot}")))
        return tuple(remarks)

    def _wins(
        self, laboratory: Laboratory, name: str, game: str, players: tuple[str, ...], games: int
    ) -> tuple[Table, Plot]:
        """Return the table and plot of players' wins against the course's bots on one map."""
        shares_of: dict[str, list[Share]] = {}
        if name in REPORTED:
            shares_of[ORIGINAL] = [Share(won, 100) for won in REPORTED[name]]
        for player in players:
            plan = {
                "game": game, "agents": [PLAYERS[player], *BOTS.values()], "format": "gauntlet",
                "games": games, "opening": 0, "seed": self.seed,
            }  # fmt: skip
            wins = [0] * (1 + len(BOTS))
            for record in laboratory.play(Tournament.make(plan)):
                seat = record.entrants.index(0)
                wins[record.entrants[1 - seat]] += record.returns[seat] > 0
            shares_of[player] = [Share(won, games) for won in wins[1:]]
        rows = tuple(
            (player, *(f"{100 * share.score:.1f} ({share.interval_text})" for share in shares))
            for player, shares in shares_of.items()
        )
        curves = tuple(
            Curve.of(bot, range(len(shares_of)), shares)
            for bot, *shares in zip(BOTS, *shares_of.values(), strict=True)
        )
        title = f"{name}: won, of 100 ({games} games)"
        plot = Plot(title, "share of games won", "", curves, names=tuple(shares_of))
        return Table(title, ("player", *BOTS), rows), plot


def _figure(name: Cell, cell: Cell) -> Figure:
    """Return the figure of a cell that contains its interval."""
    return figure(name, str(cell).split(" ")[0], cell)
